/* command_info.c - `meshcast info`: what a message set asks of its mesh.
 *
 * Method: the figures are those of workloads/instance.h; the histograms count messages by degree and
 * nodes by congestion in buckets 0, 1, 2-3, 4-7, ..., each twice as wide as the last, so that a
 * power law fits on a screen. The lower bounds are each named with what attains it; those of copies
 * are left out where copies are free.
 *
 * Cost: that of the bounds (workloads/lower_bound.c), and a count a node.
 */
#include "cli/command.h"
#include "console/available_memory.h"
#include "console/report.h"
#include "console/run_options.h"
#include "workloads/instance.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 34, BAR_WIDTH = 40 }; /* 0, then one for each bit of a uint32_t */

struct histogram {
    uint64_t count[BUCKETS];
};

struct info_options {
    bool json, force;
    uint32_t copy; /* an index of run_copy_names */
};

static const struct option_row rows[] = {
    {.name = "json",
     .help = "print JSON instead of a table",
     .type = OPTION_FLAG,
     .offset = offsetof(struct info_options, json)},
    {.name = "copy",
     .value = "unit|free",
     .help = "what a copy costs: a step (the default), or nothing; without the bounds that\n"
             "hold only where a copy costs a step",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct info_options, copy),
     .choices = run_copy_names},
    AVAILABLE_MEMORY_FORCE_ROW(struct info_options, force),
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

static struct histogram degree_histogram(const struct message_set *set)
{
    struct histogram histogram = {{0}};
    for (uint32_t i = 0; i < set->messages; i++)
        histogram_add(&histogram, (uint32_t)(set->offset[i + 1] - set->offset[i]));
    return histogram;
}

static enum failure_kind congestion_histogram(const struct message_set *set,
                                              struct histogram *histogram, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(set->mesh);
    uint32_t *received = memory_allocate(nodes, sizeof *received);
    *histogram = (struct histogram){{0}};
    if (received == NULL)
        return fail_memory(failure, "the congestion of the nodes");
    for (uint64_t i = 0; i < set->deliveries; i++)
        received[set->destination[i]]++;
    for (uint32_t node = 0; node < nodes; node++)
        histogram_add(histogram, received[node]);
    free(received);
    return FAIL_NONE;
}

static json_t *histogram_json(const struct histogram *histogram)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < BUCKETS; i++) {
        if (histogram->count[i] == 0)
            continue;
        json_array_append_new(
            array, json_pack("{s:I, s:I, s:I}", "from", (json_int_t)bucket_from(i), "to",
                             (json_int_t)bucket_to(i), "count", (json_int_t)histogram->count[i]));
    }
    return array;
}

/* Bytes of each router as `route` runs it without options, the set included. */
static uint64_t memory_of(const struct instance *instance, uint32_t router)
{
    struct router_options options = router_options_default();
    return message_set_footprint(&instance->set) +
           router_footprint(router_at(router), instance, &options);
}

static json_t *memory_json(const struct instance *instance)
{
    json_t *object = json_object();
    for (uint32_t i = 0; i < router_count(); i++)
        json_object_set_new(object, router_at(i)->name,
                            json_integer((json_int_t)memory_of(instance, i)));
    return object;
}

static json_t *bounds_json(const struct lower_bounds *bounds, bool copy_is_free)
{
    json_t *object = json_object();
    for (int i = 0; i < BOUND_KINDS; i++)
        if (!copy_is_free || !lower_bound_is_of_copies((enum lower_bound_kind)i))
            json_object_set_new(object, lower_bound_name((enum lower_bound_kind)i),
                                json_integer((json_int_t)bounds->steps[i]));
    return object;
}

static json_t *info_json(const struct instance *instance, bool copy_is_free,
                         const struct histogram *degrees, const struct histogram *congestions)
{
    const struct message_set *set = &instance->set;
    return json_pack(
        "{s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:o, s:I, s:s, s:o, s:o, s:o}",
        "meshcast", MESHCAST_VERSION, "set", report_json_text(instance->name), "rows",
        (json_int_t)set->mesh.rows, "cols", (json_int_t)set->mesh.cols, "nodes",
        (json_int_t)mesh_nodes(set->mesh), "messages", (json_int_t)set->messages, "degree",
        (json_int_t)instance->degree, "congestion", (json_int_t)instance->congestion, "deliveries",
        (json_int_t)set->deliveries, "sqrt_cn", instance->sqrt_cn, "lower_bounds",
        bounds_json(&instance->bounds, copy_is_free), "lower_bound",
        (json_int_t)instance_lower_bound(instance, copy_is_free), "lower_bound_kind",
        instance_lower_bound_name(instance, copy_is_free), "degree_histogram",
        histogram_json(degrees), "congestion_histogram", histogram_json(congestions), "memory",
        memory_json(instance));
}

static void print_bucket(const struct histogram *histogram, uint32_t bucket, uint64_t largest)
{
    static const char bar[] = "########################################"; /* BAR_WIDTH */
    char range[48];
    uint64_t count = histogram->count[bucket];
    uint64_t length = count * BAR_WIDTH / largest;
    if (count > 0 && length == 0)
        length = 1;
    if (bucket < 2)
        snprintf(range, sizeof range, "%" PRIu32, bucket);
    else
        snprintf(range, sizeof range, "%" PRIu64 " - %" PRIu64, bucket_from(bucket),
                 bucket_to(bucket));
    printf("  %16s %12" PRIu64 "%s%.*s\n", range, count, length == 0 ? "" : "  ", (int)length, bar);
}

static void print_histogram(const char *heading, const struct histogram *histogram)
{
    uint64_t largest = 0;
    uint32_t first = BUCKETS, last = 0;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        if (histogram->count[i] == 0)
            continue;
        largest = histogram->count[i] > largest ? histogram->count[i] : largest;
        first = i < first ? i : first;
        last = i;
    }
    if (largest == 0)
        return;
    putchar('\n');
    report_print_heading(heading, stdout);
    for (uint32_t i = first; i <= last; i++)
        print_bucket(histogram, i, largest);
}

/* Why a bound holds: the rectangle, and the terms of the sum. */
static void print_reason(enum lower_bound_kind kind, const struct bound_reason *reason)
{
    const struct rectangle *at = &reason->rectangle;
    printf("   %" PRIu32 " x %" PRIu32 " nodes from row %" PRIu32 ", column %" PRIu32 ": %" PRIu64
           " %s %" PRIu64 "%s",
           at->rows, at->cols, at->row, at->col, reason->messages,
           kind == BOUND_COPIES ? "copies," : "over", reason->links,
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
    report_print_heading("lower bounds, in steps; no router can need fewer", stdout);
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
        printf("  %-16s %10s\n", router_at(i)->name, memory_text(memory_of(instance, i), text));
}

static enum failure_kind print_info(const struct instance *instance,
                                    const struct info_options *options, struct failure *failure)
{
    struct histogram degrees = degree_histogram(&instance->set), congestions;
    if (congestion_histogram(&instance->set, &congestions, failure) != FAIL_NONE)
        return failure->kind;
    bool copy_is_free = options->copy != 0;
    if (options->json)
        return report_print_json(info_json(instance, copy_is_free, &degrees, &congestions), stdout,
                                 failure);
    report_print_instance(instance, copy_is_free, stdout);
    print_histogram("destinations of a message: how many messages", &degrees);
    print_histogram("messages to a node: how many nodes", &congestions);
    print_bounds(&instance->bounds, copy_is_free);
    print_memory(instance);
    return FAIL_NONE;
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    const struct info_options *info = options;
    struct instance instance;
    if (instance_read(&instance, operands->operand[0], available_memory_limit(info->force),
                      failure) != FAIL_NONE)
        return failure->kind;
    print_info(&instance, info, failure);
    instance_free(&instance);
    return failure->kind;
}

const struct command command_info = {
    .name = "info",
    .summary = "what a message set asks of its mesh: sizes, histograms, lower bounds, memory",
    .examples = "  meshcast info west.mcast\n"
                "  meshcast info west.mcast --json\n"
                "  meshcast gen --side 16 --pattern rmat | meshcast info -\n",
    .synopsis = "SET [--copy unit|free] [--json]",
    .operands = "SET, the message set to read ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct info_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0}},
    .run = run,
};
