/* test_cli_expander.c - `meshcast expander` and `gen --pattern adversary` from the outside.
 */
#include "test/length.h"
#include "test/program_run.h"

#include <check.h>
#include <string.h>

/* make writes a graph whose comment makes it again; check says the same of the file and of the
 * options */
START_TEST(make_and_check)
{
    program_run_ends(0, "$M expander make --inputs 256 --c 32 --r 4 --seed 0x5 -o $T/g && sed "
                        "-n 's/^# meshcast //p' $T/g >$T/line && $M $(cat $T/line) | cmp "
                        "- $T/g");
    program_run_ends(0, "$M expander check $T/g | tail -n +2 | grep -v wall >$T/a && $M "
                        "expander check --inputs 256 --c 32 --r 4 --seed 5 | tail -n +2 | grep "
                        "-v wall | cmp - $T/a && cat $T/a");
    ck_assert_ptr_nonnull(strstr(program_run("cat $T/a")->out, "32 edges each: regular"));
    program_run_ends(0, "$M expander make --inputs 64 --r 4 --graph rs --q 8");
    ck_assert_ptr_nonnull(
        strstr(program_run("$M expander make --inputs 64 --r 4 --graph rs --q 8")->out,
               "expander 1 rs 64 4 8 2\n# meshcast expander make --inputs 64 --c 32 "
               "--r 4 --graph rs --q 8 --k 2\n"));
}
END_TEST

/* the family of a permutation as JSON: the ends of the bracket are in order, for every c */
START_TEST(family_json)
{
    program_run_ends(0, "$M expander check --inputs 512 --r 4 --c 16,32,128,512 --json");
    json_t *object = program_run_json(), *bracket;
    static const json_int_t groups[] = {16, 32, 128, 512};
    size_t i;
    ck_assert_int_eq(program_run_integer(object, "m"), 512);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "brackets")), 4);
    json_array_foreach(json_object_get(object, "brackets"), i, bracket)
    {
        ck_assert_int_eq(program_run_integer(bracket, "c"), groups[i]);
        double low = program_run_number(bracket, "lambda_certified");
        double high = program_run_number(bracket, "lambda_found");
        ck_assert(low > 0 && low <= high && high <= 1);
        if (groups[i] <= 32) {
            ck_assert(high - low <= 3e-9); /* rounded to nine places, down and up */
            ck_assert_str_eq(program_run_text(bracket, "lambda_certified_by"), "exact");
        }
        ck_assert_uint_le(json_array_size(json_object_get(bracket, "found_set")),
                          (size_t)groups[i] / 4);
    }
    json_decref(object);
}
END_TEST

/* the same bytes, seconds apart, for every number of threads, and from the serial program */
START_TEST(threads)
{
    program_run_ends(0, "for t in 1 2 3; do $M expander check --inputs 2048 --c 300 --r 5 "
                        "--threads $t | grep -v wall >$T/t$t; done; cmp $T/t1 $T/t2 && "
                        "cmp $T/t1 $T/t3");
    const char *serial = TEST_SERIAL_PROGRAM;
    program_run_ends(0,
                     "\"%s\" expander check --inputs 2048 --c 300 --r 5 | grep -v wall | "
                     "cmp - $T/t1",
                     serial == NULL ? getenv("M") : serial);
}
END_TEST

/* bad graphs end with status 1 after their report; malformed files with 3; wrong usage with 2 */
START_TEST(statuses)
{
    program_run_file("bad", "expander 1 list 4 4 2\n0 1\n0 1\n0 1\n2 1\n");
    const struct outcome *run = program_run_ends(1, "$M expander check $T/bad");
    ck_assert_ptr_nonnull(strstr(run->out, "NOT REGULAR"));
    ck_assert_ptr_nonnull(strstr(run->err, "no expander of Definition 1"));
    program_run_ends(1, "$M expander check --inputs 64 --c 16 --r 4 --lambda 0.9");
    program_run_ends(0, "$M expander check --inputs 64 --c 16 --r 4 --lambda 0.1");
    program_run_file("short", "expander 1 permutation 4 4 2\n0 1\n2 3\n");
    program_run_fails(3, "short:", "$M expander check $T/short");
    static const char *const wrong[] = {"expander",
                                        "expander grow",
                                        "expander make --inputs 4",
                                        "expander make --inputs 4 --c 8 --r 2",
                                        "expander make --inputs 64 --c 16,32 --r 4",
                                        "expander check --inputs 64 --c 16, --r 4",
                                        "expander make --inputs 64 --c 30 --r 4 --graph rs",
                                        "expander make --inputs 64 --c 16 --r 4 --q 4",
                                        "expander check $T/bad --inputs 4",
                                        "expander check $T/bad --c 3",
                                        "expander check $T/bad -o $T/x",
                                        "expander check --inputs 64 --c 16 --r 4 --lambda 2",
                                        "expander check --inputs 64 --c 16 --r 4 --lambda .",
                                        "expander make --inputs 64 --c 16 --r 4 --seed x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        program_run_ends(2, "$M %s", wrong[i]);
    program_run_ends(4, "$M expander check $T/none");
    program_run_ends(4, "$M expander make --inputs 64 --c 16 --r 4 -o $T/no/g");
}
END_TEST

/* options that have no meaning with a subcommand are refused, and missing or unknown ones are
 * named */
START_TEST(refusals)
{
    static const struct {
        const char *arguments, *expected;
    } CASES[] = {
        {"check", "missing a graph file, or --inputs P --c C --r R"},
        {"check --c 16", "missing a graph file, or --inputs P --c C --r R"},
        {"check --inputs 64 --c 16", "missing --r"},
        {"mak --inputs 64 --c 16 --r 4", "did you mean 'make'?"},
        {"chek $T/g", "did you mean 'check'?"},
        {"make --inputs 64 --c 16 --r 4 --threads 2", "--threads is for check"},
        {"make --inputs 64 --c 16 --r 4 --lambda 0.2", "--lambda is for check"},
        {"make --inputs 64 --c 16 --r 4 --threads 1", "--threads is for check"},
        {"make --inputs 64 --c 16 --r 4 --graph rs --seed 1", "--seed is for --graph random"},
        {"make --inputs 64 --c 16 --r 4 --graph tree",
         "unknown value of --graph 'tree'; the values of --graph are: random, rs"},
        {"check $T/g --graph random", "g is a graph already"},
        {"check $T/g --seed 1", "g is a graph already"},
        {"check $T/g -o $T/x", "-o is for make"},
    };
    program_run_file("g", "expander 1 permutation 4 4 1\n0\n1\n2\n3\n");
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        program_run_fails(2, CASES[i].expected, "$M expander %s", CASES[i].arguments);
    }
}
END_TEST

/* a goal that is missed is told with the bound of the report, rounded up; .9 is a number; a c that
 * is named twice has one row; one neighbour is no neighbours; --quiet is accepted */
START_TEST(reports)
{
    const struct outcome *run =
        program_run("$M expander check --inputs 256 --c 32 --r 3 --seed 1 --lambda .9 -q");
    const char *bound = strstr(run->out, "  search       ");
    ck_assert_ptr_nonnull(bound);
    char wanted[160];
    snprintf(wanted, sizeof wanted,
             "--lambda 0.9 is more than c = 32 has: lambda is at most %.6s, by ", bound + 15);
    ck_assert_int_eq(run->status, 1);
    ck_assert_msg(strstr(run->err, wanted) != NULL, "%s: %s", wanted, run->err);
    run = program_run_ends(0, "$M expander check --inputs 64 --c 16,32,16,16 --r 4 --quiet");
    ck_assert_str_eq(run->err, "");
    const char *first = strstr(run->out, "\nc = 16\n");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(strstr(first + 1, "\nc = 16\n"));
    ck_assert_ptr_nonnull(strstr(run->out, "\nc = 32\n"));
    program_run_file("l", "expander 1 list 4 4 1\n0\n0\n1\n2\n");
    run = program_run("$M expander check $T/l");
    ck_assert_ptr_nonnull(strstr(run->out, "2 inputs with 1 distinct neighbour of 2 edges,"));
}
END_TEST

/* the examples of --help run one after the other: the graph fits the run, no router falls back */
START_TEST(documented_chain)
{
    program_run_ends(0,
                     "$M expander make --inputs 1024 --c 64 --r 4 --graph rs -o $T/graph && "
                     "$M gen --side 64 --pattern adversary --congestion 64 --against $T/graph -o "
                     "$T/set && $M route $T/set --router expander --param graph=$T/graph --json");
    json_t *object = program_run_json();
    ck_assert_int_eq(program_run_integer(object, "missing"), 0);
    const char *graph = program_run_text(json_object_get(object, "parameters"), "graph");
    ck_assert_msg(strstr(graph, "/graph") != NULL, "%s", graph);
    json_decref(object);
}
END_TEST

/* sets against a graph: their comment makes them again; routers route them; usage is checked */
START_TEST(adversary)
{
    program_run_ends(0, "$M expander make --inputs 64 --c 16 --r 4 -o $T/g && $M gen --side 16 "
                        "--pattern adversary --against $T/g --share 1/4 -o $T/s && sed -n "
                        "'s/^# meshcast //p' $T/s >$T/line && $M $(cat $T/line) | cmp - "
                        "$T/s && grep -q ' c = 16' $T/s");
    program_run_ends(0, "$M route $T/s --router random --copy free --json");
    json_t *object = program_run_json();
    ck_assert_int_eq(program_run_integer(object, "missing"), 0);
    ck_assert_int_gt(program_run_integer(object, "deliveries"), 3000);
    json_decref(object);
    program_run_ends(0, "$M expander make --inputs 64 --r 4 --graph rs --q 8 -o $T/rs && $M gen "
                        "--rows 9 --cols 14 --pattern adversary --against $T/rs "
                        "--congestion 6 -o $T/r && $M route $T/r --router circulate");
    program_run_ends(2, "$M gen --side 16 --pattern adversary");
    program_run_ends(2, "$M gen --side 16 --pattern uniform --against $T/g");
    program_run_ends(2, "$M gen --side 16 --pattern adversary --against $T/g "
                        "--congestion 3");
}
END_TEST

void cli_expander_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, make_and_check);
    tcase_add_test(tests, family_json);
    tcase_add_test(tests, threads);
    tcase_add_test(tests, statuses);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, reports);
    tcase_add_test(tests, documented_chain);
    tcase_add_test(tests, adversary);
}
