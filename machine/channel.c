/* channel.c - store-and-forward routing through bounded channels with credits.
 *
 * A node has eight input channels, one for each class (0 or 1) and direction of travel, each a
 * queue of `slots` packets, and a slot for the packet that it injects. Only the first packet of a
 * channel acts. At its stop it may want several links; it keeps its slot until every part has
 * left, a part leaving when its link is free and the neighbour's channel was not full at the end
 * of the last step (the model's credit, one bit a channel). Nothing is dropped and no channel can
 * overflow: a link carries one packet a step, into a channel that had room.
 *
 * Copies. Free: a part is copied in the step in which it leaves. Unit: the node makes one copy a
 * step; it waits in a register, apart for the parts of each class and for those of the injected
 * packet, and leaves later. A register of a class only ever holds parts that leave the direction
 * in which their packet travelled.
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
 * Links: the classes take turns by the step's parity, straight traffic before turning traffic.
 * Spare slots are a node's own, for whichever channel needs one: at the end of a step the node sets
 * free ones apart for as many links, by turns; a channel is full when its own slots are taken and
 * none is set apart for its link, which brings one packet a step. They cause no deadlock.
 * Cost: 64 * slots + 54 bytes a node (24 more with unit copies); O(1) a hop.
 */
#include "machine/channel_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct channelling {
    struct machine *machine;
    struct channels *channels;
    const struct channel_rule *rule;
    bool waking, done, to_the_end;
    uint64_t limit;
    enum failure_kind kind;
    struct failure *failure;
};

uint32_t machine_channel_capacity(uint32_t slots, bool copy_is_free)
{
    return CHANNELS * slots + 1 + (copy_is_free ? 0 : REGISTERS);
}

static void channels_release(struct machine *machine, struct channels *channels)
{
    if (channels == NULL)
        return;
    free(channels->front);
    free(channels->behind);
    free(channels->count);
    free(channels->active);
    padded_free(machine, channels->full, 1);
    free(channels->emptied);
    padded_free(machine, channels->moved, 1);
    for (int d = 0; d < DIRECTIONS; d++)
        free(channels->out[d]);
    express_free(channels);
    free(channels);
}

void channels_free(struct machine *machine)
{
    channels_release(machine, machine->channels);
    machine->channels = NULL;
}

static bool channels_allocate(struct machine *machine, struct channels *channels)
{
    size_t nodes = machine->nodes, behind = channels->slots + channels->spare - 1;
    channels->front = memory_allocate(nodes * SOURCES, sizeof *channels->front);
    channels->behind = memory_allocate(nodes * CHANNELS * behind, sizeof *channels->behind);
    channels->count = memory_allocate(nodes * CHANNELS, 1);
    channels->active = memory_allocate(nodes, sizeof *channels->active);
    channels->full = padded_allocate(machine, 1);
    channels->emptied = memory_allocate(nodes, 1);
    channels->moved = padded_allocate(machine, 1);
    bool whole = channels->front && channels->behind && channels->count && channels->active &&
                 channels->full && channels->emptied && channels->moved;
    for (int d = 0; d < DIRECTIONS; d++) {
        channels->out[d] = memory_allocate(nodes, sizeof(uint64_t));
        whole = whole && channels->out[d];
    }
    return whole;
}

/* Made once, when packets first move; packets may then wait in them between instructions. */
static enum failure_kind channels_prepare(struct machine *machine, const struct channel_rule *rule,
                                          struct failure *failure)
{
    struct channels *channels = machine->channels;
    if (channels == NULL) {
        channels = memory_allocate(1, sizeof *channels);
        if (channels != NULL) {
            channels->slots = rule->slots;
            channels->spare = rule->spare;
        }
        if (channels == NULL || !channels_allocate(machine, channels)) {
            channels_release(machine, channels);
            return fail_memory(failure, "the channels");
        }
        machine->channels = channels;
    }
    assert(channels->slots == rule->slots && channels->spare == rule->spare);
    bool lacks_express = rule->inject != NULL && channels->express_links == NULL;
    return lacks_express ? express_prepare(machine, channels, failure) : FAIL_NONE;
}

bool channel_node_is_busy(const struct machine *machine, node_index node)
{
    const struct channels *channels = machine->channels;
    if (channels == NULL)
        return false;
    return channels->active[node] != 0 ||
           (channels->express_links != NULL && channels->express_links[node] != 0);
}

/* ---- departures ---- */

/* The sources of a node by what they ask for in this step. */
struct requests {
    unsigned link[DIRECTIONS]; /* sources that want this link */
    unsigned of_class[2];      /* sources of each class */
    unsigned copying;          /* unit copies: sources that want a copy first */
};

static struct requests requests_read(const struct channel_lane *lane, node_index node,
                                     unsigned fresh)
{
    const uint64_t *front = lane->channels->front + (size_t)node * SOURCES;
    struct requests requests = {0};
    for (unsigned left = lane->channels->active[node] & ~fresh; left != 0; left &= left - 1) {
        unsigned source = (unsigned)__builtin_ctz(left), want = word_want(front[source]);
        requests.of_class[word_class(front[source])] |= 1u << source;
        if (!lane->copy_is_free && !is_single_part(want)) {
            requests.copying |= 1u << source;
            continue;
        }
        for (unsigned links = want & PART_LINKS; links != 0; links &= links - 1)
            requests.link[__builtin_ctz(links)] |= 1u << source;
    }
    return requests;
}

/* Which source may use link `d`, SOURCES if none: one whose channel at the neighbour has room. */
static unsigned link_winner(const struct channel_lane *lane, const struct requests *requests,
                            node_index neighbour, enum direction d)
{
    unsigned asking = requests->link[d], full = lane->channels->full[neighbour];
    if (full & (1u << d))
        asking &= ~requests->of_class[0];
    if (full & (16u << d))
        asking &= ~requests->of_class[1];
    if (asking == 0)
        return SOURCES;
    unsigned favoured = asking & requests->of_class[lane->machine->counts.steps & 1];
    if (favoured != 0)
        asking = favoured;
    unsigned straight = asking & (0x11u << d);
    return (unsigned)__builtin_ctz(straight != 0 ? straight : asking);
}

/* One packet leaves `source` over link `d`: the packet, or a copy that carries the part. */
static void send(struct channel_lane *lane, struct site site, unsigned source, enum direction d)
{
    uint64_t *front = &lane->channels->front[(size_t)site.index * SOURCES + source];
    uint64_t word = *front;
    unsigned want = word_want(word), left = want & ~(1u << d);
    if (left == 0) {
        channel_pop(lane, site.index, source);
    } else {
        uint32_t packet = (uint32_t)word;
        uint32_t copy = channel_copy(lane, site, packet, d);
        word = channel_word(lane, site, copy, 1u << d);
        *front = channel_word(lane, site, packet, left);
    }
    channel_cross(lane, site, d, word);
}

/* Unit copies: the node's one copy of this step. `copying` are the sources that stood first and
 * wanted one before anything moved. A channel's packet hands on what turns off, and itself goes
 * straight on. */
static void copy_for_one(struct channel_lane *lane, struct site site, unsigned copying)
{
    struct channels *channels = lane->channels;
    uint64_t *front = channels->front + (size_t)site.index * SOURCES;
    for (; copying != 0; copying &= copying - 1) {
        unsigned source = (unsigned)__builtin_ctz(copying), want = word_want(front[source]);
        uint32_t packet = (uint32_t)front[source];
        if (want & PART_HERE) {
            channel_deliver(lane, DEPARTURES, site, packet);
            front[source] = channel_word(lane, site, packet, want & ~(unsigned)PART_HERE);
            return;
        }
        unsigned into =
            source == INJECTED ? REGISTER_INJECTED : REGISTER + word_class(front[source]);
        if (channels->active[site.index] & (1u << into))
            continue;
        unsigned turning = source < CHANNELS ? want & ~(1u << (source & 3)) : want;
        enum direction d = (enum direction)__builtin_ctz(turning);
        uint32_t copy = channel_copy(lane, site, packet, d);
        front[into] = channel_word(lane, site, copy, 1u << d);
        channels->active[site.index] |= (uint16_t)(1u << into);
        front[source] = channel_word(lane, site, packet, want & ~(1u << d));
        return;
    }
}

/* The sources whose packets may turn, see the banner. */
static unsigned may_turn(const struct channel_lane *lane, struct site site)
{
    enum { CLASS_0_COLUMNS = PART_NORTH | PART_SOUTH, CLASS_1_ROWS = (PART_WEST | PART_EAST) << 4 };
    if (lane->rule->turn == NULL)
        return 0;
    return 1u << INJECTED | (site.col % 2 == 0 ? CLASS_0_COLUMNS : CLASS_1_ROWS);
}

/* Those of `stuck` of which nothing has left in this step turn; `before` are the words that stood
 * first. A packet of a channel turns if it is whole, and stays so: it must need no register. */
static void turn_stuck(struct channel_lane *lane, struct site site, unsigned stuck,
                       const uint64_t before[SOURCES])
{
    const struct routing_rule *rule = &lane->rule->routing;
    uint64_t *front = &lane->channels->front[(size_t)site.index * SOURCES];
    for (stuck &= lane->channels->active[site.index]; stuck != 0; stuck &= stuck - 1) {
        unsigned source = (unsigned)__builtin_ctz(stuck);
        uint64_t word = front[source];
        uint32_t packet = (uint32_t)word;
        if (word != before[source] || (source != INJECTED && !is_single_part(word_want(word))))
            continue;
        lane->rule->turn(rule->context, site, packet);
        unsigned parts = rule->parts(rule->context, site, packet);
        if (source == INJECTED || is_single_part(parts))
            front[source] = channel_word(lane, site, packet, parts);
        else
            lane->rule->turn(rule->context, site, packet);
    }
}

/* The trees of a node send over the links that express packets have left free. */
static void depart_trees(struct channel_lane *lane, struct site site, struct woken woken,
                         unsigned taken)
{
    uint32_t cols = lane->machine->config.mesh.cols;
    const node_index to[DIRECTIONS] = {site.index - cols, site.index + cols, site.index - 1,
                                       site.index + 1};
    struct requests requests = requests_read(lane, site.index, woken.fresh);
    unsigned stuck = (requests.of_class[0] | requests.of_class[1]) & may_turn(lane, site);
    uint64_t before[SOURCES];
    if (stuck != 0)
        memcpy(before, lane->channels->front + (size_t)site.index * SOURCES, sizeof before);
    for (int d = 0; d < DIRECTIONS; d++) {
        if (requests.link[d] == 0 || (taken & 1u << d))
            continue;
        unsigned source = link_winner(lane, &requests, to[d], (enum direction)d);
        if (source != SOURCES)
            send(lane, site, source, (enum direction)d);
    }
    if (requests.copying != 0 && !woken.has_copied)
        copy_for_one(lane, site, requests.copying);
    if (stuck != 0)
        turn_stuck(lane, site, stuck, before);
}

static void depart_row(struct channel_lane *lane, uint32_t row, bool waking)
{
    struct channels *channels = lane->channels;
    const uint32_t *resting = lane->machine->resting_first;
    uint32_t cols = lane->machine->config.mesh.cols;
    for (uint32_t col = 0; col < cols; col++) {
        struct site site = {row * cols + col, row, col};
        struct woken woken = {0};
        unsigned taken = 0;
        channels->moved[site.index] = 0;
        channels->emptied[site.index] = 0;
        if (resting[site.index] != MACHINE_NONE)
            woken = channel_wake(lane, site, waking);
        if (channels->express_links != NULL && channels->express_links[site.index] != 0)
            taken = express_depart(lane, site);
        if (channels->active[site.index] != 0)
            depart_trees(lane, site, woken, taken);
    }
}

/* ---- arrivals ---- */

static void arrive_node(struct channel_lane *lane, struct site site, unsigned links)
{
    struct channels *channels = lane->channels;
    struct machine *machine = lane->machine;
    uint32_t cols = machine->config.mesh.cols;
    const node_index from[DIRECTIONS] = {site.index + cols, site.index - cols, site.index + 1,
                                         site.index - 1};
    machine->occupancy[site.index] += (uint32_t)__builtin_popcount(links);
    for (; links != 0; links &= links - 1) {
        unsigned d = (unsigned)__builtin_ctz(links);
        uint64_t word = channels->out[d][from[d]];
        uint32_t stop = (uint32_t)(word >> STOP_SHIFT) & 0xffff;
        unsigned class = word_class(word);
        bool stops = stop == (direction_is_vertical((enum direction)d) ? site.row : site.col);
        if (class == CHANNEL_EXPRESS && stops)
            express_arrive(lane, site, (uint32_t)word);
        else if (class == CHANNEL_EXPRESS)
            express_enter(lane, site.index, (enum direction)d, word);
        else if (stops)
            word = channel_settle(lane, ARRIVALS, site, (uint32_t)word);
        if (class != CHANNEL_EXPRESS && word != 0)
            channel_push(lane, site.index, 4 * class + d, word);
    }
}

static void arrive_row(struct channel_lane *lane, uint32_t row)
{
    struct channels *channels = lane->channels;
    const uint8_t *moved = channels->moved;
    uint32_t cols = lane->machine->config.mesh.cols;
    for (uint32_t col = 0; col < cols; col++) {
        struct site site = {row * cols + col, row, col};
        const uint8_t *at = moved + site.index;
        unsigned links = (at[cols] & PART_NORTH) | (*(at - cols) & PART_SOUTH) |
                         (at[1] & PART_WEST) | (at[-1] & PART_EAST);
        channels->full[site.index] &= (uint8_t)~channels->emptied[site.index];
        if (links != 0)
            arrive_node(lane, site, links);
        if (channels->spare > 0 &&
            (links | channels->active[site.index] | channels->full[site.index]))
            channel_note_full(lane, site.index);
        band_occupancy(lane->machine, lane->band, site.index);
    }
}

/* ---- a run ---- */

static void end_step(struct channelling *run)
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
    uint32_t rows = run->machine->config.mesh.rows;
    struct channel_lane lane = {run->machine,
                                run->channels,
                                run->rule,
                                &run->machine->band[team->rank],
                                parallel_band_start(rows, team->rank, team->size),
                                parallel_band_start(rows, team->rank + 1, team->size),
                                run->machine->config.copy_is_free};
    while (!run->done) {
        bool waking = run->waking;
        for (uint32_t row = lane.first_row; row < lane.end_row; row++)
            depart_row(&lane, row, waking);
        parallel_barrier(team);
        for (uint32_t row = lane.first_row; row < lane.end_row; row++)
            arrive_row(&lane, row);
        parallel_barrier(team);
        if (team->rank == 0)
            end_step(run);
        parallel_barrier(team);
    }
}

enum failure_kind machine_channel(struct machine *machine, const struct channel_rule *rule,
                                  bool wake, uint64_t limit, struct failure *failure)
{
    if (machine_steps_left(machine) == 0)
        return FAIL_VOID;
    if (limit == 0 || (machine->travelling == 0 && machine->resting == 0))
        return FAIL_NONE;
    if (channels_prepare(machine, rule, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    struct channelling run = {.machine = machine,
                              .channels = machine->channels,
                              .rule = rule,
                              .waking = wake,
                              .limit = attempt_limit(machine, limit),
                              .to_the_end = limit == UINT64_MAX,
                              .failure = failure};
    parallel_run(machine->config.threads, channel_band, &run);
    return attempt_judge(machine, run.kind);
}
