/* machine.c - the machine's life, its clock and its counters.
 *
 * The clock advances in machine_end_step (at the end of each step of an instruction), in
 * machine_end_steps (of several steps that an instruction has executed line by line) and in
 * machine_idle, and nowhere else. machine_end_step is also where the model's buffer rule is
 * enforced: it sees the fullest buffer at the end of every step.
 * Cost: 16 bytes a node and 32 bytes a destination slot; the instructions add their own queues.
 */
#include "machine/machine_private.h"

#include "machine/fetch.h"
#include "machine/footprint_private.h"
#include "machine/tally_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char SYNC_PHASE[] = "sync", FURTHER_PHASES[] = "further phases";

static bool headers_allocate(struct headers *header, uint32_t slots)
{
    header->slots = slots;
    header->packet = memory_allocate(slots, sizeof *header->packet);
    header->destination = memory_allocate(slots, sizeof *header->destination);
    return header->packet && header->destination;
}

static bool arrays_allocate(struct machine *machine)
{
    uint32_t nodes = machine->nodes, slots = machine->config.slots;
    machine->occupancy = memory_allocate(nodes, sizeof *machine->occupancy);
    machine->resting_first = memory_allocate(nodes, sizeof *machine->resting_first);
    machine->resting_last = memory_allocate(nodes, sizeof *machine->resting_last);
    machine->next = memory_allocate(slots, sizeof *machine->next);
    machine->delivered_at = memory_allocate(slots, sizeof *machine->delivered_at);
    machine->tally = memory_allocate(machine->config.threads, sizeof *machine->tally);
    if (!machine->occupancy || !machine->resting_first || !machine->resting_last ||
        !machine->next || !machine->delivered_at || !machine->tally)
        return false;
    memset(machine->resting_first, 0xff, nodes * sizeof *machine->resting_first);
    memset(machine->delivered_at, 0xff, slots * sizeof *machine->delivered_at);
    return headers_allocate(&machine->header, slots);
}

/* Its threads, or fewer, where they cannot be had. */
static void find_crew(struct machine *machine)
{
    struct machine_config *config = &machine->config;
    machine->owns_crew = config->crew == NULL;
    if (machine->owns_crew)
        config->crew = crew_make(config->threads);
    config->threads = crew_size(config->crew);
}

uint64_t core_footprint(const struct machine_needs *needs)
{
    const struct machine *machine = NULL;
    const struct headers *header = NULL;
    uint64_t of_node = sizeof *machine->occupancy + sizeof *machine->resting_first +
                       sizeof *machine->resting_last + needs->discards;
    uint64_t of_slot = sizeof *machine->next + sizeof *machine->delivered_at +
                       sizeof *header->packet + sizeof *header->destination;
    if (needs->is_observed) /* packets that live, in attempts, and those that were discarded */
        of_slot += sizeof *machine->discards + sizeof *machine->attempt.living;
    return sizeof *machine + needs->threads * sizeof *machine->tally +
           needs_nodes(needs) * of_node + needs->slots * of_slot +
           (needs->is_observed ? trace_footprint() : 0);
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
    find_crew(machine);
    machine->nodes = mesh_nodes(config->mesh);
    if (!arrays_allocate(machine)) {
        fail_memory(failure, "the machine's nodes and packets");
        machine_free(machine);
        return NULL;
    }
    if (config->attempt != NULL && !attempt_begin(machine)) {
        fail_memory(failure, "an attempt");
        machine_free(machine);
        return NULL;
    }
    if (!trace_begin(machine)) {
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
    attempt_free(machine);
    for (uint32_t i = 0; machine->tally != NULL && i < machine->config.threads; i++)
        for (int group = 0; group < EVENT_GROUPS; group++)
            free(machine->tally[i].events[group].event);
    free(machine->tally);
    free(machine->discards);
    if (machine->owns_crew)
        crew_free(machine->config.crew);
    free(machine);
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

struct site machine_site(const struct machine *machine, node_index node)
{
    uint32_t cols = machine->config.mesh.cols;
    return (struct site){.index = node, .row = node / cols, .col = node % cols};
}

/* Where a phase of that name counts its steps. When all but two places are taken those count the
 * rest, synchronisations in one and all else in the other. */
static uint32_t phase_place(struct machine *machine, bool is_sync)
{
    enum { LAST_TWO = MACHINE_MAX_PHASES - 2 };
    const char *rest = is_sync ? SYNC_PHASE : FURTHER_PHASES;
    for (uint32_t i = LAST_TWO; i < machine->phases; i++)
        if (strcmp(machine->phase[i].name, rest) == 0)
            return i;
    machine->phase[machine->phases] = (struct machine_phase){.steps = 0};
    return machine->phases++;
}

void machine_begin_phase(struct machine *machine, const char *name)
{
    bool is_sync = strcmp(name, SYNC_PHASE) == 0;
    if (machine->phases > 0 && machine->phase[machine->phases - 1].steps == 0)
        machine->phases--; /* a phase without a step leaves no trace in the result */
    machine->current_phase = phase_place(machine, is_sync);
    const struct machine_attempt *attempt = machine->config.attempt;
    bool is_further = machine->current_phase >= MACHINE_MAX_PHASES - 2 && !is_sync;
    bool is_named = attempt != NULL && attempt->name != NULL && !is_sync && !is_further;
    struct machine_phase *phase = &machine->phase[machine->current_phase];
    snprintf(phase->name, sizeof phase->name, "%s%s%s", is_named ? attempt->name : "",
             is_named ? " " : "", is_further ? FURTHER_PHASES : name);
    machine->in_sync_phase = is_sync;
    trace_begin_phase(machine, phase->name);
}

/* Of the phase to which steps belong now. */
static const char *phase_name(const struct machine *machine)
{
    return machine->phases > 0 ? machine->phase[machine->current_phase].name : "start";
}

/* The one place where the clock moves. */
static void clock_advance(struct machine *machine, uint64_t steps)
{
    assert(machine->phases > 0);
    machine->counts.steps += steps;
    machine->phase[machine->current_phase].steps += steps;
    if (machine->in_sync_phase)
        machine->counts.sync_steps += steps;
}

uint64_t machine_limit_steps(const struct machine *machine, uint64_t limit)
{
    uint64_t most = machine->config.most_steps, steps = machine->counts.steps;
    uint64_t left = most == 0 ? UINT64_MAX : most < steps ? 0 : most + 1 - steps;
    return limit < left ? limit : left;
}

enum failure_kind machine_judge_steps(const struct machine *machine, struct failure *failure)
{
    if (machine_limit_steps(machine, 1) > 0)
        return FAIL_NONE;
    return fail(
        failure, FAIL_CHECK,
        "no end after %llu steps, in phase \"%s\": no run of these sizes takes more than %llu",
        (unsigned long long)machine->counts.steps, phase_name(machine),
        (unsigned long long)machine->config.most_steps);
}

void machine_idle(struct machine *machine, uint64_t steps)
{
    clock_advance(machine, attempt_limit(machine, steps));
}

static void tally_collect(struct machine *machine, struct tally *tally)
{
    machine->counts.packet_hops += tally->packet_hops;
    machine->counts.word_hops += tally->word_hops;
    machine->counts.copies += tally->copies;
    machine->counts.delivered += tally->delivered;
    machine->duplicated += tally->duplicated;
    machine->marked += tally->marked;
    machine->attempt.discarded += tally->discarded;
    tally->marked = tally->discarded = 0;
    machine->travelling += (uint64_t)tally->travelling;
    machine->resting += (uint64_t)tally->resting;
    if (tally->lost_events)
        machine->trace_failed = true;
    tally->packet_hops = tally->word_hops = tally->copies = tally->delivered = tally->duplicated =
        0;
    tally->travelling = tally->resting = 0;
}

/* Takes the fullest buffer of this step into the counts; returns its occupancy. */
static uint32_t peak_collect(struct machine *machine, node_index *node)
{
    uint32_t peak = 0;
    *node = 0;
    for (uint32_t i = 0; i < machine->config.threads; i++) {
        struct tally *tally = &machine->tally[i];
        if (tally->peak > peak || (tally->peak == peak && peak > 0 && tally->peak_node < *node)) {
            peak = tally->peak;
            *node = tally->peak_node;
        }
        tally->peak = 0;
        tally->peak_node = 0;
    }
    const struct machine_counts *counts = &machine->counts;
    bool is_lower = peak > 0 && peak == counts->peak && counts->peak_step == counts->steps &&
                    *node < counts->peak_node; /* injections are collected one by one */
    if (peak > machine->attempt.peak)
        machine->attempt.peak = peak;
    if (peak > counts->peak || is_lower) {
        machine->counts.peak = peak;
        machine->counts.peak_node = *node;
        machine->counts.peak_step = machine->counts.steps;
        snprintf(machine->counts.peak_phase, sizeof machine->counts.peak_phase, "%s",
                 phase_name(machine));
    }
    return peak;
}

/* The most packets that a node may hold now; 0: any number. */
static uint32_t capacity_now(const struct machine *machine)
{
    uint32_t given = machine->config.buffer, proven = machine->proven_capacity;
    return given == 0 || (proven > 0 && proven < given) ? proven : given;
}

static enum failure_kind step_collect(struct machine *machine, struct failure *failure)
{
    bool moved = false;
    for (uint32_t i = 0; i < machine->config.threads; i++) {
        struct tally *tally = &machine->tally[i];
        moved |= tally->packet_hops > 0 || tally->copies > 0 || tally->delivered > 0;
        tally_collect(machine, tally);
    }
    assert(!(moved && machine->in_sync_phase));
    trace_end_step(machine);
    node_index node;
    uint32_t peak = peak_collect(machine, &node);
    uint32_t capacity = capacity_now(machine);
    if (capacity > 0 && peak > capacity) {
        struct site site = machine_site(machine, node);
        return fail(failure, FAIL_CHECK,
                    "buffer overflow: node %u (row %u, col %u) holds %u packets, capacity %u, at "
                    "the end of step %llu, phase \"%s\"",
                    node, site.row, site.col, peak, capacity,
                    (unsigned long long)machine->counts.steps, phase_name(machine));
    }
    return FAIL_NONE;
}

enum failure_kind machine_end_steps(struct machine *machine, uint64_t steps,
                                    struct failure *failure)
{
    enum { PROGRESS_STEPS = 64 };
    uint64_t before = machine->counts.steps / PROGRESS_STEPS;
    clock_advance(machine, steps);
    if (machine->in_sync_phase)
        machine->attempt.sync_word_steps += steps;
    if (machine->config.progress != NULL && machine->counts.steps / PROGRESS_STEPS != before)
        machine->config.progress(machine->config.progress_context, machine->counts.steps,
                                 machine->phase[machine->current_phase].name);
    return step_collect(machine, failure);
}

enum failure_kind machine_end_step(struct machine *machine, struct failure *failure)
{
    return machine_end_steps(machine, 1, failure);
}

enum failure_kind machine_inject(struct machine *machine, node_index node, uint32_t packet,
                                 struct failure *failure)
{
    assert(machine->counts.steps == 0 || machine->config.attempt != NULL);
    struct tally *tally = &machine->tally[0];
    struct headers *header = &machine->header;
    struct site site = machine_site(machine, node);
    tally_event(machine, tally, DEPARTURES,
                (struct machine_event){{node, packet, header->packet[packet].message}, 'I'});
    if (header->packet[packet].first == packet && header->destination[packet] == site_place(site)) {
        tally_deliver(machine, tally, DEPARTURES, site, packet, packet);
    } else {
        machine_rest(machine, node, packet);
        tally->resting++;
        machine->occupancy[node]++;
        if (!attempt_has_room(machine, machine->occupancy[node]))
            attempt_discard_resting(machine, tally, node);
        tally_occupancy(machine, tally, node);
    }
    return step_collect(machine, failure);
}

uint32_t machine_first_resting(const struct machine *machine, node_index node)
{
    return machine->resting_first[node];
}

uint32_t machine_next_resting(const struct machine *machine, uint32_t packet)
{
    return (uint32_t)machine->next[packet];
}

void machine_fetch_resting(const struct machine *machine, node_index node)
{
    uint32_t packet = machine->resting_first[node];
    if (packet == MACHINE_NONE)
        return;
    __builtin_prefetch(&machine->next[packet]);
    __builtin_prefetch(&machine->header.packet[packet]);
}

uint64_t machine_resting(const struct machine *machine)
{
    return machine->resting;
}

uint64_t machine_travelling(const struct machine *machine)
{
    return machine->travelling;
}

node_place machine_delivered_at(const struct machine *machine, uint32_t slot)
{
    return machine->delivered_at[slot];
}

uint64_t machine_duplicated(const struct machine *machine)
{
    return machine->duplicated;
}

const struct machine_counts *machine_counts(const struct machine *machine)
{
    return &machine->counts;
}

uint32_t machine_phases(const struct machine *machine)
{
    return machine->phases;
}

const struct machine_phase *machine_phase(const struct machine *machine, uint32_t index)
{
    return &machine->phase[index];
}
