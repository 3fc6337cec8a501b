/* report_form.h - in which form a command prints its results: a table for people, JSON, or CSV. */
#ifndef MESHCAST_LIBRARY_REPORT_FORM_H
#define MESHCAST_LIBRARY_REPORT_FORM_H

#include "base/failure.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* What was asked for; neither: a table. */
struct report_form {
    bool json, csv;
};

/* The rows of --json and --csv in a table of options, for a struct report_form `field` of struct `of`. */
#define REPORT_FORM_ROWS(of, field)                                                                \
    {.name = "json",                                                                               \
     .help = "print JSON instead of a table",                                                      \
     .type = MESHCAST_OPTION_FLAG,                                                                 \
     .offset = offsetof(of, field.json)},                                                          \
    {                                                                                              \
        .name = "csv",                                                                             \
        .help = "print the figures of --json as CSV, below a line with their names",               \
        .type = MESHCAST_OPTION_FLAG, .offset = offsetof(of, field.csv)                            \
    }

/* Whether no table is asked for. */
bool report_form_is_data(struct report_form form);

/* FAIL_USAGE: both forms are asked for, or one, though standard output is the file of `option`, such as "--trace"
 * (NULL: it is no option's), which ought to name another one: for `what`. */
enum failure_kind report_form_check(struct report_form form, const char *option, const char *what,
                                    struct failure *failure);

/* Prints `value` to standard output as JSON, or as CSV `value[rows]`, or all of `value` where `rows` is NULL: an array
 * of objects, a row each, or an object, one row. Releases `value`. FAIL_SYSTEM: it is NULL, or there is no memory. */
enum failure_kind report_print_data(struct report_form form, json_t *value, const char *rows,
                                    struct failure *failure);

#endif
