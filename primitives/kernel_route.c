/* kernel_route.c - `meshcast kernel route`: permutations and (k,k)-routing, by one of several
 * methods.
 *
 * Every node that holds packets sends k of them, copy i of the input to the node that the pattern's
 * i-th permutation names. Check: each packet rests at the node to which the input sent it, and no
 * packet is missing or under way.
 * Cost: that of the method, and 4 bytes a packet for the check.
 */
#include "primitives/kernel_row.h"
#include "primitives/unicast_route.h"

#include <stdlib.h>

/* ---- methods ---- */

static enum failure_kind run_blocks_4(struct machine *machine, const struct unicast_plan *plan,
                                      struct failure *failure)
{
    return unicast_blocks(machine, plan, 4, failure);
}

static enum failure_kind run_blocks_8(struct machine *machine, const struct unicast_plan *plan,
                                      struct failure *failure)
{
    return unicast_blocks(machine, plan, 8, failure);
}

enum { MOST_WAVES = 1024 }; /* each of them looks at all packets that wait */

enum { BLOCKS_4, SPREAD, CREDITS, BLOCKS_8, RANDOM, SORT, GREEDY, METHODS };

static const struct kernel_method METHOD[METHODS + 1] = {
    [BLOCKS_4] = {"blocks", "sort 4 x 4 blocks, then greedily: 3.1m to 3.9m, proven queues", 1, 1},
    [SPREAD] = {"spread", "random lines nearby, k waves: k m/2 + 2m, O(k) queues", 2, MOST_WAVES},
    [CREDITS] =
        {"credits",
         "rows, then columns, channels of 2 packets hold back: 2m measured, 9 packets a node", 1,
         1},
    [BLOCKS_8] = {"blocks8", "as blocks, 8 x 8 of them: 2.6m to 3m, longer queues", 1, 1},
    [RANDOM] = {"random", "as spread: 2.1m, short queues in all likelihood", 1, 1},
    [SORT] = {"sort", "full permutations by sorting: 3m to 7m", 1, 1},
    [GREEDY] = {"greedy", "along rows and columns: 2m, queues of m/2 and more", 1, UINT32_MAX},
};

static enum failure_kind (*const RUN[METHODS])(struct machine *, const struct unicast_plan *,
                                               struct failure *) = {
    [BLOCKS_4] = run_blocks_4, [SPREAD] = unicast_spread, [CREDITS] = unicast_credits,
    [BLOCKS_8] = run_blocks_8, [RANDOM] = unicast_spread, [SORT] = unicast_sort,
    [GREEDY] = unicast_greedy,
};

/* ---- the run ---- */

/* run->own: the node to which each packet must go, MESH_NO_NODE for slots without a packet. */
static enum failure_kind inject_copy(struct kernel_case *run, uint32_t copy,
                                     struct failure *failure)
{
    node_index *target = (node_index *)run->own + (size_t)copy * run->nodes;
    enum failure_kind kind = kernel_targets(run, copy, target, failure);
    for (node_index node = 0; kind == FAIL_NONE && node < run->nodes; node++) {
        if (target[node] == MESH_NO_NODE)
            continue;
        uint32_t packet = copy * run->nodes + node;
        machine_headers(run->machine)->packet[packet].target =
            site_place(machine_site(run->machine, target[node]));
        kind = kernel_inject(run, node, packet, packet, failure);
    }
    return kind;
}

static enum failure_kind prepare(struct kernel_case *run, struct failure *failure)
{
    uint32_t k = run->options->k;
    if (run->method == SORT && run->options->load < 100)
        return fail(failure, FAIL_USAGE,
                    "method sort of kernel route takes full permutations: a load of 100, not %u",
                    run->options->load);
    run->own = memory_allocate((size_t)run->nodes * k, sizeof(node_index));
    if (run->own == NULL)
        return fail_memory(failure, "the packets' targets");
    enum failure_kind kind = kernel_machine(run, run->nodes * k, failure);
    for (uint32_t copy = 0; kind == FAIL_NONE && copy < k; copy++)
        kind = inject_copy(run, copy, failure);
    return kind;
}

static enum failure_kind route(struct kernel_case *run, struct failure *failure)
{
    struct unicast_plan plan = {
        .tiles = &run->tiles, .name = "route", .k = run->options->k, .seed = run->options->seed};
    return RUN[run->method](run->machine, &plan, failure);
}

static enum failure_kind check(struct kernel_case *run, struct failure *failure)
{
    const node_index *target = run->own;
    uint64_t found = 0;
    for (node_index node = 0; node < run->nodes; node++) {
        uint32_t packet = machine_first_resting(run->machine, node);
        for (; packet != MACHINE_NONE; packet = machine_next_resting(run->machine, packet)) {
            found++;
            if (target[packet] != node)
                return fail(failure, FAIL_CHECK,
                            "node %u holds packet %u, which was to go from node %u to node %u",
                            node, packet, packet % run->nodes, target[packet]);
        }
    }
    if (found != run->items)
        return fail(failure, FAIL_CHECK, "%llu of %llu packets are at their targets",
                    (unsigned long long)found, (unsigned long long)run->items);
    return FAIL_NONE;
}

static void release(struct kernel_case *run)
{
    free(run->own);
}

static uint64_t footprint(const struct kernel_case *run)
{
    static const unsigned uses[METHODS] = {
        [BLOCKS_4] = USE_PLANE | USE_URGENCY | USE_WORDS,
        [SPREAD] = USE_URGENCY | USE_WORDS,
        [CREDITS] = USE_CREDITS | USE_WORDS,
        [BLOCKS_8] = USE_PLANE | USE_URGENCY | USE_WORDS,
        [RANDOM] = USE_URGENCY | USE_WORDS,
        [SORT] = USE_PLANE,
        [GREEDY] = USE_FORWARD | USE_WORDS,
    };
    uint64_t slots = (uint64_t)run->nodes * run->options->k;
    bool spreads = RUN[run->method] == unicast_spread;
    return kernel_machine_footprint(run, slots, uses[run->method]) + slots * sizeof(node_index) +
           (spreads ? unicast_spread_footprint(slots) : 0);
}

const struct kernel_row kernel_route_row = {
    .shown = {"route", "permutation routing and (k,k)-routing: packets to their targets", METHOD},
    .prepare = prepare,
    .run = route,
    .check = check,
    .release = release,
    .footprint = footprint,
};
