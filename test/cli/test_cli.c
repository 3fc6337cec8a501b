/* test_cli.c - the program's outside: usage, help, files, exit statuses.
 *
 * Method: the program is run through the shell and judged by its status, its two outputs and the
 * files that it leaves. Every table is run row by row, and a failure names its row. Contents of
 * runs and sets are in test_cli_results.c and test_cli_sets.c, pipes and signals in test_pipes.c
 * and test_signals.c.
 *
 * Oracle: none but the contract of the command line, written down here row by row.
 */
#include "test/program_run.h"
#include "test/skipped.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A wrong command line and the text that the message must hold. */
static const struct usage_case {
    const char *command, *expected;
} usage_cases[] = {
    {"$M ''", "unknown command ''"},
    {"$M gne", "did you mean 'gen'?"},
    {"$M rout", "did you mean 'route'?"},
    {"$M imfo", "did you mean 'info'?"},
    {"$M elephant", "the commands are: gen, import, info, place, route, compare, stress, search"},
    {"$M --jsn", "unknown option '--jsn'; the options without a command are: --help, --version"},
    {"$M --versoin", "did you mean '--version'?"},
    {"$M gen", "missing --side M"},
    {"$M gen --rows 4", "missing --cols"},
    {"$M gen --side 4", "missing --pattern P; the patterns are: "},
    {"$M gen --side 4 --pattern permutatoin", "did you mean 'permutation'?"},
    {"$M gen --side 4 --cols 3 --pattern uniform", "one or the other"},
    {"$M gen --side 0 --pattern uniform", "--side takes a side from 1 to 32768, or ROWSxCOLS"},
    {"$M gen --rows 4x --cols 4 --pattern uniform", "not '4x'"},
    {"$M gen --rows -4 --cols 4 --pattern uniform", "not '-4'"},
    {"$M gen --rows ' 4' --cols 4 --pattern uniform", "not ' 4'"},
    {"$M gen --rows '' --cols 4 --pattern uniform", "not ''"},
    {"$M gen --rows 4.0 --cols 4 --pattern uniform", "not '4.0'"},
    {"$M gen --rows 0x4 --cols 4 --pattern uniform", "not '0x4'"},
    {"$M gen --rows 4294967297 --cols 4 --pattern uniform", "from 1 to 32768"},
    {"$M gen --rows 18446744073709551617 --cols 4 --pattern uniform", "from 1 to 32768"},
    {"$M gen --rows 32768 --cols 32768 --pattern uniform", "too many; at most 67108864"},
    {"$M gen --side 4x --pattern uniform", "not '4x'"},
    {"$M gen --side 4 --pattern uniform --degree 0", "--degree takes a whole number from 1"},
    {"$M gen --side 4 --pattern uniform --congestion 0", "--congestion takes"},
    {"$M gen --side 4 --pattern uniform --seed 0x", "--seed takes a whole number"},
    {"$M gen --side 4 --pattern uniform --seed 0xg", "not '0xg'"},
    {"$M gen --side 4 --pattern uniform --seed 18446744073709551616", "from 0 to 2^64-1"},
    {"$M gen --side 4 --pattern uniform --seed -1", "not '-1'"},
    {"$M gen --side 4 --pattern uniform -o", "--output needs a value"},
    {"$M gen --side 4 --pattern uniform -o ''", "not an empty word"},
    {"$M gen --side 4 --pattern uniform extra", "unexpected 'extra'"},
    {"$M gen --side 4 --patern uniform", "did you mean '--pattern'?"},
    {"$M gen -x", "unknown option '-x'; the options are: --rows, "},
    {"$M import", "missing FILE"},
    {"$M import a.mtx b.mtx", "unexpected 'b.mtx'; expected FILE"},
    {"$M import a.mtx --map hilbrt", "did you mean 'hilbert'?"},
    {"$M import a.mtx --side 8193", "of at most 67108864 nodes"},
    {"$M import a.mtx --rows 2", "missing --cols"},
    {"$M import a.mtx --rows 2 --topology mesh:2x2", "give one or the other"},
    {"$M import a.mtx --no-diagonal=1", "--no-diagonal takes no value, not '1'"},
    {"$M info", "missing SET"},
    {"$M info a b", "unexpected 'b'"},
    {"$M info --json=yes a", "takes no value"},
    {"$M route", "missing SET"},
    {"$M route a", "missing --router NAME; the routers are: "},
    {"$M route a --router replicat", "did you mean 'replicate'?"},
    {"$M route a --router trees --threads 0", "from 1 to 1024"},
    {"$M route a --router trees --buffer 0", "--buffer takes a whole number from 1"},
    {"$M route a --router trees --copy frie", "did you mean 'free'?"},
    {"$M route a --router trees --param slots", "--param takes NAME=VALUE, not 'slots'"},
    {"$M route a --router trees --param =1", "--param takes NAME=VALUE"},
    {"$M route a --router trees --param x=", "--param takes NAME=VALUE"},
    {"$M route a --router trees --trace - --json", "both want standard output"},
    {"$M route a --router trees --sead 3", "did you mean '--seed'?"},
    {"$M compare", "missing SET"},
    {"$M compare a --routers trees,ciculate", "did you mean 'circulate'?"},
    {"$M route a --router trees --table-limit 3", "--table-limit goes with --tables"},
    {"$M compare a trees unicast", "unexpected 'trees'; names of a list have commas between them"},
    {"$M compare a b --plot x.svg", "--plot is of one set"},
    {"$M compare a --side 4", "--side, --rows, --cols and --topology are for --parts"},
    {"$M compare a b --parts c,d", "--parts are of one file, not of 2"},
    {"$M compare - --parts c,d", "--parts are of a file, which is read for each of them"},
    {"$M compare a --best --tables", "--tables is for rows of routers, without --best"},
    {"$M compare a --best --buffer 3", "--best runs every buffer; leave --buffer out"},
    {"$M compare a --routers ''", "a list has an empty word"},
    {"$M compare a --routers trees,", "a list has an empty word"},
    {"$M compare a --routers trees:tree", "--routers takes ROUTER:NAME=VALUE, not 'trees:tree'"},
    {"$M compare a --routers trees:=vh", "--routers takes ROUTER:NAME=VALUE, not 'trees:=vh'"},
    {"$M compare a --routers trees:tre=vh", "unknown parameter 'tre'; did you mean 'tree'?"},
    {"$M compare a --trace x", "unknown option '--trace'"},
    {"$M compare a --param garph=rs", "unknown parameter 'garph'; did you mean 'graph'?"},
    {"$M audit", "missing TRACE"},
    {"$M audit a b c", "unexpected 'c'"},
    {"$M compare a --parts ,", "a list has an empty word"},
    {"$M audit - -", "only one file can be standard input"},
    {"$M route - --without - --router trees", "only one file can be standard input"},
    {"$M network - --topology graph:- --scheme dual", "only one file can be standard input"},
    {"$M stress - --router expander --param graph=-", "only one file can be standard input"},
    {"$M gen --side 4 --pattern moe --place - --skew -", "only one file can be standard input"},
    {"$M place a --parts b,-,-", "only one file can be standard input"},
    {"$M info a --csv --json", "--json and --csv exclude each other"},
    {"$M route a --router trees --csv --json", "--json and --csv exclude each other"},
    {"$M route a --router trees --csv --trace -", "--trace - and --csv both want standard output"},
    {"$M compare a --csv --json", "--json and --csv exclude each other"},
    {"$M stress a --router trees --csv --json", "--json and --csv exclude each other"},
    {"$M search --router trees --side 4 --csv --json", "--json and --csv exclude each other"},
    {"$M kernel sort --side 4 --csv --json", "--json and --csv exclude each other"},
    {"$M kernel sort --side 4 --csv --trace -", "--trace - and --csv both want standard output"},
    {"$M expander check --inputs 64 --c 8 --r 4 --csv --json", "exclude each other"},
    {"$M expander make --inputs 64 --c 8 --r 4 --lambda 0.1", "--lambda is for check"},
    {"$M plan a --scheme dual --csv --json", "--json and --csv exclude each other"},
    {"$M plan a --scheme dual --csv --each -", "--each - and --csv both want standard output"},
    {"$M network a --scheme dual --csv --json", "--json and --csv exclude each other"},
    {"$M load --topology mesh:4x4 --scheme dual --rate 0.1 --csv --json", "exclude each other"},
    {"$M audit a --csv --json", "--json and --csv exclude each other"},
    {"$M sweep --pattern uniform --side 4 --db a --csv --json", "exclude each other"},
    {"$M report a --csv --json", "--json and --csv exclude each other"},
    {"$M report a --plot steps -o - --csv", "--output - and --csv both want standard output"},
};

enum { USAGE_CASES = sizeof usage_cases / sizeof usage_cases[0] };

/* A wrong command line gets status 2, one line on standard error and nothing on standard output. */
START_TEST(test_usage)
{
    const struct usage_case *row = &usage_cases[_i];
    program_run_fails(2, row->expected, "%s", row->command);
}
END_TEST

/* --version prints the name and a version, nothing else. */
START_TEST(test_version)
{
    const struct outcome *run = program_run("$M --version");
    int major, minor, patch, length = 0;
    ck_assert_int_eq(run->status, 0);
    ck_assert_int_eq(sscanf(run->out, "meshcast %d.%d.%d\n%n", &major, &minor, &patch, &length), 3);
    ck_assert_int_eq(length, (int)strlen(run->out));
}
END_TEST

/* All ways to write an option, and options before or after the operand, mean the same; the comment
 * is the command as given. */
START_TEST(test_option_forms)
{
    static const char *const forms[] = {
        "$M gen --rows 5 --cols 7 --pattern uniform --seed 26 -o $T/b",
        "$M gen --rows=5 --cols=7 --pattern=uniform --seed=0x1a --output=$T/b",
        "$M gen --seed 3 -o$T/b --pattern uniform --cols 7 --rows 5 --seed 0x1A",
        "$M gen --rows 5 --cols 7 --pattern uniform --seed 26 -o - >$T/b",
        "$M gen --rows 5 --cols 7 --pattern uniform --seed 26 >$T/b",
    };
    program_run_ends(
        0, "$M gen --rows 5 --cols 7 --pattern uniform --seed 26 | grep -v '^# meshcast' >$T/a");
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        ck_assert_msg(
            program_run("%s && grep -v '^# meshcast' $T/b | cmp - $T/a", forms[i])->status == 0,
            "%s", forms[i]);
    program_run_ends(4, "$M info -- --json");
    program_run_ends(0, "$M info $T/a --json >$T/x && $M info --json -- $T/a | cmp - $T/x");
}
END_TEST

/* A dash as a file is standard input: the results but for the name are the same. */
START_TEST(test_standard_input)
{
    program_run_file("e.el", "1 2\n2 3\n1 3\n");
    program_run_ends(0, "$M import $T/e.el -q -o $T/s");
    program_run_ends(0, "$M info $T/s | sed 1d >$T/x && "
                        "$M info - <$T/s | sed 1d | cmp - $T/x");
    program_run_ends(0, "echo link 0 1 | $M route $T/s --without none --without - --router trees | "
                        "grep -q ': 2 x 2 nodes without 2 links, '");
}
END_TEST

static const char *const full_cases[] = {
    "$M --help >/dev/full",
    "$M --version >/dev/full",
    "$M gen --help >/dev/full",
    "$M gen --side 6 --pattern uniform >/dev/full",
    "$M gen --side 6 --pattern uniform -o /dev/full",
    "$M gen --side 300 --pattern uniform >/dev/full",
    "$M info $T/s >/dev/full",
    "$M info $T/s --json >/dev/full",
    "$M route $T/s --router trees >/dev/full",
    "$M route $T/s --router trees --json >/dev/full",
    "$M route $T/s --router trees --trace /dev/full",
    "$M route $T/s --router trees --trace - >/dev/full",
    "$M compare $T/s >/dev/full",
    "$M import $T/e.el >/dev/full",
    "$M route $T/s --router trees --heatmap $T/full.csv",
    "$M route $T/s --router trees --timeline $T/full.csv",
    "$M kernel sort --side 8 >/dev/full",
    "$M kernel sort --side 8 --trace /dev/full",
    "$M kernel sort --side 8 --trace - >/dev/full",
    "$M stress $T/s --router trees >/dev/full",
    "$M stress $T/s --router trees --plot $T/full.csv",
    "$M search $T/s --router trees --tries 1 >/dev/full",
    "$M search $T/s --router trees --tries 1 -o $T/full.csv",
    "$M audit $T/s $T/trace >/dev/full",
    "$M expander make --inputs 64 --c 16 --r 4 >/dev/full",
    "$M expander make --inputs 64 --c 16 --r 4 -o /dev/full",
    "$M expander check --inputs 64 --c 16 --r 4 >/dev/full",
    "$M sweep --router trees --pattern uniform --side 4 --db $T/none -q -n >/dev/full",
    "$M report $T/db >/dev/full",
    "$M report $T/db --csv >/dev/full",
};

enum { FULL_CASES = sizeof full_cases / sizeof full_cases[0] };

/* A full disk is status 4, told in one line of meshcast's. */
START_TEST(test_full_disk)
{
    if (access("/dev/full", W_OK) != 0) {
        test_skip("full disks: there is no /dev/full");
        return;
    }
    program_run_file("e.el", "1 2\n2 3\n1 3\n");
    program_run_ends(0, "$M gen --side 6 --pattern uniform -o $T/s && "
                        "$M route $T/s --router trees --trace $T/trace && "
                        "ln -s /dev/full $T/full.csv && "
                        "$M sweep --router trees --pattern uniform --side 4 --db $T/db");
    for (int i = 0; i < FULL_CASES; i++) {
        const struct outcome *run = program_run_ends(4, "%s", full_cases[i]);
        ck_assert_msg(strstr(run->err, "meshcast") == run->err &&
                          strchr(run->err, '\n') == run->err + strlen(run->err) - 1 &&
                          strstr(run->err, "cannot write ") != NULL &&
                          (strstr(run->err, "full") != NULL || strstr(run->err, "left") != NULL),
                      "%s: %s", full_cases[i], run->err);
    }
}
END_TEST

/* Commands whose file grows beyond the 512 bytes that it may have. */
static const char *const beyond_cases[] = {
    "$M gen --side 64 --pattern uniform -o $T/f.csv",
    "$M import $T/e.el -o $T/f.csv",
    "$M route $T/s --router trees --trace $T/f.csv",
    "$M route $T/s --router trees --timeline $T/f.csv",
    "$M route $T/s --router trees --heatmap $T/f.csv --heatmap-of links",
    "$M kernel sort --side 64 --trace $T/f.csv",
    "$M stress $T/s --router unicast --exhaustive --plot $T/f.csv",
    "$M expander make --inputs 4096 --c 64 --r 4 -o $T/f.csv",
    "$M search $T/s --router trees --tries 1 -o $T/f.csv",
};

enum { BEYOND_CASES = sizeof beyond_cases / sizeof beyond_cases[0] };

/* A file that the disk has no room for is named, and only an earlier file stays. */
START_TEST(test_no_room)
{
    program_run_ends(0, "$M gen --side 32 --pattern uniform -o $T/s && "
                        "for i in $(seq 400); do echo $i $((i + 1)); done >$T/e.el && "
                        "echo old >$T/f.csv");
    const struct outcome *run =
        program_run_ends(4, "(ulimit -f 1; %s >/dev/null)", beyond_cases[_i]);
    ck_assert_msg(strstr(run->err, "cannot write ") != NULL && strstr(run->err, "f.csv: ") != NULL,
                  "%s: %s", beyond_cases[_i], run->err);
    ck_assert_str_eq(program_run("cat $T/f.csv && ls $T | grep f.csv")->out, "old\nf.csv\n");
}
END_TEST

static const char *const system_cases[] = {
    "$M info $T/none",
    "$M route $T/none --router trees --trace $T/left",
    "$M compare $T/none",
    "$M import $T/none.mtx -o $T/left",
    "$M audit $T/none",
    "$M gen --side 4 --pattern uniform -o $T/none/left",
    "$M route $T/s --router trees --trace $T/none/left",
};

enum { SYSTEM_CASES = sizeof system_cases / sizeof system_cases[0] };

/* A file that cannot be opened is status 4, the message names it, and nothing is left behind. */
START_TEST(test_cannot_open)
{
    program_run_ends(0, "$M gen --side 4 --pattern uniform -o $T/s");
    const struct outcome *run = program_run_ends(4, "%s", system_cases[_i]);
    ck_assert_str_eq(run->out, "");
    ck_assert_ptr_nonnull(strstr(run->err, "none"));
    ck_assert(!program_run_left("left"));
}
END_TEST

/* A bad file and the line of it that the message must name. */
static const struct bad_case {
    const char *command, *text;
    int line;
} bad_cases[] = {
    {"$M info $T/bad", "", 1},
    {"$M info $T/bad", "mcast 2 3 3\n", 1},
    {"$M info $T/bad", "mcast 1 3 3\n0 1\n0 2\n", 3},
    {"$M info $T/bad", "mcast 1 3 3\n\n# c\n4 9\n", 4},
    {"$M route $T/bad --router trees --trace $T/left", "mcast 1 3 3\n0 1 1\n", 2},
    {"$M compare $T/bad", "mcast 1 3 3\n0 x\n", 2},
    {"$M audit $T/bad $T/bad", "mcast 1 3\n", 1},
    {"cp $T/bad $T/bad.el; $M import $T/bad.el -o $T/left", "1 2\n3 x\n", 2},
    {"cp $T/bad $T/bad.mtx; $M import $T/bad.mtx -o $T/left",
     "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n", 3},
};

enum { BAD_CASES = sizeof bad_cases / sizeof bad_cases[0] };

/* Bad input is status 3, the message names file and line, and nothing is left behind. */
START_TEST(test_bad_input)
{
    const struct bad_case *row = &bad_cases[_i];
    char expected[32];
    program_run_file("bad", row->text);
    const struct outcome *run = program_run("%s", row->command);
    snprintf(expected, sizeof expected, ":%d:", row->line);
    ck_assert_msg(run->status == 3, "%s: status %d, %s", row->command, run->status, run->err);
    ck_assert_str_eq(run->out, "");
    ck_assert_msg(strstr(run->err, "/bad") != NULL, "%s", run->err);
    ck_assert_msg(strstr(run->err, expected) != NULL, "%s", run->err);
    ck_assert(!program_run_left("left"));
}
END_TEST

/* Malformed matrices are refused in one line that names file and line, and leave no file. */
START_TEST(test_bad_matrices)
{
    program_run_ends(0, "for f in test/bad_matrix/*.[mghj]*; do"
                        " $M import $f -o $T/left 2>$T/message; test $? = 3 || exit 9;"
                        " ! test -e $T/left || exit 8;"
                        " test $(wc -l <$T/message) = 1 || exit 7;"
                        " grep -q \"$f:[0-9]\" $T/message || exit 6; done");
}
END_TEST

/* A router that refuses its options leaves no trace behind and no report. */
START_TEST(test_refused_run)
{
    program_run_ends(0, "$M gen --side 4 --pattern uniform -o $T/s");
    const struct outcome *run = program_run_ends(
        2, "$M route $T/s --router trees --param nonsense=1 --trace $T/left --json");
    ck_assert_str_eq(run->out, "");
    ck_assert(!program_run_left("left"));
}
END_TEST

void cli_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tcase, test_usage, 0, USAGE_CASES);
    tcase_add_test(tcase, test_version);
    tcase_add_test(tcase, test_option_forms);
    tcase_add_test(tcase, test_standard_input);
    tcase_add_test(tcase, test_full_disk);
    tcase_add_loop_test(tcase, test_no_room, 0, BEYOND_CASES);
    tcase_add_loop_test(tcase, test_cannot_open, 0, SYSTEM_CASES);
    tcase_add_loop_test(tcase, test_bad_input, 0, BAD_CASES);
    tcase_add_test(tcase, test_bad_matrices);
    tcase_add_test(tcase, test_refused_run);
}
