/* meshcast_plan.h - schemes, by which networks send multicasts, and what their plans cost, for programs.
 *
 * A plan is made and measured message by message; nothing runs. `meshcast plan` prints the same figures;
 * doc/schemes.md has the schemes. The error rule, ownership and threads are those of meshcast.h.
 */
#ifndef MESHCAST_PLAN_H
#define MESHCAST_PLAN_H

#include "meshcast_topology.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* ---- schemes ---- */

struct meshcast_scheme;

/* The scheme of that name; NULL, with MESHCAST_USAGE, if there is none. Not to be freed. */
const struct meshcast_scheme *meshcast_scheme_find(const char *name, struct meshcast_error *error);

/* All of them: their number, and scheme `index` below it. */
uint32_t meshcast_schemes(void);
const struct meshcast_scheme *meshcast_scheme_at(uint32_t index);

/* Its name, and what it does (a line). */
const char *meshcast_scheme_name(const struct meshcast_scheme *scheme);
const char *meshcast_scheme_summary(const struct meshcast_scheme *scheme);

/* Its parameters: their number; the name of one, and what it does (`help` may be NULL); its words, the
 * first being the standard, NULL behind the last. */
uint32_t meshcast_scheme_parameters(const struct meshcast_scheme *scheme);
const char *meshcast_scheme_parameter(const struct meshcast_scheme *scheme, uint32_t index,
                                      const char **help);
const char *meshcast_scheme_word(const struct meshcast_scheme *scheme, uint32_t index,
                                 uint32_t word);

/* ---- options of plans, networks and loads ---- */

/* Made with every default, as the program has them. */
struct meshcast_network_options;

/* NULL: no memory. */
struct meshcast_network_options *meshcast_network_options_new(void);
void meshcast_network_options_free(struct meshcast_network_options *options);

enum meshcast_network_number {
    MESHCAST_NETWORK_SEED,    /* of lengths, sources, arrivals */
    MESHCAST_NETWORK_SOURCES, /* messages of so many sources alone, drawn by the seed; 0: of all */
    MESHCAST_NETWORK_FLITS, /* length of messages to which the set gives none, or the shortest .. */
    MESHCAST_NETWORK_MOST_FLITS, /* .. where this, the longest, is more; 0: none is longer */
    /* the network; doc/network.md */
    MESHCAST_NETWORK_SWITCHING, /* enum meshcast_switching */
    MESHCAST_NETWORK_VCS,       /* virtual channels a link; 0: one */
    MESHCAST_NETWORK_BUFFER, /* flits a virtual channel; under store-and-forward messages per node; 0: 4, or any number */
    MESHCAST_NETWORK_INJECTION,   /* channels by which a node sends; 0: as many as it has links */
    MESHCAST_NETWORK_CONSUMPTION, /* by which it takes in; 0: the same */
    MESHCAST_NETWORK_STARTUP,     /* cycles that a node works on each worm that it sends */
    MESHCAST_NETWORK_STARTUP_PER_PORT, /* 1: each injection channel by itself */
    MESHCAST_NETWORK_ROUTER_DELAY,     /* cycles that a header waits in each router */
    MESHCAST_NETWORK_ONE_PORT, /* 1: a node sends to one child at a time, not to all at once */
    MESHCAST_NETWORK_RELEASE_WHEN_LEFT, /* 1: a channel is free when the tail has left its buffer */
    MESHCAST_NETWORK_MAX_THREADS,       /* 0: as many as pay */
    MESHCAST_NETWORK_KEEP_LINKS,        /* 1: the result has meshcast_network_link_flits() */
    /* loads alone; meshcast_load.h */
    MESHCAST_NETWORK_ORDER, /* times between messages are the sum of so many geometric ones; 0: one */
    MESHCAST_NETWORK_WARMUP,     /* messages before those that are measured; 0: by the latency */
    MESHCAST_NETWORK_MEASURE,    /* messages that are measured in a run; 0: by the latency */
    MESHCAST_NETWORK_MOST_RUNS,  /* 0: 20 */
    MESHCAST_NETWORK_FINITE,     /* 1: no messages arrive behind the measured ones */
    MESHCAST_NETWORK_UNTIL_DONE, /* 1: a saturated run is not stopped */
    /* bursts, too */
    MESHCAST_NETWORK_HEADER,    /* names of stops in a worm's first flits, enum meshcast_header */
    MESHCAST_NETWORK_FLIT_BITS, /* of a flit that names stops; 0: 64 */
};
enum meshcast_switching {
    MESHCAST_WORMHOLE,
    MESHCAST_CUT_THROUGH,
    MESHCAST_STORE_AND_FORWARD,
    MESHCAST_CIRCUIT, /* a header reserves its whole path before the other flits leave */
};
/* A worm is longer by the flits that names need beyond its first one. */
enum meshcast_header {
    MESHCAST_HEADER_NONE,
    MESHCAST_HEADER_LIST,   /* the number of each stop: ceil(log2(nodes)) bits */
    MESHCAST_HEADER_BITMAP, /* a bit for each node */
};
/* MESHCAST_USAGE: not a value of that option. */
enum meshcast_status meshcast_network_options_set(struct meshcast_network_options *options,
                                                  enum meshcast_network_number number,
                                                  uint64_t value, struct meshcast_error *error);

/* A parameter of the scheme. The run finds out whether the scheme takes it. MESHCAST_USAGE: more than 16, a
 * name or value of 64 bytes or more. */
enum meshcast_status
meshcast_network_options_set_parameter(struct meshcast_network_options *options, const char *name,
                                       const char *value, struct meshcast_error *error);

/* Called now and then with how many messages of `all` are done, and the cycles that have ended (0 of
 * plans); NULL: never. */
void meshcast_network_options_set_progress(struct meshcast_network_options *options,
                                           void (*progress)(void *context, uint64_t done,
                                                            uint64_t all, uint64_t cycle),
                                           void *context);

/* What ends the call before its time; NULL: nothing. It is not copied. */
void meshcast_network_options_set_interrupt(struct meshcast_network_options *options,
                                            const struct meshcast_interrupt *interrupt);

/* ---- plans ---- */

struct meshcast_plans;

/* Plans each message of the set by the scheme. `topology` may be NULL: the set's own; a graph must be
 * given. `options` may be NULL; the seed, the sources and the parameters count. With MESHCAST_OK, and
 * MESHCAST_INTERRUPTED (what was planned until then), *plans is the caller's, else NULL. MESHCAST_USAGE:
 * the scheme cannot run there, or has no such parameter. */
enum meshcast_status meshcast_plan(const struct meshcast_scheme *scheme,
                                   const struct meshcast_set *set,
                                   const struct meshcast_topology *topology,
                                   const struct meshcast_network_options *options,
                                   struct meshcast_plans **plans, struct meshcast_error *error);
void meshcast_plans_free(struct meshcast_plans *plans);

/* The messages that were planned: their number, and their numbers in the set. */
uint32_t meshcast_plans_messages(const struct meshcast_plans *plans, const uint32_t **message);

/* Their deliveries. */
uint64_t meshcast_plans_deliveries(const struct meshcast_plans *plans);

/* Costs of one message alone, without its length; doc/schemes.md. */
enum meshcast_cost {
    MESHCAST_COST_TRAFFIC,            /* links that worms cross */
    MESHCAST_COST_ADDITIONAL_TRAFFIC, /* of these, beyond one a destination */
    MESHCAST_COST_STARTUPS,           /* worms */
    MESHCAST_COST_LONGEST_PATH,       /* links of the longest worm */
    MESHCAST_COST_ALL_PORT, /* hops until the last destination has it, if nodes send over all ports at once */
    MESHCAST_COST_ONE_PORT,           /* the same, over one port a hop */
    MESHCAST_COST_STEPS,              /* of schemes that are defined in steps */
    MESHCAST_COST_LINK_WORMS,         /* the most worms over one directed link */
    MESHCAST_COST_SHARED_LINKS,       /* directed links that several worms cross */
    MESHCAST_COST_LONGEST_PATH_BOUND, /* no plan of the scheme's kind has a shorter longest path */
};
/* A cost of each message, in the order of meshcast_plans_messages(), the plans'; NULL: the scheme has no
 * such cost. */
const uint64_t *meshcast_plans_costs(const struct meshcast_plans *plans, enum meshcast_cost cost);

/* Of all messages the sum, and the largest; 0 where the scheme has no such cost. */
uint64_t meshcast_plans_total(const struct meshcast_plans *plans, enum meshcast_cost cost);
uint64_t meshcast_plans_largest(const struct meshcast_plans *plans, enum meshcast_cost cost);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
