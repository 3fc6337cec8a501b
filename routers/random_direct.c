/* random_direct.c - router `random`, variant=direct: a tree from the master to its destinations.
 *
 * At a visit each master hands a dimension-ordered multicast tree to its destinations in the tile:
 * it splits off the branches one by one and keeps what lies in other tiles. Masters at nodes of
 * even row + column send trees that go along rows first, the others along columns first. Trees that
 * are late drain on while the masters walk to the next tile, behind them on every link, and during
 * the next visits: with free copies no destination waits for another round. With unit copies a
 * master that is still copying when the others leave keeps the rest for the next round or phase. A
 * master whose last destinations are here becomes the tree itself.
 *
 * Why nothing piles up: a node receives at most c messages, and groups are random, so a tile of s x
 * s nodes gets about s^2 deliveries in a visit, whatever the set, and a link carries s / 4 of their
 * trees. Visit and shift leave it 3 s / 2 steps for them, the masters' own walk taken off.
 *
 * Steps, s the side of a tile: a visit s (3 s / 2 with unit copies), the shift s; so 2 S after Step
 * 1 (2.5 S) and 2 s at the end, S = sqrt(c n). Buffer: 9 packets per node measured.
 * Source: ours; Theorem 3's groups, with trees for its migration and tours.
 */
#include "primitives/multicast_tree.h"
#include "routers/random_private.h"

/* header.state: the order of dimensions of a tree, and of a master that has put its slots for this
 * tile into the order of its tree. */
enum { COLUMN_FIRST = 16, STARTED = 32 };

static bool is_row_first(const struct headers *header, uint32_t packet)
{
    return !(header->packet[packet].state & COLUMN_FIRST);
}

static uint8_t tree_state(const struct random_run *run, struct site site, uint32_t packet)
{
    return (site.row + site.col + random_layer(run->header, packet)) % 2 == 0 ? 0 : COLUMN_FIRST;
}

/* The master's slots for this tile as a packet of their own, named by the last of them. */
static uint32_t front_of(struct random_run *run, uint32_t packet, uint32_t count)
{
    struct headers *header = run->header;
    uint32_t first = header->packet[packet].first, front = first + count - 1;
    header->packet[front].first = first;
    return front;
}

static unsigned master_outputs(struct random_run *run, struct site site, uint32_t packet)
{
    struct headers *header = run->header;
    if (!random_may_send(run, site, packet))
        return OUT_HOLD;
    bool started = header->packet[packet].state & STARTED;
    uint32_t count =
        started ? random_slots_here(run, site, packet) : random_find_slots(run, site, packet);
    if (count == 0)
        return OUT_HOLD;
    uint8_t state = tree_state(run, site, packet);
    uint32_t front = front_of(run, packet, count);
    if (!started) {
        tree_start(header, site, front, !(state & COLUMN_FIRST));
        header->packet[packet].state |= STARTED | state;
    }
    unsigned outputs = tree_outputs(header, site, front, is_row_first(header, packet));
    if (front != packet)
        return outputs | OUT_AGAIN;
    header->packet[packet].state = state; /* no master any more */
    return outputs;
}

static unsigned outputs(struct random_run *run, struct site site, uint32_t packet)
{
    if (random_is_master(run->header, packet))
        return master_outputs(run, site, packet);
    return tree_outputs(run->header, site, packet, is_row_first(run->header, packet));
}

static uint32_t take(struct random_run *run, struct site site, uint32_t packet, enum output output)
{
    struct headers *header = run->header;
    bool row_first = is_row_first(header, packet);
    if (!random_is_master(header, packet))
        return tree_take(header, site, packet, output, row_first);
    uint32_t front = front_of(run, packet, random_slots_here(run, site, packet));
    uint32_t taken = front;
    header->packet[front].state = header->packet[packet].state & COLUMN_FIRST;
    if (tree_outputs(header, site, front, row_first) != (unsigned)output)
        taken = tree_take(header, site, front, output, row_first);
    header->packet[packet].first = taken + 1;
    return taken;
}

static uint32_t stop(struct random_run *run, struct site site, uint32_t packet,
                     enum direction direction)
{
    (void)site;
    return tree_stop(run->header, packet, direction);
}

static uint64_t visit_steps(const struct random_run *run)
{
    return (run->routing->options->copy_is_free ? 2 : 3) * random_around(run) / 4;
}

static enum failure_kind visit(struct random_run *run, struct failure *failure)
{
    return random_send(run, visit_steps(run), failure);
}

static uint64_t drain_steps(const struct random_run *run)
{
    return random_around(run);
}

const struct random_variant random_direct = {
    .group = random_groups_permuted,
    .goes_both_ways = true,
    .visit = visit,
    .visit_steps = visit_steps,
    .drain_steps = drain_steps,
    .outputs = outputs,
    .take = take,
    .stop = stop,
};
