/* test_prefix_sparse.c - prefix computations in which few nodes put something in, against
 * prefix_snake on the same items. */
#include "primitives/prefix_sparse.h"

#include "base/pcg.h"
#include "test/machine/machine_run.h"
#include "test/ranks/ranks_case.h"
#include "test/ranks/ranks_threads.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's */

Suite *prefix_sparse_suite(void);

/* Maps x -> a x + b modulo 2^32, first `before`, then `after`: associative, without commutation. */
static uint64_t then(uint64_t before, uint64_t after)
{
    uint32_t a = (uint32_t)(before >> 32), b = (uint32_t)before;
    uint32_t c = (uint32_t)(after >> 32), d = (uint32_t)after;
    return (uint64_t)(a * c) << 32 | (uint32_t)(b * c + d);
}

static const struct prefix_operator MAPS = {UINT64_C(1) << 32, then};

/* A mesh, its tiles, the entries of its rows, and the same items as prefix_snake wants them. */
struct example {
    struct mesh mesh;
    struct tessellation tessellation;
    struct prefix_list list;
    struct prefix_entry *entry;
    size_t entries;
    uint64_t *value; /* [item][node]; 0: the node has none */
};

/* Each node has an entry for an item in `share` of 8 cases. */
static void example_make(struct example *example, struct mesh mesh, uint64_t tiles, uint32_t count,
                         uint32_t share, struct pcg32 *random)
{
    size_t nodes = mesh_nodes(mesh);
    *example = (struct example){.mesh = mesh, .list = {.operation = &MAPS, .count = count}};
    ck_assert_int_eq(tessellation_make(&example->tessellation, mesh, tiles, NULL), FAIL_NONE);
    example->entry = calloc(nodes * count, sizeof *example->entry);
    example->value = calloc(nodes * count, sizeof *example->value);
    example->list.row = calloc(mesh.rows, sizeof *example->list.row);
    for (node_index node = 0; node < nodes; node++) {
        struct prefix_row *row = &example->list.row[node / mesh.cols];
        if (node % mesh.cols == 0)
            row->entry = example->entry + example->entries;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t item = node % 3 == 0 ? count - 1 - i : i; /* in any order */
            if (pcg32_below(random, 8) >= share)
                continue;
            uint64_t value = (uint64_t)pcg32_next(random) << 32 | pcg32_next(random) | 1;
            example->value[item * nodes + node] = value;
            example->entry[example->entries++] =
                (struct prefix_entry){.value = value, .node = node, .item = item};
            row->count++;
        }
    }
}

static void example_free(struct example *example)
{
    tessellation_free(&example->tessellation);
    free(example->entry);
    free(example->value);
    free(example->list.row);
}

static uint64_t *find(void *context, uint32_t item, struct site site)
{
    struct example *example = context;
    uint64_t *value = &example->value[(size_t)item * mesh_nodes(example->mesh) + site.index];
    return *value == 0 ? NULL : value;
}

static void plain(struct example *example, struct machine *machine)
{
    struct prefix_items items = {
        .operation = &MAPS, .count = example->list.count, .find = find, .context = example};
    machine_begin_phase(machine, "prefix");
    ck_assert_int_eq(prefix_snake(machine, &example->tessellation, &items, NULL), FAIL_NONE);
}

static void sparse(struct example *example, struct machine *machine)
{
    machine_begin_phase(machine, "prefix");
    ck_assert_int_eq(prefix_sparse(machine, &example->tessellation, &example->list, NULL),
                     FAIL_NONE);
}

static bool values_agree(const struct example *example)
{
    for (size_t i = 0; i < example->entries; i++) {
        const struct prefix_entry *entry = &example->entry[i];
        if (entry->value !=
            example->value[(size_t)entry->item * mesh_nodes(example->mesh) + entry->node])
            return false;
    }
    return true;
}

/* Twice on one machine: values, steps and words are those of prefix_snake. */
static void check_example(struct mesh mesh, uint64_t tiles, uint32_t threads, struct pcg32 *random)
{
    struct machine_config config = {
        .mesh = mesh, .threads = threads < mesh.rows ? threads : mesh.rows, .kernel = "test"};
    struct machine *machine[2] = {machine_create(&config, NULL), machine_create(&config, NULL)};
    uint32_t count = 1 + pcg32_below(random, 9), share = pcg32_below(random, 9);
    for (int turn = 0; turn < 2; turn++) {
        struct example example;
        example_make(&example, mesh, tiles, count, share, random);
        plain(&example, machine[0]);
        sparse(&example, machine[1]);
        ck_assert_msg(values_agree(&example), "%u x %u, %u tiles, %u items, %u threads", mesh.rows,
                      mesh.cols, (unsigned)tiles, count, threads);
        ck_assert_uint_eq(machine_counts(machine[0])->steps, machine_counts(machine[1])->steps);
        ck_assert_uint_eq(machine_counts(machine[0])->word_hops,
                          machine_counts(machine[1])->word_hops);
        example_free(&example);
    }
    machine_free(machine[0]);
    machine_free(machine[1]);
}

/* every mesh up to 7 x 7 and all its tessellations, with 1 to 9 items */
START_TEST(small_meshes)
{
    struct pcg32 random = pcg32_seed(7, 77);
    for (uint32_t rows = 1; rows <= 7; rows++)
        for (uint32_t cols = 1; cols <= 7; cols++)
            for (uint64_t tiles = 1; tiles <= rows * cols; tiles *= 2)
                for (uint32_t threads = 1; threads <= 2; threads++)
                    check_example((struct mesh){rows, cols}, tiles, threads, &random);
}
END_TEST

/* narrow, odd and larger meshes, with tiles of two sizes, on 1 to 4 threads */
START_TEST(larger_meshes)
{
    static const struct mesh meshes[] = {{1, 100}, {100, 1}, {2, 65},   {65, 2}, {17, 31},
                                         {32, 32}, {33, 40}, {64, 129}, {1, 2}};
    struct pcg32 random = pcg32_seed(8, 77);
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++)
        for (uint64_t tiles = 1; tiles <= 64; tiles *= 4)
            for (uint32_t threads = 1; threads <= 4; threads++)
                check_example(meshes[i], tiles, threads, &random);
}
END_TEST

/* An example on ranks, each of which writes the entries or values of its own rows. */
struct ranks_example {
    struct example *example;
    uint32_t threads;
    bool is_sparse;
    uint64_t steps, word_hops;
};

static enum failure_kind compute_on_rank(void *context, struct ranks *ranks,
                                         struct failure *failure)
{
    const struct ranks_example *shared = context;
    struct machine_config config = {.mesh = shared->example->mesh,
                                    .threads = shared->threads,
                                    .ranks = ranks,
                                    .has_names = true,
                                    .kernel = "test"};
    struct machine *machine = machine_create(&config, failure);
    HOLDS(machine != NULL);
    (shared->is_sparse ? sparse : plain)(shared->example, machine);
    bool is_same = machine_counts(machine)->steps == shared->steps &&
                   machine_counts(machine)->word_hops == shared->word_hops;
    machine_free(machine);
    HOLDS(is_same);
    return FAIL_NONE;
}

/* both ways on 2 to 5 ranks, with 1 and 2 threads each: values, steps and words are those of prefix_snake alone */
START_TEST(on_ranks)
{
    static const struct mesh meshes[] = {{5, 3}, {17, 31}, {65, 2}, {33, 70}};
    struct pcg32 random = pcg32_seed(10, 77);
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        for (uint32_t size = 2; size <= MOST_RANKS; size++) {
            struct example example, again;
            struct pcg32 same = random;
            uint64_t tiles = size % 2 == 0 ? 1 : 4;
            example_make(&example, meshes[i], tiles, size, 2, &random);
            example_make(&again, meshes[i], tiles, size, 2, &same);
            struct machine_config config = {.mesh = meshes[i], .threads = 1, .kernel = "test"};
            struct machine *alone = machine_create(&config, NULL);
            plain(&example, alone);
            const struct machine_counts *counts = machine_counts(alone);
            struct ranks_example shared = {&example, 1 + size % 2, true, counts->steps,
                                           counts->word_hops};
            for (int k = 0; k < 2; k++) {
                struct failure failure = {0};
                enum failure_kind kind =
                    ranks_run_threads(size, compute_on_rank, &shared, &failure);
                ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
                shared.example = &again;
                shared.is_sparse = false;
            }
            ck_assert(values_agree(&example));
            ck_assert_mem_eq(again.value, example.value,
                             size * mesh_nodes(meshes[i]) * sizeof *example.value);
            machine_free(alone);
            example_free(&example);
            example_free(&again);
        }
    }
}
END_TEST

static int compare_lines(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* The lines of a trace in the order of their letters: that of a step's events is the machine's affair. */
static void sort_lines(char *text)
{
    size_t size = strlen(text) + 1, count = 0;
    char *copy = malloc(size), **line = calloc(size, sizeof *line);
    ck_assert(copy != NULL && line != NULL);
    memcpy(copy, text, size);
    for (char *at = strtok(copy, "\n"); at != NULL; at = strtok(NULL, "\n"))
        line[count++] = at;
    qsort(line, count, sizeof *line, compare_lines);
    *text = '\0';
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(line[i]);
        memcpy(text, line[i], length);
        text[length] = '\n';
        text += length + 1;
    }
    *text = '\0';
    free(line);
    free(copy);
}

/* an observer sees the very words of prefix_snake, and they obey the rules */
START_TEST(observed)
{
    struct pcg32 random = pcg32_seed(9, 77);
    struct example example;
    char *text[2];
    example_make(&example, (struct mesh){13, 10}, 4, 3, 2, &random);
    for (int i = 0; i < 2; i++) {
        struct machine_run run;
        run_start(&run, 13, 10, (struct machine_config){.threads = 2});
        if (i == 0)
            plain(&example, run.machine);
        else
            sparse(&example, run.machine);
        run_audit(&run);
        text[i] = run_text(&run);
        run_end(&run);
    }
    ck_assert(values_agree(&example));
    sort_lines(text[0]);
    sort_lines(text[1]);
    ck_assert(strcmp(text[0], text[1]) == 0);
    free(text[0]);
    free(text[1]);
    example_free(&example);
}
END_TEST

Suite *prefix_sparse_suite(void)
{
    Suite *suite = suite_create("prefix_sparse");
    TCase *tests = tcase_create("prefix_sparse");
    tcase_add_test(tests, small_meshes);
    tcase_add_test(tests, larger_meshes);
    tcase_add_test(tests, on_ranks);
    tcase_add_test(tests, observed);
    suite_add_tcase(suite, tests);
    return suite;
}
