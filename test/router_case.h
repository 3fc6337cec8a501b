/* router_case.h - runs a router on a message set for a test, and checks all that a run must keep.
 *
 * A failed check ends the test and names the case: router, parameters, copy cost, mesh, d, c.
 */
#ifndef MESHCAST_TEST_ROUTER_CASE_H
#define MESHCAST_TEST_ROUTER_CASE_H

#include "routers/router.h"
#include "search/seed_sets.h"
#include "test/temporary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One way to run a router. Zero is a meaningful value of all fields but `router`. */
struct router_case {
    const struct router *router;
    const char *parameters;                            /* "NAME=VALUE NAME=VALUE"; NULL: none */
    bool copy_is_free, congestion_is_unknown, reduces; /* reduces: copies are free, too */
    bool stores_backwards;
    uint32_t buffer;  /* 0: unbounded, or what the router chooses */
    uint32_t threads; /* 0: one */
    uint64_t seed;
    const struct machine_observer *observer;
    struct ranks *ranks; /* NULL: alone */
};

/* Every router of the table with its defaults, with each row of parameters that the tests know for
 * it, and with an unknown congestion where it can. Copies cost a step (unit), the rest is zero. */
uint32_t router_case_count(void);
struct router_case router_case_at(uint32_t index);

/* The case of that router and those parameters; the router must be there. */
struct router_case router_case_make(const char *router, const char *parameters);

/* "trees slots=1 copy=free on 3 x 5, d = 2, c = 4, seed 7" */
enum { ROUTER_CASE_TEXT = 256 };
const char *router_case_text(const struct router_case *run, const struct message_set *set,
                             char text[ROUTER_CASE_TEXT]);

/* Makes a set of pattern number `pattern` with at most that d and c (0: its defaults), `adversary`
 * against the graph that router `expander` takes for that c. False if the pattern refuses them, or
 * the mesh has no such graph; any other failure ends the test. The caller frees the set. */
bool router_case_pattern(struct message_set *set, uint32_t pattern, struct mesh mesh,
                         uint32_t degree, uint32_t congestion, uint64_t seed);

/* A family of sets (search/seed_sets.h) is made against a run of that router with its defaults. */
struct family_case {
    const char *router;
    struct mesh mesh;
    uint32_t congestion;
    uint64_t seed;
};

/* Makes a set of the family; name[] says what it is. The caller frees the set. */
void router_case_family(struct message_set *set, const struct family_case *against, uint32_t family,
                        char name[FAMILY_NAME_SIZE]);

/* Makes the set of this text, in the format of a message set's file. The caller frees it. */
void router_case_set(struct message_set *set, const char *text);

/* A temporary file for a trace, which trace_store_close() removes. */
struct trace_store {
    FILE *file;
    char path[TEMPORARY_PATH];
};
void trace_store_open(struct trace_store *store);
void trace_store_close(struct trace_store *store);

/* router_run() as the case says; `trace` may be NULL. */
enum failure_kind router_case_run(const struct router_case *run, const struct message_set *set,
                                  FILE *trace, struct router_result *result,
                                  struct failure *failure);

/* Runs with a trace in memory, which must succeed. The caller frees the trace, which ends with a
 * zero byte. `length` may be NULL. */
char *router_case_trace(const struct router_case *run, const struct message_set *set,
                        struct router_result *result, size_t *length);

/* The lines of the trace of that run for the steps before `end`, and perhaps of some more: the run
 * goes on in a process of its own no longer than that. The caller frees. */
char *router_case_trace_before(const struct router_case *run, const struct message_set *set,
                               uint64_t end);

/* Whether two results agree in all but the threads and the seconds. */
bool router_case_same(const struct router_result *a, const struct router_result *b);

/* Runs, and checks: success, no delivery missing, no fewer steps than the instance's lower bounds,
 * phases that add up, a trace whose audit is clean and counts what the result says, and the same
 * result without a trace. `result` may be NULL. */
void router_case_check(const struct router_case *run, const struct message_set *given,
                       struct router_result *result);

/* Fails unless traces and results are the same for 1, 2 and 5 threads. */
void router_case_check_threads(struct router_case run, const struct message_set *set);

#endif
