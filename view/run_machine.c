/* run_machine.c - a run of the mesh machine: takes the lines of its trace, and keeps where each packet is.
 *
 * A line must say what can be: a packet that is there, a node that it is at, a neighbour that it goes to. Its event
 * is kept until the row, a step in which something happened, is over (run_machine_frames.c).
 * Cost: some ten operations and a search by the packet's number an event; 24 bytes a packet that ever was, 33 a node.
 */
#include "view/run_machine_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

bool machine_run_within_limit(struct machine_run *run, uint64_t bytes, struct failure *failure)
{
    run->bytes += bytes;
    return memory_check_limit(run->bytes, run->plan.limit, "the page of the run", failure) ==
           FAIL_NONE;
}

/* Makes room for one more of `count`: *array is a pointer to elements of `size` bytes. */
bool machine_run_grow(struct machine_run *run, void *array, uint32_t count, uint32_t *room,
                      size_t size, struct failure *failure)
{
    enum { FIRST_ROOM = 1024 };
    if (count < *room)
        return true;
    void *old, *grown;
    uint32_t wanted = *room == 0 ? FIRST_ROOM : *room <= UINT32_MAX / 2 ? *room * 2 : UINT32_MAX;
    memcpy(&old, array, sizeof old);
    if (!machine_run_within_limit(run, (uint64_t)(wanted - *room) * size, failure))
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
    free(run->contributions);
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
    unsigned rows = 0, cols = 0;
    char plain[sizeof "meshcast-trace 1 4294967295 4294967295"];
    sscanf(header, "meshcast-trace 1 %u %u", &rows, &cols);
    /* The page holds the line as it is, for readers that take plain numbers alone: no signs, no zeros before them. */
    size_t length = (size_t)snprintf(plain, sizeof plain, "meshcast-trace 1 %u %u", rows, cols);
    if (!mesh_is_valid(rows, cols) || strncmp(header, plain, length) != 0 ||
        (header[length] != ' ' && header[length] != '\0'))
        return run_refuse(&run->plan, 1, failure,
                          "format: expected 'meshcast-trace 1 ROWS COLS ..' with sides of 1 to %d",
                          MESH_MAX_SIDE);
    run->mesh = (struct mesh){rows, cols};
    const struct message_set *set = run->plan.set;
    if (set != NULL && (set->mesh.rows != rows || set->mesh.cols != cols))
        return run_refuse(&run->plan, 1, failure, "the trace is of %u x %u nodes, the set is not",
                          rows, cols);
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
    run->reduces = strstr(header, " reduce=sum") != NULL;
    if (read_mesh(run, header, failure) != FAIL_NONE ||
        !machine_run_within_limit(run, (uint64_t)mesh_nodes(run->mesh) * 33, failure)) {
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
        !machine_run_grow(run, &run->holders, 0, &run->holders_room, sizeof *run->holders,
                          failure)) {
        machine_free(run);
        *state = NULL;
        return fail_memory(failure, "the page of the run");
    }
    memset(run->holders, 0, run->holders_room * sizeof *run->holders);
    run->holders[0] = nodes;
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
    if (!machine_run_grow(run, &run->word, run->words, &run->words_room, sizeof *run->word,
                          failure))
        return failure->kind;
    run->word[run->words++] = line->field[0] * DIRECTIONS + direction;
    return FAIL_NONE;
}

/* What a line says of a packet, whose number is field `at`; NO_PACKET, with a failure: it says nothing that could be. */
static uint32_t packet_of(struct machine_run *run, const struct trace_line *line, int at,
                          struct failure *failure)
{
    uint32_t packet = run_packet_find(run, line->field[at]);
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
    if (!machine_run_grow(run, &run->event, run->events, &room, sizeof *run->event, failure) ||
        !machine_run_grow(run, &run->order, run->events, &run->events_room, sizeof *run->order,
                          failure))
        return failure->kind;
    run->event[run->events++] = (struct run_event){packet, (uint8_t)operation, direction, other};
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
    if (run_packet_find(run, number) != NO_PACKET)
        return run_refuse(&run->plan, line->number, failure,
                          "packet %" PRIu64 " is in the network already", number);
    uint32_t packet = run_packet_make(run, number, (uint32_t)node, (uint32_t)message, failure);
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
    if (run_packet_find(run, line->field[2]) != NO_PACKET)
        return run_refuse(&run->plan, line->number, failure,
                          "packet %" PRIu64 " is in the network already", line->field[2]);
    uint32_t node = run->packet[packet].node;
    copy = run_packet_make(run, line->field[2], node, run->packet[packet].message, failure);
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

/* How many deliveries there are where the packet ends: all contributions that it carries. */
static uint32_t contributions_of(const struct machine_run *run, uint32_t packet)
{
    return run->reduces ? run->contributions[packet] : 1;
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
    run->delivered += contributions_of(run, packet);
    if (line->letter == 'D')
        return add_event(run, packet, DELIVER, 0, 0, failure);
    change(run, run->packet[packet].node, -1);
    run_packet_end(run, packet);
    return add_event(run, packet, END, 0, 0, failure);
}

static enum failure_kind take_discard(struct machine_run *run, const struct trace_line *line,
                                      struct failure *failure)
{
    uint32_t packet = packet_of(run, line, 1, failure);
    if (packet == NO_PACKET)
        return failure->kind;
    change(run, run->packet[packet].node, -1);
    run_packet_end(run, packet);
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
    if (run->reduces)
        run->contributions[into] += run->contributions[packet];
    change(run, run->packet[packet].node, -1);
    run_packet_end(run, packet);
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
        if (run_row_begin(run, line, failure) != FAIL_NONE)
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
    if (run_rows_end(run, failure) != FAIL_NONE)
        return failure->kind;
    fputs("time", run->plan.out);
    run_write_block(run, run->time, TIME_COLUMNS, failure);
    fputc('\n', run->plan.out);
    fprintf(members,
            "\"kind\":\"machine\",\"rows\":%" PRIu32 ",\"cols\":%" PRIu32 ",\"packets\":%" PRIu32
            ",\"events\":%" PRIu64 ",\"reduces\":%s,\"detail_ends\":",
            run->mesh.rows, run->mesh.cols, run->packets, run->all_events,
            run->reduces ? "true" : "false");
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
