/* test_manual.c - the manual pages against the program.
 *
 * Method: every example of a page is run, in the page's order, in a folder of its own; its status
 * must be 0, or what the page's next line asks for with `echo $?`, and what it prints must be what
 * the page shows. The pages' options, section by section, are held against --help, and their names
 * against the tables.
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
    ck_assert_int_eq(program_run("case $M in /*) m=$M;; *) m=$PWD/$M;; esac; "
                                 "mkdir $T/bin $T/work && ln -s $m $T/bin/meshcast")
                         ->status,
                     0);
}

/* Every example does what the page says, and fits on a terminal of 80 columns. */
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

/* What counts as the same output, and what does not. */
START_TEST(comparison)
{
    ck_assert_msg(manual_output_matches(outputs[_i].shown, outputs[_i].printed) ==
                      outputs[_i].matches,
                  "'%s' and '%s'", outputs[_i].shown, outputs[_i].printed);
}
END_TEST

/* ---- options ---- */

/* A copy of the section that begins with `heading` at a line's beginning, up to the next heading of
 * its rank or above. */
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

/* The next "--name" at or behind `at`, into name[64]; NULL: there is none. Returns what is behind. */
static const char *next_option(const char *at, char name[64])
{
    while ((at = strstr(at, "--")) != NULL) {
        size_t length = strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-");
        if (length > 0 && length < 60) {
            snprintf(name, 64, "%.*s", (int)length + 2, at);
            return at + 2 + length;
        }
        at += 2 + length;
    }
    return NULL;
}

static bool has_option(const char *text, const char *option)
{
    char name[64];
    while ((text = next_option(text, name)) != NULL)
        if (strcmp(name, option) == 0)
            return true;
    return false;
}

/* The line behind a .TP that has the option; NULL: none. */
static const char *tag_of(const char *text, const char *option, char line[160])
{
    while ((text = strstr(text, "\n.TP\n")) != NULL) {
        text += strlen("\n.TP\n");
        snprintf(line, 160, "%.*s", (int)strcspn(text, "\n"), text);
        if (has_option(line, option))
            return line;
        text--;
    }
    return NULL;
}

/* The part of the last run's --help that lists options. */
static const char *help_options(const char *help)
{
    const char *options = strstr(help, "\nOptions:\n");
    ck_assert_ptr_nonnull(options);
    char *end = strstr(options + 1, "\n\n");
    if (end != NULL)
        *end = '\0';
    return options;
}

/* The sections of shared options, and a command that has them all. */
static const struct {
    const char *heading, *command;
} shared_sections[] = {{".SH OPTIONS OF RUNS", "route"}, {".SH OPTIONS OF THE NETWORK", "network"}};

enum { SHARED_SECTIONS = sizeof shared_sections / sizeof shared_sections[0] };

/* Each option of the help has a tag in the command's section, or is named there and has one in the section of
 * shared options; a letter stands with it. */
static void check_listed(const char *command, const char *help, const char *own, const char *shared)
{
    for (const char *line = help; (line = strstr(line, "\n  ")) != NULL; line += 3) {
        char name[64], tag[160], letter[3] = {line[3], line[4], '\0'};
        if (line[3] != '-' || next_option(line, name) == NULL || strcmp(name, "--help") == 0)
            continue;
        bool is_there = tag_of(own, name, tag) != NULL ||
                        (has_option(own, name) && tag_of(shared, name, tag) != NULL);
        ck_assert_msg(is_there, "meshcast %s: %s is not in the manual", command, name);
        if (letter[1] != '-')
            ck_assert_msg(strstr(tag, letter) != NULL, "meshcast %s: %s of %s is not in the manual",
                          command, letter, name);
    }
}

/* Whatever a section names outside of its examples, the command has. */
static void check_known(const char *command, const char *help, char *own)
{
    char name[64];
    for (char *example; (example = strstr(own, "\n.EX\n")) != NULL;) {
        char *end = strstr(example, "\n.EE");
        ck_assert_ptr_nonnull(end);
        memset(example, ' ', (size_t)(end - example) + 4);
    }
    for (const char *at = own; (at = next_option(at, name)) != NULL;)
        ck_assert_msg(has_option(help, name), "the manual's meshcast %s has %s", command, name);
}

static void names_of_commands(char names[32][32], int *count)
{
    const struct outcome *run = program_run("$M --help");
    const char *line = strstr(run->out, "\nCommands:\n"), *end = strstr(run->out, "\nOptions:\n");
    ck_assert(line != NULL && end != NULL);
    *count = 0;
    for (; (line = strstr(line, "\n  ")) != NULL && line < end && *count < 31; line++)
        sscanf(line, " %31s", names[(*count)++]);
    snprintf(names[(*count)++], 32, "complete");
}

/* Every command and every option of each --help is in meshcast(1), and nothing that is not. */
START_TEST(options)
{
    struct manual_page *page = manual_page_read(pages[0]);
    char names[32][32];
    int count;
    names_of_commands(names, &count);
    ck_assert_int_gt(count, 12);
    for (int i = 0; i < count; i++) {
        char heading[48];
        snprintf(heading, sizeof heading, ".SS %.31s", names[i]);
        char *own = section(page, heading);
        const char *help = help_options(program_run("$M %s --help", names[i])->out);
        bool is_network = strstr(own, shared_sections[1].heading + strlen(".SH ")) != NULL;
        char *shared = section(page, shared_sections[is_network].heading);
        check_listed(names[i], help, own, shared);
        check_known(names[i], help, own);
        free(own);
        free(shared);
    }
    int sections = 0;
    for (const char *at = strstr(page->text, "\n.SH COMMANDS\n"); (at = strstr(at, "\n.SS ")); at++)
        sections++;
    ck_assert_int_eq(sections, count);
    manual_page_free(page);
}
END_TEST

/* The options that commands share are options of one that has them all. */
START_TEST(shared_options)
{
    struct manual_page *page = manual_page_read(pages[0]);
    char *shared = section(page, shared_sections[_i].heading), name[64];
    const char *help = help_options(program_run("$M %s --help", shared_sections[_i].command)->out);
    for (const char *at = shared; (at = next_option(at, name)) != NULL;)
        ck_assert_msg(has_option(help, name), "%s has %s", shared_sections[_i].heading, name);
    free(shared);
    manual_page_free(page);
}
END_TEST

/* ---- names ---- */

/* Whether the text has `name` as a word, with one of `ends` behind it. */
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

/* What is said behind the tag of a name. */
static const char *behind_tag(const char *text, const char *name)
{
    char tag[96];
    snprintf(tag, sizeof tag, "\n.TP\n.B %s\n", name);
    const char *found = strstr(text, tag);
    ck_assert_msg(found != NULL, "%s has no entry in the manual", name);
    return found + strlen(tag);
}

/* Checks that a text has the parameters of which the program prints "NAME=.." at the beginnings of lines. */
static void check_parameters(const char *text, const char *command)
{
    const struct outcome *run = program_run("%s", command);
    ck_assert_msg(run->status == 0, "%s: %s", command, run->err);
    for (const char *at = run->out; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
        char name[64];
        if (sscanf(at, " %63[a-z0-9_-]=", name) == 1 && strchr(at, '=') < at + strcspn(at, "\n") &&
            at[strspn(at, " ") + strlen(name)] == '=')
            check_name(text, name, " =");
    }
}

/* Schemes and routers with their parameters, patterns, kernels and their methods are in meshcast(1). */
START_TEST(names)
{
    struct manual_page *page = manual_page_read(pages[0]);
    char *schemes = section(page, ".SH SCHEMES"), *routers = section(page, ".SH ROUTERS");
    char *gen = section(page, ".SS gen"), *kernels = section(page, ".SS kernel");
    const char *name;
    char command[128];
    for (uint32_t i = 0; (name = meshcast_command_value_at("plan", "scheme", i)) != NULL; i++) {
        snprintf(command, sizeof command, "$M help scheme %s", name);
        check_parameters(behind_tag(schemes, name), command);
    }
    for (uint32_t i = 0; (name = meshcast_command_value_at("route", "router", i)) != NULL; i++) {
        snprintf(command, sizeof command, "$M help router %s", name);
        check_parameters(behind_tag(routers, name), command);
    }
    for (uint32_t i = 0; (name = meshcast_command_value_at("gen", "pattern", i)) != NULL; i++)
        behind_tag(gen, name);
    for (uint32_t i = 0; (name = meshcast_command_value_at("kernel", "pattern", i)) != NULL; i++)
        check_name(kernels, name, " \n");
    for (uint32_t i = 0; (name = meshcast_command_value_at("kernel", NULL, i)) != NULL; i++) {
        const char *own = behind_tag(kernels, name);
        for (char *at = strtok((char *)program_run("$M complete -- kernel %s --param method= | "
                                                   "sed 's/method=//'",
                                                   name)
                                   ->out,
                               "\n");
             at != NULL; at = strtok(NULL, "\n"))
            check_name(own, at, " \n");
    }
    free(schemes);
    free(routers);
    free(gen);
    free(kernels);
    manual_page_free(page);
}
END_TEST

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

/* Every key of a report in JSON is said under FIGURES. */
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

/* Each page says of which version of the program it is. */
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
    const struct outcome *run = program_run("mandoc -T lint -W warning %s", pages[_i]);
    ck_assert_msg(run->status == 0, "%s%s", run->out, run->err);
}
END_TEST

Suite *manual_suite(void);
Suite *manual_suite(void)
{
    Suite *suite = suite_create("manual");
    TCase *tcase = tcase_create("manual");
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tcase, examples, 0, PAGES);
    tcase_add_loop_test(tcase, comparison, 0, sizeof outputs / sizeof outputs[0]);
    tcase_add_test(tcase, options);
    tcase_add_loop_test(tcase, shared_options, 0, SHARED_SECTIONS);
    tcase_add_test(tcase, names);
    tcase_add_loop_test(tcase, figures, 0, REPORTS);
    tcase_add_loop_test(tcase, version, 0, PAGES);
    tcase_add_loop_test(tcase, formatted, 0, PAGES);
    suite_add_tcase(suite, tcase);
    return suite;
}
