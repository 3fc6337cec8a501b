/* mesh_2d.c - checks that a topology is a mesh, of at most two dimensions or of any number. */
#include "network/schemes/mesh_2d.h"

static enum failure_kind check(const char *scheme, const char *needed, bool can_run,
                               const struct topology *topology, struct failure *failure)
{
    char shape[TOPOLOGY_TEXT_SIZE];
    if (can_run)
        return FAIL_NONE;
    shape_text(&topology->shape, shape);
    return fail(failure, FAIL_USAGE,
                "scheme %s cannot run on %s: it needs %s; scheme dual would do", scheme, shape,
                needed);
}

enum failure_kind mesh_check(const char *scheme, const struct topology *topology,
                             struct failure *failure)
{
    return check(scheme, "a mesh", topology->shape.kind == TOPOLOGY_MESH, topology, failure);
}

enum failure_kind mesh_2d_check(const char *scheme, const struct topology *topology,
                                struct failure *failure)
{
    bool can_run = topology->shape.kind == TOPOLOGY_MESH && topology->shape.dimensions <= 2;
    return check(scheme, "a mesh of one or two dimensions", can_run, topology, failure);
}
