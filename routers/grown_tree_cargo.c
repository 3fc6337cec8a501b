/* grown_tree_cargo.c - packets on grown trees carry the pieces of their trees to other ranks.
 *
 * A packet that crosses a link has one output left at the end of its piece, so it takes along the piece behind that
 * with all behind it. Before them stands a piece that ends nowhere: whoever asks the packet at its next stop finds it
 * at the end of another piece, as always. Pieces of packets that have gone stay until the end of the run.
 * Cost: 20 bytes per piece in each message, and for good at the rank where it goes.
 */
#include "routers/grown_tree_private.h"

#include "machine/pool.h"

#include <stdlib.h>
#include <string.h>

static const void *show(void *context, uint32_t packet, size_t *bytes)
{
    struct grown_trees *trees = context;
    const struct header *header = &trees->header->packet[packet];
    uint32_t before;
    uint32_t first = tree_piece_behind(trees, header->target, header->state, 0, &before);
    const struct tree_piece *piece = &trees->piece[first];
    uint64_t count = UINT64_C(1) + piece->pieces;
    *bytes = 0;
    if (count > trees->cargo_room) {
        struct tree_piece *grown = memory_resize(trees->cargo, 2 * count, sizeof *grown);
        if (grown == NULL)
            return trees->cargo; /* the other rank keeps nothing, and fails */
        trees->cargo = grown;
        trees->cargo_room = 2 * count;
    }
    trees->cargo[0] = (struct tree_piece){.end = MACHINE_NO_PLACE,
                                          .pieces = (uint32_t)count,
                                          .goes_east = trees->piece[header->target].goes_east};
    memcpy(trees->cargo + 1, piece, piece->pieces * sizeof *piece);
    *bytes = count * sizeof *piece;
    return trees->cargo;
}

static bool keep(void *context, uint32_t packet, const void *cargo, size_t bytes)
{
    struct grown_trees *trees = context;
    uint64_t count = bytes / sizeof *trees->piece;
    if (trees->pieces + count > trees->room) {
        uint64_t room = 2 * (trees->pieces + count);
        struct tree_piece *grown =
            room < NOWHERE ? memory_resize(trees->piece, room, sizeof *grown) : NULL;
        if (grown == NULL)
            return false;
        trees->piece = grown;
        trees->room = room;
    }
    memcpy(trees->piece + trees->pieces, cargo, bytes);
    trees->header->packet[packet].target = (uint32_t)trees->pieces;
    trees->pieces += count;
    return count > 0;
}

void grown_trees_carry(struct grown_trees *trees)
{
    struct machine_cargo cargo = {trees, show, keep};
    machine_set_cargo(trees->machine, &cargo);
}
