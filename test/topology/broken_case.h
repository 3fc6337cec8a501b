/* broken_case.h - meshes and tori that are broken at random, for tests. */
#ifndef MESHCAST_TEST_TOPOLOGY_BROKEN_CASE_H
#define MESHCAST_TEST_TOPOLOGY_BROKEN_CASE_H

#include "base/pcg.h"
#include "network/topology/topology.h"

/* Takes out each node with a chance of 1 / `nodes` (0: none), each pair of neighbours with 1 /
 * `links`, and each link alone with the same chance. False: nothing is missing or nothing remains,
 * and the topology is whole. */
bool broken_case(struct topology *topology, uint32_t nodes, uint32_t links, struct pcg32 *random);

#endif
