/* arrivals_joint.h - the messages of an open loop in the order in which they are created, whoever makes them.
 *
 * On ranks (loop->settings.ranks) each makes the messages of its own nodes, and all know when each rank's come. All
 * ranks go through all messages:
 *
 *     while (more are wanted) {
 *         if (arrivals_joint_is_here(arrivals)) .. arrivals_joint_take(arrivals, ..) ..
 *         arrivals_joint_next(arrivals, failure);
 *     }
 */
#ifndef MESHCAST_NETWORK_ARRIVALS_JOINT_H
#define MESHCAST_NETWORK_ARRIVALS_JOINT_H

#include "network/arrivals.h"

struct arrivals_joint;

/* As arrivals_make(). All ranks make them, and free them. */
enum failure_kind arrivals_joint_make(struct arrivals_joint **made, const struct open_loop *loop,
                                      uint32_t run, struct failure *failure);
void arrivals_joint_free(struct arrivals_joint *arrivals);

/* How many nodes send anything, of all ranks. */
uint32_t arrivals_joint_senders(const struct arrivals_joint *arrivals);

/* The cycle of the message that comes now; UINT64_MAX: no node sends. */
uint64_t arrivals_joint_cycle(const struct arrivals_joint *arrivals);

/* Whether that message is of a node that is here. */
bool arrivals_joint_is_here(const struct arrivals_joint *arrivals);

/* Takes that message, once, if it is here; its destinations are valid until arrivals_joint_next(). */
struct multicast arrivals_joint_take(struct arrivals_joint *arrivals, bool *is_own_destination);

/* Goes on to the next message. FAIL_SYSTEM: no memory, or the ranks cannot go on; only on ranks. */
enum failure_kind arrivals_joint_next(struct arrivals_joint *arrivals, struct failure *failure);

#endif
