/* fiber.c - fibers by the C library's contexts.
 *
 * A stack has STACK bytes of address space, of which memory is taken as it is used, and below it a page
 * that nobody may touch: callbacks of a user's own run here, and may call deep.
 * A context keeps a signal mask, too. A fiber has that of the thread on which it runs: it is told on
 * each resumption.
 * Sanitizers are told of each change of stacks.
 * Cost: two system calls (of the signal masks) a resumption and pause.
 */
#define _GNU_SOURCE /* MAP_STACK, ucontext.h */

#include "machine/fiber.h"

#include "machine/failure.h"

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

enum { STACK = 8 << 20 };

struct fiber {
    ucontext_t inside, outside;
    void (*main)(void *argument);
    void *argument;
    char *memory; /* the page that is guarded, then the stack */
    size_t guard;
    /* What the sanitizers want to know. */
    const void *outer_stack;
    size_t outer_size;
    void *of_sanitizer, *outer_of_sanitizer;
};

/* ---- sanitizers ---- */

static void leave_thread(struct fiber *fiber, void **kept)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(kept, fiber->memory + fiber->guard, STACK);
#elif defined __SANITIZE_THREAD__
    fiber->outer_of_sanitizer = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber->of_sanitizer, 0);
#endif
    (void)fiber, (void)kept;
}

static void enter_thread(void *kept)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(kept, NULL, NULL);
#endif
    (void)kept;
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
    fiber->main(fiber->argument);
    abort();
}

struct fiber *fiber_make(void (*main)(void *argument), void *argument)
{
    struct fiber *fiber = memory_allocate(1, sizeof *fiber);
    if (fiber == NULL)
        return NULL;
    fiber->main = main;
    fiber->argument = argument;
    fiber->guard = (size_t)sysconf(_SC_PAGESIZE);
    fiber->memory = mmap(NULL, fiber->guard + STACK, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (fiber->memory == MAP_FAILED) {
        free(fiber);
        return NULL;
    }
    if (mprotect(fiber->memory + fiber->guard, STACK, PROT_READ | PROT_WRITE) != 0 ||
        getcontext(&fiber->inside) != 0) {
        fiber_free(fiber);
        return NULL;
    }
    fiber->inside.uc_stack.ss_sp = fiber->memory + fiber->guard;
    fiber->inside.uc_stack.ss_size = STACK;
    uint64_t address = (uintptr_t)fiber;
    makecontext(&fiber->inside, (void (*)(void))begin, 2, (unsigned)(address >> 32),
                (unsigned)address);
#ifdef __SANITIZE_THREAD__
    fiber->of_sanitizer = __tsan_create_fiber(0);
#endif
    return fiber;
}

void fiber_free(struct fiber *fiber)
{
    if (fiber == NULL)
        return;
#ifdef __SANITIZE_THREAD__
    __tsan_destroy_fiber(fiber->of_sanitizer);
#endif
    munmap(fiber->memory, fiber->guard + STACK);
    free(fiber);
}

void fiber_resume(struct fiber *fiber, const sigset_t *mask)
{
    void *kept = NULL;
    fiber->inside.uc_sigmask = *mask;
    leave_thread(fiber, &kept);
    swapcontext(&fiber->outside, &fiber->inside);
    enter_thread(kept);
}

void fiber_pause(struct fiber *fiber)
{
    leave_fiber(fiber);
    swapcontext(&fiber->inside, &fiber->outside);
    enter_fiber(fiber);
}
