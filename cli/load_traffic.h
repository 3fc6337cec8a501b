/* load_traffic.h - to whom nodes send in `load`: uniform, by a permutation, or by the lists of a set. */
#ifndef MESHCAST_CLI_LOAD_TRAFFIC_H
#define MESHCAST_CLI_LOAD_TRAFFIC_H

#include "network/open_loop.h"
#include "topology/topology.h"

#include <stdbool.h>

struct load_traffic {
    const char *name; /* "uniform", the permutation, or the set */
    bool is_uniform;
    uint32_t destinations; /* of a permutation 1, of a set 0 */
    uint64_t *first, *offset;
    uint32_t *destination;
    struct destination_lists lists; /* points to the arrays */
    uint64_t hash;                  /* of the lists */
};

/* `pattern` and `set` may be NULL; at most one is given. FAIL_USAGE: there is no such pattern, it needs a mesh or torus
 * of at most two dimensions, the set is on another topology, or no node sends anything; else as message_set_read_within(). The caller frees. */
enum failure_kind load_traffic_make(struct load_traffic *traffic, const struct topology *topology,
                                    const char *pattern, const char *set, uint64_t seed,
                                    uint64_t limit, struct failure *failure);
void load_traffic_free(struct load_traffic *traffic);

/* The permutations that --pattern takes. */
extern const struct name_family load_pattern_names;

#endif
