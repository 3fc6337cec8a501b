/* sweep_plan.h - the cross product of a sweep: its runs, in a fixed order, and their identities. */
#ifndef MESHCAST_LAB_SWEEP_PLAN_H
#define MESHCAST_LAB_SWEEP_PLAN_H

#include "console/option_lists.h"
#include "workloads/pattern_inputs.h"

#include <stdint.h>

/* What was asked; an empty list stands for its default. */
struct sweep_request {
    struct router_list routers; /* default: all */
    struct constant_list constants;
    struct number_list copies, buffers; /* default: unit; the router's own */
    struct mesh_list meshes;            /* of the patterns */
    struct pattern_list patterns;
    struct number_list degrees, congestions; /* default: the pattern's */
    struct number_list per_nodes;            /* default: one message a node */
    struct pattern_inputs inputs;            /* of patterns that take them; .per_node is not used */
    struct word_list graphs;                 /* of patterns that are made against one, */
    struct number_list shares;               /* and of its groups; default: all */
    struct word_list files;                  /* message sets beside the patterns */
    uint64_t first_seed;
    uint32_t seeds;       /* first_seed, first_seed + 1, ..; 0 counts as 1 */
    uint32_t part, parts; /* the plan has part `part`, from 0, of so many; 0 parts: all runs */
    uint64_t memory;      /* that reading a graph may use, in bytes */
};

enum { SWEEP_TEXT_SIZE = 512, SWEEP_IDENTITY_SIZE = 1408, SWEEP_MOST_RUNS = 10000000 };

/* A router with its constants; `text` is "name=value name=value", names ascending, or "". A value
 * that names a file stands in it as sweep_file_label() writes it. */
struct sweep_method {
    const struct router *router;
    uint64_t plugin_hash; /* of the file of a router that is a plugin; 0: it is of the table */
    uint32_t parameters;
    uint64_t file_hash[ROUTER_MAX_PARAMETERS]; /* of parameter's file; 0: it names none */
    struct router_parameter parameter[ROUTER_MAX_PARAMETERS];
    char text[SWEEP_TEXT_SIZE];
};

/* A graph and a share of its groups that patterns are made against. */
struct sweep_graph {
    const char *path;
    uint32_t share; /* an index of adversary_share_names */
    uint64_t hash;
    char workload[SWEEP_TEXT_SIZE]; /* "adversary:random.expander@1a2b3c4d", with ":1/8" if not all
                                     */
};

/* A pattern of the request. */
struct sweep_pattern {
    const struct pattern *pattern;
    uint64_t file_hash;             /* of the files that its inputs name; 0: none */
    char workload[SWEEP_TEXT_SIZE]; /* "uniform", "moe:experts=60:skew=counts.txt@1a2b3c4d" */
};

/* A pattern on a mesh, or a file. Degree, congestion and messages per node as asked, 0 where
 * nothing was. */
struct sweep_workload {
    const char
        *name; /* the pattern's with its inputs or its graph, or the file's without its folders */
    const struct pattern *pattern;
    const struct sweep_graph *graph; /* of a pattern that needs one, else NULL */
    const char *file;                /* NULL for a pattern */
    uint64_t file_hash;              /* of the set, of the graph, of inputs; 0 for other patterns */
    struct mesh mesh;
    uint32_t degree, congestion, per_node;
    double weight; /* a guess at the work of a run, in any unit: n sqrt(l c n) */
};

struct sweep_plan {
    uint32_t methods, workloads, graphs, copies, buffers, seeds;
    struct sweep_method *method;
    struct sweep_workload *workload;
    struct sweep_graph *graph;
    struct sweep_pattern *pattern; /* of the request's patterns, in their order */
    struct pattern_inputs inputs;
    struct pattern_files files;
    uint32_t copy[OPTION_LIST_MAX], buffer[OPTION_LIST_MAX]; /* copy as in run_options.h */
    uint64_t first_seed, runs;
    uint32_t part, parts; /* runs: those of this part */
};

/* One run of the plan. */
struct sweep_case {
    const struct sweep_workload *workload;
    const struct sweep_method *method;
    uint32_t copy, buffer;
    uint64_t seed;
};

/* Makes the plan; reads the files (sets, graphs, those that constants name), whose contents are
 * part of their runs' identities. FAIL_USAGE: parameters that make no sense together; FAIL_INPUT,
 * FAIL_SYSTEM: of a file. The strings of the request must outlive the plan; sweep_plan_free() when
 * done. */
enum failure_kind sweep_plan_make(struct sweep_plan *plan, const struct sweep_request *request,
                                  struct failure *failure);
void sweep_plan_free(struct sweep_plan *plan);

/* Run `index` of 0 .. plan->runs - 1: routers vary fastest, then buffers, copies, seeds, so that
 * runs on the same message set follow each other. */
struct sweep_case sweep_plan_case(const struct sweep_plan *plan, uint64_t index);

/* What makes a run the run that it is, as one line of text: equal for equal runs, different for
 * different ones, the program's version included. */
void sweep_case_identity(const struct sweep_case *run, char identity[SWEEP_IDENTITY_SIZE]);

/* The run in a few words, for people. */
void sweep_case_describe(const struct sweep_case *run, char *text, size_t size);

#endif
