/* pattern_private.h - the common part of the patterns: their rows, and their random choices.
 *
 * Every maker gets options in which degree and congestion are set and are in 1 .. n (those of a
 * pattern with `makes_all`: in 1 .. per_node n), the needed inputs are there, per_node is 1 or
 * more, the shape is one of the pattern's domain, and the mesh holds the n nodes in rows and
 * columns (1 x n if there are not two dimensions). It draws its random values from pcg32(seed, its
 * own stream), and returns a set that keeps its contract.
 */
#ifndef MESHCAST_WORKLOADS_PATTERN_PRIVATE_H
#define MESHCAST_WORKLOADS_PATTERN_PRIVATE_H

#include "base/pcg.h"
#include "workloads/pattern.h"

/* The stream of each pattern; these numbers never change, so that old sets can be made again. */
enum pattern_stream {
    STREAM_PERMUTATION = 0x70617401,
    STREAM_UNIFORM,
    STREAM_WORST,
    STREAM_HOTSPOT,
    STREAM_BLOCK,
    STREAM_BROADCAST,
    STREAM_RMAT,
    STREAM_COLUMN,
    STREAM_MOE,
    STREAM_SCAN,
    STREAM_LAYERS,
    STREAM_POPULATIONS,
};

/* A degree or a congestion without a limit of its own. */
enum { PATTERN_NO_LIMIT = MESH_MAX_NODES };

typedef enum failure_kind pattern_make(const struct pattern_options *options,
                                       struct message_set *set, struct failure *failure);

pattern_make pattern_permutation, pattern_transpose, pattern_bitreverse, pattern_uniform,
    pattern_worst, pattern_hotspot, pattern_block, pattern_broadcast, pattern_rmat,
    pattern_adversary, pattern_column, pattern_turning, pattern_scan, pattern_moe,
    pattern_allgather, pattern_alltoall, pattern_reducescatter, pattern_allreduce,
    pattern_populations;

/* A row of the table (workloads/pattern.c). */
struct pattern_row {
    struct pattern pattern;      /* first, so that a pointer to it is one to the row */
    uint32_t degree, congestion; /* the defaults, before clipping */
    bool makes_all;              /* the maker itself makes per_node messages per node */
    bool paired;                 /* if only one of the two is given, the other equals it */
    pattern_make *make;
};

/* A list of (source, destination) pairs that a maker fills. */
struct pair_list {
    uint64_t pairs;
    node_index *from, *to;
};

/* Makes room for at most `room` pairs; none is in the list yet. FAIL_USAGE: 2^32 - 1 or more;
 * FAIL_SYSTEM: no memory, or the caller had none for its own arrays. pair_list_close() in either
 * case. */
enum failure_kind pair_list_open(struct pair_list *list, uint64_t room, bool has_arrays,
                                 struct failure *failure);

static inline void pair_list_add(struct pair_list *list, node_index from, node_index to)
{
    list->from[list->pairs] = from;
    list->to[list->pairs++] = to;
}

/* Makes the set of the pairs (none twice, or counted once) unless `kind` says that something has
 * failed, and frees the list. Returns the kind of the failure, if any. */
enum failure_kind pair_list_close(struct pair_list *list, enum failure_kind kind,
                                  struct shape shape, struct message_set *set,
                                  struct failure *failure);

/* Returns the numbers 0 .. count-1 in random order, or NULL for want of memory. The caller
 * frees. */
uint32_t *shuffled_numbers(struct pcg32 *random, uint32_t count);

/* Puts `chosen` random ones of the `count` numbers at the front, in random order. */
void shuffle_front(struct pcg32 *random, uint32_t *number, uint32_t count, uint32_t chosen);

/* Returns the largest whole number whose square is at most `square`. */
uint32_t whole_root(uint64_t square);

/* Returns the side of Theorem 1's square A: floor(sqrt(n / (c + 1))), at least 1, at most each
 * side. */
uint32_t theorem1_side(struct mesh mesh, uint32_t congestion);

/* A deal: each of `messages` messages gets `degree` distinct places of 0 .. places-1, and each
 * place is used at most `congestion` times. degree <= places, and messages * degree <= places *
 * min(congestion, messages), so that it is possible; it is then done exactly. */
struct deal {
    uint32_t places, messages, degree, congestion;
};

/* Deals at random; message i's places are place[i * degree ..], in any order. FAIL_SYSTEM: no
 * memory. */
enum failure_kind deal_places(const struct deal *deal, struct pcg32 *random, uint32_t *place,
                              struct failure *failure);

#endif
