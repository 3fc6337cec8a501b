/* network_trace.c - writes the events of a network as a trace (doc/network.md, "The trace").
 *
 * Events come in the order of the trace, so each is written as a line at once. Numbers are
 * formatted here, some lines at a time: printf would be slower than the network.
 */
#include "network/network_trace.h"

#include <inttypes.h>

enum { NUMBER_SIZE = 20 /* digits of the largest number */, LINE_SIZE = 8 * (NUMBER_SIZE + 1) };

static const char *const SWITCHING[] = {"wormhole", "cut-through", "store-and-forward", "circuit"};

/* A number as text, or `word` if it is 0 and there is one. */
struct setting {
    char text[12];
};

static struct setting setting_of(uint32_t value, const char *word)
{
    struct setting setting;
    if (value == 0 && word != NULL)
        snprintf(setting.text, sizeof setting.text, "%s", word);
    else
        snprintf(setting.text, sizeof setting.text, "%" PRIu32, value);
    return setting;
}

void network_trace_header(char text[NETWORK_HEADER_SIZE], const struct topology *topology,
                          const struct routing *routing, const struct network_settings *settings)
{
    char shape[TOPOLOGY_TEXT_SIZE];
    bool is_stored = settings->switching == SWITCHING_STORE_AND_FORWARD;
    /* A broken mesh has labels of its own, which a reader of the trace does not know */
    bool has_own_labels = routing == &routing_label && topology_is_broken(topology);
    shape_text(&topology->shape, shape);
    snprintf(text, NETWORK_HEADER_SIZE,
             "meshcast-network 1 %s switching=%s vcs=%" PRIu32 " buffer=%s injection=%s "
             "consumption=%s startup=%" PRIu32 " startup-mode=%s router-delay=%" PRIu32
             " ports=%s release=%s routing=%s",
             shape, SWITCHING[settings->switching], settings->vcs,
             setting_of(settings->buffer, is_stored ? "any" : NULL).text,
             setting_of(settings->is_one_port ? 1 : settings->injection, "links").text,
             setting_of(settings->consumption, "links").text, settings->startup,
             settings->startup_is_per_port ? "per-port" : "serial", settings->router_delay,
             settings->is_one_port ? "one" : "all",
             settings->releases_when_left ? "left" : "entered",
             has_own_labels ? routing_link.name : routing->name);
}

void network_trace_begin(FILE *out, const struct topology *topology, const struct routing *routing,
                         const struct network_settings *settings)
{
    char header[NETWORK_HEADER_SIZE];
    network_trace_header(header, topology, routing, settings);
    fprintf(out, "%s\n", header);
}

/* Writes the number before `end`; returns where it begins. */
static char *write_number(char *end, uint64_t number)
{
    do {
        *--end = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return end;
}

/* Returns the number of fields of the event's line after its letter. */
static int fields_of(const struct network_event *event)
{
    uint32_t kind = event->kind;
    return kind == 'P' ? 3 : kind == 'W' ? 4 + (event->field[4] > 0) : kind == 'F' ? 6 : 5;
}

/* Writes the event's line before `end`; returns where it begins. */
static char *write_line(char *end, uint64_t cycle, const struct network_event *event)
{
    *--end = '\n';
    for (int i = fields_of(event) - 1; i >= 0; i--) {
        end = write_number(end, event->field[i]);
        *--end = ' ';
    }
    *--end = (char)event->kind;
    *--end = ' ';
    return write_number(end, cycle);
}

static void write_events(void *context, uint64_t cycle, const struct network_event *event,
                         size_t count)
{
    char text[64 * LINE_SIZE], *const end = text + sizeof text, *at = end;
    while (count > 0 && !ferror(context)) { /* as many as there is memory for, the last one first */
        size_t now = count < 64 ? count : 64;
        at = end;
        for (size_t i = now; i > 0; i--)
            at = write_line(at, cycle, &event[i - 1]);
        fwrite(at, 1, (size_t)(end - at), context);
        event += now;
        count -= now;
    }
}

struct network_observer network_trace_observer(FILE *out)
{
    return (struct network_observer){.context = out, .events = write_events};
}
