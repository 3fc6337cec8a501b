/* meshcast_stress.h - the least buffer with which a router delivers a set, for programs.
 *
 * The router runs with one capacity after another, by bisection; runs that overflow end early. `meshcast
 * stress` prints the same figures; doc/stress.md says what they mean. The error rule, ownership and threads
 * are those of meshcast.h.
 */
#ifndef MESHCAST_STRESS_H
#define MESHCAST_STRESS_H

#include "meshcast.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

struct meshcast_stress;

/* Finds it. `points`: so many capacities more, 2 .. 1000, in equal ratios from 1 to the largest that was
 * tried; 0: none. `is_exhaustive`: every capacity below the least, so that nothing is assumed. Of the
 * options all count but MESHCAST_BUFFER, the files and what is kept; `options` may be NULL. Unless
 * MESHCAST_OK *stress is NULL. MESHCAST_CHECK: no capacity delivers, or a run failed in another way than by
 * its buffer. MESHCAST_USAGE: the router refuses the options without a capacity too, or they
 * ask for a reduction. */
enum meshcast_status meshcast_stress_run(const struct meshcast_router *router,
                                         const struct meshcast_set *set, uint32_t points,
                                         bool is_exhaustive, const struct meshcast_options *options,
                                         struct meshcast_stress **stress,
                                         struct meshcast_error *error);
void meshcast_stress_free(struct meshcast_stress *stress);

enum meshcast_stress_figure {
    MESHCAST_STRESS_LEAST, /* packets per node: delivers, and nothing smaller that was tried does */
    MESHCAST_STRESS_IS_EXHAUSTIVE, /* 1: all smaller ones were tried */
    MESHCAST_STRESS_SETBACKS,  /* capacities above the least that were tried and do not deliver */
    MESHCAST_STRESS_TOO_LARGE, /* a capacity for which there was no memory; 0: none */
    MESHCAST_STRESS_FEWEST_STEPS,          /* of all capacities that were tried */
    MESHCAST_STRESS_FEWEST_STEPS_CAPACITY, /* the least one with so few */
    MESHCAST_STRESS_THREADS,
};
uint64_t meshcast_stress_figure(const struct meshcast_stress *stress,
                                enum meshcast_stress_figure figure);

/* The runs: 0 is the one without a capacity, the others ascend by capacity. */
uint32_t meshcast_stress_runs(const struct meshcast_stress *stress);

enum meshcast_outcome {
    MESHCAST_DELIVERS,
    MESHCAST_OVERFLOWS, /* a node held more than the capacity: the run stopped there */
    MESHCAST_REFUSED, /* the router cannot live within it, and says so; such a run has no figures */
};

enum meshcast_stress_run_figure {
    MESHCAST_STRESS_RUN_CAPACITY, /* packets per node; 0: none was asked for */
    MESHCAST_STRESS_RUN_OUTCOME,  /* enum meshcast_outcome */
    MESHCAST_STRESS_RUN_IN_FORCE, /* the capacity, or the router's own; 0: none */
    MESHCAST_STRESS_RUN_STEPS,    /* of an overflow: up to it */
    MESHCAST_STRESS_RUN_SYNC_STEPS,
    MESHCAST_STRESS_RUN_PEAK, /* of an overflow: the packets that were too many */
    MESHCAST_STRESS_RUN_PEAK_NODE,
    MESHCAST_STRESS_RUN_PEAK_STEP,
    MESHCAST_STRESS_RUN_MISSING, /* deliveries */
    MESHCAST_STRESS_RUN_ATTEMPTS,
    MESHCAST_STRESS_RUN_VOID_ATTEMPTS, /* 0 where the congestion is known */
};
uint64_t meshcast_stress_run_figure(const struct meshcast_stress *stress, uint32_t run,
                                    enum meshcast_stress_run_figure figure);

/* The phase of the peak; why it was refused, "" if it was not. */
const char *meshcast_stress_run_phase(const struct meshcast_stress *stress, uint32_t run);
const char *meshcast_stress_run_reason(const struct meshcast_stress *stress, uint32_t run);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
