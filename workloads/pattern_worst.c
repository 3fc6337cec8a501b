/* pattern_worst.c - `worst`: the instance of Theorem 1, with its square in a corner.
 *
 * A is the square of side floor(sqrt(n / (c + 1))) in the corner of node 0, so that the rest
 * of the mesh holds at least c |A| nodes. c |A| messages from random nodes outside have exactly one
 * destination each in A, and each node of A receives c: all of them must pass the 2 sqrt|A| links
 * into A, whence the lower bound of about .5 sqrt(c n) steps. A corner has half the links of an
 * interior square, so this is the hardest place.
 *
 * With a degree above 1 each of these messages has further destinations, outside A, random ones as
 * pattern_deal.c deals them; the bound is not touched by them.
 *
 * Cost: O(n) time and memory, and what the deal costs.
 */
#include "workloads/pattern_private.h"

#include <stdlib.h>

uint32_t theorem1_side(struct mesh mesh, uint32_t congestion)
{
    uint32_t side = whole_root(mesh_nodes(mesh) / ((uint64_t)congestion + 1));
    side = side < 1 ? 1 : side;
    side = side < mesh.rows ? side : mesh.rows;
    return side < mesh.cols ? side : mesh.cols;
}

/* The nodes in row-major order: those of A at inside[], the others at outside[]. */
static void split_nodes(struct mesh mesh, uint32_t side, node_index *inside, node_index *outside)
{
    for (uint32_t row = 0; row < mesh.rows; row++)
        for (uint32_t col = 0; col < mesh.cols; col++)
            if (row < side && col < side)
                *inside++ = row * mesh.cols + col;
            else
                *outside++ = row * mesh.cols + col;
}

/* Adds `deal` of further destinations, outside A, to the first messages of source[]. */
static enum failure_kind add_outside(struct pair_list *list, const struct deal *deal,
                                     const node_index *source, const node_index *outside,
                                     struct pcg32 *random, struct failure *failure)
{
    uint32_t *place = memory_allocate((size_t)deal->messages * deal->degree, sizeof *place);
    if (place == NULL)
        return fail_memory(failure, "the destinations outside the square");
    enum failure_kind kind = deal_places(deal, random, place, failure);
    for (uint32_t i = 0; kind == FAIL_NONE && i < deal->messages; i++)
        for (uint32_t j = 0; j < deal->degree; j++)
            pair_list_add(list, source[i], outside[place[(size_t)i * deal->degree + j]]);
    free(place);
    return kind;
}

/* How many destinations outside A each message can have. */
static uint32_t outside_degree(const struct pattern_options *options, uint32_t messages,
                               uint32_t outside)
{
    uint64_t fits = messages == 0 ? 0 : (uint64_t)options->congestion * outside / messages;
    uint32_t degree = options->degree - 1;
    degree = degree < outside ? degree : outside;
    return degree < fits ? degree : (uint32_t)fits;
}

enum failure_kind pattern_worst(const struct pattern_options *options, struct message_set *set,
                                struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_WORST);
    uint32_t nodes = mesh_nodes(options->mesh);
    uint32_t side = theorem1_side(options->mesh, options->congestion), area = side * side;
    uint32_t each = options->congestion < nodes - area ? options->congestion : nodes - area;
    struct deal deal = {.places = nodes - area,
                        .messages = each * area,
                        .degree = outside_degree(options, each * area, nodes - area),
                        .congestion = options->congestion};
    struct pair_list list = {0};
    node_index *inside = memory_allocate(area, sizeof *inside);
    node_index *outside = memory_allocate(nodes - area, sizeof *outside);
    uint32_t *order = shuffled_numbers(&random, nodes - area);
    enum failure_kind kind =
        pair_list_open(&list, (uint64_t)deal.messages * (1 + deal.degree), failure);
    if (kind == FAIL_NONE && (inside == NULL || outside == NULL || order == NULL))
        kind = fail_memory(failure, "the nodes of a pattern");
    if (kind != FAIL_NONE)
        goto done;
    split_nodes(options->mesh, side, inside, outside);
    for (uint32_t i = 0; i < deal.messages; i++) {
        order[i] = outside[order[i]]; /* a random source for each message */
        pair_list_add(&list, order[i], inside[i % area]);
    }
    if (deal.degree > 0)
        kind = add_outside(&list, &deal, order, outside, &random, failure);
    if (kind == FAIL_NONE)
        kind = pair_list_close(&list, options->shape, set, failure);
done:
    free(list.from);
    free(list.to);
    free(inside);
    free(outside);
    free(order);
    return kind;
}
