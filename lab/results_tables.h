/* results_tables.h - the tables of `report`: groups of runs, fits, groups with runs that did not go
 * well. */
#ifndef MESHCAST_LAB_RESULTS_TABLES_H
#define MESHCAST_LAB_RESULTS_TABLES_H

#include "lab/grid.h"

enum results_table { RESULTS_GROUPS, RESULTS_FITS, RESULTS_SUMS, RESULTS_ERRORS, RESULTS_TABLES };

/* The tables with their columns and no rows. */
extern const struct grid results_tables[RESULTS_TABLES];

#endif
