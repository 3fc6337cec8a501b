/* expander_handle.c - expander graphs and their brackets as handles: `meshcast expander` for programs. */
#include "base/output_file.h"
#include "base/parallel.h"
#include "expanders/bracket.h"
#include "library/handle_private.h"
#include "library/meshcast_expander.h"

#include <stdlib.h>

struct meshcast_expander {
    struct expander graph;
};

struct meshcast_bracket {
    struct bracket bracket;
};

/* ---- graphs ---- */

static struct meshcast_expander *graph_new(struct failure *failure)
{
    struct meshcast_expander *graph = memory_allocate(1, sizeof *graph);
    if (graph == NULL)
        fail_memory(failure, "a graph");
    return graph;
}

static struct meshcast_expander *graph_give(struct meshcast_expander *graph,
                                            const struct failure *failure,
                                            struct meshcast_error *error)
{
    if (error_give(error, failure) == MESHCAST_OK)
        return graph;
    free(graph);
    return NULL;
}

struct meshcast_expander *meshcast_expander_random(uint32_t p, uint32_t c, uint32_t r,
                                                   uint64_t seed, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_expander *graph = graph_new(&failure);
    if (graph != NULL)
        expander_random(&graph->graph, p, c, r, seed, &failure);
    return graph_give(graph, &failure, error);
}

struct meshcast_expander *meshcast_expander_reed_solomon(uint32_t p, uint32_t r, uint32_t q,
                                                         uint32_t k, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_expander *graph = graph_new(&failure);
    if (graph != NULL && q < 2)
        fail(&failure, FAIL_USAGE, "q = %u is no order of a field, which is a prime power", q);
    else if (graph != NULL)
        expander_reed_solomon(&graph->graph, p, r, q, k == 0 ? expander_dimension(p, q) : k,
                              &failure);
    return graph_give(graph, &failure, error);
}

struct meshcast_expander *meshcast_expander_read(const char *path, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_expander *graph = graph_new(&failure);
    if (graph != NULL)
        expander_read(&graph->graph, path, &failure);
    return graph_give(graph, &failure, error);
}

enum meshcast_status meshcast_expander_write(const struct meshcast_expander *graph,
                                             const char *path, const char *comment,
                                             struct meshcast_error *error)
{
    struct failure failure = {0};
    struct output_file file;
    if (output_file_open(&file, path, &failure) == FAIL_NONE) {
        bool is_written = expander_write(&graph->graph, comment, file.file);
        output_file_close(&file, true, &failure);
        if (!is_written) /* if the close has not told it already */
            fail(&failure, FAIL_SYSTEM, "cannot write %s", path);
    }
    return error_give(error, &failure);
}

void meshcast_expander_free(struct meshcast_expander *graph)
{
    if (graph != NULL)
        expander_free(&graph->graph);
    free(graph);
}

uint64_t meshcast_expander_figure(const struct meshcast_expander *graph,
                                  enum meshcast_expander_figure figure)
{
    const struct expander *inner = &graph->graph;
    bool has_field = inner->kind == EXPANDER_REED_SOLOMON;
    const uint64_t figures[] = {
        [MESHCAST_EXPANDER_P] = inner->inputs,
        [MESHCAST_EXPANDER_C] = inner->groups,
        [MESHCAST_EXPANDER_R] = inner->degree,
        [MESHCAST_EXPANDER_Q] = has_field ? inner->field.q : 0,
        [MESHCAST_EXPANDER_K] = has_field ? inner->dimension : 0,
    };
    return (size_t)figure < sizeof figures / sizeof *figures ? figures[figure] : 0;
}

const char *meshcast_expander_kind(const struct meshcast_expander *graph)
{
    return expander_kind_name(graph->graph.kind);
}

void meshcast_expander_neighbours(const struct meshcast_expander *graph, uint32_t *neighbour)
{
    const struct expander *inner = &graph->graph;
    for (uint32_t input = 0; input < inner->inputs; input++)
        for (uint32_t j = 0; j < inner->degree; j++)
            *neighbour++ = expander_neighbour(inner, input, j);
}

/* ---- brackets ---- */

enum { PARTS = 1000 };

static void tell(void *of_options, const char *what, double share)
{
    const struct meshcast_options *options = of_options;
    options->router.progress(options->router.progress_context, (uint64_t)(PARTS * share), what);
}

/* With the graph's own groups, or for a while with others; the copy shares the graph's arrays. */
static enum failure_kind check(const struct expander *graph, uint32_t groups,
                               const struct meshcast_options *options, struct bracket *bracket,
                               struct failure *failure)
{
    struct expander checked = *graph;
    struct effort effort = {.tell = options->router.progress == NULL ? NULL : tell,
                            .context = (void *)options, /* it is only read */
                            .interrupt = options->router.interrupt};
    if (groups != 0 && groups != graph->groups &&
        expander_set_groups(&checked, groups, failure) != FAIL_NONE)
        return failure->kind;
    uint32_t threads =
        parallel_begin(parallel_threads_for(UINT32_MAX, UINT32_MAX, options->router.threads));
    bracket_make(bracket, &checked, threads, &effort, failure);
    return failure->kind;
}

enum meshcast_status meshcast_expander_check(const struct meshcast_expander *graph, uint32_t c,
                                             const struct meshcast_options *options,
                                             struct meshcast_bracket **bracket,
                                             struct meshcast_error *error)
{
    struct failure failure = {0};
    *bracket = memory_allocate(1, sizeof **bracket);
    if (*bracket == NULL)
        fail_memory(&failure, "a bracket");
    else
        check(&graph->graph, c, options_or_standard(options), &(*bracket)->bracket, &failure);
    if (failure.kind != FAIL_NONE) {
        free(*bracket);
        *bracket = NULL;
    }
    return error_give(error, &failure);
}

void meshcast_bracket_free(struct meshcast_bracket *bracket)
{
    if (bracket != NULL)
        bracket_free(&bracket->bracket);
    free(bracket);
}

double meshcast_bracket_certified(const struct meshcast_bracket *bracket)
{
    return bracket_certified(&bracket->bracket);
}

double meshcast_bracket_found(const struct meshcast_bracket *bracket, const uint32_t **input,
                              uint32_t *inputs)
{
    if (input != NULL)
        *input = bracket->bracket.found.input;
    if (inputs != NULL)
        *inputs = bracket->bracket.found.count;
    return bracket->bracket.upper;
}

uint32_t meshcast_bracket_certificates(const struct meshcast_bracket *bracket)
{
    (void)bracket;
    return CERTIFICATES;
}

const char *meshcast_bracket_certificate(const struct meshcast_bracket *bracket, uint32_t index,
                                         const char **theorem, double *lambda, const char **why)
{
    enum certificate_kind kind = (enum certificate_kind)index;
    const struct certificate *certificate = &bracket->bracket.certificate[kind];
    if (theorem != NULL)
        *theorem = certificate_theorem(kind);
    if (lambda != NULL)
        *lambda = certificate->holds ? certificate->lambda : 0;
    if (why != NULL)
        *why = certificate->holds ? "" : certificate->why;
    return certificate_name(kind);
}

uint64_t meshcast_bracket_figure(const struct meshcast_bracket *bracket,
                                 enum meshcast_bracket_figure figure)
{
    const struct bracket *inner = &bracket->bracket;
    const uint64_t figures[] = {
        [MESHCAST_BRACKET_C] = inner->groups,
        [MESHCAST_BRACKET_LARGEST_SET] = inner->largest_set,
        [MESHCAST_BRACKET_LEAST_LOAD] = inner->least_load,
        [MESHCAST_BRACKET_MOST_LOAD] = inner->most_load,
        [MESHCAST_BRACKET_IS_REGULAR] = bracket_is_regular(inner),
        [MESHCAST_BRACKET_MULTI_EDGES] = inner->multi_edges,
        [MESHCAST_BRACKET_MULTI_INPUTS] = inner->multi_inputs,
        [MESHCAST_BRACKET_FOUND_NEIGHBOURS] = inner->found.neighbours,
        [MESHCAST_BRACKET_BEST] = inner->any ? (uint64_t)inner->best : UINT64_MAX,
    };
    return (size_t)figure < sizeof figures / sizeof *figures ? figures[figure] : 0;
}

double meshcast_bracket_second_value(const struct meshcast_bracket *bracket)
{
    return bracket->bracket.second_value;
}

double meshcast_bracket_random(const struct meshcast_bracket *bracket)
{
    return bracket->bracket.random_lambda;
}
