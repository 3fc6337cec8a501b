/* flits_replay.h - a replay of a network's trace, between its files. Private to the audit. */
#ifndef MESHCAST_AUDIT_FLITS_REPLAY_H
#define MESHCAST_AUDIT_FLITS_REPLAY_H

#include "audit/flits_audit.h"
#include "audit/flits_reader.h"
#include "audit/flits_state.h"
#include "audit/messages.h"

/* A line of flits (A, F, H, I), while they move. */
struct flits_flow {
    const struct flits_line *line;
    uint32_t worm;
    uint32_t part;   /* from which, or with I into which */
    uint32_t output; /* FLITS_NONE: I */
};

/* What a worm does at a node in the whole trace. */
struct flits_visit {
    uint32_t entries, outputs;
    bool consumes;
};

/* A worm that gets its injection channel in this cycle. */
struct flits_startup {
    const struct flits_line *line;
    uint64_t ready; /* since this cycle */
};

struct flits_replay {
    struct flits_header header;
    struct flits_state state;
    char name[FLITS_NAME];   /* of the file */
    uint64_t cycle;          /* that is replayed */
    struct flits_flow *flow; /* those that move in this cycle */
    size_t flows, flow_room;
    struct flits_startup *startup; /* those of this cycle that the nodes' processors do */
    size_t startups, startup_room;
    struct audit_messages messages; /* .set NULL: no set */
    struct message_set room;        /* the set, if what stays at home had to be taken out */
    uint32_t *order; /* the set's messages by source, those of one source in their order */
    /* Of each (worm, node), unless under wormhole: found before the replay, since a header may get an output late. */
    struct flits_map visit_map;
    struct flits_pool visits;
    struct flits_audit_report *report;
    struct failure *failure;
};

/* Fails with FAIL_CHECK: "FILE:LINE: rule RULE: " and the text. */
enum failure_kind flits_broken(struct flits_replay *replay, const struct flits_line *line,
                               const char *rule, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* FAIL_SYSTEM. */
enum failure_kind flits_no_memory(struct flits_replay *replay);

/* ---- flits_begin.c: what begins in a cycle ---- */

struct flits_key {
    uint64_t high, low;
};

/* Channels: of a link by its nodes, else of a node. */
struct flits_key flits_key_of_vc(uint32_t from, uint32_t to, uint32_t vc);
enum flits_side { FLITS_INJECTION, FLITS_CONSUMPTION };
struct flits_key flits_key_of_port(uint32_t node, enum flits_side side, uint32_t number);

/* A message is created (P), a worm takes an injection channel (W). */
enum failure_kind flits_create(struct flits_replay *replay, const struct flits_line *line);
enum failure_kind flits_grant(struct flits_replay *replay, const struct flits_line *line);

/* After all grants of a cycle: the processors have done these startups, one after the other. */
enum failure_kind flits_check_startups(struct flits_replay *replay);

/* The channel with this key; FLITS_NONE: no memory. */
uint32_t flits_channel_of(struct flits_replay *replay, struct flits_key key);

/* Takes a channel for the worm, which must be free. */
enum failure_kind flits_take_channel(struct flits_replay *replay, const struct flits_line *line,
                                     uint32_t channel, uint32_t worm, const char *what);

/* Notes that a node holds a message from `ready` on; FLITS_NONE: no memory. */
uint32_t flits_add_hold(struct flits_replay *replay, uint32_t message, uint32_t node,
                        uint64_t ready, bool *is_new);

/* Adds a part of a worm in a channel's buffer; FLITS_NONE: no memory. */
uint32_t flits_add_part(struct flits_replay *replay, const struct flits_line *line, uint32_t worm,
                        uint32_t node, uint32_t channel, uint32_t behind);

/* The line's injection or consumption channel has a number that its node has; `most` 0: as many as links. */
enum failure_kind flits_check_number(struct flits_replay *replay, const struct flits_line *line,
                                     uint32_t most, const char *what);

/* ---- flits_locate.c ---- */

/* Finds from where the flits of a line move, and over which output; a header opens it. */
enum failure_kind flits_locate(struct flits_replay *replay, const struct flits_line *line,
                               struct flits_flow *flow);

/* ---- flits_rules.c: what flits may do ---- */

/* Checks the flits of this cycle against the state at its beginning, then moves them. */
enum failure_kind flits_move(struct flits_replay *replay);

/* ---- flits_end.c: what must hold at the end ---- */

/* All parts of the worm have ended: its hops must be those of the base routing. */
enum failure_kind flits_check_way(struct flits_replay *replay, uint32_t worm);

/* The trace has ended, at `line`. */
enum failure_kind flits_check_end(struct flits_replay *replay, const struct flits_line *line);

#endif
