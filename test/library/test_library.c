/* test_library.c - commands by the public header: options, reports, ownership, threads.
 *
 * Oracle: the program, whose output must be that of a report. Arrays and routers of one's own are
 * in test_command_runs.c, sets in test_library_sets.c, errors in test_library_errors.c, interrupts
 * in test_library_interrupts.c, the installed library in test_install.c.
 */
#include "test/library_case.h"
#include "test/sanitized.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

/* The line of a command that a program sets so. */
static const struct printed {
    const char *name, *options, *line;
} PRINTED[] = {
    {"route", "router=trees buffer=20 copy=free", "--router trees --buffer 20 --copy free"},
    {"route", "router=random seed=7 param=variant=paper param=r=5",
     "--router random --seed 7 --param variant=paper --param r=5"},
    {"compare", "routers=trees:tree=dds,replicate buffer=20",
     "--routers trees:tree=dds,replicate --buffer 20"},
    {"compare", "routers=trees,circulate best", "--routers trees,circulate --best"},
    {"stress", "router=trees points=5 exhaustive", "--router trees --points 5 --exhaustive"},
    {"search", "router=trees tries=20 seed=4", "--router trees --tries 20 --seed 4"},
    {"info", "copy=free", "--copy free"},
    {"plan", "scheme=dual,u-mesh", "--scheme dual,u-mesh"},
    {"network", "scheme=unicast flits=4:9 vcs=2 startup=5",
     "--scheme unicast --flits 4:9 --vcs 2 --startup 5"},
};

/* Drops lines that differ from run to run, and the set's name. */
static void drop_times(char *text)
{
    static const char *const keys[] = {"seconds", "per_second", "wall time", "\"set\"", "set:",
                                       "mcast",   " s,",        "runs in",   "given 0"};
    char *to = text;
    for (char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n") + 1;
        char first = line[length - 1];
        bool drops = false;
        line[length - 1] = '\0';
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            drops = drops || strstr(line, keys[i]) != NULL;
        line[length - 1] = first;
        if (!drops) {
            memmove(to, line, length);
            to += length;
        }
        line += length;
    }
    *to = '\0';
}

static void check_same(const char *report, const char *form, const struct printed *row)
{
    char *here = strdup(report);
    const struct outcome *outcome =
        program_run("$M %s $T/a.mcast %s %s", row->name, row->line, form);
    char *there = strdup(outcome->out);
    size_t same = 0;
    ck_assert_msg(outcome->status == 0, "%s", outcome->err);
    drop_times(here);
    drop_times(there);
    while (here[same] == there[same] && here[same] != '\0')
        same++;
    ck_assert_msg(here[same] == there[same], "%s %s: %.60s, the program: %.60s", row->name, form,
                  here + same, there + same);
    free(here);
    free(there);
}

/* a report is what the program prints, as JSON and as the table for people */
START_TEST(reports)
{
    const struct printed *row = &PRINTED[_i];
    struct meshcast_set *set = case_set("--side 8 --pattern uniform --degree 4 --seed 1");
    struct meshcast_report *report = case_run(case_command(row->name, set, row->options), NULL);
    check_same(meshcast_report_json(report), "--json", row);
    if (strcmp(row->name, "compare") != 0) /* a column of times */
        check_same(meshcast_report_text(report), "", row);
    ck_assert_ptr_nonnull(strchr(meshcast_report_csv(report), ','));
    ck_assert_uint_gt(meshcast_report_size(report, ""), 1);
    meshcast_report_free(report);
    meshcast_set_free(set);
}
END_TEST

/* figures are found by their paths; a missing path has no number, no text, and no elements */
START_TEST(paths)
{
    struct meshcast_set *set = case_gen("pattern=uniform side=8 degree=4");
    struct meshcast_report *report =
        case_run(case_command("route", set, "router=stream param=slots=1"), NULL);
    uint64_t steps = 0;
    for (size_t i = 0; i < meshcast_report_size(report, "phases"); i++) {
        char path[40];
        snprintf(path, sizeof path, "phases.%zu.steps", i);
        steps += case_figure(report, path);
    }
    ck_assert_uint_eq(steps, case_figure(report, "steps"));
    ck_assert_uint_eq(meshcast_report_size(report, "delivery_steps.curve"), 101);
    ck_assert_uint_eq(case_figure(report, "delivery_steps.curve.50"),
                      case_figure(report, "delivery_steps.median"));
    ck_assert_str_eq(meshcast_report_word(report, "router"), "stream");
    ck_assert_str_eq(meshcast_report_word(report, "parameters.slots"), "1");
    ck_assert(isnan(meshcast_report_figure(report, "router")));
    ck_assert(isnan(meshcast_report_figure(report, "proven")));
    ck_assert(isnan(meshcast_report_figure(report, "phases.99.steps")));
    ck_assert(isnan(meshcast_report_figure(report, "phases.first.steps")));
    ck_assert(isnan(meshcast_report_figure(report, "phases.-1.steps")));
    ck_assert(isnan(meshcast_report_figure(report, "phases..steps")));
    ck_assert_ptr_null(meshcast_report_word(report, "steps"));
    ck_assert_uint_eq(meshcast_report_size(report, "steps"), 0);
    size_t count = 1;
    ck_assert_ptr_null(meshcast_report_array32(report, "node-peaks", &count));
    ck_assert_uint_eq(count, 0);
    ck_assert_ptr_null(meshcast_report_take_set(report));
    meshcast_report_free(report);
    meshcast_set_free(set);
}
END_TEST

/* an option that is set twice has its last value, a flag can be set back, and a text is copied */
START_TEST(options)
{
    struct meshcast_error error = {0};
    struct meshcast_set *set = case_gen("pattern=uniform side=6");
    char router[] = "trees";
    struct meshcast_command *command = case_command(
        "route", set, "buffer=1 buffer=30 unknown-congestion unknown-congestion=false");
    ck_assert_int_eq(meshcast_command_set(command, "router", router, &error), MESHCAST_OK);
    memset(router, '?', sizeof router - 1);
    ck_assert(meshcast_command_takes(command, "buffer"));
    ck_assert(!meshcast_command_takes(command, "slots"));
    struct meshcast_report *report = case_run(command, NULL);
    ck_assert_uint_eq(case_figure(report, "buffer_capacity"), 30);
    meshcast_report_free(report);
    meshcast_set_free(set);
}
END_TEST

/* commands, their options and the names of values are listed */
START_TEST(lists)
{
    uint32_t commands = 0, routers = 0;
    for (; meshcast_command_at(commands) != NULL; commands++)
        ck_assert_ptr_nonnull(meshcast_command_at(commands)->run);
    ck_assert_uint_ge(commands, 10);
    while (meshcast_command_value_at("route", "router", routers) != NULL)
        ck_assert_ptr_nonnull(
            meshcast_router_find(meshcast_command_value_at("route", "router", routers++), NULL));
    ck_assert_uint_ge(routers, 7);
    ck_assert_str_eq(meshcast_command_value_at("kernel", NULL, 0), "sort");
    ck_assert_str_eq(meshcast_command_value_at("plan", "scheme", 0), "unicast");
    ck_assert_ptr_null(meshcast_command_value_at("route", "buffer", 0));
    ck_assert_ptr_null(meshcast_command_value_at("route", "no-option", 0));
    ck_assert_ptr_null(meshcast_command_value_at("no-command", NULL, 0));
}
END_TEST

/* a run that fails a check has a report up to that step */
START_TEST(failed_check)
{
    struct meshcast_error error = {0};
    struct meshcast_set *set = case_gen("pattern=uniform side=32");
    struct meshcast_report *report =
        case_run(case_command("route", set, "router=random buffer=2"), &error);
    ck_assert_int_eq(error.status, MESHCAST_CHECK);
    ck_assert_msg(strstr(error.text, "buffer overflow: node ") != NULL, "%s", error.text);
    ck_assert_ptr_nonnull(report);
    ck_assert_str_eq(meshcast_report_word(report, "error"), error.text);
    ck_assert_uint_eq(case_figure(report, "buffer_capacity"), 2);
    ck_assert_uint_gt(case_figure(report, "buffer_peak"), 2);
    ck_assert_uint_gt(case_figure(report, "missing"), 0);
    meshcast_report_free(report);
    meshcast_set_free(set);
}
END_TEST

/* a run that does not fit into the limit fails with the figures; the library then goes on, also
 * with another limit */
START_TEST(limited)
{
    const uint64_t limits[] = {1000000, MESHCAST_AVAILABLE, 2000000, MESHCAST_NO_LIMIT};
    struct meshcast_set *set = case_gen("pattern=uniform side=100");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct meshcast_error error = {0};
        bool is_small = i % 2 == 0;
        meshcast_memory_limit(limits[i]);
        struct meshcast_report *report =
            case_run(case_command("route", set, "router=stream"), &error);
        ck_assert_int_eq(error.status, is_small ? MESHCAST_SYSTEM : MESHCAST_OK);
        ck_assert(!is_small ||
                  (strcmp(error.topic, "memory") == 0 &&
                   strstr(error.text, i == 0 ? "into 1.0 MB" : "into 2.0 MB") != NULL));
        meshcast_report_free(report);
    }
    meshcast_set_free(set);
}
END_TEST

/* a table goes to a stream instead of the report, which then has none */
START_TEST(tables)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct meshcast_set *set = case_gen("pattern=uniform side=6");
    struct meshcast_command *command = case_command("route", set, "router=trees");
    meshcast_command_set_table(command, out);
    struct meshcast_report *report = case_run(command, NULL);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "router trees"));
    ck_assert_ptr_null(meshcast_report_text(report));
    free(text);
    meshcast_report_free(report);
    meshcast_set_free(set);
}
END_TEST

static int run_job(void *context)
{
    const struct meshcast_set *set = context;
    struct meshcast_report *report =
        case_run(case_command("route", set, "router=random seed=3"), NULL);
    int steps = (int)case_figure(report, "steps");
    meshcast_report_free(report);
    return steps;
}

/* runs of several threads on one set do not meet */
START_TEST(runs_at_once)
{
    enum { JOBS = 4 };
    struct meshcast_set *set = case_gen("pattern=uniform side=16 seed=5");
    int alone = run_job(set), steps;
    thrd_t thread[JOBS];
    for (int i = 0; i < JOBS; i++)
        ck_assert_int_eq(thrd_create(&thread[i], run_job, set), thrd_success);
    for (int i = 0; i < JOBS; i++) {
        thrd_join(thread[i], &steps);
        ck_assert_int_eq(steps, alone);
    }
    ck_assert_int_gt(alone, 0);
    meshcast_set_free(set);
}
END_TEST

/* nothing is freed twice where nothing is there, and the version is the header's */
START_TEST(trifles)
{
    meshcast_interrupt_free(NULL);
    meshcast_topology_free(NULL);
    meshcast_set_free(NULL);
    meshcast_command_free(NULL);
    meshcast_report_free(NULL);
    ck_assert_str_eq(meshcast_version(), MESHCAST_VERSION);
    ck_assert_uint_eq(meshcast_abi(), MESHCAST_ABI);
}
END_TEST

void library_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, reports, 0, sizeof PRINTED / sizeof *PRINTED);
    tcase_add_test(tests, paths);
    tcase_add_test(tests, options);
    tcase_add_test(tests, lists);
    tcase_add_test(tests, failed_check);
    if (!SANITIZED)
        tcase_add_test(tests, limited);
    tcase_add_test(tests, tables);
    tcase_add_test(tests, runs_at_once);
    tcase_add_test(tests, trifles);
}
