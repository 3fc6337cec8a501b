/* parallel.h - the one seam to threads.
 *
 * A crew is the threads of a run: the one that makes it, and others, which end with it. Crews know
 * nothing of one another, so that several threads of a user's may have one each. Built with
 * MESHCAST_SERIAL there are none, and everything runs on the calling thread. Work is split so that
 * results never depend on the number of threads: a band of rows writes only what its own nodes hold.
 */
#ifndef MESHCAST_BASE_PARALLEL_H
#define MESHCAST_BASE_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

struct crew;
struct ranks; /* base/ranks.h */

/* One rank's view of a team. */
struct team {
    uint32_t rank, size; /* rank 0 .. size-1 */
    struct crew *crew;   /* NULL: it is the only one */
};

/* Makes a crew of `ranks`, or of fewer if the system refuses threads or memory. NULL, which every function
 * accepts, is a crew of one. */
struct crew *crew_make(uint32_t ranks);
void crew_free(struct crew *crew);

/* Returns the address space of a crew's stacks, in bytes; they take memory only as they are used. */
uint64_t crew_stacks(uint32_t ranks);

/* Returns how many ranks a crew's teams have. */
uint32_t crew_size(const struct crew *crew);

/* Calls body(context, team) once for each rank of a team of crew_size(crew), rank 0 on the calling thread,
 * and returns when all have returned. The thread that made the crew calls it, and never within a
 * body. Between two barriers a rank stays on one thread; across one it must use no thread-local
 * variable, such as errno. */
void parallel_run(struct crew *crew, void (*body)(void *context, const struct team *team),
                  void *context);

/* Waits, within body, until every rank of the team has come here. */
void crew_barrier(const struct team *team);
static inline void parallel_barrier(const struct team *team)
{
    if (team->crew != NULL)
        crew_barrier(team);
}

/* Returns how many ranks a crew may have: `wanted`, or 1 in a serial build. */
uint32_t parallel_threads(uint32_t wanted);

/* Returns how many threads run at once on this machine (1 in a serial build). */
uint32_t parallel_cores(void);

/* Returns how many threads a run on `nodes` nodes uses when asked for `wanted` (0: as many as pay, of which ranks of a machine
 * have no more together than cores): at most one for each of `rows` rows, because work is split by rows. On `ranks`, or
 * NULL, it is what each of them uses. */
uint32_t parallel_threads_for(const struct ranks *ranks, uint32_t nodes, uint32_t rows,
                              uint32_t wanted);

/* Returns the first item of band `rank` of `size` equal bands of `count` items; the band ends where the
 * next begins. */
static inline uint32_t parallel_band_start(uint32_t count, uint32_t rank, uint32_t size)
{
    return (uint32_t)((uint64_t)count * rank / size);
}

#endif
