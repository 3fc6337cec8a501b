/* channel_private.h - the channels of machine_channel, shared by channel.c (calls and steps), channel_link.c
 * (which packet takes a link), channel_source.c (packets in channels), channel_straight.c (packets that go straight
 * on), channel_credit.c (which channels are full), channel_express.c (packets that need no channel),
 * channel_conveyor.c (slots that move), channel_rest.c (packets that rest), channel_halt.c (packets that come to
 * rest) and channel_memory.c. */
#ifndef MESHCAST_MACHINE_CHANNEL_CHANNEL_PRIVATE_H
#define MESHCAST_MACHINE_CHANNEL_CHANNEL_PRIVATE_H

#include "machine/channel.h"
#include "machine/transit/block.h"
#include "machine/transit/conveyor.h"
#include "machine/transit/wavefront.h"

/* What may leave over a link: the first packets of the channels, of which a node has at most 8, then these. */
enum { CHANNELS = 8, INJECTED = CHANNELS, REGISTER, REGISTERS = 3, SOURCES = REGISTER + REGISTERS };
enum { REGISTER_INJECTED = REGISTER + 2 };

/* A packet in a channel is one word: class, what it waits for at this node, where it must stop if
 * it waits for one link alone, and its name. */
enum { WANT_SHIFT = 48, WANT_BITS = 31, CLASS_SHIFT = 56, CLASS_BITS = 3 };

/* A flag of a block, beside a bit for each link. */
enum { TREES = 1 << 4 };

enum { CACHE_LINE = 64 };

/* What a source of the nodes of a block holds and asks for, node i at bit i. A line of the cache. */
struct channel_source {
    uint64_t asks[DIRECTIONS]; /* it holds a packet that wants this link */
    uint64_t copying;          /* unit copies: it wants a copy first, and no link yet */
    uint64_t class_1;          /* what it holds, or held last, is of class 1 */
    uint64_t more;             /* `behind` of a channel is not 0 */
    uint64_t unused;
};

/* What the nodes of a block hold, node i at bit i or place i. It stands together: planes of the
 * whole mesh, whose size is a power of two, would share a cache's few sets. Begins a line of the
 * cache; most steps need the first two and those of the sources that hold something. */
struct channel_block {
    uint64_t full[CHANNELS];     /* the channel was full at the end of the last step */
    uint64_t queued[DIRECTIONS]; /* express packets wait behind the slot of the link */
    uint64_t eager; /* packets rest there that may have something to inject; in the first step of a
                       run, packets that rest there at all */
    uint32_t most;  /* no node holds more, slots that move apart */
    uint16_t
        holds;    /* sources that hold something at some node, or held it in the last step: bits */
    uint8_t busy; /* at some node express packets wait for the link, or trees are there: TREES */
    uint8_t sent; /* express packets use the link, or trees may use one: TREES */
    uint64_t unused[2];
    struct channel_source source[SOURCES];
    uint64_t front[SOURCES][BLOCK];  /* first packets of the channels, then of other sources */
    uint8_t behind[CHANNELS][BLOCK]; /* packets of a channel behind its first one */
    uint8_t start[CHANNELS][BLOCK];  /* where the ring of those behind the first one begins */
};
_Static_assert(sizeof(struct channel_source) == CACHE_LINE, "a line of the cache");
_Static_assert(sizeof(struct channel_block) % CACHE_LINE == 0, "whole lines of the cache");

/* Express packets. */
struct express_slots {
    struct conveyor slots;
    uint64_t *behind[DIRECTIONS]; /* [node]: the first of a list through machine->next */
};

struct channels {
    uint32_t slots, spare;
    uint64_t *behind;            /* [node][channel][slots + spare - 1] */
    uint32_t blocks;             /* of a row */
    struct channel_block *block; /* [row][block], a row and a block around, .. */
    void *block_memory;          /* .. within this */
    bool has_express;            /* there is room for express packets */

    struct conveyor_clock clock; /* the step that comes to its end, or has */
    struct wave_tallies counts;
    struct conveyor
        straight; /* first packets of channels that go straight on; a mark: of class 1 */
    struct express_slots express;
};

/* What a block's nodes do in a step, found before anything moves. */
struct departures {
    bool are_any;      /* .. nodes that may do something */
    struct site first; /* of the block */
    unsigned sources;  /* .. that may do something: bits; of others nothing is said */
    uint64_t winner[SOURCES][DIRECTIONS]; /* nodes where the source takes the link, but for what
                                             is in a slot already */
    uint64_t copying[SOURCES];            /* unit copies: nodes where it wants a copy */
    uint64_t stuck[SOURCES];              /* nodes where it turns if it is not copied */
    uint64_t acting[SOURCES];             /* nodes where it does any of these */
    uint64_t staying[DIRECTIONS];         /* nodes where what is in a slot does not take its link */
};

/* What a thread sees of slots of one kind. */
struct worker_slots {
    struct conveyor_view leaving_view, coming_view; /* when packets leave, and a step later */
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
    uint64_t steps;             /* that have ended when this one begins */
    struct departures found[3]; /* of the block at hand, and of the two before it in its row */

    uint32_t peak_before; /* no node has held more at the end of a step */
    struct worker_slots straight;
    bool has_express; /* .. and express packets */
    struct worker_slots express;
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

/* The place of a node's block in its row. */
static inline uint32_t place_of_block(struct site site)
{
    return site.col >> BLOCK_SHIFT;
}

/* The nodes of a block from which packets of class 0 (1) go straight on over a link. */
static inline uint64_t straight_of(const struct conveyor_line *line, uint32_t place, unsigned class)
{
    return line->held[place] & (class == 1 ? line->mark[place] : ~line->mark[place]);
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
    const struct channel_source *holds = &block->source[source];
    return holds->asks[NORTH] | holds->asks[SOUTH] | holds->asks[WEST] | holds->asks[EAST] |
           holds->copying;
}

void channels_free(struct machine *machine);
enum failure_kind channels_prepare(struct machine *machine, const struct channel_rule *rule,
                                   struct failure *failure);

/* ---- packets in slots (channel_source.c) ---- */

/* Puts a word into a source that is free, or after what it waits for has changed. */
void source_set(struct channel_worker *worker, struct site site, unsigned source, uint64_t word);

/* The packet at a stop: its word, or 0 if it ended here. With free copies it delivers at once. */
uint64_t channel_settle(struct channel_worker *worker, enum event_group group, struct site site,
                        uint32_t packet);

/* Puts a word at the end of a channel, which has room. */
void channel_push(struct channel_worker *worker, struct site site, unsigned channel, uint64_t word);

/* Fills `word` with what stands behind the first packet of a channel, in order. */
void channel_see_behind(const struct channels *channels, struct site site, unsigned channel,
                        uint64_t *word);

/* Soon the first packets of a channel at `nodes` are gone. */
void channel_fetch_behind(const struct channel_worker *worker, struct site first, unsigned channel,
                          uint64_t nodes);

/* One packet leaves `source` over link `d`: the packet, or a copy that carries the part. */
void channel_send(struct channel_worker *worker, struct site site, unsigned source,
                  enum direction d);

/* Unit copies: the node's one copy of this step, for one of the sources `copying`, which stood
 * first and wanted one before anything moved. Returns which, SOURCES if none. */
unsigned channel_copy_for_one(struct channel_worker *worker, struct site site, unsigned copying);

/* The packet of `source`, of which nothing has left in this step, turns. One of a channel turns if
 * it is whole, and stays so: it must need no register. */
void channel_switch(struct channel_worker *worker, struct site site, unsigned source);

/* ---- packets that go straight on (channel_straight.c) ---- */

/* What is in the slots of link `d` at `nodes` does not leave: it stands in its channel. */
void straight_stay(struct channel_worker *worker, struct site first, enum direction d,
                   uint64_t nodes);

/* Soon packets of a block are to stay. */
void straight_fetch(const struct channel_worker *worker, struct site first, enum direction d,
                    uint64_t nodes);

/* What came over the links of a block: what is at a stop, or finds others in its channel, leaves
 * its slot. */
void straight_arrive(struct channel_worker *worker, struct span span);

/* It is soon to arrive at the block that begins at `first`. */
void straight_fetch_coming(const struct channel_worker *worker, struct site first);

/* ---- links (channel_link.c) ---- */

/* Finds what trees send over the links that express packets have left free, what they copy, and who
 * turns. `fresh`: nodes whose injected packet was copied in this step: it cannot act, nor can
 * another be copied. Tells whether any source held a packet. */
bool links_find(struct channel_worker *worker, struct span span, uint64_t fresh,
                struct departures *found);

/* It is soon done: who stays leaves its slot, and the packets' headers are needed. */
void links_fetch(struct channel_worker *worker, struct departures *found);

/* Does it. */
void links_send(struct channel_worker *worker, struct departures *found);

/* ---- credits (channel_credit.c) ---- */

/* At the end of a step: which channels are full. */
void channels_note_full(struct channel_worker *worker, struct span span);

/* ---- express packets (channel_express.c) ---- */

/* Sets an express packet on its way; false if it wants to rest. */
bool express_set_out(struct channel_worker *worker, struct site site, uint32_t packet);

/* In the arrivals of a step: those of a block that stop, and rest, or meet others. Tells whether there
 * were any. */
bool express_arrive(struct channel_worker *worker, struct span span);

/* ---- a run (channel.c) ---- */

/* One call of machine_channel. */
struct channel_call {
    struct machine *machine;
    struct channels *channels;
    const struct channel_rule *rule;
    bool waking, done, to_the_end;
    uint64_t limit;
    enum failure_kind kind;
    struct failure *failure;
};

/* ---- slots that move, of both kinds (channel_conveyor.c) ---- */

/* Before the rows of a step that begins at `clock`; `peak`: some node has held that much at the end of
 * a step before. */
void channel_begin_step(struct channel_worker *worker, const struct conveyor_clock *clock,
                        uint32_t peak);

/* Before the blocks of a row depart: finds `leaving` of all slots. */
void channel_begin_row(struct channel_worker *worker, uint32_t row);

/* Before packets arrive at the blocks of a row: finds `coming`, and moves what is there. */
void channel_advance_row(struct channel_worker *worker, uint32_t row);

/* span_measure, of all packets of a block; `has_changed`: other than slots. */
void channel_measure(struct channel_worker *worker, struct span span, bool has_changed);

/* When a call begins slots are taken off the occupancy of a block, and put on it when it ends; of
 * `leaving`. */
void channel_load(struct channel_worker *worker, struct span span);
void channel_unload(struct channel_worker *worker, struct span span);

/* In departures: a packet of a channel or another source leaves over link `d`. */
void straight_enter(struct channel_worker *worker, struct site site, enum direction d,
                    uint64_t word);

/* Observed, when a block's row has departed: tells what crosses its links. */
void channel_tell(void *worker, struct span span);

/* How many packets stand in slots of both kinds at the node. */
uint32_t channel_count_slots(const struct channels *channels, struct site site);

/* ---- packets at rest (channel_rest.c) ---- */

/* What the resting packets of a block do at the start of a step: one may enter the slot for
 * injection, or hand a copy to it; on waking express packets set out. Returns, with unit copies,
 * the nodes that have made their copy of this step. */
uint64_t rest_depart(struct channel_worker *worker, struct span span);

/* Notes where packets rest when a run begins. */
void rest_note(void *worker, struct span span);

#endif
