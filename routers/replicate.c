/* replicate.c - Theorem 2: optimal deterministic multicast with buffers of O(c) packets.
 *
 * Step 1 replicates every packet into the c-tiles (sibling.c); Step 2 spreads, in each tile, the
 * packets of each class evenly over the nodes, and delivers from there.
 *   Tiles: the mesh is halved again and again, always across the longer side, into the largest
 * power of two of tiles that is at most c (the paper's footnotes allow any rounding: 4^i need not
 * be integral). Tiles differ by at most one row and column; s^2 = n / tiles < 2 n / c nodes.
 *   Pruned (prune=1): a packet sends no copy where its message has no destination. The literal form
 * (prune=0) marks every tile, so that every packet reaches every tile.
 *   Intermediate nodes (intermediate=even): rank r of a class of k packets goes to node
 * floor(r s^2 / k) of the tile's snake order: no more than ceil(k / s^2) packets of a class a node,
 * as with the paper's r mod s^2 (intermediate=modulo), and most packets near where they are.
 *   Delivery (deliver=tree): from its intermediate node each packet is a dimension-ordered tree.
 * deliver=clone makes the paper's clones, one a destination, and routes them.
 *   d > c: with trees no node makes a clone, so the buffer bound needs no d <= c: a node holds at
 * most c packets after Step 1, 1 + log d + c after Step 2(c), and only copies under way beyond
 * that. Clones need Lemma 1 (lemma.c), which deliver=clone runs first when d > c.
 *
 * Steps, S = sqrt(c n), m the side: Step 1 3/4 S + 2 m; Step 2(b) 2 s + log d; Steps 2(c)-(e)
 * measured 0.3 - 0.7 S. In all at most 1.5 S + 8 m measured (doc/bench.md), 3 S + 16 m literally
 * with d > c. Buffer: at most 3.5 c + 8 measured.
 * Source: Theorem 2 and Lemma 1 of the paper.
 */
#include "machine/parallel.h"
#include "primitives/multicast_tree.h"
#include "primitives/prefix.h"
#include "primitives/synchronise.h"
#include "primitives/unicast_route.h"
#include "routers/lemma.h"
#include "routers/routing.h"
#include "routers/sibling.h"

#include <stdlib.h>

/* header.state: the stage of a packet in Step 2, and its order of dimensions. */
enum { TO_INTERMEDIATE, DELIVERING, STAGE = 1, COLUMN_FIRST = 2 };

struct replicate {
    struct routing *routing;
    struct headers *header;
    struct tessellation tiles;
    bool prune, clones, even;
    uint32_t classes;        /* floor(log2 of the largest number of destinations in a tile) + 1 */
    uint64_t *value, *total; /* [class][node]: ranks, sizes of the classes in the node's tile */
};

static const struct parameter_spec SPECS[] = {
    {"prune", "1", 0, 1, NULL},
    {"deliver", "tree", 0, 0, "tree clone"},
    {"intermediate", "even", 0, 0, "even modulo"},
    {NULL, NULL, 0, 0, NULL},
};

/* ---- the slots: destinations, and with prune=0 a mark for every tile ---- */

/* Lemma 1 makes packets of at most c destinations out of a message; others stay whole. */
static uint64_t destinations_a_packet(const struct replicate *replicate)
{
    const struct routing *routing = replicate->routing;
    return replicate->clones && routing->degree > routing->congestion ? routing->congestion
                                                                      : routing->degree;
}

static uint64_t marks_a_packet(const struct replicate *replicate)
{
    uint64_t tiles = tessellation_tiles(&replicate->tiles);
    return replicate->prune || tiles == 1 ? 0 : tiles; /* Step 1 strips them off */
}

static uint64_t slot_count(void *context, uint64_t degree)
{
    const struct replicate *replicate = context;
    uint64_t size = destinations_a_packet(replicate);
    return degree + (degree + size - 1) / size * marks_a_packet(replicate);
}

/* Block after block: the destinations of a packet to be, and its marks. The destinations stand
 * behind all marks at first, so they are always read before they are written over. */
static void slot_fill(void *context, const node_place *destination, uint64_t degree,
                      node_place *slot)
{
    const struct replicate *replicate = context;
    const struct axis *rows = &replicate->tiles.row, *cols = &replicate->tiles.col;
    uint64_t size = destinations_a_packet(replicate);
    for (uint64_t i = 0; i < degree; i++) {
        *slot++ = destination[i];
        if ((i + 1) % size != 0 && i + 1 < degree)
            continue;
        for (uint32_t y = 0; y < axis_intervals(rows); y++)
            for (uint32_t x = 0; x < axis_intervals(cols); x++)
                *slot++ = SIBLING_MARK | place_of(rows->cut[y], cols->cut[x]);
    }
}

/* ---- Lemma 1: packets of more than c destinations are split ---- */

static enum failure_kind lemma_1(struct replicate *replicate, struct failure *failure)
{
    const struct routing *routing = replicate->routing;
    if (!replicate->clones || routing->degree <= routing->congestion)
        return FAIL_NONE;
    uint64_t block = destinations_a_packet(replicate) + marks_a_packet(replicate);
    return lemma_split(replicate->routing, (uint32_t)block, failure);
}

/* ---- Step 1: replicate the entire set of packets in every c-tile ---- */

static enum failure_kind step_1(struct replicate *replicate, struct failure *failure)
{
    struct routing *routing = replicate->routing;
    struct sibling_rule sibling = {replicate->header, &replicate->tiles, routing->options->seed};
    struct routing_rule rule = sibling_routing(&sibling);
    struct mesh mesh = routing->set->mesh;
    uint64_t tiles = tessellation_tiles(&replicate->tiles), root = 1;
    while (root * root < tiles)
        root++;
    uint64_t side = mesh.rows > mesh.cols ? mesh.rows : mesh.cols;
    /* literally 3/4 (root - 1) side and the distances; pruned it is often over after a quarter */
    uint64_t quarter = (3 * (root - 1) * side / 4 + 3) / 4;
    uint64_t copies = routing->options->copy_is_free ? 0 : tiles / 4;
    struct rounds rounds = {quarter + copies + mesh.rows + mesh.cols, quarter + copies + side};
    if (tiles == 1)
        return FAIL_NONE;
    return forward_in_rounds(routing->machine, &rule, "1 replicate", rounds, failure);
}

/* ---- Step 2(b): rank the packets of each class, assign intermediate nodes ---- */

static uint32_t class_of(const struct replicate *replicate, uint32_t packet)
{
    return 31 - (uint32_t)__builtin_clz(packet - replicate->header->packet[packet].first + 1);
}

static void count_classes(void *context, const struct team *team)
{
    struct replicate *replicate = context;
    struct machine *machine = replicate->routing->machine;
    uint32_t nodes = mesh_nodes(replicate->routing->set->mesh);
    node_index end = parallel_band_start(nodes, team->rank + 1, team->size);
    for (node_index node = parallel_band_start(nodes, team->rank, team->size); node < end; node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            replicate->value[(size_t)class_of(replicate, packet) * nodes + node]++;
}

static void assign_at(struct replicate *replicate, struct site site, uint32_t packet)
{
    const struct axis *rows = &replicate->tiles.row, *cols = &replicate->tiles.col;
    uint32_t nodes = mesh_nodes(replicate->routing->set->mesh);
    size_t index = (size_t)class_of(replicate, packet) * nodes + site.index;
    uint64_t rank = replicate->value[index]++;
    uint32_t y = rows->tile[site.row], x = cols->tile[site.col];
    struct halves tile_rows = {rows->cut[y], 0, rows->cut[y + 1]};
    struct halves tile_cols = {cols->cut[x], 0, cols->cut[x + 1]};
    uint64_t area = (uint64_t)(tile_rows.end - tile_rows.start) * (tile_cols.end - tile_cols.start);
    uint64_t place = replicate->even ? rank * area / replicate->total[index] : rank % area;
    replicate->header->packet[packet].target = snake_place(tile_rows, tile_cols, place);
    replicate->header->packet[packet].state = rank % 2 == 0 ? TO_INTERMEDIATE : COLUMN_FIRST;
}

static void assign_intermediates(void *context, const struct team *team)
{
    struct replicate *replicate = context;
    struct machine *machine = replicate->routing->machine;
    uint32_t nodes = mesh_nodes(replicate->routing->set->mesh);
    node_index end = parallel_band_start(nodes, team->rank + 1, team->size);
    for (node_index node = parallel_band_start(nodes, team->rank, team->size); node < end; node++) {
        struct site site = machine_site(machine, node);
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            assign_at(replicate, site, packet);
    }
}

static enum failure_kind step_2b(struct replicate *replicate, struct failure *failure)
{
    struct routing *routing = replicate->routing;
    size_t words = (size_t)replicate->classes * mesh_nodes(routing->set->mesh);
    replicate->value = memory_allocate(words, sizeof *replicate->value);
    replicate->total = memory_allocate(words, sizeof *replicate->total);
    enum failure_kind kind = FAIL_NONE;
    if (replicate->value == NULL || replicate->total == NULL)
        kind = fail_memory(failure, "the ranks");
    if (kind == FAIL_NONE) {
        machine_begin_phase(routing->machine, "2(b) rank");
        parallel_run(routing->crew, count_classes, replicate);
        struct prefix_items ranks = {.operation = &prefix_sum,
                                     .count = replicate->classes,
                                     .value = replicate->value,
                                     .total = replicate->total};
        kind = prefix_snake(routing->machine, &replicate->tiles, &ranks, failure);
    }
    if (kind == FAIL_NONE)
        parallel_run(routing->crew, assign_intermediates, replicate);
    free(replicate->value);
    free(replicate->total);
    return kind;
}

/* ---- Steps 2(c) to 2(e): to the intermediate node, and from there to the destinations ---- */

static bool is_row_first(const struct replicate *replicate, uint32_t packet)
{
    return !(replicate->header->packet[packet].state & COLUMN_FIRST);
}

/* Step 2(d): a packet with several destinations makes clones, one a destination; a clone is routed
 * to its own, in the order of dimensions that the parity of its destination says. */
static unsigned clone_parts(const struct replicate *replicate, struct site site, uint32_t packet)
{
    struct headers *header = replicate->header;
    uint32_t first = header->packet[packet].first;
    for (uint32_t slot = first; slot <= packet; slot++)
        if (header->destination[slot] == site_place(site))
            return first == packet ? PART_HERE : PART_HERE | PART_REST;
    node_place target = header->destination[first];
    header->packet[packet].target = target;
    bool row_first = (place_row(target) + place_col(target)) % 2 == 0;
    unsigned link = unicast_parts(header, site, packet, row_first);
    return first == packet ? link : link | PART_REST;
}

static uint32_t clone_take(struct headers *header, struct site site, uint32_t packet,
                           enum part part)
{
    uint32_t first = header->packet[packet].first, slot = first;
    while (part == PART_HERE && header->destination[slot] != site_place(site))
        slot++;
    node_place place = header->destination[slot];
    header->destination[slot] = header->destination[first];
    header->destination[first] = place;
    return packet_split(header, packet, first + 1);
}

static unsigned parts(void *context, struct site site, uint32_t packet)
{
    struct replicate *replicate = context;
    struct headers *header = replicate->header;
    bool row_first = is_row_first(replicate, packet);
    if ((header->packet[packet].state & STAGE) == TO_INTERMEDIATE) {
        unsigned links = unicast_parts(header, site, packet, row_first);
        if (links != PART_PARK)
            return links;
        header->packet[packet].state |= DELIVERING;
        if (!replicate->clones)
            tree_start(header, site, packet, row_first);
    }
    return replicate->clones ? clone_parts(replicate, site, packet)
                             : tree_parts(header, site, packet, row_first);
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum part part)
{
    struct replicate *replicate = context;
    return replicate->clones
               ? clone_take(replicate->header, site, packet, part)
               : tree_take(replicate->header, site, packet, part, is_row_first(replicate, packet));
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    struct replicate *replicate = context;
    struct headers *header = replicate->header;
    (void)site;
    if ((header->packet[packet].state & STAGE) == TO_INTERMEDIATE)
        return unicast_stop(header, packet, direction);
    return tree_stop(header, packet, direction);
}

/* The run's last phase, so it needs no synchronisation at its end; a packet starts to deliver when
 * it reaches its intermediate node, so none is needed between the steps either. */
static enum failure_kind steps_2c_to_2e(struct replicate *replicate, struct failure *failure)
{
    struct routing_rule rule = {.context = replicate, .parts = parts, .take = take, .stop = stop};
    machine_begin_phase(replicate->routing->machine, "2(c)-(e) spread and deliver");
    return machine_forward(replicate->routing->machine, &rule, true, UINT64_MAX, failure);
}

/* ---- the algorithm ---- */

static uint32_t count_of_classes(const struct replicate *replicate)
{
    const struct axis *rows = &replicate->tiles.row, *cols = &replicate->tiles.col;
    uint64_t area = (uint64_t)rows->cut[1] * cols->cut[1]; /* the first tile is a largest one */
    uint64_t most = replicate->routing->degree < area ? replicate->routing->degree : area;
    uint32_t classes = 0;
    while (most >> classes > 0)
        classes++;
    return classes;
}

static enum failure_kind replicate_steps(struct replicate *replicate, struct failure *failure)
{
    enum failure_kind kind = lemma_1(replicate, failure);
    if (kind == FAIL_NONE)
        kind = step_1(replicate, failure);
    if (kind == FAIL_NONE && replicate->routing->degree > 0)
        kind = step_2b(replicate, failure);
    if (kind == FAIL_NONE)
        kind = steps_2c_to_2e(replicate, failure);
    return kind;
}

static enum failure_kind replicate_route(struct routing *routing, struct failure *failure)
{
    struct replicate replicate = {.routing = routing,
                                  .prune = routing_parameter(routing, SPECS, "prune"),
                                  .clones = routing_parameter(routing, SPECS, "deliver") == 1,
                                  .even = routing_parameter(routing, SPECS, "intermediate") == 0};
    uint64_t tiles = routing->congestion > 0 ? routing->congestion : 1;
    enum failure_kind kind =
        tessellation_make(&replicate.tiles, routing->set->mesh, tiles, failure);
    if (kind != FAIL_NONE)
        return kind;
    replicate.classes = count_of_classes(&replicate);
    struct slot_plan plan = {.context = &replicate, .count = slot_count, .fill = slot_fill};
    kind = routing_start(routing, routing->options->buffer,
                         marks_a_packet(&replicate) == 0 ? NULL : &plan, failure);
    if (kind == FAIL_NONE) {
        replicate.header = machine_headers(routing->machine);
        kind = replicate_steps(&replicate, failure);
    }
    tessellation_free(&replicate.tiles);
    return kind;
}

/* Before the tiles are cut: as many as there will be, side by side, and the classes of a tile. */
static uint64_t ranks_footprint(const struct routing *routing)
{
    struct mesh mesh = routing->set->mesh;
    uint64_t nodes = mesh_nodes(mesh), tiles = 1, across = 1, classes = 0;
    for (; 2 * tiles <= routing->congestion && 2 * tiles <= nodes; tiles *= 2)
        across *= across * across <= tiles && 2 * across <= mesh.cols ? 2 : 1;
    uint64_t area = nodes / tiles + 1, most = routing->degree < area ? routing->degree : area;
    while (most >> classes > 0)
        classes++;
    const struct replicate *replicate = NULL;
    return nodes * classes * (sizeof *replicate->value + sizeof *replicate->total) +
           prefix_footprint(mesh.rows, across, classes);
}

static uint64_t replicate_footprint(const struct routing *routing)
{
    uint64_t slots = routing->set->deliveries, nodes = mesh_nodes(routing->set->mesh);
    bool clones = routing_parameter(routing, SPECS, "deliver") == 1;
    bool splits = clones && routing->degree > routing->congestion;
    if (!routing_parameter(routing, SPECS, "prune")) /* a mark a tile in each packet */
        slots += (routing->set->messages + (splits ? slots / routing->congestion : 0)) *
                 (uint64_t)routing->congestion;
    struct machine_needs needs = routing_needs(routing, slots);
    needs.uses = USE_FORWARD | USE_WORDS;
    return machine_footprint(&needs) + ranks_footprint(routing) +
           (splits ? lemma_footprint(nodes) : 0);
}

/* The goals of doc/bench.md. A node can have no more than n messages. */
static struct attempt_limits replicate_limits(const struct routing *routing)
{
    bool clones = routing_parameter(routing, SPECS, "deliver") == 1;
    bool splits = clones && routing->degree > routing->congestion;
    if (routing->congestion >= mesh_nodes(routing->set->mesh))
        return (struct attempt_limits){0};
    return (struct attempt_limits){splits ? routing_goal_steps(routing, 3, 16)
                                          : routing_goal_steps(routing, 1.5, 8),
                                   (uint32_t)(3.5 * routing->congestion) + 8};
}

const struct router_method replicate_method = {
    {"replicate", "Theorem 2: replication into c-tiles, then delivery; buffers O(c)",
     "prune=0|1              copies only into tiles with destinations (default 1)\n"
     "deliver=tree|clone     trees, or the paper's clones (default tree)\n"
     "intermediate=even|modulo  how ranks become intermediate nodes (default even)"},
    SPECS,
    replicate_route,
    replicate_limits,
    replicate_footprint,
};
