/* library_case.h - the library's figures against those of the program. */
#ifndef MESHCAST_TEST_LIBRARY_LIBRARY_CASE_H
#define MESHCAST_TEST_LIBRARY_LIBRARY_CASE_H

#include "library/meshcast.h"
#include "test/program_run.h"

#include <stddef.h>
#include <stdint.h>

/* What the program prints for this command as JSON; the caller decrefs. The test fails if it fails. */
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

/* The same of a number that is not whole, but for what ten digits leave out. */
void case_check_number(const json_t *json, const char *key, double value);

void case_check_ok(enum meshcast_status status, const struct meshcast_error *error);

/* The path of a file of the folder $T, until the next call. */
const char *case_file(const char *name);

/* The set that `meshcast gen` makes with these options, which is then $T/a.mcast. The caller frees. */
struct meshcast_set *case_set(const char *gen);

uint64_t case_sum(const uint64_t *number, uint64_t count);

#endif
