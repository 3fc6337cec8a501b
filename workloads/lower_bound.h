/* lower_bound.h - lower bounds on the steps of any router for an instance.
 *
 * doc/bounds.md proves each bound and describes the choice of rectangles.
 */
#ifndef MESHCAST_WORKLOADS_LOWER_BOUND_H
#define MESHCAST_WORKLOADS_LOWER_BOUND_H

#include "workloads/message_set.h"

enum lower_bound_kind {
    /* the farthest destination of a message, after the messages that it waits for */
    BOUND_DISTANCE,
    BOUND_NODE,   /* messages to one node from elsewhere, by distance, over the links into it */
    BOUND_ENTER,  /* messages that must enter a rectangle, over the links into it */
    BOUND_LEAVE,  /* messages that must leave a rectangle, over the links out of it */
    BOUND_SPLIT,  /* the distances of one message, and the copies made on the way */
    BOUND_COPIES, /* the copies that the nodes of a rectangle must make */
    BOUND_KINDS
};

struct rectangle {
    uint32_t row, col, rows, cols;
};

/* The terms of a bound: before + ceil(messages / links) + after. For BOUND_COPIES `messages` is the
 * needed copies and packets, `links` the copies that nodes can make and the packets that links
 * bring per step. */
struct bound_reason {
    struct rectangle rectangle;
    uint64_t messages, links;
    uint32_t before, after; /* steps before the first of these crossings, and after the last */
};

struct lower_bounds {
    uint64_t steps[BOUND_KINDS]; /* 0 if the set demands nothing of that kind */
    /* All 0 for BOUND_DISTANCE, BOUND_SPLIT, and no bound. */
    struct bound_reason reason[BOUND_KINDS];
};

/* Returns the name of a kind, as in `route --json`: "distance", "enter-rectangle", ... */
const char *lower_bound_name(enum lower_bound_kind kind);

/* True if a kind holds only if copies cost a step. */
bool lower_bound_is_of_copies(enum lower_bound_kind kind);

/* Returns the kind of the largest bound that holds for the cost of copies; of equal ones the
 * first. */
enum lower_bound_kind lower_bound_best(const struct lower_bounds *bounds, bool copy_is_free);

/* Makes `reason` that of a kind, if it proves more than the present one. */
void lower_bound_raise(struct lower_bounds *bounds, enum lower_bound_kind kind,
                       const struct bound_reason *reason);

/* The bounds to compute. Only `meshcast info` shows all bounds; a ratio needs only the largest. */
enum lower_bound_extent {
    /* those of lower_bound_best() on the whole mesh, for either cost; others may be too small */
    BOUNDS_LARGEST,
    BOUNDS_ALL
};

/* Computes the bounds of a set that is no part. FAIL_SYSTEM: no memory. */
enum failure_kind lower_bounds_compute(const struct message_set *set,
                                       enum lower_bound_extent extent, struct lower_bounds *bounds,
                                       struct failure *failure);

/* Raises the bounds of a set for the machine by the rest of a broken mesh, on which all of its
 * messages can be sent. FAIL_SYSTEM: no memory. */
enum failure_kind lower_bounds_raise_broken(const struct message_set *set,
                                            const struct topology *topology,
                                            struct lower_bounds *bounds, struct failure *failure);

#endif
