/* incoming.h - which messages the nodes of a rank are to receive, collected while a set passes.
 *
 * A rank keeps no message that starts at another's nodes, but its nodes expect some of them. This is the list of
 * these, and of those that start at its own nodes, in the order in which they were told.
 */
#ifndef MESHCAST_WORKLOADS_INCOMING_H
#define MESHCAST_WORKLOADS_INCOMING_H

#include "machine/mesh.h"

#include <stdbool.h>
#include <stdint.h>

struct incoming_block;

/* A zeroed one is empty. */
struct incoming {
    uint64_t count; /* with each packet of a message */
    uint64_t bytes; /* that they take */
    struct incoming_block *first, *last;
};

/* Adds the messages `message` .. message + packets - 1 for `node`, packets > 0. False: no memory. */
bool incoming_add(struct incoming *incoming, node_index node, uint32_t message, uint32_t packets);

/* Tells of all, in the order in which they were added, as they were. */
void incoming_each(const struct incoming *incoming,
                   void (*tell)(void *context, node_index node, uint32_t message, uint32_t packets),
                   void *context);

/* Frees them all; they are empty then. */
void incoming_free(struct incoming *incoming);

#endif
