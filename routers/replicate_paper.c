/* replicate_paper.c - router `replicate`, variant=paper: Theorem 2 as printed.
 *
 * Lemma 1, if d > c: packets of more than c destinations are split (lemma.c). Step 1: every packet
 * is copied into every tile, to its seat there (sibling.c). A mark represents each tile, so that a
 * packet also reaches the tiles in which it has no destination. Step 2, in all tiles at once:
 *   (a) A packet keeps the destinations in the tile, and is of class j if it has 2^j .. 2^(j+1) - 1
 *       of them.
 *   (b) Pipelined prefix computations, one per class, rank the packets of each class. The packet
 *       with rank r has the intermediate node r mod A of the tile's snake order, for a tile of A
 *       nodes.
 *   (c) A (k,k)-routing takes the packets to their intermediate nodes (unicast_spread.c).
 *   (d) There each packet makes a clone per destination.
 *   (e) A second (k,k)-routing takes the clones to their destinations.
 * The k of (c) is proven; that of (e) is c, or the largest number of clones at a node of the mesh,
 * by a prefix computation (maximum).
 *   Tiles: the largest power of two up to c / l, by halvings across the longer side.
 *
 * Buffer: p packets of each source, p = l, or l + 1 after Lemma 1; M seats at a cell, J classes.
 *   Step 1 and before (c): seats_step_1_buffer(), and p M packets at rest.
 *   After (c): the sum over classes of ceil(|C_j| / A), at most J + p n / A.
 *   After (d): the sum of (2^(j+1) - 1) ceil(|C_j| / A). Since the sum of 2^j |C_j| is at most c A,
 * that is less than 2 c + 2^(J+1), and 2^(J-1) <= min(d, c), so at most 6 c clones.
 *   The routings add the packets that move through a node: MOVING of them with high probability, as
 * their lines and waves are random. The machine enforces the sum as its capacity; a run that
 * exceeds it is an attempt that is void (attempts.c). Steps, S = sqrt(l c n): Step 1 3/4 S + 2 m;
 * (c) and (e) about k s / 2 + 2 s for tiles of side s.
 * Source: Theorem 2 of the paper.
 * Cost: 8 bytes per node and class, and a slot per message and tile.
 */
#include "routers/sibling.h"

#include "primitives/multicast_tree.h"
#include "primitives/prefix.h"
#include "primitives/unicast_route.h"
#include "routers/lemma.h"

#include <stdlib.h>

enum { MOVING = 17 }; /* the most measured additions of unicast_spread() */

/* The sizes of the run, which every node knows before its first step. */
struct plan {
    uint32_t most_sent; /* packets per source after Lemma 1 */
    uint32_t degree;    /* most destinations per packet, after Lemma 1 */
    uint32_t classes;
    uint32_t per_node; /* most packets before and after Step 2(c), without those that move */
    uint64_t tiles;
    uint64_t buffer; /* packets per node */
};

struct paper {
    struct routing *routing;
    struct headers *header;
    struct plan plan;
    struct tessellation whole, tiles; /* whole: one tile, the mesh */
    struct seats seats;
    /* [class][node]: packets, then the rank of the next one; later [node]: clones */
    uint64_t *value;
    uint64_t *total; /* [node]: the largest number of clones at a node */
};

/* ---- the plan ---- */

static bool splits(const struct routing *routing)
{
    return routing->degree > routing->congestion;
}

/* True if the run is that of circulate: l n messages for a node are the guess of a last attempt,
 * and no set's. */
static bool circulates(const struct routing *routing)
{
    return routing->congestion >= (uint64_t)mesh_nodes(routing->set->mesh) * routing->most_sent;
}

static uint64_t tiles_wanted(const struct routing *routing)
{
    uint64_t tiles =
        routing->most_sent > 0 ? routing->congestion / routing->most_sent : routing->congestion;
    return tiles > 0 ? tiles : 1;
}

/* Returns the number of classes of packets of up to `most` destinations. */
static uint32_t classes_of(uint64_t most)
{
    uint32_t classes = 0;
    while (most >> classes > 0)
        classes++;
    return classes;
}

static struct plan plan_of(const struct routing *routing)
{
    struct tessellation numbers = tessellation_numbers(routing->set->mesh, tiles_wanted(routing));
    struct seats seats = seats_make(&numbers);
    uint64_t nodes = mesh_nodes(routing->set->mesh);
    uint64_t smallest = (uint64_t)seats.height * seats.width;
    uint64_t largest = (uint64_t)(seats.height + 1) * (seats.width + 1);
    struct plan plan = {.most_sent = routing->most_sent + splits(routing),
                        .degree = splits(routing) ? routing->congestion : routing->degree,
                        .tiles = UINT64_C(1) << (numbers.row.levels + numbers.col.levels)};
    plan.classes = classes_of(plan.degree < largest ? plan.degree : largest);
    uint64_t seated = (uint64_t)plan.most_sent * seats_at_cell(&seats);
    uint64_t spread = plan.classes + plan.most_sent * nodes / smallest;
    uint64_t in_routing = seated + spread + MOVING;
    plan.per_node = (uint32_t)(seated > spread ? seated : spread);
    uint64_t clones = 2 * (uint64_t)routing->congestion + (UINT64_C(2) << plan.classes) + MOVING;
    plan.buffer = seats_step_1_buffer(&seats, plan.most_sent);
    plan.buffer = in_routing > plan.buffer ? in_routing : plan.buffer;
    plan.buffer = clones > plan.buffer ? clones : plan.buffer;
    return plan;
}

static enum failure_kind plan_check(const struct routing *routing, const struct plan *plan,
                                    struct failure *failure)
{
    if (!splits(routing) || plan->most_sent <= LEMMA_MOST_PER_NODE)
        return FAIL_NONE;
    return fail(
        failure, FAIL_USAGE,
        "router replicate with variant=paper takes at most %u messages per node where d > c, "
        "and a node of this set sends %u",
        LEMMA_MOST_PER_NODE - 1, routing->most_sent);
}

/* ---- the slots: destinations, and in each packet a mark for every tile ---- */

static uint64_t marks_per_packet(const struct plan *plan)
{
    return plan->tiles == 1 ? 0 : plan->tiles; /* Step 1 removes them */
}

static uint64_t slot_count(void *context, uint64_t degree)
{
    const struct paper *paper = context;
    uint64_t block = paper->plan.degree;
    return degree + (degree + block - 1) / block * marks_per_packet(&paper->plan);
}

/* Fills slots block by block: the destinations of a packet after Lemma 1, and its marks. The
 * message's destinations are after all marks at first, so each is read before it is overwritten. */
static void slot_fill(void *context, const node_place *destination, uint64_t degree,
                      node_place *slot)
{
    const struct paper *paper = context;
    const struct axis *rows = &paper->tiles.row, *cols = &paper->tiles.col;
    for (uint64_t i = 0; i < degree; i++) {
        *slot++ = destination[i];
        if ((i + 1) % paper->plan.degree != 0 && i + 1 < degree)
            continue;
        for (uint32_t y = 0; y < axis_intervals(rows); y++)
            for (uint32_t x = 0; x < axis_intervals(cols); x++)
                *slot++ = SIBLING_MARK | place_of(rows->cut[y], cols->cut[x]);
    }
}

/* ---- Lemma 1 and Step 1 ---- */

static enum failure_kind lemma_1(struct paper *paper, struct failure *failure)
{
    struct lemma_load load = {.most_sent = paper->routing->most_sent,
                              .block =
                                  (uint32_t)(paper->plan.degree + marks_per_packet(&paper->plan))};
    if (!splits(paper->routing))
        return FAIL_NONE;
    return lemma_split(paper->routing, load, failure);
}

static enum failure_kind step_1(struct paper *paper, struct failure *failure)
{
    struct routing *routing = paper->routing;
    struct sibling_rule sibling = {paper->header, &paper->seats};
    struct routing_rule rule = sibling_routing(&sibling);
    struct mesh mesh = routing->set->mesh;
    uint64_t tiles = paper->plan.tiles, most_sent = paper->plan.most_sent, root = 1;
    while (root * root < tiles)
        root++;
    uint64_t side = mesh.rows > mesh.cols ? mesh.rows : mesh.cols;
    uint64_t crossing = 3 * most_sent * (root - 1) * side / 4;
    uint64_t copies = routing->options->copy_is_free ? 0 : most_sent * tiles;
    struct rounds rounds = {crossing + copies + side, side};
    if (tiles == 1)
        return FAIL_NONE;
    return forward_in_rounds(routing->machine, &rule, "copy into tiles", rounds, failure);
}

/* ---- Step 2(b): ranks, and the intermediate nodes ---- */

static uint32_t destinations_of(const struct paper *paper, uint32_t packet)
{
    return packet - paper->header->packet[packet].first + 1;
}

static uint64_t *rank_at(const struct paper *paper, node_index node, uint32_t packet)
{
    uint32_t class = 31 - (uint32_t)__builtin_clz(destinations_of(paper, packet));
    return &paper->value[(size_t) class * mesh_nodes(paper->routing->set->mesh) + node];
}

/* Gives the packet the next rank of its node in its class. */
static void assign_node(struct paper *paper, struct site site, uint32_t packet)
{
    struct interval rows = axis_interval_at(&paper->tiles.row, site.row);
    struct interval cols = axis_interval_at(&paper->tiles.col, site.col);
    uint64_t rank = (*rank_at(paper, site.index, packet))++;
    uint64_t area = (uint64_t)interval_length(rows) * interval_length(cols);
    paper->header->packet[packet].target = snake_place(rows, cols, rank % area);
}

static enum failure_kind step_2b(struct paper *paper, struct failure *failure)
{
    struct prefix_items ranks = {
        .operation = &prefix_sum, .count = paper->plan.classes, .value = paper->value};
    struct machine *machine = paper->routing->machine;
    machine_begin_phase(machine, "rank in classes");
    for (struct resting at = resting_of(machine); resting_next(&at);)
        (*rank_at(paper, at.site.index, at.packet))++;
    enum failure_kind kind = prefix_snake(machine, &paper->tiles, &ranks, failure);
    struct resting at = resting_of(machine);
    while (kind == FAIL_NONE && resting_next(&at))
        assign_node(paper, at.site, at.packet);
    return kind;
}

/* ---- Steps 2(c) to 2(e) ---- */

/* Reports to all nodes the largest number of clones that a node will make. */
static enum failure_kind find_most_clones(struct paper *paper, uint32_t *most,
                                          struct failure *failure)
{
    struct machine *machine = paper->routing->machine;
    struct node_range nodes = machine_nodes(machine);
    struct prefix_items counts = {
        .operation = &prefix_max, .count = 1, .value = paper->value, .total = paper->total};
    for (node_index node = nodes.first; node < nodes.end; node++)
        paper->value[node] = 0;
    for (struct resting at = resting_of(machine); resting_next(&at);)
        paper->value[at.site.index] += destinations_of(paper, at.packet);
    machine_begin_phase(machine, "count clones");
    enum failure_kind kind = prefix_snake(machine, &paper->whole, &counts, failure);
    *most = (uint32_t)paper->total[nodes.first];
    return kind;
}

/* Routes all packets to header.target, a (k,k)-routing. */
static enum failure_kind route_all(struct paper *paper, const char *name, uint32_t k, bool delivers,
                                   struct failure *failure)
{
    struct unicast_plan plan = {.tiles = &paper->tiles,
                                .name = name,
                                .k = k,
                                .seed = paper->routing->options->seed,
                                .draws_waves = true,
                                .delivers = delivers};
    return unicast_spread(paper->routing->machine, &plan, failure);
}

static enum failure_kind step_2c(struct paper *paper, struct failure *failure)
{
    return route_all(paper, "go to intermediate nodes", paper->plan.per_node, false, failure);
}

static unsigned clone_outputs(void *context, struct site site, uint32_t packet)
{
    const struct headers *header = context;
    uint32_t first = header->packet[packet].first;
    bool is_here = header->destination[first] == site_place(site);
    return (is_here ? OUT_EJECT : OUT_HOLD) | (first == packet ? 0u : (unsigned)OUT_AGAIN);
}

static uint32_t clone_take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct headers *header = context;
    (void)site;
    (void)output;
    return packet_split(header, packet, header->packet[packet].first + 1);
}

/* Does Step 2(d). *most: the most clones that a node makes. As many steps, a copy each, and one
 * more for the last delivery. */
static enum failure_kind step_2d(struct paper *paper, uint32_t *most, struct failure *failure)
{
    struct routing *routing = paper->routing;
    struct routing_rule rule = {
        .context = paper->header, .outputs = clone_outputs, .take = clone_take};
    enum failure_kind kind = find_most_clones(paper, most, failure);
    uint64_t steps = routing->options->copy_is_free ? 1 : (uint64_t)*most + 1;
    if (kind == FAIL_NONE)
        kind = forward_for(routing->machine, &rule, "make clones", steps, failure);
    struct resting at = resting_of(routing->machine);
    while (kind == FAIL_NONE && resting_next(&at))
        paper->header->packet[at.packet].target = paper->header->destination[at.packet];
    return kind;
}

/* Does Step 2(e), the run's last phase, so no synchronisation ends it. */
static enum failure_kind step_2e(struct paper *paper, uint32_t most, struct failure *failure)
{
    uint32_t congestion = paper->routing->congestion;
    return route_all(paper, "deliver clones", most > congestion ? most : congestion, true, failure);
}

/* ---- the algorithm ---- */

static enum failure_kind paper_steps(struct paper *paper, struct failure *failure)
{
    struct slot_plan slots = {.context = paper, .count = slot_count, .fill = slot_fill};
    uint32_t given = paper->routing->options->buffer, clones = 0;
    bool has_marks = marks_per_packet(&paper->plan) > 0;
    enum failure_kind kind =
        routing_start(paper->routing, given > 0 ? given : (uint32_t)paper->plan.buffer,
                      has_marks ? &slots : NULL, failure);
    if (kind != FAIL_NONE || paper->plan.classes == 0)
        return kind;
    paper->header = machine_headers(paper->routing->machine);
    kind = lemma_1(paper, failure);
    if (kind == FAIL_NONE)
        kind = step_1(paper, failure);
    if (kind == FAIL_NONE)
        kind = step_2b(paper, failure);
    if (kind == FAIL_NONE)
        kind = step_2c(paper, failure);
    if (kind == FAIL_NONE)
        kind = step_2d(paper, &clones, failure);
    return kind == FAIL_NONE ? step_2e(paper, clones, failure) : kind;
}

static enum failure_kind paper_make(struct paper *paper, struct failure *failure)
{
    struct mesh mesh = paper->routing->set->mesh;
    uint32_t nodes = mesh_nodes(mesh);
    size_t words = (size_t)(paper->plan.classes > 0 ? paper->plan.classes : 1) * nodes;
    enum failure_kind kind = tessellation_make(&paper->whole, mesh, 1, failure);
    if (kind == FAIL_NONE)
        kind = tessellation_make(&paper->tiles, mesh, paper->plan.tiles, failure);
    paper->seats = seats_make(&paper->tiles);
    paper->value = memory_allocate(words, sizeof *paper->value);
    paper->total = memory_allocate(nodes, sizeof *paper->total);
    if (kind == FAIL_NONE && (paper->value == NULL || paper->total == NULL))
        kind = fail_memory(failure, "the ranks of classes");
    return kind;
}

enum failure_kind replicate_paper_route(struct routing *routing, struct failure *failure)
{
    struct paper paper = {.routing = routing, .plan = plan_of(routing)};
    if (circulates(routing)) {
        routing_runs_as(routing, "circulate");
        return circulate_method.route(routing, failure);
    }
    enum failure_kind kind = plan_check(routing, &paper.plan, failure);
    if (kind == FAIL_NONE)
        kind = paper_make(&paper, failure);
    if (kind == FAIL_NONE)
        kind = paper_steps(&paper, failure);
    tessellation_free(&paper.whole);
    tessellation_free(&paper.tiles);
    free(paper.value);
    free(paper.total);
    return kind;
}

uint64_t replicate_paper_tiles(const struct routing *routing)
{
    return plan_of(routing).tiles;
}

struct attempt_limits replicate_paper_limits(const struct routing *routing)
{
    if (circulates(routing))
        return (struct attempt_limits){0};
    return (struct attempt_limits){.steps = routing_goal_steps(routing, 4, 24),
                                   .may_overflow = true};
}
