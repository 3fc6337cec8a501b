/* kernel_private.h - what the rows of the table of kernels share. For primitives/kernel*.c only. */
#ifndef MESHCAST_PRIMITIVES_KERNEL_PRIVATE_H
#define MESHCAST_PRIMITIVES_KERNEL_PRIVATE_H

#include "primitives/kernel.h"
#include "primitives/tessellation.h"

/* One run, as a kernel's row sees it. */
struct kernel_case {
    const struct kernel_options *options;
    struct tessellation tiles;
    uint32_t nodes;
    uint32_t method;         /* index into the row's list of methods */
    struct machine *machine; /* made by kernel_machine */
    void *own;               /* the row's: input kept for the check; freed by its `release` */
};

/* A way to do it: the name of --param method=NAME and the loads k that it takes. */
struct kernel_method {
    const char *name, *summary;
    uint32_t least_k, most_k;
};

/* A row: functions in the order in which they are called. */
struct kernel_row {
    struct kernel shown;
    const struct kernel_method
        *methods; /* up to a NULL name; the first that takes k is the default */
    /* Makes the machine (kernel_machine) and the input in it; nothing moves. */
    enum failure_kind (*prepare)(struct kernel_case *run, struct failure *failure);
    /* The kernel: this part is timed. */
    enum failure_kind (*run)(struct kernel_case *run, struct failure *failure);
    /* Compares the result with a plain computation by another method. FAIL_CHECK names the first
     * node that is wrong. */
    enum failure_kind (*check)(struct kernel_case *run, struct failure *failure);
    void (*release)(struct kernel_case *run); /* frees run->own, NULL included */
};

extern const struct kernel_row kernel_sort_row, kernel_prefix_row, kernel_broadcast_row;
extern const struct kernel_row kernel_spread_row, kernel_pack_row, kernel_route_row;
extern const struct kernel_row kernel_migrate_row;

/* Makes run->machine with room for `slots` destination slots, from the options. */
enum failure_kind kernel_machine(struct kernel_case *run, uint32_t slots, struct failure *failure);

/* For copy number `copy` (0 .. k-1) of the input: target[v] of each node v is the node of v's own
 * tile to which the pattern sends v, MESH_NO_NODE where the load leaves v empty (the same nodes for
 * each copy). Fixed patterns are the same for all copies, random ones differ. */
enum failure_kind kernel_targets(struct kernel_case *run, uint32_t copy, node_index *target,
                                 struct failure *failure);

/* Injects a packet of the slots first .. last, without destinations, at `node`; `message` numbers
 * it in the trace. */
enum failure_kind kernel_inject(struct kernel_case *run, node_index node, uint32_t first,
                                uint32_t last, struct failure *failure);

#endif
