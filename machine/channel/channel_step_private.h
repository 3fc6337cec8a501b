/* channel_step_private.h - a step of packets in channels and other sources: links and credits, copies,
 * packets that rest. */
#ifndef MESHCAST_MACHINE_CHANNEL_CHANNEL_STEP_PRIVATE_H
#define MESHCAST_MACHINE_CHANNEL_CHANNEL_STEP_PRIVATE_H

#include "machine/channel/channel_private.h"

/* ---- packets in slots (channel_source.c) ---- */

/* Puts a word into a source that is free, or after what it waits for has changed. */
void source_set(struct channel_worker *worker, struct site site, unsigned source, uint64_t word);

/* The packet at a stop: its word, or 0 if it ended here. With free copies it delivers at once. */
uint64_t channel_settle(struct channel_worker *worker, enum event_group group, struct site site,
                        uint32_t packet);

/* Puts a word at the end of a channel, which has room. */
void channel_push(struct channel_worker *worker, struct site site, unsigned channel, uint64_t word);

/* Fills `word` with what stands behind the first packet of a channel, in order. */
void channel_see_behind(const struct channels *channels, struct site site, unsigned channel,
                        uint64_t *word);

/* Soon the first packets of a channel at `nodes` are gone. */
void channel_fetch_behind(const struct channel_worker *worker, struct site first, unsigned channel,
                          uint64_t nodes);

/* One packet leaves `source` over link `d`: the packet, or a copy that carries the part. */
void channel_send(struct channel_worker *worker, struct site site, unsigned source,
                  enum direction d);

/* Unit copies: the node's one copy of this step, for one of the sources `copying`, which stood
 * first and wanted one before anything moved. Returns which, SOURCES if none. */
unsigned channel_copy_for_one(struct channel_worker *worker, struct site site, unsigned copying);

/* Switches the class of the packet of `source`, of which nothing has left in this step. A packet of a channel
 * switches only if it wants one output before and after, because it must need no register. */
void channel_switch(struct channel_worker *worker, struct site site, unsigned source);

/* ---- links (channel_arbiter.c) ---- */

/* Finds what trees send over the links that express packets have left free, what they copy, and which
 * packets switch their class. `copied_now`: nodes whose injected packet was copied in this step: it cannot act, nor can
 * another be copied. Tells whether any source held a packet. */
bool arbiter_find(struct channel_worker *worker, struct span span, uint64_t copied_now,
                  struct departures *found);

/* Prepares the departures: takes packets that do not leave out of their slots, and fetches headers. */
void arbiter_fetch(struct channel_worker *worker, struct departures *found);

/* Does the departures. */
void arbiter_send(struct channel_worker *worker, struct departures *found);

/* ---- credits (channel_credit.c) ---- */

/* At the end of a step: notes which channels are full. */
void channels_note_full(struct channel_worker *worker, struct span span);

/* ---- packets at rest (channel_injection.c) ---- */

/* Lets the resting packets of a block act at the start of a step: one may enter the slot for
 * injection, or hand a copy to it; on waking express packets set out. Returns, with unit copies,
 * the nodes that have made their copy of this step. */
uint64_t injection_depart(struct channel_worker *worker, struct span span);

/* Notes where packets rest when a run begins. */
void injection_note(void *worker, struct span span);

#endif
