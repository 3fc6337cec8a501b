/* test_permute.c - fixed permutations of paired lines, and comparisons along snakes of tiles.
 *
 * Random cases: lines are paired, three instructions follow, the packets walk back. Each case runs
 * with a trace, which the audit replays (so no link carries two packets in a step, and no packet
 * crosses two), and without a trace by one to four threads: the same packets at the same nodes, the
 * same counts and peak. What comes out, and the hops, are those of a plain model of the cells.
 */
#include "base/pcg.h"
#include "machine/plane.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <string.h>

Suite *permute_suite(void);

enum { MOST_SIDE = 48, MOST_NODES = MOST_SIDE * MOST_SIDE, MOST_PATTERNS = 5, ACTS = 3 };
enum { MOST_THREADS = 4 };

struct act {
    bool is_permutation;
    uint32_t target[MOST_PATTERNS * MOST_SIDE], pattern[MOST_SIDE];
    uint32_t segment_cut[MOST_SIDE + 2];
    struct permute permute;
    uint32_t cut[MOST_SIDE + 2], band_cut[MOST_SIDE + 2];
    struct snakes snakes;
};

/* A case, and the cells as the test expects them: the packet of each, MACHINE_NONE for none. */
struct scene {
    struct mesh mesh;
    uint32_t lines, length; /* that are paired */
    uint32_t cut[MOST_SIDE + 2];
    struct lines paired;
    struct act act[ACTS];
    uint32_t key[MOST_NODES];
    bool is_there[MOST_NODES];
    uint32_t cell[MOST_NODES];
    uint64_t hops; /* between the walks */
};

/* ---- drawing a case ---- */

/* Cuts 0 .. length at multiples of `unit`, sometimes with an empty interval at the end. */
static uint32_t draw_cuts(uint32_t *cut, uint32_t length, uint32_t unit, struct pcg32 *random)
{
    uint32_t share = pcg32_below(random, 4), intervals = 0;
    cut[0] = 0;
    for (uint32_t at = unit; at <= length; at += unit)
        if (at == length || pcg32_below(random, 4) < share)
            cut[++intervals] = at;
    if (pcg32_below(random, 4) == 0)
        cut[++intervals] = length;
    return intervals;
}

/* Of the cells start .. end - 1 within themselves. */
static void draw_permutation(uint32_t *target, uint32_t start, uint32_t end, struct pcg32 *random)
{
    for (uint32_t x = start; x < end; x++) {
        uint32_t other = start + pcg32_below(random, x - start + 1);
        target[x] = target[other];
        target[other] = x;
    }
}

/* Segments of even lengths, but for the last of an odd piece. */
static struct permute draw_permute(struct act *act, uint32_t piece, uint32_t lines,
                                   struct pcg32 *random)
{
    uint32_t patterns = 1 + pcg32_below(random, MOST_PATTERNS);
    uint32_t segments = draw_cuts(act->segment_cut, piece - piece % 2, 2, random);
    act->segment_cut[segments] = piece;
    for (uint32_t p = 0; p < patterns; p++)
        for (uint32_t s = 0; s < segments; s++)
            draw_permutation(act->target + p * piece, act->segment_cut[s], act->segment_cut[s + 1],
                             random);
    for (uint32_t line = 0; line < lines; line++)
        act->pattern[line] = pcg32_below(random, patterns);
    return (struct permute){segments,    act->segment_cut, patterns,
                            act->target, act->pattern,     piece / 2};
}

/* Snakes stay within paired segments; an odd piece, which is all of a line, has none. */
static void draw_act(const struct scene *scene, struct act *act, uint32_t piece,
                     struct pcg32 *random)
{
    act->is_permutation = piece % 2 == 1 || pcg32_below(random, 2);
    act->permute = draw_permute(act, piece, scene->lines, random);
    act->snakes.lines = scene->paired;
    if (scene->paired.segments == 1 && piece % 2 == 0) {
        act->snakes.lines.cut = act->cut;
        act->snakes.lines.segments = draw_cuts(act->cut, scene->length, 2, random);
    }
    act->snakes.bands = draw_cuts(act->band_cut, scene->lines, 1, random);
    act->snakes.band_cut = act->band_cut;
    act->snakes.steps = pcg32_below(random, 26);
}

static void draw(struct scene *scene, uint32_t load, struct pcg32 *random)
{
    memset(scene, 0, sizeof *scene);
    uint32_t piece = 2 * (1 + pcg32_below(random, 8)), pieces = 1 + pcg32_below(random, 3);
    bool is_whole = pcg32_below(random, 2);
    if (pieces == 1)
        piece += pcg32_below(random, 2);
    scene->length = piece * pieces;
    scene->lines = 1 + pcg32_below(random, MOST_SIDE);
    scene->paired = (struct lines){pcg32_below(random, 2), is_whole ? 1 : pieces, scene->cut};
    for (uint32_t s = 1; s <= scene->paired.segments; s++)
        scene->cut[s] = is_whole ? scene->length : s * piece;
    scene->mesh = scene->paired.are_columns ? (struct mesh){scene->length, scene->lines}
                                            : (struct mesh){scene->lines, scene->length};
    for (int i = 0; i < ACTS; i++)
        draw_act(scene, &scene->act[i], piece, random);
    uint32_t keys = 1 + pcg32_below(random, 50);
    for (node_index node = 0; node < mesh_nodes(scene->mesh); node++) {
        scene->key[node] = pcg32_below(random, keys);
        scene->is_there[node] = pcg32_below(random, 100) < load;
    }
}

/* ---- the oracle ---- */

static uint32_t *cell_at(struct scene *scene, uint32_t line, uint32_t at)
{
    return &scene->cell[scene->paired.are_columns ? at * scene->mesh.cols + line
                                                  : line * scene->mesh.cols + at];
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t c = *a;
    *a = *b;
    *b = c;
}

static bool comes_before(const struct scene *scene, uint32_t a, uint32_t b)
{
    if (a == MACHINE_NONE || b == MACHINE_NONE)
        return a != MACHINE_NONE;
    return scene->key[a] != scene->key[b] ? scene->key[a] < scene->key[b] : a < b;
}

/* A packet crosses a link where it changes cells in every second round. */
static void expect_permuted(struct scene *scene, const struct permute *permute)
{
    uint32_t length = permute->cut[permute->segments];
    for (uint32_t line = 0; line < scene->lines; line++)
        for (uint32_t start = 0; start < scene->length; start += length) {
            uint32_t target[MOST_SIDE];
            memcpy(target, permute->target + permute->pattern[line] * length,
                   length * sizeof *target);
            for (uint32_t round = 0; round <= 2 * permute->steps; round++)
                for (uint32_t x = round % 2; x + 1 < length; x += 2) {
                    uint32_t *a = cell_at(scene, line, start + x);
                    uint32_t *b = cell_at(scene, line, start + x + 1);
                    if (target[x] < target[x + 1])
                        continue;
                    scene->hops +=
                        round % 2 * ((*a != MACHINE_NONE) + (uint64_t)(*b != MACHINE_NONE));
                    swap(&target[x], &target[x + 1]);
                    swap(a, b);
                }
        }
}

/* The cell with number i along the snake of a tile. */
static uint32_t *snake_at(struct scene *scene, const struct snakes *snakes, uint32_t band,
                          uint32_t segment, uint32_t i)
{
    uint32_t start = snakes->lines.cut[segment], width = snakes->lines.cut[segment + 1] - start;
    uint32_t x = i % width, row = i / width;
    return cell_at(scene, snakes->band_cut[band] + row, start + (row % 2 == 0 ? x : width - 1 - x));
}

static void expect_snakes(struct scene *scene, const struct snakes *snakes)
{
    for (uint32_t band = 0; band < snakes->bands; band++)
        for (uint32_t s = 0; s < snakes->lines.segments; s++) {
            uint32_t cells = (snakes->band_cut[band + 1] - snakes->band_cut[band]) *
                             (snakes->lines.cut[s + 1] - snakes->lines.cut[s]);
            for (uint32_t round = 0; round <= 2 * snakes->steps; round++)
                for (uint32_t i = round % 2; i + 1 < cells; i += 2) {
                    uint32_t *a = snake_at(scene, snakes, band, s, i);
                    uint32_t *b = snake_at(scene, snakes, band, s, i + 1);
                    scene->hops += 2 * (round % 2);
                    if (*a != *b && comes_before(scene, *b, *a))
                        swap(a, b);
                }
        }
}

static void expect(struct scene *scene)
{
    for (node_index node = 0; node < mesh_nodes(scene->mesh); node++)
        scene->cell[node] = scene->is_there[node] ? node : MACHINE_NONE;
    for (int i = 0; i < ACTS; i++)
        if (scene->act[i].is_permutation)
            expect_permuted(scene, &scene->act[i].permute);
        else
            expect_snakes(scene, &scene->act[i].snakes);
}

/* ---- runs ---- */

static enum failure_kind instruct(struct machine *machine, const struct scene *scene,
                                  struct failure *failure)
{
    machine_begin_phase(machine, "one");
    ck_assert_int_eq(machine_open_plane(machine, NULL, NULL, failure), FAIL_NONE);
    enum failure_kind kind = machine_pair(machine, &scene->paired, failure);
    uint64_t steps = machine_counts(machine)->steps, hops = 0, before = 0;
    before = machine_counts(machine)->packet_hops + machine_counts(machine)->word_hops;
    for (int i = 0; i < ACTS && kind == FAIL_NONE; i++) {
        const struct act *act = &scene->act[i];
        kind = act->is_permutation ? machine_permute(machine, &act->permute, failure)
                                   : machine_compare_snakes(machine, &act->snakes, failure);
        steps += act->is_permutation ? act->permute.steps : act->snakes.steps;
    }
    if (kind == FAIL_NONE) {
        hops = machine_counts(machine)->packet_hops + machine_counts(machine)->word_hops - before;
        ck_assert_uint_eq(machine_counts(machine)->steps, steps);
        ck_assert_uint_eq(hops, scene->hops);
        kind = machine_unpair(machine, failure);
    }
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
    struct machine_config config = {.slots = mesh_nodes(scene->mesh), .buffer = 2};
    expect(scene);
    run_start(&run, scene->mesh.rows, scene->mesh.cols, config);
    act(run.machine, scene);
    run_audit(&run);
    for (node_index node = 0; node < mesh_nodes(scene->mesh); node++)
        ck_assert(machine_first_resting(run.machine, node) == scene->cell[node]);
    config.mesh = scene->mesh;
    run_check_threads(run.machine, config, act, scene);
    run_end(&run);
}

/* packets, links and steps as expected; the same observed or not, by any number of threads */
START_TEST(cases)
{
    static const uint32_t loads[] = {100, 100, 60, 5, 0};
    static struct scene scene;
    struct pcg32 random = pcg32_seed(1, 38);
    for (uint32_t i = 0; i < 300; i++) {
        draw(&scene, loads[i % (sizeof loads / sizeof *loads)], &random);
        check_scene(&scene);
    }
}
END_TEST

/* a buffer of 1 overflows in the first step in which two packets are at a node, and all rest */
START_TEST(capacity)
{
    static struct scene scene;
    struct pcg32 random = pcg32_seed(2, 38);
    for (uint32_t i = 0; i < 20; i++) {
        draw(&scene, 100, &random);
        struct machine_config config = {
            .mesh = scene.mesh, .slots = mesh_nodes(scene.mesh), .buffer = 1, .threads = 1};
        struct failure failure = {0};
        struct machine *machine = machine_create(&config, &failure);
        uint32_t resting = 0;
        ck_assert_ptr_nonnull(machine);
        run_inject_keys(machine, scene.key, scene.is_there);
        bool walks = machine_pair_steps(&scene.paired) > 0;
        ck_assert_int_eq(instruct(machine, &scene, &failure) == FAIL_CHECK, walks);
        for (node_index node = 0; node < mesh_nodes(scene.mesh); node++)
            for (uint32_t p = machine_first_resting(machine, node); p != MACHINE_NONE;
                 p = machine_next_resting(machine, p))
                resting++;
        ck_assert_uint_eq(resting, mesh_nodes(scene.mesh));
        machine_free(machine);
    }
}
END_TEST

Suite *permute_suite(void)
{
    Suite *suite = suite_create("permute");
    TCase *tests = tcase_create("permute");
    tcase_add_test(tests, cases);
    tcase_add_test(tests, capacity);
    suite_add_tcase(suite, tests);
    return suite;
}
