/* expander_sizes.c - the constants of a run of router `expander`: tiles, replicas, classes, graph, alpha.
 *
 * The number of tiles is the power of two nearest to c, s the side of a tile, b the power of two nearest
 * to s: so many blocks has a tile. kappa = r, so that the replicas of a class fill the mesh; the paper has
 * log n of both (literal=1), and takes alpha = floor(1 / lambda) + 1 of the lambda that is certified for
 * the graph (expanders/bracket.h).
 * Source: Section 5.
 * Cost: the graph's; where steps are bounded or alpha comes from lambda, that of its certificates.
 */
#include "expanders/bracket.h"
#include "routers/expander_private.h"
#include "routers/random_sizes.h"

#include <math.h>

enum { MOST_REPLICAS = 30, MOST_CLASSES = 65535, MOST_ALPHA = 65535, MOST_PERCENT = 10000 };
enum { STANDARD_REPLICAS = 4, STANDARD_ALPHA = 2, LEAST_TILES = 4 };
enum { ROOM = 7 }; /* so many that replicas take no more packets than the walk */

enum graph_choice { GRAPH_RANDOM, GRAPH_REED_SOLOMON, GRAPH_FILE };

const struct parameter_spec expander_specs[] = {
    {"r", "auto", 1, MOST_REPLICAS, "auto", {NULL}},
    {"kappa", "auto", 1, MOST_CLASSES, "auto", {NULL}},
    {"alpha", "auto", 1, MOST_ALPHA, "auto", {NULL}},
    {"graph", "random", 0, 0, "random rs FILE", {NULL}},
    {"graph_seed", "1", 0, INT32_MAX, NULL, {NULL}},
    {"literal", "0", 0, 1, NULL, {NULL}},
    {"walk", "450", 0, MOST_PERCENT, NULL, {NULL}},
    {.name = NULL},
};

/* ---- sizes ---- */

uint32_t expander_congestion(const struct routing *routing)
{
    uint32_t congestion = batches_congestion(routing);
    return congestion > LEAST_TILES ? congestion : LEAST_TILES;
}

/* c tiles of b blocks each. */
enum failure_kind expander_choose_tiles(struct expander_run *run, struct failure *failure)
{
    struct random_run *masters = &run->masters;
    struct mesh mesh = run->routing->set->mesh;
    uint64_t tiles = random_tiles(expander_congestion(run->routing), 0);
    enum failure_kind kind = tessellation_make(&masters->tiles, mesh, tiles, failure);
    if (kind == FAIL_NONE)
        kind = tile_cycle_make(&masters->cycle, &masters->tiles, failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = tessellation_make(&masters->blocks, mesh, random_blocks(mesh, masters->cycle.count),
                             failure);
    masters->block_count = (uint32_t)(tessellation_tiles(&masters->blocks) / masters->cycle.count);
    return kind;
}

/* Reports the value of a parameter. */
static void use_number(const struct expander_run *run, const char *name, uint32_t number)
{
    char value[ROUTER_NAME_SIZE];
    snprintf(value, sizeof value, "%u", number);
    routing_use(run->routing, name, value);
}

/* The parameter, or what stands for `auto`. */
static uint32_t number_or(const struct expander_run *run, const char *name, uint32_t most,
                          uint32_t standard)
{
    uint32_t given = routing_parameter(run->routing, expander_specs, name);
    return given > most ? standard : given;
}

enum failure_kind expander_choose_constants(struct expander_run *run, struct failure *failure)
{
    const struct routing *routing = run->routing;
    uint32_t tiles = run->masters.cycle.count, nodes = mesh_nodes(routing->set->mesh);
    run->is_literal = routing_parameter(routing, expander_specs, "literal") == 1;
    uint32_t standard = run->is_literal ? (uint32_t)lround(log2(nodes)) : STANDARD_REPLICAS;
    standard = standard > tiles ? tiles : standard > MOST_REPLICAS ? MOST_REPLICAS : standard;
    run->replicas = number_or(run, "r", MOST_REPLICAS, standard);
    run->classes = number_or(run, "kappa", MOST_CLASSES, run->replicas);
    run->masters.variant = &random_paper;
    run->masters.room = ROOM;
    run->alpha = number_or(run, "alpha", MOST_ALPHA, run->is_literal ? 0 : STANDARD_ALPHA);
    run->percent = routing_parameter(routing, expander_specs, "walk");
    run->public_seed = routing_parameter(routing, expander_specs, "graph_seed");
    use_number(run, "r", run->replicas);
    use_number(run, "kappa", run->classes);
    if (run->replicas > tiles)
        return fail(failure, FAIL_USAGE, "r = %u replicas want as many groups; c = %u makes %u",
                    run->replicas, routing->congestion, tiles);
    if ((uint64_t)run->classes * tiles > nodes)
        return fail(failure, FAIL_USAGE, "kappa = %u classes of %u nodes are smaller than %u tiles",
                    run->classes, nodes, tiles);
    return FAIL_NONE;
}

/* ---- the graph ---- */

/* r points and q values make c = r q groups, and there are a power of two of tiles. */
static enum failure_kind reed_solomon(struct expander_run *run, uint32_t inputs,
                                      struct failure *failure)
{
    uint32_t tiles = run->masters.cycle.count, r = run->replicas, q = tiles / r;
    char fits[64] = "none";
    for (uint32_t points = 1, used = 0; points * points <= tiles; points *= 2)
        if (points > 1 && points <= MOST_REPLICAS)
            used += (uint32_t)snprintf(fits + used, sizeof fits - used, "%s%u",
                                       used > 0 ? ", " : "", points);
    if (q * r != tiles || q < r || q < 2)
        return fail(failure, FAIL_USAGE,
                    "graph=rs wants c = r q groups with q >= r a prime power; with %u tiles r can "
                    "be %s, not %u",
                    tiles, fits, r);
    uint32_t rounded = (inputs + q - 1) / q * q; /* so that q divides m: some inputs are nobody's */
    return expander_reed_solomon(&run->graph, rounded, r, q, expander_dimension(rounded, q),
                                 failure);
}

/* A letter of the file's graph beside that of the run. */
struct size_pair {
    char letter;
    uint32_t has, wants;
    bool may_be_more;
};

/* Refuses the file at `path` if it is of other sizes, and names those alone. */
static enum failure_kind sizes_check(const char *path, const struct size_pair *pair, size_t count,
                                     struct failure *failure)
{
    char has[64] = "", wants[96] = "";
    size_t has_used = 0, wants_used = 0;
    for (size_t i = 0; i < count; i++) {
        bool fits =
            pair[i].may_be_more ? pair[i].has >= pair[i].wants : pair[i].has == pair[i].wants;
        if (fits)
            continue;
        const char *comma = has_used == 0 ? "" : ", ";
        has_used += (size_t)snprintf(has + has_used, sizeof has - has_used, "%s%c = %u", comma,
                                     pair[i].letter, pair[i].has);
        wants_used +=
            (size_t)snprintf(wants + wants_used, sizeof wants - wants_used, "%s%c = %u%s", comma,
                             pair[i].letter, pair[i].wants, pair[i].may_be_more ? " or more" : "");
    }
    if (has_used == 0)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE, "%.200s has %s; this run wants %s", path, has, wants);
}

/* The graph of a file. A run needs ceil(n / kappa) inputs, as many edges an input as it makes replicas, and as many
 * groups as there are tiles. A permutation is a graph for every number of groups, so its c does not
 * matter. A Reed-Solomon graph has its c for good; its inputs are a multiple of q, so some may be nobody's. A list of
 * neighbours may be no regular graph and is not routed. */
static enum failure_kind graph_read(struct expander_run *run, const char *path, uint32_t inputs,
                                    struct failure *failure)
{
    uint32_t tiles = run->masters.cycle.count;
    const struct expander *graph = &run->graph;
    enum failure_kind kind = expander_read(&run->graph, path, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (graph->kind == EXPANDER_LIST)
        return fail(failure, FAIL_USAGE,
                    "%.200s: a graph of kind list can be checked, not routed; this run wants a "
                    "permutation or rs graph",
                    path);
    bool is_rs = graph->kind == EXPANDER_REED_SOLOMON;
    /* a permutation is a graph for every c */
    const struct size_pair pairs[] = {{'m', graph->inputs, inputs, is_rs},
                                      {'r', graph->degree, run->replicas, false},
                                      {'c', graph->groups, tiles, false}};
    kind = sizes_check(path, pairs, is_rs ? 3 : 2, failure);
    if (kind == FAIL_NONE && !is_rs)
        kind = expander_set_groups(&run->graph, tiles, failure);
    return kind;
}

enum failure_kind expander_choose_graph(struct expander_run *run, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(run->routing->set->mesh);
    uint32_t inputs = (nodes + run->classes - 1) / run->classes;
    switch (routing_parameter(run->routing, expander_specs, "graph")) {
    case GRAPH_RANDOM:
        return expander_random(&run->graph, inputs, run->masters.cycle.count, run->replicas,
                               routing_parameter(run->routing, expander_specs, "graph_seed"),
                               failure);
    case GRAPH_REED_SOLOMON:
        return reed_solomon(run, inputs, failure);
    default:
        return graph_read(run, routing_text(run->routing, expander_specs, "graph"), inputs,
                          failure);
    }
}

/* What is certified of the graph. */
static enum failure_kind certify(struct expander_run *run, struct failure *failure)
{
    struct bracket bracket;
    enum failure_kind kind =
        bracket_certify(&bracket, &run->graph, run->routing->result->threads, failure);
    if (kind != FAIL_NONE)
        return kind;
    run->certificate = (struct expander_certificate){.degree = bracket.degree,
                                                     .largest_set = bracket.largest_set,
                                                     .most_load = bracket.most_load,
                                                     .lambda = bracket_certified(&bracket)};
    bracket_free(&bracket);
    return FAIL_NONE;
}

/* literal=1: the least whole number above 1 / lambda, for the lambda that is certified. */
enum failure_kind expander_choose_alpha(struct expander_run *run, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    if (run->alpha == 0 || expander_is_bounded(run))
        kind = certify(run, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (run->alpha == 0) { /* k inputs have r k edges, so r k / most_load groups at least */
        double least = 1.0 / (double)run->certificate.most_load;
        double lambda = run->certificate.lambda > least ? run->certificate.lambda : least;
        run->alpha = lambda * MOST_ALPHA > 1 ? (uint32_t)(1 / lambda) + 1 : MOST_ALPHA;
    }
    use_number(run, "alpha", run->alpha);
    return FAIL_NONE;
}
