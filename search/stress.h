/* stress.h - routers under each capacity of a node's buffer: the least capacity with which a router
 * delivers, and the fastest router with each. */
#ifndef MESHCAST_SEARCH_STRESS_H
#define MESHCAST_SEARCH_STRESS_H

#include "base/failure.h"
#include "routers/router.h" /* ROUTER_NAME_SIZE */

#include <stdbool.h>
#include <stdint.h>

enum stress_outcome {
    STRESS_DELIVERS,
    STRESS_OVERFLOWS, /* a node held more than the capacity: the run stopped there */
    STRESS_REFUSED,   /* the router cannot run with it, and reports this before it starts */
};

/* One capacity and its outcome. A refused run has no figures. */
struct stress_run {
    uint32_t capacity; /* packets per node; 0: none was requested */
    enum stress_outcome outcome;
    uint32_t in_force;          /* the capacity, or the router's own bound; 0: none */
    uint64_t steps, sync_steps; /* of an overflow: up to it */
    uint32_t peak;              /* of an overflow: the packets of the overfull node */
    node_index peak_node;
    uint64_t peak_step;
    char peak_phase[ROUTER_NAME_SIZE];
    uint64_t missing;
    uint32_t attempts, void_attempts; /* 0 if the congestion is known */
    char reason[256];                 /* why it was refused */
};

/* Runs one capacity (0: none) of one router and fills `run`, which is zero except for the capacity.
 * It fails if the search must end, with is_memory_limit set if it must end only for larger
 * capacities. */
typedef enum failure_kind stress_probe(void *context, uint32_t router, struct stress_run *run,
                                       struct failure *failure);

struct stress_plan {
    stress_probe *probe;
    void *context;
    uint32_t routers; /* for stress_search(): 1 */

    /* for stress_search() */
    /* so many further capacities, in equal ratios from 1 to the largest tried */
    uint32_t points;
    bool is_exhaustive; /* every capacity below the least */
};

/* The runs of a search. stress_free() when done. */
struct stress {
    uint32_t routers, capacities;
    size_t room;
    /* [capacities][routers]: first those without a capacity, then ascending capacities, without
     * doubles */
    struct stress_run *run;
    uint32_t least;     /* delivers, and nothing smaller that was tried does */
    bool is_exhaustive; /* all smaller ones were tried */
    uint32_t too_large; /* needs more memory than there is, so nothing larger was tried; 0: none */
};

/* Searches for the least capacity. FAIL_CHECK: no capacity delivers; else the probe's failure.
 * Frees its memory on failure. */
enum failure_kind stress_search(struct stress *stress, const struct stress_plan *plan,
                                struct failure *failure);

/* Searches for the fastest router with each capacity: of two neighbours in the list either both
 * have the same fastest router or nothing is between. A router that refuses to run without a
 * capacity takes no part, and all its runs are refused; a lack of memory for a larger capacity
 * counts as a refusal of that. FAIL_USAGE: no router takes part; else a probe's failure. Frees its
 * memory on failure. */
enum failure_kind fastest_by_buffer(struct stress *stress, const struct stress_plan *plan,
                                    struct failure *failure);
void stress_free(struct stress *stress);

/* Returns the number of runs that fail though a smaller capacity delivers: 0 if more buffer never
 * does harm. */
uint32_t stress_setbacks(const struct stress *stress);

/* Returns the run of fewest steps, of these the one of the least capacity. */
const struct stress_run *stress_fastest(const struct stress *stress);

#define STRESS_NOBODY UINT32_MAX

/* Returns the router that delivers in the fewest steps with capacity number `index`, of equal ones
 * the one with the lower peak, then the first; `but` does not count. STRESS_NOBODY: none
 * delivers. */
uint32_t stress_winner(const struct stress *stress, uint32_t index, uint32_t but);

#endif
