/* unicast_route.h - (k,k)-routing: packets to targets, dimension by dimension. */
#ifndef MESHCAST_PRIMITIVES_UNICAST_ROUTE_H
#define MESHCAST_PRIMITIVES_UNICAST_ROUTE_H

#include "machine/machine.h"
#include "primitives/synchronise.h"

/* The parts of a packet that goes to header.target[packet] (a node_place): the link that it takes
 * next, first along its row if `row_first`, else along its column; PART_PARK at the target. */
unsigned unicast_parts(const struct headers *header, struct site site, uint32_t packet,
                       bool row_first);

/* The stop of a packet on its way to its target over `direction`. */
uint32_t unicast_stop(const struct headers *header, uint32_t packet, enum direction direction);

/* Routes all resting packets to header.target; packets with an even value in header.state go along
 * rows first, those with an odd one along columns first. Any tiles side by side at once: packets
 * whose source and target lie in one tile do not leave it. Ends with the model's synchronisation:
 * `rounds` of known lengths, named `name`.
 * Steps: where each node sends and receives at most k packets in tiles of side w, a packet waits
 * only behind packets that cross the same link, at most k w on each of its two legs: O(k w).
 * Buffer: the queues of plain greedy routing, O(k w) at worst and O(k) measured. */
enum failure_kind unicast_route(struct machine *machine, const char *name, struct rounds rounds,
                                struct failure *failure);

#endif
