/* parallel.h - the one seam to threads.
 *
 * parallel.c holds the only OpenMP pragmas of the program; built with MESHCAST_SERIAL it holds
 * none and runs everything on the calling thread. Work is split so that results never depend on
 * the number of threads: a band of rows writes only what its own nodes hold.
 */
#ifndef MESHCAST_MACHINE_PARALLEL_H
#define MESHCAST_MACHINE_PARALLEL_H

#include "machine/mesh.h"

#include <stdint.h>

struct barrier;

/* A thread's place among those that run a body together. */
struct team {
    uint32_t rank, size; /* rank 0 .. size-1 */
    struct barrier *barrier;
};

/* Calls body(context, team) once on each of team->size <= threads threads and returns when all have
 * returned. */
void parallel_run(uint32_t threads, void (*body)(void *context, const struct team *team),
                  void *context);

/* Within body: waits until every thread of the team has come here. */
void parallel_barrier(const struct team *team);

/* How many threads parallel_run uses when asked for so many: 1 in a serial build. */
uint32_t parallel_threads(uint32_t wanted);

/* How many threads run at once on this machine (1 in a serial build). */
uint32_t parallel_cores(void);

/* How many threads a run on `mesh` uses when asked for `wanted`, 0: as many as pay. At most one a
 * row, because work is split by rows. */
uint32_t parallel_threads_for(struct mesh mesh, uint32_t wanted);

/* The first item of band `rank` of `size` equal bands of `count` items; the band ends where the
 * next begins. */
static inline uint32_t parallel_band_start(uint32_t count, uint32_t rank, uint32_t size)
{
    return (uint32_t)((uint64_t)count * rank / size);
}

#endif
