/* halves.h - multicast trees by halving, for copies that cost a step. */
#ifndef MESHCAST_ROUTERS_HALVES_H
#define MESHCAST_ROUTERS_HALVES_H

#include "machine/machine.h"

/* Like tree_outputs() and its companions (primitives/multicast_tree.h), for a packet that tree_start() has sorted:
 * the link of the far half, or OUT_EJECT for the last destination. */
unsigned halves_outputs(const struct headers *header, struct site site, uint32_t packet,
                        bool row_first);

/* Splits off the far half. Returns the packet that carries it. */
uint32_t halves_take(struct headers *header, struct site site, uint32_t packet, bool row_first);

/* Returns the number of links from `site` to the farthest destination of `packet`, or MACHINE_MAX_URGENCY. */
uint32_t halves_urgency(const struct headers *header, struct site site, uint32_t packet);

#endif
