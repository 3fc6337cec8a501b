/* histogram.c - counts in buckets that double, as JSON and as bars. */
#include "cli/histogram.h"

#include "library/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BAR_WIDTH = 40 };

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

struct histogram histogram_of_degrees(const struct message_set *set)
{
    struct histogram histogram = {{0}};
    for (uint32_t i = 0; i < set->messages; i++)
        histogram_add(&histogram, (uint32_t)(set->offset[i + 1] - set->offset[i]));
    return histogram;
}

enum failure_kind histogram_of_nodes(const struct message_set *set, const node_index *node,
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

json_t *histogram_json(const struct histogram *histogram)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (histogram->count[i] == 0)
            continue;
        json_t *bucket =
            json_pack("{s:I, s:I, s:I}", "from", (json_int_t)bucket_from(i), "to",
                      (json_int_t)bucket_to(i), "count", (json_int_t)histogram->count[i]);
        if (json_array_append_new(array, bucket) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
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

void histogram_print(const char *heading, const struct histogram *histogram)
{
    uint64_t largest = 0;
    uint32_t first = HISTOGRAM_BUCKETS, last = 0;
    for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
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
