/* migrate_tree.c - a migration's copies sent by one multicast tree from each packet.
 *
 * The tree is dimension-ordered: a trunk along the packet's row, branches along the columns of its
 * copies' nodes (packets of even nodes, by row + column; the others the other way round). Each copy
 * travels once over every link that it needs, however many blocks lie behind.
 * Order of a packet's slots: the part that goes on farthest along the trunk first (one end, then
 * the other), and for one column of branches the part above, the part below, and last what belongs
 * on the trunk itself; within a part outward ones first. What stays with the packet stands behind
 * all. So at every node of the tree the part that leaves is the front of the range, the next stop
 * is that of the last slot, and the trunk, which has farther to go, is copied first.
 * Queues let that packet go first which has farthest to go.
 *
 * Proven: a link of a row carries a trunk of each master behind it in the row and a branch of each
 * copy whose node is in the row, and columns alike; so no link of an h x w region carries more than
 * h + w packets. Measured, on random and structured demands and on some made to meet in one node
 * (test_migrate.c; s = 8 .. 144): at most 2 s steps with free copies, 3 s with unit copies. Queues
 * hold at most 10 packets at a node there, what rests included. What keeps them small is the split
 * by parity: trunks start two nodes apart, so on each side of a node at most every second step
 * brings one that turns. They are not constant: the copies of one row may go to blocks one above
 * the other, sqrt(s) columns, and meet there; 14 were measured at s = 256 (transpose).
 */
#include "primitives/migrate_private.h"
#include "primitives/multicast_tree.h"
#include "primitives/synchronise.h"

#include <stdlib.h>

/* What becomes of a slot at a node: it leaves over a link, rests here as a copy, or stays with its
 * master. */
static unsigned part_of(const struct migration *migration, struct site site, uint32_t packet,
                        uint32_t slot)
{
    node_place place = migration->place[slot];
    if (place == MACHINE_NO_PLACE)
        return 0;
    uint32_t row = place_row(place), col = place_col(place);
    bool column_first = migration->header->packet[packet].state & MIGRATE_COLUMN_FIRST;
    if (col != site.col && (!column_first || row == site.row))
        return col > site.col ? OUT_EAST : OUT_WEST;
    if (row != site.row)
        return row > site.row ? OUT_SOUTH : OUT_NORTH;
    return OUT_HOLD;
}

/* The end of the part at the front of the range, by doubling steps and halving them again. */
static uint32_t front_end(const struct migration *migration, struct site site, uint32_t packet)
{
    uint32_t inside = migration->header->packet[packet].first, step = 1;
    unsigned part = part_of(migration, site, packet, inside);
    if (part_of(migration, site, packet, packet) == part)
        return packet + 1;
    while (inside + step < packet && part_of(migration, site, packet, inside + step) == part) {
        inside += step;
        step *= 2;
    }
    uint32_t outside = inside + step < packet ? inside + step : packet;
    while (outside - inside > 1) {
        uint32_t middle = inside + (outside - inside) / 2;
        if (part_of(migration, site, packet, middle) == part)
            inside = middle;
        else
            outside = middle;
    }
    return outside;
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct migration *migration = context;
    struct headers *header = migration->header;
    unsigned part = part_of(migration, site, packet, header->packet[packet].first);
    if (part == 0)
        return OUT_HOLD; /* a master that keeps what it has */
    if (front_end(migration, site, packet) <= packet)
        return part | OUT_AGAIN;
    header->packet[packet].state |= MIGRATE_IS_COPY;
    return part;
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    const struct migration *migration = context;
    (void)output; /* it is the front of the range */
    uint32_t taken = packet_split(migration->header, packet, front_end(migration, site, packet));
    migration->header->packet[taken].state |= MIGRATE_IS_COPY;
    return taken;
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct migration *migration = context;
    node_place nearest = migration->place[packet];
    (void)site;
    return direction_is_vertical(direction) ? place_row(nearest) : place_col(nearest);
}

static uint32_t urgency(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct migration *migration = context;
    node_place farthest = migration->place[migration->header->packet[packet].first];
    (void)direction;
    return place_distance(farthest, site_place(site));
}

/* The order of the banner as a number. `along` and `across` the trunk, relative to the root. */
static uint64_t key_of(int32_t along, int32_t across)
{
    uint64_t end = along > 0 ? 0 : along < 0 ? 1 : 2;
    uint64_t side = across < 0 ? 0 : across > 0 ? 1 : 2;
    uint64_t inward = UINT16_MAX - (uint64_t)abs(along),
             nearer = UINT16_MAX - (uint64_t)abs(across);
    return end << 48 | inward << 32 | side << 16 | nearer;
}

static void start_tree(struct migration *migration, struct site root, uint32_t packet)
{
    struct headers *header = migration->header;
    bool column_first = (root.row + root.col) % 2 == 1, sends = false;
    uint32_t first = header->packet[packet].first;
    for (uint32_t slot = first; slot <= packet; slot++) {
        node_place place = migration->place[slot];
        int32_t dy = (int32_t)place_row(place) - (int32_t)root.row;
        int32_t dx = (int32_t)place_col(place) - (int32_t)root.col;
        bool goes = place != MACHINE_NO_PLACE;
        sends = sends || goes;
        migration->entry[slot - first].key = !goes          ? UINT64_MAX
                                             : column_first ? key_of(dy, dx)
                                                            : key_of(dx, dy);
    }
    header->packet[packet].state = column_first ? MIGRATE_COLUMN_FIRST : 0;
    if (sends)
        migrate_order(migration, packet);
}

enum failure_kind migrate_by_tree(struct migration *migration, struct failure *failure)
{
    struct machine *machine = migration->machine;
    struct node_range nodes = machine_nodes(machine);
    for (node_index node = nodes.first; node < nodes.end; node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            if (!(migration->header->packet[packet].state & MIGRATE_IS_COPY))
                start_tree(migration, machine_site(machine, node), packet);

    struct routing_rule rule = {
        .context = migration, .outputs = outputs, .take = take, .stop = stop, .urgency = urgency};
    /* free copies were always in place after the first round, unit copies mostly */
    uint64_t around = migrate_around(migration);
    bool copy_is_free = machine_config(machine)->copy_is_free;
    struct rounds rounds = {around + 4 + (copy_is_free ? 0 : around / 4), around / 4 + 1};
    return forward_in_rounds(machine, &rule, "migrate", rounds, failure);
}
