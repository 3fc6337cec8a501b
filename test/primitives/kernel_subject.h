/* kernel_subject.h - the kernels and their methods, one after the other, for tests that loop. */
#ifndef MESHCAST_TEST_PRIMITIVES_KERNEL_SUBJECT_H
#define MESHCAST_TEST_PRIMITIVES_KERNEL_SUBJECT_H

#include "primitives/kernel_row.h"

struct kernel_subject {
    const struct kernel_row *row;
    const struct kernel_method *method;
};

int kernel_subjects(void);
struct kernel_subject kernel_subject_at(int index);

/* Returns number `index` (from 0) of the k that a test tries with a method, ascending; 0: no
 * more. */
uint32_t kernel_subject_k(struct kernel_subject subject, int index);

/* Returns options for one thread and a random pattern on `mesh`. */
struct kernel_options kernel_subject_options(struct kernel_subject subject, struct mesh mesh,
                                             uint32_t k);

/* Runs it with a trace; the test fails if that fails. Returns the trace's text; the caller frees
 * it. */
char *kernel_subject_trace(struct kernel_subject subject, struct kernel_options options,
                           struct kernel_result *result);

/* Runs `row`, which may be the subject's; the test fails, and names all options, if that fails. */
struct kernel_result kernel_subject_run(const struct kernel_row *row,
                                        const struct kernel_options *options);

#endif
