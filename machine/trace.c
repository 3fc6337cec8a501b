/* trace.c - the machine's events as text, in the format of doc/model.md ("The trace").
 *
 * Each thread collects the events of its rows apart, group by group (machine_private.h); they are written
 * group after group, each thread after thread. Threads have rows in ascending order, so the
 * order within a step is by row whatever the number of threads. An observer is told the same lists
 * in the same order. Without either nothing is collected.
 */
#include "machine/machine_private.h"
#include "machine/tally_private.h"

#include <inttypes.h>
#include <string.h>

enum { NUMBER_SIZE = 20 }; /* digits of the largest number */
static const unsigned FIELDS_OF_WORD = 2, FIELDS_OF_DISCARD = 2, FIELDS = 3;

void event_add(struct event_list *list, struct machine_event event, bool *lost)
{
    if (list->count == list->room) {
        size_t room = list->room == 0 ? 1024 : 2 * list->room;
        struct machine_event *grown = memory_resize(list->event, room, sizeof *grown);
        if (grown == NULL) {
            *lost = true;
            return;
        }
        list->event = grown;
        list->room = room;
    }
    list->event[list->count++] = event;
}

bool machine_observer_memory(const struct machine *machine, void *pointer, size_t count,
                             size_t size)
{
    void *memory = machine_is_observed(machine) ? memory_allocate(count, size) : NULL;
    memcpy(pointer, &memory, sizeof memory);
    return memory != NULL || !machine_is_observed(machine);
}

void trace_write_header(struct machine *machine)
{
    const struct machine_config *config = &machine->config;
    fprintf(config->trace, "meshcast-trace 1 %u %u copy=%s buffer=", config->mesh.rows,
            config->mesh.cols, config->copy_is_free ? "free" : "unit");
    if (config->buffer > 0)
        fprintf(config->trace, "%u", config->buffer);
    else
        fputs("none", config->trace);
    if (config->kernel != NULL)
        fprintf(config->trace, " kernel=%s", config->kernel);
    fputc('\n', config->trace);
}

void trace_begin_phase(struct machine *machine, const char *name)
{
    const struct machine_observer *observer = machine->config.observer;
    if (machine->config.trace != NULL)
        fprintf(machine->config.trace, "# phase %s\n", name);
    if (observer != NULL)
        observer->phase(observer->context, machine->counts.steps, name);
}

/* Writes `number` in decimal behind `text`, two digits at a time; returns the end. printf would take most
 * of a run. */
static char *write_number(char *text, uint64_t number)
{
    static const char PAIRS[] = "0001020304050607080910111213141516171819"
                                "2021222324252627282930313233343536373839"
                                "4041424344454647484950515253545556575859"
                                "6061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    unsigned length = 1;
    for (uint64_t least = 10; number >= least && length < NUMBER_SIZE; least *= 10)
        length++;
    char *end = text + length, *at = end;
    for (; number >= 100; number /= 100)
        memcpy(at -= 2, PAIRS + 2 * (number % 100), 2);
    if (number >= 10)
        memcpy(text, PAIRS + 2 * number, 2);
    else
        *text = (char)('0' + number);
    return end;
}

/* Bit i: field i of such an event names a packet. */
static unsigned packet_fields(char kind)
{
    return kind == 'X' ? 0 : kind == 'M' ? 1 : kind == 'C' || kind == 'G' ? 6 : 2;
}

/* The packet's number in the trace, where numbers are used but once: a name that was discarded goes
 * on with one that lies as far behind as there are names. */
static uint64_t packet_number(const struct machine *machine, uint32_t packet)
{
    uint64_t discards = machine->discards == NULL ? 0 : machine->discards[packet];
    return machine->attempt.first_number + packet + discards * machine->header.slots;
}

uint64_t trace_next_number(const struct machine *machine)
{
    uint64_t most = 0;
    for (uint32_t i = 0; machine->discards != NULL && i < machine->header.slots; i++)
        most = machine->discards[i] > most ? machine->discards[i] : most;
    return machine->attempt.first_number + (most + 1) * machine->header.slots;
}

static void note_discard(struct machine *machine, uint32_t packet)
{
    if (machine->discards == NULL)
        machine->discards = memory_allocate(machine->header.slots, sizeof *machine->discards);
    if (machine->discards == NULL)
        machine->trace_failed = true;
    else
        machine->discards[packet]++;
}

/* Writes an event's line behind `text`, but for its step; returns the end. */
static char *write_event(const struct machine *machine, char *text,
                         const struct machine_event *event)
{
    unsigned fields = event->kind == 'X'   ? FIELDS_OF_WORD
                      : event->kind == 'R' ? FIELDS_OF_DISCARD
                                           : FIELDS;
    *text++ = event->kind;
    for (unsigned i = 0; i < fields; i++) {
        uint32_t field = event->field[i];
        bool is_packet = packet_fields(event->kind) >> i & 1;
        *text++ = ' ';
        text = write_number(text, is_packet ? packet_number(machine, field) : field);
    }
    *text++ = '\n';
    return text;
}

static void write_events(struct machine *machine, const struct event_list *list)
{
    enum { LINE_SIZE = 5 * (NUMBER_SIZE + 1), ROOM = 64 * LINE_SIZE };
    char step[NUMBER_SIZE + 1], text[ROOM], *end = text;
    char *step_end = write_number(step, machine->counts.steps);
    *step_end++ = ' ';
    for (size_t i = 0; i < list->count; i++) {
        if (text + ROOM - end < LINE_SIZE) {
            fwrite(text, 1, (size_t)(end - text), machine->config.trace);
            end = text;
        }
        memcpy(end, step, sizeof step);
        end = write_event(machine, end + (step_end - step), &list->event[i]);
        if (list->event[i].kind == 'R')
            note_discard(machine, list->event[i].field[1]);
    }
    fwrite(text, 1, (size_t)(end - text), machine->config.trace);
}

/* Nothing is told once an event was lost: what follows would make no sense. */
static void tell_events(const struct machine *machine, const struct event_list *list)
{
    const struct machine_observer *observer = machine->config.observer;
    if (observer != NULL && list->count > 0 && !machine->trace_failed)
        observer->events(observer->context, machine->counts.steps, list->event, list->count);
}

/* An event is collected: keeps account of the living packets. */
static void note_living(struct machine *machine, const struct machine_event *event)
{
    uint32_t *living = machine->attempt.living;
    const uint32_t *field = event->field;
    switch (event->kind) {
    case 'I':
        living[field[1]] = field[0];
        break;
    case 'M':
        living[field[0]] = field[2];
        break;
    case 'C':
        living[field[2]] = field[0];
        break;
    case 'E':
    case 'R':
    case 'G':
        living[field[1]] = MACHINE_NONE;
        break;
    default: /* D and X change nothing */
        break;
    }
}

void trace_end_step(struct machine *machine)
{
    bool has_file = machine->config.trace != NULL;
    for (int group = 0; group < EVENT_GROUPS; group++) {
        for (uint32_t i = 0; i < machine->config.threads; i++) {
            struct event_list *list = &machine->tally[i].events[group];
            tell_events(machine, list);
            if (has_file)
                write_events(machine, list);
            for (size_t e = 0; e < list->count && machine->attempt.living != NULL; e++)
                note_living(machine, &list->event[e]);
            list->count = 0;
        }
    }
}

void trace_give_up(struct machine *machine)
{
    const uint32_t *living = machine->attempt.living;
    struct tally *tally = &machine->tally[0];
    for (uint32_t packet = 0; living != NULL && packet < machine->header.slots; packet++)
        if (living[packet] != MACHINE_NONE)
            tally_event(machine, tally, ARRIVALS,
                        (struct machine_event){{living[packet], packet, 0}, 'R'});
    machine->trace_failed |= tally->lost_events;
    trace_end_step(machine);
}

enum failure_kind machine_finish_trace(struct machine *machine, struct failure *failure)
{
    if (machine->trace_failed)
        return fail_memory(failure, "the trace's events");
    if (machine->config.trace == NULL)
        return FAIL_NONE;
    if (fflush(machine->config.trace) != 0 || ferror(machine->config.trace))
        return fail(failure, FAIL_SYSTEM, "cannot write the trace");
    return FAIL_NONE;
}
