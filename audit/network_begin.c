/* network_begin.c - what begins in a cycle of a replay: messages and worms.
 *
 * A worm is known by its message and number. Rules: "trace" (things that are not there), "startup", "sender",
 * "channel" (who owns it), "delivery".
 */
#include "audit/network_replay.h"

#include <inttypes.h>
#include <stdlib.h>

#define BROKEN(replay, ...) network_broken(replay, line, __VA_ARGS__)

struct network_key network_key_of_vc(uint32_t from, uint32_t to, uint32_t vc)
{
    return (struct network_key){(uint64_t)from << 32 | to, vc};
}

struct network_key network_key_of_port(uint32_t node, enum network_side side, uint32_t number)
{
    return (struct network_key){(uint64_t)node << 32 | UINT32_MAX, (uint64_t)side << 32 | number};
}

/* The channel with this key. */
uint32_t network_channel_of(struct network_replay *replay, struct network_key key)
{
    bool is_new;
    struct network_state *state = &replay->state;
    uint32_t channel = network_find_or_add(state, &state->channel_map, &state->channels, key.high,
                                           key.low, &is_new);
    if (channel != NETWORK_NONE && is_new)
        *channel_at(state, channel) = (struct network_channel_state){
            .owner = NETWORK_NONE, .first = NETWORK_NONE, .last = NETWORK_NONE};
    return channel;
}

/* Takes a free channel for the worm. */
enum failure_kind network_take_channel(struct network_replay *replay,
                                       const struct network_line *line, uint32_t channel,
                                       uint32_t worm, const char *what)
{
    struct network_channel_state *taken = channel_at(&replay->state, channel);
    if (taken->owner != NETWORK_NONE) {
        const struct network_worm *owner = worm_at(&replay->state, taken->owner);
        return BROKEN(replay, "channel",
                      "%s is still owned by worm %" PRIu32 " of message %" PRIu32, what,
                      owner->number, message_at(&replay->state, owner->message)->number);
    }
    taken->owner = worm;
    return FAIL_NONE;
}

/* ---- messages ---- */

/* The next message of the set from this source, or NETWORK_NONE. */
static uint32_t next_of_source(struct network_replay *replay, uint32_t source)
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
    return NETWORK_NONE;
}

/* With a set: which of its messages this is; its source is served at once if it is a destination. */
static enum failure_kind find_in_set(struct network_replay *replay, const struct network_line *line,
                                     struct network_message *message)
{
    const struct message_set *set = replay->messages.set;
    uint32_t found = message->of_set = next_of_source(replay, message->source);
    if (found == NETWORK_NONE)
        return BROKEN(replay, "delivery", "the set has no more messages of node %" PRIu32,
                      message->source);
    uint32_t length = set->length == NULL ? 0 : set->length[found];
    if (length != 0 && length != message->flits)
        return BROKEN(replay, "delivery",
                      "the message has %" PRIu32 " flits, in the set it has %" PRIu32,
                      message->flits, length);
    if (messages_deliver(&replay->messages, found, message->source) == DELIVERY_DUE)
        replay->report->deliveries++;
    return FAIL_NONE;
}

/* Notes that a node holds the message from `ready` on. NETWORK_NONE: no memory. */
uint32_t network_add_hold(struct network_replay *replay, uint32_t message, uint32_t node,
                          uint64_t ready, bool *is_new)
{
    struct network_state *state = &replay->state;
    uint32_t hold =
        network_find_or_add(state, &state->hold_map, &state->holds, message, node, is_new);
    if (hold != NETWORK_NONE && *is_new)
        *hold_at(state, hold) = (struct network_hold){.ready = ready};
    return hold;
}

enum failure_kind network_create(struct network_replay *replay, const struct network_line *line)
{
    struct network_state *state = &replay->state;
    bool is_new;
    uint32_t place = network_find_or_add(state, &state->message_map, &state->messages,
                                         line->field[0], 0, &is_new);
    if (place == NETWORK_NONE)
        return network_no_memory(replay);
    if (!is_new)
        return BROKEN(replay, "trace", "message %" PRIu32 " is created a second time",
                      line->field[0]);
    struct network_message *message = message_at(state, place);
    *message = (struct network_message){.number = line->field[0],
                                        .source = line->field[1],
                                        .flits = line->field[2],
                                        .created = line->cycle,
                                        .of_set = NETWORK_NONE};
    if (network_add_hold(replay, place, message->source, line->cycle, &is_new) == NETWORK_NONE)
        return network_no_memory(replay);
    replay->report->messages++;
    return replay->messages.set == NULL ? FAIL_NONE : find_in_set(replay, line, message);
}

/* ---- worms ---- */

/* How many outputs the worm's header will get at the node; 0: it may be there more than once, or it is
 * seen at once. */
static uint32_t expected_outputs(const struct network_replay *replay,
                                 const struct network_line *line, uint32_t node)
{
    uint64_t worm = (uint64_t)line->field[0] << 32 | line->field[1];
    uint32_t place = network_find(&replay->visit_map, worm, node);
    const struct network_visit *visit = replay->visits.item;
    return place == NETWORK_NONE || visit[place].entries > 1 ? 0 : visit[place].outputs;
}

/* Adds a part of a worm in a channel's buffer. NETWORK_NONE: no memory. */
uint32_t network_add_part(struct network_replay *replay, const struct network_line *line,
                          uint32_t worm, uint32_t node, uint32_t channel, uint32_t behind)
{
    struct network_state *state = &replay->state;
    uint32_t place = network_add(state, &state->parts);
    if (place == NETWORK_NONE)
        return place;
    struct network_worm *whole = worm_at(state, worm);
    struct network_channel_state *in = channel_at(state, channel);
    *part_at(state, place) = (struct network_part){
        .worm = worm,
        .channel = channel,
        .node = node,
        .behind = behind,
        .before = whole->last_part,
        .next = NETWORK_NONE,
        .line = line->line,
        .header_came = NETWORK_NEVER,
        .tail_came = NETWORK_NEVER,
        .opened = NETWORK_NEVER,
        .last_output = NETWORK_NONE,
        .expected = expected_outputs(replay, line, node),
        .target = NETWORK_NONE,
    };
    whole->last_part = place;
    whole->living++;
    if (in->last == NETWORK_NONE)
        in->first = place;
    else
        part_at(state, in->last)->next = place;
    in->last = place;
    return place;
}

/* Notes a worm whose startup is to be checked when all grants of the cycle are known. */
static enum failure_kind add_startup(struct network_replay *replay, const struct network_line *line,
                                     uint64_t ready)
{
    if (replay->startups == replay->startup_room) {
        size_t room = replay->startup_room == 0 ? 64 : 2 * replay->startup_room;
        struct network_startup *grown = memory_resize(replay->startup, room, sizeof *grown);
        if (grown == NULL)
            return network_no_memory(replay);
        replay->startup = grown;
        replay->startup_room = room;
    }
    replay->startup[replay->startups++] = (struct network_startup){line, ready};
    return FAIL_NONE;
}

/* By node, then in the order in which worms became ready; lines of a cycle stand by message and worm. */
static int compare_startups(const void *one, const void *other)
{
    const struct network_startup *a = one, *b = other;
    if (a->line->field[2] != b->line->field[2])
        return a->line->field[2] < b->line->field[2] ? -1 : 1;
    if (a->ready != b->ready)
        return a->ready < b->ready ? -1 : 1;
    return a->line->line < b->line->line ? -1 : 1;
}

enum failure_kind network_check_startups(struct network_replay *replay)
{
    struct network_state *state = &replay->state;
    if (replay->startups > 0)
        qsort(replay->startup, replay->startups, sizeof *replay->startup, compare_startups);
    for (size_t i = 0; i < replay->startups; i++) {
        const struct network_line *line = replay->startup[i].line;
        uint64_t ready = replay->startup[i].ready;
        bool is_new;
        uint32_t place = network_find_or_add(state, &state->place_map, &state->places,
                                             line->field[2], UINT64_MAX, &is_new);
        if (place == NETWORK_NONE)
            return network_no_memory(replay);
        struct network_place *processor = place_at(state, place);
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
static enum failure_kind check_sender(struct network_replay *replay,
                                      const struct network_line *line, uint32_t message)
{
    const struct network_state *state = &replay->state;
    uint32_t hold = network_find(&state->hold_map, message, line->field[2]);
    if (hold == NETWORK_NONE || hold_at(state, hold)->ready > replay->cycle)
        return BROKEN(replay, "sender", "node %" PRIu32 " does not hold message %" PRIu32,
                      line->field[2], line->field[0]);
    return replay->header.startup_is_per_port
               ? FAIL_NONE
               : add_startup(replay, line, hold_at(state, hold)->ready);
}

/* The channel has a number that the node has. */
enum failure_kind network_check_number(struct network_replay *replay,
                                       const struct network_line *line, uint32_t most,
                                       const char *what)
{
    uint32_t node = line->field[2], links = network_links_of(&replay->header.shape, node);
    if (most == 0)
        most = links == 0 ? 1 : links;
    if (line->field[3] >= most)
        return BROKEN(replay, "channel", "node %" PRIu32 " has %" PRIu32 " %s channels", node, most,
                      what);
    return FAIL_NONE;
}

enum failure_kind network_grant(struct network_replay *replay, const struct network_line *line)
{
    struct network_state *state = &replay->state;
    uint32_t message = network_find(&state->message_map, line->field[0], 0);
    bool is_new;
    if (message == NETWORK_NONE)
        return BROKEN(replay, "trace", "there is no message %" PRIu32, line->field[0]);
    uint32_t worm = network_find_or_add(state, &state->worm_map, &state->worms, line->field[0],
                                        line->field[1], &is_new);
    uint32_t channel = network_channel_of(
        replay, network_key_of_port(line->field[2], NETWORK_INJECTION, line->field[3]));
    if (worm == NETWORK_NONE || channel == NETWORK_NONE)
        return network_no_memory(replay);
    if (worm_at(state, worm)->last_part != NETWORK_NONE && !is_new)
        return BROKEN(replay, "trace", "worm %" PRIu32 " takes a second injection channel",
                      line->field[1]);
    enum failure_kind kind =
        network_check_number(replay, line, replay->header.injection, "injection");
    if (kind == FAIL_NONE)
        kind = check_sender(replay, line, message);
    if (kind == FAIL_NONE)
        kind = network_take_channel(replay, line, channel, worm, "the injection channel");
    if (kind != FAIL_NONE)
        return kind;
    *worm_at(state, worm) = (struct network_worm){.message = message,
                                                  .number = line->field[1],
                                                  .granted = line->cycle,
                                                  .last_part = NETWORK_NONE};
    replay->report->worms++;
    uint32_t part = network_add_part(replay, line, worm, line->field[2], channel, NETWORK_NONE);
    return part == NETWORK_NONE ? network_no_memory(replay) : FAIL_NONE;
}
