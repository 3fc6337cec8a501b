/* crowd.c - orders the inputs by the number of their edges into a few groups.
 *
 * Random graphs and lists: from random groups, the inputs with the most edges into the groups and
 * then the groups with the most edges from those inputs are chosen in turn, a few times; each step
 * can only raise the number of edges between the two.
 *
 * Reed-Solomon graphs: the groups (x, y) with y - g(x) in W, where W are the values below share q,
 * and g is a polynomial of the graph's dimension, drawn at random. If q is a power of 2, and share
 * of a half, W is a subgroup of F_q, and the polynomials that are in W at all points are an
 * algebraic subspace, here moved by g; if q is odd, W is the nearest to that.
 *
 * Ties among inputs go by a random order, so that no choice prefers low numbers.
 *
 * Cost: O(ROUNDS r p) time, for Reed-Solomon graphs O(r p k); 8 (p + c) bytes.
 */
#include "expanders/expander.h"

#include "base/pcg.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4, STREAM_CROWD = 0x65787100 };

struct crowd {
    const struct expander *graph;
    struct pcg32 random;
    uint32_t chosen_groups, wanted;
    uint8_t *in_crowd;     /* [c] */
    uint32_t *group_edges; /* [c] */
    uint32_t *group_order; /* [c] */
    uint32_t *input_edges; /* [p] */
    uint32_t *shuffled;    /* [max(p, c)] */
};

/* Writes 0 .. count-1 into order[], the largest key (at most `most`) first, ties at random. */
static bool order_by(struct crowd *crowd, const uint32_t *key, uint32_t count, uint32_t most,
                     uint32_t *order)
{
    uint32_t *start = memory_allocate((size_t)most + 2, sizeof *start);
    if (start == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = pcg32_below(&crowd->random, i + 1);
        crowd->shuffled[i] = crowd->shuffled[other];
        crowd->shuffled[other] = i;
        start[most - key[i] + 1]++;
    }
    for (uint32_t k = 1; k <= most; k++)
        start[k] += start[k - 1];
    for (uint32_t i = 0; i < count; i++)
        order[start[most - key[crowd->shuffled[i]]]++] = crowd->shuffled[i];
    free(start);
    return true;
}

static void count_inputs(struct crowd *crowd)
{
    const struct expander *graph = crowd->graph;
    for (uint32_t u = 0; u < graph->inputs; u++) {
        crowd->input_edges[u] = 0;
        for (uint32_t j = 0; j < graph->degree; j++)
            crowd->input_edges[u] += crowd->in_crowd[expander_neighbour(graph, u, j)];
    }
}

/* Chooses the groups with the most edges from the first wanted inputs of order[]. */
static bool choose_groups(struct crowd *crowd, const uint32_t *order)
{
    const struct expander *graph = crowd->graph;
    uint32_t most = 0;
    memset(crowd->group_edges, 0, graph->groups * sizeof *crowd->group_edges);
    for (uint32_t i = 0; i < crowd->wanted; i++)
        for (uint32_t j = 0; j < graph->degree; j++) {
            uint32_t edges = ++crowd->group_edges[expander_neighbour(graph, order[i], j)];
            most = edges > most ? edges : most;
        }
    if (!order_by(crowd, crowd->group_edges, graph->groups, most, crowd->group_order))
        return false;
    memset(crowd->in_crowd, 0, graph->groups);
    for (uint32_t i = 0; i < crowd->chosen_groups; i++)
        crowd->in_crowd[crowd->group_order[i]] = 1;
    return true;
}

static bool order_random(struct crowd *crowd, uint32_t *order)
{
    const struct expander *graph = crowd->graph;
    if (!order_by(crowd, crowd->group_edges, graph->groups, 0, crowd->group_order))
        return false;
    for (uint32_t i = 0; i < crowd->chosen_groups; i++)
        crowd->in_crowd[crowd->group_order[i]] = 1;
    for (int round = 0;; round++) {
        count_inputs(crowd);
        if (!order_by(crowd, crowd->input_edges, graph->inputs, graph->degree, order))
            return false;
        if (round == ROUNDS)
            return true;
        if (!choose_groups(crowd, order))
            return false;
    }
}

static bool order_polynomials(struct crowd *crowd, uint32_t *order)
{
    const struct expander *graph = crowd->graph;
    uint32_t q = graph->field.q, width = crowd->chosen_groups / graph->degree;
    uint32_t moved = pcg32_below(&crowd->random, graph->inputs);
    width = width < 1 ? 1 : width;
    for (uint32_t x = 0; x < graph->degree; x++)
        for (uint32_t y = 0; y < width; y++)
            crowd->in_crowd[x * q +
                            galois_add(&graph->field, y, expander_polynomial(graph, moved, x))] = 1;
    count_inputs(crowd);
    return order_by(crowd, crowd->input_edges, graph->inputs, graph->degree, order);
}

enum failure_kind crowd_order(const struct expander *graph, double share, uint32_t number,
                              uint32_t wanted, uint32_t *order, struct failure *failure)
{
    uint32_t groups = graph->groups, chosen = (uint32_t)(share * groups);
    struct crowd crowd = {.graph = graph,
                          .random = pcg32_seed(number, STREAM_CROWD),
                          .chosen_groups = chosen < 1 ? 1 : chosen,
                          .wanted = wanted < graph->inputs ? wanted : graph->inputs,
                          .in_crowd = memory_allocate(groups, 1),
                          .group_edges = memory_allocate(groups, sizeof(uint32_t)),
                          .group_order = memory_allocate(groups, sizeof(uint32_t)),
                          .input_edges = memory_allocate(graph->inputs, sizeof(uint32_t)),
                          .shuffled = memory_allocate(graph->inputs, sizeof(uint32_t))};
    bool is_rs = graph->kind == EXPANDER_REED_SOLOMON;
    bool done = crowd.in_crowd != NULL && crowd.group_edges != NULL && crowd.group_order != NULL &&
                crowd.input_edges != NULL && crowd.shuffled != NULL &&
                (is_rs ? order_polynomials : order_random)(&crowd, order);
    free(crowd.in_crowd);
    free(crowd.group_edges);
    free(crowd.group_order);
    free(crowd.input_edges);
    free(crowd.shuffled);
    return done ? FAIL_NONE : fail_memory(failure, "the crowd of a graph");
}
