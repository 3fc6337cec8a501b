/* test_expander_stream.c - the walk with which router `expander` begins, and what follows if it is in vain.
 *
 * Goals of the defaults, free copies, without synchronisation, S = sqrt(c n), s >= 4: 2.5 S + 8 m steps on
 * all patterns and on sets against the graph, 12 S + 12 m on sets against the walk's permutation and
 * against both.
 */
#include "expanders/expander.h"
#include "test/length.h"
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *expander_stream_suite(void);

enum { PUBLIC_SEED = 1 }; /* graph_seed by default */
enum { MOST_PACKETS = 10, MOST_ON_OTHER_GRIDS = 13 };

static bool has_phase(const struct router_result *result, const char *part)
{
    for (uint32_t i = 0; i < result->phases; i++)
        if (strstr(result->phase[i].name, part) != NULL)
            return true;
    return false;
}

/* ---- a walk in vain ---- */

/* a walk that ends with its last leg leaves something: all begins anew with replicas, each delivery is made once, and
 * nothing depends on an observer or on threads; on equal tiles, unequal ones and a line */
START_TEST(walk_in_vain)
{
    static const struct {
        struct mesh mesh;
        uint32_t congestion;
        const char *parameters;
    } CASES[] = {{{16, 16}, 16, "walk=1"},
                 {{16, 16}, 16, "walk=1 r=2"},
                 {{16, 16}, 16, "walk=1 r=4"},
                 {{13, 18}, 9, "walk=1 r=3"},
                 {{1, 96}, 5, "walk=1 r=2"}};
    struct message_set set;
    struct router_result result, other;
    struct failure failure = {0};
    ck_assert(router_case_pattern(&set, 3, CASES[_i].mesh, CASES[_i].congestion,
                                  CASES[_i].congestion, 2));
    for (int is_free = 0; is_free < 2; is_free++) {
        struct router_case run = router_case_make("expander", CASES[_i].parameters);
        run.copy_is_free = is_free;
        router_case_check(&run, &set, &result);
        ck_assert(has_phase(&result, "visit tiles (class 1 phase 1"));
        ck_assert_uint_le(result.steps, result.proven_steps);
        ck_assert_uint_eq(result.attempts, 0);
        run.threads = 3;
        ck_assert_int_eq(router_case_run(&run, &set, NULL, &other, &failure), FAIL_NONE);
        ck_assert(router_case_same(&result, &other));
    }
    message_set_free(&set);
}
END_TEST

/* ---- goals ---- */

static void check_goal(const struct message_set *set, const char *name, double of_root,
                       double of_side)
{
    struct router_result result;
    struct failure failure = {0};
    struct router_case run = router_case_make("expander", NULL);
    double nodes = mesh_nodes(set->mesh), side = sqrt(nodes);
    run.copy_is_free = true;
    enum failure_kind kind = router_case_run(&run, set, NULL, &result, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s: %s", name, failure.text);
    double goal = of_root * sqrt(result.congestion * nodes) + of_side * side;
    ck_assert_msg((double)(result.steps - result.sync_steps) <= goal, "%s: %" PRIu64 " of %.0f",
                  name, result.steps - result.sync_steps, goal);
    bool is_square = result.congestion == 16 || result.congestion == 64; /* the tiles, all equal */
    ck_assert_uint_le(result.buffer_capacity, is_square ? MOST_PACKETS : MOST_ON_OTHER_GRIDS);
    ck_assert_uint_ge(result.proven_steps, result.steps);
}

/* all patterns, among them one against the graph */
START_TEST(goals_of_the_patterns)
{
    struct mesh mesh = {32, 32};
    for (uint32_t pattern = 0; pattern < pattern_count(); pattern++) {
        struct message_set set;
        if (TEST_IS_SHORT && _i > 0)
            continue;
        if (!router_case_pattern(&set, pattern, mesh, 0, _i == 0 ? 16 : 64, 1))
            continue;
        if (message_set_congestion(&set) >= 4)
            check_goal(&set, pattern_at(pattern)->name, 2.5, 8);
        message_set_free(&set);
    }
}
END_TEST

/* Of the messages of `set` those of even rows stay, the others become those of `other`; no node receives
 * more than `congestion`. */
static void mix(struct message_set *set, const struct message_set *other, uint32_t congestion,
                char **text)
{
    uint32_t *received = calloc(mesh_nodes(set->mesh), sizeof *received);
    size_t room =
        64 + 12 * (size_t)(set->deliveries + other->deliveries + set->messages + other->messages);
    char *at = *text = malloc(room);
    ck_assert(received != NULL && at != NULL);
    at += sprintf(at, "mcast 1 %u %u\n", set->mesh.rows, set->mesh.cols);
    for (int is_other = 0; is_other < 2; is_other++) {
        const struct message_set *from = is_other ? other : set;
        for (uint32_t i = 0; i < from->messages; i++) {
            uint32_t kept = 0;
            if (from->source[i] / set->mesh.cols % 2 != (uint32_t)is_other)
                continue;
            for (uint64_t j = from->offset[i]; j < from->offset[i + 1]; j++) {
                if (received[from->destination[j]]++ >= congestion)
                    continue;
                if (kept++ == 0)
                    at += sprintf(at, "%u", from->source[i]);
                at += sprintf(at, " %u", from->destination[j]);
            }
            if (kept > 0)
                *at++ = '\n';
        }
    }
    *at = '\0';
    free(received);
}

static enum failure_kind order_inputs(const void *context, double share, uint32_t number,
                                      uint32_t wanted, uint32_t *order, struct failure *failure)
{
    return crowd_order(context, share, number, wanted, order, failure);
}

/* half of the rows send against the graph, the others against the permutation */
static void against_both(const struct message_set *set, uint32_t congestion, const char *name)
{
    struct expander graph;
    struct message_set against, both;
    char *text;
    ck_assert_int_eq(
        expander_random(&graph, mesh_nodes(set->mesh) / 4, congestion, 4, PUBLIC_SEED, NULL),
        FAIL_NONE);
    struct adversary adversary = {graph.inputs, 0, order_inputs, &graph};
    struct pattern_options options = {
        .mesh = set->mesh, .congestion = congestion, .adversary = &adversary};
    ck_assert_int_eq(pattern_generate(pattern_find("adversary"), &options, &against, NULL),
                     FAIL_NONE);
    mix(&against, set, congestion, &text);
    router_case_set(&both, text);
    check_goal(&both, name, 12, 12);
    free(text);
    message_set_free(&against);
    message_set_free(&both);
    expander_free(&graph);
}

/* the families that are made against the permutation of the walk, which all know; and mixed with sets
 * against the graph */
START_TEST(goals_of_the_adversaries)
{
    uint32_t congestion = _i == 0 ? 16 : 64;
    struct family_case against = {"expander", {32, 32}, congestion, 0};
    for (uint32_t family = 0; family < family_count(); family++) {
        struct message_set set;
        char name[FAMILY_NAME_SIZE];
        if (TEST_IS_SHORT && (family % 8 != 0 || _i > 0))
            continue;
        router_case_family(&set, &against, family, name);
        check_goal(&set, name, 12, 12);
        if (family % 4 == 0)
            against_both(&set, congestion, name);
        message_set_free(&set);
    }
}
END_TEST

/* sets of images that overload the walk: its further rounds deliver what is left, and no replica is made */
START_TEST(rounds_for_images)
{
    static const struct {
        uint32_t congestion;
        const char *family;
    } known[] = {{16, "half way, mirrored, sheared, onto a column, turned and shifted"},
                 {128, "last visit, mirrored, sheared ever farther, onto a column"}};
    struct family_case against = {"expander", {64, 64}, known[_i].congestion, 0};
    char name[FAMILY_NAME_SIZE] = "";
    struct router_case run = router_case_make("expander", NULL);
    struct message_set set;
    struct router_result result;
    uint32_t family = 0;
    if (TEST_IS_SHORT && _i > 0)
        return;
    for (family_name(0, name); strcmp(name, known[_i].family) != 0;)
        family_name(++family, name);
    router_case_family(&set, &against, family, name);
    run.copy_is_free = true;
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, NULL), FAIL_NONE);
    ck_assert(has_phase(&result, "walk a further round"));
    ck_assert(!has_phase(&result, "(class"));
    double root = sqrt(64.0 * 64 * known[_i].congestion);
    ck_assert_double_le((double)(result.steps - result.sync_steps), 12 * root + 12 * 64);
    message_set_free(&set);
}
END_TEST

Suite *expander_stream_suite(void)
{
    Suite *suite = suite_create("expander_stream");
    TCase *tests = tcase_create("walk");
    tcase_add_loop_test(tests, walk_in_vain, 0, 5);
    tcase_add_loop_test(tests, goals_of_the_patterns, 0, 2);
    tcase_add_loop_test(tests, goals_of_the_adversaries, 0, 2);
    tcase_add_loop_test(tests, rounds_for_images, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
