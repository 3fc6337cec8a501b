/* expander_mark.c - Step 4(a).iii of Theorem 4: visited without a delivery.
 *
 * All replicas of a message answer for all of its destinations, so more than one may come to a
 * node; the message is to be delivered once. A node looks at its output queue: a packet that comes
 * to a destination where its message already is drops it, visited. So is one that comes while
 * another packet of the message is at the node and still has to make the copy for the output queue
 * (unit copies): that one delivers, and the node knows both. No message leaves a node that it has
 * come to deliver at, so who comes first delivers.
 *   A replica needs no other mark: it hands the destinations for which it is selected to its
 * copies, and each of these delivers, or meets the message.
 * Encoding: a node's output queue has a place for each message that is to come, in the order of
 * their names; there stands the slot that brought it.
 * Source: Section 5, Step 4(a).iii; the paper marks by sorting and prefix computations.
 * Cost: 8 bytes a delivery and 4 a node; O(log c) a look, all near to each other.
 */
#include "routers/expander_private.h"

#include "machine/fetch.h"

#include <assert.h>
#include <stdlib.h>

enum failure_kind expander_queues_make(struct expander_run *run, struct failure *failure)
{
    const struct message_set *set = run->routing->set;
    uint32_t nodes = mesh_nodes(set->mesh);
    uint32_t *start = run->queue_start = memory_allocate((size_t)nodes + 1, sizeof *start);
    run->queue = memory_allocate(set->deliveries, sizeof *run->queue);
    if (start == NULL || run->queue == NULL)
        return fail_memory(failure, "the output queues");
    for (uint64_t i = 0; i < set->deliveries; i++)
        start[set->destination[i] + 1]++;
    for (uint32_t node = 0; node < nodes; node++)
        start[node + 1] += start[node];
    for (uint32_t message = 0; message < set->messages; message++) /* names ascend */
        for (uint64_t i = set->offset[message]; i < set->offset[message + 1]; i++)
            run->queue[start[set->destination[i]]++] = (struct expected){
                message_set_name(set, run->routing->set_version, message), MACHINE_NONE};
    for (uint32_t node = nodes; node > 0; node--)
        start[node] = start[node - 1];
    start[0] = 0;
    return FAIL_NONE;
}

void expander_queues_free(struct expander_run *run)
{
    free(run->queue);
    free(run->queue_start);
}

/* Where the message of `slot` stands, or will stand, in the output queue of `site`. */
static struct expected *expected_at(const struct expander_run *run, struct site site, uint32_t slot)
{
    uint32_t message = run->masters.header->packet[slot].message;
    uint32_t low = run->queue_start[site.index], end = run->queue_start[site.index + 1];
    for (uint32_t high = end; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (run->queue[middle].message < message)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low < end && run->queue[low].message == message);
    (void)end;
    return &run->queue[low];
}

void expander_fetch_queue(const struct expander_run *run, struct site site)
{
    const uint32_t *start = &run->queue_start[site.index];
    const struct expected *queue = &run->queue[start[0]];
    uint32_t quarter = (start[1] - start[0]) / 4; /* as a rule two lines of the cache */
    fetch_has_effect();
    __builtin_prefetch(&queue[quarter]);
    __builtin_prefetch(&queue[3 * quarter]);
}

bool expander_has_message(const struct expander_run *run, struct site site, uint32_t slot)
{
    return expected_at(run, site, slot)->holder != MACHINE_NONE;
}

bool expander_comes_late(struct expander_run *run, struct site site, uint32_t slot)
{
    struct expected *expected = expected_at(run, site, slot);
    if (expected->holder == MACHINE_NONE)
        expected->holder = slot;
    return expected->holder != slot;
}
