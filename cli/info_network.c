/* info_network.c - what `info` tells of a set on the network: lower bounds of every set, and the rest of one
 * that the mesh machine does not take: other topologies, several messages per node, lengths.
 *
 * Method: the figures are counted; the bounds are those of network/network_bound.h for a burst of the whole set, with
 * the network's default settings, a message without a length having one flit.
 *
 * Cost: a count a node for the histograms, and that of the bounds.
 */
#include "cli/info_network.h"

#include "base/printable.h"
#include "cli/histogram.h"
#include "cli/info_headers.h"
#include "cli/report_network.h"
#include "library/meshcast.h" /* MESHCAST_VERSION */
#include "library/report.h"
#include "library/report_parts.h"
#include "network/network_bound.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct figures {
    uint32_t degree, congestion, most_sent;
    uint64_t flits;
    struct histogram degrees, received, sent;
    struct header_words headers;
    struct info_bounds bounds;
};

static uint32_t length_of(const struct message_set *set, uint32_t message)
{
    bool is_given = set->length != NULL && set->length[message] > 0;
    return is_given ? set->length[message] : 1;
}

/* ---- lower bounds ---- */

/* Adds every message to the bound. */
static void add_messages(const struct message_set *set, struct network_bound *bound)
{
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t first = set->offset[i];
        struct multicast multicast = {.source = set->source[i],
                                      .destinations = (uint32_t)(set->offset[i + 1] - first),
                                      .destination = set->destination + first,
                                      .flits = length_of(set, i)};
        network_bound_add(bound, i, &multicast);
    }
}

static enum failure_kind check_memory(const struct info_network *info,
                                      const struct message_set *set, struct failure *failure)
{
    enum {
        NODE_BYTES = 48
    }; /* of a bound on a graph; counts of nodes take less, one after the other */
    uint64_t bytes = message_set_footprint(set) + (uint64_t)shape_nodes(&set->shape) * NODE_BYTES;
    char what[320];
    snprintf(what, sizeof what, "measuring %.300s", info->name);
    return memory_check_limit(bytes, info->limit, what, failure);
}

enum failure_kind info_network_measure(const struct info_network *info,
                                       const struct message_set *set, struct info_bounds *bounds,
                                       struct failure *failure)
{
    struct topology topology;
    struct network_settings settings = network_settings_default();
    struct network_bound *bound = NULL;
    *bounds = (struct info_bounds){.is_known = false};
    if (info->topology == NULL && set->shape.kind == TOPOLOGY_GRAPH)
        return FAIL_NONE;
    if (check_memory(info, set, failure) != FAIL_NONE ||
        message_set_topology(set, info->topology, &topology, failure) != FAIL_NONE)
        return failure->kind;
    if (network_bound_make(&bound, &topology, &settings, failure) == FAIL_NONE) {
        add_messages(set, bound);
        *bounds = (struct info_bounds){.is_known = true, .value = network_bound_read(bound)};
    }
    network_bound_free(bound);
    topology_free(&topology);
    return failure->kind;
}

/* Sets lower_bounds, lower_bound, .._kind and .._unit. */
static void set_bounds(struct report_object *object, const struct info_bounds *bounds)
{
    const struct network_bounds *value = &bounds->value;
    bool is_known = bounds->is_known;
    report_set(object, "lower_bounds", is_known ? report_bounds_json(value) : json_null());
    report_set(object, "lower_bound",
               is_known ? json_integer((json_int_t)value->lower_bound) : json_null());
    report_set(object, "lower_bound_kind",
               is_known ? json_string(network_bound_names[value->largest]) : json_null());
    report_set(object, "lower_bound_unit", json_string("cycles"));
}

json_t *info_network_bounds_json(const struct info_bounds *bounds)
{
    struct report_object object = report_object_open();
    set_bounds(&object, bounds);
    return report_object_close(&object);
}

void info_network_print_bounds(const struct info_bounds *bounds)
{
    putchar('\n');
    report_print_heading("lower bounds of a burst on the network, in cycles, with default settings",
                         stdout);
    if (!bounds->is_known)
        puts("  they need the graph's edges: --topology graph:FILE");
    for (int i = 0; i < NETWORK_BOUND_KINDS && bounds->is_known; i++)
        printf("%s %-16s %10" PRIu64 "\n", i == (int)bounds->value.largest ? "*" : " ",
               network_bound_names[i], bounds->value.cycles[i]);
}

/* ---- sets that the machine does not take ---- */

static enum failure_kind compute(const struct info_network *info, const struct message_set *set,
                                 struct figures *figures, struct failure *failure)
{
    *figures =
        (struct figures){.degree = message_set_degree(set), .degrees = histogram_of_degrees(set)};
    if (check_memory(info, set, failure) != FAIL_NONE)
        return failure->kind;
    figures->congestion = message_set_congestion(set);
    figures->most_sent = message_set_most_sent(set);
    if (figures->congestion == UINT32_MAX || figures->most_sent == UINT32_MAX)
        return fail_memory(failure, "the messages of the nodes");
    for (uint32_t i = 0; i < set->messages; i++)
        figures->flits += length_of(set, i);
    if (histogram_of_nodes(set, set->destination, set->deliveries, &figures->received, failure) !=
            FAIL_NONE ||
        histogram_of_nodes(set, set->source, set->messages, &figures->sent, failure) != FAIL_NONE ||
        header_words_of(set, &figures->headers, failure) != FAIL_NONE)
        return failure->kind;
    return info_network_measure(info, set, &figures->bounds, failure);
}

/* S, the measure of a set of l messages per node. */
static double sqrt_lcn(const struct message_set *set, const struct figures *figures)
{
    return sqrt((double)figures->most_sent * (double)figures->congestion *
                (double)shape_nodes(&set->shape));
}

static json_t *figures_json(const struct info_network *info, const struct message_set *set,
                            const struct figures *figures)
{
    struct report_object object = report_object_open();
    report_set(&object, "meshcast", json_string(MESHCAST_VERSION));
    report_set(&object, "set", report_json_text(info->name));
    report_set_shape(&object, &set->shape);
    report_set_count(&object, "nodes", shape_nodes(&set->shape));
    report_set_count(&object, "messages", set->messages);
    report_set_count(&object, "degree", figures->degree);
    report_set_count(&object, "congestion", figures->congestion);
    report_set_count(&object, "messages_per_node", figures->most_sent);
    report_set_count(&object, "deliveries", set->deliveries);
    report_set_home(&object, &set->home);
    report_set_count(&object, "flits", figures->flits);
    report_set(&object, "sqrt_cn", json_real(sqrt_lcn(set, figures)));
    set_bounds(&object, &figures->bounds);
    report_set(&object, "network", info_network_bounds_json(&figures->bounds));
    report_set(&object, "degree_histogram", histogram_json(&figures->degrees));
    report_set(&object, "congestion_histogram", histogram_json(&figures->received));
    report_set(&object, "sent_histogram", histogram_json(&figures->sent));
    report_set(&object, "header_words", info_headers_json(&figures->headers));
    return report_object_close(&object);
}

static void print_figures(const struct info_network *info, const struct message_set *set,
                          const struct figures *figures)
{
    char shape[TOPOLOGY_TEXT_SIZE], name[PRINTABLE_NAME];
    shape_text(&set->shape, shape);
    printf("%s: %s, %" PRIu32 " nodes, %" PRIu32 " message%s, %" PRIu64 " deliver%s",
           printable_name(info->name, name), shape, shape_nodes(&set->shape), set->messages,
           set->messages == 1 ? "" : "s", set->deliveries, set->deliveries == 1 ? "y" : "ies");
    if (set->length != NULL)
        printf(", %" PRIu64 " flits", figures->flits);
    putchar('\n');
    report_print_home(&set->home, message_set_given_messages(set),
                      message_set_given_deliveries(set), stdout);
    printf("degree d = %" PRIu32 ", congestion c = %" PRIu32 ", l = %" PRIu32
           " messages per node, sqrt(l c n) = %.1f\n",
           figures->degree, figures->congestion, figures->most_sent, sqrt_lcn(set, figures));
    histogram_print("destinations of a message: how many messages", &figures->degrees);
    histogram_print("messages to a node: how many nodes", &figures->received);
    histogram_print("messages from a node: how many nodes", &figures->sent);
    info_headers_print(&figures->headers);
    info_network_print_bounds(&figures->bounds);
}

enum failure_kind info_network_print(const struct info_network *info, const struct message_set *set,
                                     struct failure *failure)
{
    struct figures figures;
    if (compute(info, set, &figures, failure) != FAIL_NONE)
        return failure->kind;
    if (report_form_is_data(info->form))
        return report_print_data(info->form, figures_json(info, set, &figures), NULL, failure);
    print_figures(info, set, &figures);
    return FAIL_NONE;
}
