/* fiber.c - fibers by the C library's contexts and jumps.
 *
 * A stack has FIBER_STACK bytes of address space, of which memory is taken as it is used, and below it a
 * page that nobody may touch: callbacks of a user's own run here.
 * A context begins on its stack; from then on stacks are changed by jumps, which unlike contexts leave
 * the thread its signal mask, and call nothing of the system. C11 leaves a jump to another thread's
 * setjmp() undefined. glibc defines it well enough: its jumps restore registers and nothing of the
 * thread. The checks of _FORTIFY_SOURCE take a jump to another stack for a mistake. The compiler may
 * keep the address of a thread-local variable, such as errno, across a pause, so no body uses one across
 * a barrier. Sanitizers are told of each change of stacks.
 * Cost: some ten nanoseconds a resumption and pause.
 */
#ifndef MESHCAST_SERIAL

#define _GNU_SOURCE /* MAP_STACK, ucontext.h */
#undef _FORTIFY_SOURCE

#include "base/fiber.h"

#include "base/failure.h"

#include <assert.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

struct fiber {
    ucontext_t start;
    sigjmp_buf inside, outside;
    void (*main)(void *argument);
    void *argument;
    char *memory; /* the page that is guarded, then the stack */
    size_t guard;
    /* what sanitizers must be told */
    const void *outer_stack;
    size_t outer_size;
    void *of_sanitizer, *outer_of_sanitizer;
};

/* ---- sanitizers ---- */

static void leave_thread(struct fiber *fiber)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&fiber->outer_of_sanitizer, fiber->memory + fiber->guard,
                                   FIBER_STACK);
#elif defined __SANITIZE_THREAD__
    fiber->outer_of_sanitizer = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber->of_sanitizer, 0);
#endif
    (void)fiber;
}

static void enter_thread(struct fiber *fiber)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fiber->outer_of_sanitizer, NULL, NULL);
#endif
    (void)fiber;
}

static void leave_fiber(struct fiber *fiber)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&fiber->of_sanitizer, fiber->outer_stack, fiber->outer_size);
#elif defined __SANITIZE_THREAD__
    __tsan_switch_to_fiber(fiber->outer_of_sanitizer, 0);
#endif
    (void)fiber;
}

static void enter_fiber(struct fiber *fiber)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fiber->of_sanitizer, &fiber->outer_stack, &fiber->outer_size);
#endif
    (void)fiber;
}

/* ---- fibers ---- */

/* makecontext() hands on integers alone: halves of the fiber's address. */
static void begin(unsigned high, unsigned low)
{
    struct fiber *fiber = (struct fiber *)((uintptr_t)((uint64_t)high << 32 | low));
    enter_fiber(fiber);
    fiber_pause(fiber);
    fiber->main(fiber->argument);
    assert(false); /* a fiber never ends */
}

/* Runs the fiber up to its first pause. Contexts set the signal mask, here to its present value. */
static void begin_to_run(struct fiber *fiber)
{
    if (sigsetjmp(fiber->outside, 0) == 0) {
        leave_thread(fiber);
        setcontext(&fiber->start);
        assert(false); /* it fails only where the context is damaged */
    }
    enter_thread(fiber);
}

struct fiber *fiber_make(void (*main)(void *argument), void *argument)
{
    struct fiber *fiber = memory_allocate(1, sizeof *fiber);
    if (fiber == NULL)
        return NULL;
    fiber->main = main;
    fiber->argument = argument;
    fiber->guard = (size_t)sysconf(_SC_PAGESIZE);
    fiber->memory = mmap(NULL, fiber->guard + FIBER_STACK, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (fiber->memory == MAP_FAILED) {
        free(fiber);
        return NULL;
    }
    if (mprotect(fiber->memory + fiber->guard, FIBER_STACK, PROT_READ | PROT_WRITE) != 0 ||
        getcontext(&fiber->start) != 0) {
        fiber_free(fiber);
        return NULL;
    }
    fiber->start.uc_stack.ss_sp = fiber->memory + fiber->guard;
    fiber->start.uc_stack.ss_size = FIBER_STACK;
    uint64_t address = (uintptr_t)fiber;
    makecontext(&fiber->start, (void (*)(void))begin, 2, (unsigned)(address >> 32),
                (unsigned)address);
#ifdef __SANITIZE_THREAD__
    fiber->of_sanitizer = __tsan_create_fiber(0);
#endif
    begin_to_run(fiber);
    return fiber;
}

void fiber_free(struct fiber *fiber)
{
    if (fiber == NULL)
        return;
#ifdef __SANITIZE_THREAD__
    __tsan_destroy_fiber(fiber->of_sanitizer);
#endif
    munmap(fiber->memory, fiber->guard + FIBER_STACK);
    free(fiber);
}

void fiber_resume(struct fiber *fiber)
{
    if (sigsetjmp(fiber->outside, 0) == 0) {
        leave_thread(fiber);
        siglongjmp(fiber->inside, 1);
    }
    enter_thread(fiber);
}

void fiber_pause(struct fiber *fiber)
{
    if (sigsetjmp(fiber->inside, 0) == 0) {
        leave_fiber(fiber);
        siglongjmp(fiber->outside, 1);
    }
    enter_fiber(fiber);
}

#endif
