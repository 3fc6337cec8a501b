/* plane_private.h - the open plane, as the instructions on planes share it. */
#ifndef MESHCAST_MACHINE_PLANE_PRIVATE_H
#define MESHCAST_MACHINE_PLANE_PRIVATE_H

#include "machine/machine_private.h"
#include "machine/plane.h"

#include <assert.h>

#define PLANE_EMPTY UINT64_MAX /* the word of a node without a packet */

/* The most packets that a node can hold: one a cell and stream. */
enum { PLANE_PAIR = 2, PLANE_STREAMS = 2 };

/* Where cells live while lines are paired. A cell has the index of the node at which it lives
 * while none are. Arrays of [length of a line]. */
struct pairing {
    bool is_on, are_columns; /* lines are paired; which */
    uint32_t *place;         /* of a cell: the position of its node on the line */
    uint8_t *side;           /* 1: the second cell of its node */
    uint32_t *order;         /* the positions of all first cells, then of all second ones */
    uint32_t firsts;
};

struct plane {
    uint64_t *word;     /* of each cell: key << 32 | packet */
    uint64_t *backward; /* of each cell: what walks backward in a rotation; else PLANE_EMPTY */
    struct pairing pairing;
    uint64_t packets;
    bool is_open;
    void **scratch; /* [config.threads]: each thread's own lines, made when first needed */
};

/* The geometry of lines on the machine's mesh. */
struct line_shape {
    uint32_t count, length; /* lines, nodes of a line */
    uint32_t along, across; /* from a node to the next of its line, and of the next line */
};

static inline struct line_shape line_shape(const struct machine *machine, const struct lines *lines)
{
    struct mesh mesh = machine->config.mesh;
    if (lines->are_columns)
        return (struct line_shape){mesh.cols, mesh.rows, mesh.cols, 1};
    return (struct line_shape){mesh.rows, mesh.cols, 1, mesh.cols};
}

/* The node at which a cell lives. */
static inline node_index plane_node(const struct machine *machine, uint32_t cell)
{
    const struct pairing *pairing = &machine->plane->pairing;
    if (!pairing->is_on)
        return cell;
    uint32_t cols = machine->config.mesh.cols, row = cell / cols, col = cell % cols;
    return pairing->are_columns ? pairing->place[row] * cols + col
                                : row * cols + pairing->place[col];
}

/* Moves the packet of cell `from` in `word` or `backward`, if it has one, to cell `to`, which must
 * be empty: over the link between their nodes, or within their node. */
static inline void plane_hop(struct machine *machine, struct band *band, uint64_t *stream,
                             uint32_t from, uint32_t to)
{
    uint64_t word = stream[from];
    if (word == PLANE_EMPTY)
        return;
    assert(stream[to] == PLANE_EMPTY);
    stream[to] = word;
    stream[from] = PLANE_EMPTY;
    node_index here = plane_node(machine, from), there = plane_node(machine, to);
    if (here == there)
        return;
    band->packet_hops++;
    band_event(machine, band, DEPARTURES,
               (struct machine_event){{(uint32_t)word, here, there}, 'M'});
}

/* An observed run: what crosses a link, the packet of `word` or, if that is empty, a word of control.
 * Counts are the caller's. */
static inline void plane_tell(struct machine *machine, uint64_t word, node_index from,
                              node_index to)
{
    struct machine_event event = {{(uint32_t)word, from, to}, 'M'};
    if (word == PLANE_EMPTY)
        event = (struct machine_event){{from, to, 0}, 'X'};
    band_event(machine, &machine->band[0], DEPARTURES, event);
}

/* Whether these lines are paired. */
static inline bool plane_is_along(const struct machine *machine, const struct lines *lines)
{
    const struct pairing *pairing = &machine->plane->pairing;
    return pairing->is_on && pairing->are_columns == lines->are_columns;
}

/* The parity of the distance from the segment's start at which the first round compares. */
static inline uint32_t plane_parity(const struct machine *machine, const struct compare *compare,
                                    uint32_t line, uint32_t segment)
{
    const struct pairing *pairing = &machine->plane->pairing;
    uint32_t odd = compare->odd != NULL ? compare->odd[segment] : 0;
    uint32_t start = compare->lines.cut[segment];
    if (!pairing->is_on || start == compare->lines.cut[segment + 1])
        return odd;
    return odd ^ pairing->side[plane_is_along(machine, &compare->lines) ? start : line];
}

/* Rounds of a comparison. Along paired lines those with odd numbers take a step each. */
static inline uint32_t plane_rounds(const struct machine *machine, const struct compare *compare)
{
    return plane_is_along(machine, &compare->lines) ? 2 * compare->steps + 1 : compare->steps;
}

/* Whether the instruction must run step by step over the whole mesh: when it is watched, or where a node
 * may come to hold `most` packets beside those set aside, which would be a new peak. */
static inline bool plane_needs_steps(const struct machine *machine, uint32_t most)
{
    return machine_is_observed(machine) || machine->attempt.peak < most + machine->aside.most;
}

/* The threads, if they are worth waking for so many steps; the result does not depend on it. */
static inline struct crew *plane_crew(const struct machine *machine, uint32_t steps)
{
    enum { WORTH = 1 << 14 }; /* node-steps: some microseconds */
    bool is_worth = (uint64_t)machine->nodes * steps >= WORTH;
    return is_worth ? machine->config.crew : NULL;
}

/* The lines that a thread moves through all steps of an instruction together. */
enum { PLANE_LANES = 16, PLANE_MARGIN = 12 };

/* Room for PLANE_LANES lines of the mesh, with PLANE_MARGIN positions before and behind, twice, for
 * each thread. FAIL_SYSTEM: no memory. */
enum failure_kind plane_prepare_scratch(struct machine *machine, struct failure *failure);

/* Columns that are copied out of a plane and back together: a cache line of a row. */
enum { PLANE_COLUMNS = 8 };
struct plane_columns {
    uint32_t first, count, length; /* count <= PLANE_COLUMNS, of `length` words */
    uint32_t along;                /* from a word of a column to the next one */
};

/* Words from a column to the next in a buffer: whole cache lines, and no power of two of them, so that
 * columns do not drive each other out of the cache. Two planes' columns leave room for two lines in a
 * thread's scratch. */
static inline size_t plane_column_stride(const struct plane_columns *columns)
{
    enum { LINE = 8 };
    return (columns->length + LINE - 1) / LINE * LINE + LINE;
}

void plane_gather(const struct plane_columns *columns, const uint64_t *plane, uint64_t *buffer);
void plane_scatter(const struct plane_columns *columns, const uint64_t *buffer, uint64_t *plane);

/* At the end of a step after which no node holds more than `most` packets of the plane: the fullest
 * buffer goes to the first band if it may be a new peak. */
void plane_look_for_peak(struct machine *machine, uint32_t most);

void pairing_free(struct pairing *pairing);

/* An instruction without a trace, line by line, by all threads: no step of it may make a new peak.
 * They count hops in the bands; the clock stays. Of a rotation's `steps` those from `done` on, which
 * are not none: before the first all words are in `word`, later in both streams. */
void compare_by_lines(struct machine *machine, const struct compare *compare);
void rotate_by_lines(struct machine *machine, const struct rotate *rotate, uint32_t done,
                     uint32_t steps);

/* The same for the walk of paired lines, in or back: steps first .. steps of it, from 1. */
void walk_by_lines(struct machine *machine, uint32_t first, uint32_t steps, bool is_inward);

#endif
