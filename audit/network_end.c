/* network_end.c - what must hold when a worm has ended, and when the trace has.
 *
 * Stops are the nodes where a worm is absorbed and those where it branches; between two stops each hop must be the
 * one of the base routing. A child of a part is younger than it, and the worm's parts form a list from the youngest on,
 * so one pass finds for which stop each part was bound.
 */
#include "audit/network_replay.h"

#include <inttypes.h>

/* For which stop the part is bound: the node itself, or that of its only child. */
static uint32_t target_of(const struct network_state *state, const struct network_part *part)
{
    const struct network_output *output = output_at(state, part->last_output);
    if (part->outputs != 1 || output->next == NETWORK_NONE)
        return part->node;
    return part_at(state, output->next)->target;
}

enum failure_kind network_check_way(struct network_replay *replay, uint32_t worm)
{
    const struct network_header *header = &replay->header;
    struct network_state *state = &replay->state;
    for (uint32_t p = worm_at(state, worm)->last_part; p != NETWORK_NONE;) {
        struct network_part *part = part_at(state, p);
        part->target = target_of(state, part);
        p = part->before;
    }
    uint32_t number = worm_at(state, worm)->number;
    for (uint32_t p = worm_at(state, worm)->last_part; p != NETWORK_NONE;) {
        const struct network_part *part = part_at(state, p);
        p = part->before;
        if (part->behind == NETWORK_NONE)
            continue;
        uint32_t from = part_at(state, part->behind)->node;
        struct network_line line = {.line = part->line};
        if (!network_conforms(&header->shape, header->routing, from, part->target, part->node,
                              part->vc, header->vcs))
            return network_broken(replay, &line, "routing",
                                  "worm %" PRIu32 " goes from node %" PRIu32 " to node %" PRIu32
                                  ", bound for node %" PRIu32 ", which is not %s",
                                  number, from, part->node, part->target, header->routing_name);
    }
    return FAIL_NONE;
}

enum failure_kind network_check_end(struct network_replay *replay, const struct network_line *line)
{
    const struct network_state *state = &replay->state;
    const struct audit_messages *messages = &replay->messages;
    uint32_t first = NETWORK_NONE, source = 0, destination = 0, uncreated = 0;
    for (uint32_t w = 0; w < state->worms.count; w++) {
        const struct network_worm *worm = worm_at(state, w);
        if (worm->living == 0)
            continue;
        replay->report->unfinished++;
        first = first == NETWORK_NONE ? w : first;
    }
    if (messages->set == NULL)
        return FAIL_NONE;
    for (uint32_t m = 0; m < messages->set->messages; m++)
        if (!messages->message[m].is_injected && uncreated++ == 0)
            source = messages->set->source[m];
    if (uncreated > 0)
        return network_broken(replay, line, "delivery",
                              "the trace ends and %" PRIu32
                              " messages of the set were not created, the first of node %" PRIu32,
                              uncreated, source);
    if (first != NETWORK_NONE) {
        const struct network_worm *worm = worm_at(state, first);
        return network_broken(replay, line, "delivery",
                              "the trace ends and %" PRIu64
                              " worms have not, the first worm %" PRIu32 " of message %" PRIu32,
                              replay->report->unfinished, worm->number,
                              message_at(state, worm->message)->number);
    }
    uint64_t missing = messages_missing(messages, &source, &destination);
    if (missing > 0)
        return network_broken(replay, line, "delivery",
                              "the trace ends and %" PRIu64
                              " deliveries are missing, the first from node %" PRIu32
                              " to node %" PRIu32,
                              missing, source, destination);
    return FAIL_NONE;
}
