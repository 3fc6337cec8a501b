/* command_table.c - the commands, rows of one static table. */
#include "cli/command_table.h"

#include <string.h>

/* in the order in which --help lists them; a NULL stands behind the last */
static const struct command *const COMMANDS[] = {
    &command_gen,
    &command_import,
    &command_info,
    &command_route,
    &command_compare,
    &command_stress,
    &command_search,
    &command_kernel,
    &command_plan,
    &command_network,
    &command_load,
    &command_audit,
    &command_view,
    &command_expander,
    &command_sweep,
    &command_report,
    &command_help,
    &command_complete,
    NULL,
};

const struct command *command_at(uint32_t index)
{
    return COMMANDS[index];
}

const struct command *command_find(const char *name)
{
    for (uint32_t i = 0; COMMANDS[i] != NULL; i++)
        if (strcmp(COMMANDS[i]->name, name) == 0)
            return COMMANDS[i];
    return NULL;
}

static const char *command_name_at(const void *context, uint32_t index)
{
    (void)context;
    const struct command *command = COMMANDS[index];
    return command == NULL || command->is_for_programs ? NULL : command->name;
}

static const char *rank_command_name_at(const void *context, uint32_t index)
{
    (void)context;
    for (uint32_t i = 0; COMMANDS[i] != NULL; i++)
        if (COMMANDS[i]->runs_on_ranks && index-- == 0)
            return COMMANDS[i]->name;
    return NULL;
}

const struct name_family command_names = {"command", "commands", "", command_name_at, NULL};
const struct name_family rank_command_names = {"command", "commands that run on ranks", "",
                                               rank_command_name_at, NULL};
