/* tree_use.h - what the multicast trees of a run ask of routers with tables, and of links: an observer of the run.
 *
 * Were the trees static, a node would find in its table, by the message's number, to which links and whether to the node
 * itself a packet goes. It needs no entry for a message whose packets only go straight on: from one link to the
 * opposite one. Entries with the same outputs are equal; merging all of them is the most that any scheme of masks can do.
 */
#ifndef MESHCAST_LIBRARY_TREE_USE_H
#define MESHCAST_LIBRARY_TREE_USE_H

#include "base/failure.h"
#include "machine/machine.h"

#include <stdbool.h>
#include <stdint.h>

struct tree_use {
    struct mesh mesh;
    uint32_t *message;         /* [packet]: of the packets that live */
    uint32_t packets;          /* that `message` has room for */
    uint64_t *load;            /* [node * DIRECTIONS + direction]: packets over that link */
    uint64_t *key, keys, room; /* node, message, and in which way the message uses the node */
    bool is_short;             /* no memory for all */
    struct machine_observer observer; /* for the run's options */
};

/* Makes `use`, which must not be moved until tree_use_free(): its observer points to it. FAIL_SYSTEM: no memory. */
enum failure_kind tree_use_make(struct tree_use *use, struct mesh mesh, struct failure *failure);
void tree_use_free(struct tree_use *use);

/* When the run is over, before what follows. FAIL_SYSTEM: there was no memory for all. */
enum failure_kind tree_use_finish(struct tree_use *use, struct failure *failure);

/* Of all nodes the most entries, and the sum; the same with equal ones merged. */
struct tree_tables {
    uint64_t entries, merged;          /* sums */
    uint32_t most, most_merged;        /* at one node */
    node_index most_node, merged_node; /* the first of these */
    uint32_t over, over_merged;        /* nodes with more than the limit; 0 where there is none */
    uint32_t messages; /* the most that come to one node: no fewer colours are enough */
    uint32_t
        colours; /* of messages, those that come to one node being different: greedily, by number */
};

/* `table_limit` 0: none. FAIL_SYSTEM: no memory. */
enum failure_kind tree_use_tables(const struct tree_use *use, uint32_t table_limit,
                                  struct tree_tables *tables, struct failure *failure);

/* A directed link. */
struct tree_link {
    node_index from, to;
    uint64_t packets;
    uint32_t messages;
    uint32_t *message; /* [messages], ascending: their numbers */
};

/* The busiest `count` links, of equal ones those from lower nodes first; returns how many there are that carry anything.
 * Each has a list to be freed by tree_links_free(). FAIL_SYSTEM: no memory, nothing to free. */
enum failure_kind tree_use_links(const struct tree_use *use, uint32_t count, struct tree_link *link,
                                 uint32_t *found, struct failure *failure);
void tree_links_free(struct tree_link *link, uint32_t count);

#endif
