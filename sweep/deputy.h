/* deputy.h - a process beside this one that has tasks done, so that this one survives if a task kills its process.
 *
 * A rank of MPI must not die, since mpirun then ends all others, and must not fork once MPI has begun, since memory
 * that a network reads and writes may be missing in the child. So the deputy is forked before. It does no task itself: it
 * starts a process that does them, the worker, and a new worker when that has died. The worker has the memory that
 * tasks take, so it is the one that a system short of memory kills.
 */
#ifndef MESHCAST_SWEEP_DEPUTY_H
#define MESHCAST_SWEEP_DEPUTY_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A deputy as the process that has it knows it, or as it knows itself. Zero: there is none. */
struct deputy {
    bool is_deputy; /* this process is the deputy */
    pid_t process;  /* the deputy's; 0 in the deputy itself */
    int socket;     /* joins both processes; this one's end */
};

/* Forks the deputy. It returns in both processes, with is_deputy set in the deputy, which then calls deputy_serve() unless
 * something fails before, and ends with _exit(). The other process calls deputy_end(). FAIL_SYSTEM: no process could be
 * started. */
enum failure_kind deputy_begin(struct deputy *deputy, struct failure *failure);

/* Kills the deputy, and with it its worker; without a deputy nothing happens. */
void deputy_end(struct deputy *deputy);

/* Has a task of `bytes` bytes done, and waits for its answer: *length bytes at *answer, which the caller frees. If *is_lost
 * becomes true, the task killed the worker, and *answer is a text that says how it died, ended by a zero. FAIL_SYSTEM: the
 * deputy is gone, or there is no memory. */
enum failure_kind deputy_ask(struct deputy *deputy, const void *task, size_t bytes, void **answer,
                             size_t *length, bool *is_lost, struct failure *failure);

/* Does a task of `bytes` bytes: *answer becomes *length bytes from malloc(), which the deputy frees; NULL: no memory. */
typedef void deputy_task(void *context, const void *task, size_t bytes, void **answer,
                         size_t *length);

/* In the deputy: has tasks done by a worker, with `task` and `context`, until the other process ends. */
void deputy_serve(const struct deputy *deputy, deputy_task *task, void *context);

#endif
