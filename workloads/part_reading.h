/* part_reading.h - what a rank learns of the whole set while it reads the set's text (private to the reader).
 *
 * Every rank reads the whole text, so where the text is wrong all fail alike. A rank keeps the messages of its own
 * nodes, and counts all of them. A message of several packets counts as so many messages, since the
 * machine makes a message of each packet.
 */
#ifndef MESHCAST_WORKLOADS_PART_READING_H
#define MESHCAST_WORKLOADS_PART_READING_H

#include "workloads/message_set.h"

struct part_reading {
    /* The caller sets these: the part is that of rank `rank` of `size`. */
    struct ranks *ranks;
    uint32_t rank, size;

    node_index first, end; /* this rank's nodes: first .. end - 1 */
    /* So far, of all ranks, with every packet of a message: what leaves home, and what stays. */
    uint64_t messages, deliveries;
    struct home_count home;
    uint64_t degree;
    bool is_refused;  /* by the mesh machine, which has no such topology */
    bool has_lengths; /* of several packets */
    bool
        has_repeats; /* two messages have the same source, of those that leave home if the text is of version 2 */
    bool is_sorted;      /* the text is of version 1, whose messages are ordered by source */
    uint64_t *is_source; /* a bit for each node of the mesh */
    uint32_t *received;  /* [end - first]: messages for each node of the rank */
};

/* Begins, when the header has been read, with what the caller sets. part_reading_close() frees, after a
 * failure too. */
enum failure_kind part_reading_open(struct part_reading *reading, const struct message_set *set,
                                    struct failure *failure);
void part_reading_close(struct part_reading *reading);

/* Takes in message `index` of the set, which need not be kept. */
void part_reading_pass(struct part_reading *reading, const struct message_set *set, uint32_t index);

static inline bool part_reading_keeps(const struct part_reading *reading, node_index source)
{
    return source >= reading->first && source < reading->end;
}

/* Makes the messages that were kept a part of a set for the mesh machine. All ranks call it. */
enum failure_kind part_reading_finish(struct part_reading *reading, struct message_set *set,
                                      const char *name, uint64_t limit, struct failure *failure);

#endif
