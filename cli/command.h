/* command.h - what a command of the program is: a row of the table in cli/command_table.c.
 *
 * The rules that all commands keep: results go to standard output and everything else to standard
 * error; a command returns its failure and lets main() print it; a `failure_kind` is the exit
 * status.
 */
#ifndef MESHCAST_CLI_COMMAND_H
#define MESHCAST_CLI_COMMAND_H

#include "base/failure.h"
#include "cli/completion.h"
#include "console/option_parser.h"
#include "library/meshcast_command.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct command {
    const char *name, *summary;
    const char *examples; /* lines, each indented by two spaces and ended */
    const char *synopsis; /* what follows the name in the usage line */
    const char *operands; /* what the operands are, for messages: "a message set SET" */
    int least, most;      /* how many operands */
    const struct name_family *operand_names; /* of the first one; NULL: operands are files */
    /* The names of the second operand, given the first; NULL: none. A NULL function: the second is a file. */
    const struct name_family *(*second_names)(const char *first);
    size_t options_size; /* of the struct that the tables describe; all zero to begin with */
    struct meshcast_option_table options[MESHCAST_OPTION_TABLES];
    /* Offers what the rows of NAME=VALUE could hold (cli/completion.h); NULL: there are none. */
    void (*offer_parameters)(const struct completion *completion);
    const struct meshcast_command_row *row; /* of the library; NULL: run() is the program's own */
    bool is_for_programs;                   /* no list for people names it */
    bool runs_on_ranks; /* all ranks call run() (machine/ranks/ranks.h); else only one may */
    void (*print_more)(FILE *out); /* the end of --help; may be NULL */
    const char *topics; /* "'meshcast help routers'": where its help goes on; may be NULL */
    enum failure_kind (*run)(void *options, const struct operands *operands,
                             struct failure *failure);
};

extern const struct command command_sweep;
extern const struct command command_report;
extern const struct command command_help;
extern const struct command command_complete;

/* Writes what `meshcast` alone, `meshcast --help`, `meshcast COMMAND --help` and `meshcast COMMAND -h` print. */
void command_print_overview(FILE *out);
void command_print_program(FILE *out);
void command_print_help(const struct command *command, FILE *out);
void command_print_summary(const struct command *command, FILE *out);

#endif
