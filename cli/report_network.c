/* report_network.c - a burst on the network as JSON and as a table; the parts that `load` and `info` print too. */
#include "cli/report_network.h"

#include "base/printable.h"
#include "library/meshcast.h"
#include "library/report.h"

#include <inttypes.h>
#include <string.h>

enum { DEADLOCK_SHOWN = 12 };

/* ---- JSON ---- */

/* Of a number that has no value: null. */
static void set_or_null(struct report_object *object, const char *key, uint64_t number)
{
    report_set(object, key, number == 0 ? json_null() : json_integer((json_int_t)number));
}

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
    set_or_null(object, "buffer", settings->buffer);
    set_or_null(object, "injection", settings->injection);
    set_or_null(object, "consumption", settings->consumption);
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
        if (json_array_append_new(array, value) != 0) {
            json_decref(array);
            return NULL;
        }
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

static json_t *latency_json(const struct burst_result *result)
{
    const struct latency_summary *latency = &result->latency;
    if (result->counts.done == 0)
        return json_pack("{s:n, s:n, s:n, s:n, s:n}", "mean", "median", "p95", "p99", "max");
    return json_pack("{s:f, s:I, s:I, s:I, s:I}", "mean", latency->mean, "median",
                     (json_int_t)latency->median, "p95", (json_int_t)latency->p95, "p99",
                     (json_int_t)latency->p99, "max", (json_int_t)latency->max);
}

static json_t *busiest_json(const struct burst_result *result)
{
    if (result->busiest_flits == 0)
        return json_null();
    return json_pack("{s:I, s:I, s:I}", "from", (json_int_t)result->busiest_from, "to",
                     (json_int_t)result->busiest_to, "flits", (json_int_t)result->busiest_flits);
}

json_t *report_bounds_json(const struct network_bounds *bounds)
{
    struct report_object object = report_object_open();
    for (int i = 0; i < NETWORK_BOUND_KINDS; i++)
        report_set_count(&object, network_bound_names[i], bounds->cycles[i]);
    return report_object_close(&object);
}

static uint64_t missing_of(const struct burst_result *result)
{
    return result->expected - result->counts.deliveries;
}

/* Whether the run came to its end. */
static bool is_whole(const struct burst_report *report)
{
    return !report->result->is_partial && report->failure->kind == FAIL_NONE;
}

/* Whether there is a last delivery, be it the last until the run stopped. */
static bool has_cycles(const struct burst_report *report)
{
    return is_whole(report) || report->result->counts.deliveries > 0;
}

/* With a clock. */
static double microseconds(const struct burst_report *report, uint64_t cycles)
{
    return (double)cycles / (1000 * report->clock);
}

static uint64_t last_cycle(const struct burst_result *result)
{
    return result->counts.cycle > 0 ? result->counts.cycle - 1 : 0;
}

/* Returns null without a clock, or a time. */
static json_t *microseconds_json(const struct burst_report *report, uint64_t cycles, bool has)
{
    return has && report->clock > 0 ? json_real(microseconds(report, cycles)) : json_null();
}

json_t *report_burst_json(const struct burst_report *report)
{
    const struct burst_result *result = report->result;
    struct report_object object = report_object_open();
    report_set(&object, "meshcast", json_string(MESHCAST_VERSION));
    report_set(&object, "scheme", json_string(report->scheme->name));
    report_set(&object, "parameters", report_scheme_parameters(report->scheme, report->choices));
    report_set_network(&object, &report->network);
    report_set(&object, "flits", report_flits_json(report->flits));
    report_set(&object, "flits_asked",
               report->asked.least > 0 ? report_flits_json(report->asked) : json_null());
    report_set_count(&object, "messages", report->messages);
    report_set_count(&object, "deliveries", result->expected);
    report_set_home(&object, &report->set->home);
    report_set(&object, "cycles",
               has_cycles(report) ? json_integer((json_int_t)result->counts.last_delivery)
                                  : json_null());
    report_set(&object, "clock_ghz", report->clock > 0 ? json_real(report->clock) : json_null());
    report_set(&object, "microseconds",
               microseconds_json(report, result->counts.last_delivery, has_cycles(report)));
    report_set(&object, "lower_bound_microseconds",
               microseconds_json(report, result->bounds.lower_bound, true));
    report_set(&object, "stopped_in",
               is_whole(report) ? json_null() : json_integer((json_int_t)last_cycle(result)));
    report_set(&object, "latency", latency_json(result));
    report_set_count(&object, "startups", result->counts.startups);
    report_set_count(&object, "channel_crossings", result->counts.crossings);
    report_set(&object, "busiest_link", busiest_json(result));
    report_set_count(&object, "buffer_peak", result->counts.buffer_peak);
    report_set_count(&object, "unsent_peak", result->counts.unsent_peak);
    report_set_count(&object, "lower_bound", result->bounds.lower_bound);
    report_set(&object, "lower_bound_kind",
               json_string(network_bound_names[result->bounds.largest]));
    report_set(&object, "lower_bounds", report_bounds_json(&result->bounds));
    report_set(&object, "deadlock", report_deadlock_json(result->deadlock, result->waits));
    report_set_count(&object, "delivered", result->counts.deliveries);
    report_set_count(&object, "missing", missing_of(result));
    report_set(&object, "partial", json_boolean(result->is_partial));
    report_set_seed(&object, report->network.options->seed);
    report_set_count(&object, "threads", report->network.settings->threads);
    report_set(&object, "wall_seconds", json_real(report->seconds));
    if (report->failure->kind != FAIL_NONE)
        report_set(&object, "error", report_json_text(report->failure->text));
    return report_object_close(&object);
}

/* ---- tables ---- */

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* "4 injection and 2 consumption channels per node", or how many as links. */
static void print_channels(uint32_t injection, uint32_t consumption, FILE *out)
{
    if (injection == 0 && consumption == 0)
        fputs("one injection and one consumption channel per link of a node", out);
    else if (injection == 0)
        fprintf(out, "as many injection channels as a node has links, %u consumption channel%s",
                consumption, plural(consumption));
    else if (consumption == 0)
        fprintf(out,
                "%u injection channel%s per node, as many consumption channels as it has links",
                injection, plural(injection));
    else
        fprintf(out, "%u injection and %u consumption channel%s per node", injection, consumption,
                plural(consumption));
}

void report_print_network(const struct network_report *network, FILE *out)
{
    const struct network_settings *settings = network->settings;
    fprintf(out, "%s, %u virtual channel%s", switching_names[settings->switching], settings->vcs,
            plural(settings->vcs));
    if (settings->switching != SWITCHING_STORE_AND_FORWARD)
        fprintf(out, " of %u flit%s", settings->buffer, plural(settings->buffer));
    else if (settings->buffer > 0)
        fprintf(out, ", %u message%s at a node at most", settings->buffer,
                plural(settings->buffer));
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

static void print_need(const struct network_wait *wait, FILE *out)
{
    switch (wait->need) {
    case NEED_CONSUMPTION:
        fputs("a consumption channel\n", out);
        break;
    case NEED_LINK:
        fprintf(out, "a virtual channel of the link to node %" PRIu32 "\n", wait->to);
        break;
    case NEED_ROOM:
        fprintf(out, "room in the buffer at node %" PRIu32 "\n", wait->to);
        break;
    default:
        fputs("it stands before it in the buffer\n", out);
    }
}

/* Prints the cycle of worms, a line each; nothing where there is none. */
static void print_deadlock(const struct network_wait *wait, size_t waits, FILE *out)
{
    if (waits == 0)
        return;
    fprintf(out, "  deadlock: a cycle of %zu worm%s\n", waits, plural(waits));
    for (size_t i = 0; i < waits && i < DEADLOCK_SHOWN; i++) {
        const struct network_wait *next = &wait[wait[i].waits_for];
        fprintf(out,
                "    worm %" PRIu32 " of message %" PRIu32 " (from node %" PRIu32
                ") at node %" PRIu32 " waits for worm %" PRIu32 " of message %" PRIu32 ": ",
                wait[i].worm, wait[i].message, wait[i].source, wait[i].node, next->worm,
                next->message);
        print_need(&wait[i], out);
    }
    if (waits > DEADLOCK_SHOWN)
        fprintf(out, "    and %zu more (--json shows all)\n", waits - DEADLOCK_SHOWN);
}

/* " (--flits 4:20)" where the messages that are sent do not show what was asked. */
static void print_asked(struct flits_range asked, struct flits_range sent, FILE *out)
{
    char text[FLITS_TEXT];
    if (asked.least > 0 && (asked.least != sent.least || asked.most != sent.most))
        fprintf(out, " (--flits %s)", flits_range_text(asked, text));
}

static void print_title(const struct burst_report *report, FILE *out)
{
    char topology[TOPOLOGY_TEXT_SIZE], flits[FLITS_TEXT], name[PRINTABLE_NAME];
    shape_text(&report->network.topology->shape, topology);
    fprintf(out, "%s: %s, %" PRIu32 " message%s of %s flit%s", printable_name(report->name, name),
            topology, report->messages, plural(report->messages),
            flits_range_text(report->flits, flits), plural(report->flits.most));
    print_asked(report->asked, report->flits, out);
    fprintf(out, ", %" PRIu64 " deliver%s\n", report->result->expected,
            report->result->expected == 1 ? "y" : "ies");
    report_print_home(&report->set->home, message_set_given_messages(report->set),
                      message_set_given_deliveries(report->set), out);
    report_print_network(&report->network, out);
    fputs(report->is_best ? "\nscheme best: " : "\nscheme ", out);
    report_print_scheme(report->scheme, report->choices, out);
    fputc('\n', out);
}

/* A figure, or a dash where there is none. */
static void print_figure(const struct report_table *table, const char *name, bool has,
                         uint64_t figure, const char *note)
{
    if (has)
        report_print_count(table, name, figure, note);
    else
        report_print_ratio(table, name, 0, 0, note);
}

static void print_latency(const struct report_table *table, const struct burst_report *report)
{
    const struct burst_result *result = report->result;
    const struct latency_summary *latency = &result->latency;
    bool has = result->counts.done > 0;
    char note[96] = "cycles per message";
    if (!is_whole(report) && !has)
        snprintf(note, sizeof note, "no message was delivered to all");
    else if (!is_whole(report))
        snprintf(note, sizeof note, "cycles per message, of the %" PRIu64 " that were delivered",
                 result->counts.done);
    report_print_ratio(table, "latency, mean", latency->mean, has, note);
    print_figure(table, "  median", has, latency->median, "");
    print_figure(table, "  95th percentile", has, latency->p95, "");
    print_figure(table, "  99th percentile", has, latency->p99, "");
    print_figure(table, "  max", has, latency->max, "");
}

static void print_cycles(const struct report_table *table, const struct burst_report *report)
{
    const struct burst_result *result = report->result;
    char note[96];
    print_figure(table, "cycles", has_cycles(report), result->counts.last_delivery,
                 is_whole(report) ? "of the last delivery" : "of the last delivery so far");
    if (!is_whole(report))
        report_print_count(table, "stopped in cycle", last_cycle(result),
                           result->is_partial  ? "by an interruption"
                           : result->waits > 0 ? "by a deadlock"
                                               : "by a failed check");
    if (report->clock > 0) {
        snprintf(note, sizeof note, "at %g GHz; at least %.2f are needed", report->clock,
                 microseconds(report, result->bounds.lower_bound));
        report_print_ratio(table, "microseconds",
                           microseconds(report, result->counts.last_delivery), has_cycles(report),
                           note);
    }
    report_print_count(table, "lower bound", result->bounds.lower_bound,
                       network_bound_names[result->bounds.largest]);
    report_print_ratio(table, "cycles / lower bound", (double)result->counts.last_delivery,
                       is_whole(report) ? (double)result->bounds.lower_bound : 0, "");
}

static void print_loads(const struct report_table *table, const struct burst_result *result)
{
    char note[96];
    report_print_count(table, "startups", result->counts.startups, "worms that were sent");
    report_print_count(table, "channel crossings", result->counts.crossings, "flits over links");
    snprintf(note, sizeof note, "flits, node %" PRIu32 " to %" PRIu32, result->busiest_from,
             result->busiest_to);
    report_print_count(table, "busiest link", result->busiest_flits,
                       result->busiest_flits > 0 ? note : "");
}

void report_print_burst(const struct burst_report *report, FILE *out)
{
    const struct burst_result *result = report->result;
    const struct report_table table = report_table_for(NULL, 0, out);
    char note[96];
    print_title(report, out);
    print_cycles(&table, report);
    print_latency(&table, report);
    print_loads(&table, result);
    report_print_count(&table, "buffer peak", result->counts.buffer_peak,
                       report->network.settings->switching == SWITCHING_STORE_AND_FORWARD
                           ? "messages at a node"
                           : "flits in a buffer of a link");
    report_print_count(&table, "unsent peak", result->counts.unsent_peak,
                       "worms of a node that waited to be sent");
    snprintf(note, sizeof note, "%" PRIu64 " missing", missing_of(result));
    report_print_count(&table, "delivered", result->counts.deliveries, note);
    report_print_time(&table, report->seconds, report->network.settings->threads);
    print_deadlock(result->deadlock, result->waits, out);
}
