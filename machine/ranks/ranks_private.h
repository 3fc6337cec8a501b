/* ranks_private.h - the interface of a way to connect ranks, for ranks.c and the files of the
 * ways. */
#ifndef MESHCAST_MACHINE_RANKS_RANKS_PRIVATE_H
#define MESHCAST_MACHINE_RANKS_RANKS_PRIVATE_H

#include "machine/ranks/ranks.h"

/* A function of ranks.h each, for size > 1 and without that function's checks; the given failure is
 * empty. `sum` adds up or, if `finds_most`, finds the largest numbers. */
struct ranks_way {
    enum failure_kind (*exchange)(struct ranks *, const struct rank_message *,
                                  struct rank_message *, struct failure *);
    enum failure_kind (*sum)(struct ranks *, uint64_t *, size_t, bool finds_most, struct failure *);
    enum failure_kind (*swap)(struct ranks *, const void *, size_t *, void **, struct failure *);
    enum failure_kind (*trade)(struct ranks *, const struct rank_trade *, struct failure *);
    enum failure_kind (*broadcast)(struct ranks *, void *, size_t, struct failure *);
    enum failure_kind (*fail)(struct ranks *, enum failure_kind, struct failure *);
};

/* The first member of each way's own struct. */
struct ranks {
    const struct ranks_way *way;
    uint32_t size, rank;
    uint32_t here;          /* on this machine */
    uint32_t cores;         /* of ranks_cores() */
    struct failure failure; /* of the first function that failed: from then on all of them fail */
};

#endif
