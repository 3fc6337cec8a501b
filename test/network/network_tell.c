/* network_tell.c - what a network has counted, and a deadlock, as text. */
#include "test/network/network_tell.h"

#include <inttypes.h>

void tell_counts(FILE *out, struct network_counts counts)
{
    fprintf(out,
            "cycle %" PRIu64 " messages %" PRIu64 " done %" PRIu64 " deliveries %" PRIu64
            " startups %" PRIu64 " crossings %" PRIu64 " last %" PRIu64 " peaks %" PRIu32
            " %" PRIu64 "\n",
            counts.cycle, counts.messages, counts.done, counts.deliveries, counts.startups,
            counts.crossings, counts.last_delivery, counts.buffer_peak, counts.unsent_peak);
}

void tell_waits(FILE *out, const struct network_wait *wait, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out,
                "wait %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %d %" PRIu32 "\n",
                wait[i].message, wait[i].worm, wait[i].node, wait[i].waits_for, wait[i].source,
                (int)wait[i].need, wait[i].to);
}
