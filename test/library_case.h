/* library_case.h - commands and sets by the public headers, and their figures against those of the
 * program. */
#ifndef MESHCAST_TEST_LIBRARY_CASE_H
#define MESHCAST_TEST_LIBRARY_CASE_H

#include "library/meshcast_command.h"
#include "test/program_run.h"

#include <stddef.h>
#include <stdint.h>

/* Returns a command that works on `set` (may be NULL) with these options: words "NAME=VALUE", or
 * "NAME" of a flag. The test fails if one is refused. */
struct meshcast_command *case_command(const char *name, const struct meshcast_set *set,
                                      const char *options);

/* Sets such options. Returns the status of the first that is refused. */
enum meshcast_status case_set_options(struct meshcast_command *command, const char *options,
                                      struct meshcast_error *error);

/* Runs and frees the command. `error` may be NULL: the test fails unless the run is good. */
struct meshcast_report *case_run(struct meshcast_command *command, struct meshcast_error *error);

/* Returns a figure that is there. */
uint64_t case_figure(const struct meshcast_report *report, const char *path);

/* Returns the set that `gen` makes with these options. */
struct meshcast_set *case_gen(const char *options);

/* Returns a topology that there is. */
struct meshcast_topology *case_topology(const char *text);

/* Returns the program's output for this command as JSON; the caller decrefs. The test fails if the
 * command fails. */
json_t *case_program(const char *command);

/* A figure and the key of the program's. */
struct case_pair {
    const char *key;
    uint64_t figure;
};

void case_check_pairs(const json_t *json, const struct case_pair *pair, size_t count);

#define CHECK_PAIRS(json, ...)                                                                     \
    case_check_pairs(json, (const struct case_pair[]){__VA_ARGS__},                                \
                     sizeof(const struct case_pair[]){__VA_ARGS__} / sizeof(struct case_pair))

/* Checks a number that is not whole, to ten digits, in the same way. */
void case_check_number(const json_t *json, const char *key, double value);

void case_check_ok(enum meshcast_status status, const struct meshcast_error *error);

/* Returns the path of a file of the folder $T, until the next call. */
const char *case_file(const char *name);

/* Returns the set that `meshcast gen` makes with these options, which is then $T/a.mcast. The
 * caller frees. */
struct meshcast_set *case_set(const char *gen);

uint64_t case_sum(const uint64_t *number, uint64_t count);

#endif
