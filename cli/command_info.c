/* command_info.c - `meshcast info`: what a message set asks of its mesh and of the network.
 *
 * Method: the figures are those of workloads/instance.h; the histograms count messages by degree and
 * nodes by congestion. The lower bounds are each named with what attains it; those of copies are left out
 * where copies are free. info_network.c tells the bounds on the network, and all of a set that the mesh machine
 * does not take.
 *
 * Cost: that of the bounds (workloads/lower_bound.c), and a count a node.
 */
#include "cli/command.h"
#include "cli/histogram.h"
#include "cli/info_headers.h"
#include "cli/info_network.h"
#include "library/available_memory.h"
#include "library/report.h"
#include "library/report_parts.h"
#include "library/run_options.h"
#include "workloads/instance.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

struct info_options {
    struct report_form form;
    bool force;
    const char *topology;
    uint32_t copy; /* an index of run_copy_names */
};

static const struct meshcast_option rows[] = {
    REPORT_FORM_ROWS(struct info_options, form),
    {.name = "copy",
     .value = "unit|free",
     .is_common = true,
     .help = "what a copy costs: a step (the default), or nothing; without the bounds that\n"
             "hold only where a copy costs a step",
     .type = MESHCAST_OPTION_CHOICE,
     .offset = offsetof(struct info_options, copy),
     .choices = run_copy_names},
    {.name = "topology",
     .value = "T",
     .is_common = true,
     .help = "of a graph its edges, graph:FILE, for bounds; else the set's topology",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct info_options, topology),
     .is_topology = true},
    AVAILABLE_MEMORY_FORCE_ROW(struct info_options, force),
};

/* Bytes of each router as `route` runs it without options, the set included. */
static uint64_t memory_of(const struct instance *instance, uint32_t router)
{
    struct router_options options = router_options_default();
    return message_set_footprint(&instance->set) +
           router_footprint(router_at(router), instance, &options);
}

static bool router_takes(const struct instance *instance, uint32_t router)
{
    return instance->most_sent <= 1 || router_takes_many(router_at(router));
}

static json_t *memory_json(const struct instance *instance)
{
    struct report_object object = report_object_open();
    for (uint32_t i = 0; i < router_count(); i++)
        if (router_takes(instance, i))
            report_set_count(&object, router_at(i)->name, memory_of(instance, i));
    return report_object_close(&object);
}

static json_t *bounds_json(const struct lower_bounds *bounds, bool copy_is_free)
{
    struct report_object object = report_object_open();
    for (int i = 0; i < BOUND_KINDS; i++)
        if (!copy_is_free || !lower_bound_is_of_copies((enum lower_bound_kind)i))
            report_set_count(&object, lower_bound_name((enum lower_bound_kind)i), bounds->steps[i]);
    return report_object_close(&object);
}

struct histograms {
    struct histogram degrees, received, sent;
    struct header_words headers;
};

static json_t *info_json(const struct instance *instance, bool copy_is_free,
                         const struct info_bounds *network, const struct histograms *histograms)
{
    const struct message_set *set = &instance->set;
    struct report_object object = report_object_open();
    report_set(&object, "meshcast", json_string(MESHCAST_VERSION));
    report_set(&object, "set", report_json_text(instance->name));
    report_set_shape(&object, &set->shape);
    report_set_count(&object, "rows", set->mesh.rows);
    report_set_count(&object, "cols", set->mesh.cols);
    report_set_count(&object, "nodes", mesh_nodes(set->mesh));
    report_set_count(&object, "messages", set->messages);
    report_set_count(&object, "degree", instance->degree);
    report_set_count(&object, "congestion", instance->congestion);
    report_set_count(&object, "messages_per_node", instance->most_sent);
    report_set_count(&object, "deliveries", set->deliveries);
    report_set_home(&object, &set->home);
    report_set(&object, "sqrt_cn", json_real(instance->sqrt_cn));
    report_set(&object, "lower_bounds", bounds_json(&instance->bounds, copy_is_free));
    report_set_count(&object, "lower_bound", instance_lower_bound(instance, copy_is_free));
    report_set(&object, "lower_bound_kind",
               json_string(instance_lower_bound_name(instance, copy_is_free)));
    report_set(&object, "lower_bound_unit", json_string("steps"));
    report_set(&object, "network", info_network_bounds_json(network));
    report_set(&object, "degree_histogram", histogram_json(&histograms->degrees));
    report_set(&object, "congestion_histogram", histogram_json(&histograms->received));
    report_set(&object, "sent_histogram", histogram_json(&histograms->sent));
    report_set(&object, "header_words", info_headers_json(&histograms->headers));
    report_set(&object, "memory", memory_json(instance));
    return report_object_close(&object);
}

/* Why a bound holds: the rectangle, and the terms of the sum. */
static void print_reason(enum lower_bound_kind kind, const struct bound_reason *reason)
{
    const struct rectangle *at = &reason->rectangle;
    printf("   %" PRIu32 " x %" PRIu32 " nodes from row %" PRIu32 ", column %" PRIu32 ": %" PRIu64
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
        printf(", from step %" PRIu32, reason->before + 1);
    if (reason->after != 0)
        printf(", %" PRIu32 " more behind it", reason->after);
}

static void print_bounds(const struct lower_bounds *bounds, bool copy_is_free)
{
    enum lower_bound_kind best = lower_bound_best(bounds, copy_is_free);
    putchar('\n');
    report_print_heading("lower bounds on the mesh machine, in steps; no router can need fewer",
                         stdout);
    for (int i = 0; i < BOUND_KINDS; i++) {
        enum lower_bound_kind kind = (enum lower_bound_kind)i;
        if (copy_is_free && lower_bound_is_of_copies(kind))
            continue;
        printf("%s %-16s %10" PRIu64, kind == best ? "*" : " ", lower_bound_name(kind),
               bounds->steps[kind]);
        if (bounds->reason[kind].links != 0)
            print_reason(kind, &bounds->reason[kind]);
        putchar('\n');
    }
}

static void print_memory(const struct instance *instance)
{
    char text[32];
    putchar('\n');
    report_print_heading("memory of a run, about, in all", stdout);
    for (uint32_t i = 0; i < router_count(); i++)
        if (router_takes(instance, i))
            printf("  %-16s %10s\n", router_at(i)->name, memory_text(memory_of(instance, i), text));
}

static enum failure_kind print_info(const struct instance *instance,
                                    const struct info_options *options,
                                    const struct info_bounds *network, struct failure *failure)
{
    const struct message_set *set = &instance->set;
    struct histograms histograms = {.degrees = histogram_of_degrees(set)};
    if (histogram_of_nodes(set, set->destination, set->deliveries, &histograms.received, failure) !=
            FAIL_NONE ||
        histogram_of_nodes(set, set->source, set->messages, &histograms.sent, failure) !=
            FAIL_NONE ||
        header_words_of(set, &histograms.headers, failure) != FAIL_NONE)
        return failure->kind;
    bool copy_is_free = options->copy != 0;
    if (report_form_is_data(options->form))
        return report_print_data(
            options->form, info_json(instance, copy_is_free, network, &histograms), NULL, failure);
    report_print_instance(instance, copy_is_free, stdout);
    histogram_print("destinations of a message: how many messages", &histograms.degrees);
    histogram_print("messages to a node: how many nodes", &histograms.received);
    if (instance->most_sent > 1)
        histogram_print("messages from a node: how many nodes", &histograms.sent);
    info_headers_print(&histograms.headers);
    print_bounds(&instance->bounds, copy_is_free);
    info_network_print_bounds(network);
    print_memory(instance);
    return FAIL_NONE;
}

/* A set that the mesh machine takes; the network takes it, too. */
static enum failure_kind tell_machine(struct instance *instance, const struct info_options *options,
                                      const struct info_network *info, struct failure *failure)
{
    struct info_bounds bounds;
    if (info_network_measure(info, &instance->set, &bounds, failure) != FAIL_NONE ||
        instance_measure(instance, info->limit, failure) != FAIL_NONE ||
        instance_bound(instance, BOUNDS_ALL, NULL, info->limit, failure) != FAIL_NONE)
        return failure->kind;
    return print_info(instance, options, &bounds, failure);
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    const struct info_options *info = options;
    const char *path = operands->operand[0];
    struct instance instance = {.name = path};
    struct failure unfit = {0};
    uint64_t limit = available_memory_limit(info->force);
    if (report_form_check(info->form, NULL, NULL, failure) != FAIL_NONE ||
        message_set_read_within(&instance.set, path, NULL, limit, failure) != FAIL_NONE)
        return failure->kind;
    report_cut_set(&instance.set, path);
    enum failure_kind kind = message_set_fit_machine(&instance.set, path, limit, &unfit);
    struct info_network network = {path, info->topology, info->form, limit};
    if (kind == FAIL_NONE)
        tell_machine(&instance, info, &network, failure);
    else if (kind == FAIL_INPUT && message_set_leave_home(&instance.set, failure) == FAIL_NONE)
        info_network_print(&network, &instance.set, failure);
    else if (kind != FAIL_INPUT)
        *failure = unfit;
    instance_free(&instance);
    return failure->kind;
}

const struct command command_info = {
    .name = "info",
    .summary = "what a message set asks: sizes, histograms, lower bounds, memory",
    .examples = "  meshcast info west.mcast\n"
                "  meshcast info west.mcast --json\n"
                "  meshcast gen --side 16 --pattern rmat | meshcast info -\n"
                "  meshcast gen --topology torus:8x8x8 --pattern uniform | meshcast info -\n",
    .synopsis = "SET [--topology T] [--copy unit|free] [--json|--csv]",
    .operands = "SET, the message set to read ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct info_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0}},
    .run = run,
};
