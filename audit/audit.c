/* audit.c - replays a trace and checks every rule of the model that a trace shows.
 *
 * Method: the trace is read as a stream (trace_reader.c), a few events ahead, so that the packets
 * they name are in the cache when their turn comes. One after the other they are checked against,
 * and applied to, a state of the audit's own: the packets in the network and the ids used so far
 * (packets.c), buffers and links (nodes.c), injections and deliveries of the set (messages.c). What
 * an event must keep is in rules.c. This file holds what concerns all events alike: the order of
 * steps, step 0, synchronisations, nodes on the mesh, and the ends of steps, where buffers are held
 * against the capacity.
 *
 * The first thing that is wrong ends the replay: "FILE:LINE: rule RULE: what". A line that is no
 * line of a trace is "FILE:LINE: format: what was expected" and FAIL_INPUT; a well-formed line
 * that says what cannot be is FAIL_CHECK. An overflow is told at the last event of its step, what
 * is missing at the end at the trace's last line.
 *
 * Source: doc/model.md alone; nothing is shared with the machine that wrote the trace.
 * Cost: O(1) expected an event, O(log) a delivery; memory for living packets (48 to 96 bytes
 * each), ids (half a byte each if dense), touched nodes (12 bytes), deliveries (a bit).
 */
#include "audit/audit.h"

#include "audit/rules.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { AHEAD = 32 }; /* events that are read before they are looked at */

/* Events between the reader and the replay. What comes behind the last one is in `behind`. */
struct event_queue {
    struct trace_event event[AHEAD];
    bool is_sync[AHEAD]; /* the event's phase is a synchronisation */
    size_t count;
    bool phase_is_sync;
    enum trace_item behind; /* TRACE_ITEM_EVENT: there is more */
    struct failure failure; /* the reader's, if that is why */
};

/* What holds for the events of a kind in general. */
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

enum failure_kind audit_broken(struct audit_replay *replay, uint64_t line, const char *rule,
                               const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail(replay->failure, FAIL_CHECK, "%s:%" PRIu64 ": rule %s: %s", replay->reader.source,
                line, rule, text);
}

/* Ends the running step, whose last event is at `line`: no buffer may hold more than the capacity.
 * The peak was within it until now, so it exceeds it only by this step. */
static enum failure_kind end_step(struct audit_replay *replay, uint64_t line)
{
    struct audit_nodes *nodes = &replay->nodes;
    nodes_end_step(nodes, replay->step);
    replay->report->buffer_peak = nodes->peak;
    replay->report->buffer_peak_node = nodes->peak_node;
    replay->report->buffer_peak_step = nodes->peak_step;
    if (replay->header.has_capacity && nodes->peak > replay->header.capacity) {
        return audit_broken(replay, line, "buffer",
                            "node %" PRIu32 " ends step %" PRIu64 " with %" PRIu32
                            " packets, its buffer holds %" PRIu32,
                            nodes->peak_node, replay->step, nodes->peak, replay->header.capacity);
    }
    return FAIL_NONE;
}

/* Moves the clock and the line on to the event's. */
static enum failure_kind advance(struct audit_replay *replay, const struct trace_event *event)
{
    uint64_t last_line = replay->line;
    replay->line = event->line;
    if (event->step < replay->step) {
        return audit_broken(replay, replay->line, "trace",
                            "step %" PRIu64 " comes after step %" PRIu64, event->step,
                            replay->step);
    }
    bool is_new = event->step > replay->step;
    enum failure_kind kind = is_new ? end_step(replay, last_line) : FAIL_NONE;
    replay->step = event->step;
    return kind;
}

/* Checks what holds for events in general. */
static enum failure_kind check_event(struct audit_replay *replay, const struct trace_event *event,
                                     bool is_sync)
{
    const struct kind_rules *rules = &KIND_RULES[event->kind];
    char letter = trace_letter(event->kind);
    if (event->step == 0 && !rules->in_step_0) {
        return audit_broken(replay, replay->line, "trace", "step 0 holds only I and E, not %c",
                            letter);
    }
    if (is_sync && !rules->in_sync) {
        return audit_broken(replay, replay->line, "sync",
                            "no packet moves, is copied or delivered in a phase named sync: %c",
                            letter);
    }
    uint32_t nodes = replay->header.rows * replay->header.cols;
    for (int i = 0; i < TRACE_FIELDS; i++) {
        if ((rules->nodes >> i & 1) && event->field[i] >= nodes) {
            return audit_broken(replay, replay->line, "trace",
                                "node %" PRIu64 " is not on the mesh of %" PRIu32 " x %" PRIu32,
                                event->field[i], replay->header.rows, replay->header.cols);
        }
    }
    return FAIL_NONE;
}

static enum failure_kind replay_event(struct audit_replay *replay, const struct trace_event *event,
                                      bool is_sync)
{
    enum failure_kind kind = advance(replay, event);
    if (kind == FAIL_NONE) {
        kind = check_event(replay, event, is_sync);
    }
    if (kind == FAIL_NONE) {
        kind = audit_apply(replay, event);
    }
    if (kind == FAIL_NONE) {
        replay->report->events++;
        replay->report->steps = event->step;
    }
    return kind;
}

/* What must hold at the end of the trace: every delivery was made and no packet is left. */
static enum failure_kind check_end(struct audit_replay *replay)
{
    if (!replay->messages.set) {
        return FAIL_NONE;
    }
    uint32_t name = 0, destination = 0;
    uint64_t missing = messages_missing(&replay->messages, &name, &destination);
    if (missing > 0 && replay->header.reduces) {
        return audit_broken(replay, replay->line, "reduction",
                            "the trace ends and %" PRIu64
                            " contribution%s missing, the first to message %" PRIu32
                            " of node %" PRIu32,
                            missing, missing == 1 ? " is" : "s are", name, destination);
    }
    if (missing > 0) {
        return audit_broken(replay, replay->line, "delivery",
                            "the trace ends and %" PRIu64
                            " deliver%s missing, the first of message %" PRIu32 " to node %" PRIu32,
                            missing, missing == 1 ? "y is" : "ies are", name, destination);
    }
    const struct audit_packet *left = packets_least(&replay->packets);
    if (left) {
        return audit_broken(
            replay, replay->line, "delivery",
            "the trace ends and %zu packet%s left, the first packet %" PRIu64 " at node %" PRIu32,
            replay->packets.packet_count, replay->packets.packet_count == 1 ? " is" : "s are",
            left->id, left->node);
    }
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
            if (packet >= 0) {
                packets_prefetch(&replay->packets, event->field[packet]);
            }
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
            if (kind != FAIL_NONE) {
                return kind;
            }
        }
    } while (queue.behind == TRACE_ITEM_EVENT);

    if (queue.behind == TRACE_ITEM_FAILED) {
        return fail(replay->failure, queue.failure.kind, "%s", queue.failure.text);
    }
    kind = end_step(replay, replay->line);
    replay->line = replay->reader.line;
    return kind == FAIL_NONE ? check_end(replay) : kind;
}

/* Checks the header against the set and makes the state of step 0. */
static enum failure_kind prepare(struct audit_replay *replay, const struct message_set *set)
{
    const struct trace_header *header = &replay->header;
    if (set && header->is_kernel) {
        return fail(replay->failure, FAIL_INPUT,
                    "%s:%" PRIu64 ": a kernel's trace: expected a router's, or no message set",
                    replay->reader.source, replay->reader.line);
    }
    if (set && (set->mesh.rows != header->rows || set->mesh.cols != header->cols)) {
        return fail(replay->failure, FAIL_INPUT,
                    "%s:%" PRIu64 ": a mesh of %" PRIu32 " x %" PRIu32 ": expected %" PRIu32
                    " x %" PRIu32 " as in the message set",
                    replay->reader.source, replay->reader.line, header->rows, header->cols,
                    set->mesh.rows, set->mesh.cols);
    }
    if (!nodes_init(&replay->nodes, header->rows, header->cols) ||
        (set && !messages_init(&replay->messages, set))) {
        return fail_memory(replay->failure, "the audit's replay");
    }
    return FAIL_NONE;
}

enum failure_kind audit_trace_from(struct byte_source *source, const char *name,
                                   const struct message_set *set, struct audit_report *report,
                                   struct failure *failure)
{
    struct failure own = {0};
    struct audit_replay replay = {.report = report, .failure = failure ? failure : &own};
    *report = (struct audit_report){0};
    enum failure_kind kind =
        trace_reader_open(&replay.reader, source, name, &replay.header, replay.failure);
    if (kind != FAIL_NONE) {
        return kind;
    }

    report->rows = replay.header.rows;
    report->cols = replay.header.cols;
    report->copy_is_free = replay.header.copy_is_free;
    report->reduces = replay.header.reduces;
    report->buffer_capacity = replay.header.capacity;
    kind = prepare(&replay, set);
    if (kind == FAIL_NONE) {
        kind = replay_trace(&replay);
    }

    trace_reader_close(&replay.reader);
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
        kind = audit_trace_from(source, path, set, report, failure);
        byte_source_close(source);
    }
    return kind;
}
