/* sort.h - sorting packets in all tiles of a tessellation at once, by compare-exchange. */
#ifndef MESHCAST_PRIMITIVES_SORT_H
#define MESHCAST_PRIMITIVES_SORT_H

#include "machine/plane.h"
#include "primitives/tessellation.h"

struct sort_plan {
    const struct tessellation *tiles;
    /* Returns the key of a packet, from its header; NULL: header.target. Equal keys are in the
     * order of the packets' names, nodes without a packet after all others. */
    uint32_t (*key)(void *context, uint32_t packet);
    void *context;
    bool column_major; /* rows and columns change places, in the order and in the method */
};

/* Sorts the resting packets of each tile along its snake (its first row from west to east, the
 * second back, ..), at most one per node before and after, two per node meanwhile. Steps:
 * sort_steps(plan), for all keys and packets: at most 5 m + 5 log2 m for squares, and 5 m from m =
 * 100 on. FAIL_CHECK: a buffer overflowed (a capacity of 1). FAIL_SYSTEM: no memory. */
enum failure_kind sort_tiles(struct machine *machine, const struct sort_plan *plan,
                             struct failure *failure);

/* Sets *steps to those of sort_tiles as each node computes them from the sizes of the tiles.
 * FAIL_SYSTEM: no memory. */
enum failure_kind sort_steps(const struct sort_plan *plan, uint64_t *steps,
                             struct failure *failure);

/* A sort is a list of instructions for the machine, which follows from the sizes of the tiles. */
enum sort_instruction {
    SORT_PAIR,
    SORT_UNPAIR,
    SORT_COMPARE,
    SORT_PERMUTE,
    SORT_COMPARE_SNAKES,
};
struct sort_act {
    enum sort_instruction instruction;
    uint64_t steps;
    union {
        struct lines lines; /* of SORT_PAIR and SORT_UNPAIR */
        struct compare compare;
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
