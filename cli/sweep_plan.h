/* sweep_plan.h - the cross product of a sweep: its runs, in a fixed order, and their identities. */
#ifndef MESHCAST_CLI_SWEEP_PLAN_H
#define MESHCAST_CLI_SWEEP_PLAN_H

#include "cli/sweep_lists.h"

#include <stdint.h>

/* What was asked; an empty list stands for its default. */
struct sweep_request {
    struct sweep_routers routers; /* default: all */
    struct sweep_constants constants;
    struct sweep_numbers copies, buffers; /* default: unit; the router's own */
    struct sweep_meshes meshes;           /* of the patterns */
    struct sweep_patterns patterns;
    struct sweep_numbers degrees, congestions; /* default: the pattern's */
    struct sweep_words files;                  /* message sets beside the patterns */
    uint64_t first_seed;
    uint32_t seeds; /* first_seed, first_seed + 1, ..; 0 counts as 1 */
};

enum { SWEEP_TEXT_SIZE = 512, SWEEP_IDENTITY_SIZE = 1280 };

/* A router with its constants; `text` is "name=value name=value", names ascending, or "". */
struct sweep_method {
    const struct router *router;
    uint32_t parameters;
    struct router_parameter parameter[ROUTER_MAX_PARAMETERS];
    char text[SWEEP_TEXT_SIZE];
};

/* A pattern on a mesh, or a file. Degree and congestion as asked, 0 where nothing was. */
struct sweep_workload {
    const char *name; /* the pattern's, or the file's without its folders */
    const struct pattern *pattern;
    const char *file;   /* NULL for a pattern */
    uint64_t file_hash; /* message_set hash, 0 for a pattern */
    struct mesh mesh;
    uint32_t degree, congestion;
    double weight; /* a guess at the work of a run, in any unit: n sqrt(c n) */
};

struct sweep_plan {
    uint32_t methods, workloads, copies, buffers, seeds;
    struct sweep_method *method;
    struct sweep_workload *workload;
    uint32_t copy[SWEEP_LIST_MAX], buffer[SWEEP_LIST_MAX]; /* copy as in run_options.h */
    uint64_t first_seed, runs;
};

/* One run of the plan. */
struct sweep_case {
    const struct sweep_workload *workload;
    const struct sweep_method *method;
    uint32_t copy, buffer;
    uint64_t seed;
};

/* Makes the plan; reads the files, whose contents are part of their runs' identities. FAIL_USAGE:
 * parameters that make no sense together; FAIL_INPUT, FAIL_SYSTEM: of a file. The strings of the
 * request must outlive the plan; sweep_plan_free() when done. */
enum failure_kind sweep_plan_make(struct sweep_plan *plan, const struct sweep_request *request,
                                  struct failure *failure);
void sweep_plan_free(struct sweep_plan *plan);

/* Run `index` of 0 .. plan->runs - 1: routers vary fastest, then buffers, copies, seeds, so that
 * runs on the same message set follow each other. */
struct sweep_case sweep_plan_case(const struct sweep_plan *plan, uint64_t index);

/* What makes a run the run that it is, as one line of text: equal for equal runs, different for
 * different ones, the program's version included. */
void sweep_case_identity(const struct sweep_case *run, char identity[SWEEP_IDENTITY_SIZE]);

/* A 64-bit hash of an identity. */
uint64_t sweep_identity_hash(const char *identity);

/* The run in a few words, for people. */
void sweep_case_describe(const struct sweep_case *run, char *text, size_t size);

/* A 64-bit hash of a message set's contents, the same however its file is written. */
uint64_t sweep_set_hash(const struct message_set *set);

#endif
