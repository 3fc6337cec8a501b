/* flits_begin.c - what begins in a cycle of a replay: messages and worms.
 *
 * A worm is known by its message and number. Rules: "trace" (things that are not there), "startup", "sender",
 * "channel" (who owns it), "delivery".
 */
#include "audit/flits_replay.h"

#include <inttypes.h>
#include <stdlib.h>

#define BROKEN(replay, ...) flits_broken(replay, line, __VA_ARGS__)

struct flits_key flits_key_of_vc(uint32_t from, uint32_t to, uint32_t vc)
{
    return (struct flits_key){(uint64_t)from << 32 | to, vc};
}

struct flits_key flits_key_of_port(uint32_t node, enum flits_side side, uint32_t number)
{
    return (struct flits_key){(uint64_t)node << 32 | UINT32_MAX, (uint64_t)side << 32 | number};
}

/* The channel with this key. */
uint32_t flits_channel_of(struct flits_replay *replay, struct flits_key key)
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

/* Takes a free channel for the worm. */
enum failure_kind flits_take_channel(struct flits_replay *replay, const struct flits_line *line,
                                     uint32_t channel, uint32_t worm, const char *what)
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

/* The next message of the set from this source, or FLITS_NONE. */
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

/* With a set: which of its messages this is. */
static enum failure_kind find_in_set(struct flits_replay *replay, const struct flits_line *line,
                                     struct flits_message *message)
{
    const struct message_set *set = replay->messages.set;
    uint32_t found = message->of_set = next_of_source(replay, message->source);
    if (found == FLITS_NONE)
        return BROKEN(replay, "delivery", "the set has no more messages of node %" PRIu32,
                      message->source);
    uint32_t length = set->length == NULL ? 0 : set->length[found];
    if (length != 0 && length != message->flits)
        return BROKEN(replay, "delivery",
                      "the message has %" PRIu32 " flits, in the set it has %" PRIu32,
                      message->flits, length);
    return FAIL_NONE;
}

/* Notes that a node holds the message from `ready` on. FLITS_NONE: no memory. */
uint32_t flits_add_hold(struct flits_replay *replay, uint32_t message, uint32_t node,
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

/* How many outputs the worm's header will get at the node; 0: it may be there more than once, or it is
 * seen at once. */
static uint32_t expected_outputs(const struct flits_replay *replay, const struct flits_line *line,
                                 uint32_t node)
{
    uint64_t worm = (uint64_t)line->field[0] << 32 | line->field[1];
    uint32_t place = flits_find(&replay->visit_map, worm, node);
    const struct flits_visit *visit = replay->visits.item;
    return place == FLITS_NONE || visit[place].entries > 1 ? 0 : visit[place].outputs;
}

/* Adds a part of a worm in a channel's buffer. FLITS_NONE: no memory. */
uint32_t flits_add_part(struct flits_replay *replay, const struct flits_line *line, uint32_t worm,
                        uint32_t node, uint32_t channel, uint32_t behind)
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
    struct flits_startup *startup =
        memory_grow(replay->startup, &replay->startup_room, replay->startups + 1, sizeof *startup);
    if (startup == NULL)
        return flits_no_memory(replay);
    replay->startup = startup;
    replay->startup[replay->startups++] = (struct flits_startup){line, ready};
    return FAIL_NONE;
}

/* By node, then in the order in which worms became ready; lines of a cycle stand by message and worm. */
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

/* The sender holds the message; its startup is checked later. */
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

/* The channel has a number that the node has. */
enum failure_kind flits_check_number(struct flits_replay *replay, const struct flits_line *line,
                                     uint32_t most, const char *what)
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
    enum failure_kind kind =
        flits_check_number(replay, line, replay->header.injection, "injection");
    if (kind == FAIL_NONE)
        kind = check_sender(replay, line, message);
    if (kind == FAIL_NONE)
        kind = flits_take_channel(replay, line, channel, worm, "the injection channel");
    if (kind != FAIL_NONE)
        return kind;
    *worm_at(state, worm) = (struct flits_worm){.message = message,
                                                .number = line->field[1],
                                                .flits = longer > 0 ? longer : flits,
                                                .granted = line->cycle,
                                                .last_part = FLITS_NONE};
    replay->report->worms++;
    uint32_t part = flits_add_part(replay, line, worm, line->field[2], channel, FLITS_NONE);
    return part == FLITS_NONE ? flits_no_memory(replay) : FAIL_NONE;
}
