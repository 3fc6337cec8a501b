/* aligned_squares.h - messages that must cross the edges of squares of side 2^j at multiples of 2^j.
 *
 * Inside the workloads only.
 */
#ifndef MESHCAST_WORKLOADS_ALIGNED_SQUARES_H
#define MESHCAST_WORKLOADS_ALIGNED_SQUARES_H

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
};

/* Lays out the levels, all counts zero. aligned_squares_close() when done; a failure leaves nothing
 * to close. FAIL_SYSTEM: no memory. */
enum failure_kind aligned_squares_open(struct aligned_squares *squares, struct mesh mesh,
                                       struct failure *failure);
void aligned_squares_close(struct aligned_squares *squares);

/* Counts a message: the places (crossing.h) of its source and its destinations, which are
 * used up; place[] has room for one more. */
void aligned_squares_add(struct aligned_squares *squares, uint32_t source, uint32_t *place,
                         uint32_t count);

/* Raises BOUND_ENTER and BOUND_LEAVE to what the squares prove, and BOUND_NODE to what the nodes do; once, after the last
 * message. From then on level[0].enter has what each node receives. */
void aligned_squares_raise(struct aligned_squares *squares, struct lower_bounds *bounds);

#endif
