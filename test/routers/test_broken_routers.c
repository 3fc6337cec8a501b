/* test_broken_routers.c - routers on broken meshes: all is delivered over links that remain, in
 * bounded channels without a deadlock, and routers that do not run there refuse.
 */
#include "base/pcg.h"
#include "test/length.h"
#include "test/routers/router_case.h"
#include "test/temporary.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *router, *parameters;
    bool copy_is_free;
} RUNS[] = {
    {"unicast", NULL, false},        {"unicast", NULL, true},    {"unicast", "slots=3", false},
    {"trees", NULL, false},          {"trees", "slots=1", true}, {"trees", "slots=2", true},
    {"trees", "tree=up-down", true}, {"circulate", NULL, false}, {"circulate", NULL, true}};
enum { RUN_COUNT = sizeof RUNS / sizeof *RUNS, TIMED_COUNT = RUN_COUNT - 2 };

static const char *const PATTERNS[] = {"uniform", "hotspot", "broadcast", "permutation"};

static void write_link(FILE *file, uint32_t from, uint32_t to, struct pcg32 *random)
{
    uint32_t drawn = pcg32_below(random, 20);
    if (drawn < 2)
        fprintf(file, drawn == 0 ? "link %u %u\n" : "link %u>%u\n", from, to);
    else if (drawn == 2)
        fprintf(file, "link %u>%u\n", to, from);
}

/* Writes the file of a mesh that lacks some nodes, links, and single directions of links. */
static void break_mesh(char path[TEMPORARY_PATH], struct grid mesh, struct pcg32 *random)
{
    FILE *file = temporary_file(path);
    for (uint32_t node = 0; node < grid_nodes(mesh); node++) {
        if (pcg32_below(random, 16) == 0)
            fprintf(file, "node %u\n", node);
        if ((node + 1) % mesh.cols > 0)
            write_link(file, node, node + 1, random);
        if (node + mesh.cols < grid_nodes(mesh))
            write_link(file, node, node + mesh.cols, random);
    }
    fclose(file);
}

static struct router_case case_at(int index, const char *without)
{
    struct router_case run = router_case_make(RUNS[index].router, RUNS[index].parameters);
    run.copy_is_free = RUNS[index].copy_is_free;
    run.without = without;
    return run;
}

/* Random meshes and sets, small ones with so much traffic that channels fill. */
START_TEST(deliveries)
{
    for (uint64_t number = 0; number < (TEST_IS_SHORT ? 40 : 400); number++) {
        char path[TEMPORARY_PATH], options[TEMPORARY_PATH + 32];
        struct plain_set set;
        struct pcg32 random = pcg32_seed(number, 7);
        bool is_large = number % 10 == 9;
        struct grid mesh = {3 + pcg32_below(&random, is_large ? 20 : 6),
                            3 + pcg32_below(&random, is_large ? 80 : 6)};
        const char *pattern = PATTERNS[number % 4];
        uint32_t degree = number % 4 == 0 ? 1 + pcg32_below(&random, 4) : 0;
        break_mesh(path, mesh, &random);
        snprintf(options, sizeof options, "without=%s%s", path,
                 number % 4 == 0 ? " per-node=3" : "");
        ck_assert(plain_set_gen(&set, pattern, mesh, degree, 0, number, options));
        struct router_case run = case_at(_i, path);
        router_case_check(&run, &set, NULL);
        if (number % 5 == 4)
            router_case_check_threads(run, &set);
        plain_set_free(&set);
        unlink(path);
    }
}
END_TEST

static const char RING_TEXT[] = "mcast 3 mesh 2 2\n0 1\nend 1\n";

static void write_text(char path[TEMPORARY_PATH], const char *text)
{
    FILE *file = temporary_file(path);
    fputs(text, file);
    fclose(file);
}

/* Around the missing link, in the only direction that is left; a run of the whole mesh uses it and
 * is refused. */
START_TEST(around)
{
    char path[TEMPORARY_PATH], trace[TEMPORARY_PATH];
    struct plain_set set;
    struct case_result result;
    struct meshcast_error error = {0};
    write_text(path, "link 0>1\n");
    plain_set_parse(&set, RING_TEXT);
    struct router_case run = case_at(_i, path);
    router_case_check(&run, &set, &result);
    ck_assert_uint_eq(result.packet_hops, 3);
    ck_assert_uint_eq(result.lower_bound, 3);
    fclose(temporary_file(trace));
    run.without = NULL;
    ck_assert_int_eq(router_case_run(&run, &set, trace, &result, &error), MESHCAST_OK);
    ck_assert_int_eq(router_case_audit(trace, &set, NULL, NULL, &error), MESHCAST_OK);
    ck_assert_int_eq(router_case_audit(trace, &set, path, NULL, &error), MESHCAST_CHECK);
    ck_assert_msg(strstr(error.text, "link") != NULL, "%s", error.text);
    unlink(trace);
    unlink(path);
    plain_set_free(&set);
}
END_TEST

/* A single message lasts as many steps as its destination is links away, on the remaining mesh. */
START_TEST(shortest)
{
    uint32_t runs = 0;
    for (uint64_t number = 0; number < 40; number++) {
        char path[TEMPORARY_PATH], text[64];
        struct plain_set set;
        struct case_result result;
        struct pcg32 random = pcg32_seed(number, 5);
        struct grid mesh = {2 + pcg32_below(&random, 9), 2 + pcg32_below(&random, 9)};
        uint32_t from = pcg32_below(&random, grid_nodes(mesh));
        uint32_t to = (from + 1 + pcg32_below(&random, grid_nodes(mesh) - 1)) % grid_nodes(mesh);
        break_mesh(path, mesh, &random);
        snprintf(text, sizeof text, "mcast 3 mesh %u %u\n%u %u\nend 1\n", mesh.rows, mesh.cols,
                 from, to);
        plain_set_parse(&set, text);
        struct router_case run = {.router = "trees", .without = path};
        if (router_case_run(&run, &set, NULL, &result, NULL) == MESHCAST_OK) {
            ck_assert_uint_eq(result.steps, result.lower_bound);
            runs++;
        }
        plain_set_free(&set);
        unlink(path);
    }
    ck_assert_uint_ge(runs, 20);
}
END_TEST

/* The bound is that of a rectangle where it proves more on what remains: node 4 has one link, over
 * which both messages leave. */
START_TEST(bound_of_a_rectangle)
{
    char path[TEMPORARY_PATH];
    struct plain_set set;
    struct case_result result;
    write_text(path, "link 0 1\nlink 3 5\nlink 4 5\n");
    plain_set_parse(&set, "mcast 2 mesh 3 2\n4 3\n4 0\nend 2\n");
    struct router_case run = {.router = "trees", .without = path};
    router_case_check(&run, &set, &result);
    ck_assert_uint_eq(result.lower_bound, 3);
    ck_assert_uint_eq(result.steps, 3);
    plain_set_free(&set);
    unlink(path);
}
END_TEST

/* Messages that wait for one another, around a dead node. */
START_TEST(waits)
{
    char path[TEMPORARY_PATH];
    struct plain_set set;
    struct case_result result;
    write_text(path, "node 4\n");
    plain_set_parse(&set, "mcast 3 mesh 3 3\n3 5\n5>0@9 3 0\n3>1 8 2 6\nend 3\n");
    struct router_case run = case_at(_i, path);
    router_case_check(&run, &set, &result);
    ck_assert_uint_ge(result.steps, 4 + 4 + 4);
    plain_set_free(&set);
    unlink(path);
}
END_TEST

/* --buffer is a limit of unbounded queues: the peak is enough, and one less is not. */
START_TEST(capacity)
{
    char path[TEMPORARY_PATH], options[TEMPORARY_PATH + 16];
    struct plain_set set;
    struct case_result free_run, result;
    struct pcg32 random = pcg32_seed(3, 9);
    struct grid mesh = {7, 9};
    break_mesh(path, mesh, &random);
    snprintf(options, sizeof options, "without=%s", path);
    ck_assert(plain_set_gen(&set, "uniform", mesh, 6, 0, 1, options));
    struct router_case run = {.router = "trees", .without = path};
    router_case_check(&run, &set, &free_run);
    run.buffer = free_run.buffer_peak;
    router_case_check(&run, &set, &result);
    ck_assert_uint_eq(result.steps, free_run.steps);
    run.buffer--;
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, NULL), MESHCAST_CHECK);
    plain_set_free(&set);
    unlink(path);
}
END_TEST

static const struct {
    struct router_case run;
    const char *expected;
} REFUSALS[] = {
    {{.router = "replicate"}, "router replicate needs a whole mesh"},
    {{.router = "random"}, "these routers run on what remains: circulate, unicast, trees;"},
    {{.router = "stream"}, "needs a whole mesh"},
    {{.router = "circulate", .reduces = true}, "reduce needs a whole mesh"},
    {{.router = "expander"}, "needs a whole mesh"},
    {{.router = "trees", .reduces = true}, "reduce needs a whole mesh"},
    {{.router = "trees", .parameters = "tree=xy"}, "tree=xy needs a whole mesh"},
    {{.router = "trees", .parameters = "slots=auto", .buffer = 20}, "slots need copy free"},
    {{.router = "trees", .parameters = "slots=1"}, "slots need copy free"},
};

START_TEST(refusals)
{
    char path[TEMPORARY_PATH];
    struct plain_set set;
    struct case_result result;
    struct meshcast_error error = {0};
    struct router_case run = REFUSALS[_i].run;
    write_text(path, "link 0 1\n");
    plain_set_parse(&set, RING_TEXT);
    run.without = path;
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &error), MESHCAST_USAGE);
    ck_assert_msg(strstr(error.text, REFUSALS[_i].expected) != NULL, "%s", error.text);
    unlink(path);
    write_text(path, "node 1\n");
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &error), MESHCAST_INPUT);
    plain_set_free(&set);
    unlink(path);
}
END_TEST

void broken_routers_suite(TCase *tests)
{
    tcase_set_timeout(tests, 0);
    tcase_add_loop_test(tests, deliveries, 0, RUN_COUNT);
    tcase_add_loop_test(tests, around, 0, RUN_COUNT);
    tcase_add_test(tests, shortest);
    tcase_add_test(tests, bound_of_a_rectangle);
    tcase_add_loop_test(tests, waits, 0, TIMED_COUNT);
    tcase_add_test(tests, capacity);
    tcase_add_loop_test(tests, refusals, 0, sizeof REFUSALS / sizeof *REFUSALS);
}
