/* test_pair.c - paired lines: the walk in and out, comparisons and rotations of cells between them.
 *
 * Random cases: the lines of a mesh, cut into segments, some of them empty, are paired; then three
 * instructions along or across them run; in half of the cases the packets walk back. Each case
 * runs with a trace, which the audit replays (so no link carries two packets in a step, and no
 * packet crosses two), and without a trace by one to four threads: the same packets at the same
 * nodes, the same counts and peak. What comes out is compared with the cells of a plain model.
 */
#include "base/pcg.h"
#include "machine/plane.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *pair_suite(void);

enum { MOST_SIDE = 40, MOST_NODES = MOST_SIDE * MOST_SIDE, MOST_CUTS = MOST_SIDE + 4, ACTS = 3 };
enum { MOST_THREADS = 4 };

/* An instruction while lines are paired. */
struct act {
    bool rotates;
    uint32_t cut[MOST_CUTS];
    uint8_t line_flag[MOST_SIDE], segment_flag[MOST_CUTS], odd[MOST_CUTS];
    uint32_t shift[MOST_SIDE][MOST_CUTS];
    struct compare compare;
    struct rotate rotate;
};

/* A case, and the cells as the test expects them: the packet of each, MACHINE_NONE for none. */
struct scene {
    struct mesh mesh;
    uint32_t lines, length; /* that are paired */
    uint32_t cut[MOST_CUTS];
    struct lines paired;
    struct act act[ACTS];
    bool unpairs;
    uint32_t key[MOST_NODES];
    bool is_there[MOST_NODES];
    uint32_t cell[MOST_NODES];
    uint64_t steps, hops;
};

/* ---- drawing a case ---- */

static uint32_t shift_of(void *context, uint32_t line, uint32_t segment)
{
    return ((struct act *)context)->shift[line][segment];
}

/* Cuts a line at random; all cuts of `outer`, unless NULL, are among them. */
static uint32_t draw_cuts(uint32_t *cut, uint32_t length, const struct lines *outer,
                          struct pcg32 *random)
{
    uint32_t share = pcg32_below(random, 6), segments = 0;
    cut[0] = 0;
    for (uint32_t at = 1; at <= length; at++) {
        bool is_cut = at == length || pcg32_below(random, 12) < share;
        for (uint32_t s = 0; outer != NULL && s <= outer->segments; s++)
            is_cut = is_cut || outer->cut[s] == at;
        if (is_cut)
            cut[++segments] = at;
    }
    if (pcg32_below(random, 4) == 0) { /* an empty segment at the end */
        cut[segments + 1] = cut[segments];
        segments++;
    }
    return segments;
}

static void draw_act(struct scene *scene, struct act *act, struct pcg32 *random)
{
    struct compare *compare = &act->compare;
    bool is_along = pcg32_below(random, 3) > 0;
    bool are_columns = is_along == scene->paired.are_columns;
    uint32_t length = is_along ? scene->length : scene->lines;
    act->rotates = is_along && pcg32_below(random, 2);
    uint32_t segments = draw_cuts(act->cut, length, is_along ? &scene->paired : NULL, random);
    compare->lines = act->rotate.lines = (struct lines){are_columns, segments, act->cut};
    for (uint32_t i = 0; i < MOST_SIDE; i++)
        act->line_flag[i] = (uint8_t)pcg32_below(random, 2);
    for (uint32_t s = 0; s < segments; s++) {
        uint32_t nodes = act->cut[s + 1] - act->cut[s];
        act->segment_flag[s] = (uint8_t)pcg32_below(random, 2);
        act->odd[s] = (uint8_t)pcg32_below(random, 2);
        for (uint32_t line = 0; line < MOST_SIDE; line++)
            act->shift[line][s] = nodes == 0 ? 0 : pcg32_below(random, nodes);
    }
    compare->line_flag = pcg32_below(random, 3) > 0 ? act->line_flag : NULL;
    compare->segment_flag = pcg32_below(random, 3) > 0 ? act->segment_flag : NULL;
    compare->odd = !is_along && pcg32_below(random, 2) > 0 ? act->odd : NULL;
    compare->steps = pcg32_below(random, 3) == 0 ? pcg32_below(random, 3) : pcg32_below(random, 24);
    act->rotate.context = act;
    act->rotate.shift = shift_of;
}

static void draw(struct scene *scene, uint32_t load, struct pcg32 *random)
{
    memset(scene, 0, sizeof *scene);
    scene->mesh =
        (struct mesh){1 + pcg32_below(random, MOST_SIDE), 1 + pcg32_below(random, MOST_SIDE)};
    scene->paired.are_columns = pcg32_below(random, 2);
    scene->lines = scene->paired.are_columns ? scene->mesh.cols : scene->mesh.rows;
    scene->length = scene->paired.are_columns ? scene->mesh.rows : scene->mesh.cols;
    scene->paired.segments = draw_cuts(scene->cut, scene->length, NULL, random);
    scene->paired.cut = scene->cut;
    for (int i = 0; i < ACTS; i++)
        draw_act(scene, &scene->act[i], random);
    scene->unpairs = pcg32_below(random, 2);
    uint32_t keys = 1 + pcg32_below(random, 50);
    for (node_index node = 0; node < mesh_nodes(scene->mesh); node++) {
        scene->key[node] = pcg32_below(random, keys);
        scene->is_there[node] = pcg32_below(random, 100) < load;
    }
}

/* ---- the oracle ---- */

/* The index of the node, or cell, at a position of a line in the direction of the paired ones. */
static node_index index_of(const struct scene *scene, uint32_t line, uint32_t at)
{
    return scene->paired.are_columns ? at * scene->mesh.cols + line : line * scene->mesh.cols + at;
}

/* The start of the paired segment that holds a position. */
static uint32_t start_of(const struct scene *scene, uint32_t at, uint32_t *length)
{
    uint32_t s = 0;
    while (scene->cut[s + 1] <= at)
        s++;
    *length = scene->cut[s + 1] - scene->cut[s];
    return scene->cut[s];
}

static bool is_second(const struct scene *scene, uint32_t at)
{
    uint32_t length;
    return (at - start_of(scene, at, &length)) % 2 == 1;
}

/* The position of a cell's node while lines are paired. */
static uint32_t home_of(const struct scene *scene, uint32_t at)
{
    uint32_t length, start = start_of(scene, at, &length);
    return start + length / 2 / 2 + (at - start) / 2;
}

static void expect_walk(struct scene *scene)
{
    uint32_t most = 0;
    for (uint32_t at = 0; at < scene->length; at++) {
        uint32_t home = home_of(scene, at), links = home > at ? home - at : at - home;
        most = links > most ? links : most;
        for (uint32_t line = 0; line < scene->lines; line++)
            scene->hops += scene->cell[index_of(scene, line, at)] != MACHINE_NONE ? links : 0;
    }
    ck_assert_uint_eq(machine_pair_steps(&scene->paired), most);
    scene->steps += most;
}

static bool comes_before(const struct scene *scene, uint32_t a, uint32_t b)
{
    if (a == MACHINE_NONE || b == MACHINE_NONE)
        return a != MACHINE_NONE;
    return scene->key[a] != scene->key[b] ? scene->key[a] < scene->key[b] : a < b;
}

/* Compares position x of a line of the act with the next one. */
static void expect_pair(struct scene *scene, const struct act *act, uint32_t line, uint32_t x,
                        uint32_t segment)
{
    const struct compare *compare = &act->compare;
    bool is_along = compare->lines.are_columns == scene->paired.are_columns;
    uint32_t *a = &scene->cell[is_along ? index_of(scene, line, x) : index_of(scene, x, line)];
    uint32_t *b =
        &scene->cell[is_along ? index_of(scene, line, x + 1) : index_of(scene, x + 1, line)];
    bool descends = compare->line_flag != NULL && compare->line_flag[line];
    descends ^= compare->segment_flag != NULL && compare->segment_flag[segment];
    scene->hops += is_along && !is_second(scene, x) ? 0 : 2;
    if (*a != *b && comes_before(scene, *a, *b) == descends) {
        uint32_t c = *a;
        *a = *b;
        *b = c;
    }
}

static void expect_compared(struct scene *scene, const struct act *act)
{
    const struct compare *compare = &act->compare;
    bool is_along = compare->lines.are_columns == scene->paired.are_columns;
    uint32_t rounds = is_along ? 2 * compare->steps + 1 : compare->steps;
    uint32_t lines = is_along ? scene->lines : scene->length;
    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t line = 0; line < lines; line++)
            for (uint32_t s = 0; s < compare->lines.segments; s++)
                for (uint32_t x = act->cut[s]; x + 1 < act->cut[s + 1]; x++) {
                    uint32_t odd = compare->odd != NULL ? compare->odd[s] : 0;
                    uint32_t turn = is_along
                                        ? round + is_second(scene, x)
                                        : round + odd + x - act->cut[s] + is_second(scene, line);
                    if (turn % 2 == 0)
                        expect_pair(scene, act, line, x, s);
                }
    scene->steps += compare->steps;
}

/* The links that a packet crosses from one cell of a line to another. */
static uint32_t links_between(const struct scene *scene, uint32_t from, uint32_t to)
{
    uint32_t a = home_of(scene, from), b = home_of(scene, to);
    return a > b ? a - b : b - a;
}

static void expect_rotated(struct scene *scene, const struct act *act)
{
    static uint32_t before[MOST_NODES];
    uint32_t most = 0;
    memcpy(before, scene->cell, sizeof before);
    for (uint32_t line = 0; line < scene->lines; line++)
        for (uint32_t s = 0; s < act->rotate.lines.segments; s++) {
            uint32_t start = act->cut[s], length = act->cut[s + 1] - start;
            uint32_t shift = act->shift[line][s], back = shift > 0 ? length - shift : 0;
            most = shift > most ? shift : most;
            most = back > most ? back : most;
            for (uint32_t x = 0; x < length; x++) {
                uint32_t from = start + x, to = start + (x + shift) % length;
                uint32_t packet = before[index_of(scene, line, from)];
                scene->cell[index_of(scene, line, to)] = packet;
                scene->hops += packet != MACHINE_NONE ? links_between(scene, from, to) : 0;
            }
        }
    scene->steps += most;
}

static void expect(struct scene *scene)
{
    for (node_index node = 0; node < mesh_nodes(scene->mesh); node++)
        scene->cell[node] = scene->is_there[node] ? node : MACHINE_NONE;
    expect_walk(scene);
    for (int i = 0; i < ACTS; i++)
        (scene->act[i].rotates ? expect_rotated : expect_compared)(scene, &scene->act[i]);
    if (scene->unpairs)
        expect_walk(scene);
}

/* Whether `packet` rests at `node`. */
static bool rests_at(const struct machine *machine, uint32_t packet, node_index node)
{
    uint32_t at = machine_first_resting(machine, node);
    while (at != MACHINE_NONE && at != packet)
        at = machine_next_resting(machine, at);
    return at == packet;
}

static void check_result(const struct machine *machine, const struct scene *scene)
{
    const struct machine_counts *counts = machine_counts(machine);
    ck_assert_uint_eq(counts->steps, scene->steps);
    ck_assert_uint_eq(counts->packet_hops + counts->word_hops, scene->hops);
    for (uint32_t line = 0; line < scene->lines; line++)
        for (uint32_t at = 0; at < scene->length; at++) {
            uint32_t packet = scene->cell[index_of(scene, line, at)];
            uint32_t home = scene->unpairs ? at : home_of(scene, at);
            if (packet != MACHINE_NONE)
                ck_assert(rests_at(machine, packet, index_of(scene, line, home)));
        }
}

/* ---- runs ---- */

static enum failure_kind instruct(struct machine *machine, const struct scene *scene,
                                  struct failure *failure)
{
    machine_begin_phase(machine, "pair");
    ck_assert_int_eq(machine_open_plane(machine, NULL, NULL, failure), FAIL_NONE);
    enum failure_kind kind = machine_pair(machine, &scene->paired, failure);
    machine_begin_phase(machine, "act");
    for (int i = 0; i < ACTS && kind == FAIL_NONE; i++)
        kind = scene->act[i].rotates ? machine_rotate(machine, &scene->act[i].rotate, failure)
                                     : machine_compare(machine, &scene->act[i].compare, failure);
    machine_begin_phase(machine, "unpair");
    if (kind == FAIL_NONE && scene->unpairs)
        kind = machine_unpair(machine, failure);
    machine_close_plane(machine, NULL);
    return kind;
}

static void act(struct machine *machine, const void *of_test)
{
    const struct scene *scene = of_test;
    run_inject_keys(machine, scene->key, scene->is_there);
    ck_assert_int_eq(instruct(machine, scene, NULL), FAIL_NONE);
}

static void check_scene(struct scene *scene)
{
    struct machine_run run;
    struct machine_config config = {.slots = mesh_nodes(scene->mesh)};
    expect(scene);
    run_start(&run, scene->mesh.rows, scene->mesh.cols, config);
    act(run.machine, scene);
    run_audit(&run);
    check_result(run.machine, scene);
    config.mesh = scene->mesh;
    run_check_threads(run.machine, config, act, scene);
    run_end(&run);
}

/* walks, comparisons and rotations of cells: packets, links and steps as expected; the same
 * by any number of threads */
START_TEST(paired_cases)
{
    static const uint32_t loads[] = {100, 100, 60, 5, 0};
    static struct scene scene;
    struct pcg32 random = pcg32_seed(1, 35);
    for (uint32_t i = 0; i < 400; i++) {
        draw(&scene, loads[i % (sizeof loads / sizeof *loads)], &random);
        check_scene(&scene);
    }
}
END_TEST

/* lines longer than a sweep is deep, and more of them than lanes, as one segment */
START_TEST(long_lines)
{
    static struct scene scene;
    struct pcg32 random = pcg32_seed(2, 35);
    for (uint32_t i = 0; i < 30; i++) {
        draw(&scene, i % 3 == 0 ? 80 : 100, &random);
        scene.paired.segments = 1;
        scene.cut[1] = scene.length;
        for (int a = 0; a < ACTS; a++) {
            struct act *act = &scene.act[a];
            bool is_along = act->compare.lines.are_columns == scene.paired.are_columns;
            act->compare.lines.segments = act->rotate.lines.segments = 1;
            act->cut[1] = is_along ? scene.length : scene.lines;
            act->compare.steps = act->cut[1];
            for (uint32_t line = 0; line < MOST_SIDE; line++)
                act->shift[line][0] = pcg32_below(&random, act->cut[1]);
        }
        check_scene(&scene);
    }
}
END_TEST

/* the walk of all packets of a line: two at the nodes of its middle half, none elsewhere, and all
 * back at home afterwards; for every length */
START_TEST(walk)
{
    for (uint32_t length = 1; length <= MOST_SIDE; length++)
        for (uint32_t unpairs = 0; unpairs < 2; unpairs++) {
            struct lines line = {false, 1, (const uint32_t[]){0, length}};
            struct machine_run run;
            uint32_t key[MOST_SIDE] = {0}, used = 0;
            bool is_there[MOST_SIDE];
            memset(is_there, true, sizeof is_there);
            run_start(&run, 1, length, (struct machine_config){.slots = length, .buffer = 2});
            run_inject_keys(run.machine, key, is_there);
            machine_begin_phase(run.machine, "walk");
            ck_assert_int_eq(machine_open_plane(run.machine, NULL, NULL, NULL), FAIL_NONE);
            ck_assert_int_eq(machine_pair(run.machine, &line, NULL), FAIL_NONE);
            if (unpairs == 1)
                ck_assert_int_eq(machine_unpair(run.machine, NULL), FAIL_NONE);
            machine_close_plane(run.machine, NULL);
            for (node_index node = 0; node < length; node++) {
                used += machine_first_resting(run.machine, node) != MACHINE_NONE;
                ck_assert(unpairs == 0 || rests_at(run.machine, node, node));
            }
            ck_assert_uint_eq(used, unpairs == 1 ? length : (length + 1) / 2);
            ck_assert_uint_eq(machine_counts(run.machine)->steps,
                              (1 + unpairs) * (uint64_t)((length / 2 + 1) / 2));
            run_audit(&run);
            run_end(&run);
        }
}
END_TEST

Suite *pair_suite(void)
{
    Suite *suite = suite_create("pair");
    TCase *tests = tcase_create("pair");
    tcase_add_test(tests, paired_cases);
    tcase_add_test(tests, long_lines);
    tcase_add_test(tests, walk);
    suite_add_tcase(suite, tests);
    return suite;
}
