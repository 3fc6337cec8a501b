/* stream_adversary.c - message sets against the streaming router, whose random permutation is known.
 *
 * Masters that start in one tile are a group. At visit k the tile at position t is full of those
 * that started k positions before it and walk forward, and of those k positions behind that walk
 * backward. A family says, for each node, from which visit on its messages are to come; it takes
 * them from the masters that are there then, then from those of the next visit, and so on, until
 * the node has c of them. Beside that a family says which cells of the tiles are destinations,
 * which masters are asked (by where their homes are, by the order in which their trees turn, or those
 * whose cell is the point mirror of the node's), and
 * whether a message has one destination alone.
 * Cost: time and memory for the deliveries.
 */
#include "search/stream_adversary.h"

#include "base/pcg.h"
#include "primitives/mesh_permutation.h"
#include "primitives/tile_cycle.h"
#include "routers/stream_grid.h"

#include <stdlib.h>

enum { STREAM = 91 };

enum when { FIRST_VISIT, HALF_WAY, LAST_VISIT, FROM_ONE_TILE };

enum where { ALL_CELLS, ONE_ROW, ONE_COLUMN, ONE_CORNER, ONE_NODE, HALF_OF_COLUMNS };

enum who { ANYBODY, IN_ORDER, ACROSS_COLUMNS, ACROSS_ROWS, ROW_FIRST, FORWARD, ONE_LINE, MIRRORED };

static const struct family {
    const char *name;
    enum when when;
    enum where where;
    enum who who;
    bool is_single;  /* one destination a message */
    bool by_columns; /* nodes get their messages column by column, not row by row */
} FAMILIES[] = {
    {"first visit", FIRST_VISIT, ALL_CELLS, ANYBODY, false, false},
    {"half way", HALF_WAY, ALL_CELLS, ANYBODY, false, false},
    {"last visit", LAST_VISIT, ALL_CELLS, ANYBODY, false, false},
    {"from one tile", FROM_ONE_TILE, ALL_CELLS, ANYBODY, false, false},
    {"first visit in order", FIRST_VISIT, ALL_CELLS, IN_ORDER, false, false},
    {"from one tile in order", FROM_ONE_TILE, ALL_CELLS, IN_ORDER, false, false},
    {"first visit across columns", FIRST_VISIT, ALL_CELLS, ACROSS_COLUMNS, false, false},
    {"half way across rows", HALF_WAY, ALL_CELLS, ACROSS_ROWS, false, false},
    {"half way across columns, one half", HALF_WAY, HALF_OF_COLUMNS, ACROSS_COLUMNS, false, false},
    {"first visit rows first", FIRST_VISIT, ALL_CELLS, ROW_FIRST, false, false},
    {"half way forward", HALF_WAY, ALL_CELLS, FORWARD, false, false},
    {"from one tile forward", FROM_ONE_TILE, ALL_CELLS, FORWARD, false, false},
    {"one line", FIRST_VISIT, ALL_CELLS, ONE_LINE, false, false},
    {"point mirrors of cells", FIRST_VISIT, ALL_CELLS, MIRRORED, false, false},
    {"half way to a row", HALF_WAY, ONE_ROW, ANYBODY, false, false},
    {"half way to a column", HALF_WAY, ONE_COLUMN, ANYBODY, false, false},
    {"half way to a corner", HALF_WAY, ONE_CORNER, ANYBODY, false, false},
    {"first visit to a node", FIRST_VISIT, ONE_NODE, ANYBODY, false, false},
    {"half way to a corner across", HALF_WAY, ONE_CORNER, ACROSS_COLUMNS, false, false},
    {"one to a row, first visit", FIRST_VISIT, ONE_ROW, ANYBODY, true, false},
    {"one to a row, half way", HALF_WAY, ONE_ROW, ROW_FIRST, true, false},
    {"one to a column, first visit", FIRST_VISIT, ONE_COLUMN, ANYBODY, true, false},
    {"one to a column, half way", HALF_WAY, ONE_COLUMN, ACROSS_ROWS, true, false},
    {"one to a node, first visit", FIRST_VISIT, ONE_NODE, ANYBODY, true, false},
    {"one to a node, half way", HALF_WAY, ONE_NODE, ANYBODY, true, false},
    {"one to a node, last visit", LAST_VISIT, ONE_NODE, ANYBODY, true, false},
    {"one to a corner, first visit", FIRST_VISIT, ONE_CORNER, ANYBODY, true, false},
    {"one to a corner, last visit", LAST_VISIT, ONE_CORNER, FORWARD, true, false},
    {"one to all, from one tile", FROM_ONE_TILE, ALL_CELLS, ANYBODY, true, false},
    {"one to a column, by columns", FIRST_VISIT, ONE_COLUMN, ANYBODY, true, true},
    {"one to all, by columns", FROM_ONE_TILE, ALL_CELLS, ANYBODY, true, true},
};

struct master {
    node_index source;
    struct seat seat;
};

struct scene {
    const struct family *family;
    const struct adversary_options *options;
    struct tessellation tiles;
    struct tile_cycle cycle;
    struct pcg32 random;
    struct master *master; /* [node], by groups */
    uint32_t *first;       /* [group + 1] */
    bool *is_used;         /* [source] */
    node_index *from, *to;
    uint64_t pairs;
};

/* ---- masters ---- */

static node_place place_at(const struct scene *scene, node_index node)
{
    return place_of(node / scene->options->mesh.cols, node % scene->options->mesh.cols);
}

/* Who starts where: counted, then dealt out, in the order of their random nodes. */
static enum failure_kind group_masters(struct scene *scene, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(scene->options->mesh), groups = scene->cycle.count;
    uint32_t cols = scene->options->mesh.cols;
    struct mesh_permutation permutation;
    enum failure_kind kind =
        mesh_permutation_make(&permutation, scene->options->seed, 0, scene->options->mesh, failure);
    if (kind != FAIL_NONE) {
        mesh_permutation_free(&permutation);
        return kind;
    }
    for (node_index node = 0; node < nodes; node++)
        scene->first[tile_cycle_position(&scene->cycle, place_at(scene, node))]++;
    for (uint32_t group = 1; group <= groups; group++)
        scene->first[group] += scene->first[group - 1];
    for (node_index node = nodes; node-- > 0;) {
        node_place place = place_at(scene, node);
        uint32_t group = tile_cycle_position(&scene->cycle, place);
        node_place source = mesh_permutation_of(&permutation, place);
        scene->master[--scene->first[group]] = (struct master){
            place_row(source) * cols + place_col(source), tile_cycle_seat(&scene->cycle, place)};
    }
    mesh_permutation_free(&permutation);
    return FAIL_NONE;
}

/* ---- destinations ---- */

static bool is_destination(const struct scene *scene, node_place cell)
{
    uint32_t height = scene->cycle.height, width = scene->cycle.width;
    uint32_t row = place_row(cell), col = place_col(cell);
    switch (scene->family->where) {
    case ALL_CELLS:
        return true;
    case ONE_ROW:
        return row == height / 2;
    case ONE_COLUMN:
        return col == width / 2;
    case ONE_CORNER:
        return row < (height + 1) / 2 && col < (width + 1) / 2;
    case ONE_NODE:
        return row == 0 && col == 0;
    case HALF_OF_COLUMNS:
        return col < (width + 1) / 2;
    }
    return false;
}

/* Whether a master is asked for a message to `place`, in whose tile its home is then `home`. */
static bool is_asked(const struct scene *scene, const struct master *master, node_place place)
{
    const struct tile_cycle *cycle = &scene->cycle;
    node_place cell = tile_cycle_cell(cycle, place), mine = master->seat.cell;
    node_place home = tile_cycle_home(cycle, tile_cycle_position(cycle, place), mine);
    if (scene->family->is_single && scene->is_used[master->source])
        return false;
    switch (scene->family->who) {
    case ANYBODY:
    case IN_ORDER:
        return true;
    case ACROSS_COLUMNS:
        return (place_col(cell) < cycle->width / 2) != (place_col(mine) < cycle->width / 2);
    case ACROSS_ROWS:
        return (place_row(cell) < cycle->height / 2) != (place_row(mine) < cycle->height / 2);
    case ROW_FIRST:
        return (place_row(home) + place_row(place)) % 2 == 0;
    case FORWARD:
        return master->seat.goes_forward;
    case ONE_LINE:
        return place_row(mine) == cycle->height / 2;
    case MIRRORED:
        return place_row(mine) + place_row(cell) == cycle->height - 1 &&
               place_col(mine) + place_col(cell) == cycle->width - 1;
    }
    return false;
}

/* Asks a group's masters of one direction for messages to `node`; how many the node then lacks. */
static uint32_t ask_group(struct scene *scene, node_index node, struct seat of, uint32_t group,
                          uint32_t lacking)
{
    uint32_t start = scene->first[group], size = scene->first[group + 1] - start;
    uint32_t turn = scene->family->who == IN_ORDER ? place_col(of.cell) * lacking
                                                   : pcg32_below(&scene->random, size);
    for (uint32_t i = 0; i < size && lacking > 0; i++) {
        const struct master *master = &scene->master[start + (i + turn) % size];
        if (master->seat.goes_forward != of.goes_forward ||
            !is_asked(scene, master, place_at(scene, node)))
            continue;
        scene->is_used[master->source] = true;
        scene->from[scene->pairs] = master->source;
        scene->to[scene->pairs++] = node;
        lacking--;
    }
    return lacking;
}

static uint32_t first_visit(const struct scene *scene)
{
    static const uint32_t quarters[] = {[FIRST_VISIT] = 0, [HALF_WAY] = 2, [LAST_VISIT] = 4};
    uint32_t count = scene->cycle.count;
    return scene->family->when == FROM_ONE_TILE ? 0
                                                : quarters[scene->family->when] * (count - 1) / 4;
}

/* All messages to `node`. */
static void ask_masters(struct scene *scene, node_index node)
{
    node_place place = place_at(scene, node), cell = tile_cycle_cell(&scene->cycle, place);
    uint32_t count = scene->cycle.count, here = tile_cycle_position(&scene->cycle, place);
    uint32_t lacking = scene->options->congestion;
    if (scene->family->when == FROM_ONE_TILE)
        here = 0;
    for (uint32_t i = 0; i < count && lacking > 0; i++) {
        uint32_t visit = (first_visit(scene) + i) % count;
        struct seat forward = {.cell = cell, .goes_forward = true}, backward = {.cell = cell};
        lacking = ask_group(scene, node, forward, (here + count - visit) % count, lacking);
        lacking = ask_group(scene, node, backward, (here + visit) % count, lacking);
    }
}

/* ---- sets ---- */

uint32_t adversary_count(void)
{
    return sizeof FAMILIES / sizeof *FAMILIES;
}

const char *adversary_name(uint32_t family)
{
    return FAMILIES[family].name;
}

static node_index nth_node(const struct scene *scene, uint32_t i)
{
    struct mesh mesh = scene->options->mesh;
    return scene->family->by_columns ? i % mesh.rows * mesh.cols + i / mesh.rows : i;
}

static enum failure_kind scene_make(struct scene *scene, struct failure *failure)
{
    struct mesh mesh = scene->options->mesh;
    uint32_t nodes = mesh_nodes(mesh);
    size_t most = (size_t)nodes * scene->options->congestion;
    struct mesh grid = stream_grid(mesh, scene->options->congestion);
    if (tessellation_grid(&scene->tiles, mesh, grid, failure) != FAIL_NONE ||
        tile_cycle_make_turning(&scene->cycle, &scene->tiles, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    scene->master = memory_allocate(nodes, sizeof *scene->master);
    scene->first = memory_allocate(scene->cycle.count + 1, sizeof *scene->first);
    scene->is_used = memory_allocate(nodes, sizeof *scene->is_used);
    scene->from = memory_allocate(most, sizeof *scene->from);
    scene->to = memory_allocate(most, sizeof *scene->to);
    if (scene->master && scene->first && scene->is_used && scene->from && scene->to)
        return FAIL_NONE;
    return fail_memory(failure, "an adversary");
}

static void scene_free(struct scene *scene)
{
    tile_cycle_free(&scene->cycle);
    tessellation_free(&scene->tiles);
    free(scene->master);
    free(scene->first);
    free(scene->is_used);
    free(scene->from);
    free(scene->to);
}

enum failure_kind adversary_make(uint32_t family, const struct adversary_options *options,
                                 struct message_set *set, struct failure *failure)
{
    struct scene scene = {.family = &FAMILIES[family],
                          .options = options,
                          .random = pcg32_seed(options->seed, STREAM)};
    enum failure_kind kind = scene_make(&scene, failure);
    *set = (struct message_set){0};
    if (kind == FAIL_NONE)
        kind = group_masters(&scene, failure);
    if (kind == FAIL_NONE) {
        for (uint32_t i = 0; i < mesh_nodes(options->mesh); i++) {
            node_index node = nth_node(&scene, i);
            if (is_destination(&scene, tile_cycle_cell(&scene.cycle, place_at(&scene, node))))
                ask_masters(&scene, node);
        }
        kind =
            message_set_from_pairs(set, options->mesh, scene.pairs, scene.from, scene.to, failure);
    }
    scene_free(&scene);
    return kind;
}
