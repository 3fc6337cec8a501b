/* report_use.h - the reports of --tables and --top-links. */
#ifndef MESHCAST_LIBRARY_REPORT_USE_H
#define MESHCAST_LIBRARY_REPORT_USE_H

#include "library/tree_use.h"
#include "workloads/message_set.h"

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

enum { USE_MOST_LINKS = 1000 };

/* What was asked for. */
struct use_options {
    bool tables;
    uint32_t table_limit; /* 0: none */
    uint32_t top_links;   /* 0: none */
};

/* The row of --table-limit, for the struct use_options `field` of struct `of`. */
#define USE_LIMIT_ROW(of, field)                                                                   \
    {                                                                                              \
        .name = "table-limit", .value = "N",                                                       \
        .help = "with --tables: how many nodes need more entries than N",                          \
        .type = MESHCAST_OPTION_NUMBER, .offset = offsetof(of, field.table_limit), .least = 1,     \
        .most = UINT32_MAX                                                                         \
    }

/* FAIL_USAGE: a limit without tables, or tables of a reduction. */
enum failure_kind use_options_check(const struct use_options *options, bool reduces,
                                    struct failure *failure);

/* What was found; use_report_free() when done. */
struct use_report {
    const struct use_options *options;
    struct mesh mesh;
    struct tree_tables tables;
    uint32_t links;
    struct tree_link *link; /* [options->top_links] */
};

/* FAIL_SYSTEM: no memory; nothing to free. */
enum failure_kind use_report_make(struct use_report *report, const struct use_options *options,
                                  struct tree_use *use, struct failure *failure);
void use_report_free(struct use_report *report);

/* Prints the tables and links that were asked for. */
void use_report_print(const struct use_report *report, FILE *out);

/* Adds "tables" and "top_links" to the object of a run, as far as they were asked for. False: no memory. */
bool use_report_add(const struct use_report *report, json_t *run);

#endif
