/* channel_slots.c - the slots of machine_channel that move with their packets, of both kinds: those of
 * first packets of channels that go straight on (channel_straight.c), and of express packets
 * (channel_express.c).
 *
 * A row's departures read slots as they were at the end of the last step, its arrivals move them
 * on. Lines of slots that travel along columns belong to the next row then, so what departures read
 * is changed by arrivals at this row or at a neighbour, as turns.c wants it.
 *
 * What stands in slots counts in no `occupancy` during a call; it is added up where a new peak is
 * possible, and at the end. Slots and lists stay as they are between calls.
 */
#include "machine/channel_private.h"

/* What a node holds in slots of a kind. */
static uint64_t held_of(const struct slot_line line[DIRECTIONS], uint32_t place,
                        uint64_t held[DIRECTIONS])
{
    uint64_t any = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        any |= held[d] = line[d].held[place];
    return any;
}

void channel_measure(struct channel_lane *lane, struct span span, bool has_changed)
{
    const uint32_t *occupancy = lane->machine->occupancy + span.start.index;
    struct channel_block *block = block_of(lane->channels, span.start);
    uint32_t place = place_of_block(span.start), most = 0, sum[BLOCK], with_express[BLOCK];
    uint64_t straight[DIRECTIONS], express[DIRECTIONS] = {0};
    uint64_t any = held_of(lane->straight.coming, place, straight);
    if (lane->has_express)
        any |= held_of(lane->express.coming, place, express);
    if (has_changed)
        block->most = largest_of(occupancy, span.count);
    if (!has_changed && any == 0)
        return;
    if (block->most + slots_most(straight) + slots_most(express) <= lane->peak_before)
        return;
    slots_add(occupancy, straight, sum, span.count);
    most = slots_add(sum, express, with_express, span.count);
    for (uint32_t i = 0; most > lane->peak_before && i < span.count; i++)
        band_holds(lane->band, span.start.index + i, with_express[i]);
}

/* ---- departures ---- */

void straight_enter(struct channel_lane *lane, struct site site, enum direction d, uint64_t word)
{
    struct slot_line *line = lane->straight.leaving;
    uint64_t *mark = &line[d].mark[place_of_block(site)];
    slot_set(&lane->straight.leaving_view, line, site, d, word);
    *mark = word_class(word) == 1 ? *mark | bit_of(site) : *mark & ~bit_of(site);
}

/* ---- events ---- */

void channel_tell(void *of_thread, struct span span)
{
    struct channel_lane *lane = of_thread;
    uint32_t place = place_of_block(span.start);
    uint64_t straight[DIRECTIONS], express[DIRECTIONS];
    uint64_t left = held_of(lane->straight.leaving, place, straight);
    if (lane->has_express)
        left |= held_of(lane->express.leaving, place, express);
    for (; left != 0; left &= left - 1) {
        struct site site = block_site(span.start, (unsigned)__builtin_ctzll(left));
        slots_tell(lane->machine, lane->band, &lane->straight.leaving_view, lane->straight.leaving,
                   site);
        if (lane->has_express)
            slots_tell(lane->machine, lane->band, &lane->express.leaving_view,
                       lane->express.leaving, site);
    }
}

/* ---- a step ---- */

static void begin_step(struct lane_slots *slots, const struct slot_clock *clock)
{
    slots->leaving_view.clock = slots->coming_view.clock = *clock;
    slot_clock_tick(&slots->coming_view.clock, slots->coming_view.slots);
}

void channel_begin_step(struct channel_lane *lane, const struct slot_clock *clock, uint32_t peak)
{
    begin_step(&lane->straight, clock);
    if (lane->has_express)
        begin_step(&lane->express, clock);
    lane->peak_before = peak;
}

void channel_begin_row(struct channel_lane *lane, uint32_t row)
{
    slots_at_row(&lane->straight.leaving_view, lane->straight.leaving, row);
    if (lane->has_express)
        slots_at_row(&lane->express.leaving_view, lane->express.leaving, row);
}

static void advance_row(struct channel_lane *lane, struct lane_slots *slots, uint32_t row)
{
    slots_advance(&slots->coming_view, slots->coming, row);
    lane->band->packet_hops += slots_count(&slots->coming_view, slots->coming);
}

void channel_advance_row(struct channel_lane *lane, uint32_t row)
{
    advance_row(lane, &lane->straight, row);
    if (lane->has_express)
        advance_row(lane, &lane->express, row);
}

/* ---- a call ---- */

/* Adds `change` to the occupancy for each slot of a kind that is taken. */
static void count_slots(uint32_t *occupancy, const struct slot_line line[DIRECTIONS],
                        uint32_t place, uint32_t change)
{
    for (enum direction d = 0; d < DIRECTIONS; d++)
        for (uint64_t held = line[d].held[place]; held != 0; held &= held - 1)
            occupancy[__builtin_ctzll(held)] += change;
}

static void count_all_slots(struct channel_lane *lane, struct span span, uint32_t change)
{
    uint32_t *occupancy = lane->machine->occupancy + span.start.index;
    uint32_t place = place_of_block(span.start);
    count_slots(occupancy, lane->straight.leaving, place, change);
    if (lane->has_express)
        count_slots(occupancy, lane->express.leaving, place, change);
}

void channel_load(struct channel_lane *lane, struct span span)
{
    count_all_slots(lane, span, UINT32_MAX); /* one less */
    block_of(lane->channels, span.start)->most =
        largest_of(lane->machine->occupancy + span.start.index, span.count);
}

void channel_unload(struct channel_lane *lane, struct span span)
{
    count_all_slots(lane, span, 1);
}

/* ---- what stands at a node ---- */

static uint32_t count_at(const struct channels *channels, const struct slots *slots,
                         struct site site)
{
    struct slot_view view = {slots, channels->clock};
    struct slot_line line[DIRECTIONS] = {{0}};
    uint32_t count = 0;
    slots_at_row(&view, line, site.row);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        count += slot_is_taken(line, site, d);
    return count;
}

/* Packets in slots of both kinds. */
uint32_t channel_count_slots(const struct channels *channels, struct site site)
{
    uint32_t count = count_at(channels, &channels->straight, site);
    return channels->has_express ? count + count_at(channels, &channels->gliding.slots, site)
                                 : count;
}
