/* meshcast_compare.h - several routers on one set, and which is the fastest with each buffer, for programs.
 *
 * `meshcast compare` and `meshcast compare --best` print the same figures. The error rule, ownership and
 * threads are those of meshcast.h.
 */
#ifndef MESHCAST_COMPARE_H
#define MESHCAST_COMPARE_H

#include "meshcast_stress.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* A router of a comparison, of the table or of one's own. `parameters`: its own, "tree=vh:slots=1"; may be
 * NULL. Of those of the options it takes the ones that it has and that are not among its own. */
struct meshcast_runner {
    const struct meshcast_router *router;
    const char *parameters;
};

/* ---- a row per router ---- */

struct meshcast_comparison;

/* Runs each of `runner`[runners] on the set, one after the other; `runners` 0: all routers of the table
 * that can run such a set with such options. A router that refuses, or fails a check, has a row that says
 * so. With MESHCAST_OK and MESHCAST_CHECK (a router failed a check; the text is the first one's)
 * *comparison is the caller's, else NULL. MESHCAST_USAGE: all refused, none of the routers has a parameter
 * of the options, or there are more than 32. Files and the observer do not count; what is kept does. */
enum meshcast_status meshcast_compare(const struct meshcast_runner *runner, uint32_t runners,
                                      const struct meshcast_set *set,
                                      const struct meshcast_options *options,
                                      struct meshcast_comparison **comparison,
                                      struct meshcast_error *error);
void meshcast_comparison_free(struct meshcast_comparison *comparison);

/* Its rows, in the order of the runners, or of the table. */
uint32_t meshcast_comparison_rows(const struct meshcast_comparison *comparison);
const struct meshcast_router *
meshcast_comparison_router(const struct meshcast_comparison *comparison, uint32_t row);

/* How the run ended, with the text in *error, which may be NULL, unless MESHCAST_OK. */
enum meshcast_status meshcast_comparison_status(const struct meshcast_comparison *comparison,
                                                uint32_t row, struct meshcast_error *error);

/* Its result, the comparison's; NULL: the router refused. */
const struct meshcast_result *
meshcast_comparison_result(const struct meshcast_comparison *comparison, uint32_t row);

/* ---- the fastest with each buffer ---- */

struct meshcast_race;

/* Runs them with capacities from 1 packet per node up, where the fastest one changes with each. As
 * meshcast_compare(), but that all routers include "trees:slots=auto", that the options' buffer must be 0, that they must not ask for a reduction, and
 * that a check that fails otherwise than by the buffer ends it: unless MESHCAST_OK *race is NULL. */
enum meshcast_status meshcast_race_run(const struct meshcast_runner *runner, uint32_t runners,
                                       const struct meshcast_set *set,
                                       const struct meshcast_options *options,
                                       struct meshcast_race **race, struct meshcast_error *error);
void meshcast_race_free(struct meshcast_race *race);

uint32_t meshcast_race_runners(const struct meshcast_race *race);
const struct meshcast_router *meshcast_race_router(const struct meshcast_race *race,
                                                   uint32_t runner);

/* Returns "trees", or with parameters of its own "trees:slots=auto"; the race owns the text. */
const char *meshcast_race_label(const struct meshcast_race *race, uint32_t runner);

/* Points: 0 is without a capacity, the others ascend by capacity. */
uint32_t meshcast_race_points(const struct meshcast_race *race);

/* Packets a node; 0: none was asked for. */
uint32_t meshcast_race_capacity(const struct meshcast_race *race, uint32_t point);

/* The runner that delivers in the fewest steps, of equal ones the one with the lower peak, then the first;
 * UINT32_MAX: none delivers. */
uint32_t meshcast_race_winner(const struct meshcast_race *race, uint32_t point);

/* What a runner's run of that capacity came to. */
uint64_t meshcast_race_figure(const struct meshcast_race *race, uint32_t point, uint32_t runner,
                              enum meshcast_stress_run_figure figure);
const char *meshcast_race_reason(const struct meshcast_race *race, uint32_t point, uint32_t runner);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
