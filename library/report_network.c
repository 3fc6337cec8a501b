/* report_network.c - a burst on the network as JSON and as a table; the parts that `load` and `info` print too. */
#include "library/report_network.h"

#include "base/printable.h"
#include "library/meshcast.h"
#include "library/report.h"

#include <inttypes.h>
#include <string.h>

/* ---- JSON ---- */

/* A hash of the edges, which the number of nodes does not tell. */
static json_t *graph_json(const struct topology *topology)
{
    char text[24];
    if (topology->shape.kind != TOPOLOGY_GRAPH)
        return json_null();
    snprintf(text, sizeof text, "%016" PRIx64, topology_hash(topology));
    return json_string(text);
}

void report_set_topology(struct report_object *object, const struct topology *topology)
{
    report_set_shape(object, &topology->shape);
    report_set(object, "graph", graph_json(topology));
    report_set_count(object, "nodes", topology->nodes);
}

void report_set_network(struct report_object *object, const struct network_report *network)
{
    const struct network_settings *settings = network->settings;
    report_set_topology(object, network->topology);
    report_set(object, "switching", json_string(switching_names[settings->switching]));
    report_set_count(object, "vcs", settings->vcs);
    report_set_nonzero(object, "buffer", settings->buffer);
    report_set_nonzero(object, "injection", settings->injection);
    report_set_nonzero(object, "consumption", settings->consumption);
    report_set_count(object, "startup", settings->startup);
    report_set(object, "startup_mode",
               json_string(startup_mode_names[settings->startup_is_per_port]));
    report_set_count(object, "router_delay", settings->router_delay);
    report_set(object, "ports", json_string(ports_names[settings->is_one_port]));
    report_set(object, "release", json_string(release_names[settings->releases_when_left]));
    if (settings->header == STOPS_UNNAMED)
        return;
    report_set(object, "header", json_string(header_names[settings->header]));
    report_set_count(object, "flit_bits", settings->flit_bits);
}

json_t *report_scheme_parameters(const struct scheme *scheme, const struct scheme_choices *choices)
{
    struct report_object object = report_object_open();
    for (uint32_t i = 0; i < SCHEME_PARAMETERS && scheme->parameter[i].name != NULL; i++)
        report_set(&object, scheme->parameter[i].name,
                   json_string(scheme->parameter[i].choice[choices->choice[i]]));
    return report_object_close(&object);
}

json_t *report_flits_json(struct flits_range flits)
{
    char text[FLITS_TEXT];
    return flits.least == flits.most ? json_integer(flits.least)
                                     : json_string(flits_range_text(flits, text));
}

/* `next` is what it waits for. */
static json_t *wait_json(const struct network_wait *wait, const struct network_wait *next)
{
    struct report_object object = report_object_open();
    report_set_count(&object, "message", wait->message);
    report_set_count(&object, "source", wait->source);
    report_set_count(&object, "worm", wait->worm);
    report_set_count(&object, "node", wait->node);
    report_set_count(&object, "waits_for", wait->waits_for);
    report_set_count(&object, "waits_for_message", next->message);
    report_set_count(&object, "waits_for_worm", next->worm);
    report_set(&object, "needs", json_string(network_need_names[wait->need]));
    report_set_count(&object, "to", wait->to);
    return report_object_close(&object);
}

json_t *report_deadlock_json(const struct network_wait *wait, size_t waits)
{
    if (waits == 0)
        return json_null();
    json_t *array = json_array();
    for (size_t i = 0; i < waits; i++) {
        json_t *value = wait_json(&wait[i], &wait[wait[i].waits_for]);
        report_append(&array, value);
    }
    return array;
}

static uint32_t number_of(const json_t *object, const char *key)
{
    return (uint32_t)json_integer_value(json_object_get(object, key));
}

struct network_wait report_wait_read(const json_t *object, size_t waits)
{
    const char *need = json_string_value(json_object_get(object, "needs"));
    struct network_wait wait = {.message = number_of(object, "message"),
                                .worm = number_of(object, "worm"),
                                .node = number_of(object, "node"),
                                .waits_for = number_of(object, "waits_for"),
                                .source = number_of(object, "source"),
                                .to = number_of(object, "to")};
    wait.waits_for = wait.waits_for < waits ? wait.waits_for : 0;
    for (int i = 0; need != NULL && i < NETWORK_NEEDS; i++)
        if (strcmp(need, network_need_names[i]) == 0)
            wait.need = (enum network_need)i;
    return wait;
}

json_t *report_bounds_json(const struct network_bounds *bounds)
{
    struct report_object object = report_object_open();
    for (int i = 0; i < NETWORK_BOUND_KINDS; i++)
        report_set_count(&object, network_bound_names[i], bounds->cycles[i]);
    return report_object_close(&object);
}

/* ---- tables ---- */

/* "4 injection and 2 consumption channels per node", or how many as links. */
static void print_channels(uint32_t injection, uint32_t consumption, FILE *out)
{
    if (injection == 0 && consumption == 0)
        fputs("one injection and one consumption channel per link of a node", out);
    else if (injection == 0)
        fprintf(out, "as many injection channels as a node has links, %u consumption channel%s",
                consumption, report_plural(consumption));
    else if (consumption == 0)
        fprintf(out,
                "%u injection channel%s per node, as many consumption channels as it has links",
                injection, report_plural(injection));
    else
        fprintf(out, "%u injection and %u consumption channel%s per node", injection, consumption,
                report_plural(consumption));
}

void report_print_network(const struct network_report *network, FILE *out)
{
    const struct network_settings *settings = network->settings;
    fprintf(out, "%s, %u virtual channel%s", switching_names[settings->switching], settings->vcs,
            report_plural(settings->vcs));
    if (settings->switching != SWITCHING_STORE_AND_FORWARD)
        fprintf(out, " of %u flit%s", settings->buffer, report_plural(settings->buffer));
    else if (settings->buffer > 0)
        fprintf(out, ", %u message%s at a node at most", settings->buffer,
                report_plural(settings->buffer));
    fprintf(out, "; startup %u%s, router delay %u%s%s\n", settings->startup,
            settings->startup_is_per_port ? " a port" : "", settings->router_delay,
            settings->releases_when_left ? ", released when left" : "",
            settings->is_one_port ? ", one port" : "");
    if (settings->header != STOPS_UNNAMED)
        fprintf(out, "headers with a %s of stops, %u bits per flit\n",
                header_names[settings->header], settings->flit_bits);
    print_channels(settings->is_one_port ? 1 : settings->injection, settings->consumption, out);
    fputc('\n', out);
}

void report_print_scheme(const struct scheme *scheme, const struct scheme_choices *choices,
                         FILE *out)
{
    fputs(scheme->name, out);
    for (uint32_t i = 0; i < SCHEME_PARAMETERS && scheme->parameter[i].name != NULL; i++)
        fprintf(out, ", %s=%s", scheme->parameter[i].name,
                scheme->parameter[i].choice[choices->choice[i]]);
}
