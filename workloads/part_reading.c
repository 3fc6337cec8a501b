/* part_reading.c - what a rank counts while a set's text passes, and how its part is made of that.
 *
 * The names of messages are their sources in a set of version 1, else their numbers. Which it is a text of version 2
 * says at its end only: it is a set of version 1 if no source has come twice and no message has several packets. Until
 * that is settled incoming messages are kept with both names.
 *
 * Cost: a bit a node of the mesh; 8 bytes a delivery to them, 16 where names are not settled; 4 bytes a node of the rank in the end.
 */
#include "workloads/part_reading.h"

#include "base/extremes.h"
#include "base/parallel.h"
#include "workloads/message_set_private.h"

#include <stdlib.h>

enum failure_kind part_reading_open(struct part_reading *reading, const struct message_set *set,
                                    int version, struct failure *failure)
{
    struct mesh mesh = set->mesh;
    reading->version = version;
    reading->first = parallel_band_start(mesh.rows, reading->rank, reading->size) * mesh.cols;
    reading->end = parallel_band_start(mesh.rows, reading->rank + 1, reading->size) * mesh.cols;
    reading->names_are_sources = true;
    reading->is_refused = mesh.rows == 0;
    reading->is_source =
        memory_allocate_sparse(mesh_nodes(mesh) / 64 + 1, sizeof *reading->is_source);
    return reading->is_source != NULL ? FAIL_NONE : fail_memory(failure, "a part of a message set");
}

void part_reading_close(struct part_reading *reading)
{
    free(reading->is_source);
    incoming_free(&reading->by_source);
    incoming_free(&reading->by_number);
}

uint64_t part_reading_footprint(const struct part_reading *reading)
{
    return reading->by_source.bytes + reading->by_number.bytes;
}

/* ---- while the text passes ---- */

static void note_source(struct part_reading *reading, node_index source)
{
    uint64_t *word = &reading->is_source[source / 64], bit = UINT64_C(1) << source % 64;
    reading->has_repeats |= (*word & bit) != 0;
    *word |= bit;
}

static bool note_incoming(struct part_reading *reading, node_index source,
                          const node_index *destination, uint64_t count, uint32_t packets)
{
    bool is_noted = true;
    for (uint64_t i = 0; i < count && is_noted; i++) {
        node_index node = destination[i];
        if (!part_reading_keeps(reading, node))
            continue;
        if (reading->version == 2)
            is_noted =
                incoming_add(&reading->by_number, node, (uint32_t)reading->messages, packets);
        if (reading->names_are_sources)
            is_noted &= incoming_add(&reading->by_source, node, source, 1);
    }
    return is_noted;
}

enum failure_kind part_reading_pass(struct part_reading *reading, node_index source,
                                    const node_index *destination, uint64_t count, uint32_t packets,
                                    struct failure *failure)
{
    uint64_t deliveries = reading->deliveries + packets * count;
    bool is_noted = true;
    if (reading->is_refused)
        return FAIL_NONE;
    note_source(reading, source);
    reading->has_lengths |= packets > 1;
    reading->is_too_long |= reading->messages + packets >= UINT32_MAX || deliveries >= UINT32_MAX;
    if (reading->version == 2 && (reading->has_lengths || reading->has_repeats)) {
        reading->names_are_sources = false;
        incoming_free(&reading->by_source);
    }
    if (!reading->is_too_long)
        is_noted = note_incoming(reading, source, destination, count, packets);
    reading->messages += packets;
    reading->deliveries = deliveries;
    reading->degree = larger_wide(reading->degree, count);
    return is_noted ? FAIL_NONE : fail_memory(failure, "the incoming messages of a set");
}

/* ---- at its end ---- */

struct counting {
    uint32_t *count; /* [end - first] */
    node_index first;
    uint32_t most;
};

static void count_node(struct counting *counting, node_index node, uint32_t packets)
{
    uint32_t count = counting->count[node - counting->first] += packets;
    counting->most = count > counting->most ? count : counting->most;
}

static void count_incoming(void *context, node_index node, uint32_t message, uint32_t packets)
{
    (void)message;
    count_node(context, node, packets);
}

/* Takes the figures of the whole set, of which a rank counts those of its nodes. */
static enum failure_kind take_figures(const struct part_reading *reading, struct message_set *set,
                                      struct failure *failure)
{
    uint32_t nodes = reading->end - reading->first;
    struct counting received = {memory_allocate(nodes, sizeof(uint32_t)), reading->first, 0};
    struct counting sent = {memory_allocate(nodes, sizeof(uint32_t)), reading->first, 0};
    enum failure_kind kind = FAIL_NONE;
    if (received.count == NULL || sent.count == NULL) {
        kind = fail_memory(failure, "the messages of the nodes");
    } else {
        incoming_each(set->incoming, count_incoming, &received);
        for (uint32_t i = 0; i < set->messages; i++)
            count_node(&sent, set->source[i], 1);
        uint64_t most[2] = {received.most, sent.most};
        kind = ranks_most(reading->ranks, most, 2, failure);
        set->whole = (struct message_set_whole){.messages = (uint32_t)reading->messages,
                                                .deliveries = reading->deliveries,
                                                .degree = (uint32_t)reading->degree,
                                                .congestion = (uint32_t)most[0],
                                                .most_sent = (uint32_t)most[1],
                                                .version = reading->names_are_sources ? 1 : 2};
    }
    free(received.count);
    free(sent.count);
    return kind;
}

/* Puts the messages in order, if they are to be named by their sources, and gives them their numbers. */
static enum failure_kind order_messages(const struct part_reading *reading, struct message_set *set,
                                        struct failure *failure)
{
    uint32_t repeated[2];
    uint64_t before, total;
    enum failure_kind kind = FAIL_NONE;
    bool ascends = true;
    for (uint32_t i = 1; i < set->messages; i++)
        ascends &= set->source[i - 1] < set->source[i];
    if (!reading->names_are_sources) {
        message_set_close_numbers(set);
        return FAIL_NONE;
    }
    free(set->number);
    set->number = NULL;
    if (!ascends)
        kind = message_set_sort_sources(set, repeated, failure);
    if (kind == FAIL_NONE)
        kind = message_set_sum_before(reading->ranks, ranks_rank(reading->ranks), set->messages,
                                      &before, &total, failure);
    if (kind == FAIL_NONE)
        set->first_number = (uint32_t)before;
    return kind;
}

enum failure_kind part_reading_finish(struct part_reading *reading, struct message_set *set,
                                      const char *name, uint64_t limit, struct failure *failure)
{
    enum failure_kind kind = message_set_check_mesh(set, name, failure);
    if (kind == FAIL_NONE && reading->has_lengths)
        kind = message_set_split_packets(set, name, reading->messages, reading->deliveries, limit,
                                         failure);
    if (kind != FAIL_NONE)
        return kind;
    free(set->length);
    set->length = NULL;
    kind = order_messages(reading, set, failure);
    set->incoming = memory_allocate(1, sizeof *set->incoming);
    if (kind == FAIL_NONE && set->incoming == NULL)
        kind = fail_memory(failure, "the incoming messages of a set");
    if (kind != FAIL_NONE)
        return kind;
    struct incoming *incoming =
        reading->names_are_sources ? &reading->by_source : &reading->by_number;
    *set->incoming = *incoming;
    *incoming = (struct incoming){0};
    set->is_part = true;
    return take_figures(reading, set, failure);
}
