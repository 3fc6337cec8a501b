/* meshcast_command.h - one command of the program, for programs: its options, its run, what came out.
 *
 * Every command of `meshcast` is here under its name, with the options of its --help under theirs, so that whoever knows
 * the program knows this interface:
 *
 *     struct meshcast_command *command = meshcast_command_new("route", &error);
 *     meshcast_command_set(command, "router", "stream", &error);
 *     meshcast_command_set(command, "buffer", "20", &error);
 *     meshcast_command_give_set(command, set);            // or meshcast_command_add_operand(command, "x.mcast", &error)
 *     if (meshcast_command_run(command, &report, &error) == MESHCAST_OK)
 *         printf("%.0f\n", meshcast_report_figure(report, "steps"));
 *
 * A report has the figures of --json under their keys. The error rule, ownership and threads are those of meshcast.h; a
 * command is used by one thread at a time.
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

/* A sparse matrix in memory: entry i is at row[i], col[i], from 0; repeats count once. With weights, integers above 0, entries
 * of a column with the same weight are one message, and weights of an entry that comes again add. */
struct meshcast_entries {
    uint32_t rows, cols;
    uint64_t entries;
    const uint32_t *row, *col; /* [entries] */
    const uint32_t *weight;    /* [entries]; NULL: there are none */
};

/* Returns a command with every option's default; NULL: there is none of that name (MESHCAST_USAGE), or no memory. */
struct meshcast_command *meshcast_command_new(const char *name, struct meshcast_error *error);
void meshcast_command_free(struct meshcast_command *command);

/* Sets an option, by its name without dashes, to a value as on the command line; of a flag the value is NULL, "true" or
 * "false". An option that is set twice has its last value; one that is a list may add to it. MESHCAST_USAGE: no such
 * option, or not a value of it. */
enum meshcast_status meshcast_command_set(struct meshcast_command *command, const char *option,
                                          const char *value, struct meshcast_error *error);

/* True if the command has an option of that name. */
bool meshcast_command_takes(const struct meshcast_command *command, const char *option);

/* Adds an operand: a file, or the name that the command wants. MESHCAST_USAGE: there are enough. */
enum meshcast_status meshcast_command_add_operand(struct meshcast_command *command,
                                                  const char *operand,
                                                  struct meshcast_error *error);

/* Gives what would else be read from a file: message sets, each in the place of an operand, or of a command without operands
 * (load) instead of the option `set`; the topology, instead of the option; routers of one's own (meshcast_own_router.h),
 * each in the place of a name of --router or --routers, to which it is added. They stay the caller's and must outlive the
 * command. A run refuses what its command does not take, and what an option names as well. A plugin that an option names is
 * loaded until the process ends, by one thread at a time; meshcast_router_load() has no such limits. */
enum meshcast_status meshcast_command_give_set(struct meshcast_command *command,
                                               const struct meshcast_set *set,
                                               struct meshcast_error *error);
void meshcast_command_give_topology(struct meshcast_command *command,
                                    const struct meshcast_topology *topology);
void meshcast_command_give_router(struct meshcast_command *command,
                                  const struct meshcast_router *router);

/* Gives a matrix to `import`, in the place of its operand, whose format then does not count. Of a set that is given to
 * `import` the lengths change, as bytes, flit-bytes and pack say. */
enum meshcast_status meshcast_command_give_entries(struct meshcast_command *command,
                                                   const struct meshcast_entries *entries,
                                                   struct meshcast_error *error);

/* Is told about five times a second, and when something else begins, how far a run is: `done` steps, cycles, runs or
 * sets of `all` (0: not known), in `what`, such as the name of a phase, with what belongs after the numbers on a second
 * line; NULL: nothing, as before a row of the table. */
void meshcast_command_set_progress(struct meshcast_command *command,
                                   void (*progress)(void *context, uint64_t done, uint64_t all,
                                                    const char *what),
                                   void *context);

/* Is told, a line each, what a user should know beside the report: a promise before a long run, threads that the system
 * refused, a file that may be cut. */
void meshcast_command_set_note(struct meshcast_command *command,
                               void (*note)(void *context, const char *line), void *context);

void meshcast_command_set_interrupt(struct meshcast_command *command,
                                    const struct meshcast_interrupt *interrupt);

/* Every event of the machine goes to the observer, which is copied (meshcast.h); route and compare. */
void meshcast_command_set_observer(struct meshcast_command *command,
                                   const struct meshcast_observer *observer);

/* The table for people is written to `out` while it is made, instead of being kept for meshcast_report_text(). */
void meshcast_command_set_table(struct meshcast_command *command, FILE *out);

/* Returns the option that sends its file to standard output ("-"), as "trace"; NULL: none does. */
const char *meshcast_command_output(const struct meshcast_command *command);

/* For the program: the whole line that was typed (or NULL), which pages show, and what its ranks share (NULL: it is alone).
 * Messages name options as the line does, "--buffer". */
struct ranks;
void meshcast_command_set_program(struct meshcast_command *command, const char *line,
                                  struct ranks *ranks);

/* Runs the command. With MESHCAST_OK *report is the caller's, and with another status if there are figures to report, as
 * of a run that failed a check; else it is NULL. */
enum meshcast_status meshcast_command_run(struct meshcast_command *command,
                                          struct meshcast_report **report,
                                          struct meshcast_error *error);

/* ---- what came out ---- */

void meshcast_report_free(struct meshcast_report *report);

/* Returns the number at `path`, keys and indices with points between, as "steps", "latency.p95", "rows.2.steps"; true and
 * false are 1 and 0. NAN: it is not there, or null, or no number. Counts are exact to 2^53. */
double meshcast_report_figure(const struct meshcast_report *report, const char *path);

/* Returns the text at `path`; NULL: it is not there, or no text. */
const char *meshcast_report_word(const struct meshcast_report *report, const char *path);

/* Returns the elements of the array, or the keys of the object, at `path`; 0: it is neither. "" is the whole report. */
size_t meshcast_report_size(const struct meshcast_report *report, const char *path);

/* Return the report as --json, --csv and neither print it; the report's; NULL: no memory, or the table went to a stream. */
const char *meshcast_report_json(struct meshcast_report *report);
const char *meshcast_report_csv(struct meshcast_report *report);
const char *meshcast_report_text(struct meshcast_report *report);

/* Return numbers that a flag said to keep, *count of them, the report's; NULL, and 0: there are none. These flags are for
 * programs, so --help does not list them. Arrays of 32 bits are marked *.
 *   route     keep-node-peaks  node-peaks*: the most packets of each node at the end of a step
 *             keep-link-loads  link-loads: packets over the link to the north of each node, then to the south, west, east
 *             keep-timeline    timeline.step, .packets, .delivered, .fullest, .busy_links, .packet_hops, .word_hops: the
 *                              columns of --timeline
 *   network   keep-delivered   delivered: the cycle of each message's last delivery (UINT64_MAX: not to all); messages*:
 *                              the messages' numbers in the set
 *             keep-link-flits  link-flits: flits over each link
 *   plan      keep-costs       the costs of each message under their names, by the first scheme, by the next one, ..;
 *                              longest_path_bound; messages*
 *   expander  keep-neighbours  neighbours*: the groups of each input, one input after the other */
const uint32_t *meshcast_report_array32(const struct meshcast_report *report, const char *name,
                                        size_t *count);
const uint64_t *meshcast_report_array64(const struct meshcast_report *report, const char *name,
                                        size_t *count);

/* Returns the set that a command made (gen, import, search), which is then the caller's; NULL: it made none, or it was taken. */
struct meshcast_set *meshcast_report_take_set(struct meshcast_report *report);

/* For the program, before anything else: is told of temporary files, `made` before one is there, `gone` after it was renamed
 * or removed, with the same pointer both times, so that a signal handler can remove them. */
void meshcast_watch_files(void (*made)(const char *name), void (*gone)(const char *name));

/* The same: keeps points of `load` in the file that its option `db` names, which is MESHCAST_USAGE if nobody keeps them. find()
 * sets *figures to the text that was added under the key, for the caller to free, or leaves it NULL; add() is given JSON texts,
 * the figures' and, as the key, what was asked. They return a status. */
struct meshcast_store {
    int (*find)(const char *path, const char *key, char **figures, struct failure *failure);
    int (*add)(const char *path, const char *key, const char *state, const char *figures,
               struct failure *failure);
};
void meshcast_set_store(const struct meshcast_store *store);

/* ---- what there is ---- */

enum meshcast_option_type {
    MESHCAST_OPTION_FLAG,   /* takes no value */
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
    const char *alias; /* the same in another word, which help leaves out; or NULL */
    char letter;       /* short form, or 0 */
    const char *value; /* what help calls the value; NULL for a flag */
    const char *help;  /* lines are parted by '\n'; NULL: for programs only */
    bool is_common; /* a summary shows what its help begins with; else it only names the option */
    enum meshcast_option_type type;
    uint32_t least, most;
    const char *const *choices;      /* up to a NULL; or NULL */
    const struct name_family *names; /* of values, for completion; NULL: no names */
    bool is_list;                    /* several values with commas between */
    bool is_file, is_output;         /* a file's name; a file that is written */
    bool is_topology;                /* "mesh:..", "torus:..", "graph:FILE" */
    bool is_parameter;               /* NAME=VALUE, see offer_parameters */
    /* The library's own: of the field that has the value, and for OTHER the function that reads it. It returns a status.
     * The value may be written to and lives as long as the command. */
    size_t offset;
    int (*accept)(void *field, char *value, struct failure *failure);
};

/* Options in one struct of the library's. */
struct meshcast_option_table {
    const struct meshcast_option *row;
    uint32_t rows;
    size_t base; /* the library's own */
};

enum { MESHCAST_OPTION_TABLES = 6 };

/* A command line that is being completed. */
struct meshcast_offers {
    const void *line;
    /* True if an operand or option of these names was given `value`; NULL: any. */
    bool (*gives)(const void *line, const struct name_family *names, const char *value);
    /* Offers a parameter's name, or with a value NAME=VALUE. */
    void (*offer)(const void *line, const char *name, const char *value);
};

/* What a command is. */
struct meshcast_command_row {
    const char *name, *summary;
    const char *examples; /* lines, each indented by two spaces and ended */
    const char *synopsis; /* what follows the name in the usage line */
    const char *operands; /* what the operands are, for messages: "a message set SET" */
    int least, most;      /* how many operands */
    const struct name_family *operand_names; /* of the first one; NULL: operands are files */
    /* Returns the names of the second operand, given the first; NULL: none. A NULL function: the second is a file. */
    const struct name_family *(*second_names)(const char *first);
    struct meshcast_option_table options[MESHCAST_OPTION_TABLES];
    void (*offer_parameters)(const struct meshcast_offers *offers); /* NULL: there are none */
    void (*print_more)(FILE *out); /* the end of its help; may be NULL */
    const char *topics; /* "'meshcast help routers'": where its help goes on; may be NULL */
    bool is_check;      /* its table only says that all is right: a quiet run prints none */
    bool ends_early;    /* an interrupt ends a run with the results that it has so far */
    bool runs_on_ranks; /* on several ranks of MPI, see doc/ranks.md */
    /* The library's own. */
    size_t options_size; /* of the struct that the tables describe; all zero to begin with */
    int (*run)(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure);
};

/* Returns option `index` of all tables of the command; NULL after the last. */
const struct meshcast_option *meshcast_command_option(const struct meshcast_command_row *command,
                                                      uint32_t index);

/* True if `name` (without dashes, `length` bytes) is the option's name or alias. */
bool meshcast_option_is(const struct meshcast_option *option, const char *name, size_t length);

/* For the program, before anything else: adds commands, up to a NULL, that need what the library does not, as a database. */
void meshcast_set_commands(const struct meshcast_command_row *const *commands);

/* Returns command `index`; NULL after the last. */
const struct meshcast_command_row *meshcast_command_at(uint32_t index);

/* Returns the name of value `index` of an option, as ("route", "router", 0), or, if that is NULL, of the first operand, as
 * ("kernel", NULL, 0); NULL after the last, and where values have no names. */
const char *meshcast_command_value_at(const char *command, const char *option, uint32_t index);

/* A subject of `meshcast help` that is no command: what options and operands can name. */
struct meshcast_topic {
    const char *plural, *singular;            /* "routers", "router" */
    const struct name_family *names;          /* NULL: the topic is one text */
    const char *(*summary)(uint32_t index);   /* of name `index`, a line; NULL without names */
    void (*print)(uint32_t index, FILE *out); /* the help of name `index`, or the text */
    /* Prints the help of what the file of this path has, as a plugin; NULL: names are never paths. */
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
