/* move_blocks.c - moves of blocks of nodes and of whole sets.
 *
 * Blocks have a tile's side, or a few times that, as routers treat a tile's nodes alike. Maps of the
 * nodes are one to one, so they keep all loads; others ask for room, delivery by delivery.
 * Cost: O(deliveries).
 */
#include "search/move_private.h"

/* ---- regions ---- */

static void add_from(struct move_scene *scene, const struct message_set *set,
                     struct move_region region, bool inside)
{
    for (uint32_t i = 0, number = 0; i < set->messages; i++) {
        number = i > 0 && set->source[i - 1] == set->source[i] ? number + 1 : 0;
        if (move_region_has(region, set->mesh, set->source[i]) != inside)
            continue;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++)
            draft_add(scene->draft, set->source[i] * scene->draft->per_node + number,
                      set->destination[j]);
    }
}

/* What both want to send to one node the region sends first. */
void move_cross(struct move_scene *scene)
{
    struct move_region region = move_some_region(scene);
    draft_clear(scene->draft);
    add_from(scene, scene->other, region, true);
    add_from(scene, scene->base, region, false);
}

/* Mirrored at the middle of an interval of `period`, in which it lies. */
static uint32_t mirrored(uint32_t at, uint32_t period, uint32_t length)
{
    uint32_t start = at / period * period;
    uint32_t end = start + period < length ? start + period : length;
    return start + end - 1 - at;
}

void move_reflect(struct move_scene *scene)
{
    const struct message_set *base = scene->base;
    struct mesh mesh = base->mesh;
    struct move_region region = move_some_region(scene);
    bool in_tiles = move_chance(scene, 2);
    uint32_t which = 1 + move_below(scene, 3); /* rows, columns, or both */
    uint32_t height = in_tiles ? scene->tile : mesh.rows;
    uint32_t width = in_tiles ? scene->tile : mesh.cols;
    for (uint32_t i = 0; i < base->messages; i++) {
        if (!move_region_has(region, mesh, base->source[i]))
            continue;
        for (uint64_t j = base->offset[i]; j < base->offset[i + 1]; j++) {
            uint32_t row = base->destination[j] / mesh.cols, col = base->destination[j] % mesh.cols;
            row = which & 1 ? mirrored(row, height, mesh.rows) : row;
            col = which & 2 ? mirrored(col, width, mesh.cols) : col;
            draft_redirect(scene->draft, j, row * mesh.cols + col);
        }
    }
}

/* ---- blocks ---- */

struct block_pair {
    struct move_region one, other; /* of the same size, apart or the same */
};

static struct move_region block_at(struct mesh mesh, uint32_t side, uint32_t index)
{
    uint32_t across = mesh.cols / side;
    return (struct move_region){index / across * side, index % across * side, side, side};
}

static struct block_pair some_blocks(struct move_scene *scene)
{
    struct mesh mesh = scene->draft->mesh;
    uint32_t shorter = mesh.rows < mesh.cols ? mesh.rows : mesh.cols, side = scene->tile;
    if (move_chance(scene, 4))
        side = 1; /* two nodes */
    else
        side <<= move_below(scene, 3);
    side = side <= shorter / 2 ? side : (shorter + 1) / 2;
    uint32_t blocks = (mesh.rows / side) * (mesh.cols / side);
    return (struct block_pair){block_at(mesh, side, move_below(scene, blocks)),
                               block_at(mesh, side, move_below(scene, blocks))};
}

static node_index moved(struct mesh mesh, struct move_region from, struct move_region to,
                        node_index node)
{
    return (node / mesh.cols - from.row + to.row) * mesh.cols + node % mesh.cols - from.col +
           to.col;
}

static node_index swapped(const void *context, struct mesh mesh, node_index node)
{
    const struct block_pair *blocks = context;
    if (move_region_has(blocks->one, mesh, node))
        return moved(mesh, blocks->one, blocks->other, node);
    if (move_region_has(blocks->other, mesh, node))
        return moved(mesh, blocks->other, blocks->one, node);
    return node;
}

void move_swap_blocks(struct move_scene *scene)
{
    struct block_pair blocks = some_blocks(scene);
    if (blocks.one.row == blocks.other.row && blocks.one.col == blocks.other.col)
        return;
    if (move_chance(scene, 2))
        draft_map_sources(scene->draft, swapped, &blocks);
    else
        draft_map_destinations(scene->draft, swapped, &blocks);
}

/* One block's messages onto another block, or onto all of its row or column of blocks. */
void move_copy_block(struct move_scene *scene)
{
    const struct message_set *base = scene->base;
    struct mesh mesh = base->mesh;
    uint32_t per_node = scene->draft->per_node;
    struct block_pair blocks = some_blocks(scene);
    struct move_region like = blocks.one, to = blocks.other;
    bool shifted = move_chance(scene, 2), down = move_chance(scene, 2);
    uint32_t copies = move_chance(scene, 2) ? 1 : (down ? mesh.rows : mesh.cols) / to.rows;
    for (uint32_t i = 0; i < copies; i++) {
        for (uint32_t at = 0; at < like.rows * like.cols; at++) {
            node_index from = (like.row + at / like.cols) * mesh.cols + like.col + at % like.cols;
            uint32_t message = move_message_from(scene, from), number = 0;
            for (; message < base->messages && base->source[message] == from; message++)
                move_copy_message(scene, message, moved(mesh, like, to, from) * per_node + number++,
                                  shifted);
        }
        if (down)
            to.row = to.row + 2 * to.rows <= mesh.rows ? to.row + to.rows : 0;
        else
            to.col = to.col + 2 * to.cols <= mesh.cols ? to.col + to.cols : 0;
    }
}

/* ---- whole sets ---- */

struct shift {
    uint32_t rows, cols;
};

static node_index shifted(const void *context, struct mesh mesh, node_index node)
{
    const struct shift *shift = context;
    return (node / mesh.cols + shift->rows) % mesh.rows * mesh.cols +
           (node % mesh.cols + shift->cols) % mesh.cols;
}

/* 0, or a little or a tile's side or anything, one way or the other. */
static uint32_t some_shift(struct move_scene *scene, uint32_t length)
{
    const uint32_t choice[] = {0, 1, length - 1, scene->tile % length, move_below(scene, length)};
    return choice[move_below(scene, sizeof choice / sizeof *choice)];
}

void move_shift(struct move_scene *scene)
{
    struct mesh mesh = scene->draft->mesh;
    struct shift shift = {some_shift(scene, mesh.rows), some_shift(scene, mesh.cols)};
    if (shift.rows % mesh.rows == 0 && shift.cols % mesh.cols == 0)
        return;
    if (move_chance(scene, 2))
        draft_map_sources(scene->draft, shifted, &shift);
    else
        draft_map_destinations(scene->draft, shifted, &shift);
}

enum { MIRROR_ROWS = 1, MIRROR_COLS = 2, TRANSPOSE = 4 };

static node_index imaged(const void *context, struct mesh mesh, node_index node)
{
    uint32_t which = *(const uint32_t *)context;
    uint32_t row = node / mesh.cols, col = node % mesh.cols;
    row = which & MIRROR_ROWS ? mesh.rows - 1 - row : row;
    col = which & MIRROR_COLS ? mesh.cols - 1 - col : col;
    return which & TRANSPOSE ? col * mesh.cols + row : row * mesh.cols + col;
}

void move_image(struct move_scene *scene)
{
    struct mesh mesh = scene->draft->mesh;
    uint32_t images = mesh.rows == mesh.cols ? 2 * TRANSPOSE : TRANSPOSE;
    uint32_t which = 1 + move_below(scene, images - 1);
    draft_map_sources(scene->draft, imaged, &which);
    draft_map_destinations(scene->draft, imaged, &which);
}
