/* grown_tree.c - a source grows the tree of its message.
 *
 * Method. Destinations join the tree in the order of their distance from the source. Each has a way, a list of nodes,
 * from a node of the tree; the tree gets what follows the last node of the way that it has already. So every node has
 * one parent, and every leaf is a destination.
 *   spread: the hash draws the side on which the destination is entered, evenly. The way leads from the nearest node of
 * the tree to the neighbour on that side, and reaches it across: it turns before it enters. Its middle part lies on a
 * line that is drawn, too; where there is nothing to choose from, on that line or one beside it. So the messages for
 * one node are shared out evenly over its links, which no source could find out, and pass by the nodes that are in line
 * with it.
 *   vh, diag, dds, min: a scheme plans the whole tree (planned_tree.c).
 * Knowledge: the message, the sides of the mesh, the seed. Nothing is measured.
 * Source: nearest first in the manner of the NER and ESPR of neuromorphic machines (Navaridas and others 2012); the
 * sides are our own.
 * Cost: O(k (k + links)) per message of k destinations; 24 bytes per node, and the pieces.
 */
#include "routers/grown_tree_private.h"
#include "routers/planned_tree.h"

#include "base/numbers.h"
#include "machine/pool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DRAW_SIDE = 0x74726501, DRAW_START, DRAW_LINE };

/* A way may be so many links longer to begin at no destination, which should not have to copy and send messages that
 * it receives. */
enum { DETOUR = 2 };

struct grower {
    const struct routing *routing;
    struct grown_trees *trees;
    struct mesh mesh;
    uint32_t count;          /* nodes of the tree */
    struct grown_node *node; /* [n] */
    uint32_t *at;            /* [n]: the place in `node` of a node of the mesh, from 1; 0: none */
    uint32_t *load;          /* [n][DIRECTIONS]: trees that use a link, for the report */
    node_place *way;         /* [4 (rows + cols)] */
    uint32_t steps;          /* of the way, after way[0] */
    uint64_t *order;         /* [d] */
    uint32_t message;        /* name of the message, from which draws follow */
    struct tree_planner *planner; /* a scheme that plans whole trees, or NULL */
};

/* The values of `tree=`, and the schemes that plan whole trees. */
static const struct {
    const char *name, *scheme;
    bool is_monotone;
} CHOICES[] = {
    [TREE_AUTO] = {"auto", NULL, false},     [TREE_XY] = {"xy", NULL, true},
    [TREE_HALVES] = {"halves", NULL, false}, [TREE_SPREAD] = {"spread", NULL, false},
    [TREE_VH] = {"vh", "vh", true},          [TREE_DIAG] = {"diag", "diag", true},
    [TREE_DDS] = {"dds", "dds", true},       [TREE_MIN] = {"min", "min", false},
};

const char *tree_name(enum tree_choice choice)
{
    return CHOICES[choice].name;
}

bool tree_is_grown(enum tree_choice choice)
{
    return choice >= TREE_SPREAD;
}

bool tree_is_monotone(enum tree_choice choice)
{
    return CHOICES[choice].is_monotone;
}

/* ---- the tree ---- */

static node_index index_of(const struct grower *grower, node_place place)
{
    return place_row(place) * grower->mesh.cols + place_col(place);
}

static uint32_t in_tree(const struct grower *grower, node_place place)
{
    return grower->at[index_of(grower, place)] - 1; /* NOWHERE */
}

static enum direction direction_to(node_place from, node_place to)
{
    if (place_col(from) == place_col(to))
        return place_row(to) < place_row(from) ? NORTH : SOUTH;
    return place_col(to) < place_col(from) ? WEST : EAST;
}

static uint32_t add_node(struct grower *grower, node_place place, uint32_t parent)
{
    uint32_t added = grower->count++;
    struct grown_node *node = &grower->node[added];
    *node = (struct grown_node){.place = place, .parent = parent};
    memset(node->kid, 0xff, sizeof node->kid);
    grower->at[index_of(grower, place)] = added + 1;
    if (parent != NOWHERE) {
        struct grown_node *above = &grower->node[parent];
        node->from = (uint8_t)direction_to(above->place, place);
        above->kid[node->from] = added;
        grower->load[(size_t)index_of(grower, above->place) * DIRECTIONS + node->from]++;
    }
    return added;
}

/* ---- ways ---- */

static void way_begin(struct grower *grower, node_place from)
{
    grower->way[0] = from;
    grower->steps = 0;
}

static void way_to_row(struct grower *grower, uint32_t row)
{
    for (node_place at = grower->way[grower->steps]; place_row(at) != row;) {
        at = place_of(place_row(at) < row ? place_row(at) + 1 : place_row(at) - 1, place_col(at));
        grower->way[++grower->steps] = at;
    }
}

static void way_to_col(struct grower *grower, uint32_t col)
{
    for (node_place at = grower->way[grower->steps]; place_col(at) != col;) {
        at = place_of(place_row(at), place_col(at) < col ? place_col(at) + 1 : place_col(at) - 1);
        grower->way[++grower->steps] = at;
    }
}

static void way_to(struct grower *grower, node_place goal, bool row_first)
{
    if (row_first)
        way_to_col(grower, place_col(goal));
    way_to_row(grower, place_row(goal));
    way_to_col(grower, place_col(goal));
}

/* The tree gets the way from the last node on that it has; a way ends where it first meets `goal`. */
static void way_join(struct grower *grower, node_place goal)
{
    uint32_t last = 0, end = 0;
    while (grower->way[end] != goal)
        end++;
    for (uint32_t i = 0; i <= end; i++)
        if (in_tree(grower, grower->way[i]) != NOWHERE)
            last = i;
    uint32_t at = in_tree(grower, grower->way[last]);
    for (uint32_t i = last + 1; i <= end; i++)
        at = add_node(grower, grower->way[i], at);
    grower->node[at].is_destination = true;
}

/* ---- what is drawn ---- */

static uint32_t draw(const struct grower *grower, uint64_t stream, node_place place, uint32_t below)
{
    uint64_t index = (uint64_t)grower->message << 32 | place;
    return routing_random(grower->routing, stream, index) % below;
}

/* Returns a node of the tree nearest to `place`; of several, one that is drawn. */
static node_place nearest_to(const struct grower *grower, node_place place)
{
    uint32_t start = draw(grower, DRAW_START, place, grower->count), best = NOWHERE, found = 0;
    for (uint32_t i = 0; i < grower->count; i++) {
        uint32_t j = start + i < grower->count ? start + i : start + i - grower->count;
        uint32_t far = place_distance(grower->node[j].place, place);
        far += grower->node[j].is_destination ? DETOUR : 0;
        if (far < best) {
            best = far;
            found = j;
        }
    }
    return grower->node[found].place;
}

/* Draws a line from a to b, or where they are the same, that line or one beside it. */
static uint32_t line_between(const struct grower *grower, node_place place, uint32_t a, uint32_t b,
                             uint32_t lines)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (low == high) {
        low -= low > 0;
        high += high + 1 < lines;
    }
    return low + draw(grower, DRAW_LINE, place, high - low + 1);
}

/* Returns a neighbour of `place`, each with the same chance. */
static node_place side_of(const struct grower *grower, node_place place)
{
    uint32_t row = place_row(place), col = place_col(place), sides = 0;
    node_place side[DIRECTIONS];
    if (row > 0)
        side[sides++] = place_of(row - 1, col);
    if (row + 1 < grower->mesh.rows)
        side[sides++] = place_of(row + 1, col);
    if (col > 0)
        side[sides++] = place_of(row, col - 1);
    if (col + 1 < grower->mesh.cols)
        side[sides++] = place_of(row, col + 1);
    return side[draw(grower, DRAW_SIDE, place, sides)];
}

static void way_by_side(struct grower *grower, node_place goal)
{
    node_place side = side_of(grower, goal), from = nearest_to(grower, side);
    way_begin(grower, from);
    if (place_row(side) == place_row(goal)) {
        uint32_t rows = grower->mesh.rows;
        if (from != side)
            way_to_row(grower, line_between(grower, goal, place_row(from), place_row(side), rows));
        way_to(grower, side, true);
    } else {
        uint32_t cols = grower->mesh.cols;
        if (from != side)
            way_to_col(grower, line_between(grower, goal, place_col(from), place_col(side), cols));
        way_to(grower, side, false);
    }
    grower->way[++grower->steps] = goal;
}

/* ---- a message ---- */

static void join(struct grower *grower, node_place goal)
{
    uint32_t there = in_tree(grower, goal);
    if (there != NOWHERE) {
        grower->node[there].is_destination = true;
        return;
    }
    way_by_side(grower, goal);
    way_join(grower, goal);
}

static void grow(struct grower *grower, struct site site, uint32_t packet)
{
    struct headers *header = grower->trees->header;
    uint32_t first = header->packet[packet].first, count = packet - first + 1;
    grower->message = header->packet[packet].message;
    grower->count = 0;
    add_node(grower, site_place(site), NOWHERE);
    for (uint32_t i = 0; i < count; i++) {
        node_place place = header->destination[first + i];
        grower->order[i] = (uint64_t)place_distance(site_place(site), place) << 32 | place;
    }
    qsort(grower->order, count, sizeof *grower->order, compare_u64);
    for (uint32_t i = 0; i < count; i++)
        join(grower, (node_place)grower->order[i]);
}

/* Grows the tree by a scheme. FAIL_SYSTEM: no memory. */
static enum failure_kind plan(struct grower *grower, struct site site, uint32_t packet,
                              struct failure *failure)
{
    const struct headers *header = grower->trees->header;
    uint32_t first = header->packet[packet].first, count = packet - first + 1;
    const struct planned_node *node;
    uint32_t nodes = tree_planner_plan(grower->planner, site_place(site),
                                       header->destination + first, count, &node, failure);
    grower->count = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t added = add_node(grower, node[i].place, i == 0 ? NOWHERE : node[i].parent);
        grower->node[added].is_destination = node[i].is_destination;
    }
    return nodes == 0 ? FAIL_SYSTEM : FAIL_NONE;
}

/* ---- pieces of a tree ---- */

static void keep(struct grower *grower, uint32_t packet)
{
    struct grown_trees *trees = grower->trees;
    struct header *header = &trees->header->packet[packet];
    grower->node[0].first_slot = header->first;
    grower->node[0].piece = (uint32_t)trees->pieces;
    uint64_t pieces = tree_pieces_count(grower->node, grower->count);
    tree_pieces_write(grower->node, grower->count, trees);
    header->target = (uint32_t)trees->pieces;
    header->state = 0;
    trees->pieces += pieces;
    trees->links += grower->count - 1;
    trees->longest = pieces > trees->longest ? pieces : trees->longest;
    if (grower->node[0].links > trees->dilation)
        trees->dilation = grower->node[0].links;
    for (uint32_t i = 0; i < grower->count; i++)
        grower->at[index_of(grower, grower->node[i].place)] = 0;
}

/* ---- all messages ---- */

static size_t way_nodes(struct mesh mesh)
{
    return 4 * ((size_t)mesh.rows + mesh.cols);
}

/* Returns the most pieces of all trees. A destination's way has four, and splits the piece where it begins; each piece
 * ends at a node of its own. */
static uint64_t most_pieces(const struct message_set *set, enum tree_choice choice)
{
    uint64_t of_ways = 5 * set->deliveries + set->messages + 1;
    if (choice == TREE_DIAG) /* its stems may turn everywhere */
        of_ways += 2 * (uint64_t)set->messages * (set->mesh.rows + set->mesh.cols);
    uint64_t of_nodes = (uint64_t)set->messages * mesh_nodes(set->mesh) + 1;
    return of_ways < of_nodes ? of_ways : of_nodes;
}

static bool grower_allocate(struct grower *grower)
{
    size_t nodes = mesh_nodes(grower->mesh);
    grower->node = memory_allocate(nodes, sizeof *grower->node);
    grower->at = memory_allocate(nodes, sizeof *grower->at);
    grower->load = memory_allocate(nodes * DIRECTIONS, sizeof *grower->load);
    grower->way = memory_allocate(way_nodes(grower->mesh), sizeof *grower->way);
    grower->order = memory_allocate((size_t)grower->routing->degree + 1, sizeof *grower->order);
    return grower->node && grower->at && grower->load && grower->way && grower->order;
}

static void grower_free(struct grower *grower)
{
    free(grower->node);
    free(grower->at);
    free(grower->load);
    free(grower->way);
    free(grower->order);
    tree_planner_free(grower->planner);
}

/* Adds up the figures of all ranks' trees. */
static enum failure_kind add_up(const struct grower *grower, struct failure *failure)
{
    struct ranks *ranks = grower->routing->options->ranks;
    struct grown_trees *trees = grower->trees;
    size_t links = (size_t)mesh_nodes(grower->mesh) * DIRECTIONS;
    uint64_t most[] = {0, trees->dilation, trees->longest}, sum[] = {trees->links, trees->carried};
    enum failure_kind kind = ranks_sum_counts(ranks, grower->load, links, failure);
    for (size_t i = 0; i < links; i++)
        most[0] = max_u64(most[0], grower->load[i]);
    if (kind == FAIL_NONE)
        kind = ranks_most(ranks, most, 3, failure);
    if (kind == FAIL_NONE)
        kind = ranks_sum(ranks, sum, 2, failure);
    trees->congestion = most[0];
    trees->dilation = most[1];
    trees->longest = most[2];
    trees->links = sum[0];
    trees->carried = sum[1];
    return kind;
}

enum failure_kind grown_trees_make(struct grown_trees *trees, const struct routing *routing,
                                   enum tree_choice choice, struct failure *failure)
{
    struct grower grower = {.routing = routing, .trees = trees, .mesh = routing->set->mesh};
    enum failure_kind kind = FAIL_NONE;
    const char *scheme = CHOICES[choice].scheme;
    *trees = (struct grown_trees){.header = machine_headers(routing->machine),
                                  .machine = routing->machine};
    uint64_t room = trees->room = most_pieces(routing->set, choice);
    if (room < NOWHERE)
        trees->piece = memory_allocate(room, sizeof *trees->piece);
    if (!grower_allocate(&grower) || trees->piece == NULL)
        kind = fail_memory(failure, "the trees of the messages");
    if (kind == FAIL_NONE && scheme != NULL) {
        grower.planner = tree_planner_create(scheme, grower.mesh, failure);
        kind = grower.planner == NULL ? FAIL_SYSTEM : FAIL_NONE;
    }
    for (uint32_t i = 0; i < routing->set->messages && kind == FAIL_NONE; i++) {
        struct site site = machine_site(routing->machine, routing->set->source[i]);
        uint32_t packet = routing_packet(routing, i);
        if (grower.planner == NULL)
            grow(&grower, site, packet);
        else
            kind = plan(&grower, site, packet, failure);
        if (kind == FAIL_NONE)
            keep(&grower, packet);
    }
    if (kind == FAIL_NONE)
        kind = add_up(&grower, failure);
    grower_free(&grower);
    grown_trees_carry(trees);
    return kind;
}

void grown_trees_free(struct grown_trees *trees)
{
    if (trees->machine != NULL)
        machine_set_cargo(trees->machine, NULL);
    free(trees->piece);
    free(trees->cargo);
    trees->piece = trees->cargo = NULL;
}

void grown_trees_foretell(struct routing *routing, const struct grown_trees *trees)
{
    struct router_figure figure = {
        .key = "trees_c_plus_d",
        .name = "busiest link + longest way",
        .value = trees->congestion + trees->dilation,
    };
    snprintf(figure.note, sizeof figure.note, "%" PRIu64 " trees, %" PRIu64 " links",
             trees->congestion, trees->dilation);
    routing_foretell(routing, &figure);
    figure = (struct router_figure){
        .key = "trees_links", .name = "links of all trees", .value = trees->links};
    routing_foretell(routing, &figure);
    figure = (struct router_figure){
        .key = "trees_header", .name = "largest header of a tree", .value = 4 * trees->longest};
    snprintf(figure.note, sizeof figure.note, "integers, 4 a straight piece");
    routing_foretell(routing, &figure);
    figure = (struct router_figure){.key = "trees_header_mean", .name = "mean header on a link"};
    if (trees->links > 0)
        figure.value = (4 * trees->carried + trees->links / 2) / trees->links;
    snprintf(figure.note, sizeof figure.note, "integers");
    routing_foretell(routing, &figure);
}
