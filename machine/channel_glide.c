/* channel_glide.c - express packets of machine_channel where nobody watches: they glide.
 *
 * The same steps as in channel_express.c, which is the plain way to do them and the reference. An
 * express packet waits for nothing but others of its kind, so the first of each queue crosses its
 * link in the next step: it stands in a slot that moves with it (glide_slot.c). The others of its
 * queue, which the algorithm keeps few, are a list. Which links they use is a word of `held` for a
 * block; a packet's hop is a sixty-fourth of some operations on such words.
 *
 * A row's departures read slots as they were at the end of the last step, its arrivals move them
 * on. Lines of slots that travel along columns belong to the next row then, so what departures read
 * is changed by arrivals at this row or at a neighbour, as blocks.c wants it. Packets that are woken
 * enter slots, or lists, in the departures of the first step.
 *
 * What stands in slots counts in no `occupancy` during a call; it is added up where a new peak is
 * possible, and at the end. Slots and lists stay as they are between calls.
 * Cost: 72 bytes a node, of which the operating system need not find the last 32 where no packets
 * meet, and 2.5 of words for blocks.
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

void express_begin_row(struct channel_lane *lane, uint32_t row)
{
    slots_at_row(&lane->leaving_view, lane->leaving, row);
}

void express_enter(struct channel_lane *lane, struct site site, enum direction d, uint64_t word)
{
    const struct slot_view *view = &lane->leaving_view;
    uint64_t behind = word;
    if (!slot_is_taken(lane->leaving, site, d)) {
        lane->machine->occupancy[site.index]--;
        slot_set(view, lane->leaving, site, d, word);
        return;
    }
    if (urgency(word) > urgency(slot_word(view, lane->leaving, site, d))) {
        behind = slot_word(view, lane->leaving, site, d);
        slot_set(view, lane->leaving, site, d, word);
        put_first(lane, site, d, behind); /* it came before those that are as urgent */
    } else {
        put(lane, site, d, behind);
    }
}

/* ---- arrivals ---- */

void express_advance_row(struct channel_lane *lane, uint32_t row)
{
    slots_advance(&lane->coming_view, lane->coming, row);
    lane->band->packet_hops += slots_count(&lane->coming_view, lane->coming);
}

static void stop_at(struct channel_lane *lane, struct site first, enum direction d, uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        uint64_t word = slot_clear(&lane->coming_view, lane->coming, site, d);
        lane->machine->occupancy[site.index]++;
        express_stop(lane, site, (uint32_t)word);
    }
}

/* The most urgent one of a list and of what goes straight on takes the slot: that of the list, if
 * both are as urgent. */
static void fill_slots(struct channel_lane *lane, struct site first, enum direction d,
                       uint64_t nodes)
{
    const struct slot_view *view = &lane->coming_view;
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        bool is_taken = slot_is_taken(lane->coming, site, d);
        uint64_t passing = slot_word(view, lane->coming, site, d);
        if (is_taken && urgency(passing) > urgency(*list_of(lane, site, d)))
            continue;
        slot_set(view, lane->coming, site, d, take_first(lane, site, d));
        if (is_taken)
            put(lane, site, d, passing);
        else
            lane->machine->occupancy[site.index]--;
    }
}

bool express_glide(struct channel_lane *lane, struct span span)
{
    const struct channel_block *block = block_of(lane->channels, span.start);
    uint32_t place = span.start.col >> BLOCK_SHIFT;
    uint64_t odd = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t stops = lane->coming[d].stops[place], queued = block->queued[d];
        odd |= stops | queued;
        if (stops != 0)
            stop_at(lane, span.start, d, stops);
        lane->coming[d].stops[place] = 0;
        if (queued != 0)
            fill_slots(lane, span.start, d, queued);
    }
    return odd != 0;
}

void express_measure(struct channel_lane *lane, struct span span, bool has_changed)
{
    const uint32_t *occupancy = lane->machine->occupancy + span.start.index;
    struct channel_block *block = block_of(lane->channels, span.start);
    uint64_t held[DIRECTIONS], any = 0;
    uint32_t sum[BLOCK];
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        held[d] = lane->coming[d].held[span.start.col >> BLOCK_SHIFT];
        any |= held[d];
    }
    if (has_changed)
        block->most = largest_of(occupancy, span.count);
    if (!has_changed && any == 0)
        return;
    if (block->most + slots_most(held) <= lane->peak_before ||
        slots_add(occupancy, held, sum, span.count) <= lane->peak_before)
        return;
    for (uint32_t i = 0; i < span.count; i++)
        band_holds(lane->band, span.start.index + i, sum[i]);
}

/* ---- a call ---- */

void express_begin_step(struct channel_lane *lane)
{
    const struct channels *channels = lane->channels;
    lane->leaving_view.clock = lane->coming_view.clock = channels->gliding.clock;
    slot_clock_tick(&lane->coming_view.clock, &channels->gliding.slots);
    lane->peak_before = lane->machine->attempt.peak;
}

void express_load(struct channel_lane *lane, struct span span)
{
    uint32_t *occupancy = lane->machine->occupancy + span.start.index;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t held = lane->leaving[d].held[span.start.col >> BLOCK_SHIFT];
        for (; held != 0; held &= held - 1)
            occupancy[__builtin_ctzll(held)]--;
    }
    block_of(lane->channels, span.start)->most = largest_of(occupancy, span.count);
}

void express_unload(struct channel_lane *lane, struct span span)
{
    uint32_t *occupancy = lane->machine->occupancy + span.start.index;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t held = lane->leaving[d].held[span.start.col >> BLOCK_SHIFT];
        for (; held != 0; held &= held - 1)
            occupancy[__builtin_ctzll(held)]++;
    }
}

bool express_is_at(const struct channels *channels, struct site site)
{
    const struct channel_block *block = block_of(channels, site);
    struct slot_view view = {&channels->gliding.slots, channels->gliding.clock};
    struct slot_line line[DIRECTIONS] = {{0}};
    uint64_t nodes = 0;
    slots_at_row(&view, line, site.row);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        nodes |= line[d].held[site.col >> BLOCK_SHIFT] | block->queued[d];
    return nodes & bit_of(site);
}
