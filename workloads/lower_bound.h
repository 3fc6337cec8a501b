/* lower_bound.h - how few steps any router can need for an instance.
 *
 * doc/bounds.md says why each bound holds and which rectangles are looked at.
 */
#ifndef MESHCAST_WORKLOADS_LOWER_BOUND_H
#define MESHCAST_WORKLOADS_LOWER_BOUND_H

#include "workloads/message_set.h"

enum lower_bound_kind {
    BOUND_DISTANCE, /* the farthest destination of a message, after those that it waits for */
    BOUND_NODE,     /* what one node receives from elsewhere, by distance, over the links into it */
    BOUND_ENTER,    /* what must enter a rectangle, over the links into it */
    BOUND_LEAVE,    /* what must leave a rectangle, over the links out of it */
    BOUND_SPLIT,    /* the distances of one message, and the copies made on the way */
    BOUND_COPIES,   /* the copies that the nodes of a rectangle must make */
    BOUND_KINDS
};

struct rectangle {
    uint32_t row, col, rows, cols;
};

/* Why a bound is what it is: before + ceil(messages / links) + after. For BOUND_COPIES `messages`
 * is the copies and packets that are needed, `links` what nodes can copy and links bring in a
 * step. */
struct bound_reason {
    struct rectangle rectangle;
    uint64_t messages, links;
    uint32_t before, after; /* steps before the first of these crossings, and after the last */
};

struct lower_bounds {
    uint64_t steps[BOUND_KINDS]; /* 0 where the set asks nothing of that kind */
    /* All 0 for BOUND_DISTANCE, BOUND_SPLIT, and no bound. */
    struct bound_reason reason[BOUND_KINDS];
};

/* The name of a kind, as in `route --json`: "distance", "enter-rectangle", ... */
const char *lower_bound_name(enum lower_bound_kind kind);

/* True if a kind holds only where copies cost a step. */
bool lower_bound_is_of_copies(enum lower_bound_kind kind);

/* The kind of the largest bound that holds for the cost of copies; of equal ones the first. */
enum lower_bound_kind lower_bound_best(const struct lower_bounds *bounds, bool copy_is_free);

/* Makes `reason` that of a kind, if it proves more than the present one. */
void lower_bound_raise(struct lower_bounds *bounds, enum lower_bound_kind kind,
                       const struct bound_reason *reason);

/* What is asked for. Only `meshcast info` shows all bounds; a ratio needs no more than the
 * largest. */
enum lower_bound_extent {
    BOUNDS_LARGEST, /* those of lower_bound_best(), for either cost; others may be too small */
    BOUNDS_ALL
};

/* Computes the bounds of a set that is no part. FAIL_SYSTEM: no memory. */
enum failure_kind lower_bounds_compute(const struct message_set *set,
                                       enum lower_bound_extent extent, struct lower_bounds *bounds,
                                       struct failure *failure);

/* Raises the bounds of a set that the machine takes by what remains of a broken mesh, on which all
 * of its messages can be sent. FAIL_SYSTEM: no memory. */
enum failure_kind lower_bounds_raise_broken(const struct message_set *set,
                                            const struct topology *topology,
                                            struct lower_bounds *bounds, struct failure *failure);

#endif
