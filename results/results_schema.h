/* results_schema.h - the table of the database and its views, for results/. */
#ifndef MESHCAST_RESULTS_RESULTS_SCHEMA_H
#define MESHCAST_RESULTS_RESULTS_SCHEMA_H

#include <stdbool.h>

/* Values in the file's header: the program that owns it, and the version of its table. */
#define RESULTS_APPLICATION_ID 0x6d636173 /* "mcas" */
#define RESULTS_VERSION 2

/* Returns the statements that make the table and its views, or only the views of one connection. The caller frees the text;
 * NULL: no memory. */
char *results_schema_text(bool is_of_connection);

#endif
