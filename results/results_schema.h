/* results_schema.h - the table of the database and its views, for results/. */
#ifndef MESHCAST_RESULTS_RESULTS_SCHEMA_H
#define MESHCAST_RESULTS_RESULTS_SCHEMA_H

#include <stdbool.h>

/* Written into the file's header: whose it is, and the version of its table. */
#define RESULTS_APPLICATION_ID 0x6d636173 /* "mcas" */
#define RESULTS_VERSION 2

/* Writes the statements that make the table and its views, or the views of one connection alone; the text is the
 * caller's to free, NULL: no memory. */
char *results_schema_text(bool is_of_connection);

#endif
