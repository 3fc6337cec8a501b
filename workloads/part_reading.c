/* part_reading.c - what a rank counts while a set's text passes, and how its part is made of that.
 *
 * The names of messages are their sources in a set of version 1, else their numbers. Which it is a text of version 2
 * says at its end only: it is a set of version 1 if no source has come twice and no message has several packets.
 *
 * Cost: a bit per node of the mesh, 4 bytes per node of the rank, and as many once more in the end.
 */
#include "workloads/part_reading.h"

#include "base/extremes.h"
#include "workloads/message_set_private.h"

#include <stdlib.h>

enum failure_kind part_reading_open(struct part_reading *reading, const struct message_set *set,
                                    struct failure *failure)
{
    reading->is_refused = set->mesh.rows == 0;
    uint32_t nodes = reading->is_refused ? 0 : shape_nodes(&set->shape);
    if (!reading->is_refused)
        shape_band(&set->shape, reading->rank, reading->size, &reading->first, &reading->end);
    reading->is_source = memory_allocate_sparse(nodes / 64 + 1, sizeof *reading->is_source);
    reading->received = memory_allocate(reading->end - reading->first, sizeof *reading->received);
    return reading->is_source != NULL && reading->received != NULL
               ? FAIL_NONE
               : fail_memory(failure, "a part of a message set");
}

void part_reading_close(struct part_reading *reading)
{
    free(reading->is_source);
    free(reading->received);
}

/* ---- while the text passes ---- */

static void note_source(struct part_reading *reading, node_index source)
{
    uint64_t *word = &reading->is_source[source / 64], bit = UINT64_C(1) << source % 64;
    reading->has_repeats |= (*word & bit) != 0;
    *word |= bit;
}

void part_reading_pass(struct part_reading *reading, const struct message_set *set, uint32_t index)
{
    node_index source = set->source[index];
    uint32_t length = set->length != NULL ? set->length[index] : 0;
    uint32_t packets = length > 1 ? length : 1;
    uint64_t leaving = message_set_leaving(set, index);
    if (reading->is_refused)
        return;
    if (leaving > 0 || reading->is_sorted)
        note_source(reading, source);
    for (uint64_t i = set->offset[index]; i < set->offset[index + 1]; i++) {
        node_index node = set->destination[i];
        if (node == source)
            reading->home.deliveries += packets;
        else if (part_reading_keeps(reading, node))
            reading->received[node - reading->first] += packets;
    }
    if (leaving == 0) {
        reading->home.messages += packets;
        return;
    }
    reading->has_lengths |= packets > 1;
    reading->messages += packets;
    reading->deliveries += packets * leaving;
    reading->degree = larger_wide(reading->degree, leaving);
}

/* ---- at its end ---- */

static uint32_t most_of(const uint32_t *count, uint32_t counts)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < counts; i++)
        most = larger(most, count[i]);
    return most;
}

/* Takes the figures of the whole set, of which a rank counts those of its nodes. */
static enum failure_kind take_figures(const struct part_reading *reading, struct message_set *set,
                                      int version, struct failure *failure)
{
    uint32_t nodes = reading->end - reading->first;
    uint32_t *sent = memory_allocate(nodes, sizeof *sent);
    if (sent == NULL)
        return fail_memory(failure, "the messages of the nodes");
    for (uint32_t i = 0; i < set->messages; i++)
        sent[set->source[i] - reading->first]++;
    uint64_t most[] = {most_of(reading->received, nodes), most_of(sent, nodes)};
    free(sent);
    enum failure_kind kind = ranks_most(reading->ranks, most, 2, failure);
    set->is_part = true;
    set->home = reading->home;
    set->whole = (struct message_set_whole){.messages = (uint32_t)reading->messages,
                                            .deliveries = reading->deliveries,
                                            .degree = (uint32_t)reading->degree,
                                            .congestion = (uint32_t)most[0],
                                            .most_sent = (uint32_t)most[1],
                                            .version = version};
    return kind;
}

/* Puts the messages in order, if they are to be named by their sources, and gives them their numbers. */
static enum failure_kind order_messages(const struct part_reading *reading, struct message_set *set,
                                        int version, struct failure *failure)
{
    uint32_t repeated[2];
    uint64_t before, total;
    enum failure_kind kind = FAIL_NONE;
    bool ascends = true;
    for (uint32_t i = 1; i < set->messages; i++)
        ascends &= set->source[i - 1] < set->source[i];
    if (version != 1) {
        message_set_close_numbers(set);
        return FAIL_NONE;
    }
    free(set->number);
    set->number = NULL;
    if (!ascends)
        kind = message_set_sort_sources(set, repeated, failure);
    if (kind == FAIL_NONE)
        kind = ranks_sum_before(reading->ranks, ranks_rank(reading->ranks), set->messages, &before,
                                &total, failure);
    if (kind == FAIL_NONE)
        set->first_number = (uint32_t)before;
    return kind;
}

/* Makes a message of each packet. The version that the set then has: the mesh machine sorts it. */
static enum failure_kind fit_machine(const struct part_reading *reading, struct message_set *set,
                                     const char *name, uint64_t limit, int *version,
                                     struct failure *failure)
{
    enum failure_kind kind = message_set_check_mesh(set, name, failure);
    if (kind == FAIL_NONE && reading->has_lengths)
        kind = message_set_split_packets(set, name, reading->messages, reading->deliveries, limit,
                                         failure);
    if (kind != FAIL_NONE)
        return kind;
    free(set->length);
    set->length = NULL;
    *version = reading->has_lengths || reading->has_repeats ? 2 : 1;
    return FAIL_NONE;
}

enum failure_kind part_reading_finish(struct part_reading *reading, struct message_set *set,
                                      const char *name, uint64_t limit, struct failure *failure)
{
    int version;
    if (reading->home.deliveries > 0)
        message_set_drop_home(set);
    enum failure_kind kind = fit_machine(reading, set, name, limit, &version, failure);
    if (kind == FAIL_NONE)
        kind = order_messages(reading, set, version, failure);
    return kind == FAIL_NONE ? take_figures(reading, set, version, failure) : kind;
}
