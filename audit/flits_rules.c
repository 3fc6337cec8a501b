/* flits_rules.c - what flits may do in a cycle of a replay.
 *
 * All flits of a cycle are checked against the state at its beginning; then they move. Rules: "link" (one flit a
 * cycle), "order" (flits one after the other, none that has not come), "delay" (when a header may go on), "buffer"
 * (room), "lockstep", "one port", "injection", "circuit".
 */
#include "audit/flits_replay.h"

#include <inttypes.h>

#define BROKEN(replay, ...) flits_broken(replay, flow->line, __VA_ARGS__)

static uint32_t flits_of(const struct flits_replay *replay, uint32_t worm)
{
    return worm_at(&replay->state, worm)->flits;
}

static bool is_virtual(const struct flits_output *output)
{
    return output->next != FLITS_NONE;
}

/* ---- checks ---- */

static enum failure_kind check_link(struct flits_replay *replay, const struct flits_flow *flow)
{
    const uint32_t *field = flow->line->field;
    struct flits_state *state = &replay->state;
    bool is_new;
    uint32_t place =
        flits_find_or_add(state, &state->place_map, &state->places, field[2], field[3], &is_new);
    if (place == FLITS_NONE)
        return flits_no_memory(replay);
    struct flits_place *link = place_at(state, place);
    if (link->used == replay->cycle + 1)
        return BROKEN(replay, "link",
                      "the link from node %" PRIu32 " to node %" PRIu32
                      " carries a second flit in cycle %" PRIu64,
                      field[2], field[3], replay->cycle);
    link->used = replay->cycle + 1;
    return FAIL_NONE;
}

/* Whether a flit of the part leaves its buffer in this cycle, over all outputs. */
static bool leaves_now(const struct flits_replay *replay, const struct flits_part *part)
{
    const struct flits_state *state = &replay->state;
    for (uint32_t o = part->last_output; o != FLITS_NONE; o = output_at(state, o)->before)
        if (output_at(state, o)->moved != replay->cycle + 1)
            return false;
    return part->outputs > 0;
}

/* The part's buffer has room for one more of its flits. */
static enum failure_kind check_room(struct flits_replay *replay, const struct flits_flow *flow,
                                    const struct flits_part *into)
{
    const struct flits_header *header = &replay->header;
    const struct flits_channel_state *channel = channel_at(&replay->state, into->channel);
    bool may_follow = header->vcs == 1 && header->buffer == 1 && into->entered > into->left;
    if (header->switching == STORE_AND_FORWARD || channel->flits < header->buffer ||
        (may_follow && leaves_now(replay, into)))
        return FAIL_NONE;
    return BROKEN(replay, "buffer",
                  "in cycle %" PRIu64 " the buffer at node %" PRIu32 " holds %" PRIu32
                  " flits already",
                  replay->cycle, into->node, channel->flits);
}

/* When the header asks, and under cut-through whether the whole message has room. */
static enum failure_kind check_header(struct flits_replay *replay, const struct flits_flow *flow,
                                      const struct flits_part *part,
                                      const struct flits_output *output)
{
    const struct flits_header *header = &replay->header;
    bool is_stored = header->switching == STORE_AND_FORWARD;
    uint64_t came = is_stored ? part->tail_came : part->header_came;
    uint32_t flits = flits_of(replay, part->worm);
    if (came == FLITS_NEVER)
        return BROKEN(replay, "delay", "the tail is not at node %" PRIu32 " yet", part->node);
    if (replay->cycle < came + 1 + header->router_delay)
        return BROKEN(replay, "delay",
                      "the header asks at node %" PRIu32 " from cycle %" PRIu64 " on", part->node,
                      came + 1 + header->router_delay);
    const struct flits_channel_state *in = channel_at(&replay->state, part->channel);
    bool has_ended =
        part->left == flits; /* it gets an output late, on a second visit of the node */
    if (!is_stored && !has_ended && part_at(&replay->state, in->first) != part)
        return BROKEN(replay, "delay", "another worm stands before the header at node %" PRIu32,
                      part->node);
    if (flits_is_lockstep(header) && part->opened != replay->cycle)
        return BROKEN(replay, "lockstep", "the header has left node %" PRIu32 " in cycle %" PRIu64,
                      part->node, part->opened);
    const struct flits_channel_state *next = channel_at(&replay->state, output->channel);
    if (header->switching == CUT_THROUGH && is_virtual(output) &&
        next->flits + flits > header->buffer)
        return BROKEN(replay, "buffer",
                      "the buffer holds %" PRIu32
                      " flits, so it has no room for a message of %" PRIu32,
                      next->flits, flits);
    return FAIL_NONE;
}

/* One port: the child before has got the tail. Outputs form a list from the last one to the first. */
static enum failure_kind check_turn(struct flits_replay *replay, const struct flits_flow *flow,
                                    const struct flits_output *output)
{
    const struct flits_state *state = &replay->state;
    uint32_t o = output->before;
    if (!replay->header.is_one_port || !is_virtual(output))
        return FAIL_NONE;
    while (o != FLITS_NONE && !is_virtual(output_at(state, o)))
        o = output_at(state, o)->before;
    if (o == FLITS_NONE || output_at(state, o)->sent == flits_of(replay, flow->worm))
        return FAIL_NONE;
    return BROKEN(replay, "one port", "the tail has not yet gone to the child before");
}

/* A flit that goes on from a part. */
static enum failure_kind check_flit(struct flits_replay *replay, const struct flits_flow *flow)
{
    const struct flits_output *output = output_at(&replay->state, flow->output);
    const struct flits_part *part = part_at(&replay->state, flow->part);
    if (output->sent == flits_of(replay, flow->worm))
        return BROKEN(replay, "order", "the tail has gone before");
    if (output->sent >= part->entered)
        return BROKEN(replay, "order",
                      "flit %" PRIu32 " is not at node %" PRIu32 " in cycle %" PRIu64, output->sent,
                      part->node, replay->cycle);
    enum failure_kind kind =
        output->sent > 0 ? FAIL_NONE : check_header(replay, flow, part, output);
    if (kind == FAIL_NONE && output->sent == 0)
        kind = check_turn(replay, flow, output);
    if (kind == FAIL_NONE && is_virtual(output))
        kind = check_link(replay, flow);
    return kind;
}

/* Lockstep: a flit moves over all outputs of the part or over none. */
static enum failure_kind check_lockstep(struct flits_replay *replay, const struct flits_flow *flow)
{
    const struct flits_part *part = part_at(&replay->state, flow->part);
    if (!flits_is_lockstep(&replay->header) || leaves_now(replay, part))
        return FAIL_NONE;
    return BROKEN(replay, "lockstep",
                  "in cycle %" PRIu64 " a flit leaves node %" PRIu32 " by some outputs alone",
                  replay->cycle, part->node);
}

/* A circuit: the header has come to the end of its path, and the acknowledgement back over a link per cycle, before the
 * second flit leaves. The lockstep keeps a header that a node has absorbed from going on. */
static enum failure_kind check_circuit(struct flits_replay *replay, const struct flits_flow *flow)
{
    const struct flits_state *state = &replay->state;
    const struct flits_part *part = part_at(state, worm_at(state, flow->worm)->last_part);
    if (part->outputs != 1 || is_virtual(output_at(state, part->last_output)))
        return BROKEN(replay, "circuit", "the header has not come to the end of its path");
    uint64_t due = part->opened + 1;
    for (uint32_t p = part->behind; p != FLITS_NONE; p = part_at(state, p)->behind)
        due++;
    if (replay->cycle == due)
        return FAIL_NONE;
    return BROKEN(replay, "circuit", "the second flit passes the channel in cycle %" PRIu64, due);
}

/* A flit that passes an injection channel. */
static enum failure_kind check_injection(struct flits_replay *replay, const struct flits_flow *flow)
{
    const struct flits_worm *worm = worm_at(&replay->state, flow->worm);
    uint64_t due = worm->granted;
    if (replay->header.startup_is_per_port)
        due += replay->header.startup;
    if (worm->injected == 0 && replay->cycle != due)
        return BROKEN(replay, "injection", "the header passes the channel in cycle %" PRIu64, due);
    if (worm->injected == flits_of(replay, flow->worm))
        return BROKEN(replay, "injection", "more flits than the message has");
    if (replay->header.switching == CIRCUIT && worm->injected == 1)
        return check_circuit(replay, flow);
    return FAIL_NONE;
}

/* ---- moves ---- */

/* The messages that the node holds; NULL: no memory. */
static uint32_t *held_at(struct flits_replay *replay, uint32_t node)
{
    struct flits_state *state = &replay->state;
    bool is_new;
    uint32_t place =
        flits_find_or_add(state, &state->place_map, &state->places, node, UINT64_MAX, &is_new);
    return place == FLITS_NONE ? NULL : &place_at(state, place)->held;
}

/* False: no memory. */
static bool enter(struct flits_replay *replay, uint32_t place)
{
    struct flits_part *part = part_at(&replay->state, place);
    uint32_t *held = part->entered > 0 ? NULL : held_at(replay, part->node);
    if (part->entered == 0 && held == NULL)
        return false;
    if (part->entered++ == 0) {
        part->header_came = replay->cycle;
        ++*held;
    }
    if (part->entered == flits_of(replay, part->worm))
        part->tail_came = replay->cycle;
    channel_at(&replay->state, part->channel)->flits++;
    return true;
}

static void release(struct flits_replay *replay, uint32_t place)
{
    struct flits_channel_state *channel = channel_at(&replay->state, place);
    channel->owner = FLITS_NONE;
}

/* Takes a part out of its buffer. */
static void end_part(struct flits_replay *replay, uint32_t place)
{
    struct flits_state *state = &replay->state;
    struct flits_part *part = part_at(state, place);
    struct flits_channel_state *in = channel_at(state, part->channel);
    uint32_t before = FLITS_NONE;
    for (uint32_t p = in->first; p != place; p = part_at(state, p)->next)
        before = p;
    if (before == FLITS_NONE)
        in->first = part->next;
    else
        part_at(state, before)->next = part->next;
    if (in->last == place)
        in->last = before;
    worm_at(state, part->worm)->living--;
    --*held_at(replay, part->node);
    if (part->behind == FLITS_NONE || replay->header.releases_when_left)
        release(replay, part->channel);
}

/* What the part's outputs have in common has left its buffer. */
static void leave(struct flits_replay *replay, uint32_t place)
{
    struct flits_state *state = &replay->state;
    struct flits_part *part = part_at(state, place);
    uint32_t left = flits_of(replay, part->worm);
    if (part->outputs < part->expected)
        return;
    for (uint32_t o = part->last_output; o != FLITS_NONE; o = output_at(state, o)->before)
        if (output_at(state, o)->sent < left)
            left = output_at(state, o)->sent;
    for (; part->left < left; part->left++) {
        channel_at(state, part->channel)->flits--;
        if (part->left + 1 == flits_of(replay, part->worm))
            end_part(replay, place);
    }
}

/* The tail has passed a consumption channel. */
static void deliver(struct flits_replay *replay, const struct flits_flow *flow)
{
    struct flits_state *state = &replay->state;
    uint32_t message = worm_at(state, flow->worm)->message;
    uint32_t hold = flits_find(&state->hold_map, message, flow->line->field[2]);
    hold_at(state, hold)->ready = replay->cycle + 1;
    replay->report->deliveries++;
}

/* False: no memory. */
static bool move_flit(struct flits_replay *replay, const struct flits_flow *flow)
{
    struct flits_state *state = &replay->state;
    if (flow->output == FLITS_NONE) {
        worm_at(state, flow->worm)->injected++;
        worm_at(state, flow->worm)->moved = replay->cycle + 1;
        return enter(replay, flow->part);
    }
    struct flits_output *output = output_at(state, flow->output);
    bool is_tail = ++output->sent == flits_of(replay, flow->worm);
    if (is_virtual(output)) {
        replay->report->crossings++;
        if (is_tail && !replay->header.releases_when_left)
            release(replay, output->channel);
        return enter(replay, output->next);
    }
    if (is_tail) {
        release(replay, output->channel);
        deliver(replay, flow);
    }
    return true;
}

/* ---- the end of a cycle ---- */

/* What the buffer holds that a flit has entered; under store-and-forward, messages at its node. */
static enum failure_kind check_peak(struct flits_replay *replay, const struct flits_flow *flow)
{
    const struct flits_state *state = &replay->state;
    const struct flits_header *header = &replay->header;
    const struct flits_part *part = part_at(state, flow->part);
    if (flow->output != FLITS_NONE)
        part = part_at(state, output_at(state, flow->output)->next);
    bool is_stored = header->switching == STORE_AND_FORWARD;
    uint32_t peak = 0;
    if (is_stored)
        peak = place_at(state, flits_find(&state->place_map, part->node, UINT64_MAX))->held;
    else if (part->behind != FLITS_NONE)
        peak = channel_at(state, part->channel)->flits;
    if (peak > replay->report->buffer_peak)
        replay->report->buffer_peak = peak;
    if (is_stored && header->buffer > 0 && peak > header->buffer)
        return BROKEN(replay, "buffer",
                      "node %" PRIu32 " ends cycle %" PRIu64 " with %" PRIu32
                      " messages, it has room for %" PRIu32,
                      part->node, replay->cycle, peak, header->buffer);
    return FAIL_NONE;
}

/* Parts that flits have left, peaks, worms that have ended. */
static enum failure_kind end_cycle(struct flits_replay *replay)
{
    const struct flits_state *state = &replay->state;
    enum failure_kind kind = FAIL_NONE;
    for (size_t i = 0; i < replay->flows; i++)
        if (replay->flow[i].output != FLITS_NONE)
            leave(replay, replay->flow[i].part);
    for (size_t i = 0; i < replay->flows && kind == FAIL_NONE; i++) {
        const struct flits_flow *flow = &replay->flow[i];
        const struct flits_worm *worm = worm_at(state, flow->worm);
        if (flow->output == FLITS_NONE || is_virtual(output_at(state, flow->output)))
            kind = check_peak(replay, flow);
        else if (worm->living == 0 && worm->injected == flits_of(replay, flow->worm))
            kind = flits_check_way(replay, flow->worm);
    }
    return kind;
}

enum failure_kind flits_move(struct flits_replay *replay)
{
    struct flits_state *state = &replay->state;
    enum failure_kind kind = FAIL_NONE;
    for (size_t i = 0; i < replay->flows && kind == FAIL_NONE; i++) {
        const struct flits_flow *flow = &replay->flow[i];
        kind =
            flow->output == FLITS_NONE ? check_injection(replay, flow) : check_flit(replay, flow);
        if (kind == FAIL_NONE && flow->output != FLITS_NONE)
            output_at(state, flow->output)->moved = replay->cycle + 1;
    }
    for (size_t i = 0; i < replay->flows && kind == FAIL_NONE; i++) {
        const struct flits_flow *flow = &replay->flow[i];
        const struct flits_output *output =
            flow->output == FLITS_NONE ? NULL : output_at(state, flow->output);
        if (output == NULL || is_virtual(output))
            kind = check_room(replay, flow,
                              part_at(state, output == NULL ? flow->part : output->next));
        if (kind == FAIL_NONE && output != NULL)
            kind = check_lockstep(replay, flow);
    }
    for (size_t i = 0; i < replay->flows && kind == FAIL_NONE; i++)
        if (!move_flit(replay, &replay->flow[i]))
            kind = flits_no_memory(replay);
    return kind == FAIL_NONE ? end_cycle(replay) : kind;
}
