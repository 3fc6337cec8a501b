/* burst.h - all messages of a set, and the cycles in which the network carries them.
 *
 * Every message is created when it may start, mostly in cycle 0. A run ends when all are delivered,
 * at a deadlock, when a buffer overflows, or when its watcher ends it. Its result holds the
 * measurements until then.
 */
#ifndef MESHCAST_NETWORK_BURST_H
#define MESHCAST_NETWORK_BURST_H

#include "network/latency.h"
#include "network/network.h"
#include "network/network_bound.h"
#include "network/schemes/scheme.h"

#include <stdbool.h>
#include <stdint.h>

struct burst {
    const struct topology *topology;
    const struct scheme *scheme;
    struct scheme_choices choices;
    struct network_settings settings;
    uint32_t messages;
    /* Returns message 0 .. messages - 1, the same each time; its destinations are valid until the
     * next call. */
    struct multicast (*message)(void *context, uint32_t index);
    struct timing (*timing)(void *context, uint32_t index); /* NULL: all may start in cycle 0 */
    void *message_context;
    const struct network_observer *observer; /* may be NULL */
    network_watcher *watcher;                /* may be NULL */
    void *watcher_context;
    /* Of the caller, or NULL; both are filled where the run leaves a result. */
    /* [messages]: the cycle of a message's last delivery, UINT64_MAX: it is not done */
    uint64_t *delivered;
    uint64_t *link_flits; /* [links]: flits that crossed the link; 0 where a number is no link */
};

struct burst_result {
    struct network_counts counts;
    struct latency_summary latency; /* of the messages that are done */
    uint64_t expected;              /* deliveries of all messages */
    uint32_t busiest_from, busiest_to;
    uint64_t busiest_flits; /* 0: no flit crossed a link, and there is no busiest one */
    struct network_bounds bounds;
    struct network_wait *deadlock; /* NULL: none */
    size_t waits;
    bool is_partial; /* the watcher ended it */
};

/* FAIL_USAGE: the scheme cannot run there, or settings are out of range; the text names the
 * remedy. */
enum failure_kind burst_check(const struct burst *burst, struct failure *failure);

/* Runs it. FAIL_CHECK (a deadlock, an overflow, a check) leaves a result; the other failures leave
 * nothing. burst_free() in any case. burst_check() comes first. */
enum failure_kind burst_run(const struct burst *burst, struct burst_result *result,
                            struct failure *failure);

void burst_free(struct burst_result *result);

#endif
