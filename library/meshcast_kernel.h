/* meshcast_kernel.h - one primitive of the machine alone: sort, prefix, broadcast, route, .., for programs.
 *
 * A kernel makes its input from a pattern, runs in all tiles of a square mesh at once, and is checked
 * against a plain computation by another method. What each does is doc/kernels.md; `meshcast kernel` prints
 * the same figures. The error rule, ownership and threads are those of meshcast.h.
 */
#ifndef MESHCAST_KERNEL_H
#define MESHCAST_KERNEL_H

#include "meshcast.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

struct meshcast_kernel;

/* The kernel of that name; NULL, with MESHCAST_USAGE, if there is none. Not to be freed. */
const struct meshcast_kernel *meshcast_kernel_find(const char *name, struct meshcast_error *error);

/* All of them: their number, and kernel `index` below it. */
uint32_t meshcast_kernels(void);
const struct meshcast_kernel *meshcast_kernel_at(uint32_t index);

/* Its name, and what it does (a line). */
const char *meshcast_kernel_name(const struct meshcast_kernel *kernel);
const char *meshcast_kernel_summary(const struct meshcast_kernel *kernel);

/* The ways to do it: their number; the name of one, what it does (a line), and the k that it takes, *most_k
 * UINT32_MAX for any from *least_k on. The pointers may be NULL. The first one that takes k is the standard
 * for k. */
uint32_t meshcast_kernel_methods(const struct meshcast_kernel *kernel);
const char *meshcast_kernel_method(const struct meshcast_kernel *kernel, uint32_t index,
                                   const char **summary, uint32_t *least_k, uint32_t *most_k);

/* The names of the patterns, and how many there are. */
uint32_t meshcast_kernel_patterns(void);
const char *meshcast_kernel_pattern(uint32_t index);

/* What the kernel is to work on. A field of 0 or NULL takes the standard. */
struct meshcast_kernel_input {
    uint32_t side;       /* the mesh has side x side nodes, 1 .. 8192; no standard */
    uint32_t tiles;      /* a power of two, each with an input of its own; 1 */
    uint32_t k;          /* packets, sums or instances per node; 1 */
    uint32_t load;       /* percent of the nodes that hold packets, about, 1 .. 100; 100 */
    const char *pattern; /* of each tile: random, transpose, ..; random */
    const char *method;  /* one of the kernel's; the standard for k */
};

struct meshcast_kernel_result;

/* Runs the kernel and checks what came out. Of the options count the seed, threads, buffer and cost of
 * copies, the trace, the progress and the interrupt; `options` may be NULL. With MESHCAST_OK and
 * MESHCAST_CHECK *result is the caller's, else NULL. MESHCAST_CHECK: what came out is wrong, or a buffer
 * overflowed. MESHCAST_USAGE: the kernel does not take such an input or option. */
enum meshcast_status meshcast_kernel_run(const struct meshcast_kernel *kernel,
                                         const struct meshcast_kernel_input *input,
                                         const struct meshcast_options *options,
                                         struct meshcast_kernel_result **result,
                                         struct meshcast_error *error);
void meshcast_kernel_result_free(struct meshcast_kernel_result *result);

/* What the machine counted. */
enum meshcast_kernel_figure {
    MESHCAST_KERNEL_STEPS,
    MESHCAST_KERNEL_SYNC_STEPS, /* part of MESHCAST_KERNEL_STEPS */
    MESHCAST_KERNEL_BUFFER_PEAK,
    MESHCAST_KERNEL_BUFFER_PEAK_NODE,
    MESHCAST_KERNEL_BUFFER_PEAK_STEP,
    MESHCAST_KERNEL_PACKET_HOPS,
    MESHCAST_KERNEL_WORD_HOPS,
    MESHCAST_KERNEL_COPIES,
    MESHCAST_KERNEL_TILES, /* as used */
    MESHCAST_KERNEL_TILE_ROWS,
    MESHCAST_KERNEL_TILE_COLS, /* of a largest tile */
    MESHCAST_KERNEL_ITEMS,     /* packets or values that went in */
    MESHCAST_KERNEL_THREADS,   /* as used */
};
uint64_t meshcast_kernel_figure(const struct meshcast_kernel_result *result,
                                enum meshcast_kernel_figure figure);

/* The method that was used, and seconds of the kernel alone, without input and check. */
const char *meshcast_kernel_used_method(const struct meshcast_kernel_result *result);
double meshcast_kernel_wall_seconds(const struct meshcast_kernel_result *result);

/* Phases, whose steps add up to MESHCAST_KERNEL_STEPS; `steps` may be NULL. */
uint32_t meshcast_kernel_phases(const struct meshcast_kernel_result *result);
const char *meshcast_kernel_phase(const struct meshcast_kernel_result *result, uint32_t index,
                                  uint64_t *steps);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
