/* lower_bound.c - lower bounds on the steps of any router: the kinds of bounds, and the search for
 * them.
 *
 * One pass over the messages computes the distances, and one counts each node's messages. The other
 * rectangles to count are chosen on a sample of the messages: in a small set all messages and all
 * rectangles (crossing_sweep.c); in a larger one a part of the messages and the rectangles of a
 * grid, the busiest node, and Theorem 1's corner squares. The rectangles with the most messages per
 * link are counted over the whole set (crossing.c), then the nodes that receive most, and the
 * copies. The choice depends only on the sides and the number of deliveries. All of this holds for
 * any starts of messages; in a set with times the distances count from the earliest starts, by the
 * longest chains of waits.
 *
 * Cost: O(deliveries) time for the passes; for the rest 2^24 steps of the sweep, or, where the mesh
 * is larger than its grid, a sample of 2^15 deliveries or a 128th of the set. Memory: 8 bytes per
 * node, 4 for each destination of the largest message.
 */
#include "workloads/lower_bound.h"

#include "base/numbers.h"
#include "workloads/crossing.h"
#include "workloads/pattern_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the kinds ---- */

struct kind_row {
    const char *name;
    bool of_copies;
};

static const struct kind_row KINDS[BOUND_KINDS] = {
    [BOUND_DISTANCE] = {"distance", false},
    [BOUND_NODE] = {"node", false},
    [BOUND_ENTER] = {"enter-rectangle", false},
    [BOUND_LEAVE] = {"leave-rectangle", false},
    [BOUND_SPLIT] = {"split", true},
    [BOUND_COPIES] = {"copies", true},
};

const char *lower_bound_name(enum lower_bound_kind kind)
{
    assert(kind < BOUND_KINDS);
    return KINDS[kind].name;
}

bool lower_bound_is_of_copies(enum lower_bound_kind kind)
{
    assert(kind < BOUND_KINDS);
    return KINDS[kind].of_copies;
}

enum lower_bound_kind lower_bound_best(const struct lower_bounds *bounds, bool copy_is_free)
{
    int best = BOUND_DISTANCE;
    for (int kind = 0; kind < BOUND_KINDS; kind++)
        if (bounds->steps[kind] > bounds->steps[best] && !(KINDS[kind].of_copies && copy_is_free))
            best = kind;
    return (enum lower_bound_kind)best;
}

void lower_bound_raise(struct lower_bounds *bounds, enum lower_bound_kind kind,
                       const struct bound_reason *reason)
{
    uint64_t steps =
        reason->before + (reason->messages + reason->links - 1) / reason->links + reason->after;
    if (steps <= bounds->steps[kind])
        return;
    bounds->steps[kind] = steps;
    bounds->reason[kind] = *reason;
}

/* ---- single nodes ----
 *
 * A node's messages arrive over its `links` links, one per link and step, and the one from distance
 * a in step a at the earliest. So if k of them come from farther than `before`, the last arrives at
 * step before + ceil(k / links) at the earliest: the bound of a rectangle of one node (crossing.c),
 * whose deliveries are at its edge.
 *   Method: k and the links bound what a node can prove by ceil(k / links) - 1 + its eccentricity.
 * The NODES with the most of that, if it is more than is proven anyway, get a histogram of
 * distances. */

enum { NODES = 64 };

struct busy_node {
    node_index node;
    uint64_t at_most; /* the most steps that it can prove */
};

struct busy_nodes {
    struct mesh mesh;
    uint32_t count, distances;
    struct busy_node node[NODES]; /* most first */
    uint64_t *is_busy;            /* a bit per node of the mesh */
    uint32_t *arrivals;           /* [NODES][distances] */
};

static struct rectangle rectangle_of(struct mesh mesh, node_index node)
{
    return (struct rectangle){node / mesh.cols, node % mesh.cols, 1, 1};
}

/* Returns the most that a node which receives so many messages can prove. */
static uint64_t most_of(struct mesh mesh, node_index node, uint32_t messages)
{
    struct rectangle at = rectangle_of(mesh, node);
    uint32_t links = rectangle_links(mesh, &at);
    uint32_t rows = max_u32(at.row, mesh.rows - 1 - at.row);
    uint32_t cols = max_u32(at.col, mesh.cols - 1 - at.col);
    return messages == 0 ? 0 : (messages - 1) / links + rows + cols;
}

/* Puts a node in its place among the busy ones, of which there are NODES at most. */
static void insert(struct busy_nodes *busy, struct busy_node candidate)
{
    uint32_t i = busy->count < NODES ? busy->count++ : NODES - 1;
    for (; i > 0 && busy->node[i - 1].at_most < candidate.at_most; i--)
        busy->node[i] = busy->node[i - 1];
    busy->node[i] = candidate;
}

/* Raises the bounds of single nodes by their messages over their links. */
static void raise_loads(struct mesh mesh, const uint32_t *received, const uint32_t *sent,
                        struct lower_bounds *bounds)
{
    for (node_index node = 0; node < mesh_nodes(mesh); node++) {
        struct bound_reason in = {.rectangle = rectangle_of(mesh, node),
                                  .messages = received[node]};
        in.links = rectangle_links(mesh, &in.rectangle);
        struct bound_reason out = in;
        out.messages = sent[node];
        if (in.messages > 0) {
            lower_bound_raise(bounds, BOUND_ENTER, &in);
            lower_bound_raise(bounds, BOUND_NODE, &in);
        }
        if (out.messages > 0)
            lower_bound_raise(bounds, BOUND_LEAVE, &out);
    }
}

static void choose(struct busy_nodes *busy, const uint32_t *received, uint64_t proven)
{
    for (node_index node = 0; node < mesh_nodes(busy->mesh); node++) {
        uint64_t least = busy->count < NODES ? proven : busy->node[NODES - 1].at_most;
        if ((uint64_t)received[node] + busy->distances <= least) /* without a division */
            continue;
        struct busy_node candidate = {node, most_of(busy->mesh, node, received[node])};
        if (candidate.at_most > least)
            insert(busy, candidate);
    }
}

static void count_arrival(struct busy_nodes *busy, node_index source, node_index destination)
{
    struct rectangle from = rectangle_of(busy->mesh, source);
    struct rectangle to = rectangle_of(busy->mesh, destination);
    uint32_t distance = (uint32_t)abs((int)from.row - (int)to.row) +
                        (uint32_t)abs((int)from.col - (int)to.col),
             k = 0;
    while (busy->node[k].node != destination)
        k++;
    busy->arrivals[(size_t)k * busy->distances + distance]++;
}

static void count_arrivals(struct busy_nodes *busy, const struct message_set *set)
{
    for (uint32_t k = 0; k < busy->count; k++)
        busy->is_busy[busy->node[k].node / 64] |= UINT64_C(1) << busy->node[k].node % 64;
    for (uint32_t i = 0; i < set->messages; i++)
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            node_index node = set->destination[j];
            if (busy->is_busy[node / 64] >> node % 64 & 1)
                count_arrival(busy, set->source[i], node);
        }
}

static void raise_node(const struct busy_nodes *busy, uint32_t k, struct lower_bounds *bounds)
{
    const uint32_t *arrivals = &busy->arrivals[(size_t)k * busy->distances];
    struct bound_reason reason = {.rectangle = rectangle_of(busy->mesh, busy->node[k].node)};
    reason.links = rectangle_links(busy->mesh, &reason.rectangle);
    for (uint32_t distance = busy->distances - 1; distance > 0; distance--) {
        reason.messages += arrivals[distance];
        reason.before = distance - 1;
        if (reason.messages > 0)
            lower_bound_raise(bounds, BOUND_NODE, &reason);
    }
}

static enum failure_kind node_bounds_raise(const struct message_set *set, const uint32_t *received,
                                           struct lower_bounds *bounds, struct failure *failure)
{
    struct busy_nodes busy = {.mesh = set->mesh, .distances = set->mesh.rows + set->mesh.cols};
    choose(&busy, received, bounds->steps[lower_bound_best(bounds, true)]);
    if (busy.count == 0)
        return FAIL_NONE;
    enum failure_kind kind = FAIL_NONE;
    busy.is_busy = memory_allocate(mesh_nodes(set->mesh) / 64 + 1, sizeof *busy.is_busy);
    busy.arrivals = memory_allocate((size_t)busy.count * busy.distances, sizeof *busy.arrivals);
    if (busy.is_busy == NULL || busy.arrivals == NULL)
        kind = fail_memory(failure, "the lower bounds");
    else
        count_arrivals(&busy, set);
    for (uint32_t k = 0; k < busy.count && kind == FAIL_NONE; k++)
        raise_node(&busy, k, bounds);
    free(busy.is_busy);
    free(busy.arrivals);
    return kind;
}

/* ---- copies ----
 *
 * One message: follow each of its deliveries back through the packet that made it, and through the
 * packet that this was copied from, to the source. These ways form a tree that forks in two at
 * copies only (a delivery by a packet that goes on is also a copy). A way with v copies and w >=
 * distance moves needs v + w steps, since a copy stops both packets for a step; and the tree's
 * leaves have sum 2^-v <= 1. So if T steps are enough, v <= T - distance for each, and
 *     sum over destinations of 2^(distance - T) <= 1:
 * T is at least the logarithm of sum 2^distance, to base 2: for a broadcast, log2 of the degree
 * more than the distance if all are equally far.
 *   A rectangle: each of its deliveries is by a copy, or ends a packet. The packets that end there
 * began there (one for each message that starts there, at most), or came over a link, or are
 * copies. A node makes one copy per step, a link brings one packet. So
 *     T >= (deliveries in it - messages from it) / (nodes in it + links into it).
 *   Method: 2^distance is summed from the farthest down, in units of 2^(farthest - 37); nearer
 * ones count nothing. The rectangles are those of a grid of at most CELLS x CELLS cells, by prefix
 * sums of a strip's columns. */

enum { CELLS = 32 };

static uint64_t split_bound(uint32_t source, const uint32_t *place, uint32_t count,
                            uint32_t farthest)
{
    int row = (int)place_row(source), col = (int)place_col(source);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t distance = (uint32_t)abs((int)place_row(place[i]) - row) +
                            (uint32_t)abs((int)place_col(place[i]) - col);
        sum += split_weight(farthest - distance);
    }
    return (uint64_t)farthest + split_copies(sum);
}

/* The deliveries minus the messages of each cell. */
struct grid {
    struct cells row, col;
    int64_t more[CELLS][CELLS];
};

/* Cuts the mesh, counts the deliveries of nodes, and subtracts the messages. */
static void fill_grid(struct grid *grid, const struct message_set *set, const uint32_t *received)
{
    struct mesh mesh = set->mesh;
    *grid = (struct grid){.row = {0}};
    cells_make(&grid->row, mesh.rows, min_u32(mesh.rows, CELLS));
    cells_make(&grid->col, mesh.cols, min_u32(mesh.cols, CELLS));
    for (uint32_t y = 0; y < grid->row.count; y++)
        for (uint32_t row = grid->row.cut[y]; row < grid->row.cut[y + 1]; row++)
            for (uint32_t x = 0; x < grid->col.count; x++)
                for (uint32_t col = grid->col.cut[x]; col < grid->col.cut[x + 1]; col++)
                    grid->more[y][x] += received[row * mesh.cols + col];
    for (uint32_t i = 0; i < set->messages; i++)
        grid->more[cell_of(&grid->row, set->source[i] / mesh.cols)]
                  [cell_of(&grid->col, set->source[i] % mesh.cols)]--;
}

/* Raises the bound by the rectangles of cells top .. bottom; column[x]: the sum of more[top ..
 * bottom][x]. */
static void raise_strip(const struct grid *grid, struct mesh mesh, const uint32_t strip[2],
                        const int64_t *column, struct lower_bounds *bounds)
{
    struct rectangle at = {.row = grid->row.cut[strip[0]]};
    at.rows = grid->row.cut[strip[1] + 1] - at.row;
    for (uint32_t x0 = 0; x0 < grid->col.count; x0++) {
        int64_t more = 0;
        at.col = grid->col.cut[x0];
        for (uint32_t x1 = x0; x1 < grid->col.count; x1++) {
            more += column[x1];
            at.cols = grid->col.cut[x1 + 1] - at.col;
            uint64_t a_step = (uint64_t)at.rows * at.cols + rectangle_links(mesh, &at);
            if (more <= 0 || (uint64_t)more <= bounds->steps[BOUND_COPIES] * a_step)
                continue;
            lower_bound_raise(bounds, BOUND_COPIES,
                              &(struct bound_reason){
                                  .rectangle = at, .messages = (uint64_t)more, .links = a_step});
        }
    }
}

static void copy_bounds_raise(const struct message_set *set, const uint32_t *received,
                              struct lower_bounds *bounds)
{
    struct grid grid;
    fill_grid(&grid, set, received);
    for (uint32_t top = 0; top < grid.row.count; top++) {
        int64_t column[CELLS] = {0};
        for (uint32_t bottom = top; bottom < grid.row.count; bottom++) {
            uint32_t strip[2] = {top, bottom};
            for (uint32_t x = 0; x < grid.col.count; x++)
                column[x] += grid.more[bottom][x];
            raise_strip(&grid, set->mesh, strip, column, bounds);
        }
    }
}

/* ---- the bounds of a set ---- */

enum {
    SWEEP_WORK = 1 << 24,   /* deliveries x rows of a sweep that sees all */
    SAMPLE_LEAST = 1 << 15, /* deliveries */
    SAMPLE_MOST = 1 << 23, /* .. of which a message has at least one (crossing_sweep.c, MESSAGES) */
    SAMPLE_PART = 128,     /* of the set and the nodes */
    COUNTING_WORK = 1 << 21, /* rectangles x deliveries that are counted exactly */
    COUNTED_LEAST = 4,       /* rectangles of these */
    CORNERS = 4,
    CANDIDATES = SWEEP_FOUND + CORNERS + 2,
};

/* ---- the pass over the messages ---- */

/* Returns the steps to the farthest of the destinations. */
static uint32_t farthest_of(uint32_t source, const uint32_t *place, uint32_t count)
{
    int row = (int)place_row(source), col = (int)place_col(source), most = 0;
    for (uint32_t i = 0; i < count; i++) {
        int distance = abs((int)place_row(place[i]) - row) + abs((int)place_col(place[i]) - col);
        most = distance > most ? distance : most;
    }
    return (uint32_t)most;
}

/* Raises the distance, and the copies on the way if they can matter: d destinations are at most d
 * times 2^farthest. Returns the distance of the message. */
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

/* Writes the places of a message's destinations; returns their number. */
static uint32_t places_of(const struct message_set *set, uint32_t message, uint32_t *place)
{
    uint32_t count = (uint32_t)(set->offset[message + 1] - set->offset[message]);
    for (uint32_t j = 0; j < count; j++)
        place[j] = mesh_place(set->mesh, set->destination[set->offset[message] + j]);
    return count;
}

/* Raises the distances, and counts messages by theirs, up to rows + cols - 2, in as_far[]. */
static void pass_distances(const struct message_set *set, uint32_t *place, uint32_t *as_far,
                           struct lower_bounds *bounds)
{
    for (uint32_t i = 0; i < set->messages; i++) {
        uint32_t count = places_of(set, i, place);
        as_far[raise_distance(mesh_place(set->mesh, set->source[i]), place, count, bounds)]++;
    }
}

/* Counts the messages that each node receives and sends. */
static void pass_loads(const struct message_set *set, uint32_t *received, uint32_t *sent)
{
    for (uint32_t i = 0; i < set->messages; i++)
        sent[set->source[i]]++;
    for (uint64_t i = 0; i < set->deliveries; i++)
        received[set->destination[i]]++;
}

/* ---- sets without a search ---- */

/* True if no rectangle and no copies of one can prove more than the distance D, so that D, or D
 * with copies, is the largest bound.
 *   Let k messages count for a rectangle of A nodes and L links, with `before` and `after`; let t
 * be their sum, and K the messages that go farther than t. A message that counts has a distance of
 * t + 1 at least, so k <= K. Each has a source or a destination inside, so k <= u A, where u is the
 * most that a node sends or receives. A rectangle that reaches from edge to edge has L >= m, the
 * shorter side; of others two sides that meet have links, so L >= 2 sqrt(A). So k / L is at most K
 * / m or sqrt(u K) / 2, and none proves more than D = t + r if K <= r m and u K <= 4 r^2.
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
    struct message_set sample;
    bool sees_all; /* the sweep has seen every rectangle and every message */
    struct crossing found[CANDIDATES];
    uint32_t count;
};

/* Returns the deliveries of a sample. */
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

/* Adds Theorem 1's square of n / (c + 1) nodes, in each of the corners; of l n / (c + l) if nodes
 * send l messages, so that the others send as many as its nodes can receive. */
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

/* Adds the node with the largest bound so far. */
static void add_node(struct search *search, const struct lower_bounds *bounds, bool enters)
{
    enum lower_bound_kind kind = enters ? BOUND_ENTER : BOUND_LEAVE;
    if (bounds->steps[kind] > 0)
        search->found[search->count++] = (struct crossing){bounds->reason[kind].rectangle, enters};
}

/* Sorts by the messages per link in the sample, the most first. */
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
    add_node(search, bounds, true);
    add_node(search, bounds, false);
    add_corners(search);
    sort_found(search);
    return kind;
}

/* Counts as many of the found rectangles as allowed. */
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
    enum failure_kind kind = sample_take(set, room, &search->sample, failure);
    if (kind == FAIL_NONE)
        kind = look_for_rectangles(search, bounds, failure);
    uint64_t most = COUNTING_WORK / (deliveries + 1);
    most = most > COUNTED_LEAST ? most : COUNTED_LEAST;
    uint32_t count = search->count < most ? search->count : (uint32_t)most;
    if (kind == FAIL_NONE && count > 0)
        kind = crossings_raise(set, search->found, count, bounds, failure);
    message_set_free(&search->sample);
    free(search);
    return kind;
}

/* Raises all bounds but the distances. */
static enum failure_kind raise_rectangles(const struct message_set *set, const struct loads *loads,
                                          struct lower_bounds *bounds, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(set->mesh);
    uint32_t *received = memory_allocate(nodes, sizeof *received);
    uint32_t *sent = memory_allocate(nodes, sizeof *sent);
    enum failure_kind kind = FAIL_NONE;
    if (received == NULL || sent == NULL) {
        kind = fail_memory(failure, "the lower bounds");
    } else {
        pass_loads(set, received, sent);
        raise_loads(set->mesh, received, sent, bounds);
        kind = count_rectangles(set, loads, bounds, failure);
    }
    if (kind == FAIL_NONE)
        kind = node_bounds_raise(set, received, bounds, failure);
    if (kind == FAIL_NONE)
        copy_bounds_raise(set, received, bounds);
    free(received);
    free(sent);
    return kind;
}

/* ---- chains ----
 *
 * A message's packets leave their source over its links, one each a step, and enter a destination
 * over its: of P packets that start in step T, the last comes to a node p links away in step T + p
 * - 1 + ceil(P / links) at the earliest, with the fewer links of the two. A message that waits
 * starts after that. */

/* Returns the step in which a message of so many packets has reached a node, if it starts in step
 * `start`. */
static uint64_t arrival_of(struct mesh mesh, node_index from, node_index to, uint32_t packets,
                           uint64_t start)
{
    struct rectangle source = rectangle_of(mesh, from), goal = rectangle_of(mesh, to);
    uint32_t links = min_u32(rectangle_links(mesh, &source), rectangle_links(mesh, &goal));
    uint32_t distance = difference(source.row, goal.row) + difference(source.col, goal.col);
    return start + distance - 1 + (packets + (uint64_t)links - 1) / links;
}

/* Raises the bound of distances by the steps in which messages may start. */
static enum failure_kind raise_chains(const struct message_set *set, struct lower_bounds *bounds,
                                      struct failure *failure)
{
    const struct timings timings = message_set_timings(set);
    uint64_t *steps = &bounds->steps[BOUND_DISTANCE];
    struct starts starts;
    if (starts_make(&starts, &timings, failure) != FAIL_NONE)
        return failure->kind;
    for (uint64_t start; (start = starts_next(&starts)) < UINT64_MAX;) {
        uint32_t message = starts_take(&starts), packets = message_set_packets(set, message);
        for (uint64_t i = set->offset[message]; i < set->offset[message + 1]; i++) {
            node_index to = set->destination[i];
            uint64_t arrival = arrival_of(set->mesh, set->source[message], to, packets, start);
            *steps = max_u64(*steps, arrival);
            for (uint32_t j = 0; j < packets && starts_await(&starts, message); j++)
                starts_receive(&starts, message, to, arrival);
        }
    }
    starts_free(&starts);
    return FAIL_NONE;
}

enum failure_kind lower_bounds_compute(const struct message_set *given,
                                       enum lower_bound_extent extent, struct lower_bounds *bounds,
                                       struct failure *failure)
{
    struct message_set room;
    const struct message_set *set = message_set_away(given, &room, failure);
    if (set == NULL)
        return FAIL_SYSTEM;
    struct mesh mesh = set->mesh;
    struct loads loads = {message_set_congestion(set), message_set_most_sent(set)};
    uint32_t *place = memory_allocate((size_t)message_set_degree(set), sizeof *place);
    uint32_t *as_far = memory_allocate((size_t)mesh.rows + mesh.cols, sizeof *as_far);
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
        kind = raise_rectangles(set, &loads, bounds, failure);
    if (kind == FAIL_NONE && message_set_is_timed(set))
        kind = raise_chains(set, bounds, failure);
    free(place);
    free(as_far);
    message_set_free(&room);
    return kind;
}
