/* test_unicast_route.c - (k,k)-routing: every packet comes to rest at its target, within bounds.
 *
 * The upper bound that is checked: a packet whose path has L links is at its target after at most
 * L + S steps, where S sums, over its row leg and its column leg, the other packets that cross a
 * link of the leg. Proof: let the packet wait in a step; some packet crosses its link instead.
 * Follow that one, and whenever it waits itself, the one that crosses instead, until the one that
 * is followed leaves the leg; charge the wait to it. All the while the lag behind an undisturbed
 * packet is the same, so waits of different lags are charged to different packets, and a packet
 * leaves a line of links but once, at one lag.
 * Lower bounds: the longest path; the load of the busiest link. A run that moves nothing takes the
 * one step in which its packets are looked at.
 */
#include "primitives/unicast_route.h"

#include "base/pcg.h"
#include "primitives/tessellation.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *unicast_route_suite(void);

/* Packets to route: packet i from source[i] to target[i]. */
struct instance {
    struct mesh mesh;
    uint32_t packets;
    node_index *source, *target;
    bool *column_first;
};

static void instance_make(struct instance *instance, uint32_t rows, uint32_t cols, uint32_t k)
{
    *instance = (struct instance){.mesh = {rows, cols}, .packets = rows * cols * k};
    instance->source = calloc(instance->packets, sizeof *instance->source);
    instance->target = calloc(instance->packets, sizeof *instance->target);
    instance->column_first = calloc(instance->packets, sizeof *instance->column_first);
    for (uint32_t i = 0; i < instance->packets; i++) {
        instance->source[i] = instance->target[i] = i % (rows * cols);
        instance->column_first[i] = (i / (rows * cols) + i) % 2;
    }
}

static void instance_free(struct instance *instance)
{
    free(instance->source);
    free(instance->target);
    free(instance->column_first);
}

/* Permutes the targets start .. start+count-1 of the instance. */
static void shuffle(struct instance *instance, struct pcg32 *random)
{
    uint32_t nodes = mesh_nodes(instance->mesh);
    for (uint32_t start = 0; start < instance->packets; start += nodes) {
        for (uint32_t i = nodes - 1; i > 0; i--) {
            uint32_t j = pcg32_below(random, i + 1);
            node_index other = instance->target[start + i];
            instance->target[start + i] = instance->target[start + j];
            instance->target[start + j] = other;
        }
    }
}

/* ---- what the paths say ---- */

/* A packet's path as links, in order; a link is 4 * node + direction. */
static uint32_t path_of(const struct instance *instance, uint32_t packet, uint32_t *link)
{
    uint32_t cols = instance->mesh.cols, count = 0;
    node_index node = instance->source[packet], to = instance->target[packet];
    for (int leg = 0; leg < 2; leg++) {
        bool along_column = (leg == 0) == instance->column_first[packet];
        while (along_column ? node / cols != to / cols : node % cols != to % cols) {
            if (along_column) {
                bool down = node / cols < to / cols;
                link[count++] = 4 * node + (down ? SOUTH : NORTH);
                node = down ? node + cols : node - cols;
            } else {
                bool east = node % cols < to % cols;
                link[count++] = 4 * node + (east ? EAST : WEST);
                node = east ? node + 1 : node - 1;
            }
        }
    }
    return count;
}

struct path_bounds {
    uint64_t hops, distance, load, upper; /* upper: see the banner */
};

/* The packets that share a link of a leg cross its first link or enter the line further on. */
static struct path_bounds bounds_of(const struct instance *instance)
{
    uint32_t links = 4 * mesh_nodes(instance->mesh), most = links;
    struct path_bounds bounds = {.upper = 1};
    uint32_t *load = calloc(links, sizeof *load), *entry = calloc(links, sizeof *entry);
    uint32_t *path = calloc(most, sizeof *path);
    for (uint32_t i = 0; i < instance->packets; i++) {
        uint32_t length = path_of(instance, i, path);
        bounds.hops += length;
        bounds.distance = length > bounds.distance ? length : bounds.distance;
        for (uint32_t j = 0; j < length; j++) {
            load[path[j]]++;
            /* a packet enters a line of links where it starts or turns */
            if (j == 0 || path[j] % 4 != path[j - 1] % 4)
                entry[path[j]]++;
        }
    }
    for (uint32_t link = 0; link < links; link++)
        bounds.load = load[link] > bounds.load ? load[link] : bounds.load;
    for (uint32_t i = 0; i < instance->packets; i++) {
        uint32_t length = path_of(instance, i, path);
        uint64_t sharing = 0;
        for (uint32_t j = 0; j < length; j++) {
            bool enters = j == 0 || path[j] % 4 != path[j - 1] % 4;
            sharing += enters ? load[path[j]] - 1 : entry[path[j]];
        }
        bounds.upper = length + sharing > bounds.upper ? length + sharing : bounds.upper;
    }
    free(load);
    free(entry);
    free(path);
    return bounds;
}

/* ---- runs ---- */

static void start(struct machine_run *run, const struct instance *instance, uint32_t threads)
{
    struct machine_config config = {.slots = instance->packets, .threads = threads};
    run_start(run, instance->mesh.rows, instance->mesh.cols, config);
    for (uint32_t i = 0; i < instance->packets; i++)
        run_inject_target(run, instance->source[i], instance->target[i], instance->column_first[i]);
}

static void check_at_targets(const struct machine_run *run, const struct instance *instance)
{
    uint32_t seen = 0;
    for (node_index node = 0; node < mesh_nodes(instance->mesh); node++) {
        uint32_t packet = machine_first_resting(run->machine, node);
        for (; packet != MACHINE_NONE; packet = machine_next_resting(run->machine, packet)) {
            ck_assert_uint_eq(instance->target[packet], node);
            seen++;
        }
    }
    ck_assert_uint_eq(seen, instance->packets);
    ck_assert_uint_eq(machine_resting(run->machine), instance->packets);
    ck_assert_uint_eq(machine_travelling(run->machine), 0);
}

/* Routes the instance in rounds of one step more than the upper bound: one round must do. */
static uint64_t check_route(const struct instance *instance)
{
    struct machine_run run;
    struct path_bounds bounds = bounds_of(instance);
    start(&run, instance, 1 + instance->mesh.rows / 16);
    struct rounds rounds = {bounds.upper + 1, bounds.upper + 1};
    ck_assert_int_eq(unicast_route(run.machine, "route", rounds, NULL), FAIL_NONE);
    check_at_targets(&run, instance);
    const struct machine_counts *counts = machine_counts(run.machine);
    uint64_t moving = counts->steps - counts->sync_steps;
    ck_assert_uint_eq(counts->packet_hops, bounds.hops);
    ck_assert_uint_ge(moving, bounds.distance);
    ck_assert_uint_ge(moving, bounds.load);
    ck_assert_uint_le(moving, bounds.upper);
    ck_assert_uint_le(machine_phases(run.machine), 2);
    run_audit(&run);
    run_end(&run);
    return moving;
}

/* random permutations and k packets per node, on even, odd and narrow meshes */
START_TEST(permutations)
{
    static const uint32_t shapes[][2] = {{1, 1}, {1, 9}, {9, 1},  {2, 2},   {3, 3},
                                         {5, 8}, {8, 8}, {7, 13}, {16, 16}, {17, 15}};
    struct pcg32 random = pcg32_seed(6, 40);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        for (uint32_t k = 1; k <= 4; k++) {
            struct instance instance;
            instance_make(&instance, shapes[i][0], shapes[i][1], k);
            shuffle(&instance, &random);
            check_route(&instance);
            instance_free(&instance);
        }
    }
}
END_TEST

/* transpose, reversal, and the target that is the source, on odd and even squares */
START_TEST(structured_permutations)
{
    for (uint32_t side = 2; side <= 17; side += 3) {
        for (int pattern = 0; pattern < 3; pattern++) {
            struct instance instance;
            instance_make(&instance, side, side, 2);
            for (uint32_t i = 0; i < instance.packets; i++) {
                node_index node = instance.source[i];
                instance.target[i] = pattern == 0   ? node % side * side + node / side
                                     : pattern == 1 ? side * side - 1 - node
                                                    : node;
            }
            uint64_t moving = check_route(&instance);
            if (pattern == 2)
                ck_assert_uint_le(moving, 1);
            instance_free(&instance);
        }
    }
}
END_TEST

/* all to one row, one column, and one node: the load of the links decides */
START_TEST(concentrated)
{
    for (int pattern = 0; pattern < 3; pattern++) {
        struct instance instance;
        instance_make(&instance, 9, 7, 1);
        for (uint32_t i = 0; i < instance.packets; i++)
            instance.target[i] = pattern == 0 ? 4 * 7 + i % 7 : pattern == 1 ? i / 7 * 7 + 2 : 31;
        check_route(&instance);
        instance_free(&instance);
    }
}
END_TEST

/* no event of the trace moves a packet over a border between tiles */
static void check_stays_in_tiles(struct machine_run *run, const struct tessellation *tiles)
{
    char *text = run_text(run);
    uint32_t cols = tiles->col.length, moves = 0;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        unsigned step, packet, from, to;
        if (sscanf(line, "%u M %u %u %u", &step, &packet, &from, &to) != 4)
            continue;
        moves++;
        ck_assert_uint_eq(tiles->row.tile[from / cols], tiles->row.tile[to / cols]);
        ck_assert_uint_eq(tiles->col.tile[from % cols], tiles->col.tile[to % cols]);
    }
    ck_assert_uint_gt(moves, 0);
    free(text);
}

/* The node whose coordinates lie as far from the end of `node`'s tile as its own from the start. */
static node_index mirrored(const struct tessellation *tiles, node_index node)
{
    const struct axis *row = &tiles->row, *col = &tiles->col;
    uint32_t r = node / col->length, c = node % col->length;
    uint32_t down = row->tile[r], across = col->tile[c];
    r = row->cut[down] + row->cut[down + 1] - 1 - r;
    c = col->cut[across] + col->cut[across + 1] - 1 - c;
    return r * col->length + c;
}

/* packets whose target lies in their tile do not leave it, and tiles do not slow each other */
START_TEST(tiles_side_by_side)
{
    static const uint32_t shapes[][2] = {{8, 8}, {9, 11}, {16, 5}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct tessellation tiles;
        struct instance instance;
        struct machine_run run;
        instance_make(&instance, shapes[i][0], shapes[i][1], 3);
        ck_assert_int_eq(tessellation_make(&tiles, instance.mesh, 4, NULL), FAIL_NONE);
        for (uint32_t j = 0; j < instance.packets; j++)
            instance.target[j] = mirrored(&tiles, instance.source[j]);
        start(&run, &instance, 1);
        ck_assert_int_eq(unicast_route(run.machine, "route", (struct rounds){60, 60}, NULL), 0);
        check_at_targets(&run, &instance);
        check_stays_in_tiles(&run, &tiles);
        run_end(&run);
        check_route(&instance);
        tessellation_free(&tiles);
        instance_free(&instance);
    }
}
END_TEST

/* rounds too short for the work go on where they stopped: the same steps without the syncs */
START_TEST(short_rounds)
{
    struct pcg32 random = pcg32_seed(7, 40);
    struct instance instance;
    instance_make(&instance, 11, 6, 3);
    shuffle(&instance, &random);
    uint64_t moving = check_route(&instance);
    for (uint64_t length = 1; length <= 8; length++) {
        struct machine_run run;
        start(&run, &instance, 1);
        ck_assert_int_eq(unicast_route(run.machine, "route", (struct rounds){length, length}, NULL),
                         FAIL_NONE);
        check_at_targets(&run, &instance);
        uint64_t count = (moving + length - 1) / length; /* rounds, each whole, and an OR each */
        uint64_t or_steps = 2 * (11 / 2) + 2 * (6 / 2);
        ck_assert_uint_eq(machine_counts(run.machine)->steps, count * (length + or_steps));
        run_audit(&run);
        run_end(&run);
    }
    instance_free(&instance);
}
END_TEST

/* nothing to route: one round is idled away and a synchronisation finds nothing */
START_TEST(no_packets)
{
    struct machine_run run;
    run_start(&run, 4, 4, (struct machine_config){.slots = 1});
    ck_assert_int_eq(unicast_route(run.machine, "route", (struct rounds){10, 10}, NULL), FAIL_NONE);
    ck_assert_uint_eq(machine_counts(run.machine)->steps, 10 + 8);
    ck_assert_uint_eq(machine_counts(run.machine)->sync_steps, 10 + 8);
    run_end(&run);
}
END_TEST

Suite *unicast_route_suite(void)
{
    Suite *suite = suite_create("unicast_route");
    TCase *tests = tcase_create("unicast_route");
    tcase_add_test(tests, permutations);
    tcase_add_test(tests, structured_permutations);
    tcase_add_test(tests, concentrated);
    tcase_add_test(tests, tiles_side_by_side);
    tcase_add_test(tests, short_rounds);
    tcase_add_test(tests, no_packets);
    suite_add_tcase(suite, tests);
    return suite;
}
