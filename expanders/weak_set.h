/* weak_set.h - a search for a set of inputs with few neighbours. */
#ifndef MESHCAST_EXPANDERS_WEAK_SET_H
#define MESHCAST_EXPANDERS_WEAK_SET_H

#include "expanders/adjacency.h"

/* k inputs that have `neighbours` distinct neighbours together: lambda <= neighbours / (r k). */
struct weak_set {
    uint32_t count, neighbours; /* count 0: none found yet */
    uint32_t *input;            /* [floor(c / r)], the first `count` in ascending order */
};

/* Allocates a set with room for floor(c / r) inputs. The caller frees with weak_set_free(). */
enum failure_kind weak_set_make(struct weak_set *set, const struct adjacency *adjacency,
                                struct failure *failure);
void weak_set_free(struct weak_set *set);

/* Returns neighbours / (r k); 1 for no set. */
double weak_set_lambda(const struct weak_set *set, const struct adjacency *adjacency);

/* Improves `set` by a search that starts from the `starts` inputs of start[] and from random ones
 * of `seed`, and sorts it. The neighbours are counted afresh at the end. FAIL_SYSTEM: no memory. */
enum failure_kind weak_set_search(struct weak_set *set, const struct adjacency *adjacency,
                                  const uint32_t *start, uint32_t starts, uint64_t seed,
                                  struct failure *failure);

#endif
