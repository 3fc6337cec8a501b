/* batches.c - the messages of a run in batches, of which each has one message of a node at most.
 *
 * A node's messages have numbers of their own, 0, 1, ..; batch b has those of number b.
 * Cost: 4 bytes a message and a batch; while they are made 4 bytes a node.
 */
#include "routers/batches.h"

#include <stdlib.h>
#include <string.h>

enum failure_kind batches_make(struct batches *batches, const struct routing *routing,
                               struct failure *failure)
{
    const struct message_set *set = routing->set;
    uint32_t nodes = mesh_nodes(set->mesh), count = routing->most_sent;
    uint32_t *sent = memory_allocate(nodes, sizeof *sent);
    uint32_t *start = memory_allocate((size_t)count + 2, sizeof *start);
    uint32_t *message = memory_allocate(set->messages, sizeof *message);
    *batches = (struct batches){count, start, message};
    if (sent == NULL || start == NULL || message == NULL) {
        free(sent);
        return fail_memory(failure, "the order of messages");
    }
    for (uint32_t i = 0; i < set->messages; i++)
        if (!routing_is_for_source(set, i))
            start[sent[set->source[i]]++ + 2]++;
    for (uint32_t batch = 2; batch <= count; batch++)
        start[batch + 1] += start[batch];
    while (batches->count > 0 && start[batches->count] == start[batches->count + 1])
        batches->count--;
    memset(sent, 0, nodes * sizeof *sent);
    for (uint32_t i = 0; i < set->messages; i++)
        if (!routing_is_for_source(
                set, i)) /* start[b + 1] is where batch b goes on, in the end its end */
            message[start[sent[set->source[i]]++ + 1]++] = i;
    free(sent);
    return FAIL_NONE;
}

void batches_free(struct batches *batches)
{
    free(batches->start);
    free(batches->message);
}

enum failure_kind batches_inject(const struct batches *batches, const struct routing *routing,
                                 uint32_t batch, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t i = batches->start[batch]; i < batches->start[batch + 1] && kind == FAIL_NONE;
         i++) {
        uint32_t message = batches->message[i];
        kind = machine_inject(routing->machine, routing->set->source[message],
                              routing_packet(routing, message), failure);
    }
    return kind;
}

uint64_t batches_footprint(const struct routing *routing)
{
    return sizeof(uint32_t) * (mesh_nodes(routing->set->mesh) + routing->most_sent + UINT64_C(2) +
                               routing->set->messages);
}
