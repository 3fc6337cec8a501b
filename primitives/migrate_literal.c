/* migrate_literal.c - a migration's copies made and sent as Proposition 3 says.
 *
 * Step 2: a prefix computation over the numbers of marks of this instance gives each packet its
 * segment of the region's snake, a node for each of its copies. A copy with all marks, the carrier,
 * goes to the segment's first node, and a segmented broadcast leaves one mark and its destinations
 * at each node. Since every block takes at most as many copies as it has nodes, all segments fit.
 * Step 3: each copy goes to the node of its rank in its block; no sort is needed for the ranks (see
 * migrate_rank.c). The packets themselves rest meanwhile, and so do copies of earlier instances.
 *   Carriers keep their order along the snake: they go along columns first, as monotone routing
 * that spreads packets wants. Copies go along rows or columns first by the parity of their node.
 *
 * Steps in regions of side s: 2 s - 1 for the prefix, t - 1 and at most 2 s - 2 for the broadcast
 * (twice that and 2 more with unit copies), at most 2 s to spread and 2 s to route measured, and
 * two synchronisations. Method tree saves most of it; this one is here to be compared. Buffer: at
 * most 11 packets per node measured to s = 140, 17 at s = 256, with masters and copies at rest.
 * Cost: 8 bytes per node.
 */
#include "primitives/migrate_private.h"
#include "primitives/multicast_tree.h"
#include "primitives/prefix.h"
#include "primitives/segmented_broadcast.h"
#include "primitives/synchronise.h"
#include "primitives/unicast_route.h"

#include <stdlib.h>

/* ---- marks ---- */

/* How many marks of this instance a packet has; they are at the front. */
static uint32_t marks_of(const struct migration *migration, uint32_t packet)
{
    uint32_t marks = 0, slot = migration->header->packet[packet].first;
    while (slot <= packet && migration->place[slot] != MACHINE_NO_PLACE) {
        slot = migrate_mark_end(migration, slot, packet);
        marks++;
    }
    return marks;
}

/* For the broadcast: a packet without marks is no segment's. */
static uint32_t copies(void *context, uint32_t packet)
{
    return marks_of(context, packet);
}

/* ---- routing ---- */

/* A packet that has marks sends its carrier off; carriers and copies go to header.target. */
static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct migration *migration = context;
    struct headers *header = migration->header;
    bool row_first = !(header->packet[packet].state & MIGRATE_COLUMN_FIRST);
    uint32_t first = header->packet[packet].first;
    if (migration->place[first] == MACHINE_NO_PLACE)
        return OUT_HOLD;
    unsigned part = unicast_outputs(header, site, packet, row_first);
    if (migration->place[packet] == MACHINE_NO_PLACE)
        return part | OUT_AGAIN;
    header->packet[packet].state |= MIGRATE_IS_COPY;
    return part;
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    const struct migration *migration = context;
    struct headers *header = migration->header;
    uint32_t marks = marks_of(migration, packet);
    (void)site;
    (void)output;
    uint32_t taken = packet_split(
        header, packet, header->packet[packet].first + migrate_slots(context, packet, marks));
    header->packet[taken].state |= MIGRATE_IS_COPY;
    return taken;
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct migration *migration = context;
    (void)site;
    return unicast_stop(migration->header, packet, direction);
}

static uint32_t urgency(void *context, struct site site, uint32_t packet, enum direction direction)
{
    uint32_t there = stop(context, site, packet, direction);
    uint32_t here = direction_is_vertical(direction) ? site.row : site.col;
    return there > here ? there - here : here - there;
}

static enum failure_kind route(struct migration *migration, const char *name,
                               struct failure *failure)
{
    struct routing_rule rule = {
        .context = migration, .outputs = outputs, .take = take, .stop = stop, .urgency = urgency};
    uint64_t around = migrate_around(migration);
    struct rounds rounds = {around + around / 4, around / 4 + 1};
    return forward_in_rounds(migration->machine, &rule, name, rounds, failure);
}

/* ---- the steps ---- */

/* Calls `act` for every resting packet; what it reads and writes is the packet's node's own. */
static void for_packets(struct migration *migration,
                        void (*act)(struct migration *migration, struct site site, uint32_t packet,
                                    uint64_t *value),
                        uint64_t *value)
{
    struct machine *machine = migration->machine;
    struct node_range nodes = machine_nodes(machine);
    for (node_index node = nodes.first; node < nodes.end; node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            act(migration, machine_site(machine, node), packet, value);
}

/* The marks of this instance to the front; how many there are. */
static void count_marks(struct migration *migration, struct site site, uint32_t packet,
                        uint64_t *value)
{
    uint32_t first = migration->header->packet[packet].first;
    if (migration->header->packet[packet].state & MIGRATE_IS_COPY)
        return;
    for (uint32_t slot = first; slot <= packet; slot++)
        migration->entry[slot - first].key = migration->place[slot];
    migrate_order(migration, packet); /* MACHINE_NO_PLACE is the largest key */
    value[site.index] = marks_of(migration, packet);
}

static struct block_view region_of(const struct migration *migration, struct site site)
{
    const struct tessellation *regions = migration->plan.regions;
    return (struct block_view){.rows = axis_interval_at(&regions->row, site.row),
                               .cols = axis_interval_at(&regions->col, site.col)};
}

static void address_carrier(struct migration *migration, struct site site, uint32_t packet,
                            uint64_t *value)
{
    struct block_view region = region_of(migration, site);
    if (migration->place[migration->header->packet[packet].first] == MACHINE_NO_PLACE)
        return;
    migration->header->packet[packet].target =
        snake_place(region.rows, region.cols, value[site.index]);
    migration->header->packet[packet].state = MIGRATE_COLUMN_FIRST;
}

static void position_carrier(struct migration *migration, struct site site, uint32_t packet,
                             uint64_t *value)
{
    struct block_view region = region_of(migration, site);
    (void)value;
    migration->header->packet[packet].target = (uint32_t)snake_number(
        site.row - region.rows.start, site.col - region.cols.start, interval_length(region.cols));
}

static void address_copy(struct migration *migration, struct site site, uint32_t packet,
                         uint64_t *value)
{
    uint8_t *state = &migration->header->packet[packet].state;
    (void)value;
    if (migration->place[packet] == MACHINE_NO_PLACE)
        return;
    bool column_first = (site.row + site.col) % 2 == 1;
    *state = MIGRATE_IS_COPY | (column_first ? MIGRATE_COLUMN_FIRST : 0);
    migration->header->packet[packet].target = migration->place[packet];
}

static void arrive(struct migration *migration, struct site site, uint32_t packet, uint64_t *value)
{
    (void)site;
    (void)value;
    migration->header->packet[packet].state &= MIGRATE_IS_COPY;
}

static enum failure_kind count(struct migration *migration, uint64_t *value,
                               struct failure *failure)
{
    struct prefix_items marks = {.operation = &prefix_sum, .count = 1, .value = value};
    for_packets(migration, count_marks, value);
    machine_begin_phase(migration->machine, "count");
    return prefix_snake(migration->machine, migration->plan.regions, &marks, failure);
}

static enum failure_kind literal_steps(struct migration *migration, uint64_t *value,
                                       struct failure *failure)
{
    struct segments segments = migrate_segments(&migration->plan, copies, migration);
    enum failure_kind kind = count(migration, value, failure);
    if (kind == FAIL_NONE) {
        for_packets(migration, address_carrier, value);
        kind = route(migration, "spread", failure);
    }
    if (kind == FAIL_NONE) {
        for_packets(migration, position_carrier, value);
        kind = segmented_broadcast(migration->machine, &segments, "broadcast", failure);
    }
    if (kind == FAIL_NONE) {
        for_packets(migration, address_copy, value);
        kind = route(migration, "migrate", failure);
    }
    if (kind == FAIL_NONE)
        for_packets(migration, arrive, value);
    return kind;
}

enum failure_kind migrate_literally(struct migration *migration, struct failure *failure)
{
    uint64_t *value =
        memory_allocate(mesh_nodes(machine_config(migration->machine)->mesh), sizeof *value);
    if (value == NULL)
        return fail_memory(failure, "a migration");
    enum failure_kind kind = literal_steps(migration, value, failure);
    free(value);
    return kind;
}
