/* broken_case.c - meshes and tori that are broken at random, for tests. */
#include "test/topology/broken_case.h"

#include <stdlib.h>

bool broken_case(struct topology *topology, uint32_t nodes, uint32_t links, struct pcg32 *random)
{
    struct topology_faults faults = {0};
    struct failure failure = {0};
    if (!topology_faults_make(&faults, topology))
        abort();
    for (uint32_t node = 0; node < topology->nodes; node++) {
        faults.is_dead[node] = nodes > 0 && pcg32_below(random, nodes) == 0;
        for (uint32_t port = 0; port < topology->ports; port++) {
            uint32_t to = topology_neighbour(topology, node, port);
            uint32_t drawn = pcg32_below(random, 2 * links);
            if (to == TOPOLOGY_NO_NODE || drawn > 1)
                continue;
            uint32_t back = topology_port_to(topology, to, node);
            faults.is_missing[topology_link(topology, node, port)] = true;
            if (drawn == 0)
                faults.is_missing[topology_link(topology, to, back)] = true;
        }
    }
    topology_break_by(topology, &faults, &failure);
    topology_faults_free(&faults);
    return topology_is_broken(topology);
}
