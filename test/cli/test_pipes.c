/* test_pipes.c - commands joined by pipes, and files and streams of a wrong kind.
 *
 * Oracle: the same commands joined by files; and the contract of statuses and messages, written
 * down row by row.
 */
#include "test/program_run.h"
#include "test/terminal.h"

#include <check.h>
#include <string.h>
#include <sys/wait.h>

/* A long set is not written to a terminal unless that is asked for; a short one is, and reports
 * are. */
START_TEST(test_long_set)
{
    static const struct {
        const char *command;
        int status;
        const char *text;
    } cases[] = {
        {"$M gen --side 64 --pattern uniform", 2, "-o FILE"},
        {"$M gen --side 64 --pattern uniform -o -", 0, "mcast 1 64 64"},
        {"$M gen --side 64 --pattern uniform --json", 0, "\"deliveries\""},
        {"$M gen --side 8 --pattern uniform", 0, "mcast 1 8 8"},
        {"$M import test/data/lp_e226.mtx --side 512 -q", 0, "mcast 1 512 512"},
        {"$M import test/data/p2p-Gnutella08.txt", 2, "-o FILE"},
    };
    static struct terminal terminal;
    if (!terminal_open(&terminal))
        return;
    terminal_start(&terminal, cases[_i].command);
    ck_assert_msg(terminal_wait_for(&terminal, cases[_i].text), "%s", terminal.text);
    int status = terminal_end(&terminal);
    ck_assert_int_eq(WEXITSTATUS(status), cases[_i].status);
}
END_TEST

/* Two ways to one result. */
static const struct same_case {
    const char *piped, *by_file;
} same_cases[] = {
    {"$M gen --side 6 --pattern uniform -o - | $M route - --router trees --trace - 2>/dev/null",
     "$M route $T/s --router trees --trace $T/x >/dev/null; cat $T/x"},
    {"$M gen --side 6 --pattern uniform | $M route - --router trees --trace - -q | "
     "$M audit $T/s - --json",
     "$M route $T/s --router trees --trace $T/x >$T/y; $M audit $T/s - --json <$T/x"},
    {"$M route - --router trees --trace $T/t <$T/s >$T/x; $M audit - $T/t <$T/s",
     "$M audit $T/s $T/t"},
    {"$M import - -q <$T/a.mtx | grep -v '^#'", "$M import $T/a.mtx -q | grep -v '^#'"},
    {"$M import - -q --format mtx <$T/a.mtx | grep -v '^#'",
     "$M import $T/a.mtx -q | grep -v '^#'"},
    {"$M import - -q --format edges <$T/e.el | grep -v '^#'",
     "$M import $T/e.el -q | grep -v '^#'"},
    {"gzip <$T/e.el | $M import - -q --format edges | grep -v '^#'",
     "$M import $T/e.el -q | grep -v '^#'"},
    {"gzip <$T/e.el >$T/e.el.gz; $M import $T/e.el.gz -q | grep -v '^#'",
     "$M import $T/e.el -q | grep -v '^#'"},
    {"cp $T/e.el $T/e.tsv; $M import $T/e.tsv --format edges -q | grep -v '^#'",
     "$M import $T/e.el -q | grep -v '^#'"},
    {"{ printf mca; sleep 0.1; printf 'st 1 2 '; sleep 0.1; printf '2\n0 3\n'; } | $M info -",
     "printf 'mcast 1 2 2\n0 3\n' | $M info -"},
    {"gzip <$T/s | $M info - | sed 1d", "$M info $T/s | sed 1d"},
    {"gzip <$T/s >$T/z; $M route $T/z --router trees --trace - -q",
     "$M route $T/s --router trees --trace - -q"},
    {"$M expander make --inputs 64 --c 16 --r 4 | $M expander check - | grep search",
     "$M expander make --inputs 64 --c 16 --r 4 -o $T/g; $M expander check $T/g | grep search"},
    {"$M expander make --inputs 64 --c 16 --r 4 | "
     "$M gen --side 16 --pattern adversary --congestion 16 --against - | grep -v '^#'",
     "$M expander make --inputs 64 --c 16 --r 4 -o $T/g; "
     "$M gen --side 16 --pattern adversary --congestion 16 --against $T/g | grep -v '^#'"},
    {"$M kernel route --side 8 --trace - -q | $M audit -",
     "$M kernel route --side 8 --trace $T/t >$T/x; $M audit $T/t"},
};

enum { SAME_CASES = sizeof same_cases / sizeof same_cases[0] };

static void make_inputs(void)
{
    program_run_file("e.el", "1 2\n2 3\n1 3\n7 1\n");
    program_run_file("a.mtx",
                     "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n3 1\n");
    program_run_ends(0, "ln -s $T/t $T/link; mkfifo $T/fifo; ln -s $T/fifo $T/stdout; "
                        "$M gen --side 6 --pattern uniform -o $T/s");
}

/* A result through pipes, plain or by gzip, is the result through files. */
START_TEST(test_same)
{
    const struct same_case *row = &same_cases[_i];
    make_inputs();
    program_run_ends(0, "{ %s\n} >$T/1; { %s\n} >$T/2; test -s $T/1 && cmp $T/1 $T/2", row->piped,
                     row->by_file);
}
END_TEST

/* Wrong streams, and streams without an end: the status, and the text of the message. */
static const struct wrong_case {
    const char *command;
    int status;
    const char *expected;
} wrong_cases[] = {
    /* standard streams that are closed */
    {"$M info - <&-", 4, "cannot read standard input: "},
    {"$M import - <&-", 4, "cannot read standard input: "},
    {"$M info $T/s >&-", 4, "cannot write to standard output: "},
    {"$M route $T/s --router trees --trace $T/t >&-", 4, "cannot write to standard output: "},
    {"$M route $T/s --router trees --trace - -q --timeline $T/t.csv >&-", 4,
     "cannot write to standard output: "},
    {"$M gen --side 6 --pattern uniform -o $T/t <&- >&- 2>&- && cmp $T/s $T/t", 0, ""},
    {"$M route $T/s --router trees --trace $T/t >&-; $M audit $T/s $T/t", 0, "standard output"},
    /* folders */
    {"$M info $T", 4, "cannot read "},
    {"$M info - <$T", 4, "cannot read standard input: "},
    {"$M import $T", 4, "cannot read "},
    {"$M audit $T/s $T", 4, "cannot read "},
    {"$M expander check $T", 4, "cannot read "},
    {"$M report $T", 4, "it is a folder"},
    {"$M gen --side 6 --pattern uniform -o $T", 4, "for writing: Is a directory"},
    /* one file for two things */
    {"$M import $T/e.el -o $T/e.el", 2, "--output would overwrite"},
    {"$M expander make --inputs 64 --c 16 --r 4 -o $T/g; "
     "$M gen --side 16 --pattern adversary --congestion 16 --against $T/g -o $T/./g",
     2, "--output would overwrite"},
    {"$M route $T/s --router trees --trace $T/./s", 2, "--trace would overwrite "},
    {"ln -s s $T/s.csv; $M route $T/s --router trees --heatmap $T/s.csv", 2,
     "--heatmap would overwrite "},
    {"$M route $T/s --router trees --trace $T/t.csv --timeline $T/./t.csv", 2, "name one file"},
    {"$M route $T/s --router trees --trace $T/t.html --view $T/./t.html", 2, "name one file"},
    {"$M expander make --inputs 64 --c 16 --r 4 -o $T/g; "
     "$M route $T/s --router expander --param graph=$T/g --trace $T/./g",
     2, "which a parameter names"},
    {"$M route $T/s --router trees --trace $T/link >$T/t", 2, "standard output goes to"},
    {"$M kernel sort --side 4 --trace $T/link >$T/t", 2, "standard output goes to"},
    /* a link to what is no regular file, as /dev/stdout is: written to, not replaced */
    {"exec 3<>$T/fifo; $M gen --side 6 --pattern uniform -o $T/stdout; test -p $T/fifo && "
     "head -c $(wc -c <$T/s) <&3 | cmp - $T/s",
     0, ""},
    /* text that has no end, and is wrong */
    {"yes | $M info -", 3, "standard input:1: expected the header"},
    {"yes | $M import -", 3, "standard input:1: expected the banner"},
    {"yes | $M import - --format edges", 3, "standard input:1: expected an id"},
    {"yes | $M audit $T/s -", 3, "standard input:1: "},
    {"yes | $M expander check -", 3, "standard input:1: expected the header"},
    {"{ echo mcast 1 3 3; yes 0 1; } | $M info -", 3, "input:3: expected at most one message"},
    {"{ echo mcast 1 3 3; echo 4 4; yes 0 1 | tr '\\n' ' '; } | $M info -", 3,
     "standard input:3: expected each destination once"},
    /* formats that nothing shows, or with two signs that disagree */
    {"$M import - <$T/e.el", 3,
     "input:1: expected a format's name by --format (edges for lines 'u v'), found"},
    {"$M import $T/a.mtx --format edges", 3, "a.mtx:1: expected an edge list"},
    {"echo '{\"topk_ids\":[1]}' | $M import -", 3,
     "input:1: expected a name that ends in .jsonl, or"},
    {"$M import $T/e.el --format mtx", 3, "e.el:1: expected the banner"},
    {"$M gen --side 64 --pattern permutation | gzip | head -c 9000 | $M info - 2>&1 | "
     "grep -v input:1: >&2; exit 3",
     3, "expected whole gzip data"},
    {"gzip <$T/s | head -c 60 | $M info -", 3, "standard input:1: expected whole gzip data"},
};

enum { WRONG_CASES = sizeof wrong_cases / sizeof wrong_cases[0] };

/* A wrong file or stream gets its status and a message that names it, and leaves nothing. */
START_TEST(test_wrong)
{
    const struct wrong_case *row = &wrong_cases[_i];
    make_inputs();
    program_run_fails(row->status, row->expected, "%s", row->command);
    ck_assert_int_ne(program_run("ls $T/*.tmp 2>/dev/null")->status, 0);
    program_run_ends(0, "$M info $T/s && $M import $T/e.el && $M import $T/a.mtx");
}
END_TEST

/* A user at a terminal is told that it is read, unless that is unwanted. */
START_TEST(test_terminal)
{
    static const char *const CASES[][2] = {{"$M info -", "1 delivery"},
                                           {"$M route - --router trees -q", "delivered"}};
    static struct terminal terminal;
    for (int i = 0; i < 2; i++) {
        if (!terminal_open(&terminal))
            return;
        terminal_start(&terminal, CASES[i][0]);
        terminal_type(&terminal, "mcast 1 2 2\n0 3\n\004");
        ck_assert_msg(terminal_wait_for(&terminal, CASES[i][1]), "%s", terminal.text);
        ck_assert((strstr(terminal.text, "reading from the terminal") != NULL) == (i == 0));
        ck_assert_int_eq(terminal_end(&terminal), 0);
    }
}
END_TEST

void pipes_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tcase, test_same, 0, SAME_CASES);
    tcase_add_loop_test(tcase, test_wrong, 0, WRONG_CASES);
    tcase_add_test(tcase, test_terminal);
    tcase_add_loop_test(tcase, test_long_set, 0, 6);
}
