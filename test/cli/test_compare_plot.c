/* test_compare_plot.c - the picture of `compare` agrees with the table; the places of its texts are
 * suite `pictures`.
 *
 * Oracle: the numbers of --json.
 */
#include "test/program_run.h"

#include <check.h>
#include <stdbool.h>
#include <string.h>

static void make_set(const char *name)
{
    program_run_ends(0, "$M gen --side 16 --pattern uniform --degree 4 --congestion 4 -o \"$T/%s\"",
                     name);
}

/* The numbers are the bytes of --csv but for the time that a run took; a router that refuses has
 * none. */
START_TEST(numbers)
{
    static const char *const options[] = {"", "--routers trees,stream --best"};
    make_set("s");
    for (int i = 0; i < 2; i++) {
        program_run_ends(
            0,
            "$M compare $T/s %s --plot $T/p.csv --csv >$T/q.csv && cmp $T/p.csv $T/q.csv && $M "
            "compare $T/s %s --plot $T/p.csv -q && head -1 $T/p.csv >$T/p && head -1 $T/q.csv | "
            "cmp - $T/p",
            options[i], options[i]);
    }
    program_run("$M compare $T/s --buffer 2 --plot $T/q.csv");
    program_run_ends(0, "grep -q ',unicast,.*least is' $T/q.csv && "
                        "grep -q ',random,unit,' $T/q.csv");
}
END_TEST

/* --best: with each capacity each router has the steps of `route`, and the fastest is named; table,
 * JSON and numbers agree. */
START_TEST(best)
{
    size_t i;
    json_t *point, *run;
    make_set("s");
    const struct outcome *outcome = program_run(
        "$M compare $T/s --routers trees,circulate,unicast --best --plot $T/b.csv --json");
    ck_assert_msg(outcome->status == 0, "%s", outcome->err);
    json_t *race = program_run_json(), *points = json_object_get(race, "capacities");
    ck_assert_uint_gt(json_array_size(points), 3);
    json_array_foreach(points, i, point)
    {
        const char *name, *fastest = json_string_value(json_object_get(point, "fastest"));
        int capacity = (int)program_run_integer(point, "capacity"), least = -1;
        json_object_foreach(json_object_get(point, "routers"), name, run)
        {
            bool delivers = strcmp(program_run_text(run, "outcome"), "delivers") == 0;
            int steps = delivers ? (int)program_run_integer(run, "steps") : -1;
            outcome =
                program_run("$M route $T/s --router %s --buffer %d --json --quiet", name, capacity);
            ck_assert_int_eq(outcome->status == 0, delivers);
            if (!delivers)
                continue;
            json_t *route = program_run_json();
            ck_assert_int_eq(program_run_integer(route, "steps"), steps);
            json_decref(route);
            least = least < 0 || steps < least ? steps : least;
            outcome =
                program_run("grep -q '^%d,%s,[01],delivers,%d,' $T/b.csv", capacity, name, steps);
            ck_assert_int_eq(outcome->status, 0);
        }
        ck_assert_int_eq(fastest == NULL, least < 0);
        if (fastest != NULL)
            ck_assert_int_eq(
                program_run_integer(json_object_get(json_object_get(point, "routers"), fastest),
                                    "steps"),
                least);
    }
    json_decref(race);
    outcome =
        program_run("$M compare $T/s --routers trees,circulate,unicast --best --plot $T/b.svg");
    ck_assert_int_eq(outcome->status, 0);
    ck_assert_ptr_nonnull(strstr(outcome->out, "\n1            none delivers "));
    ck_assert_ptr_nonnull(strstr(outcome->out, "\nnot limited  trees "));
    ck_assert_ptr_null(strstr(outcome->out, " \n"));
    outcome = program_run("$M compare $T/s --routers trees:tree=spread,circulate --best && "
                          "$M compare $T/s --routers trees:tree=spread,circulate --tables");
    ck_assert_ptr_nonnull(
        strstr(outcome->out, "\nbuffer       fastest            steps  /bound  next"));
    ck_assert_ptr_nonnull(strstr(outcome->out, "\nnot limited  trees:tree=spread "));
    ck_assert_ptr_nonnull(strstr(outcome->out, "\ntables "));
    ck_assert_ptr_nonnull(strstr(outcome->out, "\ncirculate "));
    program_run_ends(0, "grep -q '<svg' $T/b.svg");
    program_run_ends(2, "$M compare $T/s --routers stream --param walk=2 --best");
}
END_TEST

static const struct {
    const char *options, *told;
    int status;
} refusals[] = {
    {"--plot $T/x.gif", "FILE.svg", 2},
    {"--plot $T/s", "FILE.svg", 2},
    {"--plot $T/s.csv", "--plot would overwrite ", 2},
    {"--plot $T/no/x.csv", "cannot open", 4},
};

/* Pictures that cannot be drawn are refused before anything runs, and the set stays. */
START_TEST(refused)
{
    make_set("s.csv");
    program_run_fails(refusals[_i].status, refusals[_i].told, "$M compare $T/s.csv %s",
                      refusals[_i].options);
    program_run_ends(0, "$M info $T/s.csv >/dev/null");
    program_run_fails(4, "gnuplot-nox", "PATH=/nonexistent $M compare $T/s.csv --plot $T/left.svg");
    ck_assert(!program_run_left("left.svg"));
}
END_TEST

void compare_plot_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, numbers);
    tcase_add_test(tests, best);
    tcase_add_loop_test(tests, refused, 0, sizeof refusals / sizeof refusals[0]);
}
