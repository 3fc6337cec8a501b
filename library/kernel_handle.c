/* kernel_handle.c - the kernels and their runs as handles: `meshcast kernel` for programs. */
#include "base/output_file.h"
#include "base/suggestion.h"
#include "library/handle_private.h"
#include "library/meshcast_kernel.h"
#include "library/run_files.h"
#include "primitives/kernel.h"
#include "workloads/permutation.h"

#include <stdlib.h>
#include <string.h>

struct meshcast_kernel_result {
    struct kernel_result result;
};

static const struct kernel *kernel_of(const struct meshcast_kernel *kernel)
{
    return (const struct kernel *)kernel;
}

/* ---- the tables ---- */

static const char *kernel_name_at(const void *context, uint32_t index)
{
    (void)context;
    return index < kernel_count() ? kernel_at(index)->name : NULL;
}

static const struct name_family kernel_names = {"kernel", "kernels", "", kernel_name_at, NULL};

static const char *pattern_name_at(const void *context, uint32_t index)
{
    (void)context;
    return index < permutation_count() ? permutation_at(index)->name : NULL;
}

static const struct name_family permutation_names = {"pattern", "patterns", "", pattern_name_at,
                                                     NULL};

const struct meshcast_kernel *meshcast_kernel_find(const char *name, struct meshcast_error *error)
{
    struct failure failure = {0};
    const struct kernel *kernel = kernel_find(name);
    if (kernel == NULL)
        fail_unknown_name(&failure, &kernel_names, name);
    error_give(error, &failure);
    return (const struct meshcast_kernel *)kernel;
}

uint32_t meshcast_kernels(void)
{
    return kernel_count();
}

const struct meshcast_kernel *meshcast_kernel_at(uint32_t index)
{
    return (const struct meshcast_kernel *)kernel_at(index);
}

const char *meshcast_kernel_name(const struct meshcast_kernel *kernel)
{
    return kernel_of(kernel)->name;
}

const char *meshcast_kernel_summary(const struct meshcast_kernel *kernel)
{
    return kernel_of(kernel)->summary;
}

uint32_t meshcast_kernel_methods(const struct meshcast_kernel *kernel)
{
    uint32_t count = 0;
    while (kernel_of(kernel)->methods[count].name != NULL)
        count++;
    return count;
}

const char *meshcast_kernel_method(const struct meshcast_kernel *kernel, uint32_t index,
                                   const char **summary, uint32_t *least_k, uint32_t *most_k)
{
    const struct kernel_method *method = &kernel_of(kernel)->methods[index];
    if (summary != NULL)
        *summary = method->summary;
    if (least_k != NULL)
        *least_k = method->least_k;
    if (most_k != NULL)
        *most_k = method->most_k;
    return method->name;
}

uint32_t meshcast_kernel_patterns(void)
{
    return permutation_count();
}

const char *meshcast_kernel_pattern(uint32_t index)
{
    return permutation_at(index)->name;
}

/* ---- runs ---- */

enum { MOST_SIDE = 8192 };

static enum failure_kind fill_options(const struct meshcast_kernel_input *input,
                                      const struct meshcast_options *given,
                                      struct kernel_options *options, struct failure *failure)
{
    *options = kernel_options_default();
    if (input->side < 1 || input->side > MOST_SIDE)
        return fail(failure, FAIL_USAGE, "a kernel on a mesh of side %u; expected 1 to %d",
                    input->side, MOST_SIDE);
    if (input->load > 100)
        return fail(failure, FAIL_USAGE, "load is a percentage, 1 .. 100, not '%u'", input->load);
    options->mesh = (struct mesh){input->side, input->side};
    options->tiles = input->tiles == 0 ? options->tiles : input->tiles;
    options->k = input->k == 0 ? options->k : input->k;
    options->load = input->load == 0 ? options->load : input->load;
    options->method = input->method;
    options->seed = given->router.seed;
    options->threads = given->router.threads;
    options->buffer = given->router.buffer;
    options->copy_is_free = given->router.copy_is_free;
    options->progress = given->router.progress;
    options->progress_context = given->router.progress_context;
    options->interrupt = given->router.interrupt;
    options->pattern = permutation_find(input->pattern == NULL ? "random" : input->pattern);
    if (options->pattern == NULL)
        return fail_unknown_name(failure, &permutation_names, input->pattern);
    return FAIL_NONE;
}

static enum failure_kind run(const struct kernel *kernel, const struct meshcast_kernel_input *input,
                             const struct meshcast_options *given, struct kernel_result *result,
                             struct failure *failure)
{
    struct kernel_options options;
    struct output_file trace;
    struct failure unwritten = {0};
    if (fill_options(input, given, &options, failure) != FAIL_NONE ||
        output_file_open(&trace, given->file[MESHCAST_TRACE], failure) != FAIL_NONE)
        return failure->kind;
    options.trace = trace.file;
    kernel_run(kernel, &options, result, failure);
    if (output_file_close(&trace, run_has_figures(failure), &unwritten) != FAIL_NONE)
        *failure = unwritten;
    return failure->kind;
}

enum meshcast_status meshcast_kernel_run(const struct meshcast_kernel *kernel,
                                         const struct meshcast_kernel_input *input,
                                         const struct meshcast_options *options,
                                         struct meshcast_kernel_result **result,
                                         struct meshcast_error *error)
{
    struct failure failure = {0};
    *result = memory_allocate(1, sizeof **result);
    if (*result == NULL)
        fail_memory(&failure, "a result");
    else
        run(kernel_of(kernel), input, options_or_standard(options), &(*result)->result, &failure);
    if (!run_has_figures(&failure)) {
        meshcast_kernel_result_free(*result);
        *result = NULL;
    }
    return error_give(error, &failure);
}

void meshcast_kernel_result_free(struct meshcast_kernel_result *result)
{
    free(result);
}

uint64_t meshcast_kernel_figure(const struct meshcast_kernel_result *result,
                                enum meshcast_kernel_figure figure)
{
    const struct kernel_result *inner = &result->result;
    const struct machine_counts *counts = &inner->counts;
    const uint64_t figures[] = {
        [MESHCAST_KERNEL_STEPS] = counts->steps,
        [MESHCAST_KERNEL_SYNC_STEPS] = counts->sync_steps,
        [MESHCAST_KERNEL_BUFFER_PEAK] = counts->peak,
        [MESHCAST_KERNEL_BUFFER_PEAK_NODE] = counts->peak_node,
        [MESHCAST_KERNEL_BUFFER_PEAK_STEP] = counts->peak_step,
        [MESHCAST_KERNEL_PACKET_HOPS] = counts->packet_hops,
        [MESHCAST_KERNEL_WORD_HOPS] = counts->word_hops,
        [MESHCAST_KERNEL_COPIES] = counts->copies,
        [MESHCAST_KERNEL_TILES] = inner->tiles,
        [MESHCAST_KERNEL_TILE_ROWS] = inner->tile_rows,
        [MESHCAST_KERNEL_TILE_COLS] = inner->tile_cols,
        [MESHCAST_KERNEL_ITEMS] = inner->items,
        [MESHCAST_KERNEL_THREADS] = inner->threads,
    };
    return (size_t)figure < sizeof figures / sizeof *figures ? figures[figure] : 0;
}

const char *meshcast_kernel_used_method(const struct meshcast_kernel_result *result)
{
    return result->result.method;
}

double meshcast_kernel_wall_seconds(const struct meshcast_kernel_result *result)
{
    return result->result.wall_seconds;
}

uint32_t meshcast_kernel_phases(const struct meshcast_kernel_result *result)
{
    return result->result.phases;
}

const char *meshcast_kernel_phase(const struct meshcast_kernel_result *result, uint32_t index,
                                  uint64_t *steps)
{
    if (steps != NULL)
        *steps = result->result.phase[index].steps;
    return result->result.phase[index].name;
}
