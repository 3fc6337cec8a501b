/* otms_pair.c - of two worms that share the destinations of a side, the split in which the longer
 * one is shortest.
 *
 * Method: dynamic programming over the destinations in the order of labels. A state says which of
 * the two worms has the last destination, where the other worm ended, and how long both are. The
 * next destination goes to either worm. States that agree in the ends of both worms are a line; of
 * a line only points are kept that no other one is as short as in both lengths. Where the same worm
 * goes on, the line stays, and its points move by one leg; where the other one takes the
 * destination, all lines of that worm flow into a new one.
 *   What is left to pay at least, from each pair of ends, is a small dynamic program of its own. So
 * a search for stars whose worms are no longer than T leaves out all points that cannot come below
 * 2 T in sum. T begins at half the least sum, which no star beats, and grows until there is a star;
 * the longest worm of the star of the least sum ends the search at the latest. Most stars can be
 * balanced almost without detours: then few points are ever made.
 *   Of several shortest stars one with the least sum is taken, of these one with the smallest last
 * destinations.
 * Cost: O(k^2) for k destinations, beside the points: at most O(k^2 T), 0.05 s for 1000
 * destinations on 64 x 64. Memory 4 k^2 bytes, and 12 a point, of which there are at most 2 k (T +
 * 1), and never more than MOST_POINTS.
 */
#include "network/schemes/star.h"

#include <assert.h>
#include <stdlib.h>

enum { NONE = UINT32_MAX, FAR = UINT32_MAX / 4, PORTS = STAR_PAIR };
enum { MOST_POINTS = 1 << 24 };

/* Lengths of the worm that does not have the last destination, and of the one that has it, when the
 * line was made; the line from which the point came. */
struct point {
    uint32_t other, own, from;
};

/* The end of the other worm: a row of the costs, so below PORTS if it has not begun. */
struct line {
    uint32_t end, port;           /* of the worm that has the last destination */
    uint32_t made;                /* the destination with which it began */
    uint32_t first, count, alive; /* its points; the first ones of them can still become a star */
};

struct pair_search {
    const struct star_side *side;
    uint32_t *left; /* left_at() */
    /* for each destination, the legs from the first one to it, if one worm takes all */
    uint64_t *along;
    uint32_t limit; /* T */
    uint32_t lines, points;
    size_t room;       /* for points */
    struct line *line; /* room for all: 2 a destination, and 2 */
    struct point *point;
    uint32_t *open; /* lines with points that are alive */
    uint32_t opens;
    struct point *best; /* of each length of the other worm, for a new line; own is NONE: none */
    uint32_t low, high; /* best[] has points only from low to high */
    bool is_full;       /* there were too many points */
};

static uint32_t leg(const struct pair_search *search, uint32_t row, uint32_t destination)
{
    return star_cost(search->side, row, destination);
}

/* ---- the remaining cost ---- */

/* Returns the least sum of legs to the destinations after the one taken last, if the other worm's
 * end is at that row of the costs; FAR and more: there is no way. */
static uint32_t *left_at(const struct pair_search *search, uint32_t taken, uint32_t end)
{
    return &search->left[(size_t)taken * search->side->size + end];
}

static uint32_t sum(uint32_t one, uint32_t other)
{
    return one >= FAR || other >= FAR ? FAR : one + other;
}

static void fill_left(struct pair_search *search)
{
    uint32_t last = search->side->count - 1;
    for (uint32_t end = 0; end < PORTS + last; end++)
        *left_at(search, last, end) = 0;
    for (uint32_t taken = last; taken-- > 0;) {
        uint32_t next = taken + 1, own = PORTS + taken, straight = leg(search, own, next);
        for (uint32_t end = 0; end < own; end++) {
            uint32_t same = sum(straight, *left_at(search, next, end));
            uint32_t change = sum(leg(search, end, next), *left_at(search, next, own));
            *left_at(search, taken, end) = same < change ? same : change;
        }
    }
}

/* Returns the least sum of all legs. */
static uint32_t least_sum(const struct pair_search *search)
{
    uint32_t least = FAR;
    for (uint32_t port = 0; port < PORTS; port++) {
        uint32_t whole = sum(leg(search, port, 0), *left_at(search, 0, 1 - port));
        least = whole < least ? whole : least;
    }
    return least;
}

/* ---- points ---- */

/* True if worms of these lengths can become a star within the limit, when `left` is still to be
 * paid. */
static bool is_hopeful(const struct pair_search *search, uint64_t one, uint64_t other,
                       uint32_t left)
{
    return one <= search->limit && other <= search->limit &&
           one + other + left <= 2 * (uint64_t)search->limit;
}

static void add_point(struct pair_search *search, struct point point)
{
    search->is_full |= search->points >= MOST_POINTS;
    if (search->is_full)
        return;
    struct point *grown =
        memory_grow(search->point, &search->room, search->points + (size_t)1, sizeof *grown);
    if (grown == NULL) {
        search->side->plan->lacks_memory = search->is_full = true;
        return;
    }
    search->point = grown;
    search->point[search->points++] = point;
}

/* Returns the length of the worm that has destination `taken`, at a point of a line. */
static uint64_t own_length(const struct pair_search *search, const struct line *line,
                           const struct point *point, uint32_t taken)
{
    return point->own + search->along[taken] - search->along[line->made];
}

static void offer(struct pair_search *search, struct point point)
{
    if (point.own >= search->best[point.other].own)
        return;
    search->best[point.other] = point;
    search->low = point.other < search->low ? point.other : search->low;
    search->high = point.other > search->high ? point.other : search->high;
}

/* Advances a line to destination `next`: offers its points to best[] for the other worm, and keeps
 * alive those whose own worm may go on. */
static void advance_line(struct pair_search *search, uint32_t index, uint32_t next)
{
    struct line *line = &search->line[index];
    uint32_t change = leg(search, line->end, next), own_row = PORTS + next - 1;
    uint32_t left_changed = *left_at(search, next, own_row);
    uint32_t left_same = *left_at(search, next, line->end);
    uint32_t straight = leg(search, own_row, next);
    for (uint32_t i = line->alive; i-- > 0;) {
        struct point *point = &search->point[line->first + i], dead = *point;
        uint64_t own = own_length(search, line, point, next - 1);
        uint64_t longer = (uint64_t)point->other + change;
        if (change != MATCHING_FORBIDDEN && is_hopeful(search, own, longer, left_changed))
            offer(search, (struct point){(uint32_t)own, (uint32_t)longer, index});
        if (is_hopeful(search, own + straight, point->other, left_same))
            continue;
        *point = search->point[line->first + --line->alive];
        search->point[line->first + line->alive] = dead;
    }
}

/* Makes the line of best[]: from the shortest other worm on, own worms must get shorter. Empties
 * best[]. */
static void make_line(struct pair_search *search, uint32_t end, uint32_t port, uint32_t next)
{
    struct line line = {.end = end, .port = port, .made = next, .first = search->points};
    uint32_t shortest = NONE;
    for (uint32_t length = search->low; length <= search->high; length++) {
        struct point *best = &search->best[length];
        if (best->own < shortest)
            add_point(search, *best);
        shortest = best->own < shortest ? best->own : shortest;
        best->own = NONE;
    }
    search->low = search->limit + 1;
    search->high = 0;
    line.count = line.alive = search->points - line.first;
    search->line[search->lines] = line;
    if (line.count > 0)
        search->open[search->opens++] = search->lines++;
}

/* ---- the search ---- */

/* Makes the lines of the first destination. */
static void begin(struct pair_search *search)
{
    search->lines = search->points = search->opens = 0;
    search->low = search->limit + 1;
    search->high = 0;
    for (uint32_t port = 0; port < PORTS; port++) {
        uint32_t first = leg(search, port, 0), other = 1 - port;
        if (first != MATCHING_FORBIDDEN && is_hopeful(search, first, 0, *left_at(search, 0, other)))
            offer(search, (struct point){0, first, NONE});
        make_line(search, other, port, 0);
    }
}

static void take(struct pair_search *search, uint32_t next)
{
    uint32_t opens = search->opens, kept = 0;
    for (uint32_t port = 0; port < PORTS; port++) {
        for (uint32_t i = 0; i < opens; i++)
            if (search->line[search->open[i]].port == port)
                advance_line(search, search->open[i], next);
        make_line(search, PORTS + next - 1, 1 - port, next);
    }
    for (uint32_t i = 0; i < search->opens; i++)
        if (search->line[search->open[i]].alive > 0)
            search->open[kept++] = search->open[i];
    search->opens = kept;
}

/* The quality of a star, the most important first. */
struct merit {
    uint64_t of[4];
};

static struct merit merit_of(const struct pair_search *search, const struct line *line,
                             const struct point *point)
{
    uint32_t last = search->side->count - 1;
    uint64_t own = own_length(search, line, point, last), other = point->other;
    uint64_t end[PORTS] = {line->end, line->end};
    end[line->port] = PORTS + last;
    return (struct merit){{own > other ? own : other, own + other, end[0], end[1]}};
}

static bool is_better(const struct merit *one, const struct merit *other)
{
    for (int i = 0; i < 4; i++)
        if (one->of[i] != other->of[i])
            return one->of[i] < other->of[i];
    return false;
}

/* Returns the point before the line of `point` was made, of the line from which it came. */
static const struct point *point_before(const struct pair_search *search, const struct line *line,
                                        const struct point *point)
{
    const struct line *from = &search->line[point->from];
    uint32_t change = leg(search, from->end, line->made);
    for (uint32_t i = 0; i < from->count; i++) {
        const struct point *before = &search->point[from->first + i];
        if (own_length(search, from, before, line->made - 1) == point->other &&
            before->other + change == point->own)
            return before;
    }
    assert(!"a point came from its line");
    return NULL;
}

/* Sets the ports of the best star; false: there is none. */
static bool read_star(const struct pair_search *search, uint32_t *port_of)
{
    const struct point *best = NULL;
    const struct line *line = NULL;
    struct merit least = {{UINT64_MAX}};
    for (uint32_t i = 0; i < search->opens; i++) {
        const struct line *open = &search->line[search->open[i]];
        for (uint32_t j = 0; j < open->alive; j++) {
            const struct point *point = &search->point[open->first + j];
            struct merit merit = merit_of(search, open, point);
            if (!is_better(&merit, &least))
                continue;
            least = merit;
            best = point;
            line = open;
        }
    }
    if (best == NULL)
        return false;
    for (uint32_t end = search->side->count; end > 0;) {
        while (end > line->made)
            port_of[--end] = line->port;
        if (end == 0)
            break;
        const struct point *before = point_before(search, line, best);
        line = &search->line[best->from];
        best = before;
    }
    return true;
}

/* Searches for stars within growing limits; leaves port_of unchanged if it has made too many
 * points. */
static void search_stars(struct pair_search *search, uint32_t longest, uint32_t *port_of)
{
    uint32_t least = (least_sum(search) + 1) / 2;
    for (uint32_t slack = 0;; slack = 2 * slack + 1) {
        search->limit = min_u32(least + slack, longest);
        begin(search);
        for (uint32_t next = 1; next < search->side->count && !search->is_full; next++)
            take(search, next);
        if (search->is_full || read_star(search, port_of))
            return;
        assert(search->limit < longest);
    }
}

bool star_shortest_pair(const struct star_side *side, uint32_t longest, uint32_t *port)
{
    struct plan *plan = side->plan;
    uint32_t count = side->count, lines = PORTS * (count + 1);
    struct pair_search search = {
        .side = side,
        .left = plan_scratch(plan, (size_t)count * side->size, sizeof *search.left),
        .along = plan_scratch(plan, count, sizeof *search.along),
        .line = plan_scratch(plan, lines, sizeof *search.line),
        .open = plan_scratch(plan, lines, sizeof *search.open),
        .best = plan_scratch(plan, (size_t)longest + 1, sizeof *search.best)};
    assert(side->ports == PORTS);
    if (plan->lacks_memory)
        return false;
    for (uint32_t i = 1; i < count; i++)
        search.along[i] = search.along[i - 1] + leg(&search, PORTS + i - 1, i);
    for (uint32_t length = 0; length <= longest; length++)
        search.best[length].own = NONE;
    fill_left(&search);
    search_stars(&search, longest, port);
    free(search.point);
    return !search.is_full;
}
