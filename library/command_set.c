/* command_set.c - the message sets of a command: those that it reads or is given, and those that it
 * makes. */
#include "library/command_set.h"

#include "base/output_file.h"
#include "base/printable.h"
#include "library/handle_private.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* The name of a set without a file. */
static const char GIVEN[] = "set";

static const struct meshcast_set *given(const struct meshcast_command *command, int index)
{
    return index < COMMAND_SETS ? command->set[index] : NULL;
}

void import_text(const struct import_summary *summary, const struct message_set *set,
                 const struct set_figures *figures, const char *path, char text[SET_NOTE_SIZE])
{
    char name[PRINTABLE_NAME], on[TOPOLOGY_TEXT_SIZE], asks[SET_FIGURES_SIZE];
    shape_text(&set->shape, on);
    if (set->mesh.rows == set->mesh.cols && set->mesh.rows > 0)
        snprintf(on, sizeof on, "side %" PRIu32, set->mesh.rows);
    snprintf(text, SET_NOTE_SIZE,
             "%s: %" PRIu64 " x %" PRIu64 ", %" PRIu64 " %s, %" PRIu64 " %s; %s, %s",
             printable_name(path, name), summary->rows, summary->cols, summary->entries,
             summary->entries == 1 ? "entry" : "entries", summary->nonzeros,
             summary->nonzeros == 1 ? "nonzero" : "nonzeros", on, set_figures_text(figures, asks));
}

bool set_file_note(const struct message_set *set, const struct import_summary *summary,
                   const char *path, char note[SET_NOTE_SIZE])
{
    char name[PRINTABLE_NAME];
    struct set_figures figures;
    bool is_imported = summary->format != IMPORT_BY_FILE;
    if (set->lacks_end)
        snprintf(note, SET_NOTE_SIZE,
                 "note: %s has no last line 'end %" PRIu32 "'; it may be cut off",
                 printable_name(path, name), message_set_given_messages(set));
    else if (is_imported && set_figures_measure(set, &figures, NULL) == FAIL_NONE)
        import_text(summary, set, &figures, path, note);
    else
        return false;
    for (unsigned i = 0; is_imported && i < summary->notes.count; i++) {
        size_t used = strlen(note);
        snprintf(note + used, SET_NOTE_SIZE - used, "; its %s", summary->notes.text[i]);
    }
    return true;
}

/* Reads a set that was not given, and notes remarks on its file. */
static enum failure_kind read_file(const struct meshcast_command *command, const char *path,
                                   struct message_set *set, struct failure *failure)
{
    const struct byte_sharing sharing = command_sharing(command);
    struct import_summary summary;
    char note[SET_NOTE_SIZE];
    if (set_file_read(set, &summary, path, &sharing, failure) == FAIL_NONE &&
        set_file_note(set, &summary, path, note))
        command_note(command, "%s", note);
    return failure->kind;
}

enum failure_kind command_read_instance(const struct meshcast_command *command, int index,
                                        struct command_instance *set, struct failure *failure)
{
    const struct meshcast_set *found = given(command, index);
    const char *path = command->operand[index], *name = path == NULL ? GIVEN : path;
    struct instance *instance = &set->instance;
    bool is_fit = found != NULL && (found->is_routable || found->instance.set.mesh.rows == 0);
    *set = (struct command_instance){.instance.name = name, .is_given = is_fit};
    if (is_fit) {
        if (set_check_routable(found, failure) == FAIL_NONE)
            *instance = found->instance;
        instance->name = name;
    } else if ((found == NULL
                    ? read_file(command, path, &instance->set, failure)
                    : message_set_copy(&instance->set, set_given(found), failure)) == FAIL_NONE &&
               (message_set_fit_machine(&instance->set, set_file_name(name), failure) !=
                    FAIL_NONE ||
                instance_measure(instance, failure) != FAIL_NONE)) {
        instance_free(instance);
    }
    return failure->kind;
}

/* Computes the bounds. They last longer than all other figures, so a set that is given repeatedly
 * keeps them: of threads that compute them at once the first one to end stores its own. */
enum failure_kind command_bound_instance(const struct meshcast_command *command, int index,
                                         struct command_instance *set, struct failure *failure)
{
    struct meshcast_set *found =
        set->instance.broken != NULL ? NULL : (struct meshcast_set *)given(command, index);
    int state = BOUNDS_NONE;
    if (found != NULL && found->bounds_state == BOUNDS_KEPT) {
        set->instance.bounds = found->bounds;
        set->instance.has_bounds = true;
        return FAIL_NONE;
    }
    if (instance_bound(&set->instance, BOUNDS_LARGEST, failure) == FAIL_NONE && found != NULL &&
        atomic_compare_exchange_strong(&found->bounds_state, &state, BOUNDS_STORED)) {
        found->bounds = set->instance.bounds;
        found->bounds_state = BOUNDS_KEPT;
    }
    return failure->kind;
}

const struct message_set *set_routed(const struct meshcast_set *set)
{
    return &set->instance.set;
}

void command_instance_free(struct command_instance *set)
{
    if (!set->is_given)
        instance_free(&set->instance);
    if (set->instance.broken != NULL)
        topology_free(&set->broken);
}

enum failure_kind command_read_set(const struct meshcast_command *command, int index,
                                   struct message_set *set, struct failure *failure)
{
    const struct meshcast_set *found = given(command, index);
    const char *path = command->operand[index];
    *set = (struct message_set){.messages = 0};
    if (found != NULL)
        return message_set_copy(set, set_given(found), failure);
    return read_file(command, path, set, failure);
}

enum failure_kind command_read_traffic_file(const struct meshcast_command *command, int index,
                                            const char *path, struct command_traffic *traffic,
                                            struct failure *failure)
{
    const struct meshcast_set *found = given(command, index);
    *traffic =
        (struct command_traffic){.name = path == NULL ? GIVEN : path, .is_given = found != NULL};
    if (found != NULL) {
        traffic->set = found->instance.set;
    } else if (read_file(command, path, &traffic->set, failure) == FAIL_NONE &&
               message_set_leave_home(&traffic->set, failure) != FAIL_NONE) {
        message_set_free(&traffic->set);
    }
    return failure->kind;
}

enum failure_kind command_read_traffic(const struct meshcast_command *command, int index,
                                       struct command_traffic *traffic, struct failure *failure)
{
    return command_read_traffic_file(command, index, command->operand[index], traffic, failure);
}

void command_traffic_free(struct command_traffic *traffic)
{
    if (!traffic->is_given)
        message_set_free(&traffic->set);
}

enum failure_kind command_read_topology(const struct meshcast_command *command, const char *text,
                                        struct topology *topology, struct failure *failure)
{
    if (command->topology == NULL)
        return topology_parse(topology, text, failure);
    *topology = command->topology->topology;
    return FAIL_NONE;
}

enum failure_kind command_set_topology(const struct meshcast_command *command,
                                       const struct message_set *set, const char *text,
                                       struct topology *topology, struct failure *failure)
{
    if (command->topology == NULL)
        return message_set_topology(set, text, topology, failure);
    *topology = command->topology->topology;
    return message_set_check_topology(set, topology, failure);
}

enum failure_kind command_break_topology(const char *path, bool needs_labels,
                                         struct topology *topology, struct failure *failure)
{
    if (path == NULL || topology_break(topology, path, failure) != FAIL_NONE)
        return failure->kind;
    if (needs_labels && topology_is_broken(topology))
        topology_find_path(topology, failure);
    return failure->kind;
}

void command_note_parts(const struct meshcast_command *command, const struct topology *topology)
{
    uint32_t left = topology->nodes - topology->dead_nodes, joined = topology_main_nodes(topology);
    if (topology_is_broken(topology) && joined < left)
        command_note(command, "note: %u of %u nodes are joined; the others are not used", joined,
                     left);
}

enum failure_kind command_break_set_topology(const struct meshcast_command *command,
                                             const struct message_set *set, const char *name,
                                             const char *path, bool needs_labels,
                                             struct topology *topology, struct failure *failure)
{
    if (command_break_topology(path, needs_labels, topology, failure) != FAIL_NONE ||
        message_set_check_parts(set, name, topology, path, failure) != FAIL_NONE)
        command_topology_free(command, topology);
    return failure->kind;
}

void command_topology_free(const struct meshcast_command *command, struct topology *topology)
{
    if (command->topology == NULL || topology->offset != command->topology->topology.offset)
        topology_free(topology);
}

enum failure_kind command_break_instance(const struct meshcast_command *command,
                                         struct command_instance *set, const char *path,
                                         struct failure *failure)
{
    struct instance *instance = &set->instance;
    if (path == NULL)
        return FAIL_NONE;
    struct shape shape = shape_of_mesh(instance->set.mesh);
    struct topology topology = topology_of_shape(&shape);
    if (command_ranks(command) > 1)
        return fail(failure, FAIL_USAGE, "--without needs one rank, not %u",
                    command_ranks(command));
    if (command_break_set_topology(command, &instance->set, instance->name, path, false, &topology,
                                   failure) == FAIL_NONE &&
        topology_is_broken(&topology)) {
        set->broken = topology;
        instance->broken = &set->broken;
    }
    return failure->kind;
}

/* ---- sets that a command makes ---- */

enum failure_kind command_shape(const struct meshcast_command *command,
                                const struct mesh_options *options, struct shape *shape,
                                struct failure *failure)
{
    if (mesh_options_shape(options, shape, failure) != FAIL_NONE || command->topology == NULL)
        return failure->kind;
    if (shape->dimensions > 0)
        return fail(failure, FAIL_USAGE, "a topology is given, and options name another: give one");
    *shape = command->topology->topology.shape;
    return FAIL_NONE;
}

enum failure_kind set_figures_measure(const struct message_set *set, struct set_figures *figures,
                                      struct failure *failure)
{
    *figures = (struct set_figures){.degree = message_set_degree(set),
                                    .congestion = message_set_congestion(set),
                                    .most_sent = message_set_most_sent(set)};
    if (figures->congestion == UINT32_MAX || figures->most_sent == UINT32_MAX)
        return fail_memory(failure, "the messages of the nodes");
    return FAIL_NONE;
}

const char *set_figures_text(const struct set_figures *figures, char text[SET_FIGURES_SIZE])
{
    int used = snprintf(text, SET_FIGURES_SIZE, "d = %" PRIu32 ", c = %" PRIu32, figures->degree,
                        figures->congestion);
    if (figures->most_sent > 1)
        snprintf(text + used, SET_FIGURES_SIZE - (size_t)used, ", l = %" PRIu32,
                 figures->most_sent);
    return text;
}

void report_set_figures(struct report_object *object, const struct message_set *set,
                        const struct set_figures *figures)
{
    report_set_shape(object, &set->shape);
    report_set_count(object, "nodes", shape_nodes(&set->shape));
    report_set_count(object, "messages", set->messages);
    report_set_count(object, "degree", figures->degree);
    report_set_count(object, "congestion", figures->congestion);
    report_set_count(object, "messages_per_node", figures->most_sent);
    report_set_count(object, "deliveries", set->deliveries);
}

/* Refuses to fill a terminal with a long set for which no file was named. */
static enum failure_kind check_terminal(const struct message_set *set, FILE *out,
                                        struct failure *failure)
{
    enum { MOST_SHOWN = 64 << 10 };
    uint64_t digits = (uint64_t)snprintf(NULL, 0, "%" PRIu32, shape_nodes(&set->shape) - 1);
    uint64_t bytes = (digits + 1) * (set->messages + set->deliveries);
    if (bytes <= MOST_SHOWN || out == NULL || isatty(fileno(out)) != 1)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "%" PRIu64 " kB of a message set are not for a terminal; -o FILE writes them to a "
                "file, and '| less' shows them",
                bytes / 1000);
}

struct writing {
    const struct meshcast_command *command;
    uint64_t deliveries; /* of the set */
};

static void show_written(void *context, uint64_t deliveries)
{
    const struct writing *writing = context;
    command_progress(writing->command, deliveries, writing->deliveries, "deliveries written");
}

enum failure_kind command_write_set(const struct meshcast_command *command,
                                    const struct message_set *set, const char *comment,
                                    const char *path, struct failure *failure)
{
    struct writing writing = {command, set->deliveries};
    struct message_set_watch watch = {show_written, &writing};
    struct output_file file;
    if (comment == NULL)
        return fail_memory(failure, "the comment of a set");
    if ((path == NULL && check_terminal(set, command->table, failure) != FAIL_NONE) ||
        output_file_open(&file, path, failure) != FAIL_NONE)
        return failure->kind;
    FILE *out = path != NULL ? file.file : command->table;
    bool is_written = out == NULL || message_set_write(set, comment, out, &watch);
    if (output_file_close(&file, true, failure) == FAIL_NONE && !is_written)
        fail(failure, FAIL_SYSTEM, "cannot write the set");
    return failure->kind;
}

enum failure_kind report_take_set(const struct meshcast_command *command,
                                  struct meshcast_report *report, struct message_set *set,
                                  struct failure *failure)
{
    if (command->line != NULL)
        return FAIL_NONE;
    struct meshcast_set *made = set_new(failure);
    if (made == NULL)
        return failure->kind;
    made->instance.set = *set;
    *set = (struct message_set){.messages = 0};
    set_fit(&made->instance.set, failure);
    report->set = set_measure(made, failure, NULL);
    return failure->kind;
}
