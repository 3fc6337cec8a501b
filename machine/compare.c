/* compare.c - compare-exchange: odd-even transposition along rows or columns (rule 5).
 *
 * Each step compares disjoint pairs of neighbours. Both nodes of a pair send their item over the
 * link between them, and each keeps one: where the items swap, a packet that crosses is a packet
 * hop; where they stay, and on a side that has no packet, a word crosses. So a step costs
 * 2 * pairs hops, of packets and words together, whatever the items are.
 *
 * Along paired lines (pair.c) two cells of a node are compared by computing, which takes no step;
 * rounds of these and rounds over links take turns, so all links between nodes work in each step
 * and k cells are sorted in k / 2 steps. Across paired lines the two cells of a node belong to two
 * lines: they use a node's links in turn, so each line takes as many steps as alone.
 *
 * Every cell holds one packet or none at the end of every step: no step of a comparison can make a
 * new peak or overflow once two packets, or one while nothing is paired, have been at a node. Then
 * lines, which do not touch each other, run through all steps one after another (compare_lines.c).
 * Else, and with a trace, the whole mesh goes step by step, here, which is the reference that tests
 * compare the other with.
 * Cost: one comparison a pair.
 */
#include "machine/plane_private.h"

#include <assert.h>

/* Sends what the node `from` holds, or its key, over the link to `to`. */
static void cross(struct machine *machine, uint64_t word, node_index from, node_index to)
{
    if (word != PLANE_EMPTY)
        machine->band[0].packet_hops++;
    else
        machine->band[0].word_hops++;
    plane_tell(machine, word, from, to);
}

/* Cells a and b: within a node, or over the link between two. */
static void compare_pair(struct machine *machine, uint32_t a, uint32_t b, bool descends)
{
    uint64_t *word = machine->plane->word, x = word[a], y = word[b];
    bool swaps = descends ? x < y : x > y;
    node_index first = plane_node(machine, a), second = plane_node(machine, b);
    if (first != second) {
        cross(machine, swaps ? x : PLANE_EMPTY, first, second);
        cross(machine, swaps ? y : PLANE_EMPTY, second, first);
    }
    if (swaps) {
        word[a] = y;
        word[b] = x;
    }
}

static void compare_round(struct machine *machine, const struct compare *compare, uint32_t round)
{
    struct line_shape shape = line_shape(machine, &compare->lines);
    const uint32_t *cut = compare->lines.cut;
    for (uint32_t line = 0; line < shape.count; line++) {
        bool line_flag = compare->line_flag != NULL && compare->line_flag[line];
        for (uint32_t s = 0; s < compare->lines.segments; s++) {
            bool flag = compare->segment_flag != NULL && compare->segment_flag[s];
            uint32_t odd = plane_parity(machine, compare, line, s);
            for (uint32_t at = cut[s] + (round + odd) % 2; at + 1 < cut[s + 1]; at += 2) {
                uint32_t a = line * shape.across + at * shape.along;
                compare_pair(machine, a, a + shape.along, line_flag != flag);
            }
        }
    }
}

/* The packets of the plane that a node may come to hold; 0: one, and nothing beside it, so that no
 * comparison makes a new peak. */
static uint32_t most_at_node(const struct machine *machine)
{
    return machine->plane->pairing.is_on ? PLANE_PAIR : machine->aside.most > 0 ? 1 : 0;
}

static enum failure_kind compare_by_steps(struct machine *machine, const struct compare *compare,
                                          struct failure *failure)
{
    bool is_along = plane_is_along(machine, &compare->lines);
    enum failure_kind kind = FAIL_NONE;
    if (is_along)
        compare_round(machine, compare, 0);
    for (uint32_t step = 0; step < compare->steps && kind == FAIL_NONE; step++) {
        compare_round(machine, compare, is_along ? 2 * step + 1 : step);
        if (is_along)
            compare_round(machine, compare, 2 * step + 2);
        plane_look_for_peak(machine, most_at_node(machine));
        kind = machine_end_step(machine, failure);
    }
    return kind;
}

enum failure_kind machine_compare(struct machine *machine, const struct compare *compare,
                                  struct failure *failure)
{
    assert(machine->plane != NULL && machine->plane->is_open && !machine->in_sync_phase);
    const struct lines *lines = &compare->lines;
    assert(lines->cut[0] == 0 && lines->cut[lines->segments] == line_shape(machine, lines).length);
    assert(!plane_is_along(machine, lines) || compare->odd == NULL);
    if (plane_needs_steps(machine, most_at_node(machine)))
        return compare_by_steps(machine, compare, failure);
    enum failure_kind kind = plane_prepare_scratch(machine, failure);
    if (kind != FAIL_NONE || plane_rounds(machine, compare) == 0)
        return kind;
    compare_by_lines(machine, compare);
    return machine_end_steps(machine, compare->steps, failure);
}
