/* report_case.h - a database of made-up runs in the folder of a program_run. */
#ifndef MESHCAST_TEST_LAB_REPORT_CASE_H
#define MESHCAST_TEST_LAB_REPORT_CASE_H

/* Sides 16, 32, 64, c = 4, 16, 64, five seeds; steps = 2 sqrt(c n) with 10 less to 10 more; one
 * run more is refused and one failed. */
void report_case_make(void);

/* Executes statements on the runs, as if `run` were a table with the view's columns. */
void report_case_execute(const char *sql);

/* Executes statements on the file as it is. */
void report_case_damage(const char *sql);

#endif
