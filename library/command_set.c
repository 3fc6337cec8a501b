/* command_set.c - reads the message sets of a command, or takes those that were given. */
#include "library/command_set.h"

#include "base/printable.h"
#include "library/available_memory.h"
#include "library/handle_private.h"
#include "library/topology_private.h"

#include <inttypes.h>

/* The name of a set that came from no file. */
static const char GIVEN[] = "set";

static const struct meshcast_set *given(const struct meshcast_command *command, int index)
{
    return index < COMMAND_SETS ? command->set[index] : NULL;
}

void command_note_cut(const struct meshcast_command *command, const struct message_set *set,
                      const char *path)
{
    char name[PRINTABLE_NAME];
    if (set->lacks_end)
        command_note(command, "note: %s has no last line 'end %" PRIu32 "'; it may be cut off",
                     printable_name(path, name), message_set_given_messages(set));
}

enum failure_kind command_read_instance(const struct meshcast_command *command, int index,
                                        struct command_instance *set, struct failure *failure)
{
    const struct meshcast_set *found = given(command, index);
    *set = (struct command_instance){.is_given = found != NULL};
    if (found != NULL) {
        if (set_check_routable(found, failure) == FAIL_NONE)
            set->instance = found->instance;
        set->instance.name = GIVEN;
    } else if (instance_read(&set->instance, command->operand[index], command->ranks,
                             available_memory_limit(false), failure) == FAIL_NONE) {
        command_note_cut(command, &set->instance.set, command->operand[index]);
    }
    return failure->kind;
}

void command_instance_free(struct command_instance *set)
{
    if (!set->is_given)
        instance_free(&set->instance);
}

enum failure_kind command_read_traffic_file(const struct meshcast_command *command, int index,
                                            const char *path, struct command_traffic *traffic,
                                            struct failure *failure)
{
    const struct meshcast_set *found = given(command, index);
    *traffic =
        (struct command_traffic){.name = found != NULL ? GIVEN : path, .is_given = found != NULL};
    if (found != NULL)
        traffic->set = found->instance.set;
    else if (message_set_read_network(&traffic->set, path, command->ranks,
                                      available_memory_limit(false), failure) == FAIL_NONE)
        command_note_cut(command, &traffic->set, path);
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

void command_topology_free(const struct meshcast_command *command, struct topology *topology)
{
    if (command->topology == NULL)
        topology_free(topology);
}
