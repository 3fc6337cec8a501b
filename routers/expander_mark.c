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
 * Encoding: the message's destinations ascend in the set; one word for each delivery stands at its
 * node, the slot that brought it.
 * Source: Section 5, Step 4(a).iii; the paper marks by sorting and prefix computations.
 * Cost: 4 bytes a delivery; O(log d) a look.
 */
#include "routers/expander_private.h"

#include <assert.h>

/* Where the set lists the delivery of message number `message` at `node`. */
static uint64_t delivery_of(const struct message_set *set, uint32_t message, node_index node)
{
    uint64_t low = set->offset[message], high = set->offset[message + 1];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (set->destination[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low < set->offset[message + 1] && set->destination[low] == node);
    return low;
}

static uint32_t *holder_of(const struct expander_run *run, struct site site, uint32_t slot)
{
    uint32_t message = run->message_at[run->masters.header->packet[slot].message];
    return &run->holder[delivery_of(run->routing->set, message, site.index)];
}

bool expander_has_message(const struct expander_run *run, struct site site, uint32_t slot)
{
    return *holder_of(run, site, slot) != MACHINE_NONE;
}

bool expander_comes_late(struct expander_run *run, struct site site, uint32_t slot)
{
    uint32_t *holder = holder_of(run, site, slot);
    if (*holder == MACHINE_NONE)
        *holder = slot;
    return *holder != slot;
}
