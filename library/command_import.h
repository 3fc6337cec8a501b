/* command_import.h - what the command `import` shares with imports of arrays. */
#ifndef MESHCAST_LIBRARY_COMMAND_IMPORT_H
#define MESHCAST_LIBRARY_COMMAND_IMPORT_H

#include "library/commands.h"
#include "workloads/import.h"

/* Reads the options of a command `import`. FAIL_USAGE: they name no shape, or two. */
enum failure_kind import_options_of(const struct meshcast_command *command,
                                    struct import_options *options, struct failure *failure);

#endif
