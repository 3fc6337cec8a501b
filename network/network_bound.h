/* network_bound.h - lower bounds on the cycles of a burst, for every scheme.
 *
 * Messages are created when they may start. The bounds hold for every scheme, switching, and
 * numbers of virtual channels and buffers; each is proven in network_bound.c. A burst ends at or
 * after the largest of them.
 *
 *     network_bound_make(&bound, &topology, &settings, failure);
 *     while (network_bound_next(bound, a message is left, failure))
 *         network_bound_add(bound, number, &multicast, start);
 *     network_bound_read(bound, &bounds, failure);
 *     network_bound_free(bound);
 */
#ifndef MESHCAST_NETWORK_NETWORK_BOUND_H
#define MESHCAST_NETWORK_NETWORK_BOUND_H

#include "base/failure.h"
#include "base/starts.h"
#include "network/network.h"
#include "network/schemes/scheme.h"
#include "network/topology/topology.h"

#include <stdbool.h>
#include <stdint.h>

enum network_bound_kind {
    /* a message, after the messages that it waits for, to its farthest destination, without
     * blocking */
    NETWORK_BOUND_DISTANCE,
    NETWORK_BOUND_ABSORPTION, /* a node absorbs all its deliveries */
    NETWORK_BOUND_INJECTION,  /* a node sends each of its messages at least once */
    NETWORK_BOUND_BISECTION,  /* flits cross from one half of a dimension to the other */
    NETWORK_BOUND_KINDS
};

extern const char *const network_bound_names[NETWORK_BOUND_KINDS + 1]; /* "distance", .., NULL */

/* Cycles; 0 if there is nothing to carry. */
struct network_bounds {
    uint64_t cycles[NETWORK_BOUND_KINDS];
    enum network_bound_kind largest; /* the first of the largest */
    uint64_t lower_bound;            /* cycles[largest] */
};

/* The messages of a burst: 0 .. count - 1, the same each time; pointers in them are valid until the
 * next call. */
struct burst_messages {
    uint32_t count;
    struct multicast (*at)(void *context, uint32_t index);
    struct timing (*timing)(void *context, uint32_t index); /* NULL: all may start in cycle 0 */
    void *context;
};

/* Returns the timings of a burst's messages. */
static inline struct timings burst_timings(const struct burst_messages *messages)
{
    return (struct timings){messages->count, messages->count, messages->timing, messages->context};
}

struct network_bound;

/* Makes a bound without messages. `topology` must outlive it, `settings` are copied. FAIL_SYSTEM:
 * no memory for 40 bytes per node. The caller frees. */
enum failure_kind network_bound_make(struct network_bound **bound, const struct topology *topology,
                                     const struct network_settings *settings,
                                     struct failure *failure);
void network_bound_free(struct network_bound *bound);

/* Adds message `number`, which is created in cycle `start` at the earliest; one without
 * destinations changes nothing. Messages may come in any order. O(dimensions) per destination; on a
 * graph one search, O(nodes + links), while the searches of all messages up to this number cross at
 * most 2^30 links, some seconds; from then on every distance counts as 1, which keeps the bounds
 * right. */
void network_bound_add(struct network_bound *bound, uint32_t number,
                       const struct multicast *multicast, uint64_t start);

/* Sets the bounds of all messages of a burst, which wait for one another. FAIL_SYSTEM: no
 * memory. */
enum failure_kind network_bound_burst(struct network_bounds *bounds,
                                      const struct topology *topology,
                                      const struct network_settings *settings,
                                      const struct burst_messages *messages,
                                      struct failure *failure);

/* Returns the bounds of all messages that were added. */
struct network_bounds network_bound_read(const struct network_bound *bound);

#endif
