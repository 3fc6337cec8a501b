/* command_route.c - the command `route`: runs one router on a message set and reports.
 *
 * Every delivery is checked by router_run(). A run that fails a check is reported as far as it got,
 * with its trace, and the status is 1; a run that could not start or finish for another reason
 * leaves neither report nor trace nor picture.
 */
#include "base/printable.h"
#include "library/command_run.h"
#include "library/command_set.h"
#include "library/report.h"
#include "library/report_use.h"
#include "library/run_options.h"
#include "library/view_files.h"
#include "view/page_output.h"

#include <inttypes.h>
#include <locale.h>
#include <stddef.h>
#include <stdlib.h>

/* The options for showing the run. */
struct view_options {
    struct view_request shown;
    const char *page;     /* NULL: not wanted */
    uint32_t page_events; /* 0: not given */
};

struct route_command {
    const char *router, *trace;
    struct view_options view;
    struct use_options use;
    struct run_options run;
};

static const struct meshcast_option rows[] = {
    RUN_ROUTER_ROW(struct route_command, router),
    OPTION_WITHOUT(RARE, struct route_command, run.without),
    OPTION_OUTPUT("trace", "FILE", 0, COMMON, struct route_command, trace,
                  "every event of the machine, for 'meshcast audit'; with '-' the report goes "
                  "to\nstandard error"),
    OPTION_FLAG("tables", RARE, struct route_command, use.tables,
                "how many entries routing tables need, were the run's trees static, before\n"
                "and after equal ones are merged; and how many colours messages need"),
    USE_LIMIT_ROW(struct route_command, use),
    OPTION_NUMBER("top-links", "K", RARE, struct route_command, use.top_links, 1, USE_MOST_LINKS,
                  "the K busiest links, and which messages use them"),
};

/* ---- showing the run ---- */

static const char *const heatmap_names[] = {"nodes", "links", NULL};

/* The base is the offset of the struct view_options. */
static const struct meshcast_option view_rows[] = {
    OPTION_OUTPUT("view", "FILE", 0, COMMON, struct view_options, page,
                  "the run as one page for a browser: every step, message and buffer"),
    OPTION_NUMBER("view-events", "N", RARE, struct view_options, page_events, 1, UINT32_MAX,
                  "how many events the page keeps; of what comes later it has sums over some\n"
                  "hundred steps each; the default is 20000000"),
    OPTION_OUTPUT(
        "heatmap", "FILE", 0, COMMON, struct view_options, shown.heatmap,
        "the most packets that each node held: a picture of the mesh (.png, .svg, .pdf)\nor "
        "its numbers (.csv)"),
    OPTION_CHOICE("heatmap-of", "WHAT", RARE, struct view_options, shown.heatmap_of, heatmap_names,
                  "nodes (the default), or links: how many packets crossed each directed one"),
    OPTION_OUTPUT(
        "timeline", "FILE", 0, COMMON, struct view_options, shown.timeline,
        "what happens step by step (.csv, or a picture): packets in the network,\ndeliveries "
        "so far, the fullest buffer, busy links, the phase"),
    OPTION_NUMBER("timeline-every", "K", RARE, struct view_options, shown.timeline_every, 1,
                  UINT32_MAX, "a row for every K steps, 1 by default"),
    /* for programs: arrays of the report (view_files.h) */
    OPTION_FLAG("keep-node-peaks", RARE, struct view_options, shown.keeps_peaks, NULL),
    OPTION_FLAG("keep-link-loads", RARE, struct view_options, shown.keeps_loads, NULL),
    OPTION_FLAG("keep-timeline", RARE, struct view_options, shown.keeps_timeline, NULL),
};

/* True if there is something to show besides the page. */
static bool shows_run(const struct view_request *shown)
{
    return shown->heatmap != NULL || shown->timeline != NULL || shown->keeps_peaks ||
           shown->keeps_loads || shown->keeps_timeline;
}

/* FAIL_USAGE: an option without its file; else as view_request_check(). */
static enum failure_kind check_view(const struct meshcast_command *command,
                                    const struct view_options *options, struct failure *failure)
{
    const struct view_request *shown = &options->shown;
    if (shows_run(shown) && view_request_check(shown, failure) != FAIL_NONE)
        return failure->kind;
    if (shown->heatmap == NULL && command_is_set(command, "heatmap-of"))
        return fail(failure, FAIL_USAGE, "--heatmap-of goes with --heatmap FILE");
    if (shown->timeline == NULL && !shown->keeps_timeline && shown->timeline_every != 0)
        return fail(failure, FAIL_USAGE, "--timeline-every goes with --timeline FILE");
    if (options->page == NULL && options->page_events != 0)
        return fail(failure, FAIL_USAGE, "--view-events goes with --view FILE");
    if (options->page != NULL && command_ranks(command) > 1)
        return fail(failure, FAIL_USAGE,
                    "--view needs one rank, not %u: write a trace, from which 'meshcast view' "
                    "makes the page",
                    command_ranks(command));
    return FAIL_NONE;
}

/* ---- the page of the run ---- */

enum { RAN_AS_SIZE = ROUTER_NAME_SIZE + 16 };

/* Returns " (run as ..)", or "" of a router that ran as itself. */
static const char *ran_as_text(const struct router_result *result, char text[RAN_AS_SIZE])
{
    if (*result->ran_as == '\0')
        return "";
    snprintf(text, RAN_AS_SIZE, " (run as %s)", result->ran_as);
    return text;
}

static enum failure_kind begin_page(struct page_output *page, const struct view_options *view,
                                    const struct run_report *report, struct failure *failure)
{
    const char *name = page_file_name(report->instance->name);
    struct run_plan plan = {&report->instance->set, name,
                            view->page_events > 0 ? view->page_events : PAGE_EVENTS, NULL,
                            report->instance->broken};
    char title[128];
    snprintf(title, sizeof title, "%s on %.80s - meshcast", report->router->name, name);
    return page_output_begin(page, view->page, title, &plan, failure);
}

/* Returns the figures that the page shows beside the clock, by their labels, in JSON; NULL: no
 * memory. */
static char *page_figures(const struct run_report *report)
{
    struct report_object object = report_object_open();
    json_t *json = report_route_json(report);
    const struct figure *figure;
    for (uint32_t i = 0; (figure = figures_at(&route_figures, i)) != NULL; i++) {
        json_t *value = json_object_get(json, figure->key);
        bool is_shown = figure->kind == FIGURE_COUNT || figure->kind == FIGURE_TEXT;
        json_t *label = figure->label == NULL ? NULL : figures_text(json, figure->label);
        if (label != NULL && is_shown && !json_is_null(value) && value != NULL)
            report_set(&object, json_string_value(label), json_incref(value));
        json_decref(label);
    }
    json_t *figures = report_object_close(&object);
    char *text = figures == NULL ? NULL : json_dumps(figures, JSON_COMPACT);
    json_decref(figures);
    json_decref(json);
    return text;
}

static enum failure_kind end_page(struct page_output *page, const struct run_report *report,
                                  const char *line, struct failure *failure)
{
    const struct router_result *result = &report->result;
    bool is_free = run_copy_is_free(report->options);
    char title[192], ran_as[RAN_AS_SIZE];
    if (page->encoder == NULL)
        return FAIL_NONE;
    char *text = page_figures(report);
    struct run_facts facts = {.title = title,
                              .command = line,
                              .figures = text,
                              .lower_bound = instance_lower_bound(report->instance, is_free),
                              .steps = result->steps};
    snprintf(title, sizeof title, "%s%s on %.80s", report->router->name,
             ran_as_text(result, ran_as), page_file_name(report->instance->name));
    if (text == NULL)
        fail_memory(failure, "the page of the run");
    else
        page_output_end(page, &facts, failure);
    free(text);
    return failure->kind;
}

/* ---- the run ---- */

/* Reports mistakes that can be found before the set is read. */
static enum failure_kind check_options(const struct meshcast_command *command,
                                       const struct router **router, struct failure *failure)
{
    const struct route_command *route = command->options;
    const struct view_options *view = &route->view;
    const struct use_options *use = &route->use;
    const char *const file[] = {route->trace, view->shown.heatmap, view->shown.timeline,
                                view->page};
    if (((use->tables || use->table_limit > 0) &&
         use_options_check(use, route->run.reduces, failure) != FAIL_NONE) ||
        command_find_router(command, route->router, router, failure) != FAIL_NONE)
        return failure->kind;
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        if (run_options_check_output(&route->run, file[i], failure) != FAIL_NONE)
            return failure->kind;
    return check_view(command, view, failure);
}

/* Notes the promise, before the first step. */
static void note_promise(void *context, uint64_t steps, const char *sets)
{
    const struct command_run *run = context;
    command_note(run->command, "router %s: at most %" PRIu64 " steps, proven for %s", run->label,
                 steps, sets);
}

static void note_expected(void *context, uint64_t steps)
{
    const struct command_run *run = context;
    command_note(run->command,
                 "router %s: visits of up to %" PRIu64 " steps, and what goes on beside them",
                 run->label, steps);
}

enum { ROUTE_FILES = 4 /* of a run */ };

/* The files and arrays of a run. */
struct run_files {
    struct view_request request;
    struct view_files view;
    struct output_file trace;
    struct page_output page;
    struct machine_observer of_page;
    struct output_file *all[ROUTE_FILES];
};

/* Opens the files before the run, so that one that cannot be written costs no run. close_files() is
 * required in any case. */
static enum failure_kind open_files(struct run_files *files, struct command_run *own,
                                    const struct run_report *run, struct failure *failure)
{
    const struct route_command *route = own->command->options;
    const struct message_set *set = &run->instance->set;
    *files = (struct run_files){
        .request = files->request,
        .all = {&files->trace, &files->view.heatmap, &files->view.timeline, &files->page.file}};
    if (output_file_open(&files->trace, route->trace, failure) != FAIL_NONE)
        return failure->kind;
    own->options.trace = files->trace.file;
    if (shows_run(&files->request)) {
        if (view_files_open(&files->view, &files->request, set->mesh,
                            router_contributions(&own->options, set), failure) != FAIL_NONE)
            return failure->kind;
        command_run_observe(own, &files->view.view.observer);
    }
    if (route->view.page != NULL) {
        if (begin_page(&files->page, &route->view, run, failure) != FAIL_NONE)
            return failure->kind;
        files->of_page = run_encoder_observe_machine(files->page.encoder);
        command_run_observe(own, &files->of_page);
    }
    return FAIL_NONE;
}

/* Writes the files that show the run. */
static enum failure_kind write_shown(struct run_files *files,
                                     const struct meshcast_command *command,
                                     const struct run_report *run, struct failure *failure)
{
    char title[200], ran_as[RAN_AS_SIZE];
    struct mesh mesh = run->instance->set.mesh;
    /* gnuplot and browsers need numbers with a point, in any locale of the caller */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), users = uselocale(plain);
    snprintf(title, sizeof title, "%s%s on %.40s, %u x %u, c = %u, copies %s", run->router->name,
             ran_as_text(&run->result, ran_as), page_file_name(run->instance->name), mesh.rows,
             mesh.cols, run->result.congestion,
             run_copy_is_free(run->options) ? "are free" : "cost a step");
    printable_make(title);
    view_files_write(&files->view, title, &run->result, failure);
    end_page(&files->page, run, command->line, failure);
    uselocale(users);
    if (plain != (locale_t)0)
        freelocale(plain);
    return failure->kind;
}

/* Writes the files that show the run and renames them, unless the run has no figures. A file that
 * cannot be written outweighs a failed check. */
static void close_files(struct run_files *files, const struct meshcast_command *command,
                        struct run_report *run)
{
    struct failure unwritten = {0};
    bool is_shown = files->view.is_open || files->page.encoder != NULL;
    bool keep = run_has_figures(&run->failure) &&
                (!is_shown || write_shown(files, command, run, &unwritten) == FAIL_NONE);
    output_files_close(files->all, ROUTE_FILES, keep, &unwritten);
    if (is_shown) {
        view_files_free(&files->view);
        page_output_free(&files->page);
    }
    if (unwritten.kind != FAIL_NONE)
        run->failure = unwritten;
}

static void run_router(struct command_run *own, struct run_report *run,
                       struct meshcast_report *report)
{
    const struct route_command *route = own->command->options;
    const struct message_set *set = &run->instance->set;
    struct run_files files = {.request = route->view.shown};
    files.request.report = report;
    own->options.ranks = own->command->ranks;
    own->options.promised = note_promise;
    own->options.promised_context = own;
    own->options.expected = note_expected;
    if (!command_writes(own->command))
        router_run(run->router, set, &own->options, &run->result, &run->failure);
    else {
        if (open_files(&files, own, run, &run->failure) == FAIL_NONE)
            router_run(run->router, set, &own->options, &run->result, &run->failure);
        close_files(&files, own->command, run);
    }
    command_note_threads(own->command, run->result.threads, run->result.threads_refused);
}

/* Reports the result of the run, and the use of its nodes and links if `use` is not NULL. */
static enum failure_kind fill_report(const struct run_report *run, const struct use_report *use,
                                     struct meshcast_report *report, struct failure *failure)
{
    json_t *json = report_route_json(run);
    if (use != NULL)
        json = use_report_add(use, json);
    if (report_take_json(report, json, NULL, failure) != FAIL_NONE)
        return failure->kind;
    FILE *out = command_table(report);
    report_print_route(run, report->json, out);
    if (use != NULL)
        use_report_print(report->json, out);
    return FAIL_NONE;
}

static enum failure_kind route_set(const struct meshcast_command *command, struct run_report *run,
                                   struct meshcast_report *report, struct failure *failure)
{
    const struct route_command *route = command->options;
    struct router_options options = run_options_for_router(run->options, run->instance->broken);
    struct command_run own;
    struct use_report counted, *use = NULL;
    if (command_writes(command) && (route->use.tables || route->use.top_links > 0))
        use = &counted;
    if (use == NULL ||
        use_report_begin(use, &route->use, run->instance->set.mesh, failure) == FAIL_NONE) {
        command_run_begin(&own, command, run->router->name, &options);
        if (use != NULL)
            command_run_observe(&own, use_report_observer(use));
        run_router(&own, run, report);
        bool has_figures = run_has_figures(&run->failure);
        if ((use == NULL || use_report_end(use, has_figures, failure) == FAIL_NONE) && has_figures)
            fill_report(run, use, report, failure);
        if (failure->kind == FAIL_NONE)
            *failure = run->failure;
    }
    if (use != NULL)
        use_report_free(use);
    return failure->kind;
}

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    const struct route_command *route = command->options;
    struct command_instance set;
    struct run_report found = {.instance = &set.instance, .options = &route->run};
    if (check_options(command, &found.router, failure) != FAIL_NONE ||
        command_read_instance(command, 0, &set, failure) != FAIL_NONE)
        return failure->kind;
    if (command_check_rows(command, set.instance.set.mesh.rows, failure) == FAIL_NONE &&
        command_break_instance(command, &set, route->run.without, failure) == FAIL_NONE &&
        command_bound_instance(command, 0, &set, failure) == FAIL_NONE &&
        command_keep_own_rows(command, &set.instance.set, failure) == FAIL_NONE)
        route_set(command, &found, report, failure);
    command_instance_free(&set);
    return failure->kind;
}

const struct meshcast_command_row command_route = {
    .name = "route",
    .summary = "run one router on a message set, check every delivery, report",
    .examples = "  meshcast route west.mcast --router replicate\n"
                "  meshcast route west.mcast --router replicate --copy free --json\n"
                "  meshcast route west.mcast --router trees --buffer 16 --trace west.trace\n"
                "  meshcast route west.mcast --router trees --trace - | \\\n"
                "      meshcast audit west.mcast -\n"
                "  meshcast route west.mcast --router trees --reduce\n"
                "  meshcast route west.mcast --router trees --heatmap t.png --timeline t.csv\n"
                "  meshcast route west.mcast --router trees --view trees.html\n",
    .synopsis = "SET --router NAME [options]",
    .operands = "SET, the message set to route ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct route_command),
    .options = {{rows, sizeof rows / sizeof rows[0], 0},
                {run_congestion_row, 1, offsetof(struct route_command, run)},
                {run_reduce_row, 1, offsetof(struct route_command, run)},
                {view_rows, sizeof view_rows / sizeof *view_rows,
                 offsetof(struct route_command, view)},
                {run_option_row, RUN_OPTION_ROWS, offsetof(struct route_command, run)}},
    .offer_parameters = run_offer_parameters,
    .topics = "'meshcast help routers'",
    .runs_on_ranks = true,
    .run = run,
};
