/* matching.c - a perfect matching of least weight, by the Hungarian method with shortest augmenting
 * paths.
 *
 * Method: rows enter one after the other. A row that enters grows a tree of shortest alternating
 * paths, by reduced costs, to the first column that is free, and the matching is exchanged along
 * that path. Potentials keep reduced costs (cost - of its row - of its column) from being negative,
 * and matched edges at 0; so each matching is of least weight among those of its rows. Of several
 * nearest columns the one with the smallest number is taken.
 * Cost: O(n^3) time, 32 bytes per row beside the costs.
 * Source: H. Kuhn, 1955; J. Edmonds, R. Karp, 1972 (shortest augmenting paths).
 */
#include "network/schemes/matching.h"

#include <assert.h>
#include <string.h>

enum { NONE = UINT32_MAX };

struct search {
    const uint32_t *cost;
    uint32_t size;
    int64_t *of_row, *of_column; /* potentials */
    int64_t *distance;           /* of each column, from the row that enters */
    uint32_t *row;               /* matched with each column; NONE */
    uint32_t *before;            /* the row before each column on its shortest path */
    uint32_t *left;              /* columns that are not in the tree, ascending */
};

/* Shortens distances of columns over `row`, which is at `distance`; returns the place in left[] of
 * the nearest one. */
static uint32_t reach(struct search *search, uint32_t row, int64_t distance, uint32_t left)
{
    const uint32_t *cost = search->cost + (size_t)row * search->size;
    int64_t base = distance - search->of_row[row], least = INT64_MAX;
    uint32_t nearest = NONE;
    for (uint32_t i = 0; i < left; i++) {
        uint32_t column = search->left[i];
        int64_t reached = base + cost[column] - search->of_column[column];
        if (cost[column] != MATCHING_FORBIDDEN && reached < search->distance[column]) {
            search->distance[column] = reached;
            search->before[column] = row;
        }
        if (search->distance[column] < least) {
            least = search->distance[column];
            nearest = i;
        }
    }
    assert(nearest != NONE); /* there is a perfect matching */
    return nearest;
}

/* Matches one more row. */
static void enter(struct search *search, uint32_t entering, uint32_t *column_of)
{
    uint32_t left = search->size, row = entering, column;
    int64_t distance = 0;
    for (uint32_t i = 0; i < search->size; i++) {
        search->left[i] = i;
        search->distance[i] = INT64_MAX;
    }
    for (;;) {
        uint32_t place = reach(search, row, distance, left);
        column = search->left[place];
        distance = search->distance[column];
        if (search->row[column] == NONE)
            break;
        row = search->row[column];
        for (left--; place < left; place++)
            search->left[place] = search->left[place + 1];
    }
    /* Columns of the tree are nearer than the free one: they and their rows take the difference */
    search->of_row[entering] += distance;
    for (uint32_t i = 0; i < search->size; i++) {
        if (search->distance[i] >= distance)
            continue;
        search->of_column[i] -= distance - search->distance[i];
        search->of_row[search->row[i]] += distance - search->distance[i];
    }
    do {
        uint32_t next;
        row = search->before[column];
        next = column_of[row];
        column_of[row] = column;
        search->row[column] = row;
        column = next;
    } while (row != entering);
}

bool matching_find(struct plan *plan, const uint32_t *cost, uint32_t size, uint32_t *column,
                   int64_t *potential)
{
    struct search search = {.cost = cost, .size = size};
    int64_t *sums = plan_scratch(plan, size, 3 * sizeof *sums);
    uint32_t *places = plan_scratch(plan, size, 3 * sizeof *places);
    if (plan->lacks_memory)
        return false;
    search.of_row = sums;
    search.of_column = sums + size;
    search.distance = sums + (size_t)2 * size;
    search.row = places;
    search.before = places + size;
    search.left = places + (size_t)2 * size;
    for (uint32_t i = 0; i < size; i++)
        search.row[i] = column[i] = NONE;
    for (uint32_t row = 0; row < size; row++)
        enter(&search, row, column);
    if (potential != NULL)
        memcpy(potential, sums, 2 * (size_t)size * sizeof *potential);
    return true;
}
