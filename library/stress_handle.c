/* stress_handle.c - the search for the least buffer as a handle: `meshcast stress` for programs. */
#include "library/router_probe.h"
#include "library/stress_private.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_POINTS = 1000 };

static_assert((int)MESHCAST_DELIVERS == STRESS_DELIVERS &&
                  (int)MESHCAST_OVERFLOWS == STRESS_OVERFLOWS &&
                  (int)MESHCAST_REFUSED == STRESS_REFUSED,
              "an outcome is a stress_outcome");

struct meshcast_stress {
    struct stress stress;
    uint32_t threads;
};

/* What probes: the router on the set. */
struct subject {
    const struct router *router;
    const struct message_set *set;
    const struct router_options *options;
    uint32_t threads; /* as used */
};

static enum failure_kind probe(void *context, struct stress_run *run, struct failure *failure)
{
    struct subject *subject = context;
    struct router_result result;
    router_probe_run(subject->router, subject->set, subject->options, run, &result, failure);
    subject->threads = result.threads;
    return failure->kind;
}

enum meshcast_status meshcast_stress_run(const struct meshcast_router *router,
                                         const struct meshcast_set *set, uint32_t points,
                                         bool is_exhaustive, const struct meshcast_options *options,
                                         struct meshcast_stress **stress,
                                         struct meshcast_error *error)
{
    struct failure failure = {0};
    struct subject subject = {router_of(router), &set->instance.set,
                              &options_or_standard(options)->router, 0};
    struct stress_plan plan = {
        .probe = probe, .context = &subject, .points = points, .is_exhaustive = is_exhaustive};
    *stress = memory_allocate(1, sizeof **stress);
    if (*stress == NULL)
        fail_memory(&failure, "a search for the least buffer");
    else if (points == 1 || points > MOST_POINTS)
        fail(&failure, FAIL_USAGE, "%u points; expected none, or 2 to %d", points, MOST_POINTS);
    else if (options_check_no_reduction(options_or_standard(options),
                                        "the search for the least buffer", &failure) == FAIL_NONE &&
             set_check_routable(set, &failure) == FAIL_NONE)
        stress_search(&(*stress)->stress, &plan, &failure);
    if (failure.kind != FAIL_NONE) {
        free(*stress);
        *stress = NULL;
    } else {
        (*stress)->threads = subject.threads;
    }
    return error_give(error, &failure);
}

void meshcast_stress_free(struct meshcast_stress *stress)
{
    if (stress != NULL)
        stress_free(&stress->stress);
    free(stress);
}

uint64_t meshcast_stress_figure(const struct meshcast_stress *stress,
                                enum meshcast_stress_figure figure)
{
    const struct stress *inner = &stress->stress;
    const struct stress_run *fastest = stress_fastest(inner);
    const uint64_t figures[] = {
        [MESHCAST_STRESS_LEAST] = inner->least,
        [MESHCAST_STRESS_IS_EXHAUSTIVE] = inner->is_exhaustive,
        [MESHCAST_STRESS_SETBACKS] = stress_setbacks(inner),
        [MESHCAST_STRESS_TOO_LARGE] = inner->too_large,
        [MESHCAST_STRESS_FEWEST_STEPS] = fastest->steps,
        [MESHCAST_STRESS_FEWEST_STEPS_CAPACITY] = fastest->capacity,
        [MESHCAST_STRESS_THREADS] = stress->threads,
    };
    return (size_t)figure < sizeof figures / sizeof *figures ? figures[figure] : 0;
}

uint32_t meshcast_stress_runs(const struct meshcast_stress *stress)
{
    return stress->stress.runs + 1;
}

static const struct stress_run *run_at(const struct meshcast_stress *stress, uint32_t run)
{
    return run == 0 ? &stress->stress.without : &stress->stress.run[run - 1];
}

uint64_t stress_run_figure_of(const struct stress_run *run, enum meshcast_stress_run_figure figure)
{
    const uint64_t figures[] = {
        [MESHCAST_STRESS_RUN_CAPACITY] = run->capacity,
        [MESHCAST_STRESS_RUN_OUTCOME] = run->outcome,
        [MESHCAST_STRESS_RUN_IN_FORCE] = run->in_force,
        [MESHCAST_STRESS_RUN_STEPS] = run->steps,
        [MESHCAST_STRESS_RUN_SYNC_STEPS] = run->sync_steps,
        [MESHCAST_STRESS_RUN_PEAK] = run->peak,
        [MESHCAST_STRESS_RUN_PEAK_NODE] = run->peak_node,
        [MESHCAST_STRESS_RUN_PEAK_STEP] = run->peak_step,
        [MESHCAST_STRESS_RUN_MISSING] = run->missing,
        [MESHCAST_STRESS_RUN_ATTEMPTS] = run->attempts,
        [MESHCAST_STRESS_RUN_VOID_ATTEMPTS] = run->void_attempts,
    };
    return (size_t)figure < sizeof figures / sizeof *figures ? figures[figure] : 0;
}

uint64_t meshcast_stress_run_figure(const struct meshcast_stress *stress, uint32_t run,
                                    enum meshcast_stress_run_figure figure)
{
    return stress_run_figure_of(run_at(stress, run), figure);
}

const char *meshcast_stress_run_phase(const struct meshcast_stress *stress, uint32_t run)
{
    return run_at(stress, run)->peak_phase;
}

const char *meshcast_stress_run_reason(const struct meshcast_stress *stress, uint32_t run)
{
    return run_at(stress, run)->reason;
}
