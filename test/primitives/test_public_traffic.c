/* test_public_traffic.c - public traffic: no subset of it takes more than its bounds say.
 *
 * traffic_route fails by itself where a bound is broken, so the tests route: every subset of small
 * traffics, random ones and one-sided ones of large. That it does fail, they see with bounds that are
 * one step or one packet too small. Sources and targets may be shared by several pairs.
 */
#include "primitives/public_traffic.h"

#include "base/pcg.h"
#include "primitives/mesh_permutation.h"
#include "test/length.h"
#include "test/machine/inject_one.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's */

Suite *public_traffic_suite(void);

enum { STREAM = 11 };

/* Pairs, and those of them of which there is a packet. */
struct scene {
    struct mesh mesh;
    struct traffic_way way;
    uint32_t pairs;
    node_place *source, *target;
    bool *is_there;
};

static void scene_make(struct scene *scene, struct mesh mesh, uint32_t pairs)
{
    *scene = (struct scene){.mesh = mesh, .pairs = pairs};
    scene->source = calloc(pairs, sizeof *scene->source);
    scene->target = calloc(pairs, sizeof *scene->target);
    scene->is_there = calloc(pairs, sizeof *scene->is_there);
    ck_assert(scene->source && scene->target && scene->is_there);
}

static void scene_free(struct scene *scene)
{
    free(scene->source);
    free(scene->target);
    free(scene->is_there);
}

static node_place place_at(struct mesh mesh, uint32_t node)
{
    return place_of(node / mesh.cols, node % mesh.cols);
}

static struct traffic_bounds bounds_of(const struct scene *scene)
{
    struct traffic traffic;
    struct traffic_bounds bounds;
    ck_assert_int_eq(traffic_make(&traffic, scene->mesh, scene->way, scene->pairs, NULL),
                     FAIL_NONE);
    for (uint32_t i = 0; i < scene->pairs; i++)
        traffic_add(&traffic, scene->source[i], scene->target[i]);
    ck_assert_int_eq(traffic_bound(&traffic, &bounds, NULL), FAIL_NONE);
    traffic_free(&traffic);
    return bounds;
}

/* What a run took. */
struct outcome {
    enum failure_kind kind;
    struct failure failure;
    uint32_t peak;
    uint64_t hops;
};

static struct machine *machine_with(const struct scene *scene, uint32_t threads)
{
    struct machine_config config = {
        .mesh = scene->mesh, .slots = scene->pairs, .threads = threads, .kernel = "test"};
    struct machine *machine = machine_create(&config, NULL);
    struct headers *header = machine_headers(machine);
    for (uint32_t i = 0; i < scene->pairs; i++) {
        node_place from = scene->source[i];
        header->packet[i].first = i;
        header->destination[i] = MACHINE_NO_PLACE;
        header->packet[i].target = scene->target[i];
        header->packet[i].state = 255;
        if (scene->is_there[i])
            ck_assert_int_eq(
                inject_one(machine, place_row(from) * scene->mesh.cols + place_col(from), i, NULL),
                FAIL_NONE);
    }
    return machine;
}

/* Every packet that there is rests at its target, and no other one. */
static void check_arrived(const struct scene *scene, struct machine *machine)
{
    uint32_t found = 0, sent = 0;
    for (uint32_t i = 0; i < scene->pairs; i++)
        sent += scene->is_there[i];
    for (node_index node = 0; node < mesh_nodes(scene->mesh); node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet), found++)
            ck_assert_uint_eq(scene->target[packet], place_at(scene->mesh, node));
    ck_assert_uint_eq(found, sent);
}

static struct outcome run(const struct scene *scene, const struct traffic_bounds *bounds,
                          uint32_t threads)
{
    struct outcome outcome = {0};
    struct machine *machine = machine_with(scene, threads);
    outcome.kind =
        traffic_route(machine, "test", bounds, scene->way.columns_first, &outcome.failure);
    outcome.peak = machine_counts(machine)->peak;
    outcome.hops = machine_counts(machine)->packet_hops;
    if (outcome.kind == FAIL_NONE) {
        check_arrived(scene, machine);
        ck_assert_uint_eq(machine_counts(machine)->steps, bounds->steps);
    }
    machine_free(machine);
    return outcome;
}

static void check_holds(const struct scene *scene, const struct traffic_bounds *bounds)
{
    struct outcome outcome = run(scene, bounds, 1);
    ck_assert_msg(outcome.kind == FAIL_NONE, "%u x %u, %u pairs: %s", scene->mesh.rows,
                  scene->mesh.cols, scene->pairs, outcome.failure.text);
}

/* ---- small traffics, every subset ---- */

static void draw_pairs(struct scene *scene, struct pcg32 *random)
{
    uint32_t nodes = mesh_nodes(scene->mesh);
    bool to_one_line = pcg32_below(random, 3) == 0, from_few = pcg32_below(random, 3) == 0;
    for (uint32_t i = 0; i < scene->pairs; i++) {
        uint32_t to = pcg32_below(random, nodes);
        uint32_t from = pcg32_below(random, from_few ? (nodes + 2) / 3 : nodes);
        scene->source[i] = place_at(scene->mesh, from);
        scene->target[i] = place_at(scene->mesh, to_one_line ? nodes - 1 - to % 2 : to);
    }
    scene->way.columns_first = pcg32_below(random, 2) == 0;
    scene->way.legs_apart = pcg32_below(random, 2) == 0;
}

START_TEST(every_subset_of_few)
{
    static const struct mesh meshes[] = {{1, 6}, {6, 1}, {2, 3}, {3, 3}, {2, 5}, {4, 4}};
    enum { PAIRS = 8, TRAFFICS = 40 };
    struct pcg32 random = pcg32_seed(3, STREAM);
    for (uint32_t i = 0; i < TRAFFICS; i++) {
        struct scene scene;
        scene_make(&scene, meshes[i % 6], PAIRS);
        draw_pairs(&scene, &random);
        struct traffic_bounds bounds = bounds_of(&scene);
        for (uint32_t subset = 0; subset < 1u << PAIRS; subset++) {
            for (uint32_t j = 0; j < PAIRS; j++)
                scene.is_there[j] = subset >> j & 1;
            check_holds(&scene, &bounds);
        }
        scene_free(&scene);
    }
}
END_TEST

/* ---- larger ones, random subsets ---- */

static void choose_subset(struct scene *scene, uint32_t which, struct pcg32 *random)
{
    uint32_t cols = scene->mesh.cols, rows = scene->mesh.rows;
    for (uint32_t i = 0; i < scene->pairs; i++) {
        node_place from = scene->source[i], to = scene->target[i];
        bool half = pcg32_below(random, 2) == 0;
        bool far = place_col(to) >= cols / 2 && place_row(to) >= rows / 2;
        bool is_one_of[] = {true, half,        place_col(from) < cols / 2,
                            far,  far && half, place_row(from) % 4 == 0};
        scene->is_there[i] = is_one_of[which % 6];
    }
}

START_TEST(subsets_of_many)
{
    enum { RUNS = 240 };
    struct pcg32 random = pcg32_seed(4, STREAM);
    for (uint32_t i = 0; i < RUNS; i++) {
        struct scene scene;
        struct mesh mesh = {1 + pcg32_below(&random, 24), 1 + pcg32_below(&random, 24)};
        scene_make(&scene, mesh, 1 + pcg32_below(&random, 3 * mesh_nodes(mesh)));
        draw_pairs(&scene, &random);
        struct traffic_bounds bounds = bounds_of(&scene);
        choose_subset(&scene, i, &random);
        check_holds(&scene, &bounds);
        scene_free(&scene);
    }
}
END_TEST

/* ---- keyed permutations ---- */

static void add_layers(struct scene *scene, uint64_t seed)
{
    uint32_t nodes = mesh_nodes(scene->mesh);
    for (uint32_t layer = 0; layer < scene->pairs / nodes; layer++) {
        struct mesh_permutation permutation;
        ck_assert_int_eq(mesh_permutation_make(&permutation, seed, layer, scene->mesh, NULL),
                         FAIL_NONE);
        for (uint32_t node = 0; node < nodes; node++) {
            scene->source[layer * nodes + node] = place_at(scene->mesh, node);
            scene->target[layer * nodes + node] =
                mesh_permutation_at(&permutation, place_at(scene->mesh, node));
        }
        mesh_permutation_free(&permutation);
    }
}

/* What doc/kernels.md promises of any keys. */
static uint64_t most_steps(struct mesh mesh, uint32_t layers)
{
    uint64_t along = layers == 1 ? mesh.cols - 1 : layers * mesh.cols / 2;
    uint64_t across = layers == 1 ? mesh.rows - 1 : layers * mesh.rows / 2;
    return (mesh.cols > 1 ? along : 0) + (mesh.rows > 1 ? across : 0);
}

/* One to four layers, on all small meshes. */
START_TEST(keyed_permutations)
{
    struct pcg32 random = pcg32_seed(5, STREAM);
    uint32_t most = TEST_IS_SHORT ? 7 : 12;
    for (uint32_t rows = 1; rows <= most; rows++)
        for (uint32_t cols = 1; cols <= most; cols++)
            for (uint32_t layers = 1; layers <= 4; layers++) {
                struct scene scene;
                struct mesh mesh = {rows, cols};
                scene_make(&scene, mesh, layers * mesh_nodes(mesh));
                add_layers(&scene, 100 * rows + cols);
                for (int apart = 0; apart < 2; apart++) {
                    scene.way.legs_apart = apart;
                    struct traffic_bounds counted = bounds_of(&scene);
                    ck_assert_uint_le(counted.steps, most_steps(mesh, layers));
                    ck_assert_uint_le(counted.packets, apart ? 2 * layers + 1 : 3 * layers + 3);
                    ck_assert_uint_le(counted.turning, layers);
                    for (uint32_t which = 0; which < 6; which++) {
                        choose_subset(&scene, which, &random);
                        check_holds(&scene, &counted);
                    }
                }
                scene_free(&scene);
            }
}
END_TEST

START_TEST(keyed_permutations_of_meshes)
{
    static const struct mesh meshes[] = {{64, 64}, {1, 300}, {300, 1}, {31, 97}, {128, 128}};
    struct pcg32 random = pcg32_seed(6, STREAM);
    struct scene scene;
    uint32_t nodes = mesh_nodes(meshes[_i]);
    scene_make(&scene, meshes[_i], nodes);
    for (uint64_t seed = 0; seed < 4; seed++) {
        add_layers(&scene, seed);
        scene.way.legs_apart = seed % 2 == 0;
        struct traffic_bounds bounds = bounds_of(&scene);
        ck_assert_uint_le(bounds.steps, most_steps(meshes[_i], 1));
        ck_assert_uint_le(bounds.packets, scene.way.legs_apart ? 3 : 6);
        for (uint32_t which = 0; which < 6; which++) {
            choose_subset(&scene, which, &random);
            check_holds(&scene, &bounds);
        }
    }
    scene_free(&scene);
}
END_TEST

/* ---- what is broken is seen ---- */

/* A traffic of one row to the corner opposite, which needs all its steps, and crowds one node. */
static void crowd(struct scene *scene, struct mesh mesh)
{
    scene_make(scene, mesh, mesh.cols - 1);
    for (uint32_t i = 0; i < scene->pairs; i++) {
        scene->source[i] = place_of(0, i);
        scene->target[i] = place_of(mesh.rows - 1 - i % 4, mesh.cols - 1);
        scene->is_there[i] = true;
    }
}

START_TEST(too_few_steps)
{
    struct scene scene;
    scene_make(&scene, (struct mesh){8, 5}, 1);
    scene.target[0] = place_of(7, 4);
    scene.is_there[0] = true;
    struct traffic_bounds bounds = bounds_of(&scene);
    ck_assert_uint_eq(bounds.steps, 7 + 4);
    check_holds(&scene, &bounds);
    bounds.steps--;
    struct outcome outcome = run(&scene, &bounds, 1);
    ck_assert_int_eq(outcome.kind, FAIL_CHECK);
    ck_assert_msg(strstr(outcome.failure.text, "proven to be enough") != NULL, "%s",
                  outcome.failure.text);
    scene_free(&scene);
}
END_TEST

/* The same step and node for any number of threads. */
START_TEST(too_many_packets)
{
    struct scene scene;
    crowd(&scene, (struct mesh){40, 40});
    struct traffic_bounds bounds = bounds_of(&scene);
    bounds.packets = run(&scene, &bounds, 1).peak - 1;
    char text[sizeof((struct failure *)0)->text] = "";
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct outcome outcome = run(&scene, &bounds, threads);
        ck_assert_int_eq(outcome.kind, FAIL_CHECK);
        ck_assert_msg(strstr(outcome.failure.text, "buffer overflow") != NULL, "%s",
                      outcome.failure.text);
        if (threads > 1)
            ck_assert_str_eq(outcome.failure.text, text);
        strcpy(text, outcome.failure.text);
    }
    scene_free(&scene);
}
END_TEST

static bool is_other(void *context, uint32_t packet)
{
    return packet >= *(const uint32_t *)context;
}

/* Packets that are set aside come on top. */
START_TEST(others_at_rest)
{
    enum { OTHERS = 3 };
    struct scene scene, both;
    crowd(&scene, (struct mesh){40, 40});
    struct traffic_bounds bounds = bounds_of(&scene);
    uint32_t peak = run(&scene, &bounds, 1).peak, own = scene.pairs;
    scene_make(&both, scene.mesh, own + OTHERS);
    for (uint32_t i = 0; i < both.pairs; i++) {
        both.source[i] = i < own ? scene.source[i] : place_of(20, 20);
        both.target[i] = i < own ? scene.target[i] : place_of(20, 20);
        both.is_there[i] = true;
    }
    for (uint32_t less = 0; less < 2; less++) {
        struct machine *machine = machine_with(&both, 1);
        ck_assert_int_eq(machine_set_aside(machine, is_other, &own, NULL), FAIL_NONE);
        bounds.packets = peak - OTHERS - less;
        enum failure_kind kind = traffic_route(machine, "test", &bounds, false, NULL);
        ck_assert_int_eq(kind, less ? FAIL_CHECK : FAIL_NONE);
        machine_take_back(machine);
        machine_free(machine);
    }
    scene_free(&scene);
    scene_free(&both);
}
END_TEST

/* A node that held more in an earlier call hides nothing: packets that stand spread out, and go where
 * they crowd a little, after they crowded much. */
START_TEST(fuller_before)
{
    struct scene scene;
    crowd(&scene, (struct mesh){40, 40});
    for (uint32_t less = 0; less < 2; less++) {
        struct machine *machine = machine_with(&scene, 2);
        struct traffic_bounds one = {.steps = 300, .packets = scene.pairs};
        ck_assert_int_eq(traffic_route(machine, "test", &one, false, NULL), FAIL_NONE);
        uint32_t peak = machine_counts(machine)->peak;
        for (uint32_t i = 0; i < scene.pairs; i++) /* one a node, in a square */
            machine_headers(machine)->packet[i].target = place_of(i / 7, i % 7);
        ck_assert_int_eq(traffic_route(machine, "test", &one, true, NULL), FAIL_NONE);
        for (uint32_t i = 0; i < scene.pairs; i++) /* two a node, far away */
            machine_headers(machine)->packet[i].target = place_of(30 + i / 14, 30 + i / 2 % 7);
        one.packets = less ? 1 : peak;
        ck_assert_uint_gt(peak, 4);
        ck_assert_int_eq(traffic_route(machine, "test", &one, false, NULL),
                         less ? FAIL_CHECK : FAIL_NONE);
        machine_free(machine);
    }
    scene_free(&scene);
}
END_TEST

Suite *public_traffic_suite(void)
{
    Suite *suite = suite_create("public_traffic");
    TCase *tests = tcase_create("public_traffic");
    tcase_add_test(tests, every_subset_of_few);
    tcase_add_test(tests, subsets_of_many);
    tcase_add_test(tests, keyed_permutations);
    tcase_add_loop_test(tests, keyed_permutations_of_meshes, 0, 5);
    tcase_add_test(tests, too_few_steps);
    tcase_add_test(tests, too_many_packets);
    tcase_add_test(tests, others_at_rest);
    tcase_add_test(tests, fuller_before);
    suite_add_tcase(suite, tests);
    return suite;
}
