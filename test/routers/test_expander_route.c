/* test_expander_route.c - the promises of router `expander` only: capacities, refusals, phases, the
 * graph, and that no random bit is drawn.
 *
 * The promises of all routers are tested with all of them (test_router.c, test_locality.c, ...).
 */
#include "test/library_case.h"
#include "test/routers/router_case.h"
#include "test/temporary.h"

#include <check.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- sets ---- */

static void make_uniform(struct plain_set *set, struct grid mesh, uint32_t congestion)
{
    ck_assert(plain_set_gen(set, "uniform", mesh, congestion, congestion, 5, NULL));
    ck_assert_uint_eq(set->congestion, congestion);
}

/* Blocks filled with messages whose replicas share an eighth, a quarter, a half of the groups. */
static void make_adversary(struct plain_set *set, struct grid mesh, uint32_t congestion,
                           const char *graph)
{
    char against[TEMPORARY_PATH + 16];
    snprintf(against, sizeof against, "against=%s", graph);
    ck_assert(plain_set_gen(set, "adversary", mesh, 0, congestion, 0, against));
}

/* Writes the graph of a run with r classes on c tiles, a power of two. */
static void make_graph(const char *path, struct grid mesh, uint32_t groups, uint32_t r, bool is_rs)
{
    char options[TEMPORARY_PATH + 128];
    uint32_t inputs = (grid_nodes(mesh) + r - 1) / r, q = groups / r;
    inputs = is_rs ? (inputs + q - 1) / q * q : inputs;
    snprintf(options, sizeof options, "inputs=%" PRIu32 " c=%" PRIu32 " r=%" PRIu32 " output=%s %s",
             inputs, groups, r, path, is_rs ? "graph=rs" : "seed=1");
    struct meshcast_command *command = case_command("expander", NULL, options);
    ck_assert_int_eq(meshcast_command_add_operand(command, "make", NULL), MESHCAST_OK);
    meshcast_report_free(case_run(command, NULL));
}

/* True if the run used this value, "NAME=VALUE ". */
static bool used(const struct case_result *result, const char *parameter)
{
    return strstr(result->parameters, parameter) != NULL;
}

/* Returns the largest number of phases that a class took: phases of the machine are "CLASS.PHASE
 * step". */
static uint32_t phases_of(const struct case_result *result)
{
    uint32_t most = 0, class, phase;
    for (uint32_t i = 0; i < result->phases; i++) {
        const char *of = strchr(result->phase[i].name, '(');
        if (of != NULL && sscanf(of, "(class %" SCNu32 " phase %" SCNu32, &class, &phase) == 2)
            most = phase > most ? phase : most;
    }
    return most;
}

/* ---- sizes and refusals ---- */

/* c < 4 runs as unicast, c > n / 16 as circulate, step for step */
START_TEST(outside_of_its_range)
{
    static const struct {
        uint32_t congestion;
        const char *router;
    } CASES[] = {{3, "unicast"}, {17, "circulate"}};
    struct plain_set set;
    struct case_result result, other;
    make_uniform(&set, (struct grid){16, 16}, CASES[_i].congestion);
    struct router_case run = router_case_make("expander", NULL);
    router_case_check(&run, &set, &result);
    run = router_case_make(CASES[_i].router, NULL);
    router_case_check(&run, &set, &other);
    ck_assert_uint_eq(result.steps, other.steps);
    ck_assert_uint_eq(result.buffer_peak, other.buffer_peak);
    ck_assert_str_eq(result.ran_as, CASES[_i].router);
    ck_assert_str_eq(other.ran_as, "");
    plain_set_free(&set);
}
END_TEST

/* impossible options are refused before a step, and the text names fitting ones */
START_TEST(refusals)
{
    static const struct {
        const char *parameters;
        uint32_t buffer;
        const char *expected;
    } CASES[] = {
        {"r=5", 0, "r = 5 replicas need as many groups"},
        {"graph=rs", 0, "with 4 tiles r can be 2, not 4"},
        {"graph=/nonexistent/graph", 0, "/nonexistent/graph"},
        {"walk=0", 9, "the least is 10"},
        {NULL, 9, "the least is 10"},
    };
    struct plain_set set;
    struct case_result result;
    make_uniform(&set, (struct grid){16, 16}, 4);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct meshcast_error failure = {0};
        struct router_case run = router_case_make("expander", CASES[i].parameters);
        run.copy_is_free = true;
        run.buffer = CASES[i].buffer;
        enum meshcast_status kind = router_case_run(&run, &set, NULL, &result, &failure);
        ck_assert(kind == MESHCAST_USAGE || kind == MESHCAST_SYSTEM || kind == MESHCAST_INPUT);
        ck_assert_msg(strstr(failure.text, CASES[i].expected) != NULL, "%s: %s", CASES[i].expected,
                      failure.text);
    }
    plain_set_free(&set);
}
END_TEST

/* the capacity that is named is in force, and enough, on equal tiles, unequal ones and lines */
START_TEST(least_capacity)
{
    static const struct {
        struct grid mesh;
        uint32_t congestion, least[2]; /* unit copies, free copies */
        const char *parameters;
    } CASES[] = {{{16, 16}, 4, {13, 10}, "r=2"},       {{9, 13}, 4, {15, 12}, "r=2 walk=1"},
                 {{1, 96}, 5, {17, 14}, "r=2 walk=1"}, {{1, 96}, 5, {10, 10}, "r=2 walk=0"},
                 {{9, 13}, 4, {11, 11}, "r=2 walk=0"}, {{16, 16}, 4, {10, 10}, "r=2 walk=0"}};
    for (int i = 0; i < 6; i++)
        for (int free_copies = 0; free_copies < 2; free_copies++) {
            struct plain_set set;
            struct case_result result;
            struct router_case run = router_case_make("expander", CASES[i].parameters);
            make_uniform(&set, CASES[i].mesh, CASES[i].congestion);
            run.copy_is_free = free_copies;
            router_case_check(&run, &set, &result);
            uint32_t least = CASES[i].least[free_copies];
            ck_assert_uint_le(result.buffer_capacity, least);
            run.buffer = 40;
            router_case_check(&run, &set, &result);
            ck_assert_uint_eq(result.buffer_capacity, 40);
            ck_assert_uint_le(result.buffer_peak, least);
            plain_set_free(&set);
        }
}
END_TEST

/* ---- the graph ---- */

/* a graph from a file routes as the same graph made from its seed */
START_TEST(graph_from_a_file)
{
    char path[TEMPORARY_PATH], parameters[TEMPORARY_PATH + 32];
    struct plain_set set;
    struct case_result from_file, from_seed;
    fclose(temporary_file(path));
    make_graph(path, (struct grid){16, 16}, 4, 2, false);
    make_uniform(&set, (struct grid){16, 16}, 4);
    snprintf(parameters, sizeof parameters, "r=2 walk=0 graph=%s", path);
    struct router_case run = router_case_make("expander", parameters);
    router_case_check(&run, &set, &from_file);
    run = router_case_make("expander", "r=2 walk=0");
    router_case_check(&run, &set, &from_seed);
    ck_assert_uint_eq(from_file.steps, from_seed.steps);
    ck_assert_uint_eq(from_file.packet_hops, from_seed.packet_hops);
    ck_assert_ptr_nonnull(strstr(from_file.parameters, path));
    unlink(path);
    plain_set_free(&set);
}
END_TEST

/* a graph that does not fit the run is refused, and the text names what does not fit and no more;
 * a permutation's c, and more inputs of a Reed-Solomon graph, fit */
START_TEST(graphs_that_do_not_fit)
{
    static const struct {
        const char *text, *refusal; /* NULL: fits */
    } CASES[] = {
        {"expander 1 permutation 4 4 2\n0 1\n2 3\n4 5\n6 7\n",
         " has m = 4; this run needs m = 128"},
        {"expander 1 permutation 4 4 1\n0\n1\n2\n3\n",
         " has m = 4, r = 1; this run needs m = 128, r = 2"},
        {"expander 1 rs 64 2 4 3\n", " has m = 64, c = 8; this run needs m = 128 or more, c = 4"},
        {"expander 1 rs 128 2 8 3\n", " has c = 16; this run needs c = 4"},
        {"expander 1 list 4 4 1\n0\n1\n2\n3\n",
         ": a graph of kind list can be checked, not routed; this run needs a permutation or rs "
         "graph"},
        {"expander 1 rs 256 2 2 8\n", NULL},
    };
    char path[TEMPORARY_PATH], parameters[TEMPORARY_PATH + 32];
    fclose(temporary_file(path));
    struct plain_set set;
    make_uniform(&set, (struct grid){16, 16}, 4);
    snprintf(parameters, sizeof parameters, "r=2 walk=0 graph=%s", path);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct meshcast_error failure = {0};
        struct case_result result;
        struct router_case run = router_case_make("expander", parameters);
        FILE *file = fopen(path, "w");
        fputs(CASES[i].text, file);
        fclose(file);
        enum meshcast_status kind = router_case_run(&run, &set, NULL, &result, &failure);
        ck_assert_int_eq(kind, CASES[i].refusal == NULL ? MESHCAST_OK : MESHCAST_USAGE);
        if (CASES[i].refusal != NULL) {
            ck_assert_ptr_eq(strstr(failure.text, path), failure.text);
            ck_assert_str_eq(failure.text + strlen(path), CASES[i].refusal);
        }
    }
    unlink(path);
    plain_set_free(&set);
}
END_TEST

/* a permutation that was made for other groups is a graph of the run's groups */
START_TEST(any_groups_of_a_permutation)
{
    char path[TEMPORARY_PATH], parameters[TEMPORARY_PATH + 32];
    struct grid mesh = {16, 16};
    struct plain_set set;
    struct case_result from_file, from_seed;
    fclose(temporary_file(path));
    make_graph(path, mesh, 32, 2, false);
    make_uniform(&set, mesh, 4);
    snprintf(parameters, sizeof parameters, "r=2 walk=0 graph=%s", path);
    struct router_case run = router_case_make("expander", parameters);
    router_case_check(&run, &set, &from_file);
    run = router_case_make("expander", "r=2 walk=0");
    router_case_check(&run, &set, &from_seed);
    ck_assert_uint_eq(from_file.packet_hops, from_seed.packet_hops);
    unlink(path);
    plain_set_free(&set);
}
END_TEST

/* the run's seed changes nothing, the graph's does */
START_TEST(no_random_bit)
{
    struct plain_set set;
    struct case_result result, other;
    struct meshcast_error failure = {0};
    struct router_case run = router_case_make("expander", NULL);
    make_uniform(&set, (struct grid){16, 16}, 8);
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), MESHCAST_OK);
    run.seed = 12345;
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &other, &failure), MESHCAST_OK);
    ck_assert(router_case_same(&result, &other));
    run.parameters = "graph_seed=2";
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &other, &failure), MESHCAST_OK);
    ck_assert(result.packet_hops != other.packet_hops);
    plain_set_free(&set);
}
END_TEST

/* ---- phases ---- */

/* one migration a visit against one who knows the graph leaves something: further phases deliver
 * it, names of packets that were discarded serve again, and the audit finds nothing duplicated */
START_TEST(further_phases)
{
    static const char *const parameters[] = {"r=2 alpha=1 walk=0", "r=2 alpha=1 walk=0 graph=rs",
                                             "r=5 alpha=1 walk=0", "r=4 alpha=1 walk=0",
                                             "r=6 alpha=1 walk=0"};
    struct grid mesh = {16, 16};
    struct plain_set set;
    struct case_result result;
    char graph[TEMPORARY_PATH];
    fclose(temporary_file(graph));
    make_graph(graph, mesh, 16, 2, _i == 1);
    struct router_case run = router_case_make("expander", parameters[_i]);
    make_adversary(&set, mesh, 16, graph);
    unlink(graph);
    run.copy_is_free = true;
    router_case_check(&run, &set, &result);
    ck_assert_uint_ge(phases_of(&result), _i >= 2 ? 1 : 2);
    ck_assert_uint_le(phases_of(&result), 8);
    run.copy_is_free = false;
    router_case_check(&run, &set, &result);
    plain_set_free(&set);
}
END_TEST

/* the paper's constants: log n classes and replicas, as many as there are groups, and 1 / lambda */
START_TEST(literal_constants)
{
    struct plain_set set;
    struct case_result result;
    struct router_case run = router_case_make("expander", "literal=1 walk=0");
    make_uniform(&set, (struct grid){16, 16}, 16);
    run.copy_is_free = true;
    router_case_check(&run, &set, &result);
    ck_assert(used(&result, "r=8 ") && !used(&result, "alpha=1 "));
    ck_assert_uint_eq(phases_of(&result), 1);
    plain_set_free(&set);
}
END_TEST

void expander_route_suite(TCase *tests)
{
    tcase_add_loop_test(tests, outside_of_its_range, 0, 2);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, least_capacity);
    tcase_add_test(tests, graph_from_a_file);
    tcase_add_test(tests, graphs_that_do_not_fit);
    tcase_add_test(tests, any_groups_of_a_permutation);
    tcase_add_test(tests, no_random_bit);
    tcase_add_loop_test(tests, further_phases, 0, 5);
    tcase_add_test(tests, literal_constants);
}
