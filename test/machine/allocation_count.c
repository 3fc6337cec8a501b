/* allocation_count.c - counts the bytes that pass through calloc, realloc and free.
 *
 * Threads also allocate: the counters are atomic.
 */
#include "test/machine/allocation_count.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static atomic_llong held, most;
static atomic_llong left = INT64_MAX; /* calls before the one that fails */
static _Thread_local int64_t left_here = INT64_MAX;

void allocation_count_begin(void)
{
    held = most = 0;
}

uint64_t allocation_count_most(void)
{
    return (uint64_t)most;
}

void allocation_count_fail(int64_t before)
{
    left = before;
}

bool allocation_count_has_failed(void)
{
    return left < 0;
}

void allocation_count_fail_here(int64_t before)
{
    left_here = before;
}

bool allocation_count_has_failed_here(void)
{
    return left_here < 0;
}

/* True if this call is the one that fails. */
static bool fails(void)
{
    if (left_here != INT64_MAX && left_here >= 0 && left_here-- == 0)
        return true;
    return left != INT64_MAX && atomic_fetch_sub(&left, 1) == 0;
}

static void count(long long bytes)
{
    long long now = atomic_fetch_add(&held, bytes) + bytes, before = most;
    while (now > before && !atomic_compare_exchange_weak(&most, &before, now))
        continue;
}

void *__wrap_calloc(size_t number, size_t size)
{
    void *block = fails() ? NULL : __real_calloc(number, size);
    count((long long)malloc_usable_size(block));
    return block;
}

void *__wrap_realloc(void *block, size_t size)
{
    long long before = (long long)malloc_usable_size(block);
    void *resized = fails() ? NULL : __real_realloc(block, size);
    if (resized != NULL)
        count((long long)malloc_usable_size(resized) - before);
    return resized;
}

void __wrap_free(void *block)
{
    count(-(long long)malloc_usable_size(block));
    __real_free(block);
}
