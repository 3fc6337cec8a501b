/* run_shared.c - common parts of the files that encode a run: failures, and strings of JSON. */
#include "view/run_encoder_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum failure_kind run_refuse(const struct run_plan *plan, uint64_t line, struct failure *failure,
                             const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return fail(failure, FAIL_INPUT, "%.200s:%" PRIu64 ": %s", plan->name, line, text);
}

void run_write_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++)
        if (*at < ' ' || *at == '"' || *at == '\\' || *at == '<' || *at == 0x7f)
            fprintf(out, "\\u%04x", *at);
        else
            fputc(*at, out);
    fputc('"', out);
}
