/* command_load.c - the command `load`: latency against load, destinations, or length, in an open loop.
 *
 * The points are the cross product of schemes, lengths, numbers of destinations and rates. All are checked before the first
 * one runs. The row of a point that ends in a deadlock, or fails another check, says so; the other points still run, and the
 * status is 1. An interrupt ends the point under way and reports what there is, marked as partial.
 *
 * With --db every point that is whole is stored, also one that failed a check, which it would do again; one that is there
 * already is not run again.
 */
#include "base/stopwatch.h"
#include "library/command_set.h"
#include "library/commands.h"
#include "library/load_traffic.h"
#include "library/network_options.h"
#include "library/option_table.h"
#include "library/plot_file.h"
#include "library/report_load.h"
#include "network/best.h"
#include "network/open_loop.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 4096, DEFAULT_ORDER = 2 };

/* Indices of arrivals_names. */
enum { ARRIVALS_GEOMETRIC, ARRIVALS_NEGATIVE_BINOMIAL };

static const char *const arrivals_names[] = {"geometric", "negative-binomial", NULL};

/* A list with `count` 0 was not given. */
struct rate_list {
    uint32_t count;
    double value[NETWORK_LIST_MAX];
};
struct destinations_list {
    uint32_t count, value[NETWORK_LIST_MAX];
};
struct flits_list {
    uint32_t count;
    struct flits_range value[NETWORK_LIST_MAX];
};

/* A zeroed one holds every default. */
struct load_command {
    const char *topology, *pattern, *set, *plot, *database;
    struct scheme_list schemes;
    struct rate_list rates;
    struct destinations_list destinations;
    struct flits_list flits;
    double multicast_share; /* 0: not given */
    uint32_t arrivals, order;
    uint32_t warmup, measured, runs; /* 0: the default */
    bool is_finite, is_patient;
    struct network_options network;
};

/* ---- options ---- */

/* Reads a number above 0 and up to 1. False: `text` is no such number. */
static bool read_fraction(const char *text, double *fraction)
{
    char *end = NULL;
    if (*text == '\0' || strspn(text, "0123456789.eE-+") < strlen(text))
        return false;
    *fraction = strtod(text, &end);
    return *end == '\0' && *fraction > 0 && *fraction <= 1;
}

static int accept_share(void *field, char *value, struct failure *failure)
{
    if (read_fraction(value, field))
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "--multicast-share takes the share of messages that are multicasts, above 0 and up "
                "to 1, such as 0.1, not '%.40s'",
                value);
}

static enum failure_kind add_rate(void *field, const char *text, struct failure *failure)
{
    struct rate_list *list = field;
    double rate;
    if (!read_fraction(text, &rate))
        return fail(failure, FAIL_USAGE,
                    "--rate takes messages per node and cycle, above 0 and up to 1, such as 0.01, "
                    "not '%.40s'",
                    text);
    if (option_check_room(list->value, list->count, &rate, sizeof rate, text, failure) == FAIL_NONE)
        list->value[list->count++] = rate;
    return failure->kind;
}

static int accept_rates(void *field, char *value, struct failure *failure)
{
    ((struct rate_list *)field)->count = 0;
    return option_for_elements(field, value, add_rate, failure);
}

static enum failure_kind add_destinations(void *field, const char *text, struct failure *failure)
{
    struct destinations_list *list = field;
    const char *end;
    uint32_t number = option_scan_number(text, TOPOLOGY_MAX_NODES, &end);
    if (number == 0 || *end != '\0')
        return fail(failure, FAIL_USAGE,
                    "--destinations takes numbers of nodes from 1 to %d, not '%.40s'",
                    TOPOLOGY_MAX_NODES, text);
    if (option_check_room(list->value, list->count, &number, sizeof number, text, failure) ==
        FAIL_NONE)
        list->value[list->count++] = number;
    return failure->kind;
}

static int accept_destinations(void *field, char *value, struct failure *failure)
{
    ((struct destinations_list *)field)->count = 0;
    return option_for_elements(field, value, add_destinations, failure);
}

static enum failure_kind add_flits(void *field, const char *text, struct failure *failure)
{
    struct flits_list *list = field;
    struct flits_range range;
    if (flits_range_read(text, &range, failure) == FAIL_NONE &&
        option_check_room(list->value, list->count, &range, sizeof range, text, failure) ==
            FAIL_NONE)
        list->value[list->count++] = range;
    return failure->kind;
}

static int accept_flits_list(void *field, char *value, struct failure *failure)
{
    ((struct flits_list *)field)->count = 0;
    return option_for_elements(field, value, add_flits, failure);
}

static const struct meshcast_option rows[] = {
    OPTION_TOPOLOGY(COMMON, struct load_command, topology,
                    "mesh:16x16, torus:8x8x8 (1 to 8 dimensions, the slowest first), or\n"
                    "graph:FILE (an edge list in which i and i + 1 are joined)"),
    OPTION_LIST("schemes", "scheme", "A,B,...", COMMON, struct load_command, schemes,
                accept_schemes, &scheme_names, "how messages are sent: 'meshcast help schemes'"),
    OPTION_OTHER("rate", "R,R,...", COMMON, struct load_command, rates, accept_rates,
                 "messages that a node makes per cycle; above 0 and up to 1"),
    OPTION_OTHER("destinations", "K,K,...", COMMON, struct load_command, destinations,
                 accept_destinations, "destinations per message; the default is 1"),
    OPTION_OTHER(
        "multicast-share", "P", COMMON, struct load_command, multicast_share, accept_share,
        "the share of messages that are multicasts; these have --destinations, the\nothers "
        "one; the default is 1"),
    OPTION_OTHER("flits", "L|A:B,...", COMMON, struct load_command, flits, accept_flits_list,
                 "lengths of messages (header included), or ranges from which each is drawn;\nthe "
                 "default is 1"),
    OPTION_NAME("pattern", NULL, "P", RARE, struct load_command, pattern, &load_pattern_names,
                "uniform (the default: all other nodes are as likely), or a permutation of\n"
                "'meshcast kernel': random, transpose, ..; 'meshcast kernel --help' has them all"),
    OPTION_INPUT("set", "SET", COMMON, struct load_command, set,
                 "nodes draw each message from their own in this set"),
    OPTION_CHOICE("arrivals", "NAME", RARE, struct load_command, arrivals, arrivals_names,
                  "times between a node's messages: geometric (the default), or\n"
                  "negative-binomial, the sum of several geometric ones, which is steadier"),
    OPTION_NUMBER("order", "R", RARE, struct load_command, order, 1, OPEN_LOOP_MAX_ORDER,
                  "of negative-binomial arrivals, how many; the default is 2"),
    OPTION_NUMBER("warmup", "W", RARE, struct load_command, warmup, 1, OPEN_LOOP_MAX_MESSAGES,
                  "messages before those that are measured; the default is those of 50 zero-load\n"
                  "latencies, and at least 4 per node and 1000"),
    OPTION_NUMBER("measure", "M", RARE, struct load_command, measured, OPEN_LOOP_BATCHES,
                  OPEN_LOOP_MAX_MESSAGES,
                  "messages that are measured in a run; the default is those of 400 zero-load\n"
                  "latencies, and at least 16 per node and 10000"),
    OPTION_NUMBER("runs", "N", RARE, struct load_command, runs, 1, 1000,
                  "runs repeat until the mean is known within 5 %, but N times at most; the\n"
                  "default is 20"),
    OPTION_FLAG("finite", RARE, struct load_command, is_finite,
                "no messages arrive behind the measured ones; so a run ends at any load"),
    OPTION_FLAG("until-done", RARE, struct load_command, is_patient,
                "do not stop a run that is saturated; it ends when all measured messages are\n"
                "delivered, which may never happen: some can wait forever behind newer ones"),
    OPTION_OUTPUT("plot", "FILE", 0, RARE, struct load_command, plot,
                  "latency against what varies, with its confidence: a picture (.png, .svg,\n"
                  ".pdf) or the rows of --csv (.csv)"),
    OPTION_INPUT("db", "FILE", RARE, struct load_command, database,
                 "store the points in this database, and take from it those that are there"),
};

/* All that a run needs. */
struct load_run {
    struct meshcast_command *command;
    const struct load_command *options;
    struct topology topology;
    struct load_traffic traffic;
    struct network_settings settings;
    struct load_point *point;
    struct load_report report;
    struct network_watch watch;
    struct failure check; /* of the first point that failed a check, .. */
    uint32_t failed;      /* .. of so many */
    char name[80];        /* of the point under way */
};

/* ---- before the first point ---- */

/* True if nodes draw their messages from a set. */
static bool has_set(const struct load_run *run)
{
    return run->options->set != NULL || run->command->set[0] != NULL;
}

static enum failure_kind check_options(const struct load_run *run, struct failure *failure)
{
    const struct load_command *options = run->options;
    if (options->topology == NULL && run->command->topology == NULL)
        return fail(failure, FAIL_USAGE, "missing --topology, such as mesh:16x16");
    if (options->schemes.count == 0)
        return scheme_missing(failure);
    if (options->rates.count == 0)
        return fail(failure, FAIL_USAGE,
                    "missing --rate R,R,..: messages per node and cycle, such as 0.01,0.02");
    if (options->pattern != NULL && has_set(run))
        return fail(failure, FAIL_USAGE, "--pattern and --set exclude each other");
    if (options->destinations.count > 0 &&
        (has_set(run) || (options->pattern != NULL && strcmp(options->pattern, "uniform") != 0)))
        return fail(
            failure, FAIL_USAGE,
            "--destinations goes with uniform traffic; the pattern or set says them already");
    if (options->multicast_share > 0 && options->destinations.count == 0)
        return fail(failure, FAIL_USAGE,
                    "--multicast-share goes with --destinations, how many a multicast has");
    if (options->order > 0 && options->arrivals == ARRIVALS_GEOMETRIC)
        return fail(failure, FAIL_USAGE, "--order goes with --arrivals negative-binomial");
    if (network_options_check(&options->network, failure) != FAIL_NONE)
        return FAIL_USAGE;
    if (options->is_finite && options->is_patient)
        return fail(failure, FAIL_USAGE, "--finite and --until-done exclude each other");
    return scheme_parameters_check(&options->network.parameters, options->schemes.value,
                                   options->schemes.count, failure);
}

/* Returns how many geometric times make one between messages. */
static uint32_t order_of(const struct load_command *options)
{
    if (options->arrivals == ARRIVALS_GEOMETRIC)
        return 1;
    return options->order > 0 ? options->order : DEFAULT_ORDER;
}

static void fill_report(struct load_run *run)
{
    const struct load_command *options = run->options;
    struct load_report *report = &run->report;
    report->network = (struct network_report){&run->topology, &run->settings, &options->network};
    report->traffic = run->traffic.name;
    if (run->traffic.is_uniform)
        report->multicast_share = options->multicast_share > 0 ? options->multicast_share : 1;
    report->arrivals = arrivals_names[options->arrivals];
    report->order = order_of(options);
    report->warmup = options->warmup;
    report->measured = options->measured;
    report->is_finite = options->is_finite;
    report->point = run->point;
}

static struct open_loop loop_of(const struct load_run *run, const struct load_point *point)
{
    const struct load_command *options = run->options;
    struct open_loop loop = {
        .topology = &run->topology,
        .scheme = point->scheme,
        .choices = point->choices,
        .settings = run->settings,
        .rate = point->rate,
        .order = run->report.order,
        .destinations = point->destinations,
        .multicast_share = options->multicast_share,
        .lists = run->traffic.is_uniform ? NULL : &run->traffic.lists,
        .least_flits = point->flits.least,
        .most_flits = point->flits.most,
        .warmup = point->warmup,
        .measured = point->measured,
        .is_finite = options->is_finite,
        .is_patient = options->is_patient,
        .precision = LOAD_PRECISION,
        .most_runs = options->runs > 0 ? options->runs : LOAD_DEFAULT_RUNS,
        .seed = options->network.seed,
    };
    best_stand_in(&loop);
    return loop;
}

static enum failure_kind make_traffic(struct load_run *run, struct failure *failure)
{
    const struct load_command *options = run->options;
    struct command_traffic traffic = {.is_given = true};
    struct traffic_choice choice = {.pattern = options->pattern, .seed = options->network.seed};
    if (has_set(run)) {
        if (command_read_traffic_file(run->command, 0, options->set, &traffic, failure) !=
            FAIL_NONE)
            return failure->kind;
        choice.set = &traffic.set;
        choice.set_name = traffic.name;
    }
    load_traffic_make(&run->traffic, &run->topology, &choice, failure);
    command_traffic_free(&traffic);
    return failure->kind;
}

/* Fills the points with what is asked. */
static enum failure_kind make_points(struct load_run *run, struct failure *failure)
{
    const struct load_command *options = run->options;
    const struct flits_range one_flit = {1, 1};
    uint32_t lengths = options->flits.count > 0 ? options->flits.count : 1;
    uint32_t counts = options->destinations.count > 0 ? options->destinations.count : 1;
    uint64_t all = (uint64_t)options->schemes.count * lengths * counts * options->rates.count;
    if (all > MOST_POINTS)
        return fail(failure, FAIL_USAGE, "%" PRIu64 " points are more than %d; give shorter lists",
                    all, MOST_POINTS);
    run->point = memory_allocate(all, sizeof *run->point);
    if (run->point == NULL)
        return fail_memory(failure, "the points");
    for (uint64_t i = 0; i < all; i++) {
        struct load_point *point = &run->point[i];
        uint64_t rest = i / options->rates.count;
        point->rate = options->rates.value[i % options->rates.count];
        point->destinations = !run->traffic.is_uniform ? run->traffic.destinations
                              : options->destinations.count > 0
                                  ? options->destinations.value[rest % counts]
                                  : 1;
        rest /= counts;
        point->flits = options->flits.count > 0 ? options->flits.value[rest % lengths] : one_flit;
        point->scheme = options->schemes.value[rest / lengths];
        if (scheme_parameters_choose(&options->network.parameters, point->scheme, &point->choices,
                                     failure) != FAIL_NONE)
            return failure->kind;
    }
    run->report.points = (uint32_t)all;
    return FAIL_NONE;
}

/* Sets the messages of a run. Points that differ in their rates alone have one pace. */
static enum failure_kind set_length(const struct load_run *run, struct load_point *point,
                                    struct failure *failure)
{
    const struct load_command *options = run->options;
    struct open_loop loop = loop_of(run, point);
    bool is_first = (point - run->point) % options->rates.count == 0;
    if (options->warmup > 0 && options->measured > 0)
        return FAIL_NONE;
    if (!is_first)
        point->pace = point[-1].pace;
    else if (open_loop_pace_of(&loop, &point->pace, failure) != FAIL_NONE)
        return failure->kind;
    if (options->warmup == 0)
        point->warmup = open_loop_warmup(&loop, &point->pace);
    if (options->measured == 0)
        point->measured = open_loop_measured(&loop, &point->pace);
    return FAIL_NONE;
}

static enum failure_kind check_point(const struct load_run *run, struct load_point *point,
                                     struct failure *failure)
{
    const struct load_command *options = run->options;
    const struct open_loop_pace none = {0};
    struct open_loop loop = loop_of(run, point);
    loop.warmup = options->warmup > 0 ? options->warmup : open_loop_warmup(&loop, &none);
    loop.measured = options->measured > 0 ? options->measured : open_loop_measured(&loop, &none);
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
    return set_length(run, point, failure);
}

static enum failure_kind check_points(struct load_run *run, struct failure *failure)
{
    for (uint32_t i = 0; i < run->report.points; i++)
        if (check_point(run, &run->point[i], failure) != FAIL_NONE)
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
        (json_int_t)run->options->runs, "until_done", run->options->is_patient);
    char *text = value == NULL ? NULL : json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(value);
    return text;
}

/* Takes a point from the database if it is there. */
static enum failure_kind find_point(const struct load_run *run, struct load_point *point,
                                    struct failure *failure)
{
    const char *path = run->options->database;
    char *text = NULL, *identity = identity_of(run, point);
    if (identity == NULL)
        return fail_memory(failure, "the name of a point");
    if (command_store()->find(path, identity, &text, failure) == FAIL_NONE && text != NULL) {
        json_t *figures = json_loads(text, 0, NULL);
        if (figures == NULL)
            fail(failure, FAIL_INPUT,
                 "%.200s is damaged: the figures of '%.60s' are no JSON object", path, identity);
        else if (!report_load_point_read(point, figures))
            fail_memory(failure, "a point of the database");
        point->is_stored = true;
        json_decref(figures);
    }
    free(text);
    free(identity);
    return failure->kind;
}

/* Makes the database ready for points, and takes those that are there. */
static enum failure_kind find_points(struct load_run *run, struct failure *failure)
{
    bool is_stored = run->options->database != NULL;
    if (is_stored && command_store() == NULL)
        return fail(failure, FAIL_USAGE, "--db is an option of the program, which keeps points");
    for (uint32_t i = 0; is_stored && i < run->report.points; i++)
        if (find_point(run, &run->point[i], failure) != FAIL_NONE)
            return failure->kind;
    return FAIL_NONE;
}

static enum failure_kind store(struct load_run *run, const struct load_point *point,
                               struct failure *failure)
{
    char *text = NULL, *identity = identity_of(run, point);
    json_t *figures = report_load_settings_json(&run->report);
    json_t *own = report_load_point_json(point);
    if (json_object_update(figures, own) == 0)
        text = json_dumps(figures, JSON_COMPACT | JSON_SORT_KEYS);
    if (identity == NULL || text == NULL)
        fail_memory(failure, "a row of the database");
    else
        command_store()->add(run->options->database, identity,
                             json_string_value(json_object_get(figures, "outcome")), text, failure);
    json_decref(own);
    json_decref(figures);
    free(text);
    free(identity);
    return failure->kind;
}

/* ---- the points ---- */

static enum failure_kind run_point(struct load_run *run, struct load_point *point,
                                   struct failure *failure)
{
    struct open_loop loop = loop_of(run, point);
    snprintf(run->name, sizeof run->name, "%s, rate %g", point->scheme->name, point->rate);
    run->watch = (struct network_watch){run->command, run->name};
    command_progress(run->command, 0, point->measured, run->name);
    loop.watcher = network_options_watch;
    loop.watcher_context = &run->watch;
    loop.scheme = point->scheme;
    loop.choices = point->choices;
    best_run_open_loop(&loop, &point->result, &point->failure);
    if (loop.scheme != point->scheme)
        snprintf(point->best, sizeof point->best, "%s", loop.scheme->name);
    if (point->failure.kind != FAIL_NONE && point->failure.kind != FAIL_CHECK) {
        *failure = point->failure;
        return failure->kind;
    }
    run->report.is_partial = point->result.is_partial;
    if (run->options->database != NULL && !point->result.is_partial)
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

/* Runs the points, with a row of the table after each. */
static enum failure_kind run_points(struct load_run *run, FILE *table, struct failure *failure)
{
    uint32_t all = run->report.points;
    double start = stopwatch_seconds();
    report_print_load_head(&run->report, table);
    fflush(table);
    for (run->report.points = 0; run->report.points < all; run->report.points++) {
        struct load_point *point = &run->point[run->report.points];
        run->report.is_partial |= interrupt_is_sent(run->command->interrupt);
        if (run->report.is_partial)
            break;
        if (!point->is_stored && run_point(run, point, failure) != FAIL_NONE)
            return failure->kind;
        note_check(run, point);
        command_progress(run->command, 0, 0, NULL);
        report_print_load_row(point, table);
        fflush(table);
    }
    run->report.seconds = stopwatch_seconds() - start;
    report_print_load_legend(&run->report, table);
    return FAIL_NONE;
}

/* ---- the command ---- */

static void fill_chart(const void *context, struct chart *chart)
{
    report_load_fill_chart(context, chart);
}

static json_t *rows_of(const void *context)
{
    return report_load_rows(context);
}

static enum failure_kind run_all(struct load_run *run, struct meshcast_report *report,
                                 struct failure *failure)
{
    struct plot_file plot = {run->options->plot, fill_chart, rows_of, &run->report};
    if (check_points(run, failure) != FAIL_NONE ||
        plot_file_check(run->options->plot, failure) != FAIL_NONE ||
        find_points(run, failure) != FAIL_NONE ||
        run_points(run, command_table(report), failure) != FAIL_NONE ||
        report_take_json(report, report_load_json(&run->report), NULL, failure) != FAIL_NONE ||
        report_take_csv(report, report_load_rows(&run->report), failure) != FAIL_NONE ||
        plot_file_write(&plot, failure) != FAIL_NONE)
        return failure->kind;
    if (run->failed > 1)
        return fail(failure, FAIL_CHECK,
                    "%" PRIu32 " of %" PRIu32 " points failed; the first, %.400s", run->failed,
                    run->report.points, run->check.text);
    *failure = run->check;
    return failure->kind != FAIL_NONE ? failure->kind
                                      : interrupt_check(run->command->interrupt, failure);
}

static void load_run_free(struct load_run *run)
{
    for (uint32_t i = 0; run->point != NULL && i < run->report.points; i++)
        open_loop_free(&run->point[i].result);
    free(run->point);
    load_traffic_free(&run->traffic);
    command_topology_free(run->command, &run->topology);
}

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    const struct load_command *options = command->options;
    struct load_run load = {.command = command, .options = options};
    if (check_options(&load, failure) != FAIL_NONE ||
        command_read_topology(command, options->topology, &load.topology, failure) != FAIL_NONE)
        return failure->kind;
    load.settings = network_options_settings(&options->network, &load.topology);
    if (make_traffic(&load, failure) == FAIL_NONE && make_points(&load, failure) == FAIL_NONE) {
        fill_report(&load);
        run_all(&load, report, failure);
    }
    load_run_free(&load);
    return failure->kind;
}

const struct meshcast_command_row command_load = {
    .name = "load",
    .summary = "latency on the network against load, destinations or length",
    .examples = "  meshcast load --topology mesh:8x8 --scheme unicast --rate 0.05,0.1,0.2,0.3\n"
                "  meshcast load --topology mesh:8x8 --scheme dual,u-mesh --destinations 8 \\\n"
                "      --multicast-share 0.1 --rate 0.02,0.03,0.04 --plot latency.svg\n"
                "  meshcast load --topology torus:8x8 --scheme unicast --vcs 2 --rate 0.1 --json\n"
                "  meshcast load --topology mesh:16x16 --scheme unicast --pattern transpose \\\n"
                "      --rate 0.1 --db load.db\n",
    .synopsis = "--topology T --schemes A,.. --rate R,.. [options]",
    .operands = "no operands",
    .least = 0,
    .most = 0,
    .options_size = sizeof(struct load_command),
    .options = {{rows, sizeof rows / sizeof rows[0], 0},
                {network_option_row, NETWORK_OPTION_ROWS, offsetof(struct load_command, network)}},
    .offer_parameters = scheme_offer_parameters,
    .topics = "'meshcast help schemes'",
    .ends_early = true,
    .run = run,
};
