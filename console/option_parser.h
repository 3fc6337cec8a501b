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
#include "base/suggestion.h"
#include "machine/mesh.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum option_type {
    OPTION_FLAG,   /* bool: set to true, takes no value */
    OPTION_TEXT,   /* const char *: the value itself, which is the caller's; not empty */
    OPTION_NUMBER, /* uint32_t: decimal, least .. most */
    OPTION_SEED,   /* uint64_t: decimal, or hexadecimal after 0x */
    OPTION_CHOICE, /* uint32_t: the index of the value in `choices`, which ends with NULL */
    OPTION_ACCEPT, /* whatever accept() makes of it */
};

struct option_row {
    const char *name;  /* without the dashes */
    char letter;       /* short form, or 0 */
    const char *value; /* what --help calls the value; NULL for a flag */
    const char *help;  /* lines are parted by '\n' */
    bool is_common;    /* -h shows what its help begins with; else -h only names the option */
    enum option_type type;
    size_t offset;        /* of the field that takes the value */
    uint32_t least, most; /* of OPTION_NUMBER */
    const char *const *choices;
    /* For completion alone: what the value may be, beside the choices. */
    const struct name_family *names; /* NULL: no names */
    bool is_list;                    /* several of them with commas between */
    bool is_file;                    /* a file's name */
    bool is_topology;                /* "mesh:..", "torus:..", "graph:FILE" */
    bool is_parameter;               /* NAME=VALUE, as the command's offer_parameters() knows */
    /* `field` points to the field, `value` may be written to and lives as long as argv. */
    enum failure_kind (*accept)(void *field, char *value, struct failure *failure);
};

/* A table of rows whose offsets count from byte `base` of the command's struct of options. */
struct option_table {
    const struct option_row *row;
    uint32_t rows;
    size_t base;
};

enum { OPTION_TABLES = 5 };

/* Which help was asked for: none, -h or --help. */
enum help_form { HELP_NONE, HELP_SUMMARY, HELP_FULL };

/* What was found besides the options. */
struct operands {
    char **operand;
    int count;
    /* The caller of option_parse() sets the next two. */
    const char *line;    /* the program's whole command line; or NULL */
    struct ranks *ranks; /* of the program; NULL: it is alone */
    enum help_form help; /* what follows --help or -h was not read */
};

/* Reads argv[0 .. argc-1] into `options` (the struct that the OPTION_TABLES tables describe) and
 * `operands`, whose array is argv itself, reordered. FAIL_USAGE: the text says what is accepted. */
enum failure_kind option_parse(int argc, char **argv, const struct option_table *tables,
                               void *options, struct operands *operands, struct failure *failure);

/* Whether the OPTION_FLAG named `name` is among the tables and was given. */
bool option_flag_is_set(const struct option_table *tables, const void *options, const char *name);
/* The row of the option `name` (without dashes, `length` bytes), or of the letter; *base is its
 * table's. NULL: there is none. */
const struct option_row *option_find(const struct option_table *tables, const char *name,
                                     size_t length, size_t *base);
const struct option_row *option_find_letter(const struct option_table *tables, char letter,
                                            size_t *base);

/* The long names of all options, "help" as the last. `tables` stays the caller's. */
struct name_family option_names(const struct option_table *tables);

/* Finds a value of the option `name` in `choices`, which ends with NULL; for an accept() that wants
 * to know more. FAIL_USAGE: the text names the nearest, and all. */
enum failure_kind option_take_choice(const char *name, const char *const *choices,
                                     const char *value, uint32_t *index, struct failure *failure);

/* Reads the value of an OPTION_SEED named `name`; for an accept() that wants to know more. */
enum failure_kind option_take_seed(const char *name, const char *value, uint64_t *seed,
                                   struct failure *failure);

/* Reads digits alone, 1 .. most; what follows them begins at *end. 0: it is not such a number. */
uint32_t option_scan_number(const char *text, uint32_t most, const char **end);

/* Reads M, a square mesh, or ROWSxCOLS, the value of the option `name`. */
enum failure_kind option_take_mesh(const char *name, const char *value, struct mesh *mesh,
                                   struct failure *failure);

/* Prints a line or more an option, aligned. */
void option_print_help(const struct option_table *tables, FILE *out);

/* Prints a line for each common option: its help if that is one line, else the help's first clause, which ends before
 * " (", or with ";", ":" or ".". Then come the names of the others. */
void option_print_summary(const struct option_table *tables, FILE *out);

#endif
