/* test_ranks.c - every router on several ranks: the bytes of its trace and its result are those of
 * a run without ranks.
 *
 * Faults that were seeded, one at a time, each caught: a contribution that crosses a border counts
 * as one; the other rank is not told which channels are full; packets leave the numbers of their
 * contributions behind.
 */
#include "library/meshcast_own_router.h"
#include "test/length.h"
#include "test/ranks/ranks_case.h"
#include "test/routers/reduction_case.h"
#include "test/routers/router_ranks.h"

#include <check.h>
#include <stdlib.h>

/* Odd sizes, so that bands are of different sizes; with 5 ranks some have a single row of the
 * second. */
static const struct grid MESHES[] = {{33, 11}, {7, 19}, {33, 40}, {12, 5}};
static const uint32_t RANKS[] = {2, 3, 5};

/* All numbers of ranks, with one thread each or with two, by `which`; in short tests two of these
 * six. */
static void check_ranks(struct router_case run, const struct plain_set *set, size_t which)
{
    enum { WAYS = 2 * sizeof RANKS / sizeof *RANKS };
    size_t step = TEST_IS_SHORT ? 3 : 2;
    /* in the long form not by the parity of `which`, which chooses the cost of copies */
    for (size_t way = (TEST_IS_SHORT ? which : which / 2) % step; way < WAYS; way += step) {
        run.threads = 1 + (uint32_t)(way % 2);
        if (RANKS[way / 2] <= MOST_RANKS) /* a serial build has one rank */
            router_ranks_case(run, set, RANKS[way / 2]);
    }
}

START_TEST(test_ranks)
{
    for (size_t i = 0; i < (TEST_IS_SHORT ? 2 : sizeof MESHES / sizeof *MESHES); i++) {
        struct router_case run = router_case_at((uint32_t)_i);
        struct plain_set set;
        ck_assert(plain_set_gen(&set, "rmat", MESHES[i], 6, 8, 3 + i, NULL));
        run.seed = 5;
        run.copy_is_free = (i + (size_t)_i) % 2;
        check_ranks(run, &set, i + (size_t)_i);
        plain_set_free(&set);
    }
}
END_TEST

static const struct {
    const char *router, *parameters, *pattern;
    struct grid mesh;
    uint32_t load, ranks; /* d and c; 0: the pattern's */
    bool copy_is_free;
} DRAWN[] = {
    /* copies that march along cycles of which a border cuts some, and each of these several
     * times */
    {"random", "variant=paper r=1", "uniform", {24, 12}, 8, 3, true},
    /* slots of trees that left are taken again by packets that split before they become trees */
    {"replicate", NULL, "hotspot", {16, 16}, 0, 2, false},
    {"replicate", NULL, "hotspot", {16, 16}, 0, 5, true},
};

START_TEST(test_drawn)
{
    struct router_case run = router_case_make(DRAWN[_i].router, DRAWN[_i].parameters);
    struct plain_set set;
    ck_assert(plain_set_gen(&set, DRAWN[_i].pattern, DRAWN[_i].mesh, DRAWN[_i].load, DRAWN[_i].load,
                            3, NULL));
    run.copy_is_free = DRAWN[_i].copy_is_free;
    if (MOST_RANKS > 1)
        router_ranks_case(run, &set, DRAWN[_i].ranks);
    plain_set_free(&set);
}
END_TEST

/* Sets that a search has found, as no others showed a fault that was seeded. */
static const struct {
    const char *router, *parameters, *set;
    uint32_t ranks;
} FOUND[] = {
    /* two packets first meet at a node where one has just come from another rank, and a copy has
     * held up the rounds */
    {"circulate", NULL,
     "mcast 1 4 2\n0 5\n1 3 1 0 2 4\n2 5\n3 5 2 4 1\n4 6 5 4 0\n5 1 4 2 7 6\n7 5 0 3 2 7\n", 3},
};

START_TEST(test_found)
{
    struct plain_set set;
    plain_set_parse(&set, FOUND[_i].set);
    if (MOST_RANKS > 1)
        router_ranks_case(router_case_make(FOUND[_i].router, FOUND[_i].parameters), &set,
                          FOUND[_i].ranks);
    plain_set_free(&set);
}
END_TEST

/* Rows of several blocks of columns, of which each thread has its part, and waves of several steps;
 * packets of more slots than there are lists of in a pool. */
START_TEST(test_wide)
{
    static const char *const NAMES[] = {"trees", "stream", "unicast"};
    struct router_case run = router_case_make(NAMES[_i], NULL);
    struct plain_set set;
    run.threads = 2 + (uint32_t)_i % 2;
    ck_assert(
        plain_set_gen(&set, "uniform", (struct grid){26, 200}, 20, 4, 1 + (uint64_t)_i, NULL));
    if (MOST_RANKS > 1)
        router_ranks_case(run, &set, 2);
    plain_set_free(&set);
}
END_TEST

static const struct {
    const char *router, *parameters;
    uint32_t buffer;
} REDUCTIONS[] = {{"trees", NULL, 0},     {"trees", "slots=1", 0},
                  {"trees", NULL, 40},    {"replicate", NULL, 0},
                  {"circulate", NULL, 0}, {"trees", "slots=0", 1}}; /* a node overflows */

/* Sums, whose contributions begin in other ranks than their messages; of one message per node and
 * of several. */
START_TEST(test_reductions)
{
    enum { COUNT = sizeof MESHES / sizeof *MESHES };
    size_t row = (size_t)_i;
    for (size_t i = TEST_IS_SHORT ? 1 + row % 2 : 0; i < COUNT; i += TEST_IS_SHORT ? COUNT : 1) {
        struct router_case run = reduction_case(REDUCTIONS[row].router);
        struct plain_set set;
        run.parameters = REDUCTIONS[row].parameters;
        run.buffer = REDUCTIONS[row].buffer;
        run.seed = 5;
        reduction_draw(&set, MESHES[i], i == 1 ? 3 : 1, 8, 3 + i);
        check_ranks(run, &set, row / 2 + i);
        plain_set_free(&set);
    }
}
END_TEST

/* ---- a user's own router ---- */

static struct meshcast_site last_of(const struct meshcast_routing *routing, uint32_t packet)
{
    return meshcast_slot_destination(routing, packet);
}

/* A packet goes to the destination of its last slot, column first or, if its state says so, row
 * first; there the first of its slots for that node is delivered. */
static unsigned tour_parts(void *context, struct meshcast_routing *routing,
                           struct meshcast_site site, uint32_t packet)
{
    struct meshcast_site to = last_of(routing, packet);
    (void)context;
    bool waits = meshcast_packet_state(routing, packet) % 2 == 1 && to.row != site.row;
    if (to.col != site.col && !waits)
        return to.col < site.col ? MESHCAST_WEST : MESHCAST_EAST;
    if (to.row != site.row)
        return to.row < site.row ? MESHCAST_NORTH : MESHCAST_SOUTH;
    return MESHCAST_DELIVER |
           (meshcast_packet_first(routing, packet) < packet ? (unsigned)MESHCAST_AGAIN : 0u);
}

static uint32_t tour_take(void *context, struct meshcast_routing *routing,
                          struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    uint32_t first = meshcast_packet_first(routing, packet);
    (void)context, (void)site, (void)part;
    meshcast_slots_swap(routing, packet, first, packet);
    return meshcast_packet_split(routing, packet, 1);
}

static uint32_t tour_stop(void *context, struct meshcast_routing *routing,
                          struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    struct meshcast_site to = last_of(routing, packet);
    (void)context, (void)site;
    return part == MESHCAST_WEST || part == MESHCAST_EAST ? to.col : to.row;
}

static uint64_t add(uint64_t before, uint64_t after)
{
    return before + after;
}

/* Sorts the packets by what their nodes draw, adds up along snakes, and goes. Its parameter makes
 * it break a rule, which only one of the ranks finds out, want what ranks do not have, or end
 * before all is delivered; or there are several messages per node. */
enum { BREAKS = 1, ROUTES, NUMBERS, LEAVES, SEVERAL };

/* Chooses a packet's way by its message. */
static void choose_way(struct meshcast_routing *routing, uint32_t packet, uint32_t of_message)
{
    uint8_t way = meshcast_random(routing, 2, of_message) % 2;
    meshcast_packet_set_state(routing, packet, way);
}

/* Chooses ways with several messages per node, by the knowledge of their sources' ranks. */
static void choose_ways(struct meshcast_routing *routing, uint32_t nodes)
{
    for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t packet = meshcast_first_resting(routing, node); packet != MESHCAST_NONE;
             packet = meshcast_next_resting(routing, packet))
            choose_way(routing, packet,
                       meshcast_slot_message(routing, packet) +
                           nodes * meshcast_slot_source(routing, packet));
}

static enum meshcast_status own_route(void *context, struct meshcast_routing *routing)
{
    struct meshcast_known known = meshcast_known(routing);
    struct meshcast_rule rule = {context, tour_parts, tour_take, tour_stop, NULL};
    uint32_t nodes = known.rows * known.cols, breaks = meshcast_parameter(routing, "breaks");
    uint64_t *value = calloc(nodes, sizeof *value);
    meshcast_start(routing, 0);
    if (breaks == SEVERAL) {
        free(value);
        choose_ways(routing, nodes);
        return meshcast_forward_last(routing, &rule, "tours", UINT64_MAX);
    }
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t packet = meshcast_first_resting(routing, node);
        if (packet == MESHCAST_NONE)
            continue;
        uint32_t key = meshcast_random(routing, 1, meshcast_slot_message(routing, packet)) % nodes;
        value[node] = 1;
        bool is_bad =
            meshcast_slot_source(routing, packet) != node || (breaks == BREAKS && node > 9);
        meshcast_packet_set_target(routing, packet, is_bad ? nodes : key);
    }
    meshcast_sort(routing, "sort", 4);
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t packet = meshcast_first_resting(routing, node);
        if (packet != MESHCAST_NONE)
            choose_way(routing, packet, meshcast_slot_source(routing, packet));
    }
    if (breaks == ROUTES)
        meshcast_route_packets(routing, "route", 1, 4);
    for (uint32_t node = 0; node < nodes && breaks == NUMBERS;
         node++) /* of packets that were sorted */
        if (meshcast_first_resting(routing, node) != MESHCAST_NONE)
            meshcast_slot_message(routing, meshcast_first_resting(routing, node));
    enum meshcast_status status = meshcast_prefix(routing, "prefix", 1, value, 0, add);
    free(value);
    meshcast_forward_for(routing, &rule, "first", 7);
    if (breaks == LEAVES)
        return status;
    return status != MESHCAST_OK ? status
                                 : meshcast_forward_last(routing, &rule, "tours", UINT64_MAX);
}

static void run_own(struct router_case run, const struct plain_set *set)
{
    for (uint32_t ranks = 2; ranks <= 3 && ranks <= MOST_RANKS; ranks++) {
        run.threads = ranks - 1;
        router_ranks_case(run, set, ranks);
    }
}

/* The same bytes, also of a message about missing deliveries; a fault that only one rank finds ends
 * all of them; features that ranks lack are refused. */
START_TEST(test_own_router)
{
    static const struct meshcast_parameter breaks = {
        .name = "breaks", .standard = "0", .high = SEVERAL};
    static const struct meshcast_router_plan plan = {.name = "own",
                                                     .parameter = &breaks,
                                                     .parameters = 1,
                                                     .route = own_route,
                                                     .takes_many = true};
    struct meshcast_router *own = meshcast_router_new(&plan, NULL);
    struct router_case run = {.own = own, .seed = 3};
    struct plain_set set;
    ck_assert_ptr_nonnull(own);
    reduction_draw(&set, MESHES[1], 1, 5, 3);
    run_own(run, &set);
    run.parameters = "breaks=1";
    run_own(run, &set);
    run.parameters = "breaks=4";
    run_own(run, &set);
    if (MOST_RANKS > 1) {
        run.parameters = "breaks=2";
        router_ranks_fail(run, &set, 3, "meshcast_route_packets() does not run on several ranks");
        run.parameters = "breaks=3";
        router_ranks_fail(run, &set, 2, "number of a message that starts in another rank");
    }
    plain_set_free(&set);
    reduction_draw(&set, MESHES[1], 3, 5, 3);
    run.parameters = "breaks=5";
    run_own(run, &set);
    plain_set_free(&set);
    meshcast_router_free(own);
}
END_TEST

void ranks_suite(TCase *tests)
{
    tcase_add_loop_test(tests, test_ranks, 0, (int)router_case_count());
    tcase_add_loop_test(tests, test_wide, 0, 3);
    tcase_add_loop_test(tests, test_drawn, 0, sizeof DRAWN / sizeof *DRAWN);
    tcase_add_loop_test(tests, test_found, 0, sizeof FOUND / sizeof *FOUND);
    tcase_add_loop_test(tests, test_reductions, 0, sizeof REDUCTIONS / sizeof *REDUCTIONS);
    tcase_add_test(tests, test_own_router);
}
