/* channel_link.c - which packets of channels take the links of a node.
 *
 * A link goes to a source that asks for it and whose channel at the neighbour was not full at the
 * end of the last step. The classes take turns by the step's parity, straight traffic goes before
 * turning traffic, then the lowest number wins. Who asks stands as one bit a node in words for each
 * link and source, so the contest is held for the nodes of a block at once, in operations on words.
 * A packet that waits for the link straight ahead stands in a slot, not in its channel, and asks with
 * the slot's bit; if it wins nothing is left to be done (channel_straight.c).
 * Cost: a few hundred instructions a block of 64 nodes that holds packets, then O(1) a stop or a packet
 * that waits.
 */
#include "machine/channel/channel_slots_private.h"
#include "machine/channel/channel_step_private.h"

/* ---- departures ---- */

/* The nodes whose link `d` express packets have left free. */
static uint64_t left_free(const struct channel_worker *worker, struct span span, enum direction d)
{
    uint64_t nodes = span_bits(span);
    return worker->has_express
               ? nodes & ~worker->express.leaving[d].held[place_of_block(span.start)]
               : nodes;
}

/* Which packets ask for the links of a block's nodes, and at which nodes. */
struct contest {
    unsigned holds;               /* sources that hold packets: bits */
    unsigned favoured;            /* the class that goes first in this step */
    uint64_t fresh;               /* nodes whose injected packet takes no part */
    uint64_t open[2][DIRECTIONS]; /* the link is free, with room behind it for the class */
    uint64_t straight[2]
                     [DIRECTIONS];   /* a packet of the class stands in the link's slot, and asks */
    uint64_t staying[2][DIRECTIONS]; /* .. and does not take it: this is found */
};

/* Where the channels of a class behind a block's links are not full. At the ends of a row, where no link
 * is, a bit is that of another row's block, and says nothing. */
static void find_room(const struct channels *channels, const struct channel_block *block,
                      unsigned class, uint64_t room[DIRECTIONS])
{
    const struct channel_block *north = block - channels->blocks, *south = block + channels->blocks;
    unsigned first = 4 * class, west = first + WEST, east = first + EAST;
    room[NORTH] = ~north->full[first + NORTH];
    room[SOUTH] = ~south->full[first + SOUTH];
    room[WEST] = ~(block->full[west] << 1 | block[-1].full[west] >> (BLOCK - 1));
    room[EAST] = ~(block->full[east] >> 1 | block[1].full[east] << (BLOCK - 1));
}

static void begin_contest(const struct channel_worker *worker, struct span span,
                          const struct channel_block *block, struct contest *contest)
{
    uint32_t place = place_of_block(span.start);
    contest->favoured = worker->steps & 1;
    for (unsigned class = 0; class < 2; class ++)
        find_room(worker->channels, block, class, contest->open[class]);
    for (enum direction d = WEST; worker->rule->channels == CHANNELS_SHARED && d <= EAST; d++)
        contest->open[0][d] = contest->open[1][d];
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t is_free = left_free(worker, span, d);
        for (unsigned class = 0; class < 2; class ++) {
            contest->open[class][d] &= is_free;
            contest->straight[class][d] = straight_of(&worker->straight.leaving[d], place, class);
        }
    }
}

/* Of what a source asks for by links, where a packet of class 1 (`one`) or of class 0 may have it. */
UNROLLED void choose(uint64_t out[static DIRECTIONS], const uint64_t asks[static DIRECTIONS],
                     uint64_t one, uint64_t of_class[2][DIRECTIONS])
{
    for (int d = 0; d < DIRECTIONS; d++)
        out[d] = asks[d] & ((one & of_class[1][d]) | (~one & of_class[0][d]));
}

/* Straight on: the packets of a class in slots that move, then those that stand first in its channels. */
UNROLLED void go_straight(const struct channel_block *block, unsigned class,
                          struct contest *contest, uint64_t may[2][DIRECTIONS],
                          uint64_t asking[SOURCES][DIRECTIONS], uint64_t taken[DIRECTIONS])
{
    for (unsigned d = 0; d < DIRECTIONS; d++) {
        unsigned s = 4 * class + d;
        uint64_t moving = contest->straight[class][d];
        uint64_t goes = moving & contest->open[class][d] & may[class][d] & ~taken[d];
        contest->staying[class][d] = moving & ~goes;
        taken[d] |= goes;
        if (!(contest->holds >> s & 1))
            continue;
        uint64_t one = block->source[s].class_1;
        asking[s][d] &= ((one & may[1][d]) | (~one & may[0][d])) & ~taken[d];
        taken[d] |= asking[s][d];
    }
}

/* Who takes which link, the four links side by side: of the class that is favoured if any such packet
 * may, straight on before turning, then by number. */
VECTORISED static void hold_contest(const struct channel_block *block, struct contest *contest,
                                    struct departures *found)
{
    unsigned favoured = contest->favoured;
    uint64_t asking[SOURCES][DIRECTIONS], may[2][DIRECTIONS], taken[DIRECTIONS];
    for (int d = 0; d < DIRECTIONS; d++)
        taken[d] = contest->straight[favoured][d] & contest->open[favoured][d];
    for (unsigned left = contest->holds; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        uint64_t one = block->source[s].class_1, first = favoured == 1 ? one : ~one;
        uint64_t nodes = s == INJECTED ? ~contest->fresh : ~UINT64_C(0);
        choose(asking[s], block->source[s].asks, one, contest->open);
        for (int d = 0; d < DIRECTIONS; d++) {
            asking[s][d] &= nodes;
            taken[d] |= asking[s][d] & first;
        }
    }
    for (int d = 0; d < DIRECTIONS; d++) {
        may[favoured][d] = ~UINT64_C(0);
        may[!favoured][d] = ~taken[d];
        taken[d] = 0;
    }
    go_straight(block, 0, contest, may, asking, taken);
    go_straight(block, 1, contest, may, asking, taken);
    for (unsigned left = contest->holds; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        uint64_t *winner = found->winner[s], straight = s < CHANNELS ? asking[s][s % 4] : 0;
        choose(winner, asking[s], block->source[s].class_1, may);
        for (int d = 0; d < DIRECTIONS; d++) {
            winner[d] &= ~taken[d];
            taken[d] |= winner[d];
        }
        if (s < CHANNELS)
            winner[s % 4] = straight;
        found->acting[s] = winner[NORTH] | winner[SOUTH] | winner[WEST] | winner[EAST];
    }
}

/* Nothing is found yet of a source. */
static void begin_source(struct departures *found, unsigned source)
{
    memset(found->winner[source], 0, sizeof found->winner[source]);
    found->copying[source] = found->acting[source] = 0;
    found->sources |= 1u << source;
}

/* Whether stuck packets may switch their class in this step. */
static bool may_turn(const struct channel_worker *worker)
{
    const struct channel_rule *rule = worker->rule;
    return rule->switch_class != NULL &&
           (rule->switch_every == 0 || worker->steps % rule->switch_every == 0);
}

/* The sources that take no link, and whose packets may turn: see channel.c. */
static void find_stuck(const struct channel_block *block, const struct contest *contest,
                       bool is_shared, uint64_t nodes, struct departures *found)
{
    static const uint64_t even = UINT64_C(0x5555555555555555);
    static const struct {
        unsigned source;
        uint64_t cols;
    } may[] = {{INJECTED, ~0}, {NORTH, even}, {SOUTH, even}, {4 + WEST, ~even}, {4 + EAST, ~even}};
    for (int i = 0; i < (is_shared ? 1 : 5); i++) {
        unsigned s = may[i].source;
        bool holds = contest->holds >> s & 1;
        uint64_t stuck = holds ? source_taken(block, s) & ~found->acting[s] : 0;
        stuck &= s == INJECTED ? ~contest->fresh : ~UINT64_C(0);
        stuck |= s == INJECTED ? 0 : contest->staying[s / 4][s % 4];
        stuck &= nodes & may[i].cols;
        if (stuck == 0)
            continue;
        if (!holds)
            begin_source(found, s);
        found->stuck[s] = stuck;
        found->acting[s] |= stuck;
    }
}

/* The words of those that act lie far apart. */
static void fetch_words(const struct channel_worker *worker, const struct channel_block *block,
                        const struct departures *found)
{
    fetch_has_effect();
    for (unsigned sources = found->sources; sources != 0; sources &= sources - 1) {
        unsigned s = (unsigned)__builtin_ctz(sources);
        uint64_t left = found->acting[s];
        if (left != 0 && s < CHANNELS && (left & block->source[s].more) != 0) {
            __builtin_prefetch(block->behind[s], 1);
            __builtin_prefetch(block->start[s], 1);
        }
        for (; left != 0; left &= left - 1)
            __builtin_prefetch(&block->front[s][__builtin_ctzll(left)], 1);
    }
    for (enum direction d = 0; d < DIRECTIONS; d++)
        straight_fetch(worker, found->first, d, found->staying[d]);
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

bool links_find(struct channel_worker *worker, struct span span, uint64_t fresh,
                struct departures *found)
{
    struct channel_block *block = block_of(worker->channels, span.start);
    uint32_t before = span.start.col & (BLOCK - 1);
    uint64_t nodes = span_bits(span), moving = 0;
    struct contest contest = {.holds = sources_that_hold(block), .fresh = fresh};
    found->are_any = true;
    found->first =
        (struct site){span.start.index - before, span.start.row, span.start.col - before};
    found->sources = contest.holds;
    begin_contest(worker, span, block, &contest);
    hold_contest(block, &contest, found);
    for (unsigned left = contest.holds; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        found->stuck[s] = 0;
    }
    if (may_turn(worker))
        find_stuck(block, &contest, worker->rule->channels == CHANNELS_SHARED, nodes, found);
    for (unsigned left = contest.holds; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        found->copying[s] = block->source[s].copying & nodes & ~fresh;
        found->acting[s] |= found->copying[s];
    }
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        found->staying[d] = contest.staying[0][d] | contest.staying[1][d];
        moving |= contest.straight[0][d] | contest.straight[1][d];
    }
    fetch_words(worker, block, found);
    return contest.holds != 0 || moving != 0;
}

void links_fetch(struct channel_worker *worker, struct departures *found)
{
    const struct channel_block *block = block_of(worker->channels, found->first);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        if (found->staying[d] != 0)
            straight_stay(worker, found->first, d, found->staying[d]);
    for (unsigned sources = found->sources; sources != 0; sources &= sources - 1) {
        unsigned s = (unsigned)__builtin_ctz(sources);
        for (uint64_t left = found->copying[s] | found->stuck[s]; left != 0; left &= left - 1)
            header_fetch(worker->machine, (uint32_t)block->front[s][__builtin_ctzll(left)]);
        uint64_t behind = s < CHANNELS ? found->acting[s] : 0;
        behind &= behind != 0 ? block->source[s].more : 0;
        if (behind != 0)
            channel_fetch_behind(worker, found->first, s, behind);
    }
}

/* Unit copies: what each node copies no longer is stuck. */
static void copy_at_nodes(struct channel_worker *worker, struct site first,
                          struct departures *found)
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
        unsigned copied = channel_copy_for_one(worker, block_site(first, i), copying);
        if (copied != SOURCES)
            found->stuck[copied] &= ~(UINT64_C(1) << i);
    }
}

static void send_over(struct channel_worker *worker, enum direction d,
                      const struct departures *found)
{
    for (unsigned left = found->sources; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        uint64_t nodes = found->winner[s][d];
        for (; nodes != 0; nodes &= nodes - 1)
            channel_send(worker, block_site(found->first, (unsigned)__builtin_ctzll(nodes)), s, d);
    }
}

void links_send(struct channel_worker *worker, struct departures *found)
{
    block_of(worker->channels, found->first)->sent |= TREES;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        send_over(worker, d, found);
    if (!worker->copy_is_free)
        copy_at_nodes(worker, found->first, found);
    for (unsigned left = found->sources; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        for (uint64_t nodes = found->stuck[s]; nodes != 0; nodes &= nodes - 1)
            channel_switch(worker, block_site(found->first, (unsigned)__builtin_ctzll(nodes)), s);
    }
}
