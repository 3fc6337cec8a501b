/* network_state.h - what is where in a replayed network: messages, worms, their parts, channels.
 *
 * Things live in pools and are named by their places there; nothing is removed. Private to the audit.
 */
#ifndef MESHCAST_AUDIT_NETWORK_STATE_H
#define MESHCAST_AUDIT_NETWORK_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NETWORK_NONE UINT32_MAX
#define NETWORK_NEVER UINT64_MAX

/* Items of one kind. */
struct network_pool {
    void *item;
    size_t size;
    uint32_t count, room;
};

/* From keys of two numbers to places in a pool. */
struct network_map {
    struct network_entry *entry;
    uint32_t count, room; /* room is a power of two, or 0 */
};

struct network_message {
    uint32_t number, source, flits;
    uint64_t created;
    uint32_t of_set; /* the message of the set that it is, or NETWORK_NONE */
};

/* A node that holds a message, or is getting it. */
struct network_hold {
    uint64_t ready; /* may be sent on from this cycle on; NETWORK_NEVER: it is still coming */
};

struct network_worm {
    uint32_t message, number;
    uint64_t granted;   /* the cycle of the injection channel's grant */
    uint32_t injected;  /* flits */
    uint64_t moved;     /* the cycle of the last one of them, plus 1 */
    uint32_t last_part; /* the youngest one; they form a list */
    uint32_t living;    /* parts whose tail has not left */
};

/* A worm in a buffer. */
struct network_part {
    uint32_t worm, channel, node;
    uint32_t behind; /* the part from which it came; NETWORK_NONE: the injection buffer's */
    uint32_t before; /* the next older part of the worm */
    uint32_t next;   /* in the buffer */
    uint32_t vc;     /* by which it came there */
    uint64_t line;   /* of the hop to it, in the trace */
    uint64_t header_came, tail_came;
    uint64_t opened; /* the cycle in which the header moved on first */
    uint32_t entered, left;
    uint32_t outputs, last_output; /* they form a list */
    uint32_t expected;             /* outputs that it will have, or 0 if that is not known */
    uint32_t target; /* when the worm has ended: the stop for which it was bound here */
};

struct network_output {
    uint32_t part, before; /* the part's output before it */
    uint32_t channel;      /* virtual or consumption */
    uint32_t next;         /* the part behind a virtual channel; NETWORK_NONE: consumption */
    uint32_t sent;
    uint64_t moved; /* the cycle of the last flit, plus 1 */
};

/* An injection, virtual or consumption channel. */
struct network_channel_state {
    uint32_t owner;       /* a worm, or NETWORK_NONE */
    uint32_t first, last; /* parts in the buffer */
    uint32_t flits;
};

/* A link, or a node. */
struct network_place {
    uint64_t used; /* link: the last cycle in which it carried a flit, plus 1 */
    uint64_t busy; /* node: until which cycle its processor works */
    uint32_t held; /* node: messages there, under store-and-forward */
};

struct network_state {
    struct network_pool messages, holds, worms, parts, outputs, channels, places;
    struct network_map message_map, worm_map, hold_map, channel_map, place_map;
    bool is_out_of_memory; /* some call below has failed for that */
};

void network_state_init(struct network_state *state);
void network_state_free(struct network_state *state);
uint64_t network_state_bytes(const struct network_state *state);

/* Adds a zeroed item; NETWORK_NONE: no memory. */
uint32_t network_add(struct network_state *state, struct network_pool *pool);

/* The place for a key, or NETWORK_NONE. */
uint32_t network_find(const struct network_map *map, uint64_t high, uint64_t low);

/* Finds the item of a key, or adds a zeroed one, and then *is_new. NETWORK_NONE: no memory. */
uint32_t network_find_or_add(struct network_state *state, struct network_map *map,
                             struct network_pool *pool, uint64_t high, uint64_t low, bool *is_new);

/* Items by place; the pointers hold until something is added to the pool. */
#define NETWORK_ITEM(name, type, pool)                                                             \
    static inline struct type *name(const struct network_state *state, uint32_t place)             \
    {                                                                                              \
        return (struct type *)state->pool.item + place;                                            \
    }
NETWORK_ITEM(message_at, network_message, messages)
NETWORK_ITEM(hold_at, network_hold, holds)
NETWORK_ITEM(worm_at, network_worm, worms)
NETWORK_ITEM(part_at, network_part, parts)
NETWORK_ITEM(output_at, network_output, outputs)
NETWORK_ITEM(channel_at, network_channel_state, channels)
NETWORK_ITEM(place_at, network_place, places)
#undef NETWORK_ITEM

#endif
