/* test_manual.c - the manual pages against the program.
 *
 * Method: every example of a page is run, in the page's order, in a folder of its own; its status
 * must be 0, or the one that the page's next line shows by `echo $?`, and its output must be the
 * one on the page. The pages of commands are made of --help.
 */
#include "library/meshcast_command.h"
#include "test/manual_page.h"
#include "test/program_run.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const pages[] = {"doc/man/meshcast.1", "doc/man/meshcast-set.5"};

enum { PAGES = sizeof pages / sizeof pages[0], WIDEST = 73 /* an indent of 7 makes 80 */ };

/* ---- examples ---- */

static void make_folder(void)
{
    program_run_ends(0, "case $M in /*) m=$M;; *) m=$PWD/$M;; esac; "
                        "mkdir $T/bin $T/work && ln -s $m $T/bin/meshcast");
}

/* Every example has the output on the page, and fits on a terminal of 80 columns. */
START_TEST(examples)
{
    struct manual_page *page = manual_page_read(pages[_i]);
    int status = 0;
    make_folder();
    ck_assert_int_gt(page->examples, 8);
    ck_assert_int_le(page->widest, WIDEST);
    for (int i = 0; i < page->examples; i++) {
        const struct manual_example *example = &page->example[i];
        bool is_asked =
            i + 1 < page->examples && strcmp(page->example[i + 1].command, "echo $?\n") == 0;
        const struct outcome *run =
            program_run("cd $T/work && PATH=$T/bin:$PATH && export PATH && exec 2>&1\n"
                        "(exit %d)\n%s",
                        status, example->command);
        status = run->status;
        ck_assert_msg(status == 0 || is_asked, "%s:%d: %sstatus %d: %s", page->path, example->line,
                      example->command, status, run->out);
        ck_assert_msg(manual_output_matches(example->output, run->out),
                      "%s:%d: %sprints\n%s\nand not\n%s", page->path, example->line,
                      example->command, run->out, example->output);
    }
    manual_page_free(page);
}
END_TEST

static const struct {
    const char *shown, *printed;
    bool matches;
} outputs[] = {
    {"", "", true},
    {"a\n", "a\n", true},
    {"a\n", "b\n", false},
    {"a\n", "", false},
    {"", "a\n", false},
    {"a\n", "a\nb\n", false},
    {"a\n...\n", "a\nb\nc\n", true},
    {"...\n", "", true},
    {"...\nc\n", "a\nb\nc\n", true},
    {"...\nc\n", "a\nb\n", false},
    {"a b ...\n", "a b c d\n", true},
    {"a b ...\n", "a c d\n", false},
    {"a  b\n", "a b\n", true},
    {"wall time 0.001 s, 1 thread\n", "wall time   12.5   s, 1 thread\n", true},
    {"wall time 0.001 s, 1 thread\n", "wall time 0.001 s, 2 threads\n", false},
    {"ratio 0.88\n", "ratio 0.89\n", false},
    {"steps 88 s\n", "steps 89 s\n", false},
    {"hops / s 3.2e+08\n", "hops / s 1.7e+07\n", true},
};

/* Outputs that count as the same, and outputs that do not. */
START_TEST(comparison)
{
    ck_assert_msg(manual_output_matches(outputs[_i].shown, outputs[_i].printed) ==
                      outputs[_i].matches,
                  "'%s' and '%s'", outputs[_i].shown, outputs[_i].printed);
}
END_TEST

/* Returns a copy of the section that begins with `heading` at a line's beginning, up to the next
 * heading of its rank or above. */
static char *section(const struct manual_page *page, const char *heading)
{
    char mark[80];
    snprintf(mark, sizeof mark, "\n%s\n", heading);
    const char *begin = strstr(page->text, mark);
    ck_assert_msg(begin != NULL, "%s has no '%s'", page->path, heading);
    begin += strlen(mark);
    const char *end = strstr(begin, "\n.SH ");
    const char *next = strncmp(heading, ".SS", 3) == 0 ? strstr(begin, "\n.SS ") : NULL;
    if (end == NULL)
        end = begin + strlen(begin);
    if (next != NULL && next < end)
        end = next;
    char *copy = calloc(1, (size_t)(end - begin) + 2);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, begin, (size_t)(end - begin));
    return copy;
}

/* ---- commands ---- */

/* Each command has a section, and a page made of its --help: with every option of the help as a
 * tag, without a fault that the formatter sees. */
START_TEST(commands)
{
    struct manual_page *page = manual_page_read(pages[0]);
    const struct outcome *run = program_run("$M --help");
    const char *line = strstr(run->out, "\nCommands:\n"), *end = strstr(run->out, "\nOptions:\n");
    char names[32][32];
    int count = 0;
    ck_assert(line != NULL && end != NULL);
    for (; (line = strstr(line, "\n  ")) != NULL && line < end && count < 32; line++)
        sscanf(line, " %31s", names[count++]);
    ck_assert_int_gt(count, 12);
    for (int i = 0; i < count; i++) {
        char heading[48];
        snprintf(heading, sizeof heading, ".SS %.31s", names[i]);
        free(section(page, heading));
        program_run_ends(
            0,
            "set -e; sh doc/man.sh $M %s >$T/page; mandoc -T lint -W warning $T/page; "
            "grep -A 1 '^.TP' $T/page | sed -n 's/^.B //p' | tr -d '\\\\' >$T/tags; "
            "$M %s --help | sed -n '/^Options:/,/^$/s/^  \\(-[^ ]* *--[^ ]*\\|--[^ ]*\\).*/\\1/p' "
            ">$T/options; test -s $T/options; cut -d ' ' -f 1 $T/tags >$T/have; "
            "cut -d ' ' -f 1 $T/options | diff - $T/have",
            names[i], names[i]);
    }
    manual_page_free(page);
}
END_TEST

/* True if the text has `name` as a word, with one of `ends` after it. */
static bool has_name(const char *text, const char *name, const char *ends)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++)
        if (strchr(" \n\"", at[-1]) != NULL && strchr(ends, at[length]) != NULL)
            return true;
    return false;
}

static void check_name(const char *text, const char *name, const char *ends)
{
    ck_assert_msg(has_name(text, name, ends), "%s is not in the manual", name);
}

/* Reports that have all keys between them. */
static const char *const reports[] = {
    "info $T/s",
    "route $T/s --router trees",
    "route $T/s --router random --unknown-congestion",
    "route $T/s --router trees --param slots=0 --buffer 1",
    "stress $T/s --router unicast",
    "search $T/s --router trees --tries 3",
    "kernel sort --side 4",
    "audit $T/s $T/t",
    "network $T/s --scheme dual",
    "load --topology mesh:4x4 --scheme dual --rate 0.01 --measure 100",
};

enum { REPORTS = sizeof reports / sizeof reports[0] };

/* Every key of a report in JSON is described under FIGURES. */
START_TEST(figures)
{
    struct manual_page *page = manual_page_read(pages[0]);
    char *text = section(page, ".SH FIGURES");
    program_run("$M gen --side 4 --pattern uniform -o $T/s && "
                "$M route $T/s --router trees --trace $T/t");
    program_run("$M %s --json", reports[_i]);
    json_t *report = program_run_json(), *value;
    const char *key;
    ck_assert_uint_gt(json_object_size(report), 8);
    json_object_foreach(report, key, value) check_name(text, key, " \n");
    for (int i = 0; i < 2; i++) {
        const json_t *array = json_object_get(report, i == 0 ? "attempts" : "points");
        json_object_foreach(json_array_get(array, 0), key, value) check_name(text, key, " \n");
    }
    json_decref(report);
    free(text);
    manual_page_free(page);
}
END_TEST

/* Each page names the version of the program that it describes. */
START_TEST(version)
{
    struct manual_page *page = manual_page_read(pages[_i]);
    char title[64];
    const struct outcome *run = program_run("$M --version");
    snprintf(title, sizeof title, "\"%.*s\"", (int)strcspn(run->out, "\n"), run->out);
    const char *line = strstr(page->text, "\n.TH ");
    ck_assert_ptr_nonnull(line);
    const char *found = strstr(line, title);
    ck_assert_msg(found != NULL && found < strchr(line + 1, '\n'), "%s is not of %s", page->path,
                  title);
    manual_page_free(page);
}
END_TEST

/* The formatter of manual pages finds nothing to complain of. */
START_TEST(formatted)
{
    program_run_ends(0, "mandoc -T lint -W warning %s", pages[_i]);
}
END_TEST

void manual_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tcase, examples, 0, PAGES);
    tcase_add_loop_test(tcase, comparison, 0, sizeof outputs / sizeof outputs[0]);
    tcase_add_test(tcase, commands);
    tcase_add_loop_test(tcase, figures, 0, REPORTS);
    tcase_add_loop_test(tcase, version, 0, PAGES);
    tcase_add_loop_test(tcase, formatted, 0, PAGES);
}
