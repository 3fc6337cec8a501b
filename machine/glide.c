/* glide.c - machine_forward where nobody watches: packets that go straight on glide.
 *
 * The same steps as in forward.c, which is the plain way to do them and the reference; tests hold
 * both to the same counts. There each packet is copied from node to node. Here the first packet of
 * a queue, which crosses its link in the next step come what may (queues are unbounded), stands in a
 * slot that moves with it (glide_slot.c); the others of its queue stand still (glide_queue.c). What
 * meets others, or is at its stop, is taken out of its slot and handled one by one.
 *
 * A step of a row: what came over each link is where it was, a node further. Packets that wait for
 * a copy get it. Then the links one after the other: what stops is settled, what finds others in
 * its queue goes behind them. At last each queue's first packet enters the slot. Nothing is read of
 * another row in the same step, so rows are done in any order, with one barrier a step.
 *
 * Between calls there are no slots: who is under way stands in a queue.
 * Cost: some twenty operations on words a step for 64 nodes, whatever goes straight on there; a look
 * at 64 due steps for each packet that enters a slot; else O(1) a stop or a packet in a queue, with
 * two places of memory that are far from others. What these need is fetched while the blocks before
 * are done. Occupancies are added up only where they may be a new peak.
 */
#include "machine/glide_private.h"

enum { CACHE_LINE = 64 };

/* ---- queues ---- */

void glide_enqueue(struct lane *lane, struct site site, enum direction d, uint64_t word)
{
    struct gliding *gliding = (struct gliding *)lane;
    struct glide_block *block = glide_block(gliding->glide, site);
    struct glide_queue *queue = glide_queue_of(gliding->glide, site, d);
    bool is_open = d < gliding->passed && !(block->queued[d] & slot_bit(site));
    bool is_taken = slot_is_taken(gliding->line, site, d);
    if (is_open && !is_taken) {
        lane->machine->occupancy[site.index]--;
        slot_set(&gliding->view, gliding->line, site, d, word);
        return;
    }
    if (is_open) {
        lane->machine->occupancy[site.index]++;
        glide_put(lane->machine, queue, slot_clear(&gliding->view, gliding->line, site, d));
    }
    glide_put(lane->machine, queue, word);
    block->queued[d] |= slot_bit(site);
}

/* The first packets of the queues of a block enter their slots, where these are empty. */
static void fill_slots(struct gliding *gliding, struct site first)
{
    struct machine *machine = gliding->lane.machine;
    struct glide_block *block = glide_block(gliding->glide, first);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        struct glide_queue *queues = glide_queues(gliding->glide, first, d);
        uint64_t left = block->queued[d] & ~gliding->line[d].held[first.col >> BLOCK_SHIFT];
        for (; left != 0; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctzll(left);
            struct site site = block_site(first, i);
            slot_set(&gliding->view, gliding->line, site, d, glide_take(machine, &queues[i]));
            machine->occupancy[site.index]--;
            if (queues[i].count == 0)
                block->queued[d] &= ~slot_bit(site);
        }
    }
}

/* ---- a step ---- */

/* Packets that would go straight on over link `d`, and find others in its queue. Without urgencies
 * those are first: one enters the slot at once, whatever else comes in this step. */
static void go_behind(struct gliding *gliding, struct site first, enum direction d, uint64_t nodes)
{
    struct machine *machine = gliding->lane.machine;
    bool is_fifo = gliding->lane.rule->urgency == NULL;
    struct glide_queue *queues = glide_queues(gliding->glide, first, d);
    for (; nodes != 0; nodes &= nodes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(nodes);
        struct site site = block_site(first, i);
        if (is_fifo) {
            slot_set(&gliding->view, gliding->line, site, d,
                     glide_exchange(machine, &queues[i],
                                    slot_word(&gliding->view, gliding->line, site, d)));
        } else {
            machine->occupancy[site.index]++;
            glide_put(machine, &queues[i], slot_clear(&gliding->view, gliding->line, site, d));
        }
    }
}

static void stop_at(struct gliding *gliding, struct site first, enum direction d, uint64_t nodes)
{
    gliding->lane.arriving = d;
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        uint64_t word = slot_clear(&gliding->view, gliding->line, site, d);
        gliding->lane.machine->occupancy[site.index]++;
        forward_settle(&gliding->lane, ARRIVALS, site, (uint32_t)word);
    }
}

/* Takes the block's fullest buffers into the band's peak, where they may be fuller than all before: no
 * node holds more than `most` and what stands in its slots, four if two may meet, else one. */
static void measure(struct gliding *gliding, struct span span)
{
    uint32_t place = span.start.col >> BLOCK_SHIFT;
    const uint32_t *occupancy = gliding->lane.machine->occupancy + span.start.index;
    uint64_t held[DIRECTIONS];
    uint32_t sum[BLOCK];
    for (enum direction d = 0; d < DIRECTIONS; d++)
        held[d] = gliding->line[d].held[place];
    uint32_t most = glide_block(gliding->glide, span.start)->most + slots_most(held);
    if (most <= gliding->peak_before ||
        slots_add(occupancy, held, sum, span.count) <= gliding->peak_before)
        return;
    for (uint32_t i = 0; i < span.count; i++)
        band_holds(gliding->lane.band, span.start.index + i, sum[i]);
}

/* What stands at a block where something is to be done. */
static void fetch_queues(const struct gliding *gliding, const struct slot_line *line,
                         struct site first)
{
    const struct glide_block *block = glide_block(gliding->glide, first);
    const uint32_t *occupancy = gliding->lane.machine->occupancy + first.index;
    fetch_has_effect();
    for (uint32_t i = 0; i < BLOCK; i += CACHE_LINE / sizeof *occupancy)
        __builtin_prefetch(occupancy + i, 1);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        const struct glide_queue *queues = glide_queues(gliding->glide, first, d);
        if ((line[d].stops[first.col >> BLOCK_SHIFT] | block->queued[d]) != 0)
            slots_fetch(&gliding->view, line, first, d);
        for (uint64_t left = block->queued[d]; left != 0; left &= left - 1)
            __builtin_prefetch(&queues[__builtin_ctzll(left)], 1);
    }
}

/* Headers and lists lie far apart. */
static void fetch_packets(const struct gliding *gliding, const struct slot_line *line,
                          struct site first)
{
    const struct machine *machine = gliding->lane.machine;
    const struct forward *forward = gliding->lane.forward;
    const struct glide_block *block = glide_block(gliding->glide, first);
    fetch_has_effect();
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        struct glide_queue *queues = glide_queues(gliding->glide, first, d);
        uint64_t stops = line[d].stops[first.col >> BLOCK_SHIFT];
        for (; stops != 0; stops &= stops - 1) {
            struct site site = block_site(first, (unsigned)__builtin_ctzll(stops));
            header_fetch(machine, (uint32_t)line[d].word[slot_place(&gliding->view, d, site.col)]);
        }
        for (uint64_t left = block->queued[d]; left != 0; left &= left - 1) {
            struct glide_queue *queue = &queues[__builtin_ctzll(left)];
            if (queue->count < GLIDE_WORDS)
                continue;
            __builtin_prefetch(&machine->next[(uint32_t)*glide_word(queue, GLIDE_WORDS - 1)], 1);
            __builtin_prefetch(&machine->next[queue->last], 1);
        }
    }
    if (!forward->busy[block_index(forward, first.row, first.col)])
        return;
    for (uint32_t i = 0; i < BLOCK && first.col + i < gliding->glide->slots.cols; i++)
        if (forward->waiting[first.index + i])
            header_fetch(machine, forward->waiting_first[first.index + i]);
}

/* What the rule looks at, of all packets that stop at a block, at once. */
static void fetch_for_rule(const struct gliding *gliding, struct site first)
{
    const struct routing_rule *rule = gliding->lane.rule;
    fetch_has_effect();
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t stops = gliding->line[d].stops[first.col >> BLOCK_SHIFT];
        for (; stops != 0; stops &= stops - 1) {
            struct site site = block_site(first, (unsigned)__builtin_ctzll(stops));
            for (enum direction e = 0; e < DIRECTIONS; e++)
                if (e != direction_opposite(d))
                    __builtin_prefetch(glide_queue_of(gliding->glide, site, e), 1);
            if (rule->fetch != NULL)
                rule->fetch(rule->context,
                            (uint32_t)slot_word(&gliding->view, gliding->line, site, d));
        }
    }
}

/* What blocks soon need is fetched while others are done: `ahead` blocks from `first`, in its row or
 * the next. */
static void fetch_ahead(const struct gliding *gliding, struct site first, uint32_t ahead,
                        void (*fetch)(const struct gliding *gliding, const struct slot_line *line,
                                      struct site first))
{
    uint32_t cols = gliding->glide->slots.cols, block = (first.col >> BLOCK_SHIFT) + ahead;
    uint32_t behind = block - gliding->glide->slots.blocks;
    if (block < gliding->glide->slots.blocks)
        fetch(gliding, gliding->line, block_site(first, ahead * BLOCK));
    else if (gliding->next_line != NULL && behind < gliding->glide->slots.blocks)
        fetch(
            gliding, gliding->next_line,
            (struct site){(first.row + 1) * cols + behind * BLOCK, first.row + 1, behind * BLOCK});
}

/* Copies, arrivals and departures of a block in which not everything goes straight on. */
static void step_odd(struct gliding *gliding, struct span span, uint8_t *waits)
{
    const struct glide_block *block = glide_block(gliding->glide, span.start);
    uint32_t place = span.start.col >> BLOCK_SHIFT;
    gliding->passed = 0;
    if (*waits) {
        *waits = 0;
        forward_copy_block(&gliding->lane, span);
    }
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        struct slot_line *line = &gliding->line[d];
        uint64_t stops = line->stops[place];
        line->stops[place] = 0;
        gliding->passed = d + 1;
        go_behind(gliding, span.start, d, line->held[place] & block->queued[d] & ~stops);
        stop_at(gliding, span.start, d, stops);
    }
    fill_slots(gliding, span.start);
    glide_block(gliding->glide, span.start)->most =
        largest_of(gliding->lane.machine->occupancy + span.start.index, span.count);
}

static void step_block(void *of_band, struct span span)
{
    struct gliding *gliding = of_band;
    struct forward *forward = gliding->lane.forward;
    const struct glide_block *block = glide_block(gliding->glide, span.start);
    uint8_t *waits = &forward->busy[block_index(forward, span.start.row, span.start.col)];
    uint32_t place = span.start.col >> BLOCK_SHIFT;
    uint64_t coming = 0, odd = *waits;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        coming |= gliding->line[d].held[place];
        odd |= gliding->line[d].stops[place] | block->queued[d];
    }
    if (odd != 0) {
        fetch_ahead(gliding, span.start, 3, fetch_queues);
        fetch_ahead(gliding, span.start, 2, fetch_packets);
        fetch_for_rule(gliding, span.start);
        step_odd(gliding, span, waits);
    }
    if ((coming | odd) != 0)
        measure(gliding, span);
}

static void step_rows(struct gliding *gliding, uint32_t first, uint32_t end)
{
    gliding->next_line = gliding->rows[first % 2];
    if (first < end)
        slots_advance(&gliding->view, gliding->next_line, first);
    for (uint32_t row = first; row < end; row++) {
        gliding->line = gliding->next_line;
        gliding->next_line = row + 1 < end ? gliding->rows[(row + 1) % 2] : NULL;
        if (gliding->next_line != NULL)
            slots_advance(&gliding->view, gliding->next_line, row + 1);
        gliding->lane.band->packet_hops += slots_count(&gliding->view, gliding->line);
        for_blocks(gliding->lane.machine, row, step_block, gliding);
    }
}

/* ---- a call ---- */

bool glide_node_is_busy(const struct machine *machine, node_index node)
{
    const struct glide *glide = machine->forward->glide;
    struct site site = machine_site(machine, node);
    uint64_t queued = 0;
    for (enum direction d = 0; d < DIRECTIONS && glide != NULL; d++) {
        if (glide->block != NULL)
            queued |= glide_block(glide, site)->queued[d];
        if (glide->credit_bits != NULL)
            queued |= credit_bits(glide, site.row, CREDIT_STANDING, d)[site.col >> BLOCK_SHIFT];
    }
    return queued & slot_bit(site);
}

/* Who is under way when a call begins stands in queues. */
static void load_block(void *of_band, struct span span)
{
    struct gliding *gliding = of_band;
    fill_slots(gliding, span.start);
    glide_block(gliding->glide, span.start)->most =
        largest_of(gliding->lane.machine->occupancy + span.start.index, span.count);
}

/* And so when it ends. */
static void unload_block(void *of_band, struct span span)
{
    struct gliding *gliding = of_band;
    struct machine *machine = gliding->lane.machine;
    struct glide_block *block = glide_block(gliding->glide, span.start);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t left = gliding->line[d].held[span.start.col >> BLOCK_SHIFT];
        block->queued[d] |= left;
        for (; left != 0; left &= left - 1) {
            struct site site = block_site(span.start, (unsigned)__builtin_ctzll(left));
            glide_put_first(machine, glide_queue_of(gliding->glide, site, d),
                            slot_clear(&gliding->view, gliding->line, site, d));
            machine->occupancy[site.index]++;
        }
    }
}

static void next_step(struct gliding *gliding)
{
    slot_clock_tick(&gliding->view.clock, &gliding->glide->slots);
    gliding->peak_before = gliding->lane.machine->attempt.peak;
}

static struct gliding gliding_of(struct forwarding *run, const struct team *team)
{
    struct machine *machine = run->machine;
    struct glide *glide = run->forward->glide;
    struct gliding gliding = {.lane = {.is_gliding = true,
                                       .machine = machine,
                                       .forward = run->forward,
                                       .rule = run->rule,
                                       .band = &machine->band[team->rank]},
                              .glide = glide,
                              .view = {.slots = &glide->slots}};
    for (uint32_t i = 0; i < SLOT_ROWS; i++)
        slots_take_stops(&glide->slots, gliding.rows[i], team->rank, i);
    return gliding;
}

void glide_band(void *context, const struct team *team)
{
    struct forwarding *run = context;
    struct machine *machine = run->machine;
    uint32_t rows = machine->config.mesh.rows, cols = machine->config.mesh.cols;
    uint32_t first = parallel_band_start(rows, team->rank, team->size);
    uint32_t end = parallel_band_start(rows, team->rank + 1, team->size);
    struct gliding gliding = gliding_of(run, team);
    gliding.line = gliding.rows[0];
    for (uint32_t row = first; row < end; row++) {
        slots_at_row(&gliding.view, gliding.line, row);
        slots_forget(&gliding.view, gliding.line);
        if (run->waking)
            forward_wake_row(&gliding.lane, (struct site){row * cols, row, 0});
        for_blocks(machine, row, load_block, &gliding);
    }
    parallel_barrier(team);
    while (!run->done) {
        next_step(&gliding);
        step_rows(&gliding, first, end);
        parallel_barrier(team);
        if (team->rank == 0)
            forward_end_step(run);
        parallel_barrier(team);
    }
    for (uint32_t row = first; row < end && machine->travelling > 0; row++) {
        slots_at_row(&gliding.view, gliding.line, row);
        for_blocks(machine, row, unload_block, &gliding);
    }
}
