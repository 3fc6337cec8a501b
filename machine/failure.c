/* failure.c - the one place where a failure's text is written and where memory is asked for. */
#include "machine/failure.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum failure_kind fail(struct failure *failure, enum failure_kind kind, const char *format, ...)
{
    if (failure == NULL)
        return kind;
    if (failure->kind != FAIL_NONE)
        return failure->kind;
    failure->kind = kind;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->text, sizeof failure->text, format, arguments);
    va_end(arguments);
    for (char *c = failure->text; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return kind;
}

enum failure_kind fail_memory(struct failure *failure, const char *purpose)
{
    return fail(failure, FAIL_SYSTEM, "out of memory for %s", purpose);
}

void *memory_allocate(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    return calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
}

void *memory_resize(void *block, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    size_t bytes = count * size;
    return realloc(block, bytes == 0 ? 1 : bytes);
}
