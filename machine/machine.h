/* machine.h - the emulated mesh machine: clock, links, buffers, copies, counters, trace.
 *
 * The machine owns all of them, and only the instructions below move anything or advance the clock.
 * A kernel is a program of instructions; what it cannot call, it cannot fake:
 *
 *     machine_forward                    packets move towards their stops through unbounded queues
 *        forward.h
 *     machine_channel                    the same through bounded channels with credits
 *        channel.h
 *     machine_march                      packets go along closed walks
 *        cycle.h
 *     machine_gather                     contributions to sums are combined on their way
 *        gather.h
 *     machine_compare, .._rotate, ..     one packet per node, as planes of words
 *        plane.h
 *     machine_word_steps                 words cross links
 *        word.h
 *     machine_idle                       steps in which nothing moves
 *        here
 *
 * A rule decides about a packet where it stops (rule.h). Runs that may fail are attempts
 * (attempt.h). doc/machine.md describes a step and the files of its parts: waiting for a link or a
 * credit, and stopping.
 *
 * Packets are described in header.h.
 *
 * Nodes are 0 .. rows * cols - 1, packets and slots 0 .. config.slots - 1. A call with another
 * number is a mistake of the caller, and asserts may miss it.
 *
 * Thread rule: one thread uses a machine; instructions use config.threads inside.
 */
#ifndef MESHCAST_MACHINE_MACHINE_H
#define MESHCAST_MACHINE_MACHINE_H

#include "base/failure.h"
#include "machine/header.h"
#include "machine/mesh.h"
#include "machine/observer.h"
#include "machine/ranks/ranks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MACHINE_NAME_SIZE = 64, MACHINE_MAX_PHASES = 256 };

struct expected_messages; /* expected.h */
struct machine_attempt;   /* attempt.h */

struct machine_config {
    struct mesh mesh; /* mesh_is_valid() */
    /* Destination slots, below 2^32 - 1; on ranks those of all ranks, which is the number of
     * names. */
    uint32_t slots;
    /* Slots have names, set in the headers before the first packet is injected; on ranks always. */
    bool has_names;
    struct ranks
        *ranks; /* this machine has the rows of one rank (machine/ranks/ranks.h); NULL: all rows */
    uint32_t own_slots; /* on ranks: slots of this rank's messages, which are the first ones */
    uint32_t buffer;    /* capacity B of each node; 0: unbounded */
    bool reduces; /* messages are sums, of contributions of their destinations (doc/reduce.md) */
    bool copy_is_free;   /* false: rules 2 and 3 of the model, one copy per node and step */
    uint64_t deliveries; /* expected number for the run; 0: not known */
    uint64_t most_steps; /* long instructions fail after that many steps, FAIL_CHECK */
    uint32_t threads;    /* 1 or more; what parallel_begin() returned if that can fail */
    FILE *trace;         /* NULL: none; stays the caller's */
    const struct machine_observer *observer; /* NULL: none; stays the caller's */
    const char *kernel;                      /* named in a kernel's trace; NULL for a router's */
    const struct machine_attempt *attempt;   /* NULL: none; is copied */
    /* The deliveries that nodes are to receive; NULL: they are not known. It stays the caller's. */
    struct expected_messages *expected;
    /* Called by one thread, before a step ends, for each expected message that reached a node in
     * it, in any order; `step` is its number. If it returns true at any rank, machine_forward or
     * machine_channel ends with that step. NULL: not called. */
    bool (*receive)(void *context, node_index node, uint32_t message, uint64_t step);
    void *receive_context;
    /* Called with the clock and the phase about every 64 steps, by one thread while the others
     * wait; may be NULL. */
    void (*progress)(void *context, uint64_t steps, const char *phase);
    void *progress_context;
    const struct interrupt *interrupt; /* once it is sent steps fail, FAIL_INTERRUPTED; or NULL */
};

struct machine_phase {
    char name[MACHINE_NAME_SIZE];
    uint64_t steps;
};

/* The machine's counters, of all steps so far. */
struct machine_counts {
    uint64_t steps, sync_steps;      /* the clock; of these, steps of phases named "sync" */
    uint64_t packet_hops, word_hops; /* packets and words that crossed a link */
    uint64_t copies;                 /* including those delivered at once */
    uint64_t delivered;              /* deliveries */
    uint32_t peak;                   /* largest occupancy at the end of a step */
    node_index peak_node;
    uint64_t peak_step;
    char peak_phase[MACHINE_NAME_SIZE];
};

struct machine;

/* Makes a machine with empty buffers. Its clock begins at step 0, or where the run's previous
 * attempt stopped. Returns NULL and fills `failure` if there is no memory. The caller frees it;
 * machine_free(NULL) does nothing. */
struct machine *machine_create(const struct machine_config *config, struct failure *failure);
void machine_free(struct machine *machine);

/* Return the machine's configuration, and the packets' headers. Both belong to the machine and live
 * as long as it does. */
const struct machine_config *machine_config(const struct machine *machine);
struct headers *machine_headers(struct machine *machine);
/* Nodes first .. end - 1. */
struct node_range {
    node_index first, end;
};
/* Return the rows of this machine, without ranks all rows of the mesh, and their nodes. */
struct row_range machine_rows(const struct machine *machine);
struct node_range machine_nodes(const struct machine *machine);
/* Replaces a number that the host counted at the nodes of these rows by the sum over all ranks.
 * FAIL_SYSTEM: a rank has failed. */
enum failure_kind machine_add_up(struct machine *machine, uint64_t *number,
                                 struct failure *failure);
/* Returns the node with its coordinates. */
struct site machine_site(const struct machine *machine, node_index node);

/* Begins the phase `name` (cut to 63 characters), to which all steps belong until the next one
 * begins; the first step needs one. Phases named "sync" are synchronisations: no packet may move,
 * be copied or be delivered in them. After MACHINE_MAX_PHASES - 2 phases all further ones are
 * counted as two: "sync" and "further phases". */
void machine_begin_phase(struct machine *machine, const char *name);

/* Puts packet `packet` into the buffer of `node`, where its message starts, at step 0 or between
 * instructions. A packet whose only destination is `node` is delivered at once. A router injects
 * each message once. Packets that are injected together are counted, reported and checked against
 * the capacity by machine_end_injection(), before anything else happens. On ranks each rank injects
 * the packets that start in its rows, by ascending names. */
void machine_inject(struct machine *machine, node_index node, uint32_t packet);

/* Puts `packet` into the buffer of `node` as machine_inject(), unless packets rest there, or one is
 * in the slot for injection: then it waits in the node's input queue, which uses no room. Only
 * machine_channel injects its first packet, when the slot is free and none rests. FAIL_SYSTEM: no
 * memory. */
enum failure_kind machine_queue(struct machine *machine, node_index node, uint32_t packet,
                                struct failure *failure);

/* Ends an injection. All ranks call it. FAIL_CHECK: a buffer overflowed. FAIL_SYSTEM: a rank has
 * failed. */
enum failure_kind machine_end_injection(struct machine *machine, struct failure *failure);

/* Return the packets that rest at `node`, one after another, oldest first; MACHINE_NONE after the
 * last. */
uint32_t machine_first_resting(const struct machine *machine, node_index node);
uint32_t machine_next_resting(const struct machine *machine, uint32_t packet);

/* A walk over all packets that rest at some nodes: node by node, oldest first. */
struct resting {
    const struct machine *machine;
    struct node_range nodes; /* the nodes still to come */
    struct site site;        /* of the packet */
    uint32_t packet;
};

/* Begins a walk over the packets at `nodes`. */
static inline struct resting resting_at(const struct machine *machine, struct node_range nodes)
{
    return (struct resting){.machine = machine, .nodes = nodes, .packet = MACHINE_NONE};
}

/* Begins a walk over the packets of this machine. */
static inline struct resting resting_of(const struct machine *machine)
{
    return resting_at(machine, machine_nodes(machine));
}

/* Goes to the next packet; false after the last. */
bool resting_next(struct resting *walk);

/* Return the number of packets that rest or wait in input queues, and of those under way. The host
 * may read them for its report; no algorithm may depend on them (doc/model.md, "When is a phase
 * over?"). */
uint64_t machine_resting(const struct machine *machine);
uint64_t machine_travelling(const struct machine *machine);

/* Sets aside the resting packets for which `keep_parked` returns true, until they are taken back.
 * They count in their nodes' buffers, but no instruction and none of the functions above finds
 * them, and a synchronisation does not see them. There are four levels, and the last one is taken
 * back first: its packets then rest after the others at their nodes, in the reverse of the order in
 * which they rested before. No step passes, and no plane may be open. FAIL_SYSTEM: no memory. */
enum failure_kind machine_park(struct machine *machine,
                               bool (*keep_parked)(void *context, uint32_t packet), void *context,
                               struct failure *failure);
void machine_unpark(struct machine *machine);

/* True if packets that machine_forward or machine_channel left under way wait at `node`; for calls
 * between instructions. The node itself sees that. */
bool machine_node_is_busy(const struct machine *machine, node_index node);

/* Does `steps` steps in which nothing moves; in an attempt no more than machine_steps_left(). */
void machine_idle(struct machine *machine, uint64_t steps);

/* Return the counters, the number of phases, and phase `index`, 0 .. machine_phases() - 1, in the
 * order in which they began. They belong to the machine and change with it. */
const struct machine_counts *machine_counts(const struct machine *machine);
uint32_t machine_phases(const struct machine *machine);
const struct machine_phase *machine_phase(const struct machine *machine, uint32_t index);

enum { DELIVERY_PERCENTS = 101 };

/* Returns [p], for p = 0 .. 100: the step at whose end p percent of config.deliveries, and at least
 * one, had been made; UINT64_MAX: not yet. All are UINT64_MAX if config.deliveries is 0. The array
 * is the machine's, and changes with it. */
const uint64_t *machine_delivery_curve(const struct machine *machine);

/* Flushes the trace at the end of a run; its file stays open. FAIL_SYSTEM: the trace could not be
 * written completely, or an observer did not get all events. */
enum failure_kind machine_finish_trace(struct machine *machine, struct failure *failure);

#endif
