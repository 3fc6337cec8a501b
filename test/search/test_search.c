/* test_search.c - the search for bad sets: what it changes stays valid, what it finds is what it says.
 *
 * Oracles: sets are counted anew, pair by pair; searches run on made-up probes whose worst set is
 * known, and are repeated.
 */
#include "search/move.h"
#include "search/search.h"
#include "test/length.h"
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's */

Suite *search_suite(void);

static const struct mesh meshes[] = {{8, 8}, {5, 7}, {1, 9}, {9, 1}, {2, 2}, {16, 4}, {1, 1}};

enum { MESHES = sizeof meshes / sizeof *meshes };

/* Counted anew: sources and destinations ascend and lie in the mesh, no node receives too many, or sends more than
 * `per_node` messages. */
static void check_many(const struct message_set *set, struct mesh mesh, uint32_t congestion,
                       uint32_t per_node, const char *what)
{
    uint32_t nodes = mesh_nodes(mesh), *received = calloc(nodes, sizeof *received), sent = 0;
    ck_assert_ptr_nonnull(received);
    ck_assert_uint_eq(set->mesh.rows, mesh.rows);
    ck_assert_uint_eq(set->mesh.cols, mesh.cols);
    for (uint32_t i = 0; i < set->messages; i++) {
        ck_assert_msg(set->source[i] < nodes && (i == 0 || set->source[i - 1] <= set->source[i]),
                      "%s", what);
        sent = i > 0 && set->source[i - 1] == set->source[i] ? sent + 1 : 1;
        ck_assert_msg(sent <= per_node, "%s: %u sends too many", what, set->source[i]);
        ck_assert_msg(set->offset[i] < set->offset[i + 1], "%s", what);
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            node_index to = set->destination[j];
            ck_assert_msg(to < nodes, "%s", what);
            ck_assert_msg(j == set->offset[i] || set->destination[j - 1] < to, "%s", what);
            ck_assert_msg(++received[to] <= congestion, "%s: too many for %u", what, to);
        }
    }
    ck_assert_uint_eq(set->offset[set->messages], set->deliveries);
    free(received);
}

static void check_set(const struct message_set *set, struct mesh mesh, uint32_t congestion,
                      const char *what)
{
    check_many(set, mesh, congestion, 1, what);
}

static bool is_same_set(const struct message_set *one, const struct message_set *other)
{
    return one->messages == other->messages && one->deliveries == other->deliveries &&
           memcmp(one->source, other->source, one->messages * sizeof *one->source) == 0 &&
           memcmp(one->offset, other->offset, one->messages * sizeof *one->offset) == 0 &&
           memcmp(one->destination, other->destination,
                  one->deliveries * sizeof *one->destination) == 0;
}

/* Messages in the order of their sources, several of some nodes where `per_node` is above 1. */
static void make_uniform(struct message_set *set, struct mesh mesh, uint32_t congestion,
                         uint32_t per_node, uint64_t seed)
{
    struct failure failure = {0};
    struct message_set layers;
    struct draft draft;
    struct pattern_options options = {
        .mesh = mesh, .congestion = congestion, .per_node = per_node, .seed = seed};
    ck_assert_msg(pattern_generate(pattern_find("uniform"), &options, &layers, &failure) ==
                      FAIL_NONE,
                  "%s", failure.text);
    ck_assert_int_eq(draft_make(&draft, mesh, congestion, per_node, &failure), FAIL_NONE);
    draft_take(&draft, &layers);
    ck_assert_int_eq(draft_set(&draft, set, &failure), FAIL_NONE);
    draft_free(&draft);
    message_set_free(&layers);
}

/* ---- drafts ---- */

/* A draft refuses what a node has no room for, and a set comes out of it as it went in. */
START_TEST(drafts)
{
    struct draft draft;
    struct message_set set, again;
    struct failure failure = {0};
    router_case_set(&set, "mcast 1 2 2\n0 1 3\n2 1\n");
    ck_assert_int_eq(draft_make(&draft, set.mesh, 2, 1, &failure), FAIL_NONE);
    draft_take(&draft, &set);
    ck_assert(!draft.is_changed);
    ck_assert_int_eq(draft_set(&draft, &again, &failure), FAIL_NONE);
    ck_assert(is_same_set(&set, &again));
    message_set_free(&again);

    ck_assert(!draft_add(&draft, 3, 1)); /* it has two */
    ck_assert(!draft_redirect(&draft, 1, 1));
    ck_assert(!draft.is_changed);
    draft_remove(&draft, 0);
    ck_assert(draft.is_changed);
    ck_assert(draft_add(&draft, 3, 1));
    ck_assert(draft_redirect(&draft, 1, 0));
    draft_exchange(&draft, 1, 2); /* 0 to 1, 2 to 0 */
    ck_assert_int_eq(draft_set(&draft, &again, &failure), FAIL_NONE);
    message_set_free(&set);
    router_case_set(&set, "mcast 1 2 2\n0 1\n2 0\n3 1\n");
    ck_assert(is_same_set(&set, &again));
    message_set_free(&set);
    message_set_free(&again);
    draft_free(&draft);
}
END_TEST

/* A node's messages take its seats in the order in which they stand in the set, wherever that is. */
START_TEST(drafts_of_many)
{
    struct draft draft;
    struct message_set set, again;
    struct failure failure = {0};
    router_case_set(&set, "mcast 2 mesh 2 2\n3 1\n0 2 3\n3 0\n0 1\nend 4\n");
    ck_assert_int_eq(draft_make(&draft, set.mesh, 3, 3, &failure), FAIL_NONE);
    draft_take(&draft, &set);
    message_set_free(&set);
    ck_assert_uint_eq(draft.from[0], 3 * 3);
    ck_assert_uint_eq(draft.from[1], 0);
    ck_assert_uint_eq(draft.from[3], 3 * 3 + 1);
    ck_assert_uint_eq(draft.from[4], 1);
    ck_assert(draft_add(&draft, 2 * 3 + 2, 0));
    ck_assert_int_eq(draft_set(&draft, &again, &failure), FAIL_NONE);
    router_case_set(&set, "mcast 2 mesh 2 2\n0 2 3\n0 1\n2 0\n3 1\n3 0\nend 5\n");
    ck_assert(is_same_set(&set, &again));
    message_set_free(&set);
    message_set_free(&again);
    draft_free(&draft);
}
END_TEST

/* ---- moves ---- */

/* Whatever a move does, on any mesh, the set that comes out is valid; and each does something. */
START_TEST(moves_keep_sets_valid)
{
    const struct move *move = move_at((uint32_t)_i / 2);
    uint32_t changes = 0, per_node = _i % 2 == 0 ? 1 : 3;
    for (int m = 0; m < MESHES; m++)
        for (uint64_t seed = 0; seed < (TEST_IS_SHORT ? 40 : 400); seed++) {
            struct mesh mesh = meshes[m];
            uint32_t nodes = mesh_nodes(mesh), congestion = per_node * (nodes < 4 ? nodes : 4);
            struct message_set base, other, changed;
            struct draft draft;
            struct failure failure = {0};
            make_uniform(&base, mesh, per_node + (uint32_t)seed % (congestion - per_node + 1),
                         per_node, seed);
            make_uniform(&other, mesh, congestion, per_node, seed + 1);
            ck_assert_int_eq(draft_make(&draft, mesh, congestion, per_node, &failure), FAIL_NONE);
            draft_take(&draft, &base);
            struct move_scene scene = {.draft = &draft,
                                       .base = &base,
                                       .other = &other,
                                       .peak = seed % 3 == 0 ? MESH_NO_NODE : seed % nodes,
                                       .tile = 1 + seed % (nodes < 2 ? 1 : 2),
                                       .scratch = calloc(2 * nodes * per_node, sizeof(uint32_t)),
                                       .random = pcg32_seed(seed, 1)};
            move->make(&scene);
            bool is_changed = draft.is_changed;
            ck_assert_int_eq(draft_set(&draft, &changed, &failure), FAIL_NONE);
            check_many(&changed, mesh, congestion, per_node, move->name);
            ck_assert_msg(is_changed || is_same_set(&changed, &base), "%s says nothing",
                          move->name);
            changes += !is_same_set(&changed, &base);
            free(scene.scratch);
            draft_free(&draft);
            message_set_free(&base);
            message_set_free(&other);
            message_set_free(&changed);
        }
    ck_assert_msg(changes > 20, "%s does nothing", move->name);
}
END_TEST

/* ---- made sets ---- */

/* Every made set keeps mesh and congestion, and has a name. */
START_TEST(made_sets)
{
    static const uint32_t congestions[] = {1, 3, 64};
    struct mesh mesh = meshes[_i / 3 % MESHES];
    uint32_t per_node = _i < 3 * MESHES ? 1 : 5;
    struct making making = {.mesh = mesh,
                            .congestion = congestions[_i % 3],
                            .per_node = _i < 3 * MESHES ? 0 : 5,
                            .seed = 5};
    struct router_choices choices[ROUTER_KNOWN_ATTEMPTS];
    struct router_options options = router_options_default();
    ck_assert_int_eq(router_choices_make(router_find("trees"), &options, mesh, making.congestion,
                                         choices, &making.attempts, NULL),
                     FAIL_NONE);
    making.choices = choices;
    uint32_t seats = per_node * mesh_nodes(mesh), made = 0, count = made_count(&making);
    char name[MADE_NAME_SIZE];
    ck_assert_uint_gt(count, 60);
    for (uint32_t i = 0; i < count; i++) {
        struct message_set set;
        struct failure failure = {0};
        enum failure_kind kind = made_set(&making, i, &set, name, &failure);
        ck_assert_msg(kind == FAIL_NONE || kind == FAIL_USAGE, "%s: %s", name, failure.text);
        ck_assert_ptr_nonnull(strstr(name, ": "));
        ck_assert(strlen(name) + 1 < MADE_NAME_SIZE);
        if (kind == FAIL_NONE)
            check_many(&set, mesh, making.congestion < seats ? making.congestion : seats, per_node,
                       name);
        made += kind == FAIL_NONE && set.messages > 0;
        message_set_free(&set);
    }
    ck_assert_uint_gt(made, seats > per_node ? 20 : 5);
    router_choices_free(choices);
}
END_TEST

/* The exchange, by hand: on 8 x 8 with c = 2 the lower left quarter sends to the upper right one,
 * each row's rightmost nodes to the last column. */
START_TEST(exchange_by_hand)
{
    struct making making = {.mesh = {8, 8}, .congestion = 2};
    struct message_set set = {0};
    struct failure failure = {0};
    char name[MADE_NAME_SIZE] = "";
    for (uint32_t i = 0; strcmp(name, "exchange: far columns first") != 0; i++) {
        message_set_free(&set);
        ck_assert_int_eq(made_set(&making, i, &set, name, &failure) == FAIL_SYSTEM, 0);
        failure = (struct failure){0};
    }
    ck_assert_uint_eq(set.messages, 16);
    ck_assert_uint_eq(set.deliveries, 16);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t row = set.source[i] / 8, col = set.source[i] % 8;
        ck_assert(row >= 4 && col < 4);
        ck_assert_uint_eq(set.destination[i] % 8, col >= 2 ? 7 : 6);
        ck_assert_uint_lt(set.destination[i] / 8, 4);
    }
    ck_assert_uint_eq(message_set_congestion(&set), 2);
    message_set_free(&set);
}
END_TEST

/* ---- the search, on made-up probes ---- */

struct toy {
    uint64_t measured, over_at; /* is over after so many; 0: never */
    uint64_t fails_at;          /* the probe fails there; 0: never */
    bool breaks;                /* a set of one message is the worst */
};

/* How many nodes get a message from their point mirror: n at most, few in any made set. */
static enum failure_kind mirrored(void *context, const struct message_set *set, bool finely,
                                  struct search_figure *figure, struct failure *failure)
{
    struct toy *toy = context;
    uint32_t nodes = mesh_nodes(set->mesh);
    check_set(set, set->mesh, 2, "a measured set");
    ck_assert_uint_gt(set->messages, 0);
    toy->measured += !finely;
    figure->figure = 0;
    for (uint32_t i = 0; i < set->messages; i++)
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++)
            figure->figure += set->source[i] + set->destination[j] == nodes - 1;
    figure->finer = finely ? (double)figure->figure : 0;
    figure->fails = toy->breaks && set->messages == 1;
    return toy->measured == toy->fails_at ? fail(failure, FAIL_SYSTEM, "made up") : FAIL_NONE;
}

static bool is_over(void *context, uint64_t tried, const struct search_find *worst)
{
    const struct toy *toy = context;
    ck_assert_uint_gt(worst->set.messages, 0);
    ck_assert_uint_le(worst->at, tried);
    return toy->over_at != 0 && tried >= toy->over_at;
}

static struct search_plan toy_plan(struct toy *toy, uint64_t tries, uint64_t seed)
{
    return (struct search_plan){.making = {.mesh = {6, 6}, .congestion = 2},
                                .tries = tries,
                                .seed = seed,
                                .probe = mirrored,
                                .is_over = is_over,
                                .context = toy};
}

/* The local search finds what no made set has, counts what it tries, and finds it again. */
START_TEST(finds_the_worst)
{
    struct toy toy = {0}, again = {0};
    struct search search, second;
    struct failure failure = {0};
    struct search_plan plan = toy_plan(&toy, 6000, 1);
    ck_assert_int_eq(search_run(&search, &plan, &failure), FAIL_NONE);
    ck_assert_uint_eq(search.tried, 6000);
    ck_assert_uint_eq(toy.measured, 6000);
    ck_assert_uint_gt(search.made, 40);
    ck_assert_uint_ge(search.worst.figure.figure, 30); /* of 36; a made set has 18 at most */
    ck_assert_uint_gt(search.worst.moves, 0);
    ck_assert_ptr_nonnull(search.worst.last);
    ck_assert_uint_eq(search.starts, SEARCH_STARTS);
    for (uint32_t i = 1; i < search.starts; i++)
        ck_assert_uint_ge(search.start[i - 1].figure.figure, search.start[i].figure.figure);
    uint64_t moves = 0, most = 0;
    for (uint32_t i = 0; i < move_count(); i++)
        moves += search.move[i].tried;
    ck_assert_uint_eq(moves + search.made, 6000);
    for (uint32_t i = 0; i < search.starts; i++) {
        ck_assert_uint_ge(search.start[i].figure.figure, search.start[i].first.figure);
        most = search.start[i].figure.figure > most ? search.start[i].figure.figure : most;
    }
    ck_assert_uint_eq(most, search.worst.figure.figure);
    plan = toy_plan(&again, 6000, 1);
    ck_assert_int_eq(search_run(&second, &plan, &failure), FAIL_NONE);
    ck_assert(is_same_set(&search.worst.set, &second.worst.set));
    ck_assert_uint_eq(search.worst.at, second.worst.at);
    search_free(&search);
    search_free(&second);
}
END_TEST

/* It ends when it is told, in the made sets and behind them; one set is always tried. */
START_TEST(ends)
{
    static const uint64_t times[] = {1, 7, 300};
    for (int i = 0; i < 3; i++) {
        struct toy toy = {.over_at = times[i]};
        struct search search;
        struct failure failure = {0};
        struct search_plan plan = toy_plan(&toy, 0, 1);
        ck_assert_int_eq(search_run(&search, &plan, &failure), FAIL_NONE);
        ck_assert_uint_eq(search.tried, times[i]);
        ck_assert_uint_gt(search.worst.set.messages, 0);
        search_free(&search);
    }
}
END_TEST

/* A failure of the probe ends it, wherever it comes. */
START_TEST(probe_fails)
{
    static const uint64_t times[] = {1, 20, 200};
    for (int i = 0; i < 3; i++) {
        struct toy toy = {.fails_at = times[i]};
        struct search search;
        struct failure failure = {0};
        struct search_plan plan = toy_plan(&toy, 0, 1);
        ck_assert_int_eq(search_run(&search, &plan, &failure), FAIL_SYSTEM);
        ck_assert_str_eq(failure.text, "made up");
        ck_assert_uint_eq(toy.measured, times[i]);
        search_free(&search);
    }
}
END_TEST

/* A set that makes the run fail is the worst, whatever the figures are; sets of the caller's come
 * first, by their names. */
START_TEST(failing_is_worst)
{
    struct toy toy = {.breaks = true};
    struct search search;
    struct failure failure = {0};
    struct message_set given;
    static const char *const names[] = {"folder/one.mcast"};
    struct search_plan plan = toy_plan(&toy, 200, 1);
    router_case_set(&given, "mcast 1 6 6\n3 5\n");
    plan.given = &given;
    plan.given_name = names;
    plan.givens = 1;
    ck_assert_int_eq(search_run(&search, &plan, &failure), FAIL_NONE);
    ck_assert(search.worst.figure.fails);
    ck_assert_uint_eq(search.worst.set.messages, 1);
    ck_assert_str_eq(search.worst.name, "one.mcast");
    ck_assert_uint_le(search.start[0].first.figure, 1);
    message_set_free(&given);
    search_free(&search);
}
END_TEST

Suite *search_suite(void)
{
    Suite *suite = suite_create("search");
    TCase *tests = tcase_create("search");
    tcase_add_test(tests, drafts);
    tcase_add_test(tests, drafts_of_many);
    tcase_add_loop_test(tests, moves_keep_sets_valid, 0, 2 * (int)move_count());
    tcase_add_loop_test(tests, made_sets, 0, 6 * MESHES);
    tcase_add_test(tests, exchange_by_hand);
    tcase_add_test(tests, finds_the_worst);
    tcase_add_test(tests, ends);
    tcase_add_test(tests, probe_fails);
    tcase_add_test(tests, failing_is_worst);
    suite_add_tcase(suite, tests);
    return suite;
}
