/* sort.h - sorting packets in all tiles of a tessellation at once, by compare-exchange. */
#ifndef MESHCAST_PRIMITIVES_SORT_H
#define MESHCAST_PRIMITIVES_SORT_H

#include "machine/plane.h"
#include "primitives/tessellation.h"

enum sort_order {
    SORT_SNAKE, /* along the tile's snake: its first row from west to east, the second back, .. */
    SORT_ROUGH, /* by rows but for one: whatever the threshold, in at most one row of a tile stand
                 * keys on both sides of it; the order within rows is free */
};

enum sort_method {
    SORT_DEAL,      /* merges of many blocks, two packets per node in half of the nodes */
    SORT_PAIRS,     /* 4-way merges with two packets per node, in half of the nodes */
    SORT_MERGE,     /* 4-way merges with one packet per node, in all nodes: more steps */
    SORT_SHEARSORT, /* rows and columns in turn: the weaker classic */
    SORT_METHODS,
};

struct sort_plan {
    const struct tessellation *tiles;
    /* What a packet is sorted by, read from its header; NULL: header.target. Equal keys stand in
     * the order of the packets' names, nodes without a packet behind all others. */
    uint32_t (*key)(void *context, uint32_t packet);
    void *context;
    enum sort_order order;
    bool column_major; /* rows and columns change places, in the order and in the method */
    enum sort_method method;
};

/* Sorts the resting packets of each tile, at most one a node before and after. Two packets per node
 * at most; SORT_SHEARSORT one; SORT_PAIRS four, or two where all tiles have the same width, a power of
 * two (the same height, if column_major). Steps: sort_steps(plan), whatever the keys and the packets.
 * SORT_DEAL takes at most 5 m + 5 log2 m for squares, and 5 m from m = 100 on. FAIL_CHECK: a buffer
 * overflowed (a capacity below these). FAIL_SYSTEM: no memory. */
enum failure_kind sort_tiles(struct machine *machine, const struct sort_plan *plan,
                             struct failure *failure);

/* The steps of sort_tiles as each node computes them from the sizes of the tiles. FAIL_SYSTEM: no
 * memory. */
enum failure_kind sort_steps(const struct sort_plan *plan, uint64_t *steps,
                             struct failure *failure);

/* A sort is a list of instructions for the machine, which the sizes of the tiles give. */
enum sort_instruction {
    SORT_PAIR,
    SORT_UNPAIR,
    SORT_COMPARE,
    SORT_ROTATE,
    SORT_PERMUTE,
    SORT_COMPARE_SNAKES,
};
struct sort_act {
    enum sort_instruction instruction;
    uint64_t steps;
    union {
        struct lines lines; /* of SORT_PAIR and SORT_UNPAIR */
        struct compare compare;
        struct rotate rotate;
        struct permute permute;
        struct snakes snakes;
    };
};
typedef enum failure_kind sort_actor(void *context, const struct sort_act *act,
                                     struct failure *failure);

/* Calls `actor` for each of the plan's instructions, up to one that fails. Also FAIL_SYSTEM: no
 * memory. */
enum failure_kind sort_instruct(const struct sort_plan *plan, sort_actor *actor, void *context,
                                struct failure *failure);

#endif
