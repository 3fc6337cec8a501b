/* legs_model.h - two legs in plain lists: along rows, and when all have turned along columns. An oracle for
 * primitives/unicast_legs.c and for what primitives/unicast_blocks.c makes of it.
 */
#ifndef MESHCAST_TEST_PRIMITIVES_LEGS_MODEL_H
#define MESHCAST_TEST_PRIMITIVES_LEGS_MODEL_H

#include "machine/mesh.h"

#include <stdint.h>

struct legs_packet {
    uint32_t row, col, to_row, to_col;
};

/* What a run of it shows. */
struct legs_seen {
    uint32_t peak;            /* packets at a node at the end of a step, the start included */
    uint32_t starting;        /* at a node */
    uint32_t turning, ending; /* of one row for one column; for one node */
    uint64_t row_steps, col_steps, hops;
};

/* Runs `packet` to its targets. */
struct legs_seen legs_model_run(struct mesh mesh, struct legs_packet *packet, uint32_t packets);

/* The packets target[v] of nodes v, MESH_NO_NODE for none, after blocks.rows x blocks.cols blocks of the
 * whole mesh were sorted, in `packet`, which has room for all. Returns how many there are. */
uint32_t legs_model_place(struct mesh mesh, struct mesh blocks, const node_index *target,
                          struct legs_packet *packet);

/* The most packets of a row for one column, where `blocks` blocks of `height` rows share `packets` for it
 * and each has its own as evenly in its rows as can be: the worst of all ways to share. Up to 1023. */
uint32_t legs_worst_turning(uint32_t blocks, uint32_t height, uint32_t packets);

#endif
