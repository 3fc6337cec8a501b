/* network_observe_private.h - what the steps of a cycle tell an observer. */
#ifndef MESHCAST_NETWORK_NETWORK_OBSERVE_PRIVATE_H
#define MESHCAST_NETWORK_NETWORK_OBSERVE_PRIVATE_H

#include "network/network_private.h"

struct observation *observation_make(const struct network_observer *observer,
                                     struct network *network);
void observation_free(struct observation *observation);
void observe_event(struct band *band, struct network_event event);
/* A flit of the worm that a stop belongs to leaves `node` over a channel. */
void observe_channel(struct band *band, uint32_t node, const struct message *message, uint32_t stop,
                     uint32_t channel, bool is_header);
void observe_consumption(struct band *band, const struct part *part, uint32_t channel,
                         bool is_header);

/* Tells the events of the cycles before `cycle`, of which the last one has just passed; `is_over`: and all others. */
void observe_cycle(struct observation *observation, uint64_t cycle, bool is_over);

#endif
