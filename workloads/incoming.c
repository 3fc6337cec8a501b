/* incoming.c - a list of what nodes are to receive, in blocks, so that nothing is copied as it grows.
 *
 * An entry is a node and a message. Where the message has several packets another entry follows, without a node, with
 * the number of packets.
 *
 * Cost: 8 bytes a delivery; 16 to a destination of a message of several packets.
 */
#include "workloads/incoming.h"

#include <stdlib.h>

enum { BLOCK = 1 << 13 };

#define SEVERAL UINT32_MAX /* no node */

struct entry {
    node_index node; /* SEVERAL: the entry before it is of `number` packets */
    uint32_t number;
};

struct incoming_block {
    struct incoming_block *next;
    uint32_t count;
    struct entry entry[BLOCK];
};

static bool add(struct incoming *incoming, struct entry entry)
{
    struct incoming_block *block = incoming->last;
    if (block == NULL || block->count == BLOCK) {
        block = malloc(sizeof *block);
        if (block == NULL)
            return false;
        block->next = NULL;
        block->count = 0;
        *(incoming->last == NULL ? &incoming->first : &incoming->last->next) = block;
        incoming->last = block;
        incoming->bytes += sizeof *block;
    }
    block->entry[block->count++] = entry;
    return true;
}

bool incoming_add(struct incoming *incoming, node_index node, uint32_t message, uint32_t packets)
{
    incoming->count += packets;
    return add(incoming, (struct entry){node, message}) &&
           (packets == 1 || add(incoming, (struct entry){SEVERAL, packets}));
}

void incoming_each(const struct incoming *incoming,
                   void (*tell)(void *context, node_index node, uint32_t message, uint32_t packets),
                   void *context)
{
    struct entry before = {SEVERAL, 0}; /* not told yet */
    for (const struct incoming_block *block = incoming->first; block != NULL; block = block->next)
        for (uint32_t i = 0; i < block->count; i++) {
            struct entry entry = block->entry[i];
            if (before.node != SEVERAL)
                tell(context, before.node, before.number, entry.node == SEVERAL ? entry.number : 1);
            before = entry;
        }
    if (before.node != SEVERAL)
        tell(context, before.node, before.number, 1);
}

void incoming_free(struct incoming *incoming)
{
    for (struct incoming_block *block = incoming->first; block != NULL;) {
        struct incoming_block *next = block->next;
        free(block);
        block = next;
    }
    *incoming = (struct incoming){0};
}
