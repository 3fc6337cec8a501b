/* unicast_blocks.c - permutation routing: blocks are sorted, then packets go along rows and
 * columns.
 *
 * A tile of h rows and w columns is cut into b x B blocks of g (or more) rows. (a) Each block is
 * sorted by the targets' columns, along a snake of its columns. (b) Packets move within their
 * column of the block, so that number i of each column, in the order of the snake, comes to row (i
 * + floor(g / 2)) mod g. Columns that the snake goes down are rotated by half of their length, and
 * of those that it goes up each half is turned upside down. (c) Along rows, then along columns:
 * unicast_legs.c. Any partial permutation, and anything else where at most one packet starts at a
 * node and at most e have one target.
 *
 * Steps: those of the sort, which are the same for all packets; (b) ceil(g / 2), of which none is
 * idle: in either kind of column all move at once, and none waits; (c) w - 1 + e (h - 1). All are
 * known before, and no synchronisation is needed.
 *
 * Buffer: t + 1 + e packets in (c), where t packets of a row go to one column. Let N packets of a
 * block be for one column of the tile. They follow each other in the block's order, and after (b)
 * in its rows, of which the last is followed by the first: a row of the block has ceil(N / g) of
 * them at most. A row of the tile crosses B blocks, which have e h at most for the column:
 *     t  <=  sum of ceil(N / g)  <=  (e h + B (g - 1)) / g,  so  t <= B + floor((e h - B) / g).
 * Also t <= w and t <= e h. For powers of two and e = 1 t is b + B - 1: with B = b 2 b + 1 packets.
 * (a) holds 2 packets, (b) 3: one that has arrived, and one each way.
 *   Without (b), along the snake alone, up to B more packets would turn: where the snake turns
 * round, the end of one column and the beginning of the next are in the same rows.
 *
 * The best b and B for at most so many packets are found by trying all. As computed for all sides m
 * to 1100: 12 packets at most 3.16 m, 8 packets 3.92 m, 5 packets 5.18 m, 17 packets 2.77 m; for
 * powers of two 2.93, 3.32, 4.29, and 2.58 m. If t is small enough without a sort, only (c).
 * Source: Leighton 1992, section 1.7; Kunde (sorting before routing); (b), and legs one after the
 * other, are ours.
 * Cost: the sort's, and 2 bytes per packet.
 */
#include "primitives/unicast_route.h"

#include "machine/plane.h"
#include "machine/pool.h"
#include "primitives/sort.h"

#include <assert.h>

/* ---- blocks ---- */

/* Returns t, in tiles of these sides, with blocks.rows = 0: no blocks, no sort. */
static uint64_t turning(uint64_t rows, uint64_t cols, uint64_t ends, struct mesh blocks)
{
    uint64_t most = ends * rows < cols ? ends * rows : cols;
    if (blocks.rows == 0 || ends * rows < blocks.cols)
        return most;
    uint64_t height = rows / blocks.rows;
    uint64_t turns = blocks.cols + (ends * rows - blocks.cols) / height;
    return turns < most ? turns : most;
}

static uint32_t most_turning(const struct unicast_plan *plan, struct mesh blocks)
{
    const struct axis *row = &plan->tiles->row, *col = &plan->tiles->col;
    uint64_t of_longest = turning(axis_longest(row), axis_longest(col), plan->k, blocks);
    uint64_t of_shortest = turning(axis_shortest(row), axis_longest(col), plan->k, blocks);
    return (uint32_t)(of_longest > of_shortest ? of_longest : of_shortest);
}

static struct unicast_legs legs_of(const struct unicast_plan *plan, struct mesh blocks)
{
    return (struct unicast_legs){1, most_turning(plan, blocks), plan->k};
}

/* Orders by column, then by row: targets differ, so keys do. */
static uint32_t column_of_target(void *context, uint32_t packet)
{
    node_place target = ((const struct headers *)context)->packet[packet].target;
    return place_col(target) << 16 | place_row(target);
}

static struct sort_plan sort_of(const struct tessellation *blocks, void *headers)
{
    return (struct sort_plan){
        .tiles = blocks, .key = column_of_target, .context = headers, .column_major = true};
}

/* The sides of a largest and of a smallest block, which differ by one at most. */
struct block_sides {
    struct mesh most, least;
};

static struct block_sides sides_of(const struct tessellation *tiles, struct mesh blocks)
{
    return (struct block_sides){
        .most = {(axis_longest(&tiles->row) + blocks.rows - 1) / blocks.rows,
                 (axis_longest(&tiles->col) + blocks.cols - 1) / blocks.cols},
        .least = {axis_shortest(&tiles->row) / blocks.rows,
                  axis_shortest(&tiles->col) / blocks.cols},
    };
}

/* Returns the steps of (b): blocks of one column stay as they are. */
static uint64_t align_steps(struct mesh most)
{
    return most.cols == 1 || most.rows == 1 ? 0 : most.rows - most.rows / 2;
}

/* Finds the steps of a sort, which depend only on its tiles' sides: four blocks have them all. */
static enum failure_kind steps_of_sort(struct block_sides sides, uint64_t *steps,
                                       struct failure *failure)
{
    struct mesh four = {sides.most.rows + sides.least.rows, sides.most.cols + sides.least.cols};
    struct tessellation blocks;
    enum failure_kind kind = tessellation_grid(&blocks, four, (struct mesh){2, 2}, failure);
    if (kind != FAIL_NONE)
        return kind;
    struct sort_plan plan = sort_of(&blocks, NULL);
    kind = sort_steps(&plan, steps, failure);
    tessellation_free(&blocks);
    return kind;
}

static bool is_better(const struct block_choice *a, const struct block_choice *b)
{
    return a->steps < b->steps || (a->steps == b->steps && a->packets < b->packets);
}

/* Takes these blocks if they are better. A sort that brings a packet from one corner of a block to
 * the other needs at least as many steps as that way has links. */
static enum failure_kind consider(const struct unicast_plan *plan, struct mesh blocks,
                                  struct block_choice *choice, struct failure *failure)
{
    struct unicast_legs legs = legs_of(plan, blocks);
    struct block_sides sides = sides_of(plan->tiles, blocks);
    struct block_choice next = {.blocks = blocks, .packets = unicast_legs_packets(&legs)};
    next.steps = unicast_legs_steps(plan->tiles, &legs) + align_steps(sides.most);
    if (next.steps + sides.most.rows + sides.most.cols - 2 > choice->steps)
        return FAIL_NONE;
    uint64_t sort = 0;
    enum failure_kind kind = steps_of_sort(sides, &sort, failure);
    next.steps += sort;
    if (kind == FAIL_NONE && is_better(&next, choice))
        *choice = next;
    return kind;
}

static bool holds(const struct unicast_plan *plan, struct mesh blocks, uint32_t packets)
{
    struct unicast_legs legs = legs_of(plan, blocks);
    return unicast_legs_packets(&legs) <= packets;
}

enum failure_kind unicast_blocks_choose(const struct unicast_plan *plan, uint32_t packets,
                                        struct block_choice *choice, struct failure *failure)
{
    uint32_t rows = axis_shortest(&plan->tiles->row), cols = axis_shortest(&plan->tiles->col);
    struct unicast_legs legs = legs_of(plan, (struct mesh){0, 0});
    enum failure_kind kind = FAIL_NONE;
    *choice = (struct block_choice){.steps = unicast_legs_steps(plan->tiles, &legs),
                                    .packets = unicast_legs_packets(&legs)};
    if (choice->packets <= packets)
        return FAIL_NONE;
    choice->steps = UINT64_MAX;
    /* more blocks hold no fewer packets, and usually need fewer steps: these first */
    struct mesh blocks = {1, 1};
    while (blocks.rows < rows && holds(plan, (struct mesh){blocks.rows + 1, 1}, packets))
        blocks.rows++;
    for (; kind == FAIL_NONE && blocks.rows > 0; blocks.rows--) {
        while (blocks.cols < cols &&
               holds(plan, (struct mesh){blocks.rows, blocks.cols + 1}, packets))
            blocks.cols++;
        for (struct mesh fewer = blocks; kind == FAIL_NONE && fewer.cols > 0; fewer.cols--)
            kind = consider(plan, fewer, choice, failure);
    }
    assert(kind != FAIL_NONE || choice->packets <= packets);
    return kind;
}

/* ---- (a) and (b) ---- */

struct aligning {
    const struct headers *header;
    uint16_t *row; /* [packet]: its row */
};

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct aligning *aligning = context;
    uint32_t row = aligning->row[packet];
    return row == site.row ? OUT_HOLD : link_along(true, site.row, row);
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct aligning *aligning = context;
    (void)site;
    (void)direction;
    return aligning->row[packet];
}

/* Returns the row of the packet at `site`: its place in the order of its column of the block,
 * rotated by half. */
static uint16_t aligned(const struct tessellation *blocks, struct site site)
{
    struct interval rows = axis_interval_at(&blocks->row, site.row);
    uint32_t height = interval_length(rows), place = site.row - rows.start;
    uint32_t across = site.col - axis_interval_at(&blocks->col, site.col).start;
    if (across % 2 == 1)
        place = height - 1 - place;
    return (uint16_t)(rows.start + (place + height / 2) % height);
}

static enum failure_kind align(struct machine *machine, const struct tessellation *blocks,
                               struct failure *failure)
{
    enum { MOST = 3 };
    struct aligning aligning = {.header = machine_headers(machine)};
    struct routing_rule rule = {
        .context = &aligning, .outputs = outputs, .stop = stop, .capacity = MOST};
    struct mesh most = {axis_longest(&blocks->row), axis_longest(&blocks->col)};
    uint64_t steps = align_steps(most);
    if (steps == 0)
        return FAIL_NONE;
    aligning.row = machine_slot_field(machine, sizeof *aligning.row);
    if (aligning.row == NULL)
        return fail_memory(failure, "the rows of packets");
    for (struct resting at = resting_of(machine); resting_next(&at);)
        aligning.row[at.packet] = aligned(blocks, at.site);
    enum failure_kind kind = forward_for(machine, &rule, NULL, steps, failure);
    machine_end_field(machine, aligning.row);
    return kind;
}

static enum failure_kind sort_blocks(struct machine *machine, const struct unicast_plan *plan,
                                     struct mesh blocks, struct failure *failure)
{
    struct tessellation finer;
    enum failure_kind kind = tessellation_divide(plan->tiles, blocks, &finer, failure);
    if (kind != FAIL_NONE)
        return kind;
    struct sort_plan sort = sort_of(&finer, machine_headers(machine));
    if (plan->name != NULL)
        machine_begin_phase(machine, "sort blocks");
    kind = sort_tiles(machine, &sort, failure);
    if (kind == FAIL_NONE)
        kind = align(machine, &finer, failure);
    tessellation_free(&finer);
    return kind;
}

enum failure_kind unicast_by_blocks(struct machine *machine, const struct unicast_plan *plan,
                                    struct mesh blocks, struct failure *failure)
{
    struct unicast_legs legs = legs_of(plan, blocks);
    enum failure_kind kind = FAIL_NONE;
    if (blocks.rows > 0)
        kind = sort_blocks(machine, plan, blocks, failure);
    if (kind == FAIL_NONE)
        kind = unicast_along_legs(machine, plan->tiles, plan->name, &legs, failure);
    return kind;
}

enum failure_kind unicast_blocks(struct machine *machine, const struct unicast_plan *plan,
                                 uint32_t packets, struct failure *failure)
{
    struct block_choice choice;
    enum failure_kind kind = unicast_blocks_choose(plan, packets, &choice, failure);
    return kind == FAIL_NONE ? unicast_by_blocks(machine, plan, choice.blocks, failure) : kind;
}
