/* random_groups.c - Step 1 of router `random`, variant=paper: as the paper writes it.
 *
 * Each packet draws a tentative group; sorting by it and ranks within it cut the tentative groups
 * into segments, one at most of each group incomplete; the segments j and j + c_i make group j,
 * whose packets go to the nodes of tile j, at most two a node. Steps (a) to (f) are functions
 * below.
 *   Sizes. A segment has q packets, the nodes of a smallest tile, so that two fit into every tile.
 * Where tiles are unequal, n / q is more than c_i, and so that there are still 2 c_i segments at
 * most only 2 c_i - n / q tentative groups are drawn. With equal tiles that is c_i, as in the
 * paper.
 *   Lemma 1's two packets per node are two classes that are grouped one after the other, while those
 * of the other class are set aside: a class has one packet per node, as sorting wants it. Each makes
 * two layers of masters, so there may be four at a node. In later phases a class may have two at a
 * node; first of all they go to nodes of their own, in snake order.
 *
 * Steps of a class, m the side: two sorts (3 m to 5 m each), three prefix computations (2 m each), and a
 * routing by sorted blocks from one packet per node to two (unicast_blocks.c: at most 4.9 m for powers of
 * two, 5.6 m for other sides); later phases a prefix computation (2 m) and a routing along rows and
 * columns (3 m) more. All lengths are known: no synchronisation.
 * Buffer: 10 packets of the class, proven; measured 8 in all.
 * Source: Section 4, Step 1(a)-(f), of the paper.
 * Cost: 8 bytes per node.
 */
#include "routers/random_private.h"

#include "primitives/prefix.h"
#include "primitives/sort.h"
#include "primitives/unicast_route.h"

#include <assert.h>
#include <stdlib.h>

enum { STREAM_TENTATIVE = 0x74656e74, SEGMENTS = 2, SCATTER_PACKETS = 10 };

/* The grouping of one class. */
struct grouping {
    struct random_run *run;
    struct tessellation whole; /* one tile: the mesh */
    uint32_t class;
    uint32_t segment, drawn; /* packets of a segment; tentative groups */
    uint64_t *value;         /* of each node, for prefix computations */
};

/* ---- nodes and their packets ---- */

static bool is_of_class(const struct grouping *grouping, uint32_t packet)
{
    uint32_t layer = random_layer(grouping->run->header, packet);
    return (grouping->run->phase == 0 ? layer : layer / SEGMENTS) == grouping->class;
}

static bool is_of_other_class(void *context, uint32_t packet)
{
    return !is_of_class(context, packet);
}

/* Calls `act` for every resting packet of the class; it reads and writes what is the node's own. */
static void for_packets(struct grouping *grouping,
                        void (*act)(struct grouping *grouping, node_index node, uint32_t packet))
{
    struct machine *machine = grouping->run->machine;
    struct node_range nodes = machine_nodes(machine);
    for (node_index node = nodes.first; node < nodes.end; node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            act(grouping, node, packet);
}

/* ---- instructions ---- */

static void begin_phase(const struct grouping *grouping)
{
    char name[MACHINE_NAME_SIZE];
    snprintf(name, sizeof name, "draw groups (phase %u)", grouping->run->phase);
    machine_begin_phase(grouping->run->machine, name);
}

static void name_scatter(const struct grouping *grouping, char name[MACHINE_NAME_SIZE])
{
    snprintf(name, MACHINE_NAME_SIZE, "scatter (phase %u)", grouping->run->phase);
}

/* Step 1(f): from one packet per node to as many as there are segments in a group. */
static struct unicast_plan scatter_plan(const struct tessellation *whole, const char *name)
{
    return (struct unicast_plan){.tiles = whole, .name = name, .k = SEGMENTS};
}

static enum failure_kind scatter(struct grouping *grouping, struct failure *failure)
{
    char name[MACHINE_NAME_SIZE];
    name_scatter(grouping, name);
    struct unicast_plan plan = scatter_plan(&grouping->whole, name);
    return unicast_blocks(grouping->run->machine, &plan, SCATTER_PACKETS, failure);
}

static struct sort_plan sort_of(const struct tessellation *whole)
{
    return (struct sort_plan){.tiles = whole};
}

static enum failure_kind sort(struct grouping *grouping, struct failure *failure)
{
    struct sort_plan plan = sort_of(&grouping->whole);
    return sort_tiles(grouping->run->machine, &plan, failure);
}

/* value[node]: `act` says what a packet's node puts in, others put 0 in; then what is before it. */
static enum failure_kind prefix(struct grouping *grouping, const struct prefix_operator *operation,
                                void (*act)(struct grouping *grouping, node_index node,
                                            uint32_t packet),
                                struct failure *failure)
{
    struct node_range nodes = machine_nodes(grouping->run->machine);
    for (node_index node = nodes.first; node < nodes.end; node++)
        grouping->value[node] = 0;
    for_packets(grouping, act);
    struct prefix_items items = {.operation = operation, .count = 1, .value = grouping->value};
    return prefix_snake(grouping->run->machine, &grouping->whole, &items, failure);
}

/* ---- ranks within groups ---- */

/* A word is a group and how many of it there are, of items that stand in the order of groups: two
 * words of one group add up, of others the later one stays. Group 0 is none. */
static uint64_t count_in_group(uint64_t before, uint64_t after)
{
    if (after == 0)
        return before;
    return before >> 32 == after >> 32 ? before + (uint32_t)after : after;
}

static const struct prefix_operator GROUP_COUNT = {0, count_in_group};

static uint64_t group_word(const struct grouping *grouping, uint32_t packet)
{
    return (uint64_t)(grouping->run->header->packet[packet].target + 1) << 32;
}

static void put_one_in(struct grouping *grouping, node_index node, uint32_t packet)
{
    grouping->value[node] = group_word(grouping, packet) | 1;
}

/* After that computation: how many of the packet's group stand before it. */
static uint32_t rank_of(const struct grouping *grouping, node_index node, uint32_t packet)
{
    uint64_t before = grouping->value[node];
    return before >> 32 == group_word(grouping, packet) >> 32 ? (uint32_t)before : 0;
}

/* Sorts by header.target and ranks within. */
static enum failure_kind sort_and_rank(struct grouping *grouping, struct failure *failure)
{
    enum failure_kind kind = sort(grouping, failure);
    return kind == FAIL_NONE ? prefix(grouping, &GROUP_COUNT, put_one_in, failure) : kind;
}

/* ---- the steps ---- */

static void count_packet(struct grouping *grouping, node_index node, uint32_t packet)
{
    (void)packet;
    grouping->value[node]++;
}

static void address_own_node(struct grouping *grouping, node_index node, uint32_t packet)
{
    struct mesh mesh = grouping->run->routing->set->mesh;
    struct interval rows = {0, mesh.rows}, cols = {0, mesh.cols};
    grouping->run->header->packet[packet].target = snake_place(rows, cols, grouping->value[node]++);
}

/* In later phases: every packet to a node of its own. What stands in a row, SEGMENTS packets per node,
 * goes to places that follow each other along the snake: to a column SEGMENTS + 1 times at most. */
static const struct unicast_legs PACK_LEGS = {SEGMENTS, SEGMENTS + 1, 1};

static enum failure_kind pack(struct grouping *grouping, struct failure *failure)
{
    char name[MACHINE_NAME_SIZE];
    enum failure_kind kind = prefix(grouping, &prefix_sum, count_packet, failure);
    if (kind != FAIL_NONE)
        return kind;
    for_packets(grouping, address_own_node);
    name_scatter(grouping, name);
    kind = unicast_along_legs(grouping->run->machine, &grouping->whole, name, &PACK_LEGS, failure);
    begin_phase(grouping);
    return kind;
}

/* Step 1(a). What is drawn depends on the node, which holds one packet of the class. */
static void draw_group(struct grouping *grouping, node_index node, uint32_t packet)
{
    struct random_run *run = grouping->run;
    uint64_t stream = STREAM_TENTATIVE + (uint64_t)SEGMENTS * run->drawn + grouping->class;
    uint64_t drawn = routing_random(run->routing, stream, node);
    run->header->packet[packet].target = (uint32_t)(drawn * grouping->drawn >> 32);
}

/* Step 1(c): the first packet of each segment counts it; the packet's place in it is forgotten. */
static void mark_segment(struct grouping *grouping, node_index node, uint32_t packet)
{
    uint32_t rank = grouping->run->header->packet[packet].target;
    grouping->value[node] = rank % grouping->segment == 0;
}

static void keep_rank(struct grouping *grouping, node_index node, uint32_t packet)
{
    grouping->run->header->packet[packet].target = rank_of(grouping, node, packet);
}

/* Step 1(d): segments j and j + c_i belong to group j. */
static void assign_group(struct grouping *grouping, node_index node, uint32_t packet)
{
    struct random_run *run = grouping->run;
    uint32_t is_first = run->header->packet[packet].target % grouping->segment == 0;
    uint64_t number = grouping->value[node] + is_first - 1;
    assert(number < (uint64_t)SEGMENTS * run->cycle.count);
    run->header->packet[packet].target = (uint32_t)(number % run->cycle.count);
}

/* Step 1(e): a node of the group's tile by the rank in the group, of those that all tiles have. */
static void address_tile(struct grouping *grouping, node_index node, uint32_t packet)
{
    struct random_run *run = grouping->run;
    const struct axis *row = &run->tiles.row, *col = &run->tiles.col;
    uint32_t rank = rank_of(grouping, node, packet);
    uint32_t tile = run->cycle.tile[run->header->packet[packet].target],
             across = axis_intervals(col);
    uint32_t row_cut = row->cut[tile / across], col_cut = col->cut[tile % across];
    struct interval rows = {row_cut, row_cut + axis_shortest(row)};
    struct interval cols = {col_cut, col_cut + axis_shortest(col)};
    assert(rank < SEGMENTS * grouping->segment);
    run->header->packet[packet].target = snake_place(rows, cols, rank % grouping->segment);
    uint32_t layer = SEGMENTS * grouping->class + rank / grouping->segment;
    run->header->packet[packet].state = (uint8_t)(RANDOM_MASTER | layer << RANDOM_LAYER_SHIFT);
}

static enum failure_kind steps(struct grouping *grouping, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    begin_phase(grouping);
    if (grouping->run->phase > 0)
        kind = pack(grouping, failure);
    if (kind == FAIL_NONE) {
        for_packets(grouping, draw_group);
        kind = sort_and_rank(grouping, failure); /* Step 1(b) */
    }
    if (kind == FAIL_NONE) {
        for_packets(grouping, keep_rank);
        kind = prefix(grouping, &prefix_sum, mark_segment, failure);
    }
    if (kind == FAIL_NONE) {
        for_packets(grouping, assign_group);
        kind = sort_and_rank(grouping, failure); /* Step 1(e) */
    }
    if (kind == FAIL_NONE) {
        for_packets(grouping, address_tile);
        kind = scatter(grouping, failure);
    }
    return kind;
}

/* ---- the grouping ---- */

static enum failure_kind class_steps(const struct tessellation *whole, bool is_first,
                                     uint64_t *steps, struct failure *failure)
{
    struct unicast_plan plan = scatter_plan(whole, NULL);
    struct sort_plan order = sort_of(whole);
    struct block_choice choice;
    uint64_t sort = 0, prefix = prefix_snake_steps(whole, 1, false);
    enum failure_kind kind = sort_steps(&order, &sort, failure);
    if (kind == FAIL_NONE)
        kind = unicast_blocks_choose(&plan, SCATTER_PACKETS, &choice, failure);
    if (kind != FAIL_NONE)
        return kind;
    *steps = 2 * sort + 3 * prefix + choice.steps;
    if (!is_first)
        *steps += prefix + unicast_legs_steps(whole, &PACK_LEGS);
    return kind;
}

static uint32_t classes_of(const struct random_run *run)
{
    return run->phase == 0 ? run->layers : run->layers / SEGMENTS;
}

enum failure_kind random_tentative_steps(const struct random_run *run, uint64_t *steps,
                                         struct failure *failure)
{
    struct tessellation whole;
    enum failure_kind kind = tessellation_make(&whole, run->routing->set->mesh, 1, failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = class_steps(&whole, run->phase == 0, steps, failure);
    *steps *= classes_of(run);
    tessellation_free(&whole);
    return kind;
}

static enum failure_kind group_class(struct grouping *grouping, struct failure *failure)
{
    struct machine *machine = grouping->run->machine;
    enum failure_kind kind = machine_set_aside(machine, is_of_other_class, grouping, failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = steps(grouping, failure);
    machine_take_back(machine);
    return kind;
}

enum failure_kind random_groups_tentative(struct random_run *run, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(run->routing->set->mesh);
    uint32_t classes = classes_of(run);
    struct grouping grouping = {.run = run};
    grouping.segment = axis_shortest(&run->tiles.row) * axis_shortest(&run->tiles.col);
    assert(nodes / grouping.segment < SEGMENTS * run->cycle.count);
    grouping.drawn = SEGMENTS * run->cycle.count - nodes / grouping.segment;
    grouping.value = memory_allocate(nodes, sizeof *grouping.value);
    enum failure_kind kind =
        tessellation_make(&grouping.whole, run->routing->set->mesh, 1, failure);
    if (kind == FAIL_NONE && grouping.value == NULL)
        kind = fail_memory(failure, "the groups");
    /* the last class first: its new layers are not those of a class that is still to come */
    for (grouping.class = classes; kind == FAIL_NONE && grouping.class -- > 0;)
        kind = group_class(&grouping, failure);
    run->layers = SEGMENTS * classes;
    tessellation_free(&grouping.whole);
    free(grouping.value);
    return kind;
}
