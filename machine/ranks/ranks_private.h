/* ranks_private.h - what the ways to connect ranks give, for ranks.c and the files of the ways.
 *
 * ranks.c does what is common: it answers for a run alone, and keeps what was put until it is posted.
 */
#ifndef MESHCAST_MACHINE_RANKS_RANKS_PRIVATE_H
#define MESHCAST_MACHINE_RANKS_RANKS_PRIVATE_H

#include "machine/ranks/ranks.h"

/* Each message begins with as much room for the way's own use; what follows is aligned for any type. */
enum { RANKS_HEAD = 16 };

/* A message: bytes[RANKS_HEAD .. used - 1] were put. */
struct ranks_message {
    unsigned char *bytes;
    size_t used, room;
};

/* A function of ranks.h each, for size > 1 and without that function's checks; what it is given for a failure has none
 * yet. post() may take the message's bytes away, which then become NULL. */
struct ranks_way {
    enum failure_kind (*post)(struct ranks *, enum rank_side, struct failure *);
    enum failure_kind (*wait)(struct ranks *, enum rank_side, const void **, size_t *,
                              struct failure *);
    enum failure_kind (*sum)(struct ranks *, uint64_t *, size_t, struct failure *);
    enum failure_kind (*most)(struct ranks *, uint64_t *, size_t, struct failure *);
    enum failure_kind (*collect)(struct ranks *, const void *, size_t, void **, size_t *,
                                 struct failure *);
    enum failure_kind (*swap)(struct ranks *, const void *, size_t *, void **, struct failure *);
    enum failure_kind (*trade)(struct ranks *, const struct rank_trade *, struct failure *);
    enum failure_kind (*broadcast)(struct ranks *, void *, size_t, struct failure *);
    enum failure_kind (*fail)(struct ranks *, enum failure_kind, struct failure *);
};

/* The first member of each way's own struct. */
struct ranks {
    const struct ranks_way *way;
    uint32_t size, rank;
    uint32_t here;  /* on this machine */
    uint32_t cores; /* of ranks_cores() */
    struct ranks_message out[RANK_SIDES];
    bool is_posted[RANK_SIDES];
    struct failure failure; /* of the first function that failed: from then on all of them do */
};

/* The side of the neighbour on which this rank is, and the neighbour's rank. */
enum rank_side ranks_opposite(enum rank_side side);
uint32_t ranks_neighbour(const struct ranks *ranks, enum rank_side side);

/* Frees what ranks.c has allocated in it. */
void ranks_release(struct ranks *ranks);

#endif
