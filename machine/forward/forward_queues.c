/* forward_queues.c - the slots and queues of packets: made when a rule first needs their kind.
 *
 * Cost: 40 bytes a node for slots (and for those of up to eight rows that enter the mesh ahead of
 * others). For the queues behind them 244 without urgencies (and 256 a row and begun block), 256
 * with, and 1.9 for bits and blocks (in rows of whole blocks: 120 bytes a row and begun block).
 */
#include "machine/forward/forward_step_private.h"

#include "machine/footprint_private.h"

#include <stdlib.h>

void forward_queues_free(struct machine *machine)
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

/* Who is under way may have an urgency even if the rule of this call gives none. */
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

uint64_t forward_queues_footprint(const struct machine_needs *needs)
{
    const struct forward_queues *queues = NULL;
    uint64_t nodes = needs_nodes(needs), blocks = blocks_of_mesh(needs->mesh), bytes = 0;
    if (needs->uses & (USE_FORWARD | USE_URGENCY))
        bytes += conveyor_footprint(needs, false) + wave_footprint(needs);
    if (needs->uses & (USE_FORWARD | USE_URGENCY))
        bytes += blocks * sizeof *queues->block;
    if (needs->uses & USE_FORWARD)
        bytes += fifo_footprint(needs->mesh);
    if (needs->uses & USE_URGENCY)
        bytes += nodes * DIRECTIONS * sizeof *queues->queue;
    return bytes;
}

enum failure_kind forward_queues_prepare(struct machine *machine, const struct routing_rule *rule,
                                         struct failure *failure)
{
    bool whole = machine->forward->queues != NULL || slots_make(machine);
    struct forward_queues *queues = machine->forward->queues;
    if (whole)
        whole = queues_make(machine, queues, rule->urgency != NULL);
    if (whole)
        return FAIL_NONE;
    forward_queues_free(machine);
    return fail_memory(failure, "the links' queues");
}
