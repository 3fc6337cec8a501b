/* instance.c - reads a message set and takes the figures that every report shows.
 *
 * Method: d, c and l are counted, S = sqrt(l c n) follows, the lower bounds are workloads/lower_bound.h.
 * None of it knows of a router or of a run.
 *
 * Cost: O(n + deliveries log n) time, a count a node of memory while it works.
 */
#include "workloads/instance.h"

#include <math.h>
#include <stdio.h>

static uint64_t bytes_to_measure(const struct message_set *set, const struct ranks *ranks)
{
    uint64_t received = set->is_part ? 0 : mesh_nodes(set->mesh) * (uint64_t)sizeof(uint32_t);
    uint64_t bounds = lower_bounds_footprint(set, ranks);
    return received > bounds ? received : bounds;
}

enum failure_kind instance_measure(struct instance *instance, struct ranks *ranks, uint64_t limit,
                                   struct failure *failure)
{
    const struct message_set *set = &instance->set;
    char what[320];
    snprintf(what, sizeof what, "measuring %.300s", instance->name);
    if (memory_check_limit(message_set_footprint(set) + bytes_to_measure(set, ranks), limit, what,
                           failure) != FAIL_NONE)
        return failure->kind;
    instance->degree = message_set_degree(set);
    instance->congestion = message_set_congestion(set);
    instance->most_sent = message_set_most_sent(set);
    if (instance->congestion == UINT32_MAX || instance->most_sent == UINT32_MAX)
        return fail_memory(failure, "the messages of the nodes");
    instance->sqrt_cn = sqrt((double)instance->most_sent * (double)instance->congestion *
                             (double)mesh_nodes(set->mesh));
    return lower_bounds_compute(set, ranks, &instance->bounds, failure);
}

enum failure_kind instance_read(struct instance *instance, const char *path, struct ranks *ranks,
                                uint64_t limit, struct failure *failure)
{
    *instance = (struct instance){.name = path};
    enum failure_kind kind = message_set_read_machine(&instance->set, path, ranks, limit, failure);
    if (kind == FAIL_NONE)
        kind = instance_measure(instance, ranks, limit, failure);
    if (kind != FAIL_NONE)
        instance_free(instance);
    return kind;
}

void instance_free(struct instance *instance)
{
    message_set_free(&instance->set);
}

uint64_t instance_lower_bound(const struct instance *instance, bool copy_is_free)
{
    return instance->bounds.steps[lower_bound_best(&instance->bounds, copy_is_free)];
}

const char *instance_lower_bound_name(const struct instance *instance, bool copy_is_free)
{
    return lower_bound_name(lower_bound_best(&instance->bounds, copy_is_free));
}
