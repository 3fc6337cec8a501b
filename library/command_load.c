/* command_load.c - the command `load`: latency against load, destinations, or length, in an open loop.
 *
 * The points are the cross product of schemes, lengths, numbers of destinations and rates. All are checked before the first
 * one runs. The row of a point that ends in a deadlock, or fails another check, says so; the other points still run, and the
 * status is 1. An interrupt ends the point under way and reports what there is, marked as partial.
 *
 * With --db every point that is whole is stored, also one that failed a check, which it would do again; one that is there
 * already is not run again.
 *
 * A saturated point has no mean latency: it would grow with the time that is measured. A finite run has one, since
 * it ends. What was not measured is a dash, null, or an empty field.
 */
#include "base/printable.h"
#include "base/stopwatch.h"
#include "library/command_set.h"
#include "library/commands.h"
#include "library/load_traffic.h"
#include "library/network_options.h"
#include "library/option_table.h"
#include "library/plot_file.h"
#include "library/report_network.h"
#include "library/table.h"
#include "network/best.h"
#include "network/open_loop.h"

#include <inttypes.h>
#include <math.h>
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

static const struct meshcast_option option_rows[] = {
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
        "multicast-share", "P", RARE, struct load_command, multicast_share, accept_share,
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

/* A point of a curve. */
struct load_point {
    const struct scheme *scheme;
    struct scheme_choices choices;
    double rate, capacity;   /* capacity: an upper bound of the rate */
    double routing_capacity; /* one by the routing in use; 0: not known */
    uint32_t destinations;   /* 0: by lists */
    struct flits_range flits;
    struct open_loop_pace pace;
    uint64_t warmup, measured; /* messages of a run */
    bool is_stored;            /* it was in the database */
    json_t *json;              /* an object of `points`; NULL: it did not run yet */
};

/* All that a run needs. */
struct load_run {
    struct meshcast_command *command;
    const struct load_command *options;
    struct topology topology;
    struct load_traffic traffic;
    struct network_settings settings;
    struct load_point *point;
    uint32_t points;
    bool is_partial;
    double seconds;
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

/* Returns the share of messages that are multicasts; 0 of other traffic than uniform. */
static double multicast_share(const struct load_run *run)
{
    double share = run->options->multicast_share;
    return !run->traffic.is_uniform ? 0 : share > 0 ? share : 1;
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
        .order = order_of(options),
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
    run->points = (uint32_t)all;
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
    for (uint32_t i = 0; i < run->points; i++)
        if (check_point(run, &run->point[i], failure) != FAIL_NONE)
            return failure->kind;
    return FAIL_NONE;
}

/* ---- JSON ---- */

static void set_settings(struct report_object *object, const struct load_run *run)
{
    const struct load_command *options = run->options;
    double share = multicast_share(run);
    report_set(object, "meshcast", json_string(MESHCAST_VERSION));
    report_set_network(object, &run->topology, &run->settings);
    report_set(object, "traffic", report_json_text(run->traffic.name));
    report_set_real(object, "multicast_share", share > 0, share);
    report_set(object, "arrivals", json_string(arrivals_names[options->arrivals]));
    report_set_count(object, "order", order_of(options));
    report_set_nonzero(object, "warmup", options->warmup);
    report_set_nonzero(object, "measure", options->measured);
    report_set(object, "finite", json_boolean(options->is_finite));
    report_set_seed(object, options->network.seed);
}

/* Returns what was asked of all points, an object: with a point's, a row of the database. */
static json_t *settings_json(const struct load_run *run)
{
    struct report_object object = report_object_open();
    set_settings(&object, run);
    return report_object_close(&object);
}

/* Returns "measured", "saturated", "deadlock", "failed" (another check), or "-" if nothing was measured. */
static const char *outcome_of(const struct open_loop_result *result, bool has_latency,
                              const struct failure *failure)
{
    return result->waits > 0            ? "deadlock"
           : failure->kind != FAIL_NONE ? "failed"
           : result->is_saturated       ? "saturated"
           : result->is_partial         ? "interrupted"
           : has_latency                ? "measured"
                                        : "-";
}

/* Returns the object of a point with this result; `best`: the scheme that scheme best took, or NULL. */
static json_t *point_json(const struct load_point *point, const struct open_loop_result *result,
                          const char *best, const struct failure *failure)
{
    struct report_object object = report_object_open();
    bool has_latency =
        result->messages > 0 && isfinite(result->latency.half_width) && failure->kind == FAIL_NONE;
    report_set(&object, "scheme", json_string(point->scheme->name));
    report_set(&object, "parameters", report_scheme_parameters(point->scheme, &point->choices));
    report_set(&object, "rate", json_real(point->rate));
    report_set_nonzero(&object, "destinations", point->destinations);
    report_set(&object, "flits", report_flits_json(point->flits));
    report_set_real(&object, LATENCY, has_latency, result->latency.mean);
    report_set_real(&object, "half_width", has_latency, result->latency.half_width);
    report_set_latencies(&object, has_latency, &result->summary);
    report_set_real(&object, "accepted", result->accepted > 0, result->accepted);
    report_set(&object, "capacity", json_real(point->capacity));
    report_set_real(&object, "routing_capacity", point->routing_capacity > 0,
                    point->routing_capacity);
    report_set(&object, "saturated", json_boolean(result->is_saturated));
    report_set(&object, "rising", json_boolean(result->is_rising));
    report_set(&object, "outcome", json_string(outcome_of(result, has_latency, failure)));
    report_set_word(&object, "best", best);
    report_set(&object, "partial", json_boolean(result->is_partial));
    report_set_count(&object, "warmup", point->warmup);
    report_set_count(&object, "measure", point->measured);
    report_set_count(&object, "runs", result->runs);
    report_set_count(&object, "cycles", result->cycles);
    report_set_count(&object, "messages", result->messages);
    report_set_sent(&object, result->startups, result->crossings);
    report_set_peaks(&object, result->buffer_peak, result->unsent_peak);
    report_set(&object, "deadlock", report_deadlock_json(result->deadlock, result->waits));
    report_set_error(&object, failure);
    return report_object_close(&object);
}

/* Returns the rows of --csv and --plot FILE.csv: the points, each with the settings of all; NULL: no memory. */
static json_t *rows_json(const void *context)
{
    const struct load_run *run = context;
    json_t *array = json_array();
    for (uint32_t i = 0; i < run->points; i++) {
        json_t *row = settings_json(run);
        if (json_object_update(row, run->point[i].json) != 0) {
            json_decref(row);
            row = NULL;
        }
        report_append(&array, row);
    }
    return array;
}

static json_t *load_json(const struct load_run *run)
{
    struct report_object object = report_object_open();
    json_t *points = json_array();
    for (uint32_t i = 0; i < run->points; i++)
        report_append(&points, json_incref(run->point[i].json));
    set_settings(&object, run);
    report_set(&object, "points", points);
    report_set(&object, "partial", json_boolean(run->is_partial));
    report_set_count(&object, "threads", run->settings.threads);
    report_set(&object, KEY_WALL_SECONDS, json_real(run->seconds));
    return report_object_close(&object);
}

/* ---- the figures ---- */

/* A point in a database, with what was asked: programs get everything; people what was measured, and of what was asked the
 * columns in which rows differ. */
static const struct figure stored_point[] = {
    {"topology", "topology", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"sizes", "sizes", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"graph", "graph", FIGURE_TEXT, FIGURE_VARIED, NULL},
    {"nodes", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"traffic", "traffic", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"multicast_share", "share", FIGURE_DIGITS, FIGURE_VARIED, NULL},
    {"switching", "switching", FIGURE_TEXT, FIGURE_VARIED, NULL},
    {"vcs", "V", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"buffer", "B", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"injection", "I", FIGURE_COUNT, FIGURE_VARIED, NULL},
    {"consumption", "C", FIGURE_COUNT, FIGURE_VARIED, NULL},
    {"startup", "startup", FIGURE_COUNT, FIGURE_VARIED, NULL},
    {"startup_mode", "startup mode", FIGURE_TEXT, FIGURE_VARIED, NULL},
    {"router_delay", "delay", FIGURE_COUNT, FIGURE_VARIED, NULL},
    {"ports", "ports", FIGURE_TEXT, FIGURE_VARIED, NULL},
    {"release", "release", FIGURE_TEXT, FIGURE_VARIED, NULL},
    {"header", "header", FIGURE_TEXT, FIGURE_VARIED, NULL},
    {"flit_bits", "flit bits", FIGURE_COUNT, FIGURE_VARIED, NULL},
    {"arrivals", "arrivals", FIGURE_TEXT, FIGURE_VARIED, NULL},
    {"order", "order", FIGURE_COUNT, FIGURE_VARIED, NULL},
    {"warmup", "warmup", FIGURE_COUNT, FIGURE_VARIED, NULL},
    {"measure", "measure", FIGURE_COUNT, FIGURE_VARIED, NULL},
    {"finite", "finite", FIGURE_COUNT, FIGURE_VARIED, NULL},
    {"seed", "seed", FIGURE_TEXT, FIGURE_VARIED, NULL},
    {"scheme", "scheme", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"parameters", "parameters", FIGURE_TEXT, FIGURE_VARIED, NULL},
    {"best", "best", FIGURE_TEXT, FIGURE_VARIED, NULL},
    {"destinations", "k", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"flits", "flits", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"rate", "rate", FIGURE_DIGITS, FIGURE_ALL, NULL},
    {LATENCY, LATENCY, FIGURE_RATIO, FIGURE_ALL, NULL},
    {"half_width", "+-", FIGURE_RATIO, FIGURE_ALL, NULL},
    {"median", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"p95", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"p99", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"max", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"accepted", "accepted", FIGURE_DIGITS, FIGURE_ALL, NULL},
    {"capacity", "", FIGURE_DIGITS, FIGURE_PROGRAMS, NULL},
    {"routing_capacity", "", FIGURE_DIGITS, FIGURE_PROGRAMS, NULL},
    {"saturated", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"rising", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"runs", "runs", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"cycles", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"messages", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"startups", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {KEY_CHANNEL_CROSSINGS, "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {KEY_BUFFER_PEAK, "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"unsent_peak", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"deadlock", "", FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
    {"error", "", FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
    {"meshcast", "meshcast", FIGURE_TEXT, FIGURE_VARIED, NULL},
    {"outcome", "outcome", FIGURE_TEXT, FIGURE_ALL, NULL},
    {0}};

const struct figures load_figures = {{stored_point}};

/* ---- the table ---- */

static const struct figure columns[] = {
    {"scheme", "scheme", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"rate", "rate", FIGURE_DIGITS, FIGURE_ALL, NULL},
    {"destinations", "k", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"flits", "flits", FIGURE_COUNT, FIGURE_ALL, NULL},
    {LATENCY, LATENCY, FIGURE_RATIO, FIGURE_ALL, NULL},
    {"half_width", "+-", FIGURE_RATIO, FIGURE_ALL, NULL},
    {"accepted", "accepted", FIGURE_SHARE, FIGURE_ALL, NULL},
    {"capacity", "capacity", FIGURE_SHARE, FIGURE_ALL, NULL},
    {"routing_capacity", "routing", FIGURE_SHARE, FIGURE_ALL, NULL},
    {"runs", "runs", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"ended", "", FIGURE_TEXT, FIGURE_PEOPLE, NULL},
    {0}};

/* Writes ", 10 % multicasts", or nothing if all messages have as many destinations, and returns the text. */
static const char *mix_text(const struct load_run *run, char text[40])
{
    double share = multicast_share(run);
    *text = '\0';
    if (share > 0 && share < 1)
        snprintf(text, 40, ", %.6g %% multicasts", 100 * share);
    return text;
}

static void print_head(const struct load_run *run, struct table_stream *stream, FILE *out)
{
    static const char widest[] =
        "[{\"latency\": \"saturated\", \"accepted\": \"0.000000\", \"capacity\": "
        "\"0.000000\", \"routing_capacity\": \"0.000000\"}]";
    char topology[TOPOLOGY_TEXT_SIZE], traffic[PRINTABLE_NAME], mix[40], lengths[200];
    json_t *settings = settings_json(run), *rows = json_loads(widest, 0, NULL);
    shape_text(&run->topology.shape, topology);
    snprintf(lengths, sizeof lengths,
             "; [{warmup:message}][{!warmup}messages of %d zero-load latencies] warm up, "
             "[{measure:message}][{!measure}messages of %d zero-load latencies] are measured",
             OPEN_LOOP_WARMUP, OPEN_LOOP_BATCHES * OPEN_LOOP_BATCH);
    fprintf(out, "%s, %s traffic%s", topology, printable_name(run->traffic.name, traffic),
            mix_text(run, mix));
    figures_print_text(settings, ", {arrivals} arrivals[{order>1} of order {order}]", out);
    figures_print_text(settings, lengths, out);
    figures_print_text(settings, "[{?finite} and are the last]\n", out);
    report_print_network(settings, out);
    fputc('\n', out);
    table_begin(stream, &(struct table){&(struct figures){{columns}}, rows, false}, 12, out);
    json_decref(rows);
    json_decref(settings);
}

/* Prints the row of a point. `wide`: its runs ended before the mean was known well enough. */
static void print_row(const struct table_stream *stream, const struct load_point *point)
{
    struct report_object people = report_object_copy(point->json);
    const json_t *latency = json_object_get(point->json, LATENCY);
    double width = json_number_value(json_object_get(point->json, "half_width"));
    bool is_wide = json_is_number(latency) && width > LOAD_PRECISION * json_number_value(latency);
    report_set(&people, "scheme", figures_text(point->json, "{scheme}[: {best}]"));
    report_set(&people, "has_latency", json_boolean(json_is_number(latency)));
    report_set(&people, "wide", json_boolean(is_wide));
    report_set(&people, "stored", json_boolean(point->is_stored));
    report_set(&people, "ended",
               figures_text(people.value,
                            "[saturated{?saturated}{?has_latency}][rising{?rising}{!saturated}]"
                            "[ {?rising}{?wide}{!saturated}][wide{?wide}{!saturated}]"
                            "[ interrupted{?partial}][ stored{?stored}{!partial}]"));
    if (!json_is_number(latency))
        report_set(&people, LATENCY, json_incref(json_object_get(point->json, "outcome")));
    json_t *row = report_object_close(&people);
    table_add(stream, row);
    json_decref(row);
}

static void print_legend(const struct load_run *run, FILE *out)
{
    char mix[40];
    bool has_deadlock = false;
    for (uint32_t i = 0; i < run->points; i++)
        has_deadlock |= json_is_array(json_object_get(run->point[i].json, "deadlock"));
    fprintf(out,
            "\nrate: messages per node and cycle; k: destinations per %s; latency: cycles from a\n"
            "message's creation to its last delivery, with 95 %% confidence within +-; accepted: "
            "messages\n"
            "per node and cycle that were delivered, a dash where the run ended while the network "
            "warmed\n"
            "up; capacity: no scheme could carry a larger rate; routing: nor could this scheme, "
            "where its\n"
            "routing tells; saturated: more arrives than is carried; rising: messages piled up "
            "while they\n"
            "were measured, so the latency may be larger (--warmup, --measure); wide: +- is above "
            "5 %% of the\n"
            "latency (--runs); stored: the point was in the database; interrupted: it was not "
            "measured to\n"
            "its end.\n",
            *mix_text(run, mix) != '\0' ? "multicast" : "message");
    if (has_deadlock)
        fputs("deadlock: worms wait for one another in a cycle, which --json names.\n", out);
    if (run->is_partial)
        fputs("The run was interrupted: these are the points that were measured until then.\n",
              out);
}

/* ---- the chart ---- */

enum axis { AXIS_RATE, AXIS_DESTINATIONS, AXIS_FLITS };

static const char *const axis_names[] = {"messages per node and cycle", "destinations per message",
                                         "flits per message"};

/* What of the points varies. */
struct variety {
    bool destinations, flits;
    enum axis
        axis; /* the rate; if all points have the same rate, the destinations or the lengths */
};

static struct variety variety_of(const struct load_run *run)
{
    struct variety variety = {.axis = AXIS_RATE};
    bool rate = false;
    for (uint32_t i = 1; i < run->points; i++) {
        const struct load_point *one = &run->point[0], *other = &run->point[i];
        rate |= one->rate != other->rate;
        variety.destinations |= one->destinations != other->destinations;
        variety.flits |=
            one->flits.least != other->flits.least || one->flits.most != other->flits.most;
    }
    if (!rate && (variety.destinations || variety.flits))
        variety.axis = variety.destinations ? AXIS_DESTINATIONS : AXIS_FLITS;
    return variety;
}

static double axis_value(const struct load_point *point, enum axis axis)
{
    if (axis == AXIS_RATE)
        return point->rate;
    return axis == AXIS_DESTINATIONS ? point->destinations
                                     : ((double)point->flits.least + point->flits.most) / 2;
}

/* Returns the mark of a point that has no latency; 0: it has one, or did not run. */
static int mark_of(const struct load_point *point)
{
    if (json_object_get(point->json, "error") != NULL)
        return CHART_MARK_CROSS;
    return json_is_number(json_object_get(point->json, LATENCY)) ||
                   !json_is_true(json_object_get(point->json, "saturated"))
               ? 0
               : CHART_MARK_OPEN_TRIANGLE;
}

static bool has_mark(const struct load_run *run, int mark)
{
    for (uint32_t i = 0; i < run->points; i++)
        if (mark_of(&run->point[i]) == mark)
            return true;
    return false;
}

/* Returns the name of the point's curve: the scheme, and what varies beside the axis. */
static const char *name_curve(const struct load_point *point, const struct variety *variety,
                              struct chart *chart)
{
    char flits[FLITS_TEXT];
    const char *name = point->scheme->name;
    if (variety->destinations && variety->axis != AXIS_DESTINATIONS)
        name = chart_text(chart, "%s, k = %" PRIu32, name, point->destinations);
    if (variety->flits && variety->axis != AXIS_FLITS)
        name = chart_text(chart, "%s, %s flits", name, flits_range_text(point->flits, flits));
    return name;
}

/* Returns the first point whose curve has the name of point `index`. */
static uint32_t first_of_curve(const char *const *name, uint32_t index)
{
    uint32_t first = 0;
    while (strcmp(name[first], name[index]) != 0)
        first++;
    return first;
}

/* Adds the curve that the point `first` begins, as number `index` of all. */
static void add_curve(const struct load_run *run, const char *const *name, uint32_t first,
                      uint32_t index, enum axis axis, struct chart_panel *panel)
{
    enum { ROWS = 6 }; /* of marks at the upper edge */
    const char *title = name[first];
    struct chart_curve *curve =
        chart_subject(panel, CHART_LINE | CHART_MARKS | CHART_ERRORS, title, title);
    struct chart_curve *saturated = chart_subject(panel, CHART_MARKS | CHART_AT_TOP, title, NULL);
    struct chart_curve *failed = chart_subject(panel, CHART_MARKS | CHART_AT_TOP, title, NULL);
    saturated->mark = CHART_MARK_OPEN_TRIANGLE;
    failed->mark = CHART_MARK_CROSS;
    for (uint32_t i = first; i < run->points; i++) {
        const json_t *latency = json_object_get(run->point[i].json, LATENCY);
        double x = axis_value(&run->point[i], axis), mean = json_number_value(latency);
        double width = json_number_value(json_object_get(run->point[i].json, "half_width"));
        int mark = mark_of(&run->point[i]);
        if (strcmp(name[i], title) != 0)
            continue;
        if (json_is_number(latency)) {
            struct chart_point *added = chart_point(curve, x, mean);
            added->low = mean - width;
            added->high = mean + width;
        } else if (mark != 0)
            chart_point(mark == CHART_MARK_CROSS ? failed : saturated, x,
                        0.97 - 0.03 * (index % ROWS));
    }
}

/* Fills the chart: a curve for each scheme and each value of what varies beside the axis, with bars of 95 % confidence. A load at
 * which the network is saturated has no latency: a triangle near the upper edge marks it, below those of the curves before, and a
 * cross one that ended in a deadlock or failed another check. */
static void fill_chart(const void *context, struct chart *chart)
{
    const struct load_run *run = context;
    struct variety variety = variety_of(run);
    char shape[TOPOLOGY_TEXT_SIZE], mix[40], traffic[41];
    bool has_saturated = has_mark(run, CHART_MARK_OPEN_TRIANGLE),
         has_failed = has_mark(run, CHART_MARK_CROSS);
    const char **name = chart_keep(chart, run->points * sizeof *name);
    shape_text(&run->topology.shape, shape);
    chart->title =
        chart_text(chart, "%s, %s traffic%s%s", shape,
                   printable_copy(traffic, sizeof traffic, run->traffic.name), mix_text(run, mix),
                   has_saturated && has_failed
                       ? "\ntriangles: saturated; crosses: deadlock, or another failure"
                   : has_saturated ? "\ntriangles: saturated"
                   : has_failed    ? "\ncrosses: deadlock, or another failure"
                                   : "");
    struct chart_panel *panel = chart_panel(chart, 540, 320);
    panel->x = (struct chart_axis){.label = axis_names[variety.axis],
                                   .is_real = variety.axis == AXIS_RATE};
    panel->y = (struct chart_axis){.label = "latency  (cycles)"};
    for (uint32_t i = 0; name != NULL && i < run->points; i++)
        name[i] = name_curve(&run->point[i], &variety, chart);
    for (uint32_t i = 0, curves = 0; name != NULL && i < run->points; i++)
        if (first_of_curve(name, i) == i)
            add_curve(run, name, i, curves++, variety.axis, panel);
}

/* ---- the database ---- */

/* The text that tells a point from all others in the database; the caller frees. NULL: no memory. */
static char *identity_of(const struct load_run *run, const struct load_point *point)
{
    char flits[FLITS_TEXT];
    json_t *settings = settings_json(run);
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
        const struct open_loop_result none = {.latency = {0, INFINITY}};
        json_t *figures = json_loads(text, 0, NULL), *error = json_object_get(figures, "error");
        point->json = point_json(point, &none, NULL, &(struct failure){0});
        point->is_stored = true;
        if (!json_is_object(figures))
            fail(failure, FAIL_INPUT,
                 "%.200s is damaged: the figures of '%.60s' are no JSON object", path, identity);
        else if (json_object_update_existing(point->json, figures) != 0 ||
                 (error != NULL && json_object_set(point->json, "error", error) != 0))
            fail_memory(failure, "a point of the database");
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
    for (uint32_t i = 0; is_stored && i < run->points; i++)
        if (find_point(run, &run->point[i], failure) != FAIL_NONE)
            return failure->kind;
    return FAIL_NONE;
}

static enum failure_kind store(struct load_run *run, const struct load_point *point,
                               struct failure *failure)
{
    char *text = NULL, *identity = identity_of(run, point);
    json_t *figures = settings_json(run);
    if (json_object_update(figures, point->json) == 0)
        text = json_dumps(figures, JSON_COMPACT | JSON_SORT_KEYS);
    if (identity == NULL || text == NULL)
        fail_memory(failure, "a row of the database");
    else
        command_store()->add(run->options->database, identity,
                             json_string_value(json_object_get(figures, "outcome")), text, failure);
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
    struct open_loop_result result;
    struct failure ended = {0};
    snprintf(run->name, sizeof run->name, "%s, rate %g", point->scheme->name, point->rate);
    run->watch = (struct network_watch){run->command, run->name};
    command_progress(run->command, 0, point->measured, run->name);
    loop.watcher = network_options_watch;
    loop.watcher_context = &run->watch;
    loop.scheme = point->scheme;
    loop.choices = point->choices;
    best_run_open_loop(&loop, &result, &ended);
    bool is_partial = result.is_partial;
    point->json =
        point_json(point, &result, loop.scheme != point->scheme ? loop.scheme->name : NULL, &ended);
    open_loop_free(&result);
    if (ended.kind != FAIL_NONE && ended.kind != FAIL_CHECK)
        return fail_as(failure, &ended);
    if (point->json == NULL)
        return fail_memory(failure, "a point");
    run->is_partial = is_partial;
    if (run->options->database != NULL && !is_partial)
        store(run, point, failure);
    return failure->kind;
}

/* Notes a point that failed a check, whether it ran now or is stored: the status says it. */
static void note_check(struct load_run *run, const struct load_point *point)
{
    const char *error = json_string_value(json_object_get(point->json, "error"));
    if (error != NULL && run->failed++ == 0)
        fail(&run->check, FAIL_CHECK, "%s, rate %g: %.400s", point->scheme->name, point->rate,
             error);
}

/* Runs the points, with a row of the table after each. */
static enum failure_kind run_points(struct load_run *run, FILE *table, struct failure *failure)
{
    uint32_t all = run->points;
    double start = stopwatch_seconds();
    struct table_stream stream;
    print_head(run, &stream, table);
    for (run->points = 0; run->points < all; run->points++) {
        struct load_point *point = &run->point[run->points];
        run->is_partial |= interrupt_is_sent(run->command->interrupt);
        if (run->is_partial)
            break;
        if (!point->is_stored && run_point(run, point, failure) != FAIL_NONE)
            return failure->kind;
        note_check(run, point);
        command_progress(run->command, 0, 0, NULL);
        print_row(&stream, point);
    }
    run->seconds = stopwatch_seconds() - start;
    print_legend(run, table);
    return FAIL_NONE;
}

/* ---- the command ---- */

static enum failure_kind run_all(struct load_run *run, struct meshcast_report *report,
                                 struct failure *failure)
{
    struct plot_file plot = {run->options->plot, fill_chart, rows_json, run};
    if (check_points(run, failure) != FAIL_NONE ||
        plot_file_check(run->options->plot, failure) != FAIL_NONE ||
        find_points(run, failure) != FAIL_NONE ||
        run_points(run, command_table(report), failure) != FAIL_NONE ||
        report_take_json(report, load_json(run), NULL, failure) != FAIL_NONE ||
        report_take_csv(report, rows_json(run), failure) != FAIL_NONE ||
        plot_file_write(&plot, failure) != FAIL_NONE)
        return failure->kind;
    if (run->failed > 1)
        return fail(failure, FAIL_CHECK,
                    "%" PRIu32 " of %" PRIu32 " points failed; the first, %.400s", run->failed,
                    run->points, run->check.text);
    *failure = run->check;
    return failure->kind != FAIL_NONE ? failure->kind
                                      : interrupt_check(run->command->interrupt, failure);
}

static void load_run_free(struct load_run *run)
{
    for (uint32_t i = 0; run->point != NULL && i < run->points; i++)
        json_decref(run->point[i].json);
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
    if (make_traffic(&load, failure) == FAIL_NONE && make_points(&load, failure) == FAIL_NONE)
        run_all(&load, report, failure);
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
    .options = {{option_rows, sizeof option_rows / sizeof *option_rows, 0},
                {network_option_row, NETWORK_OPTION_ROWS, offsetof(struct load_command, network)}},
    .offer_parameters = scheme_offer_parameters,
    .topics = "'meshcast help schemes'",
    .ends_early = true,
    .run = run,
};
