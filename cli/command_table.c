/* command_table.c - the commands, rows of one static table, and their options. */
#include "cli/command.h"

#include <string.h>

/* The commands in the order in which --help lists them. */
static const struct command COMMANDS[] = {
    {.group = "Message sets", .name = "gen"},
    {.name = "import"},
    {.name = "info"},
    {.name = "place"},
    {.group = "Mesh machine (synchronous, store and forward)", .name = "route"},
    {.name = "compare"},
    {.name = "stress"},
    {.name = "search"},
    {.name = "kernel"},
    {.name = "expander"},
    {.group = "Network (flits, virtual channels, wormhole switching)", .name = "plan"},
    {.name = "network"},
    {.name = "load"},
    {.group = "Results", .name = "audit"},
    {.name = "view"},
    {.name = "sweep"},
    {.name = "report"},
    {.group = "Help", .name = "help", .row = &command_help, .run = command_help_run},
    {.name = "complete",
     .row = &command_complete,
     .run = command_complete_run,
     .is_for_programs = true},
};

enum { COMMANDS_COUNT = sizeof COMMANDS / sizeof *COMMANDS };

const struct command *command_at(uint32_t index)
{
    return index < COMMANDS_COUNT ? &COMMANDS[index] : NULL;
}

const struct command *command_find(const char *name)
{
    for (uint32_t i = 0; i < COMMANDS_COUNT; i++)
        if (strcmp(COMMANDS[i].name, name) == 0)
            return &COMMANDS[i];
    return NULL;
}

const struct meshcast_command_row *command_row(const struct command *command)
{
    const struct meshcast_command_row *row = command->row;
    for (uint32_t i = 0; row == NULL || strcmp(row->name, command->name) != 0; i++)
        row = meshcast_command_at(i);
    return row;
}

static const char *name_at(const void *context, uint32_t index)
{
    (void)context;
    const struct command *command = command_at(index);
    return command == NULL || command->is_for_programs ? NULL : command->name;
}

static const char *rank_name_at(const void *context, uint32_t index)
{
    (void)context;
    for (uint32_t i = 0; i < COMMANDS_COUNT; i++)
        if (command_row(&COMMANDS[i])->runs_on_ranks && index-- == 0)
            return COMMANDS[i].name;
    return NULL;
}

const struct name_family command_names = {"command", "commands", "", name_at, NULL};
const struct name_family rank_command_names = {"command", "commands that run on ranks", "",
                                               rank_name_at, NULL};

/* ---- options ---- */

size_t command_options_size(const struct command *command)
{
    return command->row == NULL ? sizeof(struct client_options) : command->row->options_size;
}

const struct meshcast_option *command_option(const struct command *command, uint32_t index,
                                             size_t *base)
{
    const struct meshcast_option_table *tables = command_row(command)->options;
    for (uint32_t t = 0; t <= MESHCAST_OPTION_TABLES; t++) {
        const struct meshcast_option_table *table =
            t < MESHCAST_OPTION_TABLES ? &tables[t] : &client_option_table;
        if (t == MESHCAST_OPTION_TABLES && command->row != NULL)
            break;
        if (base != NULL)
            *base = table->base;
        if (index < table->rows)
            return &table->row[index];
        index -= table->rows;
    }
    return NULL;
}

const struct meshcast_option *command_find_option(const struct command *command, const char *name,
                                                  size_t length, size_t *base)
{
    const struct meshcast_option *row;
    for (uint32_t i = 0; (row = command_option(command, i, base)) != NULL; i++)
        if (meshcast_option_is(row, name, length))
            return row;
    return NULL;
}

const struct meshcast_option *command_find_letter(const struct command *command, char letter,
                                                  size_t *base)
{
    const struct meshcast_option *row;
    for (uint32_t i = 0; (row = command_option(command, i, base)) != NULL; i++)
        if (row->letter == letter)
            return row;
    return NULL;
}

static const char *option_name_at(const void *command, uint32_t index)
{
    const struct meshcast_option *row;
    for (uint32_t i = 0; (row = command_option(command, i, NULL)) != NULL; i++)
        if (row->help != NULL && index-- == 0)
            return row->name;
    return index == 0 ? "help" : NULL;
}

struct name_family command_option_names(const struct command *command)
{
    return (struct name_family){"option", "options", "--", option_name_at, command};
}
