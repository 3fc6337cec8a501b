/* kernel_row.h - a row of the table of kernels, and the functions that the rows share. */
#ifndef MESHCAST_PRIMITIVES_KERNEL_ROW_H
#define MESHCAST_PRIMITIVES_KERNEL_ROW_H

#include "primitives/kernel.h"
#include "primitives/tessellation.h"

enum { KERNEL_ARRAYS = 8 };

/* One run, as a kernel's row sees it. The frame frees its contents. */
struct kernel_case {
    const struct kernel *kernel;
    const struct kernel_options *options; /* checked; the pattern is never NULL */
    struct tessellation tiles;
    uint32_t nodes;
    struct row_range rows;      /* of this rank; without ranks all */
    uint32_t slots;             /* on ranks: slots of the rank's packets so far */
    uint32_t method;            /* index into the row's list of methods; `prepare` may change it */
    uint64_t items;             /* kernel_inject counts them; a row without packets sets it */
    uint32_t *injected;         /* [node]: packets that start there */
    struct machine *machine;    /* made by kernel_machine */
    uint32_t threads_refused;   /* set by kernel_machine */
    void *own;                  /* row->own_bytes, zeroed: the row's input, kept for the check */
    struct tessellation blocks; /* of a row that cuts tiles further */
    void *array[KERNEL_ARRAYS]; /* of kernel_allocate() */
    uint32_t arrays;
    bool lacks_memory; /* for one of them */
};

/* A row: functions in the order in which they are called. */
struct kernel_row {
    struct kernel shown;
    size_t own_bytes;
    /* Makes the machine (kernel_machine) and the input in it; nothing moves. */
    enum failure_kind (*prepare)(struct kernel_case *run, struct failure *failure);
    /* Runs the kernel: this part is timed. */
    enum failure_kind (*run)(struct kernel_case *run, struct failure *failure);
    /* Compares the result with a plain computation by another method. FAIL_CHECK names the first
     * node that is wrong. */
    enum failure_kind (*check)(struct kernel_case *run, struct failure *failure);
};

extern const struct kernel_row kernel_sort_row, kernel_prefix_row, kernel_broadcast_row;
extern const struct kernel_row kernel_route_row, kernel_migrate_row;

/* Return the row of a kernel of the table; and run any row as kernel_run, for tests that spoil rows
 * to see that the check notices. */
const struct kernel_row *kernel_row_of(const struct kernel *kernel);
enum failure_kind kernel_run_row(const struct kernel_row *row, const struct kernel_options *options,
                                 struct kernel_result *result, struct failure *failure);

/* Returns the size of a largest tile. */
struct mesh kernel_largest_tile(const struct kernel_case *run);

/* Return this rank's nodes, if it has a node, and the number of its nodes. */
static inline struct node_range kernel_nodes(const struct kernel_case *run)
{
    uint32_t cols = run->options->mesh.cols;
    return (struct node_range){run->rows.first * cols, run->rows.end * cols};
}

static inline bool kernel_has(const struct kernel_case *run, node_index node)
{
    struct node_range nodes = kernel_nodes(run);
    return node >= nodes.first && node < nodes.end;
}

uint32_t kernel_own_nodes(const struct kernel_case *run);

/* Allocates `count` zeroed elements for the run. NULL: no memory, and run->lacks_memory is set. */
void *kernel_allocate(struct kernel_case *run, size_t count, size_t size);

/* Makes run->machine with room for `slots` destination slots (fewer than 2^32 - 1), from the
 * options; on ranks `slots` is for all, of which `own` are for packets that start at this rank's
 * nodes. The frame frees it. FAIL_SYSTEM: no memory. */
enum failure_kind kernel_machine(struct kernel_case *run, uint32_t slots, uint32_t own,
                                 struct failure *failure);

/* A tile, while it is visited. */
struct kernel_tile {
    struct interval rows, cols;
    uint32_t width, nodes;
    uint32_t before; /* nodes of the tiles visited before it */
    /* [nodes] the input, in row-major order: the target of each node, which is a node of the same
     * tile, or MESH_NO_NODE if it sends nothing. */
    node_index *target;
};

/* Returns the node of the mesh that is node i of the tile. */
static inline node_index kernel_tile_node(const struct kernel_case *run,
                                          const struct kernel_tile *tile, uint32_t i)
{
    return (tile->rows.start + i / tile->width) * run->options->mesh.cols + tile->cols.start +
           i % tile->width;
}

/* Returns the node of the mesh with number `number` along the tile's snake. */
node_index kernel_snake_node(const struct kernel_case *run, const struct kernel_tile *tile,
                             uint32_t number);

/* Calls `act` for every tile, without targets, until it fails. */
enum failure_kind kernel_for_tiles(struct kernel_case *run,
                                   enum failure_kind (*act)(struct kernel_case *run,
                                                            const struct kernel_tile *tile,
                                                            struct failure *failure),
                                   struct failure *failure);

typedef void kernel_tile_visit(struct kernel_case *run, const struct kernel_tile *tile,
                               void *context);

/* Calls visit for each tile that has rows of this rank, with copy number `copy` (0 .. k-1) of the
 * input. The pattern sets the targets of a tile's nodes; the load leaves some nodes empty: the same
 * ones for each copy, and at a greater load fewer of the same ones. Fixed patterns are the same for
 * all copies, random ones differ. No kernel may use the pattern or the load in its `run`: they are
 * the input's, not parameters that nodes know. FAIL_SYSTEM: no memory. */
enum failure_kind kernel_each_tile(struct kernel_case *run, uint32_t copy, kernel_tile_visit *visit,
                                   void *context, struct failure *failure);

/* Does the same for the whole mesh, also on ranks: target[v] of each node v becomes the node of the
 * mesh to which it sends, or MESH_NO_NODE. */
enum failure_kind kernel_targets(struct kernel_case *run, uint32_t copy, node_index *target,
                                 struct failure *failure);

/* Injects at `node` a packet whose slots are named first .. last, without destinations, and returns
 * it; MACHINE_NONE if the node is another rank's. kernel.c ends the injection. In the trace packet
 * number i (from 0) of a node v is message i * nodes + v. */
uint32_t kernel_inject(struct kernel_case *run, node_index node, uint32_t first, uint32_t last);

#endif
