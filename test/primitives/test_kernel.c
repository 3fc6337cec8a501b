/* test_kernel.c - every kernel by its row of the table: every method, pattern, load and tiling.
 *
 * kernel_run checks each result against a plain computation. Here that is asked for on meshes of
 * all kinds, and the checks themselves are tested by rows that are spoiled: a kernel that does
 * nothing, and one whose result is exchanged between two nodes, must be found out.
 *
 * Oracles: the checks of the rows; the audit, which counts a trace by itself; equal bytes of the
 * trace for every number of threads.
 */
#include "audit/audit.h"
#include "primitives/unicast_route.h"
#include "test/length.h"
#include "test/primitives/kernel_subject.h"
#include "test/temporary.h"
#include "workloads/permutation.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- results ---- */

static const struct mesh MESHES[] = {{1, 1}, {1, 9},  {9, 1},  {2, 2},   {5, 7},
                                     {8, 8}, {3, 14}, {12, 9}, {16, 16}, {17, 13}};
enum { MESH_COUNT = sizeof MESHES / sizeof MESHES[0] };

/* Tilings of all sizes, full and partly empty, with both costs of a copy. */
static void run_mesh(struct kernel_subject subject, struct mesh mesh, uint32_t k)
{
    static const uint64_t tiles[] = {1, 2, 8, 16};
    struct kernel_options options = kernel_subject_options(subject, mesh, k);
    for (uint32_t p = 0; p < permutation_count(); p++) {
        options.pattern = permutation_at(p);
        for (int t = 0; t < 4; t++) {
            options.tiles = tiles[t];
            if (tiles[t] > mesh_nodes(mesh) / 4 + 1 || (tiles[t] > 4 && mesh.rows < 4))
                continue;
            options.seed++;
            options.copy_is_free = !options.copy_is_free;
            options.threads = 1 + options.seed % 3;
            options.load = 100;
            kernel_subject_run(subject.row, &options);
            options.load = 10 + 20 * (uint32_t)(options.seed % 5);
            kernel_subject_run(subject.row, &options);
        }
    }
}

/* Every method gives the right result on every pattern, load, mesh and tiling that is tried. */
START_TEST(right_everywhere)
{
    struct kernel_subject subject = kernel_subject_at(_i);
    for (int m = 0; m < MESH_COUNT; m += 1 + TEST_IS_SHORT)
        for (int i = 0; kernel_subject_k(subject, i) != 0; i++)
            run_mesh(subject, MESHES[m], kernel_subject_k(subject, i));
}
END_TEST

/* Methods accept k from 1 on or from more, some method accepts k = 1, and all are described. */
START_TEST(methods_are_told)
{
    const struct kernel *kernel = kernel_at((uint32_t)_i);
    ck_assert_ptr_nonnull(kernel_default_method(kernel, 1)->name);
    for (const struct kernel_method *method = kernel->methods; method->name != NULL; method++) {
        ck_assert_uint_ge(method->least_k, 1);
        ck_assert_uint_ge(method->most_k, method->least_k);
        ck_assert_ptr_nonnull(method->summary);
    }
}
END_TEST

/* Each kernel and each of its methods is in the page that describes them. */
START_TEST(methods_are_documented)
{
    static char page[1 << 17];
    const struct kernel *kernel = kernel_at((uint32_t)_i);
    FILE *file = fopen("doc/kernels.md", "r");
    char name[KERNEL_NAME_SIZE + 2];
    ck_assert_ptr_nonnull(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    snprintf(name, sizeof name, "`%s`", kernel->name);
    ck_assert_msg(strstr(page, name) != NULL, "%s", name);
    for (const struct kernel_method *method = kernel->methods; method->name != NULL; method++) {
        snprintf(name, sizeof name, "`%s`", method->name);
        ck_assert_msg(strstr(page, name) != NULL, "%s of %s", name, kernel->name);
    }
}
END_TEST

/* ---- spoiled rows ---- */

static enum failure_kind do_nothing(struct kernel_case *run, struct failure *failure)
{
    (void)run;
    (void)failure;
    return FAIL_NONE;
}

/* A kernel that does nothing is found out. */
START_TEST(idleness_is_found)
{
    struct kernel_subject subject = kernel_subject_at(_i);
    struct kernel_row lazy = *subject.row;
    struct kernel_options options = kernel_subject_options(subject, (struct mesh){9, 8}, 1);
    struct kernel_result result;
    struct failure failure = {0};
    lazy.run = do_nothing;
    options.seed = 2; /* few starts of segments, or none, are drawn from some seeds */
    options.k = kernel_subject_k(subject, 0);
    options.load = 60;
    ck_assert_int_eq(kernel_run_row(&lazy, &options, &result, &failure), FAIL_CHECK);
    ck_assert_str_ne(failure.text, "");
    ck_assert_uint_eq(result.counts.steps, 0);
}
END_TEST

/* The row whose `run` the spoiled one calls first; a test runs in a process of its own. */
static const struct kernel_row *spoiled_row;

/* Returns the first and the last node at which something rests. */
static void resting_ends(const struct kernel_case *run, node_index *first, node_index *last)
{
    *first = 0;
    *last = run->nodes - 1;
    while (*first < *last && machine_first_resting(run->machine, *first) == MACHINE_NONE)
        ++*first;
    while (*last > *first && machine_first_resting(run->machine, *last) == MACHINE_NONE)
        --*last;
}

/* Runs the kernel; then the packets at these two nodes change places, over links, step by step. */
static enum failure_kind run_and_exchange(struct kernel_case *run, struct failure *failure)
{
    enum failure_kind kind = spoiled_row->run(run, failure);
    struct headers *header = machine_headers(run->machine);
    struct header *kept = memory_allocate(header->slots, sizeof *kept);
    node_index first, last;
    resting_ends(run, &first, &last);
    memcpy(kept, header->packet, header->slots * sizeof *kept);
    for (node_index v = 0; v < run->nodes; v++) {
        node_index to = v == first ? last : v == last ? first : v;
        for (uint32_t p = machine_first_resting(run->machine, v); p != MACHINE_NONE;
             p = machine_next_resting(run->machine, p))
            header->packet[p].target = site_place(machine_site(run->machine, to));
    }
    if (kind == FAIL_NONE)
        kind = unicast_route(run->machine, "exchange", (struct rounds){99, 99}, failure);
    for (uint32_t p = 0; p < header->slots; p++)
        header->packet[p].target = kept[p].target;
    free(kept);
    return kind;
}

/* A result that is wrong at two nodes is found out, where packets rest in the end. */
START_TEST(exchange_is_found)
{
    struct kernel_subject subject = kernel_subject_at(_i);
    struct kernel_row wrong = *subject.row;
    struct kernel_options options = kernel_subject_options(subject, (struct mesh){7, 10}, 1);
    struct kernel_result result;
    struct failure failure = {0};
    options.k = kernel_subject_k(subject, 0);
    result = kernel_subject_run(subject.row, &options);
    if (result.counts.peak == 0)
        return; /* a kernel of words */
    spoiled_row = subject.row;
    wrong.run = run_and_exchange;
    ck_assert_int_eq(kernel_run_row(&wrong, &options, &result, &failure), FAIL_CHECK);
    ck_assert_str_ne(failure.text, "");
}
END_TEST

/* ---- counts and traces ---- */

/* One thread or several, traced or not: the same counts, the same bytes. */
START_TEST(threads_change_nothing)
{
    struct kernel_subject subject = kernel_subject_at(_i);
    for (uint64_t tiles = 1; tiles <= 4; tiles *= 4) {
        struct kernel_options options = kernel_subject_options(subject, (struct mesh){13, 10}, 1);
        struct kernel_result first, result;
        options.k = kernel_subject_k(subject, 1) != 0 ? kernel_subject_k(subject, 1)
                                                      : kernel_subject_k(subject, 0);
        options.tiles = tiles;
        options.seed = 7;
        options.load = 90;
        char *expected = kernel_subject_trace(subject, options, &first);
        for (options.threads = 1; options.threads <= 4; options.threads++) {
            char *text = kernel_subject_trace(subject, options, &result);
            ck_assert_msg(strcmp(text, expected) == 0, "%u threads", options.threads);
            free(text);
            result = kernel_subject_run(subject.row, &options);
            ck_assert_mem_eq(&result.counts, &first.counts, sizeof first.counts);
            ck_assert_uint_eq(result.phases, first.phases);
            for (uint32_t i = 0; i < first.phases; i++)
                ck_assert_uint_eq(result.phase[i].steps, first.phase[i].steps);
        }
        free(expected);
    }
}
END_TEST

static void audit_text(const char *text, const struct kernel_result *result)
{
    char path[TEMPORARY_PATH];
    FILE *file = temporary_file(path);
    struct audit_report report;
    struct failure failure = {0};
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
    enum failure_kind kind = audit_trace(path, NULL, &report, &failure);
    unlink(path);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
    ck_assert_uint_eq(report.packet_hops, result->counts.packet_hops);
    ck_assert_uint_eq(report.word_hops, result->counts.word_hops);
    ck_assert_uint_eq(report.copies, result->counts.copies);
    ck_assert_uint_eq(report.buffer_peak, result->counts.peak);
    ck_assert_uint_le(report.steps, result->counts.steps);
}

/* The audit finds no broken rule in a trace, and the machine's counts. */
START_TEST(traces_are_clean)
{
    struct kernel_subject subject = kernel_subject_at(_i);
    struct kernel_options options = kernel_subject_options(subject, (struct mesh){1, 1}, 1);
    for (int m = 0; m < MESH_COUNT; m++)
        for (int i = 0; kernel_subject_k(subject, i) != 0 && i < 3; i++) {
            struct kernel_result result;
            options.mesh = MESHES[m];
            options.k = kernel_subject_k(subject, i);
            options.seed++;
            options.copy_is_free = options.seed % 2 == 0;
            options.load = options.seed % 3 == 0 ? 70 : 100;
            options.tiles = mesh_nodes(MESHES[m]) > 30 && m % 2 == 1 ? 4 : 1;
            options.pattern = permutation_at((uint32_t)options.seed % permutation_count());
            char *text = kernel_subject_trace(subject, options, &result);
            char expected[96];
            snprintf(expected, sizeof expected, "copy=%s buffer=none kernel=%s\n",
                     options.copy_is_free ? "free" : "unit", subject.row->shown.name);
            ck_assert_ptr_nonnull(strstr(text, expected));
            audit_text(text, &result);
            free(text);
        }
}
END_TEST

/* The peak that was counted is enough, and one less overflows or is refused. */
START_TEST(capacity_binds)
{
    struct kernel_subject subject = kernel_subject_at(_i);
    struct kernel_options options = kernel_subject_options(subject, (struct mesh){12, 11}, 1);
    for (int i = 0; kernel_subject_k(subject, i) != 0 && i < 3; i++) {
        struct kernel_result result;
        struct failure failure = {0};
        options.k = kernel_subject_k(subject, i);
        options.buffer = 0;
        result = kernel_subject_run(subject.row, &options);
        uint32_t peak = result.counts.peak;
        if (peak == 0)
            return; /* a kernel of words */
        options.buffer = peak;
        kernel_subject_run(subject.row, &options);
        options.buffer = peak - 1;
        if (peak == 1)
            continue;
        enum failure_kind kind = kernel_run_row(subject.row, &options, &result, &failure);
        if (kind == FAIL_NONE && strcmp(result.method, "blocks") == 0) {
            ck_assert_uint_lt(result.counts.peak, peak); /* blocks are chosen by the capacity */
            continue;
        }
        ck_assert_int_eq(kind, FAIL_CHECK);
        ck_assert_msg(strstr(failure.text, "node") != NULL, "%s", failure.text);
    }
}
END_TEST

static uint64_t steps_of(const char *kernel, const char *method, struct kernel_options *options)
{
    options->method = method;
    return kernel_subject_run(kernel_row_of(kernel_find(kernel)), options).counts.steps;
}

/* Prefix computations last exactly the documented steps, with totals and without, in any tiles;
 * copies along segments as well, with both costs of a copy. */
START_TEST(documented_steps)
{
    for (int m = 0; m < MESH_COUNT; m++)
        for (uint32_t k = 1; k <= 5; k += 2) {
            struct mesh mesh = MESHES[m];
            uint64_t rows = mesh.rows, cols = mesh.cols, around = rows + cols - 2;
            struct kernel_options options = kernel_options_default();
            options.mesh = mesh;
            options.k = k;
            options.threads = 1;
            options.pattern = permutation_find("random");
            ck_assert_uint_eq(steps_of("prefix", "sum", &options), cols / 2 * 2 + rows - 1 + k - 1);
            ck_assert_uint_eq(steps_of("prefix", "total", &options),
                              cols / 2 * 2 + rows / 2 * 2 + k - 1);
            ck_assert_uint_eq(steps_of("broadcast", NULL, &options), 2 * around + 2 + 4 * (k - 1));
            options.copy_is_free = true;
            ck_assert_uint_eq(steps_of("broadcast", NULL, &options),
                              around == 0 && k > 1 ? 1 : around);
        }
}
END_TEST

void kernel_suite(TCase *tests)
{
    tcase_add_loop_test(tests, right_everywhere, 0, kernel_subjects());
    tcase_add_loop_test(tests, methods_are_told, 0, (int)kernel_count());
    tcase_add_test(tests, documented_steps);
    tcase_add_loop_test(tests, methods_are_documented, 0, (int)kernel_count());
    tcase_add_loop_test(tests, idleness_is_found, 0, kernel_subjects());
    tcase_add_loop_test(tests, exchange_is_found, 0, kernel_subjects());
    tcase_add_loop_test(tests, threads_change_nothing, 0, kernel_subjects());
    tcase_add_loop_test(tests, traces_are_clean, 0, kernel_subjects());
    tcase_add_loop_test(tests, capacity_binds, 0, kernel_subjects());
}
