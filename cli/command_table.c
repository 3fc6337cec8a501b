/* command_table.c - the commands, rows of one static table. */
#include "cli/command_table.h"

#include "cli/client.h"

#include <string.h>

/* The commands in the order in which --help lists them; a group's heading stands at its first command, and NULL behind
 * the last. */
static const struct {
    const struct command *command; /* NULL: the library's of this name */
    const char *group;
    const char *name;
} COMMANDS[] = {
    {NULL, "Message sets", "gen"},
    {NULL, NULL, "import"},
    {NULL, NULL, "info"},
    {NULL, "Mesh machine (synchronous, store and forward)", "route"},
    {NULL, NULL, "compare"},
    {NULL, NULL, "stress"},
    {NULL, NULL, "search"},
    {NULL, NULL, "kernel"},
    {NULL, NULL, "expander"},
    {NULL, "Network (flits, virtual channels, wormhole switching)", "plan"},
    {NULL, NULL, "network"},
    {NULL, NULL, "load"},
    {NULL, "Results", "audit"},
    {NULL, NULL, "view"},
    {&command_sweep, NULL, NULL},
    {&command_report, NULL, NULL},
    {&command_help, "Help", NULL},
    {&command_complete, NULL, NULL},
    {NULL, NULL, NULL},
};

enum { COMMANDS_COUNT = sizeof COMMANDS / sizeof *COMMANDS - 1 };

/* Rows of the library, made when they are asked for. */
static struct command client[COMMANDS_COUNT];

const struct command *command_at(uint32_t index)
{
    if (index >= COMMANDS_COUNT || COMMANDS[index].command != NULL)
        return COMMANDS[index].command;
    if (client[index].name == NULL)
        client_make_command(&client[index], client_find_row(COMMANDS[index].name));
    return &client[index];
}

const char *command_group_at(uint32_t index)
{
    return COMMANDS[index].group;
}

const struct command *command_find(const char *name)
{
    const struct command *command;
    for (uint32_t i = 0; (command = command_at(i)) != NULL; i++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

static const char *command_name_at(const void *context, uint32_t index)
{
    (void)context;
    const struct command *command = command_at(index);
    return command == NULL || command->is_for_programs ? NULL : command->name;
}

static const char *rank_command_name_at(const void *context, uint32_t index)
{
    (void)context;
    const struct command *command;
    for (uint32_t i = 0; (command = command_at(i)) != NULL; i++)
        if (command->runs_on_ranks && index-- == 0)
            return command->name;
    return NULL;
}

const struct name_family command_names = {"command", "commands", "", command_name_at, NULL};
const struct name_family rank_command_names = {"command", "commands that run on ranks", "",
                                               rank_command_name_at, NULL};
