/* radix_sort.h - sorting of 64-bit words in linear time. */
#ifndef MESHCAST_WORKLOADS_RADIX_SORT_H
#define MESHCAST_WORKLOADS_RADIX_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts word[0 .. count-1] ascending. False, with the words unchanged, if there is no memory for a
 * copy of them. */
bool radix_sort(uint64_t *word, size_t count);

/* Does the same by the bits from `first_bit` (0 to 63) on; words that agree in these keep their
 * order. */
bool radix_sort_from(uint64_t *word, size_t count, unsigned first_bit);

/* Sorts, then removes repeats: *count becomes the number of distinct words. */
bool radix_sort_distinct(uint64_t *word, size_t *count);

#endif
