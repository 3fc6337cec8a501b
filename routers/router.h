/* router.h - the multicast routers: one table, one call to run, one result to read.
 *
 * Every router takes a message set, moves it over the emulated machine of machine/machine.h, and is
 * checked when it ends: each message must have reached each of its destinations exactly once, and
 * no other node; or, with --reduce, each contribution of a destination the message's source. All
 * figures of a result are the machine's own counts.
 */
#ifndef MESHCAST_ROUTERS_ROUTER_H
#define MESHCAST_ROUTERS_ROUTER_H

#include "base/failure.h"
#include "base/suggestion.h"
#include "machine/machine.h"
#include "workloads/instance.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct interrupt;
struct topology;

enum { ROUTER_MAX_PARAMETERS = 16, ROUTER_NAME_SIZE = 64 };

/* A router's own constant, as NAME=VALUE. Both strings are the caller's. */
struct router_parameter {
    const char *name, *value;
};

/* A figure that a router knows of a run before its first step, for people and, by its key, for
 * programs. The strings are constants. */
struct router_figure {
    const char *key, *name;
    uint64_t value;
    char note[96];
};

enum { ROUTER_MAX_FIGURES = 8 };

/* The options of a run. router_options_default() fills every field. */
struct router_options {
    uint64_t seed;
    uint32_t threads;    /* 1 ..; 0: parallel_threads_for(); on ranks those of each */
    struct ranks *ranks; /* the set is the part of this rank; all ranks run it; NULL: no ranks */
    uint32_t buffer;     /* capacity B in packets per node; 0: unbounded */
    bool congestion_is_unknown; /* nodes guess c (Section 6); FAIL_USAGE if a router cannot */
    bool reduces;               /* --reduce: sources receive sums; FAIL_USAGE if a router cannot */
    bool copy_is_free;          /* --copy free; false: --copy unit, the paper's rules 2 and 3 */
    /* The mesh, if it is broken; NULL: it is whole. The caller's, who has checked that all messages
     * can be sent. */
    const struct topology *broken;
    FILE *trace;                             /* NULL: none; the caller opens and closes it */
    const struct machine_observer *observer; /* NULL: none; receives the events of a trace */
    uint32_t parameters;
    struct router_parameter parameter[ROUTER_MAX_PARAMETERS];
    /* Called occasionally on long runs with the steps so far and the phase's name; may be NULL. */
    void (*progress)(void *context, uint64_t steps, const char *phase);
    void *progress_context;
    /* Called before the first step of a run whose steps a proof bounds for a family of sets ("every
     * set of .."); may be NULL. */
    void (*promised)(void *context, uint64_t steps, const char *sets);
    /* Called before the first step of any other run whose parts of known length are long, with
     * their most steps; may be NULL. */
    void (*expected)(void *context, uint64_t steps);
    void *promised_context;            /* of both */
    const struct interrupt *interrupt; /* ends the run once it is sent; NULL: none */
};

/* One parameter as it was used, defaults included. */
struct router_used_parameter {
    char name[ROUTER_NAME_SIZE], value[ROUTER_NAME_SIZE];
};

/* An attempt, with a guessed congestion or a known one. Steps are the machine's from its start to
 * the end of the OR over the mesh after it. */
struct router_attempt {
    uint32_t congestion; /* the guess; l n in the last attempt with a known one, which circulates */
    uint64_t budget;     /* most steps, without words of ORs; 0: any */
    uint32_t buffer_capacity; /* most packets per node; 0: any */
    uint32_t buffer_peak;
    uint64_t steps, sync_steps; /* sync_steps is part of steps */
    uint64_t discarded;         /* packets for which a node had no room */
    bool stands;                /* false: it was void and given up */
};

/* c grows by 4 from 1 at least: 4^15 is the most nodes that a mesh of 2^15 rows can have. */
enum { ROUTER_MAX_ATTEMPTS = 17 };

/* The counts of the machine. A plain value: nothing to free. */
struct router_result {
    uint32_t phases;
    struct machine_phase phase[MACHINE_MAX_PHASES]; /* their steps add up to `steps` */
    uint32_t parameters;
    struct router_used_parameter parameter[ROUTER_MAX_PARAMETERS];
    uint32_t degree, congestion, most_sent; /* d, c and l of the set */
    /* The router that ran instead, as its description says for such a c; "" if none did. */
    char ran_as[ROUTER_NAME_SIZE];
    uint32_t attempts; /* 0: the congestion was known, and no node overflowed */
    struct router_attempt attempt[ROUTER_MAX_ATTEMPTS];
    uint32_t threads;           /* as used: at most one per row */
    uint32_t threads_refused;   /* threads wanted in addition, which the system did not give */
    uint64_t steps, sync_steps; /* sync_steps is part of steps */
    /* A proven upper bound, known before the run; 0: none. */
    uint64_t proven_steps;
    uint32_t figures; /* known before the first step */
    struct router_figure figure[ROUTER_MAX_FIGURES];
    uint32_t buffer_capacity; /* B in force, in all attempts if there are any; 0: unbounded */
    uint32_t buffer_peak;     /* the largest occupancy of a node at the end of a step */
    node_index buffer_peak_node;
    uint64_t buffer_peak_step; /* the first step at which the peak was reached */
    char buffer_peak_phase[ROUTER_NAME_SIZE];
    uint64_t packet_hops, word_hops, copies;
    uint64_t delivered, missing; /* of the set's deliveries */
    /* [p]: the step by whose end p percent of the deliveries, and at least one, had been made;
     * UINT64_MAX: never */
    uint64_t delivery_step[DELIVERY_PERCENTS];
    double wall_seconds; /* of the routing, including its checks */
};

/* A row of the table of routers. `summary` is one line for people; `parameters` describes each
 * NAME=VALUE, a line each, or is "". */
struct router {
    const char *name, *summary, *parameters;
};

/* Return the number of routers, and router `index` of the table. */
uint32_t router_count(void);
const struct router *router_at(uint32_t index);

extern const struct name_family router_names;

/* Returns the router of that name, or NULL. */
const struct router *router_find(const char *name);

/* True if the router can run with an unknown congestion. */
bool router_guesses_congestion(const struct router *router);

/* True if the router accepts sets in which a node sends several messages. */
bool router_takes_many(const struct router *router);

/* True if the router accepts sets in which messages start later or wait. */
bool router_takes_times(const struct router *router);

/* True if the router also runs on broken meshes. */
bool router_takes_broken(const struct router *router);

/* True if the router can run with --reduce. */
bool router_reduces(const struct router *router);

/* Returns the number of contributions of a reduction; 0: it is a multicast. */
uint64_t router_contributions(const struct router_options *options, const struct message_set *set);

/* True if the router has a parameter of that name. */
bool router_takes_parameter(const struct router *router, const char *name);

/* FAIL_USAGE: the router has no parameter of that name, or it does not accept the value in any
 * run. */
enum failure_kind router_check_value(const struct router *router, const char *name,
                                     const char *value, struct failure *failure);

/* Returns the name of parameter `index` of the router; NULL after the last. */
const char *router_parameter_name(const struct router *router, uint32_t index);

/* Writes value `choice` of the named values of parameter `index`; false after the last. A word in
 * capitals ("FILE") means any text. */
bool router_parameter_choice(const struct router *router, uint32_t index, uint32_t choice,
                             char word[ROUTER_NAME_SIZE]);

/* Returns the most steps of a tour of router `circulate`, for degrees up to `degree`. */
uint64_t circulate_tour_steps(struct mesh mesh, uint32_t degree, bool copy_is_free);

struct router_options router_options_default(void);

/* Runs `router` on `set` and checks every delivery. FAIL_CHECK: a delivery is missing or
 * duplicated, or a buffer overflowed (the text says node, step and phase); `result` is then filled
 * as far as the run got. FAIL_USAGE: an option or parameter that the router does not accept (the
 * text says what it accepts). FAIL_SYSTEM: no memory, or the trace cannot be written. */
enum failure_kind router_run(const struct router *router, const struct message_set *set,
                             const struct router_options *options, struct router_result *result,
                             struct failure *failure);

#endif
