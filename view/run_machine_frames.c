/* run_machine_frames.c - writes the rows of a mesh machine's run as columns, frame by frame.
 *
 * A row's events are sorted by packet, so that a packet that moves on takes a fraction of a byte: its number is a small gap,
 * its operation is that of most others, and its place is known.
 * Invariant: a packet's own events keep their order, and a packet that is copied has a smaller number than its copy. Merges
 * come last, after the packet merged into has come.
 * Cost: a radix sort of a row's events; a pass over all nodes and packets per frame.
 */
#include "view/run_machine_private.h"
#include "workloads/radix_sort.h"

#include <inttypes.h>
#include <string.h>

/* ---- frames ---- */

void run_write_block(struct machine_run *run, struct column *column, size_t count,
                     struct failure *failure)
{
    fputc(' ', run->plan.out);
    if (!columns_write(column, count, run->plan.out))
        fail_memory(failure, "the page of the run");
}

/* Returns where the packet is; MESH_NO_NODE: it is gone. */
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
        uint32_t v = run->changed[i], now = run->occupancy[v], room = run->holders_room;
        run->is_changed[v] = 0;
        if (now >= run->holders_room) {
            if (!machine_run_grow(&run->holders, (uint64_t)now + 1, &run->holders_room,
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

enum failure_kind run_row_begin(struct machine_run *run, uint64_t step, struct failure *failure)
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

enum failure_kind run_rows_end(struct machine_run *run, struct failure *failure)
{
    return end_row(run, failure) == FAIL_NONE ? end_frame(run, failure) : failure->kind;
}
