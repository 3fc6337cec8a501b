/* test_cli_stress.c - `stress` through the program: its output, its picture, its refusals, and that
 * an interrupted one leaves nothing; and `compare` with a buffer that is too small.
 */
#include "test/program_run.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

/* Seven nodes send to the middle of the first column, one sends to two. */
static void make_set(void)
{
    program_run_file("s", "mcast 1 3 3\n0 3\n1 3\n2 3\n4 3\n5 3\n6 3\n7 3\n8 0 3\n");
}

static const char *const routers[] = {"replicate", "random",   "stream", "circulate",
                                      "unicast",   "expander", "trees"};

enum { ROUTERS = sizeof routers / sizeof routers[0] };

/* The object of every router: `route --buffer` agrees with the answer and with the run of one
 * packet less. */
START_TEST(test_json)
{
    size_t i;
    json_t *run;
    make_set();
    const struct outcome *outcome =
        program_run("$M stress $T/s --router %s --json --copy %s --param nothing=1", routers[_i],
                    _i % 2 == 0 ? "unit" : "free");
    ck_assert_int_eq(outcome->status, 2); /* of every router: it has no such parameter */
    outcome = program_run("$M stress $T/s --router %s --json", routers[_i]);
    ck_assert_int_eq(outcome->status, 0);
    ck_assert_str_eq(outcome->err, "");
    json_t *object = program_run_json();
    ck_assert(
        json_is_null(json_object_get(json_object_get(object, "without_capacity"), "capacity")));
    json_int_t least = program_run_integer(object, "least_capacity");
    json_array_foreach(json_object_get(object, "runs"), i, run)
    {
        int refused = strcmp(program_run_text(run, "outcome"), "refused") == 0;
        ck_assert_int_eq(json_object_get(run, "error") != NULL, refused);
        int delivers = strcmp(program_run_text(run, "outcome"), "delivers") == 0;
        ck_assert_int_eq(delivers, program_run_integer(run, "capacity") >= least);
    }
    json_decref(object);
    program_run_ends(0, "$M route $T/s --router %s --buffer %d", routers[_i], (int)least);
    if (least > 1)
        ck_assert_int_ne(
            program_run("$M route $T/s --router %s --buffer %d", routers[_i], (int)least - 1)
                ->status,
            0);
}
END_TEST

/* The table shows where a smaller buffer overflows, why one is refused, the answer, and its
 * certainty; the numbers of the picture are those of the table. */
START_TEST(test_table)
{
    make_set();
    const struct outcome *run =
        program_run_ends(0, "$M stress $T/s --router trees --param slots=0 -q --plot $T/n.csv");
    ck_assert_ptr_nonnull(strstr(run->out, "overflows at step "));
    double least = program_run_figure(run->out, "least capacity that delivers: ");
    ck_assert_double_gt(least, 1);
    ck_assert_double_eq(program_run_figure(run->out, "\n    none ") > 0, 1);
    char lines[160];
    snprintf(lines, sizeof lines, "%.0f was run and overflows", least - 1);
    ck_assert(strstr(run->out, lines) != NULL || strstr(run->out, "every smaller one was run"));
    snprintf(lines, sizeof lines,
             "head -n 1 $T/n.csv | grep -q '^capacity,outcome,steps,' && grep -q '^,delivers,' "
             "$T/n.csv && grep -q '^%.0f,delivers,' $T/n.csv && grep -q '^%.0f,overflow,' $T/n.csv",
             least, least - 1);
    program_run_ends(0, "%s", lines);
    program_run_ends(0, "$M stress $T/s --router trees --param slots=0 -q --csv | cmp - $T/n.csv");

    run = program_run_ends(
        0, "$M stress $T/s --router trees --param slots=auto --exhaustive --plot $T/r.csv");
    ck_assert_ptr_nonnull(strstr(run->out, "1..11 "));
    ck_assert_ptr_nonnull(strstr(run->out, "the least is 12"));
    ck_assert_ptr_nonnull(strstr(run->out, "every smaller one was run: none delivers"));
    program_run_ends(0, "grep -q '^11,refused,' $T/r.csv");
    run = program_run("$M gen --side 8 --pattern uniform --congestion 4 -o $T/u && "
                      "$M stress $T/u --router trees --param slots=0");
    least = program_run_figure(run->out, "least capacity that delivers: ");
    snprintf(lines, sizeof lines, "\n  %.0f was run and overflows; below it ", least - 1);
    ck_assert_ptr_nonnull(strstr(run->out, lines));
    run = program_run_ends(0, "$M stress $T/s --router replicate --unknown-congestion");
    ck_assert_ptr_nonnull(strstr(run->out, " attempt"));
}
END_TEST

static const struct {
    const char *command;
    int status;
    const char *expected;
} bad_cases[] = {
    {"--router trees --buffer 3", 2, "--buffer"},
    {"--router tree", 2, "trees"},
    {"--router trees,stream", 2, "takes one router, not 'trees,stream'; 'meshcast compare'"},
    {"", 2, "--router"},
    {"--router trees --param slots=999", 2, "slots"},
    {"--router trees --unknown-congestion", 2, "unknown congestion"},
    {"--router trees --points 1", 2, "--points"},
    {"--router trees --plot $T/left.gif", 2, "FILE.csv"},
    {"--router trees --plot $T/none/left.csv", 4, "left.csv"},
    {"--router trees --plot $T/s", 2, "--plot would overwrite "},
};

enum { BAD_CASES = sizeof bad_cases / sizeof bad_cases[0] };

/* Impossible options are refused in a line with their status, and leave no file. */
START_TEST(test_bad)
{
    make_set();
    const struct outcome *run =
        program_run_ends(bad_cases[_i].status, "$M stress $T/s %s", bad_cases[_i].command);
    ck_assert_ptr_nonnull(strstr(run->err, bad_cases[_i].expected));
    ck_assert_str_eq(run->out, "");
    ck_assert_str_eq(program_run("ls $T | grep left")->out, "");
}
END_TEST

/* The set is not overwritten; without gnuplot a picture is refused before the runs, numbers are
 * not; a full disk is reported. */
START_TEST(test_refused)
{
    make_set();
    program_run("cp $T/s $T/s.csv");
    program_run_ends(2, "$M stress $T/s.csv --router trees --plot $T/s.csv");
    program_run_ends(0, "cmp $T/s $T/s.csv");
    program_run_fails(4, "gnuplot-nox",
                      "PATH=/nonexistent $M stress $T/none --router trees --plot $T/p.png");
    program_run_ends(0, "PATH=/nonexistent $M stress $T/s --router trees -q --plot $T/p.csv");
    program_run_fails(4, "full.csv",
                      "ln -s /dev/full $T/full.csv; $M stress $T/s --router trees --plot "
                      "$T/full.csv");
}
END_TEST

/* An interrupted search ends by its signal and leaves no file, not even an unfinished one; what was
 * there before stays. */
START_TEST(test_interrupted)
{
    program_run("$M gen --side 96 --pattern uniform --degree 32 --congestion 32 -o $T/big; "
                "echo old >$T/old.csv");
    /* a shell's background commands ignore the keyboard's signal: SIGTERM stands for it */
    const struct outcome *run =
        program_run("mkfifo $T/1 $T/2; "
                    "$M stress $T/1 --router expander --points 500 --plot $T/left.csv & first=$!; "
                    "$M stress $T/2 --router expander --points 500 --plot $T/old.csv & "
                    "cat $T/big >$T/1; cat $T/big >$T/2; " /* when they have read it, they search */
                    "kill $first $!; wait $first; echo $?; wait $!; echo $?");
    ck_assert_str_eq(run->out, "143\n143\n");
    ck_assert_str_eq(program_run("ls $T | grep -e left -e tmp; cat $T/old.csv")->out, "old\n");
}
END_TEST

/* Pictures of every format, also of sets without messages and of one node: gnuplot has nothing to
 * say, and the title names the run. */
START_TEST(test_pictures)
{
    static const char *const formats[][2] = {{"png", "PNG"}, {"pdf", "%PDF"}, {"svg", "<?xml"}};
    make_set();
    program_run_file("empty", "mcast 1 3 3\n");
    program_run_file("one", "mcast 1 1 1\n0 0\n");
    for (size_t f = 0; f < 3; f++) {
        const struct outcome *run = program_run_ends(
            0,
            "$M stress $T/s --router replicate --plot $T/p.%s >$T/table && head -c 5 "
            "$T/p.%s | tr -d '\\211'",
            formats[f][0], formats[f][0]);
        ck_assert_str_eq(run->err, "");
        ck_assert_ptr_nonnull(strstr(run->out, formats[f][1]));
    }
    ck_assert_ptr_nonnull(
        strstr(program_run("cat $T/p.svg")->out, "replicate on 3 x 3, c = 8, copies cost a step"));
    const struct outcome *run = program_run_ends(
        0, "for s in empty one s; do for r in trees circulate; do $M stress $T/$s --router "
           "$r --plot $T/q.svg >$T/table || exit 9; done; done");
    ck_assert_str_eq(run->err, "");
}
END_TEST

/* With a buffer that is too small for some, a comparison has a row for each: an overflow with node,
 * step and phase, a refusal with the least buffer, the others with their figures; status 1. */
START_TEST(test_compare)
{
    size_t i;
    json_t *row;
    make_set();
    const struct outcome *run = program_run_ends(
        1, "$M gen --side 16 --pattern uniform --congestion 8 -o $T/u && $M compare $T/u "
           "--routers random,trees:slots=auto,unicast --buffer 3");
    const char *overflow = strstr(run->out, "\nrandom ");
    ck_assert_ptr_nonnull(overflow);
    ck_assert_ptr_nonnull(strstr(overflow, "overflow: node "));
    ck_assert_ptr_nonnull(strstr(overflow, "step "));
    ck_assert_ptr_nonnull(strstr(overflow, "phase \""));
    const char *refused = strstr(run->out, "\ntrees:slots=auto ");
    ck_assert_ptr_nonnull(refused);
    ck_assert_ptr_nonnull(strstr(refused, "did not run: "));
    ck_assert_ptr_nonnull(strstr(run->out, "the least is 12"));

    program_run("$M compare $T/s --routers replicate,trees,circulate --buffer 5 --json");
    json_t *object = program_run_json(), *array = json_object_get(object, "runs");
    ck_assert_uint_eq(json_array_size(array), 3);
    json_array_foreach(array, i, row)
    {
        ck_assert((json_object_get(row, "error") == NULL) ==
                  (json_is_integer(json_object_get(row, "steps")) &&
                   program_run_integer(row, "buffer_peak") <= 5));
    }
    json_decref(object);
}
END_TEST

void cli_stress_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, test_json, 0, ROUTERS);
    tcase_add_test(tests, test_table);
    tcase_add_loop_test(tests, test_bad, 0, BAD_CASES);
    tcase_add_test(tests, test_refused);
    tcase_add_test(tests, test_interrupted);
    tcase_add_test(tests, test_pictures);
    tcase_add_test(tests, test_compare);
}
