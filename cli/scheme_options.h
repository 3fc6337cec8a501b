/* scheme_options.h - what commands that plan messages share: the parameters of schemes. */
#ifndef MESHCAST_CLI_SCHEME_OPTIONS_H
#define MESHCAST_CLI_SCHEME_OPTIONS_H

#include "cli/completion.h"
#include "console/option_parser.h"
#include "library/available_memory.h"
#include "library/chosen_messages.h"
#include "library/scheme_parameters.h"
#include "schemes/scheme.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

int accept_scheme_parameter(void *field, char *value, struct failure *failure);

/* The row of --param, for the struct scheme_parameters `member` of `structure`. */
#define SCHEME_PARAMETER_ROW(structure, member)                                                    \
    {                                                                                              \
        .name = "param", .value = "NAME=VALUE",                                                    \
        .help = "a parameter: 'meshcast help scheme NAME'", .type = MESHCAST_OPTION_OTHER,         \
        .offset = offsetof(structure, member), .accept = accept_scheme_parameter,                  \
        .is_parameter = true                                                                       \
    }

/* memory_need_check() of `bytes`, which a scheme on a topology takes; of `need` its limit. */
enum failure_kind scheme_check_memory(const struct scheme *scheme, const struct topology *topology,
                                      uint64_t bytes, struct memory_need need,
                                      struct failure *failure);

/* Writes what scheme `index` is, with its parameters, for `meshcast help`. */
void scheme_options_print_scheme(uint32_t index, FILE *out);

/* Offers the parameters of schemes for --param. */
void completion_offer_scheme_parameters(const struct completion *completion);

#endif
