/* machine.c - the machine's creation, its end, and its figures.
 *
 * Each step's deliveries are added up as the clock passes it; only the host reads the curve.
 * Cost: 16 bytes per node and 28 bytes per destination slot (20 of them the headers), 36 if slots
 * have names; 101 numbers for the curve; the instructions add their own queues.
 */
#include "machine/machine_private.h"

#include "machine/ranks/border.h"

#include <assert.h>
#include <stdlib.h>

/* Makes headers of the slots of a pool, all zero; has_names: slots have names other than their
 * indices; finds_names: slots are found by these names. False: no memory; headers_free() frees what
 * was made. */
static bool headers_allocate(struct headers *header, const struct pool *pool, bool has_names,
                             bool finds_names)
{
    header->slots = pool->room;
    header->packet = pool_allocate(pool, sizeof *header->packet);
    header->destination = pool_allocate(pool, sizeof *header->destination);
    if (has_names)
        header->name = pool_allocate(pool, sizeof *header->name);
    if (has_names && finds_names)
        header->slot_of_name = pool_allocate(pool, sizeof *header->slot_of_name);
    return header->packet && header->destination && (header->name || !has_names) &&
           (header->slot_of_name || !has_names || !finds_names);
}

static void headers_free(struct headers *header)
{
    free(header->packet);
    free(header->destination);
    free(header->name);
    free(header->slot_of_name);
    *header = (struct headers){.slots = header->slots};
}

static bool arrays_allocate(struct machine *machine)
{
    struct node_range own = machine_nodes(machine);
    machine->occupancy = machine_allocate_nodes(machine, sizeof *machine->occupancy);
    machine->resting_first = machine_allocate_nodes(machine, sizeof *machine->resting_first);
    machine->resting_last = machine_allocate_nodes(machine, sizeof *machine->resting_last);
    machine->next = pool_allocate(&machine->pool, sizeof *machine->next);
    machine->tally = memory_allocate(machine->config.threads, sizeof *machine->tally);
    for (uint32_t i = 0; machine->tally != NULL && i < machine->pool.threads; i++)
        machine->tally[i].gone = &machine->pool.gone[i];
    if (!machine->occupancy || !machine->resting_first || !machine->resting_last ||
        !machine->next || !machine->tally)
        return false;
    for (node_index node = own.first; node < own.end; node++)
        machine->resting_first[node] = MACHINE_NONE;
    bool has_headers = headers_allocate(&machine->header, &machine->pool, machine->config.has_names,
                                        !machine->is_split);
    machine->pool.header = machine->header.packet;
    return has_headers;
}

/* Frees everything except the state that the next attempt's machine reads. Calling it twice does no
 * harm. */
static void release(struct machine *machine)
{
    for (uint32_t i = 0; i < machine->parts; i++)
        machine->part[i]->free(machine);
    machine->parts = 0;
    free(machine->attempt.has_discarded);
    free(machine->attempt.awaited);
    free(machine->occupancy);
    free(machine->resting_first);
    free(machine->resting_last);
    free(machine->input_first);
    free(machine->input_last);
    free(machine->next);
    headers_free(&machine->header);
    pool_free(&machine->pool);
    if (machine->is_split)
        border_free(machine);
    machine->attempt.has_discarded = NULL;
    machine->attempt.awaited = NULL;
    machine->occupancy = NULL;
    machine->resting_first = machine->resting_last = NULL;
    machine->input_first = machine->input_last = NULL;
    machine->next = NULL;
}

struct machine *machine_create(const struct machine_config *config, struct failure *failure)
{
    assert(mesh_is_valid(config->mesh.rows, config->mesh.cols) && config->threads >= 1);
    struct machine *machine = memory_allocate(1, sizeof *machine);
    if (machine == NULL) {
        fail_memory(failure, "the machine");
        return NULL;
    }
    machine->config = *config;
    delivery_curve_begin(machine);
    machine->nodes = mesh_nodes(config->mesh);
    machine->end_row = machine->fewest_rows = config->mesh.rows;
    machine->most_threads = config->threads;
    machine->is_observed = config->trace != NULL || config->observer != NULL;
    if (config->ranks != NULL && machine_join_ranks(machine, failure) != FAIL_NONE) {
        machine_free(machine);
        return NULL;
    }
    if (!pool_begin(&machine->pool, &machine->config, machine->is_split) ||
        !arrays_allocate(machine)) {
        fail_memory(failure, "the machine's nodes and packets");
        machine_free(machine);
        return NULL;
    }
    if (config->attempt != NULL && !attempt_begin(machine)) {
        fail_memory(failure, "an attempt");
        machine_free(machine);
        return NULL;
    }
    if (machine_is_observed(machine) && !trace_begin(machine)) {
        fail_memory(failure, "the trace's text");
        machine_free(machine);
        return NULL;
    }
    return machine;
}

void machine_free(struct machine *machine)
{
    if (machine == NULL)
        return;
    release(machine);
    if (machine->is_observed)
        trace_free(machine);
    for (uint32_t i = 0; machine->tally != NULL && i < machine->config.threads; i++)
        for (int group = 0; group < EVENT_GROUPS; group++)
            free(machine->tally[i].events[group].event);
    free(machine->tally);
    free(machine);
}

void machine_give_up(struct machine *machine)
{
    trace_give_up(machine);
    release(machine);
}

void machine_register(struct machine *machine, const struct machine_part *part)
{
    for (uint32_t i = 0; i < machine->parts; i++)
        if (machine->part[i] == part)
            return;
    assert(machine->parts < MACHINE_PARTS);
    machine->part[machine->parts++] = part;
}

bool machine_node_is_busy(const struct machine *machine, node_index node)
{
    bool busy = false;
    for (uint32_t i = 0; i < machine->parts; i++)
        busy |= machine->part[i]->is_busy != NULL && machine->part[i]->is_busy(machine, node);
    return busy;
}

const struct machine_config *machine_config(const struct machine *machine)
{
    return &machine->config;
}

struct headers *machine_headers(struct machine *machine)
{
    return &machine->header;
}

struct row_range machine_rows(const struct machine *machine)
{
    return (struct row_range){machine->first_row, machine->end_row};
}

struct node_range machine_nodes(const struct machine *machine)
{
    uint32_t cols = machine->config.mesh.cols;
    return (struct node_range){machine->first_row * cols, machine->end_row * cols};
}

struct site machine_site(const struct machine *machine, node_index node)
{
    uint32_t cols = machine->config.mesh.cols;
    return (struct site){.index = node, .row = node / cols, .col = node % cols};
}

uint32_t machine_first_resting(const struct machine *machine, node_index node)
{
    return machine->resting_first[node];
}

uint32_t machine_next_resting(const struct machine *machine, uint32_t packet)
{
    return (uint32_t)machine->next[packet];
}

bool resting_next(struct resting *walk)
{
    if (walk->packet != MACHINE_NONE)
        walk->packet = machine_next_resting(walk->machine, walk->packet);
    while (walk->packet == MACHINE_NONE && walk->nodes.first < walk->nodes.end) {
        walk->packet = walk->machine->resting_first[walk->nodes.first++];
        if (walk->packet != MACHINE_NONE)
            walk->site = machine_site(walk->machine, walk->nodes.first - 1);
    }
    return walk->packet != MACHINE_NONE;
}

uint64_t machine_resting(const struct machine *machine)
{
    return machine->resting;
}

uint64_t machine_travelling(const struct machine *machine)
{
    return machine->travelling;
}

const struct machine_counts *machine_counts(const struct machine *machine)
{
    return &machine->counts;
}

enum failure_kind machine_finish_trace(struct machine *machine, struct failure *failure)
{
    if (machine->trace_failed)
        return fail_memory(failure, "the trace's events");
    if (machine->config.trace == NULL)
        return FAIL_NONE;
    if (fflush(machine->config.trace) != 0 || ferror(machine->config.trace))
        return fail(failure, FAIL_SYSTEM, "cannot write the trace");
    return FAIL_NONE;
}

/* ---- the curve of deliveries ---- */

/* Returns `percent` percent of the deliveries, at least one. */
static uint64_t share(uint64_t deliveries, uint32_t percent)
{
    uint64_t count = (deliveries / 100) * percent + (deliveries % 100 * percent + 99) / 100;
    return count > 0 ? count : 1;
}

void delivery_curve_add(struct machine *machine, uint64_t step, uint64_t count)
{
    struct delivery_curve *curve = &machine->curve;
    uint64_t all = machine->config.deliveries;
    curve->made += count;
    while (all > 0 && curve->known < DELIVERY_PERCENTS && curve->made >= share(all, curve->known))
        curve->step[curve->known++] = step;
}

void delivery_curve_begin(struct machine *machine)
{
    machine->curve = (struct delivery_curve){.known = 0};
    for (uint32_t i = 0; i < DELIVERY_PERCENTS; i++)
        machine->curve.step[i] = UINT64_MAX;
}

const uint64_t *machine_delivery_curve(const struct machine *machine)
{
    return machine->curve.step;
}
