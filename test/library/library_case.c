/* library_case.c - the library's figures against those of the program. */
#include "test/library/library_case.h"

#include "library/meshcast_topology.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

json_t *case_program(const char *command)
{
    const struct outcome *outcome = program_run("%s", command);
    ck_assert_msg(outcome->status == 0, "%s: %s", command, outcome->err);
    return program_run_json();
}

void case_check_pairs(const json_t *json, const struct case_pair *pair, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_msg((uint64_t)program_run_integer(json, pair[i].key) == pair[i].figure,
                      "%s: the program has %lld, the library %llu", pair[i].key,
                      (long long)program_run_integer(json, pair[i].key),
                      (unsigned long long)pair[i].figure);
}

void case_check_number(const json_t *json, const char *key, double value)
{
    double shown = program_run_number(json, key);
    ck_assert_msg(fabs(shown - value) <= 1e-8 * (1 + fabs(value)), "%s: %.12g, %.12g", key, shown,
                  value);
}

void case_check_ok(enum meshcast_status status, const struct meshcast_error *error)
{
    ck_assert_msg(status == MESHCAST_OK, "%s", error->text);
}

const char *case_file(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", getenv("T"), name);
    return path;
}

struct meshcast_set *case_set(const char *gen)
{
    struct meshcast_error error = {0};
    const struct outcome *outcome = program_run("$M gen %s -o $T/a.mcast", gen);
    ck_assert_msg(outcome->status == 0, "%s", outcome->err);
    struct meshcast_set *set = meshcast_set_read_any(case_file("a.mcast"), &error);
    ck_assert_msg(set != NULL, "%s", error.text);
    return set;
}

uint64_t case_sum(const uint64_t *number, uint64_t count)
{
    uint64_t all = 0;
    for (uint64_t i = 0; i < count; i++)
        all += number[i];
    return all;
}
