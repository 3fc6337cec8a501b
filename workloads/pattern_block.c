/* pattern_block.c - `block`: each message's destinations cluster in one tile.
 *
 * The mesh is cut into tiles of side max(1, floor(sqrt(n / c))), the last ones of a row or column
 * being what is left. A tile of a nodes is the target of min(a, floor(c a / d')) messages, d' =
 * min(d, a) destinations each, dealt within the tile by pattern_deal.c; their sources are random
 * nodes anywhere. With d <= c every node sends a message.
 *
 * Cost: that of the deals, expected O(n d + n (largest quota)) time; 16 bytes per delivery.
 */
#include "workloads/pattern_private.h"

#include <stdbool.h>
#include <stdlib.h>

struct tile {
    uint32_t row, col, rows, cols;
};

/* Tile number `index`, row by row from 0; false if there is none. */
static bool tile_at(struct mesh mesh, uint32_t side, uint32_t index, struct tile *tile)
{
    uint32_t across = (mesh.cols + side - 1) / side;
    tile->row = index / across * side;
    tile->col = index % across * side;
    if (tile->row >= mesh.rows)
        return false;
    tile->rows = mesh.rows - tile->row < side ? mesh.rows - tile->row : side;
    tile->cols = mesh.cols - tile->col < side ? mesh.cols - tile->col : side;
    return true;
}

/* What a tile is dealt. */
static struct deal tile_deal(const struct pattern_options *options, const struct tile *tile)
{
    uint32_t area = tile->rows * tile->cols;
    uint32_t degree = options->degree < area ? options->degree : area;
    uint64_t fits = (uint64_t)options->congestion * area / degree;
    return (struct deal){.places = area,
                         .messages = fits < area ? (uint32_t)fits : area,
                         .degree = degree,
                         .congestion = options->congestion};
}

/* Deals one tile to the messages of source[0 ..]. */
static enum failure_kind fill_tile(struct pair_list *list, const struct pattern_options *options,
                                   const struct tile *tile, const node_index *source,
                                   struct pcg32 *random, struct failure *failure)
{
    struct deal deal = tile_deal(options, tile);
    uint32_t *place = memory_allocate((size_t)deal.messages * deal.degree, sizeof *place);
    if (place == NULL)
        return fail_memory(failure, "a tile's destinations");
    enum failure_kind kind = deal_places(&deal, random, place, failure);
    for (uint32_t i = 0; kind == FAIL_NONE && i < deal.messages; i++)
        for (uint32_t j = 0; j < deal.degree; j++) {
            uint32_t here = place[(size_t)i * deal.degree + j];
            pair_list_add(list, source[i],
                          (tile->row + here / tile->cols) * options->mesh.cols + tile->col +
                              here % tile->cols);
        }
    free(place);
    return kind;
}

enum failure_kind pattern_block(const struct pattern_options *options, struct message_set *set,
                                struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_BLOCK);
    uint32_t nodes = mesh_nodes(options->mesh), dealt = 0;
    uint32_t side = whole_root(nodes / options->congestion);
    struct pair_list list = {0};
    struct tile tile;
    uint64_t deliveries = 0;
    side = side < 1 ? 1 : side;
    for (uint32_t i = 0; tile_at(options->mesh, side, i, &tile); i++) {
        struct deal deal = tile_deal(options, &tile);
        deliveries += (uint64_t)deal.messages * deal.degree;
    }
    node_index *source = shuffled_numbers(&random, nodes);
    enum failure_kind kind = pair_list_open(&list, deliveries, failure);
    if (kind == FAIL_NONE && source == NULL)
        kind = fail_memory(failure, "the sources of a pattern");
    for (uint32_t i = 0; kind == FAIL_NONE && tile_at(options->mesh, side, i, &tile); i++) {
        kind = fill_tile(&list, options, &tile, source + dealt, &random, failure);
        dealt += tile_deal(options, &tile).messages;
    }
    if (kind == FAIL_NONE)
        kind = pair_list_close(&list, options->shape, set, failure);
    free(list.from);
    free(list.to);
    free(source);
    return kind;
}
