/* test_replicate.c - the guarantees of `replicate` on sets that are made against it.
 *
 * Oracle: the capacity, at most c / 2 + 40 and 2 c + 16 (3 more with unit copies), which a run enforces, and the steps
 * that doc/replicate.md promises as measured, sqrt(c n) + 2 m, with unit copies 1.6 times that. With variant=paper the
 * capacity is 6 c + 17, and no attempt is void; the steps are at most 4 sqrt(c n) + 24 m without synchronisation, with
 * unit copies 1.6 times that.
 */
#include "machine/channel.h"
#include "routers/sibling.h"
#include "test/length.h"
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *replicate_suite(void);

/* ---- promises ---- */

static uint32_t promised_capacity(uint32_t congestion, bool copy_is_free, bool is_paper)
{
    uint32_t c = congestion > 0 ? congestion : 1, beside = copy_is_free ? 0 : 3;
    if (is_paper)
        return 6 * c + 17;
    return (c < 16 ? 2 * c + 16 : c / 2 + 40) + beside;
}

static void check_promises(const char *name, struct router_case run, const struct message_set *set)
{
    bool is_paper = run.parameters != NULL && strcmp(run.parameters, "variant=paper") == 0;
    for (int copy = 0; copy < 2; copy++) {
        struct router_result result;
        struct failure failure = {0};
        run.copy_is_free = copy;
        ck_assert_msg(router_case_run(&run, set, NULL, &result, &failure) == FAIL_NONE, "%s: %s",
                      name, failure.text);
        ck_assert_uint_gt(result.buffer_capacity, 0);
        ck_assert_uint_le(result.buffer_capacity,
                          promised_capacity(result.congestion, run.copy_is_free, is_paper));
        ck_assert_uint_le(result.buffer_peak, result.buffer_capacity);
        double root = sqrt((double)result.congestion * mesh_nodes(set->mesh));
        double side = set->mesh.rows > set->mesh.cols ? set->mesh.rows : set->mesh.cols;
        double steps = (double)(result.steps - result.sync_steps);
        double bound = is_paper ? 4 * root + 24 * side : root + 2 * side;
        ck_assert_uint_eq(result.attempts, 0);
        ck_assert_msg(steps <= (run.copy_is_free ? bound : 1.6 * bound),
                      "%s on %" PRIu32 " x %" PRIu32 ", c = %" PRIu32 ": %.0f steps", name,
                      set->mesh.rows, set->mesh.cols, result.congestion, steps);
    }
}

/* all packets of a row of a tile turn at one node: buffers were sqrt(c n) / 4 before there were
 * credits */
START_TEST(turning)
{
    static const struct {
        uint32_t side, congestion;
    } cases[] = {{64, 16}, {96, 64}, {63, 16}, {64, 4}, {40, 1}, {128, 16}, {128, 4}, {256, 4}};
    int count = TEST_IS_SHORT ? 5 : 8;
    for (int i = 0; i < count; i++) {
        struct pattern_options options = {.mesh = {cases[i].side, cases[i].side},
                                          .congestion = cases[i].congestion};
        struct message_set set;
        ck_assert_int_eq(pattern_generate(pattern_find("turning"), &options, &set, NULL),
                         FAIL_NONE);
        check_promises("turning", router_case_make("replicate", NULL), &set);
        message_set_free(&set);
    }
}
END_TEST

/* ---- sets that know where packets rest ---- */

/* Where a message whose seat is the cell (y, x), number k of those there, goes within a tile: to the
 * row row[0] y + row[1] x + row[2] k and the column col[0] x + col[1] y + col[2] k, modulo what there
 * is; apart for the halves of rows, of columns or of both, which then change places. */
struct attack {
    const char *name;
    int row[3], col[3];
    bool halves_rows, halves_cols, mirrors_rows, mirrors_cols;
    bool goes_everywhere; /* to that node of every tile, or of the first one */
};

static const struct attack ATTACKS[] = {
    {"turn", {0, 1, 1}, {0, 1, 0}, false, false, false, false, false},
    {"turn everywhere", {0, 1, 1}, {0, 1, 0}, false, false, false, false, true},
    {"mirror", {1, 0, 0}, {1, 0, 0}, false, false, true, true, true},
    {"mirror in one tile", {1, 0, 0}, {1, 0, 0}, false, false, true, true, false},
    {"quadrants", {1, 0, 0}, {1, 0, 0}, true, true, false, false, true},
    {"quadrants, two columns on", {1, 0, 0}, {2, 0, 3}, true, true, false, false, true},
    {"quadrants mirrored", {1, 2, 1}, {3, -1, -2}, true, true, true, true, true},
    {"halves of columns", {1, 0, 0}, {1, -2, -2}, false, true, true, false, true},
    {"halves of columns, one tile", {1, 0, 0}, {3, 0, 0}, false, true, false, false, false},
    {"transpose", {0, 1, 0}, {0, 1, 0}, false, false, false, false, true},
    {"dealt", {0, 0, 1}, {1, 0, 2}, false, false, false, false, true},
};

enum { ATTACK_COUNT = sizeof ATTACKS / sizeof *ATTACKS };

static uint32_t modulo(const int factor[3], uint32_t a, uint32_t b, uint32_t k, uint32_t size)
{
    int64_t value = (int64_t)factor[0] * a + (int64_t)factor[1] * b + (int64_t)factor[2] * k;
    return (uint32_t)((value % size + size) % size);
}

/* Of cell `at` of `size`, to where `factor` says. */
static uint32_t aim(const int factor[3], bool halves, bool mirrors, const uint32_t at[3],
                    uint32_t size)
{
    uint32_t half = halves && size > 1 ? size / 2 : size;
    uint32_t other = halves && at[0] < half ? size - half : 0;
    uint32_t goal = modulo(factor, at[0] % half, at[1], at[2], half);
    return other + (mirrors ? half - 1 - goal : goal);
}

struct scene {
    const struct attack *attack;
    struct tessellation tiles;
    struct seats seats;
    uint32_t congestion, *received; /* [node] */
    node_index *from, *to;
    uint64_t pairs;
};

static void send(struct scene *scene, node_index source, uint32_t k)
{
    const struct attack *attack = scene->attack;
    const struct axis *row = &scene->tiles.row, *col = &scene->tiles.col;
    node_place seat = seat_of(&scene->seats, place_of(source / col->length, source % col->length));
    uint32_t y = place_row(seat), x = place_col(seat);
    const uint32_t of_row[] = {y, x, k}, of_col[] = {x, y, k};
    uint32_t to_row =
        aim(attack->row, attack->halves_rows, attack->mirrors_rows, of_row, scene->seats.height);
    uint32_t to_col =
        aim(attack->col, attack->halves_cols, attack->mirrors_cols, of_col, scene->seats.width);
    for (uint32_t i = 0; i < (attack->goes_everywhere ? row->intervals : 1); i++)
        for (uint32_t j = 0; j < (attack->goes_everywhere ? col->intervals : 1); j++) {
            node_index node = (row->cut[i] + to_row) * col->length + col->cut[j] + to_col;
            if (scene->received[node] == scene->congestion)
                continue;
            scene->received[node]++;
            scene->from[scene->pairs] = source;
            scene->to[scene->pairs++] = node;
        }
}

/* The tiles that the router takes: as many as fit into its capacity. */
static enum failure_kind cut_tiles(struct scene *scene, struct mesh mesh, uint32_t congestion)
{
    uint64_t tiles = congestion / 4 > 32 ? 32 : congestion / 4;
    for (tiles = tiles > 1 ? tiles : 1; tiles > 1; tiles /= 2) {
        struct tessellation numbers = tessellation_numbers(mesh, tiles);
        struct seats seats = seats_make(&numbers);
        uint32_t channels = machine_channel_capacity(CHANNELS_OF_BOTH, 2, true);
        if (seats_step_1_buffer(&seats, 1) + channels <= promised_capacity(congestion, true, false))
            break;
    }
    return tessellation_make(&scene->tiles, mesh, tiles, NULL);
}

static struct message_set attack_set(const struct attack *attack, struct mesh mesh,
                                     uint32_t congestion)
{
    struct scene scene = {.attack = attack, .congestion = congestion};
    struct message_set set;
    uint32_t nodes = mesh_nodes(mesh);
    ck_assert_int_eq(cut_tiles(&scene, mesh, congestion), FAIL_NONE);
    scene.seats = seats_make(&scene.tiles);
    uint64_t tiles = tessellation_tiles(&scene.tiles), width = scene.seats.width;
    scene.received = calloc(nodes, sizeof *scene.received);
    scene.from = calloc(nodes * tiles, sizeof *scene.from);
    scene.to = calloc(nodes * tiles, sizeof *scene.to);
    uint32_t *seated = calloc(nodes, sizeof *seated); /* at a cell, so far */
    ck_assert(scene.received && scene.from && scene.to && seated);
    for (node_index node = 0; node < nodes; node++) {
        node_place seat = seat_of(&scene.seats, place_of(node / mesh.cols, node % mesh.cols));
        send(&scene, node, seated[place_row(seat) * width + place_col(seat)]++);
    }
    ck_assert_int_eq(
        message_set_from_pairs(&set, shape_of_mesh(mesh), scene.pairs, scene.from, scene.to, NULL),
        FAIL_NONE);
    tessellation_free(&scene.tiles);
    free(scene.received);
    free(scene.from);
    free(scene.to);
    free(seated);
    return set;
}

/* the worst kinds that a search found (doc/replicate.md): within a tile, which Step 1 fills */
START_TEST(attacks)
{
    static const struct {
        struct mesh mesh;
        uint32_t congestion;
    } cases[] = {{{32, 32}, 16}, {{33, 33}, 4},  {{32, 32}, 64}, {{31, 31}, 16},
                 {{21, 40}, 7},  {{64, 64}, 16}, {{63, 63}, 64}, {{96, 96}, 4}};
    int count = TEST_IS_SHORT ? 5 : 8;
    for (int i = 0; i < count; i++) {
        struct message_set set = attack_set(&ATTACKS[_i], cases[i].mesh, cases[i].congestion);
        check_promises(ATTACKS[_i].name, router_case_make("replicate", NULL), &set);
        check_promises(ATTACKS[_i].name, router_case_make("replicate", "variant=paper"), &set);
        message_set_free(&set);
    }
}
END_TEST

/* ---- capacities ---- */

/* c messages for one node. */
static struct message_set hub(struct mesh mesh, uint32_t congestion)
{
    struct message_set set;
    ck_assert_int_eq(message_set_allocate(&set, shape_of_mesh(mesh), congestion, congestion, NULL),
                     FAIL_NONE);
    for (uint32_t i = 0; i < congestion; i++) {
        set.source[i] = i;
        set.offset[i] = i;
        set.destination[i] = mesh_nodes(mesh) / 2;
    }
    return set;
}

/* on every mesh and for every c the plan fits into what is promised, with unit copies too */
START_TEST(every_mesh)
{
    struct router_case run = router_case_make("replicate", NULL);
    uint32_t most = TEST_IS_SHORT ? 9 : 20;
    for (uint32_t rows = 1; rows <= most; rows++)
        for (uint32_t cols = 1; cols <= most; cols++)
            for (uint32_t c = 1; c <= rows * cols; c += 1 + c / 2) {
                struct message_set set = hub((struct mesh){rows, cols}, c);
                check_promises("hub", run, &set);
                message_set_free(&set);
            }
}
END_TEST

/* with any capacity from the least on it lives within it; below it refuses, and names the least */
START_TEST(small_buffers)
{
    struct message_set set = attack_set(&ATTACKS[1], (struct mesh){23, 24}, 16);
    struct router_case run = router_case_make("replicate", NULL);
    for (int copy = 0; copy < 2; copy++) {
        uint32_t least = copy ? 10 : 13;
        char named[32];
        run.copy_is_free = copy;
        snprintf(named, sizeof named, "the least is %" PRIu32, least);
        for (run.buffer = 1; run.buffer <= 60; run.buffer++) {
            struct router_result result;
            struct failure failure = {0};
            enum failure_kind kind = router_case_run(&run, &set, NULL, &result, &failure);
            ck_assert_int_eq(kind, run.buffer < least ? FAIL_USAGE : FAIL_NONE);
            if (kind == FAIL_USAGE)
                ck_assert_ptr_nonnull(strstr(failure.text, named));
            else
                ck_assert_uint_le(result.buffer_peak, run.buffer);
        }
        run.buffer = least;
        router_case_check(&run, &set, NULL);
    }
    message_set_free(&set);
}
END_TEST

/* nothing is drawn at random: the seed changes nothing */
START_TEST(no_seed)
{
    struct message_set set = attack_set(&ATTACKS[5], (struct mesh){31, 29}, 16);
    struct router_case run = router_case_make("replicate", NULL);
    struct router_result first, other;
    char *trace = router_case_trace(&run, &set, &first, NULL);
    for (run.seed = 1; run.seed <= 3; run.seed++) {
        char *again = router_case_trace(&run, &set, &other, NULL);
        ck_assert_str_eq(trace, again);
        free(again);
    }
    free(trace);
    message_set_free(&set);
}
END_TEST

Suite *replicate_suite(void)
{
    Suite *suite = suite_create("replicate");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, turning);
    tcase_add_loop_test(tests, attacks, 0, ATTACK_COUNT);
    tcase_add_test(tests, every_mesh);
    tcase_add_test(tests, small_buffers);
    tcase_add_test(tests, no_seed);
    suite_add_tcase(suite, tests);
    return suite;
}
