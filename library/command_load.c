/* command_load.c - the command `load`: latency against load, destinations, or length, in an open
 * loop.
 *
 * The points are the cross product of schemes, lengths, numbers of destinations and rates. All are
 * checked before the first one runs. With --saturation the rate of each is found by bisection: of
 * the rates that were tried, the point of the largest one that was carried is reported. The row of
 * a point that ends in a deadlock, or fails another check, says so; the other points still run, and
 * the status is 1. An interrupt ends the point under way and reports the results so far, marked as
 * partial.
 *
 * With --db every complete point is stored, also one that failed a check, which it would do again;
 * a stored point is not run again.
 *
 * A saturated point has no mean latency: it would grow with the time that is measured. A finite run
 * has one, since it ends. A figure that was not measured is a dash, null, or an empty field.
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

/* All nodes but the source. */
#define ALL_OTHERS UINT32_MAX

/* The most by which the shares of a mix may together differ from 1, as those of 0.333,0.333,0.333
 * do. */
#define MIX_ROUNDING 0.0011

enum { MIX_TEXT = 320 };

/* Bisection ends when the interval is as small a part of the first one. */
#define SATURATION_PRECISION 0.01

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
    const char *like, *topology, *without, *pattern, *set, *plot, *database;
    struct scheme_list schemes;
    struct rate_list rates;
    struct destinations_list destinations;
    struct flits_list flits;
    double multicast_share;     /* 0: not given */
    struct destination_mix mix; /* 0 kinds: not given */
    uint32_t arrivals, order;
    uint32_t warmup, measured, runs; /* 0: the default */
    bool is_finite, finds_saturation;
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

/* Reads a number of destinations, or a word for one: "broadcast" is ALL_OTHERS. 0: neither. */
static uint32_t read_destinations(const char *text)
{
    const char *end;
    if (strcmp(text, "unicast") == 0)
        return 1;
    if (strcmp(text, "broadcast") == 0)
        return ALL_OTHERS;
    uint32_t number = option_scan_number(text, TOPOLOGY_MAX_NODES, &end);
    return *end == '\0' ? number : 0;
}

static enum failure_kind add_destinations(void *field, const char *text, struct failure *failure)
{
    struct destinations_list *list = field;
    uint32_t number = read_destinations(text);
    if (number == 0)
        return fail(failure, FAIL_USAGE,
                    "--destinations takes numbers of nodes from 1 to %d, unicast or broadcast, not "
                    "'%.40s'",
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

static enum failure_kind add_kind(void *field, const char *text, struct failure *failure)
{
    struct destination_mix *mix = field;
    uint32_t most = sizeof mix->kind / sizeof mix->kind[0], destinations;
    char kind[16];
    double share;
    const char *equals = strchr(text, '=');
    size_t length = equals == NULL ? 0 : (size_t)(equals - text);
    snprintf(kind, sizeof kind, "%.*s", length < sizeof kind ? (int)length : 0, text);
    destinations = read_destinations(kind);
    if (destinations == 0 || !read_fraction(equals + 1, &share))
        return fail(failure, FAIL_USAGE,
                    "--mix takes KIND=SHARE,.., such as unicast=0.9,8=0.1: a kind is unicast, "
                    "broadcast or a number of destinations, and a share above 0; not '%.40s'",
                    text);
    for (uint32_t i = 0; i < mix->kinds; i++)
        if (mix->kind[i].destinations == destinations)
            return fail(failure, FAIL_USAGE, "--mix has the kind '%s' twice; once is enough", kind);
    if (mix->kinds == most)
        return fail(failure, FAIL_USAGE, "--mix takes %u kinds at most", most);
    mix->kind[mix->kinds].destinations = destinations;
    mix->kind[mix->kinds++].share = share;
    return FAIL_NONE;
}

static int accept_mix(void *field, char *value, struct failure *failure)
{
    struct destination_mix *mix = field;
    double sum = 0;
    mix->kinds = 0;
    if (option_for_elements(field, value, add_kind, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t i = 0; i < mix->kinds; i++)
        sum += mix->kind[i].share;
    if (fabs(sum - 1) > MIX_ROUNDING)
        return fail(failure, FAIL_USAGE, "the shares of --mix add up to %g; expected 1", sum);
    for (uint32_t i = 0; i < mix->kinds; i++)
        mix->kind[i].share /= sum;
    return FAIL_NONE;
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

/* Values that --like gives to options that were not set: those of BookSim2's
 * src/examples/mesh88_lat. A header needs three cycles there for a router and one for the link. */
static const char *const booksim2[][2] = {
    {"topology", "mesh:8x8"}, {"schemes", "unicast"}, {"pattern", "transpose"}, {"flits", "20"},
    {"rate", "0.005"},        {"vcs", "8"},           {"buffer", "8"},          {"release", "left"},
    {"injection", "1"},       {"consumption", "1"},   {"router-delay", "3"}};

static const char *const likes[] = {"booksim2", NULL};

static const struct name_family like_names = {"value of --like", "values of --like", "",
                                              name_of_array, likes};

static const struct meshcast_option option_rows[] = {
    OPTION_NAME("like", NULL, "NAME", COMMON, struct load_command, like, &like_names,
                "the options of BookSim2's example mesh88_lat (booksim2) for all that is not\n"
                "given: --topology mesh:8x8 --schemes unicast --pattern transpose --flits 20\n"
                "--rate 0.005 --vcs 8 --buffer 8 --release left --injection 1 --consumption 1\n"
                "--router-delay 3"),
    OPTION_TOPOLOGY(COMMON, struct load_command, topology,
                    "mesh:16x16, torus:8x8x8 (1 to 8 dimensions, the slowest first), or\n"
                    "graph:FILE (an edge list in which i and i + 1 are joined)"),
    OPTION_WITHOUT(RARE, struct load_command, without),
    OPTION_LIST("schemes", "scheme", "A,B,...", COMMON, struct load_command, schemes,
                accept_schemes, &scheme_names, "how messages are sent: 'meshcast help schemes'"),
    OPTION_OTHER("rate", "R,R,...", COMMON, struct load_command, rates, accept_rates,
                 "messages that a node makes per cycle; above 0 and up to 1"),
    OPTION_FLAG("saturation", COMMON, struct load_command, finds_saturation,
                "find the rate at which the network saturates; within 1 % of the capacity,\n"
                "instead of --rate"),
    OPTION_OTHER("mix", "K=P,K=P,...", RARE, struct load_command, mix, accept_mix,
                 "shares of messages by their numbers of destinations, such as\n"
                 "unicast=0.9,8=0.1 or 1=0.99,broadcast=0.01; they add up to 1"),
    OPTION_OTHER("destinations", "K,K,...", COMMON, struct load_command, destinations,
                 accept_destinations,
                 "destinations per message, or broadcast: all other nodes; the default is 1"),
    OPTION_OTHER(
        "multicast-share", "P", RARE, struct load_command, multicast_share, accept_share,
        "the share of messages that have --destinations, the others have one: short for\n--mix; "
        "the default is 1"),
    OPTION_OTHER("flits", "L|A:B,...", COMMON, struct load_command, flits, accept_flits_list,
                 "lengths of messages (header included), or ranges from which each is drawn;\nthe "
                 "default is 1"),
    OPTION_NAME("pattern", NULL, "P", RARE, struct load_command, pattern, &load_pattern_names,
                "uniform (the default: all other nodes are as likely), or a permutation of\n"
                "'meshcast kernel': random, transpose, ..; 'meshcast kernel --help' has them all"),
    OPTION_INPUT("set", "SET", RARE, struct load_command, set,
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
                "no messages arrive after the measured ones, so a run ends at any load"),
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
    uint64_t warmup, measured; /* messages per run */
    bool is_stored;            /* it was in the database */
    json_t *json;              /* an object of `points` */
};

/* The state of a run. */
struct load_run {
    struct meshcast_command *command;
    const struct load_command *options;
    struct topology topology;
    struct load_traffic traffic;
    struct network_settings settings;
    struct load_point *point;
    uint32_t asked, points; /* those of them that have run, or are stored */
    bool is_partial;
    double seconds;
    struct network_watch watch;
    struct failure check; /* of the first point that failed a check, .. */
    uint32_t failed;      /* .. and the number of such points */
    char name[80];        /* of the point under way */
};

/* ---- before the first point ---- */

/* True if nodes draw their messages from a set. */
static bool has_set(const struct load_run *run)
{
    return run->options->set != NULL || run->command->set[0] != NULL;
}

static bool says_destinations(const struct load_command *options)
{
    return options->mix.kinds > 0 || options->destinations.count > 0;
}

/* Sets the presets of --like, unless options override them. */
static enum failure_kind preset(const struct load_run *run, struct failure *failure)
{
    const struct load_command *options = run->options;
    uint32_t index;
    if (options->like == NULL)
        return FAIL_NONE;
    if (name_family_find(&like_names, options->like, &index, failure) != FAIL_NONE)
        return failure->kind;
    for (size_t i = 0; i < sizeof booksim2 / sizeof booksim2[0]; i++) {
        const char *option = booksim2[i][0];
        bool is_said = strcmp(option, "pattern") == 0
                           ? has_set(run) || says_destinations(options)
                           : strcmp(option, "rate") == 0 && options->finds_saturation;
        if (!is_said &&
            command_set_default(run->command, option, booksim2[i][1], failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

static enum failure_kind check_options(const struct load_run *run, struct failure *failure)
{
    const struct load_command *options = run->options;
    if (options->topology == NULL && run->command->topology == NULL)
        return fail(failure, FAIL_USAGE, "missing --topology, such as mesh:16x16");
    if (options->schemes.count == 0)
        return scheme_missing(failure);
    if (options->rates.count == 0 && !options->finds_saturation)
        return fail(failure, FAIL_USAGE,
                    "missing --rate R,R,..: messages per node and cycle, such as 0.01,0.02");
    if (options->finds_saturation &&
        (options->rates.count > 0 || options->is_finite || options->plot != NULL))
        return fail(failure, FAIL_USAGE,
                    "--saturation finds a rate; --rate, --finite and --plot are for given ones");
    if (options->pattern != NULL && has_set(run))
        return fail(failure, FAIL_USAGE, "--pattern and --set exclude each other");
    if (says_destinations(options) &&
        (has_set(run) || (options->pattern != NULL && strcmp(options->pattern, "uniform") != 0)))
        return fail(
            failure, FAIL_USAGE,
            "--%s goes with uniform traffic; the pattern or set says the destinations already",
            options->mix.kinds > 0 ? "mix" : "destinations");
    if (options->mix.kinds > 0 && (options->destinations.count > 0 || options->multicast_share > 0))
        return fail(failure, FAIL_USAGE,
                    "--mix says all of --destinations and --multicast-share; give one");
    if (options->multicast_share > 0 && options->destinations.count == 0)
        return fail(failure, FAIL_USAGE,
                    "--multicast-share goes with --destinations, how many a multicast has");
    if (options->order > 0 && options->arrivals == ARRIVALS_GEOMETRIC)
        return fail(failure, FAIL_USAGE, "--order goes with --arrivals negative-binomial");
    if (network_options_check(&options->network, failure) != FAIL_NONE)
        return FAIL_USAGE;
    return scheme_parameters_check(&options->network.parameters, options->schemes.value,
                                   options->schemes.count, failure);
}

/* Returns the number of geometric times that make one between messages. */
static uint32_t order_of(const struct load_command *options)
{
    if (options->arrivals == ARRIVALS_GEOMETRIC)
        return 1;
    return options->order > 0 ? options->order : DEFAULT_ORDER;
}

/* Returns the share of messages that are multicasts; 0 for traffic that is not uniform, and for a
 * mix. */
static double multicast_share(const struct load_run *run)
{
    const struct load_command *options = run->options;
    return run->traffic.is_uniform && options->mix.kinds == 0 ? options->multicast_share : 0;
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
        .mix = options->mix.kinds > 0
                   ? options->mix
                   : destination_mix_of(point->destinations, options->multicast_share),
        .lists = run->traffic.is_uniform ? NULL : &run->traffic.lists,
        .least_flits = point->flits.least,
        .most_flits = point->flits.most,
        .warmup = point->warmup,
        .measured = point->measured,
        .is_finite = options->is_finite,
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
    struct traffic_choice choice = {
        .pattern = options->pattern, .without = options->without, .seed = options->network.seed};
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

/* Sets the number of destinations of a broadcast, and puts the kinds with most destinations first,
 * each once: their given order, and a number for a broadcast, change nothing. */
static void settle_mix(struct destination_mix *mix, uint32_t others)
{
    struct destination_mix settled = {.kinds = 0};
    for (uint32_t i = 0; i < mix->kinds; i++) {
        uint32_t destinations = mix->kind[i].destinations, place = 0;
        destinations = destinations == ALL_OTHERS ? others : destinations;
        while (place < settled.kinds && settled.kind[place].destinations > destinations)
            place++;
        if (place < settled.kinds && settled.kind[place].destinations == destinations) {
            settled.kind[place].share += mix->kind[i].share;
            continue;
        }
        memmove(&settled.kind[place + 1], &settled.kind[place],
                (settled.kinds++ - place) * sizeof settled.kind[0]);
        settled.kind[place].destinations = destinations;
        settled.kind[place].share = mix->kind[i].share;
    }
    *mix = settled;
}

/* Fills in the options that were not given, and the number of destinations of a broadcast. */
static void complete_options(struct load_command *options, const struct topology *topology)
{
    uint32_t others = topology_main_nodes(topology) - 1;
    if (options->finds_saturation)
        options->rates = (struct rate_list){1, {OPEN_LOOP_LEAST_RATE}};
    if (options->flits.count == 0)
        options->flits = (struct flits_list){1, {{1, 1}}};
    if (options->destinations.count == 0)
        options->destinations = (struct destinations_list){1, {1}};
    if (options->multicast_share == 0)
        options->multicast_share = 1;
    for (uint32_t i = 0; i < options->destinations.count; i++)
        if (options->destinations.value[i] == ALL_OTHERS)
            options->destinations.value[i] = others;
    settle_mix(&options->mix, others);
}

/* Fills the points with their settings. */
static enum failure_kind make_points(struct load_run *run, struct failure *failure)
{
    const struct load_command *options = run->options;
    uint32_t lengths = options->flits.count, counts = options->destinations.count;
    uint32_t rates = options->rates.count;
    uint64_t all = (uint64_t)options->schemes.count * lengths * counts * rates;
    if (all > MOST_POINTS)
        return fail(failure, FAIL_USAGE, "%" PRIu64 " points are more than %d; give shorter lists",
                    all, MOST_POINTS);
    run->point = memory_allocate(all, sizeof *run->point);
    if (run->point == NULL)
        return fail_memory(failure, "the points");
    run->asked = (uint32_t)all;
    for (uint64_t i = 0; i < all; i++) {
        struct load_point *point = &run->point[i];
        uint64_t rest = i / rates;
        point->rate = options->rates.value[i % rates];
        point->destinations = !run->traffic.is_uniform ? run->traffic.destinations
                              : options->mix.kinds > 0 ? 0
                                                       : options->destinations.value[rest % counts];
        rest /= counts;
        point->flits = options->flits.value[rest % lengths];
        point->scheme = options->schemes.value[rest / lengths];
        if (scheme_parameters_choose(&options->network.parameters, point->scheme, &point->choices,
                                     failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

/* Sets the messages of a run. Points that differ only in their rates have one pace. */
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
    return set_length(run, point, failure);
}

/* Checks all points, and notes those that no network could carry. */
static enum failure_kind check_points(struct load_run *run, struct failure *failure)
{
    const struct load_point *first = NULL;
    uint32_t above = 0;
    for (uint32_t i = 0; i < run->asked; i++) {
        struct load_point *point = &run->point[i];
        if (check_point(run, point, failure) != FAIL_NONE)
            return failure->kind;
        if (point->rate > point->capacity && !run->options->is_finite && above++ == 0)
            first = point;
    }
    if (above > 0)
        command_note(run->command,
                     "%" PRIu32 " of %" PRIu32 " points have a rate above the capacity and will be "
                     "saturated; the first, %s, rate %g, capacity %g messages per node and cycle",
                     above, run->asked, first->scheme->name, first->rate, first->capacity);
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

/* Returns the settings of all points, an object: with a point's, a row of the database. */
static json_t *settings_json(const struct load_run *run)
{
    struct report_object object = report_object_open();
    set_settings(&object, run);
    return report_object_close(&object);
}

/* Returns "measured", "saturated", "deadlock", "failed" (another check), or "-" if nothing was
 * measured. */
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

static double mean_flits(const struct load_point *point)
{
    return ((double)point->flits.least + point->flits.most) / 2;
}

/* Writes "1=0.9,8=0.1", or nothing if there is no mix, and returns the text. */
static const char *mix_text(const struct load_run *run, char text[MIX_TEXT])
{
    size_t used = 0;
    *text = '\0';
    for (uint32_t i = 0; i < run->options->mix.kinds && used < MIX_TEXT; i++)
        used += (size_t)snprintf(text + used, MIX_TEXT - used, "%s%" PRIu32 "=%.6g",
                                 i == 0 ? "" : ",", run->options->mix.kind[i].destinations,
                                 run->options->mix.kind[i].share);
    return text;
}

/* Returns the object of a point with this result; `best`: the scheme that scheme best chose, or
 * NULL. */
static json_t *point_json(const struct load_run *run, const struct load_point *point,
                          const struct open_loop_result *result, const char *best,
                          const struct failure *failure)
{
    struct report_object object = report_object_open();
    char mix[MIX_TEXT];
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
    report_set(&object, "flit_rate", json_real(point->rate * mean_flits(point)));
    report_set(&object, "capacity_share", json_real(point->rate / point->capacity));
    report_set_word(&object, "mix", run->options->mix.kinds > 0 ? mix_text(run, mix) : NULL);
    report_set_error(&object, failure);
    return report_object_close(&object);
}

/* Returns a point's object, with what the clock and the bytes of a flit make of it. */
static json_t *converted_point(const struct load_run *run, const struct load_point *point)
{
    struct report_object object = report_object_copy(point->json);
    const json_t *latency = json_object_get(point->json, LATENCY),
                 *accepted = json_object_get(point->json, "accepted");
    double clock = run->options->network.clock, flit_bytes = run->options->network.flit_bytes;
    double bytes = flit_bytes * mean_flits(point) * json_number_value(accepted);
    if (clock > 0)
        report_set_real(&object, "latency_microseconds", json_is_number(latency),
                        json_number_value(latency) / (1000 * clock));
    if (flit_bytes > 0)
        report_set_real(&object, "accepted_bytes_per_cycle", json_is_number(accepted), bytes);
    if (clock > 0 && flit_bytes > 0)
        report_set_real(&object, "accepted_gb_per_second", json_is_number(accepted), bytes * clock);
    return report_object_close(&object);
}

/* Returns the rows of --csv and --plot FILE.csv: the points, each with the settings of all; NULL:
 * no memory. */
static json_t *rows_json(const void *context)
{
    const struct load_run *run = context;
    json_t *array = json_array();
    for (uint32_t i = 0; i < run->points; i++) {
        json_t *row = settings_json(run);
        if (json_object_update_new(row, converted_point(run, &run->point[i])) != 0) {
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
        report_append(&points, converted_point(run, &run->point[i]));
    set_settings(&object, run);
    if (run->options->network.clock > 0)
        report_set_real(&object, "clock_ghz", true, run->options->network.clock);
    report_set(&object, "points", points);
    report_set(&object, "partial", json_boolean(run->is_partial));
    report_set_count(&object, "threads", run->settings.threads);
    report_set(&object, KEY_WALL_SECONDS, json_real(run->seconds));
    return report_object_close(&object);
}

/* ---- the figures ---- */

/* A point in a database, with its settings: programs get everything; people get the figures, and
 * those settings in which rows differ. */
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
    {"mix", "mix", FIGURE_TEXT, FIGURE_VARIED, NULL},
    {"flits", "flits", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"rate", "rate", FIGURE_DIGITS, FIGURE_ALL, NULL},
    {"flit_rate", "flit rate", FIGURE_DIGITS, FIGURE_ALL, NULL},
    {"capacity_share", "load", FIGURE_EXPONENT, FIGURE_ALL, NULL},
    {"saturation_low", "", FIGURE_DIGITS, FIGURE_PROGRAMS, NULL},
    {"saturation_high", "saturates", FIGURE_DIGITS, FIGURE_ALL, NULL},
    {LATENCY, LATENCY, FIGURE_RATIO, FIGURE_ALL, NULL},
    {"half_width", "+-", FIGURE_RATIO, FIGURE_ALL, NULL},
    {"median", "median", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"p95", "p95", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"p99", "p99", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"max", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"latency_microseconds", "us", FIGURE_DIGITS, FIGURE_PEOPLE, NULL},
    {"accepted", "accepted", FIGURE_DIGITS, FIGURE_ALL, NULL},
    {"accepted_bytes_per_cycle", "bytes", FIGURE_DIGITS, FIGURE_PEOPLE, NULL},
    {"accepted_gb_per_second", "GB/s", FIGURE_DIGITS, FIGURE_PEOPLE, NULL},
    {"capacity", "capacity", FIGURE_DIGITS, FIGURE_VARIED, NULL},
    {"routing_capacity", "routing", FIGURE_DIGITS, FIGURE_VARIED, NULL},
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
    {"ended", "", FIGURE_TEXT, FIGURE_PEOPLE, NULL}, /* only the table of `load` has it */
    {0}};

const struct figures load_figures = {{stored_point}};

/* ---- the table ---- */

/* Writes ", 10 % multicasts", the mix, or nothing if all messages have the same number of
 * destinations, and returns the text. */
static const char *traffic_text(const struct load_run *run, char text[MIX_TEXT + 8])
{
    double share = multicast_share(run);
    char mix[MIX_TEXT];
    *text = '\0';
    if (run->options->mix.kinds > 0)
        snprintf(text, MIX_TEXT + 8, ", mix %s", mix_text(run, mix));
    else if (share > 0 && share < 1)
        snprintf(text, MIX_TEXT + 8, ", %.6g %% multicasts", 100 * share);
    return text;
}

/* Returns a point's row for people. `wide`: its runs ended before the mean was known precisely
 * enough. */
static json_t *row_of(const struct load_run *run, const struct load_point *point)
{
    static const char *const hidden[] = {"outcome", "parameters", "warmup", "measure", "mix", NULL};
    json_t *converted = converted_point(run, point);
    struct report_object people = report_object_copy(converted);
    const json_t *latency = json_object_get(point->json, LATENCY);
    json_decref(converted);
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
    for (int i = 0; hidden[i] != NULL; i++)
        json_object_del(people.value, hidden[i]);
    return report_object_close(&people);
}

/* Returns the rows of all points at their possible widest, by which columns are chosen and made
 * wide enough. NULL: no memory. */
static json_t *widest_rows(const struct load_run *run)
{
    static const char widest[] =
        "{\"latency\": \"saturated\", \"half_width\": \"0000.00\", \"median\": \"00000\", "
        "\"p95\": \"00000\", \"p99\": \"00000\", \"accepted\": \"0.00000000\", "
        "\"latency_microseconds\": \"0.00000000\", "
        "\"accepted_bytes_per_cycle\": \"0.00000000\", "
        "\"accepted_gb_per_second\": \"0.00000000\"}";
    json_t *rows = json_array(), *figures = json_loads(widest, 0, NULL);
    for (uint32_t i = 0; i < run->asked; i++) {
        json_t *row = row_of(run, &run->point[i]);
        bool is_whole = json_object_update_existing(row, figures) == 0;
        if (run->options->finds_saturation)
            is_whole &= json_object_update_new(
                            row, json_pack("{s:s, s:s, s:s, s:s}", "rate", "0.00000000",
                                           "flit_rate", "0.00000000", "capacity_share", "0.000",
                                           "saturation_high", "0.00000000")) == 0;
        if (!is_whole) {
            json_decref(row);
            row = NULL;
        }
        report_append(&rows, row);
    }
    json_decref(figures);
    return rows;
}

static enum failure_kind print_head(const struct load_run *run, struct table_stream *stream,
                                    FILE *out, struct failure *failure)
{
    char topology[TOPOLOGY_LONG_TEXT_SIZE], traffic[PRINTABLE_NAME], mix[MIX_TEXT + 8],
        lengths[200];
    json_t *settings = settings_json(run), *rows = widest_rows(run);
    struct table table = {&load_figures, rows, false};
    topology_text(&run->topology, topology);
    snprintf(lengths, sizeof lengths,
             "; [{warmup:message}][{!warmup}messages of %d zero-load latencies] warm up, "
             "[{measure:message}][{!measure}messages of %d zero-load latencies] are measured",
             OPEN_LOOP_WARMUP, OPEN_LOOP_BATCHES * OPEN_LOOP_BATCH);
    fprintf(out, "%s, %s traffic%s", topology, printable_name(run->traffic.name, traffic),
            traffic_text(run, mix));
    figures_print_text(settings, ", {arrivals} arrivals[{order>1} of order {order}]", out);
    figures_print_text(settings, lengths, out);
    figures_print_text(settings, "[{?finite} and are the last]\n", out);
    report_print_network(settings, out);
    if (!table_varies(&table, "capacity"))
        figures_print_text(run->point[0].json,
                           "capacity {capacity} messages per node and cycle[, by the routing "
                           "{routing_capacity}]\n",
                           out);
    fputc('\n', out);
    table_begin(stream, &table, 7, out);
    if (rows == NULL || settings == NULL)
        fail_memory(failure, "the table of points");
    json_decref(rows);
    json_decref(settings);
    return failure->kind;
}

static void print_legend(const struct load_run *run, FILE *out)
{
    bool has_deadlock = false, is_mixed = multicast_share(run) > 0 && multicast_share(run) < 1;
    double clock = run->options->network.clock, flit_bytes = run->options->network.flit_bytes;
    for (uint32_t i = 0; i < run->points; i++)
        has_deadlock |= json_is_array(json_object_get(run->point[i].json, "deadlock"));
    fprintf(out,
            "\nk: destinations per %s; rate: messages per node and cycle, flit rate: their flits; "
            "load: the\n"
            "rate as a share of the capacity, which no scheme exceeds; latency: cycles from a "
            "message's\n"
            "creation to its last delivery, with 95 %% confidence within +-; accepted: messages "
            "per node and\n"
            "cycle that were delivered, a dash where the run ended while the network warmed up; "
            "routing:\n"
            "the capacity by the scheme's routing, where it is known; saturated: more arrives than "
            "is carried;\n"
            "rising: messages piled up while they were measured, so the latency may be larger "
            "(--warmup,\n"
            "--measure); wide: +- is above 5 %% of the latency (--runs); stored: the point was in "
            "the\n"
            "database; interrupted: it was not measured to its end.\n",
            is_mixed ? "multicast" : "message");
    if (clock > 0 || flit_bytes > 0)
        fputs("us: the latency in microseconds; bytes, GB/s: accepted, in bytes per node and "
              "cycle and in\n"
              "GB/s per node",
              out);
    if (clock > 0 && flit_bytes > 0)
        fprintf(out, "; a link carries %.6g GB/s at most", flit_bytes * clock);
    if (clock > 0 || flit_bytes > 0)
        fputs(".\n", out);
    if (run->options->finds_saturation)
        fputs("saturates: the least rate that was found saturated, a dash if none was; rate: the "
              "largest that was\n"
              "not (if rising, it may be too large), or the one that failed.\n",
              out);
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

/* The varying parts of the points. */
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
    return axis == AXIS_DESTINATIONS ? point->destinations : mean_flits(point);
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

/* Returns the name of the point's curve: the scheme, and everything that varies beside the axis. */
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

/* Fills the chart: a curve for each scheme and each value of the other varying settings, with bars
 * of 95 % confidence. A load at which the network is saturated has no latency: a triangle near the
 * upper edge marks it, below those of the curves before, and a cross one that ended in a deadlock
 * or failed another check. */
static void fill_chart(const void *context, struct chart *chart)
{
    const struct load_run *run = context;
    struct variety variety = variety_of(run);
    char shape[TOPOLOGY_TEXT_SIZE], mix[MIX_TEXT + 8], traffic[41];
    bool has_saturated = has_mark(run, CHART_MARK_OPEN_TRIANGLE),
         has_failed = has_mark(run, CHART_MARK_CROSS);
    const char **name = chart_keep(chart, run->points * sizeof *name);
    shape_text(&run->topology.shape, shape);
    chart->title = chart_text(chart, "%s, %s traffic%s%s", shape,
                              printable_copy(traffic, sizeof traffic, run->traffic.name),
                              traffic_text(run, mix),
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

/* Returns the text that distinguishes a point from all others in the database; the caller frees.
 * NULL: no memory. */
static char *identity_of(const struct load_run *run, const struct load_point *point)
{
    char flits[FLITS_TEXT], mix[MIX_TEXT];
    json_t *settings = settings_json(run);
    json_t *value = json_pack(
        "{s:o, s:s, s:o, s:f, s:I, s:s, s:I, s:I, s:b}", "settings", settings, "scheme",
        point->scheme->name, "parameters", report_scheme_parameters(point->scheme, &point->choices),
        "rate", point->rate, "destinations", (json_int_t)point->destinations, "flits",
        flits_range_text(point->flits, flits), "lists", (json_int_t)run->traffic.hash, "runs",
        (json_int_t)run->options->runs, "until_done", 0);
    if (run->options->mix.kinds > 0)
        json_object_set_new(value, "mix", json_string(mix_text(run, mix)));
    char *text = value == NULL ? NULL : json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(value);
    return text;
}

/* Gives a point the object of one that did not run or, if the database has it, of one that is
 * stored. */
static enum failure_kind find_point(const struct load_run *run, struct load_point *point,
                                    struct failure *failure)
{
    const struct open_loop_result none = {.latency = {0, INFINITY}};
    const char *path = run->options->database;
    char *text = NULL, *identity = path != NULL ? identity_of(run, point) : NULL;
    json_decref(point->json);
    point->json = point_json(run, point, &none, NULL, &(struct failure){0});
    if (point->json == NULL || (path != NULL && identity == NULL))
        fail_memory(failure, "a point");
    else if (path != NULL)
        command_store()->find(path, identity, &text, failure);
    point->is_stored = failure->kind == FAIL_NONE && text != NULL;
    if (point->is_stored) {
        json_t *figures = json_loads(text, 0, NULL), *error = json_object_get(figures, "error");
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

/* Makes the database ready for points, and reads the stored ones. */
static enum failure_kind find_points(struct load_run *run, struct failure *failure)
{
    if (run->options->database != NULL && command_store() == NULL)
        return fail(failure, FAIL_USAGE, "--db is an option of the program, which keeps points");
    for (uint32_t i = 0; i < run->asked; i++)
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
    json_decref(point->json);
    point->json = point_json(run, point, &result,
                             loop.scheme != point->scheme ? loop.scheme->name : NULL, &ended);
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

/* Notes a point that failed a check, now or when it was stored, for the status. */
static void note_check(struct load_run *run, const struct load_point *point)
{
    const char *error = json_string_value(json_object_get(point->json, "error"));
    if (error != NULL && run->failed++ == 0)
        fail(&run->check, FAIL_CHECK, "%s, rate %g: %.400s", point->scheme->name, point->rate,
             error);
}

static bool is_true(const struct load_point *point, const char *key)
{
    return json_is_true(json_object_get(point->json, key));
}

/* Halves the interval between a carried rate and a saturated one until it is small enough, or a
 * rate fails. The point becomes that of the largest rate that was carried, if there is one; if a
 * rate failed, it stays that rate's. saturation_high is null unless a rate was found saturated. */
static enum failure_kind find_saturation(struct load_run *run, struct load_point *point,
                                         struct failure *failure)
{
    double low = 0, high = fmin(point->capacity, 1.0 / order_of(run->options));
    double precision = high * SATURATION_PRECISION;
    struct load_point carried = {.json = NULL};
    bool is_over = false, is_found = false;
    while (high - low > precision && !is_over) {
        point->rate = (low + high) / 2;
        if (check_point(run, point, failure) != FAIL_NONE ||
            find_point(run, point, failure) != FAIL_NONE ||
            (!point->is_stored && run_point(run, point, failure) != FAIL_NONE))
            break;
        is_over = run->is_partial || json_object_get(point->json, "error") != NULL;
        if (is_true(point, "saturated")) {
            high = point->rate;
            is_found = true;
        } else if (!is_over) {
            low = point->rate;
            json_decref(carried.json);
            carried = *point;
            json_incref(carried.json);
        }
    }
    if (carried.json != NULL && !is_over) {
        json_decref(point->json);
        *point = carried;
    } else {
        json_decref(carried.json);
    }
    if (json_object_set_new(point->json, "saturation_low", json_real(low)) != 0 ||
        json_object_set_new(point->json, "saturation_high",
                            is_found ? json_real(high) : json_null()) != 0)
        return fail_memory(failure, "a point");
    return failure->kind;
}

/* Runs the points, with a row of the table after each. */
static enum failure_kind run_points(struct load_run *run, FILE *table, struct failure *failure)
{
    double start = stopwatch_seconds();
    struct table_stream stream;
    if (print_head(run, &stream, table, failure) != FAIL_NONE)
        return failure->kind;
    for (; run->points < run->asked; run->points++) {
        struct load_point *point = &run->point[run->points];
        run->is_partial |= interrupt_is_sent(run->command->interrupt);
        if (run->is_partial)
            break;
        if (run->options->finds_saturation)
            find_saturation(run, point, failure);
        else if (!point->is_stored)
            run_point(run, point, failure);
        if (failure->kind != FAIL_NONE)
            return failure->kind;
        note_check(run, point);
        command_progress(run->command, 0, 0, NULL);
        json_t *row = row_of(run, point);
        table_add(&stream, row);
        json_decref(row);
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
    for (uint32_t i = 0; run->point != NULL && i < run->asked; i++)
        json_decref(run->point[i].json);
    free(run->point);
    load_traffic_free(&run->traffic);
    command_topology_free(run->command, &run->topology);
}

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    const struct load_command *options = command->options;
    struct load_command completed;
    struct load_run load = {.command = command, .options = options};
    if (preset(&load, failure) != FAIL_NONE || check_options(&load, failure) != FAIL_NONE ||
        command_read_topology(command, options->topology, &load.topology, failure) != FAIL_NONE)
        return failure->kind;
    if (command_break_topology(options->without, true, &load.topology, failure) != FAIL_NONE) {
        load_run_free(&load);
        return failure->kind;
    }
    if (options->set == NULL)
        command_note_parts(command, &load.topology);
    completed = *options;
    complete_options(&completed, &load.topology);
    load.options = &completed;
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
                "  meshcast load --topology mesh:8x8 --scheme dual,u-mesh \\\n"
                "      --mix unicast=0.9,8=0.1 --rate 0.02,0.03,0.04 --plot latency.svg\n"
                "  meshcast load --topology torus:8x8 --scheme unicast --vcs 2 --saturation\n"
                "  meshcast load --topology mesh:16x16 --scheme unicast --pattern transpose \\\n"
                "      --routing odd-even --rate 0.1 --db load.db\n"
                "  meshcast load --like booksim2 --rate 0.002,0.004\n",
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
