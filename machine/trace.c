/* trace.c - the machine's events as text, in the format of doc/model.md ("The trace").
 *
 * Each thread collects the events of its rows apart, group by group (machine_private.h); they are written
 * group after group, each thread after thread. Threads have rows in ascending order, so the
 * order within a step is by row whatever the number of threads. An observer is told the same lists
 * in the same order. Without either nothing is collected.
 */
#include "machine/machine_private.h"

#include <inttypes.h>
#include <string.h>

static const unsigned FIELDS_OF_WORD = 2, FIELDS_OF_DISCARD = 2, FIELDS = 3;

void event_add(const struct machine *machine, struct event_list *list, struct machine_event event,
               bool *lost)
{
    (void)machine;
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

/* Writes `number` in decimal behind `text`; returns the end. printf would take most of a run. */
static char *write_number(char *text, uint64_t number)
{
    char digits[20];
    int length = 0;
    do
        digits[length++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (length > 0)
        *text++ = digits[--length];
    return text;
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

static void write_event(struct machine *machine, const struct machine_event *event)
{
    char line[96];
    char *end = write_number(line, machine->counts.steps);
    *end++ = ' ';
    *end++ = event->kind;
    unsigned fields = event->kind == 'X'   ? FIELDS_OF_WORD
                      : event->kind == 'R' ? FIELDS_OF_DISCARD
                                           : FIELDS;
    for (unsigned i = 0; i < fields; i++) {
        *end++ = ' ';
        bool is_packet = packet_fields(event->kind) >> i & 1;
        end = write_number(end,
                           is_packet ? packet_number(machine, event->field[i]) : event->field[i]);
    }
    *end++ = '\n';
    fwrite(line, 1, (size_t)(end - line), machine->config.trace);
    if (event->kind == 'R')
        note_discard(machine, event->field[1]);
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
    if (living == NULL)
        return;
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
            for (size_t e = 0; e < list->count; e++) {
                if (has_file)
                    write_event(machine, &list->event[e]);
                note_living(machine, &list->event[e]);
            }
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
    if (!machine_is_observed(machine))
        return;
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
