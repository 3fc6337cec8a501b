/* test_cli_results.c - the output of route, compare and audit.
 *
 * Oracles: figures that must agree with each other (phases with steps, ratios with their parts, the
 * table with the JSON), and the audit, which counts a trace's events by itself.
 */
#include "test/program_run.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const char *const routers[] = {"replicate", "trees", "circulate"};

enum { ROUTERS = sizeof routers / sizeof routers[0] };

static void make_set(void)
{
    const char *command = "$M gen --rows 9 --cols 7 --pattern uniform --degree 5 --congestion 6 "
                          "--seed 5 -o $T/s";
    program_run_ends(0, "%s", command);
}

/* The figures of `route --json` agree with each other. */
START_TEST(test_route_json)
{
    make_set();
    const struct outcome *run = program_run_ends(
        0, "$M route $T/s --router %s --json --seed 0x10 --threads 1 --copy free -q", routers[_i]);
    ck_assert_str_eq(run->err, "");
    json_t *object = program_run_json();
    program_run_check_phases(object);
    ck_assert_str_eq(program_run_text(object, "router"), routers[_i]);
    ck_assert_str_eq(program_run_text(object, "copy"), "free");
    ck_assert_int_eq(program_run_integer(object, "nodes"), 63);
    ck_assert_int_eq(program_run_integer(object, "seed"), 16);
    ck_assert_int_eq(program_run_integer(object, "threads"), 1);
    ck_assert_int_eq(program_run_integer(object, "missing"), 0);
    ck_assert_int_eq(program_run_integer(object, "delivered"),
                     program_run_integer(object, "deliveries"));
    ck_assert(json_is_object(json_object_get(object, "parameters")));
    ck_assert_double_eq_tol(program_run_number(object, "sqrt_cn"),
                            sqrt(63.0 * (double)program_run_integer(object, "congestion")), 1e-6);
    ck_assert_double_eq_tol(
        program_run_number(object, "steps_per_sqrt_cn"),
        program_run_number(object, "steps") / program_run_number(object, "sqrt_cn"), 1e-6);
    ck_assert_double_eq_tol(
        program_run_number(object, "steps_per_lower_bound"),
        program_run_number(object, "steps") / program_run_number(object, "lower_bound"), 1e-6);
    ck_assert(program_run_number(object, "steps") >= program_run_number(object, "lower_bound"));
    json_decref(object);
}
END_TEST

/* Phases of one name are one line, with their steps and how many they are. */
START_TEST(test_phases_of_one_name)
{
    program_run("$M kernel route --side 16 --k 4 --json");
    json_t *object = program_run_json(), *phases = json_object_get(object, "phases"), *phase;
    char line[40];
    long steps = 0, times = 0;
    size_t i;
    json_array_foreach(phases, i, phase)
    {
        const char *name = json_string_value(json_object_get(phase, "name"));
        if (strcmp(name, "route") == 0) {
            steps += program_run_integer(phase, "steps");
            times++;
        }
    }
    json_decref(object);
    ck_assert_int_gt(times, 1);
    const struct outcome *run = program_run("$M kernel route --side 16 --k 4");
    const char *at = strstr(run->out, "\n    route ");
    ck_assert_ptr_nonnull(at);
    ck_assert_ptr_null(strstr(at + 1, "\n    route "));
    ck_assert_double_eq(program_run_figure(run->out, "\n    route "), (double)steps);
    snprintf(line, sizeof line, " %ld times\n", times);
    ck_assert_ptr_nonnull(strstr(at, line));
}
END_TEST

/* The table for people shows the figures of the JSON. */
START_TEST(test_route_table)
{
    make_set();
    program_run("$M route $T/s --router %s --json", routers[_i]);
    json_t *object = program_run_json();
    const struct outcome *run = program_run_ends(0, "$M route $T/s --router %s", routers[_i]);
    ck_assert_double_eq(program_run_figure(run->out, "\n  steps "),
                        program_run_number(object, "steps"));
    ck_assert_double_eq_tol(program_run_figure(run->out, "\n  steps / lower bound "),
                            program_run_number(object, "steps_per_lower_bound"), 0.00501);
    ck_assert_double_eq_tol(program_run_figure(run->out, "\n  steps / sqrt(c n) "),
                            program_run_number(object, "steps_per_sqrt_cn"), 0.00501);
    ck_assert_double_eq(program_run_figure(run->out, "\n  buffer peak "),
                        program_run_number(object, "buffer_peak"));
    ck_assert_double_eq(program_run_figure(run->out, "\n  packet hops "),
                        program_run_number(object, "packet_hops"));
    ck_assert_double_eq(program_run_figure(run->out, "\n  delivered "),
                        program_run_number(object, "delivered"));
    ck_assert_ptr_null(strchr(run->out, '\033'));
    json_decref(object);
}
END_TEST

/* The seed reaches the router: one seed, one trace; another seed, another. */
START_TEST(test_seed)
{
    program_run_ends(1, "$M gen --side 12 --pattern uniform --degree 2 --congestion 2 -o $T/s; "
                        "for s in 1 0x1 2; do $M route $T/s --router stream --seed $s "
                        "--trace $T/t$s -q || exit 9; done; cmp $T/t1 $T/t0x1 || exit 8; "
                        "cmp -s $T/t1 $T/t2");
}
END_TEST

/* One node below the peak a run without back-pressure overflows: status 1, the object with what is
 * known and the error, the message on standard error, and the trace is kept. */
START_TEST(test_overflow)
{
    make_set();
    program_run("$M route $T/s --router trees --json");
    json_t *object = program_run_json();
    json_int_t peak = program_run_integer(object, "buffer_peak");
    ck_assert(json_is_null(json_object_get(object, "buffer_capacity")));
    json_decref(object);
    ck_assert_int_ge(peak, 2);
    program_run_ends(0, "$M route $T/s --router trees --param slots=0 --buffer %lld",
                     (long long)peak);

    const struct outcome *run = program_run_ends(
        1, "$M route $T/s --router trees --param slots=0 --buffer %lld --json --trace $T/t",
        (long long)peak - 1);
    ck_assert_ptr_nonnull(strstr(run->err, "node"));
    object = program_run_json();
    program_run_check_phases(object);
    ck_assert_int_eq(program_run_integer(object, "buffer_capacity"), peak - 1);
    ck_assert_ptr_nonnull(strstr(run->err, program_run_text(object, "error")));
    ck_assert(program_run_left("t"));
    json_decref(object);
}
END_TEST

/* The trace of a run is clean, its audit counts what the run counted, and a shortened trace is
 * not clean. */
START_TEST(test_trace_and_audit)
{
    static const char *const same[] = {"packet_hops", "word_hops", "copies", "delivered",
                                       "buffer_peak", "messages",  "rows",   "cols"};
    make_set();
    program_run_ends(0, "$M route $T/s --router %s --json --trace $T/t %s", routers[_i],
                     _i == 0 ? "--copy free" : "");
    json_t *route = program_run_json();
    program_run_ends(0, "$M audit $T/s $T/t --json");
    json_t *audit = program_run_json();
    ck_assert(json_is_true(json_object_get(audit, "clean")));
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        ck_assert_msg(program_run_integer(route, same[i]) == program_run_integer(audit, same[i]),
                      "%s", same[i]);
    ck_assert_str_eq(program_run_text(audit, "copy"), _i == 0 ? "free" : "unit");
    ck_assert(program_run_integer(audit, "steps") <= program_run_integer(route, "steps"));
    json_decref(route);
    json_decref(audit);

    const struct outcome *run = program_run("$M audit $T/s $T/t");
    ck_assert_ptr_eq(strstr(run->out, "clean: "), run->out);
    run = program_run_ends(1, "sed '$d' $T/t >$T/u; $M audit $T/s $T/u --json");
    audit = program_run_json();
    ck_assert(json_is_false(json_object_get(audit, "clean")));
    ck_assert_ptr_nonnull(strstr(run->err, program_run_text(audit, "error")));
    json_decref(audit);
}
END_TEST

/* A trace on standard output can be piped into the audit; the report goes to standard error. */
START_TEST(test_trace_to_output)
{
    make_set();
    const struct outcome *run =
        program_run_ends(0, "$M route $T/s --router %s --trace - | $M audit $T/s -", routers[_i]);
    ck_assert_ptr_eq(strstr(run->out, "clean: "), run->out);
    ck_assert_ptr_nonnull(strstr(run->err, "steps / sqrt(c n)"));
    run = program_run("$M route $T/s --router %s --trace - --quiet >$T/t", routers[_i]);
    ck_assert_str_eq(run->err, "");
}
END_TEST

/* Returns the rows of `compare --json`, which is an object of the second form. */
static json_t *read_runs(void)
{
    json_t *object = program_run_json(), *runs = json_object_get(object, "runs");
    ck_assert_int_eq(program_run_integer(object, "format"), 2);
    ck_assert(json_is_array(runs));
    json_incref(runs);
    json_decref(object);
    return runs;
}

/* `compare --json` has the options, the set, and the routers' objects in the order of the list. */
START_TEST(test_compare_json)
{
    make_set();
    program_run_ends(0, "$M compare $T/s --routers circulate,trees,circulate --json");
    json_t *object = program_run_json(), *options = json_object_get(object, "options");
    json_t *array = json_incref(json_object_get(object, "runs"));
    ck_assert_int_eq(program_run_integer(object, "format"), 2);
    static const char *const shared[] = {
        "meshcast",          "set",      "rows",       "cols", "nodes", "degree", "congestion",
        "messages_per_node", "messages", "lower_bound"};
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++)
        ck_assert(json_equal(json_object_get(object, shared[i]),
                             json_object_get(json_array_get(array, 0), shared[i])));
    ck_assert_str_eq(program_run_text(options, "copy"), "unit");
    ck_assert(json_is_null(json_object_get(options, "buffer")));
    ck_assert_uint_eq(json_object_size(json_object_get(options, "parameters")), 0);
    json_decref(object);
    static const char *const expected[] = {"circulate", "trees", "circulate"};
    ck_assert_uint_eq(json_array_size(array), 3);
    for (size_t i = 0; i < 3; i++) {
        program_run_check_phases(json_array_get(array, i));
        ck_assert_str_eq(program_run_text(json_array_get(array, i), "router"), expected[i]);
    }
    json_decref(array);
}
END_TEST

/* A router may come with parameters of its own, which go before those of all. */
START_TEST(test_compare_own_parameters)
{
    static const char *const trees[] = {"dds", "diag", "xy"}, *const slots[] = {"0", "0", "2"};
    make_set();
    program_run_ends(0, "$M compare $T/s --routers trees:tree=dds,trees,trees:tree=xy:slots=2 "
                        "--param tree=diag --json");
    json_t *array = read_runs();
    ck_assert_uint_eq(json_array_size(array), 3);
    for (size_t i = 0; i < 3; i++) {
        json_t *parameters = json_object_get(json_array_get(array, i), "parameters");
        ck_assert_str_eq(json_string_value(json_object_get(parameters, "tree")), trees[i]);
        ck_assert_str_eq(json_string_value(json_object_get(parameters, "slots")), slots[i]);
    }
    json_decref(array);
    const struct outcome *run =
        program_run_ends(0, "$M compare $T/s --routers unicast,trees:tree=dds:slots=2");
    ck_assert_ptr_nonnull(strstr(run->out, "\nunicast                    "));
    const char *refused = strstr(run->out, "\ntrees:tree=dds:slots=2 ");
    ck_assert_ptr_nonnull(refused);
    ck_assert_ptr_nonnull(strstr(refused, "did not run: "));
}
END_TEST

/* A parameter goes to the routers that have it. A router that refuses its options gets a row with
 * the reason; the others run and the status is 0, and 2 if all refuse. */
START_TEST(test_compare_refusals)
{
    make_set();
    program_run_ends(0, "$M compare $T/s --param tree=dds --json");
    json_t *array = read_runs(), *object;
    size_t i, errors = 0;
    json_array_foreach(array, i, object)
    {
        json_t *tree = json_object_get(json_object_get(object, "parameters"), "tree");
        bool is_trees = strcmp(program_run_text(object, "router"), "trees") == 0;
        ck_assert_ptr_null(json_object_get(object, "error"));
        ck_assert_int_eq(tree != NULL, is_trees);
        if (is_trees)
            ck_assert_str_eq(json_string_value(tree), "dds");
    }
    json_decref(array);

    program_run_ends(0, "$M compare $T/s --buffer 5 --routers trees:slots=auto,circulate --json "
                        "--copy free");
    array = read_runs();
    json_array_foreach(array, i, object)
    {
        bool refused = json_object_get(object, "error") != NULL;
        errors += refused;
        ck_assert_int_eq(refused, json_object_get(object, "steps") == NULL);
        ck_assert_int_eq(refused, strcmp(program_run_text(object, "router"), "trees") == 0);
    }
    ck_assert_uint_eq(errors, 1);
    json_decref(array);

    const struct outcome *run = program_run_ends(
        0, "$M compare $T/s --buffer 5 --routers trees:slots=auto,circulate --copy free");
    ck_assert_ptr_nonnull(strstr(run->out, "did not run: "));
    program_run_ends(2, "$M compare $T/s --routers trees --param nonsense=1");
}
END_TEST

/* Each of several sets has its rows, which are the same as in a comparison of its own; a set that
 * all routers refuse leaves the status 0, one that cannot be read ends the comparison. */
START_TEST(test_compare_sets)
{
    make_set();
    program_run("$M gen --side 4 --pattern allreduce --algorithm ring --groups 1 -o $T/ring");
    program_run("for s in s ring; do $M compare $T/$s --routers trees,stream --csv -q; done >$T/1");
    const struct outcome *run =
        program_run("$M compare $T/s $T/ring --routers trees,stream --csv >$T/2 && "
                    "cut -d , -f 1,3-7 $T/2 >$T/3 && cut -d , -f 2-7 $T/1 | sed '4d' | cmp - $T/3");
    ck_assert_str_eq(run->out, "");
    program_run_ends(0, "$M compare $T/ring $T/s --routers stream --json");
    json_t *all = program_run_json(), *runs = json_object_get(json_array_get(all, 0), "runs");
    ck_assert_uint_eq(json_array_size(all), 2);
    ck_assert_ptr_nonnull(json_object_get(json_array_get(runs, 0), "error"));
    ck_assert_int_gt(program_run_integer(json_array_get(all, 1), "lower_bound"), 0);
    json_decref(all);
    run = program_run("$M compare $T/ring $T/s --routers stream");
    ck_assert_ptr_nonnull(strstr(run->out, "/ring  stream            -      -  did not run\n"));
    run = program_run_ends(2, "$M compare $T/ring $T/ring --routers stream --json");
    ck_assert_ptr_nonnull(strstr(run->err, "/ring: no router runs with these options"));
    program_run_ends(1, "$M compare $T/s $T/ring --routers trees --buffer 1");
    run = program_run_ends(3, "echo mcast 9 >$T/bad; $M compare $T/s $T/bad --json");
    ck_assert_str_eq(run->out, "");
    run = program_run_ends(4, "$M compare $T/s $T/none");
    ck_assert_str_eq(run->out, "");
}
END_TEST

/* Each part makes the set that `import` makes. */
START_TEST(test_compare_parts)
{
    make_set();
    program_run("seq 0 62 >$T/a; seq 62 -1 0 >$T/b; echo x >$T/bad; for p in a b; do "
                "$M import $T/s --part $T/$p --side 9x8 -o $T/$p.mcast -q; done");
    const struct outcome *run = program_run(
        "for p in a b; do $M compare $T/$p.mcast --routers trees --csv -q; done | grep trees | "
        "cut -d , -f 3-9,14-30 >$T/1; "
        "$M compare $T/s --parts $T/a,$T/b --side 9x8 --routers trees --csv -q >$T/2; "
        "grep trees $T/2 | cut -d , -f 4-10,15-31 | cmp - $T/1 && head -1 $T/2 | cut -d , -f 1-3; "
        "grep trees $T/2 | cut -d , -f 2 | sed 's,.*/,,'");
    ck_assert_str_eq(run->out, "set,part,meshcast\na\nb\n");
    program_run("$M compare $T/s --parts $T/a --side 9x8 --routers trees --json");
    json_t *one = program_run_json();
    ck_assert_ptr_null(json_object_get(one, "part"));
    json_decref(one);
    program_run_ends(3, "$M compare $T/s --parts $T/a,$T/bad --json");
}
END_TEST

/* A failed check among the runs makes the comparison's status 1, and its row says why. */
START_TEST(test_compare_failed_check)
{
    make_set();
    program_run("$M route $T/s --router trees --json");
    json_t *object = program_run_json();
    long long peak = program_run_integer(object, "buffer_peak");
    json_decref(object);
    const struct outcome *run = program_run_ends(
        1, "$M compare $T/s --routers trees --param slots=0 --buffer %lld", peak - 1);
    ck_assert_ptr_nonnull(strstr(run->out, "check failed: "));
    ck_assert_ptr_nonnull(strstr(run->err, "compare: trees failed a check; its row says why"));
}
END_TEST

/* The empty set and the mesh of one node: every command ends well and the ratios are null where
 * the divisor is 0. */
START_TEST(test_nothing_to_route)
{
    static const char *const sets[] = {"mcast 1 1 1\n", "mcast 1 5 3\n", "mcast 1 1 1\n0 0\n"};
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
        program_run_file("s", sets[s]);
        program_run_ends(0, "$M info $T/s && $M compare $T/s");
        program_run_ends(0, "$M route $T/s --router %s --json", routers[_i]);
        json_t *object = program_run_json();
        program_run_check_phases(object);
        ck_assert_int_eq(json_is_null(json_object_get(object, "steps_per_sqrt_cn")),
                         program_run_number(object, "sqrt_cn") == 0);
        ck_assert_int_eq(json_is_null(json_object_get(object, "steps_per_lower_bound")),
                         program_run_integer(object, "lower_bound") == 0);
        json_decref(object);
    }
}
END_TEST

/* A seed beyond 2^63-1, which is no integer to every reader of JSON, is kept as a string. */
START_TEST(test_large_seed)
{
    make_set();
    program_run("$M route $T/s --router trees --json --seed 0xffffffffffffffff");
    json_t *object = program_run_json();
    ck_assert_str_eq(program_run_text(object, "seed"), "18446744073709551615");
    json_decref(object);
}
END_TEST

/* Every key of `route --json` that is a number or a word is a column of a database's view of runs,
 * whose text is in the file. */
START_TEST(test_columns)
{
    const char *key;
    json_t *value;
    make_set();
    program_run("$M sweep --pattern permutation --side 4 --routers trees --db $T/db -q");
    program_run("$M route $T/s --router trees --reduce --json");
    json_t *object = program_run_json();
    json_object_foreach(object, key, value)
    {
        bool is_column = json_is_object(value) || json_is_array(value) ||
                         program_run("grep -aqF \"figures, '$.%s')\" $T/db", key)->status == 0;
        ck_assert_msg(is_column, "%s", key);
    }
    json_decref(object);
}
END_TEST

void cli_results_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tcase, test_route_json, 0, ROUTERS);
    tcase_add_loop_test(tcase, test_route_table, 0, ROUTERS);
    tcase_add_test(tcase, test_phases_of_one_name);
    tcase_add_test(tcase, test_seed);
    tcase_add_test(tcase, test_overflow);
    tcase_add_loop_test(tcase, test_trace_and_audit, 0, ROUTERS);
    tcase_add_loop_test(tcase, test_trace_to_output, 0, ROUTERS);
    tcase_add_test(tcase, test_compare_json);
    tcase_add_test(tcase, test_compare_own_parameters);
    tcase_add_test(tcase, test_compare_refusals);
    tcase_add_test(tcase, test_compare_sets);
    tcase_add_test(tcase, test_compare_parts);
    tcase_add_test(tcase, test_compare_failed_check);
    tcase_add_loop_test(tcase, test_nothing_to_route, 0, ROUTERS);
    tcase_add_test(tcase, test_large_seed);
    tcase_add_test(tcase, test_columns);
}
