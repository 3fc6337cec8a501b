/* queue.c - the queues of the links, in planes.
 *
 * Each node has one queue a link; in a step the first packet of each queue crosses its link. The
 * common case, a packet that passes straight through a node with an empty queue, is a copy, a
 * comparison and a selection on planes of words, without a branch, a block of a row at a time;
 * queues of several packets and stops are picked out and handled one by one.
 *
 * A queue is a list, most urgent first; equally urgent packets stand in the order in which they
 * came. Without urgencies all words have urgency 0, which belongs behind everything else: the
 * queue is then first in, first out, and a packet is put in without looking at the others.
 * An urgency is fixed when its packet leaves a stop and holds as far as the next one, so it must
 * mean the same at all nodes between: a position in the direction of travel, or a remaining
 * distance counted from a fixed line, does. With another one the order is only as good as that.
 * Cost: 84 bytes a node. To put a packet in: O(1) without urgencies, else the number of packets
 * that stand before it.
 */
#include "machine/queue_private.h"

#include "machine/footprint_private.h"

#include <stdlib.h>

bool queues_allocate(struct machine *machine, struct queues *queues)
{
    size_t nodes = machine->nodes, padded = nodes + 2 * machine_padding(machine);
    for (int d = 0; d < DIRECTIONS; d++) {
        queues->head[d] = memory_allocate(nodes, sizeof(uint64_t));
        queues->out[d] = padded_allocate(machine, sizeof(uint64_t));
        queues->tail[d] = memory_allocate(nodes, sizeof(uint32_t));
        queues->more[d] = memory_allocate(nodes, 1);
        if (!queues->head[d] || !queues->out[d] || !queues->tail[d] || !queues->more[d])
            return false;
        memset(queues->head[d], 0xff, nodes * sizeof(uint64_t));
        memset(queues->out[d] - machine_padding(machine), 0xff, padded * sizeof(uint64_t));
    }
    return true;
}

uint64_t queue_footprint(struct mesh mesh)
{
    const struct queues *queues = NULL;
    uint64_t of_link = sizeof *queues->head[0] + sizeof *queues->out[0] + sizeof *queues->tail[0] +
                       sizeof *queues->more[0];
    return (uint64_t)mesh.rows * mesh.cols * DIRECTIONS * of_link;
}

void queues_free(struct machine *machine, struct queues *queues)
{
    for (int d = 0; d < DIRECTIONS; d++) {
        free(queues->head[d]);
        padded_free(machine, queues->out[d], sizeof(uint64_t));
        free(queues->tail[d]);
        free(queues->more[d]);
    }
    *queues = (struct queues){0};
}

/* ---- one queue ---- */

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

void queue_put(struct machine *machine, struct queues *queues, node_index node, enum direction d,
               uint64_t word)
{
    uint64_t *head = &queues->head[d][node];
    if (*head == NO_WORD) {
        *head = word;
        return;
    }
    uint8_t *more = &queues->more[d][node];
    uint32_t *tail = &queues->tail[d][node];
    if (!*more)
        *tail = (uint32_t)*head;
    *more = 1;
    if (urgency(word) > urgency(*head)) {
        machine->next[(uint32_t)word] = *head;
        *head = word;
    } else {
        insert_behind(machine, tail, urgency(word) == 0 ? *tail : (uint32_t)*head, word);
    }
}

/* ---- departures ---- */

VECTORISED static uint32_t take_heads(uint64_t *restrict head, uint64_t *restrict out,
                                      uint32_t *restrict occupancy, uint32_t count)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t is_word = head[i] != NO_WORD;
        out[i] = head[i];
        head[i] = NO_WORD;
        occupancy[i] -= is_word;
        taken += is_word;
    }
    return taken;
}

uint32_t queues_take(struct machine *machine, struct queues *queues, struct span span,
                     enum direction d)
{
    node_index start = span.start.index;
    return take_heads(queues->head[d] + start, queues->out[d] + start, machine->occupancy + start,
                      span.count);
}

bool queues_refill(struct machine *machine, struct queues *queues, struct span span,
                   enum direction d)
{
    node_index start = span.start.index;
    uint8_t *more = queues->more[d] + start;
    bool any = false;
    for (uint32_t i = 0; i < span.count; i++) {
        if (i % 8 == 0 && !any_of_eight(more + i, span.count - i))
            i += 7;
        if (i >= span.count || !more[i] || queues->out[d][start + i] == NO_WORD)
            continue; /* a word that was held back is still the first */
        uint64_t word = machine->next[(uint32_t)queues->out[d][start + i]];
        queues->head[d][start + i] = word;
        more[i] = queues->tail[d][start + i] != (uint32_t)word;
        any = true;
    }
    return any;
}

void queues_trace(struct machine *machine, struct band *band, const struct queues *queues,
                  struct span span)
{
    node_index start = span.start.index;
    for (node_index node = start; node < start + span.count; node++) {
        for (int d = 0; d < DIRECTIONS; d++) {
            uint64_t word = queues->out[d][node];
            node_index to = node + (node_index)link_offset(machine, (enum direction)d);
            if (word != NO_WORD)
                band_event(machine, band, DEPARTURES,
                           (struct machine_event){{(uint32_t)word, node, to}, 'M'});
        }
    }
}

/* ---- arrivals ---- */

/* A packet stops where its stop is `coordinate` (+ i with `moving` 1): place[0], [1]. */
VECTORISED static void pass_straight(const uint64_t *restrict in, uint64_t *restrict head,
                                     uint32_t *restrict occupancy, uint8_t *restrict odd,
                                     const uint32_t place[static 3])
{
    uint64_t coordinate = place[0], moving = place[1];
    for (uint32_t i = 0; i < place[2]; i++) {
        uint64_t word = in[i], first = head[i];
        bool arrives = word != NO_WORD, stops = word_stop(word) == coordinate + moving * i;
        bool passes = !stops & (first == NO_WORD);
        head[i] = passes ? word : first;
        occupancy[i] += arrives;
        odd[i] = arrives & !passes;
    }
}

const uint64_t *queues_incoming(const struct machine *machine, const struct queues *queues,
                                struct span span, enum direction d)
{
    return queues->out[d] + (ptrdiff_t)span.start.index - link_offset(machine, d);
}

void queues_pass(struct machine *machine, struct queues *queues, struct span span, enum direction d,
                 uint8_t odd[static BLOCK])
{
    struct site start = span.start;
    bool vertical = direction_is_vertical(d);
    const uint32_t place[3] = {vertical ? start.row : start.col, !vertical, span.count};
    pass_straight(queues_incoming(machine, queues, span, d), queues->head[d] + start.index,
                  machine->occupancy + start.index, odd, place);
}
