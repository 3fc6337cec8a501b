/* channel_private.h - the channels of machine_channel, shared by channel.c (steps), channel_link.c
 * (which packet takes a link), channel_move.c (packets that go straight on, many at once),
 * channel_slot.c (packets in slots), channel_credit.c (which channels are full), channel_express.c
 * (packets that need no slot), channel_glide.c (the same, where nobody watches), channel_rest.c
 * (packets that rest) and channel_memory.c. */
#ifndef MESHCAST_MACHINE_CHANNEL_PRIVATE_H
#define MESHCAST_MACHINE_CHANNEL_PRIVATE_H

#include "machine/glide_slot_private.h"
#include "machine/queue_private.h"

/* What may leave over a link: the first packets of the channels, then these. */
enum { CHANNELS = 8, INJECTED = CHANNELS, REGISTER, REGISTERS = 3, SOURCES = REGISTER + REGISTERS };
enum { REGISTER_INJECTED = REGISTER + 2 };

/* A packet in a channel is one word: class, what it waits for at this node, where it must stop if
 * it waits for one link alone, and its name. */
enum { WANT_SHIFT = 48, WANT_BITS = 31, CLASS_SHIFT = 56, CLASS_BITS = 3 };

/* A flag of a block, beside a bit for each link. */
enum { TREES = 1 << 4 };

/* What the nodes of a block hold and ask for, node i at bit i or place i. It stands together:
 * planes of the whole mesh, whose size is a power of two, would share a cache's few sets. */
struct channel_block {
    uint64_t asks[DIRECTIONS][SOURCES]; /* the source holds a packet that wants this link */
    uint64_t copying[SOURCES];          /* unit copies: it wants a copy first, and no link yet */
    uint64_t class_1[SOURCES];          /* what it holds, or held last, is of class 1 */
    uint64_t full[CHANNELS];            /* the channel was full at the end of the last step */
    uint64_t more[CHANNELS];            /* `behind` is not 0 */
    uint64_t moved[DIRECTIONS];         /* a packet of a channel uses the link in this step */
    uint64_t queued[DIRECTIONS];        /* express packets wait behind the slot of the link */
    uint64_t eager; /* packets rest there that may have something to inject; in the first step of a
                       run, packets that rest there at all */
    uint8_t busy;  /* at some node express packets wait for the link, or sources hold packets: TREES
                     */
    uint8_t sent;  /* express packets use the link, or `moved` is not 0: TREES */
    uint32_t most; /* where express packets glide: no node holds more, their slots apart */
    uint64_t front[SOURCES][BLOCK];  /* first packets of the channels, then of other sources */
    uint8_t behind[CHANNELS][BLOCK]; /* packets of a channel behind its first one */
    uint8_t start[CHANNELS][BLOCK];  /* where the ring of those behind the first one begins */
};

/* Express packets that glide. */
struct express_slots {
    struct slots slots;
    struct slot_clock clock;      /* the step that comes to its end, or has */
    uint64_t *behind[DIRECTIONS]; /* [node]: the first of a list through machine->next */
};

struct channels {
    uint32_t slots, spare;
    uint64_t *behind;            /* [node][channel][slots + spare - 1] */
    uint64_t *out[DIRECTIONS];   /* [row][col], padded: what crosses the link, where a packet does;
                                    which row: out_row */
    uint32_t blocks;             /* of a row */
    struct channel_block *block; /* [row][block], a row and a block around */
    bool has_express;            /* there is room for express packets: .. */
    bool glides;                 /* .. in slots, else in queues */
    struct queues express;       /* an urgency: how far the stop lies */
    struct express_slots gliding;
};

/* What a block's nodes do in a step, found before anything moves. */
struct departures {
    bool are_any;                         /* .. nodes that may do something */
    struct site first;                    /* of the block */
    uint64_t winner[DIRECTIONS][SOURCES]; /* nodes where the source takes the link */
    uint64_t sending[DIRECTIONS];         /* nodes where some source does */
    uint64_t copying[SOURCES];            /* unit copies: nodes where it wants a copy */
    uint64_t stuck[SOURCES];              /* nodes where it turns if it is not copied */
};

/* One thread's part of a run. */
struct channel_lane {
    struct machine *machine;
    struct channels *channels;
    const struct channel_rule *rule;
    struct band *band;
    bool copy_is_free;
    bool waking;
    uint32_t first_row, end_row; /* the thread's rows */
    bool rolls;                  /* rows depart just before others arrive */
    struct departures
        found[3]; /* those of the block at hand, and of the two before it in its row */

    bool glides;          /* express packets do; what follows has no meaning otherwise */
    uint32_t peak_before; /* no node has held more at the end of a step */
    struct slot_view leaving_view, coming_view; /* when packets leave, and a step later */
    struct slot_line leaving[DIRECTIONS];       /* the row that sends .. */
    struct slot_line coming[DIRECTIONS];        /* .. and the one that receives */
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

static inline uint64_t bit_of(struct site site)
{
    return UINT64_C(1) << (site.col & (BLOCK - 1));
}

/* Where what a row sends stands in `out`. Within a band that rolls no more than three rows have
 * sent what is still needed: they take places by turns, which stay in cache. A band's first and last
 * row, at which other bands look, have places of their own. */
static inline uint32_t out_row(const struct channel_lane *lane, uint32_t row)
{
    enum { ROWS = 3 };
    uint32_t first = lane->first_row;
    if (!lane->rolls || row <= first || row >= lane->end_row - 1)
        return row;
    return first + 1 + (row - first - 1) % ROWS;
}

/* What the node sends over link `d`; those of its row follow. */
static inline uint64_t *sent_by(const struct channel_lane *lane, struct site site, enum direction d)
{
    size_t row = out_row(lane, site.row), cols = lane->machine->config.mesh.cols;
    return lane->channels->out[d] + row * cols + site.col;
}

/* What came to the node over link `d` of a neighbour, which there must be. */
static inline const uint64_t *sent_to(const struct channel_lane *lane, struct site site,
                                      enum direction d)
{
    uint32_t row = site.row + (d == NORTH) - (d == SOUTH);
    size_t cols = lane->machine->config.mesh.cols;
    const uint64_t *sent = lane->channels->out[d] + out_row(lane, row) * cols + site.col;
    return d == WEST ? sent + 1 : d == EAST ? sent - 1 : sent;
}

/* The word of the first packet of a source. */
static inline uint64_t *front_of(const struct channels *channels, struct site site, unsigned source)
{
    return &block_of(channels, site)->front[source][site.col & (BLOCK - 1)];
}

/* The nodes of a span, as bits. */
static inline uint64_t span_bits(struct span span)
{
    return UINT64_MAX >> (BLOCK - span.count) << (span.start.col & (BLOCK - 1));
}

/* The nodes at which the source holds a packet. */
static inline uint64_t source_taken(const struct channel_block *block, unsigned source)
{
    return block->asks[NORTH][source] | block->asks[SOUTH][source] | block->asks[WEST][source] |
           block->asks[EAST][source] | block->copying[source];
}

/* Flags of 0 or 1 as bits. */
static inline uint64_t bits_of_flags(const uint8_t flag[static BLOCK])
{
    const uint64_t gather = UINT64_C(0x0102040810204080); /* byte k to bit 56 + k */
    uint64_t bits = 0;
    for (unsigned i = 0; i < BLOCK; i += 8) {
        uint64_t eight = 0;
        for (unsigned k = 0; k < 8; k++)
            eight |= (uint64_t)flag[i + k] << 8 * k;
        bits |= (eight * gather >> 56) << i;
    }
    return bits;
}

enum failure_kind channels_prepare(struct machine *machine, const struct channel_rule *rule,
                                   struct failure *failure);

/* ---- packets in slots (channel_slot.c) ---- */

/* Puts a word into a source that is free, or after what it waits for has changed. */
void source_set(struct channel_lane *lane, struct site site, unsigned source, uint64_t word);

/* The packet at a stop: its word, or 0 if it ended here. With free copies it delivers at once. */
uint64_t channel_settle(struct channel_lane *lane, enum half half, struct site site,
                        uint32_t packet);

/* Puts a word at the end of a channel, which has room. */
void channel_push(struct channel_lane *lane, struct site site, unsigned channel, uint64_t word);

/* The first packet of a channel is gone, others stand behind it: the next one. */
void channel_refill(struct channel_lane *lane, struct site site, unsigned channel);

/* One packet leaves `source` over link `d`: the packet, or a copy that carries the part. */
void channel_send(struct channel_lane *lane, struct site site, unsigned source, enum direction d);

/* Unit copies: the node's one copy of this step, for one of the sources `copying`, which stood
 * first and wanted one before anything moved. Returns which, SOURCES if none. */
unsigned channel_copy_for_one(struct channel_lane *lane, struct site site, unsigned copying);

/* The packet of `source`, of which nothing has left in this step, turns. One of a channel turns if
 * it is whole, and stays so: it must need no register. */
void channel_turn(struct channel_lane *lane, struct site site, unsigned source);

/* ---- packets that go straight on (channel_move.c) ---- */

/* Whole packets leave over link `d` straight on: those of class c of the nodes leaving[c]. What
 * `out` holds at other nodes of the block is lost. */
void straight_leave(struct channel_lane *lane, struct site first, enum direction d,
                    const uint64_t leaving[2]);

/* Of the packets that come over link `d` to the nodes `coming` those that pass, and find their
 * channel empty, become its first. Returns the nodes of all others. */
uint64_t straight_arrive(struct channel_lane *lane, struct site first, enum direction d,
                         uint64_t coming);

/* ---- links (channel_link.c) ---- */

/* Finds what trees send over the links that express packets have left free, what they copy, and who
 * turns. `fresh`: nodes whose injected packet was copied in this step: it cannot act, nor can
 * another be copied. Tells whether any source held a packet. */
bool links_find(struct channel_lane *lane, struct span span, uint64_t fresh,
                struct departures *found);

/* It is soon done: the packets' headers are needed. */
void links_fetch(const struct channel_lane *lane, const struct departures *found);

/* Does it. */
void links_send(struct channel_lane *lane, struct departures *found);

/* The nodes of a span's block to which something comes from the neighbours. */
uint64_t links_coming(const struct channel_lane *lane, struct span span);

/* It is soon to arrive at the block that begins at `first`: the channels are needed. */
void links_fetch_coming(const struct channel_lane *lane, struct site first);

/* What comes from the neighbours, into the channels. */
void links_arrive(struct channel_lane *lane, struct span span);

/* ---- credits (channel_credit.c) ---- */

/* At the end of a step: which channels are full. */
void channels_note_full(struct channel_lane *lane, struct span span);

/* ---- express packets (channel_express.c) ---- */

/* Sets an express packet on its way; false if it wants to rest. */
bool express_set_out(struct channel_lane *lane, struct site site, uint32_t packet);

/* The first express packets of all links leave. Returns the links for which others wait. */
unsigned express_depart(struct channel_lane *lane, struct span span);

/* Those that the neighbours sent arrive over `links`: at their stops they rest. */
void express_arrive(struct channel_lane *lane, struct span span, unsigned links);

/* An express packet is at its stop: it rests. */
void express_stop(struct channel_lane *lane, struct site site, uint32_t packet);

/* ---- express packets that glide (channel_glide.c); only where lane->glides ---- */

/* Before the rows of a step. */
void express_begin_step(struct channel_lane *lane);

/* Before the blocks of a row depart: finds lane->leaving. */
void express_begin_row(struct channel_lane *lane, uint32_t row);

/* In the departures of a step: `word` is to leave over link `d` as soon as no one is more urgent. */
void express_enter(struct channel_lane *lane, struct site site, enum direction d, uint64_t word);

/* Before packets arrive at the blocks of a row: finds lane->coming, and moves what is there. */
void express_advance_row(struct channel_lane *lane, uint32_t row);

/* The express packets of a block that stop, or meet others. Tells whether there were any. */
bool express_glide(struct channel_lane *lane, struct span span);

/* span_measure, of all packets of a block; `has_changed`: other than slots. */
void express_measure(struct channel_lane *lane, struct span span, bool has_changed);

/* When a call begins slots are taken off the occupancy of a block, and put on it when it ends; of
 * lane->leaving. */
void express_load(struct channel_lane *lane, struct span span);
void express_unload(struct channel_lane *lane, struct span span);

/* Between calls: whether express packets are under way at the node. */
bool express_is_at(const struct channels *channels, struct site site);

/* ---- packets at rest (channel_rest.c) ---- */

/* What the resting packets of a block do at the start of a step: one may enter the slot for
 * injection, or hand a copy to it; on waking express packets set out. Returns, with unit copies,
 * the nodes that have made their copy of this step. */
uint64_t rest_depart(struct channel_lane *lane, struct span span);

/* Notes where packets rest when a run begins. */
void rest_note(void *lane, struct span span);

#endif
