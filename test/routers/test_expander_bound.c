/* test_expander_bound.c - the steps that router `expander` is proven to take at most: Lemma 4's count
 * against games on small graphs whose expansion is known by brute force, the bound of a run against the
 * run, and that a run which takes more than it promised fails.
 */
#include "base/numbers.h"
#include "base/pcg.h"
#include "expanders/expander.h"
#include "primitives/synchronise.h"
#include "routers/expander_run.h"
#include "routers/routing.h"
#include "test/length.h"
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *expander_bound_suite(void);

/* ---- Lemma 4 as a game ---- */

enum { MOST_INPUTS = 16, MOST_GROUPS = 12 };

struct game {
    struct expander graph;
    struct expander_certificate known;
    uint32_t groups_of[MOST_INPUTS]; /* a bit each */
};

/* lambda by a look at all sets of up to c / r inputs. */
static double expansion(const struct game *game)
{
    double least = 1;
    for (uint32_t set = 1; set < 1u << game->graph.inputs; set++) {
        uint32_t inputs = (uint32_t)__builtin_popcount(set), groups = 0;
        if (inputs > game->known.largest_set)
            continue;
        for (uint32_t i = 0; i < game->graph.inputs; i++)
            groups |= set >> i & 1 ? game->groups_of[i] : 0;
        double lambda = __builtin_popcount(groups) / (double)(game->graph.degree * inputs);
        least = lambda < least ? lambda : least;
    }
    return least;
}

static void make_game(struct game *game, uint32_t inputs, uint32_t groups, uint32_t r,
                      uint32_t seed)
{
    *game = (struct game){.known = {.degree = r, .largest_set = groups / r}};
    ck_assert_int_eq(expander_random(&game->graph, inputs, groups, r, seed, NULL), FAIL_NONE);
    for (uint32_t group = 0; group < groups; group++) {
        uint64_t load = 0;
        for (uint32_t i = 0; i < inputs * r; i++)
            if (expander_neighbour(&game->graph, i / r, i % r) == group) {
                game->groups_of[i / r] |= 1u << group;
                load++;
            }
        game->known.most_load = load > game->known.most_load ? load : game->known.most_load;
    }
    game->known.lambda = expansion(game);
}

/* The messages of `wanted` that no group selects, if each selects `room` replicas, those of `victims`
 * last. */
static uint32_t play(const struct game *game, uint32_t wanted, uint32_t victims, uint32_t room)
{
    uint32_t served = 0, r = game->graph.degree;
    for (uint32_t group = 0; group < game->graph.groups; group++) {
        uint32_t selected = 0;
        for (int is_victim = 0; is_victim < 2; is_victim++)
            for (uint32_t i = 0; i < game->graph.inputs * r; i++) {
                uint32_t input = i / r;
                bool wants = wanted >> input & 1 && (victims >> input & 1) == (uint32_t)is_victim;
                if (wants && expander_neighbour(&game->graph, input, i % r) == group &&
                    selected < room) {
                    selected++;
                    served |= 1u << input;
                }
            }
    }
    return wanted & ~served;
}

/* no game leaves more than expander_left says, and some leave half as much */
START_TEST(lemma_4)
{
    static const uint32_t sizes[][3] = {{16, 8, 2}, {15, 12, 3}, {12, 6, 2}, {16, 12, 2}};
    uint32_t reached = 0, played = 0;
    struct game game;
    make_game(&game, sizes[_i][0], sizes[_i][1], sizes[_i][2], 3);
    for (uint32_t round = 0; round < 3000; round++) {
        uint32_t all = (1u << game.graph.inputs) - 1, room = 1 + pcg32_at(1, 1, round) % 3;
        uint32_t wanted = (pcg32_at(1, 2, round) | pcg32_at(1, 3, round)) & all;
        uint32_t victims = pcg32_at(1, 4, round) & pcg32_at(1, 5, round) & wanted;
        uint32_t left = (uint32_t)__builtin_popcount(play(&game, wanted, victims, room));
        uint64_t most = expander_left(&game.known, (uint64_t)__builtin_popcount(wanted), room);
        ck_assert_uint_le(left, most);
        played += left > 0;
        reached += left > 0 && 2 * left >= most;
    }
    ck_assert_uint_gt(played, 0);
    ck_assert_uint_gt(reached, 0);
    expander_free(&game.graph);
}
END_TEST

/* the paper's figures: with alpha > 1 / lambda and r alpha at first, c / r after the first phase, and
 * then less by lambda alpha A + 1 at least each time */
START_TEST(figures_of_the_paper)
{
    struct expander_certificate graph = {
        .degree = 8, .largest_set = 32, .most_load = 64, .lambda = 0.25};
    uint64_t area = 16, congestion = 256, alpha = 5;
    uint64_t left = expander_left(&graph, congestion * area, 8 * alpha * area);
    ck_assert_uint_le(left, congestion / 8);
    ck_assert_uint_le(expander_left(&graph, left, alpha * area), left / 21);
    ck_assert_uint_eq(expander_phases(&graph, congestion * area, 8 * alpha * area, alpha * area),
                      3);
    /* an alpha below 1 / lambda: c r lambda alpha A fewer each phase, until c / r are left */
    ck_assert_uint_eq(expander_left(&graph, congestion * area, area), congestion * area - 128);
    graph.lambda = 0; /* one group at least, whatever is known */
    ck_assert_uint_eq(expander_phases(&graph, 5, 8, 8), 5);
    ck_assert_uint_eq(expander_phases(&graph, 0, 8, 8), 0);
}
END_TEST

/* ---- the bound of a run ---- */

static enum failure_kind order_inputs(const void *context, double share, uint32_t number,
                                      uint32_t wanted, uint32_t *order, struct failure *failure)
{
    return crowd_order(context, share, number, wanted, order, failure);
}

static void make_set(struct message_set *set, struct mesh mesh, uint32_t c, uint32_t tiles,
                     uint32_t r)
{
    struct expander graph;
    struct failure failure = {0};
    ck_assert_int_eq(expander_random(&graph, (mesh_nodes(mesh) + r - 1) / r, tiles, r, 1, &failure),
                     FAIL_NONE);
    struct adversary adversary = {graph.inputs, 0, order_inputs, &graph};
    struct pattern_options options = {.mesh = mesh, .congestion = c, .adversary = &adversary};
    ck_assert_int_eq(pattern_generate(pattern_find("adversary"), &options, set, &failure),
                     FAIL_NONE);
    expander_free(&graph);
}

/* The steps of all of the machine's phases whose names have this part. */
static uint64_t steps_of(const struct router_result *result, const char *part)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < result->phases; i++)
        if (strstr(result->phase[i].name, part) != NULL)
            steps += result->phase[i].steps;
    return steps;
}

static void note_promise(void *context, uint64_t steps, const char *sets)
{
    *(uint64_t *)context = steps;
    ck_assert_ptr_nonnull(sets);
}

/* a run keeps within the bound, which is told before it; and the bound is an OR for each class and so
 * many times what a phase of a class takes in fact, on equal tiles, unequal ones, and layers */
START_TEST(bound_of_a_run)
{
    static const struct {
        struct mesh mesh;
        uint32_t congestion, tiles, r;
        const char *parameters;
    } CASES[] = {{{16, 16}, 16, 16, 2, "r=2 alpha=1 walk=0"},
                 {{13, 17}, 8, 8, 2, "r=2 alpha=1 walk=0"},
                 {{1, 96}, 4, 4, 2, "r=2 alpha=1 walk=0"},
                 {{16, 16}, 16, 16, 4, "r=4 alpha=1 walk=0"},
                 {{15, 17}, 8, 8, 5, "r=5 alpha=1 walk=0"}};
    struct message_set set;
    struct router_result result;
    make_set(&set, CASES[_i].mesh, CASES[_i].congestion, CASES[_i].tiles, CASES[_i].r);
    for (int is_free = 0; is_free < 2; is_free++) {
        struct router_case run = router_case_make("expander", CASES[_i].parameters);
        run.copy_is_free = is_free;
        router_case_check(&run, &set, &result);
        uint64_t whole = synchronise_steps(CASES[_i].mesh);
        uint64_t phase = steps_of(&result, "(class 1 phase 1") + 2 * whole;
        ck_assert_uint_gt(steps_of(&result, "merge replicas (class 1 phase 1"),
                          0); /* it was a whole one */
        ck_assert_uint_ge(result.proven_steps, result.steps);
        ck_assert_uint_eq((result.proven_steps - CASES[_i].r * whole) % (CASES[_i].r * phase), 0);
    }
    message_set_free(&set);
}
END_TEST

/* with the walk: its rounds and their ORs, a step of injection, and what is proven without it */
START_TEST(bound_with_the_walk)
{
    enum { SIDE = 16, INJECTION = 1 };
    struct mesh mesh = {SIDE, SIDE};
    struct message_set set;
    struct router_result alone, result;
    make_set(&set, mesh, 16, 16, 2);
    for (int is_free = 0; is_free < 2; is_free++) {
        uint64_t whole = synchronise_steps(mesh);
        struct router_case run = router_case_make("expander", "r=2 alpha=1 walk=0");
        run.copy_is_free = is_free;
        router_case_check(&run, &set, &alone);
        run.parameters = "r=2 alpha=1 walk=1";
        router_case_check(&run, &set, &result);
        uint64_t walk = steps_of(&result, "scatter") + steps_of(&result, "walk ") + whole;
        ck_assert_uint_ge(result.proven_steps, result.steps);
        ck_assert_uint_gt(steps_of(&result, "(class 1 phase 1"), 0); /* it was in vain */
        ck_assert_uint_eq(result.proven_steps, walk + INJECTION + alone.proven_steps);
        run.parameters = "r=2 alpha=1";
        router_case_check(&run, &set, &alone);
        run.parameters = "r=2 alpha=1 walk=100";
        router_case_check(&run, &set, &result);
        double budget = 2 * sqrt(16.0 * SIDE * SIDE) + 4 * SIDE;
        uint64_t first = (uint64_t)ceil(is_free ? budget : 1.6 * budget);
        ck_assert_uint_eq(alone.proven_steps - result.proven_steps, 7 * (first / 2 + whole));
    }
    message_set_free(&set);
}
END_TEST

/* unequal tiles: few replicas share a node, and visit with the others: 18 s a visit, or a little more where tiles are
 * wide; sides that are no powers of two: 16 s. Packets are those of the walk, or of visits */
START_TEST(bound_on_other_tiles)
{
    static const struct {
        struct mesh mesh;
        uint32_t congestion, tiles, packets, of_side;
    } CASES[] = {{{30, 30}, 4, 4, 9, 16},
                 {{25, 27}, 4, 4, 11, 18},
                 {{33, 33}, 16, 16, 11, 18},
                 {{21, 42}, 8, 8, 11, 18},
                 {{31, 31}, 8, 8, 11, 19}};
    enum { VISITS = 10 };
    struct message_set set;
    struct router_result result;
    if (TEST_IS_SHORT && _i % 2 == 0)
        return;
    make_set(&set, CASES[_i].mesh, CASES[_i].congestion, CASES[_i].tiles, 4);
    for (int is_free = 0; is_free < (TEST_IS_SHORT ? 1 : 2); is_free++) {
        struct router_case run = router_case_make("expander", "walk=0");
        run.copy_is_free = is_free || TEST_IS_SHORT;
        router_case_check(&run, &set, &result);
        ck_assert_uint_ge(result.proven_steps, result.steps);
        double nodes = mesh_nodes(CASES[_i].mesh), root = sqrt(nodes * CASES[_i].congestion);
        if (run.copy_is_free)
            ck_assert_double_le((double)steps_of(&result, "visit tiles (class 1 phase 1"),
                                CASES[_i].of_side * root);
        run.parameters = NULL;
        router_case_check(&run, &set, &result);
        ck_assert_uint_ge(result.proven_steps, result.steps);
        ck_assert_uint_eq(result.buffer_capacity, run.copy_is_free
                                                      ? max_u32(CASES[_i].packets, VISITS)
                                                      : CASES[_i].packets + 3);
    }
    message_set_free(&set);
}
END_TEST

/* ---- sets made by hand ---- */

/* Makes a set of c l messages, l per node, for a square of nodes, from the inputs that have the most replicas in the first
 * `groups` groups. */
static void make_crowded(struct message_set *set, struct mesh mesh, uint32_t c, uint32_t l,
                         uint32_t groups)
{
    enum { R = 4, SQUARE = 3 };
    struct expander graph;
    uint32_t nodes = mesh_nodes(mesh), wide = mesh.rows < SQUARE ? SQUARE * SQUARE : SQUARE;
    uint32_t high = mesh.rows < SQUARE ? mesh.rows : SQUARE, area = wide * high;
    char *text = malloc(64 + (size_t)nodes * l * 12 * (area + 1)), *at = text;
    ck_assert_ptr_nonnull(text);
    ck_assert_int_eq(expander_random(&graph, (nodes + R - 1) / R, c, R, 1, NULL), FAIL_NONE);
    at += sprintf(at, l > 1 ? "mcast 2 mesh %u %u\n" : "mcast 1 %u %u\n", mesh.rows, mesh.cols);
    uint32_t left = c * l;
    for (uint32_t inside = R + 1; inside-- > 0;) /* the most crowded inputs first */
        for (uint32_t node = 0; node < nodes && left > 0; node++) {
            uint32_t row = node / mesh.cols, col = node % mesh.cols, count = 0;
            uint32_t input = (row * mesh.cols + (row % 2 ? mesh.cols - 1 - col : col)) / R;
            for (uint32_t j = 0; j < R; j++)
                count += expander_neighbour(&graph, input, j) < groups;
            for (uint32_t k = 0; count == inside && k < l && left > 0; k++, left--) {
                at += sprintf(at, "%u", node);
                for (uint32_t i = 0; i < area; i++)
                    at += sprintf(at, " %u", i / wide * mesh.cols + i % wide);
                *at++ = '\n';
            }
        }
    *at = '\0';
    router_case_set(set, text);
    expander_free(&graph);
    free(text);
}

/* few nodes whose replicas crowd send all that a block may receive: runs with the walk, without it, and with one that is
 * too short keep what they promise, in steps and in packets */
START_TEST(crowded_inputs)
{
    static const struct {
        struct mesh mesh;
        uint32_t congestion, l, groups;
    } CASES[] = {
        {{16, 16}, 16, 1, 4}, {{13, 18}, 8, 2, 2}, {{1, 96}, 4, 1, 1}, {{20, 20}, 16, 3, 4}};
    static const char *const PARAMETERS[] = {NULL, "walk=0", "walk=1 alpha=1",
                                             "r=3 alpha=1 walk=0"};
    struct message_set set;
    struct router_result result;
    make_crowded(&set, CASES[_i].mesh, CASES[_i].congestion, CASES[_i].l, CASES[_i].groups);
    for (int i = 0; i < 8; i++) {
        struct router_case run = router_case_make("expander", PARAMETERS[i / 2]);
        run.copy_is_free = i % 2;
        router_case_check(&run, &set, &result);
        ck_assert_str_eq(result.ran_as, "");
        ck_assert_uint_gt(result.proven_steps, 0);
        ck_assert_uint_le(result.steps, result.proven_steps);
        ck_assert_uint_le(result.buffer_peak, result.buffer_capacity);
        ck_assert_int_eq(steps_of(&result, "make replicas (class 1") > 0 || i / 2 % 2 == 0, true);
    }
    message_set_free(&set);
}
END_TEST

/* who asks is told before the first step; a congestion that is a guess promises nothing */
START_TEST(told_before)
{
    struct message_set set;
    struct router_result result;
    struct failure failure = {0};
    uint64_t told = 0;
    make_set(&set, (struct mesh){16, 16}, 4, 4, 2);
    struct router_options options = router_options_default();
    options.promised = note_promise;
    options.promised_context = &told;
    options.parameters = 1;
    options.parameter[0] = (struct router_parameter){"r", "2"};
    options.congestion_is_unknown = _i == 1;
    ck_assert_int_eq(router_run(router_find("expander"), &set, &options, &result, &failure),
                     FAIL_NONE);
    ck_assert_uint_eq(told, result.proven_steps);
    ck_assert_int_eq(told > 0, _i == 0);
    message_set_free(&set);
}
END_TEST

enum { IDLE = 3 };

static uint64_t promise_steps; /* of the router below */

static enum failure_kind promising_route(struct routing *routing, struct failure *failure)
{
    routing_promise(routing, promise_steps, PROMISE_FOR_ALL);
    enum failure_kind kind = trees_method.route(routing, failure);
    if (kind == FAIL_NONE) /* no instruction looks at the clock when these are over */
        machine_idle(routing->machine, IDLE);
    return kind;
}

/* a run that takes a step more than it promised fails its check, and one that takes as many does not */
START_TEST(broken_promise)
{
    struct router_method method = trees_method;
    struct message_set set;
    struct router_result result;
    struct failure failure = {0};
    struct router_options options = router_options_default();
    method.route = promising_route;
    make_set(&set, (struct mesh){16, 16}, 4, 4, 2);
    ck_assert_int_eq(router_run(&trees_method.shown, &set, &options, &result, &failure), FAIL_NONE);
    uint64_t steps = result.steps + IDLE;
    for (uint64_t less = 0; less < 3; less++) {
        promise_steps = less == 2 ? steps / 2 : steps - less;
        enum failure_kind kind = router_run(&method.shown, &set, &options, &result, &failure);
        ck_assert_int_eq(kind, less == 0 ? FAIL_NONE : FAIL_CHECK);
        ck_assert_uint_eq(result.proven_steps, promise_steps);
        ck_assert_int_eq(result.missing > 0, less == 2); /* the machine stops it on the way */
    }
    message_set_free(&set);
}
END_TEST

Suite *expander_bound_suite(void)
{
    Suite *suite = suite_create("expander_bound");
    TCase *tests = tcase_create("bound");
    tcase_add_loop_test(tests, lemma_4, 0, 4);
    tcase_add_test(tests, figures_of_the_paper);
    tcase_add_loop_test(tests, bound_of_a_run, 0, 5);
    tcase_add_test(tests, bound_with_the_walk);
    tcase_add_loop_test(tests, bound_on_other_tiles, 0, 5);
    tcase_add_loop_test(tests, crowded_inputs, 0, 4);
    tcase_add_loop_test(tests, told_before, 0, 2);
    tcase_add_test(tests, broken_promise);
    suite_add_tcase(suite, tests);
    return suite;
}
