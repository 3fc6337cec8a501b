/* results_tables.h - the tables of `report`: groups of runs, fits, runs that did not go well. */
#ifndef MESHCAST_RESULTS_RESULTS_TABLES_H
#define MESHCAST_RESULTS_RESULTS_TABLES_H

#include "results/results_fit.h"
#include "results/results_grid.h"
#include "results/results_group.h"

/* Whether nodes send several messages in some of the groups: people are told l then, and when deliveries were made. */
bool tables_have_several(const struct results_groups *groups);

/* Make a grid of the groups, of the fits (of sums: for people, beside the power laws), of the groups with runs that did
 * not go well. Its strings are those of the groups; tables_free() frees the cells. False: no memory. `is_several`: of
 * the groups. */
bool tables_of_groups(struct grid *grid, const struct results_groups *groups);
bool tables_of_fits(struct grid *grid, const struct results_fits *fits, bool is_several);
bool tables_of_sums(struct grid *grid, const struct results_fits *fits);
bool tables_of_errors(struct grid *grid, const struct results_groups *groups);
void tables_free(struct grid *grid);

#endif
