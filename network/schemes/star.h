/* star.h - multicast stars: path worms of the source by labels, one at most for each of its ports.
 *
 * A multicast has two sides, the destinations with labels above the source's and those below. On each of them a star
 * gives every destination a port; a port's worm visits its destinations in the order of labels, away from the source.
 * A scheme of stars is a rule that gives ports. Worms of the upper side only climb in labels, those of the lower side
 * only descend, so links alone deadlock no star (route_label.c).
 */
#ifndef MESHCAST_NETWORK_SCHEMES_STAR_H
#define MESHCAST_NETWORK_SCHEMES_STAR_H

#include "network/schemes/scheme_private.h"

/* Which destinations a port's worm may visit first. */
enum { STAR_FORCED, STAR_STRICT };
/* The row of such a parameter. */
#define STAR_PORT_PARAMETER                                                                        \
    {                                                                                              \
        "port", {"forced", "strict"},                                                              \
            "whether a worm's first hop is forced, or routing chooses it"                          \
    }

/* One side of a multicast. Ports are named by their place in `neighbour`. */
struct star_side {
    const struct topology *topology;
    uint32_t source;
    bool is_strict;      /* a port serves first only what label routing sends over it */
    uint32_t count;      /* of destinations, at least one */
    uint32_t ports;      /* to neighbours that are no farther, in labels, than a destination */
    uint32_t *node;      /* destinations, the one with the label nearest to the source's first */
    uint32_t *neighbour; /* of each port, in the same order */
    /* The plan's, which a rule may raise: no star of this side has a shorter longest worm. */
    uint32_t *longest_bound;
};

/* A rule: sets the port of each destination, port[0 .. count - 1]. FAIL_SYSTEM: no memory. */
typedef enum failure_kind star_rule(const struct star_side *side, uint32_t *port,
                                    struct failure *failure);

/* Adds the worms of the two stars that the rule gives, the upper side first; per side in the order of the ports. The
 * first hop is forced, by a stop that takes no copy, where label routing would take another port. FAIL_SYSTEM: no
 * memory. */
enum failure_kind star_plan(const struct topology *topology, const struct multicast *multicast,
                            bool is_strict, star_rule *rule, struct plan *plan,
                            struct failure *failure);

/* The port over which label routing goes to a node of the side. */
uint32_t star_natural_port(const struct star_side *side, uint32_t node);

/* What a worm pays, in hops: in row a from the source over port a, in row ports + i from destination i, to
 * destination j in column j. The last columns are ends of worms, as many as ports, and cost nothing from anywhere. So
 * a star is a choice of one entry in each row and each column: a perfect matching. */
struct star_costs {
    uint32_t size;  /* count + ports */
    uint32_t *cost; /* size * size, by rows; MATCHING_FORBIDDEN where no worm goes */
};

/* O(size^2) memory, and for each destination at most O(nodes) hops of label routing. FAIL_SYSTEM: no memory. */
enum failure_kind star_costs_make(struct star_costs *costs, const struct star_side *side,
                                  struct failure *failure);
void star_costs_free(struct star_costs *costs);

/* The star with the least sum of lengths; unless NULL, the potentials of its matching (matching.h). FAIL_SYSTEM: no
 * memory. */
enum failure_kind star_least_sum(const struct star_side *side, const struct star_costs *costs,
                                 uint32_t *port, int64_t *potential, struct failure *failure);

/* How many states star_least_longest() keeps after a destination, times their ports, and how many runs, of 12 bytes each;
 * of sides with two ports, how many points. */
enum {
    STAR_MOST_STATES = 1 << 15,
    STAR_MOST_RUNS = 1 << 24,
    STAR_MOST_POINTS = 1 << 24,
    STAR_PAIR = 2
};

/* The star whose longest worm is shortest, or nearly so: *bound is a length than which no star's longest worm is shorter.
 * FAIL_SYSTEM: no memory. */
enum failure_kind star_least_longest(const struct star_side *side, const struct star_costs *costs,
                                     uint32_t *port, uint32_t *bound, struct failure *failure);

/* With more than two ports, star_least_apart() tries all stars if there are at most this many. */
enum { STAR_MOST_TRIED = 1 << 12 };

/* Sets `port`, on entry the star with the least sum of lengths, to the one with the least sum whose worms share no link; with
 * more than two ports and too many stars to try, to one whose worms share no link. FAIL_SYSTEM: no memory. */
enum failure_kind star_least_apart(const struct star_side *side, const struct star_costs *costs,
                                   uint32_t *port, struct failure *failure);

/* The length than which no star's longest worm is shorter, by the least sum of lengths and by the shortest way to each
 * destination. `way` has room for the destinations. */
uint32_t star_length_bound(const struct star_side *side, const struct star_costs *costs,
                           int64_t least_sum, int64_t *way);

/* The length of the longest worm. */
uint32_t star_longest_worm(const struct star_side *side, const struct star_costs *costs,
                           const uint32_t *port);

/* Of a side with two ports, the star whose longest worm is shortest, of these one with the least sum. On entry `port` has
 * a star of which no worm is longer than `longest`; it stays where the search would make more points than `most_points`
 * (otms_pair.c), of 12 bytes each; else the star has been found, and *is_found. FAIL_SYSTEM: no memory. */
enum failure_kind star_shortest_pair(const struct star_side *side, const struct star_costs *costs,
                                     uint32_t longest, uint32_t most_points, uint32_t *port,
                                     bool *is_found, struct failure *failure);

#endif
