/* load_lists.h - the lists of `load`: rates, numbers of destinations, lengths, schemes; and its share. */
#ifndef MESHCAST_CLI_LOAD_LISTS_H
#define MESHCAST_CLI_LOAD_LISTS_H

#include "cli/network_options.h"
#include "schemes/scheme.h"

#include <stdint.h>

enum { LOAD_LIST_MAX = 64 };

/* A list with `count` 0 was not given. */
struct rate_list {
    uint32_t count;
    double value[LOAD_LIST_MAX];
};
struct destinations_list {
    uint32_t count, value[LOAD_LIST_MAX];
};
struct flits_list {
    uint32_t count;
    struct flits_range value[LOAD_LIST_MAX];
};
struct scheme_list {
    uint32_t count;
    const struct scheme *value[LOAD_LIST_MAX];
};

/* accept functions of option rows: `field` points to a list of the kind in the name, or to a double. */
int accept_rates(void *field, char *value, struct failure *failure);
int accept_destinations(void *field, char *value, struct failure *failure);
int accept_flits_list(void *field, char *value, struct failure *failure);
int accept_schemes(void *field, char *value, struct failure *failure);
int accept_share(void *field, char *value, struct failure *failure);

#endif
