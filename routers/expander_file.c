/* expander_file.c - the graph of a run that the user made, and what of it does not fit.
 *
 * A run needs m = ceil(n / kappa) inputs, as many edges an input as it makes replicas, and as many
 * groups as there are tiles. A permutation is a graph for every number of groups, so its c does not
 * matter. A Reed-Solomon graph has its c for good; its m is a multiple of q, so it may have inputs
 * that are nobody's. A list of neighbours may be no regular graph and is not routed.
 *
 * Source: Section 5 of the paper, Definition 1.
 * Cost: the reading of the file.
 */
#include "routers/expander_private.h"

#include <stdio.h>

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

enum failure_kind expander_graph_read(struct expander_run *run, const char *path, uint32_t inputs,
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
