/* expander_fast.c - Step 4 of Theorem 4, visits=fast: ranks select, trees in bounded channels
 * deliver.
 *
 * A visit. Step 4(a).i: ranks select at most alpha A packets for each block of A nodes
 * (block_rank.c). A selected replica hands one copy with all of its selected destinations in the
 * tile to its node's slot for injection; from it a dimension-ordered tree brings them there, alternately
 * along rows first and along columns first: it is the clones of all blocks, and their tours, in
 * one. Trees drain through channels of their order of dimensions held back by credits, so no buffer
 * can overflow, whatever the set. Step 4(a).iii: a tree that comes where its message is drops the
 * destination (expander_mark.c).
 * Step 4(b): replicas walk to the same cells of the next tiles as express packets, half of them
 * each way round the cycle, in a leg of known length; trees that are late drain on behind them.
 *   A replica whose node's slot stays taken by an earlier tree for all of a visit keeps what it was
 * selected for: that is not marked, and waits for the next phase.
 *
 * Why it ends. Trees: within an order of dimensions channels wait for one another without a cycle
 * (machine/channel/channel.c), and an express packet waits for nothing. Phases: as long as a destination is
 * unvisited, every replica of its message has it; at the first visit at which some replica has
 * something for its tile the channels are empty and rank 0 is selected in every block wanted, so a
 * tree sets out, and what it carries is no longer left by all replicas. So each phase takes
 * something off, and Lemma 4 says how much where nothing is held back.
 *
 * Steps of a visit in tiles of side s: ranks 2 s + s / 4, trees s / 2, the leg s: 3.75 S a phase of
 * a class. Buffer, proven: 8 channels of one packet, a spare slot, the slot for injection, 2
 * replicas (4 where tiles are unequal or have several layers; 6 on lines of tiles, without the
 * spare slot) and the message of another class: 13 packets a node with free copies; 3 more with
 * unit copies. Behind the walk other pieces wait at a node. Then all trees go along rows first, through 4
 * channels without a spare slot: 8 packets. Links carry half as much then; on patterns that costs nothing,
 * but an adversary can force a second phase.
 * Source: Section 5, Step 4; the trees are ours, as in random_direct.c and stream.c.
 * Cost: that of the ranks, 4 bytes a slot, and the channels.
 */
#include "machine/channel.h"
#include "primitives/multicast_tree.h"
#include "primitives/synchronise.h"
#include "routers/expander_private.h"
#include "routers/random_rank.h"
#include "routers/stream_grid.h"

/* Bits of header.state. TREE: a tree. A replica has RANDOM_MASTER; SENDS: something of it is selected, SENDS_ALL:
 * all that it has for the tile. */
enum { TREE = 1, ROW_FIRST = 16, SENDS = 32, SENDS_ALL = 64 };

enum { MANY_WALKING = 6, OTHERS = 1 }; /* OTHERS: another class's piece that waits at a node */

/* Whether pieces of later layers wait at nodes: then trees are all of one class. */
static bool is_narrow(const struct expander_run *run)
{
    return run->percent > 0;
}

/* ---- replicas ---- */

/* Every replica is asked before it walks, and then forgets what it could not send at this visit. */
static unsigned replica_outputs(const struct expander_run *run, struct site site, uint32_t packet)
{
    if (run->stage != EXPANDER_WALK)
        return OUT_HOLD;
    run->masters.header->packet[packet].state &= (uint8_t) ~(SENDS | SENDS_ALL);
    node_place home = random_home(&run->masters, packet);
    if (place_row(home) != site.row)
        return place_row(home) > site.row ? OUT_SOUTH : OUT_NORTH;
    if (place_col(home) != site.col)
        return place_col(home) > site.col ? OUT_EAST : OUT_WEST;
    return OUT_HOLD;
}

/* The end of the slots at the front that are selected at this visit. */
static uint32_t selected_end(const struct expander_run *run, struct site site, uint32_t packet)
{
    const struct ranking *ranking = run->masters.own;
    const struct header *header = &run->masters.header->packet[packet];
    uint32_t slot = header->first, end = slot + random_slots_here(&run->masters, site, packet);
    if (header->state & SENDS_ALL)
        return end;
    while (slot < end && ranking->place[slot] != MACHINE_NO_PLACE)
        slot++;
    return slot;
}

/* Moves slot `slot` of `packet` to the front of its range and drops it: it is visited. */
static void drop_slot(struct headers *header, uint32_t packet, uint32_t slot)
{
    uint32_t first = header->packet[packet].first++;
    node_place *place = header->destination;
    for (; slot > first; slot--)
        place[slot] = place[slot - 1];
}

/* Of the slots first .. end-1 of a packet at `site` the one whose destination it is; end: none. */
static uint32_t slot_here(const struct headers *header, struct site site, uint32_t first,
                          uint32_t end)
{
    while (first < end && header->destination[first] != site_place(site))
        first++;
    return first;
}

/* A replica's tree. What it has for its own node, which has the message, needs none. */
static uint32_t inject(void *context, struct site site, uint32_t packet)
{
    struct expander_run *run = context;
    struct headers *header = run->masters.header;
    if (run->stage != EXPANDER_HAND || !(header->packet[packet].state & SENDS))
        return MACHINE_NONE;
    uint32_t end = selected_end(run, site, packet), first = header->packet[packet].first;
    header->packet[packet].state &= (uint8_t) ~(SENDS | SENDS_ALL);
    uint32_t here = slot_here(header, site, first, end);
    bool drops = here < end && first < packet && expander_has_message(run, site, here);
    if (drops)
        drop_slot(header, packet, here);
    if (end == header->packet[packet].first)
        return MACHINE_NONE;
    uint32_t tree = end > packet ? packet : packet_split(header, packet, end);
    bool row_first = is_narrow(run) || (site.row + site.col) % 2 == 0;
    header->packet[tree].state = row_first ? TREE | ROW_FIRST : TREE;
    tree_start(header, site, tree, row_first);
    return tree;
}

/* ---- the rule of machine_channel ---- */

static bool is_tree(const struct expander_run *run, uint32_t packet)
{
    return run->masters.header->packet[packet].state & TREE;
}

static bool is_row_first(const struct expander_run *run, uint32_t packet)
{
    return run->masters.header->packet[packet].state & ROW_FIRST;
}

/* Step 4(a).iii. */
static unsigned tree_outputs_unmarked(struct expander_run *run, struct site site, uint32_t packet)
{
    struct headers *header = run->masters.header;
    bool row_first = is_row_first(run, packet);
    unsigned outputs = tree_outputs(header, site, packet, row_first);
    if (!(outputs & OUT_EJECT))
        return outputs;
    uint32_t slot = slot_here(header, site, header->packet[packet].first, packet + 1);
    if (!expander_comes_late(run, site, slot))
        return outputs;
    if (outputs == OUT_EJECT)
        return OUT_DISCARD;
    drop_slot(header, packet, slot);
    return outputs & ~(unsigned)OUT_EJECT;
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    struct expander_run *run = context;
    if (run->stage != EXPANDER_WALK) /* then as a rule it is a tree, whose header is not here yet */
        expander_fetch_queue(run, site);
    return is_tree(run, packet) ? tree_outputs_unmarked(run, site, packet)
                                : replica_outputs(run, site, packet);
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct expander_run *run = context;
    return tree_take(run->masters.header, site, packet, output, is_row_first(run, packet));
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct expander_run *run = context;
    (void)site;
    if (is_tree(run, packet))
        return tree_stop(run->masters.header, packet, direction);
    node_place home = random_home(&run->masters, packet);
    return direction_is_vertical(direction) ? place_row(home) : place_col(home);
}

static unsigned class_of(void *context, uint32_t packet)
{
    const struct expander_run *run = context;
    if (!is_tree(run, packet))
        return CHANNEL_EXPRESS;
    return !is_narrow(run) && is_row_first(run, packet);
}

/* ---- room ---- */

/* Returns the most replicas that a node holds while they walk to the next tile, at rest and under way. */
static uint32_t most_walking(const struct expander_run *run)
{
    const struct random_run *masters = &run->masters;
    uint32_t most = stream_masters(&masters->cycle);
    if (masters->layers > 1 && most < 4)
        most = 4;
    return most * ((masters->layers + 1) / 2);
}

static uint32_t channels(const struct expander_run *run)
{
    return is_narrow(run) ? CHANNELS_OF_ONE : CHANNELS_OF_BOTH;
}

/* One, where 16 packets leave room for it. */
static uint32_t spare(const struct expander_run *run)
{
    return is_narrow(run) || most_walking(run) >= MANY_WALKING ? 0 : 1;
}

static uint32_t capacity(const struct expander_run *run)
{
    bool copy_is_free = run->routing->options->copy_is_free;
    return machine_channel_capacity(channels(run), EXPANDER_SLOTS, copy_is_free) + spare(run) +
           most_walking(run) + OTHERS;
}

/* ---- steps ---- */

static enum failure_kind channel_for(struct expander_run *run, enum expander_stage stage,
                                     uint64_t steps, struct failure *failure)
{
    struct channel_rule rule = {
        .routing = {.context = run, .outputs = outputs, .take = take, .stop = stop},
        .class_of = class_of,
        .channels = channels(run),
        .slots = EXPANDER_SLOTS,
        .spare = spare(run),
        .inject = inject};
    run->stage = stage;
    return channel_wave(run->masters.machine, &rule, stage == EXPANDER_WALK, steps, failure);
}

static void note_selected(struct rank_work *work, struct site site, uint32_t packet, uint32_t count)
{
    (void)site;
    (void)count;
    work->run->header->packet[packet].state |= work->is_whole ? SENDS | SENDS_ALL : SENDS;
}

/* How long replicas can hand trees over before they walk on. */
static uint64_t hand_steps(const struct expander_run *run)
{
    uint64_t around = random_around(&run->masters);
    return run->routing->options->copy_is_free ? around / 4 : around / 2;
}

/* Steps 4(a) and 4(b): c visits. */
static enum failure_kind visits(struct expander_run *run, struct failure *failure)
{
    struct random_run *masters = &run->masters;
    enum failure_kind kind = FAIL_NONE;
    uint64_t leg = (uint64_t)stream_leg(&masters->cycle) * ((masters->layers + 1) / 2);
    for (masters->visit = 0; kind == FAIL_NONE && masters->visit < masters->cycle.count;
         masters->visit++) {
        if (masters->visit > 0)
            kind = channel_for(run, EXPANDER_WALK, leg, failure);
        if (kind == FAIL_NONE)
            kind = rank_select(masters, failure);
        if (kind == FAIL_NONE)
            kind = channel_for(run, EXPANDER_HAND, hand_steps(run), failure);
    }
    return kind;
}

static enum failure_kind drain(struct expander_run *run, unsigned *held, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    for (*held = SYNCHRONISE_TRAVELLING; kind == FAIL_NONE && *held & SYNCHRONISE_TRAVELLING;) {
        expander_begin(run, "visit tiles");
        kind = channel_for(run, EXPANDER_DRAIN, random_around(&run->masters), failure);
        if (kind == FAIL_NONE)
            kind = synchronise_held(run->masters.machine, 0, held, failure);
    }
    return kind;
}

static enum failure_kind begin(struct expander_run *run, struct failure *failure)
{
    enum failure_kind kind = rank_make(&run->masters, failure);
    if (kind == FAIL_NONE)
        ((struct ranking *)run->masters.own)->start = note_selected;
    return kind;
}

static void end(struct expander_run *run)
{
    rank_free(&run->masters);
}

static const struct random_variant WALK = {.goes_both_ways = true};

const struct expander_visits expander_fast = {
    .variant = &WALK,
    .round = visits,
    .drain = drain,
    .begin = begin,
    .end = end,
    .capacity = capacity,
    .standard_alpha = 4,
    .uses = USE_FORWARD | USE_WORDS | USE_CHANNELS | USE_EXPRESS,
    .aside_levels = 1,
    .footprint = rank_footprint,
};
