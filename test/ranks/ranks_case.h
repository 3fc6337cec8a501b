/* ranks_case.h - the checks of a rank.
 */
#ifndef MESHCAST_TEST_RANKS_RANKS_CASE_H
#define MESHCAST_TEST_RANKS_RANKS_CASE_H

#include "base/failure.h"
#include "machine/ranks/ranks.h"

/* A serial build has no threads. */
#ifdef MESHCAST_SERIAL
enum { MOST_RANKS = 1 };
#else
enum { MOST_RANKS = 5 };
#endif

typedef enum failure_kind rank_body(void *context, struct ranks *ranks, struct failure *failure);

/* Checks of the seam in ranks_case.c, for any ranks, at most 5. */
enum { RANKS_CHECKS = 6, RANKS_MOST = 5 };
extern rank_body *const ranks_check[RANKS_CHECKS];

/* An assertion for a rank's thread: ck_assert would leave the other threads behind, so a fault
 * becomes a failure. */
#define HOLDS(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return fail(failure, FAIL_CHECK, "rank %u, line %d: %s", ranks_rank(ranks), __LINE__,  \
                        #condition);                                                               \
    } while (0)

#define MUST(call) HOLDS((call) == FAIL_NONE)

#endif
