/* synchronise.h - the OR over the mesh with which a phase of unknown length ends. */
#ifndef MESHCAST_PRIMITIVES_SYNCHRONISE_H
#define MESHCAST_PRIMITIVES_SYNCHRONISE_H

#include "machine/channel.h"
#include "machine/cycle.h"

/* Informs every node if some node still holds a packet that machine_forward left under way: *busy.
 * Runs in a phase "sync": first `idle` steps in which nothing moves (the rest of the known length
 * of the phase before), then the OR to the mesh's centre and back out. It also informs them if a
 * node of an attempt has discarded for want of room: FAIL_VOID, as when the steps are spent.
 * Steps: idle + 2 floor(rows / 2) + 2 floor(cols / 2). FAIL_SYSTEM: no memory. */
enum failure_kind synchronise(struct machine *machine, uint64_t idle, bool *busy,
                              struct failure *failure);

/* Returns its steps without the idle ones. */
uint64_t synchronise_steps(struct mesh mesh);

/* The kinds of packets that a node may hold. */
enum { SYNCHRONISE_TRAVELLING = 1, SYNCHRONISE_RESTING = 2 };

/* Does the same for both kinds of packets: *held has a bit for packets under way at some node, and
 * a bit for packets that rest. */
enum failure_kind synchronise_held(struct machine *machine, uint64_t idle, unsigned *held,
                                   struct failure *failure);

/* Does the same at the end of an attempt: *is_void is true if some node still holds a packet, or
 * has discarded one for lack of room. */
enum failure_kind synchronise_void(struct machine *machine, uint64_t idle, bool *is_void,
                                   struct failure *failure);

/* Passes the step at whose end an attempt's packets are injected, in a phase "inject": nothing
 * moves in it, so no step holds packets of two attempts. */
void pause_for_injection(struct machine *machine);

/* Lengths of a phase's rounds, which every node computes from the run's parameters. */
struct rounds {
    uint64_t first, further; /* steps, at least 1 */
};

/* Forwards by `rule` in rounds of known lengths, a synchronisation after each, until no packet is
 * under way: a phase of unknown length as in doc/model.md. The rounds are phases `name`. */
enum failure_kind forward_in_rounds(struct machine *machine, const struct routing_rule *rule,
                                    const char *name, struct rounds rounds,
                                    struct failure *failure);

/* Forwards by `rule`, resting packets first, in a phase `name` (NULL: the one that was begun) of
 * exactly `steps` steps: a length that every node computes and that is proven to be enough, so no
 * synchronisation ends it. FAIL_CHECK: a packet is under way after it, or a buffer overflowed. */
enum failure_kind forward_for(struct machine *machine, const struct routing_rule *rule,
                              const char *name, uint64_t steps, struct failure *failure);

/* Forwards by `rule`, resting packets first, for exactly `steps` steps of the phase that was begun:
 * a time after which other packets start, by the clock only. Packets may still be under way then.
 * FAIL_CHECK: a buffer overflowed. */
enum failure_kind forward_wave(struct machine *machine, const struct routing_rule *rule,
                               uint64_t steps, struct failure *failure);

/* Does machine_march, two ways, and then nothing until so many steps of the phase that was begun
 * have passed: a proven number. */
enum failure_kind march_wave(struct machine *machine, const struct march *march, uint32_t hops,
                             uint64_t steps, struct failure *failure);

#endif
