/* channel_conveyor_private.h - packets on conveyors: first packets of channels that go straight on, and
 * express packets. */
#ifndef MESHCAST_MACHINE_CHANNEL_CHANNEL_CONVEYOR_PRIVATE_H
#define MESHCAST_MACHINE_CHANNEL_CHANNEL_CONVEYOR_PRIVATE_H

#include "machine/channel/channel_private.h"

/* ---- both conveyors (channel_conveyor.c) ---- */

/* Begins a step at `clock`, before its rows; some node has held `peak` packets at the end of a step before. */
void channel_begin_step(struct channel_worker *worker, const struct conveyor_clock *clock,
                        uint32_t peak);

/* Finds the slots `leaving` of a row, before its blocks depart. */
void channel_begin_row(struct channel_worker *worker, uint32_t row);

/* Finds the slots `coming` of a row and moves them, before packets arrive at its blocks. */
void channel_advance_row(struct channel_worker *worker, uint32_t row);

/* Takes the block's fullest buffers into the tally's peak, if they may be a new one. `has_changed`: occupancies
 * without slots may have. */
void channel_measure(struct channel_worker *worker, struct span span, bool has_changed);

/* Subtract the packets in slots `leaving` from the occupancies of a block when a call begins, and add them again
 * when it ends. */
void channel_load(struct channel_worker *worker, struct span span);
void channel_unload(struct channel_worker *worker, struct span span);

/* Puts a packet that leaves a channel or another source over link `d` into the link's slot. */
void bypass_enter(struct channel_worker *worker, struct site site, enum direction d, uint64_t word);

/* Tells an observer what crosses the links of a block, when its row has departed. */
void channel_tell(void *worker, struct span span);

/* Returns how many packets are in slots of both conveyors at the node. */
uint32_t channel_count_slots(const struct channels *channels, struct site site);

/* ---- packets that go straight on (channel_bypass.c) ---- */

/* Moves the packets in the slots of link `d` at `nodes`, which do not leave, back into their channels. */
void bypass_stay(struct channel_worker *worker, struct site first, enum direction d,
                 uint64_t nodes);

/* Fetches the slots of packets that will stay. */
void bypass_fetch(const struct channel_worker *worker, struct site first, enum direction d,
                  uint64_t nodes);

/* Takes packets that have come over the links of a block out of their slots, if they are at their stop or find others
 * in their channel. */
void bypass_arrive(struct channel_worker *worker, struct span span);

/* Fetches what arrivals at the block that begins at `first` will need. */
void bypass_fetch_coming(const struct channel_worker *worker, struct site first);

/* ---- express packets (channel_express.c) ---- */

/* Sets an express packet on its way, copies first. Returns false if it stays: it is none, wants to rest, or, with unit
 * copies, a copy of it was made, which is noted in *has_copied. */
bool express_set_out(struct channel_worker *worker, struct site site, uint32_t packet,
                     bool *has_copied);

/* Brings the express packets of a block that have arrived at their stops to rest, and those that meet others into
 * queues. Returns whether there were any. */
bool express_arrive(struct channel_worker *worker, struct span span);

#endif
