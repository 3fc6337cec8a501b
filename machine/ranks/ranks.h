/* ranks.h - the one seam to other processes.
 *
 * A run may be split among ranks, which share no memory: processes of MPI (ranks_mpi.c), or in
 * tests threads of one process (test/ranks/ranks_threads.c). Without ranks it has NULL, which costs
 * nothing. All ranks run the same program and call these functions in the same order. A rank's
 * threads (parallel.h) are its own; only the thread that began the rank calls these functions.
 *
 * Each rank has a band of a mesh's rows, ranks_rows(); bands differ by one row at most. The
 * neighbours of a rank are the ranks of the bands above and below.
 *
 * A rank that fails by itself (no memory, a full disk, a broken rule) calls ranks_fail(): the other
 * ranks then end within seconds. With MPI the process does not return from it; with threads the
 * functions of the other ranks return FAIL_SYSTEM from then on. Once a function has failed, every
 * later one fails with FAIL_SYSTEM and its text at once, so a failure that a caller ignored is not
 * lost.
 */
#ifndef MESHCAST_MACHINE_RANKS_RANKS_H
#define MESHCAST_MACHINE_RANKS_RANKS_H

#include "base/byte_source.h"
#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ranks;

/* Return the number of ranks, 1 .., and the number of this one, 0 .. size - 1. */
uint32_t ranks_size(const struct ranks *ranks);
uint32_t ranks_rank(const struct ranks *ranks);
/* Returns the number of ranks on this one's machine, itself included. */
uint32_t ranks_here(const struct ranks *ranks);
/* Returns the number of its machine's cores that this rank may use if ranks are to share none, but
 * at least 1; 0: all on which the process may run, or it is not known. */
uint32_t ranks_cores(const struct ranks *ranks);

/* Rows, or other items, first .. end - 1. */
struct row_range {
    uint32_t first, end;
};
/* Returns this rank's share of `count` rows, or other items. */
struct row_range ranks_rows(const struct ranks *ranks, uint32_t count);
/* Fails with FAIL_USAGE if there are more ranks than `count` items, such as "rows", of which each
 * must have one. */
enum failure_kind ranks_check_count(const struct ranks *ranks, uint32_t count, const char *items,
                                    struct failure *failure);
/* Returns the rank that has item `item` of `count`. */
uint32_t ranks_owner(const struct ranks *ranks, uint32_t count, uint32_t item);

enum rank_side { RANK_BEFORE, RANK_BEHIND, RANK_SIDES };

/* True if there is another rank on that side. */
bool ranks_has(const struct ranks *ranks, enum rank_side side);

/* ---- all ranks together: all call the function, with the same count ---- */

/* Replaces each of count numbers by its sum over all ranks, modulo 2^64. */
enum failure_kind ranks_sum(struct ranks *ranks, uint64_t *number, size_t count,
                            struct failure *failure);

/* Does the same for numbers of 32 bits, whose sums must be below 2^32; so differences that have
 * wrapped around cannot be added up in this way. FAIL_SYSTEM: also no memory. */
enum failure_kind ranks_sum_counts(struct ranks *ranks, uint32_t *count, size_t counts,
                                   struct failure *failure);

/* Replace each of count numbers by the largest, or the least, of all ranks. */
enum failure_kind ranks_most(struct ranks *ranks, uint64_t *number, size_t count,
                             struct failure *failure);
enum failure_kind ranks_least(struct ranks *ranks, uint64_t *number, size_t count,
                              struct failure *failure);

/* Sets *flag if it is set in any rank. */
enum failure_kind ranks_any(struct ranks *ranks, bool *flag, struct failure *failure);

/* Collects the bytes of each rank at rank 0: there *all gets them one after the other in the order
 * of ranks, and count[size] their numbers; the caller frees *all. Elsewhere *all becomes NULL. */
enum failure_kind ranks_collect(struct ranks *ranks, const void *from, size_t bytes, void **all,
                                size_t *count, struct failure *failure);

/* Sends count[r] bytes to each rank r; `from` has them one after the other, those for rank 0 first.
 * *all, which the caller frees, gets the received bytes in the order of ranks, and count[size]
 * their numbers. */
enum failure_kind ranks_swap(struct ranks *ranks, const void *from, size_t *count, void **all,
                             struct failure *failure);

/* A message to a neighbour, or from it. */
struct rank_message {
    const void *bytes;
    size_t count;
};
/* Sends out[side] to the neighbour on each side, and fills in[side] with the neighbour's message,
 * aligned for any type: it lives until the next call. Without a neighbour, neither is read. */
enum failure_kind ranks_exchange(struct ranks *ranks, const struct rank_message out[RANK_SIDES],
                                 struct rank_message in[RANK_SIDES], struct failure *failure);

/* The bytes that this rank sends to another one, and gets from it. */
struct rank_trade {
    const void *from;
    size_t out; /* bytes */
    void *to;
    size_t in; /* bytes: as many as that rank sends */
};
/* Sends to each rank r and receives from it the bytes of trade[r]: a ranks_swap() for ranks that
 * know how much they receive, without memory of its own. A rank's bytes to itself are copied. */
enum failure_kind ranks_trade(struct ranks *ranks, const struct rank_trade *trade,
                              struct failure *failure);

/* Returns how ranks read one file: rank 0 reads it. */
struct byte_sharing ranks_sharing(struct ranks *ranks);

/* Copies rank 0's bytes to all ranks. */
enum failure_kind ranks_broadcast(struct ranks *ranks, void *bytes, size_t count,
                                  struct failure *failure);

/* ---- life ---- */

/* Agrees on a result that each rank has found by itself, such as that of a check: gives all ranks
 * the failure of the first rank that has one, and returns its kind. A rank with FAIL_SYSTEM has
 * failed by itself: it does not ask the others, and its functions fail from now on, as after
 * ranks_break(). FAIL_SYSTEM: also if the ranks could not agree. */
enum failure_kind ranks_agree(struct ranks *ranks, enum failure_kind kind, struct failure *failure);

/* Notes that this rank has failed by itself and no longer keeps the common order of calls: all
 * functions but ranks_settle() and ranks_fail() fail from now on with this failure's text. */
void ranks_break(struct ranks *ranks, const struct failure *failure);

/* Ends all ranks with the status `kind`. With MPI it writes failure->text to standard error, unless
 * `failure` is NULL, and does not return. */
enum failure_kind ranks_fail(struct ranks *ranks, enum failure_kind kind, struct failure *failure);

/* Begins, in the first lines of main(), and ends the ranks of MPI. In a build without MPI, and if
 * MPI started one process, ranks_begin() returns NULL. */
struct ranks *ranks_begin(int *argc, char ***argv);
void ranks_finish(struct ranks *ranks);

/* For the end of main(): sends all ranks of MPI this one's result, and waits for theirs, if this
 * one has failed only for seconds. If all have arrived, *kind becomes that of the first rank that
 * failed, or FAIL_NONE. True if this rank is the one that reports its failure; then *has_come says
 * if all have arrived: if not, only this rank has failed, and ranks_fail() must follow. */
bool ranks_settle(struct ranks *ranks, enum failure_kind *kind, bool *has_come);

#endif
