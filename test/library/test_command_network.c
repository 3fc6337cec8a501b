/* test_command_network.c - plan, network, load, audit and view for programs: given inputs, kept
 * arrays, interrupts (meshcast_command.h).
 */
#include "test/library_case.h"

#include <check.h>
#include <string.h>

#define SET "--topology torus:4x5 --pattern uniform --degree 3 --seed 2"

static struct meshcast_report *run(struct meshcast_command *command)
{
    struct meshcast_error error = {0};
    struct meshcast_report *report;
    case_check_ok(meshcast_command_run(command, &report, &error), &error);
    return report;
}

/* the costs of all messages by each scheme, whose sums are the figures of the program */
START_TEST(costs)
{
    struct meshcast_set *set = case_set(SET);
    struct meshcast_command *command =
        case_command("plan", set, "scheme=otms,u-mesh sources=7 keep-costs");
    size_t count, messages;
    struct meshcast_report *report = run(command);
    json_t *json = case_program("$M plan $T/a.mcast --scheme otms,u-mesh --sources 7 --json");
    const uint64_t *traffic = meshcast_report_array64(report, "traffic", &count);
    const uint32_t *number = meshcast_report_array32(report, "messages", &messages);
    ck_assert_uint_eq(messages, 7);
    ck_assert_uint_eq(count, 14);
    ck_assert_uint_lt(number[0], number[6]);
    for (size_t i = 0; i < 2; i++)
        CHECK_PAIRS(json_array_get(json, i), {"traffic", case_sum(traffic + 7 * i, 7)});
    ck_assert_double_eq(meshcast_report_figure(report, "1.traffic"),
                        (double)case_sum(traffic + 7, 7));
    json_decref(json);
    meshcast_report_free(report);
    meshcast_command_free(command);
    meshcast_set_free(set);
}
END_TEST

/* The moment of an interrupt: after so many done in this work. */
struct sender {
    struct meshcast_interrupt *interrupt;
    const char *what;
    uint64_t done;
};

static void send_at(void *context, uint64_t done, uint64_t all, const char *what)
{
    const struct sender *sender = context;
    ck_assert_uint_le(done, all);
    if (what != NULL && strcmp(what, sender->what) == 0 && done >= sender->done)
        meshcast_interrupt_send(sender->interrupt);
}

/* Runs the command until it is interrupted, and returns its report. */
static struct meshcast_report *run_until(struct meshcast_command *command, const char *what,
                                         uint64_t done)
{
    struct meshcast_error error = {0};
    struct meshcast_report *report;
    struct sender sender = {meshcast_interrupt_new(), what, done};
    meshcast_command_set_interrupt(command, sender.interrupt);
    meshcast_command_set_progress(command, send_at, &sender);
    ck_assert_int_eq(meshcast_command_run(command, &report, &error), MESHCAST_INTERRUPTED);
    ck_assert_ptr_nonnull(report);
    meshcast_interrupt_free(sender.interrupt);
    return report;
}

/* A table of an interrupted plan says how many plans each scheme had; a scheme without one has
 * dashes, not zeros. */
START_TEST(interrupted_plan)
{
    struct meshcast_set *set = case_set("--side 4 --pattern uniform --degree 3");
    struct meshcast_command *command = case_command("plan", set, "scheme=dual,otms");
    struct meshcast_report *report = run_until(command, "dual", 2);
    const char *text = meshcast_report_text(report);
    ck_assert_msg(strstr(text,
                         "\nThe run was interrupted: these are the plans that were made until "
                         "then,\ndual 3, otms 0 of 16 messages.\n") != NULL,
                  "%s", text);
    ck_assert_msg(strstr(text, "\notms          -           -         -") != NULL, "%s", text);
    ck_assert_ptr_null(strstr(text, "no star"));
    ck_assert_double_eq(meshcast_report_figure(report, "0.messages"), 3);
    ck_assert_double_eq(meshcast_report_figure(report, "1.partial"), 1);
    meshcast_report_free(report);
    meshcast_command_free(command);
    meshcast_set_free(set);
}
END_TEST

/* the cycles of the messages and the flits over the links agree with the figures; a torus that is
 * given is the set's */
START_TEST(arrays)
{
    struct meshcast_error error = {0};
    struct meshcast_set *set = case_set(SET);
    struct meshcast_topology *torus = meshcast_topology_parse("torus:4x5", &error);
    struct meshcast_topology *other = meshcast_topology_parse("torus:5x4", &error);
    struct meshcast_command *command = case_command(
        "network", set, "scheme=unicast vcs=2 flits=4:9 keep-delivered keep-link-flits");
    struct meshcast_report *report;
    size_t messages, links;
    uint64_t last = 0;
    meshcast_command_give_topology(command, torus);
    report = run(command);
    const uint64_t *delivered = meshcast_report_array64(report, "delivered", &messages);
    const uint64_t *flits = meshcast_report_array64(report, "link-flits", &links);
    for (size_t i = 0; i < messages; i++)
        last = delivered[i] > last ? delivered[i] : last;
    ck_assert_double_eq(meshcast_report_figure(report, "messages"), (double)messages);
    ck_assert_double_eq(meshcast_report_figure(report, "cycles"), (double)last);
    ck_assert_uint_eq(links, meshcast_topology_links(torus));
    ck_assert_double_eq(meshcast_report_figure(report, "channel_crossings"),
                        (double)case_sum(flits, links));
    meshcast_report_free(report);
    meshcast_command_give_topology(command, other);
    ck_assert_int_eq(meshcast_command_run(command, &report, &error), MESHCAST_USAGE);
    ck_assert_ptr_null(report);
    ck_assert_str_eq(error.text, "the topology is torus:5x4, but the set is of torus:4x5");
    meshcast_command_free(command);
    meshcast_topology_free(torus);
    meshcast_topology_free(other);
    meshcast_set_free(set);
}
END_TEST

/* an interrupted run on the network reports its deliveries until then, and its trace ends there */
START_TEST(interrupted_network)
{
    struct meshcast_set *set = case_set("--side 16 --pattern uniform --degree 8");
    struct meshcast_command *command = case_command("network", set, "scheme=unicast flits=2000");
    meshcast_command_set(command, "trace", case_file("part.trace"), NULL);
    struct meshcast_report *report = run_until(command, "unicast", 0);
    ck_assert_double_eq(meshcast_report_figure(report, "partial"), 1);
    ck_assert_double_gt(meshcast_report_figure(report, "missing"), 0);
    program_run_ends(0, "$M audit $T/part.trace");
    meshcast_report_free(report);
    meshcast_command_free(command);
    meshcast_set_free(set);
}
END_TEST

/* load draws messages from a given set as from its file; an interrupt ends it with the points that
 * it has */
START_TEST(loads)
{
    struct meshcast_error error = {0};
    struct meshcast_set *set = case_set(SET);
    struct meshcast_topology *torus = meshcast_topology_parse("torus:4x5", &error);
    struct meshcast_command *command =
        case_command("load", set, "scheme=unicast vcs=2 rate=0.01,0.02 warmup=200 measure=1000");
    meshcast_command_give_topology(command, torus);
    struct meshcast_report *report = run(command);
    json_t *json = case_program("$M load --topology torus:4x5 --scheme unicast --vcs 2 --rate "
                                "0.01,0.02 --warmup 200 --measure 1000 --set $T/a.mcast --json");
    const json_t *point = json_array_get(json_object_get(json, "points"), 1);
    ck_assert_uint_eq(meshcast_report_size(report, "points"), 2);
    case_check_number(point, "latency", meshcast_report_figure(report, "points.1.latency"));
    ck_assert_str_eq(meshcast_report_word(report, "traffic"), "set");
    ck_assert_ptr_nonnull(strstr(meshcast_report_csv(report), "\r\n"));
    meshcast_report_free(report);
    report = run_until(command, "unicast, rate 0.02", 0);
    ck_assert_double_eq(meshcast_report_figure(report, "partial"), 1);
    ck_assert_double_eq(meshcast_report_figure(report, "points.0.partial"), 0);
    json_decref(json);
    meshcast_report_free(report);
    meshcast_command_free(command);
    meshcast_topology_free(torus);
    meshcast_set_free(set);
}
END_TEST

/* a trace is audited, and shown as a page, with a set that is given; the page is audited too, and a
 * broken trace has figures */
START_TEST(audits)
{
    struct meshcast_error error = {0};
    struct meshcast_set *set = case_set("--side 4 --pattern uniform --degree 3");
    struct meshcast_command *view = case_command("view", set, ""),
                            *audit = case_command("audit", set, "");
    program_run_ends(0, "$M route $T/a.mcast --router trees --trace $T/t && "
                        "sed '/ M /d' $T/t >$T/broken");
    meshcast_command_add_operand(view, case_file("t"), NULL);
    meshcast_command_set(view, "output", case_file("p"), NULL);
    struct meshcast_report *report = run(view);
    ck_assert_double_eq(meshcast_report_figure(report, "runs"), 1);
    meshcast_report_free(report);
    ck_assert_int_eq(meshcast_command_run(audit, &report, &error), MESHCAST_USAGE);
    ck_assert_str_eq(error.text, "missing TRACE, the trace to replay");
    meshcast_command_add_operand(audit, case_file("p"), NULL);
    report = run(audit);
    ck_assert_double_eq(meshcast_report_figure(report, "clean"), 1);
    ck_assert_ptr_nonnull(strstr(meshcast_report_text(report), "clean: "));
    meshcast_report_free(report);
    meshcast_command_free(audit);
    audit = case_command("audit", set, "");
    meshcast_command_add_operand(audit, case_file("broken"), NULL);
    ck_assert_int_eq(meshcast_command_run(audit, &report, &error), MESHCAST_CHECK);
    ck_assert_str_eq(meshcast_report_word(report, "error"), error.text);
    ck_assert_double_eq(meshcast_report_figure(report, "clean"), 0);
    meshcast_report_free(report);
    meshcast_command_free(audit);
    meshcast_command_free(view);
    meshcast_set_free(set);
}
END_TEST

static const struct {
    const char *name, *option[9], *text;
} refused[] = {
    {"network",
     {"scheme", "dual", "trace", "$T/x", "view", "$T/x"},
     "trace and view name one file"},
    {"network", {"scheme", "dual", "trace", "-", "view", "-"}, "can be standard output"},
    {"load", {"scheme", "dual", "db", "$T/x.csv", "plot", "$T/./x.csv"}, "plot would overwrite"},
    {"plan", {"topology", "graph:$T/g", "each", "$T/g"}, "each would overwrite"},
    {"load", {"scheme", "dual", "rate", "0.1"}, "missing topology"},
    {"load",
     {"topology", "mesh:4x4", "scheme", "dual", "rate", "0.1", "db", "$T/points"},
     "db is an option of the program"},
    {"plan", {"sources", "3"}, "missing schemes A,B,...; the schemes are: unicast"},
};

/* Replaces $T by the folder of the test. */
static const char *in_folder(const char *text, char path[512])
{
    const char *folder = strstr(text, "$T/");
    if (folder == NULL)
        return text;
    snprintf(path, 512, "%.*s%s", (int)(folder - text), text, case_file(folder + 3));
    return path;
}

/* messages name options without dashes, and no file that is read or written is overwritten */
START_TEST(refusals)
{
    struct meshcast_error error = {0};
    struct meshcast_report *report;
    struct meshcast_set *set = case_set("--side 4 --pattern uniform --degree 2");
    struct meshcast_command *command = meshcast_command_new(refused[_i].name, &error);
    char path[512];
    meshcast_command_give_set(command, set, NULL);
    for (const char *const *option = refused[_i].option; *option != NULL; option += 2)
        case_check_ok(meshcast_command_set(command, option[0], in_folder(option[1], path), &error),
                      &error);
    ck_assert_int_eq(meshcast_command_run(command, &report, &error), MESHCAST_USAGE);
    ck_assert_msg(strstr(error.text, refused[_i].text) != NULL, "%s", error.text);
    meshcast_command_free(command);
    meshcast_set_free(set);
}
END_TEST

void command_network_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, costs);
    tcase_add_test(tests, interrupted_plan);
    tcase_add_test(tests, arrays);
    tcase_add_test(tests, interrupted_network);
    tcase_add_test(tests, loads);
    tcase_add_test(tests, audits);
    tcase_add_loop_test(tests, refusals, 0, sizeof refused / sizeof refused[0]);
}
