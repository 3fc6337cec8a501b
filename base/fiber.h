/* fiber.h - a stack whose work pauses and resumes, on any thread.
 *
 * A fiber is resumed by a thread and pauses itself. It may be resumed by another thread the next
 * time: between two pauses it is as any function that the thread calls.
 */
#ifndef MESHCAST_BASE_FIBER_H
#define MESHCAST_BASE_FIBER_H

enum { FIBER_STACK = 1 << 20 }; /* bytes of a stack */

struct fiber;

/* Makes a fiber that will call main(argument), which must not return. NULL: no memory. */
struct fiber *fiber_make(void (*main)(void *argument), void *argument);
/* Frees a fiber that is paused or was never resumed; fiber_free(NULL) does nothing. */
void fiber_free(struct fiber *fiber);

/* Runs the fiber on the calling thread until it pauses. */
void fiber_resume(struct fiber *fiber);

/* Returns, when the fiber calls it, to the caller of fiber_resume(). */
void fiber_pause(struct fiber *fiber);

#endif
