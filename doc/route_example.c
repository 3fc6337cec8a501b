/* route_example.c - a message set made in memory, routed, and what came of it.
 *
 *     cc route_example.c $(pkg-config --cflags --libs meshcast) && ./a.out
 *
 * On an 8 x 8 mesh each node sends a message to the ends of its own diagonal: the corners.
 */
#include <meshcast.h>

#include <stdio.h>

enum { SIDE = 8, NODES = SIDE * SIDE, CORNERS = 4 };

static struct meshcast_set *make_set(struct meshcast_error *error)
{
    static const uint32_t corner[CORNERS] = {0, SIDE - 1, NODES - SIDE, NODES - 1};
    uint32_t from[NODES * CORNERS], to[NODES * CORNERS];
    for (uint32_t i = 0; i < NODES * CORNERS; i++) {
        from[i] = i / CORNERS;
        to[i] = corner[i % CORNERS];
    }
    return meshcast_set_from_pairs(SIDE, SIDE, NODES * CORNERS, from, to, error);
}

static void print(const struct meshcast_set *set, const struct meshcast_result *result)
{
    printf("c = %u, no router needs less than %u steps (%s)\n",
           (unsigned)meshcast_set_figure(set, MESHCAST_SET_CONGESTION),
           (unsigned)meshcast_set_figure(set, MESHCAST_SET_LOWER_BOUND),
           meshcast_set_lower_bound_kind(set));
    printf("%u steps, %u of them to synchronise, %u packets at a node at most\n",
           (unsigned)meshcast_result_figure(result, MESHCAST_STEPS),
           (unsigned)meshcast_result_figure(result, MESHCAST_SYNC_STEPS),
           (unsigned)meshcast_result_figure(result, MESHCAST_BUFFER_PEAK));
    for (uint32_t i = 0; i < meshcast_result_phases(result); i++) {
        uint64_t steps;
        const char *name = meshcast_result_phase(result, i, &steps);
        printf("  %-30s %6u\n", name, (unsigned)steps);
    }
}

int main(void)
{
    struct meshcast_error error = {0};
    struct meshcast_result *result = NULL;
    struct meshcast_options *options = meshcast_options_new();
    struct meshcast_set *set = make_set(&error);
    const struct meshcast_router *router = meshcast_router_find("replicate", &error);
    if (set != NULL && router != NULL && options != NULL &&
        meshcast_options_set(options, MESHCAST_SEED, 7, &error) == MESHCAST_OK &&
        meshcast_options_set_parameter(options, "variant", "paper", &error) == MESHCAST_OK &&
        meshcast_run(router, set, options, &result, &error) == MESHCAST_OK)
        print(set, result);
    if (error.status != MESHCAST_OK)
        fprintf(stderr, "route_example: %s\n", error.text);
    meshcast_result_free(result);
    meshcast_options_free(options);
    meshcast_set_free(set);
    return (int)error.status;
}
