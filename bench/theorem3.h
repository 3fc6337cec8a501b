/* theorem3.h - what the benches of Theorem 3 share: the routers that they measure, and one run.
 *
 * For bench/theorem3_*.c. The figures are those of router_run.
 */
#ifndef MESHCAST_BENCH_THEOREM3_H
#define MESHCAST_BENCH_THEOREM3_H

#include "routers/router.h"
#include "workloads/pattern.h"

#include <stdlib.h>
#include <string.h>

/* A router, and its goal with free copies and without synchronisation: per_s sqrt(c n) + per_m m steps. */
struct subject {
    const char *name;
    double per_s, per_m;
};

enum { SUBJECTS = 2 };
static const struct subject subjects[SUBJECTS] = {{"random", 6, 10}, {"stream", 1.6, 4}};

/* The options of a run. */
struct run_plan {
    bool copy_is_free;
    uint32_t threads;
};

/* Runs the subject; false, and a line on standard error, if the run failed. */
static inline bool subject_run(const struct subject *subject, const struct message_set *set,
                               const struct run_plan *plan, struct router_result *result)
{
    struct router_options options = router_options_default();
    struct failure failure = {0};
    options.copy_is_free = plan->copy_is_free;
    options.threads = plan->threads;
    if (router_run(router_find(subject->name), set, &options, result, &failure) == FAIL_NONE)
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

/* Returns the steps that are neither Step 1 nor synchronisation; for sets with d <= c, without Lemma 1. */
static inline uint64_t steps_after_step_1(const struct router_result *result)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < result->phases; i++) {
        const char *name = result->phase[i].name;
        if (strcmp(name, "sync") != 0 && strncmp(name, "scatter", strlen("scatter")) != 0)
            steps += result->phase[i].steps;
    }
    return steps;
}

#endif
