/* kernel.h - the kernels by themselves: one table, inputs made from a pattern, runs that are
 * checked.
 *
 * A kernel is one primitive of this folder: it sorts, sums, copies or routes in all tiles of a mesh
 * at once. kernel_run makes its input, runs it on the emulated machine, and compares the result
 * with a plain computation of the host by another method. All figures of a result are the machine's
 * own counts.
 */
#ifndef MESHCAST_PRIMITIVES_KERNEL_H
#define MESHCAST_PRIMITIVES_KERNEL_H

#include "machine/machine.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { KERNEL_NAME_SIZE = 32 };

struct interrupt;
struct ranks;       /* machine/ranks/ranks.h */
struct permutation; /* workloads/permutation.h */

/* The options of a run. kernel_options_default() fills every field but the mesh. */
struct kernel_options {
    struct mesh mesh;
    uint64_t tiles; /* T tiles side by side, each with its own input; a power of two */
    const struct permutation *pattern; /* of each tile; NULL: random */
    uint32_t k;                        /* packets, sums or instances per node; at least 1 */
    uint32_t load;                     /* 1 .. 100: the percentage of nodes that hold packets */
    const char *method;                /* NULL: the kernel's default */
    uint64_t seed;
    uint32_t threads; /* 1 ..; 0: parallel_threads_for() */
    /* The run is split among ranks, all of which call kernel_run() with the same options, except
     * that only rank 0 has the trace. The result is the same at all of them. NULL: no ranks. */
    struct ranks *ranks;
    uint32_t buffer;   /* capacity B in packets per node; 0: unbounded */
    bool copy_is_free; /* false: rules 2 and 3 of the model */
    FILE *trace;       /* NULL: none; the caller opens and closes it */
    void (*progress)(void *context, uint64_t steps, const char *phase); /* may be NULL */
    void *progress_context;
    const struct interrupt *interrupt; /* ends the run once it is sent; NULL: none */
};

/* The machine's counts. A plain value: nothing to free. */
struct kernel_result {
    struct machine_counts counts;
    uint32_t phases;
    struct machine_phase phase[MACHINE_MAX_PHASES]; /* phases, whose steps add up to counts.steps */
    char method[KERNEL_NAME_SIZE];                  /* as used */
    uint32_t tile_rows, tile_cols;                  /* of a largest tile */
    uint64_t tiles, items;                          /* as used; packets or values of the input */
    uint32_t threads;                               /* as used: at most one per row */
    uint32_t threads_refused;                       /* refused by the system */
    /* of the kernel only, without input and check */
    double wall_seconds;
};

/* A method: a NAME of --param method=NAME, a line for people, the k that it accepts. */
struct kernel_method {
    const char *name, *summary;
    uint32_t least_k, most_k; /* UINT32_MAX: any from least_k on */
};

/* A row of the table of kernels. `methods` ends with a NULL name; the default for k is the first
 * that accepts k. */
struct kernel {
    const char *name, *summary;
    const struct kernel_method *methods;
};

static inline bool kernel_method_takes(const struct kernel_method *method, uint32_t k)
{
    return k >= method->least_k && k <= method->most_k;
}

/* Returns the default for k; the nameless end of the list if no method accepts k. */
const struct kernel_method *kernel_default_method(const struct kernel *kernel, uint32_t k);

/* Writes the k that `method` accepts: "k = 1", "k = 2 .. 8", "k = 2 or more", "any k". */
void kernel_method_range(const struct kernel_method *method, char *text, size_t size);

uint32_t kernel_count(void);
const struct kernel *kernel_at(uint32_t index);
const struct kernel *kernel_find(const char *name); /* or NULL */

struct kernel_options kernel_options_default(void);

/* Runs `kernel` and checks the result. FAIL_CHECK: it is wrong or a buffer overflowed (the text
 * says where); `result` is then filled as far as the run got. FAIL_USAGE: an option that the kernel
 * does not accept (the text says what it accepts). FAIL_SYSTEM: no memory, or the trace cannot be
 * written. */
enum failure_kind kernel_run(const struct kernel *kernel, const struct kernel_options *options,
                             struct kernel_result *result, struct failure *failure);

#endif
