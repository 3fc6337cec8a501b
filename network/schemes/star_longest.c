/* star_longest.c - the multicast star whose longest worm is shortest.
 *
 * Method: is there a star whose longest worm is at most T, and which is the best one? T begins at a
 * bound that no star can be below, and grows ever faster until one is found. Dynamic programming
 * over the destinations in the order of labels answers it. A state says over which port the last
 * one went, and of each port the last destination and the length so far. The next destination
 * continues the worm of the same port, and the state lives on with this length grown, or goes over
 * another port, which makes a new state. New states that agree in ports and last destinations are
 * kept only if none of them is at least as short at every port. A state is dropped where a length
 * is above T, or where all lengths together must become more than p T. The destinations to come
 * cost at least the sum of the potentials of their rows and columns in the matching of least sum.
 * That bound is sharp, since worms of about the same length have nearly the least sum, and few
 * states are left. A run, destinations one after the other over one port, is recorded with the run
 * before it; the star is read from the last one backwards. Of several stars it takes one with the
 * least sum of lengths.
 * Bound: the least sum over p ports, and the shortest way to a destination; then one more than a T
 * that was refused.
 * Cost: the matching, and O(k p) a state. Those that are kept after each destination are bounded,
 * to the ones whose sum must be least, and so are all runs. What is found or refused after that
 * proves nothing, and T is halved towards the bound until nothing is found. If none is found below
 * the longest worm of the least sum, that star is it.
 *   Two ports have a search of their own, which is exact as long as its points are enough
 * (otms_pair.c).
 * Source: V. Bouchitte, J. Cohen, E. Fleury, 1997.
 */
#include "network/schemes/star.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

/* The states that are kept after a destination, times their ports, and the runs, of 12 bytes
 * each. */
enum { MOST_STATES = 1 << 15, MOST_RUNS = 1 << 24 };

/* A state is a row of words, in an order such that rows compare word by word. */
/* then: the last destination of each port, its length; the run */
enum { ROW_WIDTH, ROW_PORT, ROW_LAST };

struct run {
    uint32_t before, first, port; /* the run before it; its first destination */
};

struct search {
    const struct star_side *side;
    uint32_t ports, width, longest; /* words of a row; no worm may be longer */
    bool is_bounded;                /* states were dropped that may have led to a star */
    const int64_t *potential;       /* of the rows of the costs */
    int64_t *ahead;                 /* potentials of the columns and rows after each destination */
    uint32_t states;
    uint32_t *state;
    uint32_t fresh; /* states that the destination at hand has made */
    uint32_t *made;
    uint32_t runs;
    size_t states_room, fresh_room, runs_room;
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

/* Adds a copy of a row, and returns it. NULL: the plan lacks memory. */
static uint32_t *add_row(const struct search *search, uint32_t **rows, uint32_t *count,
                         size_t *room, const uint32_t *row)
{
    struct plan *plan = search->side->plan;
    uint32_t *grown = *count == UINT32_MAX ? NULL
                                           : memory_grow(*rows, room, *count + (size_t)1,
                                                         search->width * sizeof **rows);
    plan->lacks_memory |= grown == NULL;
    if (grown == NULL)
        return NULL;
    *rows = grown;
    return memcpy(row_at(search, *rows, (*count)++), row, search->width * sizeof *row);
}

/* ---- a destination ---- */

/* Returns the cost of the leg over a port from its worm's end to the destination. */
static uint32_t leg(const struct search *search, uint32_t port, uint32_t last, uint32_t to)
{
    uint32_t from = last == 0 ? port : search->ports + last - 1;
    return star_cost(search->side, from, to);
}

/* Returns a bound of the sum of all lengths, once `placed` destinations have ports. */
static int64_t least_sum(const struct search *search, uint32_t *row, uint32_t placed)
{
    int64_t sum = search->ahead[placed];
    for (uint32_t port = 0; port < search->ports; port++) {
        uint32_t last = row[ROW_LAST + port];
        sum += lengths(search, row)[port];
        sum += search->potential[last == 0 ? port : search->ports + last - 1];
    }
    return sum;
}

/* True if no worm is too long, and all of them need not be. */
static bool can_be_short(const struct search *search, uint32_t *row, uint32_t port, uint32_t placed)
{
    return lengths(search, row)[port] <= search->longest &&
           least_sum(search, row, placed) <= (int64_t)search->ports * search->longest;
}

/* Makes the states in which the destination goes over another port than the one before. */
static void change_ports(struct search *search, uint32_t destination)
{
    search->fresh = 0;
    for (uint32_t i = 0; i < search->states; i++)
        for (uint32_t port = 0; port < search->ports; port++) {
            uint32_t *row = row_at(search, search->state, i);
            uint32_t cost = leg(search, port, row[ROW_LAST + port], destination);
            if (port == row[ROW_PORT] || cost == MATCHING_FORBIDDEN)
                continue;
            row = add_row(search, &search->made, &search->fresh, &search->fresh_room, row);
            if (row == NULL)
                return;
            row[ROW_PORT] = port;
            row[ROW_LAST + port] = destination + 1;
            lengths(search, row)[port] += cost;
            if (!can_be_short(search, row, port, destination + 1))
                search->fresh--;
        }
}

/* Keeps the states in which the destination goes over the same port; drops the others, and the one
 * at the beginning. */
static void keep_ports(struct search *search, uint32_t destination)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < search->states; i++) {
        uint32_t *row = row_at(search, search->state, i), port = row[ROW_PORT];
        if (port == NONE)
            continue;
        uint32_t length =
            lengths(search, row)[port] + leg(search, port, row[ROW_LAST + port], destination);
        row[ROW_LAST + port] = destination + 1;
        lengths(search, row)[port] = length;
        if (!can_be_short(search, row, port, destination + 1))
            continue;
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

/* Takes over the new states that no other one of their group is as short as. */
static void take_shortest(struct search *search)
{
    uint32_t group = search->states;
    size_t key = (ROW_LAST + search->ports) * sizeof(uint32_t);
    if (search->fresh > 0)
        qsort(search->made, search->fresh, search->width * sizeof *search->made, compare);
    for (uint32_t i = 0; i < search->fresh; i++) {
        uint32_t *row = row_at(search, search->made, i), other = search->states;
        if (i == 0 || memcmp(row, row_at(search, search->made, i - 1), key) != 0)
            group = search->states;
        while (other > group && !is_as_short(search, row_at(search, search->state, other - 1), row))
            other--;
        if (other == group)
            add_row(search, &search->state, &search->states, &search->states_room, row);
    }
}

/* Begins a run at the destination for each state after the first `old` ones; stops at too many
 * runs. */
static void begin_runs(struct search *search, uint32_t old, uint32_t destination)
{
    if (search->states - old > MOST_RUNS - search->runs) {
        search->is_bounded = true;
        search->states = 0;
    }
    for (uint32_t i = old; i < search->states; i++) {
        uint32_t *row = row_at(search, search->state, i);
        struct run *grown =
            memory_grow(search->run, &search->runs_room, search->runs + (size_t)1, sizeof *grown);
        search->side->plan->lacks_memory |= grown == NULL;
        if (grown == NULL)
            return;
        search->run = grown;
        search->run[search->runs] = (struct run){*run_of(search, row), destination, row[ROW_PORT]};
        *run_of(search, row) = search->runs++;
    }
}

/* ---- the bound of states ---- */

static int compare_sums(const void *one, const void *other)
{
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

/* Keeps as many states as are allowed, those with the least possible sums, the older ones first. Of
 * the states `old` are old; returns how many of them are left. */
static uint32_t bound_states(struct search *search, uint32_t placed, uint32_t old)
{
    uint32_t most = MOST_STATES / search->ports + 1;
    if (search->states <= most)
        return old;
    int64_t *sorted = memory_allocate(search->states, sizeof *sorted);
    uint32_t kept = 0, ties = 0, old_kept = 0;
    search->side->plan->lacks_memory |= sorted == NULL;
    if (sorted == NULL)
        return old;
    for (uint32_t i = 0; i < search->states; i++)
        sorted[i] = least_sum(search, row_at(search, search->state, i), placed);
    qsort(sorted, search->states, sizeof *sorted, compare_sums);
    int64_t limit = sorted[most - 1];
    for (uint32_t i = 0; i < most; i++)
        ties += sorted[i] == limit;
    free(sorted);
    for (uint32_t i = 0; i < search->states; i++) {
        uint32_t *row = row_at(search, search->state, i);
        int64_t sum = least_sum(search, row, placed);
        if (sum > limit || (sum == limit && ties == 0))
            continue;
        ties -= sum == limit;
        old_kept += i < old;
        memmove(row_at(search, search->state, kept++), row, search->width * sizeof *row);
    }
    search->states = kept;
    search->is_bounded = true;
    return old_kept;
}

/* ---- the star ---- */

static uint32_t longest_of(const struct search *search, uint32_t *row)
{
    uint32_t longest = 0;
    for (uint32_t port = 0; port < search->ports; port++)
        if (lengths(search, row)[port] > longest)
            longest = lengths(search, row)[port];
    return longest;
}

static uint64_t sum_of(const struct search *search, uint32_t *row)
{
    uint64_t sum = 0;
    for (uint32_t port = 0; port < search->ports; port++)
        sum += lengths(search, row)[port];
    return sum;
}

/* Sets the ports of the best state; returns its longest worm. */
static uint32_t read_star(const struct search *search, uint32_t *port_of)
{
    uint32_t best = 0, end = search->side->count;
    for (uint32_t i = 1; i < search->states; i++) {
        uint32_t *row = row_at(search, search->state, i);
        uint32_t *least = row_at(search, search->state, best);
        uint32_t longest = longest_of(search, row), shortest = longest_of(search, least);
        if (longest < shortest ||
            (longest == shortest && sum_of(search, row) < sum_of(search, least)))
            best = i;
    }
    uint32_t longest = longest_of(search, row_at(search, search->state, best));
    for (uint32_t at = *run_of(search, row_at(search, search->state, best)); at != NONE;) {
        const struct run *run = &search->run[at];
        while (end > run->first)
            port_of[--end] = run->port;
        at = run->before;
    }
    assert(end == 0);
    return longest;
}

/* Leaves the states of stars whose worms are short enough. `begin` has room for a row. */
static void search_stars(struct search *search, uint32_t *begin)
{
    const struct plan *plan = search->side->plan;
    search->states = search->runs = 0;
    search->is_bounded = false;
    memset(begin, 0, search->width * sizeof *begin);
    begin[ROW_WIDTH] = search->width;
    begin[ROW_PORT] = *run_of(search, begin) = NONE;
    add_row(search, &search->state, &search->states, &search->states_room, begin);
    for (uint32_t i = 0; i < search->side->count && search->states > 0 && !plan->lacks_memory;
         i++) {
        change_ports(search, i);
        keep_ports(search, i);
        uint32_t old = search->states;
        take_shortest(search);
        old = bound_states(search, i + 1, old);
        begin_runs(search, old, i);
    }
}

/* ---- the bound ---- */

/* Adds up, from the last destination on, the potentials of columns and rows after each, those of
 * the ends included. */
static void look_ahead(struct search *search)
{
    uint32_t size = search->side->size, count = search->side->count;
    const int64_t *row = search->potential, *column = row + size;
    search->ahead[count] = 0;
    for (uint32_t end = count; end < size; end++)
        search->ahead[count] += column[end];
    for (uint32_t i = count; i-- > 0;)
        search->ahead[i] = search->ahead[i + 1] + column[i] + row[search->ports + i];
}

/* Returns a lower bound on the longest worm of any star, by the least sum of lengths and by the
 * shortest way to each destination. `way` has room for the destinations. */
static uint32_t length_bound(const struct search *search, int64_t *way)
{
    uint32_t ports = search->ports;
    int64_t farthest = 0, sum = search->ahead[0];
    for (uint32_t port = 0; port < ports; port++)
        sum += search->potential[port];
    for (uint32_t j = 0; j < search->side->count; j++) {
        way[j] = INT64_MAX;
        for (uint32_t row = 0; row < ports + j; row++) {
            int64_t cost = star_cost(search->side, row, j);
            int64_t before = row < ports ? 0 : way[row - ports];
            if (cost != MATCHING_FORBIDDEN && before != INT64_MAX && before + cost < way[j])
                way[j] = before + cost;
        }
        farthest = way[j] > farthest ? way[j] : farthest;
    }
    int64_t share = (sum + ports - 1) / ports;
    return (uint32_t)(share > farthest ? share : farthest);
}

/* Searches between the bound and the longest worm of a known star; returns the bound. */
static uint32_t find_star(struct search *search, uint32_t *port, uint32_t bound)
{
    struct plan *plan = search->side->plan;
    uint32_t low = bound, high = star_longest_worm(search->side, port), more = 0;
    uint32_t *begin = plan_scratch(plan, search->width, sizeof *begin);
    for (bool is_found = false; low < high && !plan->lacks_memory;) {
        search->longest = more < high - low ? low + more : high - 1;
        search_stars(search, begin);
        if (plan->lacks_memory)
            break;
        if (search->states > 0) {
            is_found = true;
            high = read_star(search, port);
            low = search->is_bounded ? low : high;
        } else {
            low = search->longest + 1;
        }
        if (low > bound && !search->is_bounded)
            bound = low;
        more = is_found ? (high - low) / 2 : 2 * more + 1;
    }
    free(search->state);
    free(search->made);
    free(search->run);
    return bound;
}

uint32_t star_least_longest(const struct star_side *side, uint32_t *port)
{
    struct search search = {
        .side = side, .ports = side->ports, .width = ROW_LAST + 2 * side->ports + 1};
    int64_t *sums = plan_scratch(side->plan, side->size, 4 * sizeof *sums);
    if (sums != NULL)
        star_least_sum(side, port, sums);
    if (side->plan->lacks_memory)
        return 0;
    search.potential = sums;
    search.ahead = sums + (size_t)2 * side->size;
    look_ahead(&search);
    uint32_t bound = length_bound(&search, search.ahead + side->size);
    if (side->ports != STAR_PAIR)
        return find_star(&search, port, bound);
    bool is_best = star_shortest_pair(side, star_longest_worm(side, port), port);
    return is_best ? star_longest_worm(side, port) : bound;
}
