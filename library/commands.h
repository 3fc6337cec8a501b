/* commands.h - the input of a command of the library, and the helpers that all commands share.
 *
 * A command is a row (struct meshcast_command_row) and a function that runs it: it checks the
 * options, reads the operands, calls the inner layers, and fills the report: a JSON value, a table
 * for people. It prints nothing by itself.
 */
#ifndef MESHCAST_LIBRARY_COMMANDS_H
#define MESHCAST_LIBRARY_COMMANDS_H

#include "base/failure.h"
#include "library/meshcast_command.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct byte_sharing; /* base/byte_source.h */
struct message_set;
struct ranks;

/* One router more than any command accepts, which it then refuses. */
enum { COMMAND_SETS = 64, COMMAND_ROUTERS = 33, REPORT_ARRAYS = 16 };

/* An option that was set. */
struct given_option {
    const struct meshcast_option *row;
    char *value; /* `options` points into it and accept() may have changed it; NULL: a flag */
    char *text;  /* the value as given */
};

struct meshcast_command {
    const struct meshcast_command_row *row;
    void *options;
    size_t givens, room;
    struct given_option *given; /* [givens], in the order in which they were set */
    int operands;               /* given and not given */
    char **operand;             /* [operands]; NULL: a set that was given */
    uint32_t sets;              /* number of those given */
    const struct meshcast_set *set[COMMAND_SETS];
    uint32_t routers;
    const struct meshcast_router *router[COMMAND_ROUTERS];
    const struct meshcast_topology *topology; /* NULL: not given */
    const struct meshcast_entries *entries;   /* of `import`; NULL: not given */
    void (*progress)(void *context, uint64_t done, uint64_t all, const char *what);
    void *progress_context;
    void (*note)(void *context, const char *line);
    void *note_context;
    const struct interrupt *interrupt;
    const struct meshcast_observer *observer;
    struct meshcast_observer observer_copy;
    FILE *table;         /* NULL: the report keeps it */
    const char *line;    /* the program's whole command line, for pages; or NULL */
    struct ranks *ranks; /* of the program; NULL: one */
    bool names_dashes;   /* messages name options as "--buffer", not as "buffer" */
};

struct report_array {
    const char *name;
    void *value; /* freed with the report */
    size_t count;
    bool is_wide; /* uint64_t, else uint32_t */
};

struct meshcast_report {
    const struct meshcast_command *command;
    json_t *json;     /* NULL: there are no figures */
    const char *rows; /* the key of the array that --csv prints; NULL: all */
    json_t *csv;      /* the rows of --csv; NULL: rows of `json` */
    FILE *table;
    char *text, *json_text, *csv_text;
    size_t text_size;
    uint32_t arrays;
    struct report_array array[REPORT_ARRAYS];
    struct meshcast_set *set;
};

/* Sets an option, by its name, not its alias, that was given no value. */
enum failure_kind command_set_default(struct meshcast_command *command, const char *option,
                                      const char *value, struct failure *failure);

/* True if a run with this outcome got so far that its result holds figures, and its files show
 * it. */
bool run_has_figures(const struct failure *failure);

/* Reports a line to the user, if there is a callback. */
void command_note(const struct meshcast_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Notes that a run had `refused` threads fewer than it wanted, if any. */
void command_note_threads(const struct meshcast_command *command, uint32_t threads,
                          uint32_t refused);

/* Reports progress; for the callbacks of inner layers that count steps and name phases, with the
 * command as context. */
void command_progress(const struct meshcast_command *command, uint64_t done, uint64_t all,
                      const char *what);
void command_progress_steps(void *command, uint64_t steps, const char *phase);

/* Returns the stream for the table for people, which is open while a command runs; no progress line
 * is left on a terminal. */
FILE *command_table(const struct meshcast_report *report);

/* Takes over `json`, whose rows for CSV are at `rows` (NULL: it is all rows, or one). FAIL_SYSTEM:
 * it is NULL. */
enum failure_kind report_take_json(struct meshcast_report *report, json_t *json, const char *rows,
                                   struct failure *failure);

/* Takes over the rows for CSV, which are not in the JSON value in that form. FAIL_SYSTEM: `rows` is
 * NULL. */
enum failure_kind report_take_csv(struct meshcast_report *report, json_t *rows,
                                  struct failure *failure);

/* Returns the rows of --csv, the report's: an array, or one object. */
const json_t *report_rows(const struct meshcast_report *report);

/* Takes over `value`, which came from memory_allocate(), as the array of that name. */
void report_take_array(struct meshcast_report *report, const char *name, void *value, size_t count,
                       bool is_wide);

/* Write the entry of pattern `index`, and the formats that `import` reads, for `meshcast help`
 * (library/command_list.c). */
void gen_print_pattern(uint32_t index, FILE *out);
void import_print_formats(uint32_t index, FILE *out);

/* ---- several ranks (library/command_ranks.c) ---- */

/* Shares the machine of a rank among its ranks. */
void command_share_cores(const struct meshcast_command *command);
void command_share_memory(const struct meshcast_command *command);

/* Returns the number of ranks that run the command. */
uint32_t command_ranks(const struct meshcast_command *command);

/* True for the rank that writes files and the report. */
bool command_writes(const struct meshcast_command *command);

/* FAIL_USAGE: there are more ranks than rows. */
enum failure_kind command_check_rows(const struct meshcast_command *command, uint32_t rows,
                                     struct failure *failure);

/* Returns the way in which ranks share the bytes of a file that the first one reads. */
struct byte_sharing command_sharing(const struct meshcast_command *command);

/* Keeps the messages of this rank's rows in a set that all ranks have read. */
enum failure_kind command_keep_own_rows(const struct meshcast_command *command,
                                        struct message_set *set, struct failure *failure);

/* Returns the program's store of results; NULL: none. */
const struct meshcast_store *command_store(void);

/* Returns the comment of a set that the command makes: the command as it can be given again,
 * "meshcast gen --side 8 ..", and after it the text. Options are in the order of the tables,
 * without output files and the options `left_out`, ended by NULL. Files have folders if
 * `has_folders`. The caller owns it. NULL: no memory. */
char *command_comment(const struct meshcast_command *command, bool has_folders,
                      const char *const *left_out, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* True if the command has the option `name`, and it was set. */
bool command_is_set(const struct meshcast_command *command, const char *name);

/* Returns operand `index`, or NULL if there are fewer. */
const char *command_operand(const struct meshcast_command *command, int index);

#endif
