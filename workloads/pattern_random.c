/* pattern_random.c - patterns that are drawn: uniform, block, hotspot, broadcast, scan, rmat. */
#include "workloads/pattern_private.h"

#include "base/numbers.h"

#include <stdbool.h>
#include <stdlib.h>

/* ---- `uniform`: d random distinct destinations per message, at most c messages per node.
 *
 * With d <= c every node sends a message of d destinations, with d > c as many random nodes as c
 * allows: floor(c n / d). pattern_deal.c deals the destinations; with d = c every node receives
 * exactly c.
 *
 * Cost: expected O(n (d + c)) time with d = c, 4 bytes per delivery and 16 bytes per node.
 */

/* Chooses the sources of all messages: all nodes, or random ones (each so that every subset is
 * equally likely: selection sampling, which also keeps them ascending). */
static void choose_sources(const struct deal *deal, struct pcg32 *random, node_index *source)
{
    uint32_t nodes = deal->places, chosen = 0;
    for (node_index v = 0; v < nodes && chosen < deal->messages; v++)
        if (deal->messages == nodes || pcg32_below(random, nodes - v) < deal->messages - chosen)
            source[chosen++] = v;
}

enum failure_kind pattern_uniform(const struct pattern_options *options, struct message_set *set,
                                  struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_UNIFORM);
    uint32_t nodes = mesh_nodes(options->mesh), d = options->degree, c = options->congestion;
    struct deal deal = {.places = nodes,
                        .messages = d <= c ? nodes : (uint32_t)((uint64_t)c * nodes / d),
                        .degree = d,
                        .congestion = c};
    if (message_set_allocate(set, options->shape, deal.messages, (uint64_t)deal.messages * d,
                             failure) != FAIL_NONE)
        return failure->kind;
    choose_sources(&deal, &random, set->source);
    enum failure_kind kind = deal_places(&deal, &random, set->destination, failure);
    if (kind != FAIL_NONE) {
        message_set_free(set);
        return kind;
    }
    for (uint32_t i = 0; i < deal.messages; i++) {
        set->offset[i] = (uint64_t)i * d;
        sort_u32(set->destination + set->offset[i], d);
    }
    return FAIL_NONE;
}

/* ---- `block`: each message's destinations cluster in one tile.
 *
 * The mesh is cut into tiles of side max(1, floor(sqrt(n / c))), the last ones of a row or column
 * being the rest. A tile of a nodes is the target of min(a, floor(c a / d')) messages, d' = min(d,
 * a) destinations each, dealt within the tile by pattern_deal.c; their sources are random nodes
 * anywhere. With d <= c every node sends a message.
 *
 * Cost: that of the deals, expected O(n d + n (largest quota)) time; 16 bytes per delivery.
 */

struct tile {
    uint32_t row, col, rows, cols;
};

/* Finds tile number `index`, row by row from 0; false if there is none. */
static bool tile_at(struct mesh mesh, uint32_t side, uint32_t index, struct tile *tile)
{
    uint32_t across = (mesh.cols + side - 1) / side;
    tile->row = index / across * side;
    tile->col = index % across * side;
    if (tile->row >= mesh.rows)
        return false;
    tile->rows = mesh.rows - tile->row < side ? mesh.rows - tile->row : side;
    tile->cols = mesh.cols - tile->col < side ? mesh.cols - tile->col : side;
    return true;
}

/* Returns the deal of a tile. */
static struct deal tile_deal(const struct pattern_options *options, const struct tile *tile)
{
    uint32_t area = tile->rows * tile->cols;
    uint32_t degree = options->degree < area ? options->degree : area;
    uint64_t fits = (uint64_t)options->congestion * area / degree;
    return (struct deal){.places = area,
                         .messages = fits < area ? (uint32_t)fits : area,
                         .degree = degree,
                         .congestion = options->congestion};
}

/* Deals one tile to the messages of source[0 ..]. */
static enum failure_kind fill_tile(struct pair_list *list, const struct pattern_options *options,
                                   const struct tile *tile, const node_index *source,
                                   struct pcg32 *random, struct failure *failure)
{
    struct deal deal = tile_deal(options, tile);
    uint32_t *place = memory_allocate((size_t)deal.messages * deal.degree, sizeof *place);
    if (place == NULL)
        return fail_memory(failure, "a tile's destinations");
    enum failure_kind kind = deal_places(&deal, random, place, failure);
    for (uint32_t i = 0; kind == FAIL_NONE && i < deal.messages; i++)
        for (uint32_t j = 0; j < deal.degree; j++) {
            uint32_t here = place[(size_t)i * deal.degree + j];
            pair_list_add(list, source[i],
                          (tile->row + here / tile->cols) * options->mesh.cols + tile->col +
                              here % tile->cols);
        }
    free(place);
    return kind;
}

enum failure_kind pattern_block(const struct pattern_options *options, struct message_set *set,
                                struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_BLOCK);
    uint32_t nodes = mesh_nodes(options->mesh), dealt = 0;
    uint32_t side = whole_root(nodes / options->congestion);
    struct pair_list list = {0};
    struct tile tile;
    uint64_t deliveries = 0;
    side = side < 1 ? 1 : side;
    for (uint32_t i = 0; tile_at(options->mesh, side, i, &tile); i++) {
        struct deal deal = tile_deal(options, &tile);
        deliveries += (uint64_t)deal.messages * deal.degree;
    }
    node_index *source = shuffled_numbers(&random, nodes);
    enum failure_kind kind = pair_list_open(&list, deliveries, source != NULL, failure);
    for (uint32_t i = 0; kind == FAIL_NONE && tile_at(options->mesh, side, i, &tile); i++) {
        kind = fill_tile(&list, options, &tile, source + dealt, &random, failure);
        dealt += tile_deal(options, &tile).messages;
    }
    kind = pair_list_close(&list, kind, options->shape, set, failure);
    free(source);
    return kind;
}

/* ---- `hotspot` and `broadcast`: few nodes that receive many messages, few messages that go
 * everywhere.
 *
 * `hotspot`: random hot nodes, min(floor(sqrt n), floor(n d / c)) of them, receive c messages each,
 * dealt out in turn over the nodes in a random order: no message meets a hot node twice since c <=
 * n, and none serves more than d of them. A message that has room left also goes to one ordinary
 * node, its image under a random permutation, unless that is a hot one.
 *
 * `broadcast`: c messages from random nodes, each to all nodes or to d random ones, drawn by the
 * first d steps of a shuffle.
 *
 * Cost: O(n + deliveries) time and memory.
 */

/* Returns the number of hot nodes. */
static uint32_t hot_nodes(const struct pattern_options *options)
{
    uint32_t nodes = mesh_nodes(options->mesh), root = whole_root(nodes);
    uint64_t fits = (uint64_t)nodes * options->degree / options->congestion;
    return root < fits ? root : (uint32_t)fits;
}

enum failure_kind pattern_hotspot(const struct pattern_options *options, struct message_set *set,
                                  struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_HOTSPOT);
    uint32_t nodes = mesh_nodes(options->mesh), hot = hot_nodes(options);
    uint64_t deals = (uint64_t)hot * options->congestion;
    uint64_t rounds = deals / nodes,
             rest = deals % nodes; /* the first `rest` nodes serve one more */
    struct pair_list list = {0};
    node_index *source = shuffled_numbers(&random, nodes);
    node_index *target = shuffled_numbers(&random, nodes); /* the first ones are hot */
    node_index *image = shuffled_numbers(&random, nodes);
    enum failure_kind kind = pair_list_open(
        &list, deals + nodes, source != NULL && target != NULL && image != NULL, failure);
    for (uint64_t i = 0; i < deals && kind == FAIL_NONE; i++)
        pair_list_add(&list, source[i % nodes], target[i / options->congestion]);
    for (uint32_t i = 0; i < nodes && kind == FAIL_NONE; i++)
        if (image[i] >= hot && rounds + (i < rest) < options->degree)
            pair_list_add(&list, source[i], target[image[i]]);
    kind = pair_list_close(&list, kind, options->shape, set, failure);
    free(source);
    free(target);
    free(image);
    return kind;
}

enum failure_kind pattern_broadcast(const struct pattern_options *options, struct message_set *set,
                                    struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_BROADCAST);
    uint32_t nodes = mesh_nodes(options->mesh), d = options->degree, c = options->congestion;
    struct pair_list list = {0};
    node_index *source = shuffled_numbers(&random, nodes);
    node_index *target = shuffled_numbers(&random, nodes);
    enum failure_kind kind =
        pair_list_open(&list, (uint64_t)c * d, source != NULL && target != NULL, failure);
    for (uint32_t i = 0; i < c && kind == FAIL_NONE; i++) {
        if (d < nodes)
            shuffle_front(&random, target, nodes, d);
        for (uint32_t j = 0; j < d; j++)
            pair_list_add(&list, source[i], target[j]);
    }
    kind = pair_list_close(&list, kind, options->shape, set, failure);
    free(source);
    free(target);
    return kind;
}

/* ---- `scan`: destinations that are met on a walk over the nodes, in the order of their numbers.
 *
 * The walk goes over all nodes but the source and takes each with probability d / n, until it has
 * d; if it ends with fewer, it starts afresh. Nodes with large numbers are met less often than
 * others, as apparently in S. Wang's figures (Efficient multicast routing algorithms for
 * mesh-connected multicomputers, 2005), whose sets are only called random.
 *   Method: a walk does not look at the nodes that it passes. The number that it passes before it
 * takes one is drawn at once, by a table of the chances to pass k nodes or more: q^k, q = 1 - d /
 * n, in units of 2^-32. If a walk passes as many as the table has, the rest is drawn anew, since no
 * node knows how many were passed before it.
 *
 * Cost: O(log(n / d)) time per node that is taken; a message needs at most 3 d of them on average;
 * 8 bytes per delivery, 4 bytes for each of 2 n / d places of the table.
 */

/* pass[k - 1]: the probability, in units of 2^-32, that k nodes or more are passed before one is
 * taken. */
struct gaps {
    uint32_t count, *pass; /* [count] */
};

/* Makes the table. The products are rounded to the nearest of 2^-37, so that their errors do not
 * add up. */
static enum failure_kind gaps_make(struct gaps *gaps, uint32_t nodes, uint32_t d,
                                   struct failure *failure)
{
    enum { MORE_BITS = 5 };
    uint64_t chance = UINT64_C(1) << (32 + MORE_BITS);
    gaps->count = min_u32(nodes, 2 * (nodes / d) + 2);
    gaps->pass = memory_allocate(gaps->count, sizeof *gaps->pass);
    if (gaps->pass == NULL)
        return fail_memory(failure, "the walks of a pattern");
    for (uint32_t k = 0; k < gaps->count; k++) {
        chance = (chance * (nodes - d) + nodes / 2) / nodes;
        gaps->pass[k] = (uint32_t)min_u64(chance >> MORE_BITS, UINT32_MAX);
    }
    return FAIL_NONE;
}

/* Returns the number of nodes that are passed, `count` of the table if those or more. */
static uint32_t gap_draw(const struct gaps *gaps, struct pcg32 *random)
{
    uint32_t drawn = pcg32_next(random), low = 0, high = gaps->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (gaps->pass[middle] > drawn)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Walks until d destinations of the source are met, and adds them. */
static void walk(struct pair_list *list, struct pcg32 *random, const struct gaps *gaps,
                 node_index source, uint32_t nodes, uint32_t d)
{
    uint64_t begin = list->pairs, at = 0; /* of the others, without the source */
    for (uint32_t met = 0; met < d;) {
        uint32_t gap = gap_draw(gaps, random);
        at += gap;
        if (at >= nodes - 1) {
            list->pairs = begin;
            at = met = 0;
        } else if (gap < gaps->count) {
            node_index other = (node_index)at++;
            pair_list_add(list, source, other + (other >= source));
            met++;
        }
    }
}

enum failure_kind pattern_scan(const struct pattern_options *options, struct message_set *set,
                               struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_SCAN);
    uint32_t nodes = mesh_nodes(options->mesh), d = options->degree;
    struct pair_list list;
    struct gaps gaps = {0, NULL};
    d = min_u32(d, nodes - 1);
    enum failure_kind kind =
        pair_list_open(&list, (uint64_t)options->congestion * d, true, failure);
    if (kind == FAIL_NONE && d > 0)
        kind = gaps_make(&gaps, nodes, d, failure);
    for (node_index source = 0; source < options->congestion && kind == FAIL_NONE; source++)
        walk(&list, &random, &gaps, source, nodes, d);
    free(gaps.pass);
    return pair_list_close(&list, kind, options->shape, set, failure);
}

/* ---- `rmat`: the edges of a power-law graph, thinned to degree d and congestion c.
 *
 * Edges are drawn by the recursive matrix method (Chakrabarti, Zhan and Faloutsos 2004): each bit
 * of source and target together falls into one of four quadrants with probabilities .57, .19, .19,
 * .05. Pairs beyond the mesh are drawn again, and a random permutation scatters the numbers over
 * the mesh, since otherwise all hubs would be in its first rows. Repeated edges count once. A
 * message with more than d destinations keeps random d of them, then a node with more than c
 * messages random c, both by selection sampling in one pass each, which keeps every order.
 *
 * Cost: O(n e log n) time for e = min(16, d, c) edges per node, 16 bytes per edge.
 */

enum { EDGES_A_NODE = 16 };

/* The quadrants' probabilities, summed, in units of 2^-16. */
static const uint32_t UPPER_LEFT = 37356, UPPER = 49807, UPPER_AND_LEFT = 62259;

/* Draws a pair below `nodes`, two bits of each from one random value. */
static void draw_edge(struct pcg32 *random, uint32_t nodes, uint32_t *from, uint32_t *to)
{
    do {
        uint32_t value = 0;
        bool fresh = false;
        *from = *to = 0;
        for (uint32_t reach = 1; reach < nodes; reach <<= 1) {
            value = fresh ? value >> 16 : pcg32_next(random);
            fresh = !fresh;
            uint32_t low = value & 0xffff; /* no branch depends on it: it could not be predicted */
            uint32_t quadrant =
                (uint32_t)(low >= UPPER_LEFT) + (low >= UPPER) + (low >= UPPER_AND_LEFT);
            *from = *from << 1 | quadrant >> 1;
            *to = *to << 1 | (quadrant & 1);
        }
    } while (*from >= nodes || *to >= nodes);
}

/* Leaves each message at most `degree` random destinations. */
static void thin_messages(struct message_set *set, uint32_t degree, struct pcg32 *random)
{
    uint64_t end = 0, first = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t last = set->offset[i + 1];
        uint32_t keep = last - first < degree ? (uint32_t)(last - first) : degree;
        set->offset[i] = end;
        for (uint64_t j = first; j < last; j++) {
            uint32_t left = (uint32_t)(last - j);
            if (keep == left || pcg32_below(random, left) < keep) {
                set->destination[end++] = set->destination[j];
                keep--;
            }
        }
        first = last;
    }
    set->offset[set->messages] = end;
    set->deliveries = end;
}

/* Leaves each node at most `congestion` random messages, and no message empty. */
static enum failure_kind thin_nodes(struct message_set *set, uint32_t congestion,
                                    struct pcg32 *random, struct failure *failure)
{
    uint32_t nodes = shape_nodes(&set->shape), messages = 0;
    uint32_t *left = memory_allocate(nodes, sizeof *left);
    uint32_t *kept = memory_allocate(nodes, sizeof *kept);
    uint64_t end = 0, first = 0;
    if (left == NULL || kept == NULL) {
        free(left);
        free(kept);
        return fail_memory(failure, "counting messages at nodes");
    }
    for (uint64_t j = 0; j < set->deliveries; j++)
        left[set->destination[j]]++;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t last = set->offset[i + 1], begun = end;
        for (uint64_t j = first; j < last; j++) {
            node_index v = set->destination[j];
            uint32_t room = congestion - kept[v];
            if (left[v] <= room || pcg32_below(random, left[v]) < room) {
                set->destination[end++] = v;
                kept[v]++;
            }
            left[v]--;
        }
        first = last;
        set->source[messages] = set->source[i];
        set->offset[messages] = begun;
        messages += end > begun;
    }
    set->messages = messages;
    set->offset[messages] = end;
    set->deliveries = end;
    free(left);
    free(kept);
    return FAIL_NONE;
}

enum failure_kind pattern_rmat(const struct pattern_options *options, struct message_set *set,
                               struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_RMAT);
    uint32_t nodes = mesh_nodes(options->mesh), a_node = EDGES_A_NODE, from, to;
    struct pair_list list = {0};
    a_node = a_node < options->degree ? a_node : options->degree;
    a_node = a_node < options->congestion ? a_node : options->congestion;
    node_index *place = shuffled_numbers(&random, nodes);
    uint64_t edges = (uint64_t)nodes * a_node;
    enum failure_kind kind = pair_list_open(&list, edges, place != NULL, failure);
    for (uint64_t i = 0; i < edges && kind == FAIL_NONE; i++) {
        draw_edge(&random, nodes, &from, &to);
        pair_list_add(&list, place[from], place[to]);
    }
    kind = pair_list_close(&list, kind, options->shape, set, failure);
    if (kind == FAIL_NONE) {
        thin_messages(set, options->degree, &random);
        kind = thin_nodes(set, options->congestion, &random, failure);
        if (kind != FAIL_NONE)
            message_set_free(set);
    }
    free(place);
    return kind;
}
