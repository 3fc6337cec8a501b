/* run_machine.c - the encoder of a run of the mesh machine: frames, events, lines of its trace,
 * phases and its end.
 *
 * Its arrays grow by doubling.
 * Cost: 20 bytes per packet that ever existed, 8 per name, 34 per node.
 */
#include "base/number_table.h"
#include "machine/observer.h"
#include "view/columns.h"
#include "view/run_encoder_private.h"
#include "workloads/radix_sort.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- frames ---- */

#define NO_PACKET UINT32_MAX

/* The operations of events, by their numbers in the format. */
enum operation { MOVE_ON, MOVE, INJECT = MOVE + DIRECTIONS, COPY, DELIVER, END, DISCARD, MERGE };

/* An event of the row is a word: from the low bits on its operation, the index in `further` of its
 * further number if its operation has one, its packet, and one bit that is set for merges. */
enum { FURTHER_BIT = 4, FURTHER_BITS = 28, PACKET_BIT = 32, PACKET_BITS = 31, MERGE_BIT = 63 };

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
    uint64_t line;             /* of the trace that is read, for messages; 0: the run is observed */
    uint64_t born_number;      /* of the trace's next new packet */
    struct number_table names; /* of the trace's packets in the network, by their numbers */

    uint32_t packets; /* so far */
    size_t packets_room;
    uint64_t *number;        /* [packet]: in the trace; after a discard the name's next number */
    uint32_t *name;          /* [packet] */
    uint32_t *message;       /* [packet] */
    uint32_t *last_move;     /* [packet]: DIRECTIONS x frame + direction */
    uint32_t *contributions; /* [packet]: its contributions; NULL: no reduction */
    bool reduces;
    struct packet_place {
        uint32_t packet; /* the last one of that name, or NO_PACKET */
        uint32_t node;   /* MESH_NO_NODE: it is gone */
    } * place;           /* [name] */
    size_t names_room;
    uint64_t first_number; /* struct machine_beginning's `first` */
    uint32_t slots;        /* struct machine_beginning's `slots` */
    uint32_t first_living; /* all packets below it are gone */

    uint8_t *links;              /* [node]: a bit per direction that leads to a neighbour */
    int32_t step_to[DIRECTIONS]; /* from a node to its neighbour */
    uint32_t *occupancy;         /* [node]: now */
    uint32_t *peak;              /* [node]: the most at the end of a row of this frame */
    uint32_t *before;            /* [node]: at the end of the last row */
    uint32_t *load;              /* [node][DIRECTIONS]: packets over the link in this frame */
    uint32_t *changed, changes;  /* nodes that packets entered or left in this row */
    uint8_t *is_changed;         /* [node]: it is in `changed` */
    uint64_t *holders;           /* [occupancy]: the number of nodes with that occupancy */
    size_t holders_room;
    uint32_t fullest; /* the largest occupancy */

    uint64_t step; /* of the row */
    bool has_row;
    uint64_t *event; /* the row's events */
    uint32_t events;
    size_t events_room;
    uint32_t *further; /* the row's injected nodes, copies and packets merged into */
    uint32_t furthers;
    size_t furthers_room;
    uint64_t *word; /* the links that carried a word in the row */
    uint32_t words;
    size_t words_room;

    uint64_t all_events, delivered, in_network;
    uint64_t hops, word_hops; /* of the row */
    uint32_t frame, rows, frame_rows, frame_events;
    uint64_t frame_first; /* the step of the frame's first row */
    uint64_t last_step;   /* the step of the last row that is over */
    uint64_t last_number; /* of this frame's last new packet */
    uint32_t last_message, last_copy, last_node;
    bool is_summary;      /* this frame and all later ones keep no events */
    uint64_t detail_ends; /* the last step with events, if is_summary */
    struct column key[KEY_COLUMNS], born[BORN_COLUMNS], events_of[EVENT_COLUMNS];
    struct column sum[SUM_COLUMNS], rest[REST_COLUMNS];
    struct column time[TIME_COLUMNS];
    uint64_t timed[TIME_COLUMNS]; /* the values of the last row */
};

/* Fails, naming the line, or of an observed run the step. */
__attribute__((format(printf, 3, 4))) static enum failure_kind
machine_run_refuse(const struct machine_run *run, struct failure *failure, const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (run->line > 0)
        return run_refuse(&run->plan, run->line, failure, "%s", text);
    return fail(failure, FAIL_CHECK, "the page of the run, step %" PRIu64 ": %s", run->step, text);
}

/* Makes room for `count` elements of `size` bytes; `array` points to the pointer to them. */
static bool machine_run_grow(void *array, size_t count, size_t *room, size_t size,
                             struct failure *failure)
{
    return memory_make_room(array, room, count, size) ||
           fail_memory(failure, "the page of the run") == FAIL_NONE;
}

/* Notes that names from `first` on have no packets. */
static void machine_run_forget(struct machine_run *run, uint32_t first)
{
    for (uint32_t name = first; name < run->names_room; name++)
        run->place[name] = (struct packet_place){NO_PACKET, MESH_NO_NODE};
}

/* Makes room for names below `count`. */
static enum failure_kind machine_run_names(struct machine_run *run, uint64_t count,
                                           struct failure *failure)
{
    size_t room = run->names_room;
    if (machine_run_grow(&run->place, count, &run->names_room, sizeof *run->place, failure))
        machine_run_forget(run, room);
    return failure->kind;
}

/* Writes the rows of a mesh machine's run as columns, frame by frame.
 *
 * A row's events are sorted by packet, so that a packet that moves on costs a fraction of a byte:
 * its number is a small gap, its operation is that of most others, and its place is known.
 * Invariant: a packet's own events keep their order, and a packet that is copied has a smaller
 * number than its copy. Merges are last, after the arrival of the packet merged into.
 * Cost: a radix sort of a row's events; a pass over all nodes and packets per frame.
 */

/* ---- frames ---- */

/* Writes a blank and a block. */
static void run_write_block(struct machine_run *run, struct column *column, size_t count,
                            struct failure *failure)
{
    fputc(' ', run->plan.out);
    if (!columns_write(column, count, run->plan.out))
        fail_memory(failure, "the page of the run");
}

/* Returns the packet's node; MESH_NO_NODE: it is gone. */
static uint32_t node_of(const struct machine_run *run, uint32_t packet)
{
    const struct packet_place *place = &run->place[run->name[packet]];
    return place->packet == packet ? place->node : MESH_NO_NODE;
}

/* Puts the place of each packet before the frame's first row. */
static void write_key(struct machine_run *run)
{
    uint32_t last = 0, node = 0;
    while (run->first_living < run->packets && node_of(run, run->first_living) == MESH_NO_NODE)
        run->first_living++;
    for (uint32_t i = run->first_living; i < run->packets; i++) {
        uint32_t here = node_of(run, i);
        if (here == MESH_NO_NODE)
            continue;
        column_put(&run->key[KEY_PACKET], i - last);
        column_put_change(&run->key[KEY_NODE], node, here);
        last = i;
        node = here;
    }
}

/* Puts the frame's peaks and loads, and clears them. */
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
    run_write_block(run, run->sum, SUM_COLUMNS, failure);
    if (run->is_summary)
        run_write_block(run, run->rest, REST_COLUMNS, failure);
    else {
        run_write_block(run, run->key, KEY_COLUMNS, failure);
        run_write_block(run, run->born, BORN_COLUMNS, failure);
        run_write_block(run, run->events_of, EVENT_COLUMNS, failure);
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

/* Puts the further number of an injection, a copy or a merge. */
static void put_further(struct machine_run *run, enum operation operation, uint32_t packet,
                        uint32_t further)
{
    struct column *column = run->events_of;
    if (operation == INJECT) {
        column_put_change(&column[EVENT_NODE], run->last_node, further);
        run->last_node = further;
    } else if (operation == COPY) {
        column_put_change(&column[EVENT_COPY], (uint32_t)(run->last_copy + 1), further);
        run->last_copy = further;
    } else
        column_put_change(&column[EVENT_INTO], packet, further);
}

/* Puts the packets and operations of the row's sorted events. */
static void put_events(struct machine_run *run)
{
    struct column *packets = &run->events_of[EVENT_PACKET],
                  *operations = &run->events_of[EVENT_OPERATION];
    uint32_t last = 0, frame = run->frame * DIRECTIONS;
    if (run->events == 0)
        return;
    if (!column_reserve(packets, (size_t)run->events * NUMBER_BYTES_32) ||
        !column_reserve(operations, run->events))
        return; /* columns_write() will fail */
    uint8_t *to_packets = packets->byte + packets->count,
            *to_operations = operations->byte + operations->count;
    for (uint32_t i = 0; i < run->events; i++) {
        uint64_t event = run->event[i];
        uint32_t packet = event >> PACKET_BIT & INT32_MAX;
        unsigned operation = event & ((1 << FURTHER_BIT) - 1);
        to_packets = number_write(to_packets, number_of_change(last, packet));
        last = packet;
        if (operation < INJECT) {
            uint32_t move = frame + (operation - MOVE), before = run->last_move[packet];
            run->last_move[packet] = move;
            operation =
                move == (before - frame < DIRECTIONS ? before : frame) ? MOVE_ON : operation;
        } else if (operation <= COPY || operation == MERGE)
            put_further(run, operation, packet,
                        run->further[event >> FURTHER_BIT & ((1U << FURTHER_BITS) - 1)]);
        *to_operations++ = (uint8_t)operation;
    }
    packets->count = (size_t)(to_packets - packets->byte);
    operations->count = (size_t)(to_operations - operations->byte);
}

/* Puts the row's events and words. */
static enum failure_kind put_row(struct machine_run *run, struct failure *failure)
{
    uint64_t link = 0;
    if (!radix_sort_from(run->event, run->events, PACKET_BIT) || !radix_sort(run->word, run->words))
        return fail_memory(failure, "the page of the run");
    column_put(&run->events_of[EVENT_STEP], run->step - run->frame_first);
    column_put(&run->events_of[EVENT_COUNT], run->events);
    column_put(&run->events_of[EVENT_WORDS], run->words);
    put_events(run);
    for (uint32_t i = 0; i < run->words; i++) {
        column_put(&run->events_of[EVENT_WORD], run->word[i] - link);
        link = run->word[i];
    }
    return FAIL_NONE;
}

/* Updates the number of nodes with each occupancy, and from it the largest occupancy. */
static enum failure_kind count_holders(struct machine_run *run, struct failure *failure)
{
    for (uint32_t i = 0; i < run->changes; i++) {
        uint32_t v = run->changed[i], now = run->occupancy[v];
        size_t room = run->holders_room;
        run->is_changed[v] = 0;
        if (now >= run->holders_room) {
            if (!machine_run_grow(&run->holders, (size_t)now + 1, &run->holders_room,
                                  sizeof *run->holders, failure))
                return failure->kind;
            memset(run->holders + room, 0, (run->holders_room - room) * sizeof *run->holders);
        }
        run->holders[run->before[v]]--;
        run->holders[now]++;
        run->before[v] = now;
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

/* Ends the row, and the frame if it is full. */
static enum failure_kind end_row(struct machine_run *run, struct failure *failure)
{
    if (!run->has_row)
        return FAIL_NONE;
    if (count_holders(run, failure) != FAIL_NONE)
        return failure->kind;
    put_time(run);
    if (!run->is_summary && put_row(run, failure) != FAIL_NONE)
        return failure->kind;
    run->frame_events += run->events + run->words;
    run->all_events += run->events + run->words;
    run->last_step = run->step;
    run->events = run->furthers = run->words = 0;
    run->hops = run->word_hops = 0;
    run->has_row = false;
    run->rows++;
    run->frame_rows++;
    if (run->frame_rows == RUN_FRAME_ROWS || run->frame_events >= RUN_FRAME_EVENTS)
        return end_frame(run, failure);
    return FAIL_NONE;
}

/* Begins the row of a step, unless it has begun, and ends the row before it. */
static enum failure_kind run_row_begin(struct machine_run *run, uint64_t step,
                                       struct failure *failure)
{
    if (run->has_row && step == run->step)
        return FAIL_NONE;
    if ((run->has_row || run->rows > 0) && step < run->step)
        return machine_run_refuse(run, failure, "expected a step of %" PRIu64 " or later",
                                  run->step);
    if (end_row(run, failure) != FAIL_NONE)
        return failure->kind;
    run->step = step;
    run->has_row = true;
    if (run->frame_rows == 0)
        begin_frame(run);
    return FAIL_NONE;
}

/* Ends the last row and the last frame. */
static enum failure_kind run_rows_end(struct machine_run *run, struct failure *failure)
{
    return end_row(run, failure) == FAIL_NONE ? end_frame(run, failure) : failure->kind;
}

/* ---- events ---- */

/* Reads the events of a mesh machine's run, and keeps each packet's node.
 *
 * Method: an event must be possible: its packet must be in the network and at the node named, and
 * must move to a neighbour. Events are kept until their row, a step in which something happened, is
 * over. Packets are renumbered from 0 in the order of their first events; an array gives the packet
 * of a name.
 * Invariant: before[v] = occupancy[v] for every node that is not in `changed`.
 * Cost: some twenty operations per event.
 */

/* ---- packets and nodes ---- */

/* Enters a node in `changed`, which has room for one entry more than there are nodes; returns its
 * new length. */
static inline uint32_t note_change(struct machine_run *run, uint32_t changes, uint32_t node)
{
    run->changed[changes] = node;
    changes += !run->is_changed[node];
    run->is_changed[node] = 1;
    return changes;
}

static void enter(struct machine_run *run, uint32_t node)
{
    run->changes = note_change(run, run->changes, node);
    run->occupancy[node]++;
    run->in_network++;
}

static void leave(struct machine_run *run, uint32_t packet)
{
    struct packet_place *place = &run->place[run->name[packet]];
    run->changes = note_change(run, run->changes, place->node);
    run->occupancy[place->node]--;
    run->in_network--;
    place->node = MESH_NO_NODE;
}

/* Returns the direction from a node towards another number; the neighbour there may be another
 * node, or none. */
static inline unsigned direction_to(const struct machine_run *run, uint32_t from, uint32_t to)
{
    unsigned is_row = (to + 1 == from || from + 1 == to) && run->mesh.cols > 1;
    return is_row << 1 | (to > from); /* NORTH, SOUTH, WEST, EAST */
}

static inline bool link_is_there(const struct machine_run *run, uint32_t from, uint32_t to,
                                 unsigned direction)
{
    return to == from + (uint32_t)run->step_to[direction] && run->links[from] >> direction & 1;
}

/* Returns the packet of that name if it is at that node, else NO_PACKET, with a failure. */
static uint32_t packet_at(struct machine_run *run, uint32_t name, uint32_t node,
                          struct failure *failure)
{
    if (name >= run->names_room || run->place[name].node == MESH_NO_NODE) {
        machine_run_refuse(run, failure, "no packet of name %" PRIu32 " is in the network", name);
        return NO_PACKET;
    }
    struct packet_place place = run->place[name];
    if (place.node == node)
        return place.packet;
    machine_run_refuse(run, failure,
                       "packet %" PRIu64 " is at node %" PRIu32 ", not at node %" PRIu32,
                       run->number[place.packet], place.node, node);
    return NO_PACKET;
}

/* Keeps an event's further number until the row is over; returns the event's bits for it. */
static uint64_t keep_further(struct machine_run *run, uint32_t number)
{
    if (run->is_summary)
        return 0;
    run->further[run->furthers] = number;
    return (uint64_t)run->furthers++ << FURTHER_BIT;
}

static void keep_event(struct machine_run *run, uint32_t packet, enum operation operation,
                       uint64_t further)
{
    if (!run->is_summary)
        run->event[run->events++] = (uint64_t)(operation == MERGE) << MERGE_BIT |
                                    (uint64_t)packet << PACKET_BIT | further | operation;
}

static bool grow_packets(struct machine_run *run, struct failure *failure)
{
    struct {
        void *array;
        size_t size;
    } const all[] = {{&run->number, sizeof *run->number},
                     {&run->name, sizeof *run->name},
                     {&run->message, sizeof *run->message},
                     {&run->last_move, sizeof *run->last_move},
                     {&run->contributions, sizeof *run->contributions}};
    size_t arrays = run->reduces ? 5 : 4;
    size_t room = run->packets_room;
    if (run->packets < room)
        return true;
    for (size_t i = 0; i < arrays; i++) {
        room = run->packets_room;
        if (!machine_run_grow(all[i].array, (size_t)run->packets + 1, &room, all[i].size, failure))
            return false;
    }
    run->packets_room = room;
    return true;
}

/* Makes a packet of that name; NO_PACKET, with a failure, if there is one or no memory. */
static uint32_t make_packet(struct machine_run *run, uint32_t name, uint32_t node, uint32_t message,
                            struct failure *failure)
{
    uint32_t packet = run->packets;
    if (name >= run->names_room || run->place[name].node != MESH_NO_NODE) {
        machine_run_refuse(run, failure, "expected a name that no packet has, not %" PRIu32, name);
        return NO_PACKET;
    }
    if (packet >= INT32_MAX || run->furthers >= UINT32_C(1) << FURTHER_BITS) {
        machine_run_refuse(run, failure,
                           "expected fewer than 2^31 packets, and 2^28 that come in a step");
        return NO_PACKET;
    }
    if (!grow_packets(run, failure))
        return NO_PACKET;
    uint32_t last = run->place[name].packet;
    uint64_t number = run->line > 0       ? run->born_number
                      : last == NO_PACKET ? run->first_number + name
                                          : run->number[last];
    run->number[packet] = number;
    run->name[packet] = name;
    run->message[packet] = message;
    run->last_move[packet] = UINT32_MAX;
    if (run->reduces)
        run->contributions[packet] = 1;
    if (!run->is_summary) {
        column_put_change(&run->born[BORN_MESSAGE], run->last_message, message);
        column_put_change(&run->born[BORN_NUMBER], run->last_number + 1, number);
        run->last_message = message;
        run->last_number = number;
    }
    run->place[name] = (struct packet_place){packet, node};
    enter(run, node);
    return run->packets++;
}

/* ---- events ---- */

/* Reads moves, which most events are, up to another event or `stop`; returns where it ends or
 * fails. */
static const struct machine_event *take_moves(struct machine_run *run,
                                              const struct machine_event *event,
                                              const struct machine_event *stop,
                                              struct failure *failure)
{
    enum { AHEAD = 16 };
    const struct machine_event *begin = event;
    uint64_t *word = run->event + run->events;
    uint32_t changes = run->changes;
    unsigned keeps = !run->is_summary;
    for (; event < stop && event->kind == 'M'; event++) {
        uint32_t name = event->field[0], from = event->field[1], to = event->field[2];
        if (stop - event > AHEAD)
            __builtin_prefetch(&run->place[event[AHEAD].field[0]], 1);
        if (name >= run->names_room || run->place[name].node != from || from == MESH_NO_NODE) {
            packet_at(run, name, from, failure);
            break;
        }
        struct packet_place *place = &run->place[name];
        unsigned direction = direction_to(run, from, to);
        if (!link_is_there(run, from, to, direction)) {
            machine_run_refuse(run, failure, "expected a move to a neighbour");
            break;
        }
        place->node = to;
        run->occupancy[from]--;
        run->occupancy[to]++;
        changes = note_change(run, changes, from);
        changes = note_change(run, changes, to);
        run->load[(size_t)from * DIRECTIONS + direction]++;
        if (keeps)
            *word++ = (uint64_t)place->packet << PACKET_BIT | (MOVE + direction);
    }
    run->changes = changes;
    run->hops += (uint64_t)(event - begin);
    run->events += keeps ? (uint32_t)(event - begin) : 0;
    return event;
}

static enum failure_kind take_word(struct machine_run *run, const struct machine_event *event,
                                   struct failure *failure)
{
    uint32_t from = event->field[0], to = event->field[1], nodes = mesh_nodes(run->mesh);
    unsigned direction = direction_to(run, from, to);
    if (from >= nodes || to >= nodes || !link_is_there(run, from, to, direction))
        return machine_run_refuse(run, failure, "expected a word between two neighbours");
    run->word_hops++;
    if (!run->is_summary)
        run->word[run->words++] = (uint64_t)from * DIRECTIONS + direction;
    return FAIL_NONE;
}

static enum failure_kind take_injection(struct machine_run *run, const struct machine_event *event,
                                        struct failure *failure)
{
    uint32_t node = event->field[0], message = event->field[2];
    if (node >= mesh_nodes(run->mesh) || message == UINT32_MAX)
        return machine_run_refuse(run, failure,
                                  "expected a node below %u and a message below 2^32 - 1",
                                  mesh_nodes(run->mesh));
    uint32_t packet = make_packet(run, event->field[1], node, message, failure);
    if (packet != NO_PACKET)
        keep_event(run, packet, INJECT, keep_further(run, node));
    return failure->kind;
}

static enum failure_kind take_copy(struct machine_run *run, const struct machine_event *event,
                                   uint32_t packet, struct failure *failure)
{
    uint32_t copy =
        make_packet(run, event->field[2], event->field[0], run->message[packet], failure);
    if (copy != NO_PACKET)
        keep_event(run, packet, COPY, keep_further(run, copy));
    return failure->kind;
}

/* Reads a D or E. A packet of a reduction delivers all its contributions. */
static enum failure_kind take_delivery(struct machine_run *run, const struct machine_event *event,
                                       uint32_t packet, struct failure *failure)
{
    bool ends = event->kind == 'E';
    if (run->message[packet] != event->field[2])
        return machine_run_refuse(run, failure,
                                  "packet %" PRIu64 " is of message %" PRIu32 ", not of %" PRIu32,
                                  run->number[packet], run->message[packet], event->field[2]);
    run->delivered += run->reduces ? run->contributions[packet] : 1;
    if (ends)
        leave(run, packet);
    keep_event(run, packet, ends ? END : DELIVER, 0);
    return FAIL_NONE;
}

static enum failure_kind take_merge(struct machine_run *run, const struct machine_event *event,
                                    uint32_t packet, struct failure *failure)
{
    uint32_t into = packet_at(run, event->field[2], event->field[0], failure);
    if (into == NO_PACKET)
        return failure->kind;
    if (into == packet)
        return machine_run_refuse(run, failure, "expected a merge into another packet");
    if (run->reduces)
        run->contributions[into] += run->contributions[packet];
    leave(run, packet);
    keep_event(run, packet, MERGE, keep_further(run, into));
    return FAIL_NONE;
}

/* Reads an event that is not a move. */
static enum failure_kind take_event(struct machine_run *run, const struct machine_event *event,
                                    struct failure *failure)
{
    if (event->kind == 'X')
        return take_word(run, event, failure);
    if (event->kind == 'I')
        return take_injection(run, event, failure);
    uint32_t packet = packet_at(run, event->field[1], event->field[0], failure);
    if (packet == NO_PACKET)
        return failure->kind;
    switch (event->kind) {
    case 'C':
        return take_copy(run, event, packet, failure);
    case 'G':
        return take_merge(run, event, packet, failure);
    case 'R':
        leave(run, packet);
        run->number[packet] += run->slots;
        keep_event(run, packet, DISCARD, 0);
        return FAIL_NONE;
    default:
        return take_delivery(run, event, packet, failure);
    }
}

enum failure_kind machine_run_take(struct machine_run *run, uint64_t step,
                                   const struct machine_event *event, size_t count,
                                   struct failure *failure)
{
    const struct machine_event *stop = event + count;
    if (run_row_begin(run, step, failure) != FAIL_NONE)
        return failure->kind;
    if (!run->is_summary &&
        (!machine_run_grow(&run->event, run->events + count, &run->events_room, sizeof *run->event,
                           failure) ||
         !machine_run_grow(&run->further, run->furthers + count, &run->furthers_room,
                           sizeof *run->further, failure) ||
         !machine_run_grow(&run->word, run->words + count, &run->words_room, sizeof *run->word,
                           failure)))
        return failure->kind;
    while (event < stop && failure->kind == FAIL_NONE)
        if (event->kind != 'M')
            take_event(run, event++, failure);
        else
            event = take_moves(run, event, stop, failure);
    return failure->kind;
}

/* ---- lines of a trace ---- */

/* Turns the lines of a mesh machine's trace into events.
 *
 * A trace's packet numbers may be large and leave gaps. A table gives the packets in the network
 * the names 0, 1, .. in the order of their first events.
 */

enum field_kind { PLAIN, PACKET, NEW_PACKET };

static const struct letter {
    char letter;
    int fields;
    enum field_kind field[3];
    bool ends; /* the packet of field 1 leaves the network */
} letters[] = {
    {'M', 3, {PACKET, PLAIN, PLAIN}, false},      {'X', 2, {PLAIN, PLAIN, PLAIN}, false},
    {'C', 3, {PLAIN, PACKET, NEW_PACKET}, false}, {'D', 3, {PLAIN, PACKET, PLAIN}, false},
    {'E', 3, {PLAIN, PACKET, PLAIN}, true},       {'I', 3, {PLAIN, NEW_PACKET, PLAIN}, false},
    {'R', 2, {PLAIN, PACKET, PLAIN}, true},       {'G', 3, {PLAIN, PACKET, PACKET}, true}};

/* Fills the event's fields with a line's plain numbers and its packets' names. A plain number that
 * is too large for an event becomes UINT32_MAX, which is neither a node nor a message. */
static enum failure_kind find_names(struct machine_run *run, const struct letter *letter,
                                    const struct trace_line *line, struct machine_event *event,
                                    struct failure *failure)
{
    for (int i = 0; i < letter->fields; i++) {
        uint64_t number = line->field[i];
        if (letter->field[i] == PLAIN) {
            event->field[i] = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
            continue;
        }
        const uint32_t *name = number_table_find(&run->names, number);
        if (letter->field[i] == PACKET && name == NULL)
            return run_refuse(&run->plan, line->number, failure,
                              "no packet %" PRIu64 " is in the network", number);
        if (letter->field[i] == NEW_PACKET && name != NULL)
            return run_refuse(&run->plan, line->number, failure,
                              "packet %" PRIu64 " is in the network already", number);
        if (letter->field[i] == NEW_PACKET)
            run->born_number = number;
        event->field[i] = name != NULL ? *name : run->packets;
    }
    return FAIL_NONE;
}

/* Enters the event's new packet in the hash, and removes the packet that ends. */
static enum failure_kind keep_names(struct machine_run *run, const struct letter *letter,
                                    const struct trace_line *line,
                                    const struct machine_event *event, struct failure *failure)
{
    for (int i = 0; i < letter->fields; i++)
        if (letter->field[i] == NEW_PACKET) {
            uint32_t *name = number_table_add(&run->names, line->field[i]);
            if (name == NULL)
                return fail_memory(failure, "the page of the run");
            *name = event->field[i];
        }
    if (letter->ends)
        number_table_remove(&run->names, line->field[1]);
    return FAIL_NONE;
}

/* Reads a line: the member `line` of struct run_kind. */
static enum failure_kind machine_run_line(void *state, const struct trace_line *line,
                                          struct failure *failure)
{
    struct machine_run *run = state;
    struct machine_event event = {.kind = (uint32_t)line->letter};
    const struct letter *letter = letters, *end = letters + sizeof letters / sizeof *letters;
    while (letter < end && (letter->letter != line->letter || letter->fields != line->fields))
        letter++;
    if (letter == end)
        return run_refuse(&run->plan, line->number, failure,
                          "format: expected one of the letters I M X C D E R G and its fields");
    run->line = line->number;
    if (find_names(run, letter, line, &event, failure) != FAIL_NONE ||
        machine_run_names(run, run->packets + 1, failure) != FAIL_NONE ||
        machine_run_take(run, line->time, &event, 1, failure) != FAIL_NONE)
        return failure->kind;
    return keep_names(run, letter, line, &event, failure);
}

/* ---- the run ---- */

/* ---- memory ---- */

static void machine_free(void *state)
{
    struct machine_run *run = state;
    if (run == NULL)
        return;
    number_table_free(&run->names);
    free(run->number);
    free(run->name);
    free(run->message);
    free(run->last_move);
    free(run->contributions);
    free(run->place);
    free(run->links);
    free(run->occupancy);
    free(run->peak);
    free(run->before);
    free(run->load);
    free(run->changed);
    free(run->is_changed);
    free(run->holders);
    free(run->event);
    free(run->further);
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
    /* The page keeps the line as it is, for readers that accept only plain numbers: no signs, no
     * leading zeros. */
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

/* Notes the links that exist. */
static void find_links(struct machine_run *run)
{
    uint32_t rows = run->mesh.rows, cols = run->mesh.cols;
    for (uint32_t row = 0, node = 0; row < rows; row++)
        for (uint32_t col = 0; col < cols; col++)
            run->links[node++] = (uint8_t)((row > 0) << NORTH | (row + 1 < rows) << SOUTH |
                                           (col > 0) << WEST | (col + 1 < cols) << EAST);
    run->step_to[NORTH] = -(int32_t)cols;
    run->step_to[SOUTH] = (int32_t)cols;
    run->step_to[WEST] = -1;
    run->step_to[EAST] = 1;
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
    if (read_mesh(run, header, failure) != FAIL_NONE) {
        machine_free(run);
        *state = NULL;
        return failure->kind;
    }
    uint32_t nodes = mesh_nodes(run->mesh);
    run->links = memory_allocate(nodes, sizeof *run->links);
    run->occupancy = memory_allocate(nodes, sizeof *run->occupancy);
    run->peak = memory_allocate(nodes, sizeof *run->peak);
    run->before = memory_allocate(nodes, sizeof *run->before);
    run->changed = memory_allocate((size_t)nodes + 1, sizeof *run->changed);
    run->is_changed = memory_allocate(nodes, sizeof *run->is_changed);
    run->load = memory_allocate((size_t)nodes * DIRECTIONS, sizeof *run->load);
    if (run->links == NULL || run->occupancy == NULL || run->peak == NULL || run->before == NULL ||
        run->changed == NULL || run->is_changed == NULL || run->load == NULL ||
        !machine_run_grow(&run->holders, 1, &run->holders_room, sizeof *run->holders, failure)) {
        machine_free(run);
        *state = NULL;
        return fail_memory(failure, "the page of the run");
    }
    find_links(run);
    memset(run->holders, 0, run->holders_room * sizeof *run->holders);
    run->holders[0] = nodes;
    return FAIL_NONE;
}

enum failure_kind machine_run_attempt(struct machine_run *run,
                                      const struct machine_beginning *beginning,
                                      struct failure *failure)
{
    machine_run_forget(run, 0);
    run->first_number = beginning->first;
    run->slots = beginning->slots;
    return machine_run_names(run, beginning->slots, failure);
}

/* ---- phases, the end ---- */

/* Begins a phase after the rows so far. */
void machine_run_phase(struct machine_run *run, const char *name)
{
    fprintf(run->plan.out, "phase %" PRIu32 " ", run->rows + run->has_row);
    run_write_text(name, run->plan.out);
    fputc('\n', run->plan.out);
}

static void machine_comment(void *state, const char *text)
{
    static const char begin[] = " phase ";
    if (strncmp(text, begin, sizeof begin - 1) == 0)
        machine_run_phase(state, text + sizeof begin - 1);
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

const struct run_kind run_of_machine = {"meshcast-trace", machine_begin, machine_run_line,
                                        machine_comment,  machine_end,   machine_free};
