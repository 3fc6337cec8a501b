/* circuit_private.h - a circuit's links, shared by circuit.c (which finds them), circuit_steps.c (the
 * steps, one by one) and circuit_rounds.c (the same, round by round). For machine/ only. */
#ifndef MESHCAST_MACHINE_CYCLE_CIRCUIT_PRIVATE_H
#define MESHCAST_MACHINE_CYCLE_CIRCUIT_PRIVATE_H

#include "machine/circuit.h"
#include "machine/machine_private.h"

#include <assert.h>

/* One call of machine_circulate. */
struct circling {
    struct machine *machine;
    const struct circuit *circuit;
    uint32_t places, links;
    uint32_t *leaving; /* [node][direction]: the place that leaves it there, or CIRCUIT_NO_PLACE */
    uint32_t *link;    /* [place]: by which it leaves */
    uint32_t *ends;    /* [link][2]: the places that leave by it, the lower one first */
    struct failure *failure;
};

static inline uint32_t circuit_next(const struct circling *run, uint32_t place)
{
    uint32_t length = run->circuit->length;
    return (place + 1) % length != 0 ? place + 1 : place + 1 - length;
}

static inline uint32_t circuit_before(const struct circling *run, uint32_t place)
{
    uint32_t length = run->circuit->length;
    return place % length != 0 ? place - 1 : place - 1 + length;
}

static inline struct site circuit_site(const struct circling *run, uint32_t place)
{
    node_place at = run->circuit->place[place];
    uint32_t row = place_row(at), col = place_col(at);
    return (struct site){row * run->machine->config.mesh.cols + col, row, col};
}

/* Whether the node at `site` copies the packet that came to place `a` before that of place `b`. */
static inline bool circuit_is_first(struct site site, uint32_t a, uint32_t a_came, uint32_t b,
                                    uint32_t b_came)
{
    bool lower_first = (site.row + site.col) % 2 == 0;
    return a_came != b_came ? a_came < b_came : (a < b) == lower_first;
}

/* A packet begins at `place`: it is no longer at rest. */
static inline void circuit_wake(struct circling *run, struct tally *tally, node_index node)
{
    struct machine *machine = run->machine;
    assert((uint32_t)machine->next[machine->resting_first[node]] == MACHINE_NONE);
    machine->resting_first[node] = MACHINE_NONE;
    tally->resting--;
}

/* Delivers the first destination of `packet`: with its last one it ends. */
static inline void circuit_deliver(struct circling *run, struct tally *tally,
                                   enum event_group group, struct site site, uint32_t packet)
{
    uint32_t slot = run->machine->header.packet[packet].first;
    if (slot != packet)
        run->machine->header.packet[packet].first = slot + 1;
    tally_deliver(run->machine, tally, group, site, packet, slot);
}

enum failure_kind circuit_by_steps(struct circling *run);
enum failure_kind circuit_by_rounds(struct circling *run);

/* The bytes that they take on a circuit of so many places. */
uint64_t circuit_steps_footprint(uint64_t places);
uint64_t circuit_rounds_footprint(uint64_t nodes, uint64_t places);

#endif
