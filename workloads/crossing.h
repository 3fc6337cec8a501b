/* crossing.h - the messages that must cross the edge of a rectangle of nodes, and the steps for
 * that.
 *
 * A message enters a rectangle if its source is outside and a destination inside; it leaves one if
 * its source is inside and a destination outside. Links are directed: those into a rectangle are as
 * many as those out of it. Only for workloads/.
 */
#ifndef MESHCAST_WORKLOADS_CROSSING_H
#define MESHCAST_WORKLOADS_CROSSING_H

#include "workloads/lower_bound.h"

static inline bool rectangle_holds(const struct rectangle *rectangle, uint32_t place)
{
    int is_row = place_row(place) - rectangle->row < rectangle->rows;
    int is_col = place_col(place) - rectangle->col < rectangle->cols;
    return is_row & is_col; /* without a branch */
}

/* For BOUND_SPLIT (workloads/lower_bound.c): the weight of a destination that is so much nearer
 * than the farthest one of its message, and the number of copies made on a way, from the sum of all
 * weights. */
enum { SPLIT_UNITS = 37 }; /* 2^26 destinations of weight 2^37 fit 64 bits */

static inline uint64_t split_weight(uint32_t nearer)
{
    return nearer <= SPLIT_UNITS ? UINT64_C(1) << (SPLIT_UNITS - nearer) : 0;
}

static inline uint32_t split_copies(uint64_t sum)
{
    uint32_t copies = 0;
    while (UINT64_C(1) << (SPLIT_UNITS + copies) < sum)
        copies++;
    return copies;
}

/* Returns the links into a rectangle, which are as many as those out of it; 0: it is the whole
 * mesh. */
uint32_t rectangle_links(struct mesh mesh, const struct rectangle *rectangle);

/* A rectangle and a direction. */
struct crossing {
    struct rectangle rectangle;
    bool enters; /* otherwise: leaves */
};

/* Counts exactly, over the whole set, the messages that cross each of `count` rectangles, and
 * raises bounds->steps[BOUND_ENTER or BOUND_LEAVE] and their reasons if that proves more.
 * FAIL_SYSTEM: no memory. */
enum failure_kind crossings_raise(const struct message_set *set, const struct crossing *crossing,
                                  uint32_t count, struct lower_bounds *bounds,
                                  struct failure *failure);

/* ---- the choice of rectangles ---- */

/* Takes a sample of a set's messages as a set of their own: all, if they have no more than `room`
 * deliveries, and otherwise about as many as fit, chosen only by their numbers. FAIL_SYSTEM: no
 * memory. The caller frees the sample. */
enum failure_kind sample_take(const struct message_set *set, uint64_t room,
                              struct message_set *sample, struct failure *failure);

/* Returns the number of messages of a sample that cross. */
uint32_t crossing_count(const struct message_set *sample, const struct crossing *crossing);

enum {
    SWEEP_CELLS = 64, /* along a side, at most */
    SWEEP_SCALES = 7, /* of lengths: 1, 2-3, 4-7, .., 64 cells */
    SWEEP_FOUND = 2 * SWEEP_SCALES * SWEEP_SCALES
}; /* of each scale and direction, at most */

/* A side cut into cells: cell i is the rows, or columns, cut[i] .. cut[i + 1] - 1. */
struct cells {
    uint32_t count, cut[SWEEP_CELLS + 1];
};

static inline void cells_make(struct cells *cells, uint32_t length, uint32_t count)
{
    cells->count = count;
    for (uint32_t i = 0; i <= count; i++)
        cells->cut[i] = (uint32_t)((uint64_t)length * i / count);
}

/* Returns the cell of a row or column: the last whose cut is not beyond it. */
static inline uint32_t cell_of(const struct cells *cells, uint32_t line)
{
    uint32_t length = cells->cut[cells->count];
    uint32_t cell = (uint32_t)(((uint64_t)line * cells->count) / length);
    return cell + (cells->cut[cell + 1] <= line);
}

/* Goes through all rectangles of whole cells, of which the mesh has at most SWEEP_CELLS by as many
 * (cells are nodes if it is no larger). For each direction and scale of height and width it finds
 * the one with the most messages per link, and orders them by that, the most first. */
enum failure_kind crossing_sweep(const struct message_set *sample,
                                 struct crossing found[SWEEP_FOUND], uint32_t *count,
                                 struct failure *failure);

#endif
