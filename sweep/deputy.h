/* deputy.h - a process beside this one that has tasks done, so that this one outlives them.
 *
 * A rank of MPI must not die, since mpirun then ends all others, and must not fork once MPI has begun, since memory
 * that a network reads and writes is not the child's as well. So the deputy is forked before. It does no task itself: for
 * tasks it starts a process of its own, the doer, and another one when that has died. The doer has the memory that
 * tasks take, so it is the one that a system without memory kills.
 */
#ifndef MESHCAST_SWEEP_DEPUTY_H
#define MESHCAST_SWEEP_DEPUTY_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Zero: there is none. */
struct deputy {
    pid_t process; /* 0: this is the deputy itself, or there is none */
    int mail;      /* to the other of the two */
    bool is_here;  /* this process is the deputy */
};

/* Forks the deputy, in which is_here then is set; it must call deputy_serve(), if it gets so far, and end with _exit().
 * FAIL_SYSTEM: the system gives no process. */
enum failure_kind deputy_begin(struct deputy *deputy, struct failure *failure);

/* Ends the deputy, whatever it does, and its doer. */
void deputy_end(struct deputy *deputy);

/* Has a task done, which is `bytes` bytes, and waits for it. *answer, of *length bytes, is the caller's; or *is_lost
 * is set: the doer died of the task, and *answer is a text that says how, ended by a zero. FAIL_SYSTEM: the deputy is gone, or there is
 * no memory. */
enum failure_kind deputy_ask(struct deputy *deputy, const void *task, size_t bytes, void **answer,
                             size_t *length, bool *is_lost, struct failure *failure);

/* Does a task: *answer becomes what malloc() gave, with *length bytes, or NULL: there is no memory. */
typedef void deputy_task(void *context, const void *task, size_t bytes, void **answer,
                         size_t *length);

/* In the deputy: has tasks done by a doer until the other process ends, or deputy_end(). */
void deputy_serve(const struct deputy *deputy, deputy_task *task, void *context);

#endif
