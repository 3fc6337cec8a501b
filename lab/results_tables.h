/* results_tables.h - the tables of `report`: groups of runs, fits, groups with runs that failed or
 * were refused, points of latency against load. */
#ifndef MESHCAST_LAB_RESULTS_TABLES_H
#define MESHCAST_LAB_RESULTS_TABLES_H

#include "lab/results_database.h"
#include "library/table.h"

enum results_table {
    RESULTS_GROUPS,
    RESULTS_FITS,
    RESULTS_SUMS,
    RESULTS_ERRORS,
    RESULTS_POINTS,
    RESULTS_TABLES
};

/* The tables with their columns and no rows. */
extern const struct table results_tables[RESULTS_TABLES];

/* The measured figures of groups: medians, and minima and maxima under names that end with "_min"
 * and "_max". */
extern const struct figure *const results_measured[2];

/* Sets *points to an array of all points, by topology, settings, scheme, destinations, lengths,
 * rate; the caller owns it. View `load_point` has a row for each, with its settings and every
 * figure of a point of `load --json` under the key's name. */
enum failure_kind results_points_read(struct results_database *database, json_t **points,
                                      struct failure *failure);

/* Returns the points with the values that they have in `load --json`: arrays, objects, true and
 * false; NULL: no memory. The caller owns it. */
json_t *results_points_json(const json_t *points);

/* Sets *has to true if there is a run of a router in the database, else to false. */
enum failure_kind results_has_runs(struct results_database *database, bool *has,
                                   struct failure *failure);

#endif
