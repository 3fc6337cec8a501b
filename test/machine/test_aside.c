/* test_aside.c - packets set aside: instructions do not find them, buffers count them.
 *
 * Nodes start with up to three packets; those with a bit in header.state stay. What moves is sorted
 * or walks; the audit of the trace says what buffers held, and a run without a trace must have the
 * same peak.
 */
#include "base/pcg.h"
#include "machine/forward.h"
#include "primitives/sort.h"
#include "test/machine/inject_one.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <string.h>

Suite *aside_suite(void);

enum { MOST = 3, FIRST_STAYS = 1, SECOND_STAYS = 2 };

static bool stays(void *context, uint32_t packet)
{
    return ((const struct headers *)context)->packet[packet].state & FIRST_STAYS;
}

static bool stays_too(void *context, uint32_t packet)
{
    return ((const struct headers *)context)->packet[packet].state & SECOND_STAYS;
}

/* At each node a packet that moves, one that stays at the first level, one at the second, or not;
 * in any order; with odd seeds none that moves where one stays. */
static void inject(struct machine *machine, uint64_t seed)
{
    struct headers *header = machine_headers(machine);
    struct pcg32 random = pcg32_seed(seed, 8);
    for (node_index node = 0; node < mesh_nodes(machine_config(machine)->mesh); node++) {
        uint32_t turn = pcg32_below(&random, MOST);
        for (uint32_t i = 0; i < MOST; i++) {
            uint32_t kind = (i + turn) % MOST, packet = node * MOST + i;
            bool is_apart = (kind == 0) == (node % 2 == 0);
            if (pcg32_below(&random, 3) == 0 || (seed % 2 == 1 && is_apart))
                continue;
            header->packet[packet].first = packet;
            header->packet[packet].message = packet;
            header->destination[packet] = MACHINE_NO_PLACE;
            header->packet[packet].target = pcg32_below(&random, 1000);
            header->packet[packet].state = (uint8_t)kind;
            ck_assert_int_eq(inject_one(machine, node, packet, NULL), FAIL_NONE);
        }
    }
}

static enum failure_kind sort_movers(struct machine *machine, struct failure *failure)
{
    struct tessellation whole;
    struct headers *header = machine_headers(machine);
    struct mesh mesh = machine_config(machine)->mesh;
    ck_assert_int_eq(tessellation_make(&whole, mesh, 1, NULL), FAIL_NONE);
    struct sort_plan plan = {.tiles = &whole};
    uint64_t all = machine_resting(machine);
    ck_assert_int_eq(machine_set_aside(machine, stays, header, NULL), FAIL_NONE);
    ck_assert_int_eq(machine_set_aside(machine, stays_too, header, NULL), FAIL_NONE);
    ck_assert_uint_lt(machine_resting(machine), all);
    machine_begin_phase(machine, "sort");
    enum failure_kind kind = sort_tiles(machine, &plan, failure);
    if (kind == FAIL_NONE)
        machine_take_back(machine);
    machine_take_back(machine);
    if (kind == FAIL_NONE)
        ck_assert_uint_eq(machine_resting(machine), all);
    tessellation_free(&whole);
    return kind;
}

static void check_places(const struct machine *machine)
{
    const struct headers *header = machine_headers((struct machine *)machine);
    struct mesh mesh = machine_config(machine)->mesh;
    uint32_t before = 0;
    bool ended = false;
    for (uint32_t i = 0; i < mesh_nodes(mesh); i++) {
        uint32_t row = i / mesh.cols, col = i % mesh.cols, movers = 0;
        node_index node = row * mesh.cols + (row % 2 == 0 ? col : mesh.cols - 1 - col);
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet)) {
            if (header->packet[packet].state != 0) {
                ck_assert_uint_eq(packet / MOST, node);
                continue;
            }
            movers++;
            ck_assert(!ended && header->packet[packet].target >= before);
            before = header->packet[packet].target;
        }
        ck_assert_uint_le(movers, 1);
        ended = ended || movers == 0;
    }
}

/* What stays is where it was, what moves is sorted; the audit and runs of one to three threads
 * without a trace agree on the fullest buffer. */
START_TEST(beside_a_sort)
{
    static const struct mesh meshes[] = {{1, 9}, {4, 4}, {8, 8}, {7, 9}, {16, 16}, {13, 20}};
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++)
        for (uint64_t seed = 0; seed < 6; seed++) {
            struct machine_config config = {.mesh = meshes[i],
                                            .slots = mesh_nodes(meshes[i]) * MOST};
            struct machine_run run;
            run_start(&run, meshes[i].rows, meshes[i].cols, config);
            inject(run.machine, seed);
            ck_assert_int_eq(sort_movers(run.machine, NULL), FAIL_NONE);
            check_places(run.machine);
            run_audit(&run);
            for (config.threads = 1; config.threads <= 3; config.threads++) {
                struct machine *machine = machine_create(&config, NULL);
                inject(machine, seed);
                ck_assert_int_eq(sort_movers(machine, NULL), FAIL_NONE);
                run_check_same(run.machine, machine);
                machine_free(machine);
            }
            run_end(&run);
        }
}
END_TEST

/* A buffer that has room for the packets that stay and no more overflows, with a trace or without:
 * in the first step after which a third packet is where two stay. */
START_TEST(counts_in_buffers)
{
    for (uint32_t buffer = 3; buffer <= 5; buffer++) {
        struct machine_config config = {
            .mesh = {8, 8}, .slots = 64 * MOST, .buffer = buffer, .threads = 1};
        struct failure failure = {0};
        struct machine *machine = machine_create(&config, NULL);
        inject(machine, 2);
        enum failure_kind kind = sort_movers(machine, &failure);
        ck_assert_int_eq(kind, buffer <= 3 ? FAIL_CHECK : FAIL_NONE);
        if (kind == FAIL_CHECK)
            ck_assert_ptr_nonnull(strstr(failure.text, "holds 4 packets"));
        machine_free(machine);
    }
}
END_TEST

static unsigned go_east(void *context, struct site site, uint32_t packet)
{
    const struct machine *machine = context;
    (void)packet;
    return site.col + 1 < machine_config(machine)->mesh.cols ? OUT_EAST : OUT_HOLD;
}

static uint32_t last_column(void *context, struct site site, uint32_t packet,
                            enum direction direction)
{
    (void)site;
    (void)packet;
    (void)direction;
    return machine_config(context)->mesh.cols - 1;
}

/* Neither does machine_forward wake them. */
START_TEST(beside_a_walk)
{
    struct machine_run run;
    struct machine_config config = {.slots = 5 * 6 * MOST};
    run_start(&run, 5, 6, config);
    inject(run.machine, 1);
    struct routing_rule rule = {.context = run.machine, .outputs = go_east, .stop = last_column};
    const struct headers *header = machine_headers(run.machine);
    ck_assert_int_eq(machine_set_aside(run.machine, stays, (void *)header, NULL), FAIL_NONE);
    ck_assert_int_eq(machine_set_aside(run.machine, stays_too, (void *)header, NULL), FAIL_NONE);
    machine_begin_phase(run.machine, "walk");
    ck_assert_int_eq(machine_forward(run.machine, &rule, true, UINT64_MAX, NULL), FAIL_NONE);
    machine_take_back(run.machine);
    machine_take_back(run.machine);
    for (node_index node = 0; node < 30; node++)
        for (uint32_t packet = machine_first_resting(run.machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(run.machine, packet))
            ck_assert(header->packet[packet].state != 0 ? packet / MOST == node : node % 6 == 5);
    run_audit(&run);
    run_end(&run);
}
END_TEST

Suite *aside_suite(void)
{
    Suite *suite = suite_create("aside");
    TCase *tests = tcase_create("aside");
    tcase_add_test(tests, beside_a_sort);
    tcase_add_test(tests, counts_in_buffers);
    tcase_add_test(tests, beside_a_walk);
    suite_add_tcase(suite, tests);
    return suite;
}
