/* report_network.c - a burst on the network as JSON and as a table; the parts that `load` and
 * `info` also print. */
#include "library/report_network.h"

#include "base/printable.h"
#include "library/meshcast.h"
#include "library/table.h"

#include <inttypes.h>

/* ---- JSON ---- */

/* Returns a hash of the edges, which are not in the shape. */
static json_t *graph_json(const struct topology *topology)
{
    char text[24];
    if (topology->offset == NULL)
        return json_null();
    snprintf(text, sizeof text, "%016" PRIx64, topology_hash(topology));
    return json_string(text);
}

void report_set_topology(struct report_object *object, const struct topology *topology)
{
    report_set_shape(object, &topology->shape);
    report_set(object, "graph", graph_json(topology));
    report_set_count(object, "nodes", topology->nodes);
    report_set_missing(object, topology);
}

void report_set_missing(struct report_object *object, const struct topology *topology)
{
    if (topology == NULL || !topology_is_broken(topology))
        return;
    report_set_count(object, "missing_nodes", topology->dead_nodes);
    report_set_count(object, "missing_links", topology->missing_links);
}

void report_set_network(struct report_object *object, const struct topology *topology,
                        const struct network_settings *settings)
{
    report_set_topology(object, topology);
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

void report_set_latencies(struct report_object *object, bool has,
                          const struct latency_summary *latency)
{
    report_set_if(object, "median", has, latency->median);
    report_set_if(object, "p95", has, latency->p95);
    report_set_if(object, "p99", has, latency->p99);
    report_set_if(object, "max", has, latency->max);
}

void report_set_sent(struct report_object *object, uint64_t startups, uint64_t crossings)
{
    report_set_count(object, "startups", startups);
    report_set_count(object, KEY_CHANNEL_CROSSINGS, crossings);
}

void report_set_peaks(struct report_object *object, uint64_t buffer, uint64_t unsent)
{
    report_set_count(object, KEY_BUFFER_PEAK, buffer);
    report_set_count(object, "unsent_peak", unsent);
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

/* Returns the object of a wait for `next`. */
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

json_t *report_bounds_json(const struct network_bounds *bounds)
{
    struct report_object object = report_object_open();
    for (int i = 0; i < NETWORK_BOUND_KINDS; i++)
        report_set_count(&object, network_bound_names[i], bounds->cycles[i]);
    return report_object_close(&object);
}

/* ---- tables ---- */

void report_print_network(const json_t *json, FILE *out)
{
    figures_print_text(
        json,
        "{switching}, {vcs:virtual channel}"
        "[{switching=wormhole} of {buffer:flit}][{switching=cut-through} of {buffer:flit}]"
        "[{switching=circuit} of {buffer:flit}]"
        "[{switching=store-and-forward}, {buffer:message} per node at most]"
        "; startup {startup}[{startup_mode=per-port} per port], router delay {router_delay}"
        "[{release=left}, released when left][{ports=one}, one port]\n"
        "[headers with a {header} of stops, {flit_bits} bits per flit\n]",
        out);
    figures_print_text(
        json,
        "[{ports=all}{!injection}{!consumption}one injection and one ejection channel per link "
        "of a node]"
        "[{ports=all}{!injection}{?consumption}as many injection channels as a node has links]"
        "[{ports=one}one injection channel per node]"
        "[{ports=all}{injection:injection channel} per node]"
        "[{ports=one}{!consumption}, as many ejection channels as it has links]"
        "[{?injection}{ports=all}{!consumption}, as many ejection channels as it has links]"
        "[, {consumption:ejection channel}]\n",
        out);
}
