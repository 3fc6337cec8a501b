/* failure.c - the one place where a failure's text is written and where memory is asked for. */
#define _DEFAULT_SOURCE /* madvise */

#include "base/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 1 << 21, LARGE = 2 * HUGE_PAGE };

static enum failure_kind fill(struct failure *failure, enum failure_kind kind, const char *format,
                              va_list arguments)
{
    if (failure == NULL)
        return kind;
    if (failure->kind != FAIL_NONE)
        return failure->kind;
    failure->kind = kind;
    vsnprintf(failure->text, sizeof failure->text, format, arguments);
    for (char *c = failure->text; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return kind;
}

enum failure_kind fail(struct failure *failure, enum failure_kind kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    kind = fill(failure, kind, format, arguments);
    va_end(arguments);
    return kind;
}

enum failure_kind fail_memory_limit(struct failure *failure, const char *format, ...)
{
    bool is_first = failure != NULL && failure->kind == FAIL_NONE;
    va_list arguments;
    va_start(arguments, format);
    enum failure_kind kind = fill(failure, FAIL_SYSTEM, format, arguments);
    va_end(arguments);
    if (is_first)
        failure->is_memory_limit = true;
    return kind;
}

enum failure_kind fail_memory(struct failure *failure, const char *purpose)
{
    return fail(failure, FAIL_SYSTEM, "out of memory for %s", purpose);
}

const char *memory_text(uint64_t bytes, char text[32])
{
    static const char *const units[] = {"kB", "MB", "GB", "TB"};
    double value = (double)bytes / 1000;
    unsigned unit = 0;
    for (; value >= 999.95 && unit < 3; unit++)
        value /= 1000;
    snprintf(text, 32, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text;
}

enum failure_kind memory_check_limit(uint64_t bytes, uint64_t limit, const char *what,
                                     struct failure *failure)
{
    char text[32];
    if (bytes <= limit)
        return FAIL_NONE;
    return fail_memory_limit(failure, "%.400s needs more than the %s of memory that are available",
                             what, memory_text(limit, text));
}

/* Packets are looked up by their numbers, all over arrays of many megabytes: with pages of 4 KB most
 * such looks would also miss the processor's table of pages. Advice: nothing depends on it. */
static void ask_for_huge_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t first = ((uintptr_t)block + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t end = ((uintptr_t)block + bytes) / HUGE_PAGE * HUGE_PAGE;
    if (first < end)
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

void memory_expect_use(void *block, size_t bytes)
{
    if (block != NULL && bytes >= LARGE)
        ask_for_huge_pages(block, bytes);
}

void *memory_allocate_sparse(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    return calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
}

void *memory_allocate(size_t count, size_t size)
{
    void *block = memory_allocate_sparse(count, size);
    memory_expect_use(block, count * size);
    return block;
}

void *memory_resize(void *block, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    size_t bytes = count * size;
    return realloc(block, bytes == 0 ? 1 : bytes);
}

void *memory_grow(void *block, size_t *room, size_t count, size_t size)
{
    enum { LEAST = 64 }; /* elements: few small arrays then grow at all */
    if (count <= *room && block != NULL)
        return block;
    size_t wanted = *room <= SIZE_MAX / 2 ? 2 * *room : SIZE_MAX;
    wanted = wanted < LEAST ? LEAST : wanted;
    wanted = wanted < count ? count : wanted;
    void *grown = memory_resize(block, wanted, size);
    if (grown != NULL)
        *room = wanted;
    return grown;
}
