/* forward_queues.c - the queues of machine_forward, of either kind, and the memory of its packets: made
 * when a rule first needs it.
 *
 * Where a rule gives no urgencies the queues behind slots are fifos (transit/link_fifo.c), otherwise
 * those of transit/link_queue.c.
 * Cost: 40 bytes a node for slots (and for those of up to eight rows that enter the mesh ahead of
 * others). For the queues behind them 244 without urgencies (and 256 a row and begun block), 256
 * with, and 1.9 for bits and blocks (in rows of whole blocks: 120 bytes a row and begun block). What waits for
 * copies costs 9 bytes a node.
 */
#include "machine/forward/forward_step_private.h"

#include "machine/footprint_private.h"

#include <stdlib.h>

void forward_put(struct forward_worker *worker, struct site site, enum direction d, uint64_t word)
{
    struct machine *machine = worker->machine;
    unsigned i = site.col & (BLOCK - 1);
    struct site first = {site.index - i, site.row, site.col - i};
    forward_block(worker->queues, site)->queued[d] |= conveyor_bit(site);
    if (worker->is_fifo) {
        struct fifo_block fifo = forward_fifo(worker, first, d);
        fifo_put(machine, &fifo, i, word);
    } else {
        link_queue_put(machine, link_queue_of(worker->queues, site, d), word);
    }
}

void forward_enqueue(struct forward_worker *worker, struct site site, enum direction d,
                     uint64_t word)
{
    struct forward_block *block = forward_block(worker->queues, site);
    bool is_open = d < worker->passed && !(block->queued[d] & conveyor_bit(site));
    bool is_taken = conveyor_is_taken(worker->line, site, d);
    if (is_open && !is_taken) {
        worker->machine->occupancy[site.index]--;
        conveyor_set(&worker->view, worker->line, site, d, word);
        return;
    }
    if (is_open && !worker->is_fifo) {
        worker->machine->occupancy[site.index]++;
        forward_put(worker, site, d, conveyor_clear(&worker->view, worker->line, site, d));
    }
    forward_put(worker, site, d, word);
}

uint64_t forward_take(struct forward_worker *worker, struct site first, enum direction d,
                      unsigned i)
{
    struct machine *machine = worker->machine;
    uint64_t word;
    bool is_last;
    if (worker->is_fifo) {
        struct fifo_block fifo = forward_fifo(worker, first, d);
        word = fifo_take(machine, &fifo, i);
        is_last = fifo_size(&fifo, i) == 0;
    } else {
        struct link_queue *queue = &link_queues_at(worker->queues, first, d)[i];
        word = link_queue_take(machine, queue);
        is_last = queue->count == 0;
    }
    if (is_last)
        forward_block(worker->queues, first)->queued[d] &= ~(UINT64_C(1) << i);
    return word;
}

void forward_put_first(struct forward_worker *worker, struct site first, enum direction d,
                       unsigned i, uint64_t word)
{
    struct machine *machine = worker->machine;
    if (worker->is_fifo) {
        struct fifo_block fifo = forward_fifo(worker, first, d);
        fifo_put_first(machine, &fifo, i, word);
    } else {
        link_queue_put_first(machine, &link_queues_at(worker->queues, first, d)[i], word);
    }
}

void forward_leave_fifos(void *of_worker, struct span span)
{
    struct forward_worker *worker = of_worker;
    struct machine *machine = worker->machine;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        struct link_queue *queues = link_queues_at(worker->queues, span.start, d);
        struct fifo_block fifo = forward_fifo(worker, span.start, d);
        uint64_t left = forward_block(worker->queues, span.start)->queued[d];
        for (; left != 0; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctzll(left);
            while (fifo_size(&fifo, i) > 0)
                link_queue_put(machine, &queues[i], fifo_take(machine, &fifo, i));
        }
    }
}

/* ---- memory: slots and queues ---- */

static void queues_free(struct machine *machine)
{
    struct forward_queues *queues = machine->forward == NULL ? NULL : machine->forward->queues;
    if (queues == NULL)
        return;
    conveyor_free(&queues->slots);
    free(queues->block);
    wave_tallies_free(&queues->counts);
    free(queues->queue_memory);
    fifos_free(&queues->fifos);
    free(queues);
    machine->forward->queues = NULL;
}

static size_t blocks_of(const struct machine *machine)
{
    return (size_t)machine->config.mesh.rows * blocks_of_row(machine);
}

/* What all kinds need. */
static bool slots_make(struct machine *machine)
{
    struct forward_queues *queues = memory_allocate(1, sizeof *queues);
    machine->forward->queues = queues;
    if (queues == NULL)
        return false;
    return conveyor_allocate(machine, &queues->slots, false) &&
           wave_tallies_allocate(machine, &queues->counts);
}

/* A queue lies in one line of the cache. */
static struct link_queue *on_a_line(void *memory)
{
    enum { LINE = sizeof(struct link_queue) };
    return (struct link_queue *)(((uintptr_t)memory + LINE - 1) / LINE * LINE);
}

static bool queues_of_lines(const struct machine *machine, struct forward_queues *queues)
{
    queues->queue_memory =
        memory_allocate((size_t)machine->nodes * DIRECTIONS + 1, sizeof *queues->queue);
    queues->queue = queues->queue_memory == NULL ? NULL : on_a_line(queues->queue_memory);
    return queues->queue != NULL;
}

/* Packets under way may have an urgency even if the rule of this call gives none. */
static bool queues_make(const struct machine *machine, struct forward_queues *queues,
                        bool has_urgency)
{
    bool is_under_way = machine->travelling > 0, was_fifo = queues->is_fifo;
    if (queues->block == NULL)
        queues->block = memory_allocate(blocks_of(machine), sizeof *queues->block);
    queues->is_fifo = !has_urgency && (was_fifo || !is_under_way);
    queues->leaves_fifos = was_fifo && !queues->is_fifo && is_under_way;
    if (queues->block == NULL)
        return false;
    return queues->is_fifo ? queues->fifos.word != NULL || fifos_allocate(machine, &queues->fifos)
                           : queues->queue != NULL || queues_of_lines(machine, queues);
}

static uint64_t queues_footprint(const struct machine_needs *needs)
{
    const struct forward_queues *queues = NULL;
    uint64_t nodes = needs_nodes(needs), blocks = blocks_of_mesh(needs->mesh), bytes = 0;
    bytes += conveyor_footprint(needs, false) + wave_footprint(needs);
    bytes += blocks * sizeof *queues->block;
    if (needs->uses & USE_FORWARD)
        bytes += fifo_footprint(needs->mesh);
    if (needs->uses & USE_URGENCY)
        bytes += nodes * DIRECTIONS * sizeof *queues->queue;
    return bytes;
}

static enum failure_kind queues_prepare(struct machine *machine, const struct routing_rule *rule,
                                        struct failure *failure)
{
    bool whole = machine->forward->queues != NULL || slots_make(machine);
    struct forward_queues *queues = machine->forward->queues;
    if (whole)
        whole = queues_make(machine, queues, rule->urgency != NULL);
    if (whole)
        return FAIL_NONE;
    queues_free(machine);
    return fail_memory(failure, "the links' queues");
}

/* ---- memory: what waits for copies ---- */

static void forward_release(struct forward *forward)
{
    if (forward == NULL)
        return;
    free(forward->waiting);
    free(forward->waiting_first);
    free(forward->waiting_last);
    free(forward->has_copies);
    free(forward);
}

void forward_free(struct machine *machine)
{
    queues_free(machine);
    forward_release(machine->forward);
    machine->forward = NULL;
}

static enum failure_kind waiting_prepare(struct machine *machine, struct failure *failure)
{
    struct forward *forward = memory_allocate(1, sizeof *forward);
    bool whole = forward != NULL;
    if (whole) {
        forward->blocks = blocks_of_row(machine);
        forward->waiting = memory_allocate(machine->nodes, 1);
        forward->waiting_first = memory_allocate(machine->nodes, sizeof(uint32_t));
        forward->waiting_last = memory_allocate(machine->nodes, sizeof(uint32_t));
        forward->has_copies =
            memory_allocate((size_t)machine->config.mesh.rows * forward->blocks, 1);
        whole = forward->waiting && forward->waiting_first && forward->waiting_last &&
                forward->has_copies;
    }
    if (whole) {
        machine->forward = forward;
        return FAIL_NONE;
    }
    forward_release(forward);
    return fail_memory(failure, "the nodes' copies");
}

uint64_t forward_footprint(const struct machine_needs *needs)
{
    const struct forward *forward = NULL;
    uint64_t of_node =
        sizeof *forward->waiting + sizeof *forward->waiting_first + sizeof *forward->waiting_last;
    return needs_nodes(needs) * of_node + blocks_of_mesh(needs->mesh) + queues_footprint(needs);
}

enum failure_kind forward_prepare(struct machine *machine, const struct routing_rule *rule,
                                  struct failure *failure)
{
    if (machine->forward == NULL && waiting_prepare(machine, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    return queues_prepare(machine, rule, failure);
}
