/* move.c - the table of moves, and how they choose.
 *
 * Scale: how much a move changes is drawn from powers of two, so that one delivery and a quarter of
 * all are as likely. Aim: half of the nodes that are drawn lie near the peak of the set that is
 * changed, where a change tells most.
 */
#include "search/move_private.h"

#include <assert.h>

static const struct move TABLE[] = {
    {"redirect", "deliveries get other destinations", move_redirect},
    {"exchange", "pairs of deliveries exchange their destinations", move_exchange},
    {"gather", "the deliveries of neighbours all go to one node", move_gather},
    {"imitate", "neighbours of a message send where it sends, or as far away", move_imitate},
    {"fuse", "messages become one of many destinations, or one becomes many", move_fuse},
    {"fill", "nodes that send nothing send as their neighbours do", move_fill},
    {"drop", "messages, or deliveries, are left out", move_drop},
    {"trade", "messages exchange their sources, or start elsewhere", move_trade},
    {"order", "the messages of a line are sorted by where they go", move_order},
    {"cross", "a region sends what it sends in another good set", move_cross},
    {"swap blocks", "two blocks of nodes trade all they receive, or all they send",
     move_swap_blocks},
    {"copy block", "blocks of nodes send as one block does", move_copy_block},
    {"reflect", "what a region sends is mirrored, in the mesh or within tiles", move_reflect},
    {"shift", "all destinations, or all sources, move alike", move_shift},
    {"image", "the whole set is mirrored, turned or transposed", move_image},
};

uint32_t move_count(void)
{
    return sizeof TABLE / sizeof *TABLE;
}

const struct move *move_at(uint32_t index)
{
    assert(index < move_count());
    return &TABLE[index];
}

/* ---- choices ---- */

uint32_t move_amount(struct move_scene *scene, uint64_t most)
{
    uint32_t bits = 0;
    while (bits < 24 && (uint64_t)2 << bits <= most)
        bits++;
    uint32_t power = 1U << move_below(scene, bits + 1);
    uint32_t amount = power + move_below(scene, power);
    return amount <= most ? amount : (uint32_t)(most > 0 ? most : 1);
}

uint32_t move_some_pair(struct move_scene *scene)
{
    return move_below(scene, (uint32_t)scene->draft->pairs);
}

uint32_t move_some_message(struct move_scene *scene)
{
    return move_below(scene, scene->base->messages);
}

/* A coordinate within a tile's side of `at`. */
static uint32_t nearby(struct move_scene *scene, uint32_t at, uint32_t length)
{
    uint32_t reach = scene->tile < length ? scene->tile : length;
    uint32_t moved = at + length - reach + move_below(scene, 2 * reach + 1);
    return moved % length;
}

node_index move_some_node(struct move_scene *scene)
{
    struct mesh mesh = scene->draft->mesh;
    if (scene->peak == MESH_NO_NODE || move_chance(scene, 2))
        return move_below(scene, mesh_nodes(mesh));
    uint32_t row = scene->peak / mesh.cols, col = scene->peak % mesh.cols;
    uint32_t where = move_below(scene, 4);
    if (where == 0)
        col = move_below(scene, mesh.cols);
    if (where == 1)
        row = move_below(scene, mesh.rows);
    if (where == 2) {
        row = nearby(scene, row, mesh.rows);
        col = nearby(scene, col, mesh.cols);
    }
    return row * mesh.cols + col;
}

uint32_t move_message_from(const struct move_scene *scene, node_index node)
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

uint32_t move_number_of(const struct move_scene *scene, uint32_t message)
{
    return message - move_message_from(scene, scene->base->source[message]);
}

uint32_t move_seat_of(const struct move_scene *scene, uint32_t message)
{
    return scene->base->source[message] * scene->draft->per_node + move_number_of(scene, message);
}

uint32_t move_message_at(const struct move_scene *scene, uint32_t seat)
{
    const struct message_set *base = scene->base;
    node_index node = seat / scene->draft->per_node;
    uint32_t message = move_message_from(scene, node) + seat % scene->draft->per_node;
    bool is_there = message < base->messages && base->source[message] == node;
    return is_there ? message : base->messages;
}

uint32_t move_some_seat(struct move_scene *scene, node_index node)
{
    uint32_t per_node = scene->draft->per_node;
    return node * per_node + (per_node > 1 ? move_below(scene, per_node) : 0);
}

/* ---- shapes ---- */

static node_index shifted_by(struct mesh mesh, node_index from, node_index to, node_index node)
{
    uint32_t row = node / mesh.cols + mesh.rows + to / mesh.cols - from / mesh.cols;
    uint32_t col = node % mesh.cols + mesh.cols + to % mesh.cols - from % mesh.cols;
    return row % mesh.rows * mesh.cols + col % mesh.cols;
}

void move_copy_message(struct move_scene *scene, uint32_t like, uint32_t to, bool shifted)
{
    const struct message_set *base = scene->base;
    uint32_t own = move_message_at(scene, to);
    node_index node = to / scene->draft->per_node;
    if (own == like)
        return;
    if (own < base->messages)
        for (uint64_t i = base->offset[own]; i < base->offset[own + 1]; i++)
            draft_remove(scene->draft, i);
    for (uint64_t i = base->offset[like]; i < base->offset[like + 1]; i++)
        draft_add(scene->draft, to,
                  shifted ? shifted_by(base->mesh, base->source[like], node, base->destination[i])
                          : base->destination[i]);
}

struct move_region move_some_region(struct move_scene *scene)
{
    struct mesh mesh = scene->draft->mesh;
    struct move_region region = {0, 0, mesh.rows, mesh.cols};
    uint32_t kind = move_below(scene, 5);
    if (kind == 0 || kind == 2)
        region.rows = (mesh.rows + 1) / 2;
    if (kind == 1 || kind == 2)
        region.cols = (mesh.cols + 1) / 2;
    if (kind == 3) {
        bool is_row = move_chance(scene, 2);
        region.rows = is_row ? 1 : mesh.rows;
        region.cols = is_row ? mesh.cols : 1;
    }
    if (kind == 4) {
        uint32_t side = scene->tile << move_below(scene, 3);
        region.rows = side < mesh.rows ? side : mesh.rows;
        region.cols = side < mesh.cols ? side : mesh.cols;
    }
    bool aligned = kind != 3 && move_chance(scene, 2);
    uint32_t row = move_below(scene, mesh.rows - region.rows + 1);
    uint32_t col = move_below(scene, mesh.cols - region.cols + 1);
    region.row = aligned ? row / region.rows * region.rows : row;
    region.col = aligned ? col / region.cols * region.cols : col;
    return region;
}

bool move_region_has(struct move_region region, struct mesh mesh, node_index node)
{
    return node / mesh.cols - region.row < region.rows &&
           node % mesh.cols - region.col < region.cols;
}
