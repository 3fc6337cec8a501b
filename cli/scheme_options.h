/* scheme_options.h - what commands that plan messages share: the parameters of schemes, and which messages of a set
 * are sent. */
#ifndef MESHCAST_CLI_SCHEME_OPTIONS_H
#define MESHCAST_CLI_SCHEME_OPTIONS_H

#include "cli/completion.h"
#include "console/option_parser.h"
#include "schemes/scheme.h"
#include "workloads/message_set.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- parameters ---- */

enum { SCHEME_PARAMETERS_GIVEN = 16 };

/* The values of --param, NAME=VALUE. */
struct scheme_parameters {
    uint32_t count;
    const char *text[SCHEME_PARAMETERS_GIVEN];
};

enum failure_kind accept_scheme_parameter(void *field, char *value, struct failure *failure);

/* The row of --param, for the struct scheme_parameters `member` of `structure`. */
#define SCHEME_PARAMETER_ROW(structure, member)                                                    \
    {                                                                                              \
        .name = "param", .value = "NAME=VALUE", .help = "a parameter of the scheme, see below",    \
        .type = OPTION_ACCEPT, .offset = offsetof(structure, member),                              \
        .accept = accept_scheme_parameter, .is_parameter = true                                    \
    }

/* Takes those of the parameters that the scheme has. */
enum failure_kind scheme_parameters_choose(const struct scheme_parameters *parameters,
                                           const struct scheme *scheme,
                                           struct scheme_choices *choices, struct failure *failure);

/* FAIL_USAGE if none of the schemes has one of the parameters. */
enum failure_kind scheme_parameters_check(const struct scheme_parameters *parameters,
                                          const struct scheme *const *schemes, uint32_t count,
                                          struct failure *failure);

/* memory_need_check() of `bytes`, which a scheme on a topology takes of what `limit` allows. */
enum failure_kind scheme_check_memory(const struct scheme *scheme, const struct topology *topology,
                                      uint64_t bytes, uint64_t limit, struct failure *failure);

/* For --help, and for completion of --param. */
void scheme_options_print_schemes(FILE *out);
void completion_offer_scheme_parameters(const struct completion *completion);

/* ---- messages ---- */

/* Lengths of messages in flits, uniform between the two; least 0: not given. */
struct flits_range {
    uint32_t least, most;
};

/* What the user says of the messages. */
struct message_choice {
    uint32_t
        sources; /* how many of the set's sources send, each with the same probability; 0: all */
    struct flits_range flits; /* of messages to which the set gives no length; not given: 1 flit */
    uint64_t seed;
};

/* The messages of a set that are sent. */
struct chosen_messages {
    const struct message_set *set;
    struct message_choice choice;
    uint32_t count;
    uint32_t *message;     /* of each that is sent: its number in the set */
    uint32_t *destination; /* of the message that was asked for last, without its source */
};

/* `nodes` are the topology's. chosen_messages_free(). FAIL_USAGE: the set has fewer sources than are wanted.
 * FAIL_SYSTEM: no memory. */
enum failure_kind chosen_messages_make(struct chosen_messages *chosen,
                                       const struct message_set *set, uint32_t nodes,
                                       const struct message_choice *choice,
                                       struct failure *failure);
void chosen_messages_free(struct chosen_messages *chosen);

/* The lengths of the shortest and the longest message; without messages, those that were chosen. */
struct flits_range chosen_messages_flits(const struct chosen_messages *chosen);

/* Message 0 .. count - 1; its destinations are valid until the next call. */
struct multicast chosen_messages_at(struct chosen_messages *chosen, uint32_t index,
                                    bool *is_own_destination);

#endif
