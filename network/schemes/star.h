/* star.h - multicast stars: path worms of the source by labels, at most one per port.
 *
 * A multicast has two sides, the destinations with labels above the source's and those below. On
 * each of them a star gives every destination a port; a port's worm visits its destinations in the
 * order of labels, away from the source. A scheme of stars is a rule that gives ports. Worms of the
 * upper side only climb in labels, those of the lower side only descend, so links alone deadlock no
 * star (route_label.c).
 */
#ifndef MESHCAST_NETWORK_SCHEMES_STAR_H
#define MESHCAST_NETWORK_SCHEMES_STAR_H

#include "network/schemes/matching.h"
#include "network/schemes/scheme_private.h"

/* One side of a multicast. Ports are named by their place in `neighbour`. */
struct star_side {
    const struct planning *planning;
    const struct topology *topology;
    struct plan *plan; /* may lack memory after any function below; the ports are then of no use */
    uint32_t source;
    /* a port first serves only the destinations that label routing sends over it */
    bool is_strict;
    uint32_t count;      /* of destinations, at least one */
    uint32_t ports;      /* to neighbours that are no farther, in labels, than a destination */
    uint32_t *node;      /* destinations, the one with the label nearest to the source's first */
    uint32_t *neighbour; /* of each port, in the same order */
    /* The costs of legs, in hops, by rows of `size` = count + ports: in row a from the source over
     * port a, in row ports + i from destination i, to destination j in column j; MATCHING_FORBIDDEN
     * for impossible legs. The last columns are ends of worms, as many as ports, and cost nothing
     * from anywhere. So a star is a choice of one entry in each row and each column: a perfect
     * matching. */
    uint32_t size, *cost; /* cost: once star_make_costs() has made them */
};

static inline uint32_t star_cost(const struct star_side *side, uint32_t row, uint32_t to)
{
    return side->cost[(size_t)row * side->size + to];
}

/* A rule: sets the port of each destination, port[0 .. count - 1]. */
typedef void star_rule(struct star_side *side, uint32_t *port);

/* Adds the worms of the two stars that the rule gives, the upper side first; per side in the order
 * of the ports. The first hop is forced, by a stop that takes no copy, if label routing would take
 * another port. */
void star_plan(const struct planning *planning, bool is_strict, star_rule *rule);

/* Returns the port over which label routing goes to a node of the side. */
uint32_t star_natural_port(const struct star_side *side, uint32_t node);

/* Makes the costs. O(size^2) memory, and for each destination at most O(nodes) hops of label
 * routing. False: no memory. */
bool star_make_costs(struct star_side *side);

/* Finds the star with the least sum of lengths; unless NULL, sets the potentials of its matching
 * (matching.h). */
void star_least_sum(const struct star_side *side, uint32_t *port, int64_t *potential);

enum { STAR_PAIR = 2 };

/* Finds the star whose longest worm is shortest, or nearly so; returns a lower bound on the longest
 * worm of any star. */
uint32_t star_least_longest(const struct star_side *side, uint32_t *port);

/* For a side with STAR_PAIR ports, finds the star whose longest worm is shortest, of these one with
 * the least sum. On entry `port` has a star of which no worm is longer than `longest`; it stays,
 * and false is returned, if the search would need too many points. */
bool star_shortest_pair(const struct star_side *side, uint32_t longest, uint32_t *port);

/* Sets `port`, on entry the star with the least sum of lengths, to the one with the least sum whose
 * worms share no link; with more than STAR_PAIR ports and too many stars to try, to one whose worms
 * share no link. */
void star_least_apart(const struct star_side *side, uint32_t *port);

/* Returns the length of the longest worm. */
uint32_t star_longest_worm(const struct star_side *side, const uint32_t *port);

#endif
