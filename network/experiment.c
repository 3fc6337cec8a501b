/* experiment.c - what bursts and open loops keep of a deadlock, whether they end, and how their ranks agree. */
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

bool experiment_ends(network_watcher *watcher, void *context, struct ranks *ranks, uint64_t done,
                     uint64_t all, uint64_t cycle, struct failure *failure)
{
    if (watcher == NULL)
        return false;
    bool ends = watcher(context, done, all, cycle);
    return ranks_any(ranks, &ends, failure) == FAIL_NONE && ends;
}

enum failure_kind experiment_agree(struct ranks *ranks, uint64_t number, struct failure *failure)
{
    uint64_t own = failure->kind == FAIL_NONE ? UINT64_MAX : number, first = own;
    if (failure->kind != FAIL_SYSTEM && ranks_least(ranks, &first, 1, failure) == FAIL_NONE &&
        first < own)
        *failure = (struct failure){0}; /* a message before it was refused at another rank */
    return ranks_agree(ranks, failure->kind, failure);
}
