/* sweep.h - a sweep: its grid, which is runs in a fixed order, their identities, and their
 * execution. */
#ifndef MESHCAST_LAB_SWEEP_H
#define MESHCAST_LAB_SWEEP_H

#include "lab/option_lists.h"
#include "library/commands.h"
#include "workloads/message_set.h"
#include "workloads/pattern_inputs.h"

#include <stdint.h>

/* The options that are lists; an empty one has its default as the only value. Those up to the
 * meshes are axes of the grid. */
enum sweep_list {
    SWEEP_BUFFERS, /* default: the router's own */
    SWEEP_COPIES,  /* default: unit */
    SWEEP_PER_NODES,
    SWEEP_CONGESTIONS,
    SWEEP_DEGREES,
    SWEEP_MESHES,
    SWEEP_AXES,
    SWEEP_ROUTERS = SWEEP_AXES, /* default: all */
    SWEEP_PATTERNS,
    SWEEP_GRAPHS,     /* of patterns that are made against one, */
    SWEEP_SHARES,     /* and of its groups; default: all */
    SWEEP_ALGORITHMS, /* of collectives */
    SWEEP_FILES,      /* message sets besides the patterns */
    SWEEP_BROKEN,     /* what is missing of the meshes of both; default: nothing */
    SWEEP_LISTS
};

struct sweep_request {
    struct word_list list[SWEEP_LISTS];
    struct constant_list constants;
    struct pattern_inputs inputs; /* of patterns that have inputs; .per_node is not used */
    uint64_t first_seed;
    uint32_t seeds;       /* first_seed, first_seed + 1, ..; 0 counts as 1 */
    uint32_t part, parts; /* the plan has part `part`, from 0, of `parts`; 0 parts: all runs */
};

enum { SWEEP_TEXT_SIZE = 512, SWEEP_IDENTITY_SIZE = 1408, SWEEP_MOST_RUNS = 10000000 };

/* A router with its constants; `text` is "name=value name=value", names ascending, or "". A value
 * that names a file is in it by its label, "NAME@1a2b3c4d", with a part of its hash. */
struct sweep_method {
    const struct router *router;
    uint64_t files; /* hash of the files that constants name, and of a plugin; 0: none */
    uint32_t parameters;
    struct router_parameter parameter[ROUTER_MAX_PARAMETERS];
    char text[SWEEP_TEXT_SIZE];
};

/* A pattern with its inputs, a pattern against a share of a graph's groups, or a message set, on a
 * whole or a broken mesh. */
struct sweep_subject {
    const struct pattern *pattern; /* NULL: a set */
    const char *path;              /* of the set or the graph; NULL: neither */
    const char *share;             /* of the graph's groups; NULL: all */
    const char *algorithm;         /* of a collective; NULL: none */
    const char *broken;            /* the file that says what is missing; NULL: the mesh is whole */
    uint64_t hash;                 /* of the set, of all other files; 0: none */
    uint64_t bytes;                /* of all files, the set's included */
    struct mesh mesh;              /* of a set, as the next two */
    uint32_t congestion, per_node;
    /* "uniform", "moe:experts=60:skew=counts.txt@1a2b3c4d", "adversary:g.expander@1a2b3c4d:1/8",
     * "allreduce:ring", "west.mcast", "west.mcast:without=broken.txt@1a2b3c4d" */
    char name[SWEEP_TEXT_SIZE];
};

struct sweep_plan {
    const struct sweep_request *request;
    uint32_t methods, subjects, patterns; /* the first `patterns` subjects are of patterns */
    struct sweep_method *method;
    struct sweep_subject *subject;
    struct pattern_inputs inputs;
    struct pattern_files files; /* files named by inputs */
    uint64_t runs;              /* of the plan's part */
    double of_patterns;         /* workloads that are patterns */
};

/* One run of the plan: values of options of `gen` and `route`, NULL if not set. */
struct sweep_case {
    const struct sweep_subject *subject;
    const struct sweep_method *method;
    struct mesh mesh;
    const char *value[SWEEP_AXES]; /* value[SWEEP_COPIES] is never NULL */
    /* workload: the same for runs that differ only in method, buffer, copy and seed */
    uint64_t seed, workload;
};

/* Makes the plan; reads the files (sets, graphs, those that inputs and constants name), whose
 * contents are part of their runs' identities. The command receives notes on files that may be cut.
 * FAIL_USAGE: parameters that exclude each other; FAIL_INPUT, FAIL_SYSTEM: of a file. The request
 * must outlive the plan; sweep_plan_free() when done. */
enum failure_kind sweep_plan_make(struct sweep_plan *plan, const struct sweep_request *request,
                                  const struct meshcast_command *command, struct failure *failure);
void sweep_plan_free(struct sweep_plan *plan);

/* Returns run `index` of 0 .. plan->runs - 1: routers vary fastest, then buffers, copies, seeds, so
 * that runs on the same message set follow each other. */
struct sweep_case sweep_plan_case(const struct sweep_plan *plan, uint64_t index);

/* Writes the identity of a run as one line of text: equal for equal runs, different for different
 * ones, the program's version included. */
void sweep_case_identity(const struct sweep_case *run, char identity[SWEEP_IDENTITY_SIZE]);

/* Writes the run in a few words, for people. */
void sweep_case_describe(const struct sweep_case *run, char *text, size_t size);

/* Returns an estimate of the work of a run, in any unit: n sqrt(l c n). */
double sweep_case_weight(const struct sweep_case *run);

/* FAIL_INPUT: a file that the method's constants name, or that the subject is made from, has
 * changed since the plan was made. */
enum failure_kind sweep_check_method(const struct sweep_method *method, struct failure *failure);
enum failure_kind sweep_check_subject(const struct sweep_plan *plan,
                                      const struct sweep_subject *subject, struct failure *failure);

/* Return a hash of a message set's contents, the same for every form of its file; of a line of
 * text. */
uint64_t sweep_hash_set(const struct message_set *set);
uint64_t sweep_hash_text(const char *text);

/* ---- lab/sweep_run.c: from the plan to the last row ---- */

struct sweep_settings {
    const struct meshcast_command *command; /* for progress, notes, the interrupt */
    const char *path;                       /* of the database */
    uint32_t jobs, threads;
};

/* The counts of a sweep's runs. */
struct sweep_outcome {
    uint64_t there;            /* stored before */
    uint64_t stored;           /* stored now, by this sweep */
    uint64_t others;           /* stored meanwhile by other processes */
    uint64_t failed, refused;  /* of all stored runs, from any time and process */
    uint64_t undone;           /* runs for which the system failed: no row */
    bool is_lost;              /* the file was removed during the sweep, with all its rows */
    bool is_interrupted;       /* a signal ended the sweep early */
    struct failure why_undone; /* reason of one of the undone runs */
};

/* Sets is_there[plan->runs], zeros, to 1 for each run that the database holds; without a database,
 * for none. The database is only read. */
enum failure_kind sweep_find_stored(const struct sweep_plan *plan,
                                    const struct sweep_settings *settings, uint8_t *is_there,
                                    struct failure *failure);

/* Does all runs of the plan that the database does not hold, in `jobs` processes. The command's
 * interrupt lets the runs under way end; a signal that is due abandons them, so the caller holds
 * signals until it has reported the outcome. Returns a fatal failure (of the database, of a
 * process, a file that was removed); stored runs stay. */
enum failure_kind sweep_run(const struct sweep_plan *plan, const struct sweep_settings *settings,
                            struct sweep_outcome *outcome, struct failure *failure);

#endif
