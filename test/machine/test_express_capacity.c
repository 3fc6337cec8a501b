/* test_express_capacity.c - what nodes hold where express packets meet trees and one another, and random
 * walks of many of them.
 *
 * The scenes are those of test/machine/express_scene.c.
 */
#include "base/pcg.h"
#include "test/machine/express_scene.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *express_capacity_suite(void);

/* a resting packet at each node hands a copy for one spot over: within the capacity and one more */
START_TEST(capacity)
{
    static const node_index spot = 24;
    for (int is_free = 0; is_free < 2; is_free++)
        for (uint32_t slots = 1; slots <= 2; slots++) {
            struct machine_config config = {.copy_is_free = is_free};
            config.buffer = machine_channel_capacity(CHANNELS_OF_BOTH, slots, is_free) + 1;
            struct express_scene *scene = express_make(7, 7, config);
            scene->slots = slots;
            for (node_index node = 0; node < 49; node++)
                express_add(scene, node, node, 1, &spot);
            express_must_go(scene, true, 60);
            ck_assert_uint_eq(machine_counts(scene->run.machine)->delivered, 49);
            ck_assert_uint_eq(machine_resting(scene->run.machine), 49);
            run_audit(&scene->run);
            express_end(scene);
        }
}
END_TEST

/* the capacity holds for express packets: three of them meet in the middle, two are allowed */
START_TEST(overflow)
{
    struct failure failure = {0};
    struct express_scene *scene =
        express_make(3, 3, (struct machine_config){.copy_is_free = true, .buffer = 2});
    express_add(scene, 1, 7, 0, NULL);
    express_add(scene, 3, 5, 0, NULL);
    express_add(scene, 5, 3, 0, NULL);
    machine_begin_phase(scene->run.machine, "meeting");
    ck_assert_int_eq(express_go(scene, true, 2, &failure), FAIL_CHECK);
    ck_assert_ptr_nonnull(strstr(failure.text, "node 4"));
    ck_assert_ptr_nonnull(strstr(failure.text, "phase \"meeting\""));
    express_end(scene);
}
END_TEST

/* packets that meet in a node are counted, also where none of them stops, and where they meet others
 * that rest */
START_TEST(peaks)
{
    for (node_index resting = 0; resting < 3; resting++) {
        struct express_scene *scene = express_make(9, 9, (struct machine_config){.threads = 2});
        for (node_index i = 0; i < resting; i++)
            express_add(scene, 40, 40, 0, NULL);
        express_add(scene, 4, 76, 0, NULL);
        express_add(scene, 76, 4, 0, NULL);
        express_add(scene, 36, 44, 0, NULL);
        express_add(scene, 44, 36, 0, NULL);
        express_must_go(scene, true, 20);
        ck_assert_uint_eq(machine_counts(scene->run.machine)->peak, 4 + resting);
        ck_assert_uint_eq(machine_counts(scene->run.machine)->peak_node, 40);
        ck_assert_uint_eq(machine_counts(scene->run.machine)->peak_step, 4);
        run_audit(&scene->run);
        express_end(scene);
    }
}
END_TEST

static uint32_t random_in_line(struct pcg32 *random, struct mesh mesh, struct site site)
{
    if (pcg32_below(random, 2))
        return site.row * mesh.cols + pcg32_below(random, mesh.cols);
    return pcg32_below(random, mesh.rows) * mesh.cols + site.col;
}

/* Some express packets per node, each with some destinations; their names in express[]. */
static uint32_t add_random(struct express_scene *scene, struct pcg32 *random, uint32_t *express)
{
    struct mesh mesh = machine_config(scene->run.machine)->mesh;
    uint32_t nodes = mesh_nodes(mesh), added = 0;
    for (node_index node = 0; node < nodes; node++)
        for (uint32_t i = pcg32_below(random, 3); i > 0; i--) {
            node_index to[49];
            uint32_t count = 0, one_in = 1 + pcg32_below(random, 12);
            for (node_index other = 0; other < nodes; other++)
                if (pcg32_below(random, one_in) == 0)
                    to[count++] = other;
            express[added++] = express_add(
                scene, node, random_in_line(random, mesh, machine_site(scene->run.machine, node)),
                count, to);
            if (pcg32_below(random, 2))
                express_headers(scene)->packet[express[added - 1]].state ^= ROW_FIRST;
        }
    return added;
}

/* Legs of any length, then everything to its end; the trace as text. */
static char *run_random(uint64_t seed, uint32_t threads)
{
    struct pcg32 random = pcg32_seed(seed, 62);
    uint32_t rows = 1 + pcg32_below(&random, 7), cols = 1 + pcg32_below(&random, 7), express[128];
    struct express_scene *scene = express_make(
        rows, cols, (struct machine_config){.copy_is_free = seed % 2, .threads = threads});
    scene->slots = 1 + pcg32_below(&random, 2);
    uint32_t added = add_random(scene, &random, express), wanted = scene->run.slots - added;
    for (uint32_t leg = 0; leg < 5; leg++) {
        express_must_go(scene, true, 1 + pcg32_below(&random, 9));
        for (node_index node = 0; node < rows * cols; node++)
            for (uint32_t packet = machine_first_resting(scene->run.machine, node);
                 packet != MACHINE_NONE;
                 packet = machine_next_resting(scene->run.machine, packet)) {
                node_index to = random_in_line(&random, (struct mesh){rows, cols},
                                               machine_site(scene->run.machine, node));
                express_headers(scene)->packet[packet].target =
                    site_place(machine_site(scene->run.machine, to));
            }
    }
    express_must_go(scene, false, 500);
    ck_assert_uint_eq(machine_counts(scene->run.machine)->delivered, wanted);
    run_check_deliveries(&scene->run);
    ck_assert_uint_eq(machine_travelling(scene->run.machine), 0);
    run_audit(&scene->run);
    char *text = run_text(&scene->run);
    express_end(scene);
    return text;
}

/* random walks and trees: all is delivered once, the audit is clean, any threads give the bytes */
START_TEST(random_walks)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        char *text = run_random(seed, 1);
        if (seed % 20 < 2) {
            char *other = run_random(seed, 3);
            ck_assert_str_eq(text, other);
            free(other);
        }
        free(text);
    }
}
END_TEST

Suite *express_capacity_suite(void)
{
    Suite *suite = suite_create("express_capacity");
    TCase *tests = tcase_create("express_capacity");
    tcase_add_test(tests, capacity);
    tcase_add_test(tests, overflow);
    tcase_add_test(tests, peaks);
    tcase_add_test(tests, random_walks);
    suite_add_tcase(suite, tests);
    return suite;
}
