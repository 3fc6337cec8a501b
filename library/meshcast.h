/* meshcast.h - the library of meshcast: multicast routers on an emulated mesh machine, for programs.
 *
 * A message set says which node of a mesh sends a message to which others. A router moves the set
 * over the machine, where a packet crosses one link a step and waits in buffers in between, and the
 * result tells what the machine counted: steps, buffers, hops. Every run checks every delivery. The
 * model, with the terms that are used here, is doc/model.md; doc/route_example.c and doc/own_router_example.c are whole
 * programs, and doc/library.md has an example of each subject.
 *
 * This header has sets, routers and runs. What else the program does has a header a subject, each of which includes this
 * one: meshcast_own_router.h, _kernel.h, _stress.h, _compare.h, _search.h and _expander.h; for the network
 * meshcast_topology.h, _plan.h, _network.h and _load.h.
 *
 *     cc example.c $(pkg-config --cflags --libs meshcast)
 *
 * The error rule. A function that can fail takes a struct meshcast_error last, which may be NULL. It returns a status, or
 * NULL instead of a handle; if it fails it fills the error with the status and one line of printable ASCII that names the
 * remedy. Success leaves the error as it was. Nothing in the library ends the program, prints, or installs a signal
 * handler. Two kinds of mistake are not statuses: a NULL, or a freed handle, where the text below does not allow it, and a
 * broken invariant of the library's own, which is an assertion.
 *
 * Ownership. What a function named _new, _read, _parse, _generate, _import, _from_pairs or meshcast_run() gives is the
 * caller's and is freed by the _free of its kind, which takes NULL too. Texts that are given out belong to the handle that
 * they were asked of, and live as long. Texts that are handed in are copied.
 *
 * Thread rule. The library has no state of its own. Sets, routers and results never change after they are made, so any
 * number of threads may use one; options must not change while a run uses them. A run's threads are OpenMP's, as many as
 * its options say or one if the system refuses them, with the same results. They stay for the caller's next run and take no
 * signals; beside other programs set OMP_WAIT_POLICY=passive. A child of fork() may run anything, unless a callback forked.
 *
 * Nodes are row-major indices, row * cols + col, from 0. Counts of packets are packets per node; times
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

/* The number of the binary interface, that of libmeshcast.so.N. It grows when something of it goes or changes;
 * functions, values of enumerations and headers that come do not change it. */
#define MESHCAST_ABI 0

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* MESHCAST_VERSION of the library that runs, which may be another than that of this header. */
const char *meshcast_version(void);

/* MESHCAST_ABI of the library that runs. */
uint32_t meshcast_abi(void);

/* Limits the memory of the process: calls fail with MESHCAST_SYSTEM rather than let it use `bytes` more than it uses now.
 * MESHCAST_NO_LIMIT: there is no limit. MESHCAST_AVAILABLE, which holds at first: what the system, the control groups and
 * the limits of the process leave at the time. */
#define MESHCAST_NO_LIMIT UINT64_MAX
#define MESHCAST_AVAILABLE 0
void meshcast_memory_limit(uint64_t bytes);

enum meshcast_status {
    MESHCAST_OK = 0,
    MESHCAST_CHECK = 1,       /* the run ended but a check failed: a delivery, an overflow */
    MESHCAST_USAGE = 2,       /* a mistake of the caller: an argument, an option, a parameter */
    MESHCAST_INPUT = 3,       /* bad input: the text names the file, the line, what was expected */
    MESHCAST_SYSTEM = 4,      /* the system failed: cannot open, disk full, out of memory */
    MESHCAST_INTERRUPTED = 5, /* the caller sent an interrupt, see there */
};

struct meshcast_error {
    enum meshcast_status status;
    char text[512];
    char topic
        [48]; /* of MESHCAST_USAGE: what `meshcast help TOPIC` says more about; "memory" if the memory limit is why;
                     * or "" */
};

/* ---- interrupts ---- */

/* A way to end a call that takes long. Options name the interrupt; a call that finds it sent ends with
 * MESHCAST_INTERRUPTED, within a step of the machine, a second of the network, or some moments of a
 * computation. It stays sent until it is cleared, so a call that begins later ends at once. */
struct meshcast_interrupt;

/* NULL: no memory. No options may name it any more when it is freed. */
struct meshcast_interrupt *meshcast_interrupt_new(void);
void meshcast_interrupt_free(struct meshcast_interrupt *interrupt);

/* Any thread and any signal handler may call these. */
void meshcast_interrupt_send(struct meshcast_interrupt *interrupt);
void meshcast_interrupt_clear(struct meshcast_interrupt *interrupt);
bool meshcast_interrupt_is_sent(const struct meshcast_interrupt *interrupt);

/* ---- message sets ---- */

struct meshcast_topology; /* meshcast_topology.h */

/* A message has each destination once, and at least one. A source may send several, and to itself. */
struct meshcast_set;

/* The set in which from[i] sends to to[i] for every i < pairs, in any order; a pair that comes again counts once.
 * MESHCAST_USAGE: sides not in 1 .. 32768, more than 2^26 nodes, a node off the mesh, 2^32 - 1 pairs or more. */
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
    uint32_t degree;     /* at most so many destinations per message */
    uint32_t congestion; /* at most so many messages per node */
    uint64_t seed;
    uint32_t per_node; /* l: so many messages per node where the pattern sends one */
    uint32_t groups;   /* allgather, alltoall: groups of consecutive nodes */
    uint32_t experts;  /* moe: their number, at most 2^20 */
    const char *place; /* moe: spread, block, or a file with a line for each expert, of its nodes */
    const char *skew;  /* moe: an exponent, as text, or a file of counts .. */
    uint32_t layer;    /* .. in this line of it, from 1 */
    const char *populations; /* populations: the file of the table */
    double active;           /* populations: the chance that a neuron sends, above 0, at most 1 */
    uint32_t
        stride; /* allgather, alltoall: the members of each of `groups` are so many nodes apart */
    const char *group_file; /* instead of groups: a file with a line for each group, of its nodes */
};
struct meshcast_set *meshcast_set_generate(const struct meshcast_generate *plan,
                                           struct meshcast_error *error);

/* How to read a sparse matrix, as `meshcast import` does: the set of y = A x. Where the set is made: on a square of
 * `side`, on a mesh of rows x cols, or on a topology (meshcast_topology.h); MESHCAST_USAGE: two of these, or too few nodes.
 * Without any of them it is the least square mesh that holds all items. */
struct meshcast_import {
    uint32_t side;      /* of the square mesh, 1 .. 8192; 0: not given */
    const char *map;    /* row, snake, hilbert (of two dimensions), random; NULL: row */
    const char *format; /* mtx, edges, ..; NULL: by the banner, then by the name */
    bool drops_diagonal, is_symmetric, counts_from_zero; /* the last: vertices of hgr, graph */
    uint64_t seed;                                       /* of the map `random` */
    uint32_t experts;   /* of routes; 0: as many as the file needs */
    const char *place;  /* of routes: spread, block, a file; NULL: spread */
    const char *header; /* the first line of an edge list is one: yes, no; NULL: found out */
    const struct meshcast_volume *volume;     /* lengths (meshcast_topology.h), or NULL */
    uint32_t rows, cols;                      /* of the mesh; both 0: not given */
    const struct meshcast_topology *topology; /* or NULL; only its shape is used */
    bool has_layer;                           /* of routes: .. */
    uint32_t layer; /* .. the layer as the log numbers it, at most 65535; else the log has one */
};
/* Reads a file of one of the formats from `path` ("-": standard input), compressed or in an archive too ("x.zip:a.mtx" if
 * there are several files in it); `how` may be NULL. */
struct meshcast_set *meshcast_set_import(const char *path, const struct meshcast_import *how,
                                         struct meshcast_error *error);

/* The same of a matrix of rows x cols in memory, whose entry i is at row[i], col[i], from 0; repeats count once. Of `how`
 * (or NULL) nothing about files counts. A node has `per_node` consecutive indices (0: one), or the file `part` says. */
struct meshcast_set *meshcast_set_from_entries(uint32_t rows, uint32_t cols, uint64_t entries,
                                               const uint32_t *row, const uint32_t *col,
                                               const struct meshcast_import *how, uint32_t per_node,
                                               const char *part, struct meshcast_error *error);

/* Writes the set to `path` ("-": standard output, which the program flushes). The file takes its place when it is
 * whole. `comment` (may be NULL) becomes lines with a `#`. */
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
    MESHCAST_SET_MESSAGES_AT_HOME,  /* for their own sources alone */
    MESHCAST_SET_DELIVERIES_AT_HOME /* to messages' own sources: only the first four figures count them */
};
uint64_t meshcast_set_figure(const struct meshcast_set *set, enum meshcast_set_figure figure);

/* S = sqrt(l c n); 0 for the empty set. */
double meshcast_set_sqrt_cn(const struct meshcast_set *set);

/* Why MESHCAST_SET_LOWER_BOUND holds: "distance", "enter-rectangle", ... */
const char *meshcast_set_lower_bound_kind(const struct meshcast_set *set);

/* Steps that every router needs with copies that are free, or cost a step; *kind, which may be NULL, says
 * why: as above, or "copy", .. */
uint64_t meshcast_set_bound(const struct meshcast_set *set, bool copies_are_free,
                            const char **kind);

/* Message `index`, 0 .. messages - 1, by ascending source, or, where a source sends several, as they stand
 * in the file: its destinations, ascending, which are the set's; *source and *count are its source and
 * their number. */
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

/* Made with every default: seed 0, threads where they pay, no capacity but the router's
 * own, copies that cost a step, a known congestion, no files. */
struct meshcast_options;

/* NULL: no memory. */
struct meshcast_options *meshcast_options_new(void);
void meshcast_options_free(struct meshcast_options *options);

enum meshcast_number {
    MESHCAST_SEED,
    MESHCAST_MAX_THREADS, /* 0: as many as pay, and as there are free cores */
    MESHCAST_BUFFER,      /* capacity of every node in packets; 0: the router's own, or none */
    MESHCAST_FREE_COPIES, /* 1: copies cost nothing (hardware multicast) instead of a step */
    MESHCAST_UNKNOWN_CONGESTION, /* 1: nodes guess it (Section 6 of the paper) */
    MESHCAST_HEATMAP_OF_LINKS,   /* 1: the heatmap is of links, not of nodes */
    MESHCAST_TIMELINE_EVERY,     /* the timeline has a row for so many steps; 0 and 1: each */
    MESHCAST_KEEP_NODE_PEAKS,    /* 1: the result has meshcast_result_node_peaks() */
    MESHCAST_KEEP_LINK_LOADS,    /* 1: the result has meshcast_result_link_loads() */
    MESHCAST_KEEP_TIMELINE,      /* 1: the result has meshcast_result_timeline() */
    MESHCAST_REDUCES,            /* 1: sources receive sums, as --reduce; runs and comparisons */
};
/* MESHCAST_USAGE: not a value of that option. */
enum meshcast_status meshcast_options_set(struct meshcast_options *options,
                                          enum meshcast_number number, uint64_t value,
                                          struct meshcast_error *error);

/* A constant of the router, as `--param NAME=VALUE`; of a name given twice the last value counts. The run finds
 * out whether the router takes it. MESHCAST_USAGE: more than 16, a value of 64 bytes or more. */
enum meshcast_status meshcast_options_set_parameter(struct meshcast_options *options,
                                                    const char *name, const char *value,
                                                    struct meshcast_error *error);

/* Files that a run writes, as the options of `meshcast route`. They take their places when they are whole; a run
 * that fails a check leaves them as far as it went. Pictures are drawn by gnuplot, a process of its own. */
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

/* What ends the run before its time; NULL: nothing. It is not copied. */
void meshcast_options_set_interrupt(struct meshcast_options *options,
                                    const struct meshcast_interrupt *interrupt);

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
 * MESHCAST_OK and MESHCAST_CHECK *result is the caller's, in the second case filled as far as the run
 * went; else it is NULL. MESHCAST_CHECK: a delivery is missing or duplicated, a buffer overflowed (the
 * text says node, step and phase), or a router of your own broke a rule. MESHCAST_USAGE: an option or
 * parameter that the router cannot take, or a set that no router can (meshcast_topology.h).
 * MESHCAST_SYSTEM: no memory, or a file cannot be written. */
enum meshcast_status meshcast_run(const struct meshcast_router *router,
                                  const struct meshcast_set *set,
                                  const struct meshcast_options *options,
                                  struct meshcast_result **result, struct meshcast_error *error);
void meshcast_result_free(struct meshcast_result *result);

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
    MESHCAST_THREADS,      /* as used */
    MESHCAST_PROVEN_STEPS, /* more the run could not take, as was known before it; 0: no such proof */
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

/* The steps by whose ends 0, 1, .. 100 percent of the deliveries, and at least one, had been made: 101 of them,
 * UINT64_MAX where they never were. The result's, as all arrays below. */
const uint64_t *meshcast_result_delivery_steps(const struct meshcast_result *result);

/* Of each node the most packets that it held at the end of a step: *nodes of them, a row of the mesh behind the
 * other. NULL, and 0: MESHCAST_KEEP_NODE_PEAKS was not set. */
const uint32_t *meshcast_result_node_peaks(const struct meshcast_result *result, uint64_t *nodes);

/* The packets that crossed each link: *loads of them, first those of all nodes' links to the north, then to
 * the south, the west and the east; 0 where there is no link. NULL, and 0: MESHCAST_KEEP_LINK_LOADS was not
 * set. */
const uint64_t *meshcast_result_link_loads(const struct meshcast_result *result, uint64_t *loads);

/* The network step by step: a row for step 0, for each that MESHCAST_TIMELINE_EVERY divides, and for the
 * last. */
enum meshcast_timeline_column {
    MESHCAST_ROW_STEP,
    MESHCAST_ROW_PACKETS,   /* in all buffers at its end */
    MESHCAST_ROW_DELIVERED, /* deliveries so far */
    MESHCAST_ROW_FULLEST, /* packets in the fullest buffer at the end of a step since the row before */
    MESHCAST_ROW_BUSY,    /* directed links that carried something in the busiest of these steps */
    MESHCAST_ROW_PACKET_HOPS, /* in all of these steps */
    MESHCAST_ROW_WORD_HOPS,
};
/* A column: *rows numbers. NULL, and 0: MESHCAST_KEEP_TIMELINE was not set. */
const uint64_t *meshcast_result_timeline(const struct meshcast_result *result,
                                         enum meshcast_timeline_column column, uint64_t *rows);

/* Figures that the router knew before its first step: their number, and the key and value of one. */
uint32_t meshcast_result_foretold(const struct meshcast_result *result);
const char *meshcast_result_foretold_figure(const struct meshcast_result *result, uint32_t index,
                                            uint64_t *value);

/* Parameters as they were used, defaults included. */
uint32_t meshcast_result_parameters(const struct meshcast_result *result);
const char *meshcast_result_parameter(const struct meshcast_result *result, uint32_t index,
                                      const char **value);

/* Attempts with guessed congestions, or with a known one after a node overflowed; the last stands. None where c
 * was known and no node overflowed. */
enum meshcast_attempt_figure {
    MESHCAST_ATTEMPT_CONGESTION, /* the guess; n in the last one, if it circulates */
    MESHCAST_ATTEMPT_BUDGET,     /* steps that it may take; 0: any */
    MESHCAST_ATTEMPT_CAPACITY,   /* packets per node that it may take; 0: any */
    MESHCAST_ATTEMPT_PEAK,
    MESHCAST_ATTEMPT_STEPS, /* to the end of the OR over the mesh behind it */
    MESHCAST_ATTEMPT_SYNC_STEPS,
    MESHCAST_ATTEMPT_DISCARDED, /* packets for which a node had no room */
    MESHCAST_ATTEMPT_STANDS,    /* 1, or 0: it was void and given up */
};
uint32_t meshcast_result_attempts(const struct meshcast_result *result);
uint64_t meshcast_result_attempt(const struct meshcast_result *result, uint32_t index,
                                 enum meshcast_attempt_figure figure);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
