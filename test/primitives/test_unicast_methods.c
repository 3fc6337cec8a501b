/* test_unicast_methods.c - the methods of routing: steps and buffers that they claim, as
 * capacities.
 *
 * Runs go through the kernel `route`, which checks that every packet is at its target; a buffer
 * that is too small fails the run. Bounds: those of unicast_route.h. Steps are without
 * synchronisations.
 */
#include "primitives/unicast_route.h"

#include "primitives/kernel.h"
#include "workloads/permutation.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *unicast_methods_suite(void);

static struct kernel_options options_of(const char *method, struct mesh mesh, uint32_t k)
{
    struct kernel_options options = kernel_options_default();
    options.mesh = mesh;
    options.method = method;
    options.k = k;
    options.threads = 1;
    options.pattern = permutation_find("random");
    return options;
}

static struct machine_counts run(const struct kernel_options *options)
{
    static struct kernel_result result;
    struct failure failure = {0};
    enum failure_kind kind = kernel_run(kernel_find("route"), options, &result, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s, k = %u, %u x %u, %s: %s", options->method, options->k,
                  options->mesh.rows, options->mesh.cols, options->pattern->name, failure.text);
    return result.counts;
}

static uint64_t moving(struct machine_counts counts)
{
    return counts.steps - counts.sync_steps;
}

/* ---- every pattern ---- */

struct claim {
    const char *method;
    uint32_t k;
    double sides; /* steps: times the side */
    uint32_t buffer;
};

static const struct claim CLAIMS[] = {
    {"blocks", 1, 2.93, 12},     {"blocks", 1, 3.32, 8}, {"spread", 1, 2.2, 9},
    {"spread", 2, 3, 11},        {"spread", 3, 3.5, 12}, {"spread", 4, 4, 13},
    {"spread", 8, 6, 18},        {"spread", 16, 10, 26}, {"greedy", 1, 2, 1 << 16},
    {"greedy", 4, 4.5, 1 << 16},
};
enum { CLAIM_COUNT = sizeof CLAIMS / sizeof CLAIMS[0] };

/* every pattern at sides 16 to 128: the claims, as capacities */
START_TEST(claims)
{
    struct claim claim = CLAIMS[_i];
    for (uint32_t side = 16; side <= (claim.k < 8 ? 128 : 64); side *= 2) {
        for (uint32_t i = 0; i < permutation_count(); i++) {
            struct kernel_options options =
                options_of(claim.method, (struct mesh){side, side}, claim.k);
            options.pattern = permutation_at(i);
            options.buffer = claim.buffer;
            options.seed = side;
            ck_assert_msg((double)moving(run(&options)) <= claim.sides * side,
                          "%s, k %u, side %u, %s", claim.method, claim.k, side,
                          options.pattern->name);
        }
    }
}
END_TEST

/* many packets per node in small tiles, whose strips have fewer lines than packets go to */
START_TEST(many_packets)
{
    static const uint32_t many[] = {24, 38, 64, 128}, sides[] = {8, 13, 16, 24};
    for (uint32_t i = 0; i < permutation_count(); i++) {
        uint32_t k = many[_i], side = sides[i % 4];
        struct kernel_options options = options_of("spread", (struct mesh){side, side}, k);
        options.pattern = permutation_at(i);
        options.buffer = k + 12;
        options.seed = i;
        ck_assert_msg(2 * moving(run(&options)) <= k * (side + side % 2) + 4 * side,
                      "k %u, side %u, %s", k, side, options.pattern->name);
    }
}
END_TEST

static bool sorts_blocks(const char *method)
{
    return strncmp(method, "blocks", 6) == 0;
}

/* meshes of all shapes, tiles and loads: all methods bring all packets home; blocks within what is
 * proven, at odd sides too */
START_TEST(shapes)
{
    static const struct mesh meshes[] = {{1, 1},   {1, 30},  {30, 1}, {2, 3},
                                         {17, 23}, {31, 31}, {9, 64}};
    static const uint64_t tiles[] = {1, 2, 16};
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0] * 3; i++) {
        struct kernel_options options = options_of(CLAIMS[_i].method, meshes[i / 3], CLAIMS[_i].k);
        if (tiles[i % 3] > mesh_nodes(options.mesh) || meshes[i / 3].rows * meshes[i / 3].cols < 30)
            continue;
        options.tiles = meshes[i / 3].rows == 1 || meshes[i / 3].cols == 1 ? 1 : tiles[i % 3];
        options.buffer = sorts_blocks(options.method) ? CLAIMS[_i].buffer : 0;
        for (uint32_t load = 1; load <= 100; load += 33) {
            options.load = load;
            options.seed = load;
            run(&options);
        }
    }
}
END_TEST

/* ---- what blocks are for ---- */

/* where a row goes to a column greedy queues m / 2, growing with m, and blocks keep to 8 if they are to */
START_TEST(row_to_column)
{
    for (uint32_t side = 16; side <= 128; side *= 2) {
        struct kernel_options options = options_of("greedy", (struct mesh){side, side}, 1);
        options.pattern = permutation_find("rowtocolumn");
        uint32_t greedy = run(&options).peak;
        ck_assert_uint_ge(greedy, side / 2 - 1);
        ck_assert_uint_le(greedy, side / 2 + 4);
        options.method = "blocks";
        options.buffer = 8;
        ck_assert_uint_le(run(&options).peak, 8);
    }
}
END_TEST

/* the length of blocks is one that all nodes know: whatever the pattern and the load, and without a
 * synchronisation */
START_TEST(known_length)
{
    static const struct mesh meshes[] = {{16, 16}, {19, 33}, {1, 12}, {1, 1}};
    if (!sorts_blocks(CLAIMS[_i].method))
        return;
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        struct kernel_options options = options_of(CLAIMS[_i].method, meshes[i], 1);
        uint64_t steps = run(&options).steps;
        for (uint32_t p = 0; p < permutation_count(); p++) {
            options.pattern = permutation_at(p);
            options.load = 100 - 9 * p;
            struct machine_counts counts = run(&options);
            ck_assert_uint_eq(counts.steps, steps);
            ck_assert_uint_eq(counts.sync_steps, 0);
        }
    }
}
END_TEST

/* ---- what cannot be asked for ---- */

/* blocks accept one packet per node */
START_TEST(refused)
{
    static struct kernel_result result;
    struct failure failure = {0};
    struct kernel_options options = options_of("blocks", (struct mesh){4, 4}, 2);
    ck_assert_int_eq(kernel_run(kernel_find("route"), &options, &result, &failure), FAIL_USAGE);
}
END_TEST

Suite *unicast_methods_suite(void)
{
    Suite *suite = suite_create("unicast_methods");
    TCase *tests = tcase_create("unicast_methods");
    tcase_add_loop_test(tests, claims, 0, CLAIM_COUNT);
    tcase_add_loop_test(tests, many_packets, 0, 4);
    tcase_add_loop_test(tests, shapes, 0, CLAIM_COUNT);
    tcase_add_test(tests, row_to_column);
    tcase_add_loop_test(tests, known_length, 0, CLAIM_COUNT);
    tcase_add_test(tests, refused);
    suite_add_tcase(suite, tests);
    return suite;
}
