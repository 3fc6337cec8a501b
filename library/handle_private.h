/* handle_private.h - what stands behind the handles of meshcast.h. For library/ alone.
 *
 * A handle is the struct of an inner layer, or holds one; nothing is kept twice. A public status is
 * the failure_kind of the same number, since the public rule is the inner one.
 */
#ifndef MESHCAST_LIBRARY_HANDLE_PRIVATE_H
#define MESHCAST_LIBRARY_HANDLE_PRIVATE_H

#include "base/failure.h"
#include "library/meshcast.h"
#include "machine/observer.h"
#include "routers/router.h"
#include "workloads/instance.h"

struct meshcast_set {
    struct instance instance;
};

enum { FILES = MESHCAST_TIMELINE + 1 };

struct meshcast_options {
    struct router_options router; /* its parameters' texts are those below */
    char parameter[ROUTER_MAX_PARAMETERS][2][ROUTER_NAME_SIZE]; /* name, value */
    char *file[FILES];                                          /* by enum meshcast_file; or NULL */
    bool heatmap_is_of_links;
    uint32_t timeline_every; /* 0: each */
    bool is_observed;
    struct meshcast_observer observer;
};

struct meshcast_result {
    struct router_result result;
};

/* A router of the table or one of the user's own: the inner row, by another name. */
static inline const struct router *router_of(const struct meshcast_router *router)
{
    return (const struct router *)router;
}

static inline const struct meshcast_router *router_handle(const struct router *router)
{
    return (const struct meshcast_router *)router;
}

/* Hands a failure to the caller, whose `error` may be NULL; leaves it as it was if there is none.
 * Returns the failure's status. */
enum meshcast_status error_give(struct meshcast_error *error, const struct failure *failure);

#endif
