/* channel_link.c - which packets of channels take the links of a node.
 *
 * A link goes to a source that asks for it and whose channel at the neighbour was not full at the
 * end of the last step. The classes take turns by the step's parity, straight traffic goes before
 * turning traffic, then the lowest number wins. Who asks stands as one bit a node in words for each
 * link and source, so the contest is held for the nodes of a block at once, in operations on words.
 * Where nobody watches a packet that waits for the link straight ahead stands in a slot, not in its
 * channel, and asks with the slot's bit; if it wins nothing is left to be done (channel_straight.c).
 * Cost: a few hundred instructions a block of 64 nodes that holds packets, then O(1) a hop the plain
 * way, a stop or a packet that waits otherwise.
 */
#include "machine/channel_private.h"

/* ---- departures ---- */

/* The nodes behind whose link `d` the channel of class 0 (1) is full. */
static uint64_t closed_to(const struct channels *channels, const struct channel_block *block,
                          enum direction d, unsigned class)
{
    unsigned channel = 4 * class + d;
    switch (d) {
    case NORTH:
        return (block - channels->blocks)->full[channel];
    case SOUTH:
        return (block + channels->blocks)->full[channel];
    case WEST:
        return block->full[channel] << 1 | block[-1].full[channel] >> (BLOCK - 1);
    default:
        return block->full[channel] >> 1 | block[1].full[channel] << (BLOCK - 1);
    }
}

VECTORISED static void note_words(const uint64_t *restrict out, uint8_t *restrict used,
                                  uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        used[i] = out[i] != NO_WORD;
}

/* The nodes whose link `d` express packets have left free. */
static uint64_t left_free(const struct channel_lane *lane, struct span span, enum direction d)
{
    const struct channels *channels = lane->channels;
    uint8_t used[BLOCK] = {0};
    uint64_t nodes = span_bits(span);
    if (lane->glides)
        return lane->has_express
                   ? nodes & ~lane->express.leaving[d].held[place_of_block(span.start)]
                   : nodes;
    if (!(block_of(channels, span.start)->sent & 1u << d))
        return nodes;
    uint32_t before = span.start.col & (BLOCK - 1);
    note_words(channels->express.out[d] + span.start.index, used + before, span.count);
    return nodes & ~bits_of_flags(used);
}

/* Packets in slots of a link, by classes: they ask for it from the channels whose packets go
 * straight on. */
struct gliding {
    uint64_t of_class[2];
};

static struct gliding gliding_at(const struct channel_lane *lane, struct site site,
                                 enum direction d)
{
    const struct slot_line *line = &lane->straight.leaving[d];
    uint32_t place = place_of_block(site);
    if (!lane->glides)
        return (struct gliding){{0, 0}};
    return (struct gliding){{straight_of(line, place, 0), straight_of(line, place, 1)}};
}

/* The winners of link `d` among those that ask at `nodes`, except the injected packets of `fresh`;
 * returns all nodes that have one. */
static uint64_t contest_link(const struct channel_lane *lane, const struct channel_block *block,
                             enum direction d, struct gliding gliding,
                             const uint64_t nodes_fresh[2], uint64_t winner[SOURCES])
{
    uint64_t closed[2] = {closed_to(lane->channels, block, d, 0),
                          closed_to(lane->channels, block, d, 1)};
    uint64_t flip = lane->machine->counts.steps & 1 ? UINT64_MAX : 0;
    uint64_t asking[SOURCES], of_class_1[SOURCES], any_favoured = 0, taken = 0;
    memcpy(asking, block->asks[d], sizeof asking);
    memcpy(of_class_1, block->class_1, sizeof of_class_1);
    asking[d] |= gliding.of_class[0];
    of_class_1[d] &= ~gliding.of_class[0];
    asking[4 + d] |= gliding.of_class[1];
    of_class_1[4 + d] |= gliding.of_class[1];
    for (int s = 0; s < SOURCES; s++) {
        uint64_t one = of_class_1[s], full = (closed[1] & one) | (closed[0] & ~one);
        asking[s] &= nodes_fresh[0] & ~full;
        if (s == INJECTED)
            asking[s] &= ~nodes_fresh[1];
        any_favoured |= asking[s] & ~(one ^ flip);
    }
    for (int s = 0; s < SOURCES; s++)
        asking[s] &= ~(any_favoured & (of_class_1[s] ^ flip));
    winner[d] = asking[d];
    winner[4 + d] = asking[4 + d] & ~asking[d];
    taken = asking[d] | asking[4 + d];
    for (int s = 0; s < SOURCES; s++) {
        if (s == (int)d || s == (int)d + 4)
            continue;
        winner[s] = asking[s] & ~taken;
        taken |= asking[s];
    }
    return taken;
}

/* The sources that take no link, and whose packets may turn: see channel.c. */
static void find_stuck(const struct channel_block *block, const struct gliding gliding[DIRECTIONS],
                       uint64_t nodes, uint64_t fresh, struct departures *found)
{
    static const uint64_t even = UINT64_C(0x5555555555555555);
    static const struct {
        unsigned source;
        uint64_t cols;
    } may[] = {{NORTH, even}, {SOUTH, even}, {4 + WEST, ~even}, {4 + EAST, ~even}};
    for (int i = 0; i < 4; i++) {
        unsigned source = may[i].source;
        uint64_t taken = source_taken(block, source) | gliding[source % 4].of_class[source / 4];
        found->stuck[source] = taken & nodes & may[i].cols;
    }
    found->stuck[INJECTED] = source_taken(block, INJECTED) & nodes & ~fresh;
    for (int s = 0; s < SOURCES; s++)
        for (int d = 0; d < DIRECTIONS; d++)
            found->stuck[s] &= ~found->winner[d][s];
}

/* Who is in a slot and wins goes on; who loses stays. */
static void part_gliding(const struct gliding gliding[DIRECTIONS], struct departures *found)
{
    for (enum direction d = 0; d < DIRECTIONS; d++)
        for (unsigned class = 0; class < 2; class ++) {
            uint64_t *winner = &found->winner[d][4 * class + d];
            found->staying[d] |= gliding[d].of_class[class] & ~*winner;
            *winner &= ~gliding[d].of_class[class];
        }
}

/* The words of those that act lie far apart. */
static void fetch_words(const struct channel_lane *lane, const struct channel_block *block,
                        const struct departures *found)
{
    fetch_has_effect();
    for (int s = 0; s < SOURCES; s++) {
        uint64_t left = found->copying[s] | found->stuck[s];
        for (int d = 0; d < DIRECTIONS; d++)
            left |= found->winner[d][s];
        if (s < CHANNELS && (left & block->more[s]) != 0) {
            __builtin_prefetch(block->behind[s], 1);
            __builtin_prefetch(block->start[s], 1);
        }
        for (; left != 0; left &= left - 1)
            __builtin_prefetch(&block->front[s][__builtin_ctzll(left)], 1);
    }
    for (enum direction d = 0; lane->glides && d < DIRECTIONS; d++)
        straight_fetch(lane, found->first, d, found->staying[d]);
}

bool links_find(struct channel_lane *lane, struct span span, uint64_t fresh,
                struct departures *found)
{
    const struct channel_block *block = block_of(lane->channels, span.start);
    uint32_t before = span.start.col & (BLOCK - 1);
    uint64_t nodes = span_bits(span), held = 0;
    struct gliding gliding[DIRECTIONS];
    *found = (struct departures){.are_any = true, .first = span.start};
    found->first.index -= before;
    found->first.col -= before;
    for (int s = 0; s < SOURCES; s++) {
        found->copying[s] = block->copying[s] & nodes & ~fresh;
        held |= block->copying[s];
    }
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        gliding[d] = gliding_at(lane, span.start, d);
        uint64_t asked = gliding[d].of_class[0] | gliding[d].of_class[1];
        for (int s = 0; s < SOURCES; s++)
            asked |= block->asks[d][s];
        held |= asked;
        if ((asked & nodes) != 0)
            found->sending[d] =
                contest_link(lane, block, d, gliding[d],
                             (uint64_t[]){left_free(lane, span, d), fresh}, found->winner[d]);
    }
    if (lane->rule->turn != NULL)
        find_stuck(block, gliding, nodes, fresh, found);
    part_gliding(gliding, found);
    fetch_words(lane, block, found);
    return (held & nodes) != 0;
}

void links_fetch(struct channel_lane *lane, struct departures *found)
{
    const struct channel_block *block = block_of(lane->channels, found->first);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        if (found->staying[d] != 0)
            straight_stay(lane, found->first, d, found->staying[d]);
    for (int s = 0; s < SOURCES; s++)
        for (uint64_t left = found->copying[s] | found->stuck[s]; left != 0; left &= left - 1)
            header_fetch(lane->machine, (uint32_t)block->front[s][__builtin_ctzll(left)]);
    for (unsigned channel = 0; channel < CHANNELS; channel++) {
        uint64_t leaving = 0;
        for (int d = 0; d < DIRECTIONS; d++)
            leaving |= found->winner[d][channel];
        if ((leaving & block->more[channel]) != 0)
            channel_fetch_behind(lane, found->first, channel, leaving & block->more[channel]);
    }
}

static void send_over(struct channel_lane *lane, struct site first, enum direction d,
                      const struct departures *found)
{
    struct channel_block *block = block_of(lane->channels, first);
    if (!lane->glides) { /* else slots are counted */
        block->moved[d] |= found->sending[d];
        lane->band->packet_hops += (unsigned)__builtin_popcountll(found->sending[d]);
    }
    for (unsigned s = 0; s < SOURCES; s++)
        for (uint64_t left = found->winner[d][s]; left != 0; left &= left - 1)
            channel_send(lane, block_site(first, (unsigned)__builtin_ctzll(left)), s, d);
}

/* Unit copies: what each node copies no longer is stuck. */
static void copy_at_nodes(struct channel_lane *lane, struct site first, struct departures *found)
{
    uint64_t nodes = 0;
    for (int s = 0; s < SOURCES; s++)
        nodes |= found->copying[s];
    for (; nodes != 0; nodes &= nodes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(nodes), copying = 0;
        for (int s = 0; s < SOURCES; s++)
            copying |= (unsigned)(found->copying[s] >> i & 1) << s;
        unsigned copied = channel_copy_for_one(lane, block_site(first, i), copying);
        if (copied != SOURCES)
            found->stuck[copied] &= ~(UINT64_C(1) << i);
    }
}

void links_send(struct channel_lane *lane, struct departures *found)
{
    block_of(lane->channels, found->first)->sent |= TREES;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        if (found->sending[d] != 0)
            send_over(lane, found->first, d, found);
    if (!lane->copy_is_free)
        copy_at_nodes(lane, found->first, found);
    for (unsigned s = 0; lane->rule->turn != NULL && s < SOURCES; s++)
        for (uint64_t left = found->stuck[s]; left != 0; left &= left - 1)
            channel_turn(lane, block_site(found->first, (unsigned)__builtin_ctzll(left)), s);
}

/* ---- arrivals ---- */

/* The nodes to which packets come over links `d`. */
static uint64_t coming_over(const struct channels *channels, const struct channel_block *block,
                            enum direction d)
{
    switch (d) {
    case NORTH:
        return (block + channels->blocks)->moved[d];
    case SOUTH:
        return (block - channels->blocks)->moved[d];
    case WEST:
        return block->moved[d] >> 1 | block[1].moved[d] << (BLOCK - 1);
    default:
        return block->moved[d] << 1 | block[-1].moved[d] >> (BLOCK - 1);
    }
}

uint64_t links_coming(const struct channel_lane *lane, struct span span)
{
    const struct channel_block *block = block_of(lane->channels, span.start);
    uint64_t nodes = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        nodes |= coming_over(lane->channels, block, d);
    return nodes;
}

static void arrive_nodes(struct channel_lane *lane, struct site first, enum direction d,
                         uint64_t nodes)
{
    const uint64_t *in = lane->channels->out[d] + first.index - link_offset(lane->machine, d);
    for (; nodes != 0; nodes &= nodes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(nodes);
        struct site site = block_site(first, i);
        uint64_t word = in[i];
        unsigned channel = 4 * word_class(word) + d;
        lane->machine->occupancy[site.index]++;
        if (word_stop(word) == (direction_is_vertical(d) ? site.row : site.col))
            word = channel_settle(lane, ARRIVALS, site, (uint32_t)word);
        if (word != 0)
            channel_push(lane, site, channel, word);
    }
}

void links_arrive(struct channel_lane *lane, struct span span)
{
    struct channel_block *block = block_of(lane->channels, span.start);
    uint32_t before = span.start.col & (BLOCK - 1);
    struct site first = {span.start.index - before, span.start.row, span.start.col - before};
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t nodes = coming_over(lane->channels, block, d) & span_bits(span);
        if (nodes == 0)
            continue;
        block->busy |= TREES;
        arrive_nodes(lane, first, d, nodes);
    }
}
