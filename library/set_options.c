/* set_options.c - the options of commands that make sets: the shape of a set, the inputs of
 * patterns, and the volume of a message.
 */
#include "library/set_options.h"

#include "base/text_scan.h"
#include "workloads/message_set.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* ---- the shape of a set ---- */

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
        return fail(failure, FAIL_USAGE, "missing --%s; a mesh needs --rows R --cols C",
                    mesh.rows == 0 ? "rows" : "cols");
    if (!mesh_is_valid(mesh.rows, mesh.cols))
        return fail(failure, FAIL_USAGE, "%" PRIu32 " x %" PRIu32 " nodes are too many; at most %d",
                    mesh.rows, mesh.cols, MESH_MAX_NODES);
    *shape = shape_of_mesh(mesh);
    return FAIL_NONE;
}

int option_parse_parts(void *list, char *value, struct failure *failure)
{
    struct part_list *parts = list;
    parts->count = 0;
    for (char *next, *word = value; word != NULL; word = next) {
        next = strchr(word, ',');
        if (next != NULL)
            *next++ = '\0';
        if (*word == '\0')
            return fail(failure, FAIL_USAGE, "a list has an empty word; write A,B without blanks");
        if (parts->count == PARTS_MOST)
            return fail(failure, FAIL_USAGE, "--parts takes %d files at most", PARTS_MOST);
        parts->file[parts->count++] = word;
    }
    return FAIL_NONE;
}

/* ---- the inputs of patterns ---- */

/* Parses a number above 0, at most 1. */
static int parse_active(void *field, char *value, struct failure *failure)
{
    const char *at = value;
    double *active = field;
    if (scan_fraction(&at, value + strlen(value), active) && *at == '\0' && *active > 0 &&
        *active <= 1)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "--active takes a number above 0, at most 1, such as 0.04, not '%.40s'", value);
}

/* Parses a number of groups, or the name of a file that has them. */
static int parse_groups(void *field, char *value, struct failure *failure)
{
    struct pattern_inputs *inputs = field;
    const char *end;
    inputs->groups = option_scan_number(value, MESH_MAX_NODES, &end);
    if (*end != '\0')
        inputs->groups = 0;
    inputs->group_file = inputs->groups > 0 ? NULL : value;
    if (inputs->groups > 0 || value[strspn(value, "+-0123456789")] != '\0')
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "--groups takes a whole number from 1 to %d or a file, not '%.40s'", MESH_MAX_NODES,
                value);
}

const struct meshcast_option pattern_input_rows[PATTERN_INPUT_ROWS] = {
    OPTION_NUMBER("per-node", "L", COMMON, struct pattern_inputs, per_node, 1, MESH_MAX_NODES,
                  "L messages per node where the pattern sends one: L sets, one over the\n"
                  "other, of congestion K / L each; of moe tokens, of populations neurons"),
    OPTION_NUMBER("experts", "E", RARE, struct pattern_inputs, experts, 1, EXPERTS_MOST,
                  "moe: how many experts there are"),
    {.name = "place",
     .value = "spread|block|FILE",
     .help = "moe: the E experts in the middles of tiles, on the first nodes, or where\n"
             "FILE says: a line for each expert, of its nodes; of several the nearest is taken",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct pattern_inputs, place),
     .choices = expert_order_names,
     .is_file = true},
    OPTION_INPUT("skew", "Z|FILE", RARE, struct pattern_inputs, skew,
                 "moe: how unevenly experts are asked for: the exponent of a Zipf distribution,\n"
                 "0 for none, or a file with the counts of all experts in a line"),
    OPTION_NUMBER("layer", "N", RARE, struct pattern_inputs, layer, 1, INT32_MAX,
                  "moe: the line of --skew FILE, from 1; the default is 1"),
    {.name = "groups",
     .value = "G|FILE",
     .help = "collectives: how many groups of consecutive nodes there are, or a file\n"
             "with a line for each, of its nodes; a node in none sends nothing",
     .type = MESHCAST_OPTION_OTHER,
     .offset = 0,
     .accept = parse_groups,
     .is_file = true},
    OPTION_NUMBER("stride", "S", RARE, struct pattern_inputs, stride, 1, MESH_MAX_NODES,
                  "of G groups: the members of a group are S nodes apart; the default is 1"),
    OPTION_INPUT("matrix", "FILE", RARE, struct pattern_inputs, matrix,
                 "populations: their names, sizes and chances of connections"),
    OPTION_OTHER("active", "A", RARE, struct pattern_inputs, active, parse_active,
                 "populations: the chance that a neuron sends; the default is 1"),
    OPTION_CHOICE("algorithm", "direct|ring|halving|tree", RARE, struct pattern_inputs, algorithm,
                  collective_algorithm_names,
                  "collectives: in messages that wait for one another; with --bytes N of a\n"
                  "node's block or vector"),
};

/* ---- the volume of a message ---- */

const struct meshcast_option volume_rows[VOLUME_ROWS] = {
    OPTION_CHOICE("weights", "flits|bytes|ignore", RARE, struct volume_options, weights,
                  volume_weights_names,
                  "weights are lengths of messages, in flits or in bytes; the default is ignore.\n"
                  "Entries of a column with the same weight are one message"),
    OPTION_NUMBER("bytes", "N", COMMON, struct volume_options, bytes, 1, UINT32_MAX,
                  "each message has N bytes; needs --flit-bytes"),
    OPTION_NUMBER("flit-bytes", "B", COMMON, struct volume_options, flit_bytes, 1, UINT32_MAX,
                  "bytes per flit; N bytes take ceil(N / B) flits, and one for the header"),
    OPTION_CHOICE("pack", "NAME", RARE, struct volume_options, pack, volume_pack_names,
                  "unite what a node sends; lengths add. destinations: messages with the same\n"
                  "destinations (a spike buffer); pairs: all that goes from one node to another\n"
                  "(a neighbourhood collective of MPI, a sparse product). The default is none"),
};
