/* meshcast_topology.h - meshes and tori of 1 to 8 dimensions, graphs, and message sets on them, for
 * programs.
 *
 * Routers take sets on meshes of two dimensions (meshcast.h); plans, networks and loads take sets on every
 * topology. Nodes are row-major indices from 0, the last size that a text names being the fastest. The
 * error rule, ownership and threads are those of meshcast.h.
 */
#ifndef MESHCAST_TOPOLOGY_H
#define MESHCAST_TOPOLOGY_H

#include "meshcast.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* ---- topologies ---- */

struct meshcast_topology;

/* "mesh:64x64", "torus:8x8x8", or "graph:FILE", a list of edges in which i and i + 1 are joined.
 * MESHCAST_USAGE: no such text, or more than 2^26 nodes. MESHCAST_INPUT: the file is no such list. */
struct meshcast_topology *meshcast_topology_parse(const char *text, struct meshcast_error *error);

/* The graph with the edges from[i] - to[i], each in either direction or both; the nodes are 0 .. the
 * largest that is named. MESHCAST_INPUT: as of a file, whose lines are the edges from 1. */
struct meshcast_topology *meshcast_topology_from_edges(uint64_t edges, const uint32_t *from,
                                                       const uint32_t *to,
                                                       struct meshcast_error *error);
void meshcast_topology_free(struct meshcast_topology *topology);

/* "mesh:4x8", "torus:8x8x8", "graph:1000" (its nodes). */
const char *meshcast_topology_text(const struct meshcast_topology *topology);
uint32_t meshcast_topology_nodes(const struct meshcast_topology *topology);

/* Links are directed and numbered 0 .. links - 1, in the order of the nodes that send on them. Not every
 * number is a link: false, and *from and *to are as they were. */
uint64_t meshcast_topology_links(const struct meshcast_topology *topology);
bool meshcast_topology_link(const struct meshcast_topology *topology, uint64_t link, uint32_t *from,
                            uint32_t *to);

/* ---- sets on every topology ---- */

/* Reads the file `path` ("-": standard input) whatever its topology. A set that no router can take is for
 * plans, networks and loads alone: MESHCAST_SET_ROWS and the figures of bounds are 0, and meshcast_run()
 * refuses it. */
struct meshcast_set *meshcast_set_read_any(const char *path, struct meshcast_error *error);

/* The same from `length` bytes, which are not kept; `name` stands for the path in messages. */
struct meshcast_set *meshcast_set_parse_any(const void *bytes, size_t length, const char *name,
                                            struct meshcast_error *error);

/* The set of so many messages, in their order: message i goes from source[i] to destination[offset[i]] ..
 * destination[offset[i + 1] - 1], in any order, each once, at least one; it has flits[i] flits (0: not
 * said), where `flits` is not NULL. offset[0] is 0. A source may send several messages. With lengths the
 * set is for networks alone. MESHCAST_USAGE: the text names the message that is wrong. */
struct meshcast_set *meshcast_set_from_messages(const struct meshcast_topology *topology,
                                                uint32_t messages, const uint32_t *source,
                                                const uint64_t *offset, const uint32_t *destination,
                                                const uint32_t *flits,
                                                struct meshcast_error *error);

/* As meshcast_set_from_pairs() on any topology. MESHCAST_USAGE: a node that it has not, or 2^32 - 1 pairs or more. */
struct meshcast_set *meshcast_set_from_pairs_on(const struct meshcast_topology *topology,
                                                uint64_t pairs, const uint32_t *from,
                                                const uint32_t *to, struct meshcast_error *error);

/* As meshcast_set_generate() on any topology that the pattern can be had on; rows and cols of the plan are
 * ignored. */
struct meshcast_set *meshcast_set_generate_on(const struct meshcast_topology *topology,
                                              const struct meshcast_generate *plan,
                                              struct meshcast_error *error);

/* As meshcast_set_import() with `per_node` consecutive items (indices, vertices, tokens) a node, or with
 * those that the file `part` names, a line an item; one of the two, 0 or NULL being neither. */
struct meshcast_set *meshcast_set_import_many(const char *path, const struct meshcast_import *how,
                                              uint32_t per_node, const char *part,
                                              struct meshcast_error *error);

/* How long messages are, for networks; a zeroed one changes nothing. A message with bytes has a header flit and as many as
 * the bytes fill, at most 2^24. */
struct meshcast_volume {
    /* ignore (or NULL), flits, bytes: what the weights of a file or of entries are, which are integers above 0. Entries of
     * a column with the same weight are one message; weights of an entry that comes again add. */
    const char *weights;
    uint32_t bytes;      /* of each message, above 0; 0: not given */
    uint32_t flit_bytes; /* bytes per flit; 0: not given */
    /* none (or NULL); destinations: messages of one node with the same destinations become one; pairs: all that goes from
     * one node to another does. Their bytes or flits add, 1 where there is no length. */
    const char *pack;
    const uint32_t *entry_weight; /* [entries], for meshcast_set_from_entries() with weights */
};

/* A copy of a set with lengths that follow from bytes, and packed; `weights` is not used. MESHCAST_USAGE: bytes without
 * flit_bytes or the other way round, no such word, or a message that is too long. */
struct meshcast_set *meshcast_set_with_volume(const struct meshcast_set *set,
                                              const struct meshcast_volume *volume,
                                              struct meshcast_error *error);

/* "mesh:4x8", ..: where the set is; and its nodes. */
const char *meshcast_set_topology(const struct meshcast_set *set);
uint32_t meshcast_set_nodes(const struct meshcast_set *set);

/* The length of message `index` in flits as the set says it; 0: it does not. */
uint32_t meshcast_set_flits(const struct meshcast_set *set, uint32_t index);

/* Whether routers take the set. */
bool meshcast_set_is_routable(const struct meshcast_set *set);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
