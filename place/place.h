/* place.h - finds a node for each item, so that the messages among them cost little.
 *
 * The plan has the items, the topology and the objective; starts are made one by one; the best of
 * them is improved by swaps and moves. The same plan gives the same placement for any number of
 * threads, unless it ends by the clock.
 */
#ifndef MESHCAST_PLACE_PLACE_H
#define MESHCAST_PLACE_PLACE_H

#include "base/failure.h"
#include "place/item_traffic.h"
#include "place/tree_meter.h"

enum place_objective {
    PLACE_HOPS,         /* of all trees (place/tree_meter.h) */
    PLACE_BUSIEST_LINK, /* the most trees over one link; then hops */
    PLACE_BOUND         /* the lower bound of steps, on a mesh of two dimensions; then hops */
};
extern const char *const place_objective_names[];

/* The costs of an assignment. */
struct place_cost {
    uint64_t hops, busiest_link;
    uint64_t bound; /* where copies cost a step; 0 unless place_has_bound() */
};

struct place_plan {
    const struct item_traffic *traffic;
    const struct topology *topology; /* items are on nodes of its main part */
    const struct topology *whole; /* the same, unbroken: its distances say which copy is nearest */
    const struct path_table *paths; /* of the topology */
    uint32_t per_node;              /* at most so many copies on a node, of different items */
    uint32_t copies;                /* of all items; at least one of each, at most one per node */
    enum place_objective objective;
    uint64_t seed;
    uint64_t moves; /* that are tried; UINT64_MAX: until time_used() ends it */
    uint32_t threads;
    /* Asked between batches of moves, with the number of tried moves and the least cost: the share
     * of the time that is over, 1 or more at the end. NULL: the time is not asked. */
    double (*time_used)(void *context, uint64_t tried, const struct place_cost *least);
    void *context;
    const struct interrupt *interrupt;
};

/* Returns the objective's figure. */
static inline uint64_t place_figure(const struct place_plan *plan, const struct place_cost *cost)
{
    return plan->objective == PLACE_HOPS           ? cost->hops
           : plan->objective == PLACE_BUSIEST_LINK ? cost->busiest_link
                                                   : cost->bound;
}

/* ---- assignments ---- */

/* Makes an assignment of the plan's copies, all on node 0; copies beyond the first of each item are
 * of the items with the most messages per copy. FAIL_SYSTEM: no memory. The caller frees it. */
enum failure_kind assignment_make(struct assignment *assignment, const struct place_plan *plan,
                                  struct failure *failure);
void assignment_free(struct assignment *assignment);

enum failure_kind place_measure(const struct place_plan *plan, const struct assignment *assignment,
                                struct place_cost *cost, struct failure *failure);

/* True if the topology is a mesh of two dimensions. */
static inline bool place_has_bound(const struct place_plan *plan)
{
    return mesh_of_shape(&plan->topology->shape).rows > 0;
}

/* Computes only the bound; 0 if there is none. */
enum failure_kind place_bound(const struct place_plan *plan, const struct assignment *assignment,
                              uint64_t *bound, struct failure *failure);

/* Returns a lower bound on the hops of every assignment: a message of k items needs a tree of at
 * least ceil(k / per_node) nodes, one hop fewer. */
uint64_t place_least_hops(const struct place_plan *plan);

/* ---- starts ---- */

struct place_start {
    const char *name;
    /* Fills the nodes of an assignment, at most per_node copies on each. */
    enum failure_kind (*fill)(const struct place_plan *plan, struct assignment *assignment,
                              struct failure *failure);
    bool needs_mesh;  /* or a torus */
    bool needs_plane; /* a mesh or torus of two dimensions */
    bool is_of_items, is_of_experts;
};

/* Returns start `index` of those that the plan can have; NULL: there are fewer. */
const struct place_start *place_start_at(const struct place_plan *plan, uint32_t index);

/* The starts by METIS (place/bisection.c): halves of the items onto halves of the topology, or of a
 * curve, and so on. */
enum failure_kind bisect_topology(const struct place_plan *plan, struct assignment *assignment,
                                  struct failure *failure);
enum failure_kind bisect_curve(const struct place_plan *plan, struct assignment *assignment,
                               struct failure *failure);

/* ---- improvement ---- */

struct place_result {
    uint64_t tried, kept; /* moves */
    uint32_t threads;
};

/* Improves an assignment, which never becomes worse by the objective. FAIL_SYSTEM: no memory. An
 * interrupt ends it early. */
enum failure_kind place_improve(const struct place_plan *plan, struct assignment *assignment,
                                struct place_result *result, struct failure *failure);

#endif
