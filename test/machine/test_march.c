/* test_march.c - tours of blocks where nobody watches, which march, beside the plain way through the
 * same tour, which is taken where somebody does: both must count and deliver the same.
 */
#include "base/pcg.h"
#include "machine/march.h"
#include "routers/block_tour.h"
#include "test/length.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <string.h>

Suite *march_suite(void);

enum { IS_ASIDE = 2, MOST_NODES = 4096, MOST_DESTINATIONS = 6 };

static void look_away(void *context, uint64_t step, const struct machine_event *event, size_t count)
{
    (void)context, (void)step, (void)event, (void)count;
}

static void no_phase(void *context, uint64_t step, const char *name)
{
    (void)context, (void)step, (void)name;
}

/* The same tour twice: watched, and not. */
struct both {
    struct mesh mesh;
    struct tessellation blocks;
    struct block_tour tour;
    struct machine_run run[2];
    enum failure_kind kind[2];
    struct failure failure[2];
};

struct plan {
    uint32_t threads, buffer, aside; /* aside: the most packets of a node that do not tour */
    uint32_t load;                   /* per cent of the nodes have a packet that does */
    bool copy_is_free, some_are_held;
    uint64_t seed;
};

static void start(struct both *both, struct mesh mesh, uint32_t blocks, const struct plan *plan)
{
    static const struct machine_observer observer = {.events = look_away, .phase = no_phase};
    *both = (struct both){.mesh = mesh};
    ck_assert_int_eq(tessellation_make(&both->blocks, mesh, blocks, NULL), FAIL_NONE);
    ck_assert_int_eq(block_tour_make(&both->tour, &both->blocks, NULL), FAIL_NONE);
    for (int i = 0; i < 2; i++) {
        struct machine_config config = {.mesh = mesh,
                                        .slots =
                                            mesh_nodes(mesh) * (MOST_DESTINATIONS + plan->aside),
                                        .threads = plan->threads,
                                        .buffer = plan->buffer,
                                        .copy_is_free = plan->copy_is_free,
                                        .observer = i == 0 ? &observer : NULL,
                                        .kernel = "test"};
        both->run[i] = (struct machine_run){.machine = machine_create(&config, NULL)};
        ck_assert_ptr_nonnull(both->run[i].machine);
    }
}

static void end(struct both *both)
{
    machine_free(both->run[0].machine);
    machine_free(both->run[1].machine);
    block_tour_free(&both->tour);
    tessellation_free(&both->blocks);
}

/* Up to MOST_DESTINATIONS nodes of the block of `node`, each once. */
static uint32_t choose(const struct both *both, node_index node, node_index *chosen,
                       struct pcg32 *random)
{
    const uint32_t *row = both->blocks.row.cut + both->blocks.row.tile[node / both->mesh.cols];
    const uint32_t *col = both->blocks.col.cut + both->blocks.col.tile[node % both->mesh.cols];
    uint32_t width = col[1] - col[0], length = (row[1] - row[0]) * width;
    uint32_t count =
        1 + pcg32_below(random, length < MOST_DESTINATIONS ? length : MOST_DESTINATIONS);
    uint32_t at = pcg32_below(random, length), room = length / count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = (at + i * room + pcg32_below(random, room)) % length;
        chosen[i] = (row[0] + place / width) * both->mesh.cols + col[0] + place % width;
    }
    return count;
}

static bool inject(struct both *both, node_index node, uint32_t count, const node_index *to,
                   bool is_aside)
{
    bool fits = true;
    for (int i = 0; i < 2; i++) {
        struct headers *header = machine_headers(both->run[i].machine);
        uint32_t slot = both->run[i].slots;
        fits &= run_inject(&both->run[i], node, count, to, false, NULL) != MACHINE_NONE;
        header->packet[slot + count - 1].state = is_aside ? IS_ASIDE : 0;
    }
    return fits;
}

static bool inject_all(struct both *both, const struct plan *plan)
{
    struct pcg32 random = pcg32_seed(plan->seed, 77);
    bool fits = true;
    for (node_index node = 0; node < mesh_nodes(both->mesh) && fits; node++) {
        node_index to[MOST_DESTINATIONS], elsewhere = node == 0 ? mesh_nodes(both->mesh) - 1 : 0;
        if (pcg32_below(&random, 100) < plan->load)
            fits = inject(both, node, choose(both, node, to, &random), to, false);
        for (uint32_t i = pcg32_below(&random, 4 * plan->aside + 1); fits && i-- > 3 * plan->aside;)
            fits = inject(both, node, 1, &elsewhere, true);
    }
    return fits;
}

static bool stays(void *context, uint32_t packet)
{
    return ((const struct headers *)context)->packet[packet].state == IS_ASIDE;
}

static bool is_held(void *context, struct site site, uint32_t slot)
{
    return pcg32_at(*(const uint64_t *)context, site.index, slot) % 3 == 0;
}

static void tour(struct both *both, const struct plan *plan)
{
    uint64_t seed = plan->seed;
    if (plan->some_are_held) {
        both->tour.is_held = is_held;
        both->tour.context = &seed;
    }
    for (int i = 0; i < 2; i++) {
        struct machine *machine = both->run[i].machine;
        machine_begin_phase(machine, "tour");
        ck_assert_int_eq(machine_set_aside(machine, stays, machine_headers(machine), NULL),
                         FAIL_NONE);
        both->kind[i] = block_tour_run(machine, &both->tour, 0, &both->failure[i]);
        ck_assert(both->kind[i] != FAIL_NONE || machine_resting(machine) == 0);
        machine_take_back(machine);
    }
    ck_assert_int_eq(both->kind[0], both->kind[1]);
    ck_assert_str_eq(both->failure[0].text, both->failure[1].text);
}

static void check_same(const struct both *both)
{
    struct machine *plain = both->run[0].machine, *fast = both->run[1].machine;
    const struct machine_counts *a = machine_counts(plain), *b = machine_counts(fast);
    if (both->kind[0] == FAIL_NONE)
        run_check_same(plain, fast); /* the nodes of a run that failed are as they were */
    ck_assert_uint_eq(a->steps, b->steps);
    ck_assert_uint_eq(a->packet_hops, b->packet_hops);
    ck_assert_uint_eq(a->copies, b->copies);
    ck_assert_uint_eq(a->delivered, b->delivered);
    ck_assert_uint_eq(a->peak, b->peak);
    ck_assert_uint_eq(a->peak_node, b->peak_node);
    ck_assert_uint_eq(a->peak_step, b->peak_step);
    ck_assert_uint_eq(machine_phase(plain, 0)->steps, machine_phase(fast, 0)->steps);
    ck_assert_uint_eq(machine_doubled(plain), machine_doubled(fast));
    ck_assert_uint_eq(machine_own_peak(plain), machine_own_peak(fast));
    for (uint32_t slot = 0; slot < both->run[0].slots; slot++)
        ck_assert_uint_eq(machine_delivered_at(plain, slot), machine_delivered_at(fast, slot));
}

/* Gives whether the buffers overflowed. */
static bool check_tour(struct mesh mesh, uint32_t blocks, const struct plan *plan)
{
    struct both both;
    start(&both, mesh, blocks, plan);
    if (inject_all(&both, plan)) {
        ck_assert(!machine_may_march(both.run[0].machine, 1));
        ck_assert(machine_may_march(both.run[1].machine, 1));
        tour(&both, plan);
        check_same(&both);
    }
    end(&both);
    return both.kind[0] == FAIL_CHECK;
}

static const struct mesh MESHES[] = {{16, 16}, {12, 20}, {9, 30}, {3, 40},
                                     {2, 9},   {1, 16},  {16, 1}, {10, 14}};
enum { MESH_COUNT = sizeof MESHES / sizeof *MESHES };

/* tours of blocks of one size and of several, of one node and of more than 64, with packets at all
 * nodes and at few, that deliver and that drop destinations, beside packets that stay */
START_TEST(as_if_watched)
{
    struct mesh mesh = MESHES[_i];
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 6 : 12); i++) {
        struct plan plan = {.threads = 1 + i % 3,
                            .aside = i / 2 % 4,
                            .load = i % 5 == 0 ? 100 : 1 + i * 17 % 90,
                            .copy_is_free = i % 2,
                            .some_are_held = i / 4 % 3 == 0,
                            .seed = i};
        for (uint32_t blocks = 1; blocks <= mesh_nodes(mesh); blocks *= i % 2 ? 8 : 4)
            check_tour(mesh, blocks, &plan);
    }
}
END_TEST

/* a capacity that packets on their tour exceed: the same step, node and counts */
START_TEST(overflows)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < 24; i++) {
        struct plan plan = {.threads = 1 + i % 3,
                            .buffer = 2 + i % 2,
                            .aside = 2 + i % 2,
                            .load = 2,
                            .copy_is_free = i / 2 % 2,
                            .seed = 1000 + i / 2};
        failed += check_tour(MESHES[i % 2], 1 + i % 6, &plan);
    }
    ck_assert_uint_ge(failed, 6);
}
END_TEST

/* the march of an attempt: not where steps are too few or nodes discard */
START_TEST(attempts)
{
    static const struct {
        uint64_t budget;
        uint32_t buffer;
        bool may;
    } cases[] = {{0, 0, true}, {12, 0, true}, {11, 0, false}, {100, 5, false}, {0, 5, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine_attempt attempt = {.budget = cases[i].budget,
                                          .discards = cases[i].budget == 100};
        struct machine_config config = {.mesh = {4, 4},
                                        .slots = 1,
                                        .threads = 1,
                                        .buffer = cases[i].buffer,
                                        .attempt = &attempt,
                                        .kernel = "test"};
        struct machine *machine = machine_create(&config, NULL);
        ck_assert_ptr_nonnull(machine);
        ck_assert(machine_may_march(machine, 5) == cases[i].may);
        machine_free(machine);
    }
}
END_TEST

/* ---- a march of its own: around the four nodes of a 2 x 2 mesh ---- */

static struct march_cycle the_square(void *context, uint32_t cycle)
{
    (void)context, (void)cycle;
    return (struct march_cycle){place_of(0, 0), 4};
}

static node_place around(void *context, node_place place)
{
    (void)context;
    uint32_t row = place_row(place), col = place_col(place);
    return place_of(col, 1 - row);
}

static uint32_t after_three(void *context, node_place place, uint32_t packet)
{
    (void)context, (void)place, (void)packet;
    return 3;
}

static unsigned park(void *context, struct site site, uint32_t packet)
{
    (void)site, (void)packet;
    ++*(uint32_t *)context;
    return PART_PARK;
}

/* packets that nothing ends: after h hops they rest h nodes on, and were asked every third hop */
START_TEST(packets_that_stay)
{
    static const node_index ring[] = {0, 1, 3, 2};
    for (uint32_t hops = 0; hops < 9; hops++) {
        uint32_t asked = 0;
        struct machine_config config = {
            .mesh = {2, 2}, .slots = 2, .threads = 1, .copy_is_free = hops % 2, .kernel = "test"};
        struct march march = {&asked, 1, the_square, around, after_three, park, NULL};
        struct machine *machine = machine_create(&config, NULL);
        ck_assert_ptr_nonnull(machine);
        struct machine_run run = {.machine = machine};
        run_inject_target(&run, 0, 0, false);
        run_inject_target(&run, 3, 3, false);
        machine_begin_phase(machine, "march");
        ck_assert_int_eq(machine_march(machine, &march, hops, NULL), FAIL_NONE);
        ck_assert_uint_eq(machine_counts(machine)->steps, 1 + hops * (hops % 2 ? 1 : 2));
        ck_assert_uint_eq(machine_counts(machine)->packet_hops, 2 * hops);
        ck_assert_uint_eq(machine_resting(machine), 2);
        ck_assert_uint_eq(machine_first_resting(machine, ring[hops % 4]), 0);
        ck_assert_uint_eq(machine_first_resting(machine, ring[(hops + 2) % 4]), 1);
        ck_assert_uint_eq(asked, 2 * (hops / 3));
        machine_free(machine);
    }
}
END_TEST

Suite *march_suite(void)
{
    Suite *suite = suite_create("march");
    TCase *tests = tcase_create("march");
    tcase_add_loop_test(tests, as_if_watched, 0, MESH_COUNT);
    tcase_add_test(tests, overflows);
    tcase_add_test(tests, attempts);
    tcase_add_test(tests, packets_that_stay);
    suite_add_tcase(suite, tests);
    return suite;
}
