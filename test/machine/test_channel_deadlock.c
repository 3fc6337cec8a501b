/* test_channel_deadlock.c - bounded channels under the fullest loads: every run ends, within its capacity, and
 * with the same bytes for every number of threads.
 *
 * The scenes are those of test/machine/channel_scene.c.
 */
#include "base/pcg.h"
#include "test/machine/channel_scene.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *channel_deadlock_suite(void);

/* all nodes to one: within the capacity, and no faster than the links into the node allow */
START_TEST(hot_spot)
{
    static const struct {
        uint32_t rows, cols;
        node_index spot;
        uint32_t links;
    } spots[] = {{7, 7, 24, 4}, {7, 7, 0, 2}, {5, 9, 4, 3}, {1, 12, 11, 1}, {12, 1, 5, 2}};
    for (int i = 0; i < 5 * 2 * 2 * 2 * 2 * 2; i++) {
        uint32_t nodes = spots[i % 5].rows * spots[i % 5].cols;
        struct channel_setting setting = {.rows = spots[i % 5].rows,
                                          .cols = spots[i % 5].cols,
                                          .packet_slots = nodes,
                                          .slots = 1 + i / 5 % 2,
                                          .copy_is_free = i / 10 % 2,
                                          .spare = i / 40 % 2,
                                          .switches = i / 40 % 2,
                                          .channels = i / 80 ? CHANNELS_SHARED : 0};
        struct machine_run run;
        channel_start(&run, &setting);
        for (node_index node = 0; node < nodes; node++)
            run_inject(&run, node, 1, &spots[i % 5].spot, i / 20 % 2 == 0 || node % 2, NULL);
        channel_finish(&run, &setting);
        uint32_t links = spots[i % 5].links;
        ck_assert_uint_ge(machine_counts(run.machine)->steps, (nodes - 1 + links - 1) / links);
        run_end(&run);
    }
}
END_TEST

/* Gives each node with a chance of one in `sparse` a tree to random nodes. */
static void inject_random(struct machine_run *run, uint32_t sparse, struct pcg32 *random)
{
    uint32_t nodes = mesh_nodes(machine_config(run->machine)->mesh);
    node_index *to = calloc(nodes, sizeof *to);
    for (node_index source = 0; source < nodes; source++) {
        if (pcg32_below(random, sparse) != 0)
            continue;
        uint32_t count = 0, one_in = 1 + pcg32_below(random, 6);
        for (node_index node = 0; node < nodes; node++)
            if (pcg32_below(random, one_in) == 0)
                to[count++] = node;
        if (count == 0)
            to[count++] = pcg32_below(random, nodes);
        run_inject(run, source, count, to, pcg32_below(random, 2), NULL);
    }
    free(to);
}

static char *run_random(const struct channel_setting *setting, uint64_t seed)
{
    struct machine_run run;
    struct pcg32 random = pcg32_seed(seed, 60);
    channel_start(&run, setting);
    inject_random(&run, 1 + pcg32_below(&random, 3), &random);
    channel_finish(&run, setting);
    char *text = run_text(&run);
    run_end(&run);
    return text;
}

/* random trees of both classes from all nodes, one slot per channel, with and without spare slots and
 * classes that are switched, end: no deadlock */
START_TEST(random_trees)
{
    struct pcg32 random = pcg32_seed(9, 61);
    for (uint64_t i = 0; i < 500; i++) {
        uint32_t rows = 1 + pcg32_below(&random, 7), cols = 1 + pcg32_below(&random, 7);
        struct channel_setting setting = {.rows = rows,
                                          .cols = cols,
                                          .packet_slots = rows * cols * rows * cols,
                                          .slots = i % 4 < 3 ? 1 : 3,
                                          .copy_is_free = i % 2,
                                          .spare = i / 4 % 3,
                                          .switches = i / 12 % 2,
                                          .channels = i / 24 % 2 ? CHANNELS_SHARED : 0};
        free(run_random(&setting, i));
    }
}
END_TEST

/* everybody to everybody, all nodes in both orders, one slot: the fullest load of all */
START_TEST(all_to_all)
{
    for (int i = 0; i < 16; i++) {
        struct channel_setting setting = {.rows = i % 8 < 4 ? 6 : 5,
                                          .cols = i % 8 < 4 ? 6 : 8,
                                          .packet_slots = 1600,
                                          .slots = 1,
                                          .copy_is_free = i % 2,
                                          .channels = i < 8 ? 0 : CHANNELS_SHARED};
        struct machine_run run;
        node_index to[40];
        channel_start(&run, &setting);
        uint32_t nodes = setting.rows * setting.cols;
        for (node_index node = 0; node < nodes; node++)
            to[node] = node;
        for (node_index node = 0; node < nodes; node++)
            run_inject(&run, node, nodes, to, i / 2 % 2 == 0 || node % 2, NULL);
        channel_finish(&run, &setting);
        /* each node gets nodes - 1 packets; the corners over two links */
        ck_assert_uint_ge(machine_counts(run.machine)->steps, nodes / 2);
        run_end(&run);
    }
}
END_TEST

/* the same bytes for every number of threads */
START_TEST(any_threads)
{
    static const uint32_t threads[] = {2, 3, 7};
    for (uint64_t i = 0; i < 4; i++) {
        struct channel_setting setting = {.rows = 6,
                                          .cols = 5,
                                          .packet_slots = 900,
                                          .slots = 1 + (uint32_t)i / 2,
                                          .copy_is_free = i % 2,
                                          .spare = i % 3,
                                          .switches = i == 3};
        char *text = run_random(&setting, i);
        for (int t = 0; t < 3; t++) {
            setting.threads = threads[t];
            char *other = run_random(&setting, i);
            ck_assert_str_eq(text, other);
            free(other);
        }
        free(text);
    }
}
END_TEST

Suite *channel_deadlock_suite(void)
{
    Suite *suite = suite_create("channel_deadlock");
    TCase *tests = tcase_create("channel_deadlock");
    tcase_add_test(tests, hot_spot);
    tcase_add_test(tests, random_trees);
    tcase_add_test(tests, all_to_all);
    tcase_add_test(tests, any_threads);
    suite_add_tcase(suite, tests);
    return suite;
}
