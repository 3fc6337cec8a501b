/* rules.c - what each kind of event does in a replay, and which rules it must keep.
 *
 * Method: every packet carries one word `used`: the last step that used it up and how, as
 * 4 * step + how. With copy=unit crossing a link, being copied (C, D) and being made as a copy use
 * a packet up; with copy=free only crossing a link does, and a copy begins as used up as its
 * original, which is what "a packet and everything copied from it cross at most one link" asks.
 *
 * How we read the model (doc/model.md) where it leaves a choice:
 *  - E is no copy and takes no step, so a packet that crossed a link may end in that step; with
 *    copy=unit a packet that was copied or made in the step may not ("neither can act again").
 *  - I, R and G are free in any step and at any time. But what merges hands its `used` on: else
 *    the same destinations would travel two links in one step, in two packets.
 *  - A message is injected again only when its last packet went in an earlier step, and a packet of
 *    the void attempt was discarded: what is not delivered must have been given up somewhere. If
 *    all was delivered none need have been; the source does not know, and may try again.
 *  - Rule 5 adds nothing here: a compare-exchange that swaps is two M, each under rules 1 and 2.
 *  - In a reduction a packet stands for the contributions that were combined in it: one is injected at each destination
 *    of its message, and what ends does so at the message's source. Nothing may be copied or discarded: what it stands for
 *    would count twice, or not at all. So when no packet is left each contribution has come exactly once.
 *  - Without a set (a kernel's trace) D and E are free of rule "delivery", packets may remain.
 *
 * Names of rules: "1".."4" of the model, "buffer", "sync", and of its section on the trace "trace"
 * (order, ids, places), "injection", "merge", "reduction", "delivery".
 * Cost: O(1) expected an event, and what messages.c says for injections and deliveries.
 */
#include "audit/rules.h"

#include <inttypes.h>

/* How a packet was used up; the greater one wins when two packets merge. */
enum used_how { USED_MOVED, USED_COPIED, USED_MADE, USED_DELIVERED };

static const char *const HOW_TEXT[] = {
    [USED_MOVED] = "has crossed a link",
    [USED_COPIED] = "was copied",
    [USED_MADE] = "was made as a copy",
    [USED_DELIVERED] = "was copied by a delivery",
};

/* audit_broken at the line of the event. */
#define BROKEN(replay, ...) audit_broken(replay, (replay)->line, __VA_ARGS__)

static enum failure_kind no_memory(struct audit_replay *replay)
{
    return fail_memory(replay->failure, "the audit's replay");
}

/* ---- what several events ask ---- */

/* Finds the living packet `id`, which must be at `node`; `rule` is broken if it is elsewhere. */
static enum failure_kind expect_packet(struct audit_replay *replay, uint64_t id, uint64_t node,
                                       const char *rule, struct audit_packet **packet)
{
    *packet = packets_find(&replay->packets, id);
    if (!*packet) {
        bool is_gone = packets_id_used(&replay->packets, id);
        return BROKEN(replay, "trace", "packet %" PRIu64 " %s", id,
                      is_gone ? "is gone" : "was never made");
    }
    if ((*packet)->node != node) {
        return BROKEN(replay, rule, "packet %" PRIu64 " is at node %" PRIu32 ", not %" PRIu64, id,
                      (*packet)->node, node);
    }
    return FAIL_NONE;
}

static uint64_t used_now(const struct audit_replay *replay, enum used_how how)
{
    return replay->step << 2 | (uint64_t)how;
}

/* Rule 2: the packet must not be used up by this step. `act` says what it is about to do. */
static enum failure_kind expect_unused(struct audit_replay *replay,
                                       const struct audit_packet *packet, const char *act)
{
    if (packet->used >> 2 != replay->step) {
        return FAIL_NONE;
    }
    const char *how = HOW_TEXT[packet->used & 3];
    const char *also = replay->header.copy_is_free ? " (or its original has)" : "";
    return BROKEN(replay, "2",
                  "packet %" PRIu64 " %s in step %" PRIu64 "%s already, so it cannot %s",
                  packet->id, how, replay->step, also, act);
}

/* Rule 3, copy=unit: takes the one copy that the node may make in this step. */
static enum failure_kind take_copy(struct audit_replay *replay, uint64_t index)
{
    struct audit_node *node = nodes_touch(&replay->nodes, (uint32_t)index);
    if (!node) {
        return no_memory(replay);
    }
    if (node->has_copied) {
        return BROKEN(replay, "3", "node %" PRIu64 " makes a second copy in step %" PRIu64, index,
                      replay->step);
    }
    node->has_copied = true;
    return FAIL_NONE;
}

/* Rule 1: takes the link for this step. */
static enum failure_kind take_link(struct audit_replay *replay, uint64_t from, uint64_t to)
{
    int link = nodes_link(&replay->nodes, (uint32_t)from, (uint32_t)to);
    if (link < 0) {
        return BROKEN(replay, "1", "no link joins node %" PRIu64 " to node %" PRIu64, from, to);
    }
    struct audit_node *node = nodes_touch(&replay->nodes, (uint32_t)from);
    if (!node) {
        return no_memory(replay);
    }
    if (node->links_used >> link & 1) {
        return BROKEN(replay, "1",
                      "the link from node %" PRIu64 " to node %" PRIu64
                      " carries a second item in step %" PRIu64,
                      from, to, replay->step);
    }
    node->links_used = (uint8_t)(node->links_used | 1 << link);
    return FAIL_NONE;
}

/* Makes packet `id` of `message` at `node`. */
static enum failure_kind make_packet(struct audit_replay *replay, uint64_t id, uint64_t index,
                                     uint64_t message, struct audit_packet **packet)
{
    struct audit_node *node = nodes_touch(&replay->nodes, (uint32_t)index);
    enum packets_status status =
        node ? packets_add(&replay->packets, id, packet) : PACKETS_NO_MEMORY;
    if (status == PACKETS_NO_MEMORY) {
        return no_memory(replay);
    }
    if (status == PACKETS_ID_USED) {
        return BROKEN(replay, "trace", "packet id %" PRIu64 " is used twice", id);
    }
    (*packet)->node = (uint32_t)index;
    (*packet)->message = message;
    (*packet)->parts = 1;
    node->packets++;
    if (replay->messages.set) {
        replay->messages.message[message].packets++;
    }
    replay->report->packets++;
    return FAIL_NONE;
}

static enum failure_kind end_packet(struct audit_replay *replay, struct audit_packet *packet)
{
    struct audit_node *node = nodes_touch(&replay->nodes, packet->node);
    if (!node) {
        return no_memory(replay);
    }
    node->packets--;
    if (replay->messages.set) {
        struct audit_message *message = &replay->messages.message[packet->message];
        message->packets--;
        message->gone_step = replay->step;
    }
    packets_remove(&replay->packets, packet);
    return FAIL_NONE;
}

/* With a set packet->message is the message's index in it, without one what the trace named. */
static uint64_t message_name(const struct audit_replay *replay, uint64_t message)
{
    const struct audit_messages *messages = &replay->messages;
    return messages->set ? message_set_name(messages->set, messages->version, (uint32_t)message)
                         : message;
}

/* The end of a reduction's packet where it is, which must be the source of its message. */
static enum failure_kind deliver_sum(struct audit_replay *replay, const struct audit_packet *packet,
                                     uint64_t name)
{
    const struct message_set *set = replay->messages.set;
    if (set && packet->node != set->source[packet->message]) {
        return BROKEN(replay, "reduction",
                      "the sum of message %" PRIu64 " belongs to node %" PRIu32
                      ", its source, not to node %" PRIu32,
                      name, set->source[packet->message], packet->node);
    }
    if (set) {
        replay->messages.message[packet->message].delivered += (uint32_t)packet->parts;
    }
    replay->report->delivered += packet->parts;
    return FAIL_NONE;
}

/* Rule "reduction": what the packet stands for must be there once. */
static enum failure_kind expect_no_reduction(struct audit_replay *replay, const char *act)
{
    return replay->header.reduces ? BROKEN(replay, "reduction",
                                           "a reduction's packet is %s: its contributions would %s",
                                           act, *act == 'c' ? "count twice" : "be lost")
                                  : FAIL_NONE;
}

/* The delivery of `packet` where it is: of the message it carries, due, and for the first time. */
static enum failure_kind deliver(struct audit_replay *replay, const struct audit_packet *packet,
                                 uint64_t name)
{
    uint64_t carried = message_name(replay, packet->message);
    if (carried != name) {
        return BROKEN(replay, "delivery",
                      "packet %" PRIu64 " carries message %" PRIu64 ", not %" PRIu64, packet->id,
                      carried, name);
    }
    if (replay->header.reduces) {
        return deliver_sum(replay, packet, name);
    }
    if (replay->messages.set) {
        enum delivery_status status =
            messages_deliver(&replay->messages, (uint32_t)packet->message, packet->node);
        if (status != DELIVERY_DUE) {
            return BROKEN(replay, "delivery", "message %" PRIu64 " %s node %" PRIu32, name,
                          status == DELIVERY_TWICE ? "was already delivered to"
                                                   : "has no destination at",
                          packet->node);
        }
    }
    replay->report->delivered++;
    return FAIL_NONE;
}

/* ---- events ---- */

/* With a set: checks that the message may be injected here and now, and finds its index. */
static enum failure_kind expect_injectable(struct audit_replay *replay, uint64_t node,
                                           uint64_t name, uint64_t *index)
{
    uint32_t found = messages_find(&replay->messages, name);
    if (found == AUDIT_NO_MESSAGE) {
        return BROKEN(replay, "injection", "the set has no message %" PRIu64, name);
    }
    if (node != replay->messages.set->source[found]) {
        return BROKEN(replay, "injection",
                      "message %" PRIu64 " starts at its source, not at node %" PRIu64, name, node);
    }
    struct audit_message *message = &replay->messages.message[found];
    bool is_void = message->packets == 0 && message->gone_step < replay->step &&
                   (message->was_discarded || messages_is_complete(&replay->messages, found));
    if (message->is_injected && !is_void) {
        return BROKEN(replay, "injection",
                      "message %" PRIu64 " is injected again, but no attempt was void and gone",
                      name);
    }
    replay->report->messages += !message->is_injected;
    message->is_injected = true;
    message->was_discarded = false;
    *index = found;
    return FAIL_NONE;
}

/* The same of a contribution in a reduction. */
static enum failure_kind expect_contribution(struct audit_replay *replay, uint64_t node,
                                             uint64_t name, uint64_t *index)
{
    uint32_t found = messages_find(&replay->messages, name);
    if (found == AUDIT_NO_MESSAGE) {
        return BROKEN(replay, "injection", "the set has no message %" PRIu64, name);
    }
    enum delivery_status status = messages_contribute(&replay->messages, found, (uint32_t)node);
    if (status != DELIVERY_DUE) {
        return BROKEN(replay, "injection", "node %" PRIu64 " %s message %" PRIu64, node,
                      status == DELIVERY_TWICE ? "contributes a second time to"
                                               : "is no destination, and has no contribution, of",
                      name);
    }
    struct audit_message *message = &replay->messages.message[found];
    replay->report->messages += !message->is_injected;
    message->is_injected = true;
    *index = found;
    return FAIL_NONE;
}

static enum failure_kind apply_inject(struct audit_replay *replay, const uint64_t *field)
{
    uint64_t message = field[2];
    if (replay->messages.set) {
        enum failure_kind kind = replay->header.reduces
                                     ? expect_contribution(replay, field[0], field[2], &message)
                                     : expect_injectable(replay, field[0], field[2], &message);
        if (kind != FAIL_NONE) {
            return kind;
        }
    } else {
        replay->report->messages++;
    }
    struct audit_packet *packet;
    return make_packet(replay, field[1], field[0], message, &packet);
}

static enum failure_kind apply_move(struct audit_replay *replay, const uint64_t *field)
{
    struct audit_packet *packet;
    enum failure_kind kind = expect_packet(replay, field[0], field[1], "1", &packet);
    if (kind == FAIL_NONE) {
        kind = expect_unused(replay, packet, "cross a link");
    }
    if (kind == FAIL_NONE) {
        kind = take_link(replay, field[1], field[2]);
    }
    if (kind != FAIL_NONE) {
        return kind;
    }

    struct audit_node *from = nodes_touch(&replay->nodes, (uint32_t)field[1]);
    struct audit_node *to = nodes_touch(&replay->nodes, (uint32_t)field[2]);
    if (!from || !to) {
        return no_memory(replay);
    }
    from->packets--;
    to->packets++;
    packet->node = (uint32_t)field[2];
    packet->used = used_now(replay, USED_MOVED);
    replay->report->packet_hops++;
    return FAIL_NONE;
}

static enum failure_kind apply_word(struct audit_replay *replay, const uint64_t *field)
{
    enum failure_kind kind = take_link(replay, field[0], field[1]);
    replay->report->word_hops += kind == FAIL_NONE;
    return kind;
}

static enum failure_kind apply_copy(struct audit_replay *replay, const uint64_t *field)
{
    bool is_unit = !replay->header.copy_is_free;
    struct audit_packet *packet, *copy;
    enum failure_kind kind = expect_packet(replay, field[1], field[0], "trace", &packet);
    if (kind == FAIL_NONE) {
        kind = expect_no_reduction(replay, "copied");
    }
    if (kind == FAIL_NONE && is_unit) {
        kind = expect_unused(replay, packet, "be copied");
    }
    if (kind == FAIL_NONE && is_unit) {
        kind = take_copy(replay, field[0]);
    }
    if (kind != FAIL_NONE) {
        return kind;
    }

    uint64_t used = packet->used;
    if (is_unit) {
        packet->used = used_now(replay, USED_COPIED);
        used = used_now(replay, USED_MADE);
    }
    kind = make_packet(replay, field[2], field[0], packet->message, &copy);
    if (kind != FAIL_NONE) {
        return kind;
    }
    copy->used = used;
    replay->report->copies++;
    return FAIL_NONE;
}

static enum failure_kind apply_deliver(struct audit_replay *replay, const uint64_t *field)
{
    bool is_unit = !replay->header.copy_is_free;
    struct audit_packet *packet;
    enum failure_kind kind = expect_packet(replay, field[1], field[0], "trace", &packet);
    if (kind == FAIL_NONE) {
        kind = expect_no_reduction(replay, "copied");
    }
    if (kind == FAIL_NONE && is_unit) {
        kind = expect_unused(replay, packet, "be copied by a delivery");
    }
    if (kind == FAIL_NONE && is_unit) {
        kind = take_copy(replay, field[0]);
        packet->used = used_now(replay, USED_DELIVERED);
    }
    if (kind == FAIL_NONE) {
        kind = deliver(replay, packet, field[2]);
    }
    replay->report->copies += kind == FAIL_NONE;
    return kind;
}

static enum failure_kind apply_end(struct audit_replay *replay, const uint64_t *field)
{
    struct audit_packet *packet;
    enum failure_kind kind = expect_packet(replay, field[1], field[0], "trace", &packet);
    if (kind == FAIL_NONE && (packet->used & 3) != USED_MOVED) {
        kind = expect_unused(replay, packet, "end by a delivery");
    }
    if (kind == FAIL_NONE) {
        kind = deliver(replay, packet, field[2]);
    }
    return kind == FAIL_NONE ? end_packet(replay, packet) : kind;
}

static enum failure_kind apply_discard(struct audit_replay *replay, const uint64_t *field)
{
    struct audit_packet *packet;
    enum failure_kind kind = expect_packet(replay, field[1], field[0], "trace", &packet);
    if (kind == FAIL_NONE) {
        kind = expect_no_reduction(replay, "discarded");
    }
    if (kind == FAIL_NONE && replay->messages.set) {
        replay->messages.message[packet->message].was_discarded = true;
    }
    return kind == FAIL_NONE ? end_packet(replay, packet) : kind;
}

static enum failure_kind apply_merge(struct audit_replay *replay, const uint64_t *field)
{
    struct audit_packet *packet, *into;
    enum failure_kind kind = expect_packet(replay, field[1], field[0], "merge", &packet);
    if (kind == FAIL_NONE) {
        kind = expect_packet(replay, field[2], field[0], "merge", &into);
    }
    if (kind != FAIL_NONE) {
        return kind;
    }
    if (packet == into) {
        return BROKEN(replay, "merge", "packet %" PRIu64 " merges into itself", packet->id);
    }
    if (packet->message != into->message) {
        return BROKEN(replay, "merge",
                      "packet %" PRIu64 " of message %" PRIu64 " merges into packet %" PRIu64
                      " of message %" PRIu64,
                      packet->id, message_name(replay, packet->message), into->id,
                      message_name(replay, into->message));
    }
    if (packet->used > into->used) {
        into->used = packet->used;
    }
    into->parts += packet->parts;
    return end_packet(replay, packet);
}

enum failure_kind audit_apply(struct audit_replay *replay, const struct trace_event *event)
{
    static enum failure_kind (*const apply[TRACE_KINDS])(struct audit_replay *,
                                                         const uint64_t *field) = {
        [TRACE_INJECT] = apply_inject,   [TRACE_MOVE] = apply_move,       [TRACE_WORD] = apply_word,
        [TRACE_COPY] = apply_copy,       [TRACE_DELIVER] = apply_deliver, [TRACE_END] = apply_end,
        [TRACE_DISCARD] = apply_discard, [TRACE_MERGE] = apply_merge,
    };
    return apply[event->kind](replay, event->field);
}
