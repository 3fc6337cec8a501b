/* command_route.c - `meshcast route`: runs one router on a message set and reports.
 *
 * Every delivery is checked by router_run(). A run that fails a check is reported as far as it
 * went, with its trace, and the status is 1; a run that could not start or finish for another
 * reason leaves neither report nor trace nor picture.
 *
 * With `--trace -` or `--view -` standard output is that file's, and the report goes to standard error.
 */
#include "cli/command.h"
#include "cli/report_use.h"
#include "console/interruption.h"
#include "console/progress.h"
#include "library/report.h"
#include "library/run_files.h"
#include "library/run_options.h"
#include "library/view_files.h"
#include "view/page_output.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The files that show the run. */
struct view_options {
    const char *heatmap, *timeline; /* NULL: not wanted */
    const char *page;
    uint32_t page_events;                /* 0: not given */
    uint32_t heatmap_of, timeline_every; /* 0: not given */
};

struct route_options {
    const char *router, *trace;
    struct view_options view;
    struct use_options use;
    struct run_options run;
};

static const struct meshcast_option rows[] = {
    {.name = "router",
     .value = "NAME",
     .is_common = true,
     .help = "which router, or a plugin, ./FILE.so (a router of your own)",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct route_options, router),
     .names = &router_names},
    {.name = "trace",
     .value = "FILE",
     .is_common = true,
     .help = "every event of the machine, for 'meshcast audit'; with '-' the report goes "
             "to\nstandard error",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct route_options, trace),
     .is_file = true},
    {.name = "tables",
     .help = "how many entries routing tables need, were the run's trees static, before\n"
             "and after equal ones are merged; and how many colours messages need",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct route_options, use.tables)},
    {.name = "table-limit",
     .value = "N",
     .help = "with --tables: how many nodes need more entries than N",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct route_options, use.table_limit),
     .least = 1,
     .most = UINT32_MAX},
    {.name = "top-links",
     .value = "K",
     .help = "the K busiest links, and which messages use them",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct route_options, use.top_links),
     .least = 1,
     .most = USE_MOST_LINKS},
};

/* ---- what shows the run ---- */

static const char *const heatmap_names[] = {"nodes", "links", NULL};

/* `heatmap_of` is the index of the name, from 1, so that 0 is "not given". */
enum { OF_NODES = 1, OF_LINKS };

static int accept_heatmap_of(void *field, char *value, struct failure *failure)
{
    uint32_t place = 0, *of = field;
    if (option_take_choice("heatmap-of", heatmap_names, value, &place, failure) != FAIL_NONE)
        return failure->kind;
    *of = place + OF_NODES;
    return FAIL_NONE;
}

/* Its base is the offset of the struct view_options. */
static const struct meshcast_option view_rows[] = {
    {.name = "view",
     .value = "FILE",
     .is_common = true,
     .help = "the run as one page for a browser: every step, message and buffer",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct view_options, page),
     .is_file = true},
    {.name = "view-events",
     .value = "N",
     .help = "how many events the page keeps; of what comes later it has sums over some\n"
             "hundred steps each; the default is 20000000",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct view_options, page_events),
     .least = 1,
     .most = UINT32_MAX},
    {.name = "heatmap",
     .value = "FILE",
     .is_common = true,
     .help = "the most packets that each node held: a picture of the mesh (.png, .svg, .pdf)\nor "
             "its numbers (.csv)",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct view_options, heatmap),
     .is_file = true},
    {.name = "heatmap-of",
     .value = "WHAT",
     .help = "nodes (the default), or links: how many packets crossed each directed one",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct view_options, heatmap_of),
     .accept = accept_heatmap_of,
     .choices = heatmap_names},
    {.name = "timeline",
     .value = "FILE",
     .is_common = true,
     .help = "what happens step by step (.csv, or a picture): packets in the network,\ndeliveries "
             "so far, the fullest buffer, busy links, the phase",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct view_options, timeline),
     .is_file = true},
    {.name = "timeline-every",
     .value = "K",
     .help = "a row for every K steps, 1 by default",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct view_options, timeline_every),
     .least = 1,
     .most = UINT32_MAX},
};

/* What they ask for. FAIL_USAGE: an option without the file that it is for; else as
 * view_request_check(). */
static enum failure_kind take_view(const struct view_options *options, struct view_request *request,
                                   struct failure *failure)
{
    *request = (struct view_request){options->heatmap, options->timeline,
                                     options->heatmap_of == OF_LINKS, options->timeline_every};
    bool is_wanted = options->heatmap != NULL || options->timeline != NULL;
    if (is_wanted && view_request_check(request, failure) != FAIL_NONE)
        return failure->kind;
    if (options->heatmap == NULL && options->heatmap_of != 0)
        return fail(failure, FAIL_USAGE, "--heatmap-of goes with --heatmap FILE");
    if (options->timeline == NULL && options->timeline_every != 0)
        return fail(failure, FAIL_USAGE, "--timeline-every goes with --timeline FILE");
    if (options->page == NULL && options->page_events != 0)
        return fail(failure, FAIL_USAGE, "--view-events goes with --view FILE");
    return FAIL_NONE;
}

/* ---- the page of the run ---- */

struct run_page {
    const struct route_options *options;
    const struct message_set *set; /* the whole one */
    const struct run_report *report;
    const char *line; /* of the command; may be NULL */
    struct page_output output;
    struct machine_observer observer;
};

static enum failure_kind begin_page(void *context, const struct machine_observer **observer,
                                    struct failure *failure)
{
    struct run_page *page = context;
    const struct run_report *report = page->report;
    const struct view_options *view = &page->options->view;
    struct run_plan plan = {page->set, page_file_name(report->instance->name),
                            view->page_events > 0 ? view->page_events : PAGE_EVENTS,
                            available_memory_limit(page->options->run.force), NULL};
    char title[128];
    snprintf(title, sizeof title, "%s on %.80s - meshcast", report->router->name,
             page_file_name(report->instance->name));
    if (page_output_begin(&page->output, view->page, title, &plan, failure) == FAIL_NONE) {
        page->observer = run_encoder_observe_machine(page->output.encoder);
        *observer = &page->observer;
    }
    return failure->kind;
}

/* What the page tells beside the clock; NULL: no memory. */
static char *page_figures(const struct router_result *result, bool copy_is_free)
{
    json_t *capacity = result->buffer_capacity == 0
                           ? json_string("none")
                           : json_integer((json_int_t)result->buffer_capacity);
    json_t *object = json_pack(
        "{s:s, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "copies",
        copy_is_free ? "free" : "cost a step", "degree d", (json_int_t)result->degree,
        "congestion c", (json_int_t)result->congestion, "buffer", capacity, "fullest buffer",
        (json_int_t)result->buffer_peak, "steps of sync", (json_int_t)result->sync_steps,
        "packet hops", (json_int_t)result->packet_hops, "word hops", (json_int_t)result->word_hops,
        "copies made", (json_int_t)result->copies, "missing", (json_int_t)result->missing);
    char *text = object == NULL ? NULL : json_dumps(object, JSON_COMPACT);
    json_decref(object);
    return text;
}

static enum failure_kind end_page(void *context, const struct router_result *result,
                                  struct failure *failure)
{
    struct run_page *page = context;
    const struct run_report *report = page->report;
    bool is_free = run_copy_is_free(report->options);
    char title[160];
    struct run_facts facts = {.title = title,
                              .command = page->line,
                              .lower_bound = instance_lower_bound(report->instance, is_free),
                              .steps = result->steps};
    const char *ran_as = result->ran_as;
    snprintf(title, sizeof title, "%s%s%s%s on %.80s", report->router->name,
             *ran_as == '\0' ? "" : " (run as ", ran_as, *ran_as == '\0' ? "" : ")",
             page_file_name(report->instance->name));
    char *text = page_figures(result, is_free);
    facts.figures = text;
    if (text == NULL)
        fail_memory(failure, "the page of the run");
    else
        page_output_end(&page->output, &facts, failure);
    free(text);
    return failure->kind;
}

/* ---- the run ---- */

static bool is_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

/* Returns the option whose file is standard output, so that the report goes to standard error; NULL: none. */
static const char *option_of_output(const struct route_options *options)
{
    return is_output(options->trace) ? "--trace" : is_output(options->view.page) ? "--view" : NULL;
}

/* True if there is a report or a page, which both tell the lower bound. */
static bool tells_bound(const struct route_options *options)
{
    return options->view.page != NULL || report_form_is_data(options->run.form) ||
           option_of_output(options) == NULL || !options->run.quiet;
}

/* Everything that can be said before the set is read. */
static enum failure_kind check_options(const struct route_options *options,
                                       const struct router **router, struct run_outputs *outputs,
                                       struct failure *failure)
{
    *outputs = (struct run_outputs){.trace = options->trace};
    if (report_form_check(options->run.form, option_of_output(options),
                          is_output(options->trace) ? "the trace" : "the page",
                          failure) != FAIL_NONE)
        return failure->kind;
    if (is_output(options->trace) && is_output(options->view.page))
        return fail(failure, FAIL_USAGE, "only one of --trace and --view can be standard output");
    if (options->use.table_limit > 0 && !options->use.tables)
        return fail(failure, FAIL_USAGE, "--table-limit goes with --tables");
    if (options->run.reduces && options->use.tables)
        return fail(failure, FAIL_USAGE, "--tables is for multicasts, without --reduce");
    if (run_find_router(options->router, router, failure) != FAIL_NONE)
        return failure->kind;
    return take_view(&options->view, &outputs->view, failure);
}

/* Before the first step. */
static void tell_promise(void *context, uint64_t steps, const char *sets)
{
    const struct run_report *report = context;
    if (!report->options->quiet)
        fprintf(stderr, "router %s: at most %" PRIu64 " steps, proven for %s\n",
                report->router->name, steps, sets);
}

static void tell_expected(void *context, uint64_t steps)
{
    const struct run_report *report = context;
    if (!report->options->quiet)
        fprintf(stderr,
                "router %s: visits of up to %" PRIu64 " steps, and what goes on beside them\n",
                report->router->name, steps);
}

static void run_router(const struct route_options *route, const struct operands *operands,
                       const struct message_set *shown, struct run_report *report,
                       struct run_outputs *outputs, const struct machine_observer *observer)
{
    struct run_page page = {
        .options = route, .set = shown, .report = report, .line = operands->line};
    const struct run_taker taker = {&page, begin_page, end_page, &page.output.file};
    struct progress progress;
    struct router_options options = run_options_for_router(report->options);
    options.ranks = operands->ranks;
    options.observer = observer;
    options.progress = progress_update;
    options.progress_context = &progress;
    options.promised = tell_promise;
    options.promised_context = report;
    options.expected = tell_expected;
    outputs->taker = route->view.page == NULL ? NULL : &taker;
    progress_begin(&progress, report->router->name, report->options->quiet);
    run_with_files(report->router, &report->instance->set, &options, outputs, &report->result,
                   &report->failure);
    progress_end(&progress);
    page_output_free(&page.output);
    outputs->taker = NULL;
    report_refused_threads(report->result.threads, report->result.threads_refused,
                           report->options->quiet);
}

static enum failure_kind print_report(const struct route_options *options,
                                      const struct run_report *report, const struct use_report *use,
                                      struct failure *failure)
{
    FILE *out = option_of_output(options) != NULL ? stderr : stdout;
    if (report_form_is_data(options->run.form)) {
        json_t *json = report_route_json(report);
        if (json != NULL && use != NULL && !use_report_add(use, json)) {
            json_decref(json);
            json = NULL;
        }
        return report_print_data(options->run.form, json, NULL, failure);
    }
    if (out == stderr && options->run.quiet)
        return FAIL_NONE;
    report_print_route(report, out);
    if (use != NULL)
        use_report_print(use, out);
    return FAIL_NONE;
}

/* Reports what the run has come to, and what of the use of nodes and links was asked for. */
static void tell(const struct route_options *options, const struct run_report *report,
                 struct tree_use *use, struct failure *failure)
{
    struct use_report found = {.links = 0};
    bool is_wanted = use->load != NULL;
    if (run_has_figures(&report->failure) &&
        (!is_wanted || use_report_make(&found, &options->use, use, failure) == FAIL_NONE))
        print_report(options, report, is_wanted ? &found : NULL, failure);
    use_report_free(&found);
}

static enum failure_kind check_overwriting(const struct route_options *options, const char *set,
                                           struct failure *failure)
{
    const char *const file[] = {options->trace, options->view.heatmap, options->view.timeline,
                                options->view.page};
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        if (file[i] == NULL)
            continue;
        if (path_is_same_file(set, file[i]))
            return fail(failure, FAIL_USAGE, "%s would overwrite the set %s",
                        i == 0 ? "the trace" : "a file that shows the run", set);
        if (run_options_read(&options->run, file[i]))
            return fail(failure, FAIL_USAGE, "%s would be overwritten, which a parameter names",
                        file[i]);
        if (path_is_standard_output(file[i]))
            return fail(
                failure, FAIL_USAGE,
                "standard output goes to that file; --trace, --heatmap, --timeline and --view must "
                "name others");
    }
    return FAIL_NONE;
}

/* Sets *whole to the set that the page of the run shows, or leaves it empty if the page shows the instance's set. */
static enum failure_kind find_shown(const struct route_options *route,
                                    const struct instance *instance, struct ranks *ranks,
                                    uint64_t limit, struct message_set *whole,
                                    struct failure *failure)
{
    *whole = (struct message_set){0};
    if (route->view.page == NULL || ranks_size(ranks) == 1)
        return FAIL_NONE;
    return message_set_collect(whole, &instance->set, ranks, limit, failure);
}

/* Of several ranks the first one writes what there is to write. */
static void leave_to_first(const struct ranks *ranks, struct route_options *route,
                           struct run_outputs *outputs)
{
    if (ranks_rank(ranks) == 0)
        return;
    outputs->trace = NULL;
    outputs->view = (struct view_request){0};
    route->view = (struct view_options){0};
    route->use = (struct use_options){0};
}

/* Runs on the report's set. A page shows `whole`, if that is not empty. */
static enum failure_kind run_set(const struct route_options *route, const struct operands *operands,
                                 const struct message_set *whole, struct run_report *report,
                                 struct run_outputs *outputs, struct memory_need need,
                                 struct failure *failure)
{
    const struct instance *instance = report->instance;
    const struct message_set *shown = whole->offset != NULL ? whole : &instance->set;
    struct router_options router = run_options_for_router(report->options);
    struct tree_use use = {.keys = 0};
    router.ranks = operands->ranks;
    if ((route->use.tables || route->use.top_links > 0) &&
        tree_use_make(&use, instance->set.mesh, need.limit, failure) == FAIL_NONE)
        router.observer = &use.observer;
    if (failure->kind == FAIL_NONE &&
        run_check_memory(report->router, instance, &router, outputs, need, failure) == FAIL_NONE) {
        run_router(route, operands, shown, report, outputs, router.observer);
        tell(route, report, &use, failure);
        if (failure->kind == FAIL_NONE)
            *failure = report->failure;
    }
    tree_use_free(&use);
    return failure->kind;
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    struct route_options *route = options;
    struct instance instance;
    struct message_set whole;
    struct run_outputs outputs;
    struct ranks *ranks = operands->ranks;
    struct memory_need need = memory_need_of_run(ranks, route->run.force);
    struct run_report report = {.instance = &instance, .options = &route->run};
    if (check_options(route, &report.router, &outputs, failure) != FAIL_NONE ||
        instance_read(&instance, operands->operand[0], ranks, need.limit, failure) != FAIL_NONE)
        return failure->kind;
    report_cut_set(&instance.set, operands->operand[0]);
    outputs.set_name = page_file_name(instance.name);
    if (ranks_check_count(ranks, instance.set.mesh.rows, "rows of the mesh", failure) ==
            FAIL_NONE &&
        check_overwriting(route, operands->operand[0], failure) == FAIL_NONE &&
        (!tells_bound(route) ||
         instance_bound(&instance, BOUNDS_LARGEST, ranks, need.limit, failure) == FAIL_NONE) &&
        find_shown(route, &instance, ranks, need.limit, &whole, failure) == FAIL_NONE) {
        leave_to_first(ranks, route, &outputs);
        run_set(route, operands, &whole, &report, &outputs, need, failure);
        message_set_free(&whole);
    }
    instance_free(&instance);
    return failure->kind;
}

const struct command command_route = {
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
    .options_size = sizeof(struct route_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0},
                {run_congestion_row, 1, offsetof(struct route_options, run)},
                {run_reduce_row, 1, offsetof(struct route_options, run)},
                {view_rows, sizeof view_rows / sizeof *view_rows,
                 offsetof(struct route_options, view)},
                {run_option_row, RUN_OPTION_ROWS, offsetof(struct route_options, run)}},
    .offer_parameters = completion_offer_router_parameters,
    .topics = "'meshcast help routers'",
    .runs_on_ranks = true,
    .run = run,
};
