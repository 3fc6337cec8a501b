/* report_use.h - the reports of --tables and --top-links. */
#ifndef MESHCAST_LIBRARY_REPORT_USE_H
#define MESHCAST_LIBRARY_REPORT_USE_H

#include "library/option_table.h"
#include "library/table.h"
#include "machine/machine.h"
#include "workloads/message_set.h"

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

enum { USE_MOST_LINKS = 1000 };

/* The options of tables and links. */
struct use_options {
    bool tables;
    uint32_t table_limit; /* 0: none */
    uint32_t top_links;   /* 0: none */
};

/* The row of --table-limit, for the struct use_options `field` of struct `of`. */
#define USE_LIMIT_ROW(of, field)                                                                   \
    OPTION_NUMBER("table-limit", "N", RARE, of, field.table_limit, 1, UINT32_MAX,                  \
                  "with --tables: how many nodes need more entries than N")

/* FAIL_USAGE: a limit without tables, or tables of a reduction. */
enum failure_kind use_options_check(const struct use_options *options, bool reduces,
                                    struct failure *failure);

/* The most entries of any node, and the sum; the same with equal ones merged. */
struct tree_tables {
    uint64_t entries, merged;          /* sums */
    uint32_t most, most_merged;        /* at one node */
    node_index most_node, merged_node; /* the first of these */
    uint32_t over, over_merged;        /* nodes with more than the limit; 0 without a limit */
    uint32_t messages; /* the most that reach one node: no fewer colours are enough */
    uint32_t
        colours; /* of messages, such that those that reach one node differ: greedily, by number */
};

/* A directed link. */
struct tree_link {
    node_index from, to;
    uint64_t packets;
    uint32_t messages;
    uint32_t *message; /* [messages], ascending: their numbers */
};

/* The use of nodes and links by one run's trees: first an observer of the run, then figures. It
 * must not be moved before use_report_end(). */
struct use_report {
    struct use_options options; /* all 0: nothing requested */
    struct mesh mesh;
    struct machine_observer observer; /* for the run's options */
    uint32_t *message;                /* [packet]: of the living packets */
    uint32_t packets;                 /* room of `message` */
    uint64_t *load;                   /* [node * DIRECTIONS + direction]: packets over that link */
    uint64_t *key, keys, room;        /* node, message, and the message's way to use the node */
    bool is_short;                    /* no memory for all */
    struct tree_tables tables;
    uint32_t links;
    struct tree_link *link; /* [options.top_links] */
};

/* Begins before the run. FAIL_SYSTEM: no memory. use_report_end() or use_report_free() is required
 * in any case. */
enum failure_kind use_report_begin(struct use_report *report, const struct use_options *wanted,
                                   struct mesh mesh, struct failure *failure);

/* Returns the run's observer; NULL: nothing is requested. */
const struct machine_observer *use_report_observer(const struct use_report *report);

/* Computes the figures after the run; after a run without figures nothing is requested any more.
 * FAIL_SYSTEM: no memory. */
enum failure_kind use_report_end(struct use_report *report, bool has_figures,
                                 struct failure *failure);
void use_report_free(struct use_report *report);

/* The columns of rows of runs with "tables", and further ones for those with a limit. */
extern const struct figure use_columns[], use_limit_columns[];

/* Prints the tables and links of a run's object. */
void use_report_print(const json_t *run, FILE *out);

/* Returns the object of a run with "tables" and "top_links", as far as they were requested. It
 * takes `run` over, which may be NULL. NULL: no memory. */
json_t *use_report_add(const struct use_report *report, json_t *run);

#endif
