/* command_table.c - the commands, rows of one static table. */
#include "cli/command_table.h"

#include <string.h>

/* The commands in the order in which --help lists them; a group's heading stands at its first command, and NULL behind
 * the last. */
static const struct {
    const struct command *command;
    const char *group;
} COMMANDS[] = {
    {&command_gen, "Message sets"},
    {&command_import, NULL},
    {&command_info, NULL},
    {&command_route, "Mesh machine (synchronous, store and forward)"},
    {&command_compare, NULL},
    {&command_stress, NULL},
    {&command_search, NULL},
    {&command_kernel, NULL},
    {&command_expander, NULL},
    {&command_plan, "Network (flits, virtual channels, wormhole switching)"},
    {&command_network, NULL},
    {&command_load, NULL},
    {&command_audit, "Results"},
    {&command_view, NULL},
    {&command_sweep, NULL},
    {&command_report, NULL},
    {&command_help, "Help"},
    {&command_complete, NULL},
    {NULL, NULL},
};

const struct command *command_at(uint32_t index)
{
    return COMMANDS[index].command;
}

const char *command_group_at(uint32_t index)
{
    return COMMANDS[index].group;
}

const struct command *command_find(const char *name)
{
    for (uint32_t i = 0; COMMANDS[i].command != NULL; i++)
        if (strcmp(COMMANDS[i].command->name, name) == 0)
            return COMMANDS[i].command;
    return NULL;
}

static const char *command_name_at(const void *context, uint32_t index)
{
    (void)context;
    const struct command *command = COMMANDS[index].command;
    return command == NULL || command->is_for_programs ? NULL : command->name;
}

static const char *rank_command_name_at(const void *context, uint32_t index)
{
    (void)context;
    for (uint32_t i = 0; COMMANDS[i].command != NULL; i++)
        if (COMMANDS[i].command->runs_on_ranks && index-- == 0)
            return COMMANDS[i].command->name;
    return NULL;
}

const struct name_family command_names = {"command", "commands", "", command_name_at, NULL};
const struct name_family rank_command_names = {"command", "commands that run on ranks", "",
                                               rank_command_name_at, NULL};
