/* test_kernel_input.c - the frame of the kernels: options, methods, inputs, what a result holds.
 *
 * Method: a row of the table made here, "plain", which sends packets to their targets by plain
 * greedy routing; so nothing depends on which kernels there are.
 *
 * Oracles: each tile's targets are a permutation of the tile's own nodes where the load is 100;
 * the nodes that hold packets at one load hold the same ones at every greater load; the result's
 * figures agree with each other and with the options.
 */
#include "base/parallel.h"
#include "primitives/kernel_row.h"
#include "primitives/unicast_route.h"
#include "workloads/permutation.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* ---- a row ---- */

static enum failure_kind plain_prepare(struct kernel_case *run, struct failure *failure)
{
    uint32_t k = run->options->k, cols = run->options->mesh.cols;
    node_index *target = kernel_allocate(run, run->nodes, sizeof *target);
    ck_assert_ptr_nonnull(target);
    enum failure_kind kind = kernel_machine(run, run->nodes * k, 0, failure);
    for (uint32_t copy = 0; kind == FAIL_NONE && copy < k; copy++) {
        kind = kernel_targets(run, copy, target, failure);
        for (node_index v = 0; kind == FAIL_NONE && v < run->nodes; v++) {
            if (target[v] == MESH_NO_NODE)
                continue;
            uint32_t packet = copy * run->nodes + v;
            machine_headers(run->machine)->packet[packet].target =
                place_of(target[v] / cols, target[v] % cols);
            kernel_inject(run, v, packet, packet);
        }
    }
    return kind;
}

static enum failure_kind plain_run(struct kernel_case *run, struct failure *failure)
{
    return unicast_route(run->machine, "plain", (struct rounds){10, 3}, failure);
}

/* the parentheses keep a macro of check.h away from fail() */
static enum failure_kind plain_check(struct kernel_case *run, struct failure *failure)
{
    const struct headers *header = machine_headers(run->machine);
    for (node_index v = 0; v < run->nodes; v++)
        for (uint32_t p = machine_first_resting(run->machine, v); p != MACHINE_NONE;
             p = machine_next_resting(run->machine, p))
            if (header->packet[p].target != site_place(machine_site(run->machine, v)))
                return (fail)(failure, FAIL_CHECK, "packet %u rests at node %u", p, v);
    return FAIL_NONE;
}

static enum failure_kind wrong_check(struct kernel_case *run, struct failure *failure)
{
    return (fail)(failure, FAIL_CHECK, "node %u is wrong", run->nodes - 1);
}

static const struct kernel_method METHODS[] = {
    {"one", "one packet", 1, 1}, {"few", "some", 2, 8}, {"any", "any", 1, UINT32_MAX}, {0}};

static const struct kernel_row PLAIN = {
    .shown = {"plain", "for tests", METHODS},
    .prepare = plain_prepare,
    .run = plain_run,
    .check = plain_check,
};

static struct kernel_options options_of(uint32_t rows, uint32_t cols)
{
    struct kernel_options options = kernel_options_default();
    options.mesh = (struct mesh){rows, cols};
    return options;
}

/* ---- options ---- */

static const struct {
    struct mesh mesh;
    uint64_t tiles;
    uint32_t k, load;
    const char *method, *expected;
} REFUSED[] = {
    {{0, 4}, 1, 1, 100, NULL, "a mesh of 0 x 4 is none"},
    {{4, 40000}, 1, 1, 100, NULL, "a side is 1 .. 32768"},
    {{9, 7}, 0, 1, 100, NULL, "9 x 7 nodes cannot be cut into 0 tiles"},
    {{9, 7}, 3, 1, 100, NULL, "the number is a power of two, 1 .. 32"},
    {{9, 7}, 64, 1, 100, NULL, "cannot be cut into 64 tiles"},
    {{1, 1}, 2, 1, 100, NULL, "a power of two, 1 .. 1"},
    {{4, 4}, 1, 0, 100, NULL, "k = 0; on 16 nodes k is 1 .. 268435455"},
    {{4, 4}, 1, 268435456, 100, NULL, "k = 268435456"},
    {{4, 4}, 1, 1, 0, NULL, "a load of 0 percent"},
    {{4, 4}, 1, 1, 101, NULL, "it is 1 .. 100"},
    {{4, 4},
     1,
     1,
     100,
     "tow",
     "unknown method of kernel plain: 'tow'; the methods of kernel plain are: one, few, any"},
    {{4, 4},
     1,
     2,
     100,
     "one",
     "method one of kernel plain does not take k = 2; it has one (k = 1)"},
    {{4, 4}, 1, 9, 100, "few", "method few of kernel plain does not take k = 9"},
};

/* What no kernel can take is refused before anything runs, and the text says what fits. */
START_TEST(refused_options)
{
    struct kernel_options options = options_of(REFUSED[_i].mesh.rows, REFUSED[_i].mesh.cols);
    struct kernel_result result;
    struct failure failure = {0};
    options.tiles = REFUSED[_i].tiles;
    options.k = REFUSED[_i].k;
    options.load = REFUSED[_i].load;
    options.method = REFUSED[_i].method;
    ck_assert_int_eq(kernel_run_row(&PLAIN, &options, &result, &failure), FAIL_USAGE);
    ck_assert_msg(strstr(failure.text, REFUSED[_i].expected) != NULL, "%s", failure.text);
    ck_assert_uint_eq(result.counts.steps, 0);
}
END_TEST

/* Without a name the first method that takes k is used; a name is used as it is. */
START_TEST(method_by_load)
{
    static const struct {
        uint32_t k;
        const char *name, *used;
    } cases[] = {{1, NULL, "one"}, {2, NULL, "few"},  {8, NULL, "few"},
                 {9, NULL, "any"}, {1, "any", "any"}, {2, "few", "few"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel_options options = options_of(3, 2);
        struct kernel_result result;
        struct failure failure = {0};
        options.k = cases[i].k;
        options.method = cases[i].name;
        ck_assert_int_eq(kernel_run_row(&PLAIN, &options, &result, &failure), FAIL_NONE);
        ck_assert_str_eq(result.method, cases[i].used);
        ck_assert_uint_eq(result.items, 6 * cases[i].k);
    }
}
END_TEST

/* ---- input ---- */

/* Targets of copy `copy`, in an array to be freed. */
static node_index *targets_of(const struct kernel_options *given, uint32_t copy)
{
    struct kernel_options options = *given;
    struct failure failure = {0};
    if (options.pattern == NULL)
        options.pattern = permutation_find("random");
    struct kernel_case run = {.options = &options, .nodes = mesh_nodes(options.mesh)};
    node_index *target = memory_allocate(run.nodes, sizeof *target);
    ck_assert_int_eq(tessellation_make(&run.tiles, options.mesh, options.tiles, &failure),
                     FAIL_NONE);
    ck_assert_int_eq(kernel_targets(&run, copy, target, &failure), FAIL_NONE);
    tessellation_free(&run.tiles);
    return target;
}

/* In tiles of unequal sizes every node is the target of one node of its own tile. */
START_TEST(targets_keep_to_tiles)
{
    struct kernel_options options = options_of(13, 10);
    struct tessellation tiles;
    struct failure failure = {0};
    options.pattern = permutation_at((uint32_t)_i);
    for (options.tiles = 1; options.tiles <= 32; options.tiles *= 2) {
        node_index *target = targets_of(&options, 0);
        bool seen[130] = {false};
        ck_assert_int_eq(tessellation_make(&tiles, options.mesh, options.tiles, &failure),
                         FAIL_NONE);
        for (node_index v = 0; v < 130; v++) {
            ck_assert_uint_lt(target[v], 130);
            ck_assert(!seen[target[v]]);
            seen[target[v]] = true;
            ck_assert_uint_eq(tiles.row.tile[v / 10], tiles.row.tile[target[v] / 10]);
            ck_assert_uint_eq(tiles.col.tile[v % 10], tiles.col.tile[target[v] % 10]);
        }
        tessellation_free(&tiles);
        free(target);
    }
}
END_TEST

/* Random targets differ by copy, tile and seed; fixed ones by none of them. */
START_TEST(targets_differ)
{
    struct kernel_options options = options_of(16, 32);
    options.tiles = 2;
    for (int fixed = 0; fixed < 2; fixed++) {
        options.pattern = permutation_find(fixed ? "transpose" : "random");
        options.seed = 3;
        node_index *target = targets_of(&options, 0), *copy = targets_of(&options, 1);
        options.seed = 4;
        node_index *other = targets_of(&options, 0);
        uint32_t same = 0, as_copy = 0, as_other = 0;
        for (node_index v = 0; v < 512; v++) {
            as_copy += target[v] == copy[v];
            as_other += target[v] == other[v];
            same += v % 32 < 16 && target[v] + 16 == target[v + 16];
        }
        ck_assert(fixed ? as_copy == 512 : as_copy < 20);
        ck_assert(fixed ? as_other == 512 : as_other < 20);
        ck_assert(fixed ? same == 256 : same < 20);
        free(target);
        free(copy);
        free(other);
    }
}
END_TEST

/* A load leaves so many percent, the same nodes for each copy, and more load only adds nodes. */
START_TEST(loads_are_nested)
{
    struct kernel_options options = options_of(40, 50);
    options.pattern = permutation_find("shift");
    node_index *full = targets_of(&options, 0);
    bool held[2000] = {false};
    for (options.load = 5; options.load <= 100; options.load += 19) {
        node_index *target = targets_of(&options, 0), *copy = targets_of(&options, 7);
        uint32_t count = 0;
        for (node_index v = 0; v < 2000; v++) {
            bool holds = target[v] != MESH_NO_NODE;
            ck_assert(!holds || target[v] == full[v]);
            ck_assert(holds || !held[v]);
            ck_assert_uint_eq(target[v], copy[v]);
            held[v] = holds;
            count += holds;
        }
        ck_assert_msg(count + 80 > 20 * options.load && count < 20 * options.load + 80,
                      "%u of 2000 at %u %%", count, options.load);
        free(target);
        free(copy);
    }
    free(full);
}
END_TEST

/* ---- results ---- */

/* A result's figures agree with each other and with the options. */
START_TEST(result_figures)
{
    struct kernel_options options = options_of(11, 14);
    struct kernel_result result;
    struct failure failure = {0};
    options.tiles = 8;
    options.k = 3;
    options.threads = 2;
    ck_assert_int_eq(kernel_run_row(&PLAIN, &options, &result, &failure), FAIL_NONE);
    uint64_t steps = 0, sync = 0;
    for (uint32_t i = 0; i < result.phases; i++) {
        steps += result.phase[i].steps;
        sync += strcmp(result.phase[i].name, "sync") == 0 ? result.phase[i].steps : 0;
    }
    ck_assert_uint_eq(steps, result.counts.steps);
    ck_assert_uint_eq(sync, result.counts.sync_steps);
    ck_assert_uint_eq(result.items, 3 * 11 * 14);
    ck_assert_uint_eq(result.tiles, 8);
    ck_assert_uint_eq(result.tile_rows, 6); /* 11 in 2, 14 in 4 */
    ck_assert_uint_eq(result.tile_cols, 4);
    ck_assert_uint_eq(result.threads, parallel_begin(2));
    ck_assert(result.wall_seconds >= 0);
}
END_TEST

/* A failed check and an overflow are told, with what the machine counted until then. */
START_TEST(failures_keep_figures)
{
    struct kernel_row wrong = PLAIN;
    struct kernel_options options = options_of(6, 6);
    struct kernel_result result;
    struct failure failure = {0};
    wrong.check = wrong_check;
    ck_assert_int_eq(kernel_run_row(&wrong, &options, &result, &failure), FAIL_CHECK);
    ck_assert_str_eq(failure.text, "node 35 is wrong");
    ck_assert_uint_gt(result.counts.packet_hops, 0);

    options.k = 4;
    options.buffer = 3; /* full before the first step */
    failure = (struct failure){0};
    ck_assert_int_eq(kernel_run_row(&PLAIN, &options, &result, &failure), FAIL_CHECK);
    ck_assert_uint_eq(result.counts.steps, 0);
    ck_assert_uint_eq(result.counts.peak, 4);
}
END_TEST

Suite *kernel_input_suite(void)
{
    Suite *suite = suite_create("kernel_input");
    TCase *tests = tcase_create("kernel_input");
    tcase_add_loop_test(tests, refused_options, 0, sizeof REFUSED / sizeof REFUSED[0]);
    tcase_add_test(tests, method_by_load);
    tcase_add_loop_test(tests, targets_keep_to_tiles, 0, (int)permutation_count());
    tcase_add_test(tests, targets_differ);
    tcase_add_test(tests, loads_are_nested);
    tcase_add_test(tests, result_figures);
    tcase_add_test(tests, failures_keep_figures);
    suite_add_tcase(suite, tests);
    return suite;
}
