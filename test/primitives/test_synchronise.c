/* test_synchronise.c - the OR over the mesh finds the one busy node wherever it is, in the steps
 * that its header states, by words alone.
 */
#include "primitives/synchronise.h"

#include "machine/forward.h"
#include "test/machine/machine_run.h"
#include "test/ranks/ranks_case.h"
#include "test/ranks/ranks_threads.h"

#include <check.h>
#include <stdbool.h>

#undef fail /* a macro of Check's */

Suite *synchronise_suite(void);

static uint64_t documented_steps(uint32_t rows, uint32_t cols)
{
    return 2 * (uint64_t)(rows / 2) + 2 * (uint64_t)(cols / 2);
}

/* Leaves one packet under way that the node `busy` alone holds (MESH_NO_NODE: none does): of two
 * that leave over one link, the second still waits after a step, and the first has ended. */
static void make_busy(struct machine_run *run, node_index busy)
{
    struct mesh mesh = machine_config(run->machine)->mesh;
    machine_begin_phase(run->machine, "walk");
    if (busy == MESH_NO_NODE)
        return;
    struct site site = machine_site(run->machine, busy);
    node_index beyond = site.col + 1 < mesh.cols   ? busy + 1
                        : site.row + 1 < mesh.rows ? busy + mesh.cols
                        : site.col > 0             ? busy - 1
                                                   : busy - mesh.cols;
    for (int i = 0; i < 2; i++)
        run_inject(run, busy, 1, &beyond, true, NULL);
    struct routing_rule rule = run_plain_rule(run);
    ck_assert_int_eq(machine_forward(run->machine, &rule, true, 1, NULL), FAIL_NONE);
    uint32_t wrong = 0;
    for (node_index node = 0; node < mesh_nodes(mesh); node++)
        wrong += machine_node_is_busy(run->machine, node) != (node == busy);
    ck_assert_uint_eq(wrong, 0);
}

static void check_or(uint32_t rows, uint32_t cols, node_index busy_node, uint64_t idle)
{
    struct machine_run run;
    run_start(&run, rows, cols,
              (struct machine_config){.slots = 2, .threads = rows == 40 && busy_node == 0 ? 2 : 1});
    make_busy(&run, busy_node);
    const struct machine_counts *counts = machine_counts(run.machine);
    struct machine_counts before = *counts;
    bool busy = busy_node == MESH_NO_NODE;
    ck_assert_int_eq(synchronise(run.machine, idle, &busy, NULL), FAIL_NONE);
    ck_assert_msg(busy == (busy_node != MESH_NO_NODE), "%u x %u, busy node %d", rows, cols,
                  (int)busy_node);
    uint64_t steps = counts->steps - before.steps;
    ck_assert_uint_eq(steps, idle + documented_steps(rows, cols));
    ck_assert_uint_eq(counts->sync_steps, steps);
    ck_assert_uint_eq(counts->packet_hops, before.packet_hops);
    if (steps > 0) {
        const struct machine_phase *last =
            machine_phase(run.machine, machine_phases(run.machine) - 1);
        ck_assert_str_eq(last->name, "sync");
        ck_assert_uint_eq(last->steps, steps);
    }
    /* a spanning tree's links, once inward and once outward */
    ck_assert_uint_eq(counts->word_hops, 2 * ((uint64_t)rows * cols - 1));
    run_audit(&run);
    run_end(&run);
}

/* Both kinds of packets are told apart, wherever the one packet of the mesh is. */
START_TEST(held)
{
    for (node_index node = 0; node < 12; node++)
        for (unsigned kind = 0; kind <= SYNCHRONISE_RESTING; kind++) {
            struct machine_run run;
            unsigned found = 7;
            node_index beyond = (node + 5) % 12;
            run_start(&run, 3, 4, (struct machine_config){.slots = 2, .threads = 1});
            if (kind == SYNCHRONISE_RESTING)
                run_inject(&run, node, 1, &beyond, true, NULL);
            else
                make_busy(&run, kind == SYNCHRONISE_TRAVELLING ? node : MESH_NO_NODE);
            ck_assert_int_eq(synchronise_held(run.machine, 3, &found, NULL), FAIL_NONE);
            ck_assert_uint_eq(found, kind);
            ck_assert_uint_eq(machine_counts(run.machine)->sync_steps, 3 + documented_steps(3, 4));
            run_end(&run);
        }
}
END_TEST

/* on every mesh up to 7 x 7, whichever node is busy, and when none is */
START_TEST(every_node)
{
    for (uint32_t rows = 1; rows <= 7; rows++) {
        for (uint32_t cols = 1; cols <= 7; cols++) {
            check_or(rows, cols, MESH_NO_NODE, rows + cols);
            for (node_index node = 0; rows * cols > 1 && node < rows * cols; node++)
                check_or(rows, cols, node, node % 3);
        }
    }
}
END_TEST

/* on narrow and larger meshes, ends and middle */
START_TEST(larger_meshes)
{
    static const uint32_t shapes[][2] = {{1, 90}, {90, 1}, {2, 51}, {51, 2}, {40, 33}, {32, 32}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        uint32_t rows = shapes[i][0], cols = shapes[i][1], nodes = rows * cols;
        const node_index busy[] = {0, cols - 1, nodes - cols, nodes - 1, nodes / 2, MESH_NO_NODE};
        for (size_t j = 0; j < sizeof busy / sizeof busy[0]; j++)
            check_or(rows, cols, busy[j], j);
    }
}
END_TEST

/* a packet that waits for its node's copy is under way too: after a delivery no queue holds it */
START_TEST(waiting_copy_is_busy)
{
    struct machine_run run;
    static const node_index all[] = {1, 3, 4, 5};
    run_start(&run, 3, 3, (struct machine_config){.slots = 4});
    run_inject(&run, 4, 4, all, true, NULL);
    machine_begin_phase(run.machine, "copy");
    struct routing_rule rule = run_plain_rule(&run);
    ck_assert_int_eq(machine_forward(run.machine, &rule, true, 1, NULL), FAIL_NONE);
    ck_assert(machine_node_is_busy(run.machine, 4));
    bool busy = false;
    ck_assert_int_eq(synchronise(run.machine, 0, &busy, NULL), FAIL_NONE);
    ck_assert(busy);
    run_end(&run);
}
END_TEST

/* packets that rest are not under way */
START_TEST(resting_is_not_busy)
{
    struct machine_run run;
    run_start(&run, 3, 3, (struct machine_config){.slots = 1});
    run_inject_target(&run, 4, 0, false);
    machine_begin_phase(run.machine, "rest");
    bool busy = true;
    ck_assert_int_eq(synchronise(run.machine, 0, &busy, NULL), FAIL_NONE);
    ck_assert(!busy);
    run_end(&run);
}
END_TEST

/* One packet, which rests. */
struct ranks_or {
    struct mesh mesh;
    node_index node; /* MESH_NO_NODE: there is no packet */
};

static enum failure_kind or_on_rank(void *context, struct ranks *ranks, struct failure *failure)
{
    const struct ranks_or *with = context;
    struct machine_config config = {.mesh = with->mesh,
                                    .threads = 2,
                                    .slots = 1,
                                    .own_slots = 1,
                                    .has_names = true,
                                    .ranks = ranks,
                                    .kernel = "test"};
    struct machine *machine = machine_create(&config, failure);
    HOLDS(machine != NULL);
    struct node_range own = machine_nodes(machine);
    machine_headers(machine)->destination[0] = MACHINE_NO_PLACE;
    if (own.first <= with->node && with->node < own.end)
        machine_inject(machine, with->node, 0);
    MUST(machine_end_injection(machine, failure));
    unsigned found = 7;
    MUST(synchronise_held(machine, 3, &found, failure));
    uint64_t steps = machine_counts(machine)->steps;
    machine_free(machine);
    HOLDS(found == (with->node == MESH_NO_NODE ? 0 : SYNCHRONISE_RESTING));
    HOLDS(steps == 3 + documented_steps(with->mesh.rows, with->mesh.cols));
    return FAIL_NONE;
}

/* on 2 to 5 ranks each of them hears the answer, whichever node's rank knows it first */
START_TEST(on_ranks)
{
    static const struct mesh meshes[] = {{5, 7}, {5, 1}, {40, 3}};
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        uint32_t nodes = mesh_nodes(meshes[i]);
        for (uint32_t size = 2; size <= MOST_RANKS; size++) {
            const node_index at[] = {0, nodes / 3, nodes / 2, nodes - 1, MESH_NO_NODE};
            for (size_t j = 0; j < sizeof at / sizeof at[0]; j++) {
                struct ranks_or with = {meshes[i], at[j]};
                struct failure failure = {0};
                enum failure_kind kind = ranks_run_threads(size, or_on_rank, &with, &failure);
                ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
            }
        }
    }
}
END_TEST

/* rounds: a walk of 7 steps in rounds of 3 and 2 takes 3 + 2 + 2, each a full round and a sync */
START_TEST(rounds)
{
    struct machine_run run;
    run_start(&run, 1, 8, (struct machine_config){.slots = 1});
    static const node_index end = 7;
    run_inject(&run, 0, 1, &end, true, NULL);
    struct routing_rule rule = run_plain_rule(&run);
    ck_assert_int_eq(forward_in_rounds(run.machine, &rule, "walk", (struct rounds){3, 2}, NULL),
                     FAIL_NONE);
    const struct machine_counts *counts = machine_counts(run.machine);
    ck_assert_uint_eq(counts->steps, 3 + 2 + 2 + 3 * documented_steps(1, 8));
    ck_assert_uint_eq(counts->sync_steps, 3 * documented_steps(1, 8));
    ck_assert_uint_eq(machine_phases(run.machine), 6);
    for (uint32_t i = 0; i < 6; i++)
        ck_assert_str_eq(machine_phase(run.machine, i)->name, i % 2 == 0 ? "walk" : "sync");
    ck_assert_uint_eq(counts->delivered, 1);
    run_audit(&run);
    run_end(&run);
}
END_TEST

/* a round that needs less than its length idles the rest away in "sync", nothing waits unseen */
START_TEST(short_round)
{
    struct machine_run run;
    run_start(&run, 1, 8, (struct machine_config){.slots = 1});
    static const node_index end = 7;
    run_inject(&run, 0, 1, &end, true, NULL);
    struct routing_rule rule = run_plain_rule(&run);
    ck_assert_int_eq(forward_in_rounds(run.machine, &rule, "walk", (struct rounds){20, 1}, NULL),
                     FAIL_NONE);
    ck_assert_uint_eq(machine_counts(run.machine)->steps, 20 + documented_steps(1, 8));
    ck_assert_uint_eq(machine_counts(run.machine)->sync_steps, 13 + documented_steps(1, 8));
    run_end(&run);
}
END_TEST

Suite *synchronise_suite(void)
{
    Suite *suite = suite_create("synchronise");
    TCase *tests = tcase_create("synchronise");
    tcase_add_test(tests, every_node);
    tcase_add_test(tests, larger_meshes);
    tcase_add_test(tests, waiting_copy_is_busy);
    tcase_add_test(tests, resting_is_not_busy);
    tcase_add_test(tests, held);
    tcase_add_test(tests, on_ranks);
    tcase_add_test(tests, rounds);
    tcase_add_test(tests, short_round);
    suite_add_tcase(suite, tests);
    return suite;
}
