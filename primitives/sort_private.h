/* sort_private.h - a sort under way, as the methods share it. For primitives/sort*.c only. */
#ifndef MESHCAST_PRIMITIVES_SORT_PRIVATE_H
#define MESHCAST_PRIMITIVES_SORT_PRIVATE_H

#include "primitives/sort.h"

enum { SORT_LEVELS = 17 }; /* halvings of MESH_MAX_SIDE down to single nodes, and one more */

/* An axis of the mesh cut into the tiles, their halves, their quarters, .. */
struct cuts {
    uint32_t intervals;
    uint32_t *cut;    /* [intervals + 1]; intervals may be empty */
    uint32_t longest; /* length of an interval */
};
struct halvings {
    uint32_t length;
    struct cuts level[SORT_LEVELS]; /* level 0: the tiles */
};

/* A sort under way, or the count of its steps. The method's rows are lines of the mesh's rows, or
 * of its columns in column-major order; `down` is the axis along the method's columns, `across`
 * the one along its rows. */
struct sorting {
    sort_actor *actor; /* NULL: steps are counted only */
    void *context;     /* the actor's */
    const struct sort_plan *plan;
    struct halvings down, across;
    bool is_paired;        /* rows are paired: what follows counts cells, not nodes */
    bool is_in_order;      /* the method has left the tiles in snake order */
    uint8_t *line_flag;    /* [down.length] */
    uint8_t *segment_flag; /* [intervals of across]: 0, 1, 0, 1, .. */
    uint8_t *odd;          /* [intervals of down] */
    uint32_t *offset;      /* [down.length]: of a row from the start of its interval; its pattern */
    uint32_t *target;      /* of permutations; made by SORT_DEAL */
    uint64_t steps;
    enum failure_kind kind;
    struct failure *failure;
};

/* The method's rows, or columns, cut into intervals. */
struct lines sorting_lines(const struct sorting *sorting, bool columns, const struct cuts *cuts);

/* Compares along the columns of the intervals of `cuts`; with `merges` the first step compares the
 * two nodes where an interval's halves meet. Paired, it takes one step more: lines of second cells
 * begin with the other parity. (A comparison of neighbours too many never harms: what sorts an
 * input sorts it still.) */
void sorting_columns(struct sorting *sorting, const struct cuts *cuts, uint32_t steps, bool merges);

/* Sorts the rows within tiles of a level: the first of each tile ascending, the second descending,
 * .. Paired, only on level 0 or where all widths of the level are even. */
void sorting_snake_rows(struct sorting *sorting, uint32_t level);

/* Whether the quadrants of the tiles of a level have at most one dirty row, as its merge expects;
 * else their columns are not sorted. */
bool sorting_is_merged(const struct sorting *sorting, uint32_t level);

/* Merges the quadrants of the tiles of a level, with rotated rows (sort_merge.c). */
void sorting_merge_level(struct sorting *sorting, uint32_t level);

/* The next instruction; SORT_COMPARE is the most frequent. */
void sorting_act(struct sorting *sorting, struct sort_act act);
void sorting_compare(struct sorting *sorting, struct compare compare);

/* The longer half of a length. */
static inline uint32_t first_half(uint32_t length)
{
    return (length + 1) / 2;
}

/* The methods; SORT_PAIRS and SORT_DEAL leave rows paired. */
void sorting_by_merges(struct sorting *sorting);
void sorting_by_shears(struct sorting *sorting);
void sorting_by_pairs(struct sorting *sorting);
void sorting_by_deals(struct sorting *sorting);

/* Packets walk into the middle halves of the rows, two a node, and back. */
void sorting_pair(struct sorting *sorting);
void sorting_unpair(struct sorting *sorting);

#endif
