/* results_schema.h - the tables of the database, for results/results_database.c and results_add.c. */
#ifndef MESHCAST_RESULTS_RESULTS_SCHEMA_H
#define MESHCAST_RESULTS_RESULTS_SCHEMA_H

/* Written into the file's header: whose it is, and the version of its tables. */
#define RESULTS_APPLICATION_ID 0x6d636173 /* "mcas" */
#define RESULTS_VERSION 1

/* A column of the table `run` that holds a key of `route --json`. */
struct results_figure {
    const char *key, *type;
};

enum { RESULTS_FIGURES = 33 };
extern const struct results_figure results_figure[RESULTS_FIGURES];

/* Writes the statements that make the tables; the text is the caller's to free, NULL: no memory. */
char *results_schema_text(void);

#endif
