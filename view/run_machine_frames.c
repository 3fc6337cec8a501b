/* run_machine_frames.c - writes the rows of a run of the mesh machine as columns, frame by frame.
 *
 * A row's events are put in the order of their packets, so that a packet that goes on as before costs a fraction of a byte:
 * its number is a small gap, its operation the same as that of most others, and its place is known.
 * Invariant: the order keeps a packet's own events as they were, and a packet that is copied has a smaller number than
 * its copy. Merges come last, when the packet merged into has come.
 * Cost: a radix sort of a row's events; for each frame a look at all nodes and packets.
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

/* Where each packet is before the frame's first row. */
static void write_key(struct machine_run *run)
{
    uint32_t last = 0, node = 0;
    while (run->first_living < run->packets && run->packet[run->first_living].node == MESH_NO_NODE)
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
            if (!machine_run_grow(run, &run->holders, run->holders_room, &run->holders_room,
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

enum failure_kind run_row_begin(struct machine_run *run, const struct trace_line *line,
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

enum failure_kind run_rows_end(struct machine_run *run, struct failure *failure)
{
    return end_row(run, failure) == FAIL_NONE ? end_frame(run, failure) : failure->kind;
}
