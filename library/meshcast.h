/* meshcast.h - the library of meshcast, for programs: multicast routers on an emulated mesh
 * machine, and schemes of worms on a network.
 *
 * A message set gives each message's source node and destination nodes on a mesh. The work on it is
 * done by commands, those of the program `meshcast`: meshcast_command.h runs each by its name and
 * returns its figures. This header declares the objects that commands work on (sets, topologies,
 * routers) and what all functions share. meshcast_own_router.h is for routers of the caller's own.
 * The model, with its terms, is in doc/model.md; doc/route_example.c and doc/own_router_example.c
 * are whole programs.
 *
 *     cc example.c $(pkg-config --cflags --libs meshcast)
 *
 * The error rule. A function that can fail takes a struct meshcast_error last, which may be NULL.
 * It returns a status, or NULL instead of a handle; on failure it fills the error with the status
 * and one line of printable ASCII that names the remedy. Success leaves the error unchanged.
 * Nothing in the library ends the program, prints, or installs a signal handler. Two kinds of
 * mistake have no status: a NULL or a freed handle where the text below does not allow it, and a
 * broken invariant of the library, which is an assertion.
 *
 * Ownership. The caller owns the handle that a function named _new, _read, _parse, _from_.. or
 * meshcast_command_run() returns, and frees it by the _free of its kind, which accepts NULL.
 * Returned texts and arrays belong to the handle that was asked, and live as long. Texts that are
 * passed in are copied.
 *
 * Thread rule. Sets, topologies, routers and reports never change after they are made, so any
 * number of threads may use one. A command belongs to one thread at a time. A run uses OpenMP's
 * threads, as many as its options say, or one if the system refuses them; the results are the same.
 * The threads stay for the caller's next run and receive no signals; beside other programs set
 * OMP_WAIT_POLICY=passive. A child of fork() may run anything, unless a callback forked.
 *
 * Nodes are row-major indices, row * cols + col, from 0; with more dimensions the last one in the
 * text varies fastest.
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

/* The number of the binary interface, N of libmeshcast.so.N. It grows when something in the
 * interface is removed or changed; new functions, headers and values of enumerations leave it as it
 * is. */
#define MESHCAST_ABI 0

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* Returns the MESHCAST_VERSION of the running library, which may differ from this header's. */
const char *meshcast_version(void);

/* Returns the MESHCAST_ABI of the running library. */
uint32_t meshcast_abi(void);

/* Limits the memory of the process: calls fail with MESHCAST_SYSTEM rather than let it use `bytes`
 * more than it uses now. MESHCAST_NO_LIMIT: no limit. MESHCAST_AVAILABLE, the initial value: the
 * memory that the system, the control groups and the limits of the process leave at the time. */
#define MESHCAST_NO_LIMIT UINT64_MAX
#define MESHCAST_AVAILABLE 0
void meshcast_memory_limit(uint64_t bytes);

enum meshcast_status {
    MESHCAST_OK = 0,
    MESHCAST_CHECK = 1, /* the run ended but a check failed: a delivery, an overflow */
    MESHCAST_USAGE = 2, /* a mistake of the caller: an argument, an option, a parameter */
    /* bad input: the text names the file, the line, and what was expected */
    MESHCAST_INPUT = 3,
    MESHCAST_SYSTEM = 4,      /* the system failed: cannot open, disk full, out of memory */
    MESHCAST_INTERRUPTED = 5, /* the caller sent an interrupt, see below */
};

struct meshcast_error {
    enum meshcast_status status;
    char text[512];
    /* of MESHCAST_USAGE: the TOPIC of `meshcast help TOPIC` that says more; "memory" if the memory
     * limit was the reason; or "" */
    char topic[48];
};

/* ---- interrupts ---- */

/* Ends a long call. A command is told of the interrupt; a run that finds it sent ends with
 * MESHCAST_INTERRUPTED, within a step of the machine, a second of the network, or a few moments of
 * a computation. It stays sent until it is cleared, so a run that begins later ends at once. */
struct meshcast_interrupt;

/* Returns an interrupt that is not sent; NULL: no memory. When it is freed, no command may
 * refer to it any more. */
struct meshcast_interrupt *meshcast_interrupt_new(void);
void meshcast_interrupt_free(struct meshcast_interrupt *interrupt);

/* These may be called by any thread and any signal handler. */
void meshcast_interrupt_send(struct meshcast_interrupt *interrupt);
void meshcast_interrupt_clear(struct meshcast_interrupt *interrupt);
bool meshcast_interrupt_is_sent(const struct meshcast_interrupt *interrupt);

/* ---- topologies ---- */

struct meshcast_topology;

/* Reads "mesh:64x64", "torus:8x8x8" (1 to 8 dimensions), or "graph:FILE", a list of edges in which
 * i and i + 1 are joined. MESHCAST_USAGE: the text is none of these, or there are more than 2^26
 * nodes. MESHCAST_INPUT: the file is not such a list. */
struct meshcast_topology *meshcast_topology_parse(const char *text, struct meshcast_error *error);

/* Returns the graph with the edges from[i] - to[i], each in either direction or both; the nodes are
 * 0 .. the largest in an edge. MESHCAST_INPUT: as for a file, whose lines are the edges, counted
 * from 1. */
struct meshcast_topology *meshcast_topology_from_edges(uint64_t edges, const uint32_t *from,
                                                       const uint32_t *to,
                                                       struct meshcast_error *error);
void meshcast_topology_free(struct meshcast_topology *topology);

/* Returns "mesh:4x8", "torus:8x8x8", or "graph:1000" (its number of nodes). */
const char *meshcast_topology_text(const struct meshcast_topology *topology);
uint32_t meshcast_topology_nodes(const struct meshcast_topology *topology);

/* Links are directed and numbered 0 .. links - 1, in the order of the nodes that send on them. Not
 * every number has a link; for one without, the function returns false and leaves *from and *to
 * unchanged. */
uint64_t meshcast_topology_links(const struct meshcast_topology *topology);
bool meshcast_topology_link(const struct meshcast_topology *topology, uint64_t link, uint32_t *from,
                            uint32_t *to);

/* ---- message sets ---- */

/* Each destination of a message is named once, and a message has at least one. A source may send
 * several messages, and to itself. The command `info` gives the figures of a set; `gen` makes sets
 * from patterns, `import` from files. */
struct meshcast_set;

/* Returns the set in which from[i] sends to to[i] for every i < pairs, in any order; a repeated
 * pair counts once. MESHCAST_USAGE: a node is not in the topology, or there are 2^32 - 1 pairs or
 * more. */
struct meshcast_set *meshcast_set_from_pairs(const struct meshcast_topology *topology,
                                             uint64_t pairs, const uint32_t *from,
                                             const uint32_t *to, struct meshcast_error *error);

/* Returns the set of these messages, in their order: message i goes from source[i] to
 * destination[offset[i]] .. destination[offset[i + 1] - 1], in any order, each once, at least one.
 * offset[0] is 0. If `flits` is not NULL, message i has flits[i] flits (0: no length). A source may
 * send several messages. A set with lengths is only for networks. MESHCAST_USAGE: the text names
 * the wrong message. */
struct meshcast_set *meshcast_set_from_messages(const struct meshcast_topology *topology,
                                                uint32_t messages, const uint32_t *source,
                                                const uint64_t *offset, const uint32_t *destination,
                                                const uint32_t *flits,
                                                struct meshcast_error *error);

/* Reads the file `path` ("-": standard input): a set, as meshcast-set(5), or a file from which
 * `import` makes a set by its defaults. */
struct meshcast_set *meshcast_set_read(const char *path, struct meshcast_error *error);

/* Reads a set from the `length` bytes of such a file, which are not kept; `name` replaces the path
 * in messages. */
struct meshcast_set *meshcast_set_parse(const void *bytes, size_t length, const char *name,
                                        struct meshcast_error *error);

/* Writes the set to `path` ("-": standard output, which the program flushes). The file is renamed
 * to `path` when it is complete. `comment` (may be NULL) becomes lines with a `#`. */
enum meshcast_status meshcast_set_write(const struct meshcast_set *set, const char *path,
                                        const char *comment, struct meshcast_error *error);
void meshcast_set_free(struct meshcast_set *set);

/* Return the set's topology, as "mesh:4x8", and its number of nodes. */
const char *meshcast_set_topology(const struct meshcast_set *set);
uint32_t meshcast_set_nodes(const struct meshcast_set *set);

/* True if routers accept the set: it is on a mesh of two dimensions, and its messages have no
 * lengths. Networks accept every set. */
bool meshcast_set_is_routable(const struct meshcast_set *set);

uint32_t meshcast_set_messages(const struct meshcast_set *set);

/* Returns the destinations of message `index`, 0 .. messages - 1, ascending; sets *source to its
 * source, and *count to their number. Messages are in the order of their sources, or, if a source
 * sends several, of the file. */
const uint32_t *meshcast_set_message(const struct meshcast_set *set, uint32_t index,
                                     uint32_t *source, uint64_t *count);

/* Returns the length of message `index` in flits; 0: the set gives none. */
uint32_t meshcast_set_flits(const struct meshcast_set *set, uint32_t index);

/* ---- routers ---- */

struct meshcast_router;

/* Returns the router of that name; NULL, with MESHCAST_USAGE, if there is none. Not to be freed. */
const struct meshcast_router *meshcast_router_find(const char *name, struct meshcast_error *error);

/* Return its name, its purpose (a line), and its parameters (a line or more each; may be ""). */
const char *meshcast_router_name(const struct meshcast_router *router);
const char *meshcast_router_summary(const struct meshcast_router *router);
const char *meshcast_router_parameters(const struct meshcast_router *router);

/* True if the router can run when the congestion is unknown to the nodes. */
bool meshcast_router_guesses_congestion(const struct meshcast_router *router);

/* An event of the trace: its letter there, and its numbers (doc/model.md, "The trace"). */
struct meshcast_event {
    uint32_t field[3];
    char kind;
};

/* Receives every event of the machine, step by step in the trace's order, from one thread while the
 * others wait, and the step at whose end each phase begins. Steps without events are left out; step
 * 0 may arrive in several calls. */
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
