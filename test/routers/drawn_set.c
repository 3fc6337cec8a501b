/* drawn_set.c - sets in which nodes send several messages, drawn: sources in any order,
 * destinations uniform. */
#include "test/routers/drawn_set.h"

#include <check.h>
#include <stdlib.h>

static uint32_t draw_messages(uint64_t *random, enum drawn_kind kind, uint32_t l)
{
    if (kind == ALL_MANY)
        return l;
    if (kind == SOME_MANY)
        return test_random_below(random, l + 1);
    return test_random_below(random, 5) == 0 ? l : 1;
}

static int compare_nodes(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

uint64_t drawn_set_destinations(uint64_t *random, uint32_t nodes, uint32_t most,
                                uint32_t *destination)
{
    uint32_t wanted = 1 + test_random_below(random, most < nodes ? most : nodes);
    uint64_t count = 0;
    for (uint32_t i = 0; i < wanted; i++)
        destination[i] = test_random_below(random, nodes);
    qsort(destination, wanted, sizeof *destination, compare_nodes);
    for (uint32_t i = 0; i < wanted; i++)
        if (count == 0 || destination[count - 1] != destination[i])
            destination[count++] = destination[i];
    return count;
}

void drawn_set_make(struct plain_set *set, struct grid mesh, enum drawn_kind kind, uint32_t l,
                    uint32_t d, uint64_t seed)
{
    uint64_t random = seed + 45;
    uint32_t nodes = grid_nodes(mesh), messages = 0;
    uint32_t *source = malloc((size_t)nodes * l * sizeof *source);
    uint32_t *destination = malloc(((size_t)nodes * l + 1) * d * sizeof *destination);
    uint64_t *offset = malloc(((size_t)nodes * l + 1) * sizeof *offset);
    ck_assert(source != NULL && destination != NULL && offset != NULL);
    for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t left = draw_messages(&random, kind, l); left > 0; left--)
            source[messages++] = node;
    offset[0] = 0;
    for (uint32_t i = 0; i < messages; i++) {
        uint32_t other = i + test_random_below(&random, messages - i);
        uint32_t first = source[other];
        source[other] = source[i];
        source[i] = first;
        offset[i + 1] =
            offset[i] + drawn_set_destinations(&random, nodes, d, destination + offset[i]);
    }
    plain_set_make(set, mesh, messages, source, offset, destination);
    free(source);
    free(destination);
    free(offset);
}
