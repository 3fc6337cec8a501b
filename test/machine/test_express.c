/* test_express.c - express packets among the trees of bounded channels: hand-counted runs.
 *
 * The scenes are those of test/machine/express_scene.c. Traces are compared line by line, and audited.
 */
#include "test/machine/express_scene.h"

#include <check.h>

Suite *express_suite(void);

static const struct machine_config FREE = {.copy_is_free = true}, UNIT = {.copy_is_free = false};

/* ---- links ---- */

/* a tree and an express packet from one node over one link: the express packet goes first */
START_TEST(before_channels)
{
    static const node_index end = 3;
    struct express_scene *scene = express_make(1, 4, FREE);
    run_inject(&scene->run, 0, 1, &end, true, NULL);
    uint32_t express = express_add(scene, 0, 3, 0, NULL);
    express_must_go(scene, true, 4);
    express_expect(scene, "1 M 1 0 1\n"
                          "2 M 0 0 1\n"
                          "2 M 1 1 2\n"
                          "3 M 0 1 2\n"
                          "3 M 1 2 3\n"
                          "4 M 0 2 3\n"
                          "4 E 3 0 0\n");
    ck_assert(express_rests_at(scene, express, 3));
    express_end(scene);
}
END_TEST

/* at 0 three, to 1, 3 and 4; at 1 two, to 2 and 3. Who has the farthest stop leaves first; 4, to 2,
 * sees three go by and leaves in step 4 */
START_TEST(farthest_first)
{
    struct express_scene *scene = express_make(1, 5, FREE);
    static const node_index from[] = {0, 0, 0, 1, 1}, to[] = {1, 3, 4, 3, 2};
    for (int i = 0; i < 5; i++)
        express_add(scene, from[i], to[i], 0, NULL);
    express_must_go(scene, true, 4);
    express_expect(scene, "1 M 2 0 1\n"
                          "1 M 3 1 2\n"
                          "2 M 1 0 1\n"
                          "2 M 2 1 2\n"
                          "2 M 3 2 3\n"
                          "3 M 0 0 1\n"
                          "3 M 1 1 2\n"
                          "3 M 2 2 3\n"
                          "4 M 4 1 2\n"
                          "4 M 1 2 3\n"
                          "4 M 2 3 4\n");
    for (uint32_t packet = 0; packet < 5; packet++)
        ck_assert(express_rests_at(scene, packet, to[packet]));
    express_end(scene);
}
END_TEST

/* three packets at node 1, of which two wait when a fourth comes by: of this one and the first that waits, that
 * with the farther stop goes first; if both have the same stop, the one that waits */
START_TEST(farthest_first_by_the_way)
{
    static const struct {
        node_index passing, waiting;
        uint32_t first;
    } cases[] = {{4, 3, 0}, {3, 4, 2}, {4, 4, 2}};
    static const node_index from[] = {0, 1, 1, 1};
    for (int i = 0; i < 3; i++) {
        const node_index to[] = {cases[i].passing, 2, cases[i].waiting, 5};
        uint32_t first = cases[i].first, second = 2 - first;
        struct express_scene *scene = express_make(1, 6, FREE);
        for (int k = 0; k < 4; k++)
            express_add(scene, from[k], to[k], 0, NULL);
        express_must_go(scene, true, 1);
        ck_assert(machine_node_is_busy(scene->run.machine, 1));
        express_must_go(scene, false, 3);
        ck_assert(!machine_node_is_busy(scene->run.machine, 1));
        char expected[512];
        snprintf(expected, sizeof expected,
                 "1 M 0 0 1\n1 M 3 1 2\n"
                 "2 M %u 1 2\n2 M 3 2 3\n"
                 "3 M %u 1 2\n3 M %u 2 3\n3 M 3 3 4\n"
                 "4 M 1 1 2\n4 M %u 2 3\n4 M %u 3 4\n4 M 3 4 5\n",
                 first, second, first, second, first);
        express_expect(scene, expected);
        express_end(scene);
    }
}
END_TEST

/* so in all four directions: from the middle of a line two packets each way, the farther one first */
START_TEST(all_directions)
{
    static const node_index near[] = {17, 31, 23, 25}, far[] = {10, 38, 22, 26};
    struct express_scene *scene = express_make(7, 7, FREE);
    for (int d = 0; d < DIRECTIONS; d++) {
        express_add(scene, 24, near[d], 0, NULL);
        express_add(scene, 24, far[d], 0, NULL);
    }
    express_must_go(scene, true, 1);
    for (uint32_t packet = 0; packet < 8; packet++)
        ck_assert(
            !express_rests_at(scene, packet, packet % 2 == 0 ? near[packet / 2] : far[packet / 2]));
    express_must_go(scene, false, 1);
    for (uint32_t packet = 0; packet < 8; packet++)
        ck_assert(
            express_rests_at(scene, packet, packet % 2 == 0 ? near[packet / 2] : far[packet / 2]));
    ck_assert_uint_eq(machine_counts(scene->run.machine)->packet_hops, 12);
    run_audit(&scene->run);
    express_end(scene);
}
END_TEST

/* an express packet waits for no credit: it passes a channel that is full, and fills none */
START_TEST(past_full_channels)
{
    static const node_index end = 3;
    struct express_scene *scene = express_make(1, 4, FREE);
    for (node_index node = 0; node < 3; node++)
        run_inject(&scene->run, node, 1, &end, true, NULL);
    uint32_t express = express_add(scene, 0, 3, 0, NULL);
    express_must_go(scene, true, 3);
    ck_assert(express_rests_at(scene, express, 3));
    express_must_go(scene, false, 2);
    /* the trees alone need 4 steps (test_channel.c); each waits once for the express packet, but
     * the credits that waste a step are in the meantime back */
    express_expect(scene, "1 M 3 0 1\n"
                          "1 M 1 1 2\n"
                          "1 M 2 2 3\n"
                          "1 E 3 2 2\n"
                          "2 M 0 0 1\n"
                          "2 M 3 1 2\n"
                          "2 M 1 2 3\n"
                          "2 E 3 1 1\n"
                          "3 M 0 1 2\n"
                          "3 M 3 2 3\n"
                          "4 M 0 2 3\n"
                          "4 E 3 0 0\n");
    express_end(scene);
}
END_TEST

/* ---- rests and limits ---- */

/* at its stop a packet rests, through steps without `wake`, and goes on with it */
START_TEST(rests_until_woken)
{
    struct express_scene *scene = express_make(1, 5, UNIT);
    uint32_t packet = express_add(scene, 0, 2, 0, NULL);
    express_must_go(scene, false, 2);
    ck_assert(express_rests_at(scene, packet, 0));
    express_must_go(scene, true, 3);
    ck_assert(express_rests_at(scene, packet, 2));
    express_headers(scene)->packet[packet].target = place_of(0, 1);
    express_must_go(scene, false, 2);
    express_must_go(scene, true, 1);
    ck_assert(express_rests_at(scene, packet, 1));
    express_must_go(scene, true, 2); /* it is where it wants to be */
    ck_assert(express_rests_at(scene, packet, 1));
    express_expect(scene, "3 M 0 0 1\n"
                          "4 M 0 1 2\n"
                          "8 M 0 2 1\n");
    ck_assert_uint_eq(machine_counts(scene->run.machine)->steps, 10);
    express_end(scene);
}
END_TEST

/* a limit leaves packets under way where they are; the next call moves them on, woken or not */
START_TEST(limits)
{
    static const node_index end = 4;
    for (int wake = 0; wake < 2; wake++)
        for (uint64_t limit = 1; limit <= 5; limit++) {
            struct express_scene *scene = express_make(1, 5, FREE);
            run_inject(&scene->run, 0, 1, &end, true, NULL);
            uint32_t express = express_add(scene, 0, 4, 0, NULL);
            express_must_go(scene, true, limit);
            ck_assert_uint_eq(machine_travelling(scene->run.machine), limit <= 3   ? 2
                                                                      : limit == 4 ? 1
                                                                                   : 0);
            for (uint64_t steps = limit; steps < 5; steps++)
                express_must_go(scene, wake, 1);
            ck_assert(express_rests_at(scene, express, 4));
            express_expect(scene, "1 M 1 0 1\n"
                                  "2 M 0 0 1\n"
                                  "2 M 1 1 2\n"
                                  "3 M 0 1 2\n"
                                  "3 M 1 2 3\n"
                                  "4 M 0 2 3\n"
                                  "4 M 1 3 4\n"
                                  "5 M 0 3 4\n"
                                  "5 E 4 0 0\n");
            express_end(scene);
        }
}
END_TEST

/* no step at all with a limit of 0 */
START_TEST(no_limit_no_step)
{
    struct express_scene *scene = express_make(1, 3, FREE);
    express_add(scene, 0, 2, 0, NULL);
    express_must_go(scene, true, 0);
    express_expect(scene, "");
    ck_assert_uint_eq(machine_counts(scene->run.machine)->steps, 0);
    express_end(scene);
}
END_TEST

/* ---- copies ---- */

/* an express packet hands a copy over and sets out: at once with free copies, and the copy leaves
 * when the link is free; with unit copies the step is the copy's, and neither moves in it */
START_TEST(hands_over)
{
    static const node_index end = 2;
    struct express_scene *scene = express_make(1, 3, FREE);
    express_add(scene, 0, 2, 1, &end);
    express_must_go(scene, true, 3);
    express_expect(scene, "1 C 0 1 0\n"
                          "1 M 1 0 1\n"
                          "2 M 0 0 1\n"
                          "2 M 1 1 2\n"
                          "3 M 0 1 2\n"
                          "3 E 2 0 1\n");
    express_end(scene);
    scene = express_make(1, 3, UNIT);
    express_add(scene, 0, 2, 1, &end);
    express_must_go(scene, true, 2);
    express_must_go(scene, true, 2);
    express_expect(scene, "1 C 0 1 0\n"
                          "2 M 0 0 1\n"
                          "3 M 1 0 1\n"
                          "3 M 0 1 2\n"
                          "3 E 2 0 1\n"
                          "4 M 1 1 2\n");
    express_end(scene);
}
END_TEST

/* what is for the node itself is delivered on the spot; with unit copies that is the step's copy */
START_TEST(delivers_on_the_spot)
{
    static const node_index here = 0;
    struct express_scene *scene = express_make(1, 3, FREE);
    express_add(scene, 0, 2, 1, &here);
    express_must_go(scene, true, 2);
    express_expect(scene, "1 D 0 1 1\n"
                          "1 M 1 0 1\n"
                          "2 M 1 1 2\n");
    express_end(scene);
    scene = express_make(1, 3, UNIT);
    express_add(scene, 0, 2, 1, &here);
    express_must_go(scene, true, 1);
    express_must_go(scene, true, 2);
    express_expect(scene, "1 D 0 1 1\n"
                          "2 M 1 0 1\n"
                          "3 M 1 1 2\n");
    express_end(scene);
}
END_TEST

/* two packets at a node, one slot for injection: the second hands over when the first one's tree
 * has left, with unit copies and with free ones */
START_TEST(one_slot)
{
    static const node_index end = 1;
    struct express_scene *scene = express_make(1, 2, FREE);
    express_add(scene, 0, 0, 1, &end);
    express_add(scene, 0, 0, 1, &end);
    express_must_go(scene, false, 2);
    express_expect(scene, "1 C 0 1 0\n"
                          "1 M 0 0 1\n"
                          "1 E 1 0 1\n"
                          "2 C 0 3 2\n"
                          "2 M 2 0 1\n"
                          "2 E 1 2 3\n");
    express_end(scene);
    scene = express_make(1, 2, UNIT);
    express_add(scene, 0, 0, 1, &end);
    express_add(scene, 0, 0, 1, &end);
    express_must_go(scene, false, 4);
    express_expect(scene, "1 C 0 1 0\n"
                          "2 M 0 0 1\n"
                          "2 E 1 0 1\n"
                          "3 C 0 3 2\n"
                          "4 M 2 0 1\n"
                          "4 E 1 2 3\n");
    express_end(scene);
}
END_TEST

/* unit copies, a node in the middle of 3 x 3: in step 2 a tree from the west wants a copy and so
 * does the express packet that lives there; the node makes one copy a step, and the express
 * packet's goes first. The tree makes its own in step 3, while the other copy leaves */
START_TEST(one_copy_a_node)
{
    static const node_index branches[] = {1, 7}, east = 5;
    struct express_scene *scene = express_make(3, 3, UNIT);
    run_inject(&scene->run, 3, 2, branches, true, NULL);
    uint32_t express = express_add(scene, 4, 4, 1, &east);
    scene->hand[express] = 0;
    express_must_go(scene, false, 1);
    scene->hand[express] = 1;
    express_must_go(scene, false, 3);
    express_expect(scene, "1 M 1 3 4\n"
                          "2 C 4 3 2\n"
                          "3 C 4 1 0\n"
                          "3 M 2 4 5\n"
                          "3 E 5 2 3\n"
                          "4 M 0 4 1\n"
                          "4 M 1 4 7\n"
                          "4 E 1 0 1\n"
                          "4 E 7 1 1\n");
    express_end(scene);
}
END_TEST

/* an express packet that hands over all it has becomes the tree */
START_TEST(becomes_a_tree)
{
    static const node_index end = 2;
    struct express_scene *scene = express_make(1, 3, UNIT);
    uint32_t packet = run_inject(&scene->run, 0, 1, &end, true, NULL);
    express_headers(scene)->packet[packet].state |= EXPRESS;
    scene->hand[packet] = 1;
    express_must_go(scene, true, UINT64_MAX);
    express_expect(scene, "1 M 0 0 1\n"
                          "2 M 0 1 2\n"
                          "2 E 2 0 0\n");
    express_end(scene);
}
END_TEST

Suite *express_suite(void)
{
    Suite *suite = suite_create("express");
    TCase *tests = tcase_create("express");
    tcase_add_test(tests, before_channels);
    tcase_add_test(tests, farthest_first);
    tcase_add_test(tests, farthest_first_by_the_way);
    tcase_add_test(tests, all_directions);
    tcase_add_test(tests, past_full_channels);
    tcase_add_test(tests, rests_until_woken);
    tcase_add_test(tests, limits);
    tcase_add_test(tests, no_limit_no_step);
    tcase_add_test(tests, hands_over);
    tcase_add_test(tests, delivers_on_the_spot);
    tcase_add_test(tests, one_slot);
    tcase_add_test(tests, one_copy_a_node);
    tcase_add_test(tests, becomes_a_tree);
    suite_add_tcase(suite, tests);
    return suite;
}
