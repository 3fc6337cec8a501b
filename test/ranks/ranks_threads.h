/* ranks_threads.h - ranks that are threads of one process: the functions of MPI without MPI. */
#ifndef MESHCAST_TEST_RANKS_RANKS_THREADS_H
#define MESHCAST_TEST_RANKS_RANKS_THREADS_H

#include "base/failure.h"
#include "machine/ranks/ranks.h"

/* Calls body(context, ranks) on `size` threads, which are the ranks, rank 0 on the calling one, and
 * waits for all; with size 1, ranks is NULL. A body that returns a failure counts as one that
 * called ranks_fail(). Returns the failure of the rank that failed first, or FAIL_NONE.
 * FAIL_SYSTEM: no threads (always in a serial build with size > 1) or no memory; or all ranks
 * waited in vain. */
enum failure_kind ranks_run_threads(uint32_t size,
                                    enum failure_kind (*body)(void *context, struct ranks *ranks,
                                                              struct failure *failure),
                                    void *context, struct failure *failure);

#endif
