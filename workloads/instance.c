/* instance.c - computes the figures of a message set that every report shows.
 *
 * Method: d, c and l are counted, S = sqrt(l c n) follows, the lower bounds are
 * workloads/lower_bound.h. None of it depends on a router or a run.
 *
 * Cost: O(n + deliveries) time and a count per node of memory while it works; that of the bounds.
 */
#include "workloads/instance.h"

#include <assert.h>
#include <math.h>

enum failure_kind instance_measure(struct instance *instance, struct failure *failure)
{
    struct message_set *set = &instance->set;
    if (message_set_leave_home(set, failure) != FAIL_NONE)
        return failure->kind;
    instance->degree = message_set_degree(set);
    instance->congestion = message_set_congestion(set);
    instance->most_sent = message_set_most_sent(set);
    instance->has_bounds = false;
    if (instance->congestion == UINT32_MAX || instance->most_sent == UINT32_MAX)
        return fail_memory(failure, "the messages of the nodes");
    instance->sqrt_cn = sqrt((double)instance->most_sent * (double)instance->congestion *
                             (double)mesh_nodes(set->mesh));
    return FAIL_NONE;
}

enum failure_kind instance_bound(struct instance *instance, enum lower_bound_extent extent,
                                 struct failure *failure)
{
    instance->has_bounds = true;
    if (instance->broken != NULL)
        extent = BOUNDS_ALL; /* any kind may be raised most */
    enum failure_kind kind =
        lower_bounds_compute(&instance->set, extent, &instance->bounds, failure);
    if (kind == FAIL_NONE && instance->broken != NULL)
        kind =
            lower_bounds_raise_broken(&instance->set, instance->broken, &instance->bounds, failure);
    return kind;
}

void instance_free(struct instance *instance)
{
    message_set_free(&instance->set);
}

uint64_t instance_lower_bound(const struct instance *instance, bool copy_is_free)
{
    assert(instance->has_bounds);
    return instance->bounds.steps[lower_bound_best(&instance->bounds, copy_is_free)];
}

const char *instance_lower_bound_name(const struct instance *instance, bool copy_is_free)
{
    return lower_bound_name(lower_bound_best(&instance->bounds, copy_is_free));
}
