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
#include "network/network_lists_private.h"

/* A message of a node that is here, made ahead. */
struct kept {
    struct multicast multicast; /* but for where its destinations are */
    uint32_t first;             /* of its destinations */
};

/* When a message comes, and of which rank. */
struct coming {
    uint64_t cycle;
    uint64_t rank;
};

/* Private, but for the functions below. */
struct arrivals_joint {
    struct arrivals *own;
    struct ranks *ranks;
    uint32_t senders;
    /* On ranks: */
    uint64_t horizon, span; /* messages before this cycle are made; cycles by which it is moved */
    struct coming *coming;
    size_t comings, next;
    struct kept *kept;
    uint32_t keeps, taken, room;
    struct index_list destination;
};

/* As arrivals_make(). All ranks make them, and free them. */
enum failure_kind arrivals_joint_make(struct arrivals_joint **made, const struct open_loop *loop,
                                      uint32_t run, struct failure *failure);
void arrivals_joint_free(struct arrivals_joint *arrivals);

/* How many nodes send anything, of all ranks. */
static inline uint32_t arrivals_joint_senders(const struct arrivals_joint *arrivals)
{
    return arrivals->senders;
}

/* The cycle of the message that comes now; UINT64_MAX: no node sends. */
static inline uint64_t arrivals_joint_cycle(const struct arrivals_joint *arrivals)
{
    if (arrivals->ranks == NULL || arrivals->senders == 0)
        return arrivals_cycle(arrivals->own);
    return arrivals->coming[arrivals->next].cycle;
}

/* Whether that message is of a node that is here. */
static inline bool arrivals_joint_is_here(const struct arrivals_joint *arrivals)
{
    return arrivals->ranks == NULL ||
           arrivals->coming[arrivals->next].rank == ranks_rank(arrivals->ranks);
}

/* Of those below, what is left to do on ranks. */
struct multicast arrivals_joint_take_kept(struct arrivals_joint *arrivals);
enum failure_kind arrivals_joint_find_next(struct arrivals_joint *arrivals,
                                           struct failure *failure);

/* Takes that message, once, if it is here; its destinations are valid until arrivals_joint_next(). */
static inline struct multicast arrivals_joint_take(struct arrivals_joint *arrivals)
{
    return arrivals->ranks == NULL ? arrivals_take(arrivals->own)
                                   : arrivals_joint_take_kept(arrivals);
}

/* Goes on to the next message. FAIL_SYSTEM: no memory, or the ranks cannot go on; only on ranks. */
static inline enum failure_kind arrivals_joint_next(struct arrivals_joint *arrivals,
                                                    struct failure *failure)
{
    if (arrivals->ranks == NULL)
        return FAIL_NONE;
    arrivals->next++;
    return arrivals_joint_find_next(arrivals, failure);
}

#endif
