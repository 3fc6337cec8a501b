/* family.c - families of sets made against the choices of a router.
 *
 * Method: for each tile, all messages are sorted by the visit at which they hand over there, or by
 * their group, then by the node where they do. A family without maps lets each of its nodes ask
 * messages one after the other, from a certain visit on, until it has c. With maps each message
 * sends, visit by visit, to images of the cell where it hands over: linear maps of the cells of a
 * tile that move from visit to visit. So a visit delivers k messages per node under k maps, for c /
 * k visits; nodes that ask any message get all c of them in one visit.
 *   The known families were invented, their maps found by a search that changed up to four maps of
 * small coefficients. All others are drawn from the same parts.
 * Cost: for each attempt t n log n time, 8 t n bytes, for t tiles.
 */
#include "search/seed_sets.h"

#include "base/numbers.h"
#include "base/pcg.h"
#include "search/candidate.h"

#include <stdio.h>
#include <stdlib.h>

/* The visit from which on a node gets its messages; BY_GROUP: all nodes from the same group. */
enum when { FIRST_VISIT, HALF_WAY, LATE, LAST_VISIT, BY_GROUP, WHENS };

/* The cells of the tiles that are destinations. */
enum where { ALL_CELLS, ONE_CORNER, LAST_LINES, WHERES };

/* The messages that are asked. BY_LINE: those that start along rows for the last column, the others
 * for all else. */
enum who { ANYBODY, IN_ORDER, ACROSS_COLUMNS, ACROSS_ROWS, ONE_LINE, BY_LINE, WHOS };

/* The times that a message may be asked. */
enum once { ALWAYS, ONCE_A_TILE, ONCES };

/* The order in which nodes ask. */
enum order { BY_ROWS, BACKWARDS, ORDERS };

static const char *const when_name[WHENS] = {"first visit", "half way", "late", "last visit",
                                             "by groups"};
static const char *const where_name[WHERES] = {"", ", to a corner", ", to last lines"};
static const char *const who_name[WHOS] = {
    "", ", in order", ", across columns", ", across rows", ", from a line", ", by lines"};
static const char *const once_name[ONCES] = {"", ", once a tile"};
static const char *const order_name[ORDERS] = {"", ", backwards"};

/* ---- maps ---- */

/* A coordinate of an image: multiples of the cell's row, its column and the number of the visit,
 * and quarters of the tile's side, modulo that side. A negative multiple counts from the far edge:
 * -1 is the mirror. */
struct image {
    int8_t rows, cols, visits, quarters;
};

struct map {
    const char *name;
    struct image row, col;
};

enum {
    MIRROR = 1,
    TURN,
    TURN_AND_SHIFT,
    HALF_SHIFT,
    TO_ROW,
    TO_COLUMN,
    ROWS_TO_COLUMN,
    TO_NODE,
    SHEAR,
    MOVING_SHEAR,
    MAPS
};

static const struct map MAP[MAPS] = {
    [MIRROR] = {", mirrored", {.rows = -1}, {.cols = -1}},
    [TURN] = {", turned", {.cols = 1}, {.rows = -1}},
    [TURN_AND_SHIFT] = {", turned and shifted",
                        {.cols = 1, .quarters = 1},
                        {.rows = -1, .quarters = 2}},
    [HALF_SHIFT] = {", shifted", {.rows = 1, .quarters = 2}, {.cols = 1, .quarters = 2}},
    [TO_ROW] = {", onto a row", {.quarters = 2}, {.cols = 1, .quarters = 2}},
    [TO_COLUMN] = {", onto a column", {.rows = 1, .quarters = 2}, {.quarters = 2}},
    [ROWS_TO_COLUMN] = {", rows onto a column", {.cols = 3, .quarters = 2}, {.quarters = 1}},
    [TO_NODE] = {", onto a node", {.visits = -1}, {0}},
    [SHEAR] = {", sheared", {.rows = -1, .cols = 1, .quarters = 1}, {.rows = -1, .quarters = 3}},
    [MOVING_SHEAR] = {", sheared ever farther",
                      {.rows = -1, .cols = 1, .visits = -2},
                      {.rows = -1, .cols = -1, .visits = -1}},
};

static uint32_t coordinate_of(const struct image *image, uint32_t row, uint32_t col, uint32_t visit,
                              uint32_t side)
{
    enum { QUARTERS = 4 };
    const int64_t factor[] = {image->rows, image->cols, image->visits}, of[] = {row, col, visit};
    int64_t sum = (int64_t)image->quarters * side / QUARTERS;
    for (int i = 0; i < 3; i++)
        sum += factor[i] * (of[i] + (factor[i] < 0));
    sum %= side;
    return (uint32_t)(sum < 0 ? sum + side : sum);
}

/* ---- the table ---- */

enum { MAPS_MOST = 4 };

struct family {
    enum when when;
    enum where where;
    enum who who;
    enum once once;
    enum order order;
    bool is_for_all;        /* attempts: each is attacked in tiles of its own */
    uint8_t map[MAPS_MOST]; /* ended by 0 */
};

static const struct family KNOWN[] = {
    {.when = FIRST_VISIT},
    {.when = HALF_WAY},
    {.when = LAST_VISIT},
    {.when = BY_GROUP},
    {.when = BY_GROUP, .who = IN_ORDER},
    {.when = FIRST_VISIT, .who = ACROSS_COLUMNS},
    {.when = HALF_WAY, .who = ACROSS_ROWS},
    {.when = FIRST_VISIT, .who = ONE_LINE},
    {.when = HALF_WAY, .where = ONE_CORNER},
    {.when = HALF_WAY, .map = {MIRROR, TURN, TO_COLUMN, TO_ROW}},
    {.when = HALF_WAY, .map = {MIRROR, HALF_SHIFT, TO_COLUMN}},
    {.when = HALF_WAY, .map = {MIRROR, SHEAR, TO_COLUMN, TURN_AND_SHIFT}},
    {.when = HALF_WAY, .map = {MIRROR, MOVING_SHEAR, TO_COLUMN}},
    {.when = LATE, .map = {HALF_SHIFT, TO_COLUMN, ROWS_TO_COLUMN, TO_NODE}},
    {.when = FIRST_VISIT,
     .where = LAST_LINES,
     .who = BY_LINE,
     .once = ONCE_A_TILE,
     .order = BACKWARDS},
    {.when = FIRST_VISIT,
     .where = LAST_LINES,
     .who = BY_LINE,
     .once = ONCE_A_TILE,
     .order = BACKWARDS,
     .is_for_all = true},
    {.when = HALF_WAY,
     .where = LAST_LINES,
     .who = BY_LINE,
     .once = ONCE_A_TILE,
     .order = BACKWARDS,
     .is_for_all = true},
    {.when = LAST_VISIT,
     .where = LAST_LINES,
     .who = BY_LINE,
     .order = BACKWARDS,
     .is_for_all = true},
};

uint32_t family_count(void)
{
    return sizeof KNOWN / sizeof *KNOWN;
}

/* Returns a family. Those beyond the known ones are drawn: one of three has maps, and asks any
 * message. */
static struct family family_of(uint32_t number)
{
    enum { STREAM = 0x66616d, PART = 3 };
    if (number < family_count())
        return KNOWN[number];
    struct pcg32 random = pcg32_seed(number, STREAM);
    struct family family = {.when = (enum when)pcg32_below(&random, WHENS),
                            .where = (enum where)pcg32_below(&random, WHERES),
                            .who = (enum who)pcg32_below(&random, WHOS),
                            .once = (enum once)pcg32_below(&random, ONCES),
                            .order = (enum order)pcg32_below(&random, ORDERS),
                            .is_for_all = pcg32_below(&random, 2) == 1};
    if (pcg32_below(&random, PART) > 0)
        return family;
    family.where = ALL_CELLS;
    family.who = ANYBODY;
    uint32_t maps = 1 + pcg32_below(&random, MAPS_MOST);
    for (uint32_t i = 0; i < MAPS_MOST && i < maps; i++)
        family.map[i] = (uint8_t)(1 + pcg32_below(&random, MAPS - 1));
    return family;
}

void family_name(uint32_t number, char name[FAMILY_NAME_SIZE])
{
    struct family family = family_of(number);
    const char *map[MAPS_MOST] = {"", "", "", ""};
    for (int i = 0; i < MAPS_MOST && family.map[i] != 0; i++)
        map[i] = MAP[family.map[i]].name;
    snprintf(name, FAMILY_NAME_SIZE, "%s%s%s%s%s%s%s%s%s%s", when_name[family.when],
             where_name[family.where], who_name[family.who], once_name[family.once],
             order_name[family.order], family.is_for_all ? ", all attempts" : "", map[0], map[1],
             map[2], map[3]);
}

/* ---- messages by tiles ---- */

struct scene {
    struct family family;
    const struct seed_plan *target;
    const struct router_choices *choices; /* of an attempt */
    struct pcg32 random;
    struct candidate candidate;
    uint32_t attempt, attempts; /* the attacked one, and the number of them */
    struct mesh cells;          /* of the largest tile */
    uint32_t keys;              /* visits, or groups */
    uint64_t *sender;           /* [tiles][node]: sorted; the node is the number modulo n */
    uint64_t *first;            /* [tile * keys + key], and one more: the first of its senders */
    uint32_t *used;             /* [node]: 0, or a tile for which its message was asked, from 1 */
};

static node_place place_at(const struct scene *scene, node_index node)
{
    uint32_t cols = scene->target->mesh.cols;
    return place_of(node / cols, node % cols);
}

static uint32_t tile_at(const struct scene *scene, node_place place)
{
    const struct tessellation *tiles = scene->choices->tiles;
    return tiles->row.tile[place_row(place)] * axis_intervals(&tiles->col) +
           tiles->col.tile[place_col(place)];
}

/* Returns the first node of a tile. */
static node_place corner_of(const struct scene *scene, uint32_t tile)
{
    const struct tessellation *tiles = scene->choices->tiles;
    uint32_t across = axis_intervals(&tiles->col);
    return place_of(tiles->row.cut[tile / across], tiles->col.cut[tile % across]);
}

static struct handover handover_of(const struct scene *scene, node_index source, node_place to)
{
    return scene->choices->handover(scene->choices->own, place_at(scene, source), to);
}

/* Sorts the senders of all tiles by visits, or groups, then by groups and homes. */
static void sort_senders(struct scene *scene)
{
    uint32_t nodes = mesh_nodes(scene->target->mesh), cells = mesh_nodes(scene->cells);
    uint32_t tiles = (uint32_t)tessellation_tiles(scene->choices->tiles);
    uint64_t at = 0;
    for (uint32_t tile = 0; tile < tiles; tile++) {
        uint64_t *sender = scene->sender + (size_t)tile * nodes;
        uint64_t *count = scene->first + (size_t)tile * scene->keys;
        for (node_index node = 0; node < nodes; node++) {
            struct handover handover = handover_of(scene, node, corner_of(scene, tile));
            node_place cell = place_in_tile(scene->choices->tiles, handover.home);
            uint64_t key = scene->family.when == BY_GROUP ? handover.group : handover.visit;
            count[key]++;
            key = key * scene->choices->groups + handover.group;
            key = key * cells + place_row(cell) * scene->cells.cols + place_col(cell);
            sender[node] = key * nodes + node;
        }
        qsort(sender, nodes, sizeof *sender, compare_u64);
        for (uint32_t key = 0; key < scene->keys; key++) {
            uint64_t here = count[key];
            count[key] = at;
            at += here;
        }
    }
    scene->first[(size_t)tiles * scene->keys] = at;
}

static uint32_t first_key(const struct scene *scene)
{
    static const uint32_t quarters[WHENS] = {
        [HALF_WAY] = 2, [LATE] = 3, [LAST_VISIT] = 4, [BY_GROUP] = 0};
    return quarters[scene->family.when] * (scene->keys - 1) / 4;
}

/* ---- senders and destinations ---- */

static bool is_destination(const struct scene *scene, node_place place)
{
    const struct tessellation *tiles = scene->choices->tiles;
    uint32_t height = scene->cells.rows, width = scene->cells.cols;
    node_place cell = place_in_tile(tiles, place);
    uint32_t row = place_row(cell), col = place_col(cell);
    if (tile_at(scene, place) % scene->attempts != scene->attempt)
        return false;
    switch (scene->family.where) {
    case ONE_CORNER:
        return row < (height + 1) / 2 && col < (width + 1) / 2;
    case LAST_LINES:
        return place_row(place) + 1 == axis_interval_at(&tiles->row, place_row(place)).end ||
               place_col(place) + 1 == axis_interval_at(&tiles->col, place_col(place)).end;
    default:
        return true;
    }
}

static bool is_asked(const struct scene *scene, node_index source, node_place place)
{
    const struct tessellation *tiles = scene->choices->tiles;
    struct handover handover = handover_of(scene, source, place);
    node_place cell = place_in_tile(tiles, place), home = place_in_tile(tiles, handover.home);
    uint32_t height = scene->cells.rows, width = scene->cells.cols;
    if (scene->family.once == ONCE_A_TILE && scene->used[source] == 1 + tile_at(scene, place))
        return false;
    switch (scene->family.who) {
    case ACROSS_COLUMNS:
        return (place_col(cell) < width / 2) != (place_col(home) < width / 2);
    case ACROSS_ROWS:
        return (place_row(cell) < height / 2) != (place_row(home) < height / 2);
    case ONE_LINE:
        return place_row(home) == height / 2;
    case BY_LINE:
        return handover.row_first ==
               (place_col(place) + 1 == axis_interval_at(&tiles->col, place_col(place)).end);
    default:
        return true;
    }
}

/* Asks for a message of `source` to `to`, once. */
static void ask(struct scene *scene, node_index source, node_index to)
{
    node_place place = place_at(scene, to);
    if (source == to || scene->candidate.load[to] >= scene->candidate.congestion ||
        !is_destination(scene, place) || !is_asked(scene, source, place))
        return;
    scene->used[source] = 1 + tile_at(scene, place);
    candidate_add(&scene->candidate, source, to);
}

/* Lets a node ask the messages of a visit, or of a group, from a random one on. */
static void ask_key(struct scene *scene, node_index node, uint32_t key)
{
    uint32_t nodes = mesh_nodes(scene->target->mesh);
    size_t at = (size_t)tile_at(scene, place_at(scene, node)) * scene->keys + key;
    uint64_t start = scene->first[at];
    uint32_t size = (uint32_t)(scene->first[at + 1] - start);
    uint32_t lacking = scene->candidate.congestion - scene->candidate.load[node];
    uint32_t turn = size == 0 ? 0 : pcg32_below(&scene->random, size);
    if (scene->family.who == IN_ORDER)
        turn = place_col(place_in_tile(scene->choices->tiles, place_at(scene, node))) * lacking;
    for (uint32_t i = 0; i < size && scene->candidate.load[node] < scene->candidate.congestion; i++)
        ask(scene, (node_index)(scene->sender[start + (i + turn) % size] % nodes), node);
}

static void ask_all(struct scene *scene)
{
    uint32_t nodes = mesh_nodes(scene->target->mesh);
    for (uint32_t i = 0; i < nodes; i++) {
        node_index node = scene->family.order == BACKWARDS ? nodes - 1 - i : i;
        if (is_destination(scene, place_at(scene, node)))
            for (uint32_t j = 0;
                 j < scene->keys && scene->candidate.load[node] < scene->candidate.congestion; j++)
                ask_key(scene, node, (first_key(scene) + j) % scene->keys);
    }
}

/* Sends a message to the images of its cell in a tile, each once. */
static void send_images(struct scene *scene, node_index source, uint32_t tile)
{
    const struct tessellation *tiles = scene->choices->tiles;
    node_place corner = corner_of(scene, tile), image[MAPS_MOST];
    struct handover handover = handover_of(scene, source, corner);
    node_place home = place_in_tile(tiles, handover.home);
    for (int i = 0; i < MAPS_MOST && scene->family.map[i] != 0; i++) {
        const struct map *map = &MAP[scene->family.map[i]];
        uint32_t row = place_row(corner), col = place_col(corner);
        bool is_new = true;
        row += coordinate_of(&map->row, place_row(home), place_col(home), handover.visit,
                             scene->cells.rows);
        col += coordinate_of(&map->col, place_row(home), place_col(home), handover.visit,
                             scene->cells.cols);
        image[i] = place_of(row, col);
        for (int j = 0; j < i; j++)
            is_new &= image[j] != image[i];
        if (is_new && row < axis_interval_at(&tiles->row, place_row(corner)).end &&
            col < axis_interval_at(&tiles->col, place_col(corner)).end)
            ask(scene, source, row * scene->target->mesh.cols + col);
    }
}

static void send_all(struct scene *scene)
{
    uint32_t nodes = mesh_nodes(scene->target->mesh);
    uint32_t tiles = (uint32_t)tessellation_tiles(scene->choices->tiles);
    for (uint32_t i = 0; i < scene->keys; i++)
        for (uint32_t tile = 0; tile < tiles; tile++) {
            size_t at = (size_t)tile * scene->keys + (first_key(scene) + i) % scene->keys;
            for (uint64_t j = scene->first[at]; j < scene->first[at + 1]; j++)
                send_images(scene, (node_index)(scene->sender[j] % nodes), tile);
        }
}

/* ---- sets ---- */

/* Adds the messages against the choices of one attempt. */
static enum failure_kind attack(struct scene *scene, const struct router_choices *choices,
                                struct failure *failure)
{
    size_t nodes = mesh_nodes(scene->target->mesh), tiles = tessellation_tiles(choices->tiles);
    scene->choices = choices;
    scene->cells =
        (struct mesh){axis_longest(&choices->tiles->row), axis_longest(&choices->tiles->col)};
    scene->keys = scene->family.when == BY_GROUP ? choices->groups : choices->visits;
    scene->sender = memory_allocate(tiles * nodes, sizeof *scene->sender);
    scene->first = memory_allocate(tiles * scene->keys + 1, sizeof *scene->first);
    scene->used = memory_allocate(nodes, sizeof *scene->used);
    bool has_memory = scene->sender != NULL && scene->first != NULL && scene->used != NULL;
    if (has_memory) {
        sort_senders(scene);
        (scene->family.map[0] != 0 ? send_all : ask_all)(scene);
    }
    free(scene->sender);
    free(scene->first);
    free(scene->used);
    return has_memory ? FAIL_NONE : fail_memory(failure, "an adversary");
}

enum failure_kind family_make(uint32_t number, const struct seed_plan *target,
                              struct message_set *set, struct failure *failure)
{
    enum { STREAM = 91 };
    struct scene scene = {
        .family = family_of(number), .target = target, .random = pcg32_seed(target->seed, STREAM)};
    scene.attempts = scene.family.is_for_all ? target->attempts : 1;
    enum failure_kind kind =
        candidate_make(&scene.candidate, target->mesh, target->congestion, 1, failure);
    for (; scene.attempt < scene.attempts && kind == FAIL_NONE; scene.attempt++)
        kind = attack(&scene, &target->choices[scene.attempt], failure);
    *set = (struct message_set){0};
    if (kind == FAIL_NONE)
        kind = candidate_set(&scene.candidate, set, failure);
    candidate_free(&scene.candidate);
    return kind;
}
