/* mesh_2d.c - which topologies are meshes of one or two dimensions. */
#include "schemes/mesh_2d.h"

enum failure_kind mesh_2d_check(const char *scheme, const struct topology *topology,
                                struct failure *failure)
{
    char shape[TOPOLOGY_TEXT_SIZE];
    if (topology->shape.kind == TOPOLOGY_MESH && topology->shape.dimensions <= 2)
        return FAIL_NONE;
    shape_text(&topology->shape, shape);
    return fail(failure, FAIL_USAGE,
                "scheme %s cannot run on %s: it needs a mesh of one or two dimensions; scheme dual "
                "would do",
                scheme, shape);
}
