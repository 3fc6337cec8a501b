/* test_own_router.c - routers of a user's own, through the public header.
 *
 * Oracle: the router `trees`, written once more through the header, takes the same steps, hops and
 * buffers; kernels are checked against plain loops. Every promise that a router can break is broken
 * once, and must come back as a status with the text that names it.
 */
#include "test/library/own_router_case.h"
#include "test/library_case.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { ROW_FIRST = 1, STARTED = 2 };

/* ---- trees once more ---- */

static bool goes_along_row(struct meshcast_site site, struct meshcast_site to, bool row_first)
{
    return row_first ? site.col != to.col : site.row == to.row;
}

/* Returns the part that takes a slot on: along the first dimension, then along the other. */
static unsigned part_to(struct meshcast_site site, struct meshcast_site to, bool row_first)
{
    if (to.node == site.node)
        return MESHCAST_DELIVER;
    if (goes_along_row(site, to, row_first))
        return to.col < site.col ? MESHCAST_WEST : MESHCAST_EAST;
    return to.row < site.row ? MESHCAST_NORTH : MESHCAST_SOUTH;
}

static bool is_row_first(struct meshcast_routing *routing, struct meshcast_site site,
                         uint32_t packet)
{
    unsigned state = meshcast_packet_state(routing, packet);
    if (!(state & STARTED)) {
        state = STARTED | ((site.row + site.col) % 2 == 0 ? ROW_FIRST : 0);
        meshcast_packet_set_state(routing, packet, (uint8_t)state);
    }
    return state & ROW_FIRST;
}

static unsigned tree_parts(void *context, struct meshcast_routing *routing,
                           struct meshcast_site site, uint32_t packet)
{
    unsigned parts = 0;
    bool row_first = is_row_first(routing, site, packet);
    (void)context;
    for (uint32_t slot = meshcast_packet_first(routing, packet); slot <= packet; slot++)
        parts |= part_to(site, meshcast_slot_destination(routing, slot), row_first);
    return parts;
}

static uint32_t tree_take(void *context, struct meshcast_routing *routing,
                          struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    uint32_t first = meshcast_packet_first(routing, packet), count = 0;
    bool row_first = is_row_first(routing, site, packet);
    (void)context;
    for (uint32_t slot = first; slot <= packet; slot++)
        if (part_to(site, meshcast_slot_destination(routing, slot), row_first) == part)
            meshcast_slots_swap(routing, packet, slot, first + count++);
    return meshcast_packet_split(routing, packet, count);
}

static uint32_t gap(uint32_t a, uint32_t b)
{
    return a < b ? b - a : a - b;
}

/* Returns the nearest coordinate at which a slot turns or ends. */
static uint32_t tree_stop(void *context, struct meshcast_routing *routing,
                          struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    bool is_row = part == MESHCAST_WEST || part == MESHCAST_EAST;
    uint32_t here = is_row ? site.col : site.row, nearest = UINT32_MAX;
    (void)context;
    for (uint32_t slot = meshcast_packet_first(routing, packet); slot <= packet; slot++) {
        struct meshcast_site to = meshcast_slot_destination(routing, slot);
        uint32_t at = is_row ? to.col : to.row;
        if (nearest == UINT32_MAX || gap(here, at) < gap(here, nearest))
            nearest = at;
    }
    return nearest;
}

static const struct meshcast_rule tree_rule = {NULL, tree_parts, tree_take, tree_stop, NULL};

static enum meshcast_status route_trees(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0); /* the next call returns the failure again */
    return meshcast_forward_last(routing, &tree_rule, "trees", UINT64_MAX);
}

/* ---- runs ---- */

static struct meshcast_set *make_set(uint32_t rows, uint32_t cols)
{
    char options[80];
    snprintf(options, sizeof options, "pattern=uniform rows=%u cols=%u degree=5 seed=3",
             (unsigned)rows, (unsigned)cols);
    return case_gen(options);
}

static struct meshcast_router *
make_router(enum meshcast_status (*route)(void *context, struct meshcast_routing *routing),
            void *context)
{
    static const struct meshcast_parameter parameter = {"k", "2", 1, 9, "many"};
    struct meshcast_router_plan plan = {.name = "own",
                                        .summary = "a router of our own",
                                        .parameter = &parameter,
                                        .parameters = 1,
                                        .route = route,
                                        .context = context};
    struct meshcast_router *router = meshcast_router_new(&plan, NULL);
    ck_assert_ptr_nonnull(router);
    return router;
}

/* trees, written through the header, does what trees does, for both copy costs and two threads */
START_TEST(trees_once_more)
{
    static const struct {
        uint32_t rows, cols;
    } sides[] = {{12, 12}, {7, 19}, {1, 30}, {65, 9}};
    static const char *const figures[] = {
        "steps",       "sync_steps", "buffer_peak", "buffer_peak_node", "buffer_peak_step",
        "packet_hops", "word_hops",  "copies",      "delivered"};
    struct meshcast_router *own = make_router(route_trees, NULL);
    ck_assert_str_eq(meshcast_router_name(own), "own");
    for (unsigned i = 0; i < 2 * sizeof sides / sizeof *sides; i++) {
        char options[40];
        struct meshcast_set *set = make_set(sides[i / 2].rows, sides[i / 2].cols);
        snprintf(options, sizeof options, "copy=%s threads=%u", i % 2 ? "free" : "unit", 1 + i % 3);
        struct meshcast_report *report = own_router_run(own, set, options, NULL);
        struct meshcast_command *trees = case_command("route", set, options);
        case_set_options(trees, "router=trees param=tree=xy", NULL);
        struct meshcast_report *expected = case_run(trees, NULL);
        for (unsigned figure = 0; figure < sizeof figures / sizeof *figures; figure++)
            ck_assert_uint_eq(case_figure(report, figures[figure]),
                              case_figure(expected, figures[figure]));
        meshcast_report_free(report);
        meshcast_report_free(expected);
        meshcast_set_free(set);
    }
    meshcast_router_free(own);
}
END_TEST

/* ---- several messages per node ---- */

/* The router's slots and l are those of the set. */
static enum meshcast_status route_many(void *context, struct meshcast_routing *routing)
{
    const struct meshcast_set *set = context;
    struct meshcast_report *info = case_run(case_command("info", set, ""), NULL);
    uint32_t slots = (uint32_t)case_figure(info, "deliveries");
    ck_assert_uint_eq(meshcast_known(routing).messages_per_node,
                      case_figure(info, "messages_per_node"));
    meshcast_report_free(info);
    meshcast_start(routing, 0);
    for (uint32_t slot = 0; slot < slots; slot++) {
        uint32_t source, message = meshcast_slot_message(routing, slot);
        uint64_t count;
        const uint32_t *to = meshcast_set_message(set, message, &source, &count);
        ck_assert_uint_eq(meshcast_slot_source(routing, slot), source);
        while (count > 0 && *to != meshcast_slot_destination(routing, slot).node) {
            count--;
            to++;
        }
        ck_assert_uint_gt(count, 0);
    }
    return meshcast_forward_last(routing, &tree_rule, "trees", UINT64_MAX);
}

/* A router that takes several messages per node delivers all of them, and one that does not say so
 * refuses. */
START_TEST(many)
{
    struct meshcast_set *set =
        case_gen(_i == 0 ? "pattern=uniform rows=9 cols=11 congestion=24 seed=3 per-node=1"
                         : "pattern=uniform rows=9 cols=11 congestion=24 seed=3 per-node=4");
    struct meshcast_error error = {0};
    struct meshcast_router_plan own = {
        .name = "many", .route = route_many, .context = set, .takes_many = true};
    struct meshcast_router *router = meshcast_router_new(&own, NULL);
    meshcast_report_free(own_router_run(router, set, "", NULL));
    meshcast_router_free(router);
    own.takes_many = false;
    router = meshcast_router_new(&own, NULL);
    meshcast_report_free(own_router_run(router, set, "", &error));
    ck_assert_int_eq(error.status, _i == 0 ? MESHCAST_OK : MESHCAST_USAGE);
    if (_i == 1)
        ck_assert_ptr_nonnull(strstr(error.text, "router many takes one message per node"));
    meshcast_router_free(router);
    meshcast_set_free(set);
}
END_TEST

/* ---- kernels ---- */

static uint32_t snake_node(uint32_t rank, uint32_t cols)
{
    uint32_t row = rank / cols, col = rank % cols;
    return row * cols + (row % 2 == 0 ? col : cols - 1 - col);
}

static uint64_t sum(uint64_t before, uint64_t after)
{
    return before + after;
}

/* Sorts by the messages' sources, reversed; then the snake holds them in that order. */
static enum meshcast_status check_sort(struct meshcast_routing *routing, uint32_t nodes,
                                       uint32_t cols)
{
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t packet = meshcast_first_resting(routing, node);
        if (packet != MESHCAST_NONE)
            meshcast_packet_set_target(routing, packet, nodes - 1 - node);
    }
    enum meshcast_status status = meshcast_sort(routing, "sort", 1);
    uint32_t last = 0;
    for (uint32_t rank = 0; status == MESHCAST_OK && rank < nodes; rank++) {
        uint32_t packet = meshcast_first_resting(routing, snake_node(rank, cols));
        if (packet == MESHCAST_NONE)
            continue;
        ck_assert_uint_ge(meshcast_packet_target(routing, packet), last);
        ck_assert_uint_eq(meshcast_packet_target(routing, packet),
                          nodes - 1 - meshcast_slot_source(routing, packet));
        last = meshcast_packet_target(routing, packet);
    }
    return status;
}

static enum meshcast_status check_prefix(struct meshcast_routing *routing, uint32_t nodes,
                                         uint32_t cols)
{
    static uint64_t value[1024];
    uint64_t before = 0;
    for (uint32_t node = 0; node < nodes; node++)
        value[node] = 7 * node + 1;
    enum meshcast_status status = meshcast_prefix(routing, "prefix", 1, value, 0, sum);
    for (uint32_t rank = 0; rank < nodes; rank++) {
        uint32_t node = snake_node(rank, cols);
        ck_assert_uint_eq(value[node], before);
        before += 7 * node + 1;
    }
    return status;
}

/* All packets to the transposed place or, two a node, to half of the nodes. */
static enum meshcast_status check_routing(struct meshcast_routing *routing, uint32_t nodes,
                                          uint32_t k)
{
    for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t packet = meshcast_first_resting(routing, node); packet != MESHCAST_NONE;
             packet = meshcast_next_resting(routing, packet))
            meshcast_packet_set_target(routing, packet, (nodes - 1 - node) / k);
    enum meshcast_status status = meshcast_route_packets(routing, "route", 1, k);
    for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t packet = meshcast_first_resting(routing, node); packet != MESHCAST_NONE;
             packet = meshcast_next_resting(routing, packet))
            ck_assert_uint_eq(meshcast_packet_target(routing, packet), node);
    return status;
}

static enum meshcast_status route_kernels(void *context, struct meshcast_routing *routing)
{
    struct meshcast_known known = meshcast_known(routing);
    uint32_t nodes = known.rows * known.cols;
    (void)context;
    ck_assert_uint_eq(meshcast_parameter(routing, "k"), 3);
    ck_assert_uint_eq(known.seed, 9);
    meshcast_start(routing, 0);
    if (check_prefix(routing, nodes, known.cols) != MESHCAST_OK ||
        check_sort(routing, nodes, known.cols) != MESHCAST_OK ||
        check_routing(routing, nodes, 1) != MESHCAST_OK)
        return MESHCAST_USAGE;
    check_routing(routing, nodes, 2);
    meshcast_forward_in_rounds(routing, &tree_rule, "rounds", 3, 2);
    return meshcast_forward_last(routing, &tree_rule, "nothing", 10);
}

/* kernels of a run do what plain loops do, and the run delivers after them */
START_TEST(kernels)
{
    static const struct {
        uint32_t rows, cols;
    } sides[] = {{16, 16}, {9, 14}, {2, 3}};
    struct meshcast_router *own = make_router(route_kernels, NULL);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        struct meshcast_set *set = make_set(sides[i].rows, sides[i].cols);
        struct meshcast_report *report = own_router_run(own, set, "seed=9 param=k=3", NULL);
        ck_assert_uint_gt(case_figure(report, "sync_steps"), 0);
        meshcast_report_free(report);
        meshcast_set_free(set);
    }
    meshcast_router_free(own);
}
END_TEST

void own_router_suite(TCase *tests)
{
    tcase_add_test(tests, trees_once_more);
    tcase_add_loop_test(tests, many, 0, 2);
    tcase_add_test(tests, kernels);
}
