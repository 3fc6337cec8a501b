/* network_replay.h - a replay of a network's trace, between its files. Private to the audit. */
#ifndef MESHCAST_AUDIT_NETWORK_REPLAY_H
#define MESHCAST_AUDIT_NETWORK_REPLAY_H

#include "audit/messages.h"
#include "audit/network_audit.h"
#include "audit/network_reader.h"
#include "audit/network_state.h"

/* A line of flits (A, F, H, I), while they move. */
struct network_flow {
    const struct network_line *line;
    uint32_t worm;
    uint32_t part;   /* from which, or with I into which */
    uint32_t output; /* NETWORK_NONE: I */
};

/* What a worm does at a node in the whole trace. */
struct network_visit {
    uint32_t entries, outputs;
    bool consumes;
};

/* A worm that gets its injection channel in this cycle. */
struct network_startup {
    const struct network_line *line;
    uint64_t ready; /* since this cycle */
};

struct network_replay {
    struct network_header header;
    struct network_state state;
    char name[NETWORK_NAME];   /* of the file */
    uint64_t cycle;            /* that is replayed */
    struct network_flow *flow; /* those that move in this cycle */
    size_t flows, flow_room;
    struct network_startup *startup; /* those of this cycle that the nodes' processors do */
    size_t startups, startup_room;
    struct audit_messages messages; /* .set NULL: no set */
    uint32_t *order; /* the set's messages by source, those of one source in their order */
    /* Of each (worm, node), unless under wormhole: found before the replay, since a header may get an output late. */
    struct network_map visit_map;
    struct network_pool visits;
    struct network_audit_report *report;
    struct failure *failure;
};

/* Fails with FAIL_CHECK: "FILE:LINE: rule RULE: " and the text. */
enum failure_kind network_broken(struct network_replay *replay, const struct network_line *line,
                                 const char *rule, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* FAIL_SYSTEM. */
enum failure_kind network_no_memory(struct network_replay *replay);

/* ---- network_begin.c: what begins in a cycle ---- */

struct network_key {
    uint64_t high, low;
};

/* Channels: of a link by its nodes, else of a node. */
struct network_key network_key_of_vc(uint32_t from, uint32_t to, uint32_t vc);
enum network_side { NETWORK_INJECTION, NETWORK_CONSUMPTION };
struct network_key network_key_of_port(uint32_t node, enum network_side side, uint32_t number);

/* A message is created (P), a worm takes an injection channel (W). */
enum failure_kind network_create(struct network_replay *replay, const struct network_line *line);
enum failure_kind network_grant(struct network_replay *replay, const struct network_line *line);

/* After all grants of a cycle: the processors have done these startups, one after the other. */
enum failure_kind network_check_startups(struct network_replay *replay);

/* The channel with this key; NETWORK_NONE: no memory. */
uint32_t network_channel_of(struct network_replay *replay, struct network_key key);

/* Takes a channel for the worm, which must be free. */
enum failure_kind network_take_channel(struct network_replay *replay,
                                       const struct network_line *line, uint32_t channel,
                                       uint32_t worm, const char *what);

/* Notes that a node holds a message from `ready` on; NETWORK_NONE: no memory. */
uint32_t network_add_hold(struct network_replay *replay, uint32_t message, uint32_t node,
                          uint64_t ready, bool *is_new);

/* Adds a part of a worm in a channel's buffer; NETWORK_NONE: no memory. */
uint32_t network_add_part(struct network_replay *replay, const struct network_line *line,
                          uint32_t worm, uint32_t node, uint32_t channel, uint32_t behind);

/* The line's injection or consumption channel has a number that its node has; `most` 0: as many as links. */
enum failure_kind network_check_number(struct network_replay *replay,
                                       const struct network_line *line, uint32_t most,
                                       const char *what);

/* ---- network_locate.c ---- */

/* Finds from where the flits of a line move, and over which output; a header opens it. */
enum failure_kind network_locate(struct network_replay *replay, const struct network_line *line,
                                 struct network_flow *flow);

/* ---- network_rules.c: what flits may do ---- */

/* Checks the flits of this cycle against the state at its beginning, then moves them. */
enum failure_kind network_move(struct network_replay *replay);

/* ---- network_end.c: what must hold at the end ---- */

/* All parts of the worm have ended: its hops must be those of the base routing. */
enum failure_kind network_check_way(struct network_replay *replay, uint32_t worm);

/* The trace has ended, at `line`. */
enum failure_kind network_check_end(struct network_replay *replay, const struct network_line *line);

#endif
