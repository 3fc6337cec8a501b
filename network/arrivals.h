/* arrivals.h - the messages of an open loop, in the order in which they are created. */
#ifndef MESHCAST_NETWORK_ARRIVALS_H
#define MESHCAST_NETWORK_ARRIVALS_H

#include "network/open_loop.h"

struct arrivals;

/* The messages of run `run` of a loop, which must outlive them. FAIL_SYSTEM: no memory. */
enum failure_kind arrivals_make(struct arrivals **arrivals, const struct open_loop *loop,
                                uint32_t run, struct failure *failure);
void arrivals_free(struct arrivals *arrivals);

/* How many nodes send anything. */
uint32_t arrivals_senders(const struct arrivals *arrivals);

/* The cycle of the next message; UINT64_MAX: no node sends. */
uint64_t arrivals_cycle(const struct arrivals *arrivals);

/* Takes the next message; its destinations are valid until the next call. At least one node must send
 * (arrivals_senders()). Messages of one cycle come in the order of their sources. */
struct multicast arrivals_take(struct arrivals *arrivals);

#endif
