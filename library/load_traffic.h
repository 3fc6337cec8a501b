/* load_traffic.h - the destinations of nodes in `load`: uniform, by a permutation, or by the lists
 * of a set. */
#ifndef MESHCAST_LIBRARY_LOAD_TRAFFIC_H
#define MESHCAST_LIBRARY_LOAD_TRAFFIC_H

#include "network/open_loop.h"
#include "network/topology/topology.h"
#include "workloads/message_set.h"

#include <stdbool.h>

/* The default measurement of a point. */
#define LOAD_PRECISION 0.05 /* runs repeat until the mean is known within 5 %: --runs says so */
enum { LOAD_DEFAULT_RUNS = 20 };

struct load_traffic {
    const char *name; /* "uniform", the permutation, or the set */
    bool is_uniform;
    uint32_t destinations; /* of a permutation 1, of a set 0 */
    uint64_t *first, *offset;
    uint32_t *destination;
    struct destination_lists lists; /* points to the arrays */
    uint64_t hash;                  /* of the lists */
};

/* The user's choice. */
struct traffic_choice {
    const char *pattern;            /* of load_pattern_names; NULL: uniform */
    const struct message_set *set;  /* instead of a pattern; NULL: none */
    const char *set_name, *without; /* the file of --without, or NULL */
    uint64_t seed;                  /* of the permutation `random` */
};

/* Makes the traffic. FAIL_USAGE: there is no such pattern, it needs a mesh or torus of at most two
 * dimensions, the set is on another topology or has lengths, or no node sends anything. The caller
 * frees; the name is the caller's. */
enum failure_kind load_traffic_make(struct load_traffic *traffic, const struct topology *topology,
                                    const struct traffic_choice *choice, struct failure *failure);
void load_traffic_free(struct load_traffic *traffic);

/* The permutations that --pattern accepts. */
extern const struct name_family load_pattern_names;

#endif
