/* circuit_steps.c - packets circulate, step by step: what each node does, from what it knows.
 *
 * The reference, and what an observed run takes. A node has for each of its places the packet of the
 * round under way there and the one that has come in the next round; for each of its links it counts
 * the rounds. Whether a link is ready is computed from the end of the step before.
 * Cost: 32 bytes a place, 5 a link. A step: O(1) a place, on one thread.
 */
#include "machine/cycle/circuit_private.h"

#include <assert.h>
#include <stdlib.h>

/* What is at a place in a round. */
struct item {
    uint32_t packet; /* MACHINE_NONE: nothing */
    uint32_t came;   /* the step */
    uint32_t due;    /* the round in which it comes to its first destination */
    bool waits;      /* for a copy, or for being split off */
    bool splits;     /* that copy is for the part that begins elsewhere */
};

struct stepping {
    struct circling *run;
    struct machine *machine;
    struct tally *tally;
    struct item *item[2]; /* [parity of the round][place] */
    uint32_t *done;       /* [link]: rounds */
    uint8_t *goes;        /* [link]: in this step */
    uint32_t step;        /* of this call */
    uint64_t living;
    struct failure *failure;
};

static const struct circuit *circuit_of(const struct stepping *stepping)
{
    return stepping->run->circuit;
}

static bool copies_are_free(const struct stepping *stepping)
{
    return stepping->machine->config.copy_is_free;
}

/* The item is in the place's round now: what it must have done before it goes on. */
static void arrive(struct stepping *stepping, enum event_group group, uint32_t place,
                   uint32_t round, uint32_t packet)
{
    const struct circuit *circuit = circuit_of(stepping);
    struct item *item = &stepping->item[round % 2][place];
    struct site site = circuit_site(stepping->run, place);
    if (item->due != round)
        return;
    bool ends = stepping->machine->header.packet[packet].first == packet;
    if (!ends && !copies_are_free(stepping)) {
        item->waits = true;
        return;
    }
    circuit_deliver(stepping->run, stepping->tally, group, site, packet);
    if (ends) {
        item->packet = MACHINE_NONE;
        stepping->machine->occupancy[site.index]--;
        stepping->living--;
        return;
    }
    item->due = round + circuit->hops(circuit->context, place, packet);
    assert(item->due > round);
}

/* ---- at the sources ---- */

static void begin_part(struct stepping *stepping, uint32_t place, uint32_t packet)
{
    const struct circuit *circuit = circuit_of(stepping);
    struct item *item = &stepping->item[0][place];
    assert(item->packet == MACHINE_NONE);
    *item = (struct item){packet, 0, 0, false, false};
    item->due = circuit->hops(circuit->context, place, packet);
    stepping->living++;
    arrive(stepping, DEPARTURES, place, 0, packet);
}

static void split(struct stepping *stepping, struct site site, uint32_t packet)
{
    const struct circuit *circuit = circuit_of(stepping);
    uint32_t place = circuit->begin(circuit->context, site, packet, true);
    uint32_t part = circuit->take(circuit->context, packet);
    stepping->tally->copies++;
    stepping->machine->occupancy[site.index]++;
    tally_event(stepping->machine, stepping->tally, DEPARTURES,
                (struct machine_event){{site.index, packet, part}, 'C'});
    begin_part(stepping, place, part);
}

static void begin(struct stepping *stepping, node_index node)
{
    const struct circuit *circuit = circuit_of(stepping);
    struct site site = machine_site(stepping->machine, node);
    uint32_t packet = stepping->machine->resting_first[node];
    if (packet == MACHINE_NONE)
        return;
    circuit_wake(stepping->run, stepping->tally, node);
    uint32_t place = circuit->begin(circuit->context, site, packet, false);
    bool splits = circuit->begin(circuit->context, site, packet, true) != CIRCUIT_NO_PLACE;
    if (splits && copies_are_free(stepping))
        split(stepping, site, packet);
    if (!splits || copies_are_free(stepping)) {
        begin_part(stepping, place, packet);
        return;
    }
    stepping->item[0][place] = (struct item){packet, 0, UINT32_MAX, true, true};
    stepping->item[0][circuit->begin(circuit->context, site, packet, true)].waits = true;
    stepping->living++;
}

/* ---- a step ---- */

/* The packet that leaves `place` next has nothing to wait for at its node. */
static bool may_leave(const struct stepping *stepping, uint32_t place)
{
    const struct circling *run = stepping->run;
    uint32_t done = stepping->done[run->link[place]];
    const uint32_t *leaving = run->leaving + (size_t)circuit_site(run, place).index * DIRECTIONS;
    for (int d = 0; d < DIRECTIONS; d++)
        if (leaving[d] != CIRCUIT_NO_PLACE && stepping->done[run->link[leaving[d]]] < done)
            return false;
    return !stepping->item[done % 2][place].waits;
}

static void find_ready_links(struct stepping *stepping)
{
    const struct circling *run = stepping->run;
    for (uint32_t link = 0; link < run->links; link++)
        stepping->goes[link] = may_leave(stepping, run->ends[2 * (size_t)link]) &&
                               may_leave(stepping, run->ends[2 * (size_t)link + 1]);
}

/* The node makes its copy: of what has waited longest. */
static void copy(struct stepping *stepping, node_index node)
{
    const struct circling *run = stepping->run;
    struct site site = machine_site(stepping->machine, node);
    uint32_t first = CIRCUIT_NO_PLACE;
    struct item *chosen = NULL;
    for (int d = 0; d < DIRECTIONS; d++) {
        uint32_t place = run->leaving[(size_t)node * DIRECTIONS + (unsigned)d];
        for (unsigned parity = 0; place != CIRCUIT_NO_PLACE && parity < 2; parity++) {
            struct item *item = &stepping->item[parity][place];
            if (item->packet == MACHINE_NONE || !item->waits)
                continue;
            if (chosen == NULL || circuit_is_first(site, place, item->came, first, chosen->came)) {
                chosen = item;
                first = place;
            }
        }
    }
    if (chosen == NULL)
        return;
    uint32_t packet = chosen->packet;
    chosen->waits = false;
    if (chosen->splits) {
        split(stepping, site, packet);
        chosen->splits = false;
        chosen->due = circuit_of(stepping)->hops(circuit_of(stepping)->context, first, packet);
        return;
    }
    circuit_deliver(stepping->run, stepping->tally, DEPARTURES, site, packet);
    chosen->due += circuit_of(stepping)->hops(circuit_of(stepping)->context, first, packet);
}

static void leave(struct stepping *stepping, uint32_t place, uint32_t round)
{
    struct circling *run = stepping->run;
    struct item *from = &stepping->item[round % 2][place];
    uint32_t next = circuit_next(run, place), packet = from->packet;
    if (packet == MACHINE_NONE)
        return;
    struct item *to = &stepping->item[(round + 1) % 2][next];
    assert(to->packet == MACHINE_NONE);
    *to = *from;
    to->came = stepping->step;
    from->packet = MACHINE_NONE;
    node_index here = circuit_site(run, place).index, there = circuit_site(run, next).index;
    stepping->machine->occupancy[here]--;
    stepping->machine->occupancy[there]++;
    stepping->tally->packet_hops++;
    tally_event(stepping->machine, stepping->tally, DEPARTURES,
                (struct machine_event){{packet, here, there}, 'M'});
}

static void cross(struct stepping *stepping)
{
    const struct circling *run = stepping->run;
    for (uint32_t link = 0; link < run->links; link++)
        for (unsigned end = 0; stepping->goes[link] && end < 2; end++)
            leave(stepping, run->ends[2 * (size_t)link + end], stepping->done[link]);
    for (uint32_t link = 0; link < run->links; link++) {
        stepping->done[link] += stepping->goes[link];
        for (unsigned end = 0; stepping->goes[link] && end < 2; end++) {
            uint32_t place = circuit_next(run, run->ends[2 * (size_t)link + end]);
            uint32_t round = stepping->done[link];
            uint32_t packet = stepping->item[round % 2][place].packet;
            if (packet != MACHINE_NONE)
                arrive(stepping, ARRIVALS, place, round, packet);
        }
    }
}

static enum failure_kind do_step(struct stepping *stepping)
{
    struct machine *machine = stepping->machine;
    stepping->step++;
    for (node_index node = 0; stepping->step == 1 && node < machine->nodes; node++)
        begin(stepping, node);
    find_ready_links(stepping);
    for (node_index node = 0; !copies_are_free(stepping) && node < machine->nodes; node++)
        copy(stepping, node);
    cross(stepping);
    for (node_index node = 0; node < machine->nodes; node++)
        tally_occupancy(machine, stepping->tally, node);
    return machine_end_step(machine, stepping->failure);
}

static bool make(struct stepping *stepping)
{
    const struct circling *run = stepping->run;
    for (int parity = 0; parity < 2; parity++)
        stepping->item[parity] = memory_allocate(run->places, sizeof **stepping->item);
    stepping->done = memory_allocate(run->links, sizeof *stepping->done);
    stepping->goes = memory_allocate(run->links, 1);
    for (int parity = 0; stepping->item[0] && stepping->item[1] && parity < 2; parity++)
        for (uint32_t place = 0; place < run->places; place++)
            stepping->item[parity][place].packet = MACHINE_NONE;
    return stepping->item[0] && stepping->item[1] && stepping->done && stepping->goes;
}

uint64_t circuit_steps_footprint(uint64_t places)
{
    const struct stepping *stepping = NULL;
    return places * (2 * sizeof **stepping->item + sizeof *stepping->done + sizeof *stepping->goes);
}

enum failure_kind circuit_by_steps(struct circling *run)
{
    struct stepping stepping = {.run = run,
                                .machine = run->machine,
                                .tally = &run->machine->tally[0],
                                .failure = run->failure};
    enum failure_kind kind = FAIL_NONE;
    if (make(&stepping)) {
        uint64_t limit = machine_limit_steps(run->machine, UINT64_MAX);
        do
            kind = do_step(&stepping);
        while (kind == FAIL_NONE && stepping.living > 0 && --limit > 0);
    } else {
        kind = fail_memory(run->failure, "packets that circulate");
    }
    free(stepping.item[0]);
    free(stepping.item[1]);
    free(stepping.done);
    free(stepping.goes);
    return kind;
}
