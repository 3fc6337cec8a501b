/* channel_glide.c - slots of machine_channel, where nobody watches, and the express packets in them.
 *
 * The plain way, taken where somebody watches and where nodes discard, is the reference: it hands
 * every packet from node to node (channel_link.c, channel_express.c). Packets of channels that go
 * straight on: channel_straight.c. An express packet waits for nothing but others of its kind, so the
 * first of each queue crosses its link in the next step: it stands in a slot that moves with it
 * (glide_slot.c). The others of its queue, which the algorithm keeps few, are a list. Which links
 * they use is a word of `held` for a block; a packet's hop is a sixty-fourth of some operations on
 * such words.
 *
 * A row's departures read slots as they were at the end of the last step, its arrivals move them
 * on. Lines of slots that travel along columns belong to the next row then, so what departures read
 * is changed by arrivals at this row or at a neighbour, as turns.c wants it. Packets that are woken
 * enter slots, or lists, in the departures of the first step.
 *
 * What stands in slots counts in no `occupancy` during a call; it is added up where a new peak is
 * possible, and at the end. Slots and lists stay as they are between calls.
 * Cost of express packets: 72 bytes a node, of which the operating system need not find the last 32
 * where no packets meet, and 2.5 of words for blocks.
 */
#include "machine/channel_private.h"

static uint64_t urgency(uint64_t word)
{
    return word >> URGENCY_SHIFT;
}

/* ---- lists behind slots ---- */

/* Where the list of a link begins: valid where `queued` says so. */
static uint64_t *list_of(const struct channel_lane *lane, struct site site, enum direction d)
{
    return &lane->channels->gliding.behind[d][site.index];
}

static void put_first(struct channel_lane *lane, struct site site, enum direction d, uint64_t word)
{
    struct channel_block *block = block_of(lane->channels, site);
    uint64_t *first = list_of(lane, site, d);
    lane->machine->next[(uint32_t)word] = block->queued[d] & bit_of(site) ? *first : NO_WORD;
    block->queued[d] |= bit_of(site);
    *first = word;
}

/* Behind all that are at least as urgent. */
static void put(struct channel_lane *lane, struct site site, enum direction d, uint64_t word)
{
    uint64_t *next = lane->machine->next, *before = list_of(lane, site, d);
    bool is_empty = !(block_of(lane->channels, site)->queued[d] & bit_of(site));
    if (is_empty || urgency(*before) < urgency(word)) {
        put_first(lane, site, d, word);
        return;
    }
    do
        before = &next[(uint32_t)*before];
    while (*before != NO_WORD && urgency(*before) >= urgency(word));
    next[(uint32_t)word] = *before;
    *before = word;
}

static uint64_t take_first(struct channel_lane *lane, struct site site, enum direction d)
{
    uint64_t *first = list_of(lane, site, d), word = *first;
    *first = lane->machine->next[(uint32_t)word];
    if (*first == NO_WORD)
        block_of(lane->channels, site)->queued[d] &= ~bit_of(site);
    return word;
}

/* ---- departures ---- */

void express_enter(struct channel_lane *lane, struct site site, enum direction d, uint64_t word)
{
    const struct slot_view *view = &lane->express.leaving_view;
    const struct slot_line *line = lane->express.leaving;
    uint64_t behind = word;
    if (!slot_is_taken(line, site, d)) {
        lane->machine->occupancy[site.index]--;
        slot_set(view, line, site, d, word);
        return;
    }
    if (urgency(word) > urgency(slot_word(view, line, site, d))) {
        behind = slot_word(view, line, site, d);
        slot_set(view, line, site, d, word);
        put_first(lane, site, d, behind); /* it came before those that are as urgent */
    } else {
        put(lane, site, d, behind);
    }
}

/* ---- arrivals ---- */

static void stop_at(struct channel_lane *lane, struct site first, enum direction d, uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        uint64_t word = slot_clear(&lane->express.coming_view, lane->express.coming, site, d);
        lane->machine->occupancy[site.index]++;
        express_stop(lane, site, (uint32_t)word);
    }
}

/* The most urgent one of a list and of what goes straight on takes the slot: that of the list, if
 * both are as urgent. */
static void fill_slots(struct channel_lane *lane, struct site first, enum direction d,
                       uint64_t nodes)
{
    const struct slot_view *view = &lane->express.coming_view;
    const struct slot_line *line = lane->express.coming;
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        bool is_taken = slot_is_taken(line, site, d);
        uint64_t passing = slot_word(view, line, site, d);
        if (is_taken && urgency(passing) > urgency(*list_of(lane, site, d)))
            continue;
        slot_set(view, line, site, d, take_first(lane, site, d));
        if (is_taken)
            put(lane, site, d, passing);
        else
            lane->machine->occupancy[site.index]--;
    }
}

bool express_glide(struct channel_lane *lane, struct span span)
{
    const struct channel_block *block = block_of(lane->channels, span.start);
    struct slot_line *line = lane->express.coming;
    uint32_t place = place_of_block(span.start);
    uint64_t odd = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t stops = line[d].stops[place], queued = block->queued[d];
        odd |= stops | queued;
        if (stops != 0)
            stop_at(lane, span.start, d, stops);
        line[d].stops[place] = 0;
        if (queued != 0)
            fill_slots(lane, span.start, d, queued);
    }
    return odd != 0;
}

/* ---- slots of both kinds ---- */

/* What a node holds in slots of a kind. */
static uint64_t held_of(const struct slot_line line[DIRECTIONS], uint32_t place,
                        uint64_t held[DIRECTIONS])
{
    uint64_t any = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        any |= held[d] = line[d].held[place];
    return any;
}

void glide_measure(struct channel_lane *lane, struct span span, bool has_changed)
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

/* ---- a step ---- */

static void begin_step(struct lane_slots *slots, const struct slot_clock *clock)
{
    slots->leaving_view.clock = slots->coming_view.clock = *clock;
    slot_clock_tick(&slots->coming_view.clock, slots->coming_view.slots);
}

void glide_begin_step(struct channel_lane *lane, const struct slot_clock *clock, uint32_t peak)
{
    begin_step(&lane->straight, clock);
    if (lane->has_express)
        begin_step(&lane->express, clock);
    lane->peak_before = peak;
}

void glide_begin_row(struct channel_lane *lane, uint32_t row)
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

void glide_advance_row(struct channel_lane *lane, uint32_t row)
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

void glide_load(struct channel_lane *lane, struct span span)
{
    count_all_slots(lane, span, UINT32_MAX); /* one less */
    block_of(lane->channels, span.start)->most =
        largest_of(lane->machine->occupancy + span.start.index, span.count);
}

void glide_unload(struct channel_lane *lane, struct span span)
{
    count_all_slots(lane, span, 1);
}

static bool slot_is_at(const struct channels *channels, const struct slots *slots, struct site site)
{
    struct slot_view view = {slots, channels->clock};
    struct slot_line line[DIRECTIONS] = {{0}};
    uint64_t held[DIRECTIONS];
    slots_at_row(&view, line, site.row);
    return held_of(line, place_of_block(site), held) & bit_of(site);
}

bool glide_is_at(const struct channels *channels, struct site site)
{
    const struct channel_block *block = block_of(channels, site);
    uint64_t queued = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        queued |= block->queued[d];
    return (queued & bit_of(site)) || slot_is_at(channels, &channels->straight, site) ||
           (channels->has_express && slot_is_at(channels, &channels->gliding.slots, site));
}
