/* race.c - which of several routers is the fastest with each capacity.
 *
 * Method: all routers run without a capacity. Then with 1 to 8 packets, in steps of about a half up to the highest peak
 * of those runs, and with twice that. Where the winners of two neighbours differ, what is halfway between is run, until
 * nothing is between them. So every change of the winner is found to a packet, but for one that is taken back between two
 * capacities that were run and have the same winner.
 *
 * Invariant: points ascend by capacity, and none is run twice.
 * Cost: about 8 + 2 log2(peak) runs of each router, and log2(peak) for each change. A run that is refused costs nothing.
 */
#include "search/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 8, MOST_CAPACITY = 1 << 29 };

/* ---- a point ---- */

static bool is_faster(const struct stress_run *run, const struct stress_run *than)
{
    return run->steps != than->steps ? run->steps < than->steps : run->peak < than->peak;
}

static void judge(struct race_point *point, uint32_t runners)
{
    point->winner = RACE_NOBODY;
    for (uint32_t i = 0; i < runners; i++)
        if (point->run[i].outcome == STRESS_DELIVERS &&
            (point->winner == RACE_NOBODY || is_faster(&point->run[i], &point->run[point->winner])))
            point->winner = i;
}

/* All that take part run that capacity. */
static enum failure_kind run_point(const struct race *race, const struct race_plan *plan,
                                   struct race_point *point, struct failure *failure)
{
    bool is_first = point->capacity == 0;
    point->run = memory_allocate(race->runners, sizeof *point->run);
    if (point->run == NULL)
        return fail_memory(failure, "the runs");
    for (uint32_t i = 0; i < race->runners; i++) {
        struct failure ended = {0};
        struct stress_run *run = &point->run[i];
        *run = (struct stress_run){.capacity = point->capacity, .outcome = STRESS_REFUSED};
        if (!is_first && race->without.run[i].outcome == STRESS_REFUSED)
            continue;
        enum failure_kind kind = plan->probe(plan->context[i], run, &ended);
        if ((is_first && kind == FAIL_USAGE) || ended.is_memory_limit) {
            run->outcome = STRESS_REFUSED;
            snprintf(run->reason, sizeof run->reason, "%.255s", ended.text);
        } else if (kind != FAIL_NONE) {
            return fail_as(failure, &ended);
        }
    }
    judge(point, race->runners);
    return FAIL_NONE;
}

/* Runs a capacity, if it was not run before. */
static enum failure_kind add_point(struct race *race, const struct race_plan *plan,
                                   uint32_t capacity, struct failure *failure)
{
    uint32_t place = race->points;
    while (place > 0 && race->point[place - 1].capacity >= capacity)
        place--;
    if (place < race->points && race->point[place].capacity == capacity)
        return FAIL_NONE;
    struct race_point *grown =
        memory_grow(race->point, &race->room, race->points + (size_t)1, sizeof *grown);
    if (grown == NULL)
        return fail_memory(failure, "the runs");
    race->point = grown;
    struct race_point point = {.capacity = capacity};
    enum failure_kind kind = run_point(race, plan, &point, failure);
    memmove(race->point + place + 1, race->point + place,
            (race->points - place) * sizeof *race->point);
    race->point[place] = point; /* after a failure too, to be freed */
    race->points++;
    return kind;
}

/* ---- the race ---- */

/* The highest peak of a run that delivers without a capacity. */
static uint32_t highest_peak(const struct race *race)
{
    uint32_t peak = SMALL;
    for (uint32_t i = 0; i < race->runners; i++) {
        const struct stress_run *run = &race->without.run[i];
        if (run->outcome == STRESS_DELIVERS && run->peak > peak)
            peak = run->peak;
    }
    return peak < MOST_CAPACITY ? peak : MOST_CAPACITY;
}

static enum failure_kind run_ladder(struct race *race, const struct race_plan *plan,
                                    struct failure *failure)
{
    uint32_t peak = highest_peak(race);
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t capacity = 1; capacity < peak && kind == FAIL_NONE;
         capacity += capacity < SMALL ? 1 : capacity / 2)
        kind = add_point(race, plan, capacity, failure);
    if (kind == FAIL_NONE)
        kind = add_point(race, plan, peak, failure);
    return kind == FAIL_NONE ? add_point(race, plan, 2 * peak, failure) : kind;
}

static enum failure_kind find_changes(struct race *race, const struct race_plan *plan,
                                      struct failure *failure)
{
    for (uint32_t i = 0; i + 1 < race->points;) {
        uint32_t low = race->point[i].capacity, high = race->point[i + 1].capacity;
        if (race->point[i].winner == race->point[i + 1].winner || high - low <= 1)
            i++;
        else if (add_point(race, plan, low + (high - low) / 2, failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

static enum failure_kind run_all(struct race *race, const struct race_plan *plan,
                                 struct failure *failure)
{
    enum failure_kind kind = run_point(race, plan, &race->without, failure);
    bool takes_part = false;
    for (uint32_t i = 0; kind == FAIL_NONE && i < race->runners; i++)
        takes_part |= race->without.run[i].outcome != STRESS_REFUSED;
    if (kind == FAIL_NONE && !takes_part)
        kind =
            fail(failure, FAIL_USAGE, "no router runs with these options; the first says: %.400s",
                 race->without.run[0].reason);
    if (kind == FAIL_NONE)
        kind = run_ladder(race, plan, failure);
    return kind == FAIL_NONE ? find_changes(race, plan, failure) : kind;
}

enum failure_kind race_run(struct race *race, const struct race_plan *plan, struct failure *failure)
{
    *race = (struct race){.runners = plan->runners};
    enum failure_kind kind = run_all(race, plan, failure);
    if (kind != FAIL_NONE)
        race_free(race);
    return kind;
}

void race_free(struct race *race)
{
    for (uint32_t i = 0; i < race->points; i++)
        free(race->point[i].run);
    free(race->point);
    free(race->without.run);
    *race = (struct race){0};
}

uint32_t race_last_of_winner(const struct race *race, uint32_t first)
{
    while (first + 1 < race->points && race->point[first + 1].winner == race->point[first].winner)
        first++;
    return first;
}
