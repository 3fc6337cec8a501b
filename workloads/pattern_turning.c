/* pattern_turning.c - `turning`: all packets of a tile's row turn at one node of it.
 *
 * Let the mesh be cut into tiles of side s = floor(sqrt(n / c)), the c-tiles of the paper, and each
 * node send one message into the corner tile at node 0. A router that first brings each packet to the
 * place in that tile which it has in its own, as Theorem 2 does, holds c packets at each node of the
 * tile, c s in each row. The message from row y of a tile is for column sigma(y) = (y + floor(s / 2))
 * mod s, so that all of these turn there: they come from both sides, two a step, while rows at the
 * tile's edges let one a step leave. Per row the messages are dealt out to the rows of the column in
 * turn, c to each node at most, so every node of the tile receives about c, and on sides that s divides
 * exactly c. Nothing is drawn at random, and no router's seed matters to what is made.
 *
 * Cost: O(n) time, 8 bytes per node.
 */
#include "workloads/pattern_private.h"

/* The side of a tile. */
static uint32_t tile_side(const struct pattern_options *options)
{
    uint32_t side = whole_root(mesh_nodes(options->mesh) / options->congestion);
    side = side < options->mesh.rows ? side : options->mesh.rows;
    return side < options->mesh.cols ? side : options->mesh.cols;
}

enum failure_kind pattern_turning(const struct pattern_options *options, struct message_set *set,
                                  struct failure *failure)
{
    struct mesh mesh = options->mesh;
    uint32_t side = tile_side(options);
    uint64_t most = (uint64_t)options->congestion * side; /* messages for a column of the tile */
    struct pair_list list;
    enum failure_kind kind = pair_list_open(&list, mesh_nodes(mesh), failure);
    if (kind != FAIL_NONE)
        return kind;
    for (uint32_t y = 0; y < side; y++) {
        uint32_t turn = (y + side / 2) % side;
        uint64_t messages = 0;
        for (uint32_t row = y; row < mesh.rows; row += side)
            for (uint32_t col = 0; col < mesh.cols && messages < most; col++)
                pair_list_add(&list, row * mesh.cols + col,
                              (uint32_t)(messages++ % side) * mesh.cols + turn);
    }
    return pair_list_close(&list, options->shape, set, failure);
}
