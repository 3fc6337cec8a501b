/* completion.h - what could stand next on a command line that is not whole yet.
 *
 * What may be offered comes from the tables by which the line will be read (console/option_parser.h,
 * cli/command.h), so nothing here can be out of date.
 */
#ifndef MESHCAST_CLI_COMPLETION_H
#define MESHCAST_CLI_COMPLETION_H

#include "base/suggestion.h"

#include <stdbool.h>
#include <stdio.h>

struct command;
struct meshcast_option;

/* A line after the command's name: whole words, and a word that has only begun, maybe "". */
struct completion {
    const struct command *command;
    char *const *word;
    int words;
    const char *begun;
    size_t at;                         /* where in `begun` that begins which is to be completed */
    size_t list;                       /* where the list of which that is an element begins */
    const struct meshcast_option *row; /* whose value that is; NULL: no option's */
    bool describes;                    /* a command or an option is followed by what it is */
    FILE *out;
};

/* Prints what could stand instead of word[words - 1], a line each. A line `FILE`, perhaps with a
 * blank and some text, stands for names of files behind this text. words >= 1; word[0] is the
 * command's name, unless it is itself what is to be completed. `describes`: a tabulator and the first
 * line of its help follow the name of a command or an option. */
void completion_print(char *const *word, int words, bool describes, FILE *out);

/* Whether an option that takes these names, or the operand that does, was given `name`, in a list or
 * alone; NULL: anything. */
bool completion_gives(const struct completion *completion, const struct name_family *names,
                      const char *name);

/* For a command's offer_parameters(): offers "NAME=" if it goes on from what has begun, or the value
 * "NAME=VALUE" if "NAME=" is there already. A VALUE in capitals stands for a file. */
void completion_offer_parameter(const struct completion *completion, const char *name);
void completion_offer_value(const struct completion *completion, const char *name,
                            const char *value);

/* The offer_parameters() of commands that run routers. */
void completion_offer_router_parameters(const struct completion *completion);

#endif
