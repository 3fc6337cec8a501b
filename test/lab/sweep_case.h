/* sweep_case.h - a sweep of thirty runs, and the contents of its database. */
#ifndef MESHCAST_TEST_LAB_SWEEP_CASE_H
#define MESHCAST_TEST_LAB_SWEEP_CASE_H

/* 2 routers, one of them with 2 values of a parameter; 2 patterns, 2 meshes, 2 seeds, 1 file with 2
 * seeds. */
#define SWEEP_ALOUD                                                                                \
    "sweep --router random,replicate --param r=2,3 --param variant=paper --pattern uniform,worst " \
    "--side 6,5x8 --congestion 3 --seeds 2 --set $T/s"
#define SWEEP SWEEP_ALOUD " -q"

enum { SWEEP_RUNS = 3 * (2 * 2 * 2 + 2) };

/* Makes the set of the sweep. */
void sweep_case_make_set(void);

/* Returns the result of a query of a database in the folder of a program_run, a line per row; the
 * caller frees it. */
char *sweep_case_query(const char *file, const char *sql);

/* Checks the result of a query. */
void sweep_case_check(const char *file, const char *sql, const char *expected);

/* Returns the number that a query yields. */
int sweep_case_count(const char *file, const char *sql);

/* Checks that two databases hold the same but for seconds and the order of rows. */
void sweep_case_check_same(const char *one, const char *other);

#endif
