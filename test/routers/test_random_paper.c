/* test_random_paper.c - router `random` as the paper writes it: variant=paper.
 *
 * Small meshes, since a run takes some 60 S steps. Visits must take as many steps whatever the
 * messages, and no synchronisation; what tentative groups promise is checked where packets rest
 * after Step 1.
 */
#include "primitives/tessellation.h"
#include "routers/random_lemmas.h"
#include "test/length.h"
#include "test/machine/light_cone.h"
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *random_paper_suite(void);

static const char *const PARAMETERS[] = {"variant=paper", "variant=paper r=1"};
enum { PARAMETER_COUNT = sizeof PARAMETERS / sizeof *PARAMETERS };

/* ---- whole runs ---- */

/* Audited, on every pattern, in short tests every other one: equal tiles, unequal ones, a line of tiles, and
 * d > c. */
START_TEST(audited)
{
    static const struct {
        struct mesh mesh;
        uint32_t d, c;
    } loads[] = {{{16, 16}, 4, 4}, {{16, 16}, 9, 16}, {{13, 10}, 3, 4},
                 {{33, 13}, 4, 2}, {{2, 40}, 3, 3},   {{16, 16}, 12, 4}};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        for (uint32_t pattern = TEST_IS_SHORT * (i + (size_t)_i) % 2; pattern < pattern_count();
             pattern += 1 + TEST_IS_SHORT) {
            struct router_case run = router_case_make("random", PARAMETERS[_i]);
            struct message_set set;
            run.copy_is_free = (i + pattern / 2) % 2;
            run.seed = i;
            if (!router_case_pattern(&set, pattern, loads[i].mesh, loads[i].d, loads[i].c, 5))
                continue;
            router_case_check(&run, &set, NULL);
            message_set_free(&set);
        }
}
END_TEST

/* The visits of a round take as many steps whatever the messages; 59 S at most, and the buffer
 * holds 8. */
START_TEST(known_length)
{
    static const char *const patterns[] = {"uniform", "worst", "hotspot", "block"};
    uint64_t visits = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct pattern_options options = {
            .mesh = {64, 64}, .degree = 16, .congestion = 16, .seed = i};
        struct router_case run = router_case_make("random", "variant=paper");
        struct router_result result;
        struct message_set set;
        ck_assert_int_eq(pattern_generate(pattern_find(patterns[i]), &options, &set, NULL),
                         FAIL_NONE);
        run.copy_is_free = true;
        struct failure failure = {0};
        ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), FAIL_NONE);
        uint64_t steps = 0, syncs = 0;
        for (uint32_t phase = 0; phase < result.phases; phase++) {
            steps += strcmp(result.phase[phase].name, "visit tiles (phase 0)") == 0
                         ? result.phase[phase].steps
                         : 0;
            syncs += strcmp(result.phase[phase].name, "sync") == 0;
        }
        ck_assert_uint_eq(result.congestion, 16);
        visits = visits > 0 ? visits : steps;
        ck_assert_uint_eq(steps, visits);
        ck_assert_uint_le(steps, 59 * 4 * 64);
        ck_assert_uint_le(syncs, 3); /* Step 1's and the OR at the end of the phase */
        ck_assert_uint_le(result.buffer_peak, 8);
        message_set_free(&set);
    }
}
END_TEST

static uint32_t uniform(void)
{
    uint32_t index = 0;
    while (pattern_at(index) != pattern_find("uniform"))
        index++;
    return index;
}

static const struct router_figure *figure_of(const struct router_result *result, const char *key)
{
    for (uint32_t i = 0; i < result->figures; i++)
        if (strcmp(result->figure[i].key, key) == 0)
            return &result->figure[i];
    ck_abort_msg("no figure %s", key);
    return NULL;
}

/* The steps of all visits. */
static uint64_t visit_steps(const struct router_result *result)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < result->phases; i++)
        steps += strstr(result->phase[i].name, "visit tiles") == NULL ? 0 : result->phase[i].steps;
    return steps;
}

/* With the paper's own r all is selected in the first round of any set, for a larger r too. Then the visits
 * take exactly what was told before the run, and the whole run what was proven, but for Step 1's slack. */
START_TEST(as_foretold)
{
    static const struct {
        struct mesh mesh;
        uint32_t c;
        const char *parameters;
    } cases[] = {{{16, 16}, 4, "variant=paper r=150"},
                 {{13, 10}, 3, "variant=paper r=40"},
                 {{2, 40}, 3, "variant=paper r=17"},
                 /* in long tests */
                 {{16, 16}, 16, "variant=paper r=150"},
                 {{16, 16}, 4, "variant=paper r=600"},
                 {{32, 32}, 16, "variant=paper r=16"}};
    for (size_t i = 0; i < (TEST_IS_SHORT ? 3 : sizeof cases / sizeof *cases); i++)
        for (uint32_t copies = i % 2; copies < (TEST_IS_SHORT ? i % 2 + 1 : 2); copies++) {
            struct router_case run = router_case_make("random", cases[i].parameters);
            struct router_result result;
            struct message_set set;
            struct mesh mesh = cases[i].mesh;
            run.copy_is_free = copies;
            ck_assert(router_case_pattern(&set, uniform(), mesh, cases[i].c, cases[i].c, i));
            ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, NULL), FAIL_NONE);
            ck_assert_uint_eq(result.missing, 0);
            ck_assert_uint_eq(visit_steps(&result), figure_of(&result, "visit_steps")->value);
            ck_assert_uint_le(result.steps, result.proven_steps);
            ck_assert_uint_ge(result.steps + mesh.rows + mesh.cols, result.proven_steps);
            ck_assert_uint_eq(figure_of(&result, "least_r")->value,
                              lemma_least_r(mesh, result.congestion, 1).both);
            message_set_free(&set);
        }
}
END_TEST

/* With a small r no set takes more than the rounds that were told, of all patterns one
 * repeats a round. */
START_TEST(never_more_than_foretold)
{
    uint32_t repeated = 0;
    for (uint32_t i = 0; i < pattern_count(); i++) {
        struct router_case run = router_case_make("random", "variant=paper r=1");
        struct router_result result;
        struct message_set set;
        if (!router_case_pattern(&set, i, (struct mesh){16, 16}, 16, 16, 3))
            continue;
        ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, NULL), FAIL_NONE);
        ck_assert_uint_le(visit_steps(&result), figure_of(&result, "visit_steps")->value);
        ck_assert((result.proven_steps > 0) == (result.degree <= result.congestion));
        repeated += result.steps > result.proven_steps / 2;
        message_set_free(&set);
    }
    ck_assert_uint_gt(repeated, 0);
}
END_TEST

/* What goes on as long as r = 1200 says, and has no proof, is not taken for a run without an end. */
START_TEST(long_without_a_proof)
{
    struct router_case run = router_case_make("random", "variant=paper r=1200");
    struct router_result result;
    struct message_set set;
    ck_assert(router_case_pattern(&set, uniform(), (struct mesh){8, 8}, 8, 4, 1));
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, NULL), FAIL_NONE);
    ck_assert_uint_eq(visit_steps(&result), figure_of(&result, "visit_steps")->value);
    ck_assert_uint_eq(result.proven_steps, 0);
    message_set_free(&set);
}
END_TEST

/* The same result by one thread and by several. */
START_TEST(threads)
{
    struct router_case run = router_case_make("random", PARAMETERS[_i]);
    struct router_result result[3];
    struct message_set set;
    ck_assert(router_case_pattern(&set, 0, (struct mesh){21, 24}, 5, 5, 5));
    for (run.threads = 1; run.threads <= 3; run.threads++)
        ck_assert_int_eq(router_case_run(&run, &set, NULL, &result[run.threads - 1], NULL),
                         FAIL_NONE);
    ck_assert(router_case_same(&result[0], &result[1]));
    ck_assert(router_case_same(&result[0], &result[2]));
    message_set_free(&set);
}
END_TEST

/* The set without all destinations but the first of message `changed`. */
static void shorten(const struct message_set *set, uint32_t changed, struct message_set *shorter)
{
    node_index *from = malloc(set->deliveries * sizeof *from),
               *to = malloc(set->deliveries * sizeof *to);
    uint64_t count = 0;
    for (uint32_t i = 0; i < set->messages; i++)
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++)
            if (i != changed || j == set->offset[i]) {
                from[count] = set->source[i];
                to[count++] = set->destination[j];
            }
    ck_assert_int_eq(message_set_from_pairs(shorter, set->shape, count, from, to, NULL), FAIL_NONE);
    free(from);
    free(to);
}

/* Two runs that differ in one message agree wherever light from its source has not been. */
START_TEST(local)
{
    static const struct mesh meshes[] = {{16, 16}, {9, 15}, {2, 40}};
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        struct pattern_options options = {
            .mesh = meshes[i], .degree = 4, .congestion = 4, .seed = i};
        struct router_case run = router_case_make("random", PARAMETERS[_i]);
        struct message_set set[2];
        struct router_result result;
        ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &options, &set[0], NULL),
                         FAIL_NONE);
        uint32_t changed = i == 0 ? 0 : set[0].messages / 2;
        shorten(&set[0], changed, &set[1]);
        ck_assert_uint_eq(message_set_degree(&set[0]), message_set_degree(&set[1]));
        ck_assert_uint_eq(message_set_congestion(&set[0]), message_set_congestion(&set[1]));
        char *trace[2], why[LIGHT_CONE_TEXT];
        for (int j = 0; j < 2; j++)
            trace[j] = router_case_trace(&run, &set[j], &result, NULL);
        size_t events = 0;
        ck_assert_msg(light_cone_agrees(trace[0], trace[1], meshes[i], &set[0].source[changed], 1,
                                        &events, why),
                      "%s", why);
        ck_assert_uint_gt(events, 0);
        for (int j = 0; j < 2; j++) {
            free(trace[j]);
            message_set_free(&set[j]);
        }
    }
}
END_TEST

/* ---- tentative groups ---- */

enum { MOST_PACKETS = 1 << 14, MOST_NODES = 1 << 11 };

/* Where packets are after Step 1, as the trace tells. */
struct grouped {
    node_index home[MOST_PACKETS]; /* of a packet; MESH_NO_NODE */
    uint32_t packet[MOST_NODES];   /* of the message of a node */
};

static void replay_step_1(const char *trace, struct grouped *grouped)
{
    memset(grouped, 0xff, sizeof *grouped);
    for (const char *line = trace; line != NULL && *line != 0; line = strchr(line, '\n') + 1) {
        if (strncmp(line, "# phase visit", 13) == 0)
            return;
        char *at = (char *)line;
        strtoul(at, &at, 10);
        char kind = at[1];
        if (*line == '#' || at == line || strchr("IME", kind) == NULL)
            continue;
        uint32_t field[3] = {0};
        at += 2;
        for (int i = 0; i < 3 && *at == ' '; i++)
            field[i] = (uint32_t)strtoul(at, &at, 10);
        if (kind == 'I') {
            grouped->home[field[1]] = field[0];
            grouped->packet[field[2]] = field[1];
        } else if (kind == 'M') {
            ck_assert(grouped->home[field[0]] == field[1]);
            grouped->home[field[0]] = field[2];
        } else {
            grouped->home[field[1]] = MESH_NO_NODE;
        }
    }
    ck_abort_msg("no visits begin");
}

static void run_step_1(struct mesh mesh, uint32_t c, uint64_t seed, struct grouped *grouped)
{
    struct pattern_options options = {.mesh = mesh, .degree = c, .congestion = c, .seed = 1};
    struct router_case run = router_case_make("random", "variant=paper r=1");
    struct router_result result;
    struct message_set set;
    run.seed = seed;
    ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &options, &set, NULL), FAIL_NONE);
    ck_assert_uint_le(set.deliveries, MOST_PACKETS);
    char *trace = router_case_trace(&run, &set, &result, NULL);
    ck_assert_uint_eq(result.congestion, c);
    replay_step_1(trace, grouped);
    free(trace);
    message_set_free(&set);
}

static uint32_t tile_of(const struct tessellation *tiles, node_index node)
{
    uint32_t cols = tiles->col.length;
    return tiles->row.tile[node / cols] * axis_intervals(&tiles->col) +
           tiles->col.tile[node % cols];
}

/* No node has more than two packets after Step 1, on equal tiles and on unequal ones; nor has any
 * tile more than two segments of the size of a smallest tile. */
START_TEST(two_a_node)
{
    static const struct mesh meshes[] = {{16, 16}, {13, 21}, {40, 9}, {37, 29}, {1, 60}};
    static struct grouped grouped;
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        for (uint32_t c = 1; 16 * c <= mesh_nodes(meshes[i]) && c <= 8; c *= 2)
            for (uint64_t seed = 0; seed < 4; seed++) {
                uint32_t nodes = mesh_nodes(meshes[i]), in_tile[8] = {0}, area[8] = {0},
                         least = nodes;
                uint8_t at_node[MOST_NODES] = {0};
                struct tessellation tiles;
                run_step_1(meshes[i], c, seed, &grouped);
                ck_assert_int_eq(tessellation_make(&tiles, meshes[i], c, NULL), FAIL_NONE);
                for (node_index node = 0; node < nodes; node++)
                    area[tile_of(&tiles, node)]++;
                for (uint32_t tile = 0; tile < c; tile++)
                    least = area[tile] < least ? area[tile] : least;
                for (uint32_t packet = 0; packet < MOST_PACKETS; packet++)
                    if (grouped.home[packet] != MESH_NO_NODE) {
                        ck_assert(at_node[grouped.home[packet]]++ < 2);
                        ck_assert(in_tile[tile_of(&tiles, grouped.home[packet])]++ < 2 * least);
                    }
                tessellation_free(&tiles);
            }
}
END_TEST

/* Over many seeds the packet of one node goes to every tile, to some up to twice as often, for the
 * last groups may have but one segment; and two packets go to one tile no more often than that. */
START_TEST(groups_are_random)
{
    enum { TILES = 8, SEEDS = 400 };
    static struct grouped grouped;
    struct tessellation tiles;
    uint32_t times[TILES] = {0}, together = 0;
    ck_assert_int_eq(tessellation_make(&tiles, (struct mesh){16, 8}, TILES, NULL), FAIL_NONE);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run_step_1((struct mesh){16, 8}, TILES, seed, &grouped);
        uint32_t one = tile_of(&tiles, grouped.home[grouped.packet[5]]);
        times[one]++;
        together += one == tile_of(&tiles, grouped.home[grouped.packet[100]]);
    }
    for (int i = 0; i < TILES; i++)
        ck_assert_msg(times[i] > SEEDS / TILES / 4 && times[i] < 3 * SEEDS / TILES,
                      "tile %d: %u times", i, times[i]);
    ck_assert_msg(together > SEEDS / TILES / 3 && together < 2 * SEEDS / TILES, "%u times together",
                  together);
    tessellation_free(&tiles);
}
END_TEST

/* Each class of each batch draws groups from a stream of its own: the traces are those that were recorded. One set has
 * messages of two pieces, more than there are nodes; the other one three messages per node. */
START_TEST(same_draws)
{
    static const struct {
        uint32_t degree, congestion, per_node;
        uint64_t hash; /* FNV-1a of the trace from the first grouping on */
    } recorded[] = {{9, 8, 1, UINT64_C(0xfa69694e4597f84e)},
                    {5, 12, 3, UINT64_C(0x0885aafc6dd9a35a)}};
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        struct pattern_options options = {.mesh = {16, 8},
                                          .degree = recorded[i].degree,
                                          .congestion = recorded[i].congestion,
                                          .per_node = recorded[i].per_node,
                                          .seed = 1};
        struct router_case run = router_case_make("random", "variant=paper r=1");
        struct router_result result;
        struct message_set set;
        uint64_t hash = UINT64_C(0xcbf29ce484222325);
        ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &options, &set, NULL),
                         FAIL_NONE);
        char *trace = router_case_trace(&run, &set, &result, NULL);
        for (const char *at = strstr(trace, "# phase draw groups"); *at != '\0'; at++)
            hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
        ck_assert_msg(hash == recorded[i].hash, "set %zu: %llx", i, (unsigned long long)hash);
        free(trace);
        message_set_free(&set);
    }
}
END_TEST

Suite *random_paper_suite(void)
{
    Suite *suite = suite_create("random_paper");
    TCase *tests = tcase_create("random_paper");
    tcase_add_loop_test(tests, audited, 0, PARAMETER_COUNT);
    tcase_add_test(tests, known_length);
    tcase_add_test(tests, as_foretold);
    tcase_add_test(tests, never_more_than_foretold);
    tcase_add_test(tests, long_without_a_proof);
    tcase_add_loop_test(tests, threads, 0, PARAMETER_COUNT);
    tcase_add_loop_test(tests, local, 0, PARAMETER_COUNT);
    tcase_add_test(tests, two_a_node);
    tcase_add_test(tests, groups_are_random);
    tcase_add_test(tests, same_draws);
    suite_add_tcase(suite, tests);
    return suite;
}
