/* engine_rule.h - the rules of packets in a trial (test/machine/engine_trial.h).
 *
 * A slot with a destination is to be delivered there. One without is to come to header.target: it
 * rests there, or is discarded (VANISHES). A packet goes as a tree, along rows or along columns
 * first.
 */
#ifndef MESHCAST_TEST_MACHINE_ENGINE_RULE_H
#define MESHCAST_TEST_MACHINE_ENGINE_RULE_H

#include "test/machine/engine_trial.h"

/* The options of a trial's call of machine_forward or machine_channel. */
struct routing_call {
    bool wakes, by_steps;
    uint64_t limit;
    uint32_t urgencies; /* levels; 0: none */
    uint32_t capacity;
    uint32_t channels, slots, switch_every; /* of machine_channel */
    /* express packets hand trees on; a stuck packet tries the other class */
    bool injects, switches;
    bool spreads;        /* express packets of several slots send copies, and become trees */
    bool straight_first; /* of machine_channel */
};

enum failure_kind call_forward(struct side *side, const void *how);
enum failure_kind call_channel(struct side *side, const void *how);

#endif
