/* ranks.h - the one seam to other processes.
 *
 * A run may be split among ranks, which share no memory: processes of MPI (ranks_mpi.c), or in
 * tests threads of one process (test/ranks/ranks_threads.c), or it is alone: NULL, which costs
 * nothing. All ranks run the same program and call these functions in the same order. A rank's
 * threads (parallel.h) are its own; only the thread that began the rank calls these functions.
 *
 * A rank has two neighbours, before and behind it. Of a mesh each rank has a band of rows,
 * ranks_rows(), of equal size but for one row.
 *
 * A rank that fails alone (no memory, a full disk, a broken rule) calls ranks_fail(): the others
 * then end within seconds. With MPI the process does not come back from it; with threads the
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

/* Return how many ranks there are, 1 .., and which one this is, 0 .. size - 1. */
uint32_t ranks_size(const struct ranks *ranks);
uint32_t ranks_rank(const struct ranks *ranks);
/* Returns how many of the ranks are on this one's machine, itself included. */
uint32_t ranks_here(const struct ranks *ranks);
/* Returns how many of its machine's cores this rank may use if ranks are to share none, but at
 * least 1; 0: all on which the process may run, or it is not known. */
uint32_t ranks_cores(const struct ranks *ranks);

/* Rows, or other items, first .. end - 1. */
struct row_range {
    uint32_t first, end;
};
/* Returns which of `count` rows, or other items, are this rank's. */
struct row_range ranks_rows(const struct ranks *ranks, uint32_t count);
/* FAIL_USAGE: there are more ranks than `count` items, such as "rows", of which each must have
 * one. */
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

/* The same for numbers of 32 bits, whose sums must be below 2^32; so differences that have wrapped
 * around cannot be added up in this way. FAIL_SYSTEM: no memory, too. */
enum failure_kind ranks_sum_counts(struct ranks *ranks, uint32_t *count, size_t counts,
                                   struct failure *failure);

/* Replace each of count numbers by the largest, or the least, of all ranks. */
enum failure_kind ranks_most(struct ranks *ranks, uint64_t *number, size_t count,
                             struct failure *failure);
enum failure_kind ranks_least(struct ranks *ranks, uint64_t *number, size_t count,
                              struct failure *failure);

/* Sets *flag if it is set in any rank. */
enum failure_kind ranks_any(struct ranks *ranks, bool *flag, struct failure *failure);

/* Collects what each rank gives at rank 0: there *all gets the bytes of all ranks one behind the
 * other in the order of ranks, and count[size] how many of each; the caller frees *all. Elsewhere
 * *all becomes NULL. */
enum failure_kind ranks_collect(struct ranks *ranks, const void *from, size_t bytes, void **all,
                                size_t *count, struct failure *failure);

/* Sends count[r] bytes to each rank r; `from` has them one behind the other, those for rank 0
 * first. *all, which the caller frees, gets what came, in the order of ranks, and count[size]
 * becomes how many bytes of each. */
enum failure_kind ranks_swap(struct ranks *ranks, const void *from, size_t *count, void **all,
                             struct failure *failure);

/* A message to a neighbour, or from it. */
struct rank_message {
    const void *bytes;
    size_t count;
};
/* Sends out[side] to the neighbour on each side, and fills in[side] with what the neighbour has
 * sent here, aligned for any type: it lives until the next call. Where there is no neighbour,
 * neither is looked at. */
enum failure_kind ranks_exchange(struct ranks *ranks, const struct rank_message out[RANK_SIDES],
                                 struct rank_message in[RANK_SIDES], struct failure *failure);

/* The bytes that this rank sends to another one, and gets from it. */
struct rank_trade {
    const void *from;
    size_t out; /* bytes */
    void *to;
    size_t in; /* bytes: as many as that rank sends */
};
/* Sends to each rank r and receives from it what trade[r] says: a ranks_swap() for ranks that know
 * how much comes, without memory of its own. What a rank sends to itself is copied. */
enum failure_kind ranks_trade(struct ranks *ranks, const struct rank_trade *trade,
                              struct failure *failure);

/* Returns how ranks read one file: rank 0 reads it. */
struct byte_sharing ranks_sharing(struct ranks *ranks);

/* Copies rank 0's bytes to all others. */
enum failure_kind ranks_broadcast(struct ranks *ranks, void *bytes, size_t count,
                                  struct failure *failure);

/* ---- life ---- */

/* For what each rank has found out by itself, such as the result of a check: gives all ranks the
 * failure of the first rank that has one, and returns its kind. A rank with FAIL_SYSTEM has failed
 * alone: it does not ask the others, and its functions fail from now on, as after ranks_break().
 * FAIL_SYSTEM, too: the ranks could not agree. */
enum failure_kind ranks_agree(struct ranks *ranks, enum failure_kind kind, struct failure *failure);

/* This rank has failed alone and no longer keeps the common order of calls: all functions fail from
 * now on with this failure's text, but ranks_settle() and ranks_fail(). */
void ranks_break(struct ranks *ranks, const struct failure *failure);

/* Ends all ranks with the status `kind`. With MPI it writes failure->text to standard error, unless
 * `failure` is NULL, and does not return. */
enum failure_kind ranks_fail(struct ranks *ranks, enum failure_kind kind, struct failure *failure);

/* Begins, in the first lines of main(), and ends the ranks of MPI. In a build without MPI, and
 * where MPI started one process, ranks_begin() returns NULL. */
struct ranks *ranks_begin(int *argc, char ***argv);
void ranks_finish(struct ranks *ranks);

/* For the end of main(): tells all ranks of MPI with what this one has ended, and waits for them,
 * if this one has failed only for seconds. If all have come, *kind becomes that of the first rank
 * that failed, or FAIL_NONE. Returns whether this rank is the one that tells its failure, and then
 * *has_come whether all have come: if not, it alone has failed, and ranks_fail() must follow. */
bool ranks_settle(struct ranks *ranks, enum failure_kind *kind, bool *has_come);

#endif
