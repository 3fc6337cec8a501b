/* keyed_permutation.h - permutations that look random and that every node computes for itself. */
#ifndef MESHCAST_PRIMITIVES_KEYED_PERMUTATION_H
#define MESHCAST_PRIMITIVES_KEYED_PERMUTATION_H

#include <stdint.h>

enum { KEYED_ROUNDS = 8 };

/* A permutation of 0 .. size-1: O(1) words, the same at every node. */
struct keyed_permutation {
    uint64_t key[KEYED_ROUNDS];
    uint32_t size, width; /* the indices below width * width >= size, as pairs */
};

/* The permutation of (seed, stream) on 0 .. size-1, size at least 1. */
struct keyed_permutation keyed_permutation_make(uint64_t seed, uint64_t stream, uint32_t size);

/* The image of `index`, below size; O(1) expected. */
uint32_t keyed_permutation_at(const struct keyed_permutation *permutation, uint32_t index);

#endif
