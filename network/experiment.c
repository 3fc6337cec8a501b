/* experiment.c - what bursts and open loops keep of a deadlock. */
#include "network/experiment.h"

#include <string.h>

enum failure_kind experiment_keep_deadlock(const struct network *network,
                                           struct network_wait **wait, size_t *waits,
                                           struct failure *failure)
{
    size_t count;
    const struct network_wait *found = network_deadlock(network, &count);
    if (count == 0)
        return FAIL_NONE;
    *wait = memory_allocate(count, sizeof **wait);
    if (*wait == NULL)
        return fail_memory(failure, "the worms of a deadlock");
    memcpy(*wait, found, count * sizeof **wait);
    *waits = count;
    return FAIL_NONE;
}
