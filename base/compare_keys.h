/* compare_keys.h - the order of keys, for qsort(). */
#ifndef MESHCAST_BASE_COMPARE_KEYS_H
#define MESHCAST_BASE_COMPARE_KEYS_H

#include <stdint.h>

/* Compares two whole numbers of type uint64_t: smaller ones come first. */
static inline int compare_keys(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

#endif
