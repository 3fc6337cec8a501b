/* network_part.c - memory for parts: a pool that grows and never shrinks.
 *
 * A part is one line of the cache, so its pool begins on one.
 */
#include "network/network_steps_private.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ITEMS = 64, LINE = 64 };

static_assert(sizeof(struct part) == LINE, "a part is a line of the cache");

static bool grow_parts(struct band *band)
{
    uint32_t parts = band->parts_allocated == 0 ? FIRST_ITEMS : band->parts_allocated * 2;
    char *block = parts > band->parts_allocated ? memory_allocate((size_t)parts + 1, LINE) : NULL;
    if (block == NULL)
        return false;
    struct part *part = (void *)(((uintptr_t)block + LINE - 1) / LINE * LINE);
    if (band->parts > 0)
        memcpy(part, band->part, band->parts * sizeof *part);
    free(band->part_block);
    band->part_block = block;
    band->part = part;
    band->parts_allocated = parts;
    return true;
}

uint32_t part_add(struct band *band)
{
    if (band->parts == band->parts_allocated && !grow_parts(band)) {
        band->is_out_of_memory = true;
        return NONE;
    }
    return band->parts++;
}

void part_free_outputs(struct part *part)
{
    free(part->way.many);
}

bool part_make_outputs(struct part *part, uint32_t count)
{
    if (count > 1) {
        struct output *many = memory_allocate(count, sizeof *many);
        if (many == NULL)
            return false;
        part->way.many = many;
    }
    part->outputs = (uint16_t)count;
    return true;
}
