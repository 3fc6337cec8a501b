/* trace.c - the machine's events as text, in the format of doc/model.md ("The trace"), and its
 * phases.
 *
 * Each thread collects the events of its rows, one list for each group (machine_private.h). The
 * lists are written group after group, and within a group thread after thread. Threads have rows in
 * ascending order, so the order within a group is by row for any number of threads. An observer
 * gets the same lists in the same order. Without trace and observer nothing is collected. Ranks
 * also have rows in ascending order; rank 0 collects the lists of all, and writes and reports them.
 */
#include "base/decimal.h"
#include "machine/machine_private.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEP_SIZE = 24, /* of a step and a kind */
    LINE_SIZE = STEP_SIZE + 3 * DECIMAL_ROOM,
    HEADER_SIZE = 256,
    ROOM = 1 << 16
};

/* The text of a trace that is not yet written. */
struct trace {
    struct decimals decimals;
    char text[ROOM];
};

static const unsigned FIELDS_OF_WORD = 2, FIELDS_OF_DISCARD = 2, FIELDS = 3;

bool event_list_grow(struct event_list *list, size_t count)
{
    struct machine_event *grown =
        memory_grow(list->event, &list->room, list->count + count, sizeof *grown);
    if (grown == NULL)
        return false;
    list->event = grown;
    return true;
}

bool machine_observer_memory(const struct machine *machine, void *pointer, size_t count,
                             size_t size)
{
    bool is_needed = machine_is_observed(machine);
    void *memory = is_needed ? memory_allocate(count, size) : NULL;
    memcpy(pointer, &memory, sizeof memory);
    return memory != NULL || !is_needed;
}

/* Writes the trace's first line, without its end, to `text`. */
static void write_header(const struct machine_config *config, char text[HEADER_SIZE])
{
    char buffer[DECIMAL_ROOM] = "none";
    if (config->buffer > 0)
        snprintf(buffer, sizeof buffer, "%u", config->buffer);
    snprintf(text, HEADER_SIZE, "meshcast-trace 1 %u %u copy=%s buffer=%s%s%s%s", config->mesh.rows,
             config->mesh.cols, config->copy_is_free ? "free" : "unit", buffer,
             config->reduces ? " reduce=sum" : "", config->kernel != NULL ? " kernel=" : "",
             config->kernel != NULL ? config->kernel : "");
}

bool trace_begin(struct machine *machine)
{
    const struct machine_config *config = &machine->config;
    const struct machine_observer *observer = config->observer;
    char header[HEADER_SIZE];
    write_header(config, header);
    if (observer != NULL && observer->begin != NULL)
        observer->begin(
            observer->context,
            &(struct machine_beginning){header, machine->attempt.first_number, config->slots});
    if (config->trace == NULL)
        return true;
    machine->trace = memory_allocate(1, sizeof *machine->trace);
    if (machine->trace == NULL)
        return false;
    decimals_fill(&machine->trace->decimals);
    if (config->attempt == NULL || config->attempt->before == NULL)
        fprintf(config->trace, "%s\n", header);
    return true;
}

void trace_free(struct machine *machine)
{
    number_table_free(&machine->attempt.living);
    number_table_free(&machine->discards);
    free(machine->trace);
}

void trace_emit_phase(struct machine *machine, const char *name)
{
    const struct machine_observer *observer = machine->config.observer;
    if (machine->config.trace != NULL)
        fprintf(machine->config.trace, "# phase %s\n", name);
    if (observer != NULL)
        observer->phase(observer->context, machine->counts.steps, name);
}

/* ---- events ---- */

/* Returns the fields of such an event that name a packet: field i at bit i. */
static unsigned packet_fields(char kind)
{
    return kind == 'X' ? 0 : kind == 'M' ? 1 : kind == 'C' || kind == 'G' ? 6 : 2;
}

/* Returns the packet's number in the trace, where each number is used only once: when a name is
 * used again after its packet was discarded, its number grows by the number of all names. */
static uint64_t packet_number(const struct machine *machine, uint32_t name)
{
    const uint32_t *discards = number_table_find(&machine->discards, name);
    return machine->attempt.first_number + name +
           (discards == NULL ? 0 : (uint64_t)*discards * machine->config.slots);
}

uint64_t trace_next_number(const struct machine *machine)
{
    const struct number_table *discards = &machine->discards;
    uint64_t most = 0;
    for (size_t i = 0; i < discards->room; i++)
        if (discards->entry[i].key != NUMBER_NONE && discards->entry[i].value > most)
            most = discards->entry[i].value;
    return machine->attempt.first_number + (most + 1) * machine->config.slots;
}

static void note_discard(struct machine *machine, uint32_t name)
{
    uint32_t *discards = number_table_add(&machine->discards, name);
    if (discards == NULL)
        machine->trace_failed = true;
    else
        ++*discards;
}

/* Writes an event's line without its step; returns the end. */
static char *write_event(const struct machine *machine, char *text,
                         const struct machine_event *event)
{
    unsigned fields = event->kind == 'X'   ? FIELDS_OF_WORD
                      : event->kind == 'R' ? FIELDS_OF_DISCARD
                                           : FIELDS;
    *text++ = (char)event->kind;
    for (unsigned i = 0; i < fields; i++) {
        uint32_t field = event->field[i];
        bool is_packet = packet_fields(event->kind) >> i & 1;
        text = decimal_write(&machine->trace->decimals, text,
                             is_packet ? packet_number(machine, field) : field);
    }
    *text++ = '\n';
    return text;
}

/* Writes a node's number. Most meshes have less than DECIMAL_ENTRIES nodes, and then the branch
 * costs nothing. */
static inline char *write_node(const struct decimals *decimals, char *text, node_index node)
{
    return node < DECIMAL_ENTRIES ? decimal_write_short(decimals, text, node)
                                  : decimal_write(decimals, text, node);
}

/* Writes the lines of the next hops after `end`, while there is room; returns the new end. Most
 * events are hops, so these have a loop of their own. `begin` is the beginning of each line,
 * `length` characters. */
static char *write_hops(const struct machine *machine, const char *begin, size_t length, char *end,
                        const struct machine_event **next, const struct machine_event *stop)
{
    const struct decimals *decimals = &machine->trace->decimals;
    const char *last = machine->trace->text + ROOM - LINE_SIZE;
    uint64_t first_number = machine->attempt.first_number;
    const struct machine_event *event = *next;
    for (; event < stop && event->kind == 'M' && end <= last; event++) {
        memcpy(end, begin, STEP_SIZE);
        end = decimal_write(decimals, end + length, first_number + event->field[0]);
        end = write_node(decimals, end, event->field[1]);
        end = write_node(decimals, end, event->field[2]);
        *end++ = '\n';
    }
    *next = event;
    return end;
}

static void write_events(struct machine *machine, const struct event_list *list)
{
    struct trace *trace = machine->trace;
    char *text = trace->text, *end = text, begin[STEP_SIZE + DECIMAL_ROOM];
    size_t length = (size_t)(decimal_write(&trace->decimals, begin, machine->counts.steps) - begin);
    memcpy(begin + length, " M", 2); /* length also counts the blank before the step */
    const struct machine_event *event = list->event, *stop = event + list->count;
    while (event < stop) {
        if (end > text + ROOM - LINE_SIZE) {
            fwrite(text, 1, (size_t)(end - text), machine->config.trace);
            end = text;
        }
        if (event->kind == 'M' && machine->discards.count == 0) {
            end = write_hops(machine, begin + 1, length + 1, end, &event, stop);
            continue;
        }
        memcpy(end, begin + 1, STEP_SIZE);
        end = write_event(machine, end + length, event);
        if (event->kind == 'R')
            note_discard(machine, event->field[1]);
        event++;
    }
    fwrite(text, 1, (size_t)(end - text), machine->config.trace);
}

/* Reports the events to the observer. Once one was lost no others are reported: without it they
 * would make no sense. */
static void emit_events(const struct machine *machine, const struct event_list *list)
{
    const struct machine_observer *observer = machine->config.observer;
    if (observer != NULL && list->count > 0 && !machine->trace_failed)
        observer->events(observer->context, machine->counts.steps, list->event, list->count);
}

static void note_place(struct machine *machine, uint32_t name, node_index node)
{
    uint32_t *living = number_table_add(&machine->attempt.living, name);
    if (living == NULL)
        machine->trace_failed = true;
    else
        *living = node;
}

/* Keeps account of the living packets, by an event. */
static void note_living(struct machine *machine, const struct machine_event *event)
{
    const uint32_t *field = event->field;
    switch (event->kind) {
    case 'I':
        note_place(machine, field[1], field[0]);
        break;
    case 'M':
        note_place(machine, field[0], field[2]);
        break;
    case 'C':
        note_place(machine, field[2], field[0]);
        break;
    case 'R':
        if (machine->trace == NULL) /* else write_events() has noted it */
            note_discard(machine, field[1]);
        number_table_remove(&machine->attempt.living, field[1]);
        break;
    case 'E':
    case 'G':
        number_table_remove(&machine->attempt.living, field[1]);
        break;
    default: /* D and X change nothing */
        break;
    }
}

/* Writes and reports the events of a list. */
static void emit_list(struct machine *machine, const struct event_list *list)
{
    emit_events(machine, list);
    if (machine->config.trace != NULL && list->count > 0)
        write_events(machine, list);
    for (size_t e = 0; e < list->count && machine->config.attempt != NULL; e++)
        note_living(machine, &list->event[e]);
}

/* Puts all events of a group into the list of the first thread. */
static void join_threads(struct machine *machine, int group)
{
    struct event_list *all = &machine->tally[0].events[group];
    for (uint32_t i = 1; i < machine->config.threads; i++) {
        struct event_list *list = &machine->tally[i].events[group];
        bool has_room = all->count + list->count <= all->room || event_list_grow(all, list->count);
        if (has_room && list->count > 0)
            memcpy(all->event + all->count, list->event, list->count * sizeof *list->event);
        all->count += has_room ? list->count : 0;
        machine->trace_failed |= !has_room;
        list->count = 0;
    }
}

void trace_end_step(struct machine *machine)
{
    for (int group = 0; group < EVENT_GROUPS; group++) {
        if (machine->is_split) {
            join_threads(machine, group);
            events_emit_ranks(machine, group, emit_list);
            continue;
        }
        for (uint32_t i = 0; i < machine->config.threads; i++) {
            emit_list(machine, &machine->tally[i].events[group]);
            machine->tally[i].events[group].count = 0;
        }
    }
}

void trace_give_up(struct machine *machine)
{
    struct number_table living = machine->attempt.living;
    struct tally *tally = &machine->tally[0];
    machine->attempt.living = (struct number_table){0};
    number_table_sort(&living);
    for (size_t i = 0; i < living.count; i++)
        tally_event(machine, tally, ARRIVALS,
                    (struct machine_event){{living.entry[i].value, living.entry[i].key, 0}, 'R'});
    number_table_free(&living);
    machine->trace_failed |= tally->lost_events;
    trace_end_step(machine);
}
