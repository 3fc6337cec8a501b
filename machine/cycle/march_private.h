/* march_private.h - a call of machine_march, shared by march.c (steps) and march_lines.c (lines, and what crosses to
 * other ranks). For machine/ only. */
#ifndef MESHCAST_MACHINE_CYCLE_MARCH_PRIVATE_H
#define MESHCAST_MACHINE_CYCLE_MARCH_PRIVATE_H

#include "machine/cycle.h"
#include "machine/event_order.h"
#include "machine/transit/wavefront.h"

/* Values of march_line.due: the slot is empty; the same, but it is still in the list of taken slots. */
#define MARCH_EMPTY UINT32_MAX
#define MARCH_LEFT (UINT32_MAX - 1)
#define MARCH_NO_SLOT UINT32_MAX

/* A cycle; on ranks one of its parts, whose first place is another rank's if it is open. A packet keeps its slot: after
 * h hops slot s is at place s + h. */
struct march_line {
    node_place *place; /* its nodes, one after another */
    uint32_t *packet;  /* [slot] */
    uint32_t *
        due; /* [slot]: the hop at which its packet has something to do, or one of the values above */
    uint32_t *first; /* [hop % slots]: the first of the slots that are due then, .. */
    uint32_t *next;  /* .. [slot]: and the one behind it, or MARCH_NO_SLOT */
    uint32_t *
        taken; /* [takes]: slots, all that are taken among them, in order if the line is not open */
    uint32_t *now; /* slots that are due at this hop */
    uint32_t slots, takes, packets;
    uint32_t hop, shift;   /* hops done; modulo `slots` */
    uint32_t most;         /* packets at one of its nodes that do not march */
    bool is_open, is_ring; /* is_ring: its last place is beside its first one */
    uint32_t way;          /* 0, or of two ways the number of the cycle */
    uint32_t cycle, start; /* which cycle, and which of its places the first one is */
    uint32_t length;       /* of the cycle */
};

/* Returns the place of the line at which a slot is now. */
static inline uint32_t march_at(const struct march_line *line, uint32_t slot)
{
    uint32_t at = slot + line->shift;
    return at < line->slots ? at : at - line->slots;
}

/* Returns the slot that is at a place of the line now. */
static inline uint32_t march_slot(const struct march_line *line, uint32_t at)
{
    return at >= line->shift ? at - line->shift : at + line->slots - line->shift;
}

static inline bool march_is_taken(const struct march_line *line, uint32_t slot)
{
    return line->due[slot] < MARCH_LEFT;
}

/* Notes after how many hops the slot's packet has something to do. What is due behind the line's end is only kept. */
static inline void march_set_due(struct march_line *line, uint32_t slot, uint32_t ahead)
{
    uint32_t at = line->shift + ahead, left = line->slots - 1 - march_at(line, slot);
    line->due[slot] = line->hop + ahead;
    if (line->is_open && ahead > left)
        return;
    at = at < line->slots ? at : at % line->slots;
    line->next[slot] = line->first[at];
    line->first[at] = slot;
}

/* Puts a packet into an empty slot. */
static inline void march_add(struct march_line *line, uint32_t slot, uint32_t packet,
                             uint32_t ahead)
{
    if (line->due[slot] == MARCH_EMPTY)
        line->taken[line->takes++] = slot;
    line->packet[slot] = packet;
    line->packets++;
    march_set_due(line, slot, ahead);
}

static inline void march_remove(struct march_line *line, uint32_t slot)
{
    line->due[slot] = MARCH_LEFT;
    line->packets--;
}

/* A line that packets leave to another rank, or enter from there, by the link in a column. */
struct march_crossing {
    uint32_t col, line;
};

/* The crossings of one side, from west to east. */
struct march_border {
    struct march_crossing *out, *in;
    uint32_t outs, ins;
};

/* Where a thread's events come among those of all ranks, for each event of its lists. */
struct order_list {
    struct event_order *order[EVENT_GROUPS];
    size_t count[EVENT_GROUPS], room[EVENT_GROUPS];
};

/* The arrays of a line, of a number for each slot; places of crowded nodes at most. */
enum { MARCH_ARRAYS = 7, MARCH_MOST_CROWDED = 16 };

/* The most steps that a thread takes a line through at once. */
enum { MARCH_STEPS = 64 };

struct march_call {
    struct machine *machine;
    const struct march *march;
    bool is_split;           /* among ranks */
    bool is_told;            /* events are, step by step */
    bool is_free;            /* copies take no step, or there are none */
    struct march_line *line; /* [lines] */
    uint32_t lines;
    size_t places; /* of all lines */
    struct march_border border[RANK_SIDES];
    struct order_list *orders; /* [thread]; only on ranks that are observed */
    uint32_t *memory;          /* of the lines' arrays */
    uint8_t *visits, *held;    /* [node]: places; packets of the march, while these are counted */
    struct wave_tallies counts;
    struct march_crossing
        crowded[MARCH_MOST_CROWDED]; /* `col`: a place of a node with more than two */
    uint32_t crowds;
    uint32_t most;          /* of all lines */
    uint32_t steps_at_once; /* of this wave */
    uint64_t step, last;    /* the steps that are done; with which the march ends, or must */
    bool done;
    enum failure_kind kind;
    struct failure *failure;
};

/* The kinds of events of a line in a step, in the order in which they are told. */
enum march_event { EVENT_SPLIT, EVENT_BEGIN, EVENT_CROSS, EVENT_SETTLE, EVENT_MEASURE };

/* A thread's view of a line in a step. */
struct march_worker {
    struct march_call *call;
    struct march_line *line;
    struct tally *tally;
    struct order_list *orders; /* or NULL */
    uint64_t step;
    bool may_copy;
    enum march_event event;
};

static inline struct site march_site_at(const struct march_worker *worker, node_place place)
{
    uint32_t cols = worker->call->machine->config.mesh.cols;
    return (struct site){place_row(place) * cols + place_col(place), place_row(place),
                         place_col(place)};
}

/* Returns where a slot is now. */
static inline struct site march_site_of(const struct march_worker *worker, uint32_t slot)
{
    return march_site_at(worker, worker->line->place[march_at(worker->line, slot)]);
}

/* True if the packets of a line hop in step `step` of the call, from 1. */
static inline bool march_hops(const struct march_call *call, const struct march_line *line,
                              uint64_t step)
{
    if (call->is_free)
        return step > 1 || call->march->ways != NULL;
    return step > 1 && step % 2 == line->way;
}

static inline bool march_is_beside(node_place a, node_place b)
{
    return a + 1 == b || b + 1 == a || place_of(place_row(a) + 1, place_col(a)) == b ||
           place_of(place_row(b) + 1, place_col(b)) == a;
}

/* Finds the lines, and makes what a march needs. False: no memory; march_release() frees what was made. */
bool march_prepare(struct march_call *call);
void march_release(struct march_call *call);

/* Finds the places of these lines, and puts the packets that rest there into their slots. march_unload() brings the packets
 * that are left to rest where they are. */
void march_load_lines(struct march_worker *worker, struct march_line *first,
                      struct march_line *end);
void march_unload(struct march_worker *worker);

/* Finds where packets come from other ranks and go there, when all places are known. False: no memory. */
bool march_find_crossings(struct march_call *call);
/* Hands over what leaves the rank in this step, and takes in what comes. For one thread, while the others wait. */
void march_cross_border(struct march_call *call);

/* Notes where the events that came since the last call, all of one slot, come among those of all ranks. */
void march_note_order(const struct march_worker *worker, enum march_event event, uint32_t slot);
/* Rank 0 takes the events of all ranks in the order in which they are told alone. */
void march_sort_events(struct march_call *call);

#endif
