/* library_case.c - commands and sets by the public headers, and their figures against those of the
 * program. */
#include "test/library_case.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum meshcast_status case_set_options(struct meshcast_command *command, const char *options,
                                      struct meshcast_error *error)
{
    char words[512], *rest = words;
    snprintf(words, sizeof words, "%s", options);
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        char *value = strchr(word, '=');
        if (value != NULL)
            *value++ = '\0';
        enum meshcast_status status = meshcast_command_set(command, word, value, error);
        if (status != MESHCAST_OK)
            return status;
    }
    return MESHCAST_OK;
}

struct meshcast_command *case_command(const char *name, const struct meshcast_set *set,
                                      const char *options)
{
    struct meshcast_error error = {0};
    struct meshcast_command *command = meshcast_command_new(name, &error);
    ck_assert_msg(command != NULL, "%s", error.text);
    if (set != NULL)
        meshcast_command_give_set(command, set, &error);
    case_set_options(command, options, &error);
    ck_assert_msg(error.status == MESHCAST_OK, "%s %s: %s", name, options, error.text);
    return command;
}

struct meshcast_report *case_run(struct meshcast_command *command, struct meshcast_error *error)
{
    struct meshcast_report *report;
    struct meshcast_error own = {0};
    enum meshcast_status status =
        meshcast_command_run(command, &report, error == NULL ? &own : error);
    ck_assert_msg(error != NULL || status == MESHCAST_OK, "%s", own.text);
    ck_assert_int_eq(error == NULL ? own.status : error->status, status);
    meshcast_command_free(command);
    return report;
}

uint64_t case_figure(const struct meshcast_report *report, const char *path)
{
    double figure = meshcast_report_figure(report, path);
    ck_assert_msg(!isnan(figure), "there is no %s", path);
    return (uint64_t)figure;
}

struct meshcast_set *case_gen(const char *options)
{
    struct meshcast_report *report = case_run(case_command("gen", NULL, options), NULL);
    struct meshcast_set *set = meshcast_report_take_set(report);
    ck_assert_ptr_nonnull(set);
    meshcast_report_free(report);
    return set;
}

struct meshcast_topology *case_topology(const char *text)
{
    struct meshcast_error error = {0};
    struct meshcast_topology *topology = meshcast_topology_parse(text, &error);
    ck_assert_msg(topology != NULL, "%s", error.text);
    return topology;
}

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

uint64_t case_sum(const uint64_t *number, uint64_t count)
{
    uint64_t all = 0;
    for (uint64_t i = 0; i < count; i++)
        all += number[i];
    return all;
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
    struct meshcast_set *set = meshcast_set_read(case_file("a.mcast"), &error);
    ck_assert_msg(set != NULL, "%s", error.text);
    return set;
}
