/* light_cone.h - compares two traces wherever no news of a difference can have arrived.
 *
 * Locality (doc/model.md): two runs of equal sizes, d, c, parameters and seed that differ only in
 * what starts at certain nodes look the same at every node v in every step t that is smaller than
 * the distance from v to the nearest of those nodes. Serves traces of routers and of kernels.
 */
#ifndef MESHCAST_TEST_MACHINE_LIGHT_CONE_H
#define MESHCAST_TEST_MACHINE_LIGHT_CONE_H

#include "test/plain_set.h"

#include <stdbool.h>
#include <stddef.h>

enum { LIGHT_CONE_TEXT = 256 };

/* Compares two traces (text that ends with a zero byte) of runs on `mesh` that differ in what
 * starts at the nodes changed[0 .. count-1]; with none, all events are compared. Packet ids and the
 * order within a step are ignored; a packet's message stands for it. A packet or word that crosses
 * a link is an event at both ends. False if the traces differ outside the light cone; `text` then
 * names node and step, and what only one of them does there. `*events` (may be NULL) is how many
 * events of the first were compared. */
bool light_cone_agrees(const char *trace, const char *other, struct grid mesh,
                       const uint32_t *changed, size_t count, size_t *events,
                       char text[LIGHT_CONE_TEXT]);

#endif
