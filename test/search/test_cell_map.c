/* test_cell_map.c - linear maps of a tile's cells, and the sets that are made of them.
 *
 * Oracles: images by hand, and the whole tile searched for the cells that have an image; for the sets the
 * masters' cells, counted again from the permutation of the run.
 */
#include "primitives/mesh_permutation.h"
#include "primitives/tile_cycle.h"
#include "routers/stream_grid.h"
#include "search/cell_map.h"
#include "search/stream_adversary.h"
#include "search/stream_family.h"

#include <check.h>
#include <stdlib.h>

Suite *cell_map_suite(void);

/* what maps are called in the table of families, on a tile of 4 x 6 */
START_TEST(images_by_hand)
{
    static const struct {
        enum linear map;
        uint32_t row, col, visit, to_row, to_col;
    } known[] = {
        {MIRROR, 0, 0, 0, 3, 5},         {MIRROR, 1, 4, 7, 2, 1},
        {TURN, 0, 0, 0, 0, 5},           {TURN, 3, 2, 0, 2, 2},
        {HALF_SHIFT, 1, 1, 0, 3, 4},     {HALF_SHIFT, 2, 4, 3, 0, 1},
        {TO_ROW, 0, 1, 0, 2, 4},         {TO_ROW, 3, 5, 0, 2, 2},
        {TO_COLUMN, 3, 5, 0, 1, 3},      {TO_COLUMN, 0, 2, 9, 2, 3},
        {ROWS_TO_COLUMN, 0, 1, 0, 1, 1}, {ROWS_TO_COLUMN, 2, 5, 0, 1, 1},
        {TO_NODE, 1, 2, 0, 3, 0},        {TO_NODE, 3, 3, 5, 2, 0},
        {SHEAR, 1, 5, 0, 0, 2},          {MOVING_SHEAR, 0, 0, 0, 1, 3},
        {MOVING_SHEAR, 0, 0, 1, 3, 2},
    };
    struct mesh tile = {4, 6};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t cell = known[i].row * tile.cols + known[i].col;
        uint32_t image = cell_map_of(linear_map(known[i].map), tile, cell, known[i].visit);
        ck_assert_uint_eq(image / tile.cols, known[i].to_row);
        ck_assert_uint_eq(image % tile.cols, known[i].to_col);
    }
}
END_TEST

/* at every visit the origins of each cell are the cells that have it for an image, each once */
START_TEST(origins_are_all)
{
    static const struct mesh tiles[] = {{1, 1}, {4, 4}, {5, 7}, {6, 3}, {1, 9}};
    struct mesh tile = tiles[_i];
    for (enum linear kind = MIRROR; kind <= MOVING_SHEAR; kind++) {
        const struct cell_map *map = linear_map(kind);
        struct cell_origins origins;
        ck_assert_int_eq(cell_origins_make(&origins, map, tile, NULL), FAIL_NONE);
        for (uint32_t visit = 0; visit < 11; visit++)
            for (uint32_t image = 0; image < mesh_nodes(tile); image++) {
                uint32_t start = cell_map_at_start(map, tile, image, visit);
                uint32_t next = origins.first[start];
                for (uint32_t cell = 0; cell < mesh_nodes(tile); cell++)
                    if (cell_map_of(map, tile, cell, visit) == image)
                        ck_assert_uint_eq(origins.cell[next++], cell);
                ck_assert_uint_eq(next, origins.first[start + 1]);
            }
        cell_origins_free(&origins);
    }
}
END_TEST

/* ---- sets ---- */

struct walk {
    struct tessellation tiles;
    struct tile_cycle cycle;
    node_place *start; /* [source]: where its master starts */
};

static void walk_make(struct walk *walk, const struct adversary_options *options)
{
    struct mesh mesh = options->mesh;
    struct mesh_permutation permutation;
    ck_assert_int_eq(
        tessellation_grid(&walk->tiles, mesh, stream_grid(mesh, options->congestion), NULL),
        FAIL_NONE);
    ck_assert_int_eq(tile_cycle_make_turning(&walk->cycle, &walk->tiles, NULL), FAIL_NONE);
    ck_assert_int_eq(mesh_permutation_make(&permutation, options->seed, 0, mesh, NULL), FAIL_NONE);
    walk->start = calloc(mesh_nodes(mesh), sizeof *walk->start);
    for (node_index node = 0; node < mesh_nodes(mesh); node++) {
        node_place place = place_of(node / mesh.cols, node % mesh.cols);
        node_place source = mesh_permutation_of(&permutation, place);
        walk->start[place_row(source) * mesh.cols + place_col(source)] = place;
    }
    mesh_permutation_free(&permutation);
}

static void walk_free(struct walk *walk)
{
    tile_cycle_free(&walk->cycle);
    tessellation_free(&walk->tiles);
    free(walk->start);
}

/* The visit at which the master of a source comes to the tile of a node. */
static uint32_t visit_of(const struct walk *walk, node_index source, node_place node)
{
    struct seat seat = tile_cycle_seat(&walk->cycle, walk->start[source]);
    uint32_t from = tile_cycle_position(&walk->cycle, walk->start[source]);
    return tile_cycle_distance(&walk->cycle, from, tile_cycle_position(&walk->cycle, node),
                               seat.goes_forward);
}

/* Whether the node's cell is an image of the cell of the source's master, when it comes. */
static bool is_image(const struct walk *walk, const struct stream_family *family, node_index source,
                     node_place node)
{
    struct mesh tile = {walk->cycle.height, walk->cycle.width};
    node_place cell = tile_cycle_cell(&walk->cycle, node);
    node_place mine = tile_cycle_seat(&walk->cycle, walk->start[source]).cell;
    uint32_t visit = visit_of(walk, source, node);
    for (int i = 0; i < MAPS_MOST && family->map[i] != NO_MAP; i++)
        if (cell_map_of(linear_map(family->map[i]), tile,
                        place_row(mine) * tile.cols + place_col(mine),
                        visit) == place_row(cell) * tile.cols + place_col(cell))
            return true;
    return false;
}

/* Every delivery of a family with maps goes to an image, and every node has c of them: where tiles are equal the
 * mirrors alone bring each node one a visit. */
static void check_images(const struct adversary_options *options, uint32_t number)
{
    const struct stream_family *family = stream_family_at(number);
    struct walk walk;
    struct mesh mesh = options->mesh;
    struct message_set set;
    walk_make(&walk, options);
    ck_assert_int_eq(adversary_make(number, options, &set, NULL), FAIL_NONE);
    for (uint32_t i = 0; i < set.messages; i++)
        for (uint64_t j = set.offset[i]; j < set.offset[i + 1]; j++) {
            node_index to = set.destination[j];
            ck_assert_msg(
                is_image(&walk, family, set.source[i], place_of(to / mesh.cols, to % mesh.cols)),
                "%s: %u to %u", family->name, set.source[i], to);
        }
    if (walk.cycle.is_even && family->map[0] == MIRROR)
        ck_assert_uint_eq(set.deliveries, (uint64_t)mesh_nodes(mesh) * options->congestion);
    message_set_free(&set);
    walk_free(&walk);
}

START_TEST(sets_of_images)
{
    static const struct adversary_options sizes[] = {
        {{16, 16}, 16, 2}, {{12, 24}, 9, 5}, {{17, 15}, 7, 3}, {{32, 32}, 4, 1}};
    uint32_t checked = 0;
    for (uint32_t i = 0; i < stream_family_count(); i++)
        if (stream_family_at(i)->map[0] != NO_MAP) {
            check_images(&sizes[_i], i);
            checked++;
        }
    ck_assert_uint_gt(checked, 1);
}
END_TEST

Suite *cell_map_suite(void)
{
    Suite *suite = suite_create("cell_map");
    TCase *tests = tcase_create("maps");
    tcase_add_test(tests, images_by_hand);
    tcase_add_loop_test(tests, origins_are_all, 0, 5);
    tcase_add_loop_test(tests, sets_of_images, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}
