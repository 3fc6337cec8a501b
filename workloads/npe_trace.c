/* npe_trace.c - transfers on the networks on chip of Tenstorrent's devices, in the JSON that tt-npe
 * reads.
 *
 * Two forms: a workload, {"phases": [{"transfers": [TRANSFER, ..]}, ..]}, all of whose phases begin
 * in cycle 0, and a trace, an array of events with time stamps, from which the first one is taken
 * off. Of an event
 *   source         "sx", "sy" or "src_x", "src_y"; x is the column
 *   destination    "dx", "dy" or "dst_x", "dst_y", or all nodes of the rectangle "mcast_start_x",
 *                  .. "mcast_end_y"
 *   length         "num_bytes", or "packet_size" times "num_packets", with a header flit per packet
 *   start          "timestamp" or "phase_cycle_offset"
 *   network        "noc" or "noc_type": NOC_0, NOC_1
 * The data of a READ go from the destination to the source. WITH_STATE means source, destination
 * and length of the last SET_STATE of its direction. Other events (barriers, semaphores, sends
 * between devices) are left out with a note. Not modelled: that each network's links lead only one
 * way (right and down, left and up), here both ways; the requests of reads; rates of injection;
 * that nodes without a core ignore multicasts.
 * Source: the format's page and the loader in github.com/tenstorrent/tt-npe (facts of the format
 * only).
 * Cost: the text in memory, and one look at each byte.
 */
#include "workloads/timed_list.h"

#include "base/byte_source.h"
#include "base/json_scan.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/text_scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The grids of the two devices, rows and columns, with a torus each per network. */
enum { ROWS = 12, WORMHOLE_COLS = 10, BLACKHOLE_COLS = 17, FLIT_BYTES = 32 };

/* ---- events ---- */

enum key {
    SX,
    SY,
    DX,
    DY,
    LEFT,
    TOP,
    RIGHT,
    BOTTOM,
    BYTES,
    PACKETS,
    TIME,
    DEVICE,
    NOC,
    TYPE,
    KEYS
};

static const struct {
    const char *name, *other; /* of a trace, of a workload */
} NAMES[KEYS] = {
    [SX] = {"sx", "src_x"},
    [SY] = {"sy", "src_y"},
    [DX] = {"dx", "dst_x"},
    [DY] = {"dy", "dst_y"},
    [LEFT] = {"mcast_start_x", ""},
    [TOP] = {"mcast_start_y", ""},
    [RIGHT] = {"mcast_end_x", ""},
    [BOTTOM] = {"mcast_end_y", ""},
    [BYTES] = {"num_bytes", "packet_size"},
    [PACKETS] = {"num_packets", ""},
    [TIME] = {"timestamp", "phase_cycle_offset"},
    [DEVICE] = {"src_device_id", "device_id"},
    [NOC] = {"noc", "noc_type"},
    [TYPE] = {"type", "noc_event_type"},
};

struct event {
    bool has[KEYS];
    uint64_t value[KEYS];
    const char *text[KEYS], *text_end[KEYS];
};

struct trace {
    struct timed_list *list;
    struct failure *failure;
    const char *at, *end;
    const char *counted; /* lines are counted up to here, .. */
    uint64_t line;       /* .. which is this line */
    bool is_workload;
    struct event state[2]; /* values kept by SET_STATE: of writes, of reads */
    uint64_t first_time;
    bool has_device, has_noc[2];
    uint64_t device;          /* of the first event */
    uint64_t others, devices; /* left-out events: by their type, by their device */
    uint64_t cols, rows;      /* coordinates are below these */
    uint32_t largest_x;
};

/* Returns the line of `at`. */
static uint64_t line_at(struct trace *trace, const char *at)
{
    for (; trace->counted < at; trace->counted++)
        trace->line += *trace->counted == '\n';
    return trace->line;
}

static enum failure_kind expected(struct trace *trace, const char *what)
{
    struct byte_line line = {trace->list->name, line_at(trace, trace->at), trace->at, trace->end};
    const char *stop = trace->at;
    while (stop < trace->end && *stop != '\n' && *stop != ',' && *stop != '}' && *stop != ']')
        stop++;
    line.end = stop > trace->at || stop == trace->end ? stop : stop + 1;
    return scan_expected(&line, trace->at, what, trace->failure);
}

/* Fails at an event that lacks something, or has too much of it. */
static enum failure_kind refuse_event(struct trace *trace, const char *expected, enum key key,
                                      const struct event *event)
{
    struct byte_line line = {.name = trace->list->name, .number = line_at(trace, trace->at)};
    if (!event->has[key])
        return scan_refuse(&line, trace->failure, "expected %s in \"%s\" of the event, found none",
                           expected, NAMES[key].name);
    return scan_refuse(&line, trace->failure, "expected %s in \"%s\" of the event, found %" PRIu64,
                       expected, NAMES[key].name, event->value[key]);
}

static bool is_word(const char *text, const char *end, const char *word)
{
    return (size_t)(end - text) == strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

/* True if the event's type begins with, or holds, a word. */
static bool has_type(const struct event *event, const char *word, bool is_begin)
{
    size_t length = strlen(word);
    if (!event->has[TYPE])
        return false;
    for (const char *at = event->text[TYPE]; at + length <= event->text_end[TYPE]; at++) {
        if (memcmp(at, word, length) == 0)
            return true;
        if (is_begin)
            return false;
    }
    return false;
}

/* Reads the value of a used key; one that is no natural number or word counts as none. */
static enum failure_kind read_value(struct trace *trace, struct event *event, enum key key)
{
    const char *begin = trace->at;
    if (key == NOC || key == TYPE)
        event->has[key] =
            json_scan_string(&trace->at, trace->end, &event->text[key], &event->text_end[key]);
    else
        event->has[key] = json_scan_natural(&trace->at, trace->end, &event->value[key]);
    if (event->has[key])
        return FAIL_NONE;
    trace->at = begin;
    return json_scan_value(&trace->at, trace->end) ? FAIL_NONE : expected(trace, "a JSON value");
}

static enum failure_kind read_event_member(struct trace *trace, struct event *event)
{
    const char *text, *end;
    if (!json_scan_string(&trace->at, trace->end, &text, &end) ||
        !json_scan_mark(&trace->at, trace->end, ':'))
        return expected(trace, "a key in quotes, and ':'");
    for (int key = 0; key < KEYS; key++)
        if (is_word(text, end, NAMES[key].name) || is_word(text, end, NAMES[key].other))
            return read_value(trace, event, (enum key)key);
    return json_scan_value(&trace->at, trace->end) ? FAIL_NONE : expected(trace, "a JSON value");
}

/* ---- from events to messages ---- */

/* Checks a coordinate, x of a column or y of a row. */
static enum failure_kind check_coordinate(struct trace *trace, const struct event *event,
                                          enum key key)
{
    bool is_row = key == SY || key == DY || key == TOP || key == BOTTOM;
    if (!event->has[key] || event->value[key] >= (is_row ? trace->rows : trace->cols))
        return refuse_event(trace, is_row ? "a row of the topology" : "a column of the topology",
                            key, event);
    if (!is_row)
        trace->largest_x = max_u32(trace->largest_x, (uint32_t)event->value[key]);
    return FAIL_NONE;
}

/* Packs a row and a column until the number of columns is known. */
static node_index pack(uint64_t y, uint64_t x)
{
    return (node_index)(y << 16 | x);
}

static enum failure_kind add_rectangle(struct trace *trace, const struct event *event)
{
    const uint64_t *value = event->value;
    for (uint64_t y = min_u64(value[TOP], value[BOTTOM]); y <= max_u64(value[TOP], value[BOTTOM]);
         y++)
        for (uint64_t x = min_u64(value[LEFT], value[RIGHT]);
             x <= max_u64(value[LEFT], value[RIGHT]); x++)
            if (timed_list_add_destination(trace->list, pack(y, x), trace->failure) != FAIL_NONE)
                return trace->failure->kind;
    return FAIL_NONE;
}

static enum failure_kind find_length(struct trace *trace, const struct event *event,
                                     uint32_t *flits)
{
    uint64_t packets = event->has[PACKETS] ? event->value[PACKETS] : 1;
    uint64_t bytes = event->value[BYTES], most = MESSAGE_SET_MAX_LENGTH;
    if (packets == 0 || packets > most)
        return refuse_event(trace, "1 to 2^24 packets", PACKETS, event);
    if (bytes > UINT32_MAX || timed_list_flits(trace->list, bytes) * packets > most)
        return refuse_event(trace, "bytes of at most 2^24 flits", BYTES, event);
    *flits = (uint32_t)(timed_list_flits(trace->list, bytes) * packets);
    return FAIL_NONE;
}

/* Adds the message of a transfer. */
static enum failure_kind add_transfer(struct trace *trace, const struct event *event)
{
    bool is_multicast = event->has[LEFT] && (has_type(event, "WRITE_MULTICAST", true) ||
                                             (trace->is_workload && !event->has[DX]));
    bool is_read = !trace->is_workload && has_type(event, "READ", true);
    struct timed_message message = {.id = trace->list->messages, .line = line_at(trace, trace->at)};
    enum key first = is_multicast ? LEFT : DX, last = is_multicast ? BOTTOM : DY;
    if (check_coordinate(trace, event, SX) != FAIL_NONE ||
        check_coordinate(trace, event, SY) != FAIL_NONE)
        return trace->failure->kind;
    for (int key = first; key <= (int)last; key++)
        if (check_coordinate(trace, event, (enum key)key) != FAIL_NONE)
            return trace->failure->kind;
    if (find_length(trace, event, &message.flits) != FAIL_NONE)
        return trace->failure->kind;
    node_index here = pack(event->value[SY], event->value[SX]);
    node_index there = pack(event->value[DY], event->value[DX]);
    message.start = event->has[TIME] ? event->value[TIME] : 0;
    message.source = is_read ? there : here;
    if (timed_list_add(trace->list, message, trace->failure) != FAIL_NONE)
        return trace->failure->kind;
    if (is_multicast)
        return add_rectangle(trace, event);
    return timed_list_add_destination(trace->list, is_read ? here : there, trace->failure);
}

/* Gives an event WITH_STATE the values of the last SET_STATE. */
static void use_state(struct event *event, const struct event *state)
{
    for (int key = SX; key <= BYTES; key++)
        if ((key <= DY || key == BYTES) && state->has[key] &&
            (key != BYTES || state->value[BYTES] > 0)) {
            event->has[key] = true;
            event->value[key] = state->value[key];
        }
}

/* Classifies an event: one that is not a transfer, of another device, or of the other network is
 * left out. */
static enum failure_kind take_event(struct trace *trace, struct event *event)
{
    bool is_read = has_type(event, "READ", true);
    bool moves = (trace->is_workload || is_read || has_type(event, "WRITE", true)) &&
                 !has_type(event, "BARRIER", false) && !has_type(event, "FLUSH", false) &&
                 !has_type(event, "SET_TRID", false);
    if (!trace->is_workload && event->has[TIME])
        trace->first_time = min_u64(trace->first_time, event->value[TIME]);
    if (has_type(event, "SET_STATE", false)) {
        trace->state[is_read] = *event;
        return FAIL_NONE;
    }
    if (has_type(event, "WITH_STATE", false))
        use_state(event, &trace->state[is_read]);
    if (!moves || !event->has[BYTES] || event->value[BYTES] == 0) {
        trace->others += event->has[TYPE];
        return FAIL_NONE;
    }
    if (!trace->has_device)
        trace->device = event->value[DEVICE];
    trace->has_device = true;
    if (event->value[DEVICE] != trace->device) {
        trace->devices++;
        return FAIL_NONE;
    }
    bool is_second = event->has[NOC] && is_word(event->text[NOC], event->text_end[NOC], "NOC_1");
    if (!is_second &&
        !(event->has[NOC] && is_word(event->text[NOC], event->text_end[NOC], "NOC_0")))
        return refuse_event(trace, "NOC_0 or NOC_1", NOC, &(struct event){.has = {false}});
    trace->has_noc[is_second] = true;
    return trace->list->noc > 0 && trace->list->noc != 1U + is_second ? FAIL_NONE
                                                                      : add_transfer(trace, event);
}

/* ---- the text ---- */

static enum failure_kind read_event(struct trace *trace)
{
    struct event event = {.has = {false}};
    if (!json_scan_mark(&trace->at, trace->end, '{'))
        return expected(trace, "an event {..}");
    if (!json_scan_mark(&trace->at, trace->end, '}')) {
        do
            if (read_event_member(trace, &event) != FAIL_NONE)
                return trace->failure->kind;
        while (json_scan_mark(&trace->at, trace->end, ','));
        if (!json_scan_mark(&trace->at, trace->end, '}'))
            return expected(trace, "',' or '}'");
    }
    return take_event(trace, &event);
}

typedef enum failure_kind element_reader(struct trace *trace);

static enum failure_kind read_array(struct trace *trace, element_reader *read)
{
    if (!json_scan_mark(&trace->at, trace->end, '['))
        return expected(trace, "an array");
    if (json_scan_mark(&trace->at, trace->end, ']'))
        return FAIL_NONE;
    do
        if (read(trace) != FAIL_NONE)
            return trace->failure->kind;
    while (json_scan_mark(&trace->at, trace->end, ','));
    return json_scan_mark(&trace->at, trace->end, ']') ? FAIL_NONE : expected(trace, "',' or ']'");
}

/* Reads an object of which only one member is used, an array. */
static enum failure_kind read_object(struct trace *trace, const char *name, element_reader *read)
{
    const char *text, *end;
    if (!json_scan_mark(&trace->at, trace->end, '{'))
        return expected(trace, "an object {..}");
    do {
        if (!json_scan_string(&trace->at, trace->end, &text, &end) ||
            !json_scan_mark(&trace->at, trace->end, ':'))
            return expected(trace, "a key in quotes, and ':'");
        if (is_word(text, end, name)) {
            if (read_array(trace, read) != FAIL_NONE)
                return trace->failure->kind;
        } else if (!json_scan_value(&trace->at, trace->end)) {
            return expected(trace, "a JSON value");
        }
    } while (json_scan_mark(&trace->at, trace->end, ','));
    return json_scan_mark(&trace->at, trace->end, '}') ? FAIL_NONE : expected(trace, "',' or '}'");
}

static enum failure_kind read_phase(struct trace *trace)
{
    return read_object(trace, "transfers", read_event);
}

static enum failure_kind read_top(struct trace *trace)
{
    trace->at = json_scan_blanks(trace->at, trace->end);
    trace->is_workload = trace->at < trace->end && *trace->at == '{';
    trace->first_time = trace->is_workload ? 0 : UINT64_MAX;
    enum failure_kind kind = trace->is_workload ? read_object(trace, "phases", read_phase)
                                                : read_array(trace, read_event);
    trace->at = json_scan_blanks(trace->at, trace->end);
    return kind == FAIL_NONE && trace->at < trace->end ? expected(trace, "the end of the file")
                                                       : kind;
}

bool npe_begins(const char *text, size_t length)
{
    static const char *const WORDS[] = {"\"phases\"", "\"timestamp\"", "\"transfers\"", "\"sx\""};
    const char *end = text + length, *at = json_scan_blanks(text, end);
    bool is_workload = at < end && *at == '{', holds[2] = {false, false};
    if (at == end || (*at != '{' && *at != '['))
        return false;
    for (; at < end; at++)
        for (int i = 0; i < 2; i++) {
            const char *word = WORDS[2 * i + !is_workload];
            holds[i] |= (size_t)(end - at) >= strlen(word) && memcmp(at, word, strlen(word)) == 0;
        }
    return holds[0] && holds[1];
}

/* ---- the trace ---- */

/* Finds the topology, and the limits of coordinates. */
static enum failure_kind begin(struct trace *trace)
{
    const struct shape *shape = &trace->list->shape;
    trace->rows = ROWS;
    trace->cols = BLACKHOLE_COLS;
    if (shape->dimensions == 0)
        return FAIL_NONE;
    if (shape->dimensions != 2)
        return fail(trace->failure, FAIL_USAGE,
                    "transfers of tt-npe have rows and columns: expected a mesh or torus of two "
                    "dimensions");
    trace->cols = shape->size[0];
    trace->rows = shape->size[1];
    return trace->cols <= UINT16_MAX && trace->rows <= UINT16_MAX
               ? FAIL_NONE
               : fail(trace->failure, FAIL_USAGE, "expected at most 65535 rows and columns");
}

/* Settles the starts and the numbers of nodes. */
static enum failure_kind settle(struct trace *trace)
{
    struct timed_list *list = trace->list;
    if (list->messages == 0)
        return fail(trace->failure, FAIL_INPUT, "%.300s: expected transfers%s, found none",
                    list->name, list->noc > 0 ? " on the network of --noc" : "");
    if (list->noc == 0 && trace->has_noc[0] && trace->has_noc[1])
        return fail(
            trace->failure, FAIL_USAGE,
            "%.300s has transfers on two networks, which share no link: import one with --noc 0 or "
            "--noc 1",
            list->name);
    if (list->shape.dimensions == 0)
        list->shape = (struct shape){
            .kind = TOPOLOGY_TORUS,
            .dimensions = 2,
            .size = {trace->largest_x < WORMHOLE_COLS ? WORMHOLE_COLS : BLACKHOLE_COLS, ROWS}};
    uint32_t cols = list->shape.size[0];
    for (uint32_t i = 0; i < list->messages; i++) {
        struct timed_message *message = &list->message[i];
        message->source = (message->source >> 16) * cols + (message->source & UINT16_MAX);
        message->start -= min_u64(trace->first_time, message->start);
        if (message->start > MESSAGE_SET_MAX_START)
            return fail(trace->failure, FAIL_INPUT,
                        "%.300s:%" PRIu64 ": expected starts up to 2^48, found %" PRIu64,
                        list->name, message->line, message->start);
    }
    for (uint32_t i = 0; i < list->deliveries; i++)
        list->destination[i] =
            (list->destination[i] >> 16) * cols + (list->destination[i] & UINT16_MAX);
    if (trace->others > 0)
        import_note(&list->notes, "events that move no data here are left out: %" PRIu64,
                    trace->others);
    if (trace->devices > 0)
        import_note(&list->notes,
                    "transfers of other devices than %" PRIu64 " are left out: %" PRIu64,
                    trace->device, trace->devices);
    return FAIL_NONE;
}

static enum failure_kind read_text(struct byte_source *source, char **text, size_t *length,
                                   struct failure *failure)
{
    enum { STEP = 1 << 16 };
    size_t room = 0, got = 1;
    while (got > 0) {
        if (!memory_make_room(text, &room, *length + STEP, 1))
            return fail_memory(failure, "the text of a trace");
        if (byte_source_read(source, *text + *length, STEP, &got, failure) != FAIL_NONE)
            return failure->kind;
        *length += got;
    }
    return FAIL_NONE;
}

enum failure_kind npe_read(struct byte_source *source, struct timed_list *list,
                           struct failure *failure)
{
    struct trace trace = {.list = list, .failure = failure, .line = 1};
    char *text = NULL;
    size_t length = 0;
    timed_list_use_bytes(list, FLIT_BYTES);
    if (begin(&trace) == FAIL_NONE && read_text(source, &text, &length, failure) == FAIL_NONE) {
        trace.at = trace.counted = text;
        trace.end = text + length;
        if (read_top(&trace) == FAIL_NONE)
            settle(&trace);
    }
    free(text);
    return failure->kind;
}
