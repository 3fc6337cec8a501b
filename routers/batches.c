/* batches.c - the messages of a run in batches, each with at most one message per node.
 *
 * A node's messages have numbers of their own, 0, 1, ..; with l batches number i goes into batch (i
 * + b) modulo l, where b is drawn by each node for itself. So its messages are in different
 * batches, and a message is in any batch with probability 1/l.
 *   Of the messages for one node let x of some source be in a batch: x is 0 or 1, since batches
 * are, at least, not two of a source's, and sources draw independently of each other. So the number
 * of messages for a node in a batch is a sum of independent x of mean c / l at most, and Chernoff's
 * bound holds: in no batch more than c / l + O(sqrt(c / l log n) + log n) for any node with high
 * probability, for any set. In the set's order it could be all c of them, and often is: if groups
 * exchange messages, every node begins with that for the first of the group.
 *   In a set that is made for the seed it can still be all c.
 * Cost: 4 bytes per message and per batch; while they are made 4 bytes per node.
 */
#include "routers/batches.h"

#include "base/pcg.h"

#include <stdlib.h>

enum { STREAM_BATCHES = 0x62617463 };

/* Returns the batch of the node's message number `number`. */
static uint32_t batch_of(const struct batches *batches, const uint64_t *seed, node_index node,
                         uint32_t number)
{
    uint64_t first = 0;
    if (seed != NULL)
        first = (uint64_t)pcg32_at(*seed, STREAM_BATCHES, node) * batches->count >> 32;
    return (uint32_t)((first + number) % batches->count);
}

/* Leaves in start[b + 1] the end of the messages of batch b. */
static void put_in_order(const struct batches *batches, const struct message_set *set,
                         const uint64_t *seed, uint32_t *sent)
{
    uint32_t *start = batches->start, *message = batches->message, before = 0;
    for (uint32_t i = 0; i < set->messages; i++)
        start[batch_of(batches, seed, set->source[i], sent[set->source[i]]++) + 1]++;
    for (uint32_t batch = 1; batch <= batches->count;
         batch++) { /* then start[b + 1] is where b begins */
        uint32_t messages = start[batch];
        start[batch] = before;
        before += messages;
    }
    for (uint32_t i = 0; i < set->messages; i++)
        sent[set->source[i]] = 0;
    for (uint32_t i = 0; i < set->messages; i++)
        message[start[batch_of(batches, seed, set->source[i], sent[set->source[i]]++) + 1]++] = i;
}

enum failure_kind batches_make(struct batches *batches, struct routing *routing,
                               const uint64_t *seed, struct failure *failure)
{
    const struct message_set *set = routing->set;
    *batches = (struct batches){.count = 1};
    if (routing->most_sent <= 1)
        return FAIL_NONE;
    routing->injection = INJECT_LATER;
    batches->count = routing->most_sent;
    batches->start = memory_allocate((size_t)batches->count + 1, sizeof *batches->start);
    batches->message = memory_allocate(set->messages, sizeof *batches->message);
    uint32_t *sent = memory_allocate(mesh_nodes(set->mesh), sizeof *sent);
    bool is_made = sent != NULL && batches->start != NULL && batches->message != NULL;
    if (is_made)
        put_in_order(batches, set, seed, sent);
    free(sent);
    return is_made ? FAIL_NONE : fail_memory(failure, "the order of messages");
}

void batches_free(struct batches *batches)
{
    free(batches->start);
    free(batches->message);
}

enum failure_kind batches_inject(const struct batches *batches, const struct routing *routing,
                                 uint32_t batch, struct failure *failure)
{
    const uint32_t *start = batches->start;
    if (start == NULL)
        return FAIL_NONE;
    return routing_inject(routing, batches->message + start[batch], start[batch + 1] - start[batch],
                          failure);
}

uint32_t batches_congestion(const struct routing *routing)
{
    uint32_t count = routing->most_sent > 0 ? routing->most_sent : 1;
    return routing->congestion / count + (routing->congestion % count != 0);
}
