/* grown_tree.c - a source grows the tree of its message, and packets carry their parts of it.
 *
 * Method. Destinations join the tree in the order of their distance from the source. Each has a
 * path, a list of nodes, from a node of the tree; the tree gets what follows the last node of the
 * path that it has already. So every node has one parent, and every leaf is a destination.
 *   spread: the hash draws the side on which the destination is entered, evenly. The path leads
 * from the nearest node of the tree to the neighbour on that side, and reaches it across: it turns
 * before it enters. Its middle part is on a line that is also drawn; without a choice, on that line
 * or one beside it. So the messages for one node are shared out evenly over its links, which no
 * source could compute, and bypass the nodes in line with it.
 *   diag, dds, shortest, up-down: a scheme plans the whole tree (planned_tree.c). On a broken mesh
 * a path per destination is planned for router unicast in the same way; each of them is a tree of
 * its own.
 *   Packets go farthest first: a packet's urgency is the number of links to the farthest
 * destination of its part. A run ends because a packet crosses each link of its part once, in
 * queues without bounds.
 * Knowledge: the message, the sides of the mesh, the seed. Nothing is measured.
 * Source: nearest first in the manner of the NER and ESPR of neuromorphic machines (Navaridas and
 * others 2012); the sides are our own.
 * Cost: O(k (k + links)) per message of k destinations; 24 bytes per node, and 20 per piece, on
 * ranks permanently at each rank that it enters. O(1) per stop of a packet, O(k) if a part of k
 * destinations after others leaves first.
 */
#include "routers/grown_tree.h"

#include "base/numbers.h"
#include "machine/pool.h"
#include "primitives/multicast_tree.h"
#include "routers/planned_tree.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT32_MAX

/* A node of the growing tree. */
struct grown_node {
    node_place place;
    uint32_t parent;
    uint32_t kid[DIRECTIONS]; /* NOWHERE: none */
    uint32_t slots, pieces, links, first_slot, piece;
    uint8_t from; /* the direction of the link into it */
    bool is_destination;
};

enum { DRAW_SIDE = 0x74726501, DRAW_START, DRAW_LINE };

/* A path may be so many links longer to begin at no destination, which should not have to copy and
 * send messages that it receives. */
enum { DETOUR = 2 };

struct grower {
    const struct routing *routing;
    struct grown_trees *trees;
    struct mesh mesh;
    uint32_t count;          /* nodes of the tree */
    struct grown_node *node; /* [n] */
    uint32_t *at;            /* [n]: the index in `node` of a node of the mesh, from 1; 0: none */
    uint32_t *load;          /* [n][DIRECTIONS]: trees that use a link, for the report */
    node_place *path;        /* [4 (rows + cols)] */
    uint32_t steps;          /* of the path, after path[0] */
    uint64_t *order;         /* [d] */
    uint32_t message;        /* name of the message, from which draws follow */
    struct tree_planner *planner; /* a scheme that plans whole trees, or NULL */
};

/* The schemes that plan whole trees, and their parameters. */
static const char *const SCHEMES[][2] = {[TREE_DIAG] = {"diag"},
                                         [TREE_DDS] = {"dds"},
                                         [TREE_SHORTEST] = {"vh", "paths=up-down"},
                                         [TREE_UP_DOWN] = {"vh", "paths=up-down"},
                                         [TREE_PATHS] = {"unicast", "routing=up-down"}};

/* ---- the tree ---- */

static uint32_t in_tree(const struct grower *grower, node_place place)
{
    return grower->at[mesh_index(grower->mesh, place)] - 1; /* NOWHERE */
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
    grower->at[mesh_index(grower->mesh, place)] = added + 1;
    if (parent != NOWHERE) {
        struct grown_node *above = &grower->node[parent];
        node->from = (uint8_t)direction_to(above->place, place);
        above->kid[node->from] = added;
        grower->load[(size_t)mesh_index(grower->mesh, above->place) * DIRECTIONS + node->from]++;
    }
    return added;
}

/* ---- paths ---- */

static void path_begin(struct grower *grower, node_place from)
{
    grower->path[0] = from;
    grower->steps = 0;
}

static void path_to_row(struct grower *grower, uint32_t row)
{
    for (node_place at = grower->path[grower->steps]; place_row(at) != row;) {
        at = place_of(place_row(at) < row ? place_row(at) + 1 : place_row(at) - 1, place_col(at));
        grower->path[++grower->steps] = at;
    }
}

static void path_to_col(struct grower *grower, uint32_t col)
{
    for (node_place at = grower->path[grower->steps]; place_col(at) != col;) {
        at = place_of(place_row(at), place_col(at) < col ? place_col(at) + 1 : place_col(at) - 1);
        grower->path[++grower->steps] = at;
    }
}

static void path_to(struct grower *grower, node_place goal, bool row_first)
{
    if (row_first)
        path_to_col(grower, place_col(goal));
    path_to_row(grower, place_row(goal));
    path_to_col(grower, place_col(goal));
}

/* Adds the path to the tree from the last node on that the tree has; a path ends where it first
 * meets `goal`. */
static void path_join(struct grower *grower, node_place goal)
{
    uint32_t last = 0, end = 0;
    while (grower->path[end] != goal)
        end++;
    for (uint32_t i = 0; i <= end; i++)
        if (in_tree(grower, grower->path[i]) != NOWHERE)
            last = i;
    uint32_t at = in_tree(grower, grower->path[last]);
    for (uint32_t i = last + 1; i <= end; i++)
        at = add_node(grower, grower->path[i], at);
    grower->node[at].is_destination = true;
}

/* ---- random draws ---- */

static uint32_t draw(const struct grower *grower, uint64_t stream, node_place place, uint32_t below)
{
    uint64_t index = (uint64_t)grower->message << 32 | place;
    return routing_random(grower->routing, stream, index) % below;
}

/* Returns a node of the tree nearest to `place`; of several, a drawn one. */
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

/* Draws a line from a to b, or if they are equal, that line or one beside it. */
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

/* Returns a neighbour of `place`, each with the same probability. */
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

static void path_by_side(struct grower *grower, node_place goal)
{
    node_place side = side_of(grower, goal), from = nearest_to(grower, side);
    path_begin(grower, from);
    if (place_row(side) == place_row(goal)) {
        uint32_t rows = grower->mesh.rows;
        if (from != side)
            path_to_row(grower, line_between(grower, goal, place_row(from), place_row(side), rows));
        path_to(grower, side, true);
    } else {
        uint32_t cols = grower->mesh.cols;
        if (from != side)
            path_to_col(grower, line_between(grower, goal, place_col(from), place_col(side), cols));
        path_to(grower, side, false);
    }
    grower->path[++grower->steps] = goal;
}

/* ---- a message ---- */

static void join(struct grower *grower, node_place goal)
{
    uint32_t there = in_tree(grower, goal);
    if (there != NOWHERE) {
        grower->node[there].is_destination = true;
        return;
    }
    path_by_side(grower, goal);
    path_join(grower, goal);
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

/* ---- pieces of a tree ----
 *
 * A piece goes on through nodes in which the tree only goes straight on. Pieces and destinations
 * are in the order of a walk of the tree, so that a part of it is a range of both.
 */

/* True if the path through the node goes straight on, and it is no destination. */
static bool is_passed(const struct grown_node *node)
{
    if (node->parent == NOWHERE || node->is_destination)
        return false;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        if ((node->kid[d] != NOWHERE) != (d == node->from))
            return false;
    return true;
}

/* Counts the pieces, slots and links after each of the nodes node[0 .. count-1], of which the first
 * is the source and each follows its parent. Returns the pieces of the tree. */
static uint32_t count_pieces(struct grown_node *tree, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        struct grown_node *node = &tree[i];
        node->slots = node->is_destination;
        for (enum direction d = 0; d < DIRECTIONS; d++) {
            if (node->kid[d] == NOWHERE)
                continue;
            const struct grown_node *kid = &tree[node->kid[d]];
            node->slots += kid->slots;
            node->pieces += kid->pieces + !is_passed(node);
            node->links = node->links > kid->links + 1 ? node->links : kid->links + 1;
        }
    }
    return tree[0].pieces + 1;
}

/* Writes the pieces, and the destinations in the order of the pieces, from node[0].piece and
 * node[0].first_slot on: each node knows its piece and its slots, and gives its kids theirs. */
static void write_pieces(struct grown_node *tree, uint32_t count, struct grown_trees *trees)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct grown_node *node = &tree[i];
        bool passed = is_passed(node);
        uint32_t slot = node->first_slot, next = node->piece + !passed;
        if (node->is_destination)
            trees->header->destination[slot++] = node->place;
        if (!passed)
            trees->piece[node->piece] =
                (struct tree_piece){node->place,
                                    node->pieces + 1,
                                    node->slots,
                                    node->links,
                                    i == 0 ? 0 : (uint8_t)(1u << node->from),
                                    node->is_destination};
        for (enum direction d = 0; d < DIRECTIONS; d++) {
            if (node->kid[d] == NOWHERE)
                continue;
            struct grown_node *kid = &tree[node->kid[d]];
            kid->first_slot = slot;
            kid->piece = next;
            trees->carried += kid->pieces + 1;
            slot += kid->slots;
            next += kid->pieces + 1;
        }
    }
}

/* Finds room for more pieces. False: no memory. */
static bool find_room(struct grown_trees *trees, uint64_t pieces)
{
    uint64_t count = trees->pieces + pieces;
    return count < NOWHERE &&
           memory_make_room(&trees->piece, &trees->room, count, sizeof *trees->piece);
}

/* Writes the tree, with its destinations from `slot` on. FAIL_SYSTEM: no memory. */
static enum failure_kind write_tree(struct grower *grower, uint32_t slot, struct failure *failure)
{
    struct grown_trees *trees = grower->trees;
    uint64_t pieces = count_pieces(grower->node, grower->count);
    if (!find_room(trees, pieces))
        return fail_memory(failure, "the trees of the messages");
    grower->node[0].first_slot = slot;
    grower->node[0].piece = (uint32_t)trees->pieces;
    write_pieces(grower->node, grower->count, trees);
    trees->pieces += pieces;
    trees->links += grower->count - 1;
    trees->longest = pieces > trees->longest ? pieces : trees->longest;
    if (grower->node[0].links > trees->dilation)
        trees->dilation = grower->node[0].links;
    for (uint32_t i = 0; i < grower->count; i++)
        grower->at[mesh_index(grower->mesh, grower->node[i].place)] = 0;
    return FAIL_NONE;
}

/* Returns the class of a packet's channels, which is that of its paths. */
static unsigned class_of(void *trees, uint32_t packet)
{
    return ((struct grown_trees *)trees)->header->packet[packet].message % 2;
}

/* Plans the trees of a message by a scheme, and writes them. FAIL_SYSTEM: no memory. */
static enum failure_kind plan(struct grower *grower, struct site site, uint32_t packet,
                              struct failure *failure)
{
    const struct headers *header = grower->trees->header;
    uint32_t slot = header->packet[packet].first, count = packet - slot + 1, i = 0;
    const struct planned_node *node;
    uint32_t nodes =
        tree_planner_plan(grower->planner, class_of(grower->trees, packet), site_place(site),
                          header->destination + slot, count, &node, failure);
    enum failure_kind kind = nodes == 0 ? FAIL_SYSTEM : FAIL_NONE;
    while (i < nodes && kind == FAIL_NONE) {
        uint32_t root = i;
        grower->count = 0;
        do {
            uint32_t parent = i == root ? NOWHERE : node[i].parent - root;
            uint32_t added = add_node(grower, node[i].place, parent);
            grower->node[added].is_destination = node[i].is_destination;
        } while (++i < nodes && node[i].parent != i);
        kind = write_tree(grower, slot, failure);
        slot += grower->node[0].slots;
    }
    return kind;
}

/* ---- packets on their trees ----
 *
 * A packet's header has the piece of the tree on which it goes (header.target), with those after
 * it, and the remaining outputs at the piece's end (header.state): links and the delivery, as bits;
 * 0 before the first look. It goes on to the piece after its one remaining link when it is asked at
 * another node than its piece's end.
 */

static unsigned outputs_at_end(const struct grown_trees *trees, uint32_t piece)
{
    const struct tree_piece *at = &trees->piece[piece];
    unsigned outputs = at->ends_at_place ? OUT_EJECT : 0;
    for (uint32_t next = piece + 1; next < piece + at->pieces; next += trees->piece[next].pieces)
        outputs |= trees->piece[next].output;
    return outputs;
}

/* Returns the piece after the end of `piece` that leaves by `output`. *slots_before: the first of
 * its slots among those of the outputs in `left`. */
static uint32_t piece_after(const struct grown_trees *trees, uint32_t piece, unsigned output,
                            unsigned left, uint32_t *slots_before)
{
    uint32_t next = piece + 1;
    *slots_before = (left & OUT_EJECT) != 0;
    while (trees->piece[next].output != output) {
        if (left & trees->piece[next].output)
            *slots_before += trees->piece[next].slots;
        next += trees->piece[next].pieces;
        assert(next < piece + trees->piece[piece].pieces);
    }
    return next;
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    struct grown_trees *trees = context;
    struct header *header = &trees->header->packet[packet];
    uint32_t before;
    if (trees->piece[header->target].end != site_place(site)) {
        header->target = piece_after(trees, header->target, header->state, 0, &before);
        header->state = 0;
    }
    if (header->state == 0)
        header->state = (uint8_t)outputs_at_end(trees, header->target);
    return header->state;
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct grown_trees *trees = context;
    struct header *header = &trees->header->packet[packet];
    uint32_t before = 0, count = 1;
    (void)site;
    if (output != OUT_EJECT)
        count =
            trees->piece[piece_after(trees, header->target, output, header->state, &before)].slots;
    uint32_t start = header->first + before;
    uint32_t taken = packet_take_slots(trees->header, packet, start, start + count);
    trees->header->packet[taken].state = (uint8_t)output;
    header->state = (uint8_t)(header->state & ~(unsigned)output);
    return taken;
}

static const struct tree_piece *piece_over(const struct grown_trees *trees, uint32_t packet,
                                           enum direction direction)
{
    uint32_t before;
    return &trees->piece[piece_after(trees, trees->header->packet[packet].target, 1u << direction,
                                     0, &before)];
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    node_place end = piece_over(context, packet, direction)->end;
    (void)site;
    return line_of_place(end, direction);
}

static uint32_t urgency(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct tree_piece *piece = piece_over(context, packet, direction);
    int32_t length = direction_is_vertical(direction)
                         ? (int32_t)place_row(piece->end) - (int32_t)site.row
                         : (int32_t)place_col(piece->end) - (int32_t)site.col;
    uint32_t links = piece->links + (uint32_t)(length < 0 ? -length : length);
    return links < MACHINE_MAX_URGENCY ? links : MACHINE_MAX_URGENCY;
}

struct routing_rule grown_trees_rule(struct grown_trees *trees)
{
    return (struct routing_rule){
        .context = trees, .outputs = outputs, .take = take, .stop = stop, .urgency = urgency};
}

/* ---- in channels ---- */

struct channel_rule grown_trees_channel_rule(struct grown_trees *trees, uint32_t slots)
{
    return (struct channel_rule){
        .routing = {.context = trees, .outputs = outputs, .take = take, .stop = stop},
        .class_of = class_of,
        .channels = CHANNELS_OF_BOTH,
        .slots = slots};
}

uint32_t grown_trees_next_copy(void *context, struct site site, uint32_t packet)
{
    struct grown_trees *trees = context;
    struct header *header = &trees->header->packet[packet];
    uint32_t tree = header->target;
    (void)site;
    if (header->first == packet)
        return packet;
    header->target += trees->piece[tree].pieces;
    uint32_t copy = packet_split(trees->header, packet, header->first + 1);
    trees->header->packet[copy].target = tree;
    return copy;
}

/* ---- pieces for other ranks ----
 *
 * A packet that crosses a link has one output left at the end of its piece, so it carries the piece
 * after that with all that follow. Before them is a piece that ends nowhere: at its next stop the
 * packet is at the end of another piece, as always. Pieces of packets that have gone stay until the
 * end of the run.
 */

static const void *show_pieces(void *context, uint32_t packet, size_t *bytes)
{
    struct grown_trees *trees = context;
    const struct header *header = &trees->header->packet[packet];
    uint32_t before;
    uint32_t first = piece_after(trees, header->target, header->state, 0, &before);
    const struct tree_piece *piece = &trees->piece[first];
    uint64_t count = UINT64_C(1) + piece->pieces;
    *bytes = 0;
    if (!memory_make_room(&trees->cargo, &trees->cargo_room, count, sizeof *trees->cargo))
        return trees->cargo; /* the other rank keeps nothing, and fails */
    trees->cargo[0] = (struct tree_piece){.end = MACHINE_NO_PLACE, .pieces = (uint32_t)count};
    memcpy(trees->cargo + 1, piece, piece->pieces * sizeof *piece);
    *bytes = count * sizeof *piece;
    return trees->cargo;
}

static bool take_pieces(void *context, uint32_t packet, const void *cargo, size_t bytes)
{
    struct grown_trees *trees = context;
    uint64_t count = bytes / sizeof *trees->piece;
    if (!find_room(trees, count))
        return false;
    memcpy(trees->piece + trees->pieces, cargo, bytes);
    trees->header->packet[packet].target = (uint32_t)trees->pieces;
    trees->pieces += count;
    return count > 0;
}

/* On ranks: lets packets carry their pieces to other ranks. */
static void carry_pieces(struct grown_trees *trees)
{
    struct machine_cargo cargo = {trees, show_pieces, take_pieces};
    machine_set_cargo(trees->machine, &cargo);
}

/* ---- all messages ---- */

static size_t path_nodes(struct mesh mesh)
{
    return 4 * ((size_t)mesh.rows + mesh.cols);
}

static bool grower_allocate(struct grower *grower)
{
    size_t nodes = mesh_nodes(grower->mesh);
    grower->node = memory_allocate(nodes, sizeof *grower->node);
    grower->at = memory_allocate(nodes, sizeof *grower->at);
    grower->load = memory_allocate(nodes * DIRECTIONS, sizeof *grower->load);
    grower->path = memory_allocate(path_nodes(grower->mesh), sizeof *grower->path);
    grower->order = memory_allocate((size_t)grower->routing->degree + 1, sizeof *grower->order);
    return grower->node && grower->at && grower->load && grower->path && grower->order;
}

static void grower_free(struct grower *grower)
{
    free(grower->node);
    free(grower->at);
    free(grower->load);
    free(grower->path);
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
    *trees = (struct grown_trees){.header = machine_headers(routing->machine),
                                  .machine = routing->machine};
    if (!grower_allocate(&grower))
        kind = fail_memory(failure, "the trees of the messages");
    if (kind == FAIL_NONE && choice >= TREE_DIAG) {
        grower.planner =
            tree_planner_create(SCHEMES[choice][0], SCHEMES[choice][1], choice == TREE_SHORTEST,
                                grower.mesh, routing->options->broken, failure);
        kind = grower.planner == NULL ? FAIL_SYSTEM : FAIL_NONE;
    }
    for (uint32_t i = 0; i < routing->set->messages && kind == FAIL_NONE; i++) {
        struct site site = machine_site(routing->machine, routing->set->source[i]);
        uint32_t packet = routing_packet(routing, i);
        struct header *header = &trees->header->packet[packet];
        header->target = (uint32_t)trees->pieces;
        header->state = 0;
        if (grower.planner == NULL) {
            grow(&grower, site, packet);
            kind = write_tree(&grower, header->first, failure);
        } else {
            kind = plan(&grower, site, packet, failure);
        }
    }
    if (kind == FAIL_NONE)
        kind = add_up(&grower, failure);
    grower_free(&grower);
    carry_pieces(trees);
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

void grown_trees_predict(struct routing *routing, const struct grown_trees *trees)
{
    struct router_figure figure = {
        .key = "trees_c_plus_d",
        .name = "busiest link + longest way",
        .value = trees->congestion + trees->dilation,
    };
    snprintf(figure.note, sizeof figure.note, "%" PRIu64 " trees, %" PRIu64 " links",
             trees->congestion, trees->dilation);
    routing_predict(routing, &figure);
    figure = (struct router_figure){
        .key = "trees_links", .name = "links of all trees", .value = trees->links};
    routing_predict(routing, &figure);
    figure = (struct router_figure){
        .key = "trees_header", .name = "largest header of a tree", .value = 4 * trees->longest};
    snprintf(figure.note, sizeof figure.note, "integers, 4 a straight piece");
    routing_predict(routing, &figure);
    figure = (struct router_figure){.key = "trees_header_mean", .name = "mean header on a link"};
    if (trees->links > 0)
        figure.value = (4 * trees->carried + trees->links / 2) / trees->links;
    snprintf(figure.note, sizeof figure.note, "integers");
    routing_predict(routing, &figure);
}
