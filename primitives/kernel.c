/* kernel.c - the table of kernels, and the frame of every run: options, input, kernel, check,
 * result.
 *
 * A run: the options are checked against the kernel's methods; the mesh is cut into tiles; the
 * row's `prepare` makes the machine and its input; `run` is timed; `check` compares the result with
 * a plain computation. After any failure the machine's counts until then are reported. The input is
 * made in kernel_input.c; a row is one file, kernel_NAME.c.
 *
 * Cost: the kernel's own, and 4 bytes per node.
 */
#include "primitives/kernel.h"

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "base/suggestion.h"
#include "machine/ranks/ranks.h"
#include "primitives/kernel_row.h"
#include "workloads/permutation.h"

#include <stdlib.h>
#include <string.h>

/* a NULL follows the last */
static const struct kernel_row *const ROWS[] = {
    &kernel_sort_row,  &kernel_prefix_row,  &kernel_broadcast_row,
    &kernel_route_row, &kernel_migrate_row, NULL,
};

enum { KERNELS = sizeof ROWS / sizeof ROWS[0] - 1 };

uint32_t kernel_count(void)
{
    return KERNELS;
}

const struct kernel *kernel_at(uint32_t index)
{
    return &ROWS[index]->shown;
}

const struct kernel *kernel_find(const char *name)
{
    for (uint32_t i = 0; i < kernel_count(); i++)
        if (strcmp(kernel_at(i)->name, name) == 0)
            return kernel_at(i);
    return NULL;
}

const struct kernel_row *kernel_row_of(const struct kernel *kernel)
{
    uint32_t i = 0;
    while (kernel_at(i) != kernel)
        i++;
    return ROWS[i];
}

struct kernel_options kernel_options_default(void)
{
    return (struct kernel_options){.tiles = 1, .k = 1, .load = 100};
}

/* ---- options ---- */

const struct kernel_method *kernel_default_method(const struct kernel *kernel, uint32_t k)
{
    const struct kernel_method *method = kernel->methods;
    while (method->name != NULL && !kernel_method_takes(method, k))
        method++;
    return method;
}

void kernel_method_range(const struct kernel_method *method, char *text, size_t size)
{
    if (method->least_k == method->most_k)
        snprintf(text, size, "k = %u", method->least_k);
    else if (method->most_k < UINT32_MAX)
        snprintf(text, size, "k = %u .. %u", method->least_k, method->most_k);
    else if (method->least_k > 1)
        snprintf(text, size, "k = %u or more", method->least_k);
    else
        snprintf(text, size, "any k");
}

/* Writes "NAME (k = 1 .. 4), NAME (any k)" for all methods. */
static void methods_list(const struct kernel *kernel, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const struct kernel_method *method = kernel->methods; method->name != NULL && used < size;
         method++) {
        char range[40];
        kernel_method_range(method, range, sizeof range);
        used += (size_t)snprintf(text + used, size - used, "%s%s (%s)",
                                 method == kernel->methods ? "" : ", ", method->name, range);
    }
}

static const struct kernel_method *method_named(const struct kernel *kernel, const char *name)
{
    const struct kernel_method *method = kernel->methods;
    while (method->name != NULL && strcmp(method->name, name) != 0)
        method++;
    return method;
}

static const char *method_name_at(const void *methods, uint32_t index)
{
    const struct kernel_method *method = methods;
    return method[index].name;
}

static enum failure_kind fail_unknown_method(struct failure *failure, const struct kernel *kernel,
                                             const char *name)
{
    char singular[64], plural[64];
    snprintf(singular, sizeof singular, "method of kernel %s:", kernel->name);
    snprintf(plural, sizeof plural, "methods of kernel %s", kernel->name);
    struct name_family family = {singular, plural, "", method_name_at, kernel->methods};
    return fail_unknown_name(failure, &family, name);
}

/* Finds the method: the named one, or the default. */
static enum failure_kind method_choose(struct kernel_case *run, struct failure *failure)
{
    const char *name = run->options->method;
    const struct kernel *kernel = run->kernel;
    uint32_t k = run->options->k;
    const struct kernel_method *method =
        name != NULL ? method_named(kernel, name) : kernel_default_method(kernel, k);
    run->method = (uint32_t)(method - kernel->methods);
    if (method->name != NULL && kernel_method_takes(method, k))
        return FAIL_NONE;
    if (method->name == NULL && name != NULL)
        return fail_unknown_method(failure, kernel, name);
    char names[256];
    methods_list(kernel, names, sizeof names);
    if (name != NULL)
        return fail(failure, FAIL_USAGE, "method %s of kernel %s does not take k = %u; it has %s",
                    name, kernel->name, k, names);
    return fail(failure, FAIL_USAGE, "no method of kernel %s takes k = %u; it has %s", kernel->name,
                k, names);
}

static uint32_t floor_log2(uint32_t number)
{
    uint32_t log = 0;
    while (number >>= 1)
        log++;
    return log;
}

static enum failure_kind options_check(const struct kernel_options *options,
                                       struct failure *failure)
{
    struct mesh mesh = options->mesh;
    if (!mesh_is_valid(mesh.rows, mesh.cols))
        return fail(failure, FAIL_USAGE,
                    "a mesh of %u x %u is none; a side is 1 .. %d, with at most %d nodes",
                    mesh.rows, mesh.cols, MESH_MAX_SIDE, MESH_MAX_NODES);
    uint64_t most_tiles = (uint64_t)1 << (floor_log2(mesh.rows) + floor_log2(mesh.cols));
    bool is_power = options->tiles > 0 && (options->tiles & (options->tiles - 1)) == 0;
    if (!is_power || options->tiles > most_tiles)
        return fail(failure, FAIL_USAGE,
                    "%u x %u nodes cannot be cut into %llu tiles; the number is a power of two, "
                    "1 .. %llu",
                    mesh.rows, mesh.cols, (unsigned long long)options->tiles,
                    (unsigned long long)most_tiles);
    if (options->load < 1 || options->load > 100)
        return fail(failure, FAIL_USAGE, "a load of %u percent is none; it is 1 .. 100",
                    options->load);
    if (options->k < 1 || options->k > (UINT32_MAX - 1) / mesh_nodes(mesh))
        return fail(failure, FAIL_USAGE, "k = %u; on %u nodes k is 1 .. %u", options->k,
                    mesh_nodes(mesh), (UINT32_MAX - 1) / mesh_nodes(mesh));
    return FAIL_NONE;
}

/* ---- a run ---- */

static void result_fill(struct kernel_result *result, const struct kernel_case *run)
{
    const struct machine *machine = run->machine;
    result->counts = *machine_counts(machine);
    result->threads = machine_config(machine)->threads;
    result->threads_refused = run->threads_refused;
    result->items = run->items;
    snprintf(result->method, sizeof result->method, "%s", run->kernel->methods[run->method].name);
    for (uint32_t i = 0; i < machine_phases(machine); i++)
        if (machine_phase(machine, i)->steps > 0)
            result->phase[result->phases++] = *machine_phase(machine, i);
}

static enum failure_kind prepare(struct kernel_case *run, const struct kernel_row *row,
                                 struct failure *failure)
{
    run->injected = kernel_allocate(run, run->nodes, sizeof *run->injected);
    run->own = kernel_allocate(run, 1, row->own_bytes);
    if (run->lacks_memory)
        return fail_memory(failure, "the kernel's input");
    enum failure_kind kind = row->prepare(run, failure);
    /* before the injection ends, which may end the run: its report also has the sum */
    if (kind == FAIL_NONE)
        kind = machine_add_up(run->machine, &run->items, failure);
    return kind == FAIL_NONE ? machine_end_injection(run->machine, failure) : kind;
}

static enum failure_kind run_row(struct kernel_case *run, const struct kernel_row *row,
                                 struct kernel_result *result, struct failure *failure)
{
    enum failure_kind kind = prepare(run, row, failure);
    if (kind == FAIL_NONE) {
        double start = stopwatch_seconds();
        kind = row->run(run, failure);
        result->wall_seconds = stopwatch_seconds() - start;
    }
    if (kind == FAIL_NONE)
        kind = ranks_agree(run->options->ranks, row->check(run, failure), failure);
    if (run->machine != NULL) {
        if (kind == FAIL_NONE)
            kind = machine_finish_trace(run->machine, failure);
        result_fill(result, run);
    }
    tessellation_free(&run->blocks);
    machine_free(run->machine);
    for (uint32_t i = 0; i < run->arrays; i++)
        free(run->array[i]);
    return kind;
}

/* Makes everything known of a run before its input; `options` must outlive it. tessellation_free()
 * frees run->tiles. */
static enum failure_kind case_make(const struct kernel_row *row, struct kernel_options *options,
                                   struct kernel_case *run, struct failure *failure)
{
    *run = (struct kernel_case){.kernel = &row->shown,
                                .options = options,
                                .nodes = mesh_nodes(options->mesh),
                                .rows = ranks_rows(options->ranks, options->mesh.rows)};
    if (options->pattern == NULL)
        options->pattern = permutation_find("random");
    if (options_check(options, failure) != FAIL_NONE || method_choose(run, failure) != FAIL_NONE)
        return FAIL_USAGE;
    return tessellation_make(&run->tiles, options->mesh, options->tiles, failure);
}

enum failure_kind kernel_run_row(const struct kernel_row *row, const struct kernel_options *options,
                                 struct kernel_result *result, struct failure *failure)
{
    struct kernel_options full = *options;
    struct kernel_case run;
    *result = (struct kernel_result){.tiles = options->tiles};
    enum failure_kind kind = case_make(row, &full, &run, failure);
    if (kind != FAIL_NONE)
        return kind;
    struct mesh tile = kernel_largest_tile(&run);
    result->tile_rows = tile.rows;
    result->tile_cols = tile.cols;
    snprintf(result->method, sizeof result->method, "%s", row->shown.methods[run.method].name);
    kind = run_row(&run, row, result, failure);
    tessellation_free(&run.tiles);
    return kind;
}

enum failure_kind kernel_run(const struct kernel *kernel, const struct kernel_options *options,
                             struct kernel_result *result, struct failure *failure)
{
    return kernel_run_row(kernel_row_of(kernel), options, result, failure);
}
