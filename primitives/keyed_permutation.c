/* keyed_permutation.c - a Feistel network on pairs, with cycle walking.
 *
 * An index is a pair (x, y) of numbers below w = ceil(sqrt(size)). A round adds a keyed hash of one
 * to the other, modulo w, and the two take turns: each round is a bijection of the w * w pairs,
 * whatever the hash. An image that is no index, size or more, is mapped
 * again until it is one (cycle walking), which keeps the map a bijection; as w * w <= size + 2 w,
 * that is rarely needed beyond sizes of a few hundred.
 * The hash is the finaliser of SplitMix64 (Steele, Lea and Flood 2014) on the key and the number.
 * A table shuffled by one place would be knowledge that no node has (doc/model.md); these are
 * KEYED_ROUNDS words that each node makes from the seed.
 * Source: Luby and Rackoff 1988 (Feistel rounds); Black and Rogaway 2002 (cycle walking).
 */
#include "primitives/keyed_permutation.h"

#include "base/pcg.h"

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

/* What round `round` adds, below the width. */
static uint32_t addend(const struct keyed_permutation *permutation, int round, uint32_t value)
{
    uint64_t hash = mix(permutation->key[round] + (value + 1) * UINT64_C(0x9e3779b97f4a7c15));
    return (uint32_t)((hash >> 32) * permutation->width >> 32);
}

struct keyed_permutation keyed_permutation_make(uint64_t seed, uint64_t stream, uint32_t size)
{
    struct keyed_permutation permutation = {.size = size, .width = 1};
    struct pcg32 random = pcg32_seed(seed, stream);
    while ((uint64_t)permutation.width * permutation.width < size)
        permutation.width++;
    for (int round = 0; round < KEYED_ROUNDS; round++) {
        uint64_t high = pcg32_next(&random);
        permutation.key[round] = high << 32 | pcg32_next(&random);
    }
    return permutation;
}

uint32_t keyed_permutation_at(const struct keyed_permutation *permutation, uint32_t index)
{
    uint32_t width = permutation->width;
    do {
        uint32_t half[2] = {index / width, index % width};
        for (int round = 0; round < KEYED_ROUNDS; round++) {
            uint32_t *changed = &half[round % 2];
            *changed = (*changed + addend(permutation, round, half[1 - round % 2])) % width;
        }
        index = half[0] * width + half[1];
    } while (index >= permutation->size);
    return index;
}
