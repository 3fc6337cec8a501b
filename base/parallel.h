/* parallel.h - the one seam to threads.
 *
 * A team does a body of work together, each member on a thread of its own; its threads are OpenMP's
 * (parallel.c). Built with MESHCAST_SERIAL every team has one member, the calling thread. Work is
 * split so that results never depend on the size of a team: a band of rows writes only what its own
 * nodes hold.
 */
#ifndef MESHCAST_BASE_PARALLEL_H
#define MESHCAST_BASE_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

/* A member's view of its team. */
struct team {
    uint32_t rank, size; /* rank is 0 .. size-1 */
};

/* Returns how many threads the calling thread's teams may have: `wanted`, which is at least 1, or
 * fewer if the system refuses one. A run must ask before its first team, since a thread that is
 * refused later ends the process. */
uint32_t parallel_begin(uint32_t wanted);

/* Calls body(context, team) once for each member of a team of `threads` at most, member 0 on the
 * calling thread, and returns when all have returned. A team within a body has one member. */
void parallel_run(uint32_t threads, void (*body)(void *context, const struct team *team),
                  void *context);

/* Waits, within body, until every member of the team has arrived. */
void parallel_barrier(const struct team *team);

/* Returns how many threads a run on `nodes` nodes wants, if asked for `wanted`: at most one for
 * each of `rows` rows, because work is split by rows. 0: as many as pay, but no more than the
 * machine has cores free, nor than OMP_NUM_THREADS says. */
uint32_t parallel_threads_for(uint32_t nodes, uint32_t rows, uint32_t wanted);

/* Sets the number of cores of this process, which shares the machine with others of its kind; 0:
 * it shares with none, or they are not known. */
void parallel_share_cores(uint32_t cores);

/* Returns the first item of band `rank` of `size` equal bands of `count` items; the band ends where
 * the next begins. */
uint32_t parallel_band_start(uint32_t count, uint32_t rank, uint32_t size);

#endif
