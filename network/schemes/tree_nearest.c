/* tree_nearest.c - the nearest node of a tree.
 *
 * Method: the nodes at distance 0, 1, 2, .. are looked up one shell after the other. Once as many
 * were looked up as the orthant's tree has nodes, its nodes are examined instead, one after the
 * other. In a shell nodes come in the order of local numbers.
 * Cost: O(min(n x the nodes nearer than the one that is found, n x the nodes of the tree)).
 */
#include "network/schemes/tree.h"

#include "base/numbers.h"

enum { NONE = UINT32_MAX };

struct search {
    const struct orthant *orthant;
    bool in_zone;
    enum tree_tie tie;
    /* coordinates of the node whose nearest one is searched for */
    uint32_t at[TOPOLOGY_DIMENSIONS];
    uint32_t high[TOPOLOGY_DIMENSIONS];  /* the largest that are examined */
    uint32_t reach[TOPOLOGY_DIMENSIONS]; /* the largest distance in dimensions 0 .. i */
    uint64_t left;                       /* nodes that may still be looked up */
    uint32_t found;                      /* a place, or NONE */
};

static struct search search_of(const struct orthant *orthant, uint32_t local, bool in_zone,
                               enum tree_tie tie)
{
    struct search search = {.orthant = orthant, .in_zone = in_zone, .tie = tie, .found = NONE};
    uint32_t reach = 0;
    for (uint32_t i = 0; i < orthant->tree->topology->shape.dimensions; i++) {
        search.at[i] = orthant_at(orthant, local, i);
        search.high[i] = in_zone ? search.at[i] : orthant->size[i] - 1;
        uint32_t up = search.high[i] - search.at[i];
        reach += up > search.at[i] ? up : search.at[i];
        search.reach[i] = reach;
    }
    search.left = 16 + (uint64_t)(orthant->tree->nodes - orthant->first);
    return search;
}

/* True if of two places at the same distance the other one is preferred; `found` has the smaller
 * local number or came before. */
static bool is_preferred(const struct search *search, uint32_t place)
{
    if (search->found == NONE)
        return true;
    const struct tree_node *node = search->orthant->tree->node;
    switch (search->tie) {
    case TREE_TIE_FIRST:
        return place < search->found;
    case TREE_TIE_LAST:
        return place > search->found;
    default:
        return node[place].local < node[search->found].local;
    }
}

/* Looks up a node; false: no other one is wanted. */
static bool look_up(struct search *search, uint32_t local)
{
    uint32_t place = search->orthant->tree->place[local];
    if (search->left == 0)
        return false;
    search->left--;
    if (place > 0 && is_preferred(search, place - 1))
        search->found = place - 1;
    return search->found == NONE || search->tie != TREE_TIE_LOCAL;
}

/* Looks up the nodes at distance `rest` in dimensions 0 .. i; `local` is the part of the number
 * from the other dimensions. */
static bool look_in(struct search *search, uint32_t i, uint32_t rest, uint32_t local)
{
    const uint32_t *stride = search->orthant->tree->topology->stride;
    uint32_t at = search->at[i], high = min_u32(search->high[i] - at, rest) + at;
    /* The other dimensions leave so much for this one */
    uint32_t must = i == 0 ? rest : rest - min_u32(rest, search->reach[i - 1]);
    for (uint32_t x = at - min_u32(at, rest); x <= high; x++) {
        uint32_t away = x < at ? at - x : x - at;
        if (away < must) {
            x = at + must - 1; /* over those that are too near */
            continue;
        }
        uint32_t number = local + x * stride[i];
        if (i == 0 ? !look_up(search, number) : !look_in(search, i - 1, rest - away, number))
            return false;
    }
    return true;
}

/* Returns the distance from a node of the tree; NONE: it is outside the zone. */
static uint32_t distance_from(const struct search *search, uint32_t local)
{
    const struct orthant *orthant = search->orthant;
    uint32_t distance = 0;
    for (uint32_t i = 0; i < orthant->tree->topology->shape.dimensions; i++) {
        uint32_t at = orthant_at(orthant, local, i);
        if (at > search->high[i])
            return NONE;
        distance += at < search->at[i] ? search->at[i] - at : at - search->at[i];
    }
    return distance;
}

/* Examines all nodes of the tree. */
static struct tree_nearest scan(struct search *search, uint32_t limit)
{
    const struct orthant *orthant = search->orthant;
    struct tree_nearest nearest = {NONE, limit};
    search->found = NONE;
    uint32_t place = orthant->corner;
    for (uint32_t next = orthant->first; place < orthant->tree->nodes; place = next++) {
        uint32_t distance = distance_from(search, orthant->tree->node[place].local);
        if (distance > nearest.distance || distance == limit)
            continue;
        if (distance < nearest.distance)
            search->found = NONE;
        if (is_preferred(search, place))
            search->found = place;
        nearest = (struct tree_nearest){search->found, distance};
    }
    return nearest.place == NONE ? (struct tree_nearest){NONE, NONE} : nearest;
}

struct tree_nearest tree_find_nearest(const struct orthant *orthant, uint32_t local, bool in_zone,
                                      uint32_t limit, enum tree_tie tie)
{
    struct search search = search_of(orthant, local, in_zone, tie);
    uint32_t last = orthant->tree->topology->shape.dimensions - 1;
    for (uint32_t distance = 0; distance < limit && distance <= search.reach[last]; distance++) {
        look_in(&search, last, distance, 0);
        if (search.left == 0)
            return scan(&search, limit);
        if (search.found != NONE)
            return (struct tree_nearest){search.found, distance};
    }
    return (struct tree_nearest){NONE, NONE};
}
