/* run_machine.c - a run of the mesh machine: where each packet is, row by row.
 *
 * A row is a step in which something happened. Its events are kept until it is over and then put in the order of their
 * packets, so that a packet that goes on as before costs a fraction of a byte: its number is a small gap, its operation
 * the same as that of most others, and its place is known. Packets are numbered anew as they come, from 0, because
 * a trace's numbers may be large and leave gaps.
 * Invariant: the order keeps a packet's own events as they were, and a packet that is copied has a smaller number than
 * its copy. Merges come last, when the packet merged into has come.
 * Cost: some ten operations an event and a radix sort of a row's events; 24 bytes a packet that ever was, 40 a node.
 */
#include "view/run_encoder_private.h"

#include "view/columns.h"
#include "workloads/radix_sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NO_PACKET UINT32_MAX

/* What an event does; the numbers are those of the format. */
enum operation { MOVE_ON, MOVE, INJECT = MOVE + DIRECTIONS, COPY, DELIVER, END, DISCARD, MERGE };

struct run_packet {
    uint64_t number; /* in the trace */
    uint32_t node;   /* MESH_NO_NODE: it is gone */
    uint32_t message;
    uint32_t frame; /* the one in which it moved last; the direction counts only in that */
    uint8_t direction;
};

struct run_event {
    uint32_t packet;
    uint8_t operation, direction;
    uint64_t other; /* the node of an injection, the copy, the packet merged into */
};

enum { KEY_PACKET, KEY_NODE, KEY_COLUMNS };
enum { BORN_MESSAGE, BORN_NUMBER, BORN_COLUMNS };
enum { SUM_NODE, SUM_PEAK, SUM_LINK, SUM_LOAD, SUM_COLUMNS };
enum {
    EVENT_STEP,
    EVENT_COUNT,
    EVENT_WORDS,
    EVENT_PACKET,
    EVENT_OPERATION,
    EVENT_NODE,
    EVENT_COPY,
    EVENT_INTO,
    EVENT_WORD,
    EVENT_COLUMNS
};
enum { REST_NODE, REST_PACKETS, REST_COLUMNS };
enum { TIME_STEP, TIME_PACKETS, TIME_DELIVERED, TIME_FULLEST, TIME_HOPS, TIME_WORDS, TIME_COLUMNS };

struct machine_run {
    struct run_plan plan;
    struct mesh mesh;
    uint64_t bytes; /* allocated */

    struct run_packet *packet;
    uint32_t packets, packets_room; /* ever seen */
    uint32_t *slot;                 /* a hash of the living: packet or NO_PACKET */
    uint32_t slots, living;         /* slots is a power of 2 */
    uint32_t first_living;          /* none below lives */

    uint32_t *occupancy, *peak; /* [node]: now; the most at the end of a row of this frame */
    uint32_t *before;           /* [node]: at the end of the last row, where changed */
    uint32_t *load;             /* [node][DIRECTIONS]: packets over the link in this frame */
    uint32_t *changed, changes; /* [node]: nodes whose occupancy changed in the row; may be as before */
    uint8_t *is_changed;        /* [node] */
    uint64_t *holders;          /* [occupancy]: nodes that hold so many */
    uint32_t holders_room, fullest;

    uint64_t step; /* of the row */
    bool has_row;
    struct run_event *event; /* of the row */
    uint64_t *order;         /* of its events */
    uint32_t events, events_room;
    uint64_t *word; /* links that carried a word in the row */
    uint32_t words, words_room;

    uint64_t all_events, delivered, in_network, hops, word_hops; /* the last two of the row */
    uint32_t frame, rows, frame_rows, frame_events;
    uint64_t frame_first, last_step; /* the step of the frame's first row; of the last row that is over */
    uint64_t last_number;            /* of the last packet that came in this frame */
    uint32_t last_message, last_copy, last_node;
    bool is_summary;      /* this frame keeps no events, nor does any behind it */
    uint64_t detail_ends; /* the last step with events, if is_summary */
    struct column key[KEY_COLUMNS], born[BORN_COLUMNS], events_of[EVENT_COLUMNS];
    struct column sum[SUM_COLUMNS], rest[REST_COLUMNS];
    struct column time[TIME_COLUMNS];
    uint64_t timed[TIME_COLUMNS]; /* the values of the last row */
};

/* ---- memory ---- */

static bool within_limit(struct machine_run *run, uint64_t bytes, struct failure *failure)
{
    run->bytes += bytes;
    return memory_check_limit(run->bytes, run->plan.limit, "the page of the run", failure) ==
           FAIL_NONE;
}

/* Makes room for one more of `count`: *array is a pointer to elements of `size` bytes. */
static bool grow(struct machine_run *run, void *array, uint32_t count, uint32_t *room, size_t size,
                 struct failure *failure)
{
    enum { FIRST_ROOM = 1024 };
    if (count < *room)
        return true;
    void *old, *grown;
    uint32_t wanted = *room == 0 ? FIRST_ROOM : *room <= UINT32_MAX / 2 ? *room * 2 : UINT32_MAX;
    memcpy(&old, array, sizeof old);
    if (!within_limit(run, (uint64_t)(wanted - *room) * size, failure))
        return false;
    grown = wanted == *room ? NULL : memory_resize(old, wanted, size);
    if (grown == NULL) {
        fail_memory(failure, "the page of the run");
        return false;
    }
    memcpy(array, &grown, sizeof grown);
    *room = wanted;
    return true;
}

static void machine_free(void *state)
{
    struct machine_run *run = state;
    if (run == NULL)
        return;
    free(run->packet);
    free(run->slot);
    free(run->occupancy);
    free(run->peak);
    free(run->before);
    free(run->load);
    free(run->changed);
    free(run->is_changed);
    free(run->holders);
    free(run->event);
    free(run->order);
    free(run->word);
    columns_free(run->key, KEY_COLUMNS);
    columns_free(run->born, BORN_COLUMNS);
    columns_free(run->sum, SUM_COLUMNS);
    columns_free(run->events_of, EVENT_COLUMNS);
    columns_free(run->rest, REST_COLUMNS);
    columns_free(run->time, TIME_COLUMNS);
    free(run);
}

/* ---- the first line ---- */

static enum failure_kind read_mesh(struct machine_run *run, const char *header,
                                   struct failure *failure)
{
    unsigned version, rows, cols;
    int length = 0;
    if (sscanf(header, "meshcast-trace %u %u %u%n", &version, &rows, &cols, &length) != 3 ||
        version != 1 || !mesh_is_valid(rows, cols) ||
        (header[length] != ' ' && header[length] != '\0'))
        return run_refuse(&run->plan, 1, failure,
                          "format: expected 'meshcast-trace 1 ROWS COLS ..' with sides of 1 to %d",
                          MESH_MAX_SIDE);
    run->mesh = (struct mesh){rows, cols};
    const struct message_set *set = run->plan.set;
    if (set != NULL && (set->mesh.rows != rows || set->mesh.cols != cols))
        return run_refuse(&run->plan, 1, failure,
                          "the trace is of %u x %u nodes, the set is not", rows, cols);
    return FAIL_NONE;
}

static enum failure_kind machine_begin(void **state, const struct run_plan *plan,
                                       const char *header, struct failure *failure)
{
    struct machine_run *run = memory_allocate(1, sizeof *run);
    *state = run;
    if (run == NULL)
        return fail_memory(failure, "the page of the run");
    run->plan = *plan;
    if (read_mesh(run, header, failure) != FAIL_NONE ||
        !within_limit(run, (uint64_t)mesh_nodes(run->mesh) * 33, failure)) {
        machine_free(run);
        *state = NULL;
        return failure->kind;
    }
    uint32_t nodes = mesh_nodes(run->mesh);
    run->occupancy = memory_allocate(nodes, sizeof *run->occupancy);
    run->peak = memory_allocate(nodes, sizeof *run->peak);
    run->before = memory_allocate(nodes, sizeof *run->before);
    run->changed = memory_allocate(nodes, sizeof *run->changed);
    run->is_changed = memory_allocate(nodes, sizeof *run->is_changed);
    run->load = memory_allocate((size_t)nodes * DIRECTIONS, sizeof *run->load);
    if (run->occupancy == NULL || run->peak == NULL || run->before == NULL ||
        run->changed == NULL || run->is_changed == NULL || run->load == NULL ||
        !grow(run, &run->holders, 0, &run->holders_room, sizeof *run->holders, failure)) {
        machine_free(run);
        *state = NULL;
        return fail_memory(failure, "the page of the run");
    }
    memset(run->holders, 0, run->holders_room * sizeof *run->holders);
    run->holders[0] = nodes;
    return FAIL_NONE;
}

/* ---- packets by their numbers ---- */

static uint32_t first_slot(const struct machine_run *run, uint64_t number)
{
    return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (run->slots - 1);
}

static uint32_t find(const struct machine_run *run, uint64_t number)
{
    if (run->slots == 0)
        return NO_PACKET;
    for (uint32_t at = first_slot(run, number);; at = (at + 1) & (run->slots - 1)) {
        uint32_t packet = run->slot[at];
        if (packet == NO_PACKET || run->packet[packet].number == number)
            return packet;
    }
}

static void enter(struct machine_run *run, uint32_t packet)
{
    uint32_t at = first_slot(run, run->packet[packet].number);
    while (run->slot[at] != NO_PACKET)
        at = (at + 1) & (run->slots - 1);
    run->slot[at] = packet;
}

static bool grow_hash(struct machine_run *run, struct failure *failure)
{
    enum { FIRST_SLOTS = 2048 };
    if (run->living < run->slots / 2)
        return true;
    uint32_t slots = run->slots == 0 ? FIRST_SLOTS : run->slots * 2;
    if (slots == 0 || !within_limit(run, (uint64_t)slots * sizeof *run->slot, failure))
        return false;
    uint32_t *grown = memory_allocate(slots, sizeof *grown), *old = run->slot;
    if (grown == NULL) {
        fail_memory(failure, "the page of the run");
        return false;
    }
    memset(grown, 0xff, slots * sizeof *grown);
    uint32_t old_slots = run->slots;
    run->slot = grown;
    run->slots = slots;
    for (uint32_t i = 0; i < old_slots; i++)
        if (old[i] != NO_PACKET)
            enter(run, old[i]);
    free(old);
    return true;
}

/* Takes the packet out of the hash: what follows it moves up, so that no search ends before its goal. */
static void leave(struct machine_run *run, uint32_t packet)
{
    uint32_t mask = run->slots - 1, hole = first_slot(run, run->packet[packet].number);
    while (run->slot[hole] != packet)
        hole = (hole + 1) & mask;
    for (uint32_t at = (hole + 1) & mask; run->slot[at] != NO_PACKET; at = (at + 1) & mask) {
        uint32_t home = first_slot(run, run->packet[run->slot[at]].number);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        run->slot[hole] = run->slot[at];
        hole = at;
    }
    run->slot[hole] = NO_PACKET;
    run->packet[packet].node = MESH_NO_NODE;
    run->living--;
}

/* A new packet; NO_PACKET: no memory. */
static uint32_t make_packet(struct machine_run *run, uint64_t number, uint32_t node,
                            uint32_t message, struct failure *failure)
{
    if (!grow(run, &run->packet, run->packets, &run->packets_room, sizeof *run->packet, failure) ||
        !grow_hash(run, failure))
        return NO_PACKET;
    run->packet[run->packets] = (struct run_packet){number, node, message, UINT32_MAX, 0};
    column_put_change(&run->born[BORN_MESSAGE], run->last_message, message);
    column_put_change(&run->born[BORN_NUMBER], run->last_number + 1, number);
    run->last_message = message;
    run->last_number = number;
    enter(run, run->packets);
    run->living++;
    return run->packets++;
}

/* ---- frames ---- */

static void write_block(struct machine_run *run, struct column *column, size_t count,
                        struct failure *failure)
{
    fputc(' ', run->plan.out);
    if (!columns_write(column, count, run->plan.out))
        fail_memory(failure, "the page of the run");
}

/* Where each packet is before the frame's first row. */
static void write_key(struct machine_run *run)
{
    uint32_t last = 0, node = 0;
    while (run->first_living < run->packets &&
           run->packet[run->first_living].node == MESH_NO_NODE)
        run->first_living++;
    for (uint32_t i = run->first_living; i < run->packets; i++) {
        const struct run_packet *packet = &run->packet[i];
        if (packet->node == MESH_NO_NODE)
            continue;
        column_put(&run->key[KEY_PACKET], i - last);
        column_put_change(&run->key[KEY_NODE], node, packet->node);
        last = i;
        node = packet->node;
    }
}

/* Peaks and loads of the frame, which begin anew. */
static void write_sums(struct machine_run *run)
{
    uint32_t last_node = 0, last_link = 0;
    for (uint32_t v = 0; v < mesh_nodes(run->mesh); v++) {
        if (run->peak[v] > 0) {
            column_put(&run->sum[SUM_NODE], v - last_node);
            column_put(&run->sum[SUM_PEAK], run->peak[v]);
            last_node = v;
        }
        for (uint32_t link = v * DIRECTIONS; link < (v + 1) * DIRECTIONS; link++) {
            if (run->load[link] == 0)
                continue;
            column_put(&run->sum[SUM_LINK], link - last_link);
            column_put(&run->sum[SUM_LOAD], run->load[link]);
            last_link = link;
        }
    }
    memset(run->peak, 0, mesh_nodes(run->mesh) * sizeof *run->peak);
    memset(run->load, 0, (size_t)mesh_nodes(run->mesh) * DIRECTIONS * sizeof *run->load);
}

static void write_rest(struct machine_run *run)
{
    uint32_t last = 0;
    for (uint32_t v = 0; v < mesh_nodes(run->mesh); v++) {
        if (run->occupancy[v] == 0)
            continue;
        column_put(&run->rest[REST_NODE], v - last);
        column_put(&run->rest[REST_PACKETS], run->occupancy[v]);
        last = v;
    }
}

/* Writes the frame that is over; its key was put when it began. */
static enum failure_kind end_frame(struct machine_run *run, struct failure *failure)
{
    if (run->frame_rows == 0)
        return FAIL_NONE;
    fprintf(run->plan.out, "%s %" PRIu64 " %" PRIu64, run->is_summary ? "sums" : "frame",
            run->frame_first, run->last_step);
    write_sums(run);
    if (run->is_summary)
        write_rest(run);
    write_block(run, run->sum, SUM_COLUMNS, failure);
    if (run->is_summary)
        write_block(run, run->rest, REST_COLUMNS, failure);
    else {
        write_block(run, run->key, KEY_COLUMNS, failure);
        write_block(run, run->born, BORN_COLUMNS, failure);
        write_block(run, run->events_of, EVENT_COLUMNS, failure);
    }
    fputc('\n', run->plan.out);
    run->frame++;
    run->frame_rows = 0;
    run->frame_events = 0;
    if (!run->is_summary && run->all_events >= run->plan.most_events) {
        run->is_summary = true;
        run->detail_ends = run->last_step;
    }
    return failure->kind;
}

static void begin_frame(struct machine_run *run)
{
    if (!run->is_summary)
        write_key(run);
    run->frame_first = run->step;
    run->last_number = UINT64_MAX;
    run->last_message = 0;
    run->last_copy = NO_PACKET;
    run->last_node = 0;
}

/* ---- rows ---- */

static void put_event(struct machine_run *run, const struct run_event *event, uint32_t *last)
{
    struct column *column = run->events_of;
    struct run_packet *packet = &run->packet[event->packet];
    enum operation operation = event->operation;
    if (operation == MOVE) {
        uint8_t direction = packet->frame == run->frame ? packet->direction : 0;
        operation =
            event->direction == direction ? MOVE_ON : (enum operation)(MOVE + event->direction);
        packet->frame = run->frame;
        packet->direction = event->direction;
    }
    column_put_change(&column[EVENT_PACKET], *last, event->packet);
    *last = event->packet;
    column_put(&column[EVENT_OPERATION], operation);
    switch (operation) {
    case INJECT:
        column_put_change(&column[EVENT_NODE], run->last_node, event->other);
        run->last_node = (uint32_t)event->other;
        break;
    case COPY:
        column_put_change(&column[EVENT_COPY], (uint32_t)(run->last_copy + 1), event->other);
        run->last_copy = (uint32_t)event->other;
        break;
    case MERGE:
        column_put_change(&column[EVENT_INTO], event->packet, event->other);
        break;
    default:
        break;
    }
}

static enum failure_kind put_events(struct machine_run *run, struct failure *failure)
{
    uint32_t last = 0;
    uint64_t link = 0;
    for (uint32_t i = 0; i < run->events; i++)
        run->order[i] = (uint64_t)(run->event[i].operation == MERGE) << 63 |
                        (uint64_t)run->event[i].packet << 31 | i;
    if (!radix_sort(run->order, run->events) || !radix_sort(run->word, run->words))
        return fail_memory(failure, "the page of the run");
    column_put(&run->events_of[EVENT_STEP], run->step - run->frame_first);
    column_put(&run->events_of[EVENT_COUNT], run->events);
    column_put(&run->events_of[EVENT_WORDS], run->words);
    for (uint32_t i = 0; i < run->events; i++)
        put_event(run, &run->event[run->order[i] & INT32_MAX], &last);
    for (uint32_t i = 0; i < run->words; i++) {
        column_put(&run->events_of[EVENT_WORD], run->word[i] - link);
        link = run->word[i];
    }
    return FAIL_NONE;
}

/* Counts how many nodes hold how many packets; the fullest one is known from that. */
static enum failure_kind count_holders(struct machine_run *run, struct failure *failure)
{
    for (uint32_t i = 0; i < run->changes; i++) {
        uint32_t v = run->changed[i], now = run->occupancy[v], room = run->holders_room;
        run->is_changed[v] = 0;
        while (now >= run->holders_room) {
            if (!grow(run, &run->holders, run->holders_room, &run->holders_room,
                      sizeof *run->holders, failure))
                return failure->kind;
            memset(run->holders + room, 0, (run->holders_room - room) * sizeof *run->holders);
            room = run->holders_room;
        }
        run->holders[run->before[v]]--;
        run->holders[now]++;
        run->peak[v] = now > run->peak[v] ? now : run->peak[v];
        run->fullest = now > run->fullest ? now : run->fullest;
    }
    run->changes = 0;
    while (run->fullest > 0 && run->holders[run->fullest] == 0)
        run->fullest--;
    return FAIL_NONE;
}

static void put_time(struct machine_run *run)
{
    uint64_t now[TIME_COLUMNS] = {run->step,    run->in_network, run->delivered,
                                  run->fullest, run->hops,       run->word_hops};
    for (int i = 0; i < TIME_COLUMNS; i++) {
        column_put_change(&run->time[i], run->timed[i], now[i]);
        run->timed[i] = now[i];
    }
}

/* The row's step is over. */
static enum failure_kind end_row(struct machine_run *run, struct failure *failure)
{
    if (!run->has_row)
        return FAIL_NONE;
    if (count_holders(run, failure) != FAIL_NONE)
        return failure->kind;
    put_time(run);
    if (!run->is_summary && put_events(run, failure) != FAIL_NONE)
        return failure->kind;
    run->frame_events += run->events + run->words;
    run->all_events += run->events + run->words;
    run->last_step = run->step;
    run->events = run->words = 0;
    run->hops = run->word_hops = 0;
    run->has_row = false;
    run->rows++;
    run->frame_rows++;
    if (run->frame_rows == RUN_FRAME_ROWS || run->frame_events >= RUN_FRAME_EVENTS)
        return end_frame(run, failure);
    return FAIL_NONE;
}

static enum failure_kind begin_row(struct machine_run *run, const struct trace_line *line,
                                   struct failure *failure)
{
    if (run->has_row && line->time == run->step)
        return FAIL_NONE;
    if ((run->has_row || run->rows > 0) && line->time < run->step)
        return run_refuse(&run->plan, line->number, failure,
                          "expected a step of %" PRIu64 " or later", run->step);
    if (end_row(run, failure) != FAIL_NONE)
        return failure->kind;
    run->step = line->time;
    run->has_row = true;
    if (run->frame_rows == 0)
        begin_frame(run);
    return FAIL_NONE;
}

/* ---- events ---- */

static void change(struct machine_run *run, uint32_t node, int by)
{
    if (!run->is_changed[node]) {
        run->is_changed[node] = 1;
        run->before[node] = run->occupancy[node];
        run->changed[run->changes++] = node;
    }
    run->occupancy[node] += (uint32_t)by;
    run->in_network += (uint64_t)(int64_t)by;
}

/* The direction from a node to its neighbour; false: it is none. */
static bool link_of(const struct machine_run *run, uint64_t from, uint64_t to, uint8_t *direction)
{
    uint32_t nodes = mesh_nodes(run->mesh), cols = run->mesh.cols;
    if (from >= nodes || to >= nodes)
        return false;
    if (to + 1 == from && from % cols > 0)
        *direction = WEST;
    else if (from + 1 == to && to % cols > 0)
        *direction = EAST;
    else if (to + cols == from)
        *direction = NORTH;
    else if (from + cols == to)
        *direction = SOUTH;
    else
        return false;
    return true;
}

static enum failure_kind take_word(struct machine_run *run, const struct trace_line *line,
                                   struct failure *failure)
{
    uint8_t direction;
    if (!link_of(run, line->field[0], line->field[1], &direction))
        return run_refuse(&run->plan, line->number, failure,
                          "expected a word between two neighbours");
    if (run->word_hops++, run->is_summary)
        return FAIL_NONE;
    if (!grow(run, &run->word, run->words, &run->words_room, sizeof *run->word, failure))
        return failure->kind;
    run->word[run->words++] = line->field[0] * DIRECTIONS + direction;
    return FAIL_NONE;
}

/* What a line says of a packet, whose number is field `at`; NO_PACKET, with a failure: it says nothing that could be. */
static uint32_t packet_of(struct machine_run *run, const struct trace_line *line, int at,
                          struct failure *failure)
{
    uint32_t packet = find(run, line->field[at]);
    uint64_t node = line->field[line->letter == 'M' ? 1 : 0];
    if (packet == NO_PACKET)
        run_refuse(&run->plan, line->number, failure, "no packet %" PRIu64 " is in the network",
                   line->field[at]);
    else if (run->packet[packet].node != node) {
        run_refuse(&run->plan, line->number, failure,
                   "packet %" PRIu64 " is at node %" PRIu32 ", not at node %" PRIu64,
                   line->field[at], run->packet[packet].node, node);
        packet = NO_PACKET;
    }
    return packet;
}

static enum failure_kind add_event(struct machine_run *run, uint32_t packet,
                                   enum operation operation, uint8_t direction, uint64_t other,
                                   struct failure *failure)
{
    if (run->is_summary)
        return FAIL_NONE;
    uint32_t room = run->events_room;
    if (!grow(run, &run->event, run->events, &room, sizeof *run->event, failure) ||
        !grow(run, &run->order, run->events, &run->events_room, sizeof *run->order, failure))
        return failure->kind;
    run->event[run->events++] =
        (struct run_event){packet, (uint8_t)operation, direction, other};
    return FAIL_NONE;
}

static enum failure_kind take_injection(struct machine_run *run, const struct trace_line *line,
                                        struct failure *failure)
{
    uint64_t node = line->field[0], number = line->field[1], message = line->field[2];
    if (node >= mesh_nodes(run->mesh) || message >= UINT32_MAX)
        return run_refuse(&run->plan, line->number, failure,
                          "expected a node below %u and a message below 2^32 - 1",
                          mesh_nodes(run->mesh));
    if (find(run, number) != NO_PACKET)
        return run_refuse(&run->plan, line->number, failure,
                          "packet %" PRIu64 " is in the network already", number);
    uint32_t packet = make_packet(run, number, (uint32_t)node, (uint32_t)message, failure);
    if (packet == NO_PACKET)
        return failure->kind;
    change(run, (uint32_t)node, 1);
    return add_event(run, packet, INJECT, 0, node, failure);
}

static enum failure_kind take_copy(struct machine_run *run, const struct trace_line *line,
                                   struct failure *failure)
{
    uint32_t packet = packet_of(run, line, 1, failure), copy = NO_PACKET;
    if (packet == NO_PACKET)
        return failure->kind;
    if (find(run, line->field[2]) != NO_PACKET)
        return run_refuse(&run->plan, line->number, failure,
                          "packet %" PRIu64 " is in the network already", line->field[2]);
    uint32_t node = run->packet[packet].node;
    copy = make_packet(run, line->field[2], node, run->packet[packet].message, failure);
    if (copy == NO_PACKET)
        return failure->kind;
    change(run, node, 1);
    return add_event(run, packet, COPY, 0, copy, failure);
}

static enum failure_kind take_move(struct machine_run *run, const struct trace_line *line,
                                   struct failure *failure)
{
    uint8_t direction;
    uint32_t packet = packet_of(run, line, 0, failure);
    if (packet == NO_PACKET)
        return failure->kind;
    uint32_t from = run->packet[packet].node;
    if (!link_of(run, from, line->field[2], &direction))
        return run_refuse(&run->plan, line->number, failure, "expected a move to a neighbour");
    change(run, from, -1);
    change(run, (uint32_t)line->field[2], 1);
    run->packet[packet].node = (uint32_t)line->field[2];
    run->load[(size_t)from * DIRECTIONS + direction]++;
    run->hops++;
    return add_event(run, packet, MOVE, direction, 0, failure);
}

/* D and E. */
static enum failure_kind take_delivery(struct machine_run *run, const struct trace_line *line,
                                       struct failure *failure)
{
    uint32_t packet = packet_of(run, line, 1, failure);
    if (packet == NO_PACKET)
        return failure->kind;
    if (run->packet[packet].message != line->field[2])
        return run_refuse(&run->plan, line->number, failure,
                          "packet %" PRIu64 " is of message %" PRIu32 ", not of %" PRIu64,
                          line->field[1], run->packet[packet].message, line->field[2]);
    run->delivered++;
    if (line->letter == 'D')
        return add_event(run, packet, DELIVER, 0, 0, failure);
    change(run, run->packet[packet].node, -1);
    leave(run, packet);
    return add_event(run, packet, END, 0, 0, failure);
}

static enum failure_kind take_discard(struct machine_run *run, const struct trace_line *line,
                                      struct failure *failure)
{
    uint32_t packet = packet_of(run, line, 1, failure);
    if (packet == NO_PACKET)
        return failure->kind;
    change(run, run->packet[packet].node, -1);
    leave(run, packet);
    return add_event(run, packet, DISCARD, 0, 0, failure);
}

static enum failure_kind take_merge(struct machine_run *run, const struct trace_line *line,
                                    struct failure *failure)
{
    uint32_t packet = packet_of(run, line, 1, failure);
    if (packet == NO_PACKET)
        return failure->kind;
    uint32_t into = packet_of(run, line, 2, failure);
    if (into == NO_PACKET)
        return failure->kind;
    if (into == packet)
        return run_refuse(&run->plan, line->number, failure,
                          "expected a merge into another packet");
    change(run, run->packet[packet].node, -1);
    leave(run, packet);
    return add_event(run, packet, MERGE, 0, into, failure);
}

static enum failure_kind machine_line(void *state, const struct trace_line *line,
                                      struct failure *failure)
{
    static const struct {
        char letter;
        int fields;
        enum failure_kind (*take)(struct machine_run *run, const struct trace_line *line,
                                  struct failure *failure);
    } events[] = {{'M', 3, take_move},     {'X', 2, take_word},     {'C', 3, take_copy},
                  {'D', 3, take_delivery}, {'E', 3, take_delivery}, {'I', 3, take_injection},
                  {'R', 2, take_discard},  {'G', 3, take_merge}};
    struct machine_run *run = state;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (events[i].letter != line->letter || events[i].fields != line->fields)
            continue;
        if (begin_row(run, line, failure) != FAIL_NONE)
            return failure->kind;
        if (run->events >= INT32_MAX || run->packets >= INT32_MAX)
            return run_refuse(&run->plan, line->number, failure,
                              "expected less than 2^31 packets, and events in a step");
        return events[i].take(run, line, failure);
    }
    return run_refuse(&run->plan, line->number, failure,
                      "format: expected one of the letters I M X C D E R G and its fields");
}

/* A phase begins behind the rows so far. */
static void machine_comment(void *state, const char *text)
{
    static const char begin[] = " phase ";
    struct machine_run *run = state;
    if (strncmp(text, begin, sizeof begin - 1) != 0)
        return;
    fprintf(run->plan.out, "phase %" PRIu32 " ", run->rows + run->has_row);
    run_write_text(text + sizeof begin - 1, run->plan.out);
    fputc('\n', run->plan.out);
}

static enum failure_kind machine_end(void *state, FILE *members, uint64_t *steps,
                                     struct failure *failure)
{
    struct machine_run *run = state;
    if (end_row(run, failure) != FAIL_NONE || end_frame(run, failure) != FAIL_NONE)
        return failure->kind;
    fputs("time", run->plan.out);
    write_block(run, run->time, TIME_COLUMNS, failure);
    fputc('\n', run->plan.out);
    fprintf(members,
            "\"kind\":\"machine\",\"rows\":%" PRIu32 ",\"cols\":%" PRIu32 ",\"packets\":%" PRIu32
            ",\"events\":%" PRIu64 ",\"detail_ends\":",
            run->mesh.rows, run->mesh.cols, run->packets, run->all_events);
    if (run->is_summary && run->detail_ends < run->last_step)
        fprintf(members, "%" PRIu64, run->detail_ends);
    else
        fputs("null", members);
    fputc(',', members);
    *steps = run->rows > 0 ? run->last_step : 0;
    return failure->kind;
}

const struct run_kind run_of_machine = {"meshcast-trace", machine_begin, machine_line,
                                        machine_comment,  machine_end,   machine_free};
