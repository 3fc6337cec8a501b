/* fnv.h - hashes of numbers: FNV-1a over their bytes, the lowest first, the same on every machine. */
#ifndef MESHCAST_BASE_FNV_H
#define MESHCAST_BASE_FNV_H

#include <stdint.h>

#define FNV_BEGIN UINT64_C(14695981039346656037)

static inline uint64_t fnv_add(uint64_t hash, uint64_t number)
{
    for (int i = 0; i < 8; i++, number >>= 8)
        hash = (hash ^ (number & 0xff)) * UINT64_C(1099511628211);
    return hash;
}

#endif
