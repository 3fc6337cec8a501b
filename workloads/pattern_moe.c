/* pattern_moe.c - `moe`: tokens of a mixture-of-experts model and the experts that they are for.
 *
 * The mesh is cut into tiles of 8 x 8 nodes, cut off at the lower and right edges. The node in the middle of a tile
 * is an expert, but for one tile in sixteen, which has none: 60 experts on 64 x 64 nodes. A token, one at each node,
 * draws its experts one after the other, without repeating one, with chances that fall with an expert's
 * rank as rank^(-3/20) (a Zipf distribution); ranks are dealt to the experts at random. An expert that has c tokens
 * gets no more. With these constants the busiest of 60 experts gets about 1.6 times the mean, as in logged
 * routes of such models.
 *
 * Method: the weights stand in a binary indexed tree, from which a drawn expert is taken out.
 * Cost: O(n d log n) time, 24 bytes a tile.
 */
#include "workloads/pattern_private.h"

#include <math.h>
#include <stdlib.h>

enum { TILE = 8, TILES_WITHOUT = 16, WEIGHT = 1 << 12 };

/* The experts that can be drawn, from 1. */
struct experts {
    uint32_t count, total; /* of the weights that are in */
    uint32_t *sum;         /* [count + 1]: the binary indexed tree */
    uint32_t *weight, *tokens;
    node_index *place;
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

static enum failure_kind experts_make(struct experts *experts, struct mesh mesh,
                                      struct pcg32 *random, struct failure *failure)
{
    uint32_t across = tiles_of(mesh.cols), tiles = tiles_of(mesh.rows) * across;
    uint32_t count = tiles - tiles / TILES_WITHOUT;
    uint32_t *rank = shuffled_numbers(random, count);
    *experts =
        (struct experts){.count = count,
                         .sum = memory_allocate((size_t)count + 1, sizeof *experts->sum),
                         .weight = memory_allocate((size_t)count + 1, sizeof *experts->weight),
                         .tokens = memory_allocate((size_t)count + 1, sizeof *experts->tokens),
                         .place = memory_allocate((size_t)count + 1, sizeof *experts->place)};
    if (!(rank && experts->sum && experts->weight && experts->tokens && experts->place)) {
        free(rank);
        return fail_memory(failure, "the experts of a pattern");
    }
    for (uint32_t i = 1; i <= count; i++) {
        experts->place[i] = middle_of((i - 1) / across, mesh.rows) * mesh.cols +
                            middle_of((i - 1) % across, mesh.cols);
        experts->weight[i] = (uint32_t)lround(WEIGHT * pow(rank[i - 1] + 1.0, -0.15));
        add_weight(experts, i, experts->weight[i]);
    }
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

enum failure_kind pattern_moe(const struct pattern_options *options, struct message_set *set,
                              struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_MOE);
    uint32_t nodes = mesh_nodes(options->mesh), *chosen = NULL;
    struct pair_list list = {0};
    struct experts experts = {0};
    enum failure_kind kind = experts_make(&experts, options->mesh, &random, failure);
    if (kind == FAIL_NONE) {
        uint64_t most = options->degree < experts.count ? options->degree : experts.count;
        uint64_t all = nodes * most, fit = (uint64_t)experts.count * options->congestion;
        kind = pair_list_open(&list, all < fit ? all : fit, failure);
        chosen = memory_allocate(most, sizeof *chosen);
    }
    if (kind == FAIL_NONE && chosen == NULL)
        kind = fail_memory(failure, "the experts of a token");
    for (node_index node = 0; node < nodes && kind == FAIL_NONE; node++) {
        uint32_t count = choose(&experts, options, &random, chosen);
        for (uint32_t i = 0; i < count; i++)
            pair_list_add(&list, node, experts.place[chosen[i]]);
    }
    if (kind == FAIL_NONE)
        kind = pair_list_close(&list, options->shape, set, failure);
    else {
        free(list.from);
        free(list.to);
    }
    free(chosen);
    free(experts.sum);
    free(experts.weight);
    free(experts.tokens);
    free(experts.place);
    return kind;
}
