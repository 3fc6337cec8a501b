/* drawn_set.c - sets in which nodes send several messages, drawn: sources in any order, destinations uniform. */
#include "test/routers/drawn_set.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static uint32_t draw_messages(struct pcg32 *random, enum drawn_kind kind, uint32_t l)
{
    if (kind == ALL_MANY)
        return l;
    if (kind == SOME_MANY)
        return pcg32_below(random, l + 1);
    return pcg32_below(random, 5) == 0 ? l : 1;
}

uint64_t drawn_set_destinations(struct pcg32 *random, uint32_t nodes, uint32_t most,
                                node_index *destination)
{
    uint32_t wanted = 1 + pcg32_below(random, most < nodes ? most : nodes);
    uint64_t count = 0;
    for (uint32_t i = 0; i < wanted; i++)
        destination[i] = pcg32_below(random, nodes);
    sort_u32(destination, wanted);
    for (uint32_t i = 0; i < wanted; i++)
        if (count == 0 || destination[count - 1] != destination[i])
            destination[count++] = destination[i];
    return count;
}

void drawn_set_make(struct message_set *set, struct mesh mesh, enum drawn_kind kind, uint32_t l,
                    uint32_t d, uint64_t seed)
{
    struct pcg32 random = pcg32_seed(seed, 45);
    uint32_t nodes = mesh_nodes(mesh), messages = 0;
    node_index *source = malloc((size_t)nodes * l * sizeof *source);
    node_index *destination = malloc(((size_t)nodes * l + 1) * d * sizeof *destination);
    uint64_t *offset = malloc(((size_t)nodes * l + 1) * sizeof *offset);
    ck_assert(source != NULL && destination != NULL && offset != NULL);
    for (node_index node = 0; node < nodes; node++)
        for (uint32_t left = draw_messages(&random, kind, l); left > 0; left--)
            source[messages++] = node;
    offset[0] = 0;
    for (uint32_t i = 0; i < messages; i++) {
        uint32_t other = i + pcg32_below(&random, messages - i);
        node_index first = source[other];
        source[other] = source[i];
        source[i] = first;
        offset[i + 1] =
            offset[i] + drawn_set_destinations(&random, nodes, d, destination + offset[i]);
    }
    ck_assert_int_eq(
        message_set_allocate(set, shape_of_mesh(mesh), messages, offset[messages], NULL),
        FAIL_NONE);
    memcpy(set->source, source, messages * sizeof *source);
    memcpy(set->offset, offset, (messages + (size_t)1) * sizeof *offset);
    memcpy(set->destination, destination, offset[messages] * sizeof *destination);
    ck_assert_int_eq(message_set_fit_machine(set, "drawn", NULL), FAIL_NONE);
    free(source);
    free(destination);
    free(offset);
}
