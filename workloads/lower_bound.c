/* lower_bound.c - how few steps any router can need: distance, and what must cross a square's edge.
 *
 * A message with its source outside a square A and a destination inside crosses a link into A at
 * least once, and a link carries one item a step; so distinct such messages / links into A is a
 * lower bound, and the same holds for leaving. Links are those that exist: a square at the mesh's
 * edge has fewer, a square cut by the edge is a rectangle.
 *
 * Method: the squares of side 2^j whose corners are multiples of 2^j are the prefixes of the nodes'
 * Morton codes (row and column bits interleaved), 2j bits cut off. Each message's destinations are
 * sorted by these codes once; level by level equal prefixes, which stand together, are merged, and
 * each one left, other than the source's own, is one message that enters that square. The message
 * leaves its source's square if there is such another one. The corner squares are counted directly.
 * `node` is the level j = 0 again under its own name.
 *
 * Cost: O(deliveries log n) time, plus one pass over the counts; the sort is by insertion or
 * quicksort. Memory: 4 bytes for each destination of the largest message, 11 bytes a node.
 */
#include "workloads/lower_bound.h"
#include "workloads/pattern_private.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LEVELS = 16 };

/* The squares of one level: `rows` x `cols` of them, side 2^j. */
struct level {
    uint32_t cols, rows;
    uint32_t *enter, *leave; /* messages that must */
};

struct square {
    uint32_t row, col, rows, cols;
};

struct counts {
    struct mesh mesh;
    uint32_t levels; /* those with more than one square */
    struct level level[MAX_LEVELS];
    uint32_t *memory; /* of all levels */
    uint32_t *place;  /* [degree]: scratch */
    struct square corner[4];
    uint32_t corner_enter[4], corner_leave[4];
};

/* A node's place in one word: the row in the upper half, the column in the lower. */
static inline uint32_t place_of(struct mesh mesh, node_index node)
{
    uint32_t row = node / mesh.cols;
    return row << 16 | (node - row * mesh.cols);
}

/* Puts a zero bit above each of the 16 low bits. */
static inline uint32_t spread_bits(uint32_t bits)
{
    bits = (bits | bits << 8) & 0x00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f;
    bits = (bits | bits << 2) & 0x33333333;
    return (bits | bits << 1) & 0x55555555;
}

/* The inverse: drops every second bit. */
static inline uint32_t gather_bits(uint32_t bits)
{
    bits &= 0x55555555;
    bits = (bits | bits >> 1) & 0x33333333;
    bits = (bits | bits >> 2) & 0x0f0f0f0f;
    bits = (bits | bits >> 4) & 0x00ff00ff;
    return (bits | bits >> 8) & 0x0000ffff;
}

/* Sorts places by their Morton codes. */
static void sort_places(uint32_t *place, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        place[i] = spread_bits(place[i] >> 16) << 1 | spread_bits(place[i] & 0xffff);
    message_set_sort_nodes(place, count);
    for (uint32_t i = 0; i < count; i++)
        place[i] = gather_bits(place[i] >> 1) << 16 | gather_bits(place[i]);
}

/* The place, one level up, of the square that holds the square at `place`. */
static inline uint32_t place_above(uint32_t place)
{
    return place >> 1 & 0x7fff7fff;
}

static inline uint32_t square_index(const struct level *level, uint32_t place)
{
    return (place >> 16) * level->cols + (place & 0xffff);
}

/* Lays out the levels and the four corner squares, all counts zero. */
static enum failure_kind counts_open(struct counts *counts, const struct message_set *set,
                                     struct failure *failure)
{
    struct mesh mesh = set->mesh;
    uint32_t longer = mesh.rows > mesh.cols ? mesh.rows : mesh.cols;
    size_t squares = 0, at = 0;
    *counts = (struct counts){.mesh = mesh};
    while ((1u << counts->levels) < longer) {
        struct level *level = &counts->level[counts->levels];
        uint32_t last = (1u << counts->levels) - 1;
        assert(counts->levels < MAX_LEVELS);
        level->rows = (mesh.rows + last) >> counts->levels;
        level->cols = (mesh.cols + last) >> counts->levels;
        squares += (size_t)level->rows * level->cols;
        counts->levels++;
    }
    counts->memory = memory_allocate(squares, 2 * sizeof *counts->memory);
    counts->place = memory_allocate(message_set_degree(set), sizeof *counts->place);
    uint32_t congestion = message_set_congestion(set);
    if (counts->memory == NULL || counts->place == NULL || congestion == UINT32_MAX) {
        free(counts->memory);
        free(counts->place);
        return fail_memory(failure, "the lower bounds");
    }
    for (uint32_t j = 0; j < counts->levels; j++) {
        struct level *level = &counts->level[j];
        level->enter = counts->memory + at;
        level->leave = level->enter + (size_t)level->rows * level->cols;
        at += 2 * (size_t)level->rows * level->cols;
    }
    uint32_t side = theorem1_side(mesh, congestion);
    for (uint32_t i = 0; i < 4; i++)
        counts->corner[i] = (struct square){.row = i < 2 ? 0 : mesh.rows - side,
                                            .col = i % 2 == 0 ? 0 : mesh.cols - side,
                                            .rows = side,
                                            .cols = side};
    return FAIL_NONE;
}

/* Counts one message in all levels. place[] holds its destinations and is used up. */
static void count_message(struct counts *counts, uint32_t source, uint32_t *place, uint32_t count)
{
    sort_places(place, count);
    for (uint32_t j = 0; j < counts->levels; j++) {
        const struct level *level = &counts->level[j];
        uint32_t kept = 0, before = UINT32_MAX;
        bool leaves = false;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t here = place[i];
            if (here == before)
                continue;
            before = here;
            place[kept++] = place_above(here);
            if (here != source) {
                level->enter[square_index(level, here)]++;
                leaves = true;
            }
        }
        count = kept;
        if (leaves)
            level->leave[square_index(level, source)]++;
        source = place_above(source);
    }
}

static inline bool is_inside(const struct square *square, uint32_t place)
{
    return ((place >> 16) - square->row < square->rows) &
           ((place & 0xffff) - square->col < square->cols);
}

/* Counts one message at the corner squares. */
static void count_corners(struct counts *counts, uint32_t source, const uint32_t *place,
                          uint32_t count)
{
    for (uint32_t k = 0; k < 4; k++) {
        struct square corner = counts->corner[k];
        uint32_t inside = 0;
        for (uint32_t i = 0; i < count; i++)
            inside += is_inside(&corner, place[i]);
        bool starts_inside = is_inside(&corner, source);
        counts->corner_enter[k] += !starts_inside && inside > 0;
        counts->corner_leave[k] += starts_inside && inside < count;
    }
}

/* The steps to the farthest of the destinations. */
static uint32_t farthest(uint32_t source, const uint32_t *place, uint32_t count)
{
    int row = (int)(source >> 16), col = (int)(source & 0xffff), most = 0;
    for (uint32_t i = 0; i < count; i++) {
        int distance = abs((int)(place[i] >> 16) - row) + abs((int)(place[i] & 0xffff) - col);
        most = distance > most ? distance : most;
    }
    return (uint32_t)most;
}

/* The links into a square, which are as many as those out of it. */
static uint32_t links_into(struct mesh mesh, const struct square *square)
{
    uint32_t links = 0;
    links += square->row > 0 ? square->cols : 0;
    links += square->row + square->rows < mesh.rows ? square->cols : 0;
    links += square->col > 0 ? square->rows : 0;
    links += square->col + square->cols < mesh.cols ? square->rows : 0;
    return links;
}

/* Raises a bound to what `messages` over the square's edge ask for. */
static void raise_bound(struct lower_bounds *bounds, enum lower_bound_kind kind, struct mesh mesh,
                        const struct square *square, uint32_t messages)
{
    if (messages == 0)
        return;
    uint32_t links = links_into(mesh, square);
    uint64_t steps = ((uint64_t)messages + links - 1) / links;
    if (steps <= bounds->steps[kind])
        return;
    bounds->steps[kind] = steps;
    bounds->square[kind].row = square->row;
    bounds->square[kind].col = square->col;
    bounds->square[kind].rows = square->rows;
    bounds->square[kind].cols = square->cols;
}

/* Turns the counts of level j into bounds. */
static void raise_level(struct lower_bounds *bounds, const struct counts *counts, uint32_t j)
{
    const struct level *level = &counts->level[j];
    struct mesh mesh = counts->mesh;
    uint32_t side = 1u << j, i = 0;
    for (uint32_t r = 0; r < level->rows; r++)
        for (uint32_t c = 0; c < level->cols; c++, i++) {
            struct square square = {.row = r << j, .col = c << j};
            if (level->enter[i] == 0 && level->leave[i] == 0)
                continue;
            square.rows = mesh.rows - square.row < side ? mesh.rows - square.row : side;
            square.cols = mesh.cols - square.col < side ? mesh.cols - square.col : side;
            raise_bound(bounds, BOUND_ENTER_SQUARE, mesh, &square, level->enter[i]);
            raise_bound(bounds, BOUND_LEAVE_SQUARE, mesh, &square, level->leave[i]);
            if (j == 0)
                raise_bound(bounds, BOUND_NODE, mesh, &square, level->enter[i]);
        }
}

/* The kind of the largest bound; of equal ones the simplest to explain. */
static enum lower_bound_kind best_kind(const struct lower_bounds *bounds)
{
    static const enum lower_bound_kind SIMPLEST_FIRST[BOUND_KINDS] = {
        BOUND_DISTANCE,     BOUND_NODE,         BOUND_ENTER_SQUARE,
        BOUND_LEAVE_SQUARE, BOUND_ENTER_CORNER, BOUND_LEAVE_CORNER};
    enum lower_bound_kind best = BOUND_DISTANCE;
    for (int i = 0; i < BOUND_KINDS; i++)
        if (bounds->steps[SIMPLEST_FIRST[i]] > bounds->steps[best])
            best = SIMPLEST_FIRST[i];
    return best;
}

const char *lower_bound_name(enum lower_bound_kind kind)
{
    static const char *const NAMES[BOUND_KINDS] = {
        [BOUND_DISTANCE] = "distance",         [BOUND_ENTER_SQUARE] = "enter-square",
        [BOUND_LEAVE_SQUARE] = "leave-square", [BOUND_ENTER_CORNER] = "enter-corner",
        [BOUND_LEAVE_CORNER] = "leave-corner", [BOUND_NODE] = "node"};
    assert(kind < BOUND_KINDS);
    return NAMES[kind];
}

enum failure_kind lower_bounds_compute(const struct message_set *set, struct lower_bounds *bounds,
                                       struct failure *failure)
{
    struct counts counts;
    memset(bounds, 0, sizeof *bounds);
    enum failure_kind kind = counts_open(&counts, set, failure);
    if (kind != FAIL_NONE)
        return kind;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint32_t count = (uint32_t)(set->offset[i + 1] - set->offset[i]);
        uint32_t source = place_of(set->mesh, set->source[i]);
        for (uint32_t j = 0; j < count; j++)
            counts.place[j] = place_of(set->mesh, set->destination[set->offset[i] + j]);
        uint32_t distance = farthest(source, counts.place, count);
        if (distance > bounds->steps[BOUND_DISTANCE])
            bounds->steps[BOUND_DISTANCE] = distance;
        count_corners(&counts, source, counts.place, count);
        count_message(&counts, source, counts.place, count);
    }
    for (uint32_t j = 0; j < counts.levels; j++)
        raise_level(bounds, &counts, j);
    for (uint32_t i = 0; i < 4; i++) {
        raise_bound(bounds, BOUND_ENTER_CORNER, set->mesh, &counts.corner[i],
                    counts.corner_enter[i]);
        raise_bound(bounds, BOUND_LEAVE_CORNER, set->mesh, &counts.corner[i],
                    counts.corner_leave[i]);
    }
    bounds->best = best_kind(bounds);
    free(counts.memory);
    free(counts.place);
    return FAIL_NONE;
}
