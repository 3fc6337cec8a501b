/* set_handle.c - message sets as handles: made, read, written, asked.
 *
 * Method: every way to a set ends in set_measure(), which takes the figures and bounds once, so that
 * a handle never changes after it is made and threads may share it.
 * Cost: that of the inner function, and O(n + deliveries log n) for the bounds.
 */
#include "base/suggestion.h"
#include "library/handle_private.h"
#include "library/output_file.h"
#include "workloads/import.h"
#include "workloads/pattern_inputs.h"

#include <stdlib.h>
#include <string.h>

static struct meshcast_set *set_new(struct failure *failure)
{
    struct meshcast_set *set = memory_allocate(1, sizeof *set);
    if (set == NULL)
        fail_memory(failure, "a message set");
    return set;
}

/* The end of every way: the figures of a set that is there, or nothing is left of it. */
static struct meshcast_set *set_measure(struct meshcast_set *set, struct failure *failure,
                                        struct meshcast_error *error)
{
    if (set != NULL && failure->kind == FAIL_NONE)
        instance_measure(&set->instance, MEMORY_NO_LIMIT, failure);
    if (error_give(error, failure) == MESHCAST_OK)
        return set;
    meshcast_set_free(set);
    return NULL;
}

static enum failure_kind check_mesh(uint32_t rows, uint32_t cols, struct failure *failure)
{
    if (mesh_is_valid(rows, cols))
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "a mesh of %u x %u nodes; expected sides of 1 to %d and at most %d nodes", rows,
                cols, MESH_MAX_SIDE, MESH_MAX_NODES);
}

static enum failure_kind check_pairs(struct mesh mesh, uint64_t pairs, const uint32_t *from,
                                     const uint32_t *to, struct failure *failure)
{
    if (pairs >= UINT32_MAX)
        return fail(failure, FAIL_USAGE, "%llu pairs; the most is %u", (unsigned long long)pairs,
                    UINT32_MAX - 1);
    for (uint64_t i = 0; i < pairs; i++)
        if (from[i] >= mesh_nodes(mesh) || to[i] >= mesh_nodes(mesh))
            return fail(failure, FAIL_USAGE,
                        "pair %llu goes from node %u to node %u; the nodes are 0 to %u",
                        (unsigned long long)i, from[i], to[i], mesh_nodes(mesh) - 1);
    return FAIL_NONE;
}

struct meshcast_set *meshcast_set_from_pairs(uint32_t rows, uint32_t cols, uint64_t pairs,
                                             const uint32_t *from, const uint32_t *to,
                                             struct meshcast_error *error)
{
    struct failure failure = {0};
    struct mesh mesh = {rows, cols};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL && check_mesh(rows, cols, &failure) == FAIL_NONE &&
        check_pairs(mesh, pairs, from, to, &failure) == FAIL_NONE)
        message_set_from_pairs(&set->instance.set, shape_of_mesh(mesh), pairs, from, to, &failure);
    return set_measure(set, &failure, error);
}

struct meshcast_set *meshcast_set_read(const char *path, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL)
        message_set_read_machine(&set->instance.set, path, MEMORY_NO_LIMIT, &failure);
    return set_measure(set, &failure, error);
}

struct meshcast_set *meshcast_set_parse(const void *bytes, size_t length, const char *name,
                                        struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL &&
        message_set_read_memory(&set->instance.set, bytes, length, name, &failure) == FAIL_NONE)
        message_set_fit_machine(&set->instance.set, name, MEMORY_NO_LIMIT, &failure);
    return set_measure(set, &failure, error);
}

/* The inputs that the plan names, as options of `gen`. */
static enum failure_kind take_inputs(const struct meshcast_generate *plan,
                                     struct pattern_inputs *inputs, struct failure *failure)
{
    *inputs = (struct pattern_inputs){.per_node = plan->per_node,
                                      .experts = plan->experts,
                                      .layer = plan->layer,
                                      .groups = plan->groups,
                                      .skew = plan->skew,
                                      .matrix = plan->populations,
                                      .active = plan->active};
    if (!(plan->active >= 0 && plan->active <= 1))
        return fail(failure, FAIL_USAGE, "active is %g; expected 0, for 1, or up to 1",
                    plan->active);
    for (const char *const *name = expert_order_names; plan->place != NULL; name++) {
        if (*name == NULL)
            return fail(failure, FAIL_USAGE, "no place is named '%.40s'; the places are %s, %s",
                        plan->place, expert_order_names[0], expert_order_names[1]);
        if (strcmp(*name, plan->place) == 0)
            break;
        inputs->place++;
    }
    return FAIL_NONE;
}

static enum failure_kind generate(const struct meshcast_generate *plan, struct message_set *set,
                                  struct failure *failure)
{
    struct pattern_options options = {.mesh = {plan->rows, plan->cols},
                                      .degree = plan->degree,
                                      .congestion = plan->congestion,
                                      .seed = plan->seed};
    struct pattern_inputs inputs;
    struct pattern_files files = {{0}, {0}};
    const struct pattern *pattern = plan->pattern == NULL ? NULL : pattern_find(plan->pattern);
    if (check_mesh(plan->rows, plan->cols, failure) != FAIL_NONE)
        return failure->kind;
    if (pattern == NULL)
        return fail_unknown_name(failure, &pattern_names,
                                 plan->pattern == NULL ? "" : plan->pattern);
    if (pattern->needs & PATTERN_GRAPH)
        return fail(failure, FAIL_USAGE,
                    "pattern %s needs a graph, which 'meshcast gen --against' reads; write the set "
                    "to a file and read that",
                    pattern->name);
    if (take_inputs(plan, &inputs, failure) == FAIL_NONE &&
        pattern_inputs_check(&inputs, &pattern, 1, failure) == FAIL_NONE &&
        pattern_inputs_read(&inputs, &files, failure) == FAIL_NONE) {
        pattern_inputs_enter(&inputs, &files, pattern, &options);
        pattern_generate(pattern, &options, set, failure);
    }
    pattern_files_free(&files);
    return failure->kind;
}

struct meshcast_set *meshcast_set_generate(const struct meshcast_generate *plan,
                                           struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL)
        generate(plan, &set->instance.set, &failure);
    return set_measure(set, &failure, error);
}

static enum failure_kind import(const char *path, const struct meshcast_import *how,
                                struct message_set *set, struct failure *failure)
{
    struct import_options options = {
        .side = how->side,
        .drop_diagonal = how->drops_diagonal,
        .seed = how->seed,
        .limit = MEMORY_NO_LIMIT,
    };
    if (how->map != NULL && !import_map_find(how->map, &options.map))
        return fail(failure, FAIL_USAGE,
                    "no map is named '%.40s'; the maps are row, snake, hilbert, random", how->map);
    if (how->format != NULL && !import_format_find(how->format, &options.format))
        return fail(failure, FAIL_USAGE,
                    "no format is named '%.40s'; the formats are mtx, edges, hgr, graph and routes",
                    how->format);
    if (how->side > 0 && !mesh_is_valid(how->side, how->side))
        return check_mesh(how->side, how->side, failure);
    return import_matrix(path, &options, set, NULL, failure);
}

struct meshcast_set *meshcast_set_import(const char *path, const struct meshcast_import *how,
                                         struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL)
        import(path, how != NULL ? how : &(struct meshcast_import){0}, &set->instance.set,
               &failure);
    return set_measure(set, &failure, error);
}

enum meshcast_status meshcast_set_write(const struct meshcast_set *set, const char *path,
                                        const char *comment, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct output_file file;
    if (output_file_open(&file, path, NULL, &failure) == FAIL_NONE) {
        bool is_written = message_set_write(&set->instance.set, comment, file.file);
        output_file_close(&file, true, &failure);
        if (!is_written) /* if the close has not told it already */
            fail(&failure, FAIL_SYSTEM, "cannot write %s", path);
    }
    return error_give(error, &failure);
}

void meshcast_set_free(struct meshcast_set *set)
{
    if (set != NULL)
        instance_free(&set->instance);
    free(set);
}

uint64_t meshcast_set_figure(const struct meshcast_set *set, enum meshcast_set_figure figure)
{
    const struct instance *instance = &set->instance;
    switch (figure) {
    case MESHCAST_SET_ROWS:
        return instance->set.mesh.rows;
    case MESHCAST_SET_COLS:
        return instance->set.mesh.cols;
    case MESHCAST_SET_MESSAGES:
        return instance->set.messages;
    case MESHCAST_SET_DELIVERIES:
        return instance->set.deliveries;
    case MESHCAST_SET_DEGREE:
        return instance->degree;
    case MESHCAST_SET_CONGESTION:
        return instance->congestion;
    case MESHCAST_SET_LOWER_BOUND:
        return instance_lower_bound(instance, true);
    case MESHCAST_SET_MESSAGES_PER_NODE:
        return instance->most_sent;
    }
    return 0;
}

double meshcast_set_sqrt_cn(const struct meshcast_set *set)
{
    return set->instance.sqrt_cn;
}

const char *meshcast_set_lower_bound_kind(const struct meshcast_set *set)
{
    return instance_lower_bound_name(&set->instance, true);
}

const uint32_t *meshcast_set_message(const struct meshcast_set *set, uint32_t index,
                                     uint32_t *source, uint64_t *count)
{
    const struct message_set *inner = &set->instance.set;
    *source = inner->source[index];
    *count = inner->offset[index + 1] - inner->offset[index];
    return inner->destination + inner->offset[index];
}
