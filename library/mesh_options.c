/* mesh_options.c - reads and checks the options that say what a set is made on. */
#include "library/mesh_options.h"

#include "workloads/message_set.h"

#include <inttypes.h>
#include <stddef.h>

const struct meshcast_option mesh_option_rows[MESH_OPTION_ROWS] = {
    OPTION_NUMBER("rows", "R", RARE, struct mesh_options, rows, 1, MESH_MAX_SIDE,
                  "rows of the mesh, 1 to 32768"),
    OPTION_NUMBER("cols", "C", RARE, struct mesh_options, cols, 1, MESH_MAX_SIDE,
                  "columns of the mesh, 1 to 32768; at most 2^26 nodes in all"),
    OPTION_OTHER("side", "M", COMMON, struct mesh_options, side, option_parse_side,
                 "the mesh has M x M nodes; 20x31 is short for --rows 20 --cols 31"),
    OPTION_TOPOLOGY(
        COMMON, struct mesh_options, topology,
        "mesh:8x8x8, torus:16x16 or graph:FILE instead (1 to 8 sizes, the slowest\ndimension "
        "first; FILE is an edge list in which i and i + 1 are joined)"),
};

static enum failure_kind find_topology(const struct mesh_options *options, struct shape *shape,
                                       struct failure *failure)
{
    struct topology topology;
    if (options->side.rows != 0 || options->rows != 0 || options->cols != 0)
        return fail(failure, FAIL_USAGE,
                    "--topology says what --side, --rows and --cols do: give one or the other");
    if (topology_parse(&topology, options->topology, failure) != FAIL_NONE)
        return failure->kind;
    *shape = topology.shape;
    topology_free(&topology);
    return FAIL_NONE;
}

enum failure_kind mesh_options_shape(const struct mesh_options *options, struct shape *shape,
                                     struct failure *failure)
{
    struct mesh mesh = {options->rows, options->cols};
    *shape = (struct shape){0};
    if (options->topology != NULL)
        return find_topology(options, shape, failure);
    if (options->side.rows != 0 && (mesh.rows != 0 || mesh.cols != 0))
        return fail(failure, FAIL_USAGE,
                    "--side is short for --rows and --cols: give one or the other");
    if (options->side.rows != 0)
        mesh = options->side;
    if (mesh.rows == 0 && mesh.cols == 0)
        return FAIL_NONE;
    if (mesh.rows == 0 || mesh.cols == 0)
        return fail(
            failure, FAIL_USAGE,
            "missing --%s; a mesh needs --rows R --cols C, or --side M (others: --topology)",
            mesh.rows == 0 ? "rows" : "cols");
    if (!mesh_is_valid(mesh.rows, mesh.cols))
        return fail(failure, FAIL_USAGE, "%" PRIu32 " x %" PRIu32 " nodes are too many; at most %d",
                    mesh.rows, mesh.cols, MESH_MAX_NODES);
    *shape = shape_of_mesh(mesh);
    return FAIL_NONE;
}

void mesh_options_text(const struct mesh_options *options, const struct shape *shape, char *text,
                       size_t size)
{
    struct mesh mesh = mesh_of_shape(shape);
    if (mesh.rows != 0)
        snprintf(text, size, "--rows %" PRIu32 " --cols %" PRIu32, mesh.rows, mesh.cols);
    else if (options->topology != NULL)
        snprintf(text, size, "--topology %.200s", options->topology);
    else {
        char name[TOPOLOGY_TEXT_SIZE];
        shape_text(shape, name);
        snprintf(text, size, "--topology %s", name);
    }
}
