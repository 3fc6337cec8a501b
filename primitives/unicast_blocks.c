/* unicast_blocks.c - permutation routing by sorting: whole tiles, or blocks and then greedily.
 *
 * Blocks: a tile of h rows and w columns is cut into b x b blocks. (a) Each block is sorted by the
 * targets' columns, and rows, roughly in column-major order; then its columns by themselves for a
 * quarter of the steps that would sort them, or for half of them where blocks are dealt (without
 * that one packet more is seen at a node). (b)
 * Packets go along their row to the target's column and then along that column, farthest first. Any
 * partial permutation; deterministic.
 *
 * Steps: (a) those of sort_tiles in the blocks, where they need rough order alone, and a quarter
 * of their height, or half of it; (b) h + w - 2 at most: after (a) no node holds two packets, so unicast_route.c's
 * proof holds. Its length is known, and one round is enough; the synchronisation behind it tells all
 * nodes so. For b = 4 (a) and (b) add up to 3.15 m at most for powers of two from 16 on (worst at 64
 * and 128), and to 3.94 m at most for other sides to 513 (17, 33, 65: just above a power of two; 3.75 m
 * is exceeded by those up to a tenth above one). Measured: 2.84 m and 3.65 m.
 *
 * Buffer. Let N packets of a block, whose columns have g >= h / b - 1 nodes, be for one column of
 * the tile. At each of the two thresholds, before and behind them, at most one column of the block
 * is mixed; all others of the N fill columns. So a row of the block holds at most (N - 2) / g + 2
 * of them. A row of the tile crosses b blocks, which together hold at most h packets for that
 * column: at most (h - 2 b) / g + 2 b of them turn at a node, so 3 b - 1. A queue along a column
 * holds at most one packet more than have turned into it: it grows by turning packets alone. With
 * both queues along the column, one packet passing along the row each way and one at rest a node
 * holds at most 5 packets more than turn there: 3 b + 4. Measured: for b = 4 5 packets, 6 at some
 * sides that are no powers of two; for b = 8 9 and 14.
 * Source: Leighton 1992, section 1.7; Kunde (sorting before routing).
 * Cost: the sort's.
 */
#include "machine/plane.h"
#include "primitives/sort.h"
#include "primitives/unicast_route.h"

/* By column, then by row: targets differ, so keys do. */
static uint32_t column_of_target(void *context, uint32_t packet)
{
    node_place target = ((const struct headers *)context)->packet[packet].target;
    return place_col(target) << 16 | place_row(target);
}

/* The end of the sort: the columns of the blocks by themselves, a part of the way. Dealt blocks are in
 * the order of their snake: every second column stands upside down, and needs twice the steps. */
static enum failure_kind sort_columns_of_blocks(struct machine *machine,
                                                const struct sort_plan *plan,
                                                struct failure *failure)
{
    const struct axis *rows = &plan->tiles->row;
    uint32_t height = 0;
    enum sort_method method;
    for (uint32_t i = 0; i < axis_intervals(rows); i++)
        if (rows->cut[i + 1] - rows->cut[i] > height)
            height = rows->cut[i + 1] - rows->cut[i];
    enum failure_kind kind = sort_method_of(plan, &method, failure);
    if (kind == FAIL_NONE)
        kind = machine_open_plane(machine, plan->key, plan->context, failure);
    if (kind != FAIL_NONE)
        return kind;
    struct compare compare = {.lines = {true, axis_intervals(rows), rows->cut},
                              .steps = method == SORT_DEAL ? height / 2 : height / 4};
    kind = machine_compare(machine, &compare, failure);
    machine_close_plane(machine);
    return kind;
}

static enum failure_kind sort_blocks(struct machine *machine, const struct unicast_plan *plan,
                                     uint32_t blocks, struct failure *failure)
{
    struct tessellation finer;
    uint32_t levels = 0;
    while (blocks >> (levels + 1) > 0)
        levels++;
    enum failure_kind kind = tessellation_refine(plan->tiles, levels, &finer, failure);
    if (kind != FAIL_NONE)
        return kind;
    struct sort_plan sort = {.tiles = &finer,
                             .key = column_of_target,
                             .context = machine_headers(machine),
                             .order = SORT_ROUGH,
                             .column_major = true,
                             .method = SORT_DEAL};
    machine_begin_phase(machine, "sort blocks");
    kind = sort_tiles(machine, &sort, failure);
    if (kind == FAIL_NONE)
        kind = sort_columns_of_blocks(machine, &sort, failure);
    tessellation_free(&finer);
    return kind;
}

static void clear_states(struct machine *machine)
{
    struct headers *header = machine_headers(machine);
    for (node_index node = 0; node < mesh_nodes(machine_config(machine)->mesh); node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            header->packet[packet].state = 0;
}

enum failure_kind unicast_blocks(struct machine *machine, const struct unicast_plan *plan,
                                 uint32_t blocks, struct failure *failure)
{
    enum failure_kind kind = sort_blocks(machine, plan, blocks, failure);
    if (kind != FAIL_NONE)
        return kind;
    clear_states(machine);
    struct routing_rule rule = unicast_rule(machine, true);
    uint64_t rows = plan->tiles->row.cut[1], cols = plan->tiles->col.cut[1]; /* a largest tile */
    uint64_t length = rows + cols > 2 ? rows + cols - 2 : 1;
    return forward_in_rounds(machine, &rule, plan->name, (struct rounds){length, length}, failure);
}

/* ---- sorting as routing ---- */

struct snake {
    const struct headers *header;
    const struct tessellation *tiles;
};

/* The target's number in the snake order of its tile. */
static uint32_t snake_of_target(void *context, uint32_t packet)
{
    const struct snake *snake = context;
    node_place target = snake->header->packet[packet].target;
    const struct axis *row = &snake->tiles->row, *col = &snake->tiles->col;
    const uint32_t *row_cut = row->cut + row->tile[place_row(target)];
    const uint32_t *col_cut = col->cut + col->tile[place_col(target)];
    uint32_t y = place_row(target) - row_cut[0], x = place_col(target) - col_cut[0];
    uint32_t width = col_cut[1] - col_cut[0];
    return y * width + (y % 2 == 0 ? x : width - 1 - x);
}

enum failure_kind unicast_sort(struct machine *machine, const struct unicast_plan *plan,
                               struct failure *failure)
{
    struct snake snake = {machine_headers(machine), plan->tiles};
    struct sort_plan sort = {.tiles = plan->tiles,
                             .key = snake_of_target,
                             .context = &snake,
                             .order = SORT_SNAKE,
                             .method = SORT_DEAL};
    machine_begin_phase(machine, plan->name);
    enum failure_kind kind = sort_tiles(machine, &sort, failure);
    if (kind == FAIL_NONE)
        clear_states(machine);
    return kind;
}
