/* results_load.h - points of latency against load in the database of results.
 *
 * View `load_point` has a row for each point, with what was asked and every figure of a point of
 * `load --json` under the key's name.
 */
#ifndef MESHCAST_LAB_RESULTS_LOAD_H
#define MESHCAST_LAB_RESULTS_LOAD_H

#include "lab/grid.h"
#include "lab/results_database.h"

/* Sets *points to an array of all points, by topology, settings, scheme, destinations, lengths,
 * rate; the caller owns it. */
enum failure_kind results_load_read(struct results_database *database, json_t **points,
                                    struct failure *failure);

/* Returns the points with the values that they have in `load --json`: arrays, objects, true and
 * false; NULL: no memory. The caller owns it. */
json_t *results_load_json(const json_t *points);

/* Sets *has to whether there is a run of a router in the database. */
enum failure_kind results_has_runs(struct results_database *database, bool *has,
                                   struct failure *failure);

/* Returns the table of the points, which must outlive it. */
struct grid results_load_grid(const json_t *points);

#endif
