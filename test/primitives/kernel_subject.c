/* kernel_subject.c - the kernels and their methods, one after the other, for tests that loop. */
#include "test/primitives/kernel_subject.h"

#include "workloads/permutation.h"

#include <check.h>

int kernel_subjects(void)
{
    int count = 0;
    for (uint32_t i = 0; i < kernel_count(); i++)
        for (const struct kernel_method *m = kernel_at(i)->methods; m->name; m++)
            count++;
    return count;
}

struct kernel_subject kernel_subject_at(int index)
{
    for (uint32_t i = 0; i < kernel_count(); i++) {
        const struct kernel_row *row = kernel_row_of(kernel_at(i));
        for (const struct kernel_method *method = row->shown.methods; method->name != NULL;
             method++)
            if (index-- == 0)
                return (struct kernel_subject){row, method};
    }
    ck_abort_msg("no such subject");
}

uint32_t kernel_subject_k(struct kernel_subject subject, int index)
{
    static const uint32_t wanted[] = {1, 2, 5};
    const struct kernel_method *method = subject.method;
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

struct kernel_options kernel_subject_options(struct kernel_subject subject, struct mesh mesh,
                                             uint32_t k)
{
    struct kernel_options options = kernel_options_default();
    options.mesh = mesh;
    options.method = subject.method->name;
    options.pattern = permutation_find("random");
    options.k = k;
    options.threads = 1;
    return options;
}

struct kernel_result kernel_subject_run(const struct kernel_row *row,
                                        const struct kernel_options *options)
{
    struct kernel_result result;
    struct failure failure = {0};
    enum failure_kind kind = kernel_run_row(row, options, &result, &failure);
    ck_assert_msg(
        kind == FAIL_NONE,
        "%s method=%s k=%u on %u x %u, %llu tiles, load %u, pattern %s, seed %llu, %s copies: %s",
        row->shown.name, options->method, options->k, options->mesh.rows, options->mesh.cols,
        (unsigned long long)options->tiles, options->load, options->pattern->name,
        (unsigned long long)options->seed, options->copy_is_free ? "free" : "unit", failure.text);
    return result;
}

char *kernel_subject_trace(struct kernel_subject subject, struct kernel_options options,
                           struct kernel_result *result)
{
    char *text = NULL;
    size_t size = 0;
    options.trace = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(options.trace);
    *result = kernel_subject_run(subject.row, &options);
    fclose(options.trace);
    return text;
}
