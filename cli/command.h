/* command.h - the commands of the program, their options, and the reading of the command line.
 *
 * Commands are the library's and the laboratory's (library/meshcast_command.h, lab/lab.h), which
 * cli/client.c runs and whose report it prints. The program's own, `help` and `complete`, are rows
 * of the same kind, with a run() of their own. All keep these rules: results go to standard output
 * and everything else to standard error; a command returns its failure and lets main() print it; a
 * `failure_kind` is the exit status.
 *
 * `--name VALUE`, `--name=VALUE`, `-o VALUE` and `-oVALUE` are the same; options and operands mix;
 * `--` ends the options; a lone `-` is an operand. An option that is given twice has its last
 * value; a list may add to it (its help says so).
 */
#ifndef MESHCAST_CLI_COMMAND_H
#define MESHCAST_CLI_COMMAND_H

#include "base/failure.h"
#include "base/suggestion.h"
#include "library/meshcast_command.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The help that was asked for: none, -h or --help. */
enum help_form { HELP_NONE, HELP_SUMMARY, HELP_FULL };

/* The words of a command line other than options. */
struct operands {
    const struct meshcast_command_row *row; /* the command's */
    char **operand;
    int count;
    struct meshcast_command *command; /* has the options of the line; NULL: the program's own */
    enum help_form help;              /* the words after --help or -h were not read */
};

struct command {
    const char *group; /* the heading of the group that begins with it in lists; or NULL */
    const char *name;
    const struct meshcast_command_row *row; /* NULL: the library's of that name */
    enum failure_kind (*run)(void *options, const struct operands *operands,
                             struct failure *failure); /* NULL: the library's */
    bool is_for_programs;                              /* no list for people names it */
};

/* ---- the table ---- */

/* The program's own commands. */
extern const struct meshcast_command_row command_help, command_complete;
enum failure_kind command_help_run(void *options, const struct operands *operands,
                                   struct failure *failure);
enum failure_kind command_complete_run(void *options, const struct operands *operands,
                                       struct failure *failure);

/* Returns command `index`; NULL after the last. Commands for people come first. */
const struct command *command_at(uint32_t index);

/* Returns the command of that name, or NULL. */
const struct command *command_find(const char *name);

const struct meshcast_command_row *command_row(const struct command *command);

/* Returns the size of the struct of the options that the program keeps, which is initially all
 * zero. */
size_t command_options_size(const struct command *command);

/* Returns option `index`, the program's own after the library's; NULL after the last. *base, which
 * may be NULL: the offset among the options of the struct that has the row's field. */
const struct meshcast_option *command_option(const struct command *command, uint32_t index,
                                             size_t *base);

/* Finds an option by its name (without dashes, `length` bytes) or letter; NULL: none. */
const struct meshcast_option *command_find_option(const struct command *command, const char *name,
                                                  size_t length, size_t *base);
const struct meshcast_option *command_find_letter(const struct command *command, char letter,
                                                  size_t *base);

/* Returns the names of the options that help lists, "help" as the last. */
struct name_family command_option_names(const struct command *command);

/* The commands for people, and those that run on several ranks. */
extern const struct name_family command_names, rank_command_names;

/* ---- the command line ---- */

/* Reads argv[0 .. argc-1] into `options`, `operands->command` and `operands`, whose array is argv
 * itself, reordered. FAIL_USAGE: the text says what is accepted. */
enum failure_kind command_line_read(int argc, char **argv, const struct command *command,
                                    void *options, struct operands *operands,
                                    struct failure *failure);

/* True if the flag is an option that the program keeps, and was given. */
bool command_flag_is_set(const struct command *command, const void *options, const char *name);

/* Turns an error of the library into a failure; FAIL_NONE: there is none. */
enum failure_kind command_take_error(enum meshcast_status status,
                                     const struct meshcast_error *error, struct failure *failure);

/* ---- commands of the library ---- */

/* The options of the program itself: --json, --csv, --quiet; --memory is the process's. */
struct client_options {
    bool json, csv, quiet;
};

extern const struct meshcast_option_table client_option_table;

/* Runs `operands->command` and prints its report, as the struct client_options says. */
enum failure_kind client_run(void *options, const struct operands *operands,
                             struct failure *failure);

/* Appends the option that sets another limit to a failure by the limit of memory. */
void client_name_limit(struct failure *failure);

/* ---- help ---- */

/* Write what `meshcast`, `meshcast --help`, `meshcast COMMAND --help` and `meshcast COMMAND -h`
 * print. */
void command_print_overview(FILE *out);
void command_print_program(FILE *out);
void command_print_help(const struct command *command, FILE *out);
void command_print_summary(const struct command *command, FILE *out);

#endif
