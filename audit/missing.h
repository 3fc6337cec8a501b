/* missing.h - links that a broken mesh lacks, for replays: no event may use one. */
#ifndef MESHCAST_AUDIT_MISSING_H
#define MESHCAST_AUDIT_MISSING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Directed links as numbers that ascend: the sending node times 2^32, plus the receiving one. */
struct audit_missing {
    const uint64_t *link;
    size_t count;
};

/* True if the link from one node to another is among them; NULL: none is. */
static inline bool audit_is_missing(const struct audit_missing *missing, uint32_t from, uint32_t to)
{
    uint64_t wanted = (uint64_t)from << 32 | to;
    size_t low = 0, high = missing == NULL ? 0 : missing->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (missing->link[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return missing != NULL && low < missing->count && missing->link[low] == wanted;
}

#endif
