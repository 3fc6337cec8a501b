/* meshcast.h - the library of meshcast: multicast routers on an emulated mesh machine, for programs.
 *
 * A message set says which node of a mesh sends a message to which others. A router moves the set
 * over the machine, where a packet crosses one link a step and waits in buffers in between, and the
 * result tells what the machine counted: steps, buffers, hops. Every run checks every delivery. The
 * model, with the terms that are used here, is doc/model.md; doc/route_example.c and
 * doc/own_router_example.c are whole programs.
 *
 *     cc example.c $(pkg-config --cflags --libs meshcast)
 *
 * The error rule. A function that can fail takes a struct meshcast_error last, which may be NULL. It
 * returns a status, or NULL instead of a handle; if it fails it fills the error with the status and
 * one line of printable ASCII that names the remedy. Success leaves the error as it was. Nothing in
 * the library ends the program, prints, or installs a signal handler. Two kinds of mistake are not
 * statuses: a NULL, or a freed handle, where the text below does not allow it, and a broken invariant
 * of the library's own, which is an assertion.
 *
 * Ownership. What a function named _new, _read, _parse, _generate, _import, _from_pairs or
 * meshcast_run() gives is the caller's and is freed by the _free of its kind, which takes NULL too.
 * Texts that are given out belong to the handle that they were asked of, and live as long. Texts
 * that are handed in are copied.
 *
 * Thread rule. The library has no state of its own. Sets, routers and results never change after
 * they are made, so any number of threads may use one; options must not change while a run uses them.
 * A run uses as many threads as its options say, or fewer, if the system gives no more; results are the
 * same for every number. The threads end with the run and take no signals. A child of fork() may run
 * anything.
 *
 * Nodes are row-major indices, row * cols + col, from 0. Counts of packets are packets a node; times
 * are steps of the machine.
 */
#ifndef MESHCAST_H
#define MESHCAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MESHCAST_VERSION "0.1.0"

/* what stands between push and pop is all that the shared library shows */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* MESHCAST_VERSION of the library that runs, which may be another than that of this header. */
const char *meshcast_version(void);

enum meshcast_status {
    MESHCAST_OK = 0,
    MESHCAST_CHECK = 1,  /* the run ended but a check failed: a delivery, an overflow */
    MESHCAST_USAGE = 2,  /* a mistake of the caller: an argument, an option, a parameter */
    MESHCAST_INPUT = 3,  /* bad input: the text names the file, the line, what was expected */
    MESHCAST_SYSTEM = 4, /* the system failed: cannot open, disk full, out of memory */
};

struct meshcast_error {
    enum meshcast_status status;
    char text[512];
};

/* ---- message sets ---- */

/* Each destination of a message once; no message without destinations. A source may send several messages, and may be
 * among their destinations. */
struct meshcast_set;

/* The set in which from[i] sends to to[i] for every i < pairs, in any order; a pair that comes again
 * counts once. MESHCAST_USAGE: sides below 1 or above 32768, more than 2^26 nodes, a node that is
 * not on the mesh, 2^32 - 1 pairs or more. */
struct meshcast_set *meshcast_set_from_pairs(uint32_t rows, uint32_t cols, uint64_t pairs,
                                             const uint32_t *from, const uint32_t *to,
                                             struct meshcast_error *error);

/* Reads the file `path` ("-": standard input) in the format of meshcast-set(5). MESHCAST_INPUT, too: a set of
 * version 2 that a router cannot take. */
struct meshcast_set *meshcast_set_read(const char *path, struct meshcast_error *error);

/* The same from `length` bytes, which are not kept; `name` stands for the path in messages. */
struct meshcast_set *meshcast_set_parse(const void *bytes, size_t length, const char *name,
                                        struct meshcast_error *error);

/* What to generate, as `meshcast gen` does. A field of 0, or NULL, takes the pattern's default. The pattern
 * `adversary` needs a graph and is not to be had here. MESHCAST_USAGE: also an input that the pattern does not take. */
struct meshcast_generate {
    const char *pattern; /* uniform, worst, hotspot, ...: `meshcast gen --help` lists them */
    uint32_t rows, cols;
    uint32_t degree;     /* at most so many destinations a message */
    uint32_t congestion; /* at most so many messages a node */
    uint64_t seed;
    uint32_t per_node;       /* l: so many messages a node where the pattern sends one */
    uint32_t groups;         /* allgather, alltoall: groups of consecutive nodes */
    uint32_t experts;        /* moe: their number */
    const char *place;       /* moe: spread, block */
    const char *skew;        /* moe: an exponent, as text, or a file of counts .. */
    uint32_t layer;          /* .. in this line of it, from 1 */
    const char *populations; /* populations: the file of the table */
    double active;           /* populations: the chance that a neuron sends, above 0, at most 1 */
};
struct meshcast_set *meshcast_set_generate(const struct meshcast_generate *plan,
                                           struct meshcast_error *error);

/* How to read a sparse matrix, as `meshcast import` does: the set of y = A x. */
struct meshcast_import {
    uint32_t side;   /* of the square mesh; 0: the least that holds max(rows, columns) */
    const char *map; /* row, snake, hilbert, random; NULL: row */
    const char *
        format; /* mtx, edges, hgr, graph, routes; NULL: by the banner %%MatrixMarket, then by the name */
    bool drops_diagonal;
    uint64_t seed; /* of the map `random` */
};
/* Reads Matrix Market, an edge list, a hypergraph, a graph or routes of experts, also gzipped, from `path` ("-": standard input); `how` may be
 * NULL. */
struct meshcast_set *meshcast_set_import(const char *path, const struct meshcast_import *how,
                                         struct meshcast_error *error);

/* Writes the set to `path` ("-": standard output, which the program flushes). The file takes its
 * place when it is whole.
 * `comment` (may be NULL) becomes lines with a `#`. */
enum meshcast_status meshcast_set_write(const struct meshcast_set *set, const char *path,
                                        const char *comment, struct meshcast_error *error);
void meshcast_set_free(struct meshcast_set *set);

/* What can be asked of a set. */
enum meshcast_set_figure {
    MESHCAST_SET_ROWS,
    MESHCAST_SET_COLS,
    MESHCAST_SET_MESSAGES,
    MESHCAST_SET_DELIVERIES,
    MESHCAST_SET_DEGREE,            /* d: the most destinations of a message */
    MESHCAST_SET_CONGESTION,        /* c: the most messages that one node receives */
    MESHCAST_SET_LOWER_BOUND,       /* steps that every router needs, whatever copies cost */
    MESHCAST_SET_MESSAGES_PER_NODE, /* l: the most messages that one node sends */
};
uint64_t meshcast_set_figure(const struct meshcast_set *set, enum meshcast_set_figure figure);

/* S = sqrt(l c n); 0 for the empty set. */
double meshcast_set_sqrt_cn(const struct meshcast_set *set);

/* Why MESHCAST_SET_LOWER_BOUND holds: "distance", "enter-rectangle", ... */
const char *meshcast_set_lower_bound_kind(const struct meshcast_set *set);

/* Message `index`, 0 .. messages - 1, by ascending source, or, where a source sends several, as they stand in the file:
 * its destinations, ascending, which are the set's; *source and *count are its source and their number. */
const uint32_t *meshcast_set_message(const struct meshcast_set *set, uint32_t index,
                                     uint32_t *source, uint64_t *count);

/* ---- routers ---- */

struct meshcast_router;

/* The router of that name; NULL, with MESHCAST_USAGE, if there is none. Not to be freed. */
const struct meshcast_router *meshcast_router_find(const char *name, struct meshcast_error *error);

/* All of them: their number, and router `index` below it. */
uint32_t meshcast_routers(void);
const struct meshcast_router *meshcast_router_at(uint32_t index);

/* Its name, what it does (a line), and its parameters (a line or more each; may be ""). */
const char *meshcast_router_name(const struct meshcast_router *router);
const char *meshcast_router_summary(const struct meshcast_router *router);
const char *meshcast_router_parameters(const struct meshcast_router *router);

/* Whether it can run with a congestion that nobody knows. */
bool meshcast_router_guesses_congestion(const struct meshcast_router *router);

/* ---- options of a run ---- */

/* Made with every default: seed 0, a thread a core where that pays, no capacity but the router's
 * own, copies that cost a step, a known congestion, no files. */
struct meshcast_options;

/* NULL: no memory. */
struct meshcast_options *meshcast_options_new(void);
void meshcast_options_free(struct meshcast_options *options);

enum meshcast_number {
    MESHCAST_SEED,
    MESHCAST_MAX_THREADS, /* 0: as many as there are cores */
    MESHCAST_BUFFER,      /* capacity of every node in packets; 0: the router's own, or none */
    MESHCAST_FREE_COPIES, /* 1: copies cost nothing (hardware multicast) instead of a step */
    MESHCAST_UNKNOWN_CONGESTION, /* 1: nodes guess it (Section 6 of the paper) */
    MESHCAST_HEATMAP_OF_LINKS,   /* 1: the heatmap is of links, not of nodes */
    MESHCAST_TIMELINE_EVERY,     /* the timeline has a row for so many steps; 0 and 1: each */
};
/* MESHCAST_USAGE: not a value of that option. */
enum meshcast_status meshcast_options_set(struct meshcast_options *options,
                                          enum meshcast_number number, uint64_t value,
                                          struct meshcast_error *error);

/* A constant of the router, as `--param NAME=VALUE`; of a name given twice the last value counts.
 * The run finds out whether the router takes it. MESHCAST_USAGE: more than 16, a value of 64 bytes
 * or more. */
enum meshcast_status meshcast_options_set_parameter(struct meshcast_options *options,
                                                    const char *name, const char *value,
                                                    struct meshcast_error *error);

/* Files that a run writes, as the options of `meshcast route`. They take their places when they are
 * whole; a run that fails a check leaves them as far as it went. Pictures are drawn by gnuplot, a
 * process of its own. */
enum meshcast_file {
    MESHCAST_TRACE,    /* every event of the machine, for `meshcast audit` */
    MESHCAST_HEATMAP,  /* peaks of nodes, or loads of links: .csv, or .svg, .png, .pdf by gnuplot */
    MESHCAST_TIMELINE, /* the same of the network step by step */
};
/* `path` may be NULL: none, as at first. The run finds out whether it can be written. */
enum meshcast_status meshcast_options_set_file(struct meshcast_options *options,
                                               enum meshcast_file file, const char *path,
                                               struct meshcast_error *error);

/* Called now and then on a long run; NULL: never. */
void meshcast_options_set_progress(struct meshcast_options *options,
                                   void (*progress)(void *context, uint64_t steps,
                                                    const char *phase),
                                   void *context);

/* An event of the trace: its letter there, and its numbers (doc/model.md, "The trace"). */
struct meshcast_event {
    uint32_t field[3];
    char kind;
};

/* Is told every event of the machine, step by step in the trace's order, by one thread while the
 * others wait, and at whose end each phase begins. Steps in which nothing happens are not told; step
 * 0 may be told in several calls. */
struct meshcast_observer {
    void *context;
    void (*events)(void *context, uint64_t step, const struct meshcast_event *event, size_t count);
    void (*phase)(void *context, uint64_t step, const char *name);
};
/* `observer` is copied; NULL: none. */
void meshcast_options_set_observer(struct meshcast_options *options,
                                   const struct meshcast_observer *observer);

/* ---- a run ---- */

struct meshcast_result;

/* Runs `router` on `set` and checks every delivery. `options` may be NULL: the defaults. With
 * MESHCAST_OK and MESHCAST_CHECK *result is the caller's, in the second case filled as far as the
 * run went; else it is NULL. MESHCAST_CHECK: a delivery is missing or duplicated, or a buffer
 * overflowed (the text says node, step and phase). MESHCAST_USAGE: an option or parameter that the
 * router cannot take (the text says what it takes). MESHCAST_SYSTEM: no memory, or a file cannot be
 * written. */
enum meshcast_status meshcast_run(const struct meshcast_router *router,
                                  const struct meshcast_set *set,
                                  const struct meshcast_options *options,
                                  struct meshcast_result **result, struct meshcast_error *error);
void meshcast_result_free(struct meshcast_result *result);

/* About how many bytes such a run asks for at its fullest, beside the set; 0 where it would refuse a
 * parameter. A run does not look whether there are as many: `meshcast route` does, with --force not.
 * For a router of your own it is a guess from what most call. */
uint64_t meshcast_run_memory(const struct meshcast_router *router, const struct meshcast_set *set,
                             const struct meshcast_options *options);

/* What the machine counted. */
enum meshcast_figure {
    MESHCAST_STEPS,
    MESHCAST_SYNC_STEPS,      /* of synchronisations; part of MESHCAST_STEPS */
    MESHCAST_BUFFER_CAPACITY, /* in force; 0: none */
    MESHCAST_BUFFER_PEAK,     /* the most packets that a node held at the end of a step */
    MESHCAST_BUFFER_PEAK_NODE,
    MESHCAST_BUFFER_PEAK_STEP, /* the first at which it was reached */
    MESHCAST_PACKET_HOPS,      /* links crossed by packets */
    MESHCAST_WORD_HOPS,        /* links crossed by control words */
    MESHCAST_COPIES,
    MESHCAST_DELIVERED,
    MESHCAST_MISSING,
    MESHCAST_THREADS, /* as used */
};
uint64_t meshcast_result_figure(const struct meshcast_result *result, enum meshcast_figure figure);

/* Seconds of the routing alone, checks included: the one figure that differs from run to run. */
double meshcast_result_wall_seconds(const struct meshcast_result *result);

/* The phase of MESHCAST_BUFFER_PEAK_STEP. */
const char *meshcast_result_peak_phase(const struct meshcast_result *result);

/* The router that ran in its place, as its summary says for such a congestion; "" if none did. */
const char *meshcast_result_ran_as(const struct meshcast_result *result);

/* Phases, whose steps add up to MESHCAST_STEPS; those named "sync" are synchronisations. `steps` may
 * be NULL. */
uint32_t meshcast_result_phases(const struct meshcast_result *result);
const char *meshcast_result_phase(const struct meshcast_result *result, uint32_t index,
                                  uint64_t *steps);

/* Parameters as they were used, defaults included. */
uint32_t meshcast_result_parameters(const struct meshcast_result *result);
const char *meshcast_result_parameter(const struct meshcast_result *result, uint32_t index,
                                      const char **value);

/* Attempts with guessed congestions, or with a known one after a node overflowed; the last stands. None where c
 * was known and no node overflowed. */
enum meshcast_attempt_figure {
    MESHCAST_ATTEMPT_CONGESTION, /* the guess; n in the last one, if it circulates */
    MESHCAST_ATTEMPT_BUDGET,     /* steps that it may take; 0: any */
    MESHCAST_ATTEMPT_CAPACITY,   /* packets a node that it may take; 0: any */
    MESHCAST_ATTEMPT_PEAK,
    MESHCAST_ATTEMPT_STEPS, /* to the end of the OR over the mesh behind it */
    MESHCAST_ATTEMPT_SYNC_STEPS,
    MESHCAST_ATTEMPT_DISCARDED, /* packets for which a node had no room */
    MESHCAST_ATTEMPT_STANDS,    /* 1, or 0: it was void and given up */
};
uint32_t meshcast_result_attempts(const struct meshcast_result *result);
uint64_t meshcast_result_attempt(const struct meshcast_result *result, uint32_t index,
                                 enum meshcast_attempt_figure figure);

/* ---- a router of one's own ---- */

/* A run under way, as a router sees it. */
struct meshcast_routing;

/* A parameter: one of `choices` (words apart by blanks), or with high > 0 a whole number low ..
 * high, or either. */
struct meshcast_parameter {
    const char *name, *standard; /* the value when none is given */
    uint32_t low, high;
    const char *choices; /* NULL: numbers alone */
};

/* What makes a router. `route` begins with meshcast_start(), goes on with the instructions below,
 * and returns what the one that failed returned, or MESHCAST_OK. A run may be one of several at a
 * time, so what it changes it must own. */
struct meshcast_router_plan {
    const char *name, *summary;
    const char *parameters_help;                /* a line each, or NULL */
    const struct meshcast_parameter *parameter; /* [parameters] */
    uint32_t parameters;                        /* at most 16 */
    enum meshcast_status (*route)(void *context, struct meshcast_routing *routing);
    void *context; /* the caller's */
    /* Whether it takes sets in which a node sends several messages; false: they are refused with MESHCAST_USAGE. */
    bool takes_many;
};
/* A router that meshcast_run() takes; the plan is copied, but for what `context` points to.
 * MESHCAST_USAGE: no route; a name that is not of at most 63 letters, digits, '-', '_' and '.'; a
 * parameter whose standard is not one of its values.
 * MESHCAST_SYSTEM: no memory. */
struct meshcast_router *meshcast_router_new(const struct meshcast_router_plan *plan,
                                            struct meshcast_error *error);
void meshcast_router_free(struct meshcast_router *router);

/* What every node knows of the run. */
struct meshcast_known {
    uint32_t rows, cols, degree, congestion;
    uint64_t seed;
    uint32_t buffer; /* the capacity that the user asked for; 0: none */
    bool copies_are_free;
    uint32_t messages_per_node; /* l: a node sends so many at most */
};
struct meshcast_known meshcast_known(const struct meshcast_routing *routing);

/* The value of a parameter of the plan: a number, or the index of a choice, behind the numbers (high
 * + 1 + index) where both are taken. */
uint32_t meshcast_parameter(const struct meshcast_routing *routing, const char *name);

/* A number that looks random, a function of (seed, stream, index) alone: what a node draws. */
uint32_t meshcast_random(const struct meshcast_routing *routing, uint64_t stream, uint64_t index);

/* Fails with MESHCAST_USAGE, or MESHCAST_CHECK, and the text: what `route` then returns. */
enum meshcast_status meshcast_refuse(struct meshcast_routing *routing, enum meshcast_status status,
                                     const char *text);

/* Step 0: makes a machine whose nodes hold `capacity` packets at most (0: any number; one that is
 * smaller by the user's wish is), and puts each message into it as one packet at rest at its source,
 * with a slot a destination; where a node sends several, all rest there, and take room in its buffer. Once, before everything below. */
enum meshcast_status meshcast_start(struct meshcast_routing *routing, uint32_t capacity);

/* Packets. A packet stands for the destination slots first .. packet, all of one message, and is
 * named by the last; other numbers name none. A function of a rule may read and change only packets at
 * its own site, and between instructions the program may only do what each node could do alone with the
 * packets that rest there: doc/model.md says what nodes know. */
#define MESHCAST_NONE UINT32_MAX

struct meshcast_site {
    uint32_t node, row, col;
};

uint32_t meshcast_packet_first(const struct meshcast_routing *routing, uint32_t packet);
/* The node that slot `slot` is a delivery to; the source of its message; the number of that in the set, as
 * meshcast_set_message() counts. */
struct meshcast_site meshcast_slot_destination(const struct meshcast_routing *routing,
                                               uint32_t slot);
uint32_t meshcast_slot_source(const struct meshcast_routing *routing, uint32_t slot);
uint32_t meshcast_slot_message(const struct meshcast_routing *routing, uint32_t slot);
/* Exchanges two slots of the packet. */
void meshcast_slots_swap(struct meshcast_routing *routing, uint32_t packet, uint32_t slot,
                         uint32_t other);
/* In a rule's take() alone: hands the first `count` slots, at least 1 and not all, to a new packet
 * with the same fields, whose name is returned. */
uint32_t meshcast_packet_split(struct meshcast_routing *routing, uint32_t packet, uint32_t count);
/* Two fields for the router's own use, 0 at first: a node, and 8 bits. */
uint32_t meshcast_packet_target(const struct meshcast_routing *routing, uint32_t packet);
void meshcast_packet_set_target(struct meshcast_routing *routing, uint32_t packet, uint32_t node);
uint8_t meshcast_packet_state(const struct meshcast_routing *routing, uint32_t packet);
void meshcast_packet_set_state(struct meshcast_routing *routing, uint32_t packet, uint8_t state);
/* The packets that rest at a node, oldest first, MESHCAST_NONE at the end. */
uint32_t meshcast_first_resting(const struct meshcast_routing *routing, uint32_t node);
uint32_t meshcast_next_resting(const struct meshcast_routing *routing, uint32_t packet);

/* Parts into which a packet falls where it stops: copies over links, a delivery, one that rests
 * until the next instruction, one that is looked at again in the next step (never alone). Each part
 * but the last is a copy. */
enum meshcast_part {
    MESHCAST_NORTH = 1,
    MESHCAST_SOUTH = 2,
    MESHCAST_WEST = 4,
    MESHCAST_EAST = 8,
    MESHCAST_DELIVER = 16,
    MESHCAST_AGAIN = 32,
    MESHCAST_PARK = 64,
};

/* What the router decides where a packet stops. Called by several threads at once, for different
 * nodes; no instruction may be called from here. A rule that breaks what is said here ends the run
 * with MESHCAST_USAGE. */
struct meshcast_rule {
    void *context;
    /* The parts of `packet` at `site`, not empty, links of the mesh; MESHCAST_DELIVER only of a
     * packet with a slot for this node; the same answer until a part is taken. */
    unsigned (*parts)(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                      uint32_t packet);
    /* Splits `part` off the packet, which keeps at least a slot (meshcast_packet_split), and returns
     * the packet that carries it; for MESHCAST_DELIVER one with one slot, that of this node. NULL:
     * packets never have more than one part. */
    uint32_t (*take)(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                     uint32_t packet, enum meshcast_part part);
    /* Where `packet`, leaving over the link `part`, is looked at next: a column for WEST and EAST, a
     * row for NORTH and SOUTH, on that side of the site. In between it goes straight on. */
    uint32_t (*stop)(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                     uint32_t packet, enum meshcast_part part);
    /* How urgent it is on its way there, 0 .. 131071: of a link's queue the most urgent leaves first,
     * of equals the first come. NULL: all alike. */
    uint32_t (*urgency)(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                        uint32_t packet, enum meshcast_part part);
};

/* Instructions. All begin with the packets that rest, which `parts` is asked about; queues are one a
 * link, unbounded but for the capacity. A phase named `name` (printable ASCII, of which 63 characters count)
 * has
 *     exactly `steps` steps, at most 2^40, which every node computes beforehand; packets may still be
 *       under way;
 *     as many rounds of known lengths as are needed, each followed by a synchronisation of 2
 *       floor(rows / 2) + 2 floor(cols / 2) steps, until no packet is under way;
 *     until nothing is under way: the last phase of a run, since no node could tell that it is over.
 *       With more than `limit` steps it ends as it is, and the check finds what is missing. */
enum meshcast_status meshcast_forward_for(struct meshcast_routing *routing,
                                          const struct meshcast_rule *rule, const char *name,
                                          uint64_t steps);
enum meshcast_status meshcast_forward_in_rounds(struct meshcast_routing *routing,
                                                const struct meshcast_rule *rule, const char *name,
                                                uint64_t first, uint64_t further);
enum meshcast_status meshcast_forward_last(struct meshcast_routing *routing,
                                           const struct meshcast_rule *rule, const char *name,
                                           uint64_t limit);

/* Kernels, in all of `tiles` tiles at once (rounded down to a power of two; the mesh's longer side
 * is halved first). No packet may be under way.
 *
 * Sorts the packets that rest, at most one a node, by their targets as numbers, along each tile's
 * snake: its first row from west to east, the second back. About 3 m to 4 m steps, m the
 * tile's side, and two packets a node for powers of two; 7 m and four for other sides. */
enum meshcast_status meshcast_sort(struct meshcast_routing *routing, const char *name,
                                   uint64_t tiles);

/* Of value[node], one a node of the mesh, the combination of those before it in its tile's snake;
 * `identity` at the first. `combine` is associative, and need not commute. 2 m - 1 steps. */
enum meshcast_status meshcast_prefix(struct meshcast_routing *routing, const char *name,
                                     uint64_t tiles, uint64_t *value, uint64_t identity,
                                     uint64_t (*combine)(uint64_t before, uint64_t after));

/* Routes the packets that rest to their targets, in their own tiles; nodes send and receive at most
 * k each. k = 1: at most 2.93 m steps for powers of two, 3.16 m for other sides, and 12 packets a node,
 * whatever their targets; more: about k m / 2 + 2 m steps. The states of the packets are 0 before and
 * after. */
enum meshcast_status meshcast_route_packets(struct meshcast_routing *routing, const char *name,
                                            uint64_t tiles, uint32_t k);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
