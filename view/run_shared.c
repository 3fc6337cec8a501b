/* run_shared.c - what the files that encode a run share: how they fail, strings of JSON, room for what grows. */
#include "view/run_encoder_private.h"
#include "view/run_machine_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

enum failure_kind machine_run_refuse(const struct machine_run *run, struct failure *failure,
                                     const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (run->line > 0)
        return run_refuse(&run->plan, run->line, failure, "%s", text);
    return fail(failure, FAIL_CHECK, "the page of the run, step %" PRIu64 ": %s", run->step, text);
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

bool machine_run_grow(void *array, uint64_t count, uint32_t *room, size_t size,
                      struct failure *failure)
{
    enum { FIRST_ROOM = 1024 };
    if (count <= *room)
        return true;
    void *old, *grown;
    uint64_t wanted = *room == 0 ? FIRST_ROOM : *room;
    while (wanted < count)
        wanted *= 2;
    wanted = wanted < UINT32_MAX ? wanted : UINT32_MAX;
    memcpy(&old, array, sizeof old);
    grown = wanted < count ? NULL : memory_resize(old, wanted, size);
    if (grown == NULL) {
        fail_memory(failure, "the page of the run");
        return false;
    }
    memcpy(array, &grown, sizeof grown);
    *room = (uint32_t)wanted;
    return true;
}

void machine_run_forget(struct machine_run *run, uint32_t first)
{
    for (uint32_t name = first; name < run->names_room; name++)
        run->place[name] = (struct packet_place){NO_PACKET, MESH_NO_NODE};
}

enum failure_kind machine_run_names(struct machine_run *run, uint64_t count,
                                    struct failure *failure)
{
    uint32_t room = run->names_room;
    if (machine_run_grow(&run->place, count, &run->names_room, sizeof *run->place, failure))
        machine_run_forget(run, room);
    return failure->kind;
}
