/* instance.h - a message set for users: its name, its figures, its bounds. */
#ifndef MESHCAST_WORKLOADS_INSTANCE_H
#define MESHCAST_WORKLOADS_INSTANCE_H

#include "workloads/lower_bound.h"
#include "workloads/message_set.h"

struct instance {
    const char *name; /* the file's name as given; the caller's */
    struct message_set set;
    uint32_t degree, congestion, most_sent; /* d, c and l */
    double sqrt_cn;                         /* S = sqrt(l c n), 0 for the empty set */
    const struct topology *broken;          /* the mesh, if it is broken; else NULL. The caller's */
    struct lower_bounds bounds;             /* valid once has_bounds */
    bool has_bounds;
};

/* Removes messages from nodes to themselves from instance->set, and computes its figures without
 * the bounds; the caller filled it with a set for the mesh machine. FAIL_SYSTEM: no memory. */
enum failure_kind instance_measure(struct instance *instance, struct failure *failure);

/* Computes the bounds, which lasts longer than all other figures, so only callers that show them
 * call it. FAIL_SYSTEM as above. */
enum failure_kind instance_bound(struct instance *instance, enum lower_bound_extent extent,
                                 struct failure *failure);

void instance_free(struct instance *instance);

/* Returns the largest of the lower bounds that hold for the cost of copies, in steps; after
 * instance_bound(). */
uint64_t instance_lower_bound(const struct instance *instance, bool copy_is_free);

/* Returns its name, as lower_bound_name(). */
const char *instance_lower_bound_name(const struct instance *instance, bool copy_is_free);

#endif
