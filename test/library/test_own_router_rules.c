/* test_own_router_rules.c - rules of a user's own router that break the public header.
 *
 * Every promise is broken once, by a rule that is otherwise right, on one thread and on two; the
 * run must end with a status and a text that names the fault, and nothing must crash.
 */
#include "test/library/own_router_case.h"
#include "test/library_case.h"

#include <check.h>
#include <string.h>

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

static unsigned misdelivery(void *context, struct meshcast_routing *routing,
                            struct meshcast_site site, uint32_t packet)
{
    unsigned right = right_parts(context, routing, site, packet);
    return right & MESHCAST_AGAIN ? right : MESHCAST_DELIVER;
}

static unsigned split_early(void *context, struct meshcast_routing *routing,
                            struct meshcast_site site, uint32_t packet)
{
    unsigned right = right_parts(context, routing, site, packet);
    if (right & MESHCAST_AGAIN)
        meshcast_packet_split(routing, packet, 1);
    return right;
}

static unsigned call_inside(void *context, struct meshcast_routing *routing,
                            struct meshcast_site site, uint32_t packet)
{
    meshcast_sort(routing, "inside", 1);
    return right_parts(context, routing, site, packet);
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

/* Hands on the second of two pieces. */
static uint32_t take_second(void *context, struct meshcast_routing *routing,
                            struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    (void)context, (void)site, (void)part;
    uint32_t taken = meshcast_packet_split(routing, packet, 1);
    if (meshcast_packet_first(routing, packet) < packet)
        taken = meshcast_packet_split(routing, packet, 1);
    return taken;
}

/* A delivery is wanted at once, of a packet that has it; the rest is looked at again. */
/* All slots together as far as the node of the first one. */
static unsigned whole_way(void *context, struct meshcast_routing *routing,
                          struct meshcast_site site, uint32_t packet)
{
    uint32_t first = meshcast_packet_first(routing, packet);
    bool is_there = meshcast_slot_destination(routing, first).node == site.node;
    unsigned right = right_parts(context, routing, site, packet);
    return is_there ? right : right & ~(unsigned)MESHCAST_AGAIN;
}

static uint32_t stop_whole(void *context, struct meshcast_routing *routing,
                           struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    return right_stop(context, routing, site, meshcast_packet_first(routing, packet), part);
}

static unsigned deliver_first(void *context, struct meshcast_routing *routing,
                              struct meshcast_site site, uint32_t packet)
{
    uint32_t first = meshcast_packet_first(routing, packet);
    for (uint32_t slot = first; slot <= packet && first + 2 <= packet; slot++)
        if (meshcast_slot_destination(routing, slot).node == site.node) {
            meshcast_slots_swap(routing, packet, first + 1, slot);
            return MESHCAST_DELIVER | MESHCAST_AGAIN;
        }
    return whole_way(context, routing, site, packet);
}

/* For the delivery of the second slot: both, or the first. */
static uint32_t take_two(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                         uint32_t packet, enum meshcast_part part)
{
    (void)context, (void)site;
    return meshcast_packet_split(routing, packet, part == MESHCAST_DELIVER ? 2 : 1);
}

/* Delivers one slot of a packet with several, and forgets the others. */
static unsigned deliver_alone(void *context, struct meshcast_routing *routing,
                              struct meshcast_site site, uint32_t packet)
{
    uint32_t first = meshcast_packet_first(routing, packet);
    if (first + 1 == packet && (meshcast_slot_destination(routing, first).node == site.node ||
                                meshcast_slot_destination(routing, packet).node == site.node))
        return MESHCAST_DELIVER;
    return whole_way(context, routing, site, packet);
}

/* Two parts for a packet with one slot. */
static unsigned one_too_many(void *context, struct meshcast_routing *routing,
                             struct meshcast_site site, uint32_t packet)
{
    unsigned right = right_parts(context, routing, site, packet);
    return meshcast_packet_first(routing, packet) == packet ? right | MESHCAST_PARK : right;
}

/* At the border that *context names, the link over it. */
static unsigned over_the_border(void *context, struct meshcast_routing *routing,
                                struct meshcast_site site, uint32_t packet)
{
    const enum meshcast_part *over = context;
    bool is_there = *over == MESHCAST_NORTH   ? site.row == 0
                    : *over == MESHCAST_SOUTH ? site.row + 1 == OWN_SIDE
                    : *over == MESHCAST_WEST  ? site.col == 0
                                              : site.col + 1 == OWN_SIDE;
    return is_there ? (unsigned)*over : right_parts(NULL, routing, site, packet);
}

/* On the way that *context names: the node itself, or the first place off the mesh. */
static uint32_t stop_too_near(void *context, struct meshcast_routing *routing,
                              struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    const enum meshcast_part *wrong = context;
    uint32_t here = part == MESHCAST_WEST || part == MESHCAST_EAST ? site.col : site.row;
    return part == *wrong ? here : right_stop(NULL, routing, site, packet, part);
}

static uint32_t stop_too_far(void *context, struct meshcast_routing *routing,
                             struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    const enum meshcast_part *wrong = context;
    return part == *wrong ? OWN_SIDE : right_stop(NULL, routing, site, packet, part);
}

static unsigned right_without_context(void *context, struct meshcast_routing *routing,
                                      struct meshcast_site site, uint32_t packet)
{
    (void)context;
    return right_parts(NULL, routing, site, packet);
}

/* A split where only the stop is asked for. */
static uint32_t stop_and_split(void *context, struct meshcast_routing *routing,
                               struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    uint32_t stop = right_stop(context, routing, site, packet, part);
    if (meshcast_packet_first(routing, packet) < packet)
        meshcast_packet_split(routing, packet, 1);
    return stop;
}

/* All slots of a packet go one way, and are parted where they arrive. */
static unsigned parts_together(void *context, struct meshcast_routing *routing,
                               struct meshcast_site site, uint32_t packet)
{
    unsigned right = right_parts(context, routing, site, packet);
    return right & MESHCAST_DELIVER ? right : right & ~(unsigned)MESHCAST_AGAIN;
}

static uint32_t stop_of_first(void *context, struct meshcast_routing *routing,
                              struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    uint32_t first = meshcast_packet_first(routing, packet);
    struct meshcast_site to = meshcast_slot_destination(routing, first);
    uint32_t stop = part == MESHCAST_WEST || part == MESHCAST_EAST ? to.col : to.row;
    stop_and_split(context, routing, site, packet, part);
    return stop;
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
    return part == MESHCAST_WEST || part == MESHCAST_NORTH ? UINT32_MAX : OWN_SIDE;
}

static uint32_t too_urgent(void *context, struct meshcast_routing *routing,
                           struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    (void)context, (void)routing, (void)packet, (void)site, (void)part;
    return 131072;
}

static unsigned no_part = 0, again_alone = MESHCAST_AGAIN, north = MESHCAST_NORTH,
                south = MESHCAST_SOUTH, west = MESHCAST_WEST, east = MESHCAST_EAST,
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
    {{NULL, misdelivery, right_take, right_stop, NULL}, "a delivery that the packet does not"},
    {{NULL, right_parts, NULL, right_stop, NULL}, "no function that takes them"},
    {{NULL, NULL, right_take, right_stop, NULL}, "without parts() or stop()"},
    {{NULL, right_parts, right_take, NULL, NULL}, "without parts() or stop()"},
    {{NULL, split_early, right_take, right_stop, NULL}, "where only its parts were asked for"},
    {{NULL, call_inside, right_take, right_stop, NULL}, "an instruction inside of a rule"},
    {{NULL, right_parts, take_itself, right_stop, NULL}, "is not what one split"},
    {{NULL, right_parts, take_all, right_stop, NULL}, "and must keep one"},
    {{NULL, right_parts, take_twice, right_stop, NULL}, "is not what one split"},
    {{NULL, right_parts, right_take, stop_here, NULL}, "which is not ahead"},
    {{NULL, right_parts, right_take, stop_beyond, NULL}, "which is not ahead"},
    {{NULL, right_parts, right_take, right_stop, too_urgent}, "the most is 131071"},
    {{NULL, one_too_many, right_take, right_stop, NULL}, "more parts than the packet has"},
    {{NULL, deliver_alone, right_take, stop_whole, NULL}, "alone, of a packet with more slots"},
    {{NULL, right_parts, take_second, right_stop, NULL}, "is not what one split"},
    {{NULL, deliver_first, take_two, stop_whole, NULL}, "is not the one slot for this node"},
    {{NULL, deliver_first, right_take, stop_whole, NULL}, "is not the one slot for this node"},
    {{NULL, parts_together, right_take, stop_of_first, NULL}, "over link"},
    {{&north, over_the_border, right_take, right_stop, NULL}, "a link that leaves the mesh"},
    {{&south, over_the_border, right_take, right_stop, NULL}, "a link that leaves the mesh"},
    {{&west, over_the_border, right_take, right_stop, NULL}, "a link that leaves the mesh"},
    {{&east, over_the_border, right_take, right_stop, NULL}, "a link that leaves the mesh"},
    {{&north, right_without_context, right_take, stop_too_near, NULL}, "which is not ahead"},
    {{&south, right_without_context, right_take, stop_too_near, NULL}, "which is not ahead"},
    {{&west, right_without_context, right_take, stop_too_near, NULL}, "which is not ahead"},
    {{&east, right_without_context, right_take, stop_too_near, NULL}, "which is not ahead"},
    {{&south, right_without_context, right_take, stop_too_far, NULL}, "which is not ahead"},
    {{&east, right_without_context, right_take, stop_too_far, NULL}, "which is not ahead"},
};

static enum meshcast_status follow_rule(void *context, struct meshcast_routing *routing)
{
    const struct rule_case *row = context;
    meshcast_start(routing, 0);
    return meshcast_forward_last(routing, &row->rule, "rule", UINT64_MAX);
}

/* the rule that the others are made from is right */
START_TEST(right_rule_delivers)
{
    struct rule_case row = {right_rule, ""};
    struct meshcast_router_plan plan = {.name = "own", .route = follow_rule, .context = &row};
    own_router_expect(&plan, MESHCAST_OK, "");
}
END_TEST

/* a rule's wrong answer ends the run with a text that names the fault */
START_TEST(rules)
{
    struct rule_case row = rule_cases[_i];
    struct meshcast_router_plan plan = {.name = "own", .route = follow_rule, .context = &row};
    own_router_expect(&plan, MESHCAST_CHECK, row.expected);
}
END_TEST

/* ---- a rule that counts its calls, and is wrong about one packet ---- */

struct counted {
    uint32_t wrong_packet, asked;
};

static unsigned count_parts(void *context, struct meshcast_routing *routing,
                            struct meshcast_site site, uint32_t packet)
{
    struct counted *counted = context;
    bool is_wrong = packet == counted->wrong_packet && site.row % 16 == 15;
    counted->asked++;
    return is_wrong ? 0 : right_parts(context, routing, site, packet);
}

static enum meshcast_status follow_counted(void *context, struct meshcast_routing *routing)
{
    struct meshcast_rule rule = {context, count_parts, right_take, right_stop, NULL};
    meshcast_start(routing, 0);
    return meshcast_forward_last(routing, &rule, "counted", UINT64_MAX);
}

static void look_away(void *context, uint64_t step, const struct meshcast_event *event,
                      size_t count)
{
    (void)context, (void)step, (void)event, (void)count;
}

static void no_phase(void *context, uint64_t step, const char *name)
{
    (void)context, (void)step, (void)name;
}

/* Runs it within a buffer, observed or not; `error` and the count show the result. */
static void run_counted(struct counted *counted, const struct meshcast_set *set, uint32_t buffer,
                        bool is_observed, struct meshcast_error *error)
{
    static const struct meshcast_observer observer = {NULL, look_away, no_phase};
    struct meshcast_router_plan plan = {.name = "own", .route = follow_counted, .context = counted};
    struct meshcast_router *router = meshcast_router_new(&plan, NULL);
    char options[40];
    snprintf(options, sizeof options, "threads=1 buffer=%u", (unsigned)buffer);
    struct meshcast_command *command = case_command("route", set, options);
    meshcast_command_give_router(command, router);
    if (is_observed)
        meshcast_command_set_observer(command, &observer);
    meshcast_report_free(case_run(command, error));
    meshcast_router_free(router);
}

/* no rule is called for a step after the one in which a buffer overflows, with an observer or
 * without: a rule that would be wrong there has no fault */
START_TEST(not_called_behind_an_overflow)
{
    struct meshcast_set *set =
        case_gen("pattern=uniform rows=48 cols=8 degree=1 congestion=6 seed=1");
    uint32_t overflows = 0, faults = 0;
    for (uint32_t i = 0; i < 96; i++) {
        struct counted one = {5 * i, 0}, other = one;
        struct meshcast_error observed = {.status = MESHCAST_OK}, unobserved = observed;
        run_counted(&one, set, 2 + i % 6, true, &observed);
        run_counted(&other, set, 2 + i % 6, false, &unobserved);
        ck_assert_int_eq(observed.status, unobserved.status);
        ck_assert_str_eq(observed.text, unobserved.text);
        ck_assert_uint_eq(one.asked, other.asked);
        bool has_overflow = strstr(observed.text, "buffer overflow") != NULL;
        overflows += has_overflow;
        faults += observed.status == MESHCAST_CHECK && !has_overflow;
    }
    ck_assert_uint_gt(overflows, 0);
    ck_assert_uint_gt(faults, 0);
    meshcast_set_free(set);
}
END_TEST

void own_router_rules_suite(TCase *tests)
{
    tcase_add_test(tests, right_rule_delivers);
    tcase_add_loop_test(tests, rules, 0, sizeof rule_cases / sizeof *rule_cases);
    tcase_add_test(tests, not_called_behind_an_overflow);
}
