/* channel_turns.c - the steps of machine_channel where packets glide: rows take several of them
 * while they are in cache (turns.c).
 *
 * The same steps as in channel.c, the plain way, which is the reference. What a block of nodes sends is
 * found first, and done two blocks later, when what it needs has come from memory.
 * A step's departures read which channels of the rows beside it were full at the end of the step
 * before; these change as the rows arrive, and nothing else is shared by rows but slots that move.
 * Cost: channel.c, channel_straight.c, channel_glide.c.
 */
#include "machine/channel_private.h"

/* ---- departures ---- */

static struct departures *found_at(struct channel_lane *lane, uint32_t place)
{
    return &lane->found[place % 3];
}

/* What the next blocks hold, and which channels are full in the one south of the next one. What a block
 * of the next row holds, which may be another thread's, is not looked at. */
static void fetch_asks(const struct channels *channels, const struct channel_block *block,
                       bool is_last)
{
    fetch_has_effect();
    __builtin_prefetch(&block[2].full, 1);
    __builtin_prefetch(&block[2].queued, 1);
    __builtin_prefetch(&block[1 + channels->blocks].full);
    for (unsigned left = is_last ? 0 : block[1].holds; left != 0; left &= left - 1)
        __builtin_prefetch(&block[1].source[__builtin_ctz(left)], 1);
}

/* What is done at the `place`-th block of a row. */
static void send_found(struct channel_lane *lane, uint32_t place)
{
    struct departures *found = found_at(lane, place);
    if (found->are_any)
        links_send(lane, found);
    found->are_any = false;
}

static void fetch_found(struct channel_lane *lane, uint32_t place)
{
    if (found_at(lane, place)->are_any)
        links_fetch(lane, found_at(lane, place));
}

static bool is_last_of_row(const struct channel_lane *lane, struct span span)
{
    return span.start.col + span.count == lane->machine->config.mesh.cols;
}

/* What was found at a block is done two blocks later. */
static void send_later(struct channel_lane *lane, struct span span)
{
    uint32_t place = span.start.col >> BLOCK_SHIFT;
    if (place >= 1)
        fetch_found(lane, place - 1);
    if (place >= 2)
        send_found(lane, place - 2);
    if (!is_last_of_row(lane, span))
        return;
    fetch_found(lane, place);
    if (place >= 1)
        send_found(lane, place - 1);
    send_found(lane, place);
}

/* Packets at rest first, then trees. */
static void depart_block(void *of_thread, struct span span)
{
    struct channel_lane *lane = of_thread;
    struct channel_block *block = block_of(lane->channels, span.start);
    uint64_t fresh = 0;
    block->sent = 0; /* it has arrived */
    if (block->eager != 0)
        fresh = rest_depart(lane, span);
    if (block->busy != 0) {
        struct departures *found = found_at(lane, span.start.col >> BLOCK_SHIFT);
        fetch_asks(lane->channels, block, is_last_of_row(lane, span));
        block->busy = links_find(lane, span, fresh, found) ? TREES : 0;
    }
    send_later(lane, span);
}

static void depart_row(void *of_thread, uint32_t row)
{
    struct channel_lane *lane = of_thread;
    glide_begin_row(lane, row);
    for_blocks(lane->machine, row, depart_block, lane);
}

/* ---- arrivals ---- */

static void arrive_block(void *of_thread, struct span span)
{
    struct channel_lane *lane = of_thread;
    struct channel_block *block = block_of(lane->channels, span.start);
    bool has_changed = lane->has_express && express_glide(lane, span);
    if (!is_last_of_row(lane, span))
        straight_fetch_coming(lane, block_site(span.start, BLOCK));
    straight_arrive(lane, span);
    if ((block->sent | block->busy) != 0)
        channels_note_full(lane, span);
    glide_measure(lane, span, has_changed | (block->busy != 0));
}

static void arrive_row(void *of_thread, uint32_t row)
{
    struct channel_lane *lane = of_thread;
    glide_advance_row(lane, row);
    for_blocks(lane->machine, row, arrive_block, lane);
}

/* ---- a turn ---- */

/* A turn as a thread sees it. */
struct channel_turn {
    struct channel_lane lane; /* first: of a block nothing else is known */
    const struct channelling *run;
    uint32_t thread;
    uint64_t before;                         /* steps that had ended when it began */
    uint32_t peak_before;                    /* the fullest buffer by then */
    struct slot_clock clock[TURN_STEPS + 1]; /* when each of its steps begins, and its end */
};

static void enter_step(void *of_thread, uint32_t step)
{
    struct channel_turn *turn = of_thread;
    struct channel_lane *lane = &turn->lane;
    const struct turn_counts *counts = &lane->channels->counts;
    lane->band = turn_band(counts, turn->thread, step);
    lane->waking = turn->run->waking && step == 0;
    lane->steps = turn->before + step;
    glide_begin_step(lane, &turn->clock[step],
                     turn_peak_before(counts, turn->thread, step, turn->peak_before));
}

static void begin_turn(struct channel_turn *turn, uint32_t steps)
{
    turn->before = turn->lane.machine->counts.steps;
    turn->peak_before = turn->lane.machine->attempt.peak;
    turn->clock[0] = turn->lane.channels->clock;
    for (uint32_t i = 0; i < steps; i++) {
        turn->clock[i + 1] = turn->clock[i];
        slot_clock_tick(&turn->clock[i + 1], &turn->lane.channels->straight);
    }
}

/* For one thread, while the others wait. */
static void end_turn(struct channelling *run, const struct channel_turn *turn, uint32_t steps)
{
    struct channels *channels = run->channels;
    uint32_t ended = 0;
    for (; ended < steps && !run->done; ended++) {
        turn_collect(run->machine, &channels->counts, ended);
        channel_end_step(run);
    }
    channels->clock = turn->clock[steps];
    if (turn_end(run->machine, &channels->counts, ended, run->failure) != FAIL_NONE)
        run->kind = FAIL_SYSTEM;
}

/* ---- a call ---- */

static void begin_block(void *of_thread, struct span span)
{
    rest_note(of_thread, span);
    glide_load(of_thread, span);
}

static void end_block(void *of_thread, struct span span)
{
    glide_unload(of_thread, span);
}

static void see_slots(struct lane_slots *view, const struct slots *slots, uint32_t thread)
{
    view->leaving_view.slots = view->coming_view.slots = slots;
    slots_take_stops(slots, view->coming, thread, 0);
}

/* Before the first step of a call, or behind the last one: for the rows of the thread's band. */
static void go_through_blocks(struct channel_turn *turn, const struct team *team,
                              void (*act)(void *of_thread, struct span span))
{
    const struct machine *machine = turn->lane.machine;
    uint32_t rows = machine->config.mesh.rows;
    uint32_t end = parallel_band_start(rows, team->rank + 1, team->size);
    glide_begin_step(&turn->lane, &turn->lane.channels->clock, 0);
    for (uint32_t row = parallel_band_start(rows, team->rank, team->size); row < end; row++) {
        glide_begin_row(&turn->lane, row);
        for_blocks(machine, row, act, turn);
    }
}

void channel_turns_band(void *context, const struct team *team)
{
    struct channelling *run = context;
    struct machine *machine = run->machine;
    struct channels *channels = run->channels;
    struct channel_turn turn = {.lane = {.machine = machine,
                                         .channels = channels,
                                         .rule = run->rule,
                                         .copy_is_free = machine->config.copy_is_free,
                                         .glides = true,
                                         .has_express = channels->has_express},
                                .run = run,
                                .thread = team->rank};
    struct turning turning = {
        .lane = &turn, .enter = enter_step, .depart = depart_row, .arrive = arrive_row};
    see_slots(&turn.lane.straight, &channels->straight, team->rank);
    if (channels->has_express)
        see_slots(&turn.lane.express, &channels->gliding.slots, team->rank);
    go_through_blocks(&turn, team, begin_block);
    while (!run->done) {
        uint32_t steps = turn_steps(machine, run->limit);
        begin_turn(&turn, steps);
        turn_go(machine, &turning, steps, team);
        parallel_barrier(team);
        if (team->rank == 0)
            end_turn(run, &turn, steps);
        parallel_barrier(team);
    }
    go_through_blocks(&turn, team, end_block);
}
