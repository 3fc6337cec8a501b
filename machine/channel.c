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
 * Links: the classes take turns by the step's parity, straight traffic before turning traffic.
 * Cost: 64 * slots + 54 bytes a node (24 more with unit copies); O(1) a hop.
 */
#include "machine/machine_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What may leave over a link: the first packets of the channels, then these. */
enum { CHANNELS = 8, INJECTED = CHANNELS, REGISTER, REGISTERS = 3, SOURCES = REGISTER + REGISTERS };
enum { REGISTER_INJECTED = REGISTER + 2 };

/* A packet in a channel is one word: class, what it waits for at this node, where it must stop if
 * it waits for one link alone, and its name. */
enum { STOP_SHIFT = 32, WANT_SHIFT = 48, WANT_BITS = 31, CLASS_SHIFT = 56 };

struct channels {
    uint32_t slots;
    uint64_t *front;  /* [node][source]: first packets of the channels, then the other sources */
    uint64_t *behind; /* [node][channel][slots - 1] */
    uint8_t *count;   /* [node][channel] */
    uint16_t *active; /* [node]: bit s: source s holds a packet */
    uint8_t *full;    /* [node], padded: bit c: channel c was full at the end of the last step */
    uint8_t *emptied; /* [node]: channels that lost a packet in this step */
    uint8_t *moved;   /* [node], padded: bits 0-3: links used, 4-7: the class on each */
    uint64_t *out[DIRECTIONS]; /* [node]: what crosses */
};

struct channelling {
    struct machine *machine;
    struct channels *channels;
    const struct channel_rule *rule;
    bool waking, done;
    enum failure_kind kind;
    struct failure *failure;
};

struct lane {
    struct machine *machine;
    struct channels *channels;
    const struct channel_rule *rule;
    struct band *band;
    uint32_t first_row, end_row;
    bool copy_is_free;
};

static unsigned word_want(uint64_t word)
{
    return (unsigned)(word >> WANT_SHIFT) & WANT_BITS;
}

static unsigned word_class(uint64_t word)
{
    return (unsigned)(word >> CLASS_SHIFT) & 1;
}

uint32_t machine_channel_capacity(uint32_t slots, bool copy_is_free)
{
    return CHANNELS * slots + 1 + (copy_is_free ? 0 : REGISTERS);
}

static void channels_free(struct machine *machine, struct channels *channels)
{
    free(channels->front);
    free(channels->behind);
    free(channels->count);
    free(channels->active);
    padded_free(machine, channels->full, 1);
    free(channels->emptied);
    padded_free(machine, channels->moved, 1);
    for (int d = 0; d < DIRECTIONS; d++)
        free(channels->out[d]);
}

static enum failure_kind channels_prepare(struct machine *machine, struct channels *channels,
                                          struct failure *failure)
{
    size_t nodes = machine->nodes, behind = channels->slots - 1;
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
    if (whole)
        return FAIL_NONE;
    channels_free(machine, channels);
    return fail_memory(failure, "the channels");
}

/* ---- a packet's word ---- */

/* The word of `packet` that waits for `want` at `site`; the stop is asked for once it waits for
 * one link alone. */
static uint64_t word_make(struct lane *lane, struct site site, uint32_t packet, unsigned want)
{
    const struct routing_rule *rule = &lane->rule->routing;
    uint64_t word = (uint64_t)lane->rule->class_of(rule->context, packet) << CLASS_SHIFT |
                    (uint64_t)want << WANT_SHIFT | packet;
    if (!is_single_part(want) || !(want & PART_LINKS))
        return word;
    enum direction d = (enum direction)__builtin_ctz(want);
    uint32_t stop = rule->stop(rule->context, site, packet, d);
    struct mesh mesh = lane->machine->config.mesh;
    uint32_t here = direction_is_vertical(d) ? site.row : site.col;
    uint32_t side = direction_is_vertical(d) ? mesh.rows : mesh.cols;
    assert(d == NORTH || d == WEST ? stop < here : stop > here && stop < side);
    (void)here;
    (void)side;
    return word | (uint64_t)stop << STOP_SHIFT;
}

/* Delivers one destination of `packet` here while it stays. */
static void deliver_here(struct lane *lane, enum half half, struct site site, uint32_t packet)
{
    const struct routing_rule *rule = &lane->rule->routing;
    uint32_t slot = rule->take(rule->context, site, packet, PART_HERE);
    band_deliver(lane->machine, lane->band, half, site, packet, slot);
}

static uint32_t copy_part(struct lane *lane, struct site site, uint32_t packet, enum direction d)
{
    const struct routing_rule *rule = &lane->rule->routing;
    uint32_t copy = rule->take(rule->context, site, packet, (enum part)(1u << d));
    assert(copy != packet);
    lane->band->copies++;
    lane->band->travelling++;
    lane->machine->occupancy[site.index]++;
    band_event(lane->machine, lane->band, DEPARTURES,
               (struct event){{site.index, packet, copy}, 'C'});
    return copy;
}

/* The packet is at a stop: its word, or 0 if it ended here. With free copies it delivers at once. */
static uint64_t settle(struct lane *lane, enum half half, struct site site, uint32_t packet)
{
    const struct routing_rule *rule = &lane->rule->routing;
    unsigned parts = rule->parts(rule->context, site, packet);
    assert(parts != 0 && (parts & ~(unsigned)(PART_LINKS | PART_HERE)) == 0);
    if (parts == PART_HERE) {
        band_deliver(lane->machine, lane->band, half, site, packet, packet);
        lane->band->travelling--;
        lane->machine->occupancy[site.index]--;
        return 0;
    }
    if ((parts & PART_HERE) && lane->copy_is_free) {
        deliver_here(lane, half, site, packet);
        parts &= ~(unsigned)PART_HERE;
    }
    return word_make(lane, site, packet, parts);
}

/* ---- channels ---- */

static void channel_push(struct lane *lane, node_index node, unsigned channel, uint64_t word)
{
    struct channels *channels = lane->channels;
    uint8_t *count = &channels->count[(size_t)node * CHANNELS + channel];
    size_t behind = channels->slots - 1;
    assert(*count < channels->slots);
    if (*count == 0) {
        channels->front[(size_t)node * SOURCES + channel] = word;
        channels->active[node] |= (uint16_t)(1u << channel);
    } else {
        channels->behind[((size_t)node * CHANNELS + channel) * behind + *count - 1u] = word;
    }
    if (++*count == channels->slots)
        channels->full[node] |= (uint8_t)(1u << channel);
}

/* Takes the packet of `source` out. */
static void source_pop(struct lane *lane, node_index node, unsigned source)
{
    struct channels *channels = lane->channels;
    if (source >= CHANNELS) {
        channels->active[node] &= (uint16_t) ~(1u << source);
        return;
    }
    channels->emptied[node] |= (uint8_t)(1u << source);
    size_t index = (size_t)node * CHANNELS + source, behind = channels->slots - 1;
    if (--channels->count[index] == 0) {
        channels->active[node] &= (uint16_t) ~(1u << source);
        return;
    }
    uint64_t *queue = channels->behind + index * behind;
    channels->front[(size_t)node * SOURCES + source] = queue[0];
    memmove(queue, queue + 1, (behind - 1) * sizeof *queue);
}

/* ---- departures ---- */

/* The sources of a node by what they ask for in this step. */
struct requests {
    unsigned link[DIRECTIONS]; /* sources that want this link */
    unsigned of_class[2];      /* sources of each class */
    unsigned copying;          /* unit copies: sources that want a copy first */
};

static struct requests requests_read(const struct lane *lane, node_index node)
{
    const uint64_t *front = lane->channels->front + (size_t)node * SOURCES;
    struct requests requests = {0};
    for (unsigned left = lane->channels->active[node]; left != 0; left &= left - 1) {
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
static unsigned link_winner(const struct lane *lane, const struct requests *requests,
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
static void send(struct lane *lane, struct site site, unsigned source, enum direction d)
{
    struct channels *channels = lane->channels;
    struct machine *machine = lane->machine;
    uint64_t *front = &channels->front[(size_t)site.index * SOURCES + source];
    uint64_t word = *front;
    unsigned want = word_want(word), left = want & ~(1u << d);
    if (left == 0) {
        source_pop(lane, site.index, source);
    } else {
        uint32_t packet = (uint32_t)word;
        uint32_t copy = copy_part(lane, site, packet, d);
        word = word_make(lane, site, copy, 1u << d);
        *front = word_make(lane, site, packet, left);
    }
    channels->out[d][site.index] = word;
    channels->moved[site.index] |= (uint8_t)(1u << d | word_class(word) << (4 + d));
    lane->band->packet_hops++;
    machine->occupancy[site.index]--;
    if (machine->config.trace != NULL) {
        const int cols = (int)machine->config.mesh.cols, step[DIRECTIONS] = {-cols, cols, -1, 1};
        band_event(
            machine, lane->band, DEPARTURES,
            (struct event){{(uint32_t)word, site.index, site.index + (uint32_t)step[d]}, 'M'});
    }
}

/* Unit copies: the node's one copy of this step. `copying` are the sources that stood first and
 * wanted one before anything moved. A channel's packet hands on what turns off, and itself goes
 * straight on. */
static void copy_for_one(struct lane *lane, struct site site, unsigned copying)
{
    struct channels *channels = lane->channels;
    uint64_t *front = channels->front + (size_t)site.index * SOURCES;
    for (; copying != 0; copying &= copying - 1) {
        unsigned source = (unsigned)__builtin_ctz(copying), want = word_want(front[source]);
        uint32_t packet = (uint32_t)front[source];
        if (want & PART_HERE) {
            deliver_here(lane, DEPARTURES, site, packet);
            front[source] = word_make(lane, site, packet, want & ~(unsigned)PART_HERE);
            return;
        }
        unsigned into =
            source == INJECTED ? REGISTER_INJECTED : REGISTER + word_class(front[source]);
        if (channels->active[site.index] & (1u << into))
            continue;
        unsigned turning = source < CHANNELS ? want & ~(1u << (source & 3)) : want;
        enum direction d = (enum direction)__builtin_ctz(turning);
        uint32_t copy = copy_part(lane, site, packet, d);
        front[into] = word_make(lane, site, copy, 1u << d);
        channels->active[site.index] |= (uint16_t)(1u << into);
        front[source] = word_make(lane, site, packet, want & ~(1u << d));
        return;
    }
}

static void depart_node(struct lane *lane, struct site site)
{
    uint32_t cols = lane->machine->config.mesh.cols;
    const node_index to[DIRECTIONS] = {site.index - cols, site.index + cols, site.index - 1,
                                       site.index + 1};
    struct requests requests = requests_read(lane, site.index);
    for (int d = 0; d < DIRECTIONS; d++) {
        if (requests.link[d] == 0)
            continue;
        unsigned source = link_winner(lane, &requests, to[d], (enum direction)d);
        if (source != SOURCES)
            send(lane, site, source, (enum direction)d);
    }
    if (requests.copying != 0)
        copy_for_one(lane, site, requests.copying);
}

/* The packet that rests at the node moves into the slot for injection. */
static void wake_node(struct lane *lane, struct site site)
{
    struct machine *machine = lane->machine;
    struct channels *channels = lane->channels;
    uint32_t packet = machine->resting_first[site.index];
    if (packet == MACHINE_NONE)
        return;
    assert((uint32_t)machine->next[packet] == MACHINE_NONE);
    machine->resting_first[site.index] = MACHINE_NONE;
    lane->band->resting--;
    lane->band->travelling++;
    uint64_t word = settle(lane, DEPARTURES, site, packet);
    if (word == 0)
        return;
    channels->front[(size_t)site.index * SOURCES + INJECTED] = word;
    channels->active[site.index] |= 1u << INJECTED;
}

static void depart_row(struct lane *lane, uint32_t row, bool waking)
{
    struct channels *channels = lane->channels;
    uint32_t cols = lane->machine->config.mesh.cols;
    for (uint32_t col = 0; col < cols; col++) {
        struct site site = {row * cols + col, row, col};
        channels->moved[site.index] = 0;
        channels->emptied[site.index] = 0;
        if (waking)
            wake_node(lane, site);
        if (channels->active[site.index] != 0)
            depart_node(lane, site);
    }
}

/* ---- arrivals ---- */

static void arrive_node(struct lane *lane, struct site site, unsigned links)
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
        unsigned channel = 4 * word_class(word) + d;
        if (stop == (direction_is_vertical((enum direction)d) ? site.row : site.col))
            word = settle(lane, ARRIVALS, site, (uint32_t)word);
        if (word != 0)
            channel_push(lane, site.index, channel, word);
    }
}

static void arrive_row(struct lane *lane, uint32_t row)
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
        band_occupancy(lane->machine, lane->band, site.index);
    }
}

/* ---- a run ---- */

static void end_step(struct channelling *run)
{
    struct machine *machine = run->machine;
    const struct machine_counts *counts = &machine->counts;
    uint64_t before = counts->packet_hops + counts->copies + counts->delivered;
    run->kind = machine_end_step(machine, run->failure);
    run->waking = false;
    run->done = run->kind != FAIL_NONE || machine->travelling == 0;
    assert(run->done || counts->packet_hops + counts->copies + counts->delivered > before);
    (void)before;
}

static void channel_band(void *context, uint32_t rank, uint32_t size)
{
    struct channelling *run = context;
    uint32_t rows = run->machine->config.mesh.rows;
    struct lane lane = {run->machine,
                        run->channels,
                        run->rule,
                        &run->machine->band[rank],
                        parallel_band_start(rows, rank, size),
                        parallel_band_start(rows, rank + 1, size),
                        run->machine->config.copy_is_free};
    while (!run->done) {
        bool waking = run->waking;
        for (uint32_t row = lane.first_row; row < lane.end_row; row++)
            depart_row(&lane, row, waking);
        parallel_barrier();
        for (uint32_t row = lane.first_row; row < lane.end_row; row++)
            arrive_row(&lane, row);
        parallel_barrier();
        if (rank == 0)
            end_step(run);
        parallel_barrier();
    }
}

enum failure_kind machine_channel(struct machine *machine, const struct channel_rule *rule,
                                  struct failure *failure)
{
    if (machine->resting == 0)
        return FAIL_NONE;
    struct channels channels = {.slots = rule->slots};
    if (channels_prepare(machine, &channels, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    struct channelling run = {.machine = machine,
                              .channels = &channels,
                              .rule = rule,
                              .waking = true,
                              .failure = failure};
    parallel_run(machine->config.threads, channel_band, &run);
    channels_free(machine, &channels);
    return run.kind;
}
