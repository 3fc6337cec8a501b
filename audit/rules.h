/* rules.h - a replay's state, and what each kind of event does to it (see rules.c).
 * Private to the audit.
 */
#ifndef MESHCAST_AUDIT_RULES_H
#define MESHCAST_AUDIT_RULES_H

#include "audit/audit.h"
#include "audit/messages.h"
#include "audit/nodes.h"
#include "audit/packets.h"
#include "audit/trace_reader.h"

struct audit_replay {
    struct trace_reader reader;
    struct trace_header header;
    struct audit_nodes nodes;
    struct audit_packets packets;
    struct audit_messages messages; /* .set is NULL when no delivery is due */
    uint64_t step;                  /* that runs */
    uint64_t line;                  /* of the event that is looked at; at the end the last line */
    struct audit_report *report;
    struct failure *failure; /* not NULL */
};

/* Fails with FAIL_CHECK: "SOURCE:LINE: rule RULE: " and the formatted text. */
enum failure_kind audit_broken(struct audit_replay *replay, uint64_t line, const char *rule,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Applies `event`, whose step is replay->step and whose nodes are on the mesh, if it keeps the
 * rules. FAIL_CHECK: it breaks one; FAIL_SYSTEM: no memory. After a failure the replay ends. */
enum failure_kind audit_apply(struct audit_replay *replay, const struct trace_event *event);

#endif
