/* command_info.c - the command `info`: the demands of a message set on its mesh and on the network.
 *
 * Method: the figures are counted, those of a set for the mesh machine by workloads/instance.h;
 * histograms count messages by degree and nodes by congestion, in buckets that double, so that a
 * power law fits on a screen. The lower bounds on the machine each have a reason; those of copies
 * are left out if copies are free. The bounds on the network are those of network/network_bound.h
 * for a burst of the whole set, with the network's default settings, a message without a length
 * having one flit.
 *
 * Cost: that of the bounds (workloads/lower_bound.c), and a count per node.
 */
#include "base/numbers.h"
#include "base/printable.h"
#include "library/chosen_messages.h"
#include "library/command_set.h"
#include "library/handle_private.h"
#include "library/report.h"
#include "library/report_network.h"
#include "library/run_options.h"
#include "library/table.h"
#include "network/network_bound.h"
#include "workloads/header_words.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

struct info_options {
    const char *topology, *without;
    uint32_t copy; /* an index of run_copy_names */
};

static const struct meshcast_option rows[] = {
    OPTION_CHOICE("copy", "unit|free", COMMON, struct info_options, copy, run_copy_names,
                  "what a copy costs: a step (the default), or nothing; without the bounds that\n"
                  "hold only where a copy costs a step"),
    OPTION_TOPOLOGY(COMMON, struct info_options, topology,
                    "of a graph its edges, graph:FILE, for bounds; else the set's topology"),
    OPTION_WITHOUT(RARE, struct info_options, without),
};

/* ---- counts ---- */

enum { HISTOGRAM_BUCKETS = 34 }; /* 0, then one per bit of a uint32_t, and a spare one */

/* Counts in buckets 0, 1, 2-3, 4-7, .., each twice as wide as the last. */
struct histogram {
    uint64_t count[HISTOGRAM_BUCKETS];
};

struct info {
    const struct instance *instance; /* bounded if the machine accepts the set */
    const struct topology *topology; /* NULL: it is a graph without its edges */
    bool is_routable, copy_is_free;
    struct set_figures figures;
    uint64_t flits;
    bool is_timed;
    uint32_t starts, longest_chain; /* of sets with times, .. */
    uint64_t waits;                 /* .. before their messages become packets */
    struct histogram degrees, received, sent;
    struct header_words headers;
    bool has_network_bounds; /* false: it is a graph without its edges */
    struct network_bounds network;
};

static void histogram_add(struct histogram *histogram, uint32_t value)
{
    uint32_t bucket = 0;
    for (; value != 0; value >>= 1)
        bucket++;
    histogram->count[bucket]++;
}

static uint64_t bucket_from(uint32_t bucket)
{
    return bucket == 0 ? 0 : (uint64_t)1 << (bucket - 1);
}

static uint64_t bucket_to(uint32_t bucket)
{
    return bucket == 0 ? 0 : ((uint64_t)1 << bucket) - 1;
}

static struct histogram histogram_of_degrees(const struct message_set *set)
{
    struct histogram histogram = {{0}};
    for (uint32_t i = 0; i < set->messages; i++)
        histogram_add(&histogram, (uint32_t)(set->offset[i + 1] - set->offset[i]));
    return histogram;
}

/* Counts the nodes by how often each is among the `count` ones of node[]. */
static enum failure_kind histogram_of_nodes(const struct message_set *set, const node_index *node,
                                            uint64_t count, struct histogram *histogram,
                                            struct failure *failure)
{
    uint32_t nodes = shape_nodes(&set->shape);
    uint32_t *times = memory_allocate(nodes, sizeof *times);
    *histogram = (struct histogram){{0}};
    if (times == NULL)
        return fail_memory(failure, "the messages of the nodes");
    for (uint64_t i = 0; i < count; i++)
        times[node[i]]++;
    for (uint32_t v = 0; v < nodes; v++)
        histogram_add(histogram, times[v]);
    free(times);
    return FAIL_NONE;
}

static uint32_t length_of(const struct message_set *set, uint32_t message)
{
    bool is_given = set->length != NULL && set->length[message] > 0;
    return is_given ? set->length[message] : 1;
}

/* ---- lower bounds ---- */

static struct multicast message_at(void *context, uint32_t index)
{
    const struct message_set *set = context;
    return set_multicast(set, index, length_of(set, index));
}

static struct timing timing_at(void *context, uint32_t index)
{
    return message_set_timing(context, index);
}

/* Finds the set's topology, with the edges of a graph that is named or given, and without its
 * faults. */
static enum failure_kind find_topology(const struct meshcast_command *command, struct info *info,
                                       struct instance *instance, struct topology *topology,
                                       struct failure *failure)
{
    const struct info_options *options = command->options;
    const struct message_set *set = &instance->set;
    if (options->topology == NULL && command->topology == NULL && set->shape.kind == TOPOLOGY_GRAPH)
        return FAIL_NONE;
    if (command_set_topology(command, set, options->topology, topology, failure) == FAIL_NONE &&
        command_break_set_topology(command, set, instance->name, options->without, false, topology,
                                   failure) == FAIL_NONE)
        info->topology = topology;
    if (info->topology != NULL && topology_is_broken(topology))
        instance->broken = topology;
    return failure->kind;
}

/* Finds the bounds on the network; a set on a graph has none without its edges. */
static enum failure_kind bound_network(struct info *info, struct failure *failure)
{
    const struct message_set *set = &info->instance->set;
    struct network_settings settings = network_settings_default();
    if (info->topology == NULL)
        return FAIL_NONE;
    const struct burst_messages messages = {
        set->messages, message_at, message_set_is_timed(set) ? timing_at : NULL, (void *)set};
    if (network_bound_burst(&info->network, info->topology, &settings, &messages, failure) ==
        FAIL_NONE)
        info->has_network_bounds = true;
    return failure->kind;
}

/* Counts the messages that cannot start at once, and those of the longest chain of waits. */
static enum failure_kind count_times(struct info *info, struct failure *failure)
{
    const struct message_set *set = &info->instance->set;
    uint32_t *chain = memory_allocate(set->messages, sizeof *chain), cyclic;
    if (chain == NULL)
        return fail_memory(failure, "the waits of messages");
    message_set_chains(set, chain, &cyclic, failure);
    for (uint32_t i = 0; i < set->messages; i++) {
        info->starts += chain[i] > 1 || (set->start != NULL && set->start[i] > 0);
        info->longest_chain = max_u32(info->longest_chain, chain[i]);
    }
    free(chain);
    info->is_timed = true;
    info->waits = message_set_waits(set);
    return failure->kind;
}

static enum failure_kind count(struct info *info, struct failure *failure)
{
    const struct message_set *set = &info->instance->set;
    info->degrees = histogram_of_degrees(set);
    for (uint32_t i = 0; i < set->messages; i++)
        info->flits += length_of(set, i);
    if (set_figures_measure(set, &info->figures, failure) == FAIL_NONE &&
        histogram_of_nodes(set, set->destination, set->deliveries, &info->received, failure) ==
            FAIL_NONE &&
        histogram_of_nodes(set, set->source, set->messages, &info->sent, failure) == FAIL_NONE)
        header_words_of(set, &info->headers, failure);
    return failure->kind;
}

/* Returns S = sqrt(l c n). */
static double sqrt_lcn(const struct info *info)
{
    return sqrt((double)info->figures.most_sent * (double)info->figures.congestion *
                (double)shape_nodes(&info->instance->set.shape));
}

/* ---- JSON ---- */

static json_t *machine_bounds_json(const struct lower_bounds *bounds, bool copy_is_free)
{
    struct report_object object = report_object_open();
    for (int i = 0; i < BOUND_KINDS; i++)
        if (!copy_is_free || !lower_bound_is_of_copies((enum lower_bound_kind)i))
            report_set_count(&object, lower_bound_name((enum lower_bound_kind)i), bounds->steps[i]);
    return report_object_close(&object);
}

/* Sets lower_bounds, lower_bound, .._kind and .._unit of the machine. */
static void set_machine_bounds(struct report_object *object, const struct info *info)
{
    const struct instance *instance = info->instance;
    report_set(object, "lower_bounds", machine_bounds_json(&instance->bounds, info->copy_is_free));
    report_set_count(object, KEY_LOWER_BOUND, instance_lower_bound(instance, info->copy_is_free));
    report_set(object, "lower_bound_kind",
               json_string(instance_lower_bound_name(instance, info->copy_is_free)));
    report_set(object, "lower_bound_unit", json_string("steps"));
}

/* Sets the same of the network. */
static void set_network_bounds(struct report_object *object, const struct info *info)
{
    const struct network_bounds *value = &info->network;
    bool is_known = info->has_network_bounds;
    report_set(object, "lower_bounds", is_known ? report_bounds_json(value) : json_null());
    report_set_if(object, KEY_LOWER_BOUND, is_known, value->lower_bound);
    report_set_word(object, "lower_bound_kind",
                    is_known ? network_bound_names[value->largest] : NULL);
    report_set(object, "lower_bound_unit", json_string("cycles"));
}

static json_t *network_json(const struct info *info)
{
    struct report_object object = report_object_open();
    set_network_bounds(&object, info);
    return report_object_close(&object);
}

static json_t *histogram_json(const struct histogram *histogram)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (histogram->count[i] == 0)
            continue;
        json_t *bucket =
            json_pack("{s:I, s:I, s:I}", "from", (json_int_t)bucket_from(i), "to",
                      (json_int_t)bucket_to(i), "count", (json_int_t)histogram->count[i]);
        report_append(&array, bucket);
    }
    return array;
}

static double mean_of(const struct header_figures *figures)
{
    return figures->messages > 0 ? (double)figures->words / figures->messages : 0;
}

static json_t *header_json(const struct header_figures *figures)
{
    struct report_object object = report_object_open();
    bool is_known = figures->messages > 0;
    report_set_count(&object, "messages", figures->messages);
    report_set_real(&object, "mean", is_known, mean_of(figures));
    report_set_if(&object, "largest", is_known, figures->largest);
    report_set_count(&object, "smallest_for", figures->smallest);
    return report_object_close(&object);
}

static json_t *headers_json(const struct header_words *words)
{
    struct report_object object = report_object_open();
    report_set_count(&object, "bits_per_word", words->bits);
    for (int kind = 0; kind < HEADER_KINDS; kind++)
        report_set(&object, header_kind_names[kind], header_json(&words->kind[kind]));
    report_set(&object, "smallest", header_json(&words->best));
    return report_object_close(&object);
}

static json_t *info_json(const struct info *info)
{
    const struct message_set *set = &info->instance->set;
    const struct set_figures *figures = &info->figures;
    struct report_object object = report_result_open();
    report_set(&object, "set", report_json_text(info->instance->name));
    report_set_shape(&object, &set->shape);
    if (info->is_routable) {
        report_set_count(&object, "rows", set->mesh.rows);
        report_set_count(&object, "cols", set->mesh.cols);
    }
    report_set_figures(&object, set, figures);
    report_set_home(&object, &set->home);
    report_set_missing(&object, info->topology);
    if (!info->is_routable)
        report_set_count(&object, "flits", info->flits);
    if (info->is_timed) {
        report_set_count(&object, "later_starts", info->starts);
        report_set_count(&object, "waits", info->waits);
        report_set_count(&object, "longest_chain", info->longest_chain);
    }
    report_set(&object, "sqrt_cn", json_real(sqrt_lcn(info)));
    if (info->is_routable)
        set_machine_bounds(&object, info);
    else
        set_network_bounds(&object, info);
    report_set(&object, "network", network_json(info));
    report_set(&object, "degree_histogram", histogram_json(&info->degrees));
    report_set(&object, "congestion_histogram", histogram_json(&info->received));
    report_set(&object, "sent_histogram", histogram_json(&info->sent));
    report_set(&object, "header_words", headers_json(&info->headers));
    return report_object_close(&object);
}

/* ---- the table ---- */

/* Prints a row per bucket, with a bar. */
static void print_histogram(const json_t *histogram, const char *of, const char *counted, FILE *out)
{
    static const char bar[] = "########################################";
    enum { BAR_WIDTH = sizeof bar - 1 };
    const struct figure columns[] = {{"range", of, FIGURE_TEXT, FIGURE_ALL, NULL},
                                     {"count", counted, FIGURE_COUNT, FIGURE_ALL, NULL},
                                     {"bar", "", FIGURE_TEXT, FIGURE_ALL, NULL},
                                     {0}};
    json_t *array = json_array(), *bucket;
    json_int_t largest = 1;
    size_t i;
    json_array_foreach(histogram, i, bucket)
    {
        json_int_t count = json_integer_value(json_object_get(bucket, "count"));
        largest = count > largest ? count : largest;
    }
    json_array_foreach(histogram, i, bucket)
    {
        json_int_t count = json_integer_value(json_object_get(bucket, "count"));
        int length = (int)(count * BAR_WIDTH / largest);
        report_append(&array, json_pack("{s:o, s:I, s:s%}", "range",
                                        figures_text(bucket, "{from}[ - {to}{to>1}]"), "count",
                                        count, "bar", bar, (size_t)(length > 0 ? length : 1)));
    }
    if (array == NULL || json_array_size(array) > 0) {
        fputc('\n', out);
        table_print_text(&(struct table){&(struct figures){{columns}}, array, false}, out);
    }
    json_decref(array);
}

/* Prints the lengths of headers that name the destinations, a row per kind. */
static void print_headers(const json_t *words, FILE *out)
{
    static const struct figure columns[] = {
        {"kind", "header", FIGURE_TEXT, FIGURE_ALL, NULL},
        {"mean", "mean", FIGURE_RATIO, FIGURE_ALL, NULL},
        {"largest", "largest", FIGURE_COUNT, FIGURE_ALL, NULL},
        {"best_for", "best for", FIGURE_COUNT, FIGURE_ALL, NULL},
        {0}};
    json_t *array = json_array();
    for (int kind = 0; kind <= HEADER_KINDS; kind++) {
        const char *name = kind < HEADER_KINDS ? header_kind_names[kind] : "smallest";
        const json_t *header = json_object_get(words, name);
        struct report_object row = report_object_copy(header);
        report_set(&row, "kind", json_string(name));
        if (kind < HEADER_KINDS && json_integer_value(json_object_get(header, "messages")) > 0)
            report_set(&row, "best_for", json_incref(json_object_get(header, "smallest_for")));
        report_append(&array, report_object_close(&row));
    }
    if (json_is_number(figures_find(words, "smallest.mean"))) {
        fputc('\n', out);
        figures_print_heading(
            words, "headers that name a message's destinations, in words of {bits_per_word:bit}",
            out);
        table_print_text(&(struct table){&(struct figures){{columns}}, array, false}, out);
    }
    json_decref(array);
}

/* Prints the reason of a bound: the rectangle, and the terms of the sum. */
static void print_reason(enum lower_bound_kind kind, const struct bound_reason *reason, FILE *out)
{
    const struct rectangle *at = &reason->rectangle;
    fprintf(out,
            "   %" PRIu32 " x %" PRIu32 " nodes from row %" PRIu32 ", column %" PRIu32 ": %" PRIu64
            " %s %" PRIu64 "%s",
            at->rows, at->cols, at->row, at->col, reason->messages,
            kind != BOUND_COPIES    ? "over"
            : reason->messages == 1 ? "copy,"
                                    : "copies,",
            reason->links,
            kind == BOUND_COPIES ? " a step"
            : reason->links == 1 ? " link"
                                 : " links");
    if (reason->before != 0)
        fprintf(out, ", from step %" PRIu32, reason->before + 1);
    if (reason->after != 0)
        fprintf(out, ", %" PRIu32 " more after it", reason->after);
}

static void print_machine_bounds(const struct lower_bounds *bounds, bool copy_is_free, FILE *out)
{
    enum lower_bound_kind best = lower_bound_best(bounds, copy_is_free);
    fputc('\n', out);
    report_print_heading("lower bounds on the mesh machine, in steps; no router can need fewer",
                         out);
    for (int i = 0; i < BOUND_KINDS; i++) {
        enum lower_bound_kind kind = (enum lower_bound_kind)i;
        if (copy_is_free && lower_bound_is_of_copies(kind))
            continue;
        fprintf(out, "%s %-16s %10" PRIu64, kind == best ? "*" : " ", lower_bound_name(kind),
                bounds->steps[kind]);
        if (bounds->reason[kind].links != 0)
            print_reason(kind, &bounds->reason[kind], out);
        fputc('\n', out);
    }
}

static void print_network_bounds(const struct info *info, FILE *out)
{
    fputc('\n', out);
    report_print_heading("lower bounds of a burst on the network, in cycles, with default settings",
                         out);
    if (!info->has_network_bounds)
        fputs("  they need the graph's edges: --topology graph:FILE\n", out);
    for (int i = 0; i < NETWORK_BOUND_KINDS && info->has_network_bounds; i++)
        fprintf(out, "%s %-16s %10" PRIu64 "\n", i == (int)info->network.largest ? "*" : " ",
                network_bound_names[i], info->network.cycles[i]);
}

/* Prints the first lines of a set that the machine does not accept. */
static void print_traffic(const struct message_set *set, const char *set_name, const json_t *json,
                          FILE *out)
{
    char shape[TOPOLOGY_TEXT_SIZE], name[PRINTABLE_NAME];
    shape_text(&set->shape, shape);
    fprintf(out, "%s: %s, ", printable_name(set_name, name), shape);
    figures_print_text(json, "{nodes:node}, {messages:message}, {deliveries:delivery}", out);
    figures_print_text(json, set->length != NULL ? ", {flits:flit}\n" : "\n", out);
    report_print_home(&set->home, message_set_given_messages(set),
                      message_set_given_deliveries(set), out);
    figures_print_text(json,
                       "degree d = {degree}, congestion c = {congestion}, l = {messages_per_node} "
                       "messages per node, sqrt(l c n) = {sqrt_cn:.1}\n",
                       out);
}

static void print_info(const struct info *info, const json_t *json, FILE *out)
{
    char text[TOPOLOGY_LONG_TEXT_SIZE];
    if (info->is_routable)
        report_print_instance(info->instance, info->copy_is_free, out);
    else
        print_traffic(&info->instance->set, info->instance->name, json, out);
    if (info->topology != NULL && topology_is_broken(info->topology)) {
        topology_text(info->topology, text);
        fprintf(out, "broken: %s\n", text);
    }
    if (info->is_timed)
        figures_print_text(json,
                           "{later_starts:message} cannot start at once, {waits:wait} for others, "
                           "longest chain of {longest_chain:message}\n",
                           out);
    print_histogram(json_object_get(json, "degree_histogram"), "destinations per message",
                    "messages", out);
    print_histogram(json_object_get(json, "congestion_histogram"), "messages to a node", "nodes",
                    out);
    if (!info->is_routable || info->figures.most_sent > 1)
        print_histogram(json_object_get(json, "sent_histogram"), "messages from a node", "nodes",
                        out);
    print_headers(json_object_get(json, "header_words"), out);
    if (info->is_routable)
        print_machine_bounds(&info->instance->bounds, info->copy_is_free, out);
    print_network_bounds(info, out);
}

/* ---- the run ---- */

/* Fits the set to the machine or, if that does not accept it, to the network. */
static enum failure_kind fit_machine(struct info *info, struct instance *instance,
                                     struct failure *failure)
{
    struct failure unfit = {0};
    enum failure_kind kind = message_set_fit_machine(&instance->set, instance->name, &unfit);
    info->is_routable = kind == FAIL_NONE;
    if (kind == FAIL_INPUT)
        message_set_leave_home(&instance->set, failure);
    else if (kind != FAIL_NONE)
        *failure = unfit;
    return failure->kind;
}

/* Reads the set. One with times keeps whole messages, as these wait for one another, until they are
 * counted. */
static enum failure_kind read_set(const struct meshcast_command *command, struct info *info,
                                  struct instance *instance, struct failure *failure)
{
    *instance = (struct instance){.name = command->operand[0]};
    if (command_read_set(command, 0, &instance->set, failure) != FAIL_NONE)
        return failure->kind;
    /* perhaps only messages from nodes to themselves have times */
    if (message_set_is_timed(&instance->set) &&
        message_set_leave_home(&instance->set, failure) != FAIL_NONE)
        return failure->kind;
    return message_set_is_timed(&instance->set) ? FAIL_NONE : fit_machine(info, instance, failure);
}

static void report_info(const struct info *info, struct meshcast_report *report,
                        struct failure *failure)
{
    if (report_take_json(report, info_json(info), NULL, failure) == FAIL_NONE)
        print_info(info, report->json, command_table(report));
}

static enum failure_kind measure(const struct meshcast_command *command, struct info *info,
                                 struct instance *instance, struct meshcast_report *report,
                                 struct failure *failure)
{
    struct topology topology;
    bool is_timed = message_set_is_timed(&instance->set);
    if (find_topology(command, info, instance, &topology, failure) != FAIL_NONE)
        return failure->kind;
    if ((!is_timed || count_times(info, failure) == FAIL_NONE) &&
        bound_network(info, failure) == FAIL_NONE && is_timed && command->set[0] == NULL)
        fit_machine(info, instance, failure);
    if (failure->kind == FAIL_NONE && info->is_routable &&
        instance_measure(instance, failure) == FAIL_NONE)
        instance_bound(instance, BOUNDS_ALL, failure);
    if (failure->kind == FAIL_NONE && count(info, failure) == FAIL_NONE)
        report_info(info, report, failure);
    if (info->topology != NULL)
        command_topology_free(command, &topology);
    return failure->kind;
}

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    const struct info_options *options = command->options;
    const struct meshcast_set *given = command->set[0];
    struct instance instance;
    struct info info = {.instance = &instance, .copy_is_free = options->copy != 0};
    if (given != NULL) {
        instance = given->instance;
        instance.name = "set";
        info.is_routable = given->is_routable;
    } else if (read_set(command, &info, &instance, failure) != FAIL_NONE) {
        instance_free(&instance);
        return failure->kind;
    }
    measure(command, &info, &instance, report, failure);
    if (given == NULL)
        instance_free(&instance);
    return failure->kind;
}

const struct meshcast_command_row command_info = {
    .name = "info",
    .summary = "what a message set asks: sizes, histograms, lower bounds",
    .examples = "  meshcast info west.mcast\n"
                "  meshcast info west.mcast --json\n"
                "  meshcast gen --side 16 --pattern rmat | meshcast info -\n"
                "  meshcast gen --topology torus:8x8x8 --pattern uniform | meshcast info -\n",
    .synopsis = "SET [--topology T] [--without FILE] [--copy unit|free] [--json|--csv]",
    .operands = "SET, the message set to read ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct info_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0}},
    .run = run,
};
