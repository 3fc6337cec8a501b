/* test_segmented_broadcast.c - copies along segments: each position of a segment gets one copy with
 * its share of the slots, in tiles, within the steps claimed; and Lemma 1, which is made of it.
 */
#include "primitives/segmented_broadcast.h"

#include "base/pcg.h"
#include "primitives/prefix.h"
#include "routers/router.h"
#include "test/machine/light_cone.h"
#include "test/machine/machine_run.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdlib.h>

Suite *segmented_broadcast_suite(void);

/* A segment as it was made: a packet of `copies` copies from position `first` of a tile. */
struct segment {
    uint32_t tile_row, tile_col, first, copies;
};

struct scene {
    struct machine_run run;
    struct tessellation tiles;
    struct mesh mesh;
    uint32_t block, per_node, segments;
    struct segment segment[4096];
    uint32_t segment_of_slot[1 << 16];
};

static struct site site_of_position(const struct scene *scene, const struct segment *segment,
                                    uint32_t position)
{
    const struct axis *rows = &scene->tiles.row, *cols = &scene->tiles.col;
    struct interval r = axis_interval(rows, segment->tile_row);
    struct interval c = axis_interval(cols, segment->tile_col);
    node_place place = snake_place(r, c, position / scene->per_node);
    return machine_site(scene->run.machine, place_row(place) * scene->mesh.cols + place_col(place));
}

/* Injects a packet for a segment; its last copy has `short_by` slots less than a block. */
static void add_segment(struct scene *scene, struct segment segment, uint32_t short_by)
{
    static node_index elsewhere[1 << 16]; /* nothing may be delivered while it is spread */
    struct failure failure = {0};
    uint32_t slots = segment.copies * scene->block - short_by, from = scene->run.slots;
    struct site site = site_of_position(scene, &segment, segment.first);
    for (uint32_t i = 0; i < slots; i++)
        elsewhere[i] = site.index == 0;
    uint32_t packet = run_inject(&scene->run, site.index, slots, elsewhere, false, &failure);
    ck_assert_msg(packet != MACHINE_NONE, "%s", failure.text);
    machine_headers(scene->run.machine)->packet[packet].target = segment.first;
    machine_headers(scene->run.machine)->packet[packet].state = 0;
    for (uint32_t slot = from; slot < from + slots; slot++)
        scene->segment_of_slot[slot] = scene->segments;
    scene->segment[scene->segments++] = segment;
}

/* Fills each tile with segments of random lengths up to `longest`, with gaps. */
static void add_random_segments(struct scene *scene, uint32_t longest, struct pcg32 *random)
{
    const struct axis *rows = &scene->tiles.row, *cols = &scene->tiles.col;
    for (uint32_t y = 0; y < axis_intervals(rows); y++) {
        for (uint32_t x = 0; x < axis_intervals(cols); x++) {
            uint32_t end = (rows->cut[y + 1] - rows->cut[y]) * (cols->cut[x + 1] - cols->cut[x]) *
                           scene->per_node;
            uint32_t first = pcg32_below(random, 3);
            while (first < end) {
                uint32_t copies = 1 + pcg32_below(random, longest);
                copies = copies > end - first ? end - first : copies;
                add_segment(scene, (struct segment){y, x, first, copies},
                            pcg32_below(random, scene->block));
                first += copies + pcg32_below(random, 3);
            }
        }
    }
}

/* Every position of every segment: how many resting packets hold slots of it, whole blocks but for
 * one, no slot lost. */
static void check_copies(struct scene *scene)
{
    struct machine *machine = scene->run.machine;
    struct headers *header = machine_headers(machine);
    uint64_t expected = 0, found = 0, slots = 0;
    for (uint32_t i = 0; i < scene->segments; i++) {
        const struct segment *segment = &scene->segment[i];
        uint32_t shorter = 0;
        expected += segment->copies;
        for (uint32_t p = segment->first; p < segment->first + segment->copies; p++) {
            struct site site = site_of_position(scene, segment, p);
            uint32_t here = 0, want = 0;
            for (uint32_t q = segment->first; q < segment->first + segment->copies; q++)
                want += site_of_position(scene, segment, q).index == site.index;
            for (uint32_t packet = machine_first_resting(machine, site.index);
                 packet != MACHINE_NONE; packet = machine_next_resting(machine, packet)) {
                if (scene->segment_of_slot[packet] != i)
                    continue;
                uint32_t size = packet - header->packet[packet].first + 1;
                ck_assert_uint_le(size, scene->block);
                shorter += size < scene->block;
                here++;
            }
            ck_assert_uint_eq(here, want);
        }
        ck_assert_uint_le(shorter, scene->per_node); /* the short one is seen once a position */
    }
    for (node_index node = 0; node < mesh_nodes(scene->mesh); node++) {
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet)) {
            found++;
            slots += packet - header->packet[packet].first + 1;
            ck_assert_uint_eq(scene->segment_of_slot[header->packet[packet].first],
                              scene->segment_of_slot[packet]);
        }
    }
    ck_assert_uint_eq(found, expected);
    ck_assert_uint_eq(slots, scene->run.slots);
}

/* Steps as segmented_broadcast.h documents them; the first tile is a largest one. */
static uint64_t documented_steps(const struct scene *scene, uint32_t longest, bool copy_is_free)
{
    uint64_t distance = scene->tiles.row.cut[1] + scene->tiles.col.cut[1] - 2;
    uint64_t per_node = scene->per_node, behind = (longest + per_node - 2) / per_node;
    if (longest > 0 && behind < distance)
        distance = behind;
    if (!copy_is_free)
        return 2 * distance + 2 + 4 * (per_node - 1);
    return distance + (distance == 0 && per_node > 1);
}

static void run_scene(uint32_t rows, uint32_t cols, uint32_t tiles, uint32_t longest, uint32_t seed)
{
    struct pcg32 random = pcg32_seed(seed, 7);
    struct scene *scene = calloc(1, sizeof *scene);
    struct failure failure = {0};
    scene->mesh = (struct mesh){rows, cols};
    scene->block = 1 + pcg32_below(&random, 3);
    scene->per_node = 1 + seed % 5 % 3;
    struct machine_config config = {
        .slots = 1 << 16, .copy_is_free = seed % 3 != 0, .buffer = scene->per_node + 3};
    run_start(&scene->run, rows, cols, config);
    ck_assert_int_eq(tessellation_make(&scene->tiles, scene->mesh, tiles, &failure), FAIL_NONE);
    add_random_segments(scene, longest, &random);

    struct segments segments = {.tiles = &scene->tiles,
                                .block = scene->block,
                                .longest = seed % 4 == 0 ? 0 : longest,
                                .per_node = scene->per_node};
    ck_assert_int_eq(segmented_broadcast(scene->run.machine, &segments, "broadcast", &failure),
                     FAIL_NONE);
    check_copies(scene);
    const struct machine_counts *counts = machine_counts(scene->run.machine);
    ck_assert_uint_eq(counts->steps,
                      documented_steps(scene, segments.longest, config.copy_is_free));
    ck_assert_uint_eq(counts->sync_steps, 0);
    run_audit(&scene->run);
    tessellation_free(&scene->tiles);
    run_end(&scene->run);
    free(scene);
}

/* segments shorter than a row, of a few rows, and of a whole tile, on many shapes */
START_TEST(test_segments)
{
    static const uint32_t shape[][3] = {{1, 1, 1},   {4, 4, 16}, {1, 9, 1},  {9, 1, 1}, {2, 2, 1},
                                        {3, 3, 1},   {5, 7, 1},  {8, 8, 1},  {8, 8, 4}, {17, 5, 1},
                                        {12, 10, 4}, {9, 13, 8}, {16, 16, 1}};
    for (uint32_t i = 0; i < sizeof shape / sizeof shape[0]; i++)
        for (uint32_t seed = 0; seed < 30; seed++) {
            uint32_t longest[] = {2, shape[i][1] + 2, 3 * shape[i][1] + 1,
                                  2 * shape[i][0] * shape[i][1]};
            run_scene(shape[i][0], shape[i][1], shape[i][2], longest[seed % 4], seed);
        }
}
END_TEST

/* The trace of a run on 9 x 12 nodes that differs from others in one segment's length alone. */
static char *trace_of_variant(uint32_t changed_first, uint32_t copies, bool copy_is_free)
{
    struct pcg32 random = pcg32_seed(21, 7);
    struct scene *scene = calloc(1, sizeof *scene);
    struct failure failure = {0};
    *scene = (struct scene){.mesh = {9, 12}, .block = 2, .per_node = 1};
    run_start(&scene->run, 9, 12,
              (struct machine_config){.slots = 1 << 16, .copy_is_free = copy_is_free});
    ck_assert_int_eq(tessellation_make(&scene->tiles, scene->mesh, 1, &failure), FAIL_NONE);
    for (uint32_t first = 0, length; first < changed_first; first += length) {
        length = 1 + pcg32_below(&random, 9);
        length = length > changed_first - first ? changed_first - first : length;
        add_segment(scene, (struct segment){0, 0, first, length}, 0);
    }
    add_segment(scene, (struct segment){0, 0, 95, 13}, 1);
    add_segment(scene, (struct segment){0, 0, changed_first, copies}, 0);
    struct segments segments = {.tiles = &scene->tiles, .block = 2, .per_node = 1};
    ck_assert_int_eq(segmented_broadcast(scene->run.machine, &segments, "broadcast", &failure),
                     FAIL_NONE);
    char *text = run_text(&scene->run);
    tessellation_free(&scene->tiles);
    run_end(&scene->run);
    free(scene);
    return text;
}

/* two runs that differ in the length of one segment agree wherever light from its start has not
 * been, with free copies and with unit copies */
START_TEST(test_locality)
{
    static const uint32_t copies[] = {1, 2, 7, 20, 45};
    struct mesh mesh = {9, 12};
    node_index changed = 4 * 12 + 2; /* position 50: row 4 runs east */
    char *whole = trace_of_variant(50, 45, _i == 1), why[LIGHT_CONE_TEXT];
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        char *other = trace_of_variant(50, copies[i], _i == 1);
        size_t events = 0;
        ck_assert_msg(light_cone_agrees(whole, other, mesh, &changed, 1, &events, why), "%s", why);
        ck_assert_uint_gt(events, 50);
        free(other);
    }
    free(whole);
}
END_TEST

/* Lemma 1 within random: no packet of more than c destinations is left, and deliveries are checked by
 * the router */
START_TEST(test_lemma_1)
{
    for (uint32_t c = 1; c <= 8; c *= 2) {
        struct pattern_options pattern = {.mesh = {13, 11}, .degree = 100, .congestion = c};
        struct message_set set = {0};
        struct failure failure = {0};
        struct router_result *result = calloc(1, sizeof *result);
        ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &pattern, &set, &failure),
                         FAIL_NONE);
        struct router_options options = router_options_default();
        options.parameter[options.parameters++] = (struct router_parameter){"variant", "paper"};
        ck_assert_int_eq(router_run(router_find("random"), &set, &options, result, &failure),
                         FAIL_NONE);
        ck_assert_uint_gt(result->degree, result->congestion);
        ck_assert_str_eq(result->phase[0].name, "rank pieces");
        ck_assert_uint_eq(result->missing, 0);
        message_set_free(&set);
        free(result);
    }
}
END_TEST

Suite *segmented_broadcast_suite(void)
{
    Suite *suite = suite_create("segmented_broadcast");
    TCase *tcase = tcase_create("segments");
    tcase_add_test(tcase, test_segments);
    tcase_add_loop_test(tcase, test_locality, 0, 2);
    tcase_add_test(tcase, test_lemma_1);
    suite_add_tcase(suite, tcase);
    return suite;
}
