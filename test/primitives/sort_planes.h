/* sort_planes.h - a sort's instructions carried out on zeros and ones, 64 inputs a word.
 *
 * Nothing of the machine is used: what an instruction does to cells is written again here, plainly.
 * By the 0-1 principle a list of comparisons and fixed permutations that sorts all zeros and ones
 * sorts everything.
 */
#ifndef MESHCAST_TEST_PRIMITIVES_SORT_PLANES_H
#define MESHCAST_TEST_PRIMITIVES_SORT_PLANES_H

#include "primitives/sort.h"

#include <stdbool.h>
#include <stdint.h>

/* A tile and its inputs. */
struct sort_planes {
    uint32_t rows, cols, words;
    uint64_t *bit; /* [cell][words]: bit i of word w is input 64 w + i */
    bool is_paired, are_columns;
    /* how many comparisons each instruction of this kind leaves out: tests of the tests */
    uint32_t fewer_columns, fewer_snakes;
    uint32_t *dealt_to; /* [cell]: where the last deal took it */
};

/* All zero. The caller frees. */
void sort_planes_make(struct sort_planes *planes, uint32_t rows, uint32_t cols, uint32_t words);
void sort_planes_free(struct sort_planes *planes);

static inline uint64_t *sort_planes_at(const struct sort_planes *planes, uint32_t cell)
{
    return planes->bit + (size_t)cell * planes->words;
}

/* Sorts all inputs as a sort does a tile of these sides; returns the steps. */
uint64_t sort_planes_run(struct sort_planes *planes);

/* The cell that is number `number` along the snake of a tile of cols columns at a corner. */
uint32_t sort_planes_snake(const struct sort_planes *planes, uint32_t corner, uint32_t cols,
                           uint32_t number);

/* How many inputs are not in the order of the snake. */
uint64_t sort_planes_unsorted(const struct sort_planes *planes);

#endif
