/* adjacency.c - a graph as arrays, and the degrees of Definition 1.
 *
 * Each input's neighbours are sorted; the members of the groups then follow by counting.
 * Cost: O(r^2 p + c) time, 12 r p bytes.
 */
#include "expanders/certificates.h"

#include "base/numbers.h"

#include <stdlib.h>

/* Sorts input u's edges, notes the distinct ones and the loads of groups. */
static void lay_input(struct adjacency *a, const struct expander *graph, uint32_t u, uint32_t *load)
{
    uint32_t *edge = a->edge + (size_t)u * a->degree;
    uint32_t *distinct = a->distinct + (size_t)u * a->degree, count = 0;
    for (uint32_t j = 0; j < a->degree; j++)
        edge[j] = expander_neighbour(graph, u, j);
    sort_u32(edge, a->degree);
    for (uint32_t j = 0; j < a->degree; j++) {
        load[edge[j]]++;
        if (j == 0 || edge[j] != edge[j - 1]) {
            distinct[count++] = edge[j];
            a->member_start[edge[j] + 1]++;
        }
    }
    a->distinct_count[u] = count;
    a->multi_edges += a->degree - count;
    a->multi_inputs += count < a->degree;
}

/* Lays out the members; member_start holds counts, one place on; `next` is scratch of c numbers. */
static void lay_members(struct adjacency *a, uint32_t *next)
{
    for (uint32_t v = 0; v < a->groups; v++) {
        a->member_start[v + 1] += a->member_start[v];
        next[v] = a->member_start[v];
    }
    for (uint32_t u = 0; u < a->inputs; u++)
        for (uint32_t j = 0; j < a->distinct_count[u]; j++)
            a->member[next[a->distinct[(size_t)u * a->degree + j]]++] = u;
}

enum failure_kind adjacency_make(struct adjacency *adjacency, const struct expander *graph,
                                 struct failure *failure)
{
    uint32_t edges = graph->inputs * graph->degree;
    uint32_t *load = memory_allocate(graph->groups, sizeof *load);
    *adjacency = (struct adjacency){
        .inputs = graph->inputs,
        .groups = graph->groups,
        .degree = graph->degree,
        .largest_set = graph->groups / graph->degree,
        .edge = memory_allocate(edges, sizeof(uint32_t)),
        .distinct = memory_allocate(edges, sizeof(uint32_t)),
        .distinct_count = memory_allocate(graph->inputs, sizeof(uint32_t)),
        .member_start = memory_allocate((size_t)graph->groups + 1, sizeof(uint32_t)),
        .member = memory_allocate(edges, sizeof(uint32_t)),
        .least_load = UINT32_MAX,
    };
    struct adjacency *a = adjacency;
    if (load == NULL || a->edge == NULL || a->distinct == NULL || a->distinct_count == NULL ||
        a->member_start == NULL || a->member == NULL) {
        adjacency_free(a);
        free(load);
        return fail_memory(failure, "the edges of a graph");
    }
    for (uint32_t u = 0; u < a->inputs; u++)
        lay_input(a, graph, u, load);
    for (uint32_t v = 0; v < a->groups; v++) {
        a->least_load = load[v] < a->least_load ? load[v] : a->least_load;
        a->most_load = load[v] > a->most_load ? load[v] : a->most_load;
    }
    lay_members(a, load);
    free(load);
    return FAIL_NONE;
}

void adjacency_free(struct adjacency *adjacency)
{
    free(adjacency->edge);
    free(adjacency->distinct);
    free(adjacency->distinct_count);
    free(adjacency->member_start);
    free(adjacency->member);
    *adjacency = (struct adjacency){0};
}

uint32_t adjacency_count_neighbours(const struct adjacency *adjacency, const uint32_t *input,
                                    uint32_t count, uint8_t *mark)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < adjacency->degree; j++) {
            uint8_t *seen = &mark[adjacency->edge[(size_t)input[i] * adjacency->degree + j]];
            found += *seen == 0;
            *seen = 1;
        }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < adjacency->degree; j++)
            mark[adjacency->edge[(size_t)input[i] * adjacency->degree + j]] = 0;
    return found;
}
