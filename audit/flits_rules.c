/* flits_rules.c - the rules of a network: the beginnings in a cycle, the moves of flits, the
 * conditions at the end. */
#include "audit/flits_replay.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- beginnings in a cycle ---- */

/* Begins the messages and worms of a cycle of a replay.
 *
 * A worm is known by its message and number.
 * Rules: "trace" (missing things), "startup", "sender", "channel" (its owner), "delivery".
 */

struct flits_key {
    uint64_t high, low;
};

/* Sides of channels at a node; a link's channels are found by its two nodes. */
enum flits_side { FLITS_INJECTION, FLITS_CONSUMPTION };

#define BROKEN(replay, ...) flits_broken(replay, line, __VA_ARGS__)

static struct flits_key flits_key_of_vc(uint32_t from, uint32_t to, uint32_t vc)
{
    return (struct flits_key){(uint64_t)from << 32 | to, vc};
}

static struct flits_key flits_key_of_port(uint32_t node, enum flits_side side, uint32_t number)
{
    return (struct flits_key){(uint64_t)node << 32 | UINT32_MAX, (uint64_t)side << 32 | number};
}

/* Returns the channel with this key; FLITS_NONE: no memory. */
static uint32_t flits_channel_of(struct flits_replay *replay, struct flits_key key)
{
    bool is_new;
    struct flits_state *state = &replay->state;
    uint32_t channel =
        flits_find_or_add(state, &state->channel_map, &state->channels, key.high, key.low, &is_new);
    if (channel != FLITS_NONE && is_new)
        *channel_at(state, channel) = (struct flits_channel_state){
            .owner = FLITS_NONE, .first = FLITS_NONE, .last = FLITS_NONE};
    return channel;
}

/* Takes a channel for the worm, which must be free. */
static enum failure_kind flits_take_channel(struct flits_replay *replay,
                                            const struct flits_line *line, uint32_t channel,
                                            uint32_t worm, const char *what)
{
    struct flits_channel_state *taken = channel_at(&replay->state, channel);
    if (taken->owner != FLITS_NONE) {
        const struct flits_worm *owner = worm_at(&replay->state, taken->owner);
        return BROKEN(replay, "channel",
                      "%s is still owned by worm %" PRIu32 " of message %" PRIu32, what,
                      owner->number, message_at(&replay->state, owner->message)->number);
    }
    taken->owner = worm;
    return FAIL_NONE;
}

/* ---- messages ---- */

/* Returns the next message of the set from this source, or FLITS_NONE. */
static uint32_t next_of_source(struct flits_replay *replay, uint32_t source)
{
    const struct message_set *set = replay->messages.set;
    uint32_t begin = 0, end = set->messages;
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if (set->source[replay->order[middle]] < source)
            begin = middle + 1;
        else
            end = middle;
    }
    for (; begin < set->messages && set->source[replay->order[begin]] == source; begin++) {
        struct audit_message *message = &replay->messages.message[replay->order[begin]];
        if (!message->is_injected) {
            message->is_injected = true;
            return replay->order[begin];
        }
    }
    return FLITS_NONE;
}

/* Returns the message of a set with times, whose messages start in any order, or FLITS_NONE: its
 * number is that of the set. */
static uint32_t message_of_number(struct flits_replay *replay, const struct flits_message *message)
{
    const struct message_set *set = replay->messages.set;
    if (message->number >= set->messages || set->source[message->number] != message->source)
        return FLITS_NONE;
    replay->messages.message[message->number].is_injected = true;
    return message->number;
}

/* Checks that the message is created in the cycle in which it may start. */
static enum failure_kind check_start(struct flits_replay *replay, const struct flits_line *line,
                                     uint32_t message)
{
    const struct message_set *set = replay->messages.set;
    const struct flits_state *state = &replay->state;
    uint64_t start = set->start == NULL ? 0 : set->start[message], from = 0;
    uint64_t at = set->wait_offset == NULL ? 0 : set->wait_offset[message];
    uint64_t end = set->wait_offset == NULL ? 0 : set->wait_offset[message + 1];
    for (; at < end; at++) {
        uint32_t before = flits_find(&state->message_map, set->wait_on[at], 0);
        uint32_t hold = before == FLITS_NONE
                            ? FLITS_NONE
                            : flits_find(&state->hold_map, before, set->source[message]);
        if (hold == FLITS_NONE || hold_at(state, hold)->ready > line->cycle)
            return BROKEN(replay, "start",
                          "message %" PRIu32 " waits for message %" PRIu32 ", which node %" PRIu32
                          " does not have",
                          message, set->wait_on[at], set->source[message]);
        if (hold_at(state, hold)->ready > from)
            from = hold_at(state, hold)->ready;
    }
    if (line->cycle != from + start)
        return BROKEN(replay, "start", "message %" PRIu32 " must be created in cycle %" PRIu64,
                      message, from + start);
    return FAIL_NONE;
}

/* Finds the message in the set. */
static enum failure_kind find_in_set(struct flits_replay *replay, const struct flits_line *line,
                                     struct flits_message *message)
{
    const struct message_set *set = replay->messages.set;
    uint32_t found = message->of_set = message_set_is_timed(set)
                                           ? message_of_number(replay, message)
                                           : next_of_source(replay, message->source);
    if (found == FLITS_NONE)
        return BROKEN(replay, "delivery", "the set has no more messages of node %" PRIu32,
                      message->source);
    if (message_set_is_timed(set) && check_start(replay, line, found) != FAIL_NONE)
        return FAIL_CHECK;
    uint32_t length = set->length == NULL ? 0 : set->length[found];
    if (length != 0 && length != message->flits)
        return BROKEN(replay, "delivery",
                      "the message has %" PRIu32 " flits, in the set it has %" PRIu32,
                      message->flits, length);
    return FAIL_NONE;
}

/* Notes that a node holds a message from `ready` on; FLITS_NONE: no memory. */
static uint32_t flits_add_hold(struct flits_replay *replay, uint32_t message, uint32_t node,
                               uint64_t ready, bool *is_new)
{
    struct flits_state *state = &replay->state;
    uint32_t hold =
        flits_find_or_add(state, &state->hold_map, &state->holds, message, node, is_new);
    if (hold != FLITS_NONE && *is_new)
        *hold_at(state, hold) = (struct flits_hold){.ready = ready};
    return hold;
}

enum failure_kind flits_create(struct flits_replay *replay, const struct flits_line *line)
{
    struct flits_state *state = &replay->state;
    bool is_new;
    uint32_t place =
        flits_find_or_add(state, &state->message_map, &state->messages, line->field[0], 0, &is_new);
    if (place == FLITS_NONE)
        return flits_no_memory(replay);
    if (!is_new)
        return BROKEN(replay, "trace", "message %" PRIu32 " is created a second time",
                      line->field[0]);
    struct flits_message *message = message_at(state, place);
    *message = (struct flits_message){.number = line->field[0],
                                      .source = line->field[1],
                                      .flits = line->field[2],
                                      .created = line->cycle,
                                      .of_set = FLITS_NONE};
    if (flits_add_hold(replay, place, message->source, line->cycle, &is_new) == FLITS_NONE)
        return flits_no_memory(replay);
    replay->report->messages++;
    return replay->messages.set == NULL ? FAIL_NONE : find_in_set(replay, line, message);
}

/* ---- worms ---- */

/* Returns the number of outputs that the worm's header will get at the node; 0: it may be there
 * more than once, or it is seen at once. */
static uint32_t expected_outputs(const struct flits_replay *replay, const struct flits_line *line,
                                 uint32_t node)
{
    uint64_t worm = (uint64_t)line->field[0] << 32 | line->field[1];
    uint32_t place = flits_find(&replay->visit_map, worm, node);
    const struct flits_visit *visit = replay->visits.item;
    return place == FLITS_NONE || visit[place].entries > 1 ? 0 : visit[place].outputs;
}

/* Adds a part of a worm in a channel's buffer; FLITS_NONE: no memory. */
static uint32_t flits_add_part(struct flits_replay *replay, const struct flits_line *line,
                               uint32_t worm, uint32_t node, uint32_t channel, uint32_t behind)
{
    struct flits_state *state = &replay->state;
    uint32_t place = flits_add(state, &state->parts);
    if (place == FLITS_NONE)
        return place;
    struct flits_worm *whole = worm_at(state, worm);
    struct flits_channel_state *in = channel_at(state, channel);
    *part_at(state, place) = (struct flits_part){
        .worm = worm,
        .channel = channel,
        .node = node,
        .behind = behind,
        .before = whole->last_part,
        .next = FLITS_NONE,
        .line = line->line,
        .header_came = FLITS_NEVER,
        .tail_came = FLITS_NEVER,
        .opened = FLITS_NEVER,
        .last_output = FLITS_NONE,
        .expected = expected_outputs(replay, line, node),
        .target = FLITS_NONE,
    };
    whole->last_part = place;
    whole->living++;
    if (in->last == FLITS_NONE)
        in->first = place;
    else
        part_at(state, in->last)->next = place;
    in->last = place;
    return place;
}

/* Notes a worm whose startup is to be checked when all grants of the cycle are known. */
static enum failure_kind add_startup(struct flits_replay *replay, const struct flits_line *line,
                                     uint64_t ready)
{
    if (!memory_make_room(&replay->startup, &replay->startup_room, replay->startups + 1,
                          sizeof *replay->startup))
        return flits_no_memory(replay);
    replay->startup[replay->startups++] = (struct flits_startup){line, ready};
    return FAIL_NONE;
}

/* Compares by node, then in the order in which worms became ready; lines of a cycle are ordered by
 * message and worm. */
static int compare_startups(const void *one, const void *other)
{
    const struct flits_startup *a = one, *b = other;
    if (a->line->field[2] != b->line->field[2])
        return a->line->field[2] < b->line->field[2] ? -1 : 1;
    if (a->ready != b->ready)
        return a->ready < b->ready ? -1 : 1;
    return a->line->line < b->line->line ? -1 : 1;
}

enum failure_kind flits_check_startups(struct flits_replay *replay)
{
    struct flits_state *state = &replay->state;
    if (replay->startups > 0)
        qsort(replay->startup, replay->startups, sizeof *replay->startup, compare_startups);
    for (size_t i = 0; i < replay->startups; i++) {
        const struct flits_line *line = replay->startup[i].line;
        uint64_t ready = replay->startup[i].ready;
        bool is_new;
        uint32_t place = flits_find_or_add(state, &state->place_map, &state->places, line->field[2],
                                           UINT64_MAX, &is_new);
        if (place == FLITS_NONE)
            return flits_no_memory(replay);
        struct flits_place *processor = place_at(state, place);
        uint64_t begin = processor->busy > ready ? processor->busy : ready;
        processor->busy = begin + replay->header.startup;
        if (processor->busy > replay->cycle)
            return BROKEN(replay, "startup",
                          "the startup of this worm at node %" PRIu32 " ends in cycle %" PRIu64,
                          line->field[2], processor->busy);
    }
    replay->startups = 0;
    return FAIL_NONE;
}

/* Checks that the sender holds the message; its startup is checked later. */
static enum failure_kind check_sender(struct flits_replay *replay, const struct flits_line *line,
                                      uint32_t message)
{
    const struct flits_state *state = &replay->state;
    uint32_t hold = flits_find(&state->hold_map, message, line->field[2]);
    if (hold == FLITS_NONE || hold_at(state, hold)->ready > replay->cycle)
        return BROKEN(replay, "sender", "node %" PRIu32 " does not hold message %" PRIu32,
                      line->field[2], line->field[0]);
    return replay->header.startup_is_per_port
               ? FAIL_NONE
               : add_startup(replay, line, hold_at(state, hold)->ready);
}

/* Checks that the line's injection or ejection channel has a number that its node has; `most` 0: as
 * many as links. */
static enum failure_kind flits_check_number(struct flits_replay *replay,
                                            const struct flits_line *line, uint32_t most,
                                            const char *what)
{
    uint32_t node = line->field[2], links = flits_links_of(&replay->header.shape, node);
    if (most == 0)
        most = links == 0 ? 1 : links;
    if (line->field[3] >= most)
        return BROKEN(replay, "channel", "node %" PRIu32 " has %" PRIu32 " %s channels", node, most,
                      what);
    return FAIL_NONE;
}

enum failure_kind flits_grant(struct flits_replay *replay, const struct flits_line *line)
{
    struct flits_state *state = &replay->state;
    uint32_t message = flits_find(&state->message_map, line->field[0], 0);
    bool is_new;
    if (message == FLITS_NONE)
        return BROKEN(replay, "trace", "there is no message %" PRIu32, line->field[0]);
    uint32_t worm = flits_find_or_add(state, &state->worm_map, &state->worms, line->field[0],
                                      line->field[1], &is_new);
    uint32_t channel = flits_channel_of(
        replay, flits_key_of_port(line->field[2], FLITS_INJECTION, line->field[3]));
    if (worm == FLITS_NONE || channel == FLITS_NONE)
        return flits_no_memory(replay);
    if (worm_at(state, worm)->last_part != FLITS_NONE && !is_new)
        return BROKEN(replay, "trace", "worm %" PRIu32 " takes a second injection channel",
                      line->field[1]);
    uint32_t flits = message_at(state, message)->flits, longer = line->field[4];
    if (longer > 0 && (longer <= flits || longer > 1 << 24))
        return BROKEN(replay, "trace", "a worm of this message has %" PRIu32 " to 2^24 flits",
                      flits + 1);
    if (flits_check_number(replay, line, replay->header.injection, "injection") != FAIL_NONE ||
        check_sender(replay, line, message) != FAIL_NONE ||
        flits_take_channel(replay, line, channel, worm, "the injection channel") != FAIL_NONE)
        return replay->failure->kind;
    *worm_at(state, worm) = (struct flits_worm){.message = message,
                                                .number = line->field[1],
                                                .flits = longer > 0 ? longer : flits,
                                                .granted = line->cycle,
                                                .last_part = FLITS_NONE};
    replay->report->worms++;
    uint32_t part = flits_add_part(replay, line, worm, line->field[2], channel, FLITS_NONE);
    return part == FLITS_NONE ? flits_no_memory(replay) : FAIL_NONE;
}

/* ---- origins of moves ---- */

/* Finds the part that the flits of a line leave in a replay, and their output.
 *
 * The part that a header leaves is not in the trace: it is the worm's youngest one at that node
 * whose header may go on. If two branches of one worm meet at a node that may be the wrong one; no
 * scheme makes such worms.
 * Rules: "link", "order", "injection", "delivery", "trace".
 */

/* True if the part's header may get another output now: it has had its time, and no other part is
 * before it. */
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

/* Returns the part of the worm at the node whose header goes on now: the youngest one that may,
 * else the youngest one. FLITS_NONE: none. */
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

/* Returns the output of the worm by which flits go on over a channel, or FLITS_NONE. */
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

/* Finds the part of a header that crosses a link. */
static enum failure_kind locate_hop(struct flits_replay *replay, const struct flits_line *line,
                                    uint32_t channel, struct flits_flow *flow)
{
    uint32_t from = line->field[2], to = line->field[3];
    flow->part = part_with_header(replay, flow->worm, from);
    if (flow->part == FLITS_NONE)
        return BROKEN(replay, "order", "the header is not at node %" PRIu32, from);
    if (flits_take_channel(replay, line, channel, flow->worm, "the virtual channel") != FAIL_NONE)
        return replay->failure->kind;
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

/* Finds the part of a worm that gets an ejection channel: the node must be due to receive the
 * message. */
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
        messages_deliver(&replay->messages, of_set, node, line->cycle) != DELIVERY_DUE)
        return BROKEN(replay, "delivery", "node %" PRIu32 " is no destination of message %" PRIu32,
                      node, line->field[0]);
    if (flits_take_channel(replay, line, channel, flow->worm, "the ejection channel") != FAIL_NONE)
        return replay->failure->kind;
    flow->output = add_output(replay, flow->part, channel);
    return flow->output == FLITS_NONE ? flits_no_memory(replay) : FAIL_NONE;
}

/* Finds the worm of flits that pass an injection channel. */
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
    if (is_hop && (!flits_joins(&replay->header.shape, node, to) ||
                   audit_is_missing(replay->missing, node, to)))
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

/* ---- the end ---- */

/* Conditions at the end of a worm, and of the trace.
 *
 * Stops are the nodes where a worm is absorbed and those where it branches; between two stops each
 * hop must be the one of the base routing, and also past stops a worm of negative-first does not
 * turn back to smaller coordinates. A child of a part is younger than it, and the worm's parts form
 * a list from the youngest on, so one pass finds the stop of each part.
 */

/* Returns the stop for which the part is bound: the node itself, or that of its only child. */
static uint32_t target_of(const struct flits_state *state, const struct flits_part *part)
{
    const struct flits_output *output = output_at(state, part->last_output);
    if (part->outputs != 1 || output->next == FLITS_NONE)
        return part->node;
    return part_at(state, output->next)->target;
}

/* Checks a worm all of whose parts have ended: its hops must be those of the base routing. */
static enum failure_kind flits_check_way(struct flits_replay *replay, uint32_t worm)
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

/* ---- moves of flits ---- */

/* The rules of flits in a cycle of a replay.
 *
 * All flits of a cycle are checked against the state at its beginning; then they move. Rules:
 * "link" (one flit per cycle), "order" (flits one after the other, none before its arrival),
 * "delay" (when a header may go on), "buffer" (room), "lockstep", "one port", "injection",
 * "circuit".
 */

#define FLOW_BROKEN(replay, ...) flits_broken(replay, flow->line, __VA_ARGS__)

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
        return FLOW_BROKEN(replay, "link",
                           "the link from node %" PRIu32 " to node %" PRIu32
                           " carries a second flit in cycle %" PRIu64,
                           field[2], field[3], replay->cycle);
    link->used = replay->cycle + 1;
    return FAIL_NONE;
}

/* True if a flit of the part leaves its buffer in this cycle, over all outputs. */
static bool leaves_now(const struct flits_replay *replay, const struct flits_part *part)
{
    const struct flits_state *state = &replay->state;
    for (uint32_t o = part->last_output; o != FLITS_NONE; o = output_at(state, o)->before)
        if (output_at(state, o)->moved != replay->cycle + 1)
            return false;
    return part->outputs > 0;
}

/* Checks that the part's buffer has room for one more of its flits. */
static enum failure_kind check_room(struct flits_replay *replay, const struct flits_flow *flow,
                                    const struct flits_part *into)
{
    const struct flits_header *header = &replay->header;
    const struct flits_channel_state *channel = channel_at(&replay->state, into->channel);
    bool may_follow = header->vcs == 1 && header->buffer == 1 && into->entered > into->left;
    if (header->switching == STORE_AND_FORWARD || channel->flits < header->buffer ||
        (may_follow && leaves_now(replay, into)))
        return FAIL_NONE;
    return FLOW_BROKEN(replay, "buffer",
                       "in cycle %" PRIu64 " the buffer at node %" PRIu32 " holds %" PRIu32
                       " flits already",
                       replay->cycle, into->node, channel->flits);
}

/* Checks the time of a header's request, and under cut-through the room for the whole message. */
static enum failure_kind check_header(struct flits_replay *replay, const struct flits_flow *flow,
                                      const struct flits_part *part,
                                      const struct flits_output *output)
{
    const struct flits_header *header = &replay->header;
    bool is_stored = header->switching == STORE_AND_FORWARD;
    uint64_t came = is_stored ? part->tail_came : part->header_came;
    uint32_t flits = flits_of(replay, part->worm);
    if (came == FLITS_NEVER)
        return FLOW_BROKEN(replay, "delay", "the tail is not at node %" PRIu32 " yet", part->node);
    if (replay->cycle < came + 1 + header->router_delay)
        return FLOW_BROKEN(replay, "delay",
                           "the header asks at node %" PRIu32 " from cycle %" PRIu64 " on",
                           part->node, came + 1 + header->router_delay);
    const struct flits_channel_state *in = channel_at(&replay->state, part->channel);
    bool has_ended =
        part->left == flits; /* it gets an output late, on a second visit of the node */
    if (!is_stored && !has_ended && part_at(&replay->state, in->first) != part)
        return FLOW_BROKEN(replay, "delay",
                           "another worm stands before the header at node %" PRIu32, part->node);
    if (flits_is_lockstep(header) && part->opened != replay->cycle)
        return FLOW_BROKEN(replay, "lockstep",
                           "the header has left node %" PRIu32 " in cycle %" PRIu64, part->node,
                           part->opened);
    const struct flits_channel_state *next = channel_at(&replay->state, output->channel);
    if (header->switching == CUT_THROUGH && is_virtual(output) &&
        next->flits + flits > header->buffer)
        return FLOW_BROKEN(replay, "buffer",
                           "the buffer holds %" PRIu32
                           " flits, so it has no room for a message of %" PRIu32,
                           next->flits, flits);
    return FAIL_NONE;
}

/* Checks one port: the child before has the tail. Outputs form a list from the last one to the
 * first. */
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
    return FLOW_BROKEN(replay, "one port", "the tail has not yet gone to the child before");
}

/* Checks a flit that goes on from a part. */
static enum failure_kind check_flit(struct flits_replay *replay, const struct flits_flow *flow)
{
    const struct flits_output *output = output_at(&replay->state, flow->output);
    const struct flits_part *part = part_at(&replay->state, flow->part);
    if (output->sent == flits_of(replay, flow->worm))
        return FLOW_BROKEN(replay, "order", "the tail has gone before");
    if (output->sent >= part->entered)
        return FLOW_BROKEN(replay, "order",
                           "flit %" PRIu32 " is not at node %" PRIu32 " in cycle %" PRIu64,
                           output->sent, part->node, replay->cycle);
    enum failure_kind kind =
        output->sent > 0 ? FAIL_NONE : check_header(replay, flow, part, output);
    if (kind == FAIL_NONE && output->sent == 0)
        kind = check_turn(replay, flow, output);
    if (kind == FAIL_NONE && is_virtual(output))
        kind = check_link(replay, flow);
    return kind;
}

/* Checks lockstep: a flit moves over all outputs of the part or over none. */
static enum failure_kind check_lockstep(struct flits_replay *replay, const struct flits_flow *flow)
{
    const struct flits_part *part = part_at(&replay->state, flow->part);
    if (!flits_is_lockstep(&replay->header) || leaves_now(replay, part))
        return FAIL_NONE;
    return FLOW_BROKEN(replay, "lockstep",
                       "in cycle %" PRIu64 " a flit leaves node %" PRIu32 " by only some outputs",
                       replay->cycle, part->node);
}

/* Checks a circuit: the header has reached the end of its path, and the acknowledgement has
 * returned over a link per cycle, before the second flit leaves. The lockstep keeps a header that a
 * node has absorbed from going on. */
static enum failure_kind check_circuit(struct flits_replay *replay, const struct flits_flow *flow)
{
    const struct flits_state *state = &replay->state;
    const struct flits_part *part = part_at(state, worm_at(state, flow->worm)->last_part);
    if (part->outputs != 1 || is_virtual(output_at(state, part->last_output)))
        return FLOW_BROKEN(replay, "circuit", "the header has not come to the end of its path");
    uint64_t due = part->opened + 1;
    for (uint32_t p = part->behind; p != FLITS_NONE; p = part_at(state, p)->behind)
        due++;
    if (replay->cycle == due)
        return FAIL_NONE;
    return FLOW_BROKEN(replay, "circuit", "the second flit passes the channel in cycle %" PRIu64,
                       due);
}

/* Checks a flit that passes an injection channel. */
static enum failure_kind check_injection(struct flits_replay *replay, const struct flits_flow *flow)
{
    const struct flits_worm *worm = worm_at(&replay->state, flow->worm);
    uint64_t due = worm->granted;
    if (replay->header.startup_is_per_port)
        due += replay->header.startup;
    if (worm->injected == 0 && replay->cycle != due)
        return FLOW_BROKEN(replay, "injection", "the header passes the channel in cycle %" PRIu64,
                           due);
    if (worm->injected == flits_of(replay, flow->worm))
        return FLOW_BROKEN(replay, "injection", "more flits than the message has");
    if (replay->header.switching == CIRCUIT && worm->injected == 1)
        return check_circuit(replay, flow);
    return FAIL_NONE;
}

/* ---- moves ---- */

/* Returns the messages that the node holds; NULL: no memory. */
static uint32_t *held_at(struct flits_replay *replay, uint32_t node)
{
    struct flits_state *state = &replay->state;
    bool is_new;
    uint32_t place =
        flits_find_or_add(state, &state->place_map, &state->places, node, UINT64_MAX, &is_new);
    return place == FLITS_NONE ? NULL : &place_at(state, place)->held;
}

/* Enters a flit into a part's buffer. False: no memory. */
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

/* Removes a part from its buffer. */
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

/* Removes from the buffer the flits that all outputs of the part have passed on. */
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

/* Delivers a message whose tail has passed an ejection channel. */
static void deliver(struct flits_replay *replay, const struct flits_flow *flow)
{
    struct flits_state *state = &replay->state;
    uint32_t message = worm_at(state, flow->worm)->message;
    uint32_t hold = flits_find(&state->hold_map, message, flow->line->field[2]);
    hold_at(state, hold)->ready = replay->cycle + 1;
    replay->report->deliveries++;
}

/* Moves a flit. False: no memory. */
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

/* Updates the peak of the buffer that a flit has entered; under store-and-forward, of messages at
 * its node. */
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
        return FLOW_BROKEN(replay, "buffer",
                           "node %" PRIu32 " ends cycle %" PRIu64 " with %" PRIu32
                           " messages, it has room for %" PRIu32,
                           part->node, replay->cycle, peak, header->buffer);
    return FAIL_NONE;
}

/* Ends a cycle: parts that flits have left, peaks, worms that have ended. */
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
