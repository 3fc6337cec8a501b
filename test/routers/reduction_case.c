/* reduction_case.c - sets and runs for the tests of --reduce. */
#include "test/routers/reduction_case.h"

#include "test/random.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const struct grid REDUCTION_MESHES[REDUCTION_MESH_COUNT] = {
    {8, 8},  {7, 7}, {5, 8}, {12, 9}, {3, 3}, {16, 16}, {1, 11},
    {12, 1}, {1, 2}, {2, 2}, {3, 5},  {1, 1}, {2, 9},   {13, 11}};

struct router_case reduction_case(const char *router)
{
    struct router_case run = router_case_make(router, NULL);
    run.reduces = run.copy_is_free = true;
    return run;
}

void reduction_draw(struct plain_set *set, struct grid mesh, uint32_t l, uint32_t d, uint64_t seed)
{
    uint64_t random = seed + 47;
    uint32_t nodes = grid_nodes(mesh), messages = 0;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    fprintf(out, "mcast 2 mesh %" PRIu32 " %" PRIu32 "\n", mesh.rows, mesh.cols);
    for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t left = node == 0 ? l : test_random_below(&random, l + 1); left > 0; left--) {
            uint32_t first = test_random_below(&random, nodes),
                     count = 1 + test_random_below(&random, d);
            uint32_t stride = 1 + test_random_below(&random, nodes);
            fprintf(out, "%" PRIu32, node);
            for (uint32_t i = 0; i < count && i * stride < nodes; i++)
                fprintf(out, " %" PRIu32, (first + i * stride) % nodes);
            fputc('\n', out);
            messages++;
        }
    fprintf(out, "end %" PRIu32 "\n", messages);
    fclose(out);
    plain_set_parse(set, text);
    free(text);
}

uint32_t reduction_message(const struct plain_set *set, uint32_t name)
{
    for (uint32_t i = 0; i < set->messages; i++)
        if (plain_set_name(set, i) == name)
            return i;
    ck_abort_msg("there is no message %" PRIu32, name);
}
