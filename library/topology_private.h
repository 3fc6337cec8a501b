/* topology_private.h - the handle of a topology. For library/ alone. */
#ifndef MESHCAST_LIBRARY_TOPOLOGY_PRIVATE_H
#define MESHCAST_LIBRARY_TOPOLOGY_PRIVATE_H

#include "library/handle_private.h"

struct meshcast_topology {
    struct topology topology;
    char text[TOPOLOGY_TEXT_SIZE];
};

#endif
