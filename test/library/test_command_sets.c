/* test_command_sets.c - commands that make or describe sets and graphs, by the public header.
 *
 * Oracle: a set that is given has the figures of its file. Output is tested through the program.
 */
#include "test/library_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static void set_option(struct meshcast_command *command, const char *option, const char *value)
{
    struct meshcast_error error = {0};
    ck_assert_msg(meshcast_command_set(command, option, value, &error) == MESHCAST_OK, "%s",
                  error.text);
}

static void add_operand(struct meshcast_command *command, const char *operand)
{
    ck_assert_int_eq(meshcast_command_add_operand(command, operand, NULL), MESHCAST_OK);
}

static void count_lines(void *context, const char *line)
{
    ck_assert_ptr_null(strchr(line, '\n'));
    ++*(int *)context;
}

/* A set that is made is taken from the report, and info says the same of it and of its file. */
START_TEST(made_and_given)
{
    static const char *const on[][2] = {{"side", "5"}, {"topology", "torus:3x4x2"}};
    char path[600];
    snprintf(path, sizeof path, "%s/set", getenv("T"));
    struct meshcast_command *gen = case_command("gen", NULL, ""),
                            *of_file = case_command("info", NULL, ""),
                            *of_set = case_command("info", NULL, "");
    set_option(gen, on[_i][0], on[_i][1]);
    case_set_options(gen, "pattern=uniform", NULL);
    case_set_options(gen, "degree=3", NULL);
    set_option(gen, "output", path);
    struct meshcast_report *made = case_run(gen, NULL);
    struct meshcast_set *set = meshcast_report_take_set(made);
    add_operand(of_file, path);
    ck_assert_int_eq(meshcast_command_give_set(of_set, set, NULL), MESHCAST_OK);
    struct meshcast_report *file = case_run(of_file, NULL), *given = case_run(of_set, NULL);
    ck_assert_str_eq(meshcast_report_word(file, "set"), path);
    ck_assert_str_eq(meshcast_report_word(given, "set"), "set");
    ck_assert_str_eq(strchr(meshcast_report_text(given), ':'),
                     strchr(meshcast_report_text(file), ':'));
    ck_assert_double_eq(meshcast_report_figure(given, "lower_bound"),
                        meshcast_report_figure(file, "lower_bound"));
    ck_assert_double_eq(meshcast_report_figure(given, "degree"),
                        meshcast_report_figure(made, "degree"));
    meshcast_report_free(given);
    meshcast_report_free(file);
    meshcast_set_free(set);
    meshcast_report_free(made);
}
END_TEST

/* A set goes to the table's stream if no file is named, and nowhere if there is none; on a topology
 * that is given. */
START_TEST(written)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct meshcast_topology *torus = meshcast_topology_parse("torus:2x2x2", NULL);
    struct meshcast_command *gen = case_command("gen", NULL, "pattern=permutation");
    meshcast_command_give_topology(gen, torus);
    meshcast_command_set_table(gen, out);
    struct meshcast_report *report = case_run(gen, NULL);
    fclose(out);
    ck_assert_int_eq(
        strncmp(text, "mcast 2 torus 2 2 2\n# meshcast gen --topology torus:2x2x2 ", 57), 0);
    struct meshcast_set *set = meshcast_report_take_set(report);
    ck_assert_str_eq(meshcast_set_topology(set), "torus:2x2x2");
    meshcast_set_free(set);
    meshcast_report_free(report);
    meshcast_topology_free(torus);
    free(text);
}
END_TEST

/* import notes what it read, a line each. */
START_TEST(imported)
{
    int lines = 0;
    program_run_file("a.txt", "1 2\n3 1\n");
    char path[600];
    snprintf(path, sizeof path, "%s/a.txt", getenv("T"));
    struct meshcast_command *command = case_command("import", NULL, "");
    add_operand(command, path);
    meshcast_command_set_note(command, count_lines, &lines);
    struct meshcast_report *report = case_run(command, NULL);
    ck_assert_int_eq(lines, 2);
    ck_assert_double_eq(meshcast_report_figure(report, "entries"), 2);
    struct meshcast_set *set = meshcast_report_take_set(report);
    ck_assert_uint_eq(meshcast_set_messages(set), 2);
    meshcast_set_free(set);
    meshcast_report_free(report);
}
END_TEST

/* A graph that is made has its neighbours if they are asked for, and is the one of the file. */
START_TEST(graph)
{
    char path[600];
    size_t count;
    snprintf(path, sizeof path, "%s/graph", getenv("T"));
    struct meshcast_command *make = case_command("expander", NULL, ""),
                            *check = case_command("expander", NULL, "");
    static const char *const options[][2] = {
        {"inputs", "12"}, {"c", "4"}, {"r", "2"}, {"output", NULL}, {"keep-neighbours", "true"}};
    add_operand(make, "make");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        set_option(make, options[i][0], options[i][1] == NULL ? path : options[i][1]);
    struct meshcast_report *made = case_run(make, NULL);
    const uint32_t *neighbour = meshcast_report_array32(made, "neighbours", &count);
    ck_assert_uint_eq(count, 24);
    uint32_t edges[4] = {0};
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_lt(neighbour[i], 4);
        edges[neighbour[i]]++;
    }
    add_operand(check, "check");
    add_operand(check, path);
    struct meshcast_report *checked = case_run(check, NULL);
    ck_assert_double_eq(meshcast_report_figure(made, "c"),
                        meshcast_report_figure(checked, "brackets.0.c"));
    for (int g = 0; g < 4; g++)
        ck_assert_double_eq(edges[g], meshcast_report_figure(checked, "brackets.0.most_load"));
    meshcast_report_free(checked);
    meshcast_report_free(made);
}
END_TEST

/* The moment of an interrupt: after so many sets. */
struct stop {
    struct meshcast_interrupt *interrupt;
    uint64_t sets;
};

static void stop_soon(void *context, uint64_t done, uint64_t all, const char *what)
{
    const struct stop *stop = context;
    (void)what;
    if (all == 100000000 && done == stop->sets)
        meshcast_interrupt_send(stop->interrupt);
}

/* A search begins with given sets, and its result is in the report, also if it is interrupted. */
START_TEST(search)
{
    struct meshcast_error error;
    struct meshcast_set *given = case_gen("pattern=uniform rows=4 cols=5 degree=3");
    struct meshcast_interrupt *interrupt = meshcast_interrupt_new();
    struct meshcast_command *command = case_command("search", NULL, "");
    struct meshcast_report *report;
    ck_assert_int_eq(meshcast_command_give_set(command, given, NULL), MESHCAST_OK);
    meshcast_command_give_router(command, meshcast_router_find("trees", NULL));
    case_set_options(command, "tries=1", NULL);
    ck_assert_int_eq(meshcast_command_run(command, &report, &error), MESHCAST_OK);
    ck_assert_str_eq(meshcast_report_word(report, "worst.from"), "given 0");
    struct meshcast_set *worst = meshcast_report_take_set(report);
    ck_assert_uint_eq(meshcast_set_messages(worst), meshcast_set_messages(given));
    meshcast_set_free(worst);
    meshcast_report_free(report);

    meshcast_command_set_interrupt(command, interrupt);
    case_set_options(command, "seconds=600", NULL);
    case_set_options(command, "tries=100000000", NULL);
    struct stop stop = {interrupt, 3};
    meshcast_command_set_progress(command, stop_soon, &stop);
    ck_assert_int_eq(meshcast_command_run(command, &report, &error), MESHCAST_INTERRUPTED);
    ck_assert_double_eq(meshcast_report_figure(report, "is_interrupted"), 1);
    ck_assert_double_eq(meshcast_report_figure(report, "tried"), 3);
    worst = meshcast_report_take_set(report);
    ck_assert_ptr_nonnull(worst);
    meshcast_set_free(worst);
    meshcast_report_free(report);
    meshcast_command_free(command);
    meshcast_interrupt_free(interrupt);
    meshcast_set_free(given);
}
END_TEST

void command_sets_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tcase, made_and_given, 0, 2);
    tcase_add_test(tcase, written);
    tcase_add_test(tcase, imported);
    tcase_add_test(tcase, graph);
    tcase_add_test(tcase, search);
}
