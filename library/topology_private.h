/* topology_private.h - the handle of a topology. For library/ alone. */
#ifndef MESHCAST_LIBRARY_TOPOLOGY_PRIVATE_H
#define MESHCAST_LIBRARY_TOPOLOGY_PRIVATE_H

#include "library/handle_private.h"
#include "library/meshcast_topology.h"

struct meshcast_topology {
    struct topology topology;
    char text[TOPOLOGY_TEXT_SIZE];
};

/* Sets *topology to the one that is given, or, if that is NULL, to *own, which becomes the set's mesh or
 * torus and needs no topology_free(). FAIL_USAGE: the given one has another shape, or none is given for a
 * graph. */
enum failure_kind topology_for(const struct meshcast_topology *given,
                               const struct meshcast_set *set, struct topology *own,
                               const struct topology **topology, struct failure *failure);

#endif
