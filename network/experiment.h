/* experiment.h - what bursts and open loops share: who watches them, what they keep of a deadlock, and how ranks agree. */
#ifndef MESHCAST_NETWORK_EXPERIMENT_H
#define MESHCAST_NETWORK_EXPERIMENT_H

#include "network/network.h"

#include <stdbool.h>
#include <stdint.h>

/* Told now and then that `done` messages of `all` are delivered and `cycle` cycles have ended; true: the
 * experiment ends here, with what it has. */
typedef bool network_watcher(void *context, uint64_t done, uint64_t all, uint64_t cycle);

/* Copies network_deadlock(), which dies with the network: sets *wait, which the caller frees, and *waits; leaves both
 * as they are where there is no deadlock. FAIL_SYSTEM: no memory. */
enum failure_kind experiment_keep_deadlock(const struct network *network,
                                           struct network_wait **wait, size_t *waits,
                                           struct failure *failure);

/* Asks the watcher, which may be NULL. Of several ranks all have one or none has, and all end if one's says so. */
bool experiment_ends(network_watcher *watcher, void *context, struct ranks *ranks, uint64_t done,
                     uint64_t all, uint64_t cycle, struct failure *failure);

/* For what each rank has found out about messages of its own: gives all ranks the failure that a run alone meets first, that
 * of the message with the least number, and returns its kind. A rank that has failed has done so with message `number`.
 * FAIL_SYSTEM: as of ranks_agree(). */
enum failure_kind experiment_agree(struct ranks *ranks, uint64_t number, struct failure *failure);

#endif
