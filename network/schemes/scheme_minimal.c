/* scheme_minimal.c - the fewest worms of negative-first routing that reach each destination by a
 * shortest way.
 *
 * Method on meshes of two dimensions: such a worm stays in a column north-west of the source, in a
 * row south-east of it, or it is a chain south-west or north-east of it. So there is a worm for
 * each column and row with such destinations; the rest is cut into greedy chains. `absorb`: the
 * westmost column's worm comes along the source's row, the southmost row's worm along the source's
 * column. They take the destinations there, which need not be in a chain then. `printed`: as the
 * paper prints it, without that, which sometimes takes more worms.
 * Properties: with `absorb` no plan of such worms has fewer. Proof: a shortest way to the
 * north-west goes west along the source's row, then north in one column, and no shortest way goes
 * on from there but north. So each column with such destinations has a worm of its own, which takes
 * besides at most those of the row that it passes; likewise the rows south-east. No such worm
 * serves what else is south-west or north-east of the source, nor does one worm serve both. The
 * more of the row and the column those worms take the fewer chains are left south-west, and
 * `absorb` takes all that any of them can. Greedy chains are the fewest (quadrants.c).
 *   In more dimensions, and over x-first, a destination can follow another one if the way to it by
 * way of that one is of the routing and a shortest one. Given the source that is a partial order,
 * so the fewest worms are the fewest chains (fewest_chains.c). `printed` leaves out there what
 * turns from below the source, as it does in two dimensions.
 * Cost: O(k (w + log k)) time for k destinations and w worms on meshes of two dimensions, else that
 * of fewest_chains.c.
 * Source: R. Libeskind-Hadas, T. Hehre, A. Hutchings, M. Reyes, K. Watkins, Adaptive multicast
 * routing in wormhole networks, 1997.
 */
#include "network/schemes/chains.h"

enum { VARIANT_ABSORB, VARIANT_PRINTED };
enum { PARAMETER_VARIANT = 1 };

/* Takes the destinations on the way from the source along its axis to column or row `line`, away
 * from the source; returns how many nodes it wrote. */
static uint32_t take_axis(struct quadrants *q, enum sweep sweep, uint32_t line, uint32_t *node)
{
    uint32_t count = 0;
    for (uint32_t i = q->count; i > 0; i--) {
        struct site *site = quadrants_site(q, sweep, i - 1);
        bool is_on_way = site->at[!sweep] == q->source[!sweep] && site->at[sweep] >= line;
        if (is_on_way && site->at[sweep] < q->source[sweep])
            node[count++] = quadrants_take(q, site);
    }
    return count;
}

/* Adds a chain for each column, or row, with destinations of a quadrant. */
static void add_lines(struct chains *chains, struct quadrants *q, enum sweep sweep,
                      enum quadrant quadrant, bool absorbs)
{
    for (uint32_t i = 0; q->left[quadrant] > 0;) {
        const struct site *first = quadrants_site(q, sweep, i);
        uint32_t line = first->at[sweep], count = 0;
        uint32_t *node = chains->node + chain_begin(chains, chains->count);
        if (first->quadrant != quadrant) {
            i++;
            continue;
        }
        if (absorbs)
            count = take_axis(q, sweep, line, node);
        absorbs = false;
        for (; i < q->count && quadrants_site(q, sweep, i)->at[sweep] == line; i++)
            if (quadrants_site(q, sweep, i)->quadrant == quadrant)
                node[count++] = quadrants_take(q, quadrants_site(q, sweep, i));
        chains_add(chains, count);
    }
}

/* Adds chains of a quadrant, away from the source. */
static void add_chains(struct chains *chains, struct quadrants *q, enum quadrant quadrant)
{
    while (q->left[quadrant] > 0) {
        uint32_t *node = chains->node + chain_begin(chains, chains->count);
        uint32_t count = quadrants_take_chain(q, BY_COLUMNS, quadrant, node);
        if (quadrant == SOUTH_WEST)
            chain_reverse(node, count);
        chains_add(chains, count);
    }
}

/* Bits: the worm has gone to smaller coordinates, to larger ones. */
enum { WAY_DOWN = 1, WAY_UP = 2 };

/* Returns the way from one coordinate to another; 0 if they are equal. */
static int ways_to(uint32_t from, uint32_t to)
{
    return to < from ? WAY_DOWN : to > from ? WAY_UP : 0;
}

/* True if the way from the source by `node` to `next` is a shortest one and never goes down after
 * it has gone up. Without `absorbs`, as printed, also a way that turns upwards at `node` is
 * excluded. */
static bool follows(const struct topology *topology, uint32_t source, uint32_t node, uint32_t next,
                    bool absorbs)
{
    int first = 0, second = 0;
    for (uint32_t i = 0; i < topology->shape.dimensions; i++) {
        uint32_t from = topology_coordinate(topology, source, i);
        uint32_t at = topology_coordinate(topology, node, i);
        uint32_t to = topology_coordinate(topology, next, i);
        int one = ways_to(from, at), other = ways_to(at, to);
        if ((one | other) == (WAY_DOWN | WAY_UP))
            return false;
        first |= one;
        second |= other;
    }
    bool turns = first == WAY_DOWN && (second & WAY_UP) != 0;
    return ((first & WAY_UP) == 0 || (second & WAY_DOWN) == 0) && (absorbs || !turns);
}

static bool absorbing(const struct topology *topology, uint32_t source, uint32_t node,
                      uint32_t next)
{
    return follows(topology, source, node, next, true);
}

static bool as_printed(const struct topology *topology, uint32_t source, uint32_t node,
                       uint32_t next)
{
    return follows(topology, source, node, next, false);
}

static void plan(const struct planning *planning)
{
    bool absorbs = planning->choices->choice[PARAMETER_VARIANT] == VARIANT_ABSORB;
    bool is_x_first = planning->choices->choice[0] == BASE_X_FIRST;
    struct chains chains = chains_make(planning);
    if (is_x_first || planning->topology->shape.dimensions > 2) {
        chains_cover(&chains, planning,
                     is_x_first ? chain_is_x_first
                     : absorbs  ? absorbing
                                : as_printed);
    } else {
        struct quadrants quadrants = quadrants_make(planning);
        if (planning->plan->lacks_memory)
            return;
        add_lines(&chains, &quadrants, BY_COLUMNS, NORTH_WEST, absorbs);
        add_lines(&chains, &quadrants, BY_ROWS, SOUTH_EAST, absorbs);
        add_chains(&chains, &quadrants, SOUTH_WEST);
        add_chains(&chains, &quadrants, NORTH_EAST);
    }
    chains_plan(&chains, planning);
}

const struct scheme scheme_minimal = {
    .name = "minimal",
    .summary = "the fewest worms like those of pure that reach all by shortest ways",
    .parameter =
        {{"routing", BASE_WORDS, BASE_HELP},
         {"variant",
          {"absorb", "printed"},
          "whether worms take the destinations on the source's row and column that they pass"}},
    .routing = scheme_base_routing,
    .needs = NEEDS_MESH,
    .plan = plan,
};
