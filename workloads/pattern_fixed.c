/* pattern_fixed.c - the patterns with one destination a message, each a permutation of the nodes.
 *
 * `permutation` is drawn by a Fisher-Yates shuffle. `transpose` is the permutation that transposes
 * a rows x cols matrix stored in row-major order, on square meshes (row, col) -> (col, row).
 * `bitreverse` reverses the bits of the row within ceil(log2 rows) bits and those of the column
 * likewise; reversal is its own inverse, so where it leaves the mesh the walk along its cycle comes
 * straight back: such a row (or column) keeps its number, and the map stays a permutation.
 *
 * Cost: O(n) time (a factor of log n for the bits), 4 bytes a node beside the set.
 */
#include "workloads/pattern_private.h"

#include <stdlib.h>

/* The set in which node v sends to image[v]. */
static enum failure_kind set_of_images(struct mesh mesh, const node_index *image,
                                       struct message_set *set, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(mesh);
    enum failure_kind kind = message_set_allocate(set, mesh, nodes, nodes, failure);
    for (node_index v = 0; kind == FAIL_NONE && v < nodes; v++) {
        set->source[v] = v;
        set->offset[v] = v;
        set->destination[v] = image[v];
    }
    return kind;
}

enum failure_kind pattern_permutation(const struct pattern_options *options,
                                      struct message_set *set, struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_PERMUTATION);
    node_index *image = shuffled_numbers(&random, mesh_nodes(options->mesh));
    if (image == NULL)
        return fail_memory(failure, "a permutation");
    enum failure_kind kind = set_of_images(options->mesh, image, set, failure);
    free(image);
    return kind;
}

/* `number` with its ceil(log2 side) bits in reverse order, or as it is if that leaves the side. */
static uint32_t reverse_within(uint32_t number, uint32_t side)
{
    uint32_t reversed = 0;
    for (uint32_t bit = 1, rest = number; bit < side; bit <<= 1, rest >>= 1)
        reversed = reversed << 1 | (rest & 1);
    return reversed < side ? reversed : number;
}

static node_index transposed(struct mesh mesh, uint32_t row, uint32_t col)
{
    return col * mesh.rows + row;
}

static node_index bit_reversed(struct mesh mesh, uint32_t row, uint32_t col)
{
    return reverse_within(row, mesh.rows) * mesh.cols + reverse_within(col, mesh.cols);
}

static enum failure_kind make_by(const struct pattern_options *options,
                                 node_index (*map)(struct mesh, uint32_t, uint32_t),
                                 struct message_set *set, struct failure *failure)
{
    struct mesh mesh = options->mesh;
    node_index *image = memory_allocate(mesh_nodes(mesh), sizeof *image);
    if (image == NULL)
        return fail_memory(failure, "a permutation");
    for (uint32_t row = 0; row < mesh.rows; row++)
        for (uint32_t col = 0; col < mesh.cols; col++)
            image[row * mesh.cols + col] = map(mesh, row, col);
    enum failure_kind kind = set_of_images(mesh, image, set, failure);
    free(image);
    return kind;
}

enum failure_kind pattern_transpose(const struct pattern_options *options, struct message_set *set,
                                    struct failure *failure)
{
    return make_by(options, transposed, set, failure);
}

enum failure_kind pattern_bitreverse(const struct pattern_options *options, struct message_set *set,
                                     struct failure *failure)
{
    return make_by(options, bit_reversed, set, failure);
}
