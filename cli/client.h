/* client.h - the program as a client of the library: what is typed becomes a command's options, its report is printed. */
#ifndef MESHCAST_CLI_CLIENT_H
#define MESHCAST_CLI_CLIENT_H

#include "cli/command.h"

/* Returns the library's row of the command `name`, which is one of its. */
const struct meshcast_command_row *client_find_row(const char *name);

/* Fills the row of the program for a command of the library: its options, and those of the program itself, --json, --csv,
 * --quiet and --memory. */
void client_make_command(struct command *command, const struct meshcast_command_row *row);

#endif
