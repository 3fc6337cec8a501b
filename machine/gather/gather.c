/* gather.c - contributions go to one node each, and are combined where they wait for the same link.
 *
 * Each link has a list of the packets that wait for it in the buffer, and an array of the
 * contributions that wait for it in the input queue, sorted once. A table finds the one packet of a
 * message that waits for a link, in either: a chain per link and remainder of the message's number,
 * through an array of the packets. A packet is in one chain at most, so there is nothing to grow. A
 * step has two halves with a barrier between: every node chooses the packets that leave it, then
 * receives those that its neighbours chose.
 *
 * Invariant: at most one packet of a message waits for a link, since a second one is combined with
 * it. On ranks a step has one message to each neighbour, between both halves, with the packets that
 * cross; with credits a second one at its end.
 *   Credits are counts here, and not machine_channel's, in whose queues only the first packet acts:
 * a contribution is combined with a packet in any place, as happens to 4,089 of 65,519 (64 x 64
 * nodes, d = c = 16, one slot per channel), and any packet may leave.
 *   Order at a node: packets that travel north first, then south, west, east.
 * Cost: a look at each link in each step; expected O(1) per hop, and with urgencies a walk through
 * the link's list. 64 bytes per node and 29 bytes per slot, and as many chains of 4 bytes as there
 * are links or slots.
 */
#include "machine/gather.h"

#include "machine/machine_private.h"
#include "machine/ranks/border.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A contribution in the input queue. */
struct waiting {
    uint64_t key;    /* due step << 32 | the inverse of its urgency */
    uint32_t packet; /* MACHINE_NONE: it has become part of an arrived packet */
    uint32_t name;
};

struct gather {
    struct machine *machine;
    const struct gather_rule *rule;
    uint32_t step;          /* the call's step, from 1 */
    bool is_done, is_split; /* is_split: among ranks */
    enum failure_kind kind;
    struct failure *failure;
    /* [node][direction]: the packet that crosses the link in this step, or MACHINE_NONE */
    uint32_t *leaving;
    uint32_t *first;         /* [node][direction]: first of the packets that wait in the buffer */
    struct waiting *waiting; /* [slot]: sorted by links, .. */
    uint32_t *begin, *end;   /* [node][direction]: .. the range of a link */
    uint32_t chain_bits;     /* 2^chain_bits chains per link */
    uint32_t *chain;         /* [node][direction][remainder]: a packet, or MACHINE_NONE .. */
    uint32_t *behind;        /* [slot]: .. and the next one */
    uint32_t *place;         /* [slot]: its index in `waiting`; MACHINE_NONE: in the buffer */
    uint32_t *parts;         /* [slot]: number of contributions in the packet */
    uint8_t *channel;        /* [slot]: the channel of a packet in the buffer */
    /* [node][2 d + k]: packets that travel in direction d and are of class k; NULL: queues are
     * unbounded */
    uint8_t (*held)[GATHER_CHANNELS];
    uint8_t *full; /* [node]: bit i: channel i was full when the last step ended */
};

/* ---- memory ---- */

/* Returns the bits for about as many chains as slots, but at least one per link. */
static uint32_t chain_bits_for(uint64_t links, uint64_t slots)
{
    uint32_t bits = 0;
    while (links << (bits + 1) <= slots)
        bits++;
    return bits;
}

static bool gather_allocate(struct gather *gather)
{
    const struct machine *machine = gather->machine;
    size_t links = (size_t)machine->nodes * DIRECTIONS, slots = machine->pool.room;
    struct node_range own = machine_nodes(machine);
    gather->is_split = machine->is_split;
    gather->chain_bits = chain_bits_for(links, machine->config.slots);
    gather->leaving = memory_allocate(links, sizeof *gather->leaving);
    gather->first = memory_allocate(links, sizeof *gather->first);
    gather->waiting = memory_allocate(slots, sizeof *gather->waiting);
    gather->begin = memory_allocate(links, sizeof *gather->begin);
    gather->end = memory_allocate(links, sizeof *gather->end);
    gather->chain = memory_allocate(links << gather->chain_bits, sizeof *gather->chain);
    gather->behind = memory_allocate(slots, sizeof *gather->behind);
    gather->place = memory_allocate(slots, sizeof *gather->place);
    gather->parts = memory_allocate(slots, sizeof *gather->parts);
    gather->channel = memory_allocate(slots, sizeof *gather->channel);
    if (gather->rule->slots > 0) {
        gather->held = machine_allocate_nodes(machine, sizeof *gather->held);
        gather->full = machine_allocate_nodes(machine, sizeof *gather->full);
        if (gather->held == NULL || gather->full == NULL)
            return false;
    }
    if (!gather->leaving || !gather->first || !gather->waiting || !gather->begin || !gather->end ||
        !gather->chain || !gather->behind || !gather->place || !gather->parts || !gather->channel)
        return false;
    size_t first = (size_t)own.first * DIRECTIONS, count = (size_t)own.end * DIRECTIONS - first;
    memset(gather->first + first, 0xff, count * sizeof *gather->first);
    memset(gather->chain + (first << gather->chain_bits), 0xff,
           (count << gather->chain_bits) * sizeof *gather->chain);
    return true;
}

static void gather_free(struct gather *gather)
{
    free(gather->leaving);
    free(gather->first);
    free(gather->waiting);
    free(gather->begin);
    free(gather->end);
    free(gather->chain);
    free(gather->behind);
    free(gather->place);
    free(gather->parts);
    free(gather->channel);
    free(gather->held);
    free(gather->full);
}

/* ---- the packets that wait for a link ---- */

static size_t link_of(struct site site, enum direction d)
{
    return (size_t)site.index * DIRECTIONS + d;
}

static uint32_t *chain_of(const struct gather *gather, size_t link, uint32_t message)
{
    uint32_t remainder = message & ((1u << gather->chain_bits) - 1);
    return &gather->chain[(link << gather->chain_bits) + remainder];
}

static uint32_t message_of(const struct gather *gather, uint32_t packet)
{
    return gather->machine->header.packet[packet].message;
}

static void chain_add(struct gather *gather, size_t link, uint32_t packet)
{
    uint32_t *chain = chain_of(gather, link, message_of(gather, packet));
    gather->behind[packet] = *chain;
    *chain = packet;
}

static void chain_remove(struct gather *gather, size_t link, uint32_t packet)
{
    uint32_t *at = chain_of(gather, link, message_of(gather, packet));
    while (*at != packet)
        at = &gather->behind[*at];
    *at = gather->behind[packet];
}

static uint32_t chain_find(const struct gather *gather, size_t link, uint32_t message)
{
    uint32_t packet = *chain_of(gather, link, message);
    while (packet != MACHINE_NONE && message_of(gather, packet) != message)
        packet = gather->behind[packet];
    return packet;
}

/* Returns a word of machine->next: the packet's own urgency, and the next packet. */
static uint64_t list_word(uint32_t urgency, uint32_t next)
{
    return (uint64_t)urgency << 32 | next;
}

static uint32_t urgency_of(const struct gather *gather, uint32_t packet)
{
    return (uint32_t)(gather->machine->next[packet] >> 32);
}

/* Puts the packet after all that are at least as urgent. */
static void list_put(struct gather *gather, size_t link, uint32_t packet, uint32_t urgency)
{
    uint64_t *next = gather->machine->next;
    uint32_t before = MACHINE_NONE, behind = gather->first[link];
    while (behind != MACHINE_NONE && urgency_of(gather, behind) >= urgency) {
        before = behind;
        behind = (uint32_t)next[behind];
    }
    next[packet] = list_word(urgency, behind);
    if (before == MACHINE_NONE)
        gather->first[link] = packet;
    else
        next[before] = list_word(urgency_of(gather, before), packet);
}

static uint32_t ask_urgency(const struct gather *gather, struct site site, uint32_t packet)
{
    const struct gather_rule *rule = gather->rule;
    uint32_t urgency = rule->urgency == NULL ? 0 : rule->urgency(rule->context, site, packet);
    assert(urgency <= MACHINE_MAX_URGENCY);
    return urgency;
}

/* ---- input queues ---- */

/* Returns the link by which `packet` leaves `site`; DIRECTIONS at its sum's destination. */
static enum direction ask_link(const struct gather *gather, struct site site, uint32_t packet)
{
    enum output output = gather->rule->output(gather->rule->context, site, packet);
    bool is_link = output == (output & OUT_LINKS) && is_single_output(output) && output != 0;
    assert(is_link || output == OUT_EJECT);
    return is_link ? (enum direction)__builtin_ctz(output) : DIRECTIONS;
}

static uint64_t key_of(const struct gather *gather, struct site site, uint32_t packet)
{
    const struct gather_rule *rule = gather->rule;
    uint32_t due = rule->due == NULL ? 1 : rule->due(rule->context, site, packet);
    return (uint64_t)due << 32 | (MACHINE_MAX_URGENCY - ask_urgency(gather, site, packet));
}

static uint32_t urgency_at(const struct waiting *waiting)
{
    return MACHINE_MAX_URGENCY - (uint32_t)waiting->key;
}

static int compare_waiting(const void *a, const void *b)
{
    const struct waiting *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

/* Moves the input queue of a node into `waiting`, from place `at` on; returns the place after
 * it. */
static uint32_t sort_node(struct gather *gather, struct site site, uint32_t at)
{
    struct machine *machine = gather->machine;
    uint32_t *begin = &gather->begin[link_of(site, 0)], *end = &gather->end[link_of(site, 0)];
    uint32_t first = machine->input_first[site.index];
    machine->input_first[site.index] = MACHINE_NONE;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        begin[d] = at;
        for (uint32_t p = first; p != MACHINE_NONE; p = (uint32_t)machine->next[p])
            if (gather->place[p] == d)
                gather->waiting[at++] =
                    (struct waiting){key_of(gather, site, p), p, packet_name(&machine->header, p)};
        end[d] = at;
        qsort(gather->waiting + begin[d], end[d] - begin[d], sizeof *gather->waiting,
              compare_waiting);
    }
    for (enum direction d = 0; d < DIRECTIONS; d++)
        for (uint32_t i = begin[d]; i < end[d]; i++) {
            gather->place[gather->waiting[i].packet] = i;
            chain_add(gather, link_of(site, d), gather->waiting[i].packet);
        }
    return at;
}

/* Sorts all input queues by links, and within a link in the order of departure. */
static void sort_all(struct gather *gather)
{
    struct machine *machine = gather->machine;
    struct node_range own = machine_nodes(machine);
    uint32_t at = 0;
    if (machine->input_first == NULL)
        return; /* all contributions are in other ranks */
    for (node_index node = own.first; node < own.end; node++) {
        struct site site = machine_site(machine, node);
        assert(machine->resting_first[node] == MACHINE_NONE);
        for (uint32_t p = machine->input_first[node]; p != MACHINE_NONE;
             p = (uint32_t)machine->next[p]) {
            gather->place[p] = ask_link(gather, site, p); /* until they are sorted */
            gather->parts[p] = 1;
            assert(gather->place[p] < DIRECTIONS);
        }
        at = sort_node(gather, site, at);
    }
}

/* Puts a contribution from the input queue into the buffer of its node. */
static void inject(struct gather *gather, struct tally *tally, enum event_group group,
                   struct site site, uint32_t packet)
{
    struct machine *machine = gather->machine;
    tally_event(
        machine, tally, group,
        (struct machine_event){
            {site.index, packet_name(&machine->header, packet), message_of(gather, packet)}, 'I'});
    gather->place[packet] = MACHINE_NONE;
    machine->occupancy[site.index]++;
    tally_wake(tally);
}

/* ---- departures ---- */

/* Returns the contribution in the input queue that is next for the link; NULL: none is due. */
static const struct waiting *first_due(struct gather *gather, size_t link)
{
    uint32_t *at = &gather->begin[link], end = gather->end[link];
    while (*at < end && gather->waiting[*at].packet == MACHINE_NONE)
        ++*at;
    bool is_due = *at < end && gather->waiting[*at].key >> 32 <= gather->step;
    return is_due ? &gather->waiting[*at] : NULL;
}

static uint32_t channel_of(const struct gather *gather, uint32_t packet, enum direction d)
{
    const struct gather_rule *rule = gather->rule;
    return gather->held == NULL ? 0 : 2 * d + rule->class_of(rule->context, packet);
}

/* True if the channel of node `to` that link `d` enters has room for the packet, by its credit. */
static bool may_go(const struct gather *gather, node_index to, enum direction d, uint32_t packet)
{
    return gather->held == NULL || !(gather->full[to] >> channel_of(gather, packet, d) & 1);
}

/* Removes the packet that crosses the link to node `to` in this step, and returns it; MACHINE_NONE:
 * none. */
static uint32_t take_first(struct gather *gather, struct tally *tally, struct site site,
                           enum direction d, node_index to)
{
    size_t link = link_of(site, d);
    uint64_t *next = gather->machine->next;
    const struct waiting *due = first_due(gather, link);
    uint32_t packet = gather->first[link], before = MACHINE_NONE;
    while (packet != MACHINE_NONE && !may_go(gather, to, d, packet)) {
        before = packet;
        packet = (uint32_t)next[packet];
    }
    if (due != NULL && may_go(gather, to, d, due->packet) &&
        (packet == MACHINE_NONE || urgency_at(due) > urgency_of(gather, packet))) {
        gather->begin[link]++;
        inject(gather, tally, DEPARTURES, site, due->packet);
        return due->packet;
    }
    if (packet == MACHINE_NONE)
        return packet;
    if (before == MACHINE_NONE)
        gather->first[link] = (uint32_t)next[packet];
    else
        next[before] = list_word(urgency_of(gather, before), (uint32_t)next[packet]);
    if (gather->held != NULL)
        gather->held[site.index][gather->channel[packet]]--;
    return packet;
}

static void leave(struct gather *gather, struct tally *tally, struct site site, enum direction d)
{
    struct machine *machine = gather->machine;
    size_t link = link_of(site, d);
    node_index to = mesh_beside(machine->config.mesh, site.row, site.col, d);
    if (to == MESH_NO_NODE)
        return;
    uint32_t packet = gather->leaving[link] = take_first(gather, tally, site, d, to);
    if (packet == MACHINE_NONE)
        return;
    chain_remove(gather, link, packet);
    machine->occupancy[site.index]--;
    tally->packet_hops++;
    tally_move(machine, tally, packet, site.index, to);
}

/* ---- arrivals ---- */

/* Ends `packet`, which becomes part of `into`. */
static void combine(struct gather *gather, struct tally *tally, struct site site, uint32_t packet,
                    uint32_t into)
{
    const struct gather_rule *rule = gather->rule;
    gather->parts[into] += gather->parts[packet];
    if (rule->combine != NULL)
        rule->combine(rule->context, packet, into);
    gather->machine->occupancy[site.index]--;
    tally->travelling--;
    tally_event(gather->machine, tally, ARRIVALS,
                (struct machine_event){{site.index, packet_name(&gather->machine->header, packet),
                                        packet_name(&gather->machine->header, into)},
                                       'G'});
    tally_drop(gather->machine, tally, packet, packet);
}

static void deliver(struct gather *gather, struct tally *tally, struct site site, uint32_t packet)
{
    struct machine *machine = gather->machine;
    const struct gather_rule *rule = gather->rule;
    assert(machine->header.destination[packet] == site_place(site));
    if (rule->deliver != NULL)
        rule->deliver(rule->context, site, packet);
    machine->occupancy[site.index]--;
    tally->travelling--;
    tally_deliver(machine, tally, ARRIVALS, site, packet, packet);
    tally->delivered += gather->parts[packet] - 1;
}

/* Receives a packet that travelled in direction `from`. */
static void come(struct gather *gather, struct tally *tally, struct site site, enum direction from,
                 uint32_t packet)
{
    gather->machine->occupancy[site.index]++;
    uint32_t channel = channel_of(gather, packet, from);
    enum direction d = ask_link(gather, site, packet);
    if (d == DIRECTIONS) {
        deliver(gather, tally, site, packet);
        return;
    }
    size_t link = link_of(site, d);
    uint32_t other = chain_find(gather, link, message_of(gather, packet));
    if (other != MACHINE_NONE && gather->place[other] == MACHINE_NONE) {
        combine(gather, tally, site, packet, other);
        return;
    }
    if (other != MACHINE_NONE) {
        gather->waiting[gather->place[other]].packet = MACHINE_NONE;
        chain_remove(gather, link, other);
        inject(gather, tally, ARRIVALS, site, other);
        combine(gather, tally, site, other, packet);
    }
    list_put(gather, link, packet, ask_urgency(gather, site, packet));
    chain_add(gather, link, packet);
    gather->channel[packet] = (uint8_t)channel;
    if (gather->held != NULL)
        gather->held[site.index][channel]++;
}

/* Notes the credits that the neighbours have in the next step. */
static void note_full(struct gather *gather, node_index node)
{
    uint8_t full = 0;
    for (unsigned channel = 0; channel < GATHER_CHANNELS; channel++)
        full |= (uint8_t)((gather->held[node][channel] >= gather->rule->slots) << channel);
    gather->full[node] = full;
}

/* ---- steps ---- */

/* Fails if nothing crossed a link in a step: then all credits stay as they are, and a packet in a
 * buffer waits for ever. */
static enum failure_kind judge_step(const struct gather *gather, uint64_t hops_before)
{
    const struct machine *machine = gather->machine;
    if (machine->travelling > 0 && machine->counts.packet_hops == hops_before)
        return fail(gather->failure, FAIL_CHECK,
                    "deadlock: from step %llu on all %llu packets under way wait for one another",
                    (unsigned long long)machine->counts.steps,
                    (unsigned long long)machine->travelling);
    return machine_judge_steps(machine, gather->failure);
}

static void end_step(struct gather *gather)
{
    const struct machine *machine = gather->machine;
    uint64_t hops = machine->counts.packet_hops;
    gather->kind = machine_end_step(gather->machine, gather->failure);
    if (gather->kind == FAIL_NONE)
        gather->kind = judge_step(gather, hops);
    gather->is_done = gather->kind != FAIL_NONE || machine->travelling + machine->resting == 0;
    gather->step++;
}

static void take_in(struct gather *gather, struct tally *tally, struct site site)
{
    struct mesh mesh = gather->machine->config.mesh;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        node_index from = mesh_beside(mesh, site.row, site.col, direction_opposite(d));
        uint32_t packet =
            from == MESH_NO_NODE ? MACHINE_NONE : gather->leaving[(size_t)from * DIRECTIONS + d];
        if (packet != MACHINE_NONE)
            come(gather, tally, site, d, packet);
    }
    if (gather->held != NULL)
        note_full(gather, site.index);
    tally_occupancy(gather->machine, tally, site.index);
}

/* ---- other ranks ---- */

/* Returns the first node of the row at that side of the rank, its own or the other rank's. */
static node_index border_row(const struct gather *gather, enum rank_side side, bool is_own)
{
    const struct machine *machine = gather->machine;
    uint32_t row = side == RANK_BEFORE ? machine->first_row - !is_own : machine->end_row - is_own;
    return row * machine->config.mesh.cols;
}

/* Exchanges the packets that cross, in one thread, while the others wait. */
static void cross_border(struct gather *gather)
{
    struct machine *machine = gather->machine;
    uint32_t cols = machine->config.mesh.cols, none = 0;
    for (enum rank_side side = 0; side < RANK_SIDES; side++) {
        enum direction d = side == RANK_BEFORE ? NORTH : SOUTH;
        node_index row = border_row(gather, side, true);
        for (uint32_t col = 0; border_has(machine, side) && col < cols; col++) {
            uint32_t packet = gather->leaving[(size_t)(row + col) * DIRECTIONS + d];
            border_put(machine, side, packet == MACHINE_NONE ? &none : &gather->parts[packet],
                       sizeof none);
            if (packet != MACHINE_NONE)
                border_put_packet(machine, side, packet);
        }
    }
    border_exchange(machine);
    for (enum rank_side side = 0; side < RANK_SIDES; side++) {
        enum direction d = side == RANK_BEFORE ? SOUTH : NORTH;
        node_index row = border_row(gather, side, false);
        for (uint32_t col = 0; border_has(machine, side) && col < cols; col++) {
            uint32_t parts, *leaving = &gather->leaving[(size_t)(row + col) * DIRECTIONS + d];
            border_get(machine, side, &parts, sizeof parts);
            *leaving = parts == 0 ? MACHINE_NONE : border_get_packet(machine, side);
            if (*leaving == MACHINE_NONE)
                continue;
            gather->parts[*leaving] = parts;
            gather->place[*leaving] = MACHINE_NONE;
        }
    }
}

/* Exchanges the credits of the rows at the border. */
static void exchange_credits(struct gather *gather)
{
    struct machine *machine = gather->machine;
    uint32_t cols = machine->config.mesh.cols;
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        if (border_has(machine, side))
            border_put(machine, side, gather->full + border_row(gather, side, true), cols);
    border_exchange(machine);
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        if (border_has(machine, side))
            border_get(machine, side, gather->full + border_row(gather, side, false), cols);
}

static void gather_rows(void *context, const struct team *team)
{
    struct gather *gather = context;
    struct machine *machine = gather->machine;
    struct tally *tally = &machine->tally[team->rank];
    struct row_range rows = machine_band(machine, team);
    uint32_t cols = machine->config.mesh.cols;
    node_index first = rows.first * cols, end = rows.end * cols;
    while (!gather->is_done) {
        for (node_index node = first; node < end; node++)
            for (enum direction d = 0; d < DIRECTIONS; d++)
                leave(gather, tally, machine_site(machine, node), d);
        parallel_barrier(team);
        if (gather->is_split) {
            if (team->rank == 0)
                cross_border(gather);
            parallel_barrier(team);
        }
        for (node_index node = first; node < end; node++)
            take_in(gather, tally, machine_site(machine, node));
        parallel_barrier(team);
        if (team->rank == 0 && gather->is_split && gather->held != NULL)
            exchange_credits(gather);
        if (team->rank == 0)
            end_step(gather);
        parallel_barrier(team);
    }
}

enum failure_kind machine_gather(struct machine *machine, const struct gather_rule *rule,
                                 struct failure *failure)
{
    enum failure_kind kind = machine_judge_steps(machine, failure);
    assert(machine->travelling == 0 && machine->config.attempt == NULL);
    if (kind != FAIL_NONE || machine->resting == 0)
        return kind;
    struct gather gather = {.machine = machine, .rule = rule, .step = 1, .failure = failure};
    if (gather_allocate(&gather)) {
        sort_all(&gather);
        parallel_run(machine->config.threads, gather_rows, &gather);
        kind = gather.kind;
    } else {
        kind = fail_memory(failure, "the contributions' queues");
    }
    gather_free(&gather);
    return kind;
}
