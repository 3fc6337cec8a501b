/* set_handle.c - message sets as handles: made, read, written, asked.
 *
 * Method: every way to a set ends in set_measure(), which takes the figures and bounds once, so that
 * a handle never changes after it is made and threads may share it.
 * Cost: that of the inner function, and O(n + deliveries log n) for the bounds.
 */
#include "base/output_file.h"
#include "base/suggestion.h"
#include "library/topology_private.h"
#include "workloads/import.h"
#include "workloads/pattern_inputs.h"

#include <stdlib.h>
#include <string.h>

struct meshcast_set *set_new(struct failure *failure)
{
    struct meshcast_set *set = memory_allocate(1, sizeof *set);
    if (set == NULL)
        fail_memory(failure, "a message set");
    return set;
}

/* What can be said of a set that no router takes. */
static enum failure_kind measure_any(struct instance *instance, struct failure *failure)
{
    instance->degree = message_set_degree(&instance->set);
    instance->congestion = message_set_congestion(&instance->set);
    instance->most_sent = message_set_most_sent(&instance->set);
    if (instance->congestion == UINT32_MAX || instance->most_sent == UINT32_MAX)
        return fail_memory(failure, "the messages of the nodes");
    return FAIL_NONE;
}

/* As the mesh machine takes sets: message_set_fit_machine() would change nothing. */
static bool is_routable(const struct message_set *set)
{
    return message_set_version(set) == 1 ||
           (set->mesh.rows > 0 && set->length == NULL && message_set_most_sent(set) > 1);
}

enum failure_kind set_leave_home(struct meshcast_set *set, struct failure *failure)
{
    struct message_set room, *inner = &set->instance.set;
    const struct message_set *away = message_set_away(inner, &room, failure);
    if (away == NULL || away == inner)
        return failure->kind;
    set->given = *inner;
    *inner = room;
    return inner->mesh.rows > 0 && inner->length == NULL
               ? message_set_fit_machine(inner, "the set", MEMORY_NO_LIMIT, failure)
               : FAIL_NONE;
}

struct meshcast_set *set_measure(struct meshcast_set *set, struct failure *failure,
                                 struct meshcast_error *error)
{
    if (set != NULL && failure->kind == FAIL_NONE && set_leave_home(set, failure) == FAIL_NONE) {
        set->is_routable = is_routable(&set->instance.set);
        shape_text(&set->instance.set.shape, set->topology);
        if (!set->is_routable)
            measure_any(&set->instance, failure);
        else if (instance_measure(&set->instance, MEMORY_NO_LIMIT, failure) == FAIL_NONE)
            instance_bound(&set->instance, BOUNDS_LARGEST, NULL, MEMORY_NO_LIMIT, failure);
    }
    if (error_give(error, failure) == MESHCAST_OK)
        return set;
    meshcast_set_free(set);
    return NULL;
}

enum failure_kind set_check_routable(const struct meshcast_set *set, struct failure *failure)
{
    if (set->is_routable)
        return FAIL_NONE;
    if (set->instance.set.mesh.rows == 0)
        return fail(failure, FAIL_USAGE,
                    "the set is on %s; routers take meshes of two dimensions with sides of at "
                    "most %d, plans, networks and loads take it",
                    set->topology, MESH_MAX_SIDE);
    return fail(failure, FAIL_USAGE,
                "routers take messages of one packet, in the order of their sources where each "
                "sends one; meshcast_set_read() makes such sets");
}

static enum failure_kind check_mesh(uint32_t rows, uint32_t cols, struct failure *failure)
{
    if (mesh_is_valid(rows, cols))
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "a mesh of %u x %u nodes; expected sides of 1 to %d and at most %d nodes", rows,
                cols, MESH_MAX_SIDE, MESH_MAX_NODES);
}

/* FAIL_USAGE: a node is none of `nodes`. */
static enum failure_kind check_pairs(uint32_t nodes, uint64_t pairs, const uint32_t *from,
                                     const uint32_t *to, struct failure *failure)
{
    if (pairs >= UINT32_MAX)
        return fail(failure, FAIL_USAGE, "%llu pairs; the most is %u", (unsigned long long)pairs,
                    UINT32_MAX - 1);
    for (uint64_t i = 0; i < pairs; i++)
        if (from[i] >= nodes || to[i] >= nodes)
            return fail(failure, FAIL_USAGE,
                        "pair %llu goes from node %u to node %u; the nodes are 0 to %u",
                        (unsigned long long)i, from[i], to[i], nodes - 1);
    return FAIL_NONE;
}

enum failure_kind set_from_pairs(struct message_set *set, struct shape shape, uint64_t pairs,
                                 const uint32_t *from, const uint32_t *to, struct failure *failure)
{
    if (check_pairs(shape_nodes(&shape), pairs, from, to, failure) != FAIL_NONE)
        return failure->kind;
    return message_set_from_pairs(set, shape, pairs, from, to, failure);
}

struct meshcast_set *meshcast_set_from_pairs(uint32_t rows, uint32_t cols, uint64_t pairs,
                                             const uint32_t *from, const uint32_t *to,
                                             struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL && check_mesh(rows, cols, &failure) == FAIL_NONE)
        set_from_pairs(&set->instance.set, shape_of_mesh((struct mesh){rows, cols}), pairs, from,
                       to, &failure);
    return set_measure(set, &failure, error);
}

static enum failure_kind set_read(struct message_set *set, const char *path,
                                  struct failure *failure)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    return message_set_read(set, path, failure) == FAIL_NONE
               ? message_set_fit_packets(set, name, MEMORY_NO_LIMIT, failure)
               : failure->kind;
}

struct meshcast_set *meshcast_set_read(const char *path, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL)
        set_read(&set->instance.set, path, &failure);
    return set_measure(set, &failure, error);
}

struct meshcast_set *meshcast_set_parse(const void *bytes, size_t length, const char *name,
                                        struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL &&
        message_set_read_memory(&set->instance.set, bytes, length, name, &failure) == FAIL_NONE)
        message_set_fit_packets(&set->instance.set, name, MEMORY_NO_LIMIT, &failure);
    return set_measure(set, &failure, error);
}

static enum failure_kind check_experts(uint32_t experts, struct failure *failure)
{
    if (experts <= EXPERTS_MOST)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE, "%u experts; the most is %d", experts, EXPERTS_MOST);
}

/* The inputs that the plan names, as options of `gen`. */
static enum failure_kind take_inputs(const struct meshcast_generate *plan,
                                     struct pattern_inputs *inputs, struct failure *failure)
{
    *inputs = (struct pattern_inputs){.per_node = plan->per_node,
                                      .experts = plan->experts,
                                      .layer = plan->layer,
                                      .groups = plan->groups,
                                      .stride = plan->stride,
                                      .group_file = plan->group_file,
                                      .place = plan->place,
                                      .skew = plan->skew,
                                      .matrix = plan->populations,
                                      .active = plan->active};
    if (!(plan->active >= 0 && plan->active <= 1))
        return fail(failure, FAIL_USAGE, "active is %g; expected 0, for 1, or up to 1",
                    plan->active);
    return check_experts(plan->experts, failure);
}

enum failure_kind set_generate(const struct meshcast_generate *plan, struct pattern_options options,
                               struct message_set *set, struct failure *failure)
{
    struct pattern_inputs inputs;
    struct pattern_files files = {.load = {0}};
    const struct pattern *pattern;
    options.degree = plan->degree;
    options.congestion = plan->congestion;
    options.seed = plan->seed;
    if (pattern_look_up(plan->pattern == NULL ? "" : plan->pattern, &pattern, failure) != FAIL_NONE)
        return failure->kind;
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

static enum failure_kind generate(const struct meshcast_generate *plan, struct message_set *set,
                                  struct failure *failure)
{
    if (check_mesh(plan->rows, plan->cols, failure) != FAIL_NONE)
        return failure->kind;
    return set_generate(plan, (struct pattern_options){.mesh = {plan->rows, plan->cols}}, set,
                        failure);
}

struct meshcast_set *meshcast_set_generate(const struct meshcast_generate *plan,
                                           struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL && generate(plan, &set->instance.set, &failure) == FAIL_NONE)
        message_set_fit_packets(&set->instance.set, "the pattern", MEMORY_NO_LIMIT, &failure);
    return set_measure(set, &failure, error);
}

/* Finds the number of a word among names; NULL: the first. FAIL_USAGE: it is not there. */
static enum failure_kind find_word(const char *word, const char *singular, const char *plural,
                                   const char *const *names, uint32_t *number,
                                   struct failure *failure)
{
    struct name_family family = {singular, plural, "", name_of_array, names};
    *number = 0;
    return word == NULL ? FAIL_NONE : name_family_find(&family, word, number, failure);
}

enum failure_kind set_find_volume(const struct meshcast_volume *volume,
                                  struct volume_options *options, struct failure *failure)
{
    *options = (struct volume_options){.bytes = 0};
    if (volume == NULL)
        return FAIL_NONE;
    options->bytes = volume->bytes;
    options->flit_bytes = volume->flit_bytes;
    enum failure_kind kind = find_word(volume->weights, "use of weights", "uses of weights",
                                       volume_weights_names, &options->weights, failure);
    return kind == FAIL_NONE ? find_word(volume->pack, "packing", "packings", volume_pack_names,
                                         &options->pack, failure)
                             : kind;
}

/* Finds where `how` makes the set; without dimensions it is the least square. */
static enum failure_kind find_shape(const struct meshcast_import *how, struct shape *shape,
                                    struct failure *failure)
{
    bool has_sides = how->rows > 0 || how->cols > 0;
    *shape = (struct shape){0};
    if ((how->side > 0) + has_sides + (how->topology != NULL) > 1)
        return fail(failure, FAIL_USAGE,
                    "side, rows with cols, and topology each say where a set is: give one");
    if (how->topology != NULL)
        *shape = how->topology->topology.shape;
    if (how->side == 0 && !has_sides)
        return FAIL_NONE;
    struct mesh mesh =
        has_sides ? (struct mesh){how->rows, how->cols} : (struct mesh){how->side, how->side};
    *shape = shape_of_mesh(mesh);
    return check_mesh(mesh.rows, mesh.cols, failure);
}

/* Adds the options of `how`. */
static enum failure_kind take_import(const struct meshcast_import *how,
                                     struct import_options *options, struct failure *failure)
{
    options->drop_diagonal = how->drops_diagonal;
    options->seed = how->seed;
    options->experts = how->experts;
    options->reading.is_symmetric = how->is_symmetric;
    options->reading.counts_from_zero = how->counts_from_zero;
    options->place = how->place;
    options->reading.has_layer = how->has_layer;
    options->reading.layer = how->layer;
    options->limit = MEMORY_NO_LIMIT;
    uint32_t header, map, format;
    if (set_find_volume(how->volume, &options->volume, failure) != FAIL_NONE ||
        find_word(how->header, "header", "headers", import_header_names, &header, failure) !=
            FAIL_NONE ||
        find_word(how->map, "map", "maps", import_map_names, &map, failure) != FAIL_NONE ||
        find_word(how->format, "format", "formats", import_format_names, &format, failure) !=
            FAIL_NONE)
        return failure->kind;
    options->reading.header = (enum import_header)header;
    options->map = (enum import_map)map;
    options->format = (enum import_format)format;
    if (find_shape(how, &options->shape, failure) != FAIL_NONE)
        return failure->kind;
    return check_experts(how->experts, failure);
}

enum failure_kind set_import(const char *path, const struct meshcast_import *how,
                             struct import_options options, struct message_set *set,
                             struct failure *failure)
{
    static const struct meshcast_import standard;
    if (take_import(how == NULL ? &standard : how, &options, failure) != FAIL_NONE)
        return failure->kind;
    return import_matrix(path, &options, set, NULL, failure);
}

struct meshcast_set *meshcast_set_import(const char *path, const struct meshcast_import *how,
                                         struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL)
        set_import(path, how, (struct import_options){.per_node = 0}, &set->instance.set, &failure);
    return set_measure(set, &failure, error);
}

struct meshcast_set *meshcast_set_from_entries(uint32_t rows, uint32_t cols, uint64_t entries,
                                               const uint32_t *row, const uint32_t *col,
                                               const struct meshcast_import *how, uint32_t per_node,
                                               const char *part, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_import given = how != NULL ? *how : (struct meshcast_import){0};
    struct import_entries matrix = {
        rows, cols, entries, row, col, given.volume != NULL ? given.volume->entry_weight : NULL};
    struct import_options options = {.per_node = per_node, .part = part};
    struct meshcast_set *set = set_new(&failure);
    given.format = given.place = NULL;
    given.experts = 0;
    given.has_layer = false;
    if (part != NULL && per_node > 0)
        fail(&failure, FAIL_USAGE, "per_node and part both say where indices are");
    else if (set != NULL && take_import(&given, &options, &failure) == FAIL_NONE)
        import_entries(&matrix, &options, &set->instance.set, &failure);
    return set_measure(set, &failure, error);
}

enum meshcast_status meshcast_set_write(const struct meshcast_set *set, const char *path,
                                        const char *comment, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct output_file file;
    if (output_file_open(&file, path, &failure) == FAIL_NONE) {
        bool is_written = message_set_write(set_given(set), comment, file.file);
        output_file_close(&file, true, &failure);
        if (!is_written) /* if the close has not told it already */
            fail(&failure, FAIL_SYSTEM, "cannot write %s", path);
    }
    return error_give(error, &failure);
}

void meshcast_set_free(struct meshcast_set *set)
{
    if (set != NULL) {
        instance_free(&set->instance);
        message_set_free(&set->given);
    }
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
        return set_given(set)->messages;
    case MESHCAST_SET_DELIVERIES:
        return set_given(set)->deliveries;
    case MESHCAST_SET_DEGREE:
        return instance->degree;
    case MESHCAST_SET_CONGESTION:
        return instance->congestion;
    case MESHCAST_SET_LOWER_BOUND:
        return set->is_routable ? instance_lower_bound(instance, true) : 0;
    case MESHCAST_SET_MESSAGES_PER_NODE:
        return instance->most_sent;
    case MESHCAST_SET_MESSAGES_AT_HOME:
        return instance->set.home.messages;
    case MESHCAST_SET_DELIVERIES_AT_HOME:
        return instance->set.home.deliveries;
    }
    return 0;
}

double meshcast_set_sqrt_cn(const struct meshcast_set *set)
{
    return set->instance.sqrt_cn;
}

const char *meshcast_set_lower_bound_kind(const struct meshcast_set *set)
{
    return set->is_routable ? instance_lower_bound_name(&set->instance, true) : "";
}

uint64_t meshcast_set_bound(const struct meshcast_set *set, bool copies_are_free, const char **kind)
{
    if (kind != NULL)
        *kind = set->is_routable ? instance_lower_bound_name(&set->instance, copies_are_free) : "";
    return set->is_routable ? instance_lower_bound(&set->instance, copies_are_free) : 0;
}

const uint32_t *meshcast_set_message(const struct meshcast_set *set, uint32_t index,
                                     uint32_t *source, uint64_t *count)
{
    const struct message_set *inner = set_given(set);
    *source = inner->source[index];
    *count = inner->offset[index + 1] - inner->offset[index];
    return inner->destination + inner->offset[index];
}
