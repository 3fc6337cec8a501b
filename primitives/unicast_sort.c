/* unicast_sort.c - a full permutation is routed when it is sorted by target.
 *
 * The key of a packet is its target's number in the snake of the tile; with a packet at every node
 * number i comes to rest at place i.
 *
 * Steps and buffer: those of sort_tiles, whatever the permutation.
 * Cost: the sort's.
 */
#include "machine/plane.h"
#include "primitives/sort.h"
#include "primitives/unicast_route.h"

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
    return sort_tiles(machine, &sort, failure);
}
