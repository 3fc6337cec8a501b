/* test_own_router_kernels.c - kernels that users' routers begin where these may not: each ends with
 * a status and a text that names the fault.
 */
#include "test/library/own_router_case.h"

#include <check.h>

Suite *own_router_kernels_suite(void);

static enum meshcast_status sorts_under_way(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    meshcast_forward_for(routing, &right_rule, "a step", 1);
    return meshcast_sort(routing, "sort", 1);
}

static enum meshcast_status no_tiles(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    return meshcast_sort(routing, "sort", 0);
}

static enum meshcast_status one_target(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    return meshcast_route_packets(routing, "route", 1, 1);
}

static enum meshcast_status another_tile(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    return meshcast_route_packets(routing, "route", 4, 64);
}

/* Keeps every packet in place, except one that goes to node `to`. */
static enum meshcast_status all_but_one(struct meshcast_routing *routing, uint64_t tiles,
                                        uint32_t one, uint32_t to)
{
    meshcast_start(routing, 0);
    for (uint32_t node = 0; node < OWN_NODES; node++)
        if (meshcast_first_resting(routing, node) != MESHCAST_NONE)
            meshcast_packet_set_target(routing, meshcast_first_resting(routing, node),
                                       node == one ? to : node);
    return meshcast_route_packets(routing, "route", tiles, 1);
}

static enum meshcast_status two_at_a_target(void *context, struct meshcast_routing *routing)
{
    (void)context;
    return all_but_one(routing, 1, 7, 8);
}

/* Of four tiles the one beside its own, and the one below. */
static enum meshcast_status tile_beside(void *context, struct meshcast_routing *routing)
{
    (void)context;
    return all_but_one(routing, 4, 7, 10);
}

static enum meshcast_status tile_below(void *context, struct meshcast_routing *routing)
{
    (void)context;
    return all_but_one(routing, 4, 7, 25);
}

static unsigned gather_parts(void *context, struct meshcast_routing *routing,
                             struct meshcast_site site, uint32_t packet)
{
    (void)context, (void)routing, (void)packet;
    return site.node == 7 ? MESHCAST_EAST : MESHCAST_PARK;
}

static uint32_t gather_stop(void *context, struct meshcast_routing *routing,
                            struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    (void)context, (void)routing, (void)packet, (void)part;
    return site.col + 1;
}

/* Two packets at a node. */
static enum meshcast_status sorts_two(void *context, struct meshcast_routing *routing)
{
    static const struct meshcast_rule gather = {NULL, gather_parts, NULL, gather_stop, NULL};
    (void)context;
    meshcast_start(routing, 0);
    meshcast_forward_for(routing, &gather, "gather", 3);
    return meshcast_sort(routing, "sort", 1);
}

static uint64_t add(uint64_t before, uint64_t after)
{
    return before + after;
}

static enum meshcast_status prefix_under_way(void *context, struct meshcast_routing *routing)
{
    static uint64_t value[OWN_NODES];
    (void)context;
    meshcast_start(routing, 0);
    meshcast_forward_for(routing, &right_rule, "a step", 1);
    return meshcast_prefix(routing, "prefix", 1, value, 0, add);
}

static const struct program_case {
    enum meshcast_status (*route)(void *context, struct meshcast_routing *routing);
    const char *expected;
} program_cases[] = {
    {sorts_under_way, "while packets are under way"},
    {no_tiles, "a kernel in no tiles"},
    {one_target, "node 0 is the target of more than 1 packets"},
    {another_tile, "which is in another tile"},
    {two_at_a_target, "node 8 is the target of more than 1 packets"},
    {tile_beside, "at node 7 has target 10, which is in another tile"},
    {tile_below, "at node 7 has target 25, which is in another tile"},
    {sorts_two, "2 packets rest at node 8; the kernel takes 1"},
    {prefix_under_way, "while packets are under way"},
};

/* Inputs that a kernel cannot use are refused. */
START_TEST(programs)
{
    const struct program_case *row = &program_cases[_i];
    struct meshcast_router_plan plan = {.name = "own", .route = row->route};
    own_router_expect(&plan, MESHCAST_CHECK, row->expected);
}
END_TEST

Suite *own_router_kernels_suite(void)
{
    Suite *suite = suite_create("own_router_kernels");
    TCase *tests = tcase_create("own_router_kernels");
    tcase_add_loop_test(tests, programs, 0, sizeof program_cases / sizeof *program_cases);
    suite_add_tcase(suite, tests);
    return suite;
}
