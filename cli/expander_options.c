/* expander_options.c - the options of `meshcast expander`, and the graph that they describe.
 *
 * What was not given is told from what was, since some options belong to one subcommand or one kind of
 * graph alone.
 */
#include "cli/expander_options.h"

#include "library/available_memory.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

static bool is_listed(const struct size_list *list, uint64_t number)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i] == number)
            return true;
    return false;
}

/* "C" or "C1,C2,..."; what is named twice counts once. */
static int accept_sizes(void *field, char *value, struct failure *failure)
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

enum { GRAPH_RANDOM, GRAPH_REED_SOLOMON };
static const char *const graph_names[] = {
    [GRAPH_RANDOM] = "random", [GRAPH_REED_SOLOMON] = "rs", NULL};

static int accept_graph(void *field, char *value, struct failure *failure)
{
    struct given_graph *graph = field;
    uint32_t kind = GRAPH_RANDOM;
    graph->given = true;
    option_take_choice("graph", graph_names, value, &kind, failure);
    graph->is_reed_solomon = kind == GRAPH_REED_SOLOMON;
    return failure->kind;
}

static int accept_seed(void *field, char *value, struct failure *failure)
{
    struct given_seed *seed = field;
    seed->given = true;
    return option_take_seed("seed", value, &seed->value, failure);
}

static int accept_lambda(void *field, char *value, struct failure *failure)
{
    struct given_lambda *lambda = field;
    char *end = value;
    lambda->value = (*value >= '0' && *value <= '9') || *value == '.' ? strtod(value, &end) : 0;
    if (end == value || *end != '\0' || !(lambda->value > 0 && lambda->value <= 1))
        return fail(failure, FAIL_USAGE,
                    "--lambda wants a number above 0 and at most 1, not '%.40s'", value);
    return FAIL_NONE;
}

#define NUMBER_OPTION(option, field, common, text, letters, smallest, largest)                     \
    {                                                                                              \
        .name = option, .value = letters, .is_common = common, .help = text,                       \
        .type = MESHCAST_OPTION_NUMBER, .offset = offsetof(struct expander_options, field),        \
        .least = smallest, .most = largest                                                         \
    }

const struct meshcast_option expander_option_row[EXPANDER_OPTION_ROWS] = {
    NUMBER_OPTION("inputs", inputs, true, "inputs of the graph, P", "P", 1, EXPANDER_MOST_INPUTS),
    {.name = "c",
     .value = "C,...",
     .is_common = true,
     .help = "groups; for check also several, with commas: the family of a\npermutation; with "
             "--graph rs the default is r q",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct expander_options, groups),
     .accept = accept_sizes},
    NUMBER_OPTION("r", degree, true, "edges per input", "R", 1, EXPANDER_MOST_DEGREE),
    {.name = "graph",
     .value = "random|rs",
     .is_common = true,
     .help = "a random permutation (the default), or Reed-Solomon",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct expander_options, graph),
     .accept = accept_graph,
     .choices = graph_names},
    NUMBER_OPTION("q", q, true,
                  "of rs, the elements of the field, a prime power; the default is c / r", "Q", 2,
                  GALOIS_MOST),
    NUMBER_OPTION("k", k, true,
                  "of rs, polynomials of degree < k; the default is the least that suffices", "K",
                  1, 32),
    {.name = "seed",
     .value = "S",
     .help = "of the random permutation, decimal or 0x...; the default is 1",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct expander_options, seed),
     .accept = accept_seed},
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .is_common = true,
     .help = "of make, where the graph goes; the default is standard output",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct expander_options, output),
     .is_file = true},
    {.name = "lambda",
     .value = "L",
     .is_common = true,
     .help = "of check, fail (status 1) if a set expands by less",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct expander_options, lambda),
     .accept = accept_lambda},
    NUMBER_OPTION("threads", threads, false,
                  "check: the default is a thread per free core; results are the same", "T", 1,
                  1024),
    REPORT_FORM_ROWS(struct expander_options, form),
    {.name = "quiet",
     .letter = 'q',
     .help = "nothing on standard error but errors",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct expander_options, quiet)},
    AVAILABLE_MEMORY_FORCE_ROW(struct expander_options, force),
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

enum failure_kind expander_options_make(const struct expander_options *options,
                                        struct expander *graph, struct failure *failure)
{
    bool is_random = !options->graph.is_reed_solomon;
    if (options->inputs == 0 || options->degree == 0 || (is_random && options->groups.count == 0))
        return fail(failure, FAIL_USAGE, "missing --%s; a graph needs --inputs P --c C --r R",
                    options->inputs == 0   ? "inputs"
                    : options->degree == 0 ? "r"
                                           : "c");
    if (!is_random && options->seed.given)
        return fail(failure, FAIL_USAGE, "--seed is for --graph random; rs draws nothing");
    if (!is_random)
        return make_reed_solomon(options, graph, failure);
    if (options->q != 0 || options->k != 0)
        return fail(failure, FAIL_USAGE, "--q and --k are for --graph rs");
    return expander_random(graph, options->inputs, options->groups.value[0], options->degree,
                           options->seed.given ? options->seed.value : EXPANDER_DEFAULT_SEED,
                           failure);
}
