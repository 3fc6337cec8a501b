/* own_router_private.h - routers of users: their row, and a run of one. For library/own_*.c only. */
#ifndef MESHCAST_LIBRARY_OWN_ROUTER_PRIVATE_H
#define MESHCAST_LIBRARY_OWN_ROUTER_PRIVATE_H

#include "library/handle_private.h"
#include "library/meshcast_own_router.h"
#include "routers/routing.h"

#include <stdatomic.h>

/* The row begins with what the table's rows have, so that router_run() knows no difference. */
struct own_router {
    struct router_method method;
    struct parameter_spec spec[ROUTER_MAX_PARAMETERS + 1]; /* up to one with a NULL name */
    enum meshcast_status (*route)(void *context, struct meshcast_routing *routing);
    void *context;
    void *object; /* of a plugin, which is unloaded with the router; else NULL */
};

/* Unloads the object of a plugin; NULL is fine. */
void own_unload(void *object);

/* A run under way. */
struct meshcast_routing {
    struct routing *routing;
    const struct own_router *router;
    struct failure failure; /* the first, of an instruction or of the router itself */
    bool is_agreed;         /* all ranks have that failure */
    bool is_over;           /* the last phase has been */
    bool is_asking;         /* an instruction is under way that asks the router */
    uint8_t *is_packet;     /* [slot]: it names a packet, or did until that was delivered */
    /* The first fault that a thread found in a rule; later ones are dropped. */
    atomic_bool is_broken;
    struct failure broken;
};

/* Remembers that the router broke what meshcast.h says of a rule or of packets. Any thread. */
void own_break(struct meshcast_routing *routing, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* True if something was broken so. Any thread. */
static inline bool own_is_broken(struct meshcast_routing *routing)
{
    return atomic_load_explicit(&routing->is_broken, memory_order_relaxed);
}

/* True if a phase may have that name: "sync" is only for synchronisations, and a trace has a line for it. If not, the rule is
 * broken. */
bool own_name_is_good(struct meshcast_routing *routing, const char *name);

/* Returns the status of the run so far, as every instruction does. An instruction that finds it not
 * MESHCAST_OK at its start does nothing. */
enum meshcast_status own_status(struct meshcast_routing *routing);

/* The same before and after an instruction, by all ranks together: if one of them has found something wrong, all end with
 * that; if several have, with what the first of these ranks has found. */
enum meshcast_status own_agree(struct meshcast_routing *routing);

/* The same before an instruction: it needs a machine, and no last phase before it. */
enum meshcast_status own_ready(struct meshcast_routing *routing);

/* Splits as packet_split() does, and keeps the books. */
uint32_t own_split(struct meshcast_routing *routing, uint32_t packet, uint32_t middle);

#endif
