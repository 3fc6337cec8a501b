/* results_schema.h - the table of the database and its views. */
#ifndef MESHCAST_LAB_RESULTS_SCHEMA_H
#define MESHCAST_LAB_RESULTS_SCHEMA_H

#include "lab/results_database.h"

/* Values in the file's header: the program that owns it, and the version of its table. */
#define RESULTS_APPLICATION_ID 0x6d636173 /* "mcas" */
#define RESULTS_VERSION 2

/* Makes the table and its views; or only the views, for this connection, and keeps temporary tables
 * in memory. Failures as results_execute(). */
enum failure_kind results_make_schema(struct results_database *database, bool is_of_connection,
                                      struct failure *failure);

#endif
