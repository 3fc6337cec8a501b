/* channel_step_private.h - a step of packets in channels and other sources: links and credits, copies,
 * packets that rest. */
#ifndef MESHCAST_MACHINE_CHANNEL_CHANNEL_STEP_PRIVATE_H
#define MESHCAST_MACHINE_CHANNEL_CHANNEL_STEP_PRIVATE_H

#include "machine/channel/channel_private.h"

/* ---- sources and channels (channel_source.c) ---- */

/* Puts a word into a source that is free, or whose packet now wants something else. */
void source_set(struct channel_worker *worker, struct site site, unsigned source, uint64_t word);

/* Returns the word of a packet at its stop, or 0 if the packet ended here. With free copies it delivers at once. */
uint64_t channel_settle(struct channel_worker *worker, enum event_group group, struct site site,
                        uint32_t packet);

/* Puts a word at the end of a channel, which has room. */
void channel_push(struct channel_worker *worker, struct site site, unsigned channel, uint64_t word);

/* Fetches the packets behind the first ones of a channel at `nodes`. */
void channel_fetch_behind(const struct channel_worker *worker, struct site first, unsigned channel,
                          uint64_t nodes);

/* Sends the first packet of `source` over link `d`, or a copy that carries the part for that link. */
void channel_send(struct channel_worker *worker, struct site site, unsigned source,
                  enum direction d);

/* With unit copies: makes the node's one copy of this step, for one of the sources `copying`, whose first packets
 * wanted one before anything moved. Returns which source, SOURCES if none. */
unsigned channel_copy_for_one(struct channel_worker *worker, struct site site, unsigned copying);

/* Switches the class of the packet of `source`, of which nothing has left in this step. A packet of a channel
 * switches only if it wants one output before and after, because it must need no register. */
void channel_switch(struct channel_worker *worker, struct site site, unsigned source);

/* ---- links (channel_arbiter.c) ---- */

/* Finds which packets get the links that express packets have left free, which are copied, and which
 * switch their class. `copied_now`: nodes whose injected packet was copied in this step: it cannot act, nor can
 * another be copied. Returns whether any source held a packet. */
bool arbiter_find(struct channel_worker *worker, struct span span, uint64_t copied_now,
                  struct departures *found);

/* Prepares the departures: takes packets that do not leave out of their slots, and fetches headers. */
void arbiter_fetch(struct channel_worker *worker, struct departures *found);

/* Does the departures. */
void arbiter_send(struct channel_worker *worker, struct departures *found);

/* ---- credits (channel_credit.c) ---- */

/* Notes at the end of a step which channels are full. */
void channels_note_full(struct channel_worker *worker, struct span span);

/* ---- other ranks (channel_border.c) ---- */

/* Exchange what the two halves of a step at the borders of a rank need from behind them: which channels are full, for
 * one thread, while the others wait; and the packets that come, for all threads, which meet in it. */
void border_before_departures(struct channel_worker *worker);
void border_before_arrivals(struct channel_worker *worker, const struct team *team);

/* ---- packets at rest (channel_injection.c) ---- */

/* Lets the resting packets of a block act at the start of a step: one may enter the slot for
 * injection, or hand a copy to it; on waking express packets set out. Returns, with unit copies,
 * the nodes that have made their copy of this step. */
uint64_t injection_depart(struct channel_worker *worker, struct span span);

/* Notes where packets rest when a run begins. */
void injection_note(void *worker, struct span span);

#endif
