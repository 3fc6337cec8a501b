/* test_kernel.c - every kernel by its row of the table: every method, pattern, load and tiling.
 *
 * kernel_run checks each result against a plain computation. Here that is asked for on meshes of
 * all kinds, and the checks themselves are tested by rows that are spoiled: a kernel that does
 * nothing, and one whose result is exchanged between two nodes, must be found out.
 *
 * Oracles: the checks of the rows; the audit, which counts a trace by itself; equal bytes of the
 * trace for every number of threads.
 */
#include "cli/audit.h"
#include "machine/machine_private.h"
#include "primitives/kernel_private.h"
#include "workloads/permutation.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A kernel and one of its methods: what most tests loop over. */
struct subject {
    const struct kernel_row *row;
    const struct kernel_method *method;
};

static int subjects(void)
{
    int count = 0;
    for (uint32_t i = 0; i < kernel_count(); i++)
        for (const struct kernel_method *m = kernel_row_of(kernel_at(i))->methods; m->name; m++)
            count++;
    return count;
}

static struct subject subject_at(int index)
{
    for (uint32_t i = 0; i < kernel_count(); i++) {
        const struct kernel_row *row = kernel_row_of(kernel_at(i));
        for (const struct kernel_method *method = row->methods; method->name != NULL; method++)
            if (index-- == 0)
                return (struct subject){row, method};
    }
    ck_abort_msg("no such subject");
}

/* Load number `index` of those that a test tries; 0: no more of them. */
static uint32_t some_k(const struct kernel_method *method, int index)
{
    static const uint32_t wanted[] = {1, 2, 3, 5, 8};
    uint32_t last = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        uint32_t k = wanted[i] > method->least_k ? wanted[i] : method->least_k;
        k = k < method->most_k ? k : method->most_k;
        if (k != last && index-- == 0)
            return k;
        last = k;
    }
    return 0;
}

static struct kernel_options options_for(struct subject subject, struct mesh mesh, uint32_t k)
{
    struct kernel_options options = kernel_options_default();
    options.mesh = mesh;
    options.method = subject.method->name;
    options.k = k;
    options.threads = 1;
    return options;
}

static struct kernel_result run_well(const struct kernel_row *row,
                                     const struct kernel_options *options)
{
    struct kernel_result result;
    struct failure failure = {0};
    enum failure_kind kind = kernel_run_row(row, options, &result, &failure);
    ck_assert_msg(kind == FAIL_NONE,
                  "%s method=%s k=%u on %u x %u, %llu tiles, load %u, pattern %s, copies %s: %s",
                  row->shown.name, options->method, options->k, options->mesh.rows,
                  options->mesh.cols, (unsigned long long)options->tiles, options->load,
                  options->pattern == NULL ? "random" : options->pattern->name,
                  options->copy_is_free ? "free" : "unit", failure.text);
    return result;
}

/* ---- results ---- */

static const struct mesh MESHES[] = {{1, 1}, {1, 9},  {9, 1},  {2, 2},   {5, 7},
                                     {8, 8}, {3, 14}, {12, 9}, {16, 16}, {17, 13}};
enum { MESH_COUNT = sizeof MESHES / sizeof MESHES[0] };

/* Tilings of all sizes, full and partly empty, with both costs of a copy. */
static void run_mesh(struct subject subject, struct mesh mesh, uint32_t k)
{
    static const uint64_t tiles[] = {1, 2, 8, 16};
    struct kernel_options options = options_for(subject, mesh, k);
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
            run_well(subject.row, &options);
            options.load = 10 + 20 * (uint32_t)(options.seed % 5);
            run_well(subject.row, &options);
        }
    }
}

/* Every method gives the right result on every pattern, load, mesh and tiling that is tried. */
START_TEST(right_everywhere)
{
    struct subject subject = subject_at(_i);
    for (int m = 0; m < MESH_COUNT; m++)
        for (int i = 0; some_k(subject.method, i) != 0; i++)
            run_mesh(subject, MESHES[m], some_k(subject.method, i));
}
END_TEST

/* The lines that --help prints begin with the names of the row's methods, in their order. */
START_TEST(methods_are_told)
{
    const struct kernel_row *row = kernel_row_of(kernel_at((uint32_t)_i));
    const char *line = row->shown.methods;
    for (const struct kernel_method *method = row->methods; method->name != NULL; method++) {
        size_t length = strlen(method->name);
        ck_assert_msg(strncmp(line, method->name, length) == 0 && strchr(" :,", line[length]),
                      "%s: '%s' where %s was expected", row->shown.name, line, method->name);
        ck_assert_uint_ge(method->least_k, 1);
        ck_assert_uint_ge(method->most_k, method->least_k);
        line = strchr(line, '\n') == NULL ? "" : strchr(line, '\n') + 1;
    }
    ck_assert_str_eq(line, "");
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
    struct subject subject = subject_at(_i);
    struct kernel_row lazy = *subject.row;
    struct kernel_options options = options_for(subject, (struct mesh){9, 8}, 1);
    struct kernel_result result;
    struct failure failure = {0};
    lazy.run = do_nothing;
    options.seed = 2; /* few starts of segments, or none, are drawn from some seeds */
    options.k = some_k(subject.method, 0);
    options.load = 60;
    ck_assert_int_eq(kernel_run_row(&lazy, &options, &result, &failure), FAIL_CHECK);
    ck_assert_str_ne(failure.text, "");
    ck_assert_uint_eq(result.counts.steps, 0);
}
END_TEST

/* The row whose `run` the spoiled one calls first; a test runs in a process of its own. */
static const struct kernel_row *spoiled_row;

/* Exchanges what rests at the first and the last node at which something rests. */
static enum failure_kind run_and_exchange(struct kernel_case *run, struct failure *failure)
{
    enum failure_kind kind = spoiled_row->run(run, failure);
    struct machine *machine = run->machine;
    node_index first = 0, last = run->nodes - 1;
    while (first < last && machine->resting_first[first] == MACHINE_NONE)
        first++;
    while (last > first && machine->resting_first[last] == MACHINE_NONE)
        last--;
    uint32_t moved = machine->resting_first[first];
    machine->resting_first[first] = machine->resting_first[last];
    machine->resting_first[last] = moved;
    return kind;
}

/* A result that is wrong at two nodes is found out, where packets rest in the end. */
START_TEST(exchange_is_found)
{
    struct subject subject = subject_at(_i);
    struct kernel_row wrong = *subject.row;
    struct kernel_options options = options_for(subject, (struct mesh){7, 10}, 1);
    struct kernel_result result;
    struct failure failure = {0};
    options.k = some_k(subject.method, 0);
    result = run_well(subject.row, &options);
    if (result.counts.peak == 0)
        return; /* a kernel of words */
    spoiled_row = subject.row;
    wrong.run = run_and_exchange;
    ck_assert_int_eq(kernel_run_row(&wrong, &options, &result, &failure), FAIL_CHECK);
    ck_assert_str_ne(failure.text, "");
}
END_TEST

/* ---- counts and traces ---- */

/* Runs with a trace; gives its text, to be freed. */
static char *traced(struct subject subject, struct kernel_options options,
                    struct kernel_result *result)
{
    char *text = NULL;
    size_t size = 0;
    options.trace = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(options.trace);
    *result = run_well(subject.row, &options);
    fclose(options.trace);
    return text;
}

/* One thread or several, traced or not: the same counts, the same bytes. */
START_TEST(threads_change_nothing)
{
    struct subject subject = subject_at(_i);
    for (uint64_t tiles = 1; tiles <= 4; tiles *= 4) {
        struct kernel_options options = options_for(subject, (struct mesh){13, 10}, 1);
        struct kernel_result first, result;
        options.k =
            some_k(subject.method, 1) != 0 ? some_k(subject.method, 1) : some_k(subject.method, 0);
        options.tiles = tiles;
        options.seed = 7;
        options.load = 90;
        char *expected = traced(subject, options, &first);
        for (options.threads = 1; options.threads <= 4; options.threads++) {
            char *text = traced(subject, options, &result);
            ck_assert_msg(strcmp(text, expected) == 0, "%u threads", options.threads);
            free(text);
            result = run_well(subject.row, &options);
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
    char path[] = "/tmp/meshcast-kernel-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    struct audit_report report;
    struct failure failure = {0};
    ck_assert_ptr_nonnull(file);
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
    struct subject subject = subject_at(_i);
    struct kernel_options options = options_for(subject, (struct mesh){1, 1}, 1);
    for (int m = 0; m < MESH_COUNT; m++)
        for (int i = 0; some_k(subject.method, i) != 0 && i < 3; i++) {
            struct kernel_result result;
            options.mesh = MESHES[m];
            options.k = some_k(subject.method, i);
            options.seed++;
            options.copy_is_free = options.seed % 2 == 0;
            options.load = options.seed % 3 == 0 ? 70 : 100;
            options.tiles = mesh_nodes(MESHES[m]) > 30 && m % 2 == 1 ? 4 : 1;
            options.pattern = permutation_at((uint32_t)options.seed % permutation_count());
            char *text = traced(subject, options, &result);
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
    struct subject subject = subject_at(_i);
    struct kernel_options options = options_for(subject, (struct mesh){12, 11}, 1);
    for (int i = 0; some_k(subject.method, i) != 0 && i < 3; i++) {
        struct kernel_result result;
        struct failure failure = {0};
        options.k = some_k(subject.method, i);
        options.buffer = 0;
        result = run_well(subject.row, &options);
        uint32_t peak = result.counts.peak;
        if (peak == 0)
            return; /* a kernel of words */
        options.buffer = peak;
        run_well(subject.row, &options);
        options.buffer = peak - 1;
        if (peak == 1)
            continue;
        enum failure_kind kind = kernel_run_row(subject.row, &options, &result, &failure);
        ck_assert_int_eq(kind, FAIL_CHECK);
        ck_assert_msg(strstr(failure.text, "node") != NULL, "%s", failure.text);
    }
}
END_TEST

Suite *kernel_suite(void)
{
    Suite *suite = suite_create("kernel");
    TCase *tests = tcase_create("kernel");
    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, right_everywhere, 0, subjects());
    tcase_add_loop_test(tests, methods_are_told, 0, (int)kernel_count());
    tcase_add_loop_test(tests, idleness_is_found, 0, subjects());
    tcase_add_loop_test(tests, exchange_is_found, 0, subjects());
    tcase_add_loop_test(tests, threads_change_nothing, 0, subjects());
    tcase_add_loop_test(tests, traces_are_clean, 0, subjects());
    tcase_add_loop_test(tests, capacity_binds, 0, subjects());
    suite_add_tcase(suite, tests);
    return suite;
}
