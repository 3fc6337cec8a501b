/* router_case.h - runs a router on a message set by the public headers, and checks all that a run
 * must keep.
 *
 * A failed check ends the test and names the case: router, parameters, copy cost, mesh, d, c.
 */
#ifndef MESHCAST_TEST_ROUTERS_ROUTER_CASE_H
#define MESHCAST_TEST_ROUTERS_ROUTER_CASE_H

#include "test/plain_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct meshcast_report;

/* One way to run a router. Zero is a meaningful value of all fields but `router`. */
struct router_case {
    const char *router;
    const struct meshcast_router *own;                 /* a router of the test's, instead */
    const char *parameters;                            /* "NAME=VALUE NAME=VALUE"; NULL: none */
    bool copy_is_free, congestion_is_unknown, reduces; /* reduces: copies are also free */
    const char *without; /* a file of the missing nodes and links; NULL: the mesh is whole */
    uint32_t buffer;     /* 0: unbounded, or what the router chooses */
    uint32_t threads;    /* 0: one */
    uint64_t seed;
};

enum { CASE_PHASES = 256, CASE_ATTEMPTS = 17, CASE_PERCENTS = 101, CASE_NAME = 64 };

/* The figures of a report of `route`; 0 or "" for those that are null. */
struct case_result {
    uint32_t degree, congestion, most_sent, threads;
    uint64_t steps, sync_steps, proven_steps, lower_bound;
    uint32_t buffer_capacity, buffer_peak, buffer_peak_node;
    uint64_t buffer_peak_step, packet_hops, word_hops, copies, delivered, missing;
    char buffer_peak_phase[CASE_NAME], ran_as[CASE_NAME];
    uint32_t phases, attempts;
    struct {
        char name[CASE_NAME];
        uint64_t steps;
    } phase[CASE_PHASES];
    struct {
        uint32_t congestion;
        uint64_t discarded;
    } attempt[CASE_ATTEMPTS];
    uint64_t delivery_step[CASE_PERCENTS];
    char parameters[256]; /* "NAME=VALUE " for each, as used */
    uint64_t hash;        /* of all figures but threads, seconds, capacity and promises */
};

/* Every router of the table with its defaults, with each row of parameters that the tests know for
 * it, and with an unknown congestion where it can. Copies cost a step (unit), the rest is zero. */
uint32_t router_case_count(void);
struct router_case router_case_at(uint32_t index);

/* Return the number of routers, of patterns, and the name of each. */
uint32_t case_router_count(void);
uint32_t case_pattern_count(void);
const char *case_router_at(uint32_t index);
const char *case_pattern_at(uint32_t index);

struct router_case router_case_make(const char *router, const char *parameters);

/* "trees slots=1 copy=free on 3 x 5, d = 2, c = 4, seed 7" */
enum { ROUTER_CASE_TEXT = 256 };
const char *router_case_text(const struct router_case *run, const struct plain_set *set,
                             char text[ROUTER_CASE_TEXT]);

/* Makes a set of pattern number `pattern` with at most that d and c (0: its defaults), `adversary`
 * against the graph of router `expander` for that c. False if the pattern refuses them, or the mesh
 * has no such graph; any other failure ends the test. The caller frees the set. */
bool router_case_pattern(struct plain_set *set, uint32_t pattern, struct grid mesh, uint32_t degree,
                         uint32_t congestion, uint64_t seed);

/* Runs `route` with the case's options. The trace goes to the file `trace`, which may be NULL.
 * `error` may be NULL. */
enum meshcast_status router_case_run(const struct router_case *run, const struct plain_set *set,
                                     const char *trace, struct case_result *result,
                                     struct meshcast_error *error);

/* Runs with a trace, which must succeed. The caller frees the trace, which ends with a zero byte.
 * `length` may be NULL. */
char *router_case_trace(const struct router_case *run, const struct plain_set *set,
                        struct case_result *result, size_t *length);

/* Returns the lines of the trace of that run for the steps before `end`, and perhaps of some more:
 * the run goes on in a process of its own no longer than that. The caller frees. */
char *router_case_trace_before(const struct router_case *run, const struct plain_set *set,
                               uint64_t end);

/* True if two results agree in all but the threads and the seconds. */
bool router_case_same(const struct case_result *a, const struct case_result *b);

/* Runs, and checks: success, no delivery missing, no fewer steps than the instance's lower bounds,
 * phases that add up, a trace whose audit is clean and agrees with the result, and the same result
 * without a trace. `result` may be NULL. */
void router_case_check(const struct router_case *run, const struct plain_set *set,
                       struct case_result *result);

/* Runs the audit on a trace; returns its status. `without` as in a case; `report` may be NULL. */
enum meshcast_status router_case_audit(const char *trace, const struct plain_set *set,
                                       const char *without, struct meshcast_report **report,
                                       struct meshcast_error *error);

/* Fails unless traces and results are the same for 1, 2 and 5 threads. */
void router_case_check_threads(struct router_case run, const struct plain_set *set);

#endif
