/* option_lists.h - option values that are lists: 32,64,128 or random,stream. */
#ifndef MESHCAST_LAB_OPTION_LISTS_H
#define MESHCAST_LAB_OPTION_LISTS_H

#include "base/failure.h"
#include "routers/router.h"

#include <stdint.h>

enum { OPTION_LIST_MAX = 64 };

/* Words as an option of `gen` or `route` takes each: numbers without leading zeros, a square mesh as its side. With `count` 0
 * the list was not given. A value that comes again counts once. */
struct word_list {
    uint32_t count;
    const char *value[OPTION_LIST_MAX];
};

/* The values of one router constant. */
struct constant_values {
    const char *name;
    struct word_list values;
};
struct constant_list {
    uint32_t count;
    struct constant_values constant[ROUTER_MAX_PARAMETERS];
};

/* accept functions of option rows (library/option_table.h): `field` points to a word_list. Each adds to what an earlier option
 * gave. */
int accept_list_degrees(void *field, char *value, struct failure *failure);
int accept_list_congestions(void *field, char *value, struct failure *failure);
int accept_list_per_nodes(void *field, char *value, struct failure *failure);
int accept_list_buffers(void *field, char *value, struct failure *failure);
int accept_list_meshes(void *field, char *value, struct failure *failure);
int accept_list_graphs(void *field, char *value, struct failure *failure);
int accept_list_files(void *field, char *value, struct failure *failure);
int accept_list_copies(void *field, char *value, struct failure *failure);
int accept_list_shares(void *field, char *value, struct failure *failure);
int accept_list_patterns(void *field, char *value, struct failure *failure);
int accept_list_routers(void *field, char *value, struct failure *failure);
/* NAME=VALUE[,VALUE...], into a constant_list */
int accept_list_constant(void *field, char *value, struct failure *failure);

#endif
