/* test_multicast_tree.c - dimension-ordered trees, walked without a machine.
 *
 * A plain recursive walker takes the parts of a packet one after another and follows each over its
 * link, node by node. What it must see is computed from the destinations alone: the links of the
 * tree are those of the paths root -> (root's row, column of the destination) -> destination.
 */
#include "base/pcg.h"
#include "primitives/multicast_tree.h"
#include "test/tests_fork.h"

#include <check.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

Suite *multicast_tree_suite(void);

enum { MOST_NODES = 400, FIRST_SLOT = 5 };

/* A walk: which links the walker crossed and where slots were delivered. */
struct walk {
    struct headers header;
    struct mesh mesh;
    bool row_first, wants_high_first;
    uint8_t crossed[MOST_NODES][DIRECTIONS];
    uint8_t delivered[MOST_NODES];
    uint8_t slot_delivered[FIRST_SLOT + MOST_NODES];
};

static void walk_make(struct walk *walk, struct mesh mesh, bool row_first)
{
    uint32_t slots = FIRST_SLOT + mesh_nodes(mesh);
    ck_assert_uint_le(mesh_nodes(mesh), MOST_NODES);
    *walk = (struct walk){.mesh = mesh, .row_first = row_first};
    walk->header.slots = slots;
    walk->header.packet = calloc(slots, sizeof(struct header));
    walk->header.destination = calloc(slots, sizeof(node_place));
}

static void walk_free(struct walk *walk)
{
    free(walk->header.packet);
    free(walk->header.destination);
}

static void deliver(struct walk *walk, struct site site, uint32_t slot)
{
    ck_assert_uint_eq(walk->header.destination[slot], site_place(site));
    ck_assert_uint_eq(walk->delivered[site.index]++, 0);
    ck_assert_uint_eq(walk->slot_delivered[slot]++, 0);
}

static struct site step(const struct walk *walk, struct site site, enum direction to)
{
    static const int down[DIRECTIONS] = {-1, 1, 0, 0}, right[DIRECTIONS] = {0, 0, -1, 1};
    uint32_t row = site.row + (uint32_t)down[to], col = site.col + (uint32_t)right[to];
    ck_assert(row < walk->mesh.rows && col < walk->mesh.cols);
    return (struct site){row * walk->mesh.cols + col, row, col};
}

static void visit(struct walk *walk, struct site site, uint32_t packet);

/* Follows a packet of one part over `to` up to its stop. */
static void follow(struct walk *walk, struct site site, uint32_t packet, enum direction to)
{
    uint32_t stop = tree_stop(&walk->header, packet, to);
    do {
        ck_assert_uint_eq(walk->crossed[site.index][to]++, 0);
        site = step(walk, site, to);
    } while (stop != (direction_is_vertical(to) ? site.row : site.col));
    visit(walk, site, packet);
}

/* Takes all parts but one off, in ascending or descending order, and follows them. */
static void visit(struct walk *walk, struct site site, uint32_t packet)
{
    struct headers *header = &walk->header;
    unsigned outputs = tree_outputs(header, site, packet, walk->row_first);
    ck_assert_uint_ne(outputs, 0);
    ck_assert_uint_eq(outputs & ~(unsigned)(OUT_LINKS | OUT_EJECT), 0);
    while ((outputs & (outputs - 1)) != 0) {
        unsigned part = outputs & -outputs;
        if (walk->wants_high_first)
            part = 1u << (31 - __builtin_clz(outputs));
        uint32_t first = header->packet[packet].first;
        uint32_t taken = tree_take(header, site, packet, (enum output)part, walk->row_first);
        ck_assert(first <= taken && taken < packet);
        ck_assert_uint_eq(header->packet[taken].first, first);
        ck_assert_uint_eq(header->packet[packet].first, taken + 1);
        ck_assert_uint_eq(header->packet[taken].target, header->packet[packet].target);
        ck_assert_uint_eq(header->packet[taken].state, header->packet[packet].state);
        ck_assert_uint_eq(tree_outputs(header, site, taken, walk->row_first), part);
        ck_assert_uint_eq(tree_outputs(header, site, packet, walk->row_first), outputs & ~part);
        if (part == OUT_EJECT)
            deliver(walk, site, taken);
        else
            follow(walk, site, taken, (enum direction)__builtin_ctz(part));
        outputs &= ~part;
    }
    if (outputs == OUT_EJECT) {
        ck_assert_uint_eq(header->packet[packet].first, packet);
        deliver(walk, site, packet);
    } else {
        follow(walk, site, packet, (enum direction)__builtin_ctz(outputs));
    }
}

/* Marks the links from `from` to `to`, which differ along one axis. */
static void mark_path(const struct walk *walk, struct site from, struct site to,
                      uint8_t links[][DIRECTIONS])
{
    while (from.index != to.index) {
        enum direction d = from.row > to.row   ? NORTH
                           : from.row < to.row ? SOUTH
                           : from.col > to.col ? WEST
                                               : EAST;
        links[from.index][d] = 1;
        from = step(walk, from, d);
    }
}

static struct site site_of(const struct walk *walk, node_index node)
{
    return (struct site){node, node / walk->mesh.cols, node % walk->mesh.cols};
}

/* Walks the tree from `root` to the nodes with a mark and compares all with the definition. */
static void check_tree(struct mesh mesh, node_index root_node, const uint8_t *marked,
                       unsigned variant)
{
    static uint8_t links[MOST_NODES][DIRECTIONS];
    struct walk walk;
    walk_make(&walk, mesh, variant & 1);
    walk.wants_high_first = variant & 2;
    memset(links, 0, sizeof links);
    struct site root = site_of(&walk, root_node);
    uint32_t packet = FIRST_SLOT - 1;
    for (uint32_t i = 0, n = mesh_nodes(mesh); i < n; i++) {
        node_index node = variant & 4 ? n - 1 - i : i;
        struct site site = site_of(&walk, node);
        if (!marked[node])
            continue;
        walk.header.destination[++packet] = site_place(site);
        uint32_t turn =
            walk.row_first ? root.row * mesh.cols + site.col : site.row * mesh.cols + root.col;
        mark_path(&walk, root, site_of(&walk, turn), links);
        mark_path(&walk, site_of(&walk, turn), site, links);
    }
    walk.header.packet[packet].first = FIRST_SLOT;
    walk.header.packet[packet].target = 77;
    walk.header.packet[packet].state = 3;
    tree_start(&walk.header, root, packet, walk.row_first);
    visit(&walk, root, packet);
    for (node_index node = 0; node < mesh_nodes(mesh); node++)
        ck_assert_uint_eq(walk.delivered[node], marked[node]);
    ck_assert_int_eq(memcmp(walk.crossed, links, sizeof links), 0);
    walk_free(&walk);
}

static void check_random(struct mesh mesh, struct pcg32 *random, uint32_t count)
{
    uint8_t marked[MOST_NODES] = {0};
    uint32_t nodes = mesh_nodes(mesh);
    marked[pcg32_below(random, nodes)] = 1;
    for (uint32_t i = 1; i < count; i++)
        marked[pcg32_below(random, nodes)] = 1;
    check_tree(mesh, pcg32_below(random, nodes), marked, pcg32_below(random, 8));
}

/* random sets of every size: each destination once, exactly the links of the XY or YX tree */
START_TEST(random_sets)
{
    struct pcg32 random = pcg32_seed(1, 20);
    for (int i = 0; i < 1500; i++) {
        struct mesh mesh = {1 + pcg32_below(&random, 12), 1 + pcg32_below(&random, 12)};
        uint32_t most = pcg32_below(&random, 2) ? 8 : mesh_nodes(mesh);
        check_random(mesh, &random, 1 + pcg32_below(&random, most));
    }
}
END_TEST

/* all nodes from every root, in all variants of order and of taking */
START_TEST(all_nodes)
{
    static const struct mesh meshes[] = {{1, 1}, {1, 7}, {7, 1}, {2, 2}, {3, 5}, {5, 4}};
    uint8_t marked[MOST_NODES];
    memset(marked, 1, sizeof marked);
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++)
        for (node_index root = 0; root < mesh_nodes(meshes[i]); root++)
            for (unsigned variant = 0; variant < 8; variant++)
                check_tree(meshes[i], root, marked, variant);
}
END_TEST

/* one destination, which may be the root */
START_TEST(single_destinations)
{
    struct mesh mesh = {4, 5};
    for (node_index root = 0; root < 20; root++) {
        for (node_index to = 0; to < 20; to++) {
            uint8_t marked[MOST_NODES] = {0};
            marked[to] = 1;
            check_tree(mesh, root, marked, 0);
            check_tree(mesh, root, marked, 1);
        }
    }
}
END_TEST

/* a large set, sorted by the other method than small ones, and the mesh's far corners */
START_TEST(large_sets)
{
    struct pcg32 random = pcg32_seed(2, 20);
    struct mesh square = {20, 20};
    for (int i = 0; i < 40; i++)
        check_random(square, &random, 400);
    uint8_t corners[MOST_NODES] = {0};
    corners[0] = corners[19] = corners[380] = corners[399] = 1;
    for (unsigned variant = 0; variant < 8; variant++)
        for (node_index root = 0; root < 400; root += 37)
            check_tree(square, root, corners, variant);
}
END_TEST

/* the largest mesh's coordinates survive the sort keys, from every corner as the root */
START_TEST(largest_coordinates)
{
    enum { LAST = MESH_MAX_SIDE - 1 };
    static const uint32_t at[] = {0, 1, LAST / 2, LAST - 1, LAST};
    struct header packet[25] = {{0}};
    node_place place[25];
    struct headers header = {.slots = 25, .packet = packet, .destination = place};
    for (unsigned corner = 0; corner < 8; corner++) {
        struct site root = {0, corner & 1 ? LAST : 0, corner & 2 ? LAST : 0};
        for (uint32_t i = 0; i < 25; i++)
            place[i] = place_of(at[i / 5], at[i % 5]);
        packet[24].first = 0;
        tree_start(&header, root, 24, corner & 4);
        for (uint32_t i = 0; i < 25; i++) {
            uint32_t found = 0;
            for (uint32_t j = 0; j < 25; j++)
                found += place[j] == place_of(at[i / 5], at[i % 5]);
            ck_assert_uint_eq(found, 1);
        }
    }
}
END_TEST

/* packet_split hands on the front slots with the same fields */
START_TEST(split)
{
    struct header packet[10] = {{0}};
    node_place place[10];
    struct headers header = {.slots = 10, .packet = packet, .destination = place};
    packet[9] = (struct header){.first = 2, .target = 12, .state = 5};
    ck_assert_uint_eq(packet_split(&header, 9, 6), 5);
    ck_assert(packet[5].first == 2 && packet[9].first == 6);
    ck_assert(packet[5].target == 12 && packet[9].target == 12);
    ck_assert(packet[5].state == 5 && packet[9].state == 5);
}
END_TEST

/* A part or a rest without a slot stops the program: as the name of another packet it would be split
 * off again and again. */
START_TEST(empty_split)
{
    static const uint32_t middles[] = {0, 1, 2, 10, 11};
    struct header packet[12] = {{0}};
    node_place place[12];
    struct headers header = {.slots = 12, .packet = packet, .destination = place};
    packet[9].first = 2;
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
    packet_split(&header, 9, middles[_i]);
}
END_TEST

Suite *multicast_tree_suite(void)
{
    Suite *suite = suite_create("multicast_tree");
    TCase *tests = tcase_create("multicast_tree");
    tcase_add_test(tests, random_sets);
    tcase_add_test(tests, all_nodes);
    tcase_add_test(tests, single_destinations);
    tcase_add_test(tests, large_sets);
    tcase_add_test(tests, largest_coordinates);
    tcase_add_test(tests, split);
    if (tests_fork())
        tcase_add_loop_test_raise_signal(tests, empty_split, SIGABRT, 0, 5);
    suite_add_tcase(suite, tests);
    return suite;
}
