/* meshcast_command.h - the commands of the program, for programs: options, runs, reports.
 *
 * Every command of `meshcast` is here under its name, with the options of its --help under theirs,
 * so anyone who knows the program knows this interface:
 *
 *     struct meshcast_command *command = meshcast_command_new("route", &error);
 *     meshcast_command_set(command, "router", "stream", &error);
 *     meshcast_command_set(command, "buffer", "20", &error);
 *     meshcast_command_give_set(command, set); // or meshcast_command_add_operand() for a file
 *     if (meshcast_command_run(command, &report, &error) == MESHCAST_OK)
 *         printf("%.0f\n", meshcast_report_figure(report, "steps"));
 *
 * A report has the figures of --json under their keys. The error, ownership and thread rules are in
 * meshcast.h; a command is used by one thread at a time.
 */
#ifndef MESHCAST_COMMAND_H
#define MESHCAST_COMMAND_H

#include "meshcast.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

struct meshcast_command;
struct meshcast_report;
struct failure;

/* A sparse matrix in memory: entry i is at row[i], col[i], from 0; repeats count once. With
 * weights, integers above 0, the entries of a column with the same weight are one message, and the
 * weights of a repeated entry add up. */
struct meshcast_entries {
    uint32_t rows, cols;
    uint64_t entries;
    const uint32_t *row, *col; /* [entries] */
    const uint32_t *weight;    /* [entries]; NULL: no weights */
};

/* Returns a command with every option's default; NULL: no command has that name (MESHCAST_USAGE),
 * or no memory. */
struct meshcast_command *meshcast_command_new(const char *name, struct meshcast_error *error);
void meshcast_command_free(struct meshcast_command *command);

/* Sets an option, named without dashes, to a value as on the command line; for a flag the value is
 * NULL, "true" or "false". An option that is set twice has its last value; a list may add to it.
 * MESHCAST_USAGE: no such option, or not one of its values. */
enum meshcast_status meshcast_command_set(struct meshcast_command *command, const char *option,
                                          const char *value, struct meshcast_error *error);

/* True if the command has an option of that name. */
bool meshcast_command_takes(const struct meshcast_command *command, const char *option);

/* Adds an operand: a file, or a name, as the command wants. MESHCAST_USAGE: the command accepts no
 * more. */
enum meshcast_status meshcast_command_add_operand(struct meshcast_command *command,
                                                  const char *operand,
                                                  struct meshcast_error *error);

/* Give an input that would otherwise be read from a file. A message set replaces an operand, or in
 * a command without operands (load) the option `set`. The topology replaces the option. A router of
 * the caller's own (meshcast_own_router.h) counts as another name in --router or --routers. They
 * remain the caller's and must outlive the command. A run refuses an input that its command does
 * not accept, or that an option names as well. A plugin that an option names is loaded until the
 * process ends, by one thread at a time; meshcast_router_load() has no such limits. */
enum meshcast_status meshcast_command_give_set(struct meshcast_command *command,
                                               const struct meshcast_set *set,
                                               struct meshcast_error *error);
void meshcast_command_give_topology(struct meshcast_command *command,
                                    const struct meshcast_topology *topology);
void meshcast_command_give_router(struct meshcast_command *command,
                                  const struct meshcast_router *router);

/* Gives a matrix to `import`, instead of its operand, whose format is then ignored. A set that is
 * given to `import` has its lengths changed, by the options bytes, flit-bytes and pack. */
enum meshcast_status meshcast_command_give_entries(struct meshcast_command *command,
                                                   const struct meshcast_entries *entries,
                                                   struct meshcast_error *error);

/* Sets the progress callback (NULL: none). It is called about five times per second, and when
 * another activity begins: `done` of `all` steps, cycles, runs or sets are done (all is 0: not
 * known). `what` is the activity, such as the name of a phase, with a second line for text after
 * the numbers; NULL: none, as before a row of the table. */
void meshcast_command_set_progress(struct meshcast_command *command,
                                   void (*progress)(void *context, uint64_t done, uint64_t all,
                                                    const char *what),
                                   void *context);

/* Sets the callback for remarks to the user beside the report, a line each: a promise before a long
 * run, threads that the system refused, a file that may be cut. */
void meshcast_command_set_note(struct meshcast_command *command,
                               void (*note)(void *context, const char *line), void *context);

void meshcast_command_set_interrupt(struct meshcast_command *command,
                                    const struct meshcast_interrupt *interrupt);

/* Sends every event of the machine to the observer, which is copied (meshcast.h); for route and
 * compare. */
void meshcast_command_set_observer(struct meshcast_command *command,
                                   const struct meshcast_observer *observer);

/* Writes the table for people to `out` while it is made, instead of keeping it for
 * meshcast_report_text(). */
void meshcast_command_set_table(struct meshcast_command *command, FILE *out);

/* Returns the option whose file goes to standard output ("-"), as "trace"; NULL: none. */
const char *meshcast_command_output(const struct meshcast_command *command);

/* For the program: sets the whole line that was typed (or NULL), which pages show, and what its
 * ranks share (NULL: one rank). Messages name options as the line does, "--buffer". */
struct ranks;
void meshcast_command_set_program(struct meshcast_command *command, const char *line,
                                  struct ranks *ranks);

/* Runs the command. *report is the caller's with MESHCAST_OK, and with another status if there are
 * figures to report, as of a run that failed a check; else it is NULL. */
enum meshcast_status meshcast_command_run(struct meshcast_command *command,
                                          struct meshcast_report **report,
                                          struct meshcast_error *error);

/* ---- reports ---- */

void meshcast_report_free(struct meshcast_report *report);

/* Returns the number at `path`, keys and indices with points between, as "steps", "latency.p95",
 * "rows.2.steps"; true and false are 1 and 0. NAN: it is missing, null, or not a number. Counts are
 * exact up to 2^53. */
double meshcast_report_figure(const struct meshcast_report *report, const char *path);

/* Returns the text at `path`; NULL: it is missing, or not a text. */
const char *meshcast_report_word(const struct meshcast_report *report, const char *path);

/* Returns the number of elements of the array, or of keys of the object, at `path`; 0: it is
 * neither. "" is the whole report. */
size_t meshcast_report_size(const struct meshcast_report *report, const char *path);

/* Return the report as --json, --csv and neither of them print it. The report owns the text. NULL:
 * no memory, or the table went to a stream. */
const char *meshcast_report_json(struct meshcast_report *report);
const char *meshcast_report_csv(struct meshcast_report *report);
const char *meshcast_report_text(struct meshcast_report *report);

/* Return an array of *count numbers that a flag said to keep; the report owns it. NULL, and 0:
 * there is none. These flags are for programs, so --help does not list them. Arrays of 32 bits are
 * marked *.
 *   route     keep-node-peaks  node-peaks*: the most packets of each node at the end of a step
 *             keep-link-loads  link-loads: packets over the link to the north of each node, then to
 *                              the south, west, east
 *             keep-timeline    timeline.step, .packets, .delivered, .fullest, .busy_links,
 *                              .packet_hops, .word_hops: the columns of --timeline
 *   network   keep-delivered   delivered: the cycle of each message's last delivery
 *                              (UINT64_MAX: not all received it); messages*: the messages' numbers
 *                              in the set
 *             keep-link-flits  link-flits: flits over each link
 *   plan      keep-costs       the costs of each message under their names, by the first scheme, by
 *                              the next one, ..; longest_path_bound; messages*
 *   expander  keep-neighbours  neighbours*: the groups of each input, one input after the other */
const uint32_t *meshcast_report_array32(const struct meshcast_report *report, const char *name,
                                        size_t *count);
const uint64_t *meshcast_report_array64(const struct meshcast_report *report, const char *name,
                                        size_t *count);

/* Returns the set that a command made (gen, import, search), which is then the caller's; NULL: it
 * made none, or the set was taken already. */
struct meshcast_set *meshcast_report_take_set(struct meshcast_report *report);

/* For the program, before anything else: sets callbacks for temporary files, so that a signal
 * handler can remove them. `made` is called before the file exists, `gone` after it was renamed or
 * removed, with the same pointer both times. */
void meshcast_watch_files(void (*made)(const char *name), void (*gone)(const char *name));

/* For the program, before anything else: keeps points of `load` in the file that its option `db`
 * names, which is MESHCAST_USAGE without a store. find() sets *figures to the text that was added
 * under the key, for the caller to free, or leaves it NULL. add() is given JSON texts: the figures
 * and, as the key, the point's settings. Both return a status. */
struct meshcast_store {
    int (*find)(const char *path, const char *key, char **figures, struct failure *failure);
    int (*add)(const char *path, const char *key, const char *state, const char *figures,
               struct failure *failure);
};
void meshcast_set_store(const struct meshcast_store *store);

/* ---- tables of commands, options and topics ---- */

enum meshcast_option_type {
    MESHCAST_OPTION_FLAG,   /* has no value */
    MESHCAST_OPTION_TEXT,   /* not empty */
    MESHCAST_OPTION_NUMBER, /* decimal, least .. most */
    MESHCAST_OPTION_SEED,   /* decimal, or hexadecimal after 0x */
    MESHCAST_OPTION_CHOICE, /* one of `choices` */
    MESHCAST_OPTION_OTHER,  /* as `help` says */
};

struct name_family;

/* An option of a command. */
struct meshcast_option {
    const char *name;  /* without dashes */
    const char *alias; /* the same option under another name, which help leaves out; or NULL */
    char letter;       /* short form, or 0 */
    const char *value; /* the value's name in help; NULL for a flag */
    const char *help;  /* lines are separated by '\n'; NULL: for programs only */
    bool is_common;    /* a summary shows the first part of its help; else only its name */
    enum meshcast_option_type type;
    uint32_t least, most;
    const char *const *choices;      /* ends with NULL; or NULL */
    const struct name_family *names; /* of values, for completion; NULL: no names */
    bool is_list;                    /* several values with commas between */
    bool is_file, is_output;         /* a file's name; a file that is written */
    bool is_topology;                /* "mesh:..", "torus:..", "graph:FILE" */
    bool is_parameter;               /* NAME=VALUE, see offer_parameters */
    /* The library's own: the offset of the value's field, and for OTHER the function that reads it,
     * which returns a status. The value may be written to and lives as long as the command. */
    size_t offset;
    int (*accept)(void *field, char *value, struct failure *failure);
};

/* Options whose values are in one struct of the library's. */
struct meshcast_option_table {
    const struct meshcast_option *row;
    uint32_t rows;
    size_t base; /* the library's own */
};

enum { MESHCAST_OPTION_TABLES = 6 };

/* A command line that is being completed. */
struct meshcast_offers {
    const void *line;
    /* True if an operand or option of these names has the value; NULL: any value. */
    bool (*gives)(const void *line, const struct name_family *names, const char *value);
    /* Offers a parameter's name, or with a value NAME=VALUE. */
    void (*offer)(const void *line, const char *name, const char *value);
};

/* A command. */
struct meshcast_command_row {
    const char *name, *summary;
    const char *examples; /* lines, each indented by two spaces and ended by '\n' */
    const char *synopsis; /* follows the name in the usage line */
    const char *operands; /* description of the operands, for messages: "a message set SET" */
    int least, most;      /* numbers of operands */
    const struct name_family *operand_names; /* of the first one; NULL: operands are files */
    /* Returns the names of the second operand, given the first; NULL: none. A NULL function: the
     * second is a file. */
    const struct name_family *(*second_names)(const char *first);
    struct meshcast_option_table options[MESHCAST_OPTION_TABLES];
    void (*offer_parameters)(const struct meshcast_offers *offers); /* NULL: no parameters */
    void (*print_more)(FILE *out); /* the end of its help; may be NULL */
    const char *topics; /* "'meshcast help routers'": where its help continues; may be NULL */
    bool is_check;      /* its table only says that all is right: a quiet run prints none */
    bool ends_early;    /* an interrupt ends a run with the results that it has so far */
    bool runs_on_ranks; /* on several ranks of MPI, see doc/ranks.md */
    /* The library's own. */
    size_t options_size; /* size of the struct that the tables describe, initially all zero */
    int (*run)(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure);
};

/* Returns option `index` of all tables of the command; NULL after the last. */
const struct meshcast_option *meshcast_command_option(const struct meshcast_command_row *command,
                                                      uint32_t index);

/* True if `name` (without dashes, `length` bytes) is the option's name or alias. */
bool meshcast_option_is(const struct meshcast_option *option, const char *name, size_t length);

/* For the program, before anything else: adds commands, ended by NULL, that need more than the
 * library, such as a database. */
void meshcast_set_commands(const struct meshcast_command_row *const *commands);

/* Returns command `index`; NULL after the last. */
const struct meshcast_command_row *meshcast_command_at(uint32_t index);

/* Returns the name of value `index` of an option, as ("route", "router", 0), or, if the option is
 * NULL, of the first operand, as ("kernel", NULL, 0). NULL after the last, and if values have no
 * names. */
const char *meshcast_command_value_at(const char *command, const char *option, uint32_t index);

/* A subject of `meshcast help` that is not a command, such as the names that options and operands
 * accept. */
struct meshcast_topic {
    const char *plural, *singular;            /* "routers", "router" */
    const struct name_family *names;          /* NULL: the topic is one text */
    const char *(*summary)(uint32_t index);   /* of name `index`, a line; NULL without names */
    void (*print)(uint32_t index, FILE *out); /* prints the help of name `index`, or the text */
    /* Prints the help of the file of this path, such as a plugin; NULL: names are never paths. */
    int (*print_file)(const char *path, FILE *out, struct failure *failure);
};

/* Returns topic `index`; NULL after the last. */
const struct meshcast_topic *meshcast_topic_at(uint32_t index);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
