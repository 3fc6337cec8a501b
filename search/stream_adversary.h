/* stream_adversary.h - message sets made against router `stream` by one who knows its seed.
 *
 * The adversary knows to which node each message goes in Step 1, past which tiles its master walks
 * and when; no program that runs the router does.
 */
#ifndef MESHCAST_SEARCH_STREAM_ADVERSARY_H
#define MESHCAST_SEARCH_STREAM_ADVERSARY_H

#include "workloads/message_set.h"

struct adversary_options {
    struct mesh mesh;
    uint32_t congestion; /* at most so many messages a node */
    uint64_t seed;       /* of the run that is to suffer */
};

/* The number of families of sets, and the name of one. */
uint32_t adversary_count(void);
const char *adversary_name(uint32_t family);

/* Makes a set of that family, with the congestion or less. FAIL_SYSTEM: no memory. The caller frees
 * the set. */
enum failure_kind adversary_make(uint32_t family, const struct adversary_options *options,
                                 struct message_set *set, struct failure *failure);

#endif
