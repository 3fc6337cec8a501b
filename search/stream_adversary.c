/* stream_adversary.c - message sets against the streaming router, whose random permutation is known.
 *
 * Masters that start in one tile are a group. At visit k the tile at position t is full of those
 * that started k positions before it and walk forward, and of those k positions behind that walk
 * backward. A family says, for each node, from which visit on its messages are to come; it takes
 * them from the masters that are there then, then from those of the next visit, and so on, until
 * the node has c of them. Beside that a family (stream_family.h) says which cells of the tiles are
 * destinations, which masters are asked (by where their homes are, by the order in which their trees turn, or by
 * linear maps of a tile's cells: those of whose cells the node's is an image), and whether a message has
 * one destination alone.
 * Why maps: n masters visit at once, a tile's in each tile. Where each sends to the images of its cell under
 * k maps, a visit delivers k messages a node, for c / k visits. Sent to anybody all c would go in one visit.
 * Cost: time and memory for the deliveries; without maps, and for one destination a message, at most
 * n / c times the deliveries.
 */
#include "search/stream_adversary.h"

#include "base/pcg.h"
#include "primitives/mesh_permutation.h"
#include "primitives/tile_cycle.h"
#include "routers/stream_grid.h"
#include "search/stream_family.h"

#include <stdlib.h>

enum { STREAM = 91 };

struct master {
    node_index source;
    struct seat seat;
};

struct scene {
    const struct stream_family *family;
    const struct adversary_options *options;
    struct tessellation tiles;
    struct tile_cycle cycle;
    struct pcg32 random;
    struct master *master; /* [node], by groups and in each by cells */
    uint32_t *first;       /* [group * cells + cell], and one more: of the masters */
    struct mesh cells;     /* of a tile */
    uint32_t maps;         /* of the family */
    struct cell_origins origins[MAPS_MOST]; /* under each map */
    bool *is_used;                          /* [source] */
    node_index *from, *to;
    uint64_t pairs;
};

/* ---- masters ---- */

static node_place place_at(const struct scene *scene, node_index node)
{
    return place_of(node / scene->options->mesh.cols, node % scene->options->mesh.cols);
}

static uint32_t number_of(const struct scene *scene, node_place cell)
{
    return place_row(cell) * scene->cells.cols + place_col(cell);
}

/* The index in first[] of the masters of a group that start in a cell. */
static uint32_t place_in_group(const struct scene *scene, uint32_t group, uint32_t cell)
{
    return group * mesh_nodes(scene->cells) + cell;
}

/* .. of those that start at a node. */
static uint32_t start_of(const struct scene *scene, node_place place)
{
    return place_in_group(scene, tile_cycle_position(&scene->cycle, place),
                          number_of(scene, tile_cycle_seat(&scene->cycle, place).cell));
}

/* Who starts where: counted, then dealt out, in the order of their random nodes. */
static enum failure_kind group_masters(struct scene *scene, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(scene->options->mesh),
             places = place_in_group(scene, scene->cycle.count, 0);
    uint32_t cols = scene->options->mesh.cols;
    struct mesh_permutation permutation;
    enum failure_kind kind =
        mesh_permutation_make(&permutation, scene->options->seed, 0, scene->options->mesh, failure);
    if (kind != FAIL_NONE) {
        mesh_permutation_free(&permutation);
        return kind;
    }
    for (node_index node = 0; node < nodes; node++)
        scene->first[start_of(scene, place_at(scene, node))]++;
    for (uint32_t place = 1; place <= places; place++)
        scene->first[place] += scene->first[place - 1];
    for (node_index node = nodes; node-- > 0;) {
        node_place place = place_at(scene, node);
        node_place source = mesh_permutation_of(&permutation, place);
        scene->master[--scene->first[start_of(scene, place)]] = (struct master){
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
    }
    return false;
}

/* Who asks: a node for messages to it. */
struct asking {
    node_index node;
    struct seat seat; /* its cell, and the way of those who are asked */
    uint32_t visit, group;
    uint64_t began;   /* of pairs[]: those with the group's masters begin there */
    uint32_t lacking; /* so many messages more it may have */
};

/* Asks one master. */
static void ask(struct scene *scene, struct asking *asking, uint32_t number)
{
    const struct master *master = &scene->master[number];
    if (asking->lacking == 0 || master->seat.goes_forward != asking->seat.goes_forward ||
        !is_asked(scene, master, place_at(scene, asking->node)))
        return;
    scene->is_used[master->source] = true;
    scene->from[scene->pairs] = master->source;
    scene->to[scene->pairs++] = asking->node;
    asking->lacking--;
}

static bool has_asked(const struct scene *scene, const struct asking *asking, uint32_t number)
{
    bool has = false;
    for (uint64_t i = asking->began; i < scene->pairs && !has; i++)
        has = scene->from[i] == scene->master[number].source;
    return has;
}

/* Asks the masters of the group of whose cells the node's is an image; who is one under two maps, once. */
static void ask_images(struct scene *scene, struct asking *asking)
{
    for (uint32_t i = 0; i < scene->maps; i++) {
        const struct cell_map *map = linear_map(scene->family->map[i]);
        const struct cell_origins *origins = &scene->origins[i];
        uint32_t image = cell_map_at_start(map, scene->cells, number_of(scene, asking->seat.cell),
                                           asking->visit);
        for (uint32_t j = origins->first[image]; j < origins->first[image + 1]; j++) {
            uint32_t place = place_in_group(scene, asking->group, origins->cell[j]);
            for (uint32_t k = scene->first[place]; k < scene->first[place + 1]; k++)
                if (!has_asked(scene, asking, k))
                    ask(scene, asking, k);
        }
    }
}

/* Asks the masters of the group. */
static void ask_group(struct scene *scene, struct asking *asking)
{
    uint32_t start = scene->first[place_in_group(scene, asking->group, 0)];
    uint32_t size = scene->first[place_in_group(scene, asking->group + 1, 0)] - start;
    uint32_t turn = scene->family->who == IN_ORDER ? place_col(asking->seat.cell) * asking->lacking
                                                   : pcg32_below(&scene->random, size);
    for (uint32_t i = 0; i < size && asking->lacking > 0; i++)
        ask(scene, asking, start + (i + turn) % size);
}

static uint32_t first_visit(const struct scene *scene)
{
    static const uint32_t quarters[] = {
        [FIRST_VISIT] = 0, [HALF_WAY] = 2, [LATE] = 3, [LAST_VISIT] = 4};
    uint32_t count = scene->cycle.count;
    return scene->family->when == FROM_ONE_TILE ? 0
                                                : quarters[scene->family->when] * (count - 1) / 4;
}

/* All messages to `node`. */
static void ask_masters(struct scene *scene, node_index node)
{
    node_place place = place_at(scene, node);
    uint32_t count = scene->cycle.count, here = tile_cycle_position(&scene->cycle, place);
    struct asking asking = {.node = node,
                            .seat = {.cell = tile_cycle_cell(&scene->cycle, place)},
                            .lacking = scene->options->congestion};
    if (scene->family->when == FROM_ONE_TILE)
        here = 0;
    for (uint32_t i = 0; i < 2 * count && asking.lacking > 0; i++) {
        asking.visit = (first_visit(scene) + i / 2) % count;
        asking.seat.goes_forward = i % 2 == 0;
        asking.group = (here + (i % 2 == 0 ? count - asking.visit : asking.visit)) % count;
        asking.began = scene->pairs;
        (scene->maps > 0 ? ask_images : ask_group)(scene, &asking);
    }
}

/* ---- sets ---- */

uint32_t adversary_count(void)
{
    return stream_family_count();
}

const char *adversary_name(uint32_t family)
{
    return stream_family_at(family)->name;
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
    scene->cells = (struct mesh){scene->cycle.height, scene->cycle.width};
    for (; scene->maps < MAPS_MOST && scene->family->map[scene->maps] != NO_MAP; scene->maps++)
        if (cell_origins_make(&scene->origins[scene->maps],
                              linear_map(scene->family->map[scene->maps]), scene->cells,
                              failure) != FAIL_NONE)
            return FAIL_SYSTEM;
    scene->master = memory_allocate(nodes, sizeof *scene->master);
    scene->first = memory_allocate(place_in_group(scene, scene->cycle.count, 0) + (size_t)1,
                                   sizeof *scene->first);
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
    for (uint32_t i = 0; i < MAPS_MOST; i++)
        cell_origins_free(&scene->origins[i]);
    free(scene->master);
    free(scene->first);
    free(scene->is_used);
    free(scene->from);
    free(scene->to);
}

enum failure_kind adversary_make(uint32_t family, const struct adversary_options *options,
                                 struct message_set *set, struct failure *failure)
{
    struct scene scene = {.family = stream_family_at(family),
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
        kind = message_set_from_pairs(set, shape_of_mesh(options->mesh), scene.pairs, scene.from,
                                      scene.to, failure);
    }
    scene_free(&scene);
    return kind;
}
