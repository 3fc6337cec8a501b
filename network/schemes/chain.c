/* chain.c - the source and the destinations of a multicast in the order of keys.
 *
 * Cost: O(k log k) for k destinations, 12 bytes per node.
 */
#include "network/schemes/scheme_private.h"

#include "base/numbers.h"

#include <assert.h>
#include <stdlib.h>

struct chain chain_make(const struct planning *planning, chain_key *key)
{
    const struct multicast *multicast = planning->multicast;
    uint32_t count = multicast->destinations + 1, source = 0;
    uint64_t *keyed = plan_scratch(planning->plan, count, sizeof *keyed);
    uint32_t *node_at = plan_scratch(planning->plan, count, sizeof *node_at);
    if (planning->plan->lacks_memory)
        return (struct chain){0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = i == 0 ? multicast->source : multicast->destination[i - 1];
        keyed[i] = (uint64_t)key(planning->topology, multicast, node) << 32 | node;
    }
    qsort(keyed, count, sizeof *keyed, compare_u64);
    for (uint32_t i = 0; i < count; i++) {
        assert(i == 0 || keyed[i] >> 32 != keyed[i - 1] >> 32);
        node_at[i] = (uint32_t)keyed[i];
        source = node_at[i] == multicast->source ? i : source;
    }
    return (struct chain){count, source, node_at};
}

void chain_reverse(uint32_t *node, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t other = node[count - 1 - i];
        node[count - 1 - i] = node[i];
        node[i] = other;
    }
}

uint32_t chain_label(const struct topology *topology, const struct multicast *multicast,
                     uint32_t node)
{
    (void)multicast;
    return topology_label(topology, node);
}

uint32_t chain_x_first(const struct topology *topology, const struct multicast *multicast,
                       uint32_t node)
{
    uint32_t key = 0;
    for (uint32_t i = 0; i < topology->shape.dimensions; i++) {
        uint32_t size = topology->shape.size[i];
        uint32_t at = topology_coordinate(topology, node, i);
        if (topology->shape.kind == TOPOLOGY_TORUS)
            at = (at + size - topology_coordinate(topology, multicast->source, i)) % size;
        key = key * size + at;
    }
    return key;
}
