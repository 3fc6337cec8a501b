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
    if (!lane->glides || line->held[place] == 0)
        return (struct gliding){{0, 0}};
    return (struct gliding){{straight_of(line, place, 0), straight_of(line, place, 1)}};
}

/* The winners of link `d` among those that ask at `nodes`, except the injected packets of
 * `fresh`. */
static void contest_link(const struct channel_lane *lane, const struct channel_block *block,
                         enum direction d, struct gliding gliding, const uint64_t nodes_fresh[2],
                         struct departures *found)
{
    uint64_t closed[2] = {closed_to(lane->channels, block, d, 0),
                          closed_to(lane->channels, block, d, 1)};
    uint64_t flip = lane->machine->counts.steps & 1 ? UINT64_MAX : 0;
    uint64_t asking[SOURCES], of_class_1[SOURCES], any_favoured = 0, taken = 0;
    for (unsigned left = found->sources; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        bool holds = block->holds >> s & 1; /* else its line is not looked at */
        uint64_t asks = holds ? block->source[s].asks[d] : 0;
        uint64_t one = holds ? block->source[s].class_1 : 0;
        if (s == d) {
            asks |= gliding.of_class[0];
            one &= ~gliding.of_class[0];
        } else if (s == 4 + d) {
            asks |= gliding.of_class[1];
            one |= gliding.of_class[1];
        }
        asks &= nodes_fresh[0] & ~((closed[1] & one) | (closed[0] & ~one));
        asking[s] = s == INJECTED ? asks & ~nodes_fresh[1] : asks;
        of_class_1[s] = one;
        any_favoured |= asking[s] & ~(one ^ flip);
    }
    /* straight on, then by number */
    unsigned straight = found->sources & (0x11u << d), others = found->sources & ~straight;
    for (unsigned left = straight; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        found->winner[s][d] = asking[s] & ~(any_favoured & (of_class_1[s] ^ flip)) & ~taken;
        taken |= found->winner[s][d];
    }
    for (unsigned left = others; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        found->winner[s][d] = asking[s] & ~(any_favoured & (of_class_1[s] ^ flip)) & ~taken;
        taken |= found->winner[s][d];
    }
}

/* The sources that take no link, and whose packets may turn: see channel.c. */
static void find_stuck(const struct channel_block *block, const struct gliding gliding[DIRECTIONS],
                       uint64_t nodes, uint64_t fresh, struct departures *found)
{
    static const uint64_t even = UINT64_C(0x5555555555555555);
    static const struct {
        unsigned source;
        uint64_t cols;
    } may[] = {{NORTH, even}, {SOUTH, even}, {4 + WEST, ~even}, {4 + EAST, ~even}, {INJECTED, ~0}};
    for (int i = 0; i < 5; i++) {
        unsigned source = may[i].source;
        if (!(found->sources >> source & 1))
            continue;
        uint64_t taken = block->holds >> source & 1 ? source_taken(block, source) : 0;
        if (source == INJECTED)
            taken &= ~fresh;
        else
            taken |= gliding[source % 4].of_class[source / 4];
        found->stuck[source] = taken & nodes & may[i].cols;
        for (int d = 0; d < DIRECTIONS; d++)
            found->stuck[source] &= ~found->winner[source][d];
    }
}

/* Who is in a slot and wins goes on; who loses stays. */
static void part_gliding(enum direction d, struct gliding gliding, struct departures *found)
{
    for (unsigned class = 0; class < 2; class ++) {
        if (gliding.of_class[class] == 0)
            continue;
        uint64_t *winner = &found->winner[4 * class + d][d];
        found->staying[d] |= gliding.of_class[class] & ~*winner;
        *winner &= ~gliding.of_class[class];
    }
}

/* The nodes where a source does something with the packet that it holds. */
static uint64_t acting(const struct departures *found, unsigned source)
{
    const uint64_t *winner = found->winner[source];
    return winner[NORTH] | winner[SOUTH] | winner[WEST] | winner[EAST] | found->copying[source] |
           found->stuck[source];
}

/* The words of those that act lie far apart. */
static void fetch_words(const struct channel_lane *lane, const struct channel_block *block,
                        const struct departures *found)
{
    fetch_has_effect();
    for (unsigned sources = found->sources; sources != 0; sources &= sources - 1) {
        unsigned s = (unsigned)__builtin_ctz(sources);
        uint64_t left = acting(found, s);
        if (left != 0 && s < CHANNELS && (left & block->source[s].more) != 0) {
            __builtin_prefetch(block->behind[s], 1);
            __builtin_prefetch(block->start[s], 1);
        }
        for (; left != 0; left &= left - 1)
            __builtin_prefetch(&block->front[s][__builtin_ctzll(left)], 1);
    }
    for (enum direction d = 0; d < DIRECTIONS; d++)
        straight_fetch(lane, found->first, d, found->staying[d]);
}

/* The sources of a block that hold packets, as bits; forgets those that hold none. */
static unsigned sources_that_hold(struct channel_block *block)
{
    for (unsigned left = block->holds; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        if (source_taken(block, s) == 0)
            block->holds &= (uint16_t) ~(1u << s);
    }
    return block->holds;
}

/* Nothing is found yet. */
static void begin_departures(const struct channel_block *block, uint64_t nodes, uint64_t fresh,
                             struct departures *found)
{
    found->are_any = true;
    for (unsigned left = found->sources; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        memset(found->winner[s], 0, sizeof found->winner[s]);
        found->copying[s] = found->stuck[s] = 0;
        if (block->holds >> s & 1)
            found->copying[s] = block->source[s].copying & nodes & ~fresh;
    }
    memset(found->staying, 0, sizeof found->staying);
}

bool links_find(struct channel_lane *lane, struct span span, uint64_t fresh,
                struct departures *found)
{
    struct channel_block *block = block_of(lane->channels, span.start);
    uint32_t before = span.start.col & (BLOCK - 1);
    uint64_t nodes = span_bits(span);
    unsigned holds = sources_that_hold(block);
    struct gliding gliding[DIRECTIONS];
    found->first =
        (struct site){span.start.index - before, span.start.row, span.start.col - before};
    found->sources = holds;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        gliding[d] = gliding_at(lane, span.start, d);
        for (unsigned class = 0; class < 2; class ++)
            if (gliding[d].of_class[class] != 0)
                found->sources |= 1u << (4 * class + d);
    }
    begin_departures(block, nodes, fresh, found);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t asks = gliding[d].of_class[0] | gliding[d].of_class[1];
        for (unsigned left = holds; left != 0; left &= left - 1)
            asks |= block->source[__builtin_ctz(left)].asks[d];
        if ((asks & nodes) != 0)
            contest_link(lane, block, d, gliding[d], (uint64_t[]){left_free(lane, span, d), fresh},
                         found);
    }
    if (lane->rule->turn != NULL)
        find_stuck(block, gliding, nodes, fresh, found);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        part_gliding(d, gliding[d], found);
    if (lane->glides)
        fetch_words(lane, block, found);
    return found->sources != 0;
}

void links_fetch(struct channel_lane *lane, struct departures *found)
{
    const struct channel_block *block = block_of(lane->channels, found->first);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        if (found->staying[d] != 0)
            straight_stay(lane, found->first, d, found->staying[d]);
    for (unsigned sources = found->sources; sources != 0; sources &= sources - 1) {
        unsigned s = (unsigned)__builtin_ctz(sources);
        for (uint64_t left = found->copying[s] | found->stuck[s]; left != 0; left &= left - 1)
            header_fetch(lane->machine, (uint32_t)block->front[s][__builtin_ctzll(left)]);
        uint64_t behind = s < CHANNELS ? acting(found, s) : 0;
        behind &= behind != 0 ? block->source[s].more : 0;
        if (behind != 0)
            channel_fetch_behind(lane, found->first, s, behind);
    }
}

/* Unit copies: what each node copies no longer is stuck. */
static void copy_at_nodes(struct channel_lane *lane, struct site first, struct departures *found)
{
    uint64_t nodes = 0;
    for (unsigned left = found->sources; left != 0; left &= left - 1)
        nodes |= found->copying[__builtin_ctz(left)];
    for (; nodes != 0; nodes &= nodes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(nodes), copying = 0;
        for (unsigned left = found->sources; left != 0; left &= left - 1) {
            unsigned s = (unsigned)__builtin_ctz(left);
            copying |= (unsigned)(found->copying[s] >> i & 1) << s;
        }
        unsigned copied = channel_copy_for_one(lane, block_site(first, i), copying);
        if (copied != SOURCES)
            found->stuck[copied] &= ~(UINT64_C(1) << i);
    }
}

/* The plain way: hops are counted, and links marked, where they are used; else slots tell. */
static void note_moved(struct channel_lane *lane, struct channel_block *block, enum direction d,
                       uint64_t nodes)
{
    if (lane->glides)
        return;
    block->moved[d] |= nodes;
    lane->band->packet_hops += (unsigned)__builtin_popcountll(nodes);
}

static void send_over(struct channel_lane *lane, enum direction d, const struct departures *found)
{
    struct channel_block *block = block_of(lane->channels, found->first);
    for (unsigned left = found->sources; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        uint64_t nodes = found->winner[s][d];
        note_moved(lane, block, d, nodes);
        for (; nodes != 0; nodes &= nodes - 1)
            channel_send(lane, block_site(found->first, (unsigned)__builtin_ctzll(nodes)), s, d);
    }
}

void links_send(struct channel_lane *lane, struct departures *found)
{
    block_of(lane->channels, found->first)->sent |= TREES;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        send_over(lane, d, found);
    if (!lane->copy_is_free)
        copy_at_nodes(lane, found->first, found);
    for (unsigned left = found->sources; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        for (uint64_t nodes = found->stuck[s]; nodes != 0; nodes &= nodes - 1)
            channel_turn(lane, block_site(found->first, (unsigned)__builtin_ctzll(nodes)), s);
    }
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
