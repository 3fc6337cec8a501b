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
 * channels. So rows depart just before their neighbours arrive: blocks.c says why that is right.
 * Between calls there are no slots: who is under way stands.
 * Cost: some thirty operations on words a step for 64 nodes, of which several words are done at once;
 * O(1) for each packet that enters a slot or is taken out, and the packets that stand before it.
 */
#include "machine/glide_private.h"

/* The blocks of a row that are looked at together. */
enum { CHUNK = 16 };

/* One thread's part of a run. */
struct crediting {
    struct lane lane; /* first: forward_stop.c knows no more */
    struct glide *glide;
    struct slot_view leaving_view, coming_view; /* when packets leave, and a step later */
    struct slot_line leaving[DIRECTIONS];       /* the row that sends .. */
    struct slot_line coming[DIRECTIONS];        /* .. and the one that receives */
    uint32_t peak_before;                       /* no node has held more at the end of a step */
};

static uint32_t *most_of(const struct glide *glide, struct site site)
{
    return &glide->most[(size_t)site.row * glide->slots.blocks + (site.col >> BLOCK_SHIFT)];
}

/* ---- packets that stand ---- */

void glide_credit_enqueue(struct lane *lane, struct site site, enum direction d, uint64_t word)
{
    credit_put(lane->machine, site, d, word);
}

/* Takes packets out of their slots: they stand. */
static void stand(struct crediting *lane, const struct slot_view *view, struct slot_line *line,
                  struct site first, enum direction d, uint64_t nodes)
{
    uint32_t *most = most_of(lane->glide, first);
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        uint32_t *occupancy = &lane->lane.machine->occupancy[site.index];
        credit_put(lane->lane.machine, site, d, slot_clear(view, line, site, d));
        ++*occupancy;
        *most = *occupancy > *most ? *occupancy : *most;
    }
}

/* ---- departures ---- */

/* Of some blocks of a row, side by side. */
struct leaving_bits {
    uint64_t halted[DIRECTIONS][CHUNK]; /* in a slot, and the channel ahead was full */
    uint64_t ready[DIRECTIONS][CHUNK];  /* standing, and it was not */
    uint64_t odd[CHUNK];                /* any of these */
};

struct leaving_from {
    const uint64_t *held[DIRECTIONS], *standing[DIRECTIONS], *full[DIRECTIONS];
};

/* `full` belongs to the same columns in another row, or to those `ahead` of 1 or -1. */
UNROLLED void look_ahead(const struct leaving_from *from, struct leaving_bits *bits,
                         enum direction d, int ahead, uint32_t count)
{
    const uint64_t *restrict held = from->held[d], *restrict standing = from->standing[d];
    const uint64_t *restrict full = from->full[d];
    uint64_t *restrict halted = bits->halted[d], *restrict ready = bits->ready[d];
    for (uint32_t i = 0; i < count; i++) {
        uint64_t shut = full[i];
        if (ahead < 0)
            shut = shut << 1 | full[(ptrdiff_t)i - 1] >> (BLOCK - 1);
        if (ahead > 0)
            shut = shut >> 1 | full[i + 1] << (BLOCK - 1);
        halted[i] = held[i] & shut;
        ready[i] = standing[i] & ~shut;
    }
}

VECTORISED static void find_leaving(const struct leaving_from *from, struct leaving_bits *bits,
                                    uint32_t count)
{
    look_ahead(from, bits, NORTH, 0, count);
    look_ahead(from, bits, SOUTH, 0, count);
    look_ahead(from, bits, WEST, -1, count);
    look_ahead(from, bits, EAST, 1, count);
    for (uint32_t i = 0; i < count; i++)
        bits->odd[i] = bits->halted[NORTH][i] | bits->halted[SOUTH][i] | bits->halted[WEST][i] |
                       bits->halted[EAST][i] | bits->ready[NORTH][i] | bits->ready[SOUTH][i] |
                       bits->ready[WEST][i] | bits->ready[EAST][i];
}

/* The first packets of these queues enter their slots. */
static void set_out(struct crediting *lane, struct site first, enum direction d, uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        slot_set(&lane->leaving_view, lane->leaving, site, d,
                 credit_remark(credit_take_first(lane->lane.machine, site, d), d));
        lane->lane.machine->occupancy[site.index]--;
    }
}

static void depart_row(struct crediting *lane, uint32_t row)
{
    const struct glide *glide = lane->glide;
    const uint32_t beyond[DIRECTIONS] = {row - 1, row + 1, row, row};
    struct site start = {row * glide->slots.cols, row, 0};
    slots_at_row(&lane->leaving_view, lane->leaving, row);
    if (lane->lane.waking)
        forward_wake_row(&lane->lane, start);
    for (uint32_t block = 0; block < glide->slots.blocks; block += CHUNK) {
        uint32_t left = glide->slots.blocks - block, count = left < CHUNK ? left : CHUNK;
        struct leaving_from from;
        struct leaving_bits bits;
        for (enum direction d = 0; d < DIRECTIONS; d++) {
            from.held[d] = lane->leaving[d].held + block;
            from.standing[d] = credit_bits(glide, row, CREDIT_STANDING, d) + block;
            from.full[d] = credit_bits(glide, beyond[d], CREDIT_FULL, d) + block;
        }
        find_leaving(&from, &bits, count);
        for (uint32_t i = 0; i < count; i++) {
            struct site first = block_site(start, (block + i) << BLOCK_SHIFT);
            for (enum direction d = 0; bits.odd[i] != 0 && d < DIRECTIONS; d++) {
                stand(lane, &lane->leaving_view, lane->leaving, first, d, bits.halted[d][i]);
                set_out(lane, first, d, bits.ready[d][i]);
            }
        }
    }
}

/* ---- arrivals ---- */

static void stop_at(struct crediting *lane, struct site first, enum direction d, uint64_t nodes)
{
    uint32_t *most = most_of(lane->glide, first);
    lane->lane.arriving = d;
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        uint32_t *occupancy = &lane->lane.machine->occupancy[site.index];
        uint64_t word = slot_clear(&lane->coming_view, lane->coming, site, d);
        ++*occupancy;
        forward_settle(&lane->lane, ARRIVALS, site, (uint32_t)word);
        *most = *occupancy > *most ? *occupancy : *most;
    }
}

/* What comes to a block and does not go straight on. */
static void settle_block(struct crediting *lane, struct site first)
{
    uint32_t block = first.col >> BLOCK_SHIFT;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t stops = lane->coming[d].stops[block];
        lane->coming[d].stops[block] = 0;
        stop_at(lane, first, d, stops);
    }
    for (enum direction d = 0; d < DIRECTIONS; d++)
        stand(lane, &lane->coming_view, lane->coming, first, d,
              lane->coming[d].held[block] &
                  *credit_bits_at(lane->glide, first, CREDIT_STANDING, d));
}

struct coming_to {
    const uint64_t *held[DIRECTIONS], *stops[DIRECTIONS], *standing[DIRECTIONS];
    const uint64_t *closed[DIRECTIONS], *tight[DIRECTIONS];
    uint64_t *full[DIRECTIONS];
    const uint32_t *most;
};

VECTORISED static void find_coming(const struct coming_to *to, uint64_t *restrict odd,
                                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        odd[i] = to->stops[NORTH][i] | to->stops[SOUTH][i] | to->stops[WEST][i] |
                 to->stops[EAST][i] | (to->held[NORTH][i] & to->standing[NORTH][i]) |
                 (to->held[SOUTH][i] & to->standing[SOUTH][i]) |
                 (to->held[WEST][i] & to->standing[WEST][i]) |
                 (to->held[EAST][i] & to->standing[EAST][i]);
}

UNROLLED void find_full(const struct coming_to *to, enum direction d, uint32_t count)
{
    const uint64_t *restrict held = to->held[d], *restrict closed = to->closed[d];
    const uint64_t *restrict tight = to->tight[d];
    uint64_t *restrict full = to->full[d];
    for (uint32_t i = 0; i < count; i++)
        full[i] = closed[i] | (tight[i] & held[i]);
}

/* Which channels are full; and the blocks of which a node may hold more than `peak`: it holds no more
 * than `most`, and its slots, as many as are taken at one node. */
VECTORISED static uint64_t note_full(const struct coming_to *to, uint64_t *restrict is_peak,
                                     uint64_t peak, uint32_t count)
{
    find_full(to, NORTH, count);
    find_full(to, SOUTH, count);
    find_full(to, WEST, count);
    find_full(to, EAST, count);
    const uint64_t *restrict norths = to->held[NORTH], *restrict souths = to->held[SOUTH];
    const uint64_t *restrict wests = to->held[WEST], *restrict easts = to->held[EAST];
    const uint32_t *restrict most = to->most;
    uint64_t any = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t north = norths[i], south = souths[i], west = wests[i], east = easts[i];
        uint64_t rows = north | south, cols = west | east, two = north & south, both = west & east;
        uint64_t sum = most[i];
        sum += (rows | cols) != 0;
        sum += (two | both | (rows & cols)) != 0;
        sum += ((two & cols) | (both & rows)) != 0;
        sum += (two & both) != 0;
        is_peak[i] = sum > peak;
        any |= is_peak[i];
    }
    return any;
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
    *most_of(lane->glide, first) = largest_of(occupancy, count);
    if (slots_add(occupancy, held, sum, count) <= lane->peak_before)
        return;
    for (uint32_t i = 0; i < count; i++)
        band_holds(lane->lane.band, first.index + i, sum[i]);
}

static void arrive_row(struct crediting *lane, uint32_t row)
{
    const struct glide *glide = lane->glide;
    struct site start = {row * glide->slots.cols, row, 0};
    slots_advance(&lane->coming_view, lane->coming, row);
    lane->lane.band->packet_hops += slots_count(&lane->coming_view, lane->coming);
    for (uint32_t block = 0; block < glide->slots.blocks; block += CHUNK) {
        uint32_t left = glide->slots.blocks - block, count = left < CHUNK ? left : CHUNK;
        uint64_t odd[CHUNK];
        struct coming_to to = {.most = most_of(glide, start) + block};
        for (enum direction d = 0; d < DIRECTIONS; d++) {
            to.held[d] = lane->coming[d].held + block;
            to.stops[d] = lane->coming[d].stops + block;
            to.standing[d] = credit_bits(glide, row, CREDIT_STANDING, d) + block;
            to.closed[d] = credit_bits(glide, row, CREDIT_CLOSED, d) + block;
            to.tight[d] = credit_bits(glide, row, CREDIT_TIGHT, d) + block;
            to.full[d] = credit_bits(glide, row, CREDIT_FULL, d) + block;
        }
        find_coming(&to, odd, count);
        for (uint32_t i = 0; i < count; i++)
            if (odd[i] != 0)
                settle_block(lane, block_site(start, (block + i) << BLOCK_SHIFT));
        if (note_full(&to, odd, lane->peak_before, count) == 0)
            continue;
        for (uint32_t i = 0; i < count; i++)
            if (odd[i] != 0)
                measure(lane, block_site(start, (block + i) << BLOCK_SHIFT));
    }
}

/* ---- a call ---- */

/* A row when a call begins: all that are under way stand; channels may have had other slots. */
static void load_row(struct crediting *lane, uint32_t row)
{
    const struct glide *glide = lane->glide;
    uint32_t cols = glide->slots.cols, slots = lane->lane.forward->slots;
    slots_at_row(&lane->leaving_view, lane->leaving, row);
    slots_forget(&lane->leaving_view, lane->leaving);
    for (uint32_t col = 0; col < cols; col += BLOCK) {
        struct site first = {row * cols + col, row, col};
        uint32_t count = cols - col < BLOCK ? cols - col : BLOCK;
        *most_of(glide, first) = largest_of(lane->lane.machine->occupancy + first.index, count);
        for (enum direction d = 0; d < DIRECTIONS; d++) {
            const uint8_t *standing = credit_block(glide, first)->count[d];
            uint64_t closed = 0, tight = 0;
            for (uint32_t i = 0; i < count; i++) {
                closed |= (uint64_t)(standing[i] >= slots) << i;
                tight |= (uint64_t)(standing[i] + 1u >= slots) << i;
            }
            *credit_bits_at(glide, first, CREDIT_CLOSED, d) = closed;
            *credit_bits_at(glide, first, CREDIT_TIGHT, d) = tight;
        }
    }
}

/* When it ends: all that are under way stand. */
static void unload_row(struct crediting *lane, uint32_t row)
{
    struct site start = {row * lane->glide->slots.cols, row, 0};
    slots_at_row(&lane->leaving_view, lane->leaving, row);
    for (uint32_t i = 0; i < lane->glide->slots.blocks; i++)
        for (enum direction d = 0; d < DIRECTIONS; d++)
            stand(lane, &lane->leaving_view, lane->leaving, block_site(start, i << BLOCK_SHIFT), d,
                  lane->leaving[d].held[i]);
}

/* A step of the rows from `first` to `end`. */
static void step_rows(struct crediting *lane, uint32_t first, uint32_t end, const struct team *team)
{
    if (first < end)
        depart_row(lane, first);
    if (first + 1 < end)
        depart_row(lane, end - 1);
    parallel_barrier(team);
    for (uint32_t row = first; row < end; row++) {
        if (row + 2 < end)
            depart_row(lane, row + 1);
        arrive_row(lane, row);
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
    struct crediting lane = {.lane = {.is_gliding = true,
                                      .machine = machine,
                                      .forward = run->forward,
                                      .rule = run->rule,
                                      .band = &machine->band[team->rank]},
                             .glide = glide,
                             .leaving_view = {.slots = &glide->slots},
                             .coming_view = {.slots = &glide->slots}};
    slots_take_stops(&glide->slots, lane.coming, team->rank, 0);
    for (uint32_t row = first; row < end; row++)
        load_row(&lane, row);
    parallel_barrier(team);
    while (!run->done) {
        lane.lane.waking = run->waking;
        lane.peak_before = machine->attempt.peak;
        slot_clock_tick(&lane.coming_view.clock, &glide->slots);
        step_rows(&lane, first, end, team);
        lane.leaving_view.clock = lane.coming_view.clock;
        parallel_barrier(team);
        if (team->rank == 0)
            forward_end_step(run);
        parallel_barrier(team);
    }
    for (uint32_t row = first; row < end && machine->travelling > 0; row++)
        unload_row(&lane, row);
}
