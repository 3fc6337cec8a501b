/* test_plugin.c - routers as plugins: in every command that runs routers, through the header, and
 * wrong plugins.
 *
 * Oracle: the commands must agree with one another and with a run of the same plugin through the
 * header. The plugin is doc/plugin_example.c; the wrong ones are made of
 * test/preload/plugin_case.c.
 */
#include "library/meshcast_own_router.h"
#include "test/library_case.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void compile(const char *source, const char *options, const char *object)
{
    const char *cc = getenv("CC");
    const struct outcome *outcome =
        program_run("%s -std=c11 -Wall -Wextra -Werror -shared -fPIC -Ilibrary %s -o $T/%s %s",
                    cc == NULL ? "cc" : cc, options, object, source);
    ck_assert_msg(outcome->status == 0, "%s", outcome->err);
}

static uint64_t steps_of(const struct meshcast_router *router, const struct meshcast_set *set,
                         const char *order)
{
    struct meshcast_command *command = case_command("route", set, "");
    char parameter[40];
    snprintf(parameter, sizeof parameter, "param=order=%s", order);
    case_set_options(command, parameter, NULL);
    meshcast_command_give_router(command, router);
    struct meshcast_report *report = case_run(command, NULL);
    uint64_t steps = case_figure(report, "steps");
    meshcast_report_free(report);
    return steps;
}

/* a plugin runs in route, compare, stress, search and sweep, and through the header, with the same
 * figures */
START_TEST(commands)
{
    struct meshcast_error error = {0};
    struct meshcast_set *set = case_set("--side 12 --pattern uniform --degree 4 --seed 2");
    compile("doc/plugin_example.c", "", "tour.so");
    struct meshcast_router *router = meshcast_router_load(case_file("tour.so"), &error);
    ck_assert_msg(router != NULL, "%s", error.text);
    ck_assert_str_eq(meshcast_router_name(router), "tour");
    uint64_t west = steps_of(router, set, "west"), east = steps_of(router, set, "east");
    json_t *json =
        case_program("$M route $T/a.mcast --router $T/tour.so --param order=east --json");
    CHECK_PAIRS(json, {"steps", east});
    ck_assert_str_eq(program_run_text(json, "router"), "tour");
    json_decref(json);
    json = case_program("$M compare $T/a.mcast --json "
                        "--routers trees,$T/tour.so:order=west,$T/tour.so:order=east");
    ck_assert_uint_eq(json_array_size(json_object_get(json, "runs")), 3);
    CHECK_PAIRS(json_array_get(json_object_get(json, "runs"), 1), {"steps", west});
    CHECK_PAIRS(json_array_get(json_object_get(json, "runs"), 2), {"steps", east});
    json_decref(json);
    ck_assert_ptr_nonnull(
        strstr(program_run("$M help router $T/tour.so")->out, "order=west|east: "));
    json = case_program("$M stress $T/a.mcast --router $T/tour.so --json");
    CHECK_PAIRS(json_object_get(json, "without_capacity"), {"steps", west});
    json_decref(json);
    json =
        case_program("$M search $T/a.mcast --router $T/tour.so --tries 1 --objective steps --json");
    CHECK_PAIRS(json_object_get(json, "worst"), {"steps", west});
    ck_assert(json_is_null(json_object_get(json_object_get(json, "promise"), "bound")));
    json_decref(json);
    /* The trace of a plugin's run passes the audit. */
    program_run_ends(0, "$M route $T/a.mcast --router $T/tour.so --trace $T/t -q && "
                        "$M audit $T/a.mcast $T/t -q");
    meshcast_router_free(router);
    meshcast_set_free(set);
}
END_TEST

/* a sweep knows a plugin's runs again, as long as the plugin's file is the same */
START_TEST(sweep)
{
    static const char line[] =
        "$M sweep --router $T/tour.so,trees --pattern uniform --side 4,6 --db $T/db 2>&1";
    compile("doc/plugin_example.c", "", "tour.so");
    ck_assert_ptr_nonnull(strstr(program_run("%s", line)->out, "4 of 4 runs stored: 0 before"));
    ck_assert_ptr_nonnull(strstr(program_run("%s", line)->out, "4 of 4 runs stored: 4 before"));
    compile("doc/plugin_example.c", "-g3 -O1", "tour.so");
    ck_assert_ptr_nonnull(strstr(program_run("%s", line)->out, "4 of 4 runs stored: 2 before"));
    ck_assert_ptr_nonnull(strstr(program_run("$M report $T/db")->out, "tour"));
}
END_TEST

/* A wrong plugin: its fault, the status, and words of the message. */
static const struct wrong {
    int number; /* of plugin_case.c */
    enum meshcast_status status;
    const char *text;
} WRONG[] = {
    {1, MESHCAST_INPUT, "expected a plugin for MESHCAST_ABI 0, found one for -1"},
    {2, MESHCAST_INPUT, "found one for 77; compile it with this version's headers"},
    {3, MESHCAST_USAGE, "the plugin gives no router"},
    {4, MESHCAST_USAGE, "named 'trees', as one of meshcast's"},
    {5, MESHCAST_USAGE, "a router needs a function that routes"},
    {6, MESHCAST_INPUT, "expected a function meshcast_plugin(), found none"},
    {9, MESHCAST_INPUT, "expected a function meshcast_plugin(), found a variable"},
    {10, MESHCAST_INPUT, "expected a function meshcast_plugin(), found a variable"},
    {11, MESHCAST_INPUT, "expected a function meshcast_plugin(), found a variable"},
};

static void check_wrong(const char *path, enum meshcast_status status, const char *text)
{
    struct meshcast_error error = {0};
    const struct outcome *outcome;
    ck_assert_ptr_null(meshcast_router_load(path, &error));
    ck_assert_int_eq(error.status, status);
    ck_assert_msg(strstr(error.text, text) != NULL, "%s", error.text);
    if (strchr(path, '/') != NULL)
        ck_assert_msg(strncmp(error.text, path, strlen(path)) == 0 ||
                          strstr(error.text, path) != NULL,
                      "%s", error.text);
    outcome = program_run("$M route $T/a.mcast --router %s", path);
    ck_assert_int_eq(outcome->status, (int)status);
}

/* the fault of a plugin is reported, with its path and the documented status */
START_TEST(wrong_plugins)
{
    char path[300];
    meshcast_set_free(case_set("--side 4 --pattern uniform"));
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        char option[16], name[16];
        snprintf(option, sizeof option, "-DCASE=%d", WRONG[i].number);
        snprintf(name, sizeof name, "case%d.so", WRONG[i].number);
        compile("test/preload/plugin_case.c", option, name);
        snprintf(path, sizeof path, "%s", case_file(name));
        check_wrong(path, WRONG[i].status, WRONG[i].text);
    }
    snprintf(path, sizeof path, "%s", case_file("a.mcast"));
    check_wrong(path, MESHCAST_INPUT, "expected a shared object");
    snprintf(path, sizeof path, "%s", case_file("none.so"));
    check_wrong(path, MESHCAST_SYSTEM, "No such file");
    check_wrong("none.so", MESHCAST_USAGE, "a slash");
    /* files that no loader could survive, or would wait for */
    program_run("mkdir $T/folder.so && mkfifo $T/pipe.so && head -c 5000 $T/case1.so >$T/cut.so");
    snprintf(path, sizeof path, "%s", case_file("folder.so"));
    check_wrong(path, MESHCAST_INPUT, "found no regular file");
    snprintf(path, sizeof path, "%s", case_file("pipe.so"));
    check_wrong(path, MESHCAST_INPUT, "found no regular file");
    snprintf(path, sizeof path, "%s", case_file("cut.so"));
    check_wrong(path, MESHCAST_INPUT, "found one that is cut off");
}
END_TEST

/* a plugin passes the checks of every router: one that does not start ends with status 2 and its
 * name */
START_TEST(checks)
{
    meshcast_set_free(case_set("--side 4 --pattern uniform"));
    compile("test/preload/plugin_case.c", "-DCASE=0", "case.so");
    const struct outcome *outcome = program_run("$M route $T/a.mcast --router $T/case.so");
    ck_assert_int_eq(outcome->status, 2);
    ck_assert_ptr_nonnull(strstr(outcome->err, "router case did not call meshcast_start()"));
    program_run("cp $T/case.so $T/twin.so");
    outcome = program_run("$M compare $T/a.mcast --routers $T/case.so,$T/twin.so");
    ck_assert_int_eq(outcome->status, 2);
    ck_assert_ptr_nonnull(strstr(outcome->err, "are both named 'case'"));
}
END_TEST

/* a plugin that breaks a rule while it runs fails a check, in every command; search finds that run
 * and no worse one */
START_TEST(broken_rules)
{
    static const char *const failing[] = {
        "route $T/a.mcast --router", "compare $T/a.mcast --routers trees,",
        "stress $T/a.mcast --router", "sweep --db $T/a.db --set $T/a.mcast --router",
        "search --side 4 --tries 3 --router"};
    meshcast_set_free(case_set("--side 4 --pattern uniform"));
    compile("test/preload/plugin_case.c", "-DCASE=12", "case.so");
    for (int i = 0; i < 5; i++) {
        const struct outcome *outcome =
            program_run("$M %s%s$T/case.so", failing[i], i == 1 ? "" : " ");
        ck_assert_msg(outcome->status == 1, "%s: status %d", failing[i], outcome->status);
        ck_assert_ptr_nonnull(strstr(i == 1 ? outcome->out : outcome->err,
                                     i == 3 ? "failed a check: 1" : "a second time"));
    }
}
END_TEST

void plugin_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, commands);
    tcase_add_test(tests, sweep);
    tcase_add_test(tests, wrong_plugins);
    tcase_add_test(tests, checks);
    tcase_add_test(tests, broken_rules);
}
