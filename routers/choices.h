/* choices.h - a router's decisions about a message that do not depend on other messages.
 *
 * Nodes compute these choices from the sides, c and the seed; so can the maker of a set against a
 * run (search/seed_sets.h). No router reads another's choices.
 */
#ifndef MESHCAST_ROUTERS_CHOICES_H
#define MESHCAST_ROUTERS_CHOICES_H

#include "primitives/tessellation.h"
#include "routers/router.h"

/* Place and time at which the message of a source hands over its copy for a destination. */
struct handover {
    node_place home; /* the node where the copy's tree starts, in the tile of the destination */
    uint32_t visit;  /* 0 .. visits - 1: messages of one visit hand over at about the same time */
    uint32_t group;  /* 0 .. groups - 1: messages that visit the tiles together */
    bool row_first;  /* true if the tree starts along the row of its home */
};

struct router_choices {
    /* The handovers for destinations in one tile differ only in row_first. NULL: the router chooses
     * nothing. */
    const struct tessellation *tiles;
    uint32_t visits, groups;
    struct handover (*handover)(const void *own, node_place source, node_place destination);
    void *own; /* the router's, of which `tiles` is a part */
    void (*release)(void *own);
};

/* The number of attempts with a known congestion before the one with l n. Each has choices of its
 * own. */
enum { ROUTER_KNOWN_ATTEMPTS = 4 };

/* Makes the choices of the run's attempts for sets of congestion c, one message per node and at
 * most c destinations per message. Sets *attempts to their number, 0 if the router chooses nothing.
 * FAIL_SYSTEM: no memory. FAIL_USAGE: a parameter that the router does not accept.
 * router_choices_free() in any case. */
enum failure_kind router_choices_make(const struct router *router,
                                      const struct router_options *options, struct mesh mesh,
                                      uint32_t congestion,
                                      struct router_choices choices[ROUTER_KNOWN_ATTEMPTS],
                                      uint32_t *attempts, struct failure *failure);
void router_choices_free(struct router_choices choices[ROUTER_KNOWN_ATTEMPTS]);

#endif
