/* stress.c - the search for the least buffer capacity that delivers.
 *
 * Method: a run without a capacity has a peak P. From P on the capacity is doubled until a run
 * delivers, as routers with back-pressure may want more for their channels than was ever held. Then
 * P - 1, as a schedule that does not look at the capacity fails with just that; then bisection.
 * Nothing is taken for granted but between capacities that were tried: the answer is the least of all
 * that delivered, and its predecessor was run and failed.
 *   What is around: half the answer, a quarter, .. show what too little does; doubles, and what is
 * between two that differ, show what more buys, until a run has the same steps and peak as with half
 * of it. Should one of them deliver below
 * the answer, so far is it that buffer does not always help, the bisection goes on below it.
 *   A search that is exhaustive assumes nothing: it runs every capacity below the answer.
 *
 * Invariant: runs ascend by capacity; none is run twice.
 * Cost: log P runs for the answer, as many around it. Those that overflow end early, those that are
 * refused cost nothing.
 */
#include "search/stress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DOUBLES = 12 };

static const uint32_t most_capacity = UINT32_C(1) << 30;

/* ---- runs ---- */

/* The place of a capacity among the runs. */
static uint32_t place_for(const struct stress *stress, uint32_t capacity)
{
    uint32_t low = 0, high = stress->runs;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (stress->run[middle].capacity < capacity)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum failure_kind make_room(struct stress *stress, struct failure *failure)
{
    struct stress_run *run =
        memory_grow(stress->run, &stress->room, stress->runs + (size_t)1, sizeof *run);
    if (run == NULL)
        return fail_memory(failure, "the runs");
    stress->run = run;
    return FAIL_NONE;
}

/* Runs a capacity, if it was not run before; `delivers` may be NULL. */
static enum failure_kind try_capacity(struct stress *stress, const struct stress_plan *plan,
                                      uint32_t capacity, bool *delivers, struct failure *failure)
{
    uint32_t place = place_for(stress, capacity);
    if (place == stress->runs || stress->run[place].capacity != capacity) {
        struct stress_run run = {.capacity = capacity};
        if (make_room(stress, failure) != FAIL_NONE ||
            plan->probe(plan->context, &run, failure) != FAIL_NONE)
            return failure->kind;
        memmove(stress->run + place + 1, stress->run + place,
                (stress->runs - place) * sizeof *stress->run);
        stress->run[place] = run;
        stress->runs++;
    }
    if (delivers != NULL)
        *delivers = stress->run[place].outcome == STRESS_DELIVERS;
    return FAIL_NONE;
}

/* ---- the least ---- */

static enum failure_kind find_some(struct stress *stress, const struct stress_plan *plan,
                                   struct failure *failure)
{
    bool delivers;
    uint32_t capacity = stress->without.peak > 1 ? stress->without.peak : 1;
    for (;; capacity = capacity > most_capacity / 2 ? most_capacity : 2 * capacity) {
        if (try_capacity(stress, plan, capacity, &delivers, failure) != FAIL_NONE)
            return failure->kind;
        if (delivers)
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
        uint32_t first = 0;
        while (stress->run[first].outcome != STRESS_DELIVERS)
            first++;
        uint32_t high = stress->run[first].capacity;
        uint32_t low = first > 0 ? stress->run[first - 1].capacity : 0;
        stress->least = high;
        if (high - low <= 1)
            return FAIL_NONE;
        if (try_capacity(stress, plan, low + (high - low) / 2, NULL, failure) != FAIL_NONE)
            return failure->kind;
    }
}

/* One less than the peak goes first: it tells all where the schedule does not look at the capacity. */
static enum failure_kind find_least(struct stress *stress, const struct stress_plan *plan,
                                    struct failure *failure)
{
    uint32_t peak = stress->without.peak;
    if (peak > 1 && try_capacity(stress, plan, peak - 1, NULL, failure) != FAIL_NONE)
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
        if (try_capacity(stress, plan, capacity, NULL, failure) != FAIL_NONE)
            return failure->kind;
    return FAIL_NONE;
}

/* Whether the doubled capacity has bought nothing: the same steps, the same peak. */
static bool is_same_run(const struct stress *stress, uint32_t capacity)
{
    const struct stress_run *one = &stress->run[place_for(stress, capacity)];
    const struct stress_run *other = &stress->run[place_for(stress, 2 * capacity)];
    return one->outcome == other->outcome && one->steps == other->steps && one->peak == other->peak;
}

/* Doubles, and what is between two that differ, until one needs more memory than there is. */
static enum failure_kind try_more(struct stress *stress, const struct stress_plan *plan,
                                  struct failure *failure)
{
    uint32_t capacity = stress->least;
    for (int i = 0; i < MOST_DOUBLES && capacity <= most_capacity / 2; i++, capacity *= 2) {
        uint32_t tried = 2 * capacity;
        if (try_capacity(stress, plan, tried, NULL, failure) == FAIL_NONE) {
            if (is_same_run(stress, capacity))
                break;
            tried = capacity + capacity / 2;
            try_capacity(stress, plan, tried, NULL, failure);
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
    double most = stress->run[stress->runs - 1].capacity;
    for (uint32_t i = 0; i < plan->points; i++) {
        double part = plan->points > 1 ? (double)i / (plan->points - 1) : 0;
        uint32_t capacity = (uint32_t)lround(pow(most, part));
        if (try_capacity(stress, plan, capacity, NULL, failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

static enum failure_kind try_all(struct stress *stress, const struct stress_plan *plan,
                                 struct failure *failure)
{
    for (uint32_t capacity = stress->least - 1; capacity > 0; capacity--)
        if (try_capacity(stress, plan, capacity, NULL, failure) != FAIL_NONE)
            return failure->kind;
    return FAIL_NONE;
}

static enum failure_kind search(struct stress *stress, const struct stress_plan *plan,
                                struct failure *failure)
{
    if (plan->probe(plan->context, &stress->without, failure) != FAIL_NONE ||
        find_least(stress, plan, failure) != FAIL_NONE)
        return failure->kind;
    if (try_less(stress, plan, failure) != FAIL_NONE ||
        try_more(stress, plan, failure) != FAIL_NONE ||
        try_points(stress, plan, failure) != FAIL_NONE ||
        (plan->is_exhaustive && try_all(stress, plan, failure) != FAIL_NONE))
        return failure->kind;
    if (close_in(stress, plan, failure) != FAIL_NONE)
        return failure->kind;
    stress->is_exhaustive =
        stress->runs >= stress->least && stress->run[stress->least - 1].capacity == stress->least;
    return FAIL_NONE;
}

enum failure_kind stress_search(struct stress *stress, const struct stress_plan *plan,
                                struct failure *failure)
{
    *stress = (struct stress){.runs = 0};
    if (search(stress, plan, failure) != FAIL_NONE)
        stress_free(stress);
    return failure->kind;
}

void stress_free(struct stress *stress)
{
    free(stress->run);
    stress->run = NULL;
    stress->runs = stress->room = 0;
}

/* ---- what it means ---- */

uint32_t stress_setbacks(const struct stress *stress)
{
    uint32_t setbacks = 0;
    for (uint32_t i = 0; i < stress->runs; i++)
        setbacks +=
            stress->run[i].capacity > stress->least && stress->run[i].outcome != STRESS_DELIVERS;
    return setbacks;
}

const struct stress_run *stress_fastest(const struct stress *stress)
{
    const struct stress_run *fastest = NULL;
    for (uint32_t i = 0; i < stress->runs; i++) {
        const struct stress_run *run = &stress->run[i];
        if (run->outcome == STRESS_DELIVERS && (fastest == NULL || run->steps < fastest->steps))
            fastest = run;
    }
    return fastest;
}
