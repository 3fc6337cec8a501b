/* results_columns.h - columns that a table of an older database may lack. */
#ifndef MESHCAST_RESULTS_RESULTS_COLUMNS_H
#define MESHCAST_RESULTS_RESULTS_COLUMNS_H

#include "results/results_database.h"

/* Sets *has to whether the table has the column. */
enum failure_kind results_has_column(struct results_database *database, const char *table,
                                     const char *column, bool *has, struct failure *failure);

/* Adds the column, NULL in all rows, where the table lacks it. Another process may add it at the same time: then it
 * is there. Names of 30 characters at most. */
enum failure_kind results_complete_column(struct results_database *database, const char *table,
                                          const char *column, const char *type,
                                          struct failure *failure);

#endif
