/* test_own_router_errors.c - routers of a user's own that break what the public header says.
 *
 * Every promise is broken once, by a rule that is otherwise right, on one thread and on two; the run
 * must end with a status and a text that names what was wrong, and nothing must crash.
 */
#include "library/meshcast.h"

#include <check.h>
#include <string.h>

Suite *own_router_errors_suite(void);

enum { SIDE = 6, NODES = SIDE * SIDE };

/* ---- a rule that is right: one packet after another goes along its row, then its column ---- */

static unsigned right_parts(void *context, struct meshcast_routing *routing,
                            struct meshcast_site site, uint32_t packet)
{
    uint32_t first = meshcast_packet_first(routing, packet);
    struct meshcast_site to = meshcast_slot_destination(routing, first);
    unsigned here = MESHCAST_DELIVER;
    (void)context;
    if (to.col != site.col)
        here = to.col < site.col ? MESHCAST_WEST : MESHCAST_EAST;
    else if (to.row != site.row)
        here = to.row < site.row ? MESHCAST_NORTH : MESHCAST_SOUTH;
    return here | (first < packet ? (unsigned)MESHCAST_AGAIN : 0u);
}

static uint32_t right_take(void *context, struct meshcast_routing *routing,
                           struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    (void)context, (void)site, (void)part;
    return meshcast_packet_split(routing, packet, 1);
}

static uint32_t right_stop(void *context, struct meshcast_routing *routing,
                           struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    struct meshcast_site to = meshcast_slot_destination(routing, packet);
    (void)context, (void)site;
    return part == MESHCAST_WEST || part == MESHCAST_EAST ? to.col : to.row;
}

static const struct meshcast_rule right_rule = {NULL, right_parts, right_take, right_stop, NULL};

/* ---- what is wrong ---- */

static unsigned wrong_parts(void *context, struct meshcast_routing *routing,
                            struct meshcast_site site, uint32_t packet)
{
    const unsigned *parts = context;
    bool is_there = site.node == 7; /* not at a border, and not at once */
    unsigned right = right_parts(context, routing, site, packet);
    return is_there ? *parts : right;
}

static unsigned off_the_mesh(void *context, struct meshcast_routing *routing,
                             struct meshcast_site site, uint32_t packet)
{
    unsigned right = right_parts(context, routing, site, packet);
    return site.col == 0 ? MESHCAST_WEST : right;
}

static unsigned strange_delivery(void *context, struct meshcast_routing *routing,
                                 struct meshcast_site site, uint32_t packet)
{
    unsigned right = right_parts(context, routing, site, packet);
    return right & MESHCAST_AGAIN ? right : MESHCAST_DELIVER;
}

static uint32_t take_itself(void *context, struct meshcast_routing *routing,
                            struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    (void)context, (void)routing, (void)site, (void)part;
    return packet;
}

static uint32_t take_all(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                         uint32_t packet, enum meshcast_part part)
{
    (void)context, (void)site, (void)part;
    uint32_t slots = packet - meshcast_packet_first(routing, packet) + 1;
    return meshcast_packet_split(routing, packet, slots);
}

static uint32_t take_twice(void *context, struct meshcast_routing *routing,
                           struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    (void)context, (void)site, (void)part;
    uint32_t taken = meshcast_packet_split(routing, packet, 1);
    if (meshcast_packet_first(routing, packet) < packet)
        meshcast_packet_split(routing, packet, 1);
    return taken;
}

static uint32_t stop_here(void *context, struct meshcast_routing *routing,
                          struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    (void)context, (void)routing, (void)packet;
    return part == MESHCAST_WEST || part == MESHCAST_EAST ? site.col : site.row;
}

static uint32_t stop_beyond(void *context, struct meshcast_routing *routing,
                            struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    (void)context, (void)routing, (void)packet, (void)site;
    return part == MESHCAST_WEST || part == MESHCAST_NORTH ? UINT32_MAX : SIDE;
}

static uint32_t too_urgent(void *context, struct meshcast_routing *routing,
                           struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    (void)context, (void)routing, (void)packet, (void)site, (void)part;
    return 131072;
}

static unsigned no_part = 0, again_alone = MESHCAST_AGAIN,
                many_parts =
                    MESHCAST_NORTH | MESHCAST_SOUTH | MESHCAST_WEST | MESHCAST_EAST | MESHCAST_PARK;

/* A rule that breaks one promise. */
static const struct rule_case {
    struct meshcast_rule rule;
    const char *expected;
} rule_cases[] = {
    {{&no_part, wrong_parts, right_take, right_stop, NULL}, "none of enum meshcast_part"},
    {{&again_alone, wrong_parts, right_take, right_stop, NULL}, "MESHCAST_AGAIN alone"},
    {{&many_parts, wrong_parts, right_take, right_stop, NULL}, "more parts than the packet has"},
    {{NULL, off_the_mesh, right_take, right_stop, NULL}, "a link that leaves the mesh"},
    {{NULL, strange_delivery, right_take, right_stop, NULL}, "a delivery that the packet does not"},
    {{NULL, right_parts, NULL, right_stop, NULL}, "no function that takes them"},
    {{NULL, right_parts, take_itself, right_stop, NULL}, "is not what one split"},
    {{NULL, right_parts, take_all, right_stop, NULL}, "and must keep one"},
    {{NULL, right_parts, take_twice, right_stop, NULL}, "is not what one split"},
    {{NULL, right_parts, right_take, stop_here, NULL}, "which is not ahead"},
    {{NULL, right_parts, right_take, stop_beyond, NULL}, "which is not ahead"},
    {{NULL, right_parts, right_take, right_stop, too_urgent}, "the most is 131071"},
};

static enum meshcast_status follow_rule(void *context, struct meshcast_routing *routing)
{
    const struct rule_case *row = context;
    meshcast_start(routing, 0);
    return meshcast_forward_last(routing, &row->rule, "rule", UINT64_MAX);
}

/* ---- wrong programs ---- */

static enum meshcast_status never_starts(void *context, struct meshcast_routing *routing)
{
    (void)context, (void)routing;
    return MESHCAST_OK;
}

static enum meshcast_status starts_late(void *context, struct meshcast_routing *routing)
{
    (void)context;
    return meshcast_sort(routing, "sort", 1);
}

static enum meshcast_status starts_twice(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    return meshcast_start(routing, 0);
}

static enum meshcast_status goes_on(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    meshcast_forward_last(routing, &right_rule, "last", UINT64_MAX);
    return meshcast_forward_for(routing, &right_rule, "more", 1);
}

static enum meshcast_status calls_it_sync(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    return meshcast_forward_last(routing, &right_rule, "sync", UINT64_MAX);
}

static enum meshcast_status empty_round(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    return meshcast_forward_in_rounds(routing, &right_rule, "round", 0, 1);
}

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

static enum meshcast_status wrong_target(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    meshcast_packet_set_target(routing, meshcast_first_resting(routing, 3), NODES);
    return meshcast_forward_last(routing, &right_rule, "last", UINT64_MAX);
}

static enum meshcast_status wrong_slots(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    uint32_t packet = meshcast_first_resting(routing, 3);
    meshcast_slots_swap(routing, packet, packet, packet + 1);
    return meshcast_forward_last(routing, &right_rule, "last", UINT64_MAX);
}

static enum meshcast_status wrong_parameter(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_parameter(routing, "kay");
    return meshcast_start(routing, 0);
}

static enum meshcast_status refuses(void *text, struct meshcast_routing *routing)
{
    return meshcast_refuse(routing, MESHCAST_USAGE, text == NULL ? "not to our taste" : text);
}

static enum meshcast_status fails_silently(void *context, struct meshcast_routing *routing)
{
    (void)context, (void)routing;
    return MESHCAST_INPUT;
}

static enum meshcast_status hides_failure(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    meshcast_sort(routing, "sort", 0);
    return MESHCAST_OK;
}

static enum meshcast_status gives_up(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    return meshcast_forward_last(routing, &right_rule, "last", 2);
}

static enum meshcast_status overflows(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 1);
    return meshcast_forward_last(routing, &right_rule, "last", UINT64_MAX);
}

static const struct program_case {
    enum meshcast_status (*route)(void *context, struct meshcast_routing *routing);
    enum meshcast_status status;
    const char *expected;
} program_cases[] = {
    {never_starts, MESHCAST_USAGE, "did not call meshcast_start()"},
    {starts_late, MESHCAST_USAGE, "an instruction before meshcast_start()"},
    {starts_twice, MESHCAST_USAGE, "meshcast_start() a second time"},
    {goes_on, MESHCAST_USAGE, "whose end no node knows"},
    {calls_it_sync, MESHCAST_USAGE, "\"sync\" is for synchronisations"},
    {empty_round, MESHCAST_USAGE, "a round of no steps"},
    {sorts_under_way, MESHCAST_USAGE, "while packets are under way"},
    {no_tiles, MESHCAST_USAGE, "a kernel in no tiles"},
    {one_target, MESHCAST_USAGE, "node 0 is the target of more than 1 packets"},
    {another_tile, MESHCAST_USAGE, "which is in another tile"},
    {wrong_target, MESHCAST_USAGE, "has node 36 as its target; the nodes are 0 to 35"},
    {wrong_slots, MESHCAST_USAGE, "exchanges slots"},
    {wrong_parameter, MESHCAST_USAGE, "asked for its parameter 'kay'"},
    {refuses, MESHCAST_USAGE, "not to our taste"},
    {fails_silently, MESHCAST_USAGE, "ended with status 3, which no call returned"},
    {hides_failure, MESHCAST_USAGE, "a kernel in no tiles"},
    {gives_up, MESHCAST_CHECK, "deliveries are missing"},
    {overflows, MESHCAST_CHECK, "buffer overflow: node "},
};

/* ---- runs ---- */

static struct meshcast_set *make_set(void)
{
    struct meshcast_generate plan = {
        .pattern = "uniform", .rows = SIDE, .cols = SIDE, .degree = 3, .seed = 4};
    struct meshcast_set *set = meshcast_set_generate(&plan, NULL);
    ck_assert_ptr_nonnull(set);
    return set;
}

static void expect(const struct meshcast_router_plan *plan, enum meshcast_status status,
                   const char *expected)
{
    struct meshcast_router *router = meshcast_router_new(plan, NULL);
    struct meshcast_options *options = meshcast_options_new();
    struct meshcast_set *set = make_set();
    for (uint64_t variant = 0; variant < 4; variant++) {
        struct meshcast_error error = {MESHCAST_OK, ""};
        struct meshcast_result *result;
        meshcast_options_set(options, MESHCAST_MAX_THREADS, 1 + variant % 2, NULL);
        meshcast_options_set(options, MESHCAST_FREE_COPIES, variant / 2, NULL);
        ck_assert_int_eq(meshcast_run(router, set, options, &result, &error), status);
        ck_assert_int_eq(error.status, status);
        ck_assert_msg(strstr(error.text, expected) != NULL, "%s", error.text);
        ck_assert((result != NULL) == (status == MESHCAST_OK || status == MESHCAST_CHECK));
        meshcast_result_free(result);
    }
    meshcast_set_free(set);
    meshcast_options_free(options);
    meshcast_router_free(router);
}

/* the rule that the others are made from is right */
START_TEST(right_rule_delivers)
{
    struct rule_case row = {right_rule, ""};
    struct meshcast_router_plan plan = {.name = "own", .route = follow_rule, .context = &row};
    expect(&plan, MESHCAST_OK, "");
}
END_TEST

/* a rule's wrong answer ends the run with what was wrong */
START_TEST(rules)
{
    struct rule_case row = rule_cases[_i];
    struct meshcast_router_plan plan = {.name = "own", .route = follow_rule, .context = &row};
    expect(&plan, MESHCAST_USAGE, row.expected);
}
END_TEST

/* so does a wrong program */
START_TEST(programs)
{
    const struct program_case *row = &program_cases[_i];
    struct meshcast_router_plan plan = {.name = "own", .route = row->route};
    expect(&plan, row->status, row->expected);
}
END_TEST

static const struct meshcast_parameter nameless = {"", "1", 1, 2, NULL},
                                       outside = {"k", "3", 1, 2, NULL};

static const struct plan_case {
    struct meshcast_router_plan plan;
    const char *expected;
} plan_cases[] = {
    {{.route = never_starts}, "a name and a function"},
    {{.name = "own"}, "a name and a function"},
    {{.name = "own", .route = never_starts, .parameter = &nameless, .parameters = 1}, "a name and"},
    {{.name = "own", .route = never_starts, .parameter = &outside, .parameters = 1},
     "standard '3'"},
    {{.name = "own", .route = never_starts, .parameter = &outside, .parameters = 17},
     "17 parameters; a router has 16 at most"},
};

/* a plan that is not one is refused */
START_TEST(plans)
{
    struct meshcast_error error = {MESHCAST_OK, ""};
    ck_assert_ptr_null(meshcast_router_new(&plan_cases[_i].plan, &error));
    ck_assert_int_eq(error.status, MESHCAST_USAGE);
    ck_assert_msg(strstr(error.text, plan_cases[_i].expected) != NULL, "%s", error.text);
}
END_TEST

Suite *own_router_errors_suite(void)
{
    Suite *suite = suite_create("own_router_errors");
    TCase *tests = tcase_create("own_router_errors");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, right_rule_delivers);
    tcase_add_loop_test(tests, rules, 0, sizeof rule_cases / sizeof *rule_cases);
    tcase_add_loop_test(tests, programs, 0, sizeof program_cases / sizeof *program_cases);
    tcase_add_loop_test(tests, plans, 0, sizeof plan_cases / sizeof *plan_cases);
    suite_add_tcase(suite, tests);
    return suite;
}
