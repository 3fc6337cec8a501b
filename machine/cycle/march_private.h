/* march_private.h - a call of machine_march, shared by march.c (steps) and march_lines.c (lines, and the packets that
 * cross to other ranks). For machine/ only. */
#ifndef MESHCAST_MACHINE_CYCLE_MARCH_PRIVATE_H
#define MESHCAST_MACHINE_CYCLE_MARCH_PRIVATE_H

#include "machine/cycle.h"
#include "machine/transit/wavefront.h"

/* Values of march_line.due: the slot is empty; it is empty, but still in the list of taken slots. */
#define MARCH_EMPTY UINT32_MAX
#define MARCH_LEFT (UINT32_MAX - 1)
#define MARCH_NO_SLOT UINT32_MAX

/* A cycle, or on several ranks one section of it; an open section begins with a place of another rank. A packet keeps its
 * slot: after h hops slot s is at place s + h. */
struct march_line {
    node_place *place; /* [slots]: its nodes, in the order of the walk */
    uint32_t *packet;  /* [slot] */
    uint32_t *due;     /* [slot]: the hop at which the packet acts, or one of the values above */
    uint32_t *first;   /* [hop % slots]: the first slot of the list that is due then */
    uint32_t *next;    /* [slot]: the next slot of the same list, or MARCH_NO_SLOT */
    uint32_t *taken;   /* [takes]: every taken slot and some empty ones; sorted if not is_open */
    uint32_t *now;     /* the slots that are due at this hop */
    uint32_t slots, takes, packets;
    uint32_t hop;    /* hops done */
    uint32_t shift;  /* hop % slots */
    uint32_t most;   /* the most packets that do not march at one of its nodes */
    bool is_open;    /* its first place is another rank's */
    uint32_t way;    /* with two ways the number of the cycle, else 0 */
    uint32_t cycle;  /* the number of the cycle */
    uint32_t start;  /* the number in the cycle of the first place */
    uint32_t length; /* of the cycle, in places */
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

/* Sets the slot's packet to be due `ahead` hops from now, and lists it unless that is beyond the end of an open line. */
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

/* A line that crosses to or from another rank by the link in a column. */
struct march_crossing {
    uint32_t col, line;
};

/* A place of a line whose node the lines visit more than twice. */
struct march_crowd {
    uint32_t at, line;
};

/* The crossings of one side, from west to east. */
struct march_border {
    struct march_crossing *out, *in;
    uint32_t outs, ins;
};

/* The order among all ranks' events of each event in a thread's lists. */
struct order_list {
    struct event_order *order[EVENT_GROUPS];
    size_t count[EVENT_GROUPS], room[EVENT_GROUPS];
};

enum {
    MARCH_ARRAYS = 7, /* arrays of a line with a number per slot */
    MARCH_MOST_CROWDS = 16,
    MARCH_STEPS = 64, /* the most steps that a thread takes one line through before the next */
};

struct march_call {
    struct machine *machine;
    const struct march *march;
    bool is_split;           /* among several ranks */
    bool is_told;            /* an observer is told each step's events */
    bool is_free;            /* copies take no step, or there are none */
    struct march_line *line; /* [lines] */
    uint32_t lines;
    size_t places; /* of all lines */
    struct march_border border[RANK_SIDES];
    struct order_list *orders; /* [thread]; NULL unless observed on several ranks */
    uint32_t *memory;          /* the lines' arrays */
    uint8_t *visits;           /* [node]: places of lines */
    uint8_t *held;             /* [node]: packets of the march, while they are counted; else 0 */
    struct wave_tallies counts;
    struct march_crowd crowd[MARCH_MOST_CROWDS];
    uint32_t crowds;
    uint32_t most;          /* the largest march_line.most */
    uint32_t steps_at_once; /* of this wave */
    uint64_t step;          /* steps done */
    uint64_t last;          /* the step after which the march ends at the latest */
    bool done;
    enum failure_kind kind;
    struct failure *failure;
};

/* The kinds of events of a line in a step, in the order in which an observer is told. */
enum march_event { EVENT_SPLIT, EVENT_BEGIN, EVENT_CROSS, EVENT_SETTLE, EVENT_MEASURE };

/* A thread's work on a line in a step. */
struct march_worker {
    struct march_call *call;
    struct march_line *line;
    struct tally *tally;
    struct order_list *orders; /* of the thread, or NULL */
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

/* Returns the node at which a slot is now. */
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

/* Finds the lines and allocates what a march needs. Returns false if there is no memory; march_release() in any case. */
bool march_prepare(struct march_call *call);
void march_release(struct march_call *call);

/* Finds the places of a thread's lines and puts the packets that rest there into slots. march_unload() brings the packets
 * that are left in the worker's line to rest. */
void march_load_lines(struct march_worker *worker, struct march_line *first,
                      struct march_line *end);
void march_unload(struct march_worker *worker);

/* Finds the links by which lines come from other ranks and go there; all places must be known. Returns false if there is no
 * memory. */
bool march_find_crossings(struct march_call *call);
/* Exchanges the packets that cross to other ranks in this step. For one thread, while the others wait. */
void march_cross_border(struct march_call *call);

/* Orders the events since the last call, all of one slot, among those of all ranks. */
void march_note_order(const struct march_worker *worker, enum march_event event, uint32_t slot);
/* Gives rank 0 the events of all ranks in the order of a run without ranks. */
void march_sort_events(struct march_call *call);

#endif
