/* glide_credit.c - packets that credits hold back, where nobody watches: they glide while they can.
 *
 * The same steps as in forward.c with forward_credit.c, which is the plain way to do them and the
 * reference; tests hold both to the same counts, call by call. A packet that goes straight on by link
 * d and is alone in that link's queue stands in a slot that moves with it (glide_slot.c), and counts
 * in channel d of its node. All others stand still, in lists. Of those a count is kept for each
 * channel, and as bits, 64 nodes a word, where it has reached the channel's slots (closed), or all
 * but one (tight). At the end of a step a channel is full where it is closed, or tight and its slot
 * taken.
 *
 * Departures: where the channel ahead was full, who is in a slot is taken out and stands; where it
 * was not, the first of those that stand enters the slot. Arrivals: slots move on; who is at its
 * stop is settled, who finds others in its queue stands. Only these are handled one by one: a packet
 * that is held back costs nothing until its channel opens.
 * Order of a queue: the farthest stop first, then the greater channel, then first come first
 * served. A step brings one packet into a channel, so in which order arrivals are put into a queue
 * does not matter.
 *
 * Departures read what neighbours' channels were at the end of the last step, and change slots and
 * what stands at the row's own nodes; arrivals change slots that came to the row, and its own
 * channels. So rows take several steps while they are in cache (turns.c). Between calls there are no slots:
 * who is under way stands.
 * Cost: some thirty operations on words a step for 64 nodes, of which several words are done at once;
 * O(1) for each packet that enters a slot or is taken out, and the packets that stand before it.
 */
#include "machine/glide_private.h"

#include <assert.h>

/* One thread's part of a run. */
struct crediting {
    struct lane lane; /* first: forward_stop.c knows no more */
    const struct forwarding *run;
    struct glide *glide;
    uint32_t thread;
    struct slot_view leaving_view, coming_view; /* when packets leave, and a step later */
    struct slot_line leaving[DIRECTIONS];       /* the row that sends .. */
    struct slot_line coming[DIRECTIONS];        /* .. and the one that receives */
    uint32_t peak_before;                       /* no node has held more at the end of a step */

    uint32_t peak_of_turn;                   /* .. of one before this turn */
    struct slot_clock clock[TURN_STEPS + 1]; /* when each step of the turn begins, and its end */
};

/* A block, and what stands there. */
struct place {
    struct site first;
    struct credit_block *block;
    uint64_t *bits; /* [enum credit_bits][direction], `stride` words apart */
    size_t stride;
    uint32_t *most;
};

static struct place place_of_block(const struct glide *glide, struct site first)
{
    uint32_t block = first.col >> BLOCK_SHIFT;
    size_t number = (size_t)first.row * glide->slots.blocks + block;
    return (struct place){.first = first,
                          .block = &glide->standing[number],
                          .bits = credit_bits(glide, first.row, 0, 0) + block,
                          .stride = glide->slots.blocks + 2,
                          .most = &glide->most[number]};
}

static uint64_t *bits_of(const struct place *place, enum credit_bits kind, unsigned d)
{
    return &place->bits[((size_t)kind * DIRECTIONS + d) * place->stride];
}

/* ---- packets that stand ---- */

static uint64_t urgency(uint64_t word)
{
    return word >> URGENCY_SHIFT;
}

static uint64_t with_bit(uint64_t bits, unsigned i, bool is_set)
{
    return (bits & ~(UINT64_C(1) << i)) | (uint64_t)is_set << i;
}

/* One packet more of this channel stands at the i-th node, or one less. */
static void count_standing(const struct machine *machine, const struct place *place, unsigned i,
                           unsigned channel, int change)
{
    uint32_t slots = machine->forward->slots;
    uint8_t *count = &place->block->count[channel][i];
    assert(change < 0 ? *count > 0 : *count < UINT8_MAX);
    *count = (uint8_t)(*count + change);
    uint64_t *closed = bits_of(place, CREDIT_CLOSED, channel);
    uint64_t *tight = bits_of(place, CREDIT_TIGHT, channel);
    *closed = with_bit(*closed, i, *count >= slots);
    *tight = with_bit(*tight, i, *count + 1u >= slots);
}

/* Puts `word` behind `first` and all others that are at least as urgent. */
static void put_behind(uint64_t *next, uint64_t first, uint64_t word)
{
    uint64_t *before = &next[(uint32_t)first];
    while (*before != NO_WORD && urgency(*before) >= urgency(word))
        before = &next[(uint32_t)*before];
    next[(uint32_t)word] = *before;
    *before = word;
}

static void put(struct machine *machine, const struct place *place, unsigned i, enum direction d,
                uint64_t word)
{
    uint64_t *next = machine->next, *first = &place->block->first[d][i], bit = UINT64_C(1) << i;
    uint64_t *standing = bits_of(place, CREDIT_STANDING, d);
    uint64_t *several = bits_of(place, CREDIT_SEVERAL, d);
    count_standing(machine, place, i, word_channel(word), 1);
    if (!(*standing & bit)) {
        *standing |= bit;
        *first = word;
        return;
    }
    if (!(*several & bit))
        next[(uint32_t)*first] = NO_WORD;
    *several |= bit;
    if (urgency(word) > urgency(*first)) {
        next[(uint32_t)word] = *first;
        *first = word;
    } else {
        put_behind(next, *first, word);
    }
}

static uint64_t take_first(const struct machine *machine, const struct place *place, unsigned i,
                           enum direction d)
{
    uint64_t *first = &place->block->first[d][i], word = *first, bit = UINT64_C(1) << i;
    uint64_t *several = bits_of(place, CREDIT_SEVERAL, d);
    if (*several & bit) {
        *first = machine->next[(uint32_t)word];
        *several ^= machine->next[(uint32_t)*first] == NO_WORD ? bit : 0;
    } else {
        *bits_of(place, CREDIT_STANDING, d) ^= bit;
    }
    count_standing(machine, place, i, word_channel(word), -1);
    return word;
}

void glide_credit_enqueue(struct lane *lane, struct site site, enum direction d, uint64_t word)
{
    unsigned i = site.col & (BLOCK - 1);
    struct place place =
        place_of_block(lane->forward->glide, (struct site){site.index - i, site.row, site.col - i});
    put(lane->machine, &place, i, d, credit_mark(lane, d, word));
}

/* Takes packets out of their slots: they stand. */
static void stand(struct crediting *lane, const struct slot_view *view, struct slot_line *line,
                  const struct place *place, enum direction d, uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(nodes);
        struct site site = block_site(place->first, i);
        uint32_t *occupancy = &lane->lane.machine->occupancy[site.index];
        put(lane->lane.machine, place, i, d, slot_clear(view, line, site, d));
        ++*occupancy;
        *place->most = *occupancy > *place->most ? *occupancy : *place->most;
    }
}

/* ---- departures ---- */

/* The first packets of these queues enter their slots. */
static void set_out(struct crediting *lane, const struct place *place, enum direction d,
                    uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(nodes);
        struct site site = block_site(place->first, i);
        slot_set(&lane->leaving_view, lane->leaving, site, d,
                 credit_remark(take_first(lane->lane.machine, place, i, d), d));
        lane->lane.machine->occupancy[site.index]--;
    }
}

static void depart_block(struct crediting *lane, struct site first,
                         const struct credit_leaving *leaving, uint32_t i)
{
    struct place place = place_of_block(lane->glide, first);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        stand(lane, &lane->leaving_view, lane->leaving, &place, d, leaving->halted[d][i]);
        set_out(lane, &place, d, leaving->ready[d][i]);
    }
}

static void depart_row(void *of_lane, uint32_t row)
{
    struct crediting *lane = of_lane;
    struct site start = {row * lane->glide->slots.cols, row, 0};
    uint32_t blocks = lane->glide->slots.blocks;
    slots_at_row(&lane->leaving_view, lane->leaving, row);
    if (lane->lane.waking)
        forward_wake_row(&lane->lane, start);
    for (uint32_t block = 0; block < blocks; block += CREDIT_CHUNK) {
        uint32_t count = blocks - block < CREDIT_CHUNK ? blocks - block : CREDIT_CHUNK;
        struct credit_sight sight = credit_sight_of(lane->glide, lane->leaving, row, block);
        struct credit_leaving leaving;
        credit_find_leaving(&sight, &leaving, count);
        for (uint32_t i = 0; i < count; i++)
            if (leaving.odd[i] != 0)
                depart_block(lane, block_site(start, (block + i) << BLOCK_SHIFT), &leaving, i);
    }
}

/* ---- arrivals ---- */

static void stop_at(struct crediting *lane, const struct place *place, enum direction d,
                    uint64_t nodes)
{
    lane->lane.arriving = d;
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(place->first, (unsigned)__builtin_ctzll(nodes));
        uint32_t *occupancy = &lane->lane.machine->occupancy[site.index];
        uint64_t word = slot_clear(&lane->coming_view, lane->coming, site, d);
        ++*occupancy;
        forward_settle(&lane->lane, ARRIVALS, site, (uint32_t)word);
        *place->most = *occupancy > *place->most ? *occupancy : *place->most;
    }
}

/* What comes to a block and does not go straight on. */
static void settle_block(struct crediting *lane, struct site first)
{
    uint32_t block = first.col >> BLOCK_SHIFT;
    struct place place = place_of_block(lane->glide, first);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t stops = lane->coming[d].stops[block];
        lane->coming[d].stops[block] = 0;
        stop_at(lane, &place, d, stops);
    }
    for (enum direction d = 0; d < DIRECTIONS; d++)
        stand(lane, &lane->coming_view, lane->coming, &place, d,
              lane->coming[d].held[block] & *bits_of(&place, CREDIT_STANDING, d));
}

/* Takes the block's fullest buffers into the band's peak, if they are fuller than all before. */
static void measure(struct crediting *lane, struct site first)
{
    uint32_t left = lane->glide->slots.cols - first.col, count = left < BLOCK ? left : BLOCK;
    const uint32_t *occupancy = lane->lane.machine->occupancy + first.index;
    uint64_t held[DIRECTIONS];
    uint32_t sum[BLOCK];
    for (enum direction d = 0; d < DIRECTIONS; d++)
        held[d] = lane->coming[d].held[first.col >> BLOCK_SHIFT];
    *place_of_block(lane->glide, first).most = largest_of(occupancy, count);
    if (slots_add(occupancy, held, sum, count) <= lane->peak_before)
        return;
    for (uint32_t i = 0; i < count; i++)
        band_holds(lane->lane.band, first.index + i, sum[i]);
}

/* Slots come to a row: the headers of packets that stop are fetched. */
static void advance_row(struct crediting *lane, uint32_t row)
{
    const struct slot_view *view = &lane->coming_view;
    const struct slot_line *line = lane->coming;
    slots_advance(view, lane->coming, row);
    lane->lane.band->packet_hops += slots_count(view, line);
    for (uint32_t i = 0; i < view->slots->blocks; i++)
        for (enum direction d = 0; d < DIRECTIONS; d++)
            for (uint64_t stops = line[d].stops[i]; stops != 0; stops &= stops - 1) {
                uint32_t col = (i << BLOCK_SHIFT) + (uint32_t)__builtin_ctzll(stops);
                uint64_t word = line[d].word[slot_place(view, d, col)];
                header_fetch(lane->lane.machine, (uint32_t)word);
            }
}

static void arrive_row(void *of_lane, uint32_t row)
{
    struct crediting *lane = of_lane;
    struct site start = {row * lane->glide->slots.cols, row, 0};
    uint32_t blocks = lane->glide->slots.blocks;
    advance_row(lane, row);
    for (uint32_t block = 0; block < blocks; block += CREDIT_CHUNK) {
        uint32_t count = blocks - block < CREDIT_CHUNK ? blocks - block : CREDIT_CHUNK;
        struct credit_sight sight = credit_sight_of(lane->glide, lane->coming, row, block);
        uint64_t odd[CREDIT_CHUNK];
        credit_find_coming(&sight, odd, count);
        for (uint32_t i = 0; i < count; i++)
            if (odd[i] != 0)
                settle_block(lane, block_site(start, (block + i) << BLOCK_SHIFT));
        if (!credit_end_step(&sight, odd, lane->peak_before, count))
            continue;
        for (uint32_t i = 0; i < count; i++)
            if (odd[i] != 0)
                measure(lane, block_site(start, (block + i) << BLOCK_SHIFT));
    }
}

/* ---- a call ---- */

/* When a call begins all that are under way stand. The last call's channels may have had other
 * slots. */
static void load_block(void *of_lane, struct span span)
{
    struct crediting *lane = of_lane;
    struct place place = place_of_block(lane->glide, span.start);
    uint32_t slots = lane->lane.forward->slots;
    uint64_t any = 0;
    *place.most = largest_of(lane->lane.machine->occupancy + span.start.index, span.count);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        any |= *bits_of(&place, CREDIT_STANDING, d);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t closed = 0, tight = slots == 1 ? UINT64_MAX : 0;
        for (unsigned i = 0; any != 0 && i < BLOCK; i++) {
            closed |= (uint64_t)(place.block->count[d][i] >= slots) << i;
            tight |= (uint64_t)(place.block->count[d][i] + 1u >= slots) << i;
        }
        *bits_of(&place, CREDIT_CLOSED, d) = closed;
        *bits_of(&place, CREDIT_TIGHT, d) = tight;
    }
}

/* When it ends they do, too. */
static void unload_block(void *of_lane, struct span span)
{
    struct crediting *lane = of_lane;
    struct place place = place_of_block(lane->glide, span.start);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        stand(lane, &lane->leaving_view, lane->leaving, &place, d,
              lane->leaving[d].held[span.start.col >> BLOCK_SHIFT]);
}

/* ---- a turn ---- */

static void enter_step(void *of_lane, uint32_t step)
{
    struct crediting *lane = of_lane;
    const struct turn_counts *counts = &lane->glide->counts;
    lane->lane.band = turn_band(counts, lane->thread, step);
    lane->lane.waking = lane->run->waking && step == 0;
    lane->leaving_view.clock = lane->clock[step];
    lane->coming_view.clock = lane->clock[step + 1];
    lane->peak_before = turn_peak_before(counts, lane->thread, step, lane->peak_of_turn);
}

static void begin_turn(struct crediting *lane, uint32_t steps)
{
    lane->peak_of_turn = lane->lane.machine->attempt.peak;
    lane->clock[0] = lane->leaving_view.clock;
    for (uint32_t i = 0; i < steps; i++) {
        lane->clock[i + 1] = lane->clock[i];
        slot_clock_tick(&lane->clock[i + 1], &lane->glide->slots);
    }
}

void glide_credit_band(void *context, const struct team *team)
{
    struct forwarding *run = context;
    struct machine *machine = run->machine;
    struct glide *glide = run->forward->glide;
    uint32_t rows = machine->config.mesh.rows;
    uint32_t first = parallel_band_start(rows, team->rank, team->size);
    uint32_t end = parallel_band_start(rows, team->rank + 1, team->size);
    struct crediting lane = {.lane = {.enqueue = glide_credit_enqueue,
                                      .machine = machine,
                                      .forward = run->forward,
                                      .rule = run->rule},
                             .run = run,
                             .glide = glide,
                             .thread = team->rank,
                             .leaving_view = {.slots = &glide->slots},
                             .coming_view = {.slots = &glide->slots}};
    struct turning turning = {
        .lane = &lane, .enter = enter_step, .depart = depart_row, .arrive = arrive_row};
    slots_take_stops(&glide->slots, lane.coming, team->rank, 0);
    for (uint32_t row = first; row < end; row++) {
        slots_at_row(&lane.leaving_view, lane.leaving, row);
        slots_forget(&lane.leaving_view, lane.leaving);
        for_blocks(machine, row, load_block, &lane);
    }
    parallel_barrier(team);
    while (!run->done) {
        uint32_t steps = turn_steps(machine, run->limit);
        begin_turn(&lane, steps);
        turn_go(machine, &turning, steps, team);
        lane.leaving_view.clock = lane.clock[steps];
        parallel_barrier(team);
        if (team->rank == 0)
            glide_end_steps(run, steps);
        parallel_barrier(team);
    }
    for (uint32_t row = first; row < end && machine->travelling > 0; row++) {
        slots_at_row(&lane.leaving_view, lane.leaving, row);
        for_blocks(machine, row, unload_block, &lane);
    }
}
