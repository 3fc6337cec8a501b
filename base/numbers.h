/* numbers.h - whole numbers: minimum, maximum, distance, order, hashes. */
#ifndef MESHCAST_BASE_NUMBERS_H
#define MESHCAST_BASE_NUMBERS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static inline uint32_t min_u32(uint32_t one, uint32_t other)
{
    return one < other ? one : other;
}

static inline uint32_t max_u32(uint32_t one, uint32_t other)
{
    return one > other ? one : other;
}

static inline uint32_t difference(uint32_t one, uint32_t other)
{
    return one > other ? one - other : other - one;
}

static inline uint64_t min_u64(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static inline uint64_t max_u64(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* Returns one / other, rounded up. */
static inline uint64_t divide_up(uint64_t one, uint64_t other)
{
    return one / other + (one % other != 0);
}

/* Returns the greatest common divisor of two numbers, one of which may be 0. */
static inline uint32_t common_divisor(uint32_t one, uint32_t other)
{
    while (other != 0) {
        uint32_t rest = one % other;
        one = other;
        other = rest;
    }
    return one;
}

/* Compare two numbers, for qsort(): smaller ones first. */
static inline int compare_u32(const void *one, const void *other)
{
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

static inline int compare_u64(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

/* Sort ascending. Short lists, as most lists of destinations, are sorted by insertion, since a call
 * of qsort() lasts longer. */
enum { SORT_SHORT = 24 };

static inline void sort_u32(uint32_t *word, size_t count)
{
    if (count > SORT_SHORT) {
        qsort(word, count, sizeof *word, compare_u32);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        uint32_t moving = word[i];
        size_t hole = i;
        for (; hole > 0 && word[hole - 1] > moving; hole--)
            word[hole] = word[hole - 1];
        word[hole] = moving;
    }
}

static inline void sort_u64(uint64_t *word, size_t count)
{
    if (count > SORT_SHORT) {
        qsort(word, count, sizeof *word, compare_u64);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        uint64_t moving = word[i];
        size_t hole = i;
        for (; hole > 0 && word[hole - 1] > moving; hole--)
            word[hole] = word[hole - 1];
        word[hole] = moving;
    }
}

/* FNV-1a over the bytes of numbers, the lowest first: the same hash on every machine. */
#define FNV_BEGIN UINT64_C(14695981039346656037)

static inline uint64_t fnv_add(uint64_t hash, uint64_t number)
{
    for (int i = 0; i < 8; i++, number >>= 8)
        hash = (hash ^ (number & 0xff)) * UINT64_C(1099511628211);
    return hash;
}

#endif
