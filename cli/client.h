/* client.h - the program as a client of the library: what is typed becomes a command's options, its report is printed. */
#ifndef MESHCAST_CLI_CLIENT_H
#define MESHCAST_CLI_CLIENT_H

#include "cli/command.h"

/* The options of the program itself: --json, --csv, --quiet; --memory is the process's. */
struct client_options {
    bool json, csv, quiet;
};

extern const struct meshcast_option_table client_option_table;

/* Runs `operands->command` and prints its report, as the struct client_options says. */
enum failure_kind client_run(void *options, const struct operands *operands,
                             struct failure *failure);

#endif
