/* router_list.h - routers as an option names them: A,B,... */
#ifndef MESHCAST_CLI_ROUTER_LIST_H
#define MESHCAST_CLI_ROUTER_LIST_H

#include "routers/router.h"

enum { ROUTER_LIST_MAX = 32 };

struct router_list {
    uint32_t count; /* 0: all of the table */
    const struct router *router[ROUTER_LIST_MAX];
};

/* Fills the router_list `field` from the names in `value`, which is cut up. FAIL_USAGE: there is no such router. */
enum failure_kind router_list_accept(void *field, char *value, struct failure *failure);

#endif
