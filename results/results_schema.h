/* results_schema.h - the tables of the database, for results/results_database.c and results_add.c. */
#ifndef MESHCAST_RESULTS_RESULTS_SCHEMA_H
#define MESHCAST_RESULTS_RESULTS_SCHEMA_H

#include "results/results_database.h"

/* Written into the file's header: whose it is, and the version of its tables. */
#define RESULTS_APPLICATION_ID 0x6d636173 /* "mcas" */
#define RESULTS_VERSION 1

/* A column of the table `run` that holds a key of `route --json`, or a member of an object there. */
struct results_figure {
    const char *key, *type;
    const char *object, *member; /* NULL: the value of `key` */
};

/* The last RESULTS_NEWER may be missing in a database that was made before them. */
enum { RESULTS_FIGURES = 37, RESULTS_NEWER = 4 };
extern const struct results_figure results_figure[RESULTS_FIGURES];

/* A column beside these that an older database may lack. */
#define RESULTS_NEWER_ASKED "asked_per_node"

/* Adds what an older database lacks. */
enum failure_kind results_schema_complete(struct results_database *database,
                                          struct failure *failure);

/* Writes the statements that make the tables; the text is the caller's to free, NULL: no memory. */
char *results_schema_text(void);

#endif
