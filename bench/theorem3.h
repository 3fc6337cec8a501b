/* theorem3.h - what the benches of Theorem 3 share: the routers that they measure, and one run.
 *
 * For bench/theorem3_*.c. The figures are those of router_run; which phases of a run belong to Step
 * 1 and which are a further round is told by their names, "PHASE.STEP what" in router `random`.
 */
#ifndef MESHCAST_BENCH_THEOREM3_H
#define MESHCAST_BENCH_THEOREM3_H

#include "routers/router.h"
#include "workloads/pattern.h"

#include <stdlib.h>
#include <string.h>

/* A router as it is measured. Its goals, with free copies and without synchronisation, are
 * per_s sqrt(c n) + per_m m steps, s = sqrt(n / c) being 8 at least, or 4 at least; 0: none. */
struct subject {
    const char *name, *router, *variant;
    double per_s, per_s_small, per_m;
};

enum { SUBJECTS = 3 };
static const struct subject subjects[SUBJECTS] = {
    {"rank", "random", "rank", 9, 12, 10},
    {"direct", "random", "direct", 4, 0, 10},
    {"stream", "stream", NULL, 1.6, 1.6, 4},
};

/* How to run one. r is NULL for the default. */
struct run_plan {
    bool copy_is_free;
    uint64_t seed;
    uint32_t threads;
    const char *r;
    FILE *trace;
};

/* Runs the subject; false, and a line on standard error, if the run failed. */
static inline bool subject_run(const struct subject *subject, const struct message_set *set,
                               const struct run_plan *plan, struct router_result *result)
{
    struct router_options options = router_options_default();
    struct failure failure = {0};
    options.copy_is_free = plan->copy_is_free;
    options.seed = plan->seed;
    options.threads = plan->threads;
    options.trace = plan->trace;
    if (subject->variant != NULL)
        options.parameter[options.parameters++] =
            (struct router_parameter){"variant", subject->variant};
    if (plan->r != NULL)
        options.parameter[options.parameters++] = (struct router_parameter){"r", plan->r};
    if (router_run(router_find(subject->router), set, &options, result, &failure) == FAIL_NONE)
        return true;
    fprintf(stderr, "%s: %s\n", subject->name, failure.text);
    return false;
}

/* Makes a pattern's set with that congestion, and degree (0: the pattern's own); false if it cannot
 * be had. The caller frees the set. */
static inline bool set_make(const struct pattern *pattern, const struct pattern_options *options,
                            struct message_set *set)
{
    struct failure failure = {0};
    return pattern_generate(pattern, options, set, &failure) == FAIL_NONE;
}

static inline bool name_ends(const char *name, const char *end)
{
    size_t length = strlen(name), part = strlen(end);
    return length >= part && strcmp(name + length - part, end) == 0;
}

/* Steps that are neither Step 1 nor synchronisation; for sets with d <= c, without Lemma 1. */
static inline uint64_t steps_after_step_1(const struct router_result *result)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < result->phases; i++) {
        const char *name = result->phase[i].name;
        if (!name_ends(name, "sync") && !name_ends(name, "scatter") && !name_ends(name, "groups"))
            steps += result->phase[i].steps;
    }
    return steps;
}

/* Whether phase `index` of a run of `random` begins a round of visits to all tiles: of phases of
 * one number those "visits" that are shorter than half of the first only let copies arrive that
 * were under way. */
static inline bool begins_round(const struct router_result *result, uint32_t index)
{
    const struct machine_phase *phase = &result->phase[index];
    uint64_t first = 0;
    for (uint32_t i = index + 1; i-- > 0;)
        if (strcmp(result->phase[i].name, phase->name) == 0)
            first = result->phase[i].steps;
    return name_ends(phase->name, "visits") && 2 * phase->steps >= first;
}

/* How many rounds of visits a run of `random` needed. */
static inline uint32_t rounds_of(const struct router_result *result)
{
    uint32_t rounds = 0;
    for (uint32_t i = 0; i < result->phases; i++)
        rounds += begins_round(result, i);
    return rounds;
}

#endif
