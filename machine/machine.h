/* machine.h - the emulated mesh machine: clock, links, buffers, copies, counters, trace.
 *
 * The machine owns all of them, and only the instructions below move anything or advance the
 * clock. A kernel is a program of instructions; what it cannot call, it cannot fake:
 *
 *     machine_forward        packets move towards their stops through unbounded queues   forward.c
 *     machine_channel        the same through bounded channels with credits              channel.c
 *     machine_march          packets march along cycles of nodes (machine/cycle.h)       march.c
 *     machine_circulate      packets circulate in step (machine/cycle.h)               circuit.c
 *     machine_word_steps     words cross links                                           word.c
 *     machine_idle           steps in which nothing moves                                machine.c
 *
 * Packets. A packet stands for a range of destination slots: packet p is responsible for the
 * slots header.packet[p].first .. p, and is named by its last slot. Ranges of different packets are
 * disjoint, so ids are unique, and a packet that hands on a part of its range keeps its name:
 * the part is moved to the front of the range and becomes the packet named by the part's last
 * slot. A slot without a destination (MACHINE_NO_PLACE) lets a packet exist that has nothing to
 * deliver in a region (literal replication). The name of a packet that was discarded may be given
 * to another one later; in the trace that has a number of its own.
 *
 * Thread rule: a machine is used by one thread, that of its crew; instructions use config.threads inside.
 */
#ifndef MESHCAST_MACHINE_MACHINE_H
#define MESHCAST_MACHINE_MACHINE_H

#include "base/failure.h"
#include "machine/mesh.h"
#include "machine/observer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MACHINE_NAME_SIZE = 64, MACHINE_MAX_PHASES = 256 };

#define MACHINE_NONE UINT32_MAX     /* no packet */
#define MACHINE_NO_PLACE UINT32_MAX /* a slot without a destination */

/* The most urgent packet of a queue: room for a remaining distance plus a coordinate. */
#define MACHINE_MAX_URGENCY ((1u << 17) - 1)

/* A node by its coordinates: row << 16 | col. */
typedef uint32_t node_place;

/* A node as kernels see it: index and coordinates agree. */
struct site {
    node_index index;
    uint32_t row, col;
};

static inline node_place place_of(uint32_t row, uint32_t col)
{
    return row << 16 | col;
}

static inline uint32_t place_row(node_place place)
{
    return place >> 16;
}

static inline uint32_t place_col(node_place place)
{
    return place & 0xffff;
}

static inline node_place site_place(struct site site)
{
    return place_of(site.row, site.col);
}

/* What travels in the packets' headers. Arrays of `slots` elements, owned by the machine; a kernel
 * reads and writes only the ranges of packets that are at the node for which it was called. */
struct header {
    uint32_t first;    /* the first slot of packet p's range; p is the last */
    node_place target; /* O(1) field: where the algorithm sends it */
    uint32_t message;  /* of slot p: the source node of its message */
    uint8_t state;     /* O(1) field: the algorithm's stage and class */
};

struct headers {
    uint32_t slots;
    struct header *packet;   /* together, as they are looked at together, far from all others */
    node_place *destination; /* of a slot; MACHINE_NO_PLACE: none */
};

/* An attempt at a run that may fail for want of time or room (Section 6 of the paper): all that is
 * different in it. It is void when its steps are spent, or when a node has discarded; it is then given
 * up. */
struct machine_attempt {
    /* The machine whose clock, counts, phases and trace go on here; it stays the caller's, and is
     * not used any more. NULL: they begin. */
    struct machine *before;
    const char *name; /* stands before the names of its phases, but those named "sync" */
    /* Steps, the words of synchronisations not counted, until machine_forward, machine_channel and
     * machine_open_plane return FAIL_VOID; 0: unbounded. Kernels of words and planes that are under
     * way when the steps are spent go on to their end. */
    uint64_t budget;
    /* A node that would end a step with more packets than the capacity discards those that rest or wait
     * in queues there. False: that is an overflow. */
    bool discards;
    /* What a node knows of the messages that it holds: whether `message` was delivered to `node` in
     * an earlier attempt. A packet for it is then discarded instead of being delivered again. NULL:
     * nothing was. */
    bool (*is_held)(void *context, uint32_t message, node_index node);
    void *context;
};

struct machine_config {
    struct mesh mesh;
    uint32_t slots;    /* destination slots, below 2^32 - 1 */
    uint32_t buffer;   /* capacity B of each node; 0: unbounded */
    bool copy_is_free; /* false: rules 2 and 3 of the model, one copy a node a step */
    /* A run that takes more steps than these does not end by itself: machine_forward, machine_channel
     * and machine_prepare_words then return FAIL_CHECK. 0: unbounded. */
    uint64_t most_steps;
    uint32_t threads;  /* 1 .. */
    struct crew *crew; /* of as many threads, stays the caller's; NULL: the machine makes one */
    FILE *trace;       /* NULL: none; stays the caller's */
    const struct machine_observer *observer; /* NULL: none; stays the caller's */
    const char *kernel;                      /* named in a kernel's trace; NULL for a router's */
    const struct machine_attempt *attempt;   /* NULL: none; is copied */
    void (*progress)(void *context, uint64_t steps, const char *phase);
    void *progress_context;
};

struct machine_phase {
    char name[MACHINE_NAME_SIZE];
    uint64_t steps;
};

/* The machine's counters. */
struct machine_counts {
    uint64_t steps, sync_steps;
    uint64_t packet_hops, word_hops, copies, delivered;
    uint32_t peak; /* largest occupancy at the end of a step */
    node_index peak_node;
    uint64_t peak_step;
    char peak_phase[MACHINE_NAME_SIZE];
};

struct machine;

/* Makes a machine at step 0 with empty buffers. Returns NULL and fills `failure` (no memory, or
 * the trace cannot be written). machine_free(NULL) does nothing. */
struct machine *machine_create(const struct machine_config *config, struct failure *failure);
void machine_free(struct machine *machine);

const struct machine_config *machine_config(const struct machine *machine);
struct headers *machine_headers(struct machine *machine);
struct site machine_site(const struct machine *machine, node_index node);

/* From here on steps belong to the phase `name` (cut to 63 characters). Phases named "sync" are
 * synchronisations: no packet may move, be copied or be delivered in them. */
void machine_begin_phase(struct machine *machine, const char *name);

/* At step 0, or before an attempt's first instruction: puts packet `packet` into the buffer of
 * `node`, where its message starts. A packet whose only destination is `node` is delivered at once. A
 * kernel may inject several packets at a node; a router injects each message once. */
enum failure_kind machine_inject(struct machine *machine, node_index node, uint32_t packet,
                                 struct failure *failure);

/* The packets that rest at `node`, oldest first, MACHINE_NONE at the end. */
uint32_t machine_first_resting(const struct machine *machine, node_index node);
uint32_t machine_next_resting(const struct machine *machine, uint32_t packet);
/* How many packets rest, and how many are under way. The host may read them for its own report;
 * no algorithm may depend on them (doc/model.md, "When is a phase over?"). */
uint64_t machine_resting(const struct machine *machine);
uint64_t machine_travelling(const struct machine *machine);

/* Until they are taken back, resting packets for which `stays` says so take no part: they count in
 * their nodes' buffers, but no instruction and neither of the functions above finds them. Up to
 * four levels, the last one taken back first; a node's packets then rest behind those that rest there, the last
 * one that was set aside first. Not while a plane is open; a synchronisation does not
 * see them. No step passes. FAIL_SYSTEM: no memory. */
enum failure_kind machine_set_aside(struct machine *machine,
                                    bool (*stays)(void *context, uint32_t packet), void *context,
                                    struct failure *failure);
void machine_take_back(struct machine *machine);

/* The parts into which a packet falls at a stop: a copy for each link that it must take, a
 * delivery, a copy that rests here, and what becomes of the rest. Exactly one part: the packet
 * itself does that. */
enum part {
    PART_NORTH = 1 << NORTH,
    PART_SOUTH = 1 << SOUTH,
    PART_WEST = 1 << WEST,
    PART_EAST = 1 << EAST,
    PART_LINKS = PART_NORTH | PART_SOUTH | PART_WEST | PART_EAST,
    PART_HERE = 1 << 4,    /* deliver one destination at this node */
    PART_REST = 1 << 5,    /* never alone: what is left is looked at again */
    PART_PARK = 1 << 6,    /* rest here until the next instruction */
    PART_DISCARD = 1 << 7, /* nothing left to deliver */
};

/* What an algorithm decides at a packet's stops, from the packet's header, the node's place and
 * the run's parameters. The functions run on several threads at once, for different nodes. */
struct routing_rule {
    void *context;
    /* The parts of `packet` at `site`, not empty; the same answer until a part is taken. */
    unsigned (*parts)(void *context, struct site site, uint32_t packet);
    /* Splits `part` (a link, PART_HERE or PART_PARK) off `packet`, which keeps the others. Returns
     * the packet that carries the part: for PART_HERE the slot that is delivered. NULL if never
     * needed. */
    uint32_t (*take)(void *context, struct site site, uint32_t packet, enum part part);
    /* Where `packet`, leaving over `direction`, must stop next: a column for WEST and EAST, a row
     * for NORTH and SOUTH, on that side of `site`. */
    uint32_t (*stop)(void *context, struct site site, uint32_t packet, enum direction direction);
    /* How urgent `packet` is on its way over `direction` to that stop, 0 .. MACHINE_MAX_URGENCY:
     * asked once, when it leaves `site`. NULL: all alike. For machine_forward alone. */
    uint32_t (*urgency)(void *context, struct site site, uint32_t packet, enum direction direction);
    /* Soon `packet` will be asked about: fetches into the cache what the functions above look at,
     * the fields of its header and its last slot excepted, which are there. NULL: nothing more. */
    void (*fetch)(void *context, uint32_t packet);
    /* Where buffers have a capacity: asked about nothing that would come behind the step in which one
     * overflows, and about no node before all have done the step before. For rules that may be wrong,
     * or that count. Else rows may be some steps apart. */
    bool by_steps;
    /* For machine_forward alone, and rules that deliver nothing: what is proven of the call. Where a
     * node ends a step of it with more packets than these and those that are set aside, it returns
     * FAIL_CHECK, as at the machine's own capacity. 0: nothing is proven. */
    uint32_t capacity;
};

/* Forwards packets by `rule` through unbounded queues, one a link, until all rest or `limit` steps
 * are done; returns early when nothing is under way: the caller then idles the rest of a known
 * length away. Of a queue the most urgent packet leaves first, of equally urgent ones that which
 * came first. With `wake`, all resting packets are looked at first. A packet meets the rule only at
 * its stops. FAIL_CHECK: a buffer overflowed; clock, counts and deliveries are those of that step's end,
 * where packets stand then is not kept; or config.most_steps are spent. */
enum failure_kind machine_forward(struct machine *machine, const struct routing_rule *rule,
                                  bool wake, uint64_t limit, struct failure *failure);

/* What node `node` itself knows of an attempt: whether it has discarded packets for want of room, and
 * whether that is so or it still holds one. */
bool machine_node_has_discarded(const struct machine *machine, node_index node);
bool machine_node_is_void(const struct machine *machine, node_index node);

/* The steps that an attempt may still take; UINT64_MAX where it has no budget. */
uint64_t machine_steps_left(const struct machine *machine);

/* How many packets nodes have discarded so, and the largest occupancy at the end of a step: of this
 * machine alone, not of those before it. */
uint64_t machine_discarded(const struct machine *machine);
uint32_t machine_own_peak(const struct machine *machine);

/* Every node discards what it holds. The machine keeps its counts and phases alone, and can go on in
 * another attempt. */
void machine_give_up(struct machine *machine);

/* Whether packets that machine_forward or machine_channel left under way wait at `node`: what the
 * node itself sees. */
bool machine_node_is_busy(const struct machine *machine, node_index node);

/* A control word: O(1) integers of O(log n) bits. */
struct word {
    int64_t value, extra;
};

/* What a node does in a word step. `word_received` gives the word that crossed the link from the
 * neighbour on `side` in the step before (false: none); `word_send` sends one over the link on
 * that side now. A link carries one word a step; sending twice or off the mesh is a broken rule. */
struct word_port;
bool word_received(const struct word_port *port, struct site site, enum direction side,
                   struct word *word);
void word_send(struct word_port *port, struct site site, enum direction side, struct word word);

/* Makes room for the words of all links; called at the start of each kernel that uses
 * words, it forgets the words of the kernel before. FAIL_SYSTEM: no memory. FAIL_CHECK:
 * config.most_steps are spent. */
enum failure_kind machine_prepare_words(struct machine *machine, struct failure *failure);

/* What the nodes of a row do in step `step` of an instruction, from 1: visits those that act, and may
 * read and write the registers of those nodes only. Other rows may be some steps ahead or behind. */
typedef void word_act(void *context, struct word_port *port, uint32_t row, uint64_t step);

/* `steps` steps in which words cross links: `act` is called once for each row and step, on several
 * threads for different rows. */
void machine_word_steps(struct machine *machine, uint64_t steps, word_act *act, void *context);

/* Between steps: hands over the words of the last word step without a step, for nodes to read
 * (computing is free). Nothing may be sent. `act` is called with `step`. */
void machine_word_read(struct machine *machine, uint64_t step, word_act *act, void *context);

/* Steps in which nothing moves. */
void machine_idle(struct machine *machine, uint64_t steps);

/* Where slot `slot` was delivered, MACHINE_NO_PLACE if nowhere; and how often a slot was delivered
 * that had been delivered before. */
node_place machine_delivered_at(const struct machine *machine, uint32_t slot);
uint64_t machine_doubled(const struct machine *machine);

const struct machine_counts *machine_counts(const struct machine *machine);
uint32_t machine_phases(const struct machine *machine);
const struct machine_phase *machine_phase(const struct machine *machine, uint32_t index);

/* FAIL_SYSTEM if the trace could not be written whole, FAIL_NONE otherwise. */
enum failure_kind machine_finish_trace(struct machine *machine, struct failure *failure);

#endif
