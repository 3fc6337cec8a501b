/* glide.c - machine_forward where nobody watches: packets that go straight on glide.
 *
 * The same steps as in forward.c, which is the plain way to do them and the reference; tests hold
 * both to the same counts. There each packet is copied from node to node. Here the first packet of
 * a queue, which crosses its link in the next step come what may (queues are unbounded), stands in a
 * slot that moves with it (glide_slot.c); the others of its queue stand still (glide_fifo.c; with
 * urgencies glide_queue.c). What meets others, or is at its stop, is taken out of its slot.
 *
 * A step of a row: what came over each link is where it was, a node further. Packets that wait for
 * a copy get it. Then the links one after the other: what stops is settled, what finds others in
 * its queue goes behind them. At last each queue's first packet enters the slot. Nothing is read of
 * another row in the same step, and rows take several steps while they are in cache
 * (glide_turns.c).
 *
 * Between calls there are no slots: who is under way stands in a queue.
 * Cost: some twenty operations on words a step for 64 nodes, whatever goes straight on there; a look
 * at 64 due steps for each packet that enters a slot; else O(1) a stop or a packet in a queue, with
 * two places of memory that are far from others. What these need is fetched while the blocks before
 * are done. Occupancies are added up only where they may be a new peak.
 */
#include "machine/glide_private.h"

/* ---- queues ---- */

/* Puts `word` last, or behind all that are at least as urgent. */
static void put(struct gliding *gliding, struct site site, enum direction d, uint64_t word)
{
    struct machine *machine = gliding->lane.machine;
    unsigned i = site.col & (BLOCK - 1);
    struct site first = {site.index - i, site.row, site.col - i};
    glide_block(gliding->glide, site)->queued[d] |= slot_bit(site);
    if (gliding->is_fifo) {
        struct fifo_block fifo = glide_fifo(gliding, first, d);
        fifo_put(machine, &fifo, i, word);
    } else {
        glide_put(machine, glide_queue_of(gliding->glide, site, d), word);
    }
}

void glide_enqueue(struct lane *lane, struct site site, enum direction d, uint64_t word)
{
    struct gliding *gliding = (struct gliding *)lane;
    struct glide_block *block = glide_block(gliding->glide, site);
    bool is_open = d < gliding->passed && !(block->queued[d] & slot_bit(site));
    bool is_taken = slot_is_taken(gliding->line, site, d);
    if (is_open && !is_taken) {
        lane->machine->occupancy[site.index]--;
        slot_set(&gliding->view, gliding->line, site, d, word);
        return;
    }
    if (is_open && !gliding->is_fifo) {
        lane->machine->occupancy[site.index]++;
        put(gliding, site, d, slot_clear(&gliding->view, gliding->line, site, d));
    }
    put(gliding, site, d, word);
}

/* Takes the first word of the queue of node `i` of a block. */
static uint64_t take(struct gliding *gliding, struct site first, enum direction d, unsigned i)
{
    struct machine *machine = gliding->lane.machine;
    uint64_t word;
    bool is_last;
    if (gliding->is_fifo) {
        struct fifo_block fifo = glide_fifo(gliding, first, d);
        word = fifo_take(machine, &fifo, i);
        is_last = fifo_size(&fifo, i) == 0;
    } else {
        struct glide_queue *queue = &glide_queues(gliding->glide, first, d)[i];
        word = glide_take(machine, queue);
        is_last = queue->count == 0;
    }
    if (is_last)
        glide_block(gliding->glide, first)->queued[d] &= ~(UINT64_C(1) << i);
    return word;
}

/* The first packets of the queues of a block enter their slots, where these are empty. */
static void fill_slots(struct gliding *gliding, struct site first)
{
    const struct glide_block *block = glide_block(gliding->glide, first);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t left = block->queued[d] & ~gliding->line[d].held[first.col >> BLOCK_SHIFT];
        for (; left != 0; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctzll(left);
            struct site site = block_site(first, i);
            slot_set(&gliding->view, gliding->line, site, d, take(gliding, first, d, i));
            gliding->lane.machine->occupancy[site.index]--;
        }
    }
}

/* ---- a step ---- */

/* Packets that would go straight on over link `d`, and find others in its queue. Without urgencies
 * those are first: one enters the slot at once, whatever else comes in this step. */
static void go_behind(struct gliding *gliding, struct site first, enum direction d, uint64_t nodes)
{
    struct machine *machine = gliding->lane.machine;
    if (gliding->is_fifo && nodes != 0) {
        struct fifo_block fifo = glide_fifo(gliding, first, d);
        fifo_exchange(machine, &fifo, &gliding->view, gliding->line, first, d, nodes);
        return;
    }
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        machine->occupancy[site.index]++;
        put(gliding, site, d, slot_clear(&gliding->view, gliding->line, site, d));
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
        glide_fetch(gliding, span.start);
        step_odd(gliding, span, waits);
    }
    if ((coming | odd) != 0)
        measure(gliding, span);
}

void glide_step_row(struct gliding *gliding, uint32_t row)
{
    gliding->lane.band->packet_hops += slots_count(&gliding->view, gliding->line);
    for_blocks(gliding->lane.machine, row, step_block, gliding);
}

/* ---- a call ---- */

bool glide_node_is_busy(const struct machine *machine, node_index node)
{
    const struct glide *glide = machine->forward->glide;
    struct site site = machine_site(machine, node);
    uint64_t queued = 0;
    for (enum direction d = 0; d < DIRECTIONS && glide != NULL && glide->block != NULL; d++)
        queued |= glide_block(glide, site)->queued[d];
    return queued & slot_bit(site);
}

/* The call before had a rule without urgencies, and this one has some. */
static void leave_fifos(void *of_band, struct span span)
{
    struct gliding *gliding = of_band;
    struct machine *machine = gliding->lane.machine;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        struct glide_queue *queues = glide_queues(gliding->glide, span.start, d);
        struct fifo_block fifo = glide_fifo(gliding, span.start, d);
        uint64_t left = glide_block(gliding->glide, span.start)->queued[d];
        for (; left != 0; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctzll(left);
            while (fifo_size(&fifo, i) > 0)
                glide_put(machine, &queues[i], fifo_take(machine, &fifo, i));
        }
    }
}

/* Who is under way when a call begins stands in queues. */
static void load_block(void *of_band, struct span span)
{
    struct gliding *gliding = of_band;
    fill_slots(gliding, span.start);
    glide_block(gliding->glide, span.start)->most =
        largest_of(gliding->lane.machine->occupancy + span.start.index, span.count);
}

/* Puts `word` before all others. */
static void put_first(struct gliding *gliding, struct site first, enum direction d, unsigned i,
                      uint64_t word)
{
    struct machine *machine = gliding->lane.machine;
    if (gliding->is_fifo) {
        struct fifo_block fifo = glide_fifo(gliding, first, d);
        fifo_put_first(machine, &fifo, i, word);
    } else {
        glide_put_first(machine, &glide_queues(gliding->glide, first, d)[i], word);
    }
}

/* And so when it ends. */
static void unload_block(void *of_band, struct span span)
{
    struct gliding *gliding = of_band;
    struct glide_block *block = glide_block(gliding->glide, span.start);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t left = gliding->line[d].held[span.start.col >> BLOCK_SHIFT];
        block->queued[d] |= left;
        for (; left != 0; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctzll(left);
            struct site site = block_site(span.start, i);
            put_first(gliding, span.start, d, i,
                      slot_clear(&gliding->view, gliding->line, site, d));
            gliding->lane.machine->occupancy[site.index]++;
        }
    }
}

static struct gliding gliding_of(struct forwarding *run, const struct team *team)
{
    struct machine *machine = run->machine;
    struct glide *glide = run->forward->glide;
    struct gliding gliding = {.lane = {.enqueue = glide_enqueue,
                                       .machine = machine,
                                       .forward = run->forward,
                                       .rule = run->rule,
                                       .band = turn_band(&glide->counts, team->rank, 0)},
                              .glide = glide,
                              .is_fifo = glide->is_fifo,
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
        if (gliding.glide->leaves_fifos)
            for_blocks(machine, row, leave_fifos, &gliding);
        if (run->waking)
            forward_wake_row(&gliding.lane, (struct site){row * cols, row, 0});
        for_blocks(machine, row, load_block, &gliding);
    }
    parallel_barrier(team);
    while (!run->done) {
        uint32_t steps = glide_steps_at_once(run, team);
        glide_steps(&gliding, team, steps);
        parallel_barrier(team);
        if (team->rank == 0)
            glide_end_steps(run, steps);
        parallel_barrier(team);
    }
    for (uint32_t row = first; row < end && machine->travelling > 0; row++) {
        slots_at_row(&gliding.view, gliding.line, row);
        for_blocks(machine, row, unload_block, &gliding);
    }
}
