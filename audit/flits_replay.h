/* flits_replay.h - a replay of a network's trace, between its files. Private to the audit. */
#ifndef MESHCAST_AUDIT_FLITS_REPLAY_H
#define MESHCAST_AUDIT_FLITS_REPLAY_H

#include "audit/flits_audit.h"
#include "audit/flits_reader.h"
#include "audit/tables.h"

/* ---- contents of the network: messages, worms, their parts, channels ----
 *
 * Items are in pools and are named by their indices there; none is removed. */

#define FLITS_NONE UINT32_MAX
#define FLITS_NEVER UINT64_MAX

/* Items of one kind. */
struct flits_pool {
    void *item;
    size_t size, room;
    uint32_t count;
};

struct flits_message {
    uint32_t number, source, flits;
    uint64_t created;
    uint32_t of_set; /* its message in the set, or FLITS_NONE */
};

/* A node that holds a message, or is receiving it. */
struct flits_hold {
    uint64_t ready; /* may be sent on from this cycle on; FLITS_NEVER: still arriving */
};

struct flits_worm {
    uint32_t message, number, flits;
    uint64_t granted;   /* cycle of the injection channel's grant */
    uint32_t injected;  /* flits */
    uint64_t moved;     /* cycle of the last one of them, plus 1 */
    uint32_t last_part; /* the youngest one; they form a list */
    uint32_t living;    /* parts whose tail has not left */
};

/* A worm in a buffer. */
struct flits_part {
    uint32_t worm, channel, node;
    uint32_t behind; /* the part from which it came; FLITS_NONE: the injection buffer's */
    uint32_t before; /* the next older part of the worm */
    uint32_t next;   /* in the buffer */
    uint32_t vc;     /* by which it arrived */
    uint64_t line;   /* of the hop to it, in the trace */
    uint64_t header_came, tail_came;
    uint64_t opened; /* cycle in which the header first moved on */
    uint32_t entered, left;
    uint32_t outputs, last_output; /* they form a list */
    uint32_t expected;             /* total of outputs, or 0 if not known */
    uint32_t target; /* when the worm has ended: the stop for which it was bound here */
};

struct flits_output {
    uint32_t part, before; /* the part's output before it */
    uint32_t channel;      /* virtual or consumption */
    uint32_t next;         /* the part behind a virtual channel; FLITS_NONE: consumption */
    uint32_t sent;
    uint64_t moved; /* the cycle of the last flit, plus 1 */
};

/* An injection, virtual or ejection channel. */
struct flits_channel_state {
    uint32_t owner;       /* a worm, or FLITS_NONE */
    uint32_t first, last; /* parts in the buffer */
    uint32_t flits;
};

/* A link, or a node. */
struct flits_place {
    uint64_t used; /* link: the last cycle in which it carried a flit, plus 1 */
    uint64_t busy; /* node: the cycle until which its processor works */
    uint32_t held; /* node: messages there, under store-and-forward */
};

struct flits_state {
    struct flits_pool messages, holds, worms, parts, outputs, channels, places;
    struct audit_map message_map, worm_map, hold_map, channel_map, place_map;
    bool is_out_of_memory; /* a call below has failed for want of memory */
};

void flits_state_init(struct flits_state *state);
void flits_state_free(struct flits_state *state);

/* Adds a zeroed item; FLITS_NONE: no memory. */
uint32_t flits_add(struct flits_state *state, struct flits_pool *pool);

/* Returns the index for a key, or FLITS_NONE. */
uint32_t flits_find(const struct audit_map *map, uint64_t high, uint64_t low);

/* Finds the item of a key, or adds a zeroed one, and then sets *is_new. FLITS_NONE: no memory. */
uint32_t flits_find_or_add(struct flits_state *state, struct audit_map *map,
                           struct flits_pool *pool, uint64_t high, uint64_t low, bool *is_new);

/* Return items by index; the pointers hold until something is added to the pool. */
#define FLITS_ITEM(name, type, pool)                                                               \
    static inline struct type *name(const struct flits_state *state, uint32_t place)               \
    {                                                                                              \
        return (struct type *)state->pool.item + place;                                            \
    }
FLITS_ITEM(message_at, flits_message, messages)
FLITS_ITEM(hold_at, flits_hold, holds)
FLITS_ITEM(worm_at, flits_worm, worms)
FLITS_ITEM(part_at, flits_part, parts)
FLITS_ITEM(output_at, flits_output, outputs)
FLITS_ITEM(channel_at, flits_channel_state, channels)
FLITS_ITEM(place_at, flits_place, places)
#undef FLITS_ITEM

/* ---- the replay ---- */

/* A line of flits (A, F, H, I), while they move. */
struct flits_flow {
    const struct flits_line *line;
    uint32_t worm;
    uint32_t part;   /* the part that they leave, or with I enter */
    uint32_t output; /* FLITS_NONE: I */
};

/* A worm's acts at a node in the whole trace. */
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
    uint64_t cycle;          /* the current one */
    struct flits_flow *flow; /* flows that move in this cycle */
    size_t flows, flow_room;
    struct flits_startup *startup; /* startups of this cycle by the nodes' processors */
    size_t startups, startup_room;
    struct audit_messages messages; /* .set NULL: no set */
    /* the set, if messages from nodes to themselves had to be removed */
    struct message_set room;
    uint32_t *order; /* the set's messages by source, those of one source in their order */
    /* Per (worm, node), unless under wormhole: found before the replay, since a header may get an
     * output late. */
    struct audit_map visit_map;
    struct flits_pool visits;
    const struct audit_missing *missing; /* links that must not be used, or NULL */
    struct flits_audit_report *report;
    struct failure *failure;
};

/* Fails with FAIL_CHECK: "FILE:LINE: rule RULE: " and the text. */
enum failure_kind flits_broken(struct flits_replay *replay, const struct flits_line *line,
                               const char *rule, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Fails with FAIL_SYSTEM. */
enum failure_kind flits_no_memory(struct flits_replay *replay);

/* Create a message (P), and grant a worm its injection channel (W). */
enum failure_kind flits_create(struct flits_replay *replay, const struct flits_line *line);
enum failure_kind flits_grant(struct flits_replay *replay, const struct flits_line *line);

/* Checks, after all grants of a cycle, that the processors have done these startups one after the
 * other. */
enum failure_kind flits_check_startups(struct flits_replay *replay);

/* Finds the part that the flits of a line leave, and their output; a header opens it. */
enum failure_kind flits_locate(struct flits_replay *replay, const struct flits_line *line,
                               struct flits_flow *flow);

/* Checks the flits of this cycle against the state at its beginning, then moves them. */
enum failure_kind flits_move(struct flits_replay *replay);

/* Checks the end of the trace, at `line`. */
enum failure_kind flits_check_end(struct flits_replay *replay, const struct flits_line *line);

#endif
