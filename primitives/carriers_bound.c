/* carriers_bound.c - how long the legs of carriers take, and how many packets a node holds (carriers.c).
 *
 * Steps, with L <= 2 batches. Take a line of l nodes. At most L packets start at each node, and for at most L of
 * them a node is the farthest to which they go. If the farthest goes first, the packets that cross link k, the
 * one behind node k, towards the line's end hold one another up alone. At most L (z + 1) of them started at nodes
 * 0 .. z, and at most L N, N = l - 1 - k, cross in all. So the last one crosses in step F + k (unicast_legs.c),
 * where F is the most that min(L (z + 1), L N) - z can be for z = 0 .. k: 1 for L = 1, and at most N + 1 for
 * L = 2. As k = l - 1 - N, all is done after l - 1 + (L - 1) steps. With free copies this holds in (4) as well:
 * leaving copies takes no step, and no two parts of a batch have the same farthest place.
 *   In (3) at most one part of a batch crosses each border between two rows, D borders at most. It waits for the
 * other batch's part at most once, for one that starts in the same row, and follows it from then on.
 *
 * Buffer: 3 packets of each batch at a node. In (4) at most one carrier of a batch starts at a node, with one part
 * to go east, one to go west, and one to rest; a queue never holds more than started in it, or one, and one copy
 * rests. In (1) and (2) at most L start in both queues together, one may pass in a queue where none started, and
 * L come to rest. In (3) a part that goes on below fills its row, so no carrier is there: two of a batch.
 *
 * A surplus: up to p carriers of a batch start at a node, e more than nodes in a row, E in a tile. Legs (3) and (4)
 * are as before: carriers whose segments begin in one row are still at most w, in succession.
 *   Steps. In (1) L (z + 1 + e) start at nodes 0 .. z, and L (N + e) cross, so F is L e more. In z + 1 rows there
 * are at most (z + 1) w + E carriers, in succession, so z + 1 + ceil(E / w) of a batch in one column: F is
 * ceil(E / w) more in (2), where as many as before come to each node.
 *   Buffer. Let a packets start at a node one way and b the other way, and let u come to rest from behind those and
 * v from the other side. What is in the first queue or has come to rest from behind it grows only while the queue is
 * empty: each step at most one comes from behind, and one goes. So there are at most max(a, 1 + u) + max(b, 1 + v)
 * packets. In (1) a + b <= L p, and u + v <= L (1 + q), q = ceil(e / w): the numbers of a row are in succession. If
 * two carriers of a batch come to one column from one side, then w + 1 carriers start in the nodes of that side:
 * at most w - 1 and e of the surplus. So e is 2 at least, and if it is 2 the column is the last of its row: nobody
 * comes from the other side. That makes L p + 1 + L packets for e = 1, and no more than that or L p + L (1 + q) for
 * e = 2. For e > 2 two batches go one after the other in (1): p + 1 + 1 + q packets of one, and max(p, 1 + q) that
 * rest of the other. In (2) a + b <= L (1 + q), and u + v <= L.
 * Source: Leighton 1992, section 1.7 (farthest first).
 */
#include "primitives/carriers.h"

#include "base/extremes.h"

static uint32_t narrowest(const struct carriers *carriers)
{
    return axis_shortest(&carriers->tiles->col);
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* Along lines of so many nodes at most; `more`: because of a surplus. */
static uint64_t line_steps(const struct carriers *carriers, uint32_t length, uint64_t more)
{
    return length == 1 ? 0 : length - 1 + (carriers->batches - 1) + more;
}

/* Whether batches go one after the other in leg (1). */
static bool goes_apart(const struct carriers *carriers)
{
    enum { MOST_TOGETHER = 2 };
    return carriers->batches > 1 && carriers->surplus.in_row > MOST_TOGETHER;
}

/* Legs (1), (2), (4). */
static uint64_t to_number_steps(const struct carriers *carriers)
{
    struct carriers one = *carriers;
    one.batches = 1;
    if (goes_apart(carriers))
        return carriers->batches * to_number_steps(&one);
    return line_steps(carriers, axis_longest(&carriers->tiles->col),
                      (uint64_t)carriers->batches * carriers->surplus.in_row);
}

static uint64_t to_row_steps(const struct carriers *carriers)
{
    return line_steps(carriers, axis_longest(&carriers->tiles->row),
                      divide_up(carriers->surplus.in_tile, narrowest(carriers)));
}

static uint64_t along_steps(const struct carriers *carriers)
{
    return line_steps(carriers, axis_longest(&carriers->tiles->col), 0);
}

static uint64_t down_steps(const struct carriers *carriers)
{
    uint64_t width = narrowest(carriers);
    uint64_t rows = axis_longest(&carriers->tiles->row);
    uint64_t borders = (carriers->longest + width - 2) / width;
    borders = borders < rows - 1 ? borders : rows - 1;
    return borders == 0 ? 0 : borders + carriers->batches - 1;
}

struct carriers_legs carriers_legs(const struct carriers *carriers)
{
    return (struct carriers_legs){.are_apart = goes_apart(carriers),
                                  .to_number = to_number_steps(carriers),
                                  .to_row = to_row_steps(carriers),
                                  .down = down_steps(carriers),
                                  .along = along_steps(carriers)};
}

uint64_t carriers_steps(const struct carriers *carriers, bool copy_is_free)
{
    struct carriers_legs legs = carriers_legs(carriers);
    return legs.to_number + legs.to_row + legs.along + (copy_is_free ? legs.down : 0);
}

/* Of a batch at a node in leg (4). */
enum { ALONG_PACKETS = 3 };

uint32_t carriers_packets(const struct carriers *carriers)
{
    const struct surplus *surplus = &carriers->surplus;
    uint32_t batches = carriers->batches, along = ALONG_PACKETS * batches;
    if (surplus->in_row == 0)
        return along;
    uint32_t at_node = 1 + surplus->at_node, passing = 1;
    uint32_t in_column = 1 + divide_up(surplus->in_row, narrowest(carriers));
    uint32_t to_row = batches * in_column + passing + batches;
    uint32_t to_number = batches * at_node + passing + batches;
    if (goes_apart(carriers))
        to_number = at_node + passing + in_column + larger(at_node, in_column);
    else if (surplus->in_row > 1)
        to_number = batches * at_node + larger(passing + batches, batches * in_column);
    if (surplus->in_row > 2 && batches == 1)
        to_number = at_node + passing + in_column;
    return larger(along, larger(to_number, to_row));
}
