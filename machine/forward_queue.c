/* forward_queue.c - the queue of one link: who leaves first.
 *
 * A queue is a list, most urgent first; equally urgent packets stand in the order in which they
 * came. Without urgencies all words have urgency 0, which belongs behind everything else: the
 * queue is then first in, first out, and a packet is put in without looking at the others.
 * An urgency is fixed when its packet leaves a stop and holds as far as the next one, so it must
 * mean the same at all nodes between: a position in the direction of travel, or a remaining
 * distance counted from a fixed line, does. With another one the order is only as good as that.
 *   An attempt's node that has no room empties its queues (attempt.c).
 * Cost: O(1) without urgencies, else the number of packets that stand before it.
 */
#include "machine/forward_private.h"

static uint64_t urgency(uint64_t word)
{
    return word >> URGENCY_SHIFT;
}

/* Puts `word` behind the packets of the list from `before` to the tail that are as urgent. */
static void insert_behind(struct machine *machine, uint32_t *tail, uint32_t before, uint64_t word)
{
    uint64_t *next = machine->next;
    while (before != *tail && urgency(next[before]) >= urgency(word))
        before = (uint32_t)next[before];
    if (before == *tail)
        *tail = (uint32_t)word;
    else
        next[(uint32_t)word] = next[before];
    next[before] = word;
}

static void discard_list(struct machine *machine, node_index node, uint32_t packet, uint32_t last)
{
    for (bool more = true; more; packet = (uint32_t)machine->next[packet]) {
        more = packet != last;
        machine->travelling--;
        machine->occupancy[node]--;
        band_event(machine, &machine->band[machine->config.threads - 1], ARRIVALS,
                   (struct machine_event){{node, packet, 0}, 'R'});
    }
}

void forward_discard(struct machine *machine, node_index node)
{
    struct forward *forward = machine->forward;
    if (forward == NULL)
        return;
    for (int d = 0; d < DIRECTIONS; d++) {
        uint32_t first = (uint32_t)forward->head[d][node];
        if (forward->head[d][node] != NO_WORD)
            discard_list(machine, node, first,
                         forward->more[d][node] ? forward->tail[d][node] : first);
        forward->head[d][node] = NO_WORD;
        forward->more[d][node] = 0;
        if (forward->slots > 0)
            forward->held[d][node] = forward->full[d][node] = 0;
    }
    if (forward->waiting[node])
        discard_list(machine, node, forward->waiting_first[node], forward->waiting_last[node]);
    forward->waiting[node] = 0;
}

void forward_enqueue(struct lane *lane, struct site site, enum direction d, uint64_t word)
{
    struct forward *forward = lane->forward;
    uint64_t *head = &forward->head[d][site.index];
    if (forward->slots > 0)
        word = credit_enter(lane, site, d, word);
    forward->busy[block_index(forward, site.row, site.col)] = 1;
    if (*head == NO_WORD) {
        *head = word;
        return;
    }
    uint8_t *more = &forward->more[d][site.index];
    uint32_t *tail = &forward->tail[d][site.index];
    if (!*more)
        *tail = (uint32_t)*head;
    *more = 1;
    if (urgency(word) > urgency(*head)) {
        lane->machine->next[(uint32_t)word] = *head;
        *head = word;
    } else {
        insert_behind(lane->machine, tail, urgency(word) == 0 ? *tail : (uint32_t)*head, word);
    }
}
