/* lower_bound.h - how few steps any router can need for an instance. */
#ifndef MESHCAST_WORKLOADS_LOWER_BOUND_H
#define MESHCAST_WORKLOADS_LOWER_BOUND_H

#include "workloads/message_set.h"

enum lower_bound_kind {
    BOUND_DISTANCE,     /* the farthest destination of a message */
    BOUND_ENTER_SQUARE, /* distinct messages that must enter an aligned square / links into it */
    BOUND_LEAVE_SQUARE, /* the same for leaving */
    BOUND_ENTER_CORNER, /* Theorem 1's square of n/(c+1) nodes, in each of the four corners */
    BOUND_LEAVE_CORNER,
    BOUND_NODE, /* the deliveries of one node from elsewhere / the links into it */
    BOUND_KINDS
};

struct lower_bounds {
    uint64_t steps[BOUND_KINDS]; /* 0 where the set asks nothing of that kind */
    enum lower_bound_kind best;  /* the kind of the largest */
    /* the square that attains each square bound: its first row and column, its sides */
    struct {
        uint32_t row, col, rows, cols;
    } square[BOUND_KINDS];
};

/* The name of a kind, as in `route --json`: "distance", "enter-square", ... */
const char *lower_bound_name(enum lower_bound_kind kind);

/* Computes all bounds in O(deliveries log n) time. FAIL_SYSTEM: no memory. */
enum failure_kind lower_bounds_compute(const struct message_set *set, struct lower_bounds *bounds,
                                       struct failure *failure);

#endif
