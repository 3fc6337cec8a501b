/* results_names.h - the names of routers and workloads that a database holds. */
#ifndef MESHCAST_RESULTS_RESULTS_NAMES_H
#define MESHCAST_RESULTS_RESULTS_NAMES_H

#include "results/results_database.h"
#include "results/results_group.h"

/* FAIL_USAGE: a router or a workload of the selection has no run in the database; the text names
 * the nearest that has, and all of them. */
enum failure_kind results_check_names(struct results_database *database,
                                      const struct results_selection *selection,
                                      struct failure *failure);

#endif
