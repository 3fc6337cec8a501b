/* channel_slots_private.h - packets on conveyors: first packets of channels that go straight on, and
 * express packets. */
#ifndef MESHCAST_MACHINE_CHANNEL_CHANNEL_SLOTS_PRIVATE_H
#define MESHCAST_MACHINE_CHANNEL_CHANNEL_SLOTS_PRIVATE_H

#include "machine/channel/channel_private.h"

/* ---- slots that move, of both kinds (channel_conveyor.c) ---- */

/* Before the rows of a step that begins at `clock`; `peak`: some node has held that much at the end of
 * a step before. */
void channel_begin_step(struct channel_worker *worker, const struct conveyor_clock *clock,
                        uint32_t peak);

/* Before the blocks of a row depart: finds `leaving` of all slots. */
void channel_begin_row(struct channel_worker *worker, uint32_t row);

/* Before packets arrive at the blocks of a row: finds `coming`, and moves what is there. */
void channel_advance_row(struct channel_worker *worker, uint32_t row);

/* span_measure, of all packets of a block; `has_changed`: other than slots. */
void channel_measure(struct channel_worker *worker, struct span span, bool has_changed);

/* When a call begins slots are taken off the occupancy of a block, and put on it when it ends; of
 * `leaving`. */
void channel_load(struct channel_worker *worker, struct span span);
void channel_unload(struct channel_worker *worker, struct span span);

/* In departures: a packet of a channel or another source leaves over link `d`. */
void bypass_enter(struct channel_worker *worker, struct site site, enum direction d, uint64_t word);

/* Observed, when a block's row has departed: tells what crosses its links. */
void channel_tell(void *worker, struct span span);

/* How many packets stand in slots of both kinds at the node. */
uint32_t channel_count_slots(const struct channels *channels, struct site site);

/* ---- packets that go straight on (channel_bypass.c) ---- */

/* Packets in the slots of link `d` at `nodes` do not leave: they go back into their channels. */
void bypass_stay(struct channel_worker *worker, struct site first, enum direction d,
                 uint64_t nodes);

/* Soon packets of a block are to stay. */
void bypass_fetch(const struct channel_worker *worker, struct site first, enum direction d,
                  uint64_t nodes);

/* What came over the links of a block: what is at a stop, or finds others in its channel, leaves
 * its slot. */
void bypass_arrive(struct channel_worker *worker, struct span span);

/* It is soon to arrive at the block that begins at `first`. */
void bypass_fetch_coming(const struct channel_worker *worker, struct site first);

/* ---- express packets (channel_express.c) ---- */

/* Sets an express packet on its way; false if it wants to rest. */
bool express_set_out(struct channel_worker *worker, struct site site, uint32_t packet);

/* In the arrivals of a step: those of a block that stop, and rest, or meet others. Tells whether there
 * were any. */
bool express_arrive(struct channel_worker *worker, struct span span);

#endif
