/* command_load.c - `meshcast load`: latency against load, destinations, or length, in an open loop.
 *
 * The points are the cross product of schemes, lengths, numbers of destinations and rates. All are checked
 * before the first one runs. The row of a point that ends in a deadlock, or fails another check, says so;
 * the other points still run, and the status is 1. The first Ctrl-C ends the point under way and reports
 * what there is, marked as partial; the program then dies of the signal.
 *
 * With --db every point that is whole is stored, also one that failed a check, which it would do again; one
 * that is there already is not run again.
 */
#include "base/stopwatch.h"
#include "cli/command.h"
#include "cli/load_options.h"
#include "cli/network_options.h"
#include "cli/report_load.h"
#include "console/interruption.h"
#include "console/progress.h"
#include "lab/results_database.h"
#include "library/available_memory.h"
#include "library/load_traffic.h"
#include "library/plot_file.h"
#include "library/report.h"
#include "network/best.h"
#include "network/capacity.h"
#include "network/open_loop.h"
#include "workloads/message_set.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_POINTS = 4096 };

/* All that a run of the command needs. */
struct load_run {
    const struct load_options *command;
    struct topology topology;
    struct load_traffic traffic;
    struct network_settings settings;
    struct stat database; /* the file, once it was opened */
    struct load_point *point;
    struct load_report report;
    struct progress progress;
    struct failure check; /* of the first point that failed a check, .. */
    uint32_t failed;      /* .. of so many */
    char name[80];        /* of the point under way */
};

/* ---- before the first point ---- */

static void fill_report(struct load_run *run)
{
    const struct load_options *command = run->command;
    struct load_report *report = &run->report;
    report->network = (struct network_report){&run->topology, &run->settings, &command->network};
    report->traffic = run->traffic.name;
    if (run->traffic.is_uniform)
        report->multicast_share = command->multicast_share > 0 ? command->multicast_share : 1;
    report->arrivals = load_arrivals_names[command->arrivals];
    report->order = load_options_order(command);
    report->warmup = command->warmup;
    report->measured = command->measured;
    report->is_finite = command->is_finite;
    report->point = run->point;
}

static struct open_loop loop_of(const struct load_run *run, const struct load_point *point)
{
    const struct load_options *command = run->command;
    struct open_loop loop = {
        .topology = &run->topology,
        .scheme = point->scheme,
        .choices = point->choices,
        .settings = run->settings,
        .rate = point->rate,
        .order = run->report.order,
        .destinations = point->destinations,
        .multicast_share = command->multicast_share,
        .lists = run->traffic.is_uniform ? NULL : &run->traffic.lists,
        .least_flits = point->flits.least,
        .most_flits = point->flits.most,
        .warmup = point->warmup,
        .measured = point->measured,
        .is_finite = command->is_finite,
        .is_patient = command->is_patient,
        .precision = LOAD_PRECISION,
        .most_runs = command->runs > 0 ? command->runs : LOAD_DEFAULT_RUNS,
        .seed = command->network.seed,
        .growth_limit = point->growth_limit,
    };
    best_stand_in(&loop);
    return loop;
}

static enum failure_kind make_traffic(struct load_run *run, uint64_t limit, struct failure *failure)
{
    const struct load_options *command = run->command;
    struct message_set set = {.messages = 0};
    struct traffic_choice choice = {.pattern = command->pattern, .seed = command->network.seed};
    if (command->set != NULL) {
        if (message_set_read_within(&set, command->set, NULL, limit, failure) != FAIL_NONE ||
            message_set_leave_home(&set, failure) != FAIL_NONE) {
            message_set_free(&set);
            return failure->kind;
        }
        report_cut_set(&set, command->set);
        choice.set = &set;
        choice.set_name = command->set;
    }
    load_traffic_make(&run->traffic, &run->topology, &choice, failure);
    message_set_free(&set);
    return failure->kind;
}

/* Fills the points with what is asked. */
static enum failure_kind make_points(struct load_run *run, struct failure *failure)
{
    const struct load_options *command = run->command;
    const struct flits_range one_flit = {1, 1};
    uint32_t lengths = command->flits.count > 0 ? command->flits.count : 1;
    uint32_t counts = command->destinations.count > 0 ? command->destinations.count : 1;
    uint64_t all = (uint64_t)command->schemes.count * lengths * counts * command->rates.count;
    if (all > MOST_POINTS)
        return fail(failure, FAIL_USAGE, "%" PRIu64 " points are more than %d; give shorter lists",
                    all, MOST_POINTS);
    run->point = memory_allocate(all, sizeof *run->point);
    if (run->point == NULL)
        return fail_memory(failure, "the points");
    for (uint64_t i = 0; i < all; i++) {
        struct load_point *point = &run->point[i];
        uint64_t rest = i / command->rates.count;
        point->rate = command->rates.value[i % command->rates.count];
        point->destinations = !run->traffic.is_uniform ? run->traffic.destinations
                              : command->destinations.count > 0
                                  ? command->destinations.value[rest % counts]
                                  : 1;
        rest /= counts;
        point->flits = command->flits.count > 0 ? command->flits.value[rest % lengths] : one_flit;
        point->scheme = command->schemes.value[rest / lengths];
        if (scheme_parameters_choose(&command->network.parameters, point->scheme, &point->choices,
                                     failure) != FAIL_NONE)
            return failure->kind;
    }
    run->report.points = (uint32_t)all;
    return FAIL_NONE;
}

/* Returns how many bytes messages and latencies may take when messages pile up: what the estimate of all else leaves of the
 * limit, less a sixteenth of the limit, since then the lists of what is under way are full; but no less than was estimated
 * for them. */
static uint64_t growth_limit(const struct open_loop *loop, uint64_t bytes, uint64_t limit)
{
    uint64_t growth = open_loop_growth(loop), rest = bytes - growth, most = limit - limit / 16;
    if (limit == MEMORY_NO_LIMIT)
        return limit;
    return most > rest + growth ? most - rest : growth;
}

static enum failure_kind check_memory(const struct load_run *run, struct load_point *point,
                                      struct memory_need need, struct failure *failure)
{
    struct open_loop loop = loop_of(run, point);
    uint64_t bytes = load_traffic_footprint(&run->traffic, &run->topology) +
                     open_loop_footprint(&loop) +
                     scheme_footprint(point->scheme, &run->topology, point->destinations);
    point->growth_limit = growth_limit(&loop, bytes, need.limit);
    return scheme_check_memory(point->scheme, &run->topology, bytes, need, failure);
}

/* Sets the messages of a run. Points that differ in their rates alone have one pace. */
static enum failure_kind set_length(const struct load_run *run, struct load_point *point,
                                    struct failure *failure)
{
    const struct load_options *command = run->command;
    struct open_loop loop = loop_of(run, point);
    bool is_first = (point - run->point) % command->rates.count == 0;
    if (command->warmup > 0 && command->measured > 0)
        return FAIL_NONE;
    if (!is_first)
        point->pace = point[-1].pace;
    else if (open_loop_pace_of(&loop, &point->pace, failure) != FAIL_NONE)
        return failure->kind;
    if (command->warmup == 0)
        point->warmup = open_loop_warmup(&loop, &point->pace);
    if (command->measured == 0)
        point->measured = open_loop_measured(&loop, &point->pace);
    return FAIL_NONE;
}

static enum failure_kind check_point(const struct load_run *run, struct load_point *point,
                                     struct memory_need need, struct failure *failure)
{
    const struct load_options *command = run->command;
    const struct open_loop_pace none = {0};
    struct open_loop loop = loop_of(run, point);
    loop.warmup = command->warmup > 0 ? command->warmup : open_loop_warmup(&loop, &none);
    loop.measured = command->measured > 0 ? command->measured : open_loop_measured(&loop, &none);
    point->warmup = loop.warmup;
    point->measured = loop.measured;
    if (open_loop_check(&loop, failure) != FAIL_NONE)
        return failure->kind;
    if (capacity_of(&loop, &point->capacity, failure) != FAIL_NONE)
        return failure->kind;
    if (point->scheme->plan != NULL)
        point->routing_capacity = capacity_of_routing(&loop);
    if (loop.is_patient && loop.rate > point->capacity)
        return fail(
            failure, FAIL_USAGE,
            "--until-done with rate %g, which is above the capacity, %g messages per node and "
            "cycle: the run would not end; a lower rate or --finite would do",
            loop.rate, point->capacity);
    /* Twice: the pace takes memory, and may ask for more. */
    if (check_memory(run, point, need, failure) != FAIL_NONE ||
        set_length(run, point, failure) != FAIL_NONE)
        return failure->kind;
    return check_memory(run, point, need, failure);
}

static enum failure_kind check_points(struct load_run *run, struct memory_need need,
                                      struct failure *failure)
{
    for (uint32_t i = 0; i < run->report.points; i++)
        if (check_point(run, &run->point[i], need, failure) != FAIL_NONE)
            return failure->kind;
    return FAIL_NONE;
}

/* ---- the database ---- */

/* The text that tells a point from all others in the database; the caller frees. NULL: no memory. */
static char *identity_of(const struct load_run *run, const struct load_point *point)
{
    char flits[FLITS_TEXT];
    json_t *settings = report_load_settings_json(&run->report);
    json_t *value = json_pack(
        "{s:o, s:s, s:o, s:f, s:I, s:s, s:I, s:I, s:b}", "settings", settings, "scheme",
        point->scheme->name, "parameters", report_scheme_parameters(point->scheme, &point->choices),
        "rate", point->rate, "destinations", (json_int_t)point->destinations, "flits",
        flits_range_text(point->flits, flits), "lists", (json_int_t)run->traffic.hash, "runs",
        (json_int_t)run->command->runs, "until_done", run->command->is_patient);
    char *text = value == NULL ? NULL : json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(value);
    return text;
}

/* Opens the file for one use, since no signal ends the program while it is open; it must stay the same file. */
static enum failure_kind open_database(struct load_run *run, struct results_database *database,
                                       struct failure *failure)
{
    struct stat now;
    const char *path = run->command->database;
    bool is_there = stat(path, &now) == 0;
    if (run->database.st_ino != 0 &&
        (!is_there || now.st_dev != run->database.st_dev || now.st_ino != run->database.st_ino))
        return fail(failure, FAIL_SYSTEM, "%.200s was removed, renamed or replaced", path);
    if (results_open(database, path, RESULTS_WRITE, failure) == FAIL_NONE)
        stat(path, &run->database);
    return failure->kind;
}

/* Takes a point from the database if it is there. */
static enum failure_kind find_point(const struct load_run *run, struct results_database *database,
                                    struct load_point *point, struct failure *failure)
{
    json_t *figures = NULL;
    bool found;
    char *identity = identity_of(run, point);
    if (identity == NULL)
        return fail_memory(failure, "the name of a point");
    if (results_find(database, identity, &found, NULL, &figures, failure) == FAIL_NONE && found) {
        if (!report_load_point_read(point, figures))
            fail_memory(failure, "a point of the database");
        point->is_stored = true;
    }
    json_decref(figures);
    free(identity);
    return failure->kind;
}

/* Makes the database ready for points, and takes those that are there. */
static enum failure_kind find_points(struct load_run *run, struct failure *failure)
{
    struct results_database database;
    if (run->command->database == NULL)
        return FAIL_NONE;
    if (open_database(run, &database, failure) == FAIL_NONE)
        load_options_check_plot(run->command, failure);
    for (uint32_t i = 0; i < run->report.points && failure->kind == FAIL_NONE; i++)
        find_point(run, &database, &run->point[i], failure);
    results_close(&database);
    return failure->kind;
}

static enum failure_kind store(struct load_run *run, const struct load_point *point,
                               struct failure *failure)
{
    struct results_database database;
    char *identity = identity_of(run, point);
    json_t *figures = report_load_settings_json(&run->report);
    json_t *own = report_load_point_json(point);
    json_t *specification = identity == NULL ? NULL : json_loads(identity, 0, NULL);
    if (specification == NULL || figures == NULL || own == NULL ||
        json_object_update(figures, own) != 0)
        fail_memory(failure, "a row of the database");
    else if (open_database(run, &database, failure) == FAIL_NONE) {
        struct results_row row = {.key = identity,
                                  .kind = RESULTS_LOAD_POINT,
                                  .state = json_string_value(json_object_get(figures, "outcome")),
                                  .specification = specification,
                                  .figures = figures};
        results_add(&database, &row, failure);
        results_close(&database);
    }
    json_decref(own);
    json_decref(specification);
    json_decref(figures);
    free(identity);
    return failure->kind;
}

/* ---- the points ---- */

static enum failure_kind run_point(struct load_run *run, struct load_point *point,
                                   struct failure *failure)
{
    struct open_loop loop = loop_of(run, point);
    loop.watcher = network_options_watch;
    loop.watcher_context = &run->progress;
    snprintf(run->name, sizeof run->name, "%s, rate %g", point->scheme->name, point->rate);
    progress_begin(&run->progress, run->name, run->command->network.quiet);
    loop.scheme = point->scheme;
    loop.choices = point->choices;
    best_run_open_loop(&loop, &point->result, &point->failure);
    if (loop.scheme != point->scheme)
        snprintf(point->best, sizeof point->best, "%s", loop.scheme->name);
    progress_end(&run->progress);
    if (point->failure.kind != FAIL_NONE && point->failure.kind != FAIL_CHECK) {
        *failure = point->failure;
        return failure->kind;
    }
    run->report.is_partial = point->result.is_partial;
    if (run->command->database != NULL && !point->result.is_partial)
        store(run, point, failure);
    return failure->kind;
}

/* The status tells of points that failed a check, whether they ran now or are stored. */
static void note_check(struct load_run *run, const struct load_point *point)
{
    if (point->failure.kind == FAIL_CHECK && run->failed++ == 0)
        fail(&run->check, FAIL_CHECK, "%s, rate %g: %.400s", point->scheme->name, point->rate,
             point->failure.text);
}

static enum failure_kind run_points(struct load_run *run, struct failure *failure)
{
    uint32_t all = run->report.points;
    double start = stopwatch_seconds();
    struct report_form form = run->command->network.form;
    bool is_table = !report_form_is_data(form);
    if (is_table) {
        report_print_load_head(&run->report, stdout);
        fflush(stdout);
    }
    interruption_defer();
    for (run->report.points = 0; run->report.points < all; run->report.points++) {
        struct load_point *point = &run->point[run->report.points];
        run->report.is_partial |= interruption_noted() != 0;
        if (run->report.is_partial)
            break;
        if (!point->is_stored && run_point(run, point, failure) != FAIL_NONE)
            return failure->kind;
        note_check(run, point);
        if (is_table) {
            report_print_load_row(point, stdout);
            fflush(stdout);
        }
    }
    run->report.seconds = stopwatch_seconds() - start;
    if (is_table)
        report_print_load_legend(&run->report, stdout);
    else
        report_print_data(
            form, form.csv ? report_load_rows(&run->report) : report_load_json(&run->report), NULL,
            failure);
    return failure->kind;
}

/* ---- the command ---- */

static void fill_chart(const void *context, struct chart *chart)
{
    load_fill_chart(context, chart);
}

static json_t *rows_of(const void *context)
{
    return report_load_rows(context);
}

static enum failure_kind check_plot(const struct load_run *run, struct failure *failure)
{
    const struct load_options *command = run->command;
    if (command->plot == NULL || plot_file_check(command->plot, failure) != FAIL_NONE ||
        load_options_check_plot(command, failure) != FAIL_NONE)
        return failure->kind;
    return plot_file_try(command->plot, command->set, failure);
}

static void load_run_free(struct load_run *run)
{
    for (uint32_t i = 0; run->point != NULL && i < run->report.points; i++)
        open_loop_free(&run->point[i].result);
    free(run->point);
    load_traffic_free(&run->traffic);
    topology_free(&run->topology);
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    (void)operands;
    const struct load_options *command = options;
    struct load_run run = {.command = command};
    struct memory_need need = memory_need_of_run(NULL, command->network.force);
    struct plot_file plot = {command->plot, fill_chart, rows_of, &run.report};
    if (report_form_check(command->network.form, NULL, NULL, failure) != FAIL_NONE ||
        load_options_check(command, failure) != FAIL_NONE ||
        topology_parse(&run.topology, command->topology, failure) != FAIL_NONE)
        return failure->kind;
    run.settings = network_options_settings(&command->network, &run.topology);
    if (make_traffic(&run, need.limit, failure) == FAIL_NONE &&
        make_points(&run, failure) == FAIL_NONE) {
        fill_report(&run);
        if (check_points(&run, need, failure) == FAIL_NONE &&
            check_plot(&run, failure) == FAIL_NONE && find_points(&run, failure) == FAIL_NONE &&
            run_points(&run, failure) == FAIL_NONE)
            plot_file_write(&plot, failure);
    }
    uint32_t points = run.report.points;
    load_run_free(&run);
    if (failure->kind == FAIL_NONE && run.failed > 1)
        fail(failure, FAIL_CHECK, "%" PRIu32 " of %" PRIu32 " points failed; the first, %.400s",
             run.failed, points, run.check.text);
    else if (failure->kind == FAIL_NONE)
        *failure = run.check;
    return failure->kind;
}

const struct command command_load = {
    .name = "load",
    .summary = "latency on the network against load, destinations or length",
    .examples = "  meshcast load --topology mesh:8x8 --scheme unicast --rate 0.05,0.1,0.2,0.3\n"
                "  meshcast load --topology mesh:8x8 --scheme dual,u-mesh --destinations 8 \\\n"
                "      --multicast-share 0.1 --rate 0.02,0.03,0.04 --plot latency.svg\n"
                "  meshcast load --topology torus:8x8 --scheme unicast --vcs 2 --rate 0.1 --json\n"
                "  meshcast load --topology mesh:16x16 --scheme unicast --pattern transpose \\\n"
                "      --rate 0.1 --db load.db\n",
    .synopsis = "--topology T --scheme A,.. --rate R,.. [options]",
    .operands = "no operands",
    .least = 0,
    .most = 0,
    .options_size = sizeof(struct load_options),
    .options = {{load_option_row, LOAD_OPTION_ROWS, 0},
                {network_option_row, NETWORK_OPTION_ROWS, offsetof(struct load_options, network)}},
    .offer_parameters = completion_offer_scheme_parameters,
    .topics = "'meshcast help schemes'",
    .run = run,
};
