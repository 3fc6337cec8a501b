/* sweep_lists.h - option values that are lists: 32,64,128 or random,stream. */
#ifndef MESHCAST_CLI_SWEEP_LISTS_H
#define MESHCAST_CLI_SWEEP_LISTS_H

#include "base/failure.h"
#include "machine/mesh.h"
#include "routers/router.h"
#include "workloads/pattern.h"

#include <stdint.h>

enum { SWEEP_LIST_MAX = 64 };

/* A list with `count` 0 was not given. A value that comes again counts once. */
struct sweep_numbers {
    uint32_t count, value[SWEEP_LIST_MAX];
};
struct sweep_meshes {
    uint32_t count;
    struct mesh value[SWEEP_LIST_MAX];
};
struct sweep_words {
    uint32_t count;
    const char *value[SWEEP_LIST_MAX];
};
struct sweep_patterns {
    uint32_t count;
    const struct pattern *value[SWEEP_LIST_MAX];
};
struct sweep_routers {
    uint32_t count;
    const struct router *value[SWEEP_LIST_MAX];
};

/* The values of one router constant. */
struct sweep_constant {
    const char *name;
    struct sweep_words values;
};
struct sweep_constants {
    uint32_t count;
    struct sweep_constant constant[ROUTER_MAX_PARAMETERS];
};

/* accept functions of option rows (cli/option_parser.h): `field` points to a list of the kind in
 * the name. Each adds to what an earlier option gave; a constant to that of its name. */
enum failure_kind sweep_accept_degrees(void *field, char *value, struct failure *failure);
enum failure_kind sweep_accept_congestions(void *field, char *value, struct failure *failure);
enum failure_kind sweep_accept_buffers(void *field, char *value, struct failure *failure);
/* M or RxC */
enum failure_kind sweep_accept_meshes(void *field, char *value, struct failure *failure);
enum failure_kind sweep_accept_graphs(void *field, char *value, struct failure *failure);
enum failure_kind sweep_accept_files(void *field, char *value, struct failure *failure);
/* numbers: 0 unit, 1 free */
enum failure_kind sweep_accept_copies(void *field, char *value, struct failure *failure);
/* numbers: indices of adversary_share_names */
enum failure_kind sweep_accept_shares(void *field, char *value, struct failure *failure);
enum failure_kind sweep_accept_patterns(void *field, char *value, struct failure *failure);
enum failure_kind sweep_accept_routers(void *field, char *value, struct failure *failure);
/* NAME=VALUE[,VALUE...] */
enum failure_kind sweep_accept_constant(void *field, char *value, struct failure *failure);

/* A word without the zeros that lead it if it is a number: 01 and 1 are the same value. */
const char *sweep_word_value(const char *word);

#endif
