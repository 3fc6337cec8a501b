/* move_private.h - what the moves share: how they choose. For search/move*.c. */
#ifndef MESHCAST_SEARCH_MOVE_PRIVATE_H
#define MESHCAST_SEARCH_MOVE_PRIVATE_H

#include "search/move.h"

typedef void move_make(struct move_scene *scene);

move_make move_redirect, move_exchange, move_gather, move_imitate, move_fuse, move_fill, move_drop,
    move_trade, move_order;
move_make move_cross, move_swap_blocks, move_copy_block, move_reflect, move_shift, move_image;

/* A number 1, 2, 4, .. at most `most`, small ones as often as large ones; then any below twice it. */
uint32_t move_amount(struct move_scene *scene, uint64_t most);

static inline uint32_t move_below(struct move_scene *scene, uint32_t bound)
{
    return pcg32_below(&scene->random, bound);
}

/* True once in `times`. */
static inline bool move_chance(struct move_scene *scene, uint32_t times)
{
    return move_below(scene, times) == 0;
}

/* A pair of the draft, a message of the base, both at random. */
uint32_t move_some_pair(struct move_scene *scene);
uint32_t move_some_message(struct move_scene *scene);

/* A node: in half of all cases the peak, or one of its row, its column or its surroundings of a tile's
 * size; otherwise any. */
node_index move_some_node(struct move_scene *scene);

/* The first message of the base whose source is `node`, or the first behind it; base->messages: none. */
uint32_t move_message_from(const struct move_scene *scene, node_index node);

/* The number of a message of the base at its source, 0 .. l - 1; and its seat. */
uint32_t move_number_of(const struct move_scene *scene, uint32_t message);
uint32_t move_seat_of(const struct move_scene *scene, uint32_t message);

/* The message of the base that has the seat; base->messages: none. */
uint32_t move_message_at(const struct move_scene *scene, uint32_t seat);

/* One of a node's seats. */
uint32_t move_some_seat(struct move_scene *scene, node_index node);

/* Sends the message of seat `to` where base's message `like` goes, all of it, moved as far as the
 * sources are apart if `shifted` (what leaves the mesh comes in on its other side). */
void move_copy_message(struct move_scene *scene, uint32_t like, uint32_t to, bool shifted);

/* A rectangle of nodes. */
struct move_region {
    uint32_t row, col, rows, cols;
};

/* A half, a quarter, a line, a block of a tile's scale, or any rectangle. */
struct move_region move_some_region(struct move_scene *scene);
bool move_region_has(struct move_region region, struct mesh mesh, node_index node);

#endif
