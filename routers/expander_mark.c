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
 * their names, as the lists of what nodes expect have (machine/expected.h); there stands the slot that brought it.
 * Source: Section 5, Step 4(a).iii; the paper marks by sorting and prefix computations.
 * Cost: 4 bytes a delivery; O(log c) a look, all near to each other.
 */
#include "routers/expander_private.h"

#include "machine/fetch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum failure_kind expander_queues_make(struct expander_run *run, struct failure *failure)
{
    const struct expected_messages *expected = &run->routing->expected;
    size_t deliveries = expected->start[expected->end - expected->first];
    run->holder = memory_allocate(deliveries, sizeof *run->holder);
    if (run->holder == NULL)
        return fail_memory(failure, "the output queues");
    memset(run->holder, 0xff, deliveries * sizeof *run->holder);
    return FAIL_NONE;
}

void expander_queues_free(struct expander_run *run)
{
    free(run->holder);
}

/* Where the message of `slot` stands, or will stand, in the output queue of `site`. */
static uint32_t *holder_at(const struct expander_run *run, struct site site, uint32_t slot)
{
    uint32_t message = run->masters.header->packet[slot].message;
    uint32_t at = expected_find(&run->routing->expected, site.index, message);
    assert(at != EXPECTED_NONE);
    return &run->holder[at];
}

void expander_fetch_queue(const struct expander_run *run, struct site site)
{
    const struct expected_messages *expected = &run->routing->expected;
    fetch_has_effect();
    expected_fetch(expected, site.index);
    __builtin_prefetch(&run->holder[expected->start[site.index - expected->first]], 1);
}

bool expander_has_message(const struct expander_run *run, struct site site, uint32_t slot)
{
    return *holder_at(run, site, slot) != MACHINE_NONE;
}

bool expander_comes_late(struct expander_run *run, struct site site, uint32_t slot)
{
    uint32_t *holder = holder_at(run, site, slot), name = packet_name(run->masters.header, slot);
    if (*holder == MACHINE_NONE)
        *holder = name;
    return *holder != name;
}
