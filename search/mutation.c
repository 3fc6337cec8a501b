/* mutation.c - changes of a set to find a worse one: a table of moves, each a small program of
 * changes of a candidate.
 *
 * Scale: the size of a move is drawn from powers of two, so that one delivery and a quarter of all
 * are as likely. Aim: half of the drawn nodes are near the peak of the changed set, where a change
 * has most effect.
 *   Blocks have a tile's side, or a few times that, as routers treat a tile's nodes alike. Moves
 * ask for room, delivery by delivery.
 * Cost: O(changes); of regions O(deliveries).
 */
#include "search/candidate.h"

#include <assert.h>
#include <stdlib.h>

/* ---- choices ---- */

static uint32_t draw_below(struct mutation_scene *scene, uint32_t bound)
{
    return pcg32_below(&scene->random, bound);
}

/* True once in `times`. */
static bool draw_chance(struct mutation_scene *scene, uint32_t times)
{
    return draw_below(scene, times) == 0;
}

/* Returns a number 1, 2, 4, .. at most `most`, small ones as often as large ones; then any below
 * twice it. */
static uint32_t draw_amount(struct mutation_scene *scene, uint64_t most)
{
    uint32_t bits = 0;
    while (bits < 24 && (uint64_t)2 << bits <= most)
        bits++;
    uint32_t power = 1U << draw_below(scene, bits + 1);
    uint32_t amount = power + draw_below(scene, power);
    return amount <= most ? amount : (uint32_t)(most > 0 ? most : 1);
}

static uint32_t some_pair(struct mutation_scene *scene)
{
    return draw_below(scene, (uint32_t)scene->candidate->pairs);
}

static uint32_t some_message(struct mutation_scene *scene)
{
    return draw_below(scene, scene->base->messages);
}

/* Returns a coordinate within a tile's side of `at`. */
static uint32_t nearby(struct mutation_scene *scene, uint32_t at, uint32_t length)
{
    uint32_t reach = scene->tile < length ? scene->tile : length;
    uint32_t moved = at + length - reach + draw_below(scene, 2 * reach + 1);
    return moved % length;
}

/* Returns a node: in half of all cases the peak, or one of its row, its column or its surroundings
 * of a tile's size; otherwise any. */
static node_index some_node(struct mutation_scene *scene)
{
    struct mesh mesh = scene->candidate->mesh;
    if (scene->peak == MESH_NO_NODE || draw_chance(scene, 2))
        return draw_below(scene, mesh_nodes(mesh));
    uint32_t row = scene->peak / mesh.cols, col = scene->peak % mesh.cols;
    uint32_t where = draw_below(scene, 4);
    if (where == 0)
        col = draw_below(scene, mesh.cols);
    if (where == 1)
        row = draw_below(scene, mesh.rows);
    if (where == 2) {
        row = nearby(scene, row, mesh.rows);
        col = nearby(scene, col, mesh.cols);
    }
    return row * mesh.cols + col;
}

/* Returns the first message of the base whose source is `node`, or the first after it;
 * base->messages: none. */
static uint32_t message_from(const struct mutation_scene *scene, node_index node)
{
    uint32_t low = 0, high = scene->base->messages;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (scene->base->source[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the number of a message of the base at its source, 0 .. l - 1. */
static uint32_t number_of(const struct mutation_scene *scene, uint32_t message)
{
    return message - message_from(scene, scene->base->source[message]);
}

static uint32_t seat_of(const struct mutation_scene *scene, uint32_t message)
{
    return scene->base->source[message] * scene->candidate->per_node + number_of(scene, message);
}

/* Returns the message of the base that has the seat; base->messages: none. */
static uint32_t message_at(const struct mutation_scene *scene, uint32_t seat)
{
    const struct message_set *base = scene->base;
    node_index node = seat / scene->candidate->per_node;
    uint32_t message = message_from(scene, node) + seat % scene->candidate->per_node;
    bool is_there = message < base->messages && base->source[message] == node;
    return is_there ? message : base->messages;
}

/* Returns one of the seats of a node. */
static uint32_t some_seat(struct mutation_scene *scene, node_index node)
{
    uint32_t per_node = scene->candidate->per_node;
    return node * per_node + (per_node > 1 ? draw_below(scene, per_node) : 0);
}

/* ---- shapes ---- */

static node_index shifted_by(struct mesh mesh, node_index from, node_index to, node_index node)
{
    uint32_t row = node / mesh.cols + mesh.rows + to / mesh.cols - from / mesh.cols;
    uint32_t col = node % mesh.cols + mesh.cols + to % mesh.cols - from % mesh.cols;
    return row % mesh.rows * mesh.cols + col % mesh.cols;
}

/* Sends the message of seat `to` where base's message `like` goes, all of it, moved by the distance
 * of the sources if `shifted` (destinations off the mesh reappear on its other side). */
static void copy_message(struct mutation_scene *scene, uint32_t like, uint32_t to, bool shifted)
{
    const struct message_set *base = scene->base;
    uint32_t own = message_at(scene, to);
    node_index node = to / scene->candidate->per_node;
    if (own == like)
        return;
    if (own < base->messages)
        for (uint64_t i = base->offset[own]; i < base->offset[own + 1]; i++)
            candidate_remove(scene->candidate, i);
    for (uint64_t i = base->offset[like]; i < base->offset[like + 1]; i++)
        candidate_add(scene->candidate, to,
                      shifted
                          ? shifted_by(base->mesh, base->source[like], node, base->destination[i])
                          : base->destination[i]);
}

/* A rectangle of nodes. */
struct region {
    uint32_t row, col, rows, cols;
};

/* Returns a half, a quarter, a line, a block of a tile's scale, or any rectangle. */
static struct region some_region(struct mutation_scene *scene)
{
    struct mesh mesh = scene->candidate->mesh;
    struct region region = {0, 0, mesh.rows, mesh.cols};
    uint32_t kind = draw_below(scene, 5);
    if (kind == 0 || kind == 2)
        region.rows = (mesh.rows + 1) / 2;
    if (kind == 1 || kind == 2)
        region.cols = (mesh.cols + 1) / 2;
    if (kind == 3) {
        bool is_row = draw_chance(scene, 2);
        region.rows = is_row ? 1 : mesh.rows;
        region.cols = is_row ? mesh.cols : 1;
    }
    if (kind == 4) {
        uint32_t side = scene->tile << draw_below(scene, 3);
        region.rows = side < mesh.rows ? side : mesh.rows;
        region.cols = side < mesh.cols ? side : mesh.cols;
    }
    bool aligned = kind != 3 && draw_chance(scene, 2);
    uint32_t row = draw_below(scene, mesh.rows - region.rows + 1);
    uint32_t col = draw_below(scene, mesh.cols - region.cols + 1);
    region.row = aligned ? row / region.rows * region.rows : row;
    region.col = aligned ? col / region.cols * region.cols : col;
    return region;
}

static bool region_has(struct region region, struct mesh mesh, node_index node)
{
    return node / mesh.cols - region.row < region.rows &&
           node % mesh.cols - region.col < region.cols;
}

/* ---- deliveries ---- */

static void mutate_redirect(struct mutation_scene *scene)
{
    for (uint32_t left = draw_amount(scene, scene->candidate->pairs / 8); left > 0; left--)
        candidate_redirect(scene->candidate, some_pair(scene), some_node(scene));
}

/* Exchanges a destination with any other pair, or with one of a source nearby in the same row. */
static void mutate_exchange(struct mutation_scene *scene)
{
    struct candidate *candidate = scene->candidate;
    uint32_t pairs = (uint32_t)candidate->pairs, cols = candidate->mesh.cols;
    bool is_near = draw_chance(scene, 2);
    for (uint32_t left = draw_amount(scene, pairs / 8); left > 0; left--) {
        uint32_t one = some_pair(scene);
        uint32_t other = is_near ? (one + 1 + draw_below(scene, cols)) % pairs : some_pair(scene);
        candidate_exchange(candidate, one, other);
    }
}

static void mutate_gather(struct mutation_scene *scene)
{
    struct candidate *candidate = scene->candidate;
    node_index to = some_node(scene);
    uint32_t pairs = (uint32_t)candidate->pairs,
             stride = 1 + draw_below(scene, candidate->mesh.cols);
    uint32_t at = some_pair(scene);
    for (uint32_t left = draw_amount(scene, candidate->congestion); left > 0; left--) {
        candidate_redirect(candidate, at, to);
        at = (at + stride) % pairs;
    }
}

static void mutate_drop(struct mutation_scene *scene)
{
    const struct message_set *base = scene->base;
    uint32_t first = some_message(scene);
    uint32_t amount = draw_amount(scene, base->messages / 4);
    bool whole = draw_chance(scene, 2);
    for (uint32_t i = 0; i < amount; i++) {
        uint32_t message = (first + i) % base->messages;
        if (!whole) {
            candidate_remove(scene->candidate, some_pair(scene));
            continue;
        }
        for (uint64_t j = base->offset[message]; j < base->offset[message + 1]; j++)
            candidate_remove(scene->candidate, j);
    }
}

/* ---- messages ---- */

/* Returns the next node in a row or in a column, from `node` on. */
static node_index next_in_line(struct mesh mesh, node_index node, bool down)
{
    uint32_t row = node / mesh.cols, col = node % mesh.cols;
    if (down)
        return (row + 1) % mesh.rows * mesh.cols + col;
    return row * mesh.cols + (col + 1) % mesh.cols;
}

static void mutate_imitate(struct mutation_scene *scene)
{
    struct mesh mesh = scene->candidate->mesh;
    uint32_t like = some_message(scene);
    bool down = draw_chance(scene, 2), shifted = draw_chance(scene, 2);
    node_index node = scene->base->source[like];
    uint32_t per_node = scene->candidate->per_node, number = number_of(scene, like);
    for (uint32_t left = draw_amount(scene, down ? mesh.rows : mesh.cols); left > 0; left--) {
        node = next_in_line(mesh, node, down);
        copy_message(scene, like, node * per_node + number, shifted);
    }
}

static void mutate_fill(struct mutation_scene *scene)
{
    uint32_t nodes = mesh_nodes(scene->candidate->mesh);
    bool shifted = draw_chance(scene, 2), anew = draw_chance(scene, 3);
    for (uint32_t left = draw_amount(scene, nodes / 8); left > 0; left--) {
        node_index node = draw_below(scene, nodes);
        uint32_t seat = some_seat(scene, node), next = message_from(scene, node);
        if (!anew && message_at(scene, seat) < scene->base->messages)
            continue;
        if (anew)
            candidate_add(scene->candidate, seat, some_node(scene));
        else
            copy_message(scene, next > 0 ? next - 1 : next, seat, shifted);
    }
}

/* Fuses consecutive messages: all deliveries go to the first; or each delivery of the first to a
 * seat of its own. */
static void mutate_fuse(struct mutation_scene *scene)
{
    const struct message_set *base = scene->base;
    struct candidate *candidate = scene->candidate;
    uint32_t first = some_message(scene);
    bool splits = draw_chance(scene, 2);
    uint32_t last = first + draw_amount(scene, 16);
    last = last < base->messages ? last : base->messages - 1;
    uint64_t end = base->offset[splits ? first + 1 : last + 1];
    uint32_t seat = seat_of(scene, first),
             seats = mesh_nodes(candidate->mesh) * candidate->per_node;
    for (uint64_t i = base->offset[first]; i < end; i++) {
        candidate->is_changed |= candidate->from[i] != seat;
        candidate->from[i] = seat;
        seat = splits ? (seat + 1) % seats : seat;
    }
}

static void start_from(struct mutation_scene *scene, uint32_t message, uint32_t seat)
{
    const struct message_set *base = scene->base;
    for (uint64_t i = base->offset[message]; i < base->offset[message + 1]; i++)
        scene->candidate->from[i] = seat;
    scene->candidate->is_changed |= seat_of(scene, message) != seat;
}

static void mutate_trade(struct mutation_scene *scene)
{
    const struct message_set *base = scene->base;
    bool is_near = draw_chance(scene, 2);
    for (uint32_t left = draw_amount(scene, base->messages / 8); left > 0; left--) {
        uint32_t one = some_message(scene);
        node_index node = is_near
                              ? next_in_line(base->mesh, base->source[one], draw_chance(scene, 2))
                              : draw_below(scene, mesh_nodes(base->mesh));
        uint32_t seat = some_seat(scene, node), other = message_at(scene, seat);
        if (other < base->messages)
            start_from(scene, other, seat_of(scene, one));
        start_from(scene, one, seat);
    }
}

/* ---- regions ---- */

static void add_from(struct mutation_scene *scene, const struct message_set *set,
                     struct region region, bool inside)
{
    for (uint32_t i = 0, number = 0; i < set->messages; i++) {
        number = i > 0 && set->source[i - 1] == set->source[i] ? number + 1 : 0;
        if (region_has(region, set->mesh, set->source[i]) != inside)
            continue;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++)
            candidate_add(scene->candidate, set->source[i] * scene->candidate->per_node + number,
                          set->destination[j]);
    }
}

/* Crosses two sets: a region's messages go first where both want the same node. */
static void mutate_cross(struct mutation_scene *scene)
{
    struct region region = some_region(scene);
    candidate_clear(scene->candidate);
    add_from(scene, scene->other, region, true);
    add_from(scene, scene->base, region, false);
}

/* Returns a coordinate mirrored at the middle of its interval of `period`. */
static uint32_t mirrored(uint32_t at, uint32_t period, uint32_t length)
{
    uint32_t start = at / period * period;
    uint32_t end = start + period < length ? start + period : length;
    return start + end - 1 - at;
}

static void mutate_reflect(struct mutation_scene *scene)
{
    const struct message_set *base = scene->base;
    struct mesh mesh = base->mesh;
    struct region region = some_region(scene);
    bool in_tiles = draw_chance(scene, 2);
    uint32_t which = 1 + draw_below(scene, 3); /* rows, columns, or both */
    uint32_t height = in_tiles ? scene->tile : mesh.rows;
    uint32_t width = in_tiles ? scene->tile : mesh.cols;
    for (uint32_t i = 0; i < base->messages; i++) {
        if (!region_has(region, mesh, base->source[i]))
            continue;
        for (uint64_t j = base->offset[i]; j < base->offset[i + 1]; j++) {
            uint32_t row = base->destination[j] / mesh.cols, col = base->destination[j] % mesh.cols;
            row = which & 1 ? mirrored(row, height, mesh.rows) : row;
            col = which & 2 ? mirrored(col, width, mesh.cols) : col;
            candidate_redirect(scene->candidate, j, row * mesh.cols + col);
        }
    }
}

/* ---- blocks ---- */

struct block_pair {
    struct region one, other; /* of the same size, apart or the same */
};

static struct region block_at(struct mesh mesh, uint32_t side, uint32_t index)
{
    uint32_t across = mesh.cols / side;
    return (struct region){index / across * side, index % across * side, side, side};
}

static struct block_pair some_blocks(struct mutation_scene *scene)
{
    struct mesh mesh = scene->candidate->mesh;
    uint32_t shorter = mesh.rows < mesh.cols ? mesh.rows : mesh.cols, side = scene->tile;
    if (draw_chance(scene, 4))
        side = 1; /* two nodes */
    else
        side <<= draw_below(scene, 3);
    side = side <= shorter / 2 ? side : (shorter + 1) / 2;
    uint32_t blocks = (mesh.rows / side) * (mesh.cols / side);
    return (struct block_pair){block_at(mesh, side, draw_below(scene, blocks)),
                               block_at(mesh, side, draw_below(scene, blocks))};
}

static node_index moved(struct mesh mesh, struct region from, struct region to, node_index node)
{
    return (node / mesh.cols - from.row + to.row) * mesh.cols + node % mesh.cols - from.col +
           to.col;
}

/* Copies one block's messages onto another block, or onto all of its row or column of blocks. */
static void mutate_copy_block(struct mutation_scene *scene)
{
    const struct message_set *base = scene->base;
    struct mesh mesh = base->mesh;
    uint32_t per_node = scene->candidate->per_node;
    struct block_pair blocks = some_blocks(scene);
    struct region like = blocks.one, to = blocks.other;
    bool shifted = draw_chance(scene, 2), down = draw_chance(scene, 2);
    uint32_t copies = draw_chance(scene, 2) ? 1 : (down ? mesh.rows : mesh.cols) / to.rows;
    for (uint32_t i = 0; i < copies; i++) {
        for (uint32_t at = 0; at < like.rows * like.cols; at++) {
            node_index from = (like.row + at / like.cols) * mesh.cols + like.col + at % like.cols;
            uint32_t message = message_from(scene, from), number = 0;
            for (; message < base->messages && base->source[message] == from; message++)
                copy_message(scene, message, moved(mesh, like, to, from) * per_node + number++,
                             shifted);
        }
        if (down)
            to.row = to.row + 2 * to.rows <= mesh.rows ? to.row + to.rows : 0;
        else
            to.col = to.col + 2 * to.cols <= mesh.cols ? to.col + to.cols : 0;
    }
}

/* ---- the table ---- */

static const struct mutation TABLE[] = {
    {"redirect", mutate_redirect}, /* deliveries get other destinations */
    {"exchange", mutate_exchange}, /* pairs of deliveries exchange their destinations */
    {"gather", mutate_gather},     /* the deliveries of neighbours all go to one node */
    /* neighbours of a message send to its destinations, or shifted ones */
    {"imitate", mutate_imitate},
    {"fuse", mutate_fuse},   /* messages become one of many destinations, or one becomes many */
    {"fill", mutate_fill},   /* nodes that send nothing send as their neighbours do */
    {"drop", mutate_drop},   /* messages, or deliveries, are left out */
    {"trade", mutate_trade}, /* messages exchange their sources, or start elsewhere */
    {"cross", mutate_cross}, /* a region sends as in another good set */
    {"copy block", mutate_copy_block}, /* blocks of nodes send as one block does */
    {"reflect", mutate_reflect}, /* a region's messages are mirrored, in the mesh or within tiles */
};

uint32_t mutation_count(void)
{
    return sizeof TABLE / sizeof *TABLE;
}

const struct mutation *mutation_at(uint32_t index)
{
    assert(index < mutation_count());
    return &TABLE[index];
}
