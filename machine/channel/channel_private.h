/* channel_private.h - the state of machine_channel: channels, other sources, conveyors, and a
 * thread's view of them; and the functions that channel.c (calls and waves), channel_arbiter.c
 * (grants of links) and channel_node.c (packets at a node) provide for one another. */
#ifndef MESHCAST_MACHINE_CHANNEL_CHANNEL_PRIVATE_H
#define MESHCAST_MACHINE_CHANNEL_CHANNEL_PRIVATE_H

#include "machine/channel.h"
#include "machine/transit/conveyor.h"
#include "machine/transit/wavefront.h"

/* The sources of a node, from which packets leave over links: its channels, at most 8, then the
 * injected packet and the registers. */
enum { CHANNELS = 8, INJECTED = CHANNELS, REGISTER, REGISTERS = 3, SOURCES = REGISTER + REGISTERS };
/* Registers of parts that turn into rows, of class 0, or into columns, of class 1, and of parts of
 * the injected packet. */
enum { REGISTER_ROWS = REGISTER, REGISTER_COLS, REGISTER_INJECTED };

/* A packet in a channel is one word: its class, the outputs that it wants at this node, its stop if
 * it wants only one link, and its name. */
enum { WANT_SHIFT = 48, WANT_BITS = 31, CLASS_SHIFT = 56, CLASS_BITS = 3 };

/* One source of each node of a block: requests of its packets, node i at bit i. A cache line. */
struct channel_source {
    uint64_t requests[DIRECTIONS]; /* it holds a packet that wants this link */
    uint64_t copying;              /* unit copies: it wants a copy first, and no link yet */
    uint64_t class_1;              /* the packet that it holds, or held last, is of class 1 */
    uint64_t more;                 /* `behind` of a channel is not 0 */
    uint64_t unused;
};

/* The packets and requests of a block of nodes, node i at bit i or place i. It is kept together:
 * arrays of the whole mesh, whose sizes are powers of two, would share a cache's few sets. It
 * begins a cache line; most steps need the first two lines and those of the sources that hold
 * something. */
struct channel_block {
    uint64_t full[CHANNELS]; /* the channel was full at the end of the last step */
    /* packets rest there that may have something to inject; in the first step of a call: any
     * packets rest there */
    uint64_t may_inject;
    /* of these nodes, those where express packets may set out in the next departures */
    uint64_t may_set_out;
    uint32_t max_occupancy; /* no node holds more, without the packets on conveyors */
    uint16_t holds; /* bits: sources that hold something at some node, or did in the last step */
    bool is_busy;   /* packets are in channels, other sources, or going straight on */
    bool has_sent;  /* some of these packets may have used links in the last departures */
    bool has_input; /* in this step a packet came out of an input queue, and may rest */
    uint64_t unused[4];
    struct channel_source source[SOURCES];
    uint64_t front[SOURCES][BLOCK];  /* first packets of the channels, then of other sources */
    uint8_t behind[CHANNELS][BLOCK]; /* packets of a channel behind its first one */
    uint8_t start[CHANNELS][BLOCK];  /* start of the ring of the packets after the first one */
};
_Static_assert(sizeof(struct channel_source) == CACHE_LINE, "a line of the cache");
_Static_assert(sizeof(struct channel_block) % CACHE_LINE == 0, "whole lines of the cache");

/* Express packets. */
struct express {
    struct conveyor conveyor;
    struct link_queues queues; /* the packets after them */
};

struct channels {
    uint32_t slots;
    uint64_t *behind;            /* [node][channel][slots - 1] */
    uint32_t blocks;             /* per row */
    struct channel_block *block; /* [row][block], with a row and a block around, .. */
    void *block_memory;          /* .. within this memory */
    bool has_express;            /* there is room for express packets */

    struct conveyor_clock clock; /* the last completed step */
    struct wave_tallies counts;
    /* first packets of channels that go straight on; a mark means class 1 */
    struct conveyor bypass;
    struct express express;
};

/* The departures of a block's nodes in a step, found before anything moves. */
struct departures {
    bool are_any;      /* some node may act */
    struct site first; /* of the block */
    unsigned sources;  /* bits: sources that may act; the arrays below are valid only for these */
    /* nodes where the source gets the link; a packet in the link's slot needs no grant */
    uint64_t grant[SOURCES][DIRECTIONS];
    uint64_t copying[SOURCES];    /* unit copies: nodes where it wants a copy */
    uint64_t stuck[SOURCES];      /* nodes where it switches its class if it is not copied */
    uint64_t acting[SOURCES];     /* nodes where it does any of these */
    uint64_t staying[DIRECTIONS]; /* nodes where the packet in a slot does not get its link */
};

/* A thread's view of one conveyor. */
struct worker_conveyor {
    struct conveyor_view leaving_view, coming_view; /* at departure, and a step later */
    struct conveyor_line leaving[DIRECTIONS];       /* the row that sends .. */
    struct conveyor_line coming[DIRECTIONS];        /* .. and the one that receives */
};

/* One thread's part of a run. */
struct channel_worker {
    struct machine *machine;
    struct channels *channels;
    const struct channel_rule *rule;
    struct tally *tally;
    bool copy_is_free;
    bool waking;
    uint64_t steps;             /* number of steps that have ended when this one begins */
    struct departures found[3]; /* of the current block, and of the two before it in its row */

    uint32_t peak_before; /* no node has held more at the end of a step */
    struct worker_conveyor bypass;
    bool has_express; /* .. and express packets */
    struct worker_conveyor express;
};

static inline unsigned word_want(uint64_t word)
{
    return (unsigned)(word >> WANT_SHIFT) & WANT_BITS;
}

static inline unsigned word_class(uint64_t word)
{
    return (unsigned)(word >> CLASS_SHIFT) & CLASS_BITS;
}

static inline struct channel_block *block_of(const struct channels *channels, struct site site)
{
    return &channels->block[(size_t)site.row * channels->blocks + (site.col >> BLOCK_SHIFT)];
}

/* Returns the place of a node's block in its row. */
static inline uint32_t place_of_block(struct site site)
{
    return site.col >> BLOCK_SHIFT;
}

/* Returns the nodes of a block from which packets of the class go straight on over the link of
 * `line`. */
static inline uint64_t bypass_of(const struct conveyor_line *line, uint32_t place, unsigned class)
{
    return line->held[place] & (class == 1 ? line->mark[place] : ~line->mark[place]);
}

/* Returns the word of the first packet of a source. */
static inline uint64_t *front_of(const struct channels *channels, struct site site, unsigned source)
{
    return &block_of(channels, site)->front[source][site.col & (BLOCK - 1)];
}

/* Returns the nodes of a span, as bits. */
static inline uint64_t span_bits(struct span span)
{
    return UINT64_MAX >> (BLOCK - span.count) << (span.start.col & (BLOCK - 1));
}

/* Returns the nodes at which the source holds a packet. */
static inline uint64_t source_taken(const struct channel_block *block, unsigned source)
{
    const struct channel_source *holds = &block->source[source];
    return holds->requests[NORTH] | holds->requests[SOUTH] | holds->requests[WEST] |
           holds->requests[EAST] | holds->copying;
}

/* ---- packets at a node (channel_node.c) ---- */

/* Sends the first packet of `source` over link `d`, or a copy that carries the part for that
 * link. */
void channel_send(struct channel_worker *worker, struct site site, unsigned source,
                  enum direction d);

/* With unit copies: makes the node's one copy of this step, for one of the sources `copying`, whose
 * first packets wanted one before anything moved. Returns the source, or SOURCES if none. */
unsigned channel_copy_for_one(struct channel_worker *worker, struct site site, unsigned copying);

/* Switches the class of the packet of `source`, no part of which has left in this step. A packet of
 * a channel switches only if it wants one output before and after, so that it needs no register. */
void channel_switch(struct channel_worker *worker, struct site site, unsigned source);

/* Fetches the packets after the first ones of a channel at `nodes`. */
void channel_fetch_behind(const struct channel_worker *worker, struct site first, unsigned channel,
                          uint64_t nodes);

/* Moves the packets in the slots of link `d` at `nodes`, which do not leave, back into their
 * channels. */
void bypass_stay(struct channel_worker *worker, struct site first, enum direction d,
                 uint64_t nodes);

/* Fetches the slots of packets that will stay. */
void bypass_fetch(const struct channel_worker *worker, struct site first, enum direction d,
                  uint64_t nodes);

/* Removes packets that have crossed the links of a block from their slots, if they are at their
 * stop or other packets are in their channel. */
void bypass_arrive(struct channel_worker *worker, struct span span);

/* Fetches the memory for arrivals at the block that begins at `first`. */
void bypass_fetch_coming(const struct channel_worker *worker, struct site first);

/* Brings the express packets of a block that have arrived at their stops to rest, and those that
 * meet others into queues. True if there were any. */
bool express_arrive(struct channel_worker *worker, struct span span);

/* Lets the resting packets of a block act at the start of a step: one may enter the slot for
 * injection, or hand a copy to it; on waking express packets set out. Returns, with unit copies,
 * the nodes that have made their copy of this step. */
uint64_t injection_depart(struct channel_worker *worker, struct span span);

/* Notes the nodes with resting packets when a run begins. */
void injection_note(void *worker, struct span span);

/* ---- links and credits (channel_arbiter.c) ---- */

/* Finds the packets that get the links that express packets have left free, that are copied, and
 * that switch their class. `copied_now`: nodes whose injected packet was copied in this step: it
 * cannot act, nor can another be copied. True if any source held a packet. */
bool arbiter_find(struct channel_worker *worker, struct span span, uint64_t copied_now,
                  struct departures *found);

/* Does the departures. */
void arbiter_send(struct channel_worker *worker, struct departures *found);

/* Fetches the words of packets that act; they are far apart. */
void arbiter_fetch_words(const struct channel_worker *worker, const struct departures *found);

/* Removes packets that do not leave from their slots, and fetches the headers of those that act. */
void arbiter_fetch(struct channel_worker *worker, struct departures *found);

/* Notes the full channels at the end of a step. */
void channels_note_full(struct channel_worker *worker, struct span span);

#endif
