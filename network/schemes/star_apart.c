/* star_apart.c - of the stars whose worms share no link, the one with the least sum of lengths.
 *
 * There is such a star, since a single worm shares no link.
 * Method: if the worms of the star with the least sum share none, it is the one. Else, with two
 * ports, dynamic programming over the destinations in the order of labels. A star is a list of
 * runs, destinations one after the other over one port, and ports alternate. A leg that leads past
 * a run can share links only with the legs within that run, with the leg that led to it, and with
 * the one that leads past the next run, since labels only grow. Each worm crosses a link at most
 * once, so these numbers add up. State (b, c): the leg at hand leads from b past the run that ends
 * with c.
 *   With more ports all stars are tried if there are at most MOST_TRIED. Else pairs of worms of the
 * star with the least sum are united until no link is shared, each time the pair that leaves the
 * fewest shared links, then the least sum: there may be a better star.
 * Cost: O(k^2 l + k^3 w) time for k destinations and ways of l hops, w of them between neighbouring
 * labels of destinations; 12 k^2 bytes, and 8 bytes per link.
 */
#include "network/schemes/star.h"

#include <stdlib.h>
#include <string.h>

/* With more than two ports all stars are tried if there are at most this many. */
enum { MOST_TRIED = 1 << 12 };

#define NO_STAR UINT64_MAX /* else shared links << 32 | sum of lengths */

struct search {
    const struct star_side *side;
    uint32_t *worms; /* by link; all 0 between two stars */
    uint32_t *way;   /* nodes of a leg */
    uint32_t *next;  /* by node: on the leg at hand, + 1; 0: none */
    uint32_t *inner; /* by node: on the way past all destinations, + 1; 0: none */
    /* by node of that way or a destination: its label's distance from the source's */
    uint32_t *height;
    uint64_t *value;    /* of state [b][c] */
    uint32_t *before;   /* the b of the state before it */
    uint32_t *head;     /* nodes of legs from c, each as far as the next destination's label */
    uint32_t *head_end; /* of each leg */
    size_t head_room;
};

/* Writes the nodes of a leg, both ends included, up to the first at least `until` high; returns
 * their number. Rows are those of the costs. */
static uint32_t walk(const struct star_side *side, uint32_t row, uint32_t to, uint32_t until,
                     uint32_t *way)
{
    uint32_t nodes = 0, target = side->node[to];
    way[nodes++] = row < side->ports ? side->source : side->node[row - side->ports];
    if (row < side->ports)
        way[nodes++] = side->neighbour[row];
    while (way[nodes - 1] != target &&
           label_distance(side->topology, side->source, way[nodes - 1]) < until) {
        way[nodes] = route_label_next(side->topology, way[nodes - 1], target);
        nodes++;
    }
    return nodes;
}

/* ---- any star ---- */

/* Walks all worms and counts them in each link, or clears the links. Returns how many links reach
 * 2. */
static uint32_t mark_star(struct search *search, const uint32_t *port_of, bool clears)
{
    const struct star_side *side = search->side;
    uint32_t shared = 0;
    for (uint32_t port = 0; port < side->ports; port++)
        for (uint32_t i = 0, row = port; i < side->count; i++) {
            if (port_of[i] != port)
                continue;
            uint32_t nodes = walk(side, row, i, UINT32_MAX, search->way);
            for (uint32_t j = 0; j + 1 < nodes; j++) {
                uint32_t *worms = &search->worms[topology_link(
                    side->topology, search->way[j],
                    topology_port_to(side->topology, search->way[j], search->way[j + 1]))];
                *worms = clears ? 0 : *worms + 1;
                shared += *worms == 2;
            }
            row = side->ports + i;
        }
    return shared;
}

static uint64_t value_of(struct search *search, const uint32_t *port_of)
{
    uint64_t sum = 0;
    for (uint32_t port = 0; port < search->side->ports; port++)
        for (uint32_t i = 0, row = port; i < search->side->count; i++)
            if (port_of[i] == port) {
                if (star_cost(search->side, row, i) == MATCHING_FORBIDDEN)
                    return NO_STAR;
                sum += star_cost(search->side, row, i);
                row = search->side->ports + i;
            }
    uint64_t shared = mark_star(search, port_of, false);
    mark_star(search, port_of, true);
    return shared << 32 | sum;
}

/* Returns the number of stars, at most one more than MOST_TRIED. */
static uint32_t stars_of(const struct star_side *side)
{
    uint64_t stars = 1;
    for (uint32_t i = 0; i < side->count && stars <= MOST_TRIED; i++)
        stars *= side->ports;
    return stars > MOST_TRIED ? MOST_TRIED + 1 : (uint32_t)stars;
}

static void try_all(struct search *search, uint64_t least, uint32_t *port, uint32_t *tried)
{
    const struct star_side *side = search->side;
    for (uint32_t star = 0, stars = stars_of(side); star < stars; star++) {
        for (uint32_t i = 0, rest = star; i < side->count; i++, rest /= side->ports)
            tried[i] = rest % side->ports;
        uint64_t value = value_of(search, tried);
        if (value >= least)
            continue;
        least = value;
        memcpy(port, tried, side->count * sizeof *port);
    }
}

/* Unites worms two by two until no link is shared. One of both ports can have the first destination
 * of either. */
static void unite(struct search *search, uint64_t least, uint32_t *port, uint32_t *tried)
{
    uint32_t k = search->side->count, ports = search->side->ports;
    while (least >> 32 > 0) {
        uint32_t from = 0, to = 0;
        least = NO_STAR;
        for (uint32_t pair = 0; pair < ports * ports; pair++) {
            uint32_t left = 0;
            for (uint32_t i = 0; i < k; i++) {
                left += port[i] == pair / ports;
                tried[i] = port[i] == pair / ports ? pair % ports : port[i];
            }
            uint64_t value =
                left == 0 || pair / ports == pair % ports ? NO_STAR : value_of(search, tried);
            if (value >= least)
                continue;
            least = value;
            from = pair / ports;
            to = pair % ports;
        }
        for (uint32_t i = 0; i < k; i++)
            port[i] = port[i] == from ? to : port[i];
    }
}

/* ---- two ports ---- */

/* Marks the way past all destinations, each node with the next one. */
static void mark_inner(struct search *search)
{
    const struct star_side *side = search->side;
    for (uint32_t i = 0; i + 1 < side->count; i++) {
        uint32_t nodes = walk(side, STAR_PAIR + i, i + 1, UINT32_MAX, search->way);
        for (uint32_t j = 0; j + 1 < nodes; j++)
            search->inner[search->way[j]] = search->way[j + 1] + 1;
    }
    for (uint32_t i = 0; i < side->count; i++)
        search->height[i] = label_distance(side->topology, side->source, side->node[i]);
}

/* Returns the sum of the lengths of the legs within a run. */
static uint64_t run_length(const struct search *search, uint32_t first, uint32_t last)
{
    uint64_t length = 0;
    for (uint32_t i = first; i < last; i++)
        length += star_cost(search->side, STAR_PAIR + i, i + 1);
    return length;
}

/* Returns the length of the leg from a row past the run first .. last, and the links that it shares
 * with the legs within. */
static uint64_t past_run(struct search *search, uint32_t row, uint32_t first, uint32_t last)
{
    const struct star_side *side = search->side;
    if (star_cost(search->side, row, last + 1) == MATCHING_FORBIDDEN)
        return NO_STAR;
    uint32_t nodes = walk(side, row, last + 1, UINT32_MAX, search->way);
    uint64_t value = star_cost(search->side, row, last + 1);
    for (uint32_t i = 0; i + 1 < nodes; i++) {
        uint32_t node = search->way[i], height = label_distance(side->topology, side->source, node);
        if (height >= search->height[first] && height < search->height[last] &&
            search->inner[node] == search->way[i + 1] + 1)
            value += UINT64_C(1) << 32;
    }
    return value;
}

/* Marks the leg from a row to a destination, or clears its marks. */
static void mark_leg(struct search *search, uint32_t row, uint32_t to, bool clears)
{
    uint32_t nodes = walk(search->side, row, to, UINT32_MAX, search->way);
    for (uint32_t i = 0; i + 1 < nodes; i++)
        search->next[search->way[i]] = clears ? 0 : search->way[i + 1] + 1;
}

/* Returns how many links of the marked leg are on a way. */
static uint64_t shared_with(const struct search *search, const uint32_t *way, const uint32_t *end)
{
    uint64_t shared = 0;
    for (; way + 1 < end; way++)
        shared += search->next[way[0]] == way[1] + 1;
    return shared << 32;
}

static void improve(struct search *search, uint32_t b, uint32_t c, uint64_t value, uint32_t before)
{
    size_t state = (size_t)b * search->side->count + c;
    if (value >= search->value[state])
        return;
    search->value[state] = value;
    search->before[state] = before;
}

/* Makes the first states: the first run goes over one port, the leg past it over the other one. */
static void begin(struct search *search)
{
    const struct star_side *side = search->side;
    for (uint32_t port = 0; port < STAR_PAIR; port++) {
        if (star_cost(search->side, port, 0) == MATCHING_FORBIDDEN)
            continue;
        for (uint32_t c = 0; c + 1 < side->count; c++) {
            uint64_t value = past_run(search, !port, 0, c);
            if (value == NO_STAR)
                continue;
            mark_leg(search, port, 0, false);
            uint32_t nodes = walk(side, !port, c + 1, UINT32_MAX, search->way);
            value += shared_with(search, search->way, search->way + nodes);
            mark_leg(search, port, 0, true);
            improve(search, !port, c,
                    value + star_cost(search->side, port, 0) + run_length(search, 0, c), 0);
        }
    }
}

/* Computes all states that follow those whose leg leads past a run that ends with c. */
static void go_on(struct search *search, uint32_t c, uint64_t *past)
{
    const struct star_side *side = search->side;
    uint32_t k = side->count, used = 0, row = STAR_PAIR + c;
    uint64_t length = 0;
    for (uint32_t d = c + 1; d + 1 < k; d++) {
        length += d > c + 1 ? star_cost(search->side, STAR_PAIR + d - 1, d) : 0;
        past[d] = length + past_run(search, row, c + 1, d);
        uint32_t *head = memory_grow(search->head, &search->head_room,
                                     (size_t)used + side->topology->nodes, sizeof *head);
        if (head == NULL) {
            side->plan->lacks_memory = true;
            return;
        }
        search->head = head;
        used += walk(side, row, d + 1, search->height[c + 1], search->head + used);
        search->head_end[d] = used;
    }
    for (uint32_t b = 0; b < STAR_PAIR + c; b++) {
        uint64_t value = search->value[(size_t)b * k + c];
        if (value == NO_STAR)
            continue;
        mark_leg(search, b, c + 1, false);
        for (uint32_t d = c + 1, first = 0; d + 1 < k; first = search->head_end[d++])
            improve(
                search, row, d,
                value + past[d] +
                    shared_with(search, search->head + first, search->head + search->head_end[d]),
                b);
        mark_leg(search, b, c + 1, true);
    }
}

/* Gives the runs of the star that ends with a state their ports, backwards from `end`, the last
 * run's last destination. */
static void read_star(const struct search *search, uint32_t b, uint32_t c, uint32_t *port)
{
    uint32_t k = search->side->count, end = k, parity = 0;
    for (;;) {
        for (uint32_t i = c + 1; i < end; i++)
            port[i] = parity;
        end = c + 1;
        parity = !parity;
        if (b < STAR_PAIR)
            break;
        uint32_t before = search->before[(size_t)b * k + c];
        c = b - STAR_PAIR;
        b = before;
    }
    for (uint32_t i = 0; i < end; i++)
        port[i] = parity;
    /* The first run has the port that the leg past it does not have */
    if (parity == b)
        for (uint32_t i = 0; i < k; i++)
            port[i] = !port[i];
}

static void find_pair(struct search *search, uint64_t least, uint32_t *port, uint64_t *past)
{
    const struct star_side *side = search->side;
    uint32_t k = side->count;
    memset(search->value, 0xff, (size_t)(k + STAR_PAIR) * k * sizeof *search->value);
    mark_inner(search);
    begin(search);
    for (uint32_t c = 0; c + 1 < k && !side->plan->lacks_memory; c++)
        go_on(search, c, past);
    for (uint32_t c = 0; c + 1 < k; c++)
        for (uint32_t b = 0; b < STAR_PAIR + c; b++) {
            uint64_t value = search->value[(size_t)b * k + c];
            if (value == NO_STAR || value + run_length(search, c + 1, k - 1) >= least)
                continue;
            least = value + run_length(search, c + 1, k - 1);
            read_star(search, b, c, port);
        }
    for (uint32_t row = 0; row < STAR_PAIR; row++) {
        uint64_t first = star_cost(side, row, 0);
        if (first == MATCHING_FORBIDDEN || first + run_length(search, 0, k - 1) >= least)
            continue;
        least = first + run_length(search, 0, k - 1);
        for (uint32_t i = 0; i < k; i++)
            port[i] = row;
    }
}

/* ---- all of it ---- */

void star_least_apart(const struct star_side *side, uint32_t *port)
{
    struct plan *plan = side->plan;
    uint32_t nodes = side->topology->nodes, k = side->count;
    size_t states = side->ports == STAR_PAIR ? (size_t)(k + STAR_PAIR) * k : 0;
    struct search search = {.side = side,
                            .worms =
                                plan_scratch(plan, side->topology->links, sizeof *search.worms),
                            .way = plan_scratch(plan, (size_t)nodes + 1, sizeof *search.way),
                            .next = plan_scratch(plan, nodes, sizeof *search.next),
                            .inner = plan_scratch(plan, nodes, sizeof *search.inner),
                            .height = plan_scratch(plan, k, sizeof *search.height),
                            .value = plan_scratch(plan, states, sizeof *search.value),
                            .before = plan_scratch(plan, states, sizeof *search.before),
                            .head_end = plan_scratch(plan, k, sizeof *search.head_end)};
    uint64_t *past = plan_scratch(plan, k, sizeof *past);
    if (plan->lacks_memory)
        return;
    uint64_t value = value_of(&search, port);
    if (value >> 32 == 0)
        return;
    if (side->ports == STAR_PAIR)
        find_pair(&search, value, port, past);
    else if (stars_of(side) <= MOST_TRIED)
        try_all(&search, value, port, search.head_end);
    else
        unite(&search, value, port, search.head_end);
    free(search.head);
}
