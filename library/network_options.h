/* network_options.h - the options of commands that send messages by schemes: `plan`, `network`,
 * `load`.
 *
 * One table has the rows of each kind: those of schemes and those of the network. Parameters,
 * --param NAME=VALUE, may be given for several schemes: each uses those that it has.
 */
#ifndef MESHCAST_LIBRARY_NETWORK_OPTIONS_H
#define MESHCAST_LIBRARY_NETWORK_OPTIONS_H

#include "library/chosen_messages.h"
#include "library/commands.h"
#include "library/option_table.h"
#include "network/network.h"
#include "network/schemes/scheme.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NETWORK_LIST_MAX = 64,
    SCHEME_PARAMETERS_GIVEN = 16,
    NETWORK_OPTION_ROWS = 18,
    NETWORK_OWN_ROW = 1,   /* the first of those .. */
    NETWORK_OWN_ROWS = 14, /* .. that runs of routers have not */
    FLITS_TEXT = 24
};

/* The schemes of --scheme; count 0: not given. */
struct scheme_list {
    uint32_t count;
    const struct scheme *value[NETWORK_LIST_MAX];
};

/* The values of --param, NAME=VALUE. */
struct scheme_parameters {
    uint32_t count;
    char text[SCHEME_PARAMETERS_GIVEN][64]; /* cut off; no parameter is as long */
};

/* ---- schemes ---- */

/* Accept values: `field` is a struct scheme_list, a struct scheme_parameters, a struct
 * flits_range. */
int accept_schemes(void *field, char *value, struct failure *failure);
int accept_scheme_parameter(void *field, char *value, struct failure *failure);
int accept_routing(void *field, char *value, struct failure *failure);
int accept_flits(void *field, char *value, struct failure *failure);

/* The rows of --param and --routing, for the struct scheme_parameters `member` of `structure`. */
#define SCHEME_PARAMETER_ROWS(structure, member)                                                   \
    {.name = "param",                                                                              \
     .value = "NAME=VALUE",                                                                        \
     .help = "a parameter: 'meshcast help scheme NAME'",                                           \
     .type = MESHCAST_OPTION_OTHER,                                                                \
     .offset = offsetof(structure, member),                                                        \
     .accept = accept_scheme_parameter,                                                            \
     .is_parameter = true},                                                                        \
    {                                                                                              \
        .name = "routing", .value = "NAME",                                                        \
        .help =                                                                                    \
            "short for --param routing=NAME: how worms of unicast and u-mesh find their way,\n"    \
            "x-first (the default), label, west-first, odd-even or up-down",                       \
        .type = MESHCAST_OPTION_OTHER, .offset = offsetof(structure, member),                      \
        .accept = accept_routing                                                                   \
    }

/* The row of --topology of commands that read a set, for the const char * `member`. */
#define SET_TOPOLOGY_ROW(of, member)                                                               \
    OPTION_TOPOLOGY(RARE, of, member,                                                              \
                    "graph:FILE, an edge list, for a set on a graph; else the set says it")

/* The row of --flits, for the struct flits_range `member`. */
#define FLITS_ROW(shown, of, member)                                                               \
    OPTION_OTHER("flits", "L|A:B", shown, of, member, accept_flits,                                \
                 "flits of a message to which the set gives none (header included), or a range\n"  \
                 "from which each is drawn; the default is 1")

/* Sets the scheme's choices by those of the parameters that it has. FAIL_USAGE: it has no such
 * choice. */
enum failure_kind scheme_parameters_choose(const struct scheme_parameters *parameters,
                                           const struct scheme *scheme,
                                           struct scheme_choices *choices, struct failure *failure);

/* FAIL_USAGE if none of the schemes has one of the parameters. */
enum failure_kind scheme_parameters_check(const struct scheme_parameters *parameters,
                                          const struct scheme *const *schemes, uint32_t count,
                                          struct failure *failure);

/* FAIL_USAGE: no scheme was given; the text names them all. */
enum failure_kind scheme_missing(struct failure *failure);

/* Calls `add` for each element of the list `value`, which is cut up. */
enum failure_kind option_for_elements(void *field, char *value,
                                      enum failure_kind (*add)(void *field, const char *text,
                                                               struct failure *failure),
                                      struct failure *failure);

/* FAIL_USAGE: the `count` values in `list`, of `size` bytes each, already have `value`, or no room
 * for it. */
enum failure_kind option_check_room(const void *list, uint32_t count, const void *value,
                                    size_t size, const char *text, struct failure *failure);

/* Writes the description of scheme `index`, with its parameters, for `meshcast help`. */
void scheme_print(uint32_t index, FILE *out);

/* Offers the parameters of schemes for --param. */
void scheme_offer_parameters(const struct meshcast_offers *offers);

/* Reads "L" or "A:B". FAIL_USAGE: neither. */
enum failure_kind flits_range_read(const char *text, struct flits_range *range,
                                   struct failure *failure);

/* Writes "10" or "10:100", and returns the text. */
const char *flits_range_text(struct flits_range range, char text[FLITS_TEXT]);

/* ---- the network ---- */

/* A zeroed one holds every default. */
struct network_options {
    struct scheme_parameters parameters;
    uint32_t switching, ports, release, startup_mode, header; /* indices of the names below */
    uint32_t vcs, buffer, injection, consumption;             /* 0: not given */
    uint32_t startup, router_delay;
    uint32_t flit_bits, flit_bytes; /* 0: not given */
    double clock;                   /* GHz; 0: not given */
    uint64_t seed;
    uint32_t threads;
};

extern const char *const switching_names[], *const ports_names[], *const release_names[];
extern const char *const startup_mode_names[], *const header_names[];

extern const struct meshcast_option network_option_row[NETWORK_OPTION_ROWS];

/* Refuses options that have no effect beside the others. */
enum failure_kind network_options_check(const struct network_options *options,
                                        struct failure *failure);

struct network_settings network_options_settings(const struct network_options *options,
                                                 const struct topology *topology);

/* The target of network_options_watch(). */
struct network_watch {
    const struct meshcast_command *command;
    const char *name; /* name of the run */
};

/* Reports progress, and ends the run when an interrupt was sent: a network_watcher. `context` is a
 * struct network_watch. */
bool network_options_watch(void *context, uint64_t done, uint64_t all, uint64_t cycle);

/* Runs several schemes on the command's set, a row each, as `network` with a list of them
 * (command_network.c). FAIL_CHECK: one of them failed; FAIL_USAGE: all were refused. */
enum failure_kind network_compare(struct meshcast_command *command,
                                  const struct scheme_list *schemes, const char *without,
                                  struct flits_range flits, const struct network_options *network,
                                  struct meshcast_report *report, struct failure *failure);

#endif
