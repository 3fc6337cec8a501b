/* stress.c - searches among the capacities of a node's buffer.
 *
 * The least that delivers: a run without a capacity has a peak P. From P on the capacity is doubled
 * until a run delivers, since routers with back-pressure may need more for their channels than was
 * ever held. Then P - 1, since a schedule that ignores the capacity fails with just that; then
 * bisection. Assumptions are made only between capacities that were tried: the answer is the least
 * of all that delivered, and its predecessor was run and failed.
 *   The capacities around it: half the answer, a quarter, .. show the effect of too little;
 * doubles, and those between two that differ, show the gain of more, until a run has the same steps
 * and peak as with half of it. If one of them delivers below the answer, as is possible since more
 * buffer does not always help, the bisection goes on below it. A search that is exhaustive assumes
 * nothing: it runs every capacity below the answer.
 *   Cost: log P runs for the answer, as many around it. Those that overflow end early, those that
 * are refused cost nothing.
 *
 * The fastest router with each: all run without a capacity. Then with 1 to 8 packets, in steps of
 * about a half up to the highest peak of those runs, and with twice that. If the winners of two
 * neighbours differ, the capacity halfway between is run, until nothing is between them. So every
 * change of the winner is found exactly, except one that is reversed between two capacities that
 * were run and have the same winner.
 *   Cost: about 8 + 2 log P runs of each router, and log P for each change.
 *
 * Invariant: runs ascend by capacity; none is run twice.
 */
#include "search/stress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t most_capacity = UINT32_C(1) << 30;

/* ---- runs ---- */

static struct stress_run *runs_at(const struct stress *stress, uint32_t index)
{
    return stress->run + (size_t)index * stress->routers;
}

/* Returns the number of runs with less than the capacity. */
static uint32_t index_for(const struct stress *stress, uint32_t capacity)
{
    uint32_t index = stress->capacities;
    while (index > 0 && runs_at(stress, index - 1)->capacity >= capacity)
        index--;
    return index;
}

/* Runs a capacity with all routers, if it was not run before. Failed runs are not among the
 * runs. */
static enum failure_kind try_capacity(struct stress *stress, const struct stress_plan *plan,
                                      uint32_t capacity, struct failure *failure)
{
    uint32_t routers = stress->routers, index = index_for(stress, capacity);
    if (index < stress->capacities && runs_at(stress, index)->capacity == capacity)
        return FAIL_NONE;
    struct stress_run *grown = memory_grow(
        stress->run, &stress->room, (stress->capacities + (size_t)1) * routers, sizeof *grown);
    if (grown == NULL)
        return fail_memory(failure, "the runs");
    stress->run = grown;
    struct stress_run *run = runs_at(stress, index);
    size_t behind = (size_t)(stress->capacities - index) * routers;
    memmove(run + routers, run, behind * sizeof *run);
    for (uint32_t i = 0; i < routers && failure->kind == FAIL_NONE; i++) {
        run[i] = (struct stress_run){.capacity = capacity};
        plan->probe(plan->context, i, &run[i], failure);
    }
    if (failure->kind == FAIL_NONE)
        stress->capacities++;
    else
        memmove(run, run + routers, behind * sizeof *run);
    return failure->kind;
}

/* Begins a search with the runs without a capacity. */
static enum failure_kind begin(struct stress *stress, const struct stress_plan *plan,
                               struct failure *failure)
{
    *stress = (struct stress){.routers = plan->routers};
    return try_capacity(stress, plan, 0, failure);
}

void stress_free(struct stress *stress)
{
    free(stress->run);
    *stress = (struct stress){.routers = 0};
}

/* ---- the least ---- */

static enum failure_kind find_some(struct stress *stress, const struct stress_plan *plan,
                                   struct failure *failure)
{
    uint32_t capacity = stress->run->peak > 1 ? stress->run->peak : 1;
    for (;; capacity = capacity > most_capacity / 2 ? most_capacity : 2 * capacity) {
        if (try_capacity(stress, plan, capacity, failure) != FAIL_NONE)
            return failure->kind;
        if (stress->run[index_for(stress, capacity)].outcome == STRESS_DELIVERS)
            return FAIL_NONE;
        if (capacity == most_capacity)
            return fail(failure, FAIL_CHECK, "no buffer capacity up to %u packets delivers",
                        most_capacity);
    }
}

/* Halves the gap below the least that delivered until there is none. */
static enum failure_kind close_in(struct stress *stress, const struct stress_plan *plan,
                                  struct failure *failure)
{
    for (;;) {
        uint32_t first = 1;
        while (stress->run[first].outcome != STRESS_DELIVERS)
            first++;
        uint32_t high = stress->run[first].capacity, low = stress->run[first - 1].capacity;
        stress->least = high;
        if (high - low <= 1)
            return FAIL_NONE;
        if (try_capacity(stress, plan, low + (high - low) / 2, failure) != FAIL_NONE)
            return failure->kind;
    }
}

/* Finds the least. One less than the peak goes first: it decides if the schedule ignores the
 * capacity. */
static enum failure_kind find_least(struct stress *stress, const struct stress_plan *plan,
                                    struct failure *failure)
{
    uint32_t peak = stress->run->peak;
    if (peak > 1 && try_capacity(stress, plan, peak - 1, failure) != FAIL_NONE)
        return failure->kind;
    if (find_some(stress, plan, failure) != FAIL_NONE)
        return failure->kind;
    return close_in(stress, plan, failure);
}

/* ---- around it ---- */

static enum failure_kind try_less(struct stress *stress, const struct stress_plan *plan,
                                  struct failure *failure)
{
    for (uint32_t capacity = stress->least / 2; capacity > 0; capacity /= 2)
        if (try_capacity(stress, plan, capacity, failure) != FAIL_NONE)
            return failure->kind;
    return FAIL_NONE;
}

/* True if the doubled capacity has bought nothing: the same steps, the same peak. */
static bool is_same_run(const struct stress *stress, uint32_t capacity)
{
    const struct stress_run *one = &stress->run[index_for(stress, capacity)];
    const struct stress_run *other = &stress->run[index_for(stress, 2 * capacity)];
    return one->outcome == other->outcome && one->steps == other->steps && one->peak == other->peak;
}

/* Tries doubles, and capacities between two that differ, until one needs more memory than there
 * is. */
static enum failure_kind try_more(struct stress *stress, const struct stress_plan *plan,
                                  struct failure *failure)
{
    enum { MOST_DOUBLES = 12 };
    uint32_t capacity = stress->least;
    for (int i = 0; i < MOST_DOUBLES && capacity <= most_capacity / 2; i++, capacity *= 2) {
        uint32_t tried = 2 * capacity;
        if (try_capacity(stress, plan, tried, failure) == FAIL_NONE) {
            if (is_same_run(stress, capacity))
                break;
            tried = capacity + capacity / 2;
            try_capacity(stress, plan, tried, failure);
        }
        if (failure->is_memory_limit) {
            stress->too_large = tried;
            *failure = (struct failure){0};
            break;
        }
        if (failure->kind != FAIL_NONE)
            break;
    }
    return failure->kind;
}

static enum failure_kind try_points(struct stress *stress, const struct stress_plan *plan,
                                    struct failure *failure)
{
    double most = stress->run[stress->capacities - 1].capacity;
    for (uint32_t i = 0; i < plan->points; i++) {
        double part = plan->points > 1 ? (double)i / (plan->points - 1) : 0;
        if (try_capacity(stress, plan, (uint32_t)lround(pow(most, part)), failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

static enum failure_kind try_all(struct stress *stress, const struct stress_plan *plan,
                                 struct failure *failure)
{
    for (uint32_t capacity = stress->least - 1; capacity > 0; capacity--)
        if (try_capacity(stress, plan, capacity, failure) != FAIL_NONE)
            return failure->kind;
    return FAIL_NONE;
}

enum failure_kind stress_search(struct stress *stress, const struct stress_plan *plan,
                                struct failure *failure)
{
    if (begin(stress, plan, failure) != FAIL_NONE ||
        find_least(stress, plan, failure) != FAIL_NONE ||
        try_less(stress, plan, failure) != FAIL_NONE ||
        try_more(stress, plan, failure) != FAIL_NONE ||
        try_points(stress, plan, failure) != FAIL_NONE ||
        (plan->is_exhaustive && try_all(stress, plan, failure) != FAIL_NONE) ||
        close_in(stress, plan, failure) != FAIL_NONE)
        stress_free(stress);
    else
        stress->is_exhaustive = stress->capacities > stress->least &&
                                stress->run[stress->least].capacity == stress->least;
    return failure->kind;
}

uint32_t stress_setbacks(const struct stress *stress)
{
    uint32_t setbacks = 0;
    for (uint32_t i = 1; i < stress->capacities; i++)
        setbacks +=
            stress->run[i].capacity > stress->least && stress->run[i].outcome != STRESS_DELIVERS;
    return setbacks;
}

const struct stress_run *stress_fastest(const struct stress *stress)
{
    const struct stress_run *fastest = NULL;
    for (uint32_t i = 1; i < stress->capacities; i++) {
        const struct stress_run *run = &stress->run[i];
        if (run->outcome == STRESS_DELIVERS && (fastest == NULL || run->steps < fastest->steps))
            fastest = run;
    }
    return fastest;
}

/* ---- the fastest with each ---- */

/* A plan whose routers may refuse: its probe is that of `plan`. */
struct race {
    const struct stress_plan *plan;
    const struct stress *stress;
};

static enum failure_kind probe_or_refuse(void *context, uint32_t router, struct stress_run *run,
                                         struct failure *failure)
{
    const struct race *race = context;
    struct failure ended = {0};
    bool is_first = run->capacity == 0;
    if (!is_first && race->stress->run[router].outcome == STRESS_REFUSED) {
        run->outcome = STRESS_REFUSED;
        return FAIL_NONE;
    }
    enum failure_kind kind = race->plan->probe(race->plan->context, router, run, &ended);
    if ((is_first && kind == FAIL_USAGE) || ended.is_memory_limit) {
        run->outcome = STRESS_REFUSED;
        snprintf(run->reason, sizeof run->reason, "%.255s", ended.text);
        return FAIL_NONE;
    }
    return kind == FAIL_NONE ? FAIL_NONE : fail_as(failure, &ended);
}

uint32_t stress_winner(const struct stress *stress, uint32_t index, uint32_t but)
{
    const struct stress_run *run = runs_at(stress, index), *best = NULL;
    for (uint32_t i = 0; i < stress->routers; i++)
        if (i != but && run[i].outcome == STRESS_DELIVERS &&
            (best == NULL || run[i].steps < best->steps ||
             (run[i].steps == best->steps && run[i].peak < best->peak)))
            best = &run[i];
    return best == NULL ? STRESS_NOBODY : (uint32_t)(best - run);
}

/* Checks that some router takes part. */
static enum failure_kind check_some(const struct stress *stress, struct failure *failure)
{
    for (uint32_t i = 0; i < stress->routers; i++)
        if (stress->run[i].outcome != STRESS_REFUSED)
            return FAIL_NONE;
    return fail(failure, FAIL_USAGE, "no router runs with these options; the first says: %.400s",
                stress->run->reason);
}

static enum failure_kind run_ladder(struct stress *stress, const struct stress_plan *plan,
                                    struct failure *failure)
{
    enum { SMALL = 8 };
    uint32_t peak = SMALL; /* the highest of a run that delivers without a capacity */
    for (uint32_t i = 0; i < stress->routers; i++)
        if (stress->run[i].outcome == STRESS_DELIVERS && stress->run[i].peak > peak)
            peak = stress->run[i].peak;
    if (peak > most_capacity / 2)
        peak = most_capacity / 2;
    for (uint32_t capacity = 1; capacity < peak; capacity += capacity < SMALL ? 1 : capacity / 2)
        if (try_capacity(stress, plan, capacity, failure) != FAIL_NONE)
            return failure->kind;
    if (try_capacity(stress, plan, peak, failure) == FAIL_NONE)
        try_capacity(stress, plan, 2 * peak, failure);
    return failure->kind;
}

static enum failure_kind find_changes(struct stress *stress, const struct stress_plan *plan,
                                      struct failure *failure)
{
    for (uint32_t i = 1; i + 1 < stress->capacities;) {
        uint32_t low = runs_at(stress, i)->capacity, high = runs_at(stress, i + 1)->capacity;
        if (high - low <= 1 ||
            stress_winner(stress, i, STRESS_NOBODY) == stress_winner(stress, i + 1, STRESS_NOBODY))
            i++;
        else if (try_capacity(stress, plan, low + (high - low) / 2, failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

enum failure_kind fastest_by_buffer(struct stress *stress, const struct stress_plan *plan,
                                    struct failure *failure)
{
    struct race race = {plan, stress};
    struct stress_plan refusing = {probe_or_refuse, &race, .routers = plan->routers};
    if (begin(stress, &refusing, failure) != FAIL_NONE ||
        check_some(stress, failure) != FAIL_NONE ||
        run_ladder(stress, &refusing, failure) != FAIL_NONE ||
        find_changes(stress, &refusing, failure) != FAIL_NONE)
        stress_free(stress);
    return failure->kind;
}
