/* program_run.h - runs ./meshcast (or what MESHCAST names) through the shell, for tests.
 *
 * In commands $M is the program and $T a folder that program_run_setup() makes and
 * program_run_teardown() removes.
 */
#ifndef MESHCAST_TEST_PROGRAM_RUN_H
#define MESHCAST_TEST_PROGRAM_RUN_H

#include <jansson.h>

struct outcome {
    int status;                   /* of the exit; -1 if a signal ended the program */
    char out[262144], err[16384]; /* its output, cut to this size */
};

void program_run_setup(void);
void program_run_teardown(void);

/* Runs `command`, a printf format, in a shell. The result is in static memory until the next
 * call. */
const struct outcome *program_run(const char *command, ...) __attribute__((format(printf, 1, 2)));

/* Runs a command likewise, which must end with this status. */
const struct outcome *program_run_ends(int status, const char *command, ...)
    __attribute__((format(printf, 2, 3)));

/* Runs a command likewise, which must end with this status and `expected` in its message; that of
 * wrong usage (status 2) is one line. With a status above 1 it prints nothing. */
void program_run_fails(int status, const char *expected, const char *command, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns standard output of the last command as JSON; the test fails if it is not. The caller
 * decrefs. */
json_t *program_run_json(void);

/* Returns the value of a key; the test fails if it is not there or not of that type. */
json_int_t program_run_integer(const json_t *object, const char *key);
double program_run_number(const json_t *object, const char *key);
const char *program_run_text(const json_t *object, const char *key);

/* Returns the figure after `name` in the text of a table; the test fails if there is none. */
double program_run_figure(const char *table, const char *name);

/* Checks that the steps of the phases of a run, and of those named sync, add up to the run's
 * figures. */
void program_run_check_phases(const json_t *object);

/* Returns the seconds since some fixed moment. */
double program_run_clock(void);

/* Returns the number of named values of a command's option, see meshcast_command_value_at(). */
int program_run_values(const char *command, const char *option);

/* True if `file` in the folder $T is there. */
int program_run_left(const char *file);

/* Writes `text` to `file` in the folder $T. */
void program_run_file(const char *file, const char *text);

#endif
