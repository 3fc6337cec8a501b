/* migrate_scene.h - a migration under test: demands, the run's machine, and the oracle.
 *
 * The oracle counts ranks by brute force and shares no code with primitives/migrate*.c.
 */
#ifndef MESHCAST_TEST_PRIMITIVES_MIGRATE_SCENE_H
#define MESHCAST_TEST_PRIMITIVES_MIGRATE_SCENE_H

#include "base/pcg.h"
#include "primitives/migrate.h"
#include "test/machine/machine_run.h"

enum { MOST_NODES = 1600, MOST_DEGREE = 64, MOST_BLOCKS = 256 };

/* Mesh, regions, and blocks in all regions together. */
struct shape {
    uint32_t rows, cols, regions, blocks;
};

struct scene {
    struct machine_run run;
    struct shape shape;
    struct tessellation regions, blocks;
    struct migration_plan plan;
    uint32_t nodes, slots;
    uint32_t first[MOST_NODES], count[MOST_NODES]; /* slots of each node's packet as injected */
    node_place destination[MOST_NODES * MOST_DEGREE];
    bool wants[MOST_NODES][MOST_BLOCKS]; /* whether a node's packet has destinations in a block */
    /* Where packets visit regions that stand side by side. */
    uint32_t visit, most_col; /* only columns below most_col of a region have packets; 0: all */
    uint32_t home[MOST_NODES * MOST_DEGREE]; /* [slot]: the region where its packet began */
};

/* Destinations of the packet at `site`: fills place[] and returns how many, 0: no packet. */
typedef uint32_t (*demand)(const struct scene *scene, struct pcg32 *random, struct site site,
                           node_place *place);

uint32_t demand_anywhere(const struct scene *, struct pcg32 *, struct site, node_place *);
uint32_t demand_few(const struct scene *, struct pcg32 *, struct site, node_place *);
uint32_t demand_everywhere(const struct scene *, struct pcg32 *, struct site, node_place *);
uint32_t demand_corner(const struct scene *, struct pcg32 *, struct site, node_place *);
uint32_t demand_last_row(const struct scene *, struct pcg32 *, struct site, node_place *);
uint32_t demand_shares(const struct scene *, struct pcg32 *, struct site, node_place *);

/* A machine with a trace, and the tessellations; of `plan` instances and method are read. */
struct scene *scene_make(struct shape shape, struct migration_plan plan, bool copy_is_free,
                         uint32_t buffer);
void scene_free(struct scene *scene);

/* Injects a packet at every node that has a demand, but not at `without`. */
void scene_fill(struct scene *scene, demand demands, uint64_t seed, node_index without);

/* After all instances: every block has the copies that it must, at their nodes, each with exactly
 * its packet's destinations there, and what stays is selected for no block. */
void scene_check(const struct scene *scene);

/* After the instances of scene->visit: the copies of that visit, of packets whose home is so many regions
 * before, are at their nodes; and packets keep what is selected at later visits, and what is at none. */
void scene_check_visit(const struct scene *scene);

#endif
