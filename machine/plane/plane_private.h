/* plane_private.h - the open plane, which the instructions on planes share. */
#ifndef MESHCAST_MACHINE_PLANE_PLANE_PRIVATE_H
#define MESHCAST_MACHINE_PLANE_PLANE_PRIVATE_H

#include "machine/machine_private.h"
#include "machine/plane.h"

#include <assert.h>

#define PLANE_EMPTY UINT64_MAX /* the word of a node without a packet */

/* The most packets of a plane at a node. */
enum { PLANE_PAIR = 2 };

/* The nodes of cells while lines are paired. The index of a cell is that of its node while none
 * are. Arrays of [length of a line]. */
struct pairing {
    bool is_on;         /* lines are paired */
    struct lines lines; /* a copy */
    uint32_t *cut;      /* of these lines */
    uint32_t *target;   /* [cell]: position on the line of the node to which its packet walks */
    uint32_t *place;    /* [cell]: position of its packet's present node */
    uint8_t *side;      /* 1: the second cell of its node */
    uint32_t *order;    /* positions of all first cells, then of all second ones */
    uint32_t firsts;
    uint32_t steps; /* of the walk */
};

struct plane {
    uint64_t *word; /* [cell]: key << 32 | name */
    /* Observed: a copy from before the step, and the words after it; NULL: not reported. */
    uint64_t *before, *after;
    struct pairing pairing;
    uint64_t packets; /* of all ranks */
    void **scratch;   /* [config.threads]: each thread's own lines, made when first needed */
    /* On several ranks (machine/ranks/plane_part.c): */
    /* [ranks + 1]: the first row of each, and the number of rows; NULL without ranks */
    uint32_t *band;
    uint32_t *opened; /* [own_packets]: the packets that this rank put into the plane */
    uint32_t own_packets;
};

/* The geometry of lines on the machine's mesh. */
struct line_shape {
    uint32_t count, length; /* lines, nodes of a line */
    uint32_t along, across; /* from a node to the next of its line, and of the next line */
};

static inline struct line_shape line_shape(const struct machine *machine, bool are_columns)
{
    struct mesh mesh = machine->config.mesh;
    if (are_columns)
        return (struct line_shape){mesh.cols, mesh.rows, mesh.cols, 1};
    return (struct line_shape){mesh.rows, mesh.cols, 1, mesh.cols};
}

/* True if these lines are the paired ones, and not those across them. */
static inline bool plane_is_along(const struct machine *machine, const struct lines *lines)
{
    return machine->plane->pairing.lines.are_columns == lines->are_columns;
}

/* Returns the node of a cell. */
static inline node_index plane_node_of_cell(const struct machine *machine, uint32_t cell)
{
    const struct pairing *pairing = &machine->plane->pairing;
    if (!pairing->is_on)
        return cell;
    uint32_t cols = machine->config.mesh.cols, row = cell / cols, col = cell % cols;
    return pairing->lines.are_columns ? pairing->place[row] * cols + col
                                      : row * cols + pairing->place[col];
}

/* ---- parts of a plane (machine/ranks/plane_part.c) ---- */

/* Allocates what only several ranks need. False: no memory. */
bool plane_make_parts(struct machine *machine);

/* The work of a rank: on lines first_line .. end_line - 1 the segments between two positions.
 * Without ranks it is everything. */
struct plane_part {
    uint64_t *word; /* at position `start` of line `first_line` */
    uint32_t first_line, end_line;
    /* Hops of lines own_line .. end_own - 1 count. The others, beside them, are recomputed. */
    uint32_t own_line, end_own;
    uint32_t start, end;
    size_t along, across;
};

static inline size_t part_offset(const struct plane_part *part, uint32_t line, uint32_t at)
{
    return (line - part->first_line) * part->across + (at - part->start) * part->along;
}

/* Calls `act` for all parts of the plane, cut as `lines` are, that this rank works on. On several
 * ranks, columns whose segments cross borders are shared out among all ranks, and go back to where
 * they came from. `beside`: number of lines of other ranks on both sides that a part also has, as
 * they are; changes to them are discarded. */
void plane_each_part(struct machine *machine, const struct lines *lines, uint32_t beside,
                     void (*act)(void *work, const struct plane_part *part), void *work);

/* Copies words of all rows to rank 0: to[] gets from[] of all ranks there. */
void plane_collect(struct machine *machine, const uint64_t *from, uint64_t *to);

/* Cells of paired columns may be at nodes of other ranks. Between these calls the rank counts, in
 * machine->occupancy, the packets of its own cells at all nodes where they are; then each node's
 * rank has the sum, with what it had before. */
void plane_begin_crossing(struct machine *machine);
void plane_end_crossing(struct machine *machine);

/* ---- packets that follow their words (machine/ranks/directory.c) ---- */

/* Empties the plane: each packet goes from where it is stored to the rank of the node where its
 * word is, and comes to rest there. */
void plane_put_down(struct machine *machine);

/* An instruction on planes as a sequence of rounds. A step is a round in which packets and words
 * cross links. With `has_silent_rounds` there is another round before each step and after the last
 * one, in which the two cells of a node are compared by computing: round 0 is silent, 1 a step, 2
 * silent, .. */
struct plane_program {
    void *work;
    uint32_t steps;
    uint32_t most; /* packets of the plane that a node may come to hold; 0: no new peak */
    bool has_silent_rounds;
    /* Does rounds first .. first + rounds - 1 of all lines, by all threads; counts hops in the
     * tallies. */
    void (*run)(void *work, uint32_t first, uint32_t rounds);
    /* Reports to an observer everything that crossed links in the last step. plane->before and
     * plane->after have the words before and after it, of all ranks. */
    void (*tell)(void *work);
};

/* Does all rounds: one step after another in an observed run, or while a node may come to hold more
 * packets than any did before; else all remaining ones at once. FAIL_CHECK: a buffer overflowed.
 * FAIL_SYSTEM: no memory. */
enum failure_kind plane_run(struct machine *machine, const struct plane_program *program,
                            struct failure *failure);

/* Reports, for `tell`, that the packet of `word` crosses a link or, if `word` is empty, that a
 * control word does. */
void plane_tell(struct machine *machine, uint64_t word, node_index from, node_index to);
/* Reports that cells a and b, which a link joins, have been compared: two packets or words have
 * crossed it. */
void plane_tell_pair(struct machine *machine, uint32_t a, uint32_t b);

/* Returns how many threads do so many steps: one if more are not worth waking. The result does not
 * depend on it. */
static inline uint32_t plane_threads(const struct machine *machine, uint32_t steps)
{
    enum { WORTH = 1 << 14 }; /* node-steps: some microseconds */
    bool is_worth = (uint64_t)machine->nodes * steps >= WORTH;
    return is_worth ? machine->config.threads : 1;
}

/* The lines that a thread moves through all steps of an instruction together. */
enum { PLANE_LANES = 16, PLANE_MARGIN = 12 };

/* Allocates for each thread twice the memory of PLANE_LANES lines of the mesh with PLANE_MARGIN
 * positions before and after them. FAIL_SYSTEM: no memory. */
enum failure_kind plane_prepare_scratch(struct machine *machine, struct failure *failure);

#endif
