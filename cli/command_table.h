/* command_table.h - the commands of the program, by place and by name. */
#ifndef MESHCAST_CLI_COMMAND_TABLE_H
#define MESHCAST_CLI_COMMAND_TABLE_H

#include "base/suggestion.h"
#include "cli/command.h"

/* Command `index`; NULL behind the last. Those for people come first. */
const struct command *command_at(uint32_t index);

/* The heading of the group that begins with command `index`; NULL: it is not the first of a group. */
const char *command_group_at(uint32_t index);

/* The command of that name, or NULL. */
const struct command *command_find(const char *name);

/* The commands for people. */
extern const struct name_family command_names;

/* The commands that run on several ranks. */
extern const struct name_family rank_command_names;

#endif
