/* grown_tree_rule.c - packets on trees that their sources have grown.
 *
 * A packet's header has the piece of the tree on which it goes (header.target), with those behind it, and
 * what is left to do at the piece's end (header.state): links and the delivery, as bits; 0 before anything
 * was looked at. It goes on to the piece behind its one remaining link when it is asked at another node than
 * its piece's end.
 * Farthest first: a packet's urgency is the number of links to the farthest destination of its part.
 * Why it ends: a packet crosses each link of its part once, in queues without bounds.
 * Cost: O(1) a stop, O(k) where a part of k destinations behind others leaves first.
 */
#include "primitives/multicast_tree.h"
#include "routers/grown_tree_private.h"

#include <assert.h>

static unsigned outputs_at_end(const struct grown_trees *trees, uint32_t piece)
{
    const struct tree_piece *at = &trees->piece[piece];
    unsigned outputs = at->ends_at_place ? OUT_EJECT : 0;
    for (uint32_t next = piece + 1; next < piece + at->pieces; next += trees->piece[next].pieces)
        outputs |= trees->piece[next].output;
    return outputs;
}

uint32_t tree_piece_behind(const struct grown_trees *trees, uint32_t piece, unsigned output,
                           unsigned left, uint32_t *slots_before)
{
    uint32_t next = piece + 1;
    *slots_before = (left & OUT_EJECT) != 0;
    while (trees->piece[next].output != output) {
        if (left & trees->piece[next].output)
            *slots_before += trees->piece[next].slots;
        next += trees->piece[next].pieces;
        assert(next < piece + trees->piece[piece].pieces);
    }
    return next;
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    struct grown_trees *trees = context;
    struct header *header = &trees->header->packet[packet];
    uint32_t before;
    if (trees->piece[header->target].end != site_place(site)) {
        header->target = tree_piece_behind(trees, header->target, header->state, 0, &before);
        header->state = 0;
    }
    if (header->state == 0)
        header->state = (uint8_t)outputs_at_end(trees, header->target);
    return header->state;
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct grown_trees *trees = context;
    struct header *header = &trees->header->packet[packet];
    uint32_t before = 0, count = 1;
    (void)site;
    if (output != OUT_EJECT)
        count =
            trees->piece[tree_piece_behind(trees, header->target, output, header->state, &before)]
                .slots;
    uint32_t start = header->first + before;
    uint32_t taken = packet_take_slots(trees->header, packet, start, start + count);
    trees->header->packet[taken].state = (uint8_t)output;
    header->state = (uint8_t)(header->state & ~(unsigned)output);
    return taken;
}

static const struct tree_piece *piece_over(const struct grown_trees *trees, uint32_t packet,
                                           enum direction direction)
{
    uint32_t before;
    return &trees->piece[tree_piece_behind(trees, trees->header->packet[packet].target,
                                           1u << direction, 0, &before)];
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    node_place end = piece_over(context, packet, direction)->end;
    (void)site;
    return direction_is_vertical(direction) ? place_row(end) : place_col(end);
}

static uint32_t urgency(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct tree_piece *piece = piece_over(context, packet, direction);
    int32_t length = direction_is_vertical(direction)
                         ? (int32_t)place_row(piece->end) - (int32_t)site.row
                         : (int32_t)place_col(piece->end) - (int32_t)site.col;
    uint32_t links = piece->links + (uint32_t)(length < 0 ? -length : length);
    return links < MACHINE_MAX_URGENCY ? links : MACHINE_MAX_URGENCY;
}

unsigned grown_trees_class_of(void *context, uint32_t packet)
{
    const struct grown_trees *trees = context;
    return trees->piece[trees->header->packet[packet].target].goes_east ? 0 : 1;
}

struct routing_rule grown_trees_rule(struct grown_trees *trees)
{
    return (struct routing_rule){
        .context = trees, .outputs = outputs, .take = take, .stop = stop, .urgency = urgency};
}
