/* halves.c - multicast trees by halving.
 *
 * A packet has the destinations in its range, in the order of tree_start(). At a stop they lie on lines across its
 * trunk, on both sides at the source and on one side everywhere else. The far half of the lines of a side leaves as one
 * packet, which stops next on the nearest of these lines; the near half stays for the next split. A packet whose
 * destinations are all on one line splits the rows of a column, or the columns of a row, in the same way. So the
 * farthest destination waits for one copy at each of log2(lines) stops, where a tree with a branch at each line copies
 * at all of them.
 * Why it ends: a packet has fewer destinations after each split, and moves only towards all that it has.
 * Knowledge: the packet's own destinations.
 * Steps for one message from a corner, side a power of two: 2 (side - 1) + 2 log2(side) with unit copies, proven.
 * Cost: O(k) a split of k destinations, so O(k log k) a message.
 */
#include "routers/halves.h"

#include "primitives/multicast_tree.h"

#include <assert.h>
#include <stdlib.h>

/* The slots start .. end - 1, which leave over the link `output`. */
struct half {
    uint32_t start, end;
    unsigned output;
};

/* Returns how far a destination is, with a sign: on the vertical axis by rows, else by columns. */
static int32_t offset_on(node_place place, struct site site, bool is_vertical)
{
    return is_vertical ? (int32_t)place_row(place) - (int32_t)site.row
                       : (int32_t)place_col(place) - (int32_t)site.col;
}

/* Finds the far half of the lines of the side that has more of them, on one axis. The lines of a side follow one
 * another in the range, the nearest first. False if all destinations are at offset 0. */
static bool find_half(const struct headers *header, struct site site, uint32_t packet,
                      bool is_vertical, struct half *half)
{
    const node_place *slot = header->destination;
    uint32_t first = header->packet[packet].first, lines[2] = {0}, begin[2] = {0}, end[2] = {0};
    int32_t before = 0, far[2] = {0};
    for (uint32_t i = first; i <= packet; i++) {
        int32_t offset = offset_on(slot[i], site, is_vertical);
        bool side = offset > 0;
        if (offset != 0) {
            begin[side] = lines[side] == 0 ? i : begin[side];
            lines[side] += lines[side] == 0 || offset != before;
            end[side] = i + 1;
            far[side] = abs(offset);
        }
        before = offset;
    }
    bool side = lines[1] != lines[0] ? lines[1] > lines[0] : far[1] > far[0];
    if (lines[side] == 0)
        return false;
    uint32_t start = begin[side];
    for (uint32_t near = lines[side] / 2; near > 0; near--) {
        int32_t line = offset_on(slot[start], site, is_vertical);
        while (offset_on(slot[start], site, is_vertical) == line)
            start++;
    }
    unsigned low = is_vertical ? OUT_NORTH : OUT_WEST, high = is_vertical ? OUT_SOUTH : OUT_EAST;
    *half = (struct half){start, end[side], side ? high : low};
    return true;
}

/* The same on the trunk's axis, or where all are on this line, along it. False for the last destination, which is
 * here. */
static bool far_half(const struct headers *header, struct site site, uint32_t packet,
                     bool row_first, struct half *half)
{
    return find_half(header, site, packet, !row_first, half) ||
           find_half(header, site, packet, row_first, half);
}

unsigned halves_outputs(const struct headers *header, struct site site, uint32_t packet,
                        bool row_first)
{
    struct half half;
    if (!far_half(header, site, packet, row_first, &half))
        return OUT_EJECT;
    bool is_all = half.end - half.start == packet - header->packet[packet].first + 1;
    return is_all ? half.output : half.output | OUT_AGAIN;
}

uint32_t halves_take(struct headers *header, struct site site, uint32_t packet, bool row_first)
{
    struct half half;
    bool is_there = far_half(header, site, packet, row_first, &half);
    assert(is_there);
    (void)is_there; /* with NDEBUG */
    return packet_take_slots(header, packet, half.start, half.end);
}

uint32_t halves_urgency(const struct headers *header, struct site site, uint32_t packet)
{
    uint32_t farthest = 0;
    for (uint32_t i = header->packet[packet].first; i <= packet; i++) {
        uint32_t far = place_distance(header->destination[i], site_place(site));
        farthest = far > farthest ? far : farthest;
    }
    return farthest < MACHINE_MAX_URGENCY ? farthest : MACHINE_MAX_URGENCY;
}
