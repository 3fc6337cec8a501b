/* test_own_router_errors.c - programs and plans of users' routers that break the rules of the
 * public header: each ends with a status and a text that names the fault. Rules are in
 * test_own_router_rules.c, kernels in test_own_router_kernels.c.
 */
#include "test/library/own_router_case.h"

#include <check.h>
#include <string.h>

Suite *own_router_errors_suite(void);

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

static enum meshcast_status wrong_target(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    meshcast_packet_set_target(routing, meshcast_first_resting(routing, 3), OWN_NODES);
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

static enum meshcast_status splits_early(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    meshcast_packet_split(routing, meshcast_first_resting(routing, 3), 1);
    return meshcast_forward_last(routing, &right_rule, "last", UINT64_MAX);
}

static enum meshcast_status unknown_packet(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    meshcast_packet_first(routing, 999999);
    return meshcast_forward_last(routing, &right_rule, "last", UINT64_MAX);
}

/* A slot inside of a packet names none. */
static enum meshcast_status inner_slot(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    uint32_t first = meshcast_packet_first(routing, meshcast_first_resting(routing, 3));
    meshcast_slots_swap(routing, first, first, first);
    return meshcast_forward_last(routing, &right_rule, "last", UINT64_MAX);
}

static enum meshcast_status unknown_slot(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    meshcast_slot_destination(routing, UINT32_MAX);
    return meshcast_forward_last(routing, &right_rule, "last", UINT64_MAX);
}

static enum meshcast_status long_phase(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    return meshcast_forward_for(routing, &right_rule, "long", UINT64_MAX - 58);
}

/* One step more than a phase may have, which may have all of them. */
static enum meshcast_status longer_phase(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    meshcast_forward_for(routing, &right_rule, "longest", UINT64_C(1) << 40);
    return meshcast_forward_for(routing, &right_rule, "longer", (UINT64_C(1) << 40) + 1);
}

/* A phase after more steps than a run may have. */
static enum meshcast_status longer_run(void *context, struct meshcast_routing *routing)
{
    enum meshcast_status status = MESHCAST_OK;
    (void)context;
    meshcast_start(routing, 0);
    for (uint32_t i = 0; i <= (1u << 20) + 1 && status == MESHCAST_OK; i++)
        status = meshcast_forward_for(routing, &right_rule, "longest", UINT64_C(1) << 40);
    return status;
}

/* The slot after the last one. */
static enum meshcast_status slot_behind(void *context, struct meshcast_routing *routing)
{
    uint32_t last = 0;
    (void)context;
    meshcast_start(routing, 0);
    for (uint32_t node = 0; node < OWN_NODES; node++)
        if (meshcast_first_resting(routing, node) != MESHCAST_NONE)
            last = meshcast_first_resting(routing, node);
    meshcast_slot_source(routing, last + 1);
    return meshcast_forward_last(routing, &right_rule, "last", UINT64_MAX);
}

/* A slot before the packet's own, as the one and as the other. */
static enum meshcast_status first_before(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    uint32_t packet = meshcast_first_resting(routing, 3);
    meshcast_slots_swap(routing, packet, meshcast_packet_first(routing, packet) - 1, packet);
    return meshcast_forward_last(routing, &right_rule, "last", UINT64_MAX);
}

static enum meshcast_status second_before(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    uint32_t packet = meshcast_first_resting(routing, 3);
    meshcast_slots_swap(routing, packet, packet, meshcast_packet_first(routing, packet) - 1);
    return meshcast_forward_last(routing, &right_rule, "last", UINT64_MAX);
}

static enum meshcast_status line_in_name(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    return meshcast_forward_last(routing, &right_rule, "x\n# phase sync", UINT64_MAX);
}

static enum meshcast_status unknown_node(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_start(routing, 0);
    meshcast_first_resting(routing, OWN_NODES);
    return meshcast_forward_last(routing, &right_rule, "last", UINT64_MAX);
}

static enum meshcast_status early_packet(void *context, struct meshcast_routing *routing)
{
    (void)context;
    meshcast_packet_target(routing, 0);
    return meshcast_start(routing, 0);
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
    {starts_twice, MESHCAST_CHECK, "meshcast_start() a second time"},
    {goes_on, MESHCAST_CHECK, "whose end no node knows"},
    {calls_it_sync, MESHCAST_CHECK, "\"sync\" is for synchronisations"},
    {empty_round, MESHCAST_CHECK, "a round of no steps"},
    {wrong_target, MESHCAST_CHECK, "has node 36 as its target; the nodes are 0 to 35"},
    {wrong_slots, MESHCAST_CHECK, "exchanges slots"},
    {splits_early, MESHCAST_CHECK, "outside of a rule's take()"},
    {unknown_packet, MESHCAST_CHECK, "asks for packet 999999, and there is none"},
    {inner_slot, MESHCAST_CHECK, ", and there is none"},
    {unknown_slot, MESHCAST_CHECK, "asks for slot 4294967295; there are "},
    {long_phase, MESHCAST_CHECK, "a phase of 18446744073709551557 steps"},
    {longer_phase, MESHCAST_CHECK, "a phase of 1099511627777 steps after 1099511627776"},
    {longer_run, MESHCAST_CHECK, "steps after 1152922604118474752; the most"},
    {slot_behind, MESHCAST_CHECK, "asks for slot "},
    {first_before, MESHCAST_CHECK, "exchanges slots"},
    {second_before, MESHCAST_CHECK, "exchanges slots"},
    {line_in_name, MESHCAST_CHECK, "a name of printable ASCII"},
    {unknown_node, MESHCAST_CHECK, "asks what rests at node 36; the nodes are 0 to 35"},
    {early_packet, MESHCAST_USAGE, "before meshcast_start()"},
    {wrong_parameter, MESHCAST_USAGE, "asked for its parameter 'kay'"},
    {refuses, MESHCAST_USAGE, "not to our taste"},
    {fails_silently, MESHCAST_USAGE, "ended with status 3, which no call returned"},
    {hides_failure, MESHCAST_CHECK, "a kernel in no tiles"},
    {gives_up, MESHCAST_CHECK, "deliveries are missing"},
    {overflows, MESHCAST_CHECK, "buffer overflow: node "},
};

/* a wrong program ends with a text that names the fault */
START_TEST(programs)
{
    const struct program_case *row = &program_cases[_i];
    struct meshcast_router_plan plan = {.name = "own", .route = row->route};
    own_router_expect(&plan, row->status, row->expected);
}
END_TEST

static const struct meshcast_parameter nameless = {"", "1", 1, 2, NULL},
                                       twins[] = {{"k", "1", 1, 2, NULL}, {"k", "2", 1, 2, NULL}},
                                       endless = {"k", "1", 1, UINT32_MAX, NULL},
                                       outside = {"k", "3", 1, 2, NULL};

static const struct plan_case {
    struct meshcast_router_plan plan;
    const char *expected;
} plan_cases[] = {
    {{.route = never_starts}, "a router needs a function that routes, and a name"},
    {{.name = "own"}, "a router needs a function that routes, and a name"},
    {{.name = "a`touch b`", .route = never_starts}, "a name of at most 63 letters, digits"},
    {{.name = "own", .route = never_starts, .parameter = &nameless, .parameters = 1},
     "a parameter needs a name"},
    {{.name = "own", .route = never_starts, .parameter = &outside, .parameters = 1},
     "standard '3'"},
    {{.name = "own", .route = never_starts, .parameter = &outside, .parameters = 17},
     "17 parameters; a router has 16 at most"},
    {{.name = "own", .route = never_starts, .parameters = 1}, "and none is given"},
    {{.name = "own", .route = never_starts, .parameter = twins, .parameters = 2},
     "two parameters are named k"},
    {{.name = "own", .route = never_starts, .parameter = &endless, .parameters = 1},
     "high is below 2^31"},
};

/* a plan that is not one is refused */
START_TEST(plans)
{
    struct meshcast_error error = {.status = MESHCAST_OK};
    ck_assert_ptr_null(meshcast_router_new(&plan_cases[_i].plan, &error));
    ck_assert_int_eq(error.status, MESHCAST_USAGE);
    ck_assert_msg(strstr(error.text, plan_cases[_i].expected) != NULL, "%s", error.text);
}
END_TEST

Suite *own_router_errors_suite(void)
{
    Suite *suite = suite_create("own_router_errors");
    TCase *tests = tcase_create("own_router_errors");
    tcase_add_loop_test(tests, programs, 0, sizeof program_cases / sizeof *program_cases);
    tcase_add_loop_test(tests, plans, 0, sizeof plan_cases / sizeof *plan_cases);
    suite_add_tcase(suite, tests);
    return suite;
}
