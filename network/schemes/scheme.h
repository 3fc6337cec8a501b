/* scheme.h - sending one multicast: schemes, the plans that they make, the routings that worms
 * follow.
 *
 * A plan is a list of worms. A worm is a tree of stops: nodes that its header visits one after the
 * other, or, where it branches, at once. Between two stops the worm's routing chooses each hop. A
 * path worm is a chain of stops; a tree worm names each node of the tree as a stop.
 *
 * To add a scheme: a file that defines a `struct scheme`, and a row of the table in scheme_table.c.
 */
#ifndef MESHCAST_NETWORK_SCHEMES_SCHEME_H
#define MESHCAST_NETWORK_SCHEMES_SCHEME_H

#include "base/failure.h"
#include "base/suggestion.h"
#include "network/schemes/up_down.h"
#include "network/topology/topology.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- routings ---- */

/* The most outputs among which a routing lets a header choose. */
enum { ROUTING_CHOICES = TOPOLOGY_DIMENSIONS };

/* An output that a header may take: a port, and the class of virtual channels on its link. With V
 * virtual channels and K classes, channel v is of class v K / V. A header that takes an only choice
 * has the same one, port and class, at each of the next `run` nodes, which need not ask for it; on
 * graphs, whose ports have no directions, run is 0. */
struct routing_choice {
    uint32_t port, class, run;
};

struct routing {
    const char *name;    /* "x-first", "label", ..: also the word of the trace */
    const char *runs_on; /* "meshes and tori": for messages */
    /* Returns the number of classes of virtual channels that it needs on a topology to be free of
     * deadlock; 0: it cannot run there. */
    uint32_t (*classes)(const struct topology *topology);
    /* Writes the outputs that a header at `node`, bound for `target` (another node), may take next,
     * in the order of preference; at least one. They depend on nothing else. */
    uint32_t (*next)(const struct topology *topology, uint32_t node, uint32_t target,
                     struct routing_choice choice[ROUTING_CHOICES]);
    /* Returns the hops of a way to another node; all choices lead to as many. */
    uint32_t (*hops)(const struct topology *topology, uint32_t node, uint32_t target);
};

/* Returns the hops by following the first choices, for routings and topologies without a
 * formula. */
uint32_t routing_walk(const struct routing *routing, const struct topology *topology, uint32_t node,
                      uint32_t target);

/* Dimension 0 first, then 1, ..; on a torus the shorter way round (of two equal ones either, by the
 * parity of coordinates), with a dateline in each dimension: class 0 before the wraparound link,
 * class 1 on it, after it, and on ways without one. On tori with sizes up to 3, where no way has
 * two links of a ring, one class is enough. */
extern const struct routing routing_x_first;
/* By labels, on every topology: the neighbour with the largest label that is not beyond the
 * target's, or with the smallest if the target's is smaller. */
extern const struct routing routing_label;
/* On meshes: to smaller coordinates first, then to larger ones. Adaptive: each link that leads
 * nearer that way is a choice, dimension 0 first. A worm whose legs, taken together, turn back to a
 * smaller coordinate can be in a deadlock; the scheme must avoid it. */
extern const struct routing routing_negative_first;
/* The same, with the first of these links as the only choice. */
extern const struct routing routing_negative_first_fixed;
/* On meshes of one or two dimensions, adaptive, by shortest ways: see route_turns.c. */
extern const struct routing routing_west_first, routing_odd_even;
/* To a neighbour: each hop of the worm is a stop. The scheme must avoid deadlocks. */
extern const struct routing routing_link;
/* The same on any topology, along paths that lead up, then down: see route_up_down.c. */
extern const struct routing routing_up_down;
/* The same on meshes, and each stop names the class of virtual channels on the link to it. With n
 * dimensions there are 2^(n-1): bit i is not set if the worm's way to the stop goes to larger
 * coordinates of dimension i, there or before, or a way after the stop does. If no way goes both up
 * and down in a dimension, messages that wait in channels with room for the whole of each
 * (cut-through) close no cycle: tree_unite.c. */
extern const struct routing routing_sides;

/* ---- plans ---- */

/* Stops are in preorder: after a stop come its children, each with its own. The first stop of a
 * worm that branches at its sender is the sender's own node. */
struct stop {
    uint32_t node : 26;
    uint32_t class : 6; /* of virtual channels on the link to it; 0 except with routing_sides */
    uint32_t span : 31; /* stops of its subtree, itself included */
    uint32_t is_destination : 1; /* takes a copy of the message */
};

/* Calls routing->next() towards a stop, whose class is that of struct stop. */
static inline uint32_t routing_next_stop(const struct routing *routing,
                                         const struct topology *topology, uint32_t node,
                                         uint32_t stop, uint32_t class,
                                         struct routing_choice choice[ROUTING_CHOICES])
{
    uint32_t choices = routing->next(topology, node, stop, choice);
    choice[0].class += class;
    return choices;
}

struct worm {
    uint32_t sender;
    uint32_t first, stops; /* its stops are plan->stop[first .. first + stops - 1] */
    /* step in which it is sent, counted from its sender's receipt, 1 ..; 0: the scheme has no
     * steps */
    uint32_t step;
};

/* Worms of one sender are in the order in which it sends them. Arrays grow and are kept for the
 * next plan; a zeroed plan is empty. */
struct plan {
    const struct routing *routing;
    uint32_t worms, stops;
    /* For schemes with a bound: no plan of the scheme's kind has a shorter longest worm. */
    uint32_t longest_bound;
    bool lacks_memory; /* additions since then are lost; scheme_plan() reports it */
    struct worm *worm;
    struct stop *stop;
    size_t worm_room, stop_room;
    uint32_t *server; /* only of scheme_plan(): the worm that serves each destination */
    uint32_t server_room;
    uint32_t *mark; /* of schemes that mark nodes: a number per node, all 0 between two plans */
    uint32_t mark_room;
    struct up_down paths; /* from the sender of the last worm that was planned along them */
    void **scratch;       /* blocks of plan_scratch() */
    uint32_t scratches;
    size_t scratch_room;
};

void plan_free(struct plan *plan);

/* Returns zeros for the scheme's own use, which scheme_plan() frees at its end. NULL: the plan
 * lacks memory. */
void *plan_scratch(struct plan *plan, size_t count, size_t size);

/* Returns plan->mark, with an element per node; the caller sets each number back to 0. NULL: the
 * plan lacks memory. */
uint32_t *plan_marks(struct plan *plan, uint32_t nodes);

/* Adds a worm without stops. */
void plan_add_worm(struct plan *plan, uint32_t sender);

/* Adds stops to the last worm, as the next ones of a chain: each is the only child of the stop
 * before it. Time in the length of the whole chain. */
void plan_add_chain(struct plan *plan, const uint32_t *node, uint32_t count, bool are_destinations);

/* Adds one stop in the same way. */
void plan_add_stop(struct plan *plan, uint32_t node, bool is_destination);

/* Adds a worm past so many destinations, in their order; none without destinations. */
void plan_add_path(struct plan *plan, uint32_t sender, const uint32_t *node, uint32_t count);

/* Adds a worm with the stops of a tree in preorder, spans included. */
void plan_add_tree(struct plan *plan, uint32_t sender, const struct stop *stop, uint32_t count);

/* ---- schemes ---- */

/* One multicast. */
struct multicast {
    uint32_t source;
    uint32_t destinations;
    const uint32_t *destination; /* ascending, distinct, without the source */
    uint32_t flits;              /* 1 .., header included */
};

/* Returns the place of a node among the destinations; UINT32_MAX: it is not one. */
static inline uint32_t multicast_place(const struct multicast *multicast, uint32_t node)
{
    uint32_t low = 0, high = multicast->destinations;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (multicast->destination[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < multicast->destinations && multicast->destination[low] == node ? low : UINT32_MAX;
}

enum { SCHEME_PARAMETERS = 4, SCHEME_CHOICES = 6 };

/* A scheme's own parameter: one of a few words, the first one if not given. */
struct scheme_parameter {
    const char *name;
    const char *choice[SCHEME_CHOICES + 1]; /* NULL after the last */
    const char *help;
};

/* The chosen words, by number: choice[i] of parameter[i]. */
struct scheme_choices {
    uint32_t choice[SCHEME_PARAMETERS];
};

/* A multicast to be planned, with at least one destination, and the plan. */
struct planning {
    const struct topology *topology;
    const struct multicast *multicast;
    const struct scheme_choices *choices;
    struct plan *plan;
};

/* The topologies that a scheme needs, beside those of its routing. */
enum scheme_needs { NEEDS_NOTHING, NEEDS_RINGS_OR_MESH, NEEDS_MESH, NEEDS_FLAT_MESH };

struct scheme {
    const char *name, *summary;
    struct scheme_parameter parameter[SCHEME_PARAMETERS]; /* name NULL after the last */
    const struct routing *(*routing)(const struct scheme_choices *choices);
    enum scheme_needs needs;
    /* Adds the worms to an empty plan. Each destination is a destination of exactly one worm; a
     * sender other than the source is a destination of a worm before. NULL: the scheme is
     * `best`. */
    void (*plan)(const struct planning *planning);
    bool is_stepwise;    /* each worm of its plans tells its step */
    bool bounds_longest; /* its plans have a longest_bound */
};

/* Schemes 0 .. scheme_count() - 1 make plans; scheme_count() is `best`, which makes none. */
uint32_t scheme_count(void);
const struct scheme *scheme_at(uint32_t index);

/* A scheme among which `best` chooses, with the words of its parameters. */
struct scheme_candidate {
    const struct scheme *scheme;
    struct scheme_choices choices;
};

/* Returns candidate 0, 1, .. of a topology; NULL after the last. Paths up, then down are candidates
 * only on broken meshes. */
const struct scheme_candidate *scheme_candidate_at(const struct topology *topology, uint32_t index);

extern const struct name_family scheme_names;

/* Finds the scheme of that name; FAIL_USAGE: there is none, the text names the nearest and all. */
enum failure_kind scheme_find(const char *name, const struct scheme **scheme,
                              struct failure *failure);

/* Sets choices by "NAME=VALUE"; FAIL_USAGE: the scheme has no such parameter or word, the text
 * names all. */
enum failure_kind scheme_choose(const struct scheme *scheme, const char *text,
                                struct scheme_choices *choices, struct failure *failure);

/* Checks that the scheme can run on the topology with `vcs` virtual channels; FAIL_USAGE: the text
 * names the remedy. */
enum failure_kind scheme_check(const struct scheme *scheme, const struct topology *topology,
                               const struct scheme_choices *choices, uint32_t vcs,
                               struct failure *failure);

/* Empties `plan`, plans the multicast, and asserts that the plan keeps the promises of struct
 * scheme. A multicast without destinations has no worms. FAIL_SYSTEM: no memory. */
enum failure_kind scheme_plan(const struct scheme *scheme, const struct topology *topology,
                              const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *plan,
                              struct failure *failure);

#endif
