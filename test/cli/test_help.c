/* test_help.c - --help of every command: it begins with examples, the examples work, and it fits on
 * a terminal.
 *
 * Method: the examples are the lines between "Examples:" and the next line that is not indented,
 * run in the order of the commands in one folder, which holds a matrix and a graph by the names
 * that examples use.
 */
#include "test/program_run.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Examples use files that the commands before them made. */
static const char *const commands[] = {"",         "gen",     "import",  "info",   "place",
                                       "route",    "compare", "stress",  "search", "kernel",
                                       "expander", "plan",    "network", "load",   "audit",
                                       "view",     "sweep",   "report",  "help",   "complete"};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* Takes the next example of *text into line[], without the remark that is set off by blanks; false:
 * there are no more. */
static bool next_example(const char **text, char *line, size_t size)
{
    size_t used = 0;
    line[0] = '\0';
    for (bool goes_on = true; goes_on;) {
        const char *at = *text;
        size_t length = strcspn(at, "\n");
        if (used == 0 && length == 0 && strncmp(at, "\n  ", 3) == 0) {
            *text += 1; /* between two groups of examples */
            continue;
        }
        if (strncmp(at, "  ", 2) != 0)
            return false;
        *text += length + 1;
        goes_on = at[length - 1] == '\\';
        at += strspn(at, " ");
        length = strcspn(at, "\n") - goes_on;
        const char *remark = strstr(at, "   ");
        if (remark != NULL && remark < at + length)
            length = (size_t)(remark - at);
        ck_assert_uint_lt(used + length, size);
        used += (size_t)snprintf(line + used, size - used, "%.*s", (int)length, at);
    }
    return true;
}

/* Runs the examples of a command's help; returns their number. */
static int run_examples(const char *command)
{
    char *help = strdup(program_run("$M %s --help", command)->out), line[1024];
    const char *at = strstr(help, "\n\nExamples:\n");
    int count = 0;
    ck_assert_msg(at != NULL, "meshcast %s --help has no examples", command);
    at += strlen("\n\nExamples:\n");
    while (next_example(&at, line, sizeof line)) {
        ck_assert_msg(strstr(line, "meshcast ") != NULL, "%s", line);
        count++;
        const struct outcome *run = program_run_ends(
            0, "cd $T/work && PATH=$T/bin:$PATH && export PATH && set -e\n%s\n", line);
        ck_assert_msg(strstr(run->err, "meshcast") == NULL || strstr(run->err, "'meshcast report"),
                      "%s: %s", line, run->err);
    }
    free(help);
    return count;
}

/* Every example of every --help runs. */
START_TEST(examples)
{
    program_run_ends(0, "case $M in /*) m=$M;; *) m=$PWD/$M;; esac; "
                        "mkdir $T/bin $T/work && ln -s $m $T/bin/meshcast && cd $T/work && "
                        "awk 'BEGIN { for (i = 1; i <= 400; i++) { "
                        "print i, i; print i, i * 7 %% 400 + 1; print i, i %% 20 + 1 } }' "
                        ">web-graph.txt && gzip -k web-graph.txt && { echo '%%%%MatrixMarket "
                        "matrix coordinate "
                        "pattern general'; echo 400 400 1200; cat web-graph.txt; } "
                        ">west0479.mtx && printf '2 4\n1 2 3\n4 1\n' >circuit.hgr && "
                        "printf '0\n0\n63\n9\n' >circuit.hgr.part.64 && "
                        "printf 'A 1500 0.1 0.2\nB 900 0 0.1\n' >microcircuit.txt && "
                        "printf '{\"topk_ids\":[%%s]}\n' 3,59 4 1 2 0 >routes.jsonl && "
                        "printf '{\"layer\":12,\"topk_ids\":[[2,0],[1]]}\n"
                        "{\"layer\":13,\"topk_ids\":[[0]]}\n' >layers.jsonl && "
                        "printf '0 3\n1\n2\n' >experts.txt && "
                        "seq 0 399 >west.part && seq 399 -1 0 >busy.part && "
                        "for a in ring tree; do $m gen --side 4 --pattern allreduce --algorithm $a "
                        "--groups 1 -o $a.mcast; done");
    for (int i = 0; i < COMMANDS; i++)
        ck_assert_int_ge(run_examples(commands[i]), 2);
}
END_TEST

/* All commands that --help lists are in the list above, and `complete` besides. */
START_TEST(all_commands)
{
    const struct outcome *run = program_run(
        "$M --help | sed -n '/^Commands:/,/^Options:/s/^  \\([a-z]*\\) .*/\\1/p' | tr '\\n' ' '");
    char list[512] = "";
    for (int i = 1; i < COMMANDS - 1; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s ", commands[i]);
    ck_assert_str_eq(run->out, list);
    ck_assert_ptr_null(strstr(program_run("$M --help")->out, "complete"));
}
END_TEST

/* Help begins with the purpose of the command, then examples; `help COMMAND` prints the same as
 * --help. */
START_TEST(forms)
{
    char head[96];
    const char *name = commands[_i];
    const struct outcome *run = program_run_ends(0, "$M %s --help", name);
    ck_assert_str_eq(run->err, "");
    snprintf(head, sizeof head, "meshcast%s%s%s ", *name == '\0' ? "" : " ", name,
             *name == '\0' ? "" : ":");
    ck_assert_msg(strncmp(run->out, head, strlen(head)) == 0, "%s", run->out);
    ck_assert_str_eq(strstr(run->out, "\n\n") == NULL ? "" : "\n\n", "\n\n");
    ck_assert_int_eq(strncmp(strstr(run->out, "\n\n"), "\n\nExamples:\n  meshcast ", 23), 0);
    program_run_ends(0, "$M %s --help >$T/x; $M help %s | cmp - $T/x", name, name);
}
END_TEST

/* -h of a command fits on a screen of 24 lines of 80 columns, and names every option of --help. */
START_TEST(summary)
{
    const char *name = commands[_i];
    char *help = strdup(program_run("$M %s --help", name)->out), option[48];
    const struct outcome *run = program_run("$M %s -h", name);
    int lines = 0;
    ck_assert_int_eq(run->status, 0);
    for (const char *line = run->out; *line != '\0'; lines++) {
        size_t length = strcspn(line, "\n");
        ck_assert_msg(length <= 80, "%.*s", (int)length, line);
        line += length + 1;
    }
    ck_assert_msg(_i == 0 || lines <= 24, "meshcast %s -h: %d lines", name, lines);
    const char *options = strstr(help, "\nOptions:\n");
    ck_assert_ptr_nonnull(options);
    for (; _i > 0 && (options = strstr(options, "\n  ")) != NULL; options++)
        if (sscanf(options, " -%*c, --%40[a-z-]", option) == 1 ||
            sscanf(options, " --%40[a-z-]", option) == 1)
            ck_assert_msg(strcmp(option, "help") == 0 || strstr(run->out, option) != NULL,
                          "meshcast %s -h lacks --%s", name, option);
    free(help);
}
END_TEST

static const struct {
    const char *command, *found, *absent; /* absent: "" for nothing */
} topics[] = {
    {"$M", "\nMessage sets:\n  gen ", "Options:"},
    {"$M; echo status $?", "\nstatus 2\n", "Options:"},
    {"$M -h", "\nNetwork (", "Options:"},
    {"$M help routers", "\n  expander ", "alpha="},
    {"$M help router expander", "alpha=", "replicate"},
    {"$M help schemes", "\n  dds ", "wrap="},
    {"$M help scheme dds", "wrap=", "u-mesh"},
    {"$M help patterns", "\n  moe ", "R-MAT probabilities"},
    {"$M help pattern rmat", "R-MAT probabilities", "moe"},
    {"$M help formats", "hMETIS", "--"},
    {"$M help router circulate", "circulate", "--param"},
    {"$M help random", "variant=", "Scheme:"},
    {"$M help unicast", "a worm for each", "alpha="},
    {"$M help moe", "Pattern:", "Router:"},
    {"$M help random x", "unknown subject 'random'", "variant="},
    {"$M help rooters", "did you mean 'routers'", "alpha="},
    {"$M help router expandr", "did you mean 'expander'", "alpha="},
    {"$M help route x", "unexpected 'x'", "alpha="},
    {"$M help formats x", "unexpected 'x'", "alpha="},
    {"$M route --help", "'meshcast help routers'", "alpha="},
    {"$M sweep --help", "'meshcast help routers'", "alpha="},
    {"$M network --help", "'meshcast help schemes'", "wrap="},
    {"$M gen --help", "'meshcast help patterns'", "R-MAT probabilities"},
};

enum { TOPICS = sizeof topics / sizeof topics[0] };

/* Lists are printed by their subject, without a command, and constants by the one that they belong
 * to. */
START_TEST(lists)
{
    const struct outcome *run = program_run("{ %s; } 2>&1", topics[_i].command);
    ck_assert_msg(strstr(run->out, topics[_i].found) != NULL, "%s: %s", topics[_i].command,
                  run->out);
    ck_assert_msg(strstr(run->out, topics[_i].absent) == NULL, "%s: %s", topics[_i].command,
                  topics[_i].absent);
}
END_TEST

/* No line is longer than a terminal of 80 columns, in ASCII, in which a byte is a column. */
START_TEST(width)
{
    const struct outcome *run = program_run("$M %s --help", commands[_i]);
    for (const char *line = run->out; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        ck_assert_msg(length <= 80, "%zu columns: %.*s", length, (int)length, line);
        for (size_t i = 0; i < length; i++)
            ck_assert_msg(line[i] >= ' ' && line[i] <= '~', "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
}
END_TEST

void help_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_test(tcase, examples);
    tcase_add_test(tcase, all_commands);
    tcase_add_loop_test(tcase, forms, 0, COMMANDS);
    tcase_add_loop_test(tcase, summary, 0, COMMANDS);
    tcase_add_loop_test(tcase, lists, 0, TOPICS);
    tcase_add_loop_test(tcase, width, 0, COMMANDS);
}
