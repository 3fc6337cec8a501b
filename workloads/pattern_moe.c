/* pattern_moe.c - `moe`: tokens of a mixture-of-experts model and the experts that they are for.
 *
 * Without a number of experts the mesh is cut into tiles of 8 x 8 nodes, cut off at the lower and right edges, and the node
 * in the middle of a tile is an expert, but for one tile in sixteen, which has none: 60 experts on 64 x 64 nodes. With
 * one they are where workloads/expert_place.h says. A token, l at each node, draws its experts one after the
 * other, without repeating one, with chances that are as given counts or fall with an expert's rank as rank^-z (a Zipf
 * distribution); ranks are dealt to the experts at random. An expert that has c tokens gets no more. With z = 3/20 the
 * busiest of 60 experts gets about 1.6 times the mean, as in logged routes of such models.
 *
 * Method: the weights are in a binary indexed tree, from which a drawn expert is taken out.
 * Cost: O(l n d log E) time, 24 bytes an expert, 4 a delivery, 12 a token.
 */
#include "workloads/pattern_private.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>

/* WEIGHT is the largest weight by ranks, WEIGHTS the most that all given ones add up to, about. */
enum { TILE = 8, TILES_WITHOUT = 16, WEIGHT = 1 << 12, WEIGHTS = 1 << 30 };

/* The experts that can be drawn, from 1. */
struct experts {
    uint32_t count, total; /* of the weights that are in */
    uint32_t *sum;         /* [count + 1]: the binary indexed tree */
    uint32_t *weight, *tokens;
    struct node_lines own;         /* the nodes of experts that no file places .. */
    const struct node_lines *node; /* .. or of those that one does; counted from 0 */
    struct topology topology;
};

static uint32_t tiles_of(uint32_t side)
{
    return (side + TILE - 1) / TILE;
}

static void add_weight(struct experts *experts, uint32_t expert, uint32_t weight)
{
    experts->total += weight; /* modulo 2^32, so that a negative one is taken out */
    for (uint32_t i = expert; i <= experts->count; i += i & -i)
        experts->sum[i] += weight;
}

/* The expert in whose part of the weights, side by side, `at` lies. */
static uint32_t expert_at(const struct experts *experts, uint32_t at)
{
    uint32_t expert = 0, step = 1;
    while (2 * step <= experts->count)
        step *= 2;
    for (; step > 0; step /= 2)
        if (expert + step <= experts->count && experts->sum[expert + step] <= at) {
            expert += step;
            at -= experts->sum[expert];
        }
    return expert + 1;
}

/* The middle of a tile, or of what the edge has left of it. */
static uint32_t middle_of(uint32_t tile, uint32_t side)
{
    uint32_t end = (tile + 1) * TILE < side ? (tile + 1) * TILE : side;
    return (tile * TILE + end) / 2;
}

/* How many experts there are on the mesh. */
static uint32_t count_experts(const struct pattern_options *options)
{
    uint32_t tiles = tiles_of(options->mesh.rows) * tiles_of(options->mesh.cols);
    return options->experts != NULL && options->experts->experts > 0
               ? options->experts->experts
               : tiles - tiles / TILES_WITHOUT;
}

/* The node of expert i, from 0, in the tiles of 8 x 8. */
static node_index tile_node(struct mesh mesh, uint32_t i)
{
    uint32_t across = tiles_of(mesh.cols);
    return middle_of(i / across, mesh.rows) * mesh.cols + middle_of(i % across, mesh.cols);
}

/* Finds the nodes of `count` experts. */
static enum failure_kind find_nodes(struct experts *experts, const struct pattern_options *options,
                                    uint32_t count, struct failure *failure)
{
    const struct expert_load *load = options->experts;
    bool has_number = load != NULL && load->experts > 0;
    experts->topology = topology_of_shape(&options->shape);
    experts->node = &experts->own;
    if (load != NULL && load->nodes.node != NULL) {
        experts->node = &load->nodes;
        return node_lines_check(experts->node, &options->shape, failure);
    }
    enum failure_kind kind = expert_nodes_place(
        &experts->own, &options->shape, has_number ? load->place : EXPERTS_BLOCK, count, failure);
    for (uint32_t i = 0; i < count && kind == FAIL_NONE && !has_number; i++)
        experts->own.node[i] = tile_node(options->mesh, i);
    return kind;
}

/* Sets weight[1 ..] to shares of WEIGHTS, as the counts are to each other; one that is not 0 has 1 at least. */
static void weigh_counts(struct experts *experts, const uint64_t *count)
{
    double sum = 0;
    for (uint32_t i = 0; i < experts->count; i++)
        sum += (double)count[i];
    for (uint32_t i = 0; i < experts->count; i++)
        experts->weight[i + 1] = (uint32_t)((double)count[i] * WEIGHTS / sum) + (count[i] > 0);
}

/* The same by ranks; with the default exponent in units that old sets were made with. */
static void weigh_ranks(struct experts *experts, const uint32_t *rank, const double *exponent)
{
    double most = exponent == NULL ? WEIGHT : (double)WEIGHTS / experts->count;
    double z = exponent == NULL ? EXPERT_EXPONENT : *exponent;
    for (uint32_t i = 0; i < experts->count; i++)
        experts->weight[i + 1] = max_u32((uint32_t)lround(most * pow(rank[i] + 1.0, -z)), 1);
}

static enum failure_kind experts_make(struct experts *experts,
                                      const struct pattern_options *options, struct pcg32 *random,
                                      struct failure *failure)
{
    const struct expert_load *load = options->experts;
    uint32_t count = count_experts(options);
    uint32_t *rank = shuffled_numbers(random, count);
    *experts =
        (struct experts){.count = count,
                         .sum = memory_allocate((size_t)count + 1, sizeof *experts->sum),
                         .weight = memory_allocate((size_t)count + 1, sizeof *experts->weight),
                         .tokens = memory_allocate((size_t)count + 1, sizeof *experts->tokens)};
    bool has_memory = rank && experts->sum && experts->weight && experts->tokens;
    enum failure_kind kind = has_memory ? find_nodes(experts, options, count, failure)
                                        : fail_memory(failure, "the experts of a pattern");
    if (kind != FAIL_NONE) {
        free(rank);
        return kind;
    }
    if (load != NULL && load->count != NULL)
        weigh_counts(experts, load->count);
    else
        weigh_ranks(experts, rank, load != NULL ? &load->exponent : NULL);
    for (uint32_t i = 1; i <= count; i++)
        add_weight(experts, i, experts->weight[i]);
    free(rank);
    return FAIL_NONE;
}

/* The experts of one token, in chosen[]; returns how many. */
static uint32_t choose(struct experts *experts, const struct pattern_options *options,
                       struct pcg32 *random, uint32_t *chosen)
{
    uint32_t count = 0;
    while (count < options->degree && experts->total > 0) {
        uint32_t expert = expert_at(experts, pcg32_below(random, experts->total));
        add_weight(experts, expert, 0 - experts->weight[expert]);
        chosen[count++] = expert;
    }
    for (uint32_t i = 0; i < count; i++)
        if (++experts->tokens[chosen[i]] < options->congestion)
            add_weight(experts, chosen[i], experts->weight[chosen[i]]);
    return count;
}

/* The most deliveries that there can be. */
static uint64_t most_deliveries(const struct pattern_options *options)
{
    uint64_t experts = count_experts(options);
    uint64_t tokens = (uint64_t)mesh_nodes(options->mesh) * options->per_node;
    return min_u64(tokens * min_u64(options->degree, experts), experts * options->congestion);
}

/* Adds the message of a token, unless it has no expert; two experts on one node count once. */
static void add_token(struct message_set *set, const struct experts *experts, node_index source,
                      const uint32_t *chosen, uint32_t count)
{
    uint64_t first = set->deliveries;
    node_index *node = set->destination + first;
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < count; i++)
        node[i] = expert_nodes_nearest(experts->node, &experts->topology, chosen[i] - 1, source);
    message_set_sort_nodes(node, count);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || node[i] != node[distinct - 1])
            node[distinct++] = node[i];
    set->deliveries += distinct;
    if (distinct > 0) {
        set->source[set->messages] = source;
        set->offset[set->messages++] = first;
    }
}

/* Draws the tokens of all nodes into a set that has room. */
static enum failure_kind draw_tokens(const struct pattern_options *options, struct experts *experts,
                                     struct pcg32 *random, struct message_set *set,
                                     struct failure *failure)
{
    uint32_t most = min_u32(options->degree, experts->count);
    uint32_t *chosen = memory_allocate(most, sizeof *chosen);
    if (chosen == NULL)
        return fail_memory(failure, "the experts of a token");
    set->messages = 0;
    set->deliveries = 0;
    for (node_index node = 0; node < mesh_nodes(options->mesh); node++)
        for (uint32_t token = 0; token < options->per_node && experts->total > 0; token++)
            add_token(set, experts, node, chosen, choose(experts, options, random, chosen));
    set->offset[set->messages] = set->deliveries;
    free(chosen);
    return FAIL_NONE;
}

enum failure_kind pattern_moe(const struct pattern_options *options, struct message_set *set,
                              struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_MOE);
    struct experts experts = {0};
    uint64_t tokens = (uint64_t)mesh_nodes(options->mesh) * options->per_node;
    uint64_t most = most_deliveries(options);
    enum failure_kind kind = FAIL_NONE;
    if (tokens >= UINT32_MAX)
        most = max_u64(most, tokens); /* the allocation tells that it is too much */
    kind = message_set_allocate(set, options->shape, (uint32_t)tokens, most, failure);
    if (kind == FAIL_NONE)
        kind = experts_make(&experts, options, &random, failure);
    if (kind == FAIL_NONE)
        kind = draw_tokens(options, &experts, &random, set, failure);
    if (kind != FAIL_NONE)
        message_set_free(set);
    free(experts.sum);
    free(experts.weight);
    free(experts.tokens);
    node_lines_free(&experts.own);
    return kind;
}
