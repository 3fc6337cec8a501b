/* public_traffic.h - routing of packets whose sources and targets all nodes know before the run.
 *
 * A router that sends the packet of each node to a node given by a key, or a table, knows all
 * routes, though not which packets there are. So every node computes the maximum over all subsets
 * of them: the steps, after which no synchronisation is needed, and the packets that a node holds.
 */
#ifndef MESHCAST_PRIMITIVES_PUBLIC_TRAFFIC_H
#define MESHCAST_PRIMITIVES_PUBLIC_TRAFFIC_H

#include "machine/machine.h"

/* Bounds that are proven for every subset of the traffic, routed as below. */
struct traffic_bounds {
    uint64_t steps;
    uint64_t first_leg; /* the first leg's steps, if legs are apart; else 0 */
    uint32_t packets;   /* at a node at the end of a step, only packets of the traffic */
    uint32_t turning;   /* t: of one line of sources, for one line of targets */
};

/* A packet's route, as the first leg sees it: along its row, and then along a column. */
struct traffic_pair {
    node_place source, target;
};

/* Along rows first and then along columns; or the other way round, with rows and columns exchanged.
 * Legs can be apart: no packet begins the second one before all have ended the first. That needs a
 * few more steps, and 3 packets fewer if a node has one source and one target. */
struct traffic_way {
    bool columns_first, legs_apart;
};

/* Pairs of a source and a target. */
struct traffic {
    struct mesh mesh; /* as the first leg sees it */
    struct traffic_way way;
    uint32_t pairs;
    struct traffic_pair *pair;
};

/* Makes traffic without pairs, with room for `most_pairs`. The caller calls traffic_free(), also
 * after a failure. FAIL_SYSTEM: no memory. */
enum failure_kind traffic_make(struct traffic *traffic, struct mesh mesh, struct traffic_way way,
                               uint32_t most_pairs, struct failure *failure);
void traffic_free(struct traffic *traffic);

/* Adds a pair: a packet may go from `source` to `target`. There may be no more pairs than
 * traffic_make() made room for. */
void traffic_add(struct traffic *traffic, node_place source, node_place target);

/* Computes the bounds for any subset of the pairs. FAIL_SYSTEM: no memory. */
enum failure_kind traffic_bound(const struct traffic *traffic, struct traffic_bounds *bounds,
                                struct failure *failure);

/* Routes all resting packets, a subset of traffic that has these bounds, to header.target, farthest
 * first, in a phase `name` of exactly bounds->steps steps. header.state stays as it is. FAIL_CHECK:
 * a node held more packets than these bounds (without parked ones) or than the machine's capacity,
 * or some packet did not turn, if legs are apart, or arrive. */
enum failure_kind traffic_route(struct machine *machine, const char *name,
                                const struct traffic_bounds *bounds, bool columns_first,
                                struct failure *failure);

#endif
