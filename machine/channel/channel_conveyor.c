/* channel_conveyor.c - the two conveyors of machine_channel: one for first packets of channels that go straight on
 * (channel_bypass.c), one for express packets (channel_express.c).
 *
 * A row's departures read slots as they were at the end of the last step, and its arrivals move them
 * on. Lines of slots that move along columns belong to the next row then. So only arrivals at this row or at a
 * neighbour change what departures read, as wavefront.c requires.
 *
 * Packets in slots count in no `occupancy` during a call; they are added up where a new peak is
 * possible, and at the end. Slots and lists stay as they are between calls.
 */
#include "machine/channel/channel_conveyor_private.h"
#include "machine/tally_private.h"

/* Finds the nodes of a block whose slots of each link are taken; returns those of any link. */
static uint64_t held_of(const struct conveyor_line line[DIRECTIONS], uint32_t place,
                        uint64_t held[DIRECTIONS])
{
    uint64_t any = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        any |= held[d] = line[d].held[place];
    return any;
}

void channel_measure(struct channel_worker *worker, struct span span, bool has_changed)
{
    const uint32_t *occupancy = worker->machine->occupancy + span.start.index;
    struct channel_block *block = block_of(worker->channels, span.start);
    uint32_t place = place_of_block(span.start), most = 0, sum[BLOCK], with_express[BLOCK];
    uint64_t bypass[DIRECTIONS], express[DIRECTIONS] = {0};
    uint64_t any = held_of(worker->bypass.coming, place, bypass);
    if (worker->has_express)
        any |= held_of(worker->express.coming, place, express);
    if (has_changed)
        block->max_occupancy = largest_of(occupancy, span.count);
    if (!has_changed && any == 0)
        return;
    if (block->max_occupancy + conveyor_most(bypass) + conveyor_most(express) <=
        worker->peak_before)
        return;
    conveyor_add(occupancy, bypass, sum, span.count);
    most = conveyor_add(sum, express, with_express, span.count);
    for (uint32_t i = 0; most > worker->peak_before && i < span.count; i++) {
        node_index node = span.start.index + i;
        uint32_t slots = with_express[i] - occupancy[i];
        if (!attempt_has_room(worker->machine, with_express[i]))
            attempt_discard_resting(worker->machine, worker->tally, ARRIVALS, node);
        tally_holds(worker->tally, node, occupancy[i] + slots);
    }
}

/* ---- departures ---- */

void bypass_enter(struct channel_worker *worker, struct site site, enum direction d, uint64_t word)
{
    struct conveyor_line *line = worker->bypass.leaving;
    uint64_t *mark = &line[d].mark[place_of_block(site)];
    conveyor_set(&worker->bypass.leaving_view, line, site, d, word);
    *mark = word_class(word) == 1 ? *mark | conveyor_bit(site) : *mark & ~conveyor_bit(site);
}

/* ---- events ---- */

void channel_tell(void *of_worker, struct span span)
{
    struct channel_worker *worker = of_worker;
    uint32_t place = place_of_block(span.start);
    uint64_t bypass[DIRECTIONS], express[DIRECTIONS];
    uint64_t left = held_of(worker->bypass.leaving, place, bypass);
    if (worker->has_express)
        left |= held_of(worker->express.leaving, place, express);
    for (; left != 0; left &= left - 1) {
        struct site site = block_site(span.start, (unsigned)__builtin_ctzll(left));
        conveyor_tell(worker->machine, worker->tally, &worker->bypass.leaving_view,
                      worker->bypass.leaving, site);
        if (worker->has_express)
            conveyor_tell(worker->machine, worker->tally, &worker->express.leaving_view,
                          worker->express.leaving, site);
    }
}

/* ---- a step ---- */

static void begin_step(struct worker_conveyor *conveyor, const struct conveyor_clock *clock)
{
    conveyor->leaving_view.clock = conveyor->coming_view.clock = *clock;
    conveyor_clock_tick(&conveyor->coming_view.clock, conveyor->coming_view.conveyor);
}

void channel_begin_step(struct channel_worker *worker, const struct conveyor_clock *clock,
                        uint32_t peak)
{
    begin_step(&worker->bypass, clock);
    if (worker->has_express)
        begin_step(&worker->express, clock);
    worker->peak_before = peak;
}

void channel_begin_row(struct channel_worker *worker, uint32_t row)
{
    conveyor_at_row(&worker->bypass.leaving_view, worker->bypass.leaving, row);
    if (worker->has_express)
        conveyor_at_row(&worker->express.leaving_view, worker->express.leaving, row);
}

static void advance_row(struct channel_worker *worker, struct worker_conveyor *conveyor,
                        uint32_t row)
{
    conveyor_advance(&conveyor->coming_view, conveyor->coming, row);
    worker->tally->packet_hops += conveyor_count(&conveyor->coming_view, conveyor->coming);
}

void channel_advance_row(struct channel_worker *worker, uint32_t row)
{
    advance_row(worker, &worker->bypass, row);
    if (worker->has_express)
        advance_row(worker, &worker->express, row);
}

/* ---- a call ---- */

/* Adds `change` to the occupancies for each slot of one conveyor that is taken. */
static void count_slots(uint32_t *occupancy, const struct conveyor_line line[DIRECTIONS],
                        uint32_t place, uint32_t change)
{
    for (enum direction d = 0; d < DIRECTIONS; d++)
        for (uint64_t held = line[d].held[place]; held != 0; held &= held - 1)
            occupancy[__builtin_ctzll(held)] += change;
}

static void count_all_slots(struct channel_worker *worker, struct span span, uint32_t change)
{
    uint32_t *occupancy = worker->machine->occupancy + span.start.index;
    uint32_t place = place_of_block(span.start);
    count_slots(occupancy, worker->bypass.leaving, place, change);
    if (worker->has_express)
        count_slots(occupancy, worker->express.leaving, place, change);
}

void channel_load(struct channel_worker *worker, struct span span)
{
    count_all_slots(worker, span, UINT32_MAX); /* one less */
    block_of(worker->channels, span.start)->max_occupancy =
        largest_of(worker->machine->occupancy + span.start.index, span.count);
}

void channel_unload(struct channel_worker *worker, struct span span)
{
    count_all_slots(worker, span, 1);
}

/* ---- between calls ---- */

static uint32_t count_at(const struct channels *channels, const struct conveyor *conveyor,
                         struct site site)
{
    struct conveyor_view view = {conveyor, channels->clock};
    struct conveyor_line line[DIRECTIONS] = {{0}};
    uint32_t count = 0;
    conveyor_at_row(&view, line, site.row);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        count += conveyor_is_taken(line, site, d);
    return count;
}

uint32_t channel_count_slots(const struct channels *channels, struct site site)
{
    uint32_t count = count_at(channels, &channels->bypass, site);
    return channels->has_express ? count + count_at(channels, &channels->express.conveyor, site)
                                 : count;
}
