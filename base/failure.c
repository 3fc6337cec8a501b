/* failure.c - the one place where a failure's text is written. */
#include "base/failure.h"

#include <stdarg.h>
#include <stdio.h>

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

enum failure_kind fail_as(struct failure *failure, const struct failure *cause)
{
    if (failure != NULL && failure->kind == FAIL_NONE)
        failure->is_memory_limit = cause->is_memory_limit;
    return fail(failure, cause->kind, "%s", cause->text);
}

enum failure_kind fail_memory(struct failure *failure, const char *purpose)
{
    struct memory_refusal refusal;
    char limit[32], in_use[32], asked[32];
    bool is_first = failure != NULL && failure->kind == FAIL_NONE;
    if (!memory_refused(&refusal))
        return fail(failure, FAIL_SYSTEM, "out of memory for %s", purpose);
    if (is_first)
        failure->is_memory_limit = true;
    return fail(failure, FAIL_SYSTEM,
                "out of memory for %.300s: %s in use and %s more asked for do not fit into %s",
                purpose, memory_text(refusal.in_use, in_use), memory_text(refusal.asked, asked),
                memory_text(refusal.limit, limit));
}

bool interrupt_is_sent(const struct interrupt *interrupt)
{
    return interrupt != NULL && atomic_load_explicit(&interrupt->is_sent, memory_order_relaxed);
}

enum failure_kind interrupt_check(const struct interrupt *interrupt, struct failure *failure)
{
    return interrupt_is_sent(interrupt) ? fail(failure, FAIL_INTERRUPTED, "interrupted")
                                        : FAIL_NONE;
}
