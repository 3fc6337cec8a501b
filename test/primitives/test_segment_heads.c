/* test_segment_heads.c - heads of one batch or two: every position gets its copy, in the steps and the packets
 * that are proven, for all numbers of marks on tiny tiles and made ones on large.
 */
#include "primitives/segment_heads.h"

#include "base/pcg.h"
#include "primitives/prefix.h"
#include "test/length.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <string.h>

Suite *segment_heads_suite(void);

enum { MOST_BATCHES = 2, MOST_AREA = 1600, MOST_SLOTS = 2 * MOST_AREA };

struct scene {
    struct machine_run run;
    struct tessellation tiles;
    struct mesh mesh;
    uint32_t batches, longest;
    uint32_t column[MOST_SLOTS], position[MOST_SLOTS]; /* of the slot's head */
    uint32_t batch[MOST_SLOTS];
    uint32_t marks[MOST_BATCHES][MOST_AREA]; /* [number along the snake]: 0: no head */
    uint32_t more[MOST_BATCHES][MOST_AREA];  /* of the second head there, in an excess */
    struct excess excess;
};

static uint32_t batch_of(void *context, uint32_t packet)
{
    return ((struct scene *)context)->batch[packet];
}

static uint32_t column(void *context, uint32_t packet)
{
    return ((struct scene *)context)->column[packet];
}

static uint32_t copies(void *context, uint32_t packet)
{
    struct scene *scene = context;
    return packet - machine_headers(scene->run.machine)->packet[packet].first + 1;
}

static uint32_t slots(void *context, uint32_t packet, uint32_t count)
{
    (void)context;
    (void)packet;
    return count;
}

struct tile {
    struct interval rows, cols;
    uint32_t area;
};

static struct tile tile_at(const struct scene *scene, uint32_t y, uint32_t x)
{
    struct interval rows = axis_interval(&scene->tiles.row, y);
    struct interval cols = axis_interval(&scene->tiles.col, x);
    return (struct tile){rows, cols, interval_length(rows) * interval_length(cols)};
}

static node_index node_of(const struct scene *scene, struct tile tile, uint32_t position)
{
    node_place place = snake_place(tile.rows, tile.cols, position);
    return place_row(place) * scene->mesh.cols + place_col(place);
}

/* The heads of a batch in one tile; marks beyond the tile's nodes are left out. */
static void inject_batch(struct scene *scene, struct tile tile, uint32_t batch)
{
    static node_index elsewhere[MOST_AREA];
    uint32_t heads = 0, position = 0;
    for (uint32_t i = 0; i < 2 * tile.area; i++) {
        uint32_t marks = (i % 2 == 0 ? scene->marks : scene->more)[batch][i / 2];
        uint32_t from = scene->run.slots;
        marks = marks < tile.area - position ? marks : tile.area - position;
        if (marks == 0)
            continue;
        node_index node = node_of(scene, tile, i / 2);
        for (uint32_t j = 0; j < marks; j++)
            elsewhere[j] = node == 0; /* nothing may be delivered at once */
        uint32_t packet = run_inject(&scene->run, node, marks, elsewhere, false, NULL);
        machine_headers(scene->run.machine)->packet[packet].target = position;
        for (uint32_t slot = from; slot < from + marks; slot++) {
            scene->column[slot] = heads % interval_length(tile.cols);
            scene->position[slot] = position;
            scene->batch[slot] = batch;
        }
        heads++;
        position += marks;
    }
}

/* Each position of a batch up to the last has one slot of the head to which it belongs. */
static void check_tile(const struct scene *scene, struct tile tile, bool copy_is_free)
{
    struct machine *machine = scene->run.machine;
    const struct header *header = machine_headers(machine)->packet;
    for (uint32_t batch = 0; batch < scene->batches; batch++) {
        uint32_t begin = 0, total = 0;
        for (uint32_t i = 0; i < tile.area; i++)
            total += scene->marks[batch][i] + scene->more[batch][i];
        total = total < tile.area ? total : tile.area;
        for (uint32_t position = 0; position < total; position++) {
            uint32_t found = 0;
            node_index node = node_of(scene, tile, position);
            for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
                 packet = machine_next_resting(machine, packet)) {
                if (scene->batch[packet] != batch)
                    continue;
                begin = scene->position[packet];
                ck_assert_uint_eq(header[packet].target, position);
                ck_assert(copy_is_free ? header[packet].first == packet : begin == position);
                found++;
            }
            ck_assert_uint_eq(found, copy_is_free || begin == position);
            ck_assert_uint_le(begin, position);
        }
    }
}

static void count_slots(const struct scene *scene)
{
    struct machine *machine = scene->run.machine;
    uint32_t found = 0;
    for (node_index node = 0; node < mesh_nodes(scene->mesh); node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            found += packet - machine_headers(machine)->packet[packet].first + 1;
    ck_assert_uint_eq(found, scene->run.slots);
}

/* The documented length. */
static uint64_t steps_of(const struct scene *scene, bool copy_is_free)
{
    uint64_t h = scene->tiles.row.cut[1], w = scene->tiles.col.cut[1], more = scene->batches - 1;
    const struct axis *cols = &scene->tiles.col;
    uint64_t narrow = cols->length - cols->cut[axis_intervals(cols) - 1];
    uint64_t borders = (scene->longest - 1 + narrow - 1) / narrow;
    borders = borders < h - 1 ? borders : h - 1;
    uint64_t in_row = scene->batches * scene->excess.in_row;
    if (scene->batches == 2 && scene->excess.in_row > 2) /* one after the other */
        in_row += w - 2;
    uint64_t in_col = (scene->excess.in_tile + narrow - 1) / narrow;
    return (w > 1 ? 2 * (w - 1 + more) + in_row : 0) + (h > 1 ? h - 1 + more + in_col : 0) +
           (copy_is_free && borders > 0 ? borders + more : 0);
}

/* The documented room. */
static uint32_t packets_of(const struct scene *scene)
{
    const struct axis *cols = &scene->tiles.col;
    uint32_t narrow = cols->length - cols->cut[axis_intervals(cols) - 1];
    uint32_t in_row = scene->excess.in_row, turns = 1 + (in_row + narrow - 1) / narrow;
    uint32_t apart = 3 + turns + (turns > 2 ? turns : 2), both = 3 + 2 * turns;
    if (scene->batches == 1)
        return in_row == 0 ? 3 : in_row == 1 ? 4 : in_row == 2 && turns == 2 ? 4 : 3 + turns;
    if (in_row < 2)
        return in_row == 0 ? 6 : 7;
    uint32_t to_number = in_row > 2 ? apart : turns == 2 ? 8 : 4 + 2 * turns;
    return to_number > both ? to_number : both;
}

/* With room for what is proven. */
static void run_scene(struct scene *scene, uint32_t tiles, bool copy_is_free)
{
    ck_assert_int_eq(tessellation_make(&scene->tiles, scene->mesh, tiles, NULL), FAIL_NONE);
    struct segment_heads heads = {.tiles = &scene->tiles,
                                  .batches = scene->batches,
                                  .excess = scene->excess,
                                  .longest = scene->longest,
                                  .batch = batch_of,
                                  .column = column,
                                  .copies = copies,
                                  .slots = slots,
                                  .context = scene};
    struct machine_config config = {
        .slots = MOST_SLOTS, .buffer = packets_of(scene), .copy_is_free = copy_is_free};
    struct failure failure = {0};
    ck_assert_uint_eq(segment_heads_packets(&heads), packets_of(scene));
    run_start(&scene->run, scene->mesh.rows, scene->mesh.cols, config);
    uint32_t down = axis_intervals(&scene->tiles.row), across = axis_intervals(&scene->tiles.col);
    for (uint32_t i = 0; i < down * across; i++)
        for (uint32_t batch = 0; batch < scene->batches; batch++)
            inject_batch(scene, tile_at(scene, i / across, i % across), batch);
    machine_begin_phase(scene->run.machine, "own");
    enum failure_kind kind = segment_heads_spread(scene->run.machine, &heads, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
    for (uint32_t i = 0; i < down * across; i++)
        check_tile(scene, tile_at(scene, i / across, i % across), copy_is_free);
    count_slots(scene);
    const struct machine_counts *counts = machine_counts(scene->run.machine);
    ck_assert_uint_eq(counts->steps, steps_of(scene, copy_is_free));
    ck_assert_uint_eq(counts->steps, segment_heads_steps(&heads, copy_is_free));
    ck_assert_uint_eq(counts->word_hops + (copy_is_free ? 0 : counts->copies), 0);
    run_audit(&scene->run);
    tessellation_free(&scene->tiles);
    run_end(&scene->run);
}

/* The marks of a batch from the digits of `code`, at most the tile's nodes. False: they are more. */
static bool decode(struct scene *scene, uint32_t batch, uint32_t code)
{
    uint32_t area = mesh_nodes(scene->mesh), total = 0;
    for (uint32_t i = 0; i < area; i++, code /= scene->longest + 1)
        total += scene->marks[batch][i] = code % (scene->longest + 1);
    return total <= area;
}

/* all numbers of marks of tiny tiles, every 29th of 3 x 3; with the second batch all of them meet others */
START_TEST(all_marks)
{
    static const struct {
        struct mesh mesh;
        uint32_t longest;
    } CASES[] = {{{2, 2}, 4}, {{1, 5}, 3}, {{5, 1}, 3}, {{2, 3}, 3},
                 {{3, 2}, 3}, {{3, 3}, 2}, {{3, 2}, 6}};
    static struct scene scene;
    scene.mesh = CASES[_i].mesh;
    scene.longest = CASES[_i].longest;
    uint32_t codes = 1, other = 0, step = _i < 5 ? TEST_IS_SHORT ? 5 : 1 : TEST_IS_SHORT ? 403 : 13;
    for (uint32_t i = 0; i < mesh_nodes(scene.mesh); i++)
        codes *= scene.longest + 1;
    for (uint32_t code = 0; code < codes; code += step) {
        scene.batches = 1;
        if (!decode(&scene, 0, code))
            continue;
        run_scene(&scene, 1, true);
        scene.batches = 2;
        do
            other = (other + 7919) % codes;
        while (!decode(&scene, 1, other));
        run_scene(&scene, 1, code % 2 == 0);
    }
}
END_TEST

/* What a node has: many marks in some rows or columns and few in others. */
static void made_marks(struct scene *scene, struct pcg32 *random, uint32_t batch, uint32_t width)
{
    uint32_t dense = pcg32_below(random, 101), sparse = pcg32_below(random, 30);
    uint32_t period = 1 + pcg32_below(random, 8), many = 1 + pcg32_below(random, scene->longest);
    uint32_t late = pcg32_below(random, 3) == 0 ? pcg32_below(random, MOST_AREA / 2) : 0;
    bool by_rows = pcg32_below(random, 2);
    for (uint32_t i = 0; i < MOST_AREA; i++) {
        bool is_dense = (by_rows ? i / width : i % width) / period % 2 == 0;
        bool is_there = i >= late && pcg32_below(random, 100) < (is_dense ? dense : sparse);
        uint32_t most = is_dense ? many : 1;
        scene->marks[batch][i] = !is_there                     ? 0
                                 : pcg32_below(random, 4) == 0 ? 1 + pcg32_below(random, most)
                                                               : most;
    }
}

/* made marks on tiles of all shapes, equal ones and not, one batch and two, free and unit copies */
START_TEST(made)
{
    static struct scene scene;
    for (uint64_t seed = 0; seed < (TEST_IS_SHORT ? 60 : 800); seed++) {
        struct pcg32 random = pcg32_seed(seed, 84);
        scene.mesh = (struct mesh){1 + pcg32_below(&random, 40), 1 + pcg32_below(&random, 40)};
        scene.batches = 1 + pcg32_below(&random, 2);
        scene.longest = 1 + pcg32_below(&random, 1 + scene.mesh.cols * 2);
        for (uint32_t batch = 0; batch < scene.batches; batch++)
            made_marks(&scene, &random, batch, scene.mesh.cols);
        run_scene(&scene, 1u << pcg32_below(&random, 5), pcg32_below(&random, 4) != 0);
    }
}
END_TEST

/* rows whose packets have a row of marks each, and rows of packets with one: what legs in any other order
 * crowd */
START_TEST(crowded)
{
    static struct scene scene;
    enum { SIDE = 32 };
    scene.mesh = (struct mesh){SIDE, SIDE};
    scene.longest = SIDE;
    for (scene.batches = 1; scene.batches <= 2; scene.batches++)
        for (uint32_t kind = 0; kind < 4; kind++) {
            for (uint32_t i = 0; i < SIDE * SIDE; i++) {
                uint32_t row = i / SIDE, col = row % 2 == 0 ? i % SIDE : SIDE - 1 - i % SIDE;
                bool is_last = row == SIDE - 1, is_line = col == SIDE / 2;
                scene.marks[0][i] = kind == 0   ? (is_last ? SIDE : 0)
                                    : kind == 1 ? is_line
                                    : kind == 2 ? (row < SIDE / 2 ? is_line : SIDE)
                                                : (is_last || is_line);
                scene.marks[1][i] = kind < 2 ? (row == SIDE / 2 ? SIDE : 0) : is_line;
            }
            run_scene(&scene, 1, true);
        }
}
END_TEST

/* Second heads at some nodes: at most scene->excess.in_row in a row and in_tile in a tile. Many nodes have a mark,
 * so that there are about as many heads as positions. */
static void made_excess(struct scene *scene, struct pcg32 *random)
{
    uint32_t cols = scene->mesh.cols, area = mesh_nodes(scene->mesh), absent = 0;
    scene->excess = (struct excess){.at_node = 1, .in_row = 1 + pcg32_below(random, 4)};
    memset(scene->more, 0, sizeof scene->more);
    for (uint32_t row = 0; row < scene->mesh.rows; row++) {
        uint32_t first = pcg32_below(random, cols), second = 0;
        uint32_t most = scene->excess.in_row < cols ? scene->excess.in_row : cols;
        if (pcg32_below(random, 3) == 0)
            first = pcg32_below(random, 2) * (cols - most); /* at an end */
        for (; second < most; second++)
            for (uint32_t batch = 0; batch < scene->batches; batch++)
                scene->more[batch][row * cols + (first + second) % cols] = 1;
        scene->excess.in_tile += most;
    }
    for (uint32_t batch = 0; batch < scene->batches; batch++)
        for (uint32_t i = 0; i < area; i++) {
            scene->marks[batch][i] = scene->longest > 1 && pcg32_below(random, 20) == 0 ? 2 : 1;
            if (absent < scene->excess.in_tile && pcg32_below(random, 12) == 0)
                scene->marks[batch][i] = 0 * absent++;
        }
}

/* Nodes with two heads of a batch, one to four more than nodes in a row. */
START_TEST(excesses)
{
    static struct scene scene;
    for (uint64_t seed = 0; seed < (TEST_IS_SHORT ? 100 : 1500); seed++) {
        struct pcg32 random = pcg32_seed(seed, 85);
        scene.mesh = (struct mesh){1 + pcg32_below(&random, 24), 2 + pcg32_below(&random, 24)};
        scene.batches = 1 + pcg32_below(&random, 2);
        scene.longest = 1 + pcg32_below(&random, 2);
        made_excess(&scene, &random);
        run_scene(&scene, 1, pcg32_below(&random, 4) != 0);
    }
}
END_TEST

Suite *segment_heads_suite(void)
{
    Suite *suite = suite_create("segment_heads");
    TCase *tests = tcase_create("segment_heads");
    tcase_add_loop_test(tests, all_marks, 0, 7);
    tcase_add_test(tests, made);
    tcase_add_test(tests, crowded);
    tcase_add_test(tests, excesses);
    suite_add_tcase(suite, tests);
    return suite;
}
