/* adjacency.h - a graph laid out for those who ask all of its edges: neighbours, members, degrees.
 */
#ifndef MESHCAST_EXPANDERS_ADJACENCY_H
#define MESHCAST_EXPANDERS_ADJACENCY_H

#include "expanders/effort.h"
#include "expanders/expander.h"

/* Neighbours of input u with multiplicity, ascending: edge[u r .. u r + r - 1]. The distinct ones:
 * distinct[u r .. u r + distinct_count[u] - 1]. The inputs of group v, each once, ascending:
 * member[member_start[v] .. member_start[v + 1] - 1]. */
struct adjacency {
    uint32_t inputs, groups, degree; /* p, c, r */
    uint32_t largest_set;            /* floor(c / r): Definition 1 speaks of k <= c / r inputs */
    uint32_t *edge, *distinct, *distinct_count;
    uint32_t *member_start, *member; /* [c + 1], [distinct edges] */
    uint32_t least_load, most_load;  /* edges of a group, with multiplicity */
    uint32_t multi_edges;            /* edges beyond the first between the same two nodes */
    uint32_t multi_inputs;           /* inputs that have such */
    const struct effort *effort;     /* of the caller; NULL until somebody sets it */
};

/* Lays out `graph`, which is only read. FAIL_SYSTEM: no memory. The caller frees. */
enum failure_kind adjacency_make(struct adjacency *adjacency, const struct expander *graph,
                                 struct failure *failure);

/* Frees; a zeroed one is fine. */
void adjacency_free(struct adjacency *adjacency);

/* Counts afresh how many distinct neighbours `count` inputs have together. `mark` is [c], all
 * zero before and after. */
uint32_t adjacency_count_neighbours(const struct adjacency *adjacency, const uint32_t *input,
                                    uint32_t count, uint8_t *mark);

#endif
