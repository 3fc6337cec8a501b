/* meshcast_network.h - all messages of a set at once on the network of flits and channels, for programs.
 *
 * `meshcast network` prints the same figures; the rules of a cycle are in doc/network.md. Every delivery is
 * checked. The error rule, ownership and threads are those of meshcast.h; schemes and options are in
 * meshcast_plan.h.
 */
#ifndef MESHCAST_NETWORK_H
#define MESHCAST_NETWORK_H

#include "meshcast_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

struct meshcast_network;

/* Sends the set by the scheme; every message is there at cycle 0. `topology` may be NULL: the set's own; a
 * graph must be given. `options` may be NULL. `trace` is the path of a file of every event ("-": standard
 * output), or NULL. With MESHCAST_OK, with MESHCAST_CHECK (a deadlock, an overflow under store-and-forward,
 * a check) and with MESHCAST_INTERRUPTED *network is the caller's and holds what was measured until then,
 * else NULL. MESHCAST_USAGE: the scheme or the network cannot run so; the text says what would do. */
enum meshcast_status meshcast_network_run(const struct meshcast_scheme *scheme,
                                          const struct meshcast_set *set,
                                          const struct meshcast_topology *topology,
                                          const struct meshcast_network_options *options,
                                          const char *trace, struct meshcast_network **network,
                                          struct meshcast_error *error);
void meshcast_network_free(struct meshcast_network *network);

enum meshcast_network_figure {
    MESHCAST_NETWORK_CYCLES,     /* at which the last delivery was complete */
    MESHCAST_NETWORK_MESSAGES,   /* that were sent */
    MESHCAST_NETWORK_DONE,       /* of them, delivered to all destinations */
    MESHCAST_NETWORK_DELIVERIES, /* wanted */
    MESHCAST_NETWORK_DELIVERED,
    MESHCAST_NETWORK_MISSING,
    MESHCAST_NETWORK_DELIVERIES_AT_HOME, /* of the set, to messages' own sources: they count in no other figure */
    MESHCAST_NETWORK_STARTUPS,  /* worms */
    MESHCAST_NETWORK_CROSSINGS, /* flits over links */
    MESHCAST_NETWORK_BUFFER_PEAK, /* flits in a buffer of a link; messages per node under store-and-forward */
    MESHCAST_NETWORK_UNSENT_PEAK,  /* worms of a node that wait to be sent */
    MESHCAST_NETWORK_LOWER_BOUND,  /* cycles that every scheme needs */
    MESHCAST_NETWORK_BUSIEST_FROM, /* the busiest link, the first of them */
    MESHCAST_NETWORK_BUSIEST_TO,
    MESHCAST_NETWORK_BUSIEST_FLITS,  /* 0: no flit crossed a link */
    MESHCAST_NETWORK_LATENCY_MEDIAN, /* cycles per message that is done; all 0 if none is */
    MESHCAST_NETWORK_LATENCY_P95,
    MESHCAST_NETWORK_LATENCY_P99,
    MESHCAST_NETWORK_LATENCY_MAX,
    MESHCAST_NETWORK_SHORTEST, /* flits of the shortest and the longest message */
    MESHCAST_NETWORK_LONGEST,
    MESHCAST_NETWORK_THREADS,
};
uint64_t meshcast_network_figure(const struct meshcast_network *network,
                                 enum meshcast_network_figure figure);
double meshcast_network_latency_mean(const struct meshcast_network *network);
double meshcast_network_wall_seconds(const struct meshcast_network *network);

/* Why MESHCAST_NETWORK_LOWER_BOUND holds: "distance", "absorption", "injection", "bisection". */
const char *meshcast_network_lower_bound_kind(const struct meshcast_network *network);

/* Of each message that was sent the cycle of its last delivery, UINT64_MAX if it is not done; and its
 * number in the set. MESHCAST_NETWORK_MESSAGES of them, the network's. */
const uint64_t *meshcast_network_delivered(const struct meshcast_network *network);
const uint32_t *meshcast_network_messages(const struct meshcast_network *network);

/* Flits over each link, as meshcast_topology_links() numbers them: *links of them, the network's. NULL, and 0:
 * MESHCAST_NETWORK_KEEP_LINKS was not set. */
const uint64_t *meshcast_network_link_flits(const struct meshcast_network *network,
                                            uint64_t *links);

/* A deadlock: headers that wait, each for one of them; *count 0 where there is none. The network's. */
struct meshcast_wait {
    uint32_t message, worm,
        node;           /* the message's number in the set, its worm, where the header waits */
    uint32_t waits_for; /* the place in this array of the one that it waits for */
    uint32_t source;    /* of the message */
    uint32_t to;        /* the node at the end of the link that it needs; else `node` */
    const char *needs; /* "consumption channel", "virtual channel", "room", "front of the buffer" */
};
const struct meshcast_wait *meshcast_network_deadlock(const struct meshcast_network *network,
                                                      uint32_t *count);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
