/* option_parser.h - reads a command's arguments by static tables of options.
 *
 * An option is a row of a table: its name, its type, where its value goes in the command's struct
 * of options, the line that --help prints. `--name VALUE`, `--name=VALUE`, `-o VALUE` and `-oVALUE`
 * are the same; options and operands mix; `--` ends the options; a lone `-` is an operand. An
 * option that is given twice takes its last value; one that is a list may add to it (its help says).
 */
#ifndef MESHCAST_CONSOLE_OPTION_PARSER_H
#define MESHCAST_CONSOLE_OPTION_PARSER_H

#include "base/failure.h"
#include "library/option_table.h"

#include <stdbool.h>
#include <stdio.h>

/* The base of a table whose options are the library's: their values go there by name. */
#define OPTION_OF_LIBRARY SIZE_MAX

/* Which help was asked for: none, -h or --help. */
enum help_form { HELP_NONE, HELP_SUMMARY, HELP_FULL };

/* What was found besides the options. */
struct operands {
    const char *name; /* of the command */
    char **operand;
    int count;
    /* The caller of option_parse() sets the name and the next three. */
    const char *line;                 /* the program's whole command line; or NULL */
    struct ranks *ranks;              /* of the program; NULL: it is alone */
    struct meshcast_command *command; /* whose options these are; NULL: the program's own */
    enum help_form help;              /* what follows --help or -h was not read */
};

/* Reads argv[0 .. argc-1] into `options` (the struct that the MESHCAST_OPTION_TABLES tables describe) and
 * `operands`, whose array is argv itself, reordered. FAIL_USAGE: the text says what is accepted. */
enum failure_kind option_parse(int argc, char **argv, const struct meshcast_option_table *tables,
                               void *options, struct operands *operands, struct failure *failure);

/* Whether the MESHCAST_OPTION_FLAG named `name` is among the tables and was given. */
bool option_flag_is_set(const struct meshcast_option_table *tables, const void *options,
                        const char *name);
/* Hands an error of the library on; FAIL_NONE: there is none. */
enum failure_kind option_take_error(enum meshcast_status status, const struct meshcast_error *error,
                                    struct failure *failure);

/* Prints a line or more an option, aligned. */
void option_print_help(const struct meshcast_option_table *tables, FILE *out);

/* Prints a line for each common option: its help if that is one line, else the help's first clause, which ends before
 * " (", or with ";", ":" or ".". Then come the names of the others. */
void option_print_summary(const struct meshcast_option_table *tables, FILE *out);

#endif
