/* network_watch_private.h - what the steps of a cycle tell an observer. */
#ifndef MESHCAST_NETWORK_NETWORK_WATCH_PRIVATE_H
#define MESHCAST_NETWORK_NETWORK_WATCH_PRIVATE_H

#include "network/network_private.h"

struct watch *watch_make(const struct network_observer *observer, const struct network *network);
void watch_free(struct watch *watch);
void watch_event(struct band *band, struct network_event event);
/* A flit of the worm that a stop belongs to leaves `node` over a lane. */
void watch_lane(struct band *band, uint32_t node, const struct message *message, uint32_t stop,
                uint32_t lane, bool is_header);
void watch_consumption(struct band *band, const struct part *part, uint32_t channel,
                       bool is_header);

/* Tells the events of the cycles before `cycle`, of which the last one has just passed; `is_over`: and all others. */
void watch_cycle(struct watch *watch, uint64_t cycle, bool is_over);

#endif
