/* option_lists.h - option values that are lists: 32,64,128 or random,stream. */
#ifndef MESHCAST_LAB_OPTION_LISTS_H
#define MESHCAST_LAB_OPTION_LISTS_H

#include "base/failure.h"
#include "routers/router.h"

#include <stdint.h>

enum { OPTION_LIST_MAX = 64 };

/* The values of an option, each once. With `count` 0 the option was not given. */
struct word_list {
    uint32_t count;
    const char *value[OPTION_LIST_MAX];
};

/* The values of the routers' constants. */
struct constant_values {
    const char *name;
    struct word_list values;
};
struct constant_list {
    uint32_t count;
    struct constant_values constant[ROUTER_MAX_PARAMETERS];
};

/* Accept values of option rows (library/option_table.h), adding to those of an earlier option.
 * `field` points to a word_list; numbers are written without leading zeros, a square mesh as its
 * side. The meaning of words is not checked. */
int accept_words(void *field, char *value, struct failure *failure);
int accept_numbers(void *field, char *value, struct failure *failure);
/* Accepts NAME=VALUE[,VALUE...] into a constant_list. */
int accept_constant(void *field, char *value, struct failure *failure);

#endif
