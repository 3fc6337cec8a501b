/* march_private.h - a call of machine_march, shared by march.c (steps) and march_lines.c (which lines there are, and what
 * crosses to other ranks). For machine/ only. */
#ifndef MESHCAST_MACHINE_CYCLE_MARCH_PRIVATE_H
#define MESHCAST_MACHINE_CYCLE_MARCH_PRIVATE_H

#include "machine/cycle.h"
#include "machine/cycle/due.h"
#include "machine/event_order.h"

/* A cycle; on ranks one of its parts, of which the first place is another rank's if it is open. */
struct march_line {
    struct due due;
    node_place *place; /* its nodes, one after another */
    uint32_t *packet;  /* [slot] */
    uint32_t packets;  /* how many slots are taken */
    uint32_t most;     /* packets at one of its nodes that do not march */
    bool is_open;
    uint32_t cycle, first; /* which cycle, and which of its places the first one is */
    uint32_t length;       /* of the cycle */
};

/* A line that packets leave to another rank, or enter from there, by the link in a column. */
struct march_crossing {
    uint32_t col, line;
};

/* The crossings of one side, from west to east. */
struct march_border {
    struct march_crossing *out, *in;
    uint32_t outs, ins;
};

/* The work of all lines between two barriers. MARCH_BEGIN: a step, for packets that are due where the march begins.
 * MARCH_HOP and MARCH_COPY: the first step of a hop, and with unit copies the second one. */
enum march_stage { MARCH_BEGIN, MARCH_HOP, MARCH_COPY };

struct march_call {
    struct machine *machine;
    const struct march *march;
    bool is_split;           /* among ranks */
    struct march_line *line; /* [lines] */
    uint32_t lines;
    size_t places, groups; /* of all lines: places, and groups of due_groups() */
    struct march_border border[RANK_SIDES];
    struct order_list *orders; /* [thread]; only on ranks that are observed */
    node_place *place;         /* of all lines; the same of `packet`, `due` and `first_due` */
    uint32_t *packet, *due, *first_due;
    uint8_t *is_on; /* [node]: a cycle's */
    enum march_stage stage;
    uint32_t hop;  /* this one, or the last one that was done */
    uint64_t left; /* steps until the march ends, or must */
    bool done;
    enum failure_kind kind;
    struct failure *failure;
};

/* Where a thread's events come among those of all ranks, for each event of its lists. */
struct order_list {
    struct event_order *order[EVENT_GROUPS];
    size_t count[EVENT_GROUPS], room[EVENT_GROUPS];
};

/* Finds the lines, with the first place of each, and makes what a march needs. False: no memory; march_release() frees
 * what was made. */
bool march_prepare(struct march_call *call);
void march_release(struct march_call *call);

/* Finds where packets come from other ranks and go there, when all places are known. False: no memory. */
bool march_find_crossings(struct march_call *call);
/* Hands over what leaves the rank in this hop, and takes in what comes. For one thread, while the others wait. */
void march_cross_border(struct march_call *call);

#endif
