/* extremes.h - the lesser and the larger of two whole numbers, and how far they are apart. */
#ifndef MESHCAST_BASE_EXTREMES_H
#define MESHCAST_BASE_EXTREMES_H

#include <stdint.h>

static inline uint32_t lesser(uint32_t one, uint32_t other)
{
    return one < other ? one : other;
}

static inline uint32_t larger(uint32_t one, uint32_t other)
{
    return one > other ? one : other;
}

static inline uint32_t difference(uint32_t one, uint32_t other)
{
    return one > other ? one - other : other - one;
}

static inline uint64_t lesser_wide(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static inline uint64_t larger_wide(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

#endif
