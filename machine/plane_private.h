/* plane_private.h - the open plane, as machine_compare and machine_rotate share it. */
#ifndef MESHCAST_MACHINE_PLANE_PRIVATE_H
#define MESHCAST_MACHINE_PLANE_PRIVATE_H

#include "machine/machine_private.h"

#define PLANE_EMPTY UINT64_MAX /* the word of a node without a packet */

struct plane {
    uint64_t *word;     /* of each node: key << 32 | packet */
    uint64_t *backward; /* of each node: what walks backward in a rotation; else PLANE_EMPTY */
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

/* Whether the instruction must run step by step over the whole mesh: for a trace. */
static inline bool plane_is_traced(const struct machine *machine)
{
    return machine->config.trace != NULL;
}

/* How many threads are worth waking for so many steps; the result does not depend on it. */
static inline uint32_t plane_threads(const struct machine *machine, uint32_t steps)
{
    enum { WORTH = 1 << 14 }; /* node-steps: some microseconds */
    bool is_worth = (uint64_t)machine->nodes * steps >= WORTH;
    return is_worth ? machine->config.threads : 1;
}

/* The lines that a thread moves through all steps of an instruction together. */
enum { PLANE_LANES = 16, PLANE_MARGIN = 12 };

/* Room for PLANE_LANES lines of the mesh, with PLANE_MARGIN positions before and behind, twice, for
 * each thread. FAIL_SYSTEM: no memory. */
enum failure_kind plane_prepare_scratch(struct machine *machine, struct failure *failure);

/* An instruction without a trace, line by line, by all threads: no step of it may make a new peak.
 * They count hops in the bands; the clock stays. */
void compare_by_lines(struct machine *machine, const struct compare *compare);
void rotate_by_lines(struct machine *machine, const struct rotate *rotate, uint32_t steps);

#endif
