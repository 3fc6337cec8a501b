/* channel.c - store-and-forward routing through bounded channels with credits.
 *
 * A node has input channels, one for each class (0 or 1) and direction of travel, each a queue of `slots`
 * packets, and a slot for the packet that it injects. Only the first packet of a channel acts. At its stop it may
 * want several links; it keeps its slot until every part has left, a part leaving when its link is free and the
 * neighbour's channel was not full at the end of the last step (the model's credit, one bit a channel). Nothing is
 * dropped and no channel can overflow: a link carries one packet a step, into a channel that had room.
 *
 * Copies. Free: a part is copied in the step in which it leaves. Unit: the node makes one copy a step, which waits
 * in a register and leaves later. There is one register for parts that turn off into rows, one for parts that turn
 * off into columns, and one for the parts of the injected packet. So the first two only ever hold parts that leave
 * the direction in which their packet travelled.
 * No deadlock: within a class the rule's turns close no cycle (say first along rows, then along
 * columns), so the channels can be ordered; a register waits for later channels only, and nothing
 * but the injected packet waits for the register of the injected packet.
 * Turning. Class 0 goes along columns first, class 1 along rows first. A packet of which nothing
 * could leave in a step may change its class for the next one (the rule's `turn`): the injected one
 * anywhere; one in a channel of class 0 along a column of even number; one in a channel of class 1
 * along a row, at a column of odd number. So what waits along even columns may go on into rows, and
 * what waits along rows into odd columns, but nothing comes back into even ones: in the order even
 * columns, rows, of class 1, then odd columns of class 0 and columns of class 1, then rows of class
 * 0 packets still wait for later channels only.
 * Fewer channels. With one class there are four. Where both classes share the channels along rows there are six:
 * a packet of class 0 becomes one of class 1 as soon as it wants links along rows alone. In the order columns of
 * class 0, rows, columns of class 1 every packet waits for later channels; the injected packet may turn, and no
 * other.
 * Spare slots are a node's own, for whichever channel needs one: at the end of a step the node sets
 * free ones apart for as many links in rotation; a channel is full when its own slots are taken and
 * none is set apart for its link, which brings one packet a step. They cause no deadlock.
 * A step goes through rows by blocks of nodes (blocks.c); channel_link.c says which packet takes a link. In an
 * observed run, and where nodes discard, packets are handed from node to node: the plain way, which is here.
 * Everywhere else what goes straight on glides, and rows take several steps while they are in cache
 * (channel_turns.c).
 * Cost: some hundred operations on words a step for a block of 64 nodes that holds packets, O(1) a
 * stop, a copy, and a packet that waits; an idle block costs two looks a step. Memory:
 * channel_memory.c.
 */
#include "machine/channel_private.h"

#include <assert.h>

uint32_t machine_channel_capacity(uint32_t channels, uint32_t slots, bool copy_is_free)
{
    return channels * slots + 1 + (copy_is_free ? 0 : REGISTERS);
}

bool channel_node_is_busy(const struct machine *machine, node_index node)
{
    const struct channels *channels = machine->channels;
    if (channels == NULL)
        return false;
    struct site site = machine_site(machine, node);
    const struct channel_block *block = block_of(channels, site);
    uint64_t taken = 0;
    for (unsigned left = block->holds; left != 0; left &= left - 1)
        taken |= source_taken(block, (unsigned)__builtin_ctz(left));
    bool busy = (taken & bit_of(site)) != 0;
    if (channels->glides)
        return busy || glide_is_at(channels, site);
    for (int d = 0; d < DIRECTIONS && channels->has_express; d++)
        busy |= channels->express.head[d][node] != NO_WORD;
    return busy;
}

/* An observed run must emit its events node by node: then calls `act` for each node of the span that is among
 * `nodes`, otherwise once for all. Returns the flags that the calls return, united. */
static unsigned for_nodes(struct channel_lane *lane, struct span span, uint64_t nodes,
                          unsigned (*act)(struct channel_lane *lane, struct span span))
{
    unsigned together = 0;
    if (!machine_is_watched(lane->machine))
        return act(lane, span);
    for (uint64_t left = nodes & span_bits(span); left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left) - (span.start.col & (BLOCK - 1));
        together |= act(lane, (struct span){block_site(span.start, i), 1});
    }
    return together;
}

/* ---- departures ---- */

/* What the block sent in the last step has arrived. */
static void forget_sent(struct channels *channels, struct channel_block *block, struct span span)
{
    for (int d = 0; d < DIRECTIONS; d++)
        if (block->sent & 1u << d)
            memset(channels->express.out[d] + span.start.index, 0xff,
                   span.count * sizeof(uint64_t));
    memset(block->moved, 0, sizeof block->moved);
    block->sent = 0;
}

/* The nodes of a block that must be gone through one by one in an observed run: those that hold something which
 * may act, or all where express packets are, which are not looked at here. */
static uint64_t nodes_that_act(const struct channel_lane *lane, const struct channel_block *block)
{
    uint64_t nodes = block->busy & PART_LINKS ? UINT64_MAX : block->eager;
    if (!machine_is_watched(lane->machine))
        return UINT64_MAX;
    for (unsigned left = block->holds; left != 0; left &= left - 1)
        nodes |= source_taken(block, (unsigned)__builtin_ctz(left));
    return nodes;
}

/* Packets at rest first, then express packets, then trees; returns what the nodes still hold. */
static unsigned depart_span(struct channel_lane *lane, struct span span)
{
    const struct channel_block *block = block_of(lane->channels, span.start);
    uint64_t fresh = 0;
    unsigned left = 0;
    if (block->eager != 0)
        fresh = rest_depart(lane, span);
    if (block->busy & PART_LINKS)
        left |= express_depart(lane, span);
    if (block->busy & TREES) {
        left |= links_find(lane, span, fresh, &lane->found[0]) ? TREES : 0;
        links_send(lane, &lane->found[0]);
    }
    return left;
}

static void depart_block(void *of_band, struct span span)
{
    struct channel_lane *lane = of_band;
    struct channel_block *block = block_of(lane->channels, span.start);
    if (block->sent != 0)
        forget_sent(lane->channels, block, span);
    if (block->busy != 0 || block->eager != 0)
        block->busy = (uint8_t)for_nodes(lane, span, nodes_that_act(lane, block), depart_span);
}

/* ---- arrivals ---- */

static unsigned arrive_span(struct channel_lane *lane, struct span span)
{
    links_arrive(lane, span);
    return 0;
}

static void arrive_block(void *of_band, struct span span)
{
    struct channel_lane *lane = of_band;
    struct channels *channels = lane->channels;
    struct channel_block *block = block_of(channels, span.start);
    unsigned south = block[channels->blocks].sent, north = (block - channels->blocks)->sent;
    unsigned beside = block[1].sent | block[-1].sent;
    unsigned links = (south & PART_NORTH) | (north & PART_SOUTH) |
                     ((block->sent | beside) & (PART_WEST | PART_EAST));
    if (links != 0)
        express_arrive(lane, span, links);
    if (((block->sent | beside | south | north) & TREES) != 0)
        for_nodes(lane, span, links_coming(lane, span), arrive_span);
    if ((block->sent | block->busy) & TREES)
        channels_note_full(lane, span);
    if (block->busy != 0)
        span_measure(lane->machine, lane->band, span);
}

/* ---- a run ---- */

void channel_end_step(struct channelling *run)
{
    struct machine *machine = run->machine;
    const struct machine_counts *counts = &machine->counts;
    uint64_t before = counts->packet_hops + counts->copies + counts->delivered + machine->marked;
    uint64_t resting = machine->resting;
    run->kind = machine_end_step(machine, run->failure);
    run->waking = false;
    run->limit--;
    run->done = run->kind != FAIL_NONE || run->limit == 0 ||
                (machine->travelling == 0 && machine->resting == 0);
    /* no deadlock: where nothing waits for the clock, something happens in every step */
    assert(run->done || !run->to_the_end || resting != machine->resting ||
           counts->packet_hops + counts->copies + counts->delivered + machine->marked > before);
    (void)before, (void)resting;
}

static void channel_band(void *context, const struct team *team)
{
    struct channelling *run = context;
    struct machine *machine = run->machine;
    uint32_t rows = machine->config.mesh.rows;
    struct channel_lane lane = {.machine = machine,
                                .channels = run->channels,
                                .rule = run->rule,
                                .band = &machine->band[team->rank],
                                .copy_is_free = machine->config.copy_is_free};
    struct row_step step = {.lane = &lane,
                            .depart = depart_block,
                            .arrive = arrive_block,
                            .first_row = parallel_band_start(rows, team->rank, team->size),
                            .end_row = parallel_band_start(rows, team->rank + 1, team->size)};
    for (uint32_t row = step.first_row; row < step.end_row; row++)
        for_blocks(machine, row, rest_note, &lane);
    while (!run->done) {
        lane.waking = run->waking;
        lane.steps = machine->counts.steps;
        rows_step(machine, &step, team);
        parallel_barrier(team);
        if (team->rank == 0)
            channel_end_step(run);
        parallel_barrier(team);
    }
}

enum failure_kind machine_channel(struct machine *machine, const struct channel_rule *rule,
                                  bool wake, uint64_t limit, struct failure *failure)
{
    if (machine_steps_left(machine) == 0)
        return FAIL_VOID;
    if (machine_judge_steps(machine, failure) != FAIL_NONE)
        return FAIL_CHECK;
    if (limit == 0 || (machine->travelling == 0 && machine->resting == 0))
        return FAIL_NONE;
    if (channels_prepare(machine, rule, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    struct channelling run = {.machine = machine,
                              .channels = machine->channels,
                              .rule = rule,
                              .waking = wake,
                              .limit = machine_limit_steps(machine, attempt_limit(machine, limit)),
                              .to_the_end = limit == UINT64_MAX,
                              .failure = failure};
    parallel_run(machine->config.crew, run.channels->glides ? channel_turns_band : channel_band,
                 &run);
    if (run.kind == FAIL_NONE)
        run.kind = machine_judge_steps(machine, failure);
    return attempt_judge(machine, run.kind);
}
