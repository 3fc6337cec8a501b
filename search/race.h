/* race.h - which of several routers is the fastest with each capacity of a node's buffer. */
#ifndef MESHCAST_SEARCH_RACE_H
#define MESHCAST_SEARCH_RACE_H

#include "search/stress.h"

#define RACE_NOBODY UINT32_MAX

/* A capacity that all runners have run. */
struct race_point {
    uint32_t capacity;
    uint32_t
        winner; /* the runner that delivers in the fewest steps, of equal ones with the lower peak, then
                               the first; RACE_NOBODY: none delivers */
    struct stress_run *run; /* [runners] */
};

struct race_plan {
    uint32_t runners;
    stress_probe *probe;
    void *const *context; /* [runners] */
};

/* race_free() when done. */
struct race {
    uint32_t runners, points;
    size_t room; /* for points */
    struct race_point
        without; /* capacity 0: none was asked for; the run of a router that takes no part is refused */
    struct race_point *point; /* ascending capacities, without doubles, from 1 */
};

/* Runs them. Of two capacities one behind the other in the list either both have the same winner or nothing is between.
 * A router that refuses to run without a capacity takes no part; memory that is not there for a larger capacity
 * counts as a refusal of that. FAIL_USAGE: no router takes part; else what a probe failed with. Frees what it took. */
enum failure_kind race_run(struct race *race, const struct race_plan *plan,
                           struct failure *failure);
void race_free(struct race *race);

/* The last point of the same winner from `first` on. */
uint32_t race_last_of_winner(const struct race *race, uint32_t first);

#endif
