/* plain_set.h - message sets as arrays, made and read by the public headers. A set that cannot be
 * made ends the test. */
#ifndef MESHCAST_TEST_PLAIN_SET_H
#define MESHCAST_TEST_PLAIN_SET_H

#include "library/meshcast.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct grid {
    uint32_t rows, cols;
};

static inline uint32_t grid_nodes(struct grid grid)
{
    return grid.rows * grid.cols;
}

/* Message i goes from source[i] to destination[offset[i]] .. destination[offset[i + 1] - 1]. */
struct plain_set {
    struct grid mesh; /* of other topologies: one row of nodes */
    uint32_t messages, *source, *destination, *flits;
    uint64_t *offset, deliveries, deliveries_at_home;
    uint32_t degree, congestion, most_sent; /* d, c and l; deliveries at home do not count */
    struct meshcast_set *handle;
};

/* Takes over `handle`, which may not be NULL. */
void plain_set_of(struct plain_set *set, struct meshcast_set *handle);

/* Makes the set of this text, in the format of a message set's file. */
void plain_set_parse(struct plain_set *set, const char *text);

/* Makes a set of messages, or of pairs of source and destination. */
void plain_set_make(struct plain_set *set, struct grid mesh, uint32_t messages,
                    const uint32_t *source, const uint64_t *offset, const uint32_t *destination);
void plain_set_pairs(struct plain_set *set, struct grid mesh, uint64_t pairs, const uint32_t *from,
                     const uint32_t *to);

/* Makes the set without deliveries to the messages' own sources. */
void plain_set_leave_home(struct plain_set *set);

/* Makes a set with `gen`, whose further options are words "NAME=VALUE"; d or c of 0: the pattern's
 * default. False: the pattern refuses them. */
bool plain_set_gen(struct plain_set *set, const char *pattern, struct grid mesh, uint32_t degree,
                   uint32_t congestion, uint64_t seed, const char *options);

/* Returns the name of message `index` in traces. */
uint32_t plain_set_name(const struct plain_set *set, uint32_t index);

void plain_set_free(struct plain_set *set);

#endif
