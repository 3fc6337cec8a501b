/* test_expander_bound.c - the steps that router `expander` is proven to take at most.
 *
 * Oracles: Lemma 4's count against games on small graphs whose expansion is found by brute force;
 * and the bound of a run against the actual steps of a phase of a class.
 */
#include "base/pcg.h"
#include "expanders/expander.h"
#include "routers/expander_run.h"
#include "test/library_case.h"
#include "test/routers/router_case.h"
#include "test/temporary.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- Lemma 4 as a game ---- */

enum { MOST_INPUTS = 16 };

struct game {
    struct expander graph;
    struct expander_certificate known;
    uint32_t groups_of[MOST_INPUTS]; /* a bit each */
};

/* Finds lambda by all sets of up to c / r inputs. */
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

static void make_game(struct game *game, uint32_t inputs, uint32_t groups, uint32_t r)
{
    *game = (struct game){.known = {.degree = r, .largest_set = groups / r}};
    ck_assert_int_eq(expander_random(&game->graph, inputs, groups, r, 3, NULL), FAIL_NONE);
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

/* Returns the messages of `wanted` that no group selects, if each selects `room` replicas, those of
 * `victims` last. */
static uint32_t play(const struct game *game, uint32_t wanted, uint32_t victims, uint32_t room)
{
    uint32_t served = 0, r = game->graph.degree;
    for (uint32_t group = 0; group < game->graph.groups; group++) {
        uint32_t selected = 0;
        for (uint32_t is_victim = 0; is_victim < 2; is_victim++)
            for (uint32_t i = 0; i < game->graph.inputs * r; i++) {
                uint32_t input = i / r;
                bool wants = wanted >> input & 1 && (victims >> input & 1) == is_victim;
                if (wants && expander_neighbour(&game->graph, input, i % r) == group &&
                    selected < room) {
                    selected++;
                    served |= 1u << input;
                }
            }
    }
    return wanted & ~served;
}

/* No game leaves more than expander_left says, and some leave half as much. */
START_TEST(lemma_4)
{
    static const uint32_t sizes[][3] = {{16, 8, 2}, {15, 12, 3}, {12, 6, 2}, {16, 12, 2}};
    uint32_t reached = 0;
    struct game game;
    make_game(&game, sizes[_i][0], sizes[_i][1], sizes[_i][2]);
    for (uint32_t round = 0; round < 3000; round++) {
        uint32_t all = (1u << game.graph.inputs) - 1, room = 1 + pcg32_at(1, 1, round) % 3;
        uint32_t wanted = (pcg32_at(1, 2, round) | pcg32_at(1, 3, round)) & all;
        uint32_t victims = pcg32_at(1, 4, round) & pcg32_at(1, 5, round) & wanted;
        uint32_t left = (uint32_t)__builtin_popcount(play(&game, wanted, victims, room));
        uint64_t most = expander_left(&game.known, (uint64_t)__builtin_popcount(wanted), room);
        ck_assert_uint_le(left, most);
        reached += left > 0 && 2 * left >= most;
    }
    ck_assert_uint_gt(reached, 0);
    expander_free(&game.graph);
}
END_TEST

/* With alpha > 1 / lambda and r alpha at first, c / r messages are left after the first phase, and
 * then fewer by lambda alpha A + 1 at least each time, as in the paper. */
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
    graph.lambda = 0; /* one group at least, without any knowledge */
    ck_assert_uint_eq(expander_phases(&graph, 5, 8, 8), 5);
    ck_assert_uint_eq(expander_phases(&graph, 0, 8, 8), 0);
}
END_TEST

/* ---- the bound of a run ---- */

/* Makes a set against the graph of a run with r classes on that many tiles. */
static void make_set(struct plain_set *set, struct grid mesh, uint32_t c, uint32_t tiles,
                     uint32_t r)
{
    char path[TEMPORARY_PATH], options[TEMPORARY_PATH + 128];
    fclose(temporary_file(path));
    snprintf(options, sizeof options, "inputs=%" PRIu32 " c=%" PRIu32 " r=%" PRIu32 " output=%s",
             (grid_nodes(mesh) + r - 1) / r, tiles, r, path);
    struct meshcast_command *command = case_command("expander", NULL, options);
    ck_assert_int_eq(meshcast_command_add_operand(command, "make", NULL), MESHCAST_OK);
    meshcast_report_free(case_run(command, NULL));
    snprintf(options, sizeof options, "against=%s", path);
    ck_assert(plain_set_gen(set, "adversary", mesh, 0, c, 0, options));
    unlink(path);
}

/* Returns the steps of all phases of the machine whose names have this part. */
static uint64_t steps_of(const struct case_result *result, const char *part)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < result->phases; i++)
        if (strstr(result->phase[i].name, part) != NULL)
            steps += result->phase[i].steps;
    return steps;
}

/* Returns the steps of an OR: there and back along half of either side. */
static uint64_t or_steps(struct grid mesh)
{
    return mesh.rows / 2 * 2 + mesh.cols / 2 * 2;
}

/* A run keeps within its bound, which is an OR for each class and a whole number of phases of each
 * class, on equal tiles, unequal ones, and layers. */
START_TEST(bound_of_a_run)
{
    static const struct {
        struct grid mesh;
        uint32_t congestion, tiles, r;
    } CASES[] = {{{16, 16}, 16, 16, 2},
                 {{13, 17}, 8, 8, 2},
                 {{1, 96}, 4, 4, 2},
                 {{16, 16}, 16, 16, 4},
                 {{15, 17}, 8, 8, 5}};
    uint32_t r = CASES[_i].r;
    uint64_t whole = or_steps(CASES[_i].mesh);
    char parameters[64];
    struct plain_set set;
    struct case_result result;
    snprintf(parameters, sizeof parameters, "r=%" PRIu32 " alpha=1 walk=0", r);
    make_set(&set, CASES[_i].mesh, CASES[_i].congestion, CASES[_i].tiles, r);
    for (int is_free = 0; is_free < 2; is_free++) {
        struct router_case run = router_case_make("expander", parameters);
        run.copy_is_free = is_free;
        router_case_check(&run, &set, &result);
        uint64_t phase = steps_of(&result, "(class 1 phase 1") + 2 * whole;
        ck_assert_uint_gt(steps_of(&result, "merge replicas (class 1 phase 1"), 0);
        ck_assert_uint_ge(result.proven_steps, result.steps);
        ck_assert_uint_eq((result.proven_steps - r * whole) % (r * phase), 0);
    }
    plain_set_free(&set);
}
END_TEST

/* With a walk that is in vain the bound is that of its rounds and their OR, a step of injection,
 * and what is proven without it. */
START_TEST(bound_with_the_walk)
{
    struct grid mesh = {16, 16};
    struct plain_set set;
    struct case_result alone, result;
    make_set(&set, mesh, 16, 16, 2);
    for (int is_free = 0; is_free < 2; is_free++) {
        struct router_case run = router_case_make("expander", "r=2 alpha=1 walk=0");
        run.copy_is_free = is_free;
        router_case_check(&run, &set, &alone);
        run.parameters = "r=2 alpha=1 walk=1";
        router_case_check(&run, &set, &result);
        uint64_t walk = steps_of(&result, "scatter") + steps_of(&result, "walk ") + or_steps(mesh);
        ck_assert_uint_ge(result.proven_steps, result.steps);
        ck_assert_uint_gt(steps_of(&result, "(class 1 phase 1"), 0);
        ck_assert_uint_eq(result.proven_steps, walk + 1 + alone.proven_steps);
    }
    plain_set_free(&set);
}
END_TEST

void expander_bound_suite(TCase *tests)
{
    tcase_add_loop_test(tests, lemma_4, 0, 4);
    tcase_add_test(tests, figures_of_the_paper);
    tcase_add_loop_test(tests, bound_of_a_run, 0, 5);
    tcase_add_test(tests, bound_with_the_walk);
}
