/* engine_trial.h - a program of machine instructions that runs on the golden model and on two
 * machines, one of which is observed; after each instruction all three must agree. On ranks each
 * rank has a model of the whole mesh beside its part of the machines.
 */
#ifndef MESHCAST_TEST_MACHINE_ENGINE_TRIAL_H
#define MESHCAST_TEST_MACHINE_ENGINE_TRIAL_H

#include "base/pcg.h"
#include "machine/attempt.h"
#include "machine/expected.h"
#include "test/reference/reference.h"

enum { MODEL, OBSERVED, UNOBSERVED, SIDES };

enum { MESSAGES = 61 }; /* names of messages in a trial */

/* Bits of header.state. */
enum {
    ROWS_FIRST = 1,
    IS_EXPRESS = 2,
    VANISHES = 4,
    IS_PEELED = 8,
    STOPS_HALF_WAY = 16,
    SPREADS = 32
};

struct told_event {
    uint64_t step;
    struct machine_event event;
};

struct event_log {
    struct told_event *event;
    size_t count, room;
};

/* The context of rules. */
struct side {
    const struct trial *trial;
    struct model *model;
    struct machine *machine;           /* NULL: the model's side */
    struct expected_messages expected; /* of the machines */
    struct headers *header;
    struct event_log log; /* of the model and the observed machine */
    struct machine_observer observer;
    enum failure_kind kind;
    struct failure failure;
};

/* Returns the packet of that name: on ranks, of those that are here. */
static inline uint32_t trial_packet(const struct headers *header, uint32_t name)
{
    if (header->name == NULL || header->slot_of_name != NULL)
        return packet_of_name(header, name);
    uint32_t slot = 0;
    while (slot + 1 < header->slots && (header->packet[slot].is_gone || header->name[slot] != name))
        slot++;
    return slot;
}

struct trial {
    uint64_t seed;
    struct pcg32 random;
    struct machine_config config;
    struct machine_attempt attempt;
    struct node_range own; /* nodes of the machines: all, or on ranks those of this one */
    uint32_t slots;        /* in use */
    /* The machines store packets in another order than the model, whose packets' ids are their
     * names: whoever takes an id for a name, or the other way round, differs. */
    bool stores_elsewhere;
    struct side side[SIDES];
    size_t events; /* that have been compared */
    uint32_t calls;
    const char *call; /* the one that was made last */
    bool queues;      /* packets are injected one after the other, where several start at a node */
    bool expects;     /* nodes expect some messages, and no others; else nobody knows */
    bool holds;       /* they hold some before the first attempt */
    bool contributes; /* packets are contributions, which wait in the input queue */
    bool is_over;     /* a check failed, as it should */
    bool in_lockstep; /* the call's rule is never called for a step after the overflowing one */
};

/* True if the machines have the node: all, except on ranks. */
/* Fails unless the model and both machines stand alike (engine_compare.c). */
void trial_compare(struct trial *trial);
/* Compares only the events. */
void trial_same_events(const struct trial *trial);

bool trial_is_own(const struct trial *trial, node_index node);

/* Begins a trial with the first 4 fields of `config`, and others that a test sets. Machines are
 * made when the trial begins. */
void trial_begin(struct trial *trial);
void trial_end(struct trial *trial);

/* Injects a packet at `node` with these destinations, MACHINE_NO_PLACE for none, in free slots.
 * False: there are too few, or the injection failed. */
bool trial_inject(struct trial *trial, node_index node, uint32_t count,
                  const node_place *destination, node_place target, uint8_t state);

/* Makes a call on each side, and compares. Returns the result, which is the same on all three. */
enum failure_kind trial_call(struct trial *trial, const char *name,
                             enum failure_kind (*call)(struct side *side, const void *how),
                             const void *how);

/* Calls that trials of all kinds make. */
void trial_phase(struct trial *trial, const char *name);
void trial_idle(struct trial *trial, uint32_t steps);
void trial_set_aside(struct trial *trial, uint32_t one_in);
void trial_take_back(struct trial *trial);

/* Gives everything up, and begins another attempt. */
void trial_next_attempt(struct trial *trial, const char *name);

const struct model *trial_model(const struct trial *trial);
node_place trial_place(const struct trial *trial, node_index node);
node_index trial_nodes(const struct trial *trial);

/* True if at most one packet rests at each node, and none is under way. */
bool trial_is_plane(const struct trial *trial);

#endif
