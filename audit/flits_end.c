/* flits_end.c - what must hold when a worm has ended, and when the trace has.
 *
 * Stops are the nodes where a worm is absorbed and those where it branches; between two stops each hop must be the
 * one of the base routing, and past stops, too, a worm of negative-first does not turn back to smaller coordinates. A
 * child of a part is younger than it, and the worm's parts form a list from the youngest on, so one pass finds for
 * which stop each part was bound.
 */
#include "audit/flits_replay.h"

#include <inttypes.h>

/* For which stop the part is bound: the node itself, or that of its only child. */
static uint32_t target_of(const struct flits_state *state, const struct flits_part *part)
{
    const struct flits_output *output = output_at(state, part->last_output);
    if (part->outputs != 1 || output->next == FLITS_NONE)
        return part->node;
    return part_at(state, output->next)->target;
}

enum failure_kind flits_check_way(struct flits_replay *replay, uint32_t worm)
{
    const struct flits_header *header = &replay->header;
    struct flits_state *state = &replay->state;
    for (uint32_t p = worm_at(state, worm)->last_part; p != FLITS_NONE;) {
        struct flits_part *part = part_at(state, p);
        part->target = target_of(state, part);
        p = part->before;
    }
    uint32_t number = worm_at(state, worm)->number;
    for (uint32_t p = worm_at(state, worm)->last_part; p != FLITS_NONE;) {
        const struct flits_part *part = part_at(state, p);
        p = part->before;
        if (part->behind == FLITS_NONE)
            continue;
        const struct flits_part *behind = part_at(state, part->behind);
        uint32_t from = behind->node;
        struct flits_line line = {.line = part->line};
        struct flits_hop hop = {.from = from,
                                .to = part->node,
                                .target = part->target,
                                .vc = part->vc,
                                .vcs = header->vcs,
                                .is_first = behind->behind == FLITS_NONE};
        if (!flits_conforms(&header->shape, header->routing, &hop))
            return flits_broken(replay, &line, "routing",
                                "worm %" PRIu32 " goes from node %" PRIu32 " to node %" PRIu32
                                ", bound for node %" PRIu32 ", which is not %s",
                                number, from, part->node, part->target, header->routing_name);
        if (hop.is_first)
            continue;
        uint32_t before = part_at(state, behind->behind)->node;
        if (!flits_may_turn(header->routing, before, from, part->node))
            return flits_broken(replay, &line, "routing",
                                "worm %" PRIu32 " turns from node %" PRIu32 " over node %" PRIu32
                                " to node %" PRIu32 ", to a larger coordinate and then to a "
                                "smaller one",
                                number, before, from, part->node);
    }
    return FAIL_NONE;
}

enum failure_kind flits_check_end(struct flits_replay *replay, const struct flits_line *line)
{
    const struct flits_state *state = &replay->state;
    const struct audit_messages *messages = &replay->messages;
    uint32_t first = FLITS_NONE, source = 0, destination = 0, uncreated = 0;
    for (uint32_t w = 0; w < state->worms.count; w++) {
        const struct flits_worm *worm = worm_at(state, w);
        if (worm->living == 0)
            continue;
        replay->report->unfinished++;
        first = first == FLITS_NONE ? w : first;
    }
    if (messages->set == NULL)
        return FAIL_NONE;
    for (uint32_t m = 0; m < messages->set->messages; m++)
        if (!messages->message[m].is_injected && uncreated++ == 0)
            source = messages->set->source[m];
    if (uncreated > 0)
        return flits_broken(
            replay, line, "delivery",
            "the trace ends and %" PRIu32 " message%s not created, the first of node %" PRIu32,
            uncreated, uncreated == 1 ? " of the set was" : "s of the set were", source);
    if (first != FLITS_NONE) {
        const struct flits_worm *worm = worm_at(state, first);
        return flits_broken(replay, line, "delivery",
                            "the trace ends and %" PRIu64 " worm%s not, the first worm %" PRIu32
                            " of message %" PRIu32
                            "; a run that was stopped, by a deadlock or otherwise, leaves worms",
                            replay->report->unfinished,
                            replay->report->unfinished == 1 ? " has" : "s have", worm->number,
                            message_at(state, worm->message)->number);
    }
    uint64_t missing = messages_missing(messages, &source, &destination);
    if (missing > 0)
        return flits_broken(replay, line, "delivery",
                            "the trace ends and %" PRIu64
                            " deliver%s missing, the first from node %" PRIu32 " to node %" PRIu32,
                            missing, missing == 1 ? "y is" : "ies are", source, destination);
    return FAIL_NONE;
}
