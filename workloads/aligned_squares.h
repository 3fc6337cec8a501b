/* aligned_squares.h - messages that must cross the edges of squares of side 2^j at multiples of 2^j.
 *
 * Inside the workloads only.
 */
#ifndef MESHCAST_WORKLOADS_ALIGNED_SQUARES_H
#define MESHCAST_WORKLOADS_ALIGNED_SQUARES_H

#include "base/ranks_batch.h"
#include "workloads/lower_bound.h"

enum { ALIGNED_LEVELS = 16 };

/* The squares of one level: `rows` x `cols` of them, side 2^j. */
struct square_level {
    uint32_t cols, rows;
    uint32_t *enter, *leave; /* messages that must, once summed */
};

struct aligned_squares {
    struct mesh mesh;
    uint32_t levels; /* those with more than one square, and the nodes */
    struct square_level level[ALIGNED_LEVELS];
    uint32_t *memory; /* of all levels */
    /* Rows of nodes in whose squares this rank counts the messages of all ranks; alone all rows. */
    uint32_t first_row, end_row;
    bool is_split;            /* among ranks */
    struct ranks_batch batch; /* for squares of other ranks */
    struct failure *failure;  /* of the batch */
};

/* Lays out the levels, all counts zero. aligned_squares_close() when done; a failure leaves nothing
 * to close. `failure` is also that of the functions below. */
enum failure_kind aligned_squares_open(struct aligned_squares *squares, struct mesh mesh,
                                       struct ranks *ranks, struct failure *failure);
void aligned_squares_close(struct aligned_squares *squares);

/* Returns whether this rank is to count a message, which it may do only if one `is_left`. Before it returns it may send the
 * counts of other ranks' squares to them, so all ranks call it until it returns false (ranks_batch_next()). Alone it returns
 * `is_left`. If it fails, so does aligned_squares_raise(). FAIL_SYSTEM: no memory, or a rank has failed. */
bool aligned_squares_next(struct aligned_squares *squares, bool is_left);

/* Counts a message: the places (crossing.h) of its source and its destinations, which are
 * used up; place[] has room for one more. */
void aligned_squares_add(struct aligned_squares *squares, uint32_t source, uint32_t *place,
                         uint32_t count);

/* Raises BOUND_ENTER and BOUND_LEAVE to what the squares prove, and BOUND_NODE to what the nodes do; once, after the last
 * message. From then on level[0].enter is right in this rank's rows, first_row .. end_row - 1. */
enum failure_kind aligned_squares_raise(struct aligned_squares *squares, struct ranks *ranks,
                                        struct lower_bounds *bounds);

#endif
