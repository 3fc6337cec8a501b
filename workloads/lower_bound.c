/* lower_bound.c - how few steps any router can need: the kinds of bounds, and where they are looked
 * for.
 *
 * One pass over the messages takes the distances and counts what crosses the aligned squares
 * (aligned_squares.c). Which other rectangles to count is found on a sample of the messages: of a
 * small set all messages and all rectangles (crossing_sweep.c); of a larger one a part of the
 * messages and the rectangles of a grid, the best of which are moved by nodes (crossing_climb.c),
 * and Theorem 1's corner squares. Those with the most messages per link are counted over the whole set
 * (crossing.c), then the nodes that receive most (node_bound.c), and the copies (copy_bound.c).
 * What is looked at depends on the sides and the number of deliveries only.
 *
 * Cost: O(deliveries log n) time for the pass; for the rest 2^24 steps of the sweep, or, where the
 * mesh is larger than its grid, a sample of 2^16 deliveries or a 64th of the set. Memory: 12 bytes a
 * node, 4 for each destination of the largest message.
 */
#include "workloads/lower_bound.h"

#include "base/numbers.h"
#include "workloads/aligned_squares.h"
#include "workloads/copy_bound.h"
#include "workloads/crossing.h"
#include "workloads/node_bound.h"
#include "workloads/pattern_private.h"

#include <stdlib.h>
#include <string.h>

enum {
    SWEEP_WORK = 1 << 24,   /* deliveries x rows of a sweep that sees all */
    SAMPLE_LEAST = 1 << 15, /* deliveries */
    SAMPLE_MOST = 1 << 23, /* .. of which a message has one at least (crossing_sweep.c, MESSAGES) */
    SAMPLE_PART = 128,     /* of the set and the nodes */
    COUNTING_WORK = 1 << 21, /* rectangles x deliveries that are counted exactly */
    COUNTED_LEAST = 4,       /* rectangles of these */
    CLIMBERS = 2,            /* of each direction */
    CORNERS = 4,
    CANDIDATES = SWEEP_FOUND + CORNERS + 2,
};

/* ---- the pass over the messages ---- */

/* The steps to the farthest of the destinations. */
static uint32_t farthest_of(uint32_t source, const uint32_t *place, uint32_t count)
{
    int row = (int)row_of_place(source), col = (int)col_of_place(source), most = 0;
    for (uint32_t i = 0; i < count; i++) {
        int distance =
            abs((int)row_of_place(place[i]) - row) + abs((int)col_of_place(place[i]) - col);
        most = distance > most ? distance : most;
    }
    return (uint32_t)most;
}

/* Raises the distance, and the copies on the way if they can matter: d destinations are at most d times 2^farthest. Returns
 * the distance of the message. */
static uint32_t raise_distance(uint32_t source, const uint32_t *place, uint32_t count,
                               struct lower_bounds *bounds)
{
    uint32_t farthest = farthest_of(source, place, count);
    if (farthest > bounds->steps[BOUND_DISTANCE])
        bounds->steps[BOUND_DISTANCE] = farthest;
    uint32_t bits = 0; /* the logarithm of count, rounded up */
    while (bits < 32 && (UINT64_C(1) << bits) < count)
        bits++;
    if (farthest + bits <= bounds->steps[BOUND_SPLIT])
        return farthest;
    uint64_t steps = split_bound(source, place, count, farthest);
    if (steps > bounds->steps[BOUND_SPLIT])
        bounds->steps[BOUND_SPLIT] = steps;
    return farthest;
}

/* Writes the places of a message's destinations; returns how many there are. */
static uint32_t places_of(const struct message_set *set, uint32_t message, uint32_t *place)
{
    uint32_t count = (uint32_t)(set->offset[message + 1] - set->offset[message]);
    for (uint32_t j = 0; j < count; j++)
        place[j] = place_of_node(set->mesh, set->destination[set->offset[message] + j]);
    return count;
}

/* Raises the distances, and counts messages by theirs, up to rows + cols - 2, in as_far[]. */
static void pass_distances(const struct message_set *set, uint32_t *place, uint32_t *as_far,
                           struct lower_bounds *bounds)
{
    for (uint32_t i = 0; i < set->messages; i++) {
        uint32_t count = places_of(set, i, place);
        as_far[raise_distance(place_of_node(set->mesh, set->source[i]), place, count, bounds)]++;
    }
}

static void pass_squares(const struct message_set *set, uint32_t *place,
                         struct aligned_squares *squares, struct lower_bounds *bounds)
{
    for (uint32_t i = 0; i < set->messages; i++) {
        uint32_t count = places_of(set, i, place);
        aligned_squares_add(squares, place_of_node(set->mesh, set->source[i]), place, count);
    }
    aligned_squares_raise(squares, bounds);
}

/* ---- what needs no count ---- */

/* True if no rectangle and no copies of one can prove more than the distance D, so that D, or what copies add to it, is the
 * largest bound.
 *   Let k messages count for a rectangle of A nodes and L links, with `before` and `after`; let t be their sum, and K the
 * messages that go farther than t. A message that counts has a distance of t + 1 at least, so k <= K. Each has a source or
 * a destination inside, so k <= u A, where u is the most that a node sends or receives. A rectangle that reaches from edge
 * to edge has L >= m, the shorter side; of others two sides that meet have links, so L >= 2 sqrt(A). So k / L is at most
 * K / m or sqrt(u K) / 2, and none proves more than D = t + r if K <= r m and u K <= 4 r^2.
 *   The copies that a rectangle must make are fewer than c A, so they prove c at most. */
static bool distance_is_largest(struct mesh mesh, const uint32_t *as_far, uint64_t most_per_node,
                                uint64_t distance)
{
    uint64_t shorter = mesh.rows < mesh.cols ? mesh.rows : mesh.cols, farther = 0;
    if (most_per_node > distance)
        return false;
    for (uint64_t rest = 1; rest <= distance; rest++) {
        farther += as_far[distance - rest + 1];
        if (farther > rest * shorter || most_per_node * farther > 4 * rest * rest)
            return false;
    }
    return true;
}

/* ---- the search for rectangles ---- */

/* The most messages that a node receives, and sends. */
struct loads {
    uint32_t received, sent;
};

/* Those found so far; no more than CANDIDATES. */
struct search {
    const struct message_set *set;
    struct loads loads;
    struct message_sample sample;
    bool sees_all; /* the sweep has seen every rectangle and every message */
    struct crossing found[CANDIDATES];
    uint32_t count;
};

/* The deliveries of a sample. */
static uint64_t room_of(const struct message_set *set, bool *fits_grid)
{
    struct mesh mesh = set->mesh;
    uint64_t part = (set->deliveries + mesh_nodes(mesh)) / SAMPLE_PART;
    *fits_grid = mesh.rows <= SWEEP_CELLS && mesh.cols <= SWEEP_CELLS;
    if (*fits_grid)
        part = SWEEP_WORK / mesh.rows;
    else if (part < SAMPLE_LEAST)
        part = SAMPLE_LEAST;
    return part < SAMPLE_MOST ? part : SAMPLE_MOST;
}

/* Theorem 1's square of n / (c + 1) nodes, in each of the corners; of l n / (c + l) where nodes send l messages, so
 * that the others send as many as its nodes can receive. */
static void add_corners(struct search *search)
{
    struct mesh mesh = search->set->mesh;
    uint32_t sent = max_u32(search->loads.sent, 1);
    uint32_t side = theorem1_side(mesh, search->loads.received / sent);
    for (uint32_t i = 0; i < CORNERS; i++) {
        struct rectangle corner = {.row = i < 2 ? 0 : mesh.rows - side,
                                   .col = i % 2 == 0 ? 0 : mesh.cols - side,
                                   .rows = side,
                                   .cols = side};
        search->found[search->count++] = (struct crossing){corner, true};
    }
}

static void add_square(struct search *search, const struct lower_bounds *bounds, bool enters)
{
    enum lower_bound_kind kind = enters ? BOUND_ENTER : BOUND_LEAVE;
    if (bounds->steps[kind] > 0)
        search->found[search->count++] = (struct crossing){bounds->reason[kind].rectangle, enters};
}

/* The first CLIMBERS of each direction climb; no others are kept. */
static enum failure_kind climb(struct search *search, struct failure *failure)
{
    uint32_t climbers[2] = {0, 0}, kept = 0;
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t i = 0; i < search->count && kind == FAIL_NONE; i++) {
        struct crossing crossing = search->found[i];
        if (climbers[crossing.enters]++ >= CLIMBERS)
            continue;
        kind = crossing_climb(&search->sample, &crossing, failure);
        search->found[kept++] = crossing;
    }
    search->count = kept;
    return kind;
}

/* Those with the most messages per link in the sample come first. */
static void sort_found(struct search *search)
{
    uint64_t messages[CANDIDATES], links[CANDIDATES];
    for (uint32_t i = 0; i < search->count; i++) {
        struct crossing crossing = search->found[i];
        uint64_t crossings = crossing_count(&search->sample, &crossing);
        uint64_t over = rectangle_links(search->set->mesh, &crossing.rectangle), at = i;
        for (; at > 0 && crossings * links[at - 1] > messages[at - 1] * over; at--) {
            search->found[at] = search->found[at - 1];
            messages[at] = messages[at - 1];
            links[at] = links[at - 1];
        }
        search->found[at] = crossing;
        messages[at] = crossings;
        links[at] = over;
    }
}

static enum failure_kind look_for_rectangles(struct search *search,
                                             const struct lower_bounds *bounds,
                                             struct failure *failure)
{
    enum failure_kind kind =
        crossing_sweep(&search->sample, search->found, &search->count, failure);
    if (kind != FAIL_NONE || search->sees_all)
        return kind;
    kind = climb(search, failure);
    add_square(search, bounds, true);
    add_square(search, bounds, false);
    add_corners(search);
    sort_found(search);
    return kind;
}

/* Counts as many of those found as may be counted. */
static enum failure_kind count_rectangles(const struct message_set *set, const struct loads *loads,
                                          struct lower_bounds *bounds, struct failure *failure)
{
    uint64_t deliveries = set->deliveries;
    struct search *search = memory_allocate(1, sizeof *search);
    if (search == NULL)
        return fail_memory(failure, "the lower bounds");
    search->set = set;
    search->loads = *loads;
    uint64_t room = room_of(set, &search->sees_all);
    search->sees_all &= deliveries <= room;
    enum failure_kind kind = message_sample_take(set, room, &search->sample, failure);
    if (kind == FAIL_NONE)
        kind = look_for_rectangles(search, bounds, failure);
    uint64_t most = COUNTING_WORK / (deliveries + 1);
    most = most > COUNTED_LEAST ? most : COUNTED_LEAST;
    uint32_t count = search->count < most ? search->count : (uint32_t)most;
    if (kind == FAIL_NONE && count > 0)
        kind = crossings_raise(set, search->found, count, bounds, failure);
    message_sample_free(&search->sample);
    free(search);
    return kind;
}

/* All but the distances. `place` has room for the destinations of a message, and one more. */
static enum failure_kind raise_rectangles(const struct message_set *set, const struct loads *loads,
                                          uint32_t *place, struct lower_bounds *bounds,
                                          struct failure *failure)
{
    struct aligned_squares squares;
    enum failure_kind kind = aligned_squares_open(&squares, set->mesh, failure);
    if (kind != FAIL_NONE)
        return kind;
    pass_squares(set, place, &squares, bounds);
    kind = count_rectangles(set, loads, bounds, failure);
    const uint32_t *received = squares.level[0].enter;
    if (kind == FAIL_NONE)
        kind = node_bounds_raise(set, received, bounds, failure);
    if (kind == FAIL_NONE)
        copy_bounds_raise(set, received, bounds);
    aligned_squares_close(&squares);
    return kind;
}

enum failure_kind lower_bounds_compute_loads(const struct message_set *set, uint32_t congestion,
                                             uint32_t most_sent, enum lower_bound_extent extent,
                                             struct lower_bounds *bounds, struct failure *failure)
{
    struct mesh mesh = set->mesh;
    uint32_t *place = memory_allocate((size_t)message_set_degree(set) + 1, sizeof *place);
    uint32_t *as_far = memory_allocate((size_t)mesh.rows + mesh.cols, sizeof *as_far);
    struct loads loads = {congestion, most_sent};
    enum failure_kind kind = FAIL_NONE;
    memset(bounds, 0, sizeof *bounds);
    if (place == NULL || as_far == NULL || loads.received == UINT32_MAX || loads.sent == UINT32_MAX)
        kind = fail_memory(failure, "the lower bounds");
    if (kind == FAIL_NONE)
        pass_distances(set, place, as_far, bounds);
    if (kind == FAIL_NONE &&
        (extent == BOUNDS_ALL ||
         !distance_is_largest(mesh, as_far, max_u32(loads.received, loads.sent),
                              bounds->steps[BOUND_DISTANCE])))
        kind = raise_rectangles(set, &loads, place, bounds, failure);
    free(place);
    free(as_far);
    return kind;
}

enum failure_kind lower_bounds_compute(const struct message_set *set,
                                       enum lower_bound_extent extent, struct lower_bounds *bounds,
                                       struct failure *failure)
{
    struct message_set room;
    const struct message_set *away = message_set_away(set, &room, failure);
    if (away == NULL)
        return FAIL_SYSTEM;
    enum failure_kind kind = lower_bounds_compute_loads(
        away, message_set_congestion(away), message_set_most_sent(away), extent, bounds, failure);
    message_set_free(&room);
    return kind;
}
