/* report_use.h - what `route --tables` and `--top-links` print. */
#ifndef MESHCAST_CLI_REPORT_USE_H
#define MESHCAST_CLI_REPORT_USE_H

#include "library/tree_use.h"
#include "workloads/message_set.h"

#include <jansson.h>
#include <stdio.h>

enum { USE_MOST_LINKS = 1000 };

/* What was asked for. */
struct use_options {
    bool tables;
    uint32_t table_limit; /* 0: none */
    uint32_t top_links;   /* 0: none */
};

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

void use_report_print(const struct use_report *report, FILE *out);

/* The tables of one router's run, and those of several side by side. */
struct use_table {
    const char *router;
    struct tree_tables tables;
};
void use_tables_print(const struct use_table *table, uint32_t count,
                      const struct use_options *options, struct mesh mesh, FILE *out);

/* Adds "tables" and "top_links" to the object of a run, as far as they were asked for. False: no memory. */
bool use_report_add(const struct use_report *report, json_t *run);

#endif
