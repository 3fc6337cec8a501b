/* command_expander.c - `meshcast expander`: makes graphs, and brackets what they expand.
 *
 * The first operand is the deed, a row of a table: `make` writes a graph file, `check` prints the
 * bracket of a file, or of a graph that the options describe. Several values of --c check the
 * family that one permutation represents. Options that a deed does not use are refused.
 *
 * A graph whose groups differ in degree by more than one is no expander of Definition 1, and one
 * in which a set was found that expands by less than --lambda is not as wanted: status 1, after
 * the report.
 */
#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/report.h"
#include "cli/report_expander.h"
#include "library/output_file.h"
#include "machine/parallel.h"
#include "machine/stopwatch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SEED = 1 }; /* the router's default too */

struct size_list {
    uint32_t count, value[EXPANDER_MOST_SIZES];
};

struct given_seed {
    bool given;
    uint64_t value;
};

struct given_lambda {
    double value; /* 0: not given */
};

enum graph_kind { GRAPH_RANDOM, GRAPH_REED_SOLOMON };

struct given_graph {
    bool given;
    uint32_t kind; /* an enum graph_kind */
};

struct expander_options {
    uint32_t inputs, degree, q, k, threads; /* 0: not given */
    struct given_graph graph;
    struct size_list groups;
    struct given_seed seed;
    struct given_lambda lambda;
    const char *output;
    bool json, quiet;
};

static bool is_listed(const struct size_list *list, uint64_t number)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i] == number)
            return true;
    return false;
}

/* "C" or "C1,C2,..."; what is named twice counts once. */
static enum failure_kind accept_sizes(void *field, char *value, struct failure *failure)
{
    struct size_list *list = field;
    list->count = 0;
    for (char *at = value;; at++) {
        unsigned long long number = *at >= '0' && *at <= '9' ? strtoull(at, &at, 10) : 0;
        if (number < 1 || number > EXPANDER_MOST_GROUPS || (*at != ',' && *at != '\0'))
            return fail(failure, FAIL_USAGE,
                        "--c wants numbers of groups, 1 .. %d, with commas between, not '%.40s'",
                        EXPANDER_MOST_GROUPS, value);
        bool is_new = !is_listed(list, number);
        if (is_new && list->count == EXPANDER_MOST_SIZES)
            return fail(failure, FAIL_USAGE, "--c takes at most %d numbers", EXPANDER_MOST_SIZES);
        if (is_new)
            list->value[list->count++] = (uint32_t)number;
        if (*at == '\0')
            return FAIL_NONE;
    }
}

static const char *const graph_names[] = {
    [GRAPH_RANDOM] = "random", [GRAPH_REED_SOLOMON] = "rs", NULL};

static enum failure_kind accept_graph(void *field, char *value, struct failure *failure)
{
    struct given_graph *graph = field;
    graph->given = true;
    return option_take_choice("graph", graph_names, value, &graph->kind, failure);
}

static enum failure_kind accept_seed(void *field, char *value, struct failure *failure)
{
    struct given_seed *seed = field;
    seed->given = true;
    return option_take_seed("seed", value, &seed->value, failure);
}

static enum failure_kind accept_lambda(void *field, char *value, struct failure *failure)
{
    struct given_lambda *lambda = field;
    char *end = value;
    lambda->value = (*value >= '0' && *value <= '9') || *value == '.' ? strtod(value, &end) : 0;
    if (end == value || *end != '\0' || !(lambda->value > 0 && lambda->value <= 1))
        return fail(failure, FAIL_USAGE,
                    "--lambda wants a number above 0 and at most 1, not '%.40s'", value);
    return FAIL_NONE;
}

#define NUMBER_OPTION(option, field, text, letters, smallest, largest)                             \
    {                                                                                              \
        .name = option, .value = letters, .help = text, .type = OPTION_NUMBER,                     \
        .offset = offsetof(struct expander_options, field), .least = smallest, .most = largest     \
    }

static const struct option_row rows[] = {
    NUMBER_OPTION("m", inputs, "inputs of the graph", "M", 1, EXPANDER_MOST_INPUTS),
    {.name = "c",
     .value = "C,...",
     .help = "groups; for check also several, with commas: the family of a\npermutation; with "
             "--graph rs the default is r q",
     .type = OPTION_ACCEPT,
     .offset = offsetof(struct expander_options, groups),
     .accept = accept_sizes},
    NUMBER_OPTION("r", degree, "edges an input", "R", 1, EXPANDER_MOST_DEGREE),
    {.name = "graph",
     .value = "random|rs",
     .help = "a random permutation (the default), or a Reed-Solomon graph",
     .type = OPTION_ACCEPT,
     .offset = offsetof(struct expander_options, graph),
     .accept = accept_graph,
     .choices = graph_names},
    NUMBER_OPTION("q", q, "rs: the field has q elements, a prime power; the default is c / r", "Q",
                  2, GALOIS_MOST),
    NUMBER_OPTION("k", k, "rs: polynomials of degree < k; the default is the least that suffices",
                  "K", 1, 32),
    {.name = "seed",
     .value = "S",
     .help = "of the random permutation, decimal or 0x...; the default is 1",
     .type = OPTION_ACCEPT,
     .offset = offsetof(struct expander_options, seed),
     .accept = accept_seed},
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .help = "make: where the graph goes; the default is standard output",
     .type = OPTION_TEXT,
     .offset = offsetof(struct expander_options, output),
     .is_file = true},
    {.name = "lambda",
     .value = "L",
     .help = "check: fail (status 1) if a set is found that expands by less",
     .type = OPTION_ACCEPT,
     .offset = offsetof(struct expander_options, lambda),
     .accept = accept_lambda},
    NUMBER_OPTION("threads", threads, "check: the default is a thread a core; results are the same",
                  "T", 1, 1024),
    {.name = "json",
     .help = "check: print JSON instead of a table",
     .type = OPTION_FLAG,
     .offset = offsetof(struct expander_options, json)},
    {.name = "quiet",
     .letter = 'q',
     .help = "nothing on standard error but errors",
     .type = OPTION_FLAG,
     .offset = offsetof(struct expander_options, quiet)},
};

/* ---- the graph ---- */

static enum failure_kind make_reed_solomon(const struct expander_options *options,
                                           struct expander *graph, struct failure *failure)
{
    uint32_t groups = options->groups.count == 0 ? 0 : options->groups.value[0];
    uint32_t q = options->q;
    if (q == 0 && groups == 0)
        return fail(failure, FAIL_USAGE, "missing --q Q, the order of the field, or --c C = r q");
    if (q == 0 && groups % options->degree != 0)
        return fail(failure, FAIL_USAGE,
                    "c = %" PRIu32 " is no multiple of r = %" PRIu32
                    "; a Reed-Solomon graph has c = r q",
                    groups, options->degree);
    q = q == 0 ? groups / options->degree : q;
    if (groups != 0 && groups != (uint64_t)q * options->degree)
        return fail(failure, FAIL_USAGE,
                    "c = %" PRIu32 " is not r q = %" PRIu64
                    "; leave --c out, or choose --r or --q otherwise",
                    groups, (uint64_t)q * options->degree);
    uint32_t k = options->k == 0 ? expander_dimension(options->inputs, q) : options->k;
    return expander_reed_solomon(graph, options->inputs, options->degree, q, k, failure);
}

/* The graph that the options describe. */
static enum failure_kind make_graph(const struct expander_options *options, struct expander *graph,
                                    struct failure *failure)
{
    bool is_random = options->graph.kind == GRAPH_RANDOM; /* also if it was not given */
    if (options->inputs == 0 || options->degree == 0 || (is_random && options->groups.count == 0))
        return fail(failure, FAIL_USAGE, "missing --%s; a graph needs --m M --c C --r R",
                    options->inputs == 0   ? "m"
                    : options->degree == 0 ? "r"
                                           : "c");
    if (!is_random && options->seed.given)
        return fail(failure, FAIL_USAGE, "--seed is for --graph random; rs draws nothing");
    if (!is_random)
        return make_reed_solomon(options, graph, failure);
    if (options->q != 0 || options->k != 0)
        return fail(failure, FAIL_USAGE, "--q and --k are for --graph rs");
    return expander_random(graph, options->inputs, options->groups.value[0], options->degree,
                           options->seed.given ? options->seed.value : DEFAULT_SEED, failure);
}

static void describe(const struct expander_options *options, const struct expander *graph,
                     char *text, size_t size)
{
    int used =
        snprintf(text, size, "meshcast expander make --m %" PRIu32 " --c %" PRIu32 " --r %" PRIu32,
                 graph->inputs, graph->groups, graph->degree);
    if (graph->kind == EXPANDER_REED_SOLOMON)
        snprintf(text + used, size - (size_t)used, " --graph rs --q %" PRIu32 " --k %" PRIu32,
                 graph->field.q, graph->dimension);
    else
        snprintf(text + used, size - (size_t)used, " --seed %" PRIu64,
                 options->seed.given ? options->seed.value : (uint64_t)DEFAULT_SEED);
}

/* ---- make ---- */

/* The first option that make has no use for; NULL: there is none. */
static const char *option_of_check(const struct expander_options *options)
{
    return options->json                ? "json"
           : options->lambda.value != 0 ? "lambda"
           : options->threads != 0      ? "threads"
                                        : NULL;
}

static enum failure_kind make(const struct expander_options *options, const char *path,
                              struct failure *failure)
{
    char comment[200];
    struct expander graph;
    struct output_file file;
    if (path != NULL)
        return fail(failure, FAIL_USAGE, "unexpected '%.80s'; make writes to -o FILE", path);
    const char *foreign = option_of_check(options);
    if (foreign != NULL)
        return fail(failure, FAIL_USAGE, "--%s is for check; make writes a graph", foreign);
    if (options->groups.count > 1)
        return fail(failure, FAIL_USAGE, "make takes one --c; the permutation is that of every c");
    if (make_graph(options, &graph, failure) != FAIL_NONE)
        return failure->kind;
    const char *output = options->output == NULL ? "-" : options->output;
    if (output_file_open(&file, output, &interruption_watch, failure) == FAIL_NONE) {
        describe(options, &graph, comment, sizeof comment);
        expander_write(&graph, comment, file.file); /* the close tells what went wrong */
        output_file_close(&file, true, failure);
    }
    expander_free(&graph);
    return failure->kind;
}

/* ---- check ---- */

static enum failure_kind check_size(const struct expander_options *options,
                                    const struct bracket *bracket, struct failure *failure)
{
    if (!bracket_is_regular(bracket))
        return fail(failure, FAIL_CHECK,
                    "no expander of Definition 1: with c = %" PRIu32 " a group has %" PRIu32
                    " edges and another %" PRIu32,
                    bracket->groups, bracket->least_load, bracket->most_load);
    if (bracket->upper >= options->lambda.value)
        return FAIL_NONE;
    char set[REPORT_SET_SIZE];
    return fail(failure, FAIL_CHECK,
                "--lambda %g is more than c = %" PRIu32 " has: lambda is at most %.4f, by %s",
                options->lambda.value, bracket->groups, report_expander_up(bracket->upper),
                report_expander_set(bracket, set));
}

/* A second failure would be ignored: the first size that is wrong is told, after the report. */
static enum failure_kind report_all(const struct expander_options *options,
                                    const struct expander_report *report, struct failure *failure)
{
    if (options->json) {
        if (report_print_json(report_expander_json(report), stdout, failure) != FAIL_NONE)
            return failure->kind;
    } else {
        report_print_expander(report, stdout);
    }
    for (uint32_t i = 0; i < report->sizes && failure->kind == FAIL_NONE; i++)
        check_size(options, &report->bracket[i], failure);
    return failure->kind;
}

static enum failure_kind check_graph(const struct expander_options *options, const char *name,
                                     struct expander *graph, struct failure *failure)
{
    struct expander_report report = {.name = name, .graph = graph};
    struct size_list sizes = options->groups;
    uint32_t threads =
        parallel_threads(options->threads == 0 ? parallel_cores() : options->threads);
    if (sizes.count == 0)
        sizes = (struct size_list){1, {graph->groups}};
    for (uint32_t i = 0; i < sizes.count && failure->kind == FAIL_NONE; i++) {
        double start = stopwatch_seconds();
        if (expander_set_groups(graph, sizes.value[i], failure) == FAIL_NONE &&
            bracket_make(&report.bracket[i], graph, threads, failure) == FAIL_NONE)
            report.seconds[report.sizes++] = stopwatch_seconds() - start;
    }
    if (failure->kind == FAIL_NONE)
        report_all(options, &report, failure);
    for (uint32_t i = 0; i < report.sizes; i++)
        bracket_free(&report.bracket[i]);
    return failure->kind;
}

static enum failure_kind check(const struct expander_options *options, const char *path,
                               struct failure *failure)
{
    char name[200];
    struct expander graph;
    if (options->output != NULL)
        return fail(failure, FAIL_USAGE, "-o is for make; check prints");
    if (path == NULL && options->inputs == 0 && options->degree == 0)
        return fail(failure, FAIL_USAGE, "missing a graph file, or --m M --c C --r R");
    if (path != NULL && (options->inputs != 0 || options->degree != 0))
        return fail(failure, FAIL_USAGE, "%.200s has its own m and r: leave --m and --r out", path);
    if (path != NULL &&
        (options->graph.given || options->q != 0 || options->k != 0 || options->seed.given))
        return fail(failure, FAIL_USAGE,
                    "%.200s is a graph already: leave --graph, --q, --k and --seed out", path);
    enum failure_kind kind =
        path != NULL ? expander_read(&graph, path, failure) : make_graph(options, &graph, failure);
    if (kind != FAIL_NONE)
        return kind;
    describe(options, &graph, name, sizeof name);
    if (path != NULL)
        snprintf(name, sizeof name, "%.190s", strcmp(path, "-") == 0 ? "standard input" : path);
    check_graph(options, path != NULL ? name : name + strlen("meshcast expander make "), &graph,
                failure);
    expander_free(&graph);
    return failure->kind;
}

/* ---- deeds ---- */

static const struct deed {
    const char *name;
    enum failure_kind (*run)(const struct expander_options *options, const char *path,
                             struct failure *failure);
} DEEDS[] = {{"make", make}, {"check", check}};

enum { DEEDS_COUNT = sizeof DEEDS / sizeof *DEEDS };

static const char *deed_name_at(const void *context, uint32_t index)
{
    (void)context;
    return index < DEEDS_COUNT ? DEEDS[index].name : NULL;
}

static const struct name_family deed_names = {"deed", "deeds", "", deed_name_at, NULL};

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    const char *path = operands->count > 1 ? operands->operand[1] : NULL;
    uint32_t deed;
    if (name_family_find(&deed_names, operands->operand[0], &deed, failure) != FAIL_NONE)
        return failure->kind;
    return DEEDS[deed].run(options, path, failure);
}

const struct command command_expander = {
    .name = "expander",
    .summary = "make an expander graph, or bracket the expansion of one",
    .examples = "  meshcast expander make --m 256 --c 16 --r 4 --graph rs -o rs.expander\n"
                "  meshcast expander check rs.expander\n"
                "  meshcast gen --side 32 --pattern adversary --congestion 16 \\\n"
                "      --against rs.expander -o against.mcast\n"
                "  meshcast route against.mcast --router expander --param graph=rs.expander\n"
                "  meshcast compare against.mcast --param graph=rs.expander\n\n"
                "  meshcast expander make --m 256 --c 16 --r 4 -o random.expander\n"
                "  meshcast expander check random.expander --c 16,32\n"
                "  meshcast expander check --m 1024 --c 32 --r 4 --seed 7 --json\n\n"
                "Which graph router expander can use: 'meshcast route --help'.\n",
    .synopsis = "make --m M --c C --r R [--graph random|rs] [--q Q --k K] [--seed S]\n"
                "                [-o FILE]\n"
                "       meshcast expander check FILE [--c C1,C2,...] [--lambda L] [--json]\n"
                "       meshcast expander check --m M --c C1,C2,... --r R [options of make]",
    .operands = "make, or check and a graph file",
    .least = 1,
    .most = 2,
    .operand_names = &deed_names,
    .options_size = sizeof(struct expander_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0}},
    .run = run,
};
