/* step.c - the clock: injections, and the end of every step.
 *
 * The clock advances in machine_end_step (one step of an instruction), in machine_end_steps
 * (several steps that an instruction has executed line by line) and in machine_idle, and nowhere
 * else. The first two also enforce the model's buffer rule: they see the fullest buffer at the end
 * of every step. The counts of the threads and ranks in a step are added up here.
 */
#include "machine/gather.h"
#include "machine/machine_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Returns the name of the phase to which steps belong now. */
static const char *phase_name(const struct machine *machine)
{
    return machine->phases > 0 ? machine->phase[machine->current_phase].name : "start";
}

/* Advances the clock; nothing else does. */
static void clock_advance(struct machine *machine, uint64_t steps)
{
    assert(machine->phases > 0);
    machine->counts.steps += steps;
    machine->phase[machine->current_phase].steps += steps;
    if (machine->in_sync_phase)
        machine->counts.sync_steps += steps;
}

/* ---- phases ---- */

static const char SYNC_PHASE[] = "sync", FURTHER_PHASES[] = "further phases";

/* Returns the index of the phase that counts the steps of a new one. When all but two phases are
 * taken, the last two count the rest: synchronisations in one, everything else in the other. */
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
    if (machine_is_observed(machine))
        trace_emit_phase(machine, phase->name);
}

uint32_t machine_phases(const struct machine *machine)
{
    return machine->phases;
}

const struct machine_phase *machine_phase(const struct machine *machine, uint32_t index)
{
    return &machine->phase[index];
}

/* ---- remaining steps ---- */

uint64_t machine_steps_left(const struct machine *machine)
{
    const struct attempt_state *attempt = &machine->attempt;
    uint64_t budget = attempt->given.budget;
    uint64_t used = machine->counts.steps - attempt->begun - attempt->sync_word_steps;
    return budget == 0 ? UINT64_MAX : used < budget ? budget - used : 0;
}

/* Returns the rest of most_steps and one more, so that a run of most_steps still ends by itself. */
static uint64_t most_left(const struct machine *machine)
{
    uint64_t most = machine->config.most_steps, steps = machine->counts.steps;
    return most == 0 ? UINT64_MAX : most < steps ? 0 : most + 1 - steps;
}

uint64_t machine_limit_steps(const struct machine *machine, uint64_t limit)
{
    uint64_t left = machine_steps_left(machine), most = most_left(machine);
    left = most < left ? most : left;
    return limit < left ? limit : left;
}

/* Fails if all ranks are to end: an interrupt was sent to one of them. */
static enum failure_kind judge_interrupt(const struct machine *machine, struct failure *failure)
{
    if (!machine->is_split)
        return interrupt_check(machine->config.interrupt, failure);
    return machine->is_interrupted ? fail(failure, FAIL_INTERRUPTED, "interrupted") : FAIL_NONE;
}

enum failure_kind machine_judge_steps(const struct machine *machine, struct failure *failure)
{
    enum failure_kind kind = machine_rank_kept(machine, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (judge_interrupt(machine, failure) != FAIL_NONE)
        return FAIL_INTERRUPTED;
    if (most_left(machine) > 0)
        return FAIL_NONE;
    return fail(
        failure, FAIL_CHECK,
        "no end after %llu steps, in phase \"%s\": no run of these sizes takes more than %llu",
        (unsigned long long)machine->counts.steps, phase_name(machine),
        (unsigned long long)machine->config.most_steps);
}

enum failure_kind machine_judge_call(const struct machine *machine, enum failure_kind kind,
                                     struct failure *failure)
{
    if (kind == FAIL_NONE)
        kind = machine_judge_steps(machine, failure);
    return kind == FAIL_NONE && machine_steps_left(machine) == 0 ? FAIL_VOID : kind;
}

void machine_idle(struct machine *machine, uint64_t steps)
{
    uint64_t left = machine_steps_left(machine);
    clock_advance(machine, steps < left ? steps : left);
}

/* ---- the end of a step ---- */

/* Adds the wrong deliveries to the lists that all attempts share. */
static void wrong_collect(struct expected_messages *expected, struct tally *tally)
{
    if (tally->wrong == 0)
        return;
    if (expected->wrong == 0 || tally->first_wrong < expected->first_wrong)
        expected->first_wrong = tally->first_wrong;
    expected->wrong += tally->wrong;
    tally->wrong = 0;
}

/* Adds a thread's tally, and clears it; `peak` as in struct sums_ahead. */
static void tally_collect(struct machine *machine, struct tally *tally,
                          uint64_t number[static STEP_NUMBERS], uint64_t *peak)
{
    uint64_t fullest = (uint64_t)tally->peak << 32 | (UINT32_MAX - tally->peak_node);
    number[SUM_PACKET_HOPS] += tally->packet_hops;
    number[SUM_WORD_HOPS] += tally->word_hops;
    number[SUM_COPIES] += tally->copies;
    number[SUM_DELIVERED] += tally->delivered;
    number[SUM_MARKED] += tally->marked;
    number[SUM_DISCARDED] += tally->discarded;
    number[SUM_TRAVELLING] += (uint64_t)tally->travelling;
    number[SUM_RESTING] += (uint64_t)tally->resting;
    number[SUM_LOST_EVENTS] += tally->lost_events;
    number[SUM_STOPS] += tally->stops;
    wrong_collect(machine->config.expected, tally);
    if (tally->peak > 0 && fullest > *peak)
        *peak = fullest;
    tally->packet_hops = tally->word_hops = tally->copies = tally->delivered = 0;
    tally->marked = tally->discarded = tally->stops = 0;
    tally->travelling = tally->resting = 0;
    tally->peak = 0;
    tally->peak_node = 0;
}

void machine_sum_ahead(struct machine *machine, struct tally *tally, uint32_t stride,
                       uint32_t steps)
{
    struct sums_ahead *ahead = &machine->ahead;
    assert(steps <= MOST_AHEAD);
    if (!machine->is_split)
        return;
    *ahead = (struct sums_ahead){.count = steps};
    for (uint32_t i = 0; i < machine->config.threads; i++)
        for (uint32_t step = 0; step < steps; step++)
            tally_collect(machine, &tally[(size_t)i * stride + step], ahead->number[step],
                          &ahead->peak[step]);
    machine_add_up_steps(machine, ahead->number[0], ahead->peak, steps);
}

void machine_forget_ahead(struct machine *machine)
{
    machine->ahead.next = machine->ahead.count = 0;
}

/* Fills `number` with the sums of this step, and returns its peak. */
static uint64_t sums_of_step(struct machine *machine, uint64_t number[static STEP_NUMBERS])
{
    struct sums_ahead *ahead = &machine->ahead;
    uint64_t peak = 0;
    if (ahead->next < ahead->count) {
        memcpy(number, ahead->number[ahead->next], sizeof ahead->number[0]);
        return ahead->peak[ahead->next++];
    }
    memset(number, 0, STEP_NUMBERS * sizeof *number);
    for (uint32_t i = 0; i < machine->config.threads; i++)
        tally_collect(machine, &machine->tally[i], number, &peak);
    if (machine->is_split)
        machine_add_up_steps(machine, number, &peak, 1);
    return peak;
}

static void counts_add(struct machine *machine, const uint64_t number[static STEP_NUMBERS])
{
    struct machine_counts *counts = &machine->counts;
    counts->packet_hops += number[SUM_PACKET_HOPS];
    counts->word_hops += number[SUM_WORD_HOPS];
    counts->copies += number[SUM_COPIES];
    counts->delivered += number[SUM_DELIVERED];
    machine->marked += number[SUM_MARKED];
    machine->attempt.discarded += number[SUM_DISCARDED];
    machine->travelling += number[SUM_TRAVELLING];
    machine->resting += number[SUM_RESTING];
    machine->trace_failed |= number[SUM_LOST_EVENTS] > 0;
    machine->is_stopped = number[SUM_STOPS] > 0;
    machine->is_interrupted |= number[SUM_INTERRUPTS] > 0;
}

/* Adds the fullest buffer of this step to the counts. */
static void peak_note(struct machine *machine, uint32_t peak, node_index node)
{
    const struct machine_counts *counts = &machine->counts;
    bool is_lower = peak > 0 && peak == counts->peak && counts->peak_step == counts->steps &&
                    node < counts->peak_node; /* several injections may come in a step */
    if (peak > machine->attempt.peak)
        machine->attempt.peak = peak;
    if (peak > counts->peak || is_lower) {
        machine->counts.peak = peak;
        machine->counts.peak_node = node;
        machine->counts.peak_step = machine->counts.steps;
        snprintf(machine->counts.peak_phase, sizeof machine->counts.peak_phase, "%s",
                 phase_name(machine));
    }
}

/* Returns the most packets that a node may hold now; 0: any number. */
static uint32_t capacity_now(const struct machine *machine)
{
    uint32_t given = machine->config.buffer, proven = machine->proven_capacity;
    return given == 0 || (proven > 0 && proven < given) ? proven : given;
}

static enum failure_kind step_collect(struct machine *machine, struct failure *failure)
{
    uint64_t number[STEP_NUMBERS], delivered = machine->counts.delivered;
    uint64_t fullest = sums_of_step(machine, number);
    uint32_t peak = (uint32_t)(fullest >> 32);
    node_index node = peak > 0 ? UINT32_MAX - (uint32_t)fullest : 0;
    bool moved = number[SUM_PACKET_HOPS] + number[SUM_COPIES] + number[SUM_DELIVERED] > 0;
    counts_add(machine, number);
    delivery_curve_add(machine, machine->counts.steps, machine->counts.delivered - delivered);
    assert(!(moved && machine->in_sync_phase));
    if (machine_is_observed(machine))
        trace_end_step(machine);
    peak_note(machine, peak, node);
    uint32_t capacity = capacity_now(machine);
    if (machine->rank_failure.kind != FAIL_NONE)
        return fail_as(failure, &machine->rank_failure);
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
    enum failure_kind kind = step_collect(machine, failure);
    return kind == FAIL_NONE ? judge_interrupt(machine, failure) : kind;
}

enum failure_kind machine_end_step(struct machine *machine, struct failure *failure)
{
    return machine_end_steps(machine, 1, failure);
}

void machine_inject(struct machine *machine, node_index node, uint32_t packet)
{
    struct tally *tally = &machine->tally[0];
    struct site site = machine_site(machine, node);
    if (machine->attempt.awaited != NULL && machine->attempt.awaited[node] > 0)
        machine->attempt.awaited[node]--;
    tally_injection(machine, tally, node, packet);
    if (packet_ends_at(machine, site, packet)) {
        tally_deliver(machine, tally, DEPARTURES, site, packet, packet);
        return;
    }
    machine_rest(machine, node, packet);
    tally->resting++;
    machine->occupancy[node]++;
    if (!attempt_has_room(machine, machine->occupancy[node]))
        attempt_discard_resting(machine, tally, DEPARTURES, node);
    tally_occupancy(machine, tally, node);
}

enum failure_kind machine_end_injection(struct machine *machine, struct failure *failure)
{
    machine->is_injecting = true;
    enum failure_kind kind = step_collect(machine, failure);
    machine->is_injecting = false;
    return kind;
}

/* ---- input queues ---- Messages that wait at their sources, outside of the buffer.
 *
 * A node's queue is a list through `next`, like its resting packets. Its packets count as resting,
 * so that an instruction that would end with the last of these continues; they are in no buffer,
 * and cause no event, before they are injected.
 * Cost: 8 bytes per node, from the first packet that waits on.
 */

static bool input_allocate(struct machine *machine)
{
    uint32_t cols = machine->config.mesh.cols;
    size_t first = (size_t)machine->first_row * cols;
    size_t count = (size_t)(machine->end_row - machine->first_row) * cols;
    if (machine->input_last != NULL)
        return true;
    machine->input_first = machine_allocate_nodes(machine, sizeof *machine->input_first);
    machine->input_last = machine_allocate_nodes(machine, sizeof *machine->input_last);
    if (machine->input_first == NULL || machine->input_last == NULL) {
        free(machine->input_first);
        free(machine->input_last);
        machine->input_first = machine->input_last = NULL;
        return false;
    }
    memset(machine->input_first + first, 0xff, count * sizeof *machine->input_first);
    return true;
}

static enum failure_kind wait_in_input(struct machine *machine, node_index node, uint32_t packet,
                                       struct failure *failure)
{
    if (!input_allocate(machine))
        return fail_memory(failure, "the input queues");
    if (machine->input_first[node] == MACHINE_NONE)
        machine->input_first[node] = packet;
    else
        machine->next[machine->input_last[node]] = packet;
    machine->input_last[node] = packet;
    machine->next[packet] = MACHINE_NONE;
    machine->tally[0].resting++;
    return FAIL_NONE;
}

static bool has_injected(const struct machine *machine, node_index node)
{
    bool has = false;
    for (uint32_t i = 0; i < machine->parts; i++)
        has |=
            machine->part[i]->has_injected != NULL && machine->part[i]->has_injected(machine, node);
    return has;
}

enum failure_kind machine_queue(struct machine *machine, node_index node, uint32_t packet,
                                struct failure *failure)
{
    bool is_first = machine->resting_first[node] == MACHINE_NONE && !has_injected(machine, node);
    if (!is_first && !packet_ends_at(machine, machine_site(machine, node), packet))
        return wait_in_input(machine, node, packet, failure);
    machine_inject(machine, node, packet);
    return FAIL_NONE;
}

enum failure_kind machine_contribute(struct machine *machine, node_index node, uint32_t packet,
                                     struct failure *failure)
{
    assert(machine->header.packet[packet].first == packet);
    if (!packet_ends_at(machine, machine_site(machine, node), packet))
        return wait_in_input(machine, node, packet, failure);
    machine_inject(machine, node, packet);
    return FAIL_NONE;
}

void machine_inject_input(struct machine *machine, struct tally *tally, node_index node)
{
    uint32_t packet = machine->input_first[node];
    machine->input_first[node] = (uint32_t)machine->next[packet];
    tally_injection(machine, tally, node, packet);
    machine_rest(machine, node, packet);
    machine->occupancy[node]++;
}
