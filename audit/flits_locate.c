/* flits_locate.c - from where the flits of a line move in a replay, and over which output.
 *
 * Which part of a worm a header leaves is not in the trace: it is the youngest one at that node whose header may go on.
 * Where two branches of one worm meet at a node that may be the wrong one; no scheme makes such worms.
 * Rules: "link", "order", "injection", "delivery", "trace".
 */
#include "audit/flits_replay.h"

#include <inttypes.h>

#define BROKEN(replay, ...) flits_broken(replay, line, __VA_ARGS__)

/* Whether the part's header may get another output now: it has had its time, and no other part is before it. */
static bool may_open(const struct flits_replay *replay, uint32_t place)
{
    const struct flits_header *header = &replay->header;
    const struct flits_part *part = part_at(&replay->state, place);
    uint32_t first = channel_at(&replay->state, part->channel)->first;
    bool is_stored = header->switching == STORE_AND_FORWARD;
    uint64_t came = is_stored ? part->tail_came : part->header_came;
    if (came == FLITS_NEVER || came + header->router_delay >= replay->cycle)
        return false;
    if (flits_is_lockstep(header))
        return first == place && (part->opened == FLITS_NEVER || part->opened == replay->cycle);
    return is_stored || first == place || part->left == part->entered;
}

/* The part of the worm at the node whose header goes on now: the youngest one that may, else the youngest
 * one. FLITS_NONE: there is none. */
static uint32_t part_with_header(const struct flits_replay *replay, uint32_t worm, uint32_t node)
{
    const struct flits_state *state = &replay->state;
    uint32_t youngest = FLITS_NONE;
    for (uint32_t p = worm_at(state, worm)->last_part; p != FLITS_NONE;
         p = part_at(state, p)->before) {
        const struct flits_part *part = part_at(state, p);
        if (part->node != node || part->entered == 0)
            continue;
        if (may_open(replay, p))
            return p;
        youngest = youngest == FLITS_NONE ? p : youngest;
    }
    return youngest;
}

/* The output of the worm by which flits go on over a channel, or FLITS_NONE. */
static uint32_t open_output(const struct flits_replay *replay, uint32_t worm, uint32_t channel)
{
    const struct flits_state *state = &replay->state;
    uint32_t flits = worm_at(state, worm)->flits;
    for (uint32_t p = worm_at(state, worm)->last_part; p != FLITS_NONE;
         p = part_at(state, p)->before)
        for (uint32_t o = part_at(state, p)->last_output; o != FLITS_NONE;
             o = output_at(state, o)->before)
            if (output_at(state, o)->channel == channel && output_at(state, o)->sent < flits)
                return o;
    return FLITS_NONE;
}

/* Opens an output of the part over the channel. FLITS_NONE: no memory. */
static uint32_t add_output(struct flits_replay *replay, uint32_t part, uint32_t channel)
{
    struct flits_state *state = &replay->state;
    uint32_t place = flits_add(state, &state->outputs);
    if (place == FLITS_NONE)
        return place;
    struct flits_part *from = part_at(state, part);
    *output_at(state, place) = (struct flits_output){
        .part = part, .before = from->last_output, .channel = channel, .next = FLITS_NONE};
    from->last_output = place;
    from->outputs++;
    if (from->opened == FLITS_NEVER)
        from->opened = replay->cycle;
    return place;
}

/* A header crosses a link. */
static enum failure_kind locate_hop(struct flits_replay *replay, const struct flits_line *line,
                                    uint32_t channel, struct flits_flow *flow)
{
    uint32_t from = line->field[2], to = line->field[3];
    flow->part = part_with_header(replay, flow->worm, from);
    if (flow->part == FLITS_NONE)
        return BROKEN(replay, "order", "the header is not at node %" PRIu32, from);
    enum failure_kind kind =
        flits_take_channel(replay, line, channel, flow->worm, "the virtual channel");
    if (kind != FAIL_NONE)
        return kind;
    flow->output = add_output(replay, flow->part, channel);
    uint32_t next = flow->output == FLITS_NONE
                        ? FLITS_NONE
                        : flits_add_part(replay, line, flow->worm, to, channel, flow->part);
    if (next == FLITS_NONE)
        return flits_no_memory(replay);
    output_at(&replay->state, flow->output)->next = next;
    part_at(&replay->state, next)->vc = line->field[4];
    return FAIL_NONE;
}

/* A worm takes a consumption channel: the node must be due to get the message. */
static enum failure_kind locate_consumption(struct flits_replay *replay,
                                            const struct flits_line *line, uint32_t channel,
                                            struct flits_flow *flow)
{
    uint32_t node = line->field[2], message = worm_at(&replay->state, flow->worm)->message;
    bool is_new;
    flow->part = part_with_header(replay, flow->worm, node);
    if (flow->part == FLITS_NONE)
        return BROKEN(replay, "order", "the header is not at node %" PRIu32, node);
    if (flits_add_hold(replay, message, node, FLITS_NEVER, &is_new) == FLITS_NONE)
        return flits_no_memory(replay);
    if (!is_new)
        return BROKEN(replay, "delivery", "node %" PRIu32 " gets message %" PRIu32 " a second time",
                      node, line->field[0]);
    uint32_t of_set = message_at(&replay->state, message)->of_set;
    if (replay->messages.set != NULL &&
        messages_deliver(&replay->messages, of_set, node) != DELIVERY_DUE)
        return BROKEN(replay, "delivery", "node %" PRIu32 " is no destination of message %" PRIu32,
                      node, line->field[0]);
    enum failure_kind kind =
        flits_take_channel(replay, line, channel, flow->worm, "the consumption channel");
    if (kind != FAIL_NONE)
        return kind;
    flow->output = add_output(replay, flow->part, channel);
    return flow->output == FLITS_NONE ? flits_no_memory(replay) : FAIL_NONE;
}

/* Flits that pass an injection channel. */
static enum failure_kind locate_injection(struct flits_replay *replay,
                                          const struct flits_line *line, uint32_t channel,
                                          struct flits_flow *flow)
{
    const struct flits_state *state = &replay->state;
    flow->part = worm_at(state, flow->worm)->last_part;
    while (part_at(state, flow->part)->behind != FLITS_NONE)
        flow->part = part_at(state, flow->part)->before;
    if (part_at(state, flow->part)->channel != channel)
        return BROKEN(replay, "injection", "the worm has another injection channel");
    flow->output = FLITS_NONE;
    if (worm_at(state, flow->worm)->moved == replay->cycle && replay->cycle > 0)
        return BROKEN(replay, "trace", "these flits belong to the run of those before them");
    return FAIL_NONE;
}

enum failure_kind flits_locate(struct flits_replay *replay, const struct flits_line *line,
                               struct flits_flow *flow)
{
    const struct flits_state *state = &replay->state;
    uint32_t node = line->field[2], to = line->field[3];
    *flow = (struct flits_flow){.line = line};
    flow->worm = flits_find(&state->worm_map, line->field[0], line->field[1]);
    if (flow->worm == FLITS_NONE || worm_at(state, flow->worm)->last_part == FLITS_NONE)
        return BROKEN(replay, "trace", "worm %" PRIu32 " of message %" PRIu32 " has not begun",
                      line->field[1], line->field[0]);
    bool is_hop = line->letter == 'H' || line->letter == 'F';
    if (is_hop && !flits_joins(&replay->header.shape, node, to))
        return BROKEN(replay, "link", "no link joins node %" PRIu32 " to node %" PRIu32, node, to);
    enum failure_kind kind =
        line->letter == 'A'
            ? flits_check_number(replay, line, replay->header.consumption, "consumption")
            : FAIL_NONE;
    if (kind != FAIL_NONE)
        return kind;
    enum flits_side side = line->letter == 'A' ? FLITS_CONSUMPTION : FLITS_INJECTION;
    uint32_t channel =
        flits_channel_of(replay, is_hop ? flits_key_of_vc(node, to, line->field[4])
                                        : flits_key_of_port(node, side, line->field[3]));
    if (channel == FLITS_NONE)
        return flits_no_memory(replay);
    if (line->letter == 'I')
        return locate_injection(replay, line, channel, flow);
    if (line->letter == 'H')
        return locate_hop(replay, line, channel, flow);
    flow->output = open_output(replay, flow->worm, channel);
    if (flow->output == FLITS_NONE && line->letter == 'A')
        return locate_consumption(replay, line, channel, flow);
    if (flow->output == FLITS_NONE)
        return BROKEN(replay, "order", "no header has gone before, or the tail has");
    const struct flits_output *output = output_at(state, flow->output);
    flow->part = output->part;
    if (output->moved == replay->cycle && (line->letter == 'A' || output->sent > 1))
        return BROKEN(replay, "trace", "these flits belong to the run of those before them");
    return FAIL_NONE;
}
