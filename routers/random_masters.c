/* random_masters.c - the masters of router `random`: the tiles of the mesh, the masters' homes,
 * walks and waves.
 *
 * A master's header names the node where it began the phase (header.target); its cell and its way
 * around the cycle of tiles follow from that, and its home in any visit from the visit's number. So
 * a master needs no counter, and one that is late (with unit copies it may still be busy copying
 * when the others leave) walks to the home of the visit that it finds, and joins in there.
 *   Slots are in the order of the visits to their tiles. Slots of a visit that is over, which were
 * not handed on then, are found at the front at the next home and go to the end: they wait for the
 * next round or phase. Nothing is lost.
 *   Masters have homes on seats (tile_cycle.h), at most two per node and layer, so that unequal
 * tiles do not crowd their last nodes. They go first on every link, and at most one wants a link in
 * a step (for a layer that goes both ways, or one seat per node), so a shift lasts `stride` steps,
 * with any copies under way; several layers need as many times that.
 *   An excess: e more masters than cells in a line of cells, all going one way. The masters that
 * cross a link are of different cells of that line, but for the excess, and all started within
 * `stride` nodes before it. Of packets that go one way, farthest first, those that start at nodes 0
 * .. z and cross link k >= z hold it up until step k - z and as many as they are, for the worst z
 * (unicast_legs.c): z + 1 + e of them, so until step k + 1 + e at most, and k < stride.
 * Source: Section 4 of the paper, Step 2(c).
 * Cost: 8 bytes per destination of the largest message and thread, while slots are sorted.
 */
#include "routers/random_private.h"

#include "base/parallel.h"
#include "primitives/synchronise.h"
#include "primitives/unicast_route.h"

#include <string.h>

/* ---- cutting the mesh ---- */

enum failure_kind random_cut(struct random_run *run, struct failure *failure)
{
    struct mesh mesh = run->routing->set->mesh;
    uint64_t tiles = random_tiles(run->congestion, run->phase);
    enum failure_kind kind = tessellation_make(&run->tiles, mesh, tiles, failure);
    if (kind == FAIL_NONE)
        kind = tile_cycle_make(&run->cycle, &run->tiles, failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = tile_cycle_excess(&run->cycle, &run->excess, failure);
    if (kind == FAIL_NONE)
        kind =
            tessellation_make(&run->blocks, mesh, random_blocks(mesh, run->cycle.count), failure);
    if (kind != FAIL_NONE)
        return kind;
    run->visit = 0;
    run->stage = RANDOM_VISITING;
    return kind;
}

void random_uncut(struct random_run *run)
{
    tile_cycle_free(&run->cycle);
    tessellation_free(&run->tiles);
    tessellation_free(&run->blocks);
}

/* ---- homes ---- */

static bool goes_forward(const struct random_run *run, uint32_t packet)
{
    struct seat seat = tile_cycle_seat(&run->cycle, run->header->packet[packet].target);
    uint32_t parity = run->layers_are_one ? 0 : random_layer(run->header, packet);
    if (run->variant->goes_both_ways)
        parity += !seat.goes_forward;
    return parity % 2 == 0;
}

/* Returns the home of the master in this visit. */
static node_place home_of(const struct random_run *run, uint32_t packet)
{
    const struct tile_cycle *cycle = &run->cycle;
    node_place start = run->header->packet[packet].target;
    uint32_t position = tile_cycle_position(cycle, start);
    position += goes_forward(run, packet) ? run->visit : cycle->count - run->visit;
    if (position >= cycle->count)
        position -= cycle->count;
    return tile_cycle_home(cycle, position, tile_cycle_seat(cycle, start).cell);
}

/* ---- slots ---- */

static bool is_in_tile(const struct tessellation *tiles, struct site site, node_place place)
{
    return tiles->row.tile[place_row(place)] == tiles->row.tile[site.row] &&
           tiles->col.tile[place_col(place)] == tiles->col.tile[site.col];
}

uint32_t random_slots_here(const struct random_run *run, struct site site, uint32_t packet)
{
    const node_place *slot = run->header->destination;
    uint32_t first = run->header->packet[packet].first, step = 1;
    if (!is_in_tile(&run->tiles, site, slot[first]))
        return 0;
    uint32_t inside = first, outside;
    while (inside + step <= packet && is_in_tile(&run->tiles, site, slot[inside + step])) {
        inside += step;
        step *= 2;
    }
    outside = inside + step <= packet ? inside + step : packet + 1;
    while (outside - inside > 1) {
        uint32_t middle = inside + (outside - inside) / 2;
        if (is_in_tile(&run->tiles, site, slot[middle]))
            inside = middle;
        else
            outside = middle;
    }
    return outside - first;
}

uint32_t random_visit_of(const struct random_run *run, uint32_t packet, node_place place)
{
    uint32_t start = tile_cycle_position(&run->cycle, run->header->packet[packet].target);
    return tile_cycle_distance(&run->cycle, start, tile_cycle_position(&run->cycle, place),
                               goes_forward(run, packet));
}

uint32_t random_find_slots(struct random_run *run, struct site site, uint32_t packet)
{
    struct headers *header = run->header;
    node_place *slot = header->destination + header->packet[packet].first;
    uint32_t count = packet - header->packet[packet].first + 1, over = 0;
    if (is_in_tile(&run->tiles, site, slot[0]))
        return random_slots_here(run, site, packet);
    while (over < count && random_visit_of(run, packet, slot[over]) < run->visit)
        over++;
    for (uint32_t moved = 0; over < count && moved < over; moved++) {
        node_place front = slot[0];
        memmove(slot, slot + 1, (count - 1) * sizeof *slot);
        slot[count - 1] = front;
    }
    return random_slots_here(run, site, packet);
}

static uint64_t visit_of_slot(void *context, uint32_t packet, node_place place)
{
    return random_visit_of(context, packet, place);
}

enum failure_kind random_sort_slots(struct random_run *run, struct failure *failure)
{
    return routing_order_slots(run->machine, run->routing->degree, visit_of_slot, run, failure);
}

/* ---- the rule ---- */

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    struct random_run *run = context;
    if (!random_is_master(run->header, packet))
        return run->variant->outputs(run, site, packet);
    node_place home = home_of(run, packet);
    if (home == site_place(site))
        return run->stage == RANDOM_SHIFTING ? (unsigned)OUT_HOLD
                                             : run->variant->outputs(run, site, packet);
    run->header->packet[packet].state &= (uint8_t)~RANDOM_OWN;
    return link_towards(site, home, false);
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct random_run *run = context;
    return run->variant->take(run, site, packet, output);
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    struct random_run *run = context;
    if (!random_is_master(run->header, packet))
        return run->variant->stop(run, site, packet, direction);
    node_place home = home_of(run, packet);
    return line_of_place(home, direction);
}

/* Returns the urgency: masters before all others, the farthest first; tile_cycle.c gives the
 * reason. */
static uint32_t urgency(void *context, struct site site, uint32_t packet, enum direction direction)
{
    struct random_run *run = context;
    if (!random_is_master(run->header, packet))
        return 0;
    uint32_t there = stop(context, site, packet, direction);
    bool grows = direction == SOUTH || direction == EAST;
    return MACHINE_MAX_URGENCY - (grows ? MESH_MAX_SIDE - 1 - there : there);
}

static void fetch(void *context, uint32_t packet)
{
    struct random_run *run = context;
    __builtin_prefetch(&run->header->destination[run->header->packet[packet].first]);
}

struct routing_rule random_rule(struct random_run *run)
{
    return (struct routing_rule){.context = run,
                                 .outputs = outputs,
                                 .take = take,
                                 .stop = stop,
                                 .urgency = urgency,
                                 .fetch = fetch};
}

/* ---- a visit's waves ---- */

enum { WAVES = 2 };

/* True if the master may send now. Every other master of a row or column sends in the other wave;
 * neighbours, which send along different dimensions, in the same one. All at once would pile up
 * where their trees turn. */
bool random_may_send(const struct random_run *run, struct site site, uint32_t packet)
{
    return (site.row + site.col + random_layer(run->header, packet)) / 2 % WAVES <= run->wave;
}

enum failure_kind random_send(struct random_run *run, uint64_t steps, struct failure *failure)
{
    struct routing_rule rule = random_rule(run);
    enum failure_kind kind = FAIL_NONE;
    uint64_t done = 0;
    for (run->wave = 0; kind == FAIL_NONE && run->wave < WAVES; run->wave++) {
        uint64_t end = steps * (run->wave + 1) / WAVES;
        kind = forward_wave(run->machine, &rule, end - done, failure);
        done = end;
    }
    return kind;
}

uint64_t random_drain_steps(const struct random_run *run, uint32_t round)
{
    return round == 0 ? run->variant->drain_steps(run) : 2 * random_around(run);
}

uint32_t random_drain_rounds(const struct random_run *run)
{
    return run->phase == 0 ? 3 : 2;
}

/* ---- to the seats ---- */

/* Returns the steps. In tiles of h x w, for each layer, at most h + w + 1 packets of a tile move,
 * at most h + w - 2 links, and each may delay any other once (Mansour and Patt-Shamir 1993: greedy
 * on shortest paths). */
uint64_t random_settle_steps(const struct random_run *run)
{
    return run->cycle.is_even ? 0 : random_around(run) * (run->layers + 1);
}

enum failure_kind random_settle(struct random_run *run, struct failure *failure)
{
    struct routing_rule rule = random_rule(run);
    if (run->cycle.is_even)
        return FAIL_NONE;
    run->stage = RANDOM_SHIFTING;
    enum failure_kind kind = forward_wave(run->machine, &rule, random_settle_steps(run), failure);
    run->stage = RANDOM_VISITING;
    return kind;
}

/* ---- Step 2(c): shift the masters to the same relative positions in the next tile ---- */

/* Returns the number of masters of one cell that may want one link, without an excess. */
static uint32_t masters_per_link(const struct random_run *run)
{
    const struct tessellation *tiles = &run->tiles;
    uint32_t layers = run->layers_are_one ? 1 : run->layers;
    if (axis_intervals(&tiles->row) == 1 || axis_intervals(&tiles->col) == 1)
        return layers; /* on a line both ways share links */
    return run->cycle.is_even || !run->variant->goes_both_ways ? (layers + 1) / 2 : layers;
}

/* Returns the addition of an excess, which goes the same way as the others of its cells. */
static uint32_t excess_per_link(const struct random_run *run)
{
    bool is_line = axis_intervals(&run->tiles.row) == 1 || axis_intervals(&run->tiles.col) == 1;
    if (run->variant->goes_both_ways && !(is_line && run->cycle.count == 2))
        return 0;
    return run->excess.in_row > run->excess.in_col ? run->excess.in_row : run->excess.in_col;
}

uint64_t random_shift_steps(const struct random_run *run)
{
    if (run->cycle.count == 1)
        return 0;
    return (uint64_t)(run->cycle.stride + excess_per_link(run)) * masters_per_link(run);
}

enum failure_kind random_shift(struct random_run *run, struct failure *failure)
{
    struct routing_rule rule = random_rule(run);
    run->visit = tile_cycle_next(&run->cycle, run->visit, true);
    if (run->cycle.count == 1)
        return FAIL_NONE;
    run->stage = RANDOM_SHIFTING;
    enum failure_kind kind = forward_wave(run->machine, &rule, random_shift_steps(run), failure);
    run->stage = RANDOM_VISITING;
    return kind;
}

/* ---- back ---- */

enum failure_kind random_return(struct random_run *run, struct failure *failure)
{
    struct routing_rule rule = unicast_rule(run->machine, false);
    char name[MACHINE_NAME_SIZE];
    snprintf(name, sizeof name, "return (phase %u)", run->phase);
    machine_begin_phase(run->machine, name);
    enum failure_kind kind = random_shift(run, failure);
    if (kind != FAIL_NONE || run->cycle.is_even)
        return kind;
    return forward_wave(run->machine, &rule, random_settle_steps(run), failure);
}
