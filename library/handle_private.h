/* handle_private.h - the structs of the public handles. Only for library/.
 *
 * A handle is the struct of an inner layer, or holds one; nothing is kept twice. A public status is
 * the failure_kind of the same number, since the public rule is the inner one.
 */
#ifndef MESHCAST_LIBRARY_HANDLE_PRIVATE_H
#define MESHCAST_LIBRARY_HANDLE_PRIVATE_H

#include "base/failure.h"
#include "library/meshcast.h"
#include "network/topology/topology.h"
#include "routers/router.h"
#include "workloads/instance.h"

#include <stdatomic.h>

struct meshcast_interrupt {
    struct interrupt interrupt;
};

struct meshcast_topology {
    struct topology topology;
    char text[TOPOLOGY_TEXT_SIZE];
};

enum { BOUNDS_NONE, BOUNDS_STORED /* being stored by some thread */, BOUNDS_KEPT };

struct meshcast_set {
    /* without messages from nodes to themselves, and without figures if it is not routable */
    struct instance instance;
    /* the set with messages from nodes to themselves; zeroed if there are none */
    struct message_set given;
    bool is_routable;
    char topology[TOPOLOGY_TEXT_SIZE];
    /* of the instance; the only part of a set that ever changes */
    _Atomic int bounds_state;
    struct lower_bounds bounds; /* valid once the state is BOUNDS_KEPT */
};

/* Begin and end every way to make a set: the second computes the figures of a set that is there, or
 * frees it; a NULL set is fine. */
struct meshcast_set *set_new(struct failure *failure);
struct meshcast_set *set_measure(struct meshcast_set *set, struct failure *failure,
                                 struct meshcast_error *error);

/* Makes a set routable if that does not change its meaning. */
enum failure_kind set_fit(struct message_set *set, struct failure *failure);

/* Returns the set as given; the caller knows its messages by their indices. */
static inline const struct message_set *set_given(const struct meshcast_set *set)
{
    return set->given.offset != NULL ? &set->given : &set->instance.set;
}

/* FAIL_USAGE: no router accepts the set. */
enum failure_kind set_check_routable(const struct meshcast_set *set, struct failure *failure);

/* A router of the table or one of the user's own: the inner row, by another name. */
static inline const struct router *router_of(const struct meshcast_router *router)
{
    return (const struct router *)router;
}

static inline const struct meshcast_router *router_handle(const struct router *router)
{
    return (const struct meshcast_router *)router;
}

/* Gives a router of the user's own its object, which is unloaded with it (library/plugin.c). */
void router_keep_object(struct meshcast_router *router, void *object);

/* Passes a failure to the caller, whose `error` may be NULL and is unchanged without a failure.
 * Returns the failure's status. */
enum meshcast_status error_give(struct meshcast_error *error, const struct failure *failure);

#endif
