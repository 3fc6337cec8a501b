/* stream_walk.h - the walk of router `stream`: all packets past all tiles, and the trees after
 * them. */
#ifndef MESHCAST_ROUTERS_STREAM_WALK_H
#define MESHCAST_ROUTERS_STREAM_WALK_H

#include "machine/channel.h"
#include "primitives/mesh_permutation.h"
#include "primitives/public_traffic.h"
#include "primitives/tessellation.h"
#include "primitives/tile_cycle.h"
#include "routers/choices.h"

/* Returns the grid of tiles for congestion c, at least min(c, n / 4) of them if possible: the one
 * with the shortest walk. It has a cycle (tile_cycle.h). */
struct mesh stream_grid(struct mesh mesh, uint32_t congestion);

/* Returns the legs of the walk past the tiles of that grid; *steps becomes the length of the walk
 * with free copies, on a line of unequal tiles a step less per leg. */
uint32_t stream_grid_walk(struct mesh mesh, uint32_t congestion, uint64_t *steps);

/* Returns the steps of a leg, from one tile to the next: the stride, and the addition of second
 * seats. */
uint32_t stream_leg(const struct tile_cycle *cycle);

/* Returns the most masters of a node, at rest and under way, at the end of any step: 1, 2, 4 or
 * 6. */
uint32_t stream_masters(const struct tile_cycle *cycle);

/* The stage, which every node knows by the clock. */
enum stream_stage {
    STREAM_HAND,  /* unit copies: masters at home hand copies over */
    STREAM_WALK,  /* a leg; with free copies masters hand copies over as they leave */
    STREAM_DRAIN, /* the walk is over */
};

/* The caller fills the first group, the functions below the rest. */
struct stream_walk {
    uint32_t channels, slots; /* as in struct channel_rule */
    bool copy_is_free;
    uint32_t degree;         /* d */
    struct machine *machine; /* and headers: once there is one */
    struct headers *header;

    struct mesh mesh;
    struct tessellation tiles;
    struct tile_cycle cycle;
    struct mesh_permutation permutation;
    struct traffic_bounds scatter; /* of Step 1, for any packets */
    enum stream_stage stage;
};

/* Make tiles for congestion c, and then seats by the permutation of `seed`, with the bounds of Step
 * 1. FAIL_SYSTEM: no memory. stream_walk_free frees them, complete or not. */
enum failure_kind stream_tiles_make(struct stream_walk *stream, struct mesh mesh,
                                    uint32_t congestion, struct failure *failure);
enum failure_kind stream_permute(struct stream_walk *stream, uint64_t seed,
                                 struct failure *failure);
void stream_walk_free(struct stream_walk *stream);

/* Fills the choices of a walk with these channels: seats by the permutation of `seed`. */
enum failure_kind stream_walk_choose(struct mesh mesh, uint32_t congestion, uint64_t seed,
                                     uint32_t channels, struct router_choices *choices,
                                     struct failure *failure);

/* Returns the most packets of a node during the walk, with these slots. Step 1 has a bound of its
 * own. */
uint32_t stream_capacity(const struct stream_walk *stream);

/* Does Step 1, in a phase `name` of stream->scatter.steps steps: brings the resting packets, at
 * most one per node, to their seats as masters. */
enum failure_kind stream_scatter(struct stream_walk *stream, const char *name,
                                 struct failure *failure);

/* Walks past all tiles, in the phase that was begun: stream_legs_steps steps. */
enum failure_kind stream_legs(struct stream_walk *stream, struct failure *failure);
uint64_t stream_legs_steps(const struct stream_walk *stream);

/* Lets masters hand over their rest, after the walk, and trees drain, for `steps` steps, or fewer
 * if everything is delivered before. */
enum failure_kind stream_drain(struct stream_walk *stream, uint64_t steps, struct failure *failure);

#endif
