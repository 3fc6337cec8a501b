/* option_lists.h - option values that are lists: 32,64,128 or random,stream. */
#ifndef MESHCAST_LIBRARY_OPTION_LISTS_H
#define MESHCAST_LIBRARY_OPTION_LISTS_H

#include "base/failure.h"
#include "machine/mesh.h"
#include "routers/router.h"
#include "workloads/pattern.h"

#include <stdint.h>

enum { OPTION_LIST_MAX = 64 };

/* A list with `count` 0 was not given. A value that comes again counts once. */
struct number_list {
    uint32_t count, value[OPTION_LIST_MAX];
};
struct mesh_list {
    uint32_t count;
    struct mesh value[OPTION_LIST_MAX];
};
struct word_list {
    uint32_t count;
    const char *value[OPTION_LIST_MAX];
};
struct pattern_list {
    uint32_t count;
    const struct pattern *value[OPTION_LIST_MAX];
};
struct router_list {
    uint32_t count;
    const struct router *value[OPTION_LIST_MAX];
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

/* accept functions of option rows (library/option_table.h): `field` points to a list of the kind in
 * the name. Each adds to what an earlier option gave; a constant to that of its name. */
int accept_list_degrees(void *field, char *value, struct failure *failure);
int accept_list_congestions(void *field, char *value, struct failure *failure);
int accept_list_per_nodes(void *field, char *value, struct failure *failure);
int accept_list_buffers(void *field, char *value, struct failure *failure);
/* M or RxC */
int accept_list_meshes(void *field, char *value, struct failure *failure);
int accept_list_graphs(void *field, char *value, struct failure *failure);
int accept_list_files(void *field, char *value, struct failure *failure);
/* numbers: 0 unit, 1 free */
int accept_list_copies(void *field, char *value, struct failure *failure);
/* numbers: indices of adversary_share_names */
int accept_list_shares(void *field, char *value, struct failure *failure);
int accept_list_patterns(void *field, char *value, struct failure *failure);
int accept_list_routers(void *field, char *value, struct failure *failure);
/* NAME=VALUE[,VALUE...] */
int accept_list_constant(void *field, char *value, struct failure *failure);

/* A word without the zeros that lead it if it is a number: 01 and 1 are the same value. */
const char *option_word_value(const char *word);

#endif
