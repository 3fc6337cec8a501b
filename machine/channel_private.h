/* channel_private.h - the channels of machine_channel, shared by channel.c (steps),
 * channel_slot.c (packets in slots) and channel_express.c (packets that need no slot). */
#ifndef MESHCAST_MACHINE_CHANNEL_PRIVATE_H
#define MESHCAST_MACHINE_CHANNEL_PRIVATE_H

#include "machine/machine_private.h"

/* What may leave over a link: the first packets of the channels, then these. */
enum { CHANNELS = 8, INJECTED = CHANNELS, REGISTER, REGISTERS = 3, SOURCES = REGISTER + REGISTERS };
enum { REGISTER_INJECTED = REGISTER + 2 };

/* A packet in a channel is one word: class, what it waits for at this node, where it must stop if
 * it waits for one link alone, and its name. */
enum {
    STOP_SHIFT = 32,
    STOP_MASK = 0xffff,
    WANT_SHIFT = 48,
    WANT_BITS = 31,
    CLASS_SHIFT = 56,
    CLASS_BITS = 3
};

struct channels {
    uint32_t slots, spare;
    uint64_t *front;  /* [node][source]: first packets of the channels, then the other sources */
    uint64_t *behind; /* [node][channel][slots + spare - 1] */
    uint8_t *count;   /* [node][channel] */
    uint16_t *active; /* [node]: bit s: source s holds a packet */
    uint8_t *full;    /* [node], padded: bit c: channel c was full at the end of the last step */
    uint8_t *emptied; /* [node]: channels that lost a packet in this step */
    uint8_t *moved;   /* [node], padded: bits 0-3: links used, 4-7: the class on each */
    uint64_t *out[DIRECTIONS]; /* [node]: what crosses */

    /* express packets: the first one of each link, the last of several (linked through
     * machine->next); NULL as long as there are none */
    uint64_t *express[DIRECTIONS];      /* [node] */
    uint32_t *express_last[DIRECTIONS]; /* [node] */
    uint8_t *express_links; /* [node]: bit d: one waits for link d, bit 4 + d: several */
};

/* One thread's part of a run. */
struct channel_lane {
    struct machine *machine;
    struct channels *channels;
    const struct channel_rule *rule;
    struct band *band;
    uint32_t first_row, end_row;
    bool copy_is_free;
};

static inline unsigned word_want(uint64_t word)
{
    return (unsigned)(word >> WANT_SHIFT) & WANT_BITS;
}

static inline unsigned word_class(uint64_t word)
{
    return (unsigned)(word >> CLASS_SHIFT) & CLASS_BITS;
}

/* The word of `packet` that waits for `want` at `site`; the stop is asked for once it waits for one
 * link alone. */
uint64_t channel_word(struct channel_lane *lane, struct site site, uint32_t packet, unsigned want);

/* Delivers one destination of `packet` here while it stays. */
void channel_deliver(struct channel_lane *lane, enum half half, struct site site, uint32_t packet);

/* Copies the part of `packet` that leaves over `d`; returns the copy. */
uint32_t channel_copy(struct channel_lane *lane, struct site site, uint32_t packet,
                      enum direction d);

/* The packet is at a stop: its word, or 0 if it ended here. With free copies it delivers at once. */
uint64_t channel_settle(struct channel_lane *lane, enum half half, struct site site,
                        uint32_t packet);

/* Puts a word at the end of a channel, which has room. */
void channel_push(struct channel_lane *lane, node_index node, unsigned channel, uint64_t word);

/* At the end of a step, where spare slots are used: which channels of the node are full. */
void channel_note_full(struct channel_lane *lane, node_index node);

/* Takes the first packet of `source` out. */
void channel_pop(struct channel_lane *lane, node_index node, unsigned source);

/* An item leaves over link `d` in this step. */
void channel_cross(struct channel_lane *lane, struct site site, enum direction d, uint64_t word);

enum failure_kind express_prepare(struct machine *machine, struct channels *channels,
                                  struct failure *failure);
void express_free(struct channels *channels);

/* Puts an express packet's word among those that wait for link `d`: the farthest stop first. */
void express_enter(struct channel_lane *lane, node_index node, enum direction d, uint64_t word);

/* An express packet is at its stop, and rests. */
void express_arrive(struct channel_lane *lane, struct site site, uint32_t packet);

/* The first express packets of all links leave; returns these links as bits. */
unsigned express_depart(struct channel_lane *lane, struct site site);

/* What a node's resting packets do at the start of a step: one may enter the slot for injection,
 * or hand a copy to it; with `waking` express packets set out. */
struct woken {
    unsigned fresh; /* unit copies: the source that was copied in this step and cannot act in it */
    bool has_copied;
};
struct woken channel_wake(struct channel_lane *lane, struct site site, bool waking);

#endif
