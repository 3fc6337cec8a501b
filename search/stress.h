/* stress.h - the least buffer with which a router still delivers, and what smaller and larger do. */
#ifndef MESHCAST_SEARCH_STRESS_H
#define MESHCAST_SEARCH_STRESS_H

#include "base/failure.h"
#include "routers/router.h" /* ROUTER_NAME_SIZE */

#include <stdbool.h>
#include <stdint.h>

enum stress_outcome {
    STRESS_DELIVERS,
    STRESS_OVERFLOWS, /* a node held more than the capacity: the run stopped there */
    STRESS_REFUSED,   /* the router cannot live within it, and says so before it starts */
};

/* One capacity and what came of it. A refused run has no figures. */
struct stress_run {
    uint32_t capacity; /* packets per node; 0: none was asked for */
    enum stress_outcome outcome;
    uint32_t in_force;          /* the capacity, or the router's own bound; 0: none */
    uint64_t steps, sync_steps; /* of an overflow: up to it */
    uint32_t peak;              /* of an overflow: the packets that were too many */
    node_index peak_node;
    uint64_t peak_step;
    char peak_phase[ROUTER_NAME_SIZE];
    uint64_t missing;
    uint32_t attempts, void_attempts; /* 0 where the congestion is known */
    char reason[256];                 /* why it was refused */
};

/* A probe runs one capacity (0: none) and fills `run`, which is zero but for it. It fails where the
 * search has to end, with fail_memory_limit() where it has to end for larger capacities alone. */
typedef enum failure_kind stress_probe(void *context, struct stress_run *run,
                                       struct failure *failure);

struct stress_plan {
    stress_probe *probe;
    void *context;
    uint32_t points;    /* so many capacities more, in equal ratios from 1 to the largest tried */
    bool is_exhaustive; /* every capacity below the least */
};

/* What the search has found. stress_free() when done. */
struct stress {
    struct stress_run without; /* no capacity was asked for */
    uint32_t runs;
    size_t room;            /* for runs */
    struct stress_run *run; /* ascending capacities, without doubles */
    uint32_t least;         /* delivers, and nothing smaller that was tried does */
    bool is_exhaustive;     /* all smaller ones were tried */
    uint32_t too_large; /* needs more memory than there is, so nothing larger was tried; 0: none */
};

/* Searches. FAIL_CHECK: no capacity delivers, or what the probe failed with. Frees what it took. */
enum failure_kind stress_search(struct stress *stress, const struct stress_plan *plan,
                                struct failure *failure);
void stress_free(struct stress *stress);

/* Runs that fail though a smaller capacity delivers: 0 where more buffer never does harm. */
uint32_t stress_setbacks(const struct stress *stress);

/* The run of fewest steps, of these the one of the least capacity. */
const struct stress_run *stress_fastest(const struct stress *stress);

#endif
