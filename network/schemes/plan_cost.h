/* plan_cost.h - the costs of a plan before anything runs: links, startups, steps, times in hops.
 *
 * Costs are those of one multicast by itself, without its length. They are read from the plan: its
 * worms, in the order of their senders, and their hops, which its routing gives. If routing leaves
 * a choice the first one counts; all have the same length. A plan without worms costs 0.
 *
 * Every scheme has the first four costs, and the last two. Times in hops belong to plans that name
 * each node on their way (routing_link), which are trees of links. A path worm has none: in the
 * papers its hops are not steps, since flits follow each other closely, and its time is that of its
 * longest path. Steps belong to schemes that a paper defines in steps (struct scheme, is_stepwise),
 * and each worm of their plans tells its own.
 */
#ifndef MESHCAST_NETWORK_SCHEMES_PLAN_COST_H
#define MESHCAST_NETWORK_SCHEMES_PLAN_COST_H

#include "network/schemes/scheme.h"

#include <stdbool.h>
#include <stdint.h>

enum plan_cost {
    /* Links that worms cross, with multiplicity: the links of a tree, the sum of the lengths of
     * paths. Wang (2005); "channels" of Bouchitte, Cohen, Fleury (1997). */
    COST_TRAFFIC,
    /* Traffic - destinations, without the source. No plan has less than 0: each destination is the
     * end of a link of its own. Wang. */
    COST_ADDITIONAL_TRAFFIC,
    /* Worms: a sender works on each. Libeskind-Hadas et al. (1997). */
    COST_STARTUPS,
    /* Links of the longest worm, from its sender to its farthest stop. Without blocking, a worm of
     * L flits needs this and L - 1 cycles, and the delays of each hop. Bouchitte, Cohen, Fleury. */
    COST_LONGEST_PATH,
    /* Hops, under store-and-forward: links from the source to the farthest destination, also
     * through senders. A node sends over all ports at once. Wang. */
    COST_ALL_PORT,
    /* The same if a node sends over one link per hop: a node that has the message at time t sends
     * it to its i-th child at t + i, to children of the worm by which it came first, then by its
     * own worms. Wang. */
    COST_ONE_PORT,
    /* Steps: a node that has the message at step t sends a worm in step t + its own step (struct
     * worm). All destinations of a worm have the message at its step. McKinley et al. (1994) for
     * u-mesh; the two-port paper. */
    COST_STEPS,
    /* The most worms that cross one directed link, where they may wait for each other;
     * plan_measure_links() sets it. */
    COST_LINK_WORMS,
    /* Directed links that two or more worms cross; plan_measure_links() sets it. */
    COST_SHARED_LINKS,
    PLAN_COSTS
};

extern const char *const plan_cost_names[PLAN_COSTS + 1]; /* "traffic", .., NULL: keys of JSON */

#define PLAN_NO_COST UINT64_MAX /* the scheme has no such cost */

struct plan_costs {
    uint64_t of[PLAN_COSTS];
    /* of the longest path: the plan's; PLAN_NO_COST: the scheme knows none */
    uint64_t longest_bound;
};

/* True if the plans of a scheme have a cost. */
bool plan_has_cost(const struct scheme *scheme, const struct scheme_choices *choices,
                   enum plan_cost cost);

/* Memory of measuring, kept for the next plan; a zeroed one is empty. */
struct plan_meter {
    uint32_t *words;
    uint64_t room;
    struct link_use *link; /* only of plan_measure_links() */
    uint64_t link_room;
    uint32_t plans; /* number of plans whose links were measured */
};

void plan_meter_free(struct plan_meter *meter);

/* Measures a plan of `scheme`. Time in the stops of the plan, and in the hops if routing has no
 * formula for them; memory 4 bytes per destination of a stepwise plan, 12 bytes per destination and
 * 8 per stop of a tree of links. FAIL_SYSTEM: no memory. */
enum failure_kind plan_measure(struct plan_meter *meter, const struct scheme *scheme,
                               const struct topology *topology, const struct multicast *multicast,
                               const struct plan *plan, struct plan_costs *costs,
                               struct failure *failure);

/* Sets the two costs of links, which plan_measure() sets to PLAN_NO_COST. O(traffic) time, 12 bytes
 * per link. FAIL_SYSTEM: no memory. */
enum failure_kind plan_measure_links(struct plan_meter *meter, const struct topology *topology,
                                     const struct plan *plan, struct plan_costs *costs,
                                     struct failure *failure);

#endif
