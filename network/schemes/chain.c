/* chain.c - the source and the destinations of a multicast in the order of keys.
 *
 * Cost: O(k log k) for k destinations, 12 bytes a node.
 */
#include "network/schemes/scheme_private.h"

#include "base/numbers.h"

#include <assert.h>
#include <stdlib.h>

enum failure_kind chain_make(struct chain *chain, const struct topology *topology,
                             const struct multicast *multicast, chain_key *key,
                             struct failure *failure)
{
    uint32_t count = multicast->destinations + 1;
    uint64_t *keyed = memory_allocate(count, sizeof *keyed);
    *chain = (struct chain){.count = count, .node = memory_allocate(count, sizeof *chain->node)};
    if (keyed == NULL || chain->node == NULL) {
        free(keyed);
        chain_free(chain);
        return fail_memory(failure, "the nodes of a multicast");
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = i == 0 ? multicast->source : multicast->destination[i - 1];
        keyed[i] = (uint64_t)key(topology, multicast, node) << 32 | node;
    }
    qsort(keyed, count, sizeof *keyed, compare_u64);
    for (uint32_t i = 0; i < count; i++) {
        assert(i == 0 || keyed[i] >> 32 != keyed[i - 1] >> 32);
        chain->node[i] = (uint32_t)keyed[i];
        if (chain->node[i] == multicast->source)
            chain->source = i;
    }
    free(keyed);
    return FAIL_NONE;
}

void chain_free(struct chain *chain)
{
    free(chain->node);
    *chain = (struct chain){0};
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
