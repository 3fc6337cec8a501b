/* test_kernel_checks.c - the check of each kernel, condition by condition.
 *
 * A kernel runs as it should; then one packet is moved, discarded or divided, by an instruction, or
 * a field of its header is changed, and the check must name the first wrong node and its fault.
 * Beside rows for each condition, every single move and loss on a small mesh is tried.
 */
#include "primitives/migrate.h"
#include "test/primitives/kernel_spoiling.h"

#include <check.h>

/* ---- any kernel of packets ---- */

/* The node that is spoiled, and the damage to its first packet. */
static node_index spoiled_node, spoiled_to;
static enum spoiling spoiled_act;
static bool has_spoiled;

static void spoil_one(struct kernel_case *run)
{
    uint32_t packet = spoil_packet_at(run, spoiled_node, 0);
    has_spoiled = packet != MACHINE_NONE;
    if (has_spoiled)
        spoil(run, packet, spoiled_act, spoiled_to);
}

static void try_one(const struct kernel_row *row, const struct kernel_options *options)
{
    struct failure failure = {0};
    enum failure_kind kind = spoil_run(row, options, spoil_one, &failure);
    if (has_spoiled && kind != FAIL_CHECK)
        ck_abort_msg("%s, load %u: node %u, act %d, to node %u", row->shown.name, options->load,
                     spoiled_node, (int)spoiled_act, spoiled_to);
}

/* True if in the end a packet rests at `node`. */
static bool rests_at(const struct kernel_row *row, struct kernel_options options, node_index node)
{
    spoiled_act = SPOIL_MOVE;
    spoiled_node = spoiled_to = node;
    ck_assert_int_eq(spoil_run(row, &options, spoil_one, NULL), FAIL_NONE);
    return has_spoiled;
}

/* Every packet moved to every other node, and every packet lost, is found; on tiles of even and of
 * odd size, and also with nodes that are left empty. */
START_TEST(moves_and_losses)
{
    static const struct kernel_row *const rows[] = {&kernel_sort_row, &kernel_broadcast_row,
                                                    &kernel_route_row, &kernel_migrate_row};
    const struct kernel_row *row = rows[_i];
    struct kernel_options options = spoil_options("random", 1);
    for (uint32_t variant = 0; variant < 8; variant++) {
        uint32_t side = variant & 1 ? SPOILED_SIDE : 3;
        options.mesh = (struct mesh){side, side};
        options.load = variant & 2 ? 100 : 60;
        options.tiles = variant & 4 ? 4 : 1;
        for (spoiled_node = 0; spoiled_node < side * side; spoiled_node++) {
            spoiled_act = SPOIL_LOSE;
            try_one(row, &options);
            spoiled_act = SPOIL_MOVE;
            for (spoiled_to = 0; spoiled_to < side * side; spoiled_to++)
                if (spoiled_to != spoiled_node)
                    try_one(row, &options);
        }
    }
}
END_TEST

/* ---- sort ---- */

static void second_to_first(struct kernel_case *run)
{
    spoil(run, spoil_packet_at(run, 1, 0), SPOIL_MOVE, 0);
}

static void from_next_tile(struct kernel_case *run)
{
    spoil(run, spoil_packet_at(run, 2, 0), SPOIL_MOVE,
          SPOILED_SIDE); /* the end of the first tile's snake */
}

/* A node that holds two packets is the first that is wrong, though the right one came first; and
 * the node after the last packet, which holds one. */
START_TEST(sorting)
{
    struct kernel_options options = spoil_options("identity", 1);
    spoil_expect(&kernel_sort_row, options, second_to_first,
                 "row 0, column 0, number 0 in the snake of its tile, does not hold exactly the "
                 "packet of that "
                 "rank");
    options.tiles = 4;
    options.load = 50;
    while (rests_at(&kernel_sort_row, options, SPOILED_SIDE) ||
           !rests_at(&kernel_sort_row, options, 2))
        ck_assert_uint_lt(options.seed++, 100);
    spoil_expect(
        &kernel_sort_row, options, from_next_tile,
        "row 1, column 0, number 3 in the snake of its tile, holds a packet although none");
}
END_TEST

/* ---- broadcast ---- */

static struct header *header_at(struct kernel_case *run, node_index node)
{
    return &machine_headers(run->machine)->packet[spoil_packet_at(run, node, 0)];
}

/* Nodes 5 and 6 stand next to each other on the snake, 6 first. */
static void exchange_targets(struct kernel_case *run)
{
    uint32_t target = header_at(run, 5)->target;
    header_at(run, 5)->target = header_at(run, 6)->target;
    header_at(run, 6)->target = target;
}

static void same_target(struct kernel_case *run)
{
    struct headers *header = machine_headers(run->machine);
    uint32_t one = spoil_packet_at(run, 5, 0), other = spoil_packet_at(run, 5, 1);
    header->packet[one].target = header->packet[other].target;
}

static void long_range(struct kernel_case *run)
{
    header_at(run, 5)->first--;
}

/* Copies of different packets change places, and seem to be each other. */
static void exchange_copies(struct kernel_case *run)
{
    uint32_t one = spoil_packet_at(run, 0, 0), other = spoil_packet_at(run, 15, 0);
    struct headers *header = machine_headers(run->machine);
    uint32_t target = header->packet[one].target;
    header->packet[one].target = header->packet[other].target;
    header->packet[other].target = target;
    spoil(run, one, SPOIL_MOVE, 15);
    spoil(run, other, SPOIL_MOVE, 0);
}

/* The copy at node 8 seems to be of the first position, which is empty. */
static void earlier_target(struct kernel_case *run)
{
    header_at(run, 8)->target = 0;
}

/* A position of another node, one twice, a packet that is still whole, and a copy of another
 * packet: each is told of the node where it is. */
START_TEST(broadcast)
{
    struct kernel_options options = spoil_options("identity", 1); /* one segment */
    spoil_expect(&kernel_broadcast_row, options, exchange_targets,
                 "the node at row 1, column 2 holds a copy too many");
    spoil_expect(&kernel_broadcast_row, options, long_range,
                 "the node at row 1, column 1 holds a packet that was not split");
    options.k = 2;
    spoil_expect(&kernel_broadcast_row, options, same_target,
                 "the node at row 1, column 1 holds a copy too many");
    options = spoil_options("reversal", 1); /* a segment per node at first */
    spoil_expect(&kernel_broadcast_row, options, exchange_copies,
                 "the node at row 0, column 0 holds a copy of another segment");
}
END_TEST

/* A copy of an earlier position is one too many, whatever stands at that position. */
START_TEST(broadcast_of_earlier)
{
    struct kernel_options options = spoil_options("random", 1);
    options.load = 50;
    while (rests_at(&kernel_broadcast_row, options, 0) ||
           !rests_at(&kernel_broadcast_row, options, 8))
        ck_assert_uint_lt(options.seed++, 100);
    spoil_expect(&kernel_broadcast_row, options, earlier_target,
                 "the node at row 2, column 0 holds a copy too many");
}
END_TEST

/* ---- route ---- */

static void lose_one(struct kernel_case *run)
{
    spoil(run, spoil_packet_at(run, 9, 0), SPOIL_LOSE, 0);
}

/* A packet that is nowhere is missing. */
START_TEST(route)
{
    spoil_expect(&kernel_route_row, spoil_options("random", 1), lose_one,
                 "15 of 16 packets are at their targets");
}
END_TEST

/* ---- migrate ---- */

/* Calls `act` for each resting packet until it has found one; there must be one. */
static void spoil_first(struct kernel_case *run,
                        bool (*act)(struct kernel_case *run, node_index node, uint32_t packet))
{
    for (node_index node = 0; node < run->nodes; node++)
        for (uint32_t packet = machine_first_resting(run->machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(run->machine, packet))
            if (act(run, node, packet))
                return;
    ck_abort_msg("no such packet");
}

static bool move_master(struct kernel_case *run, node_index node, uint32_t packet)
{
    if (machine_headers(run->machine)->packet[packet].state & MIGRATE_IS_COPY)
        return false;
    spoil(run, packet, SPOIL_MOVE, node == 0 ? 1 : 0);
    return true;
}

static bool demote_copy(struct kernel_case *run, node_index node, uint32_t packet)
{
    struct header *header = &machine_headers(run->machine)->packet[packet];
    if (!(header->state & MIGRATE_IS_COPY) || header->message % run->nodes != node)
        return false;
    header->state &= (uint8_t)~MIGRATE_IS_COPY;
    return true;
}

static bool divide_copy(struct kernel_case *run, node_index node, uint32_t packet)
{
    const struct header *header = &machine_headers(run->machine)->packet[packet];
    (void)node;
    if (!(header->state & MIGRATE_IS_COPY) || header->first == packet)
        return false;
    spoil(run, packet, SPOIL_DIVIDE, 0);
    return true;
}

static bool lose_master(struct kernel_case *run, node_index node, uint32_t packet)
{
    (void)node;
    if (machine_headers(run->machine)->packet[packet].state & MIGRATE_IS_COPY)
        return false;
    spoil(run, packet, SPOIL_LOSE, 0);
    return true;
}

static void move_a_master(struct kernel_case *run)
{
    spoil_first(run, move_master);
}

static void demote_a_copy(struct kernel_case *run)
{
    spoil_first(run, demote_copy);
}

static void divide_a_copy(struct kernel_case *run)
{
    spoil_first(run, divide_copy);
}

static void lose_a_master(struct kernel_case *run)
{
    spoil_first(run, lose_master);
}

/* A packet that was not selected and is not at its source, a copy that claims to be none, a copy of
 * a part of its destinations, and destinations that are lost. */
START_TEST(migration)
{
    struct kernel_options options = spoil_options("identity", 1);
    spoil_expect(&kernel_migrate_row, options, move_a_master,
                 "holds a packet that does not belong");
    spoil_expect(&kernel_migrate_row, options, demote_a_copy,
                 "holds a packet that does not belong");
    spoil_expect(&kernel_migrate_row, options, lose_a_master, "destinations of 64 are left");
    options.k = 3;
    spoil_expect(&kernel_migrate_row, options, divide_a_copy,
                 "holds a packet that does not belong");
}
END_TEST

/* ---- prefix ---- */

static uint32_t spoiled_array, spoiled_item;
static int64_t spoiled_by;

/* run->own has three arrays of [computation][node]: the inputs, the prefixes, the totals. */
static void change_value(struct kernel_case *run)
{
    uint64_t *const *array = run->own;
    array[spoiled_array][spoiled_item] += (uint64_t)spoiled_by;
}

/* Every prefix and every total of every computation in every tile is checked: one more and one less
 * are found. */
START_TEST(prefixes)
{
    struct kernel_options options = spoil_options("random", 2);
    options.tiles = 4;
    options.method = "total";
    for (spoiled_array = 1; spoiled_array <= 2; spoiled_array++)
        for (spoiled_item = 0; spoiled_item < 2 * SPOILED_NODES; spoiled_item++)
            for (spoiled_by = -1; spoiled_by <= 1; spoiled_by += 2) {
                char expected[80];
                snprintf(expected, sizeof expected, "prefix %u at row %u, column %u is",
                         spoiled_item / SPOILED_NODES, spoiled_item % SPOILED_NODES / SPOILED_SIDE,
                         spoiled_item % SPOILED_SIDE);
                spoil_expect(&kernel_prefix_row, options, change_value, expected);
            }
}
END_TEST

void kernel_checks_suite(TCase *tests)
{
    tcase_add_loop_test(tests, moves_and_losses, 0, 4);
    tcase_add_test(tests, sorting);
    tcase_add_test(tests, broadcast);
    tcase_add_test(tests, broadcast_of_earlier);
    tcase_add_test(tests, route);
    tcase_add_test(tests, migration);
    tcase_add_test(tests, prefixes);
}
