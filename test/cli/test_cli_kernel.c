/* test_cli_kernel.c - `meshcast kernel` from outside: its options, output, traces.
 *
 * Oracles: figures that must agree with each other and with the table; the audit, which counts a
 * trace's events by itself, and must refuse traces that were tampered with.
 */
#include "library/meshcast_command.h"
#include "test/program_run.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *name_at(int index)
{
    return meshcast_command_value_at("kernel", NULL, (uint32_t)index);
}

/* The figures of `kernel --json` agree with each other and with the options. */
START_TEST(json_figures)
{
    const struct outcome *run = program_run_ends(
        0,
        "$M kernel %s --side 13 --tiles 4 --pattern reversal --seed 0x11 --threads 1 "
        "--copy free --json",
        name_at(_i));
    ck_assert_str_eq(run->err, "");
    json_t *object = program_run_json();
    program_run_check_phases(object);
    ck_assert_str_eq(program_run_text(object, "kernel"), name_at(_i));
    ck_assert_str_eq(program_run_text(object, "copy"), "free");
    ck_assert_str_eq(program_run_text(object, "pattern"), "reversal");
    ck_assert_int_eq(program_run_integer(object, "side"), 13);
    ck_assert_int_eq(program_run_integer(object, "k"), 1);
    ck_assert_int_eq(program_run_integer(object, "load"), 100);
    ck_assert_int_eq(program_run_integer(object, "tiles"), 4);
    ck_assert_int_eq(program_run_integer(object, "tile_rows"), 7);
    ck_assert_int_eq(program_run_integer(object, "seed"), 17);
    ck_assert_int_eq(program_run_integer(object, "threads"), 1);
    ck_assert(json_is_null(json_object_get(object, "buffer_capacity")));
    ck_assert_double_eq_tol(program_run_number(object, "steps_per_side"),
                            program_run_number(object, "steps") / 13, 1e-6);
    json_decref(object);
}
END_TEST

/* The table for people shows the figures of the JSON. */
START_TEST(table_figures)
{
    static const char options[] = "--side 12 --pattern transpose --seed 3";
    program_run("$M kernel %s %s --json", name_at(_i), options);
    json_t *object = program_run_json();
    const struct outcome *run = program_run_ends(0, "$M kernel %s %s", name_at(_i), options);
    ck_assert_double_eq(program_run_figure(run->out, "\n  steps "),
                        program_run_number(object, "steps"));
    ck_assert_double_eq_tol(program_run_figure(run->out, "\n  steps / side "),
                            program_run_number(object, "steps_per_side"), 0.00501);
    ck_assert_double_eq(program_run_figure(run->out, "\n  buffer peak "),
                        program_run_number(object, "buffer_peak"));
    ck_assert_double_eq(program_run_figure(run->out, "\n  packet hops "),
                        program_run_number(object, "packet_hops"));
    ck_assert_double_eq(program_run_figure(run->out, "\n  word hops "),
                        program_run_number(object, "word_hops"));
    double sync = program_run_number(object, "sync_steps");
    if (sync > 0)
        ck_assert_double_eq_tol(program_run_figure(run->out, "\n  without sync "),
                                (program_run_number(object, "steps") - sync) / 12, 0.00501);
    ck_assert_ptr_null(strchr(run->out, '\033'));
    json_decref(object);
}
END_TEST

static const struct {
    const char *command, *expected;
} usage_cases[] = {
    {"$M kernel", "missing NAME of a kernel; the kernels are: "},
    {"$M kernel prefxi --side 4", "did you mean 'prefix'?"},
    {"$M kernel elephant --side 4", "unknown kernel 'elephant'; the kernels are: "},
    {"$M kernel prefix", "missing --side M"},
    {"$M kernel prefix 8", "unexpected '8'; expected NAME, one kernel"},
    {"$M kernel prefix --side 0", "from 1 to 8192, not '0'"},
    {"$M kernel prefix --side 8193", "from 1 to 8192"},
    {"$M kernel prefix --side 4 --k 0", "--k takes a whole number from 1"},
    {"$M kernel prefix --side 4 --k 400000000", "k = 400000000; on 16 nodes k is 1 .. 268435455"},
    {"$M kernel prefix --side 5 --tiles 3", "the number is a power of two, 1 .. 16"},
    {"$M kernel prefix --side 5 --tiles 32", "cannot be cut into 32 tiles"},
    {"$M kernel prefix --side 4 --pattern transpos", "did you mean 'transpose'?"},
    {"$M kernel prefix --side 4 --pattern uniform", "the patterns are: random, identity"},
    {"$M kernel prefix --side 4 --param methd=sum", "unknown parameter 'methd'; did you mean"},
    {"$M kernel prefix --side 4 --param method=elephant",
     "unknown method of kernel prefix: 'elephant'; the methods"},
    {"$M kernel prefix --side 4 --param load=0", "load is a percentage, 1 .. 100, not '0'"},
    {"$M kernel prefix --side 4 --param load=101", "1 .. 100, not '101'"},
    {"$M kernel prefix --side 4 --param load=1x", "1 .. 100, not '1x'"},
    {"$M kernel prefix --side 4 --param load=+5", "1 .. 100, not '+5'"},
    {"$M kernel prefix --side 4 --param load", "--param takes NAME=VALUE"},
    {"$M kernel prefix --side 4 --trace - --json", "both want standard output"},
    {"$M kernel prefix --side 4 --router trees", "unknown option '--router'"},
};

/* A wrong command line gets status 2, one line on standard error, nothing on standard output. */
START_TEST(wrong_usage)
{
    program_run_fails(2, usage_cases[_i].expected, "%s", usage_cases[_i].command);
}
END_TEST

/* --help begins with examples and names every kernel, method line, pattern and parameter. */
START_TEST(help)
{
    const struct outcome *run = program_run_ends(0, "$M kernel --help");
    const char *examples = strstr(run->out, "\nExamples:\n"), *usage = strstr(run->out, "\nUsage:");
    ck_assert(examples != NULL && usage != NULL && examples < usage);
    for (int i = 0; name_at(i) != NULL; i++) {
        char line[64];
        snprintf(line, sizeof line, "\n  %-10s ", name_at(i));
        ck_assert_ptr_nonnull(strstr(run->out, line));
    }
    const char *pattern;
    for (uint32_t i = 0; (pattern = meshcast_command_value_at("kernel", "pattern", i)) != NULL; i++)
        ck_assert_ptr_nonnull(strstr(run->out, pattern));
    ck_assert_ptr_nonnull(strstr(run->out, "load=PERCENT"));
    ck_assert_ptr_nonnull(strstr(program_run("$M --help")->out, "\n  kernel "));
}
END_TEST

/* ---- traces ---- */

/* The audit of the trace $T/t finds no broken rule, and the counts of the JSON object. */
static void check_audit(const json_t *object)
{
    static const char *const same[] = {"packet_hops", "word_hops", "copies", "buffer_peak"};
    program_run_ends(0, "$M audit $T/t --json");
    json_t *audit = program_run_json();
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        ck_assert_msg(program_run_integer(audit, same[i]) == program_run_integer(object, same[i]),
                      "%s", same[i]);
    ck_assert_int_le(program_run_integer(audit, "steps"), program_run_integer(object, "steps"));
    json_decref(audit);
}

/* Every kernel's trace, with both costs of a copy, in tiles and on odd sides, passes the audit. */
START_TEST(traces_pass_the_audit)
{
    static const char *const options[] = {"--side 8",
                                          "--side 9 --copy free --pattern transpose --seed 1",
                                          "--side 11 --tiles 8 --pattern bitreverse",
                                          "--side 10 --tiles 4 --copy free --seed 9", "--side 1"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        program_run_ends(0, "$M kernel %s %s --trace $T/t --json", name_at(_i), options[i]);
        json_t *object = program_run_json();
        check_audit(object);
        json_decref(object);
    }
}
END_TEST

/* With --trace - the trace is all of standard output, and the report goes to standard error. */
START_TEST(trace_to_standard_output)
{
    const struct outcome *run =
        program_run_ends(0, "$M kernel %s --side 7 --trace - | $M audit -", name_at(_i));
    ck_assert_ptr_nonnull(strstr(run->err, "steps / side"));
    run = program_run("$M kernel %s --side 7 --trace - --quiet >$T/t", name_at(_i));
    ck_assert_str_eq(run->err, "");
    program_run_ends(0, "$M kernel %s --side 7 --trace $T/u -q && cmp $T/t $T/u", name_at(_i));
}
END_TEST

/* Ways to tamper with the first move (or word) of a trace; each breaks a rule. */
static const char *const tampers[] = {
    /* the same link twice in a step */
    "awk '{print} !done && ($2 == \"M\" || $2 == \"X\") {print; done = 1}'",
    /* to a node that is no neighbour */
    "awk '!done && ($2 == \"M\" || $2 == \"X\") {$NF = $(NF - 1); done = 1} {print}'",
    /* before anything may move */
    "awk '!done && ($2 == \"M\" || $2 == \"X\") {$1 = 0; done = 1} {print}'",
    /* steps that go back */
    "awk '{print} $1 == 2 {print 1, \"X\", 0, 1; exit}'",
};

/* A trace that was tampered with is refused, with the line and the rule. */
START_TEST(tampered_traces_fail)
{
    program_run("$M kernel %s --side 8 --pattern reversal --trace $T/t -q", name_at(_i));
    for (size_t i = 0; i < sizeof tampers / sizeof tampers[0]; i++) {
        program_run("%s $T/t >$T/u", tampers[i]);
        const struct outcome *run = program_run_ends(1, "$M audit $T/u");
        ck_assert_ptr_nonnull(strstr(run->err, ": rule "));
    }
}
END_TEST

/* A kernel of packets for which a buffer of one packet less than its peak can be asked for; `route`
 * chooses its blocks by the buffer, and keeps to it. */
static bool peak_of(const char *name, int *peak)
{
    program_run("$M kernel %s --side 12 --seed 4 --json", name);
    json_t *object = program_run_json();
    *peak = (int)program_run_integer(object, "buffer_peak");
    json_decref(object);
    return *peak > 1 && strcmp(name, "route") != 0;
}

/* A buffer that overflows is status 1; the report and the trace say how far it went. */
START_TEST(overflow_is_reported)
{
    int peak;
    if (!peak_of(name_at(_i), &peak))
        return;
    const struct outcome *run = program_run_ends(
        1, "$M kernel %s --side 12 --seed 4 --buffer %d --trace $T/t", name_at(_i), peak - 1);
    ck_assert_ptr_nonnull(strstr(run->out, "CHECK FAILED"));
    ck_assert_ptr_nonnull(strstr(run->err, "overflow"));
    program_run_ends(1, "$M audit $T/t");
    program_run_ends(1, "$M kernel %s --side 12 --seed 4 --buffer %d --json", name_at(_i),
                     peak - 1);
    json_t *object = program_run_json();
    ck_assert_ptr_nonnull(strstr(program_run_text(object, "error"), "overflow"));
    ck_assert_int_eq(program_run_integer(object, "buffer_capacity"), peak - 1);
    ck_assert_int_eq(program_run_integer(object, "buffer_peak"), peak);
    json_decref(object);
    run = program_run_ends(0, "$M kernel %s --side 12 --seed 4 --buffer %d", name_at(_i), peak);
}
END_TEST

/* A run that is refused leaves no trace, and one that was there stays. */
START_TEST(refused_runs_leave_no_trace)
{
    program_run_ends(2, "$M kernel prefix --side 5 --tiles 3 --trace $T/refused");
    ck_assert(!program_run_left("refused"));
    program_run_file("kept", "old");
    program_run_ends(2, "$M kernel prefix --side 5 --param method=no --trace $T/kept");
    ck_assert_str_eq(program_run("cat $T/kept")->out, "old");
    program_run_ends(4, "$M kernel prefix --side 5 --trace $T/no/where");
}
END_TEST

void cli_kernel_suite(TCase *tests)
{
    int kernels = program_run_values("kernel", NULL);
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, json_figures, 0, kernels);
    tcase_add_loop_test(tests, table_figures, 0, kernels);
    tcase_add_loop_test(tests, wrong_usage, 0, sizeof usage_cases / sizeof usage_cases[0]);
    tcase_add_test(tests, help);
    tcase_add_loop_test(tests, traces_pass_the_audit, 0, kernels);
    tcase_add_loop_test(tests, trace_to_standard_output, 0, kernels);
    tcase_add_loop_test(tests, tampered_traces_fail, 0, kernels);
    tcase_add_loop_test(tests, overflow_is_reported, 0, kernels);
    tcase_add_test(tests, refused_runs_leave_no_trace);
}
