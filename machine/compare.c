/* compare.c - compare-exchange: odd-even transposition along rows or columns (rule 5).
 *
 * Each step compares disjoint pairs of neighbours. Both nodes of a pair send their item over the
 * link between them, and each keeps one: where the items swap, a packet that crosses is a packet
 * hop; where they stay, and on a side that has no packet, a word crosses. So a step costs
 * 2 * pairs hops, of packets and words together, whatever the items are.
 *
 * Every node holds one packet or none at the end of every step, as before the first: no step of a
 * comparison can make a new peak or overflow. So lines, which do not touch each other, may run
 * through all steps one after another (compare_lines.c); with a trace the whole mesh goes step by
 * step, here, which is the reference that tests compare the other with.
 * Cost: one comparison a pair.
 */
#include "machine/plane_private.h"

#include <assert.h>

/* Sends what the node `from` holds, or its key, over the link to `to`. */
static void cross(struct machine *machine, uint64_t word, node_index from, node_index to)
{
    struct band *band = &machine->band[0];
    if (word != PLANE_EMPTY) {
        band->packet_hops++;
        band_event(machine, band, DEPARTURES, (struct event){{(uint32_t)word, from, to}, 'M'});
    } else {
        band->word_hops++;
        band_event(machine, band, DEPARTURES, (struct event){{from, to, 0}, 'X'});
    }
}

static void compare_pair(struct machine *machine, node_index a, node_index b, bool descends)
{
    uint64_t *word = machine->plane->word, x = word[a], y = word[b];
    bool swaps = descends ? x < y : x > y;
    cross(machine, swaps ? x : PLANE_EMPTY, a, b);
    cross(machine, swaps ? y : PLANE_EMPTY, b, a);
    if (swaps) {
        word[a] = y;
        word[b] = x;
    }
}

static void compare_step(struct machine *machine, const struct compare *compare, uint32_t step)
{
    struct line_shape shape = line_shape(machine, &compare->lines);
    const uint32_t *cut = compare->lines.cut;
    for (uint32_t line = 0; line < shape.count; line++) {
        bool line_flag = compare->line_flag != NULL && compare->line_flag[line];
        for (uint32_t s = 0; s < compare->lines.segments; s++) {
            bool flag = compare->segment_flag != NULL && compare->segment_flag[s];
            uint32_t odd = compare->odd != NULL ? compare->odd[s] : 0;
            for (uint32_t at = cut[s] + (step + odd) % 2; at + 1 < cut[s + 1]; at += 2) {
                node_index a = line * shape.across + at * shape.along;
                compare_pair(machine, a, a + shape.along, line_flag != flag);
            }
        }
    }
}

enum failure_kind machine_compare(struct machine *machine, const struct compare *compare,
                                  struct failure *failure)
{
    assert(machine->plane != NULL && machine->plane->is_open && !machine->in_sync_phase);
    const struct lines *lines = &compare->lines;
    assert(lines->cut[0] == 0 && lines->cut[lines->segments] == line_shape(machine, lines).length);
    enum failure_kind kind = FAIL_NONE;
    if (plane_is_traced(machine)) {
        for (uint32_t step = 0; step < compare->steps && kind == FAIL_NONE; step++) {
            compare_step(machine, compare, step);
            kind = machine_end_step(machine, failure);
        }
        return kind;
    }
    kind = plane_prepare_scratch(machine, failure);
    if (kind != FAIL_NONE || compare->steps == 0)
        return kind;
    compare_by_lines(machine, compare);
    return machine_end_steps(machine, compare->steps, failure);
}
