/* command.h - what a command of the program is: a row of the static table in main.c.
 *
 * The rules that all commands keep: results go to standard output and everything else to standard
 * error; a command returns its failure and lets main() print it; a `failure_kind` is the exit
 * status.
 */
#ifndef MESHCAST_CLI_COMMAND_H
#define MESHCAST_CLI_COMMAND_H

#include "cli/option_parser.h"
#include "library/meshcast.h" /* MESHCAST_VERSION */
#include "machine/failure.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct command {
    const char *name, *summary;
    const char *examples; /* lines, each indented by two spaces and ended */
    const char *synopsis; /* what follows the name in the usage line */
    const char *operands; /* what the operands are, for messages: "a message set SET" */
    int least, most;      /* how many operands */
    size_t options_size;  /* of the struct that the tables describe; all zero to begin with */
    struct option_table options[OPTION_TABLES];
    void (*print_more)(FILE *out); /* the end of --help; may be NULL */
    enum failure_kind (*run)(void *options, const struct operands *operands,
                             struct failure *failure);
};

extern const struct command command_gen, command_import, command_info;
extern const struct command command_route, command_compare, command_stress;
extern const struct command command_kernel, command_audit;
extern const struct command command_expander;
extern const struct command command_sweep, command_report;

#endif
