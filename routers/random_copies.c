/* random_copies.c - copies of variant=rank: a tree from the master to their nodes, then tours.
 *
 * The tree is dimension-ordered (half of the masters along rows first, half along columns first).
 * A copy takes exactly its packet's destinations in its block. From its node it tours the block:
 * those destinations that are nearer forward along the cycle in one packet, the others backward in
 * another, each at most half of the cycle away. A block of odd sides has no cycle; there copies go
 * both ways along its snake.
 *   The slots of a master stand in the order in which they leave: the part that goes on farthest
 * along the trunk first, then a column's branches, above and below, outward ones first, last what
 * belongs to the node; of one copy: the destination at its node, the forward ones, the backward
 * ones, nearest first. So at every node the part that leaves is the front of the range, and no slot
 * is ever moved again.
 *   Queues let those copies go first that are not yet at their nodes, the farthest first.
 * Source: the trees as in primitives/migrate_tree.c; Fact 1 of the paper for the cycles.
 * Cost: 8 bytes a node of a block, for each of four sizes of blocks.
 */
#include "primitives/multicast_tree.h"
#include "primitives/ring.h"
#include "routers/random_rank.h"

#include <stdlib.h>

/* header.state: the order of dimensions; of a master: its slots for this tile are ranked; of a
 * copy: on tour, and which way. */
enum { COLUMN_FIRST = 16, RANKED = 32, TOURING = 64, BACKWARD = 128 };

/* What becomes of a slot at a node: a part, and for tours the way. */
enum { ON_TOUR = 1 << 8, ON_TOUR_BACKWARD = 3 << 8, PART_MASK = (1 << 8) - 1 };

/* ---- the walk of a block ---- */

static enum failure_kind walk_snake(struct block_walk *walk, struct failure *failure)
{
    uint32_t area = walk->height * walk->width;
    walk->place = memory_allocate(area, sizeof *walk->place);
    walk->position = memory_allocate(area, sizeof *walk->position);
    if (walk->place == NULL || walk->position == NULL)
        return fail_memory(failure, "the cycles of the blocks");
    for (uint32_t i = 0; i < area; i++) {
        uint32_t y = i / walk->width, x = i % walk->width;
        x = y % 2 == 0 ? x : walk->width - 1 - x;
        walk->place[i] = place_of(y, x);
        walk->position[y * walk->width + x] = i;
    }
    walk->length = area;
    return FAIL_NONE;
}

static enum failure_kind walk_make(struct block_walk *walk, uint32_t height, uint32_t width,
                                   struct failure *failure)
{
    struct ring ring;
    *walk = (struct block_walk){.height = height, .width = width};
    if (height == 0 || width == 0)
        return FAIL_NONE; /* no block is so small */
    if (height % 2 == 1 && width % 2 == 1)
        return walk_snake(walk, failure);
    enum failure_kind kind = ring_make(&ring, (struct mesh){height, width}, failure);
    if (kind != FAIL_NONE)
        return kind;
    walk->length = ring.length;
    walk->is_closed = ring.is_closed;
    walk->place = ring.place;
    walk->position = ring.position;
    ring.place = NULL;
    ring.position = NULL;
    ring_free(&ring);
    return FAIL_NONE;
}

enum failure_kind copies_make(struct random_run *run, struct failure *failure)
{
    struct ranking *ranking = run->own;
    uint32_t height = axis_longest(&run->blocks.row), width = axis_longest(&run->blocks.col);
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t lower = 0; lower < 2; lower++)
        for (uint32_t narrower = 0; narrower < 2 && kind == FAIL_NONE; narrower++)
            kind = walk_make(&ranking->walk[lower][narrower], height - lower, width - narrower,
                             failure);
    return kind;
}

void copies_end(struct ranking *ranking)
{
    for (int i = 0; i < 4; i++) {
        free(ranking->walk[i / 2][i % 2].place);
        free(ranking->walk[i / 2][i % 2].position);
    }
}

/* A node within its block. */
struct block_site {
    const struct block_walk *walk;
    uint32_t row, col; /* the block's first */
};

static struct block_site block_site(const struct random_run *run, node_place place)
{
    const struct ranking *ranking = run->own;
    const uint32_t *row = run->blocks.row.cut + run->blocks.row.tile[place_row(place)];
    const uint32_t *col = run->blocks.col.cut + run->blocks.col.tile[place_col(place)];
    const struct block_walk *largest = &ranking->walk[0][0];
    return (struct block_site){
        &ranking->walk[row[1] - row[0] < largest->height][col[1] - col[0] < largest->width], row[0],
        col[0]};
}

static uint32_t position_in(struct block_site block, node_place place)
{
    return block.walk->position[(place_row(place) - block.row) * block.walk->width +
                                place_col(place) - block.col];
}

static node_place place_in(struct block_site block, uint32_t position)
{
    node_place place = block.walk->place[position];
    return place_of(block.row + place_row(place), block.col + place_col(place));
}

static uint32_t next_position(const struct block_walk *walk, uint32_t position, bool backward)
{
    uint32_t last = walk->length - 1;
    return backward ? (position == 0 ? last : position - 1) : (position == last ? 0 : position + 1);
}

/* How far `to` is from `from`, by the nearer way; on a path there is but one. */
static uint32_t walk_distance(const struct block_walk *walk, uint32_t from, uint32_t to,
                              bool *backward)
{
    uint32_t forward = to >= from ? to - from : to + walk->length - from;
    *backward = walk->is_closed ? 2 * forward > walk->length : to < from;
    return *backward ? walk->length - forward : forward;
}

static unsigned link_between(node_place from, node_place to)
{
    if (place_row(from) != place_row(to))
        return place_row(to) > place_row(from) ? OUT_SOUTH : OUT_NORTH;
    return place_col(to) > place_col(from) ? OUT_EAST : OUT_WEST;
}

static unsigned link_onward(const struct random_run *run, node_place here, bool backward)
{
    struct block_site block = block_site(run, here);
    uint32_t next = next_position(block.walk, position_in(block, here), backward);
    return link_between(here, place_in(block, next));
}

/* ---- order ---- */

uint8_t copies_begin(const struct random_run *run, struct site site, uint32_t packet)
{
    bool column_first = (site.row + site.col + random_layer(run->header, packet)) % 2 == 1;
    return column_first ? RANKED | COLUMN_FIRST : RANKED;
}

/* Of a slot that goes `along` the trunk and `across` it: the part that goes on, its ends apart, and
 * then the branches of a column, each outward ones first. */
static uint64_t tree_key(int32_t along, int32_t across)
{
    uint64_t end = along > 0 ? 0 : along < 0 ? 1 : 2;
    uint64_t side = across < 0 ? 0 : across > 0 ? 1 : 2;
    uint64_t inward = UINT16_MAX - (uint64_t)abs(along);
    uint64_t nearer = UINT16_MAX - (uint64_t)abs(across);
    return end << 34 | inward << 18 | side << 16 | nearer;
}

uint64_t copies_key(const struct random_run *run, struct site site, uint32_t packet, uint32_t slot)
{
    const struct ranking *ranking = run->own;
    node_place place = ranking->place[slot], destination = run->header->destination[slot];
    int32_t dy = (int32_t)place_row(place) - (int32_t)site.row;
    int32_t dx = (int32_t)place_col(place) - (int32_t)site.col;
    bool column_first = run->header->packet[packet].state & COLUMN_FIRST, backward;
    struct block_site block = block_site(run, place);
    uint64_t tour = walk_distance(block.walk, position_in(block, place),
                                  position_in(block, destination), &backward);
    if (tour > 0)
        tour |= backward ? 2 << 16 : 1 << 16;
    return (column_first ? tree_key(dy, dx) : tree_key(dx, dy)) << 18 | tour;
}

/* ---- the rule ---- */

static bool is_here(const struct random_run *run, struct site site, uint32_t slot)
{
    node_place place = run->header->destination[slot];
    return run->tiles.row.tile[place_row(place)] == run->tiles.row.tile[site.row] &&
           run->tiles.col.tile[place_col(place)] == run->tiles.col.tile[site.col];
}

/* What becomes of a slot of a master, or of a copy that is not on tour; 0: it stays. */
static unsigned part_of(const struct random_run *run, struct site site, uint32_t packet,
                        uint32_t slot)
{
    const struct ranking *ranking = run->own;
    if (random_is_master(run->header, packet) && !is_here(run, site, slot))
        return 0;
    node_place place = ranking->place[slot];
    if (place == MACHINE_NO_PLACE)
        return 0;
    uint32_t row = place_row(place), col = place_col(place);
    bool column_first = run->header->packet[packet].state & COLUMN_FIRST, backward;
    if (col != site.col && (!column_first || row == site.row))
        return col > site.col ? OUT_EAST : OUT_WEST;
    if (row != site.row)
        return row > site.row ? OUT_SOUTH : OUT_NORTH;
    node_place destination = run->header->destination[slot];
    if (destination == place)
        return OUT_EJECT;
    struct block_site block = block_site(run, place);
    walk_distance(block.walk, position_in(block, place), position_in(block, destination),
                  &backward);
    return link_onward(run, place, backward) | (backward ? ON_TOUR_BACKWARD : ON_TOUR);
}

/* The end of the `part` at the front of the range, by doubling steps and halving them again. */
static uint32_t front_end(const struct random_run *run, struct site site, uint32_t packet,
                          unsigned part)
{
    uint32_t inside = run->header->packet[packet].first, step = 1;
    if (part_of(run, site, packet, packet) == part)
        return packet + 1;
    while (inside + step < packet && part_of(run, site, packet, inside + step) == part) {
        inside += step;
        step *= 2;
    }
    uint32_t outside = inside + step < packet ? inside + step : packet;
    while (outside - inside > 1) {
        uint32_t middle = inside + (outside - inside) / 2;
        if (part_of(run, site, packet, middle) == part)
            inside = middle;
        else
            outside = middle;
    }
    return outside;
}

/* The state of a copy that is what `part` says. */
static uint8_t copy_state(const struct headers *header, uint32_t packet, unsigned part)
{
    if (part & ON_TOUR)
        return (part & ON_TOUR_BACKWARD) == ON_TOUR_BACKWARD ? TOURING | BACKWARD : TOURING;
    return header->packet[packet].state & COLUMN_FIRST;
}

static unsigned tour_outputs(const struct random_run *run, struct site site, uint32_t packet)
{
    const struct headers *header = run->header;
    uint32_t first = header->packet[packet].first;
    bool is_last = first == packet, delivers = header->destination[first] == site_place(site);
    if (delivers && is_last)
        return OUT_EJECT;
    unsigned link = link_onward(run, site_place(site), header->packet[packet].state & BACKWARD);
    return delivers ? link | OUT_EJECT : link;
}

unsigned copies_outputs(struct random_run *run, struct site site, uint32_t packet)
{
    struct headers *header = run->header;
    if (header->packet[packet].state & TOURING)
        return tour_outputs(run, site, packet);
    bool is_ranked =
        header->packet[packet].state & RANKED; /* else nothing is for this tile, or it is late */
    if (random_is_master(header, packet) && !(is_ranked && random_may_send(run, site, packet)))
        return OUT_HOLD;
    unsigned part = part_of(run, site, packet, header->packet[packet].first);
    if (part == 0)
        return OUT_HOLD;
    if (front_end(run, site, packet, part) <= packet)
        return (part & PART_MASK) | OUT_AGAIN;
    header->packet[packet].state = copy_state(header, packet, part); /* no master any more */
    return part & PART_MASK;
}

uint32_t copies_take(struct random_run *run, struct site site, uint32_t packet, enum output output)
{
    struct headers *header = run->header;
    uint32_t first = header->packet[packet].first;
    (void)output; /* it is the front of the range */
    if (header->packet[packet].state & TOURING)
        return packet_split(header, packet, first + 1);
    unsigned part = part_of(run, site, packet, first);
    uint32_t taken = packet_split(header, packet, front_end(run, site, packet, part));
    header->packet[taken].state = copy_state(header, packet, part);
    return taken;
}

/* A tour stops where the walk turns, and at its next destination. */
static node_place tour_stop(const struct random_run *run, struct site site, uint32_t packet)
{
    node_place here = site_place(site),
               goal = run->header->destination[run->header->packet[packet].first];
    bool backward = run->header->packet[packet].state & BACKWARD;
    struct block_site block = block_site(run, here);
    uint32_t position = next_position(block.walk, position_in(block, here), backward);
    node_place stop = place_in(block, position);
    uint32_t step = stop - here;
    while (stop != goal) {
        position = next_position(block.walk, position, backward);
        node_place next = place_in(block, position);
        if (next - stop != step)
            break;
        stop = next;
    }
    return stop;
}

uint32_t copies_stop(struct random_run *run, struct site site, uint32_t packet,
                     enum direction direction)
{
    const struct ranking *ranking = run->own;
    node_place stop = run->header->packet[packet].state & TOURING ? tour_stop(run, site, packet)
                                                                  : ranking->place[packet];
    return direction_is_vertical(direction) ? place_row(stop) : place_col(stop);
}

uint32_t copies_urgency(struct random_run *run, struct site site, uint32_t packet,
                        enum direction direction)
{
    const struct ranking *ranking = run->own;
    (void)direction;
    if (run->header->packet[packet].state & TOURING)
        return 0;
    node_place farthest = ranking->place[run->header->packet[packet].first];
    return 1 + place_distance(farthest, site_place(site));
}

void copies_fetch(struct random_run *run, uint32_t packet)
{
    const struct ranking *ranking = run->own;
    if (run->header->packet[packet].state & TOURING)
        return;
    __builtin_prefetch(&ranking->place[run->header->packet[packet].first]);
    __builtin_prefetch(&ranking->place[packet]);
}
