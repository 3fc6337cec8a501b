/* experiment.h - what the experiments share: somebody who watches them. */
#ifndef MESHCAST_NETWORK_EXPERIMENT_H
#define MESHCAST_NETWORK_EXPERIMENT_H

#include <stdbool.h>
#include <stdint.h>

/* Told now and then that `done` messages of `all` are delivered and `cycle` cycles have ended; true: the
 * experiment ends here, with what it has. */
typedef bool network_watcher(void *context, uint64_t done, uint64_t all, uint64_t cycle);

#endif
