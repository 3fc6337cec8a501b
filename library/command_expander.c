/* command_expander.c - the command `expander`: makes graphs, and brackets their expansion.
 *
 * The first operand is the subcommand, a row of a table: `make` writes a graph file, `check` prints
 * the bracket of a file, or of a graph that the options describe. Several values of --c check the
 * family that one permutation represents. Options that a subcommand does not use are refused.
 *
 * A graph whose groups differ in degree by more than one is no expander of Definition 1, and one
 * with a set that expands by less than --lambda fails: status 1, after the report.
 *
 * The report of a single graph has a line per certificate, with the theorem that it follows from; a
 * family has a row per number of groups. Certified values are shown rounded down and values of sets
 * rounded up, so that no figure claims more than was proven.
 */
#include "base/output_file.h"
#include "base/parallel.h"
#include "base/printable.h"
#include "base/stopwatch.h"
#include "expanders/bracket.h"
#include "library/commands.h"
#include "library/option_table.h"
#include "library/report_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_SEED = 1 /* also the router's default */,
    MOST_SIZES = 16,
    SET_TEXT = 120,
    INPUTS_A_LINE = 12
};

struct size_list {
    uint32_t count, value[MOST_SIZES];
};

struct expander_options {
    uint32_t inputs, degree, q, k, threads; /* 0: not given */
    uint32_t graph;                         /* an index of graph_names */
    struct size_list groups;
    uint64_t seed;
    double lambda; /* 0: not given */
    const char *output;
    bool keeps_neighbours;
};

/* One graph, or one permutation with several numbers of groups. */
struct expander_report {
    const char *name; /* of the file, or the graph's origin */
    const struct expander *graph;
    uint32_t sizes;
    struct bracket bracket[MOST_SIZES];
    double seconds[MOST_SIZES];
};

/* ---- options ---- */

static bool is_listed(const struct size_list *list, uint64_t number)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i] == number)
            return true;
    return false;
}

/* Parses "C" or "C1,C2,..."; repeated numbers count once. */
static int parse_sizes(void *field, char *value, struct failure *failure)
{
    struct size_list *list = field;
    list->count = 0;
    for (char *at = value;; at++) {
        unsigned long long number = *at >= '0' && *at <= '9' ? strtoull(at, &at, 10) : 0;
        if (number < 1 || number > EXPANDER_MOST_GROUPS || (*at != ',' && *at != '\0'))
            return fail(failure, FAIL_USAGE,
                        "--c takes numbers of groups, 1 .. %d, with commas between, not '%.40s'",
                        EXPANDER_MOST_GROUPS, value);
        bool is_new = !is_listed(list, number);
        if (is_new && list->count == MOST_SIZES)
            return fail(failure, FAIL_USAGE, "--c takes at most %d numbers", MOST_SIZES);
        if (is_new)
            list->value[list->count++] = (uint32_t)number;
        if (*at == '\0')
            return FAIL_NONE;
    }
}

enum { GRAPH_RANDOM, GRAPH_REED_SOLOMON };
static const char *const graph_names[] = {
    [GRAPH_RANDOM] = "random", [GRAPH_REED_SOLOMON] = "rs", NULL};

static int parse_lambda(void *field, char *value, struct failure *failure)
{
    double *lambda = field;
    char *end = value;
    *lambda = (*value >= '0' && *value <= '9') || *value == '.' ? strtod(value, &end) : 0;
    if (end == value || *end != '\0' || !(*lambda > 0 && *lambda <= 1))
        return fail(failure, FAIL_USAGE,
                    "--lambda takes a number above 0 and at most 1, not '%.40s'", value);
    return FAIL_NONE;
}

static const struct meshcast_option rows[] = {
    OPTION_NUMBER("inputs", "P", COMMON, struct expander_options, inputs, 1, EXPANDER_MOST_INPUTS,
                  "inputs of the graph, P"),
    OPTION_OTHER("c", "C,...", COMMON, struct expander_options, groups, parse_sizes,
                 "groups; for check also several, with commas: the family of a\npermutation; with "
                 "--graph rs the default is r q"),
    OPTION_NUMBER("r", "R", COMMON, struct expander_options, degree, 1, EXPANDER_MOST_DEGREE,
                  "edges per input"),
    OPTION_CHOICE("graph", "random|rs", COMMON, struct expander_options, graph, graph_names,
                  "a random permutation (the default), or Reed-Solomon"),
    OPTION_NUMBER("q", "Q", COMMON, struct expander_options, q, 2, GALOIS_MOST,
                  "of rs, the elements of the field, a prime power; the default is c / r"),
    OPTION_NUMBER("k", "K", COMMON, struct expander_options, k, 1, 32,
                  "of rs, polynomials of degree < k; the default is the least that suffices"),
    OPTION_SEED(RARE, struct expander_options, seed,
                "of the random permutation, decimal or 0x...; the default is 1"),
    OPTION_OUTPUT("output", "FILE", 'o', COMMON, struct expander_options, output,
                  "of make, where the graph goes; the default is standard output"),
    OPTION_OTHER("lambda", "L", COMMON, struct expander_options, lambda, parse_lambda,
                 "of check, fail (status 1) if a set expands by less"),
    OPTION_NUMBER("threads", "T", RARE, struct expander_options, threads, 1, 1024,
                  "check: the default is a thread per free core; results are the same"),
    /* [inputs r], the groups of one input after the other */
    OPTION_FLAG("keep-neighbours", RARE, struct expander_options, keeps_neighbours, NULL),
};

/* ---- JSON ---- */

/* Returns the value for JSON, with ten digits: certified values are rounded down to nine places,
 * found ones up. */
static json_t *at_least(double lambda)
{
    return json_real(floor(lambda * 1e9) / 1e9);
}

static json_t *at_most(double lambda)
{
    return json_real(ceil(lambda * 1e9 - 1e-3) / 1e9);
}

static json_t *certificate_json(const struct bracket *bracket, enum certificate_kind kind)
{
    const struct certificate *certificate = &bracket->certificate[kind];
    struct report_object object = report_object_open();
    report_set(&object, "name", json_string(certificate_name(kind)));
    report_set(&object, "theorem", json_string(certificate_theorem(kind)));
    report_set(&object, "lambda", certificate->holds ? at_least(certificate->lambda) : json_null());
    if (!certificate->holds)
        report_set(&object, "left_out", json_string(certificate->why));
    return report_object_close(&object);
}

static json_t *set_json(const struct weak_set *set)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < set->count; i++)
        report_append(&array, json_integer((json_int_t)set->input[i]));
    return array;
}

static json_t *bracket_json(const struct bracket *bracket, double seconds)
{
    struct report_object object = report_object_open();
    json_t *certificates = json_array();
    for (int i = 0; i < CERTIFICATES; i++)
        report_append(&certificates, certificate_json(bracket, (enum certificate_kind)i));
    report_set_count(&object, "c", bracket->groups);
    report_set(&object, "regular", json_boolean(bracket_is_regular(bracket)));
    report_set_count(&object, "least_load", bracket->least_load);
    report_set_count(&object, "most_load", bracket->most_load);
    report_set_count(&object, "multi_edges", bracket->multi_edges);
    report_set_count(&object, "multi_inputs", bracket->multi_inputs);
    report_set_count(&object, "largest_set", bracket->largest_set);
    report_set(&object, "certificates", certificates);
    report_set(&object, "lambda_certified", at_least(bracket_certified(bracket)));
    report_set_word(&object, "lambda_certified_by",
                    bracket->any ? certificate_name(bracket->best) : NULL);
    report_set(&object, "lambda_found", at_most(bracket->upper));
    report_set_count(&object, "found_neighbours", bracket->found.neighbours);
    report_set(&object, "found_set", set_json(&bracket->found));
    report_set_real(&object, "second_singular_value", bracket->second_value > 0,
                    bracket->second_value);
    report_set(&object, "lambda_random", at_least(bracket->random_lambda));
    report_set(&object, KEY_WALL_SECONDS, json_real(seconds));
    return report_object_close(&object);
}

static struct report_object open_graph(const char *name, const struct expander *graph)
{
    bool has_field = graph->kind == EXPANDER_REED_SOLOMON;
    struct report_object object = report_result_open();
    report_set(&object, "graph", report_json_text(name));
    report_set(&object, "kind", json_string(expander_kind_name(graph->kind)));
    report_set_count(&object, "inputs", graph->inputs);
    report_set_count(&object, "m", graph->inputs); /* its former name */
    report_set_count(&object, "r", graph->degree);
    report_set_if(&object, "q", has_field, graph->field.q);
    report_set_if(&object, "k", has_field, graph->dimension);
    return object;
}

/* Returns the object of `expander make --json`. */
static json_t *graph_json(const char *name, const struct expander *graph)
{
    struct report_object object = open_graph(name, graph);
    report_set_count(&object, "c", graph->groups);
    return report_object_close(&object);
}

/* Returns the object of `expander check --json`. */
static json_t *report_json(const struct expander_report *report)
{
    struct report_object object = open_graph(report->name, report->graph);
    json_t *brackets = json_array();
    for (uint32_t i = 0; i < report->sizes; i++)
        if (json_array_append_new(brackets,
                                  bracket_json(&report->bracket[i], report->seconds[i])) != 0)
            object.failed = true;
    report_set(&object, "brackets", brackets);
    return report_object_close(&object);
}

/* ---- tables ---- */

static double down(double lambda)
{
    return floor(lambda * 1e4) / 1e4;
}

/* Returns an upper bound as it is shown: raised to the next of four decimals. The rounding of the
 * quotient itself does not count. */
static double up(double lambda)
{
    return ceil(lambda * 1e4 - 1e-8) / 1e4;
}

/* Writes "16 inputs with 13 distinct neighbours of 64 edges": the set that was found. */
static const char *set_text(const struct bracket *bracket, char text[SET_TEXT])
{
    uint32_t inputs = bracket->found.count, neighbours = bracket->found.neighbours;
    uint32_t edges = inputs * bracket->degree;
    snprintf(text, SET_TEXT,
             "%" PRIu32 " input%s with %" PRIu32 " distinct neighbour%s of %" PRIu32 " edge%s",
             inputs, inputs == 1 ? "" : "s", neighbours, neighbours == 1 ? "" : "s", edges,
             edges == 1 ? "" : "s");
    return text;
}

static void print_graph(const struct expander *graph, FILE *out)
{
    fprintf(out, "%s, %" PRIu32 " inputs, r = %" PRIu32 " edges each",
            expander_kind_name(graph->kind), graph->inputs, graph->degree);
    if (graph->kind == EXPANDER_REED_SOLOMON)
        fprintf(out, ", polynomials of degree < %" PRIu32 " over F_%" PRIu32, graph->dimension,
                graph->field.q);
    fputc('\n', out);
}

static void print_degrees(const struct bracket *bracket, FILE *out)
{
    fprintf(out, "c = %" PRIu32 " groups, ", bracket->groups);
    if (bracket->least_load == bracket->most_load)
        fprintf(out, "%" PRIu32 " edges each: regular\n", bracket->least_load);
    else
        fprintf(out, "%" PRIu32 " to %" PRIu32 " edges each: %s\n", bracket->least_load,
                bracket->most_load,
                bracket_is_regular(bracket) ? "as regular as r m / c allows" : "NOT REGULAR");
    fprintf(out,
            "%" PRIu32 " multi-edges, at %" PRIu32 " inputs; sets of up to c / r = %" PRIu32
            " inputs count\n",
            bracket->multi_edges, bracket->multi_inputs, bracket->largest_set);
}

static void print_set(const struct weak_set *set, FILE *out)
{
    for (uint32_t i = 0; i < set->count; i++)
        fprintf(out, "%s%" PRIu32, i % INPUTS_A_LINE == 0 ? "\n    " : " ", set->input[i]);
    fputc('\n', out);
}

static void print_found(const struct bracket *bracket, FILE *out)
{
    char set[SET_TEXT];
    fprintf(out, "  %s, counted again:", set_text(bracket, set));
    print_set(&bracket->found, out);
}

static void print_single(const struct bracket *bracket, double seconds, FILE *out)
{
    print_degrees(bracket, out);
    fputc('\n', out);
    report_print_heading("lambda is at least (certified for this graph)", out);
    for (int i = 0; i < CERTIFICATES; i++) {
        const struct certificate *own = &bracket->certificate[i];
        const char *name = certificate_name((enum certificate_kind)i);
        if (own->holds)
            fprintf(out, "%s %-12s %.4f   %s\n",
                    bracket->any && i == (int)bracket->best ? "*" : " ", name, down(own->lambda),
                    certificate_theorem((enum certificate_kind)i));
        else
            fprintf(out, "  %-12s      -   %s\n", name, own->why);
    }
    fputc('\n', out);
    report_print_heading("lambda is at most (a set that was found)", out);
    fprintf(out, "  %-12s %.4f\n", "search", up(bracket->upper));
    print_found(bracket, out);
    fputc('\n', out);
    report_print_heading("a random permutation of these sizes (no claim about this graph)", out);
    fprintf(out,
            "  %-12s %.4f   lambda of all but one in a million, by the union bound of Section 5\n",
            "union bound", down(bracket->random_lambda));
    fprintf(out, "\n  wall time %.2f s\n", seconds);
}

static void print_value(const struct certificate *certificate, FILE *out)
{
    if (certificate->holds)
        fprintf(out, " %11.4f", down(certificate->lambda));
    else
        fprintf(out, " %11s", "-");
}

static void print_family(const struct expander_report *report, FILE *out)
{
    char head[160];
    snprintf(head, sizeof head, "%8s %8s %11s %11s %11s %11s %11s %12s %8s", "c", "edges", "exact",
             "spectral", "codegree", "certified", "search <=", "random, P", "seconds");
    fputc('\n', out);
    report_print_heading(head, out);
    for (uint32_t i = 0; i < report->sizes; i++) {
        const struct bracket *bracket = &report->bracket[i];
        fprintf(out, "%8" PRIu32 " %7" PRIu32 "%s", bracket->groups, bracket->most_load,
                bracket->least_load == bracket->most_load ? " " : "-");
        print_value(&bracket->certificate[CERTIFICATE_EXACT], out);
        print_value(&bracket->certificate[CERTIFICATE_SPECTRAL], out);
        print_value(&bracket->certificate[CERTIFICATE_CODEGREE], out);
        fprintf(out, " %11.4f %11.4f %12.4f %8.2f\n", down(bracket_certified(bracket)),
                up(bracket->upper), down(bracket->random_lambda), report->seconds[i]);
    }
    fputs("\nlambda >= exact, spectral, codegree: certified for this graph; <= search: by a set of "
          "inputs;\nrandom: all but one in a million permutations of these sizes have as much; "
          "edges: of a group,\nwith - where some have one more or one fewer.\n",
          out);
    for (uint32_t i = 0; i < report->sizes; i++) {
        fprintf(out, "\nc = %" PRIu32 "\n", report->bracket[i].groups);
        print_found(&report->bracket[i], out);
    }
}

/* Prints the bracket of a single graph, or the table of a family, and the sets that were found. */
static void print_report(const struct expander_report *report, FILE *out)
{
    char name[PRINTABLE_NAME];
    fprintf(out, "%s: ", printable_name(report->name, name));
    print_graph(report->graph, out);
    if (report->sizes == 1)
        print_single(&report->bracket[0], report->seconds[0], out);
    else
        print_family(report, out);
}

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

static uint64_t seed_of(const struct meshcast_command *command)
{
    const struct expander_options *options = command->options;
    return command_is_set(command, "seed") ? options->seed : DEFAULT_SEED;
}

/* Makes the graph that the options describe. */
static enum failure_kind make_graph(const struct meshcast_command *command, struct expander *graph,
                                    struct failure *failure)
{
    const struct expander_options *options = command->options;
    bool is_random = options->graph == GRAPH_RANDOM;
    if (options->inputs == 0 || options->degree == 0 || (is_random && options->groups.count == 0))
        return fail(failure, FAIL_USAGE, "missing --%s; a graph needs --inputs P --c C --r R",
                    options->inputs == 0   ? "inputs"
                    : options->degree == 0 ? "r"
                                           : "c");
    if (!is_random && command_is_set(command, "seed"))
        return fail(failure, FAIL_USAGE, "--seed is for --graph random; rs draws nothing");
    if (!is_random)
        return make_reed_solomon(options, graph, failure);
    if (options->q != 0 || options->k != 0)
        return fail(failure, FAIL_USAGE, "--q and --k are for --graph rs");
    return expander_random(graph, options->inputs, options->groups.value[0], options->degree,
                           seed_of(command), failure);
}

/* The beginning of a graph's comment. */
static const char MAKE[] = "meshcast expander make ";

static void describe(const struct meshcast_command *command, const struct expander *graph,
                     char *text, size_t size)
{
    int used = snprintf(text, size, "%s--inputs %" PRIu32 " --c %" PRIu32 " --r %" PRIu32, MAKE,
                        graph->inputs, graph->groups, graph->degree);
    if (graph->kind == EXPANDER_REED_SOLOMON)
        snprintf(text + used, size - (size_t)used, " --graph rs --q %" PRIu32 " --k %" PRIu32,
                 graph->field.q, graph->dimension);
    else
        snprintf(text + used, size - (size_t)used, " --seed %" PRIu64, seed_of(command));
}

/* ---- make ---- */

/* Reports the graph, with its neighbours if requested. */
static enum failure_kind report_graph(const struct expander_options *options, const char *name,
                                      const struct expander *graph, struct meshcast_report *report,
                                      struct failure *failure)
{
    if (report_take_json(report, graph_json(name, graph), NULL, failure) != FAIL_NONE ||
        !options->keeps_neighbours)
        return failure->kind;
    size_t count = (size_t)graph->inputs * graph->degree;
    uint32_t *neighbour = memory_allocate(count, sizeof *neighbour);
    if (neighbour == NULL)
        return fail_memory(failure, "the neighbours");
    for (size_t i = 0; i < count; i++)
        neighbour[i] =
            expander_neighbour(graph, (uint32_t)(i / graph->degree), (uint32_t)(i % graph->degree));
    report_take_array(report, "neighbours", neighbour, count, false);
    return FAIL_NONE;
}

static enum failure_kind make(struct meshcast_command *command, struct meshcast_report *report,
                              struct failure *failure)
{
    const struct expander_options *options = command->options;
    const char *path = command_operand(command, 1);
    char comment[200];
    struct expander graph;
    struct output_file file;
    if (path != NULL)
        return fail(failure, FAIL_USAGE, "unexpected '%.80s'; make writes to -o FILE", path);
    if (options->lambda != 0 || options->threads != 0)
        return fail(failure, FAIL_USAGE, "--%s is for check; make writes a graph",
                    options->lambda != 0 ? "lambda" : "threads");
    if (options->groups.count > 1)
        return fail(failure, FAIL_USAGE, "make takes one --c; the permutation is that of every c");
    if (make_graph(command, &graph, failure) != FAIL_NONE)
        return failure->kind;
    describe(command, &graph, comment, sizeof comment);
    if (report_graph(options, comment + strlen(MAKE), &graph, report, failure) == FAIL_NONE &&
        output_file_open(&file, options->output, failure) == FAIL_NONE) {
        FILE *out = options->output != NULL ? file.file : command->table;
        bool is_written = out == NULL || expander_write(&graph, comment, out);
        if (output_file_close(&file, true, failure) == FAIL_NONE && !is_written)
            fail(failure, FAIL_SYSTEM, "cannot write the graph");
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
    if (bracket->upper >= options->lambda)
        return FAIL_NONE;
    char set[SET_TEXT];
    return fail(failure, FAIL_CHECK,
                "--lambda %g is more than c = %" PRIu32 " has: lambda is at most %.4f, by %s",
                options->lambda, bracket->groups, up(bracket->upper), set_text(bracket, set));
}

/* The progress of the check of a size. */
struct check_progress {
    const struct meshcast_command *command;
    uint32_t groups;
};

static void show_share(void *context, const char *what, double share)
{
    const struct check_progress *progress = context;
    char text[128];
    snprintf(text, sizeof text, "expander check: c = %" PRIu32 ": %s, percent", progress->groups,
             what);
    command_progress(progress->command, (uint64_t)floor(100 * share), 100, text);
}

/* Brackets each size that the options name, or the graph's own. */
static enum failure_kind bracket_sizes(const struct meshcast_command *command,
                                       struct expander *graph, struct expander_report *found,
                                       struct failure *failure)
{
    const struct expander_options *options = command->options;
    struct size_list sizes = options->groups;
    struct check_progress progress = {.command = command};
    const struct effort effort = {show_share, &progress, command->interrupt};
    uint32_t wanted = parallel_threads_for(UINT32_MAX, UINT32_MAX, options->threads);
    uint32_t threads = parallel_begin(wanted);
    if (sizes.count == 0)
        sizes = (struct size_list){1, {graph->groups}};
    for (uint32_t i = 0; i < sizes.count && failure->kind == FAIL_NONE; i++) {
        double start = stopwatch_seconds();
        progress.groups = sizes.value[i];
        if (expander_set_groups(graph, sizes.value[i], failure) == FAIL_NONE &&
            bracket_make(&found->bracket[i], graph, threads, &effort, failure) == FAIL_NONE)
            found->seconds[found->sizes++] = stopwatch_seconds() - start;
    }
    command_note_threads(command, threads, wanted - threads);
    return failure->kind;
}

static enum failure_kind check_graph(const struct meshcast_command *command, const char *name,
                                     struct expander *graph, struct meshcast_report *report,
                                     struct failure *failure)
{
    const struct expander_options *options = command->options;
    struct expander_report found = {.name = name, .graph = graph};
    if (bracket_sizes(command, graph, &found, failure) == FAIL_NONE &&
        report_take_json(report, report_json(&found), "brackets", failure) == FAIL_NONE)
        print_report(&found, command_table(report));
    /* the first wrong size is the failure */
    for (uint32_t i = 0; i < found.sizes && failure->kind == FAIL_NONE; i++)
        check_size(options, &found.bracket[i], failure);
    for (uint32_t i = 0; i < found.sizes; i++)
        bracket_free(&found.bracket[i]);
    return failure->kind;
}

static enum failure_kind check(struct meshcast_command *command, struct meshcast_report *report,
                               struct failure *failure)
{
    const struct expander_options *options = command->options;
    const char *path = command_operand(command, 1);
    char name[200];
    struct expander graph;
    if (options->output != NULL)
        return fail(failure, FAIL_USAGE, "-o is for make; check prints");
    if (path == NULL && options->inputs == 0 && options->degree == 0)
        return fail(failure, FAIL_USAGE, "missing a graph file, or --inputs P --c C --r R");
    if (path != NULL && (options->inputs != 0 || options->degree != 0))
        return fail(failure, FAIL_USAGE,
                    "%.200s has its own inputs and r: leave --inputs and --r out", path);
    if (path != NULL && (command_is_set(command, "graph") || options->q != 0 || options->k != 0 ||
                         command_is_set(command, "seed")))
        return fail(failure, FAIL_USAGE,
                    "%.200s is a graph already: leave --graph, --q, --k and --seed out", path);
    enum failure_kind kind =
        path != NULL ? expander_read(&graph, path, failure) : make_graph(command, &graph, failure);
    if (kind != FAIL_NONE)
        return kind;
    describe(command, &graph, name, sizeof name);
    if (path != NULL)
        snprintf(name, sizeof name, "%.190s", strcmp(path, "-") == 0 ? "standard input" : path);
    check_graph(command, path != NULL ? name : name + strlen(MAKE), &graph, report, failure);
    expander_free(&graph);
    return failure->kind;
}

/* ---- subcommands ---- */

static const struct subcommand {
    const char *name;
    enum failure_kind (*run)(struct meshcast_command *command, struct meshcast_report *report,
                             struct failure *failure);
} SUBCOMMANDS[] = {{"make", make}, {"check", check}};

enum { SUBCOMMANDS_COUNT = sizeof SUBCOMMANDS / sizeof *SUBCOMMANDS };

static const char *subcommand_name_at(const void *context, uint32_t index)
{
    (void)context;
    return index < SUBCOMMANDS_COUNT ? SUBCOMMANDS[index].name : NULL;
}

static const struct name_family subcommand_names = {"subcommand", "subcommands", "",
                                                    subcommand_name_at, NULL};

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    uint32_t subcommand;
    if (name_family_find(&subcommand_names, command->operand[0], &subcommand, failure) != FAIL_NONE)
        return failure->kind;
    return SUBCOMMANDS[subcommand].run(command, report, failure);
}

const struct meshcast_command_row command_expander = {
    .name = "expander",
    .summary = "make an expander graph, or bracket the expansion of one",
    .examples = "  meshcast expander make --inputs 256 --c 16 --r 4 --graph rs -o rs.expander\n"
                "  meshcast expander check rs.expander\n"
                "  meshcast gen --side 32 --pattern adversary --congestion 16 \\\n"
                "      --against rs.expander -o against.mcast\n"
                "  meshcast route against.mcast --router expander --param graph=rs.expander\n"
                "  meshcast compare against.mcast --param graph=rs.expander\n\n"
                "  meshcast expander make --inputs 256 --c 16 --r 4 -o random.expander\n"
                "  meshcast expander check random.expander --c 16,32\n"
                "  meshcast expander check --inputs 1024 --c 32 --r 4 --seed 7 --json\n\n"
                "Which graph router expander can use: 'meshcast help router expander'.\n",
    .synopsis = "make --inputs P --c C --r R [--graph random|rs] [--q Q --k K]\n"
                "                [--seed S] [-o FILE]\n"
                "       meshcast expander check FILE [--c C1,C2,...] [--lambda L] [--json|--csv]\n"
                "       meshcast expander check --inputs P --c C1,C2,... --r R [options of make]",
    .operands = "make or check, what to do with a graph",
    .least = 1,
    .most = 2,
    .operand_names = &subcommand_names,
    .options_size = sizeof(struct expander_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0}},
    .run = run,
};
