/* set_handle.c - message sets as handles: made, read, written, asked.
 *
 * Method: every way to a set ends in set_measure(), which takes the figures and bounds once, so that
 * a handle never changes after it is made and threads may share it.
 * Cost: that of the inner function, and O(n + deliveries log n) for the bounds.
 */
#include "base/output_file.h"
#include "base/suggestion.h"
#include "library/command_import.h"
#include "library/topology_private.h"

#include <inttypes.h>
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
            instance_bound(&set->instance, BOUNDS_LARGEST, MEMORY_NO_LIMIT, failure);
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

/* ---- sets that commands make ---- */

/* A command that is being set; options that were not given are left out. */
struct setting {
    struct meshcast_command *command; /* NULL: it failed */
    struct meshcast_error *error;
};

static void set_word(struct setting *setting, const char *option, const char *word)
{
    if (setting->command == NULL || word == NULL ||
        meshcast_command_set(setting->command, option, word, setting->error) == MESHCAST_OK)
        return;
    meshcast_command_free(setting->command);
    setting->command = NULL;
}

static void set_number(struct setting *setting, const char *option, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    set_word(setting, option, number == 0 ? NULL : text);
}

/* Runs the command, and returns the set that it makes. */
static struct meshcast_set *set_made(struct setting *setting)
{
    struct meshcast_report *report;
    struct meshcast_set *set = NULL;
    if (setting->command != NULL &&
        meshcast_command_run(setting->command, &report, setting->error) == MESHCAST_OK) {
        set = report->set;
        report->set = NULL;
        meshcast_report_free(report);
    }
    meshcast_command_free(setting->command);
    return set;
}

struct meshcast_set *meshcast_set_generate_on(const struct meshcast_topology *topology,
                                              const struct meshcast_generate *plan,
                                              struct meshcast_error *error)
{
    struct setting setting = {meshcast_command_new("gen", error), error};
    char active[32];
    snprintf(active, sizeof active, "%.17g", plan->active);
    if (topology != NULL && setting.command != NULL)
        meshcast_command_give_topology(setting.command, topology);
    set_number(&setting, "rows", topology == NULL ? plan->rows : 0);
    set_number(&setting, "cols", topology == NULL ? plan->cols : 0);
    set_word(&setting, "pattern", plan->pattern);
    set_number(&setting, "degree", plan->degree);
    set_number(&setting, "congestion", plan->congestion);
    set_number(&setting, "seed", plan->seed);
    set_number(&setting, "per-node", plan->per_node);
    set_number(&setting, "groups", plan->groups);
    set_number(&setting, "experts", plan->experts);
    set_word(&setting, "place", plan->place);
    set_word(&setting, "skew", plan->skew);
    set_number(&setting, "layer", plan->layer);
    set_word(&setting, "matrix", plan->populations);
    set_word(&setting, "active", plan->active == 0 ? NULL : active);
    set_number(&setting, "stride", plan->stride);
    set_word(&setting, "groups", plan->group_file);
    return set_made(&setting);
}

struct meshcast_set *meshcast_set_generate(const struct meshcast_generate *plan,
                                           struct meshcast_error *error)
{
    return meshcast_set_generate_on(NULL, plan, error);
}

/* Returns a command `import` with the options of `how`, which may be NULL. */
static struct setting import_setting(const char *path, const struct meshcast_import *how,
                                     uint32_t per_node, const char *part,
                                     struct meshcast_error *error)
{
    static const struct meshcast_import standard;
    static const struct meshcast_volume none;
    struct setting setting = {meshcast_command_new("import", error), error};
    char layer[24];
    if (how == NULL)
        how = &standard;
    const struct meshcast_volume *volume = how->volume == NULL ? &none : how->volume;
    snprintf(layer, sizeof layer, "%" PRIu32, how->layer);
    if (setting.command != NULL) {
        meshcast_command_add_operand(setting.command, path, NULL);
        meshcast_command_give_topology(setting.command, how->topology);
    }
    set_number(&setting, "side", how->side);
    set_number(&setting, "rows", how->rows);
    set_number(&setting, "cols", how->cols);
    set_word(&setting, "map", how->map);
    set_word(&setting, "format", how->format);
    set_word(&setting, "no-diagonal", how->drops_diagonal ? "true" : NULL);
    set_word(&setting, "symmetric", how->is_symmetric ? "true" : NULL);
    set_word(&setting, "base", how->counts_from_zero ? "0" : NULL);
    set_number(&setting, "seed", how->seed);
    set_number(&setting, "experts", how->experts);
    set_word(&setting, "place", how->place);
    set_word(&setting, "header", how->header);
    set_word(&setting, "layer", how->has_layer ? layer : NULL);
    set_number(&setting, "per-node", per_node);
    set_word(&setting, "part", part);
    set_word(&setting, "weights", volume->weights);
    set_number(&setting, "bytes", volume->bytes);
    set_number(&setting, "flit-bytes", volume->flit_bytes);
    set_word(&setting, "pack", volume->pack);
    return setting;
}

struct meshcast_set *meshcast_set_import_many(const char *path, const struct meshcast_import *how,
                                              uint32_t per_node, const char *part,
                                              struct meshcast_error *error)
{
    struct setting setting = import_setting(path, how, per_node, part, error);
    return set_made(&setting);
}

struct meshcast_set *meshcast_set_import(const char *path, const struct meshcast_import *how,
                                         struct meshcast_error *error)
{
    return meshcast_set_import_many(path, how, 0, NULL, error);
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
    struct import_options options;
    given.format = given.place = NULL;
    given.experts = 0;
    given.has_layer = false;
    struct setting setting = import_setting("-", &given, per_node, part, error);
    if (setting.command == NULL)
        return NULL;
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL && import_options_of(setting.command, &options, &failure) == FAIL_NONE)
        import_entries(&matrix, &options, &set->instance.set, &failure);
    meshcast_command_free(setting.command);
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
