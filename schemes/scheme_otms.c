/* scheme_otms.c - the multicast star whose longest worm is shortest, the optimal time multicast star.
 *
 * Method: dynamic programming over the destinations in the order of labels. A state says over which port the last one
 * went, and of each port the last destination and the length so far. The next destination continues the worm of the
 * same port, and the state lives on with this length grown, or goes over another port, which makes a new state. New
 * states that agree in ports and last destinations are kept only if none of them is at least as short at every port.
 * No state is kept that is longer than the longest worm of the least sum. A run, destinations one after the other over
 * one port, is recorded with the run before it; the star is read from the last one backwards. Of several stars it
 * takes one with the least sum of lengths.
 * Cost: two ports, O(k L) states at a time, L the longest worm, so O(k^2 L log(k L)) time. More ports have O((k L)^p)
 * states; there those that are kept after each destination are bounded, to the ones whose longest worm is shortest.
 * While they do not reach that bound the star is optimal; beyond it, it is at least as good as that of the least sum.
 * Source: V. Bouchitte, J. Cohen, E. Fleury, 1997.
 */
#include "schemes/matching.h"
#include "schemes/star.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* With more than two ports: states after a destination, times their ports. */
enum { MOST_STATES = 1 << 15, EXACT_PORTS = 2, NONE = UINT32_MAX };

/* A state is a row of words, in an order such that rows compare word by word. */
enum { ROW_WIDTH, ROW_PORT, ROW_LAST }; /* behind: of each port the last one, its length; the run */

struct run {
    uint32_t before, first, port; /* the run before it; its first destination */
};

struct search {
    const struct star_side *side;
    const struct star_costs *costs;
    uint32_t ports, width, longest; /* words of a row; no worm may be longer */
    uint32_t states, states_room;
    uint32_t *state;
    uint32_t fresh, fresh_room; /* states that the destination at hand has made */
    uint32_t *made;
    uint32_t runs, runs_room;
    struct run *run;
};

static uint32_t *row_at(const struct search *search, uint32_t *rows, uint32_t index)
{
    return rows + (size_t)index * search->width;
}

static uint32_t *lengths(const struct search *search, uint32_t *row)
{
    return row + ROW_LAST + search->ports;
}

static uint32_t *run_of(const struct search *search, uint32_t *row)
{
    return row + search->width - 1;
}

static int compare(const void *one, const void *other)
{
    const uint32_t *a = one, *b = other;
    for (uint32_t i = ROW_PORT; i < a[ROW_WIDTH]; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Makes room for one more of `count` items. False: no memory. */
static bool make_room(void **items, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return true;
    uint32_t wanted = *room < 64 ? 64 : 2 * *room;
    void *grown = wanted < *room ? NULL : memory_resize(*items, wanted, size);
    if (grown == NULL)
        return false;
    *items = grown;
    *room = wanted;
    return true;
}

static bool add_row(const struct search *search, uint32_t **rows, uint32_t *count, uint32_t *room,
                    const uint32_t *row)
{
    void *items = *rows;
    bool is_made = make_room(&items, *count, room, search->width * sizeof **rows);
    *rows = items;
    if (is_made)
        memcpy(row_at(search, *rows, (*count)++), row, search->width * sizeof *row);
    return is_made;
}

/* ---- a destination ---- */

/* What it costs to go over a port from where its worm ended to the destination. */
static uint32_t leg(const struct search *search, uint32_t port, uint32_t last, uint32_t to)
{
    uint32_t from = last == 0 ? port : search->ports + last - 1;
    return search->costs->cost[(size_t)from * search->costs->size + to];
}

/* Makes the states in which the destination goes over another port than the one before. False: no memory. */
static bool change_ports(struct search *search, uint32_t destination)
{
    search->fresh = 0;
    for (uint32_t i = 0; i < search->states; i++)
        for (uint32_t port = 0; port < search->ports; port++) {
            uint32_t *row = row_at(search, search->state, i);
            uint32_t cost = leg(search, port, row[ROW_LAST + port], destination);
            if (port == row[ROW_PORT] || cost == MATCHING_FORBIDDEN ||
                lengths(search, row)[port] + cost > search->longest)
                continue;
            if (!add_row(search, &search->made, &search->fresh, &search->fresh_room, row))
                return false;
            row = row_at(search, search->made, search->fresh - 1);
            row[ROW_PORT] = port;
            row[ROW_LAST + port] = destination + 1;
            lengths(search, row)[port] += cost;
        }
    return true;
}

/* The states in which the destination goes over the same port; the others go, and so does the one at the beginning. */
static void keep_ports(struct search *search, uint32_t destination)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < search->states; i++) {
        uint32_t *row = row_at(search, search->state, i), port = row[ROW_PORT];
        if (port == NONE)
            continue;
        uint32_t length =
            lengths(search, row)[port] + leg(search, port, row[ROW_LAST + port], destination);
        if (length > search->longest)
            continue;
        row[ROW_LAST + port] = destination + 1;
        lengths(search, row)[port] = length;
        memmove(row_at(search, search->state, kept++), row, search->width * sizeof *row);
    }
    search->states = kept;
}

static bool is_as_short(const struct search *search, uint32_t *row, uint32_t *than)
{
    const uint32_t *one = lengths(search, row), *other = lengths(search, than);
    for (uint32_t port = 0; port < search->ports; port++)
        if (one[port] > other[port])
            return false;
    return true;
}

/* Takes over the new states that no other one of their group is as short as; each begins a run. Sorted rows of a group
 * grow in the first length, so with two lengths the last one taken is the shortest in the second. False: no memory. */
static bool take_shortest(struct search *search, uint32_t destination)
{
    uint32_t group = search->states;
    size_t key = (ROW_LAST + search->ports) * sizeof(uint32_t);
    if (search->fresh > 0)
        qsort(search->made, search->fresh, search->width * sizeof *search->made, compare);
    for (uint32_t i = 0; i < search->fresh; i++) {
        uint32_t *row = row_at(search, search->made, i), other = search->states;
        if (i == 0 || memcmp(row, row_at(search, search->made, i - 1), key) != 0)
            group = search->states;
        uint32_t end = search->ports <= 2 && group < other ? other - 1 : group;
        while (other > end && !is_as_short(search, row_at(search, search->state, other - 1), row))
            other--;
        if (other > end)
            continue;
        void *runs = search->run;
        bool is_made = make_room(&runs, search->runs, &search->runs_room, sizeof *search->run);
        search->run = runs;
        if (!is_made)
            return false;
        search->run[search->runs] = (struct run){*run_of(search, row), destination, row[ROW_PORT]};
        if (!add_row(search, &search->state, &search->states, &search->states_room, row))
            return false;
        *run_of(search, row_at(search, search->state, search->states - 1)) = search->runs++;
    }
    return true;
}

static uint32_t longest_of(const struct search *search, uint32_t *row)
{
    uint32_t longest = 0;
    for (uint32_t port = 0; port < search->ports; port++)
        if (lengths(search, row)[port] > longest)
            longest = lengths(search, row)[port];
    return longest;
}

/* ---- the bound of states ---- */

static int compare_numbers(const void *one, const void *other)
{
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

/* Leaves as many states as are allowed, those with the shortest longest worms, the older ones first. False: no memory. */
static bool bound_states(struct search *search)
{
    uint32_t most = search->ports <= EXACT_PORTS ? UINT32_MAX : MOST_STATES / search->ports + 1;
    if (search->states <= most)
        return true;
    uint32_t *sorted = memory_allocate(search->states, sizeof *sorted), kept = 0, ties = 0;
    if (sorted == NULL)
        return false;
    for (uint32_t i = 0; i < search->states; i++)
        sorted[i] = longest_of(search, row_at(search, search->state, i));
    qsort(sorted, search->states, sizeof *sorted, compare_numbers);
    uint32_t limit = sorted[most - 1];
    for (uint32_t i = 0; i < most; i++)
        ties += sorted[i] == limit;
    free(sorted);
    for (uint32_t i = 0; i < search->states; i++) {
        uint32_t *row = row_at(search, search->state, i), longest = longest_of(search, row);
        if (longest > limit || (longest == limit && ties == 0))
            continue;
        ties -= longest == limit;
        memmove(row_at(search, search->state, kept++), row, search->width * sizeof *row);
    }
    search->states = kept;
    return true;
}

/* ---- the star ---- */

/* The length of the longest worm. */
static uint32_t longest_worm(const struct star_side *side, const struct star_costs *costs,
                             const uint32_t *port_of)
{
    uint32_t longest = 0;
    for (uint32_t port = 0; port < side->ports; port++) {
        uint32_t length = 0, from = port;
        for (uint32_t i = 0; i < side->count; i++) {
            if (port_of[i] != port)
                continue;
            length += costs->cost[(size_t)from * costs->size + i];
            from = side->ports + i;
        }
        longest = length > longest ? length : longest;
    }
    return longest;
}

static uint64_t sum_of(const struct search *search, uint32_t *row)
{
    uint64_t sum = 0;
    for (uint32_t port = 0; port < search->ports; port++)
        sum += lengths(search, row)[port];
    return sum;
}

/* Sets the ports of the best state; leaves them alone where no state is left. */
static void read_star(const struct search *search, uint32_t *port_of)
{
    uint32_t best = 0, end = search->side->count;
    if (search->states == 0)
        return;
    for (uint32_t i = 1; i < search->states; i++) {
        uint32_t *row = row_at(search, search->state, i);
        uint32_t *least = row_at(search, search->state, best);
        uint32_t longest = longest_of(search, row), shortest = longest_of(search, least);
        if (longest < shortest ||
            (longest == shortest && sum_of(search, row) < sum_of(search, least)))
            best = i;
    }
    for (uint32_t at = *run_of(search, row_at(search, search->state, best)); at != NONE;) {
        const struct run *run = &search->run[at];
        while (end > run->first)
            port_of[--end] = run->port;
        at = run->before;
    }
    assert(end == 0);
}

static bool search_star(struct search *search)
{
    uint32_t *begin = memory_allocate(search->width, sizeof *begin);
    if (begin == NULL)
        return false;
    begin[ROW_WIDTH] = search->width;
    begin[ROW_PORT] = *run_of(search, begin) = NONE;
    bool is_done = add_row(search, &search->state, &search->states, &search->states_room, begin);
    free(begin);
    for (uint32_t i = 0; is_done && i < search->side->count; i++) {
        is_done = change_ports(search, i);
        keep_ports(search, i);
        is_done = is_done && take_shortest(search, i) && bound_states(search);
    }
    return is_done;
}

static enum failure_kind rule(const struct star_side *side, uint32_t *port, struct failure *failure)
{
    struct star_costs costs;
    if (star_costs_make(&costs, side, failure) != FAIL_NONE)
        return failure->kind;
    struct search search = {.side = side,
                            .costs = &costs,
                            .ports = side->ports,
                            .width = ROW_LAST + 2 * side->ports + 1};
    enum failure_kind kind = star_least_sum(side, &costs, port, failure);
    if (kind == FAIL_NONE && side->ports > 1) {
        search.longest = longest_worm(side, &costs, port);
        if (search_star(&search))
            read_star(&search, port);
        else
            kind = fail_memory(failure, "the stars of a source");
    }
    free(search.state);
    free(search.made);
    free(search.run);
    star_costs_free(&costs);
    return kind;
}

static enum failure_kind plan(const struct topology *topology, const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *made,
                              struct failure *failure)
{
    return star_plan(topology, multicast, choices->choice[0] == STAR_STRICT, rule, made, failure);
}

const struct scheme scheme_otms = {
    .name = "otms",
    .summary = "the worms along a Hamiltonian path of which the longest is shortest",
    .parameter = {STAR_PORT_PARAMETER},
    .routing = scheme_label_routing,
    .plan = plan,
};
