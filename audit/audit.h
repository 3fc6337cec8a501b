/* audit.h - replays a trace and checks every rule of the model that a trace shows.
 *
 * The audit shares no code with the machine: it has its own reader, its own packets, its own
 * counters, so that it is a second opinion.
 */
#ifndef MESHCAST_AUDIT_AUDIT_H
#define MESHCAST_AUDIT_AUDIT_H

#include "audit/missing.h"
#include "base/byte_source.h"
#include "workloads/message_set.h"

#include <stdbool.h>
#include <stdint.h>

/* The counts of a replay. */
struct audit_report {
    uint32_t rows, cols;
    bool copy_is_free;
    bool reduces;             /* messages are sums, and `delivered` counts contributions */
    uint32_t buffer_capacity; /* 0: none */
    uint64_t events, steps;   /* steps: the last step with an event */
    uint64_t packets, messages;
    uint64_t packet_hops, word_hops, copies, delivered;
    uint32_t buffer_peak;
    uint32_t buffer_peak_node;
    uint64_t buffer_peak_step;
};

/* Replays the trace at `path` ("-": standard input) against `set`, or with set == NULL as a
 * kernel's trace (only packet movement and capacities). FAIL_CHECK: a rule is broken; the text
 * names file, line and rule. FAIL_INPUT: not a trace, or not of this set. FAIL_SYSTEM: cannot be
 * read, no memory. `report` is filled as far as the replay got. */
enum failure_kind audit_trace(const char *path, const struct message_set *set,
                              struct audit_report *report, struct failure *failure);

/* Does the same for a trace that `source` begins with; `name` is the file's in messages, and
 * `missing`, which may be NULL, are links that must not be used. */
enum failure_kind audit_trace_from(struct byte_source *source, const char *name,
                                   const struct message_set *set,
                                   const struct audit_missing *missing, struct audit_report *report,
                                   struct failure *failure);

#endif
