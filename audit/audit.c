/* audit.c - replays a trace and checks every rule of the model that a trace shows.
 *
 * Method: the trace is read as a stream (trace_reader.c), a few events ahead, so that the packets
 * they name are in the cache when their turn comes. One after the other they are checked against,
 * and applied to, a state of the audit's own: the packets in the network and the ids used so far
 * (packets.c), buffers and links (nodes.c), injections and deliveries of the set (messages.c). The
 * rules of each event are below, and those of all events: the order of steps, step 0,
 * synchronisations, nodes on the mesh, and the ends of steps, where buffers are checked against the
 * capacity.
 *
 * The first error ends the replay: "FILE:LINE: rule RULE: what". A line that is no line of a trace
 * is "FILE:LINE: format: what was expected" and FAIL_INPUT; a well-formed line that states
 * something impossible is FAIL_CHECK. An overflow is reported at the last event of its step,
 * missing deliveries at the trace's last line.
 *
 * Source: only doc/model.md; nothing is shared with the machine that wrote the trace.
 * Cost: O(1) expected per event, O(log) per delivery; memory for living packets (48 to 96 bytes
 * each), ids (a byte each if dense), touched nodes (12 bytes), deliveries (a bit).
 */
#include "audit/audit.h"

#include "audit/tables.h"
#include "audit/trace_reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* ---- rules ---- */

/* Replays each kind of event and checks its rules.
 *
 * Method: every packet carries one word `used`: the last step that used it up and how, as 4 * step
 * + how. With copy=unit crossing a link, being copied (C, D) and being made as a copy use a packet
 * up; with copy=free only crossing a link does, and a copy begins as used up as its original, as "a
 * packet and everything copied from it cross at most one link" requires.
 *
 * Readings of the model (doc/model.md) where it leaves a choice:
 *  - E is no copy and costs no step, so a packet that crossed a link may end in that step; with
 *    copy=unit a packet that was copied or made in the step may not ("neither can act again").
 *  - I, R and G are free in any step and at any time. But a merging packet hands its `used` on:
 *    else the same destinations would travel two links in one step, in two packets.
 *  - A message is injected again only when its last packet went in an earlier step, and a packet of
 *    the void attempt was discarded: an undelivered part must have been given up somewhere. If all
 *    was delivered none need have been; the source does not know, and may try again.
 *  - Rule 5 adds nothing here: a compare-exchange that swaps is two M, each under rules 1 and 2.
 *  - In a reduction a packet is the contributions that were combined in it: one is injected at each
 *    destination of its message, and a packet ends at the message's source. Nothing may be copied
 *    or discarded: its contributions would count twice, or not at all. So when no packet is left
 *    each contribution has arrived exactly once.
 *  - Messages that start later or wait: the source knows when they may, and nothing keeps them back
 *    if buffers have no capacity. With one they wait in the input queue, while packets of others
 *    of the source are there.
 *  - Without a set (a kernel's trace) D and E are free of rule "delivery", packets may remain.
 *
 * Names of rules: "1".."4" of the model, "buffer", "sync", and of its section on the trace "trace"
 * (order, ids, places), "injection", "start", "merge", "reduction", "delivery".
 * Cost: O(1) expected per event, and that of tables.c for injections and deliveries.
 */

struct audit_replay {
    struct trace_reader reader;
    struct trace_header header;
    struct audit_nodes nodes;
    struct audit_packets packets;
    struct audit_messages messages;      /* .set is NULL when no delivery is due */
    uint64_t step;                       /* the step under way */
    uint64_t line;                       /* of the current event; at the end the last line */
    const struct audit_missing *missing; /* links that must not be used, or NULL */
    struct audit_report *report;
    struct failure *failure; /* not NULL */
};

/* Fails with FAIL_CHECK: "SOURCE:LINE: rule RULE: " and the formatted text. */
__attribute__((format(printf, 4, 5))) static enum failure_kind
audit_broken(struct audit_replay *replay, uint64_t line, const char *rule, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail(replay->failure, FAIL_CHECK, "%s:%" PRIu64 ": rule %s: %s", replay->reader.source,
                line, rule, text);
}

/* The ways in which a packet is used up; of two packets that merge, the greater one counts. */
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

/* ---- checks that several events share ---- */

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
    if ((*packet)->node != node)
        return BROKEN(replay, rule, "packet %" PRIu64 " is at node %" PRIu32 ", not %" PRIu64, id,
                      (*packet)->node, node);
    return FAIL_NONE;
}

static uint64_t used_now(const struct audit_replay *replay, enum used_how how)
{
    return replay->step << 2 | (uint64_t)how;
}

/* Checks rule 2: the packet must not be used up by this step. `act` is its next action, for
 * messages. */
static enum failure_kind expect_unused(struct audit_replay *replay,
                                       const struct audit_packet *packet, const char *act)
{
    if (packet->used >> 2 != replay->step)
        return FAIL_NONE;
    const char *how = HOW_TEXT[packet->used & 3];
    const char *also = replay->header.copy_is_free ? " (or its original has)" : "";
    return BROKEN(replay, "2",
                  "packet %" PRIu64 " %s in step %" PRIu64 "%s already, so it cannot %s",
                  packet->id, how, replay->step, also, act);
}

/* Takes the one copy that the node may make in this step: rule 3, copy=unit. */
static enum failure_kind take_copy(struct audit_replay *replay, uint64_t index)
{
    struct audit_node *node = nodes_touch(&replay->nodes, (uint32_t)index);
    if (!node)
        return no_memory(replay);
    if (node->has_copied)
        return BROKEN(replay, "3", "node %" PRIu64 " makes a second copy in step %" PRIu64, index,
                      replay->step);
    node->has_copied = true;
    return FAIL_NONE;
}

/* Takes the link for this step: rule 1. */
static enum failure_kind take_link(struct audit_replay *replay, uint64_t from, uint64_t to)
{
    int link = nodes_link(&replay->nodes, (uint32_t)from, (uint32_t)to);
    if (link < 0 || audit_is_missing(replay->missing, (uint32_t)from, (uint32_t)to))
        return BROKEN(replay, "1", "no link joins node %" PRIu64 " to node %" PRIu64, from, to);
    struct audit_node *node = nodes_touch(&replay->nodes, (uint32_t)from);
    if (!node)
        return no_memory(replay);
    if (node->links_used >> link & 1)
        return BROKEN(replay, "1",
                      "the link from node %" PRIu64 " to node %" PRIu64
                      " carries a second item in step %" PRIu64,
                      from, to, replay->step);
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
    if (status == PACKETS_NO_MEMORY)
        return no_memory(replay);
    if (status == PACKETS_ID_USED)
        return BROKEN(replay, "trace", "packet id %" PRIu64 " is used twice", id);
    (*packet)->node = (uint32_t)index;
    (*packet)->message = message;
    (*packet)->parts = 1;
    node->packets++;
    if (replay->messages.set) {
        replay->messages.message[message].packets++;
        messages_come(&replay->messages, (uint32_t)message, (uint32_t)index);
    }
    replay->report->packets++;
    return FAIL_NONE;
}

static enum failure_kind end_packet(struct audit_replay *replay, struct audit_packet *packet)
{
    struct audit_node *node = nodes_touch(&replay->nodes, packet->node);
    if (!node)
        return no_memory(replay);
    node->packets--;
    if (replay->messages.set) {
        struct audit_message *message = &replay->messages.message[packet->message];
        message->packets--;
        message->gone_step = replay->step;
        messages_go(&replay->messages, (uint32_t)packet->message, packet->node, replay->step);
    }
    packets_remove(&replay->packets, packet);
    return FAIL_NONE;
}

/* Returns the message's name in the trace: with a set packet->message is its index in it. */
static uint64_t message_name(const struct audit_replay *replay, uint64_t message)
{
    const struct audit_messages *messages = &replay->messages;
    return messages->set ? message_set_name(messages->set, messages->version, (uint32_t)message)
                         : message;
}

/* Ends a reduction's packet where it is, which must be the source of its message. */
static enum failure_kind deliver_sum(struct audit_replay *replay, const struct audit_packet *packet,
                                     uint64_t name)
{
    const struct message_set *set = replay->messages.set;
    if (set && packet->node != set->source[packet->message])
        return BROKEN(replay, "reduction",
                      "the sum of message %" PRIu64 " belongs to node %" PRIu32
                      ", its source, not to node %" PRIu32,
                      name, set->source[packet->message], packet->node);
    if (set)
        replay->messages.message[packet->message].delivered += (uint32_t)packet->parts;
    replay->report->delivered += packet->parts;
    return FAIL_NONE;
}

/* Checks rule "reduction": the packet's contributions must be there once. */
static enum failure_kind expect_no_reduction(struct audit_replay *replay, const char *act)
{
    return replay->header.reduces ? BROKEN(replay, "reduction",
                                           "a reduction's packet is %s: its contributions would %s",
                                           act, *act == 'c' ? "count twice" : "be lost")
                                  : FAIL_NONE;
}

/* Delivers `packet` where it is: its message must be due, and arrive for the first time. */
static enum failure_kind deliver(struct audit_replay *replay, const struct audit_packet *packet,
                                 uint64_t name)
{
    uint64_t carried = message_name(replay, packet->message);
    if (carried != name)
        return BROKEN(replay, "delivery",
                      "packet %" PRIu64 " carries message %" PRIu64 ", not %" PRIu64, packet->id,
                      carried, name);
    if (replay->header.reduces)
        return deliver_sum(replay, packet, name);
    if (replay->messages.set) {
        enum delivery_status status = messages_deliver(&replay->messages, (uint32_t)packet->message,
                                                       packet->node, replay->step);
        if (status != DELIVERY_DUE)
            return BROKEN(replay, "delivery", "message %" PRIu64 " %s node %" PRIu32, name,
                          status == DELIVERY_TWICE ? "was already delivered to"
                                                   : "has no destination at",
                          packet->node);
    }
    replay->report->delivered++;
    return FAIL_NONE;
}

/* ---- events ---- */

/* Checks the start, with times: no message is injected before it may start. Without a capacity it
 * is injected in that very step; with one it may wait for others of its source. */
static enum failure_kind expect_start(struct audit_replay *replay, uint32_t index, uint64_t name)
{
    uint64_t start;
    if (!message_set_is_timed(replay->messages.set))
        return FAIL_NONE;
    if (!messages_may_start(&replay->messages, index, &start))
        return BROKEN(replay, "start",
                      "message %" PRIu64 " waits for message %" PRIu64
                      ", which its source does not have",
                      name, start);
    bool was_busy = messages_was_busy(&replay->messages, index, start, replay->step);
    if (replay->step < start || (replay->step > start && !replay->header.has_capacity))
        return BROKEN(replay, "start", "message %" PRIu64 " must be injected in step %" PRIu64,
                      name, start);
    if (!was_busy)
        return BROKEN(replay, "start",
                      "message %" PRIu64 " may start in step %" PRIu64
                      ", since when its source had nothing else to inject",
                      name, start);
    return FAIL_NONE;
}

/* Checks that the message of the set may be injected here and now, and finds its index. */
static enum failure_kind expect_injectable(struct audit_replay *replay, uint64_t node,
                                           uint64_t name, uint64_t *index)
{
    uint32_t found = messages_find(&replay->messages, name);
    if (found == AUDIT_NO_MESSAGE)
        return BROKEN(replay, "injection", "the set has no message %" PRIu64, name);
    if (node != replay->messages.set->source[found])
        return BROKEN(replay, "injection",
                      "message %" PRIu64 " starts at its source, not at node %" PRIu64, name, node);
    struct audit_message *message = &replay->messages.message[found];
    bool is_void = message->packets == 0 && message->gone_step < replay->step &&
                   (message->was_discarded || messages_is_complete(&replay->messages, found));
    if (message->is_injected && !is_void)
        return BROKEN(replay, "injection",
                      "message %" PRIu64 " is injected again, but no attempt was void and gone",
                      name);
    if (expect_start(replay, found, name) != FAIL_NONE)
        return FAIL_CHECK;
    replay->report->messages += !message->is_injected;
    message->is_injected = true;
    message->was_discarded = false;
    *index = found;
    return FAIL_NONE;
}

/* Checks the same for a contribution in a reduction. */
static enum failure_kind expect_contribution(struct audit_replay *replay, uint64_t node,
                                             uint64_t name, uint64_t *index)
{
    uint32_t found = messages_find(&replay->messages, name);
    if (found == AUDIT_NO_MESSAGE)
        return BROKEN(replay, "injection", "the set has no message %" PRIu64, name);
    enum delivery_status status = messages_contribute(&replay->messages, found, (uint32_t)node);
    if (status != DELIVERY_DUE)
        return BROKEN(replay, "injection", "node %" PRIu64 " %s message %" PRIu64, node,
                      status == DELIVERY_TWICE ? "contributes a second time to"
                                               : "is no destination, and has no contribution, of",
                      name);
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
        if (kind != FAIL_NONE)
            return kind;
    } else {
        replay->report->messages++;
    }
    struct audit_packet *packet;
    return make_packet(replay, field[1], field[0], message, &packet);
}

static enum failure_kind apply_move(struct audit_replay *replay, const uint64_t *field)
{
    struct audit_packet *packet;
    if (expect_packet(replay, field[0], field[1], "1", &packet) != FAIL_NONE ||
        expect_unused(replay, packet, "cross a link") != FAIL_NONE ||
        take_link(replay, field[1], field[2]) != FAIL_NONE)
        return replay->failure->kind;

    struct audit_node *from = nodes_touch(&replay->nodes, (uint32_t)field[1]);
    struct audit_node *to = nodes_touch(&replay->nodes, (uint32_t)field[2]);
    if (!from || !to)
        return no_memory(replay);
    from->packets--;
    to->packets++;
    if (replay->messages.set) {
        messages_go(&replay->messages, (uint32_t)packet->message, packet->node, replay->step);
        messages_come(&replay->messages, (uint32_t)packet->message, (uint32_t)field[2]);
    }
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
    if (kind == FAIL_NONE)
        kind = expect_no_reduction(replay, "copied");
    if (kind == FAIL_NONE && is_unit)
        kind = expect_unused(replay, packet, "be copied");
    if (kind == FAIL_NONE && is_unit)
        kind = take_copy(replay, field[0]);
    if (kind != FAIL_NONE)
        return kind;

    uint64_t used = packet->used;
    if (is_unit) {
        packet->used = used_now(replay, USED_COPIED);
        used = used_now(replay, USED_MADE);
    }
    if (make_packet(replay, field[2], field[0], packet->message, &copy) != FAIL_NONE)
        return replay->failure->kind;
    copy->used = used;
    replay->report->copies++;
    return FAIL_NONE;
}

static enum failure_kind apply_deliver(struct audit_replay *replay, const uint64_t *field)
{
    bool is_unit = !replay->header.copy_is_free;
    struct audit_packet *packet;
    enum failure_kind kind = expect_packet(replay, field[1], field[0], "trace", &packet);
    if (kind == FAIL_NONE)
        kind = expect_no_reduction(replay, "copied");
    if (kind == FAIL_NONE && is_unit)
        kind = expect_unused(replay, packet, "be copied by a delivery");
    if (kind == FAIL_NONE && is_unit) {
        kind = take_copy(replay, field[0]);
        packet->used = used_now(replay, USED_DELIVERED);
    }
    if (kind == FAIL_NONE)
        kind = deliver(replay, packet, field[2]);
    replay->report->copies += kind == FAIL_NONE;
    return kind;
}

static enum failure_kind apply_end(struct audit_replay *replay, const uint64_t *field)
{
    struct audit_packet *packet;
    enum failure_kind kind = expect_packet(replay, field[1], field[0], "trace", &packet);
    if (kind == FAIL_NONE && (packet->used & 3) != USED_MOVED)
        kind = expect_unused(replay, packet, "end by a delivery");
    if (kind == FAIL_NONE)
        kind = deliver(replay, packet, field[2]);
    return kind == FAIL_NONE ? end_packet(replay, packet) : kind;
}

static enum failure_kind apply_discard(struct audit_replay *replay, const uint64_t *field)
{
    struct audit_packet *packet;
    enum failure_kind kind = expect_packet(replay, field[1], field[0], "trace", &packet);
    if (kind == FAIL_NONE)
        kind = expect_no_reduction(replay, "discarded");
    if (kind == FAIL_NONE && replay->messages.set)
        replay->messages.message[packet->message].was_discarded = true;
    return kind == FAIL_NONE ? end_packet(replay, packet) : kind;
}

static enum failure_kind apply_merge(struct audit_replay *replay, const uint64_t *field)
{
    struct audit_packet *packet, *into;
    if (expect_packet(replay, field[1], field[0], "merge", &packet) != FAIL_NONE ||
        expect_packet(replay, field[2], field[0], "merge", &into) != FAIL_NONE)
        return replay->failure->kind;
    if (packet == into)
        return BROKEN(replay, "merge", "packet %" PRIu64 " merges into itself", packet->id);
    if (packet->message != into->message)
        return BROKEN(replay, "merge",
                      "packet %" PRIu64 " of message %" PRIu64 " merges into packet %" PRIu64
                      " of message %" PRIu64,
                      packet->id, message_name(replay, packet->message), into->id,
                      message_name(replay, into->message));
    if (packet->used > into->used)
        into->used = packet->used;
    into->parts += packet->parts;
    return end_packet(replay, packet);
}

/* Applies `event`, whose step is replay->step and whose nodes are on the mesh, if it keeps the
 * rules. FAIL_CHECK: it breaks one; FAIL_SYSTEM: no memory. After a failure the replay ends. */
static enum failure_kind audit_apply(struct audit_replay *replay, const struct trace_event *event)
{
    static enum failure_kind (*const apply[TRACE_KINDS])(struct audit_replay *,
                                                         const uint64_t *field) = {
        [TRACE_INJECT] = apply_inject,   [TRACE_MOVE] = apply_move,       [TRACE_WORD] = apply_word,
        [TRACE_COPY] = apply_copy,       [TRACE_DELIVER] = apply_deliver, [TRACE_END] = apply_end,
        [TRACE_DISCARD] = apply_discard, [TRACE_MERGE] = apply_merge,
    };
    return apply[event->kind](replay, event->field);
}

/* ---- the replay ---- */

enum { AHEAD = 32 }; /* events that are read before they are looked at */

/* Events between the reader and the replay. `behind` is the item after the last one. */
struct event_queue {
    struct trace_event event[AHEAD];
    bool is_sync[AHEAD]; /* the event's phase is a synchronisation */
    size_t count;
    bool phase_is_sync;
    enum trace_item behind; /* TRACE_ITEM_EVENT: there is more */
    struct failure failure; /* the reader's failure, if it is the reason */
};

/* The rules for events of one kind. */
struct kind_rules {
    bool in_step_0, in_sync;
    unsigned nodes; /* bit i: field i is a node */
    int packet;     /* the field that names the packet to look up, or -1 */
};

static const struct kind_rules KIND_RULES[TRACE_KINDS] = {
    [TRACE_INJECT] = {true, true, 1u, 1},      [TRACE_MOVE] = {false, false, 2u | 4u, 0},
    [TRACE_WORD] = {false, true, 1u | 2u, -1}, [TRACE_COPY] = {false, false, 1u, 1},
    [TRACE_DELIVER] = {false, false, 1u, 1},   [TRACE_END] = {true, false, 1u, 1},
    [TRACE_DISCARD] = {false, true, 1u, 1},    [TRACE_MERGE] = {false, true, 1u, 1},
};

/* Ends the running step, whose last event is at `line`: no buffer may hold more than the capacity.
 * The peak was within it until now, so it exceeds it only by this step. */
static enum failure_kind end_step(struct audit_replay *replay, uint64_t line)
{
    struct audit_nodes *nodes = &replay->nodes;
    nodes_end_step(nodes, replay->step);
    replay->report->buffer_peak = nodes->peak;
    replay->report->buffer_peak_node = nodes->peak_node;
    replay->report->buffer_peak_step = nodes->peak_step;
    if (replay->header.has_capacity && nodes->peak > replay->header.capacity)
        return audit_broken(replay, line, "buffer",
                            "node %" PRIu32 " ends step %" PRIu64 " with %" PRIu32
                            " packets, its buffer holds %" PRIu32,
                            nodes->peak_node, replay->step, nodes->peak, replay->header.capacity);
    return FAIL_NONE;
}

/* Moves the clock and the line on to the event's. */
static enum failure_kind advance(struct audit_replay *replay, const struct trace_event *event)
{
    uint64_t last_line = replay->line;
    replay->line = event->line;
    if (event->step < replay->step)
        return audit_broken(replay, replay->line, "trace",
                            "step %" PRIu64 " comes after step %" PRIu64, event->step,
                            replay->step);
    bool is_new = event->step > replay->step;
    enum failure_kind kind = is_new ? end_step(replay, last_line) : FAIL_NONE;
    replay->step = event->step;
    return kind;
}

/* Checks the rules for events in general. */
static enum failure_kind check_event(struct audit_replay *replay, const struct trace_event *event,
                                     bool is_sync)
{
    const struct kind_rules *rules = &KIND_RULES[event->kind];
    char letter = trace_letter(event->kind);
    if (event->step == 0 && !rules->in_step_0)
        return audit_broken(replay, replay->line, "trace", "step 0 holds only I and E, not %c",
                            letter);
    if (is_sync && !rules->in_sync)
        return audit_broken(replay, replay->line, "sync",
                            "no packet moves, is copied or delivered in a phase named sync: %c",
                            letter);
    uint32_t nodes = replay->header.rows * replay->header.cols;
    for (int i = 0; i < TRACE_FIELDS; i++) {
        if ((rules->nodes >> i & 1) && event->field[i] >= nodes)
            return audit_broken(replay, replay->line, "trace",
                                "node %" PRIu64 " is not on the mesh of %" PRIu32 " x %" PRIu32,
                                event->field[i], replay->header.rows, replay->header.cols);
    }
    return FAIL_NONE;
}

static enum failure_kind replay_event(struct audit_replay *replay, const struct trace_event *event,
                                      bool is_sync)
{
    enum failure_kind kind = advance(replay, event);
    if (kind == FAIL_NONE)
        kind = check_event(replay, event, is_sync);
    if (kind == FAIL_NONE)
        kind = audit_apply(replay, event);
    if (kind == FAIL_NONE) {
        replay->report->events++;
        replay->report->steps = event->step;
    }
    return kind;
}

/* Checks the end of the trace: every delivery was made and no packet is left. */
static enum failure_kind check_end(struct audit_replay *replay)
{
    if (!replay->messages.set)
        return FAIL_NONE;
    uint32_t name = 0, destination = 0;
    uint64_t missing = messages_missing(&replay->messages, &name, &destination);
    if (missing > 0 && replay->header.reduces)
        return audit_broken(replay, replay->line, "reduction",
                            "the trace ends and %" PRIu64
                            " contribution%s missing, the first to message %" PRIu32
                            " of node %" PRIu32,
                            missing, missing == 1 ? " is" : "s are", name, destination);
    if (missing > 0)
        return audit_broken(replay, replay->line, "delivery",
                            "the trace ends and %" PRIu64
                            " deliver%s missing, the first of message %" PRIu32 " to node %" PRIu32,
                            missing, missing == 1 ? "y is" : "ies are", name, destination);
    const struct audit_packet *left = packets_least(&replay->packets);
    if (left)
        return audit_broken(
            replay, replay->line, "delivery",
            "the trace ends and %zu packet%s left, the first packet %" PRIu64 " at node %" PRIu32,
            replay->packets.packet_count, replay->packets.packet_count == 1 ? " is" : "s are",
            left->id, left->node);
    return FAIL_NONE;
}

/* Fills the empty queue, and has the packets that its events name fetched meanwhile. */
static void fill_queue(struct audit_replay *replay, struct event_queue *queue)
{
    queue->count = 0;
    queue->behind = TRACE_ITEM_EVENT;
    while (queue->count < AHEAD) {
        struct trace_event *event = &queue->event[queue->count];
        enum trace_item item = trace_reader_next(&replay->reader, event, &queue->failure);
        if (item == TRACE_ITEM_PHASE) {
            queue->phase_is_sync = strcmp(replay->reader.phase, "sync") == 0;
        } else if (item == TRACE_ITEM_EVENT) {
            int packet = KIND_RULES[event->kind].packet;
            if (packet >= 0)
                packets_prefetch(&replay->packets, event->field[packet]);
            queue->is_sync[queue->count++] = queue->phase_is_sync;
        } else {
            queue->behind = item;
            return;
        }
    }
}

static enum failure_kind replay_trace(struct audit_replay *replay)
{
    struct event_queue queue = {.count = 0};
    enum failure_kind kind;
    do {
        fill_queue(replay, &queue);
        for (size_t i = 0; i < queue.count; i++) {
            kind = replay_event(replay, &queue.event[i], queue.is_sync[i]);
            if (kind != FAIL_NONE)
                return kind;
        }
    } while (queue.behind == TRACE_ITEM_EVENT);

    if (queue.behind == TRACE_ITEM_FAILED)
        return fail(replay->failure, queue.failure.kind, "%s", queue.failure.text);
    kind = end_step(replay, replay->line);
    replay->line = replay->reader.line;
    return kind == FAIL_NONE ? check_end(replay) : kind;
}

/* Checks the header against the set and makes the state of step 0. */
static enum failure_kind prepare(struct audit_replay *replay, const struct message_set *set)
{
    const struct trace_header *header = &replay->header;
    if (set && header->is_kernel)
        return fail(replay->failure, FAIL_INPUT,
                    "%s:%" PRIu64 ": a kernel's trace: expected a router's, or no message set",
                    replay->reader.source, replay->reader.line);
    if (set && (set->mesh.rows != header->rows || set->mesh.cols != header->cols))
        return fail(replay->failure, FAIL_INPUT,
                    "%s:%" PRIu64 ": a mesh of %" PRIu32 " x %" PRIu32 ": expected %" PRIu32
                    " x %" PRIu32 " as in the message set",
                    replay->reader.source, replay->reader.line, header->rows, header->cols,
                    set->mesh.rows, set->mesh.cols);
    if (!nodes_init(&replay->nodes, header->rows, header->cols) ||
        (set && !messages_init(&replay->messages, set)))
        return fail_memory(replay->failure, "the audit's replay");
    return FAIL_NONE;
}

enum failure_kind audit_trace_from(struct byte_source *source, const char *name,
                                   const struct message_set *set,
                                   const struct audit_missing *missing, struct audit_report *report,
                                   struct failure *failure)
{
    struct failure own = {0};
    struct audit_replay replay = {
        .report = report, .missing = missing, .failure = failure ? failure : &own};
    *report = (struct audit_report){0};
    if (trace_reader_open(&replay.reader, source, name, &replay.header, replay.failure) !=
        FAIL_NONE)
        return failure->kind;

    report->rows = replay.header.rows;
    report->cols = replay.header.cols;
    report->copy_is_free = replay.header.copy_is_free;
    report->reduces = replay.header.reduces;
    report->buffer_capacity = replay.header.capacity;
    enum failure_kind kind = prepare(&replay, set);
    if (kind == FAIL_NONE)
        kind = replay_trace(&replay);

    nodes_free(&replay.nodes);
    packets_free(&replay.packets);
    messages_free(&replay.messages);
    return kind;
}

enum failure_kind audit_trace(const char *path, const struct message_set *set,
                              struct audit_report *report, struct failure *failure)
{
    struct byte_source *source;
    *report = (struct audit_report){0};
    enum failure_kind kind = byte_source_open(&source, path, failure);
    if (kind == FAIL_NONE) {
        kind = audit_trace_from(source, path, set, NULL, report, failure);
        byte_source_close(source);
    }
    return kind;
}
