/* results_load.h - points of latency against load in the database of results.
 *
 * Table `load_point`: a row a point, its identity, what was asked, every figure of a point of `load --json` under the
 * key's name. It stands beside the tables of runs and is made when the first point comes.
 */
#ifndef MESHCAST_RESULTS_RESULTS_LOAD_H
#define MESHCAST_RESULTS_RESULTS_LOAD_H

#include "results/results_database.h"
#include "results/results_grid.h"

#include <stdio.h>

/* Makes the table if it is not there; of a database that is open to be written. */
enum failure_kind results_load_prepare(struct results_database *database, struct failure *failure);

/* Sets *figures to the row of that identity, an object with the values of `load --json` that the caller owns, or to
 * NULL. */
enum failure_kind results_load_find(struct results_database *database, const char *identity,
                                    json_t **figures, struct failure *failure);

/* Adds a point; does nothing if one of that identity is there. Keys that are missing become NULL. */
enum failure_kind results_load_add(struct results_database *database, const char *identity,
                                   const json_t *figures, struct failure *failure);

/* Sets *points to an array of all points, by topology, settings, scheme, destinations, lengths, rate; the caller owns it; an
 * empty one where there is no such table. */
enum failure_kind results_load_read(struct results_database *database, json_t **points,
                                    struct failure *failure);

/* The points with the values that they have in `load --json`: arrays, objects, true and false; NULL: no memory. The
 * caller owns it. */
json_t *results_load_typed(const json_t *points);

/* Sets *has to whether there is a run of a router in the database. */
enum failure_kind results_has_runs(struct results_database *database, bool *has,
                                   struct failure *failure);

/* Makes a grid of points, whose texts are theirs; the caller frees the cells. False: no memory. */
bool results_load_grid(struct grid *grid, const json_t *points);

#endif
