/* meshcast.h - the library of meshcast: multicast routers on an emulated mesh machine, and schemes of worms on a network,
 * for programs.
 *
 * A message set says which node of a mesh sends a message to which others. What is done with it is a command, as of the
 * program `meshcast`: meshcast_command.h runs every one by its name and gives its figures. This header has what commands work
 * on: sets, topologies, routers, and what all functions share. Routers of one's own are in meshcast_own_router.h. The model,
 * with the terms that are used here, is doc/model.md; doc/route_example.c and doc/own_router_example.c are whole programs.
 *
 *     cc example.c $(pkg-config --cflags --libs meshcast)
 *
 * The error rule. A function that can fail takes a struct meshcast_error last, which may be NULL. It returns a status, or
 * NULL instead of a handle; if it fails it fills the error with the status and one line of printable ASCII that names the
 * remedy. Success leaves the error as it was. Nothing in the library ends the program, prints, or installs a signal
 * handler. Two kinds of mistake are not statuses: a NULL, or a freed handle, where the text below does not allow it, and a
 * broken invariant of the library's own, which is an assertion.
 *
 * Ownership. What a function named _new, _read, _parse, _from_.. or meshcast_command_run() returns is the caller's and is
 * freed by the _free of its kind, which accepts NULL. Texts and arrays that are given out belong to the handle that
 * they were asked of, and live as long. Texts that are handed in are copied.
 *
 * Thread rule. Sets, topologies, routers and reports never change after they are made, so any number of threads may use one;
 * a command belongs to one thread at a time. A run's threads are OpenMP's, as many as its options say or one if the system
 * refuses them, with the same results. They stay for the caller's next run and take no signals; beside other programs set
 * OMP_WAIT_POLICY=passive. A child of fork() may run anything, unless a callback forked.
 *
 * Nodes are row-major indices, row * cols + col, from 0; of more dimensions the last one that a text names is the fastest.
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

/* A way to end a call that takes long. A command is told of the interrupt; a run that finds it sent ends with
 * MESHCAST_INTERRUPTED, within a step of the machine, a second of the network, or some moments of a
 * computation. It stays sent until it is cleared, so a run that begins later ends at once. */
struct meshcast_interrupt;

/* NULL: no memory. No command may name it any more when it is freed. */
struct meshcast_interrupt *meshcast_interrupt_new(void);
void meshcast_interrupt_free(struct meshcast_interrupt *interrupt);

/* Any thread and any signal handler may call these. */
void meshcast_interrupt_send(struct meshcast_interrupt *interrupt);
void meshcast_interrupt_clear(struct meshcast_interrupt *interrupt);
bool meshcast_interrupt_is_sent(const struct meshcast_interrupt *interrupt);

/* ---- topologies ---- */

struct meshcast_topology;

/* Reads "mesh:64x64", "torus:8x8x8" (1 to 8 dimensions), or "graph:FILE", a list of edges in which i and i + 1 are joined.
 * MESHCAST_USAGE: no such text, or more than 2^26 nodes. MESHCAST_INPUT: the file is no such list. */
struct meshcast_topology *meshcast_topology_parse(const char *text, struct meshcast_error *error);

/* Returns the graph with the edges from[i] - to[i], each in either direction or both; the nodes are 0 .. the
 * largest that is named. MESHCAST_INPUT: as of a file, whose lines are the edges from 1. */
struct meshcast_topology *meshcast_topology_from_edges(uint64_t edges, const uint32_t *from,
                                                       const uint32_t *to,
                                                       struct meshcast_error *error);
void meshcast_topology_free(struct meshcast_topology *topology);

/* Returns "mesh:4x8", "torus:8x8x8", or "graph:1000" (its nodes). */
const char *meshcast_topology_text(const struct meshcast_topology *topology);
uint32_t meshcast_topology_nodes(const struct meshcast_topology *topology);

/* Links are directed and numbered 0 .. links - 1, in the order of the nodes that send on them. Not every
 * number is a link: false, and *from and *to are as they were. */
uint64_t meshcast_topology_links(const struct meshcast_topology *topology);
bool meshcast_topology_link(const struct meshcast_topology *topology, uint64_t link, uint32_t *from,
                            uint32_t *to);

/* ---- message sets ---- */

/* A message has each destination once, and at least one. A source may send several, and to itself. Figures of a set are
 * those of the command `info`; sets of patterns and files are made by `gen` and `import`. */
struct meshcast_set;

/* Returns the set in which from[i] sends to to[i] for every i < pairs, in any order; a pair that comes again counts once.
 * MESHCAST_USAGE: a node that the topology has not, 2^32 - 1 pairs or more. */
struct meshcast_set *meshcast_set_from_pairs(const struct meshcast_topology *topology,
                                             uint64_t pairs, const uint32_t *from,
                                             const uint32_t *to, struct meshcast_error *error);

/* Returns the set of so many messages, in their order: message i goes from source[i] to destination[offset[i]] ..
 * destination[offset[i + 1] - 1], in any order, each once, at least one; it has flits[i] flits (0: not
 * said), where `flits` is not NULL. offset[0] is 0. A source may send several messages. With lengths the
 * set is only for networks. MESHCAST_USAGE: the text names the message that is wrong. */
struct meshcast_set *meshcast_set_from_messages(const struct meshcast_topology *topology,
                                                uint32_t messages, const uint32_t *source,
                                                const uint64_t *offset, const uint32_t *destination,
                                                const uint32_t *flits,
                                                struct meshcast_error *error);

/* Reads the file `path` ("-": standard input): a set, as meshcast-set(5), or what import makes one of by its defaults. */
struct meshcast_set *meshcast_set_read(const char *path, struct meshcast_error *error);

/* Reads `length` bytes of such a file, which are not kept; `name` stands for the path in messages. */
struct meshcast_set *meshcast_set_parse(const void *bytes, size_t length, const char *name,
                                        struct meshcast_error *error);

/* Writes the set to `path` ("-": standard output, which the program flushes). The file takes its place when it is
 * whole. `comment` (may be NULL) becomes lines with a `#`. */
enum meshcast_status meshcast_set_write(const struct meshcast_set *set, const char *path,
                                        const char *comment, struct meshcast_error *error);
void meshcast_set_free(struct meshcast_set *set);

/* Returns "mesh:4x8", .., where the set is; and its nodes. */
const char *meshcast_set_topology(const struct meshcast_set *set);
uint32_t meshcast_set_nodes(const struct meshcast_set *set);

/* True if routers take the set: it is on a mesh of two dimensions, and its messages have no lengths. Networks take every
 * set. */
bool meshcast_set_is_routable(const struct meshcast_set *set);

uint32_t meshcast_set_messages(const struct meshcast_set *set);

/* Returns the destinations of message `index`, 0 .. messages - 1, ascending; *source and *count are its source and
 * their number. Messages are in the order of their sources, or, where a source sends several, of the file. */
const uint32_t *meshcast_set_message(const struct meshcast_set *set, uint32_t index,
                                     uint32_t *source, uint64_t *count);

/* Returns the length of message `index` in flits as the set says it; 0: it does not. */
uint32_t meshcast_set_flits(const struct meshcast_set *set, uint32_t index);

/* ---- routers ---- */

struct meshcast_router;

/* Returns the router of that name; NULL, with MESHCAST_USAGE, if there is none. Not to be freed. */
const struct meshcast_router *meshcast_router_find(const char *name, struct meshcast_error *error);

/* Return its name, what it does (a line), and its parameters (a line or more each; may be ""). */
const char *meshcast_router_name(const struct meshcast_router *router);
const char *meshcast_router_summary(const struct meshcast_router *router);
const char *meshcast_router_parameters(const struct meshcast_router *router);

/* True if it can run with a congestion that nobody knows. */
bool meshcast_router_guesses_congestion(const struct meshcast_router *router);

/* An event of the trace: its letter there, and its numbers (doc/model.md, "The trace"). */
struct meshcast_event {
    uint32_t field[3];
    char kind;
};

/* Receives every event of the machine, step by step in the trace's order, by one thread while the
 * others wait, and the step at whose end each phase begins. Steps in which nothing happens are left out; step
 * 0 may come in several calls. */
struct meshcast_observer {
    void *context;
    void (*events)(void *context, uint64_t step, const struct meshcast_event *event, size_t count);
    void (*phase)(void *context, uint64_t step, const char *name);
};

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
