/* test_pattern_against.c - the patterns that are made against a way of routing: `column`, `turning`; and `moe`.
 *
 * Oracle: their contracts, counted; and what the router that they are made against does.
 */
#include "routers/router.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdlib.h>

Suite *pattern_against_suite(void);

static struct message_set make(const char *name, struct mesh mesh, uint32_t degree,
                               uint32_t congestion, uint64_t seed)
{
    struct pattern_options options = {
        .mesh = mesh, .degree = degree, .congestion = congestion, .seed = seed};
    struct message_set set;
    struct failure failure = {0};
    ck_assert_int_eq(pattern_generate(pattern_find(name), &options, &set, &failure), FAIL_NONE);
    return set;
}

static uint32_t *count_received(const struct message_set *set)
{
    uint32_t *received = calloc(mesh_nodes(set->mesh), sizeof *received);
    ck_assert_ptr_nonnull(received);
    for (uint64_t i = 0; i < set->deliveries; i++)
        received[set->destination[i]]++;
    return received;
}

/* column: the upper half sends, once a node, below it in one column; c and d are kept. */
START_TEST(column_is_crowded)
{
    static const uint32_t CONGESTIONS[] = {0, 35, 4}, SENDERS[] = {200, 200, 44};
    for (int i = 0; i < 3; i++) {
        struct message_set set = make("column", (struct mesh){21, 20}, 0, CONGESTIONS[i], 3);
        ck_assert_uint_eq(set.messages, SENDERS[i]); /* 10 x 20 nodes; 11 receivers */
        ck_assert_uint_eq(set.deliveries, set.messages);
        ck_assert_uint_le(message_set_congestion(&set), i == 0 ? 200 : CONGESTIONS[i]);
        for (uint32_t j = 0; j < set.messages; j++) {
            ck_assert_uint_lt(set.source[j], 10 * 20);
            ck_assert_uint_ge(set.destination[j], 10 * 20);
            ck_assert_uint_eq(set.destination[j] % 20, 10);
        }
        message_set_free(&set);
    }
    struct message_set set = make("column", (struct mesh){21, 20}, 40, 100, 3);
    ck_assert_uint_eq(message_set_degree(&set), 11); /* all of them */
    ck_assert_uint_eq(set.messages, 100);
    message_set_free(&set);
}
END_TEST

/* turning: every node sends into the corner tile, c to each of its nodes; those of a tile's row for
 * one column, a different one each. */
START_TEST(turning_turns_at_one_node)
{
    struct message_set set = make("turning", (struct mesh){24, 32}, 0, 12, 0); /* s = 8 */
    uint32_t *received = count_received(&set);
    ck_assert_uint_eq(set.messages, 24 * 32);
    for (uint32_t v = 0; v < 24 * 32; v++) {
        ck_assert_uint_eq(received[v], v / 32 < 8 && v % 32 < 8 ? 12 : 0);
        ck_assert_uint_eq(set.destination[v] % 32, (v / 32 + 4) % 8);
    }
    free(received);
    message_set_free(&set);
    set = make("turning", (struct mesh){25, 31}, 0, 12, 0); /* s = 8 divides neither */
    ck_assert_uint_ge(set.messages, 25 * 31 - 12 * 17);     /* n - c s^2 at most do not send */
    ck_assert_uint_eq(message_set_congestion(&set), 12);
    message_set_free(&set);
}
END_TEST

/* moe: 60 experts in the middles of tiles of 64 x 64 nodes, four for each token, the busiest with about 1.6 times the
 * mean; with a limit some tokens find no expert. */
START_TEST(tokens_find_experts)
{
    struct message_set set = make("moe", (struct mesh){64, 64}, 0, 0, 1);
    uint32_t received[4096] = {0}, experts = 0, most = 0;
    ck_assert_uint_eq(set.messages, 4096);
    ck_assert_uint_eq(set.deliveries, 4 * 4096);
    for (uint64_t i = 0; i < set.deliveries; i++)
        received[set.destination[i]]++;
    for (uint32_t v = 0; v < 4096; v++) {
        experts += received[v] > 0;
        most = received[v] > most ? received[v] : most;
        ck_assert(received[v] == 0 || (v / 64 % 8 == 4 && v % 8 == 4));
    }
    ck_assert_uint_eq(experts, 60);
    ck_assert(most > 400 && most < 480);
    message_set_free(&set);
    set = make("moe", (struct mesh){64, 64}, 4, 100, 1);
    ck_assert_uint_eq(set.deliveries, 60 * 100); /* all that fit */
    message_set_free(&set);
}
END_TEST

static void route(const char *router, const struct message_set *set, uint64_t seed,
                  struct router_result *result)
{
    struct router_options options = {.copy_is_free = true, .threads = 1, .seed = seed};
    struct failure failure = {0};
    ck_assert_int_eq(router_run(router_find(router), set, &options, result, &failure), FAIL_NONE);
}

/* `trees` sends half of the packets of `column` through one link, and `replicate` does not. */
START_TEST(column_is_hard_for_trees)
{
    static struct router_result trees, replicate;
    struct message_set set = make("column", (struct mesh){64, 64}, 0, 0, 1);
    route("trees", &set, 1, &trees);
    route("replicate", &set, 1, &replicate);
    ck_assert_uint_ge(trees.steps, 64 * 64 / 4); /* half of the senders, on one link */
    ck_assert_uint_lt(2 * replicate.steps, trees.steps);
    message_set_free(&set);
}
END_TEST

Suite *pattern_against_suite(void)
{
    Suite *suite = suite_create("pattern_against");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, tokens_find_experts);
    tcase_add_test(tests, column_is_crowded);
    tcase_add_test(tests, turning_turns_at_one_node);
    tcase_add_test(tests, column_is_hard_for_trees);
    suite_add_tcase(suite, tests);
    return suite;
}
