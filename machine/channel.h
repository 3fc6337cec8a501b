/* channel.h - an instruction of the machine: packets go through bounded channels, held by
 * credits. */
#ifndef MESHCAST_MACHINE_CHANNEL_H
#define MESHCAST_MACHINE_CHANNEL_H

#include "machine/rule.h"

/* The class of packets that use no channel: on every link they have priority over all others, the
 * one with the farthest stop first, and they never wait for a credit. At their stop they rest.
 * Where a rule has `inject` they set out when they are woken, and have one output, a link or
 * OUT_HOLD. Otherwise they set out as soon as they rest (has_express): their output is a link, or a
 * link and OUT_AGAIN. Then a copy sets out, with unit copies in the next step, after which the
 * node's other packets go on. A packet without a link, or whose class `outputs` has changed, enters
 * the slot for injection in its turn. */
enum { CHANNEL_EXPRESS = 2 };

/* Channels per node. CHANNELS_OF_BOTH: one for each class and direction of travel. CHANNELS_SHARED:
 * the same, but the classes share the two channels along rows; class 0 goes along columns first,
 * class 1 along rows first. */
enum { CHANNELS_SHARED = 6, CHANNELS_OF_BOTH = 8 };

/* A rule for bounded channels. Packets are of class 0 or 1, or CHANNEL_EXPRESS (class_of). A link
 * leads into one channel per class 0 and 1, its virtual channels. Within such a class the links
 * that a packet uses one after another must never close a cycle: all packets of a class go along
 * rows first, or all along columns first. The classes have priority on links in turn, for 32 steps
 * each. */
struct channel_rule {
    /* outputs (links and OUT_EJECT, or only OUT_DISCARD), take, stop */
    struct routing_rule routing;
    unsigned (*class_of)(void *context, uint32_t packet);
    uint32_t channels; /* per node: one of the two constants above */
    uint32_t slots;    /* per channel, 1 .. 127, the same in all calls for a machine */
    /* Returns the packet that a node puts into its empty slot for injection: the resting `packet`
     * itself, or a copy, of class 0 or 1, that `inject` has split off, or MACHINE_NONE. It is
     * called in every step while that slot is empty and packets rest; nodes whose packets have all
     * answered MACHINE_NONE in a step are not asked again in this call until another packet comes
     * to rest. With this function all packets that rest when a call wakes them are express ones.
     * NULL: the packet itself always enters the slot. */
    uint32_t (*inject)(void *context, struct site site, uint32_t packet);
    bool has_express; /* without `inject`: some packets that rest are express ones */
    /* Gives a stuck packet the other class, and the routes of that class from `site`; a second call
     * undoes the first. Class 0 must then go along columns first, class 1 along rows first. Called
     * when no part of the packet could leave in a step, at nodes where the switch closes no cycle
     * of waiting packets (channel.c); with CHANNELS_SHARED only for the injected packet. NULL:
     * packets keep their classes. */
    void (*switch_class)(void *context, struct site site, uint32_t packet);
    /* Steps from one in which switch_class is called to the next; 0 counts as 1. `replicate` needs
     * 844 steps with 31 and 931 with 1 (256 x 256 nodes, d = c = 16, uniform). */
    uint32_t switch_every;
    /* With unit copies and CHANNELS_OF_BOTH: a packet with several parts that turn or are delivered
     * here leaves them here as one packet, and goes straight on in the next step (channel.c).
     * Otherwise all are copied first. */
    bool straight_first;
};

/* Returns the most packets of a node under machine_channel, without resting and express ones: its
 * channels' slots, one slot for injection, and with unit copies three registers that hold a copy
 * until it leaves. */
uint32_t machine_channel_capacity(uint32_t channels, uint32_t slots, bool copy_is_free);

/* Forwards packets through bounded channels with credits until all are delivered or `limit` steps
 * are done. A packet keeps its slot until all its parts have left; packets under way at the limit
 * stay in their slots for the next call. Resting packets are injected when their node's slot for
 * injection is empty, one after another; with `wake` resting express packets set out in the first
 * step. With unit copies a packet of which a copy was injected stays at rest in that step.
 * FAIL_CHECK: a capacity below machine_channel_capacity overflowed, config.most_steps are spent, or
 * without a limit packets wait for one another in a cycle, as they may if a rule breaks the
 * condition above. FAIL_VOID: the steps of an attempt are spent. FAIL_SYSTEM: no memory. */
enum failure_kind machine_channel(struct machine *machine, const struct channel_rule *rule,
                                  bool wake, uint64_t limit, struct failure *failure);

#endif
