/* experiment.h - what bursts and open loops share: who watches them, and what they keep of a deadlock. */
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

#endif
