/* test_own_router_errors.c - programs and plans of users' routers that break the rules of the
 * public header: each ends with a status and a text that names the fault. Rules are in
 * test_own_router_rules.c.
 */
#include "test/library/own_router_case.h"

#include <check.h>
#include <string.h>

/* One mistake of each program. */
enum mistake {
    NEVER_STARTS,
    STARTS_LATE,
    EARLY_PACKET,
    WRONG_PARAMETER,
    REFUSES,
    FAILS_SILENTLY,
    STARTS_TWICE,
    GOES_ON,
    CALLS_IT_SYNC,
    LINE_IN_NAME,
    EMPTY_ROUND,
    LONG_PHASE,
    LONGER_PHASE,
    LONGER_RUN,
    HIDES_FAILURE,
    GIVES_UP,
    OVERFLOWS,
    WRONG_TARGET,
    SWAP_BEHIND,
    SWAP_INNER,
    SWAP_BEFORE,
    SWAP_SECOND_BEFORE,
    SPLITS_EARLY,
    UNKNOWN_PACKET,
    UNKNOWN_SLOT,
    SLOT_BEHIND,
    UNKNOWN_NODE,
    SORTS_UNDER_WAY,
    PREFIX_UNDER_WAY,
    NO_TILES,
    ONE_TARGET,
    ANOTHER_TILE,
    TWO_AT_A_TARGET,
    TILE_BESIDE,
    TILE_BELOW,
    SORTS_TWO
};

static enum meshcast_status forward_all(struct meshcast_routing *routing, const char *phase)
{
    return meshcast_forward_last(routing, &right_rule, phase, UINT64_MAX);
}

static enum meshcast_status forward_for(struct meshcast_routing *routing, uint64_t steps)
{
    return meshcast_forward_for(routing, &right_rule, "phase", steps);
}

/* Programs that do not start as they should. */
static enum meshcast_status begin(struct meshcast_routing *routing, enum mistake mistake)
{
    switch (mistake) {
    case STARTS_LATE:
        return meshcast_sort(routing, "sort", 1);
    case EARLY_PACKET:
        meshcast_packet_target(routing, 0);
        return meshcast_start(routing, 0);
    case WRONG_PARAMETER:
        meshcast_parameter(routing, "kay");
        return meshcast_start(routing, 0);
    case REFUSES:
        return meshcast_refuse(routing, MESHCAST_USAGE, "not to our taste");
    case FAILS_SILENTLY:
        return MESHCAST_INPUT;
    default:
        return MESHCAST_OK;
    }
}

/* The longest phases, one after the other, up to more steps than a run may have. */
static enum meshcast_status run_longer(struct meshcast_routing *routing)
{
    enum meshcast_status status = MESHCAST_OK;
    for (uint32_t i = 0; i <= (1u << 20) + 1 && status == MESHCAST_OK; i++)
        status = forward_for(routing, UINT64_C(1) << 40);
    return status;
}

/* Programs with wrong phases. */
static enum meshcast_status forward(struct meshcast_routing *routing, enum mistake mistake)
{
    meshcast_start(routing, mistake == OVERFLOWS ? 1 : 0);
    switch (mistake) {
    case STARTS_TWICE:
        return meshcast_start(routing, 0);
    case GOES_ON:
        forward_all(routing, "last");
        return forward_for(routing, 1);
    case CALLS_IT_SYNC:
        return forward_all(routing, "sync");
    case LINE_IN_NAME:
        return forward_all(routing, "x\n# phase sync");
    case EMPTY_ROUND:
        return meshcast_forward_in_rounds(routing, &right_rule, "round", 0, 1);
    case LONG_PHASE:
        return forward_for(routing, UINT64_MAX - 58);
    case LONGER_PHASE: /* one step more than a phase may have, which may have all of them */
        forward_for(routing, UINT64_C(1) << 40);
        return forward_for(routing, (UINT64_C(1) << 40) + 1);
    case LONGER_RUN:
        return run_longer(routing);
    case HIDES_FAILURE:
        meshcast_sort(routing, "sort", 0);
        return MESHCAST_OK;
    case GIVES_UP:
        return meshcast_forward_last(routing, &right_rule, "last", 2);
    default:
        return forward_all(routing, "last");
    }
}

static uint32_t last_packet(struct meshcast_routing *routing)
{
    uint32_t last = 0;
    for (uint32_t node = 0; node < OWN_NODES; node++)
        if (meshcast_first_resting(routing, node) != MESHCAST_NONE)
            last = meshcast_first_resting(routing, node);
    return last;
}

/* Programs that ask for things that do not exist, or change things that they must not. */
static enum meshcast_status ask(struct meshcast_routing *routing, enum mistake mistake)
{
    meshcast_start(routing, 0);
    uint32_t packet = meshcast_first_resting(routing, 3);
    uint32_t first = meshcast_packet_first(routing, packet);
    if (mistake == WRONG_TARGET)
        meshcast_packet_set_target(routing, packet, OWN_NODES);
    else if (mistake == SWAP_BEHIND)
        meshcast_slots_swap(routing, packet, packet, packet + 1);
    else if (mistake == SWAP_INNER) /* a slot inside of a packet names none */
        meshcast_slots_swap(routing, first, first, first);
    else if (mistake == SWAP_BEFORE)
        meshcast_slots_swap(routing, packet, first - 1, packet);
    else if (mistake == SWAP_SECOND_BEFORE)
        meshcast_slots_swap(routing, packet, packet, first - 1);
    else if (mistake == SPLITS_EARLY)
        meshcast_packet_split(routing, packet, 1);
    else if (mistake == UNKNOWN_PACKET)
        meshcast_packet_first(routing, 999999);
    else if (mistake == UNKNOWN_SLOT)
        meshcast_slot_destination(routing, UINT32_MAX);
    else if (mistake == SLOT_BEHIND)
        meshcast_slot_source(routing, last_packet(routing) + 1);
    else if (mistake == UNKNOWN_NODE)
        meshcast_first_resting(routing, OWN_NODES);
    return forward_all(routing, "last");
}

/* Keeps every packet in place, except one at node 7 that goes to node `to`. */
static enum meshcast_status route_one(struct meshcast_routing *routing, uint64_t tiles, uint32_t to)
{
    for (uint32_t node = 0; node < OWN_NODES; node++)
        if (meshcast_first_resting(routing, node) != MESHCAST_NONE)
            meshcast_packet_set_target(routing, meshcast_first_resting(routing, node),
                                       node == 7 ? to : node);
    return meshcast_route_packets(routing, "route", tiles, 1);
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

static uint64_t add(uint64_t before, uint64_t after)
{
    return before + after;
}

/* Kernels where they may not begin. */
static enum meshcast_status begin_kernel(struct meshcast_routing *routing, enum mistake mistake)
{
    static const struct meshcast_rule gather = {NULL, gather_parts, NULL, gather_stop, NULL};
    static uint64_t value[OWN_NODES];
    meshcast_start(routing, 0);
    switch (mistake) {
    case SORTS_UNDER_WAY:
        forward_for(routing, 1);
        return meshcast_sort(routing, "sort", 1);
    case PREFIX_UNDER_WAY:
        forward_for(routing, 1);
        return meshcast_prefix(routing, "prefix", 1, value, 0, add);
    case ONE_TARGET:
        return meshcast_route_packets(routing, "route", 1, 1);
    case ANOTHER_TILE:
        return meshcast_route_packets(routing, "route", 4, 64);
    case TWO_AT_A_TARGET:
        return route_one(routing, 1, 8);
    case TILE_BESIDE:
        return route_one(routing, 4, 10);
    case TILE_BELOW:
        return route_one(routing, 4, 25);
    case SORTS_TWO: /* packets at a node */
        meshcast_forward_for(routing, &gather, "gather", 3);
        return meshcast_sort(routing, "sort", 1);
    default:
        return meshcast_sort(routing, "sort", 0);
    }
}

static const struct program_case {
    enum meshcast_status (*program)(struct meshcast_routing *routing, enum mistake mistake);
    enum mistake mistake;
    enum meshcast_status status;
    const char *expected;
} program_cases[] = {
    {begin, NEVER_STARTS, MESHCAST_USAGE, "did not call meshcast_start()"},
    {begin, STARTS_LATE, MESHCAST_USAGE, "an instruction before meshcast_start()"},
    {begin, EARLY_PACKET, MESHCAST_USAGE, "before meshcast_start()"},
    {begin, WRONG_PARAMETER, MESHCAST_USAGE, "asked for its parameter 'kay'"},
    {begin, REFUSES, MESHCAST_USAGE, "not to our taste"},
    {begin, FAILS_SILENTLY, MESHCAST_USAGE, "ended with status 3, which no call returned"},
    {forward, STARTS_TWICE, MESHCAST_CHECK, "meshcast_start() a second time"},
    {forward, GOES_ON, MESHCAST_CHECK, "whose end no node knows"},
    {forward, CALLS_IT_SYNC, MESHCAST_CHECK, "\"sync\" is for synchronisations"},
    {forward, LINE_IN_NAME, MESHCAST_CHECK, "a name of printable ASCII"},
    {forward, EMPTY_ROUND, MESHCAST_CHECK, "a round of no steps"},
    {forward, LONG_PHASE, MESHCAST_CHECK, "a phase of 18446744073709551557 steps"},
    {forward, LONGER_PHASE, MESHCAST_CHECK, "of 1099511627777 steps after 1099511627776"},
    {forward, LONGER_RUN, MESHCAST_CHECK, "steps after 1152922604118474752; the most"},
    {forward, HIDES_FAILURE, MESHCAST_CHECK, "a kernel in no tiles"},
    {forward, GIVES_UP, MESHCAST_CHECK, "deliveries are missing"},
    {forward, OVERFLOWS, MESHCAST_CHECK, "buffer overflow: node "},
    {ask, WRONG_TARGET, MESHCAST_CHECK, "has node 36 as its target; the nodes are 0 to 35"},
    {ask, SWAP_BEHIND, MESHCAST_CHECK, "exchanges slots"},
    {ask, SWAP_INNER, MESHCAST_CHECK, ", and there is none"},
    {ask, SWAP_BEFORE, MESHCAST_CHECK, "exchanges slots"},
    {ask, SWAP_SECOND_BEFORE, MESHCAST_CHECK, "exchanges slots"},
    {ask, SPLITS_EARLY, MESHCAST_CHECK, "outside of a rule's take()"},
    {ask, UNKNOWN_PACKET, MESHCAST_CHECK, "asks for packet 999999, and there is none"},
    {ask, UNKNOWN_SLOT, MESHCAST_CHECK, "asks for slot 4294967295; there are "},
    {ask, SLOT_BEHIND, MESHCAST_CHECK, "asks for slot "},
    {ask, UNKNOWN_NODE, MESHCAST_CHECK, "asks what rests at node 36; the nodes are 0 to 35"},
    {begin_kernel, SORTS_UNDER_WAY, MESHCAST_CHECK, "while packets are under way"},
    {begin_kernel, PREFIX_UNDER_WAY, MESHCAST_CHECK, "while packets are under way"},
    {begin_kernel, NO_TILES, MESHCAST_CHECK, "a kernel in no tiles"},
    {begin_kernel, ONE_TARGET, MESHCAST_CHECK, "node 0 is the target of more than 1 packets"},
    {begin_kernel, ANOTHER_TILE, MESHCAST_CHECK, "which is in another tile"},
    {begin_kernel, TWO_AT_A_TARGET, MESHCAST_CHECK, "node 8 is the target of more than 1 packets"},
    {begin_kernel, TILE_BESIDE, MESHCAST_CHECK, "has target 10, which is in another tile"},
    {begin_kernel, TILE_BELOW, MESHCAST_CHECK, "has target 25, which is in another tile"},
    {begin_kernel, SORTS_TWO, MESHCAST_CHECK, "2 packets rest at node 8; the kernel takes 1"},
};

static enum meshcast_status run_program(void *context, struct meshcast_routing *routing)
{
    const struct program_case *row = context;
    return row->program(routing, row->mistake);
}

/* A wrong program ends with a text that names the fault. */
START_TEST(programs)
{
    struct program_case row = program_cases[_i];
    struct meshcast_router_plan plan = {.name = "own", .route = run_program, .context = &row};
    own_router_expect(&plan, row.status, row.expected);
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
    {{.route = run_program}, "a router needs a function that routes, and a name"},
    {{.name = "own"}, "a router needs a function that routes, and a name"},
    {{.name = "a`touch b`", .route = run_program}, "a name of at most 63 letters, digits"},
    {{.name = "own", .route = run_program, .parameter = &nameless, .parameters = 1},
     "a parameter needs a name"},
    {{.name = "own", .route = run_program, .parameter = &outside, .parameters = 1}, "standard '3'"},
    {{.name = "own", .route = run_program, .parameter = &outside, .parameters = 17},
     "17 parameters; a router has 16 at most"},
    {{.name = "own", .route = run_program, .parameters = 1}, "and none is given"},
    {{.name = "own", .route = run_program, .parameter = twins, .parameters = 2},
     "two parameters are named k"},
    {{.name = "own", .route = run_program, .parameter = &endless, .parameters = 1},
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

void own_router_errors_suite(TCase *tests)
{
    tcase_add_loop_test(tests, programs, 0, sizeof program_cases / sizeof *program_cases);
    tcase_add_loop_test(tests, plans, 0, sizeof plan_cases / sizeof *plan_cases);
}
