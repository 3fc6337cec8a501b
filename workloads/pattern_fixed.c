/* pattern_fixed.c - the patterns with one destination a message, each a permutation of the nodes.
 *
 * The permutations are those of permutation.c, of the whole mesh as one tile; here they become
 * messages of one destination, one a node.
 *
 * Cost: as permutation_fill, and 4 bytes per node beside the set.
 */
#include "workloads/pattern_private.h"
#include "workloads/permutation.h"

#include <stdlib.h>

/* The set in which node v sends to image[v]. */
static enum failure_kind set_of_images(const struct pattern_options *options,
                                       const node_index *image, struct message_set *set,
                                       struct failure *failure)
{
    uint32_t nodes = shape_nodes(&options->shape);
    enum failure_kind kind = message_set_allocate(set, options->shape, nodes, nodes, failure);
    for (node_index v = 0; kind == FAIL_NONE && v < nodes; v++) {
        set->source[v] = v;
        set->offset[v] = v;
        set->destination[v] = image[v];
    }
    return kind;
}

static enum failure_kind make_by(const char *permutation, const struct pattern_options *options,
                                 struct message_set *set, struct failure *failure)
{
    struct mesh mesh = options->mesh;
    node_index *image = memory_allocate(mesh_nodes(mesh), sizeof *image);
    if (image == NULL)
        return fail_memory(failure, "a permutation");
    enum failure_kind kind =
        permutation_fill(permutation_find(permutation), mesh, options->seed, image, failure);
    if (kind == FAIL_NONE)
        kind = set_of_images(options, image, set, failure);
    free(image);
    return kind;
}

enum failure_kind pattern_permutation(const struct pattern_options *options,
                                      struct message_set *set, struct failure *failure)
{
    return make_by("random", options, set, failure);
}

enum failure_kind pattern_transpose(const struct pattern_options *options, struct message_set *set,
                                    struct failure *failure)
{
    return make_by("transpose", options, set, failure);
}

enum failure_kind pattern_bitreverse(const struct pattern_options *options, struct message_set *set,
                                     struct failure *failure)
{
    return make_by("bitreverse", options, set, failure);
}
