/* bisection.c - starts by METIS: halves of the items onto halves of the nodes, and so on down to a
 * node.
 *
 * Method: a region is a list of nodes and the items on them. It is cut in the middle: a mesh across
 * its longer side, a curve at its middle, a graph by METIS. METIS cuts the items in the same ratio,
 * with an edge between the source and each destination of a message. Parts that are too large for
 * their nodes hand over the items that lose least. Where both halves have room for either part, the
 * parts are exchanged if that brings them nearer to their neighbours elsewhere, which count as if
 * they were in the middle of their regions.
 * Cost: METIS's, log2(nodes) times on all items.
 * Source: G. Karypis, V. Kumar, A fast and high quality multilevel scheme for partitioning
 * irregular graphs, 1998; recursive bisection of both sides is F. Pellegrini's, 1994.
 */
#include "place/place.h"

#include "base/numbers.h"
#include "workloads/placement.h"
#include "workloads/radix_sort.h"

#include <inttypes.h>
#include <metis.h>
#include <stdlib.h>

/* Edges between items, or the links of a graph. */
struct edges {
    uint64_t *offset;      /* [items + 1], or nodes */
    uint32_t *to, *weight; /* weight NULL: all 1 */
};

struct region {
    uint32_t first_node, nodes, first_item, items;
};

struct bisection {
    const struct place_plan *plan;
    bool is_curve;
    struct edges edges;
    uint32_t *node;   /* [nodes], those of a region side by side */
    uint32_t *item;   /* [items], likewise */
    uint32_t *middle; /* [items]: the middle node of an item's region */
    /* For the items of a region, or the nodes of one: */
    uint32_t *local; /* [the larger of both]: its number in the region at hand, plus 1; else 0 */
    uint64_t *key;   /* [the larger of both] */
    idx_t *start, *neighbour, *weight, *part; /* a graph and its halves */
};

/* ---- the graph of all items ---- */

/* Fills in the edges of sorted words, one << 32 | other, both ways. */
static void count_edges(struct edges *edges, const uint64_t *word, size_t words, uint32_t items)
{
    size_t count = 0;
    for (size_t i = 0, next; i < words; i = next) {
        for (next = i; next < words && word[next] == word[i]; next++)
            continue;
        edges->offset[(word[i] >> 32) + 1]++;
        edges->to[count] = (uint32_t)word[i];
        edges->weight[count++] = (uint32_t)(next - i);
    }
    for (uint32_t i = 0; i < items; i++)
        edges->offset[i + 1] += edges->offset[i];
}

static enum failure_kind make_edges(struct edges *edges, const struct item_traffic *traffic,
                                    struct failure *failure)
{
    size_t words = 0, all = 2 * (size_t)traffic->offset[traffic->messages];
    uint64_t *word = memory_allocate(all, sizeof *word);
    edges->offset = memory_allocate(traffic->items + (size_t)1, sizeof *edges->offset);
    edges->to = memory_allocate(all, sizeof *edges->to);
    edges->weight = memory_allocate(all, sizeof *edges->weight);
    bool has_all =
        word != NULL && edges->offset != NULL && edges->to != NULL && edges->weight != NULL;
    for (uint32_t m = 0; has_all && m < traffic->messages; m++)
        for (uint64_t j = traffic->offset[m]; j < traffic->offset[m + 1]; j++) {
            word[words++] = entry_pack(traffic->source[m], traffic->destination[j]);
            word[words++] = entry_pack(traffic->destination[j], traffic->source[m]);
        }
    has_all = has_all && radix_sort(word, words);
    if (has_all)
        count_edges(edges, word, words, traffic->items);
    free(word);
    return has_all ? FAIL_NONE : fail_memory(failure, "the graph of the items");
}

/* ---- a region ---- */

static uint32_t middle_node(const struct bisection *own, uint32_t first, uint32_t count)
{
    return own->node[first + count / 2];
}

/* Returns the hops of the path from a node to another one. */
static uint32_t distance(const struct place_plan *plan, uint32_t from, uint32_t to)
{
    uint32_t hops = 0, link;
    if (plan->topology->shape.kind != TOPOLOGY_GRAPH)
        return topology_distance(plan->whole, from, to);
    for (; to != from; hops++)
        to = path_before(plan->paths, from, to, &link);
    return hops;
}

/* Makes the graph of the listed items or nodes. */
static void make_graph(struct bisection *own, const struct edges *edges, const uint32_t *list,
                       uint32_t listed)
{
    idx_t count = 0;
    for (uint32_t i = 0; i < listed; i++)
        own->local[list[i]] = i + 1;
    for (uint32_t i = 0; i < listed; i++) {
        own->start[i] = count;
        for (uint64_t e = edges->offset[list[i]]; e < edges->offset[list[i] + 1]; e++) {
            uint32_t other = own->local[edges->to[e]];
            if (other == 0)
                continue;
            own->neighbour[count] = (idx_t)(other - 1);
            own->weight[count++] = edges->weight != NULL ? (idx_t)edges->weight[e] : 1;
        }
    }
    own->start[listed] = count;
}

static enum failure_kind call_metis(struct bisection *own, uint32_t listed, uint32_t left,
                                    struct failure *failure)
{
    idx_t options[METIS_NOPTIONS], count = (idx_t)listed, one = 1, two = 2, edges_cut;
    real_t share[2];
    share[0] = (real_t)left / (real_t)listed;
    share[1] = 1 - share[0];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)(own->plan->seed & INT32_MAX);
    options[METIS_OPTION_UFACTOR] = 1;
    int answer =
        METIS_PartGraphRecursive(&count, &one, own->start, own->neighbour, NULL, NULL, own->weight,
                                 &two, share, NULL, options, &edges_cut, own->part);
    return answer == METIS_OK ? FAIL_NONE : fail_memory(failure, "METIS");
}

/* Hands over those that lose least, until the left part has `left` of the `listed`. */
static enum failure_kind balance(struct bisection *own, uint32_t listed, uint32_t left,
                                 struct failure *failure)
{
    uint32_t on_left = 0, movable = 0;
    for (uint32_t i = 0; i < listed; i++)
        on_left += own->part[i] == 0;
    idx_t from = on_left > left ? 0 : 1;
    for (uint32_t i = 0; i < listed; i++) {
        int64_t loss = INT32_MAX;
        if (own->part[i] != from)
            continue;
        for (idx_t e = own->start[i]; e < own->start[i + 1]; e++)
            loss += own->part[own->neighbour[e]] == from ? own->weight[e] : -own->weight[e];
        loss = loss < 0 ? 0 : loss;
        own->key[movable++] = min_u64((uint64_t)loss, UINT32_MAX) << 32 | i;
    }
    if (!radix_sort(own->key, movable))
        return fail_memory(failure, "the items of a region");
    for (uint32_t i = 0; i < difference(on_left, left); i++)
        own->part[(uint32_t)own->key[i]] = 1 - from;
    return FAIL_NONE;
}

/* Cuts the graph at hand into two parts, of which the left one has `left` of the `listed`. */
static enum failure_kind cut(struct bisection *own, uint32_t listed, uint32_t left,
                             struct failure *failure)
{
    if (left > 0 && left < listed)
        return call_metis(own, listed, left, failure) == FAIL_NONE
                   ? balance(own, listed, left, failure)
                   : failure->kind;
    for (uint32_t i = 0; i < listed; i++)
        own->part[i] = left == 0;
    return FAIL_NONE;
}

/* Puts the left part of a list first; both keep their orders. */
static void order_parts(struct bisection *own, uint32_t *list, uint32_t listed, uint32_t left)
{
    uint32_t at[2] = {0, left};
    for (uint32_t i = 0; i < listed; i++)
        own->key[at[own->part[i]]++] = list[i];
    for (uint32_t i = 0; i < listed; i++)
        list[i] = (uint32_t)own->key[i];
}

/* Cuts the nodes of a region of a mesh across the dimension in which it is longest. */
static enum failure_kind cut_mesh(struct bisection *own, const struct region *region,
                                  uint32_t *left, struct failure *failure)
{
    const struct topology *topology = own->plan->topology;
    uint32_t *node = own->node + region->first_node, longest = 0, size = 0, begin = 0;
    for (uint32_t d = 0; d < topology->shape.dimensions; d++) {
        uint32_t low = UINT32_MAX, high = 0;
        for (uint32_t i = 0; i < region->nodes; i++) {
            uint32_t x = topology_coordinate(topology, node[i], d);
            low = min_u32(low, x);
            high = max_u32(high, x);
        }
        if (high - low + 1 > size) {
            size = high - low + 1;
            longest = d;
            begin = low;
        }
    }
    *left = 0;
    for (uint32_t i = 0; i < region->nodes; i++) {
        uint32_t x = topology_coordinate(topology, node[i], longest);
        *left += x - begin < size / 2;
        own->key[i] = entry_pack(x, node[i]);
    }
    if (!radix_sort(own->key, region->nodes))
        return fail_memory(failure, "the nodes of a region");
    for (uint32_t i = 0; i < region->nodes; i++)
        node[i] = (uint32_t)own->key[i];
    return FAIL_NONE;
}

/* Cuts the nodes of a region of a graph where few links join them. */
static enum failure_kind cut_links(struct bisection *own, const struct region *region,
                                   uint32_t left, struct failure *failure)
{
    const struct topology *topology = own->plan->topology;
    const struct edges links = {topology->offset, topology->neighbour, NULL};
    uint32_t *node = own->node + region->first_node;
    make_graph(own, &links, node, region->nodes);
    for (uint32_t i = 0; i < region->nodes; i++)
        own->local[node[i]] = 0;
    if (cut(own, region->nodes, left, failure) == FAIL_NONE)
        order_parts(own, node, region->nodes, left);
    return failure->kind;
}

/* Puts one half of a region's nodes before the other one, which begins after `left` nodes. */
static enum failure_kind cut_nodes(struct bisection *own, const struct region *region,
                                   uint32_t *left, struct failure *failure)
{
    *left = region->nodes / 2;
    if (own->is_curve)
        return FAIL_NONE;
    return own->plan->topology->shape.kind == TOPOLOGY_GRAPH
               ? cut_links(own, region, *left, failure)
               : cut_mesh(own, region, left, failure);
}

/* Returns how many hops the edges to items elsewhere gain if the parts, now `here` and `there`, are
 * exchanged. */
static int64_t pull(const struct bisection *own, const struct region *region, uint32_t here,
                    uint32_t there)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < region->items; i++) {
        uint32_t item = own->item[region->first_item + i];
        uint32_t from = own->part[i] == 0 ? here : there, to = own->part[i] == 0 ? there : here;
        for (uint64_t e = own->edges.offset[item]; e < own->edges.offset[item + 1]; e++) {
            uint32_t other = own->edges.to[e];
            if (own->local[other] == 0)
                sum += (int64_t)own->edges.weight[e] *
                       ((int64_t)distance(own->plan, to, own->middle[other]) -
                        (int64_t)distance(own->plan, from, own->middle[other]));
        }
    }
    return sum;
}

/* Cuts a region of several nodes into `half`. */
static enum failure_kind split(struct bisection *own, const struct region *region,
                               struct region half[2], struct failure *failure)
{
    uint32_t nodes, capacity = own->plan->per_node;
    uint32_t *item = own->item + region->first_item;
    if (cut_nodes(own, region, &nodes, failure) != FAIL_NONE)
        return failure->kind;
    uint32_t items = region->items, left = (uint32_t)((uint64_t)items * nodes / region->nodes);
    left = min_u32(left, nodes * capacity);
    left = max_u32(left,
                   items - (uint32_t)min_u64(items, (uint64_t)(region->nodes - nodes) * capacity));
    make_graph(own, &own->edges, item, items);
    if (cut(own, items, left, failure) != FAIL_NONE)
        return failure->kind;
    uint32_t here = middle_node(own, region->first_node, nodes);
    uint32_t there = middle_node(own, region->first_node + nodes, region->nodes - nodes);
    bool can_exchange =
        items - left <= nodes * capacity && left <= (region->nodes - nodes) * capacity;
    if (can_exchange && pull(own, region, here, there) < 0) {
        for (uint32_t i = 0; i < items; i++)
            own->part[i] = 1 - own->part[i];
        left = items - left;
    }
    for (uint32_t i = 0; i < items; i++) {
        own->middle[item[i]] = own->part[i] == 0 ? here : there;
        own->local[item[i]] = 0;
    }
    order_parts(own, item, items, left);
    half[0] = (struct region){region->first_node, nodes, region->first_item, left};
    half[1] = (struct region){region->first_node + nodes, region->nodes - nodes,
                              region->first_item + left, items - left};
    return FAIL_NONE;
}

/* ---- all regions ---- */

/* Cuts regions, the oldest first, until each is a node. */
static enum failure_kind cut_regions(struct bisection *own, struct failure *failure)
{
    uint32_t nodes = topology_main_nodes(own->plan->topology), made = 1;
    struct region *region = memory_allocate(2 * (size_t)nodes, sizeof *region);
    if (region == NULL)
        return fail_memory(failure, "the regions of nodes");
    region[0] = (struct region){0, nodes, 0, own->plan->traffic->items};
    for (uint32_t i = 0; i < made && failure->kind == FAIL_NONE; i++)
        if (region[i].nodes > 1 && split(own, &region[i], region + made, failure) == FAIL_NONE)
            made += 2;
    free(region);
    return failure->kind;
}

/* Lists all nodes and items. */
static enum failure_kind list_all(struct bisection *own, struct failure *failure)
{
    const struct topology *topology = own->plan->topology;
    uint32_t items = own->plan->traffic->items, nodes = topology_main_nodes(topology);
    struct node_order order;
    if (node_order_make(&order, own->is_curve ? IMPORT_HILBERT : IMPORT_ROW, &topology->shape,
                        topology->nodes, 0, failure) != FAIL_NONE ||
        node_order_keep_main(&order, topology, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t i = 0; i < nodes; i++)
        own->node[i] = node_order_at(&order, i);
    node_order_free(&order);
    for (uint32_t i = 0; i < items; i++) {
        own->item[i] = i;
        own->middle[i] = middle_node(own, 0, nodes);
    }
    return FAIL_NONE;
}

static enum failure_kind make_arrays(struct bisection *own, struct failure *failure)
{
    const struct topology *topology = own->plan->topology;
    uint32_t items = own->plan->traffic->items, most = max_u32(topology->nodes, items);
    uint64_t edges = own->edges.offset[items], most_edges = max_u64(edges, topology->links);
    if (most_edges > INT32_MAX)
        return fail(failure, FAIL_USAGE,
                    "METIS takes at most %d edges, items or nodes have %" PRIu64, INT32_MAX,
                    most_edges);
    own->node = memory_allocate(topology->nodes, sizeof *own->node);
    own->item = memory_allocate(items, sizeof *own->item);
    own->middle = memory_allocate(items, sizeof *own->middle);
    own->local = memory_allocate(most, sizeof *own->local);
    own->key = memory_allocate(most, sizeof *own->key);
    own->start = memory_allocate(most + (size_t)1, sizeof *own->start);
    own->neighbour = memory_allocate(most_edges, sizeof *own->neighbour);
    own->weight = memory_allocate(most_edges, sizeof *own->weight);
    own->part = memory_allocate(most, sizeof *own->part);
    if (own->node == NULL || own->item == NULL || own->middle == NULL || own->local == NULL ||
        own->key == NULL || own->start == NULL || own->neighbour == NULL || own->weight == NULL ||
        own->part == NULL)
        return fail_memory(failure, "the regions of items");
    return list_all(own, failure);
}

static enum failure_kind bisect(const struct place_plan *plan, bool is_curve,
                                struct assignment *assignment, struct failure *failure)
{
    struct bisection own = {.plan = plan, .is_curve = is_curve};
    if (make_edges(&own.edges, plan->traffic, failure) == FAIL_NONE &&
        make_arrays(&own, failure) == FAIL_NONE && cut_regions(&own, failure) == FAIL_NONE)
        for (uint32_t i = 0; i < plan->traffic->items; i++)
            assignment->node[i] = own.middle[i];
    free(own.edges.offset);
    free(own.edges.to);
    free(own.edges.weight);
    free(own.node);
    free(own.item);
    free(own.middle);
    free(own.local);
    free(own.key);
    free(own.start);
    free(own.neighbour);
    free(own.weight);
    free(own.part);
    return failure->kind;
}

enum failure_kind bisect_topology(const struct place_plan *plan, struct assignment *assignment,
                                  struct failure *failure)
{
    return bisect(plan, false, assignment, failure);
}

enum failure_kind bisect_curve(const struct place_plan *plan, struct assignment *assignment,
                               struct failure *failure)
{
    return bisect(plan, true, assignment, failure);
}
