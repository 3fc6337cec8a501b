/* flits_audit.h - replays a network's trace and checks every rule that it shows (doc/network.md).
 *
 * A second opinion: it shares no code with the network, its topologies, or its schemes.
 */
#ifndef MESHCAST_AUDIT_FLITS_AUDIT_H
#define MESHCAST_AUDIT_FLITS_AUDIT_H

#include "audit/missing.h"
#include "base/byte_source.h"
#include "workloads/message_set.h"

#include <stdbool.h>
#include <stdint.h>

/* The counts of a replay. */
struct flits_audit_report {
    char topology[128]; /* as in the trace */
    char routing[64];
    bool knows_routing; /* else hops were only checked to lead to neighbours */
    uint64_t lines;     /* of events */
    uint64_t cycles;    /* the last one with an event, plus 1 */
    uint64_t messages, worms, deliveries, crossings;
    uint64_t unfinished; /* worms that are still under way at the end */
    uint32_t
        buffer_peak; /* flits in a buffer of a link; messages per node under store-and-forward */
};

/* Replays the trace that `source` begins with, whose first word is "meshcast-network", against
 * `set`: each message of it is created once, in its order among those of its source, each
 * destination served once and nothing else; in a set with times it has its number, and is created
 * in the cycle in which it may start. Without a set messages may remain. FAIL_CHECK: a rule is
 * broken; the text names file, line and rule. FAIL_INPUT: no trace of a network, or not of this
 * set. FAIL_SYSTEM: it cannot be read, no memory. `missing`, which may be NULL, are links that must
 * not be used. `report` is filled as far as the replay got. */
enum failure_kind audit_network(struct byte_source *source, const struct message_set *set,
                                const struct audit_missing *missing,
                                struct flits_audit_report *report, struct failure *failure);

#endif
