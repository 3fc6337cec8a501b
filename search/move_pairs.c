/* move_pairs.c - moves of single deliveries and of single messages.
 *
 * Cost: O(changes), and O(messages) for move_order.
 */
#include "search/move_private.h"

#include <stdlib.h>

/* ---- deliveries ---- */

void move_redirect(struct move_scene *scene)
{
    for (uint32_t left = move_amount(scene, scene->draft->pairs / 8); left > 0; left--)
        draft_redirect(scene->draft, move_some_pair(scene), move_some_node(scene));
}

/* With any other pair, or with one of a source nearby in the same row. */
void move_exchange(struct move_scene *scene)
{
    struct draft *draft = scene->draft;
    uint32_t pairs = (uint32_t)draft->pairs, cols = draft->mesh.cols;
    bool is_near = move_chance(scene, 2);
    for (uint32_t left = move_amount(scene, pairs / 8); left > 0; left--) {
        uint32_t one = move_some_pair(scene);
        uint32_t other =
            is_near ? (one + 1 + move_below(scene, cols)) % pairs : move_some_pair(scene);
        draft_exchange(draft, one, other);
    }
}

void move_gather(struct move_scene *scene)
{
    struct draft *draft = scene->draft;
    node_index to = move_some_node(scene);
    uint32_t pairs = (uint32_t)draft->pairs, stride = 1 + move_below(scene, draft->mesh.cols);
    uint32_t at = move_some_pair(scene);
    for (uint32_t left = move_amount(scene, draft->congestion); left > 0; left--) {
        draft_redirect(draft, at, to);
        at = (at + stride) % pairs;
    }
}

void move_drop(struct move_scene *scene)
{
    const struct message_set *base = scene->base;
    uint32_t first = move_some_message(scene);
    uint32_t amount = move_amount(scene, base->messages / 4);
    bool whole = move_chance(scene, 2);
    for (uint32_t i = 0; i < amount; i++) {
        uint32_t message = (first + i) % base->messages;
        if (!whole) {
            draft_remove(scene->draft, move_some_pair(scene));
            continue;
        }
        for (uint64_t j = base->offset[message]; j < base->offset[message + 1]; j++)
            draft_remove(scene->draft, j);
    }
}

/* ---- messages ---- */

/* The nodes behind one another in a row or in a column, from `node` on. */
static node_index next_in_line(struct mesh mesh, node_index node, bool down)
{
    uint32_t row = node / mesh.cols, col = node % mesh.cols;
    if (down)
        return (row + 1) % mesh.rows * mesh.cols + col;
    return row * mesh.cols + (col + 1) % mesh.cols;
}

void move_imitate(struct move_scene *scene)
{
    struct mesh mesh = scene->draft->mesh;
    uint32_t like = move_some_message(scene);
    bool down = move_chance(scene, 2), shifted = move_chance(scene, 2);
    node_index node = scene->base->source[like];
    uint32_t per_node = scene->draft->per_node, number = move_number_of(scene, like);
    for (uint32_t left = move_amount(scene, down ? mesh.rows : mesh.cols); left > 0; left--) {
        node = next_in_line(mesh, node, down);
        move_copy_message(scene, like, node * per_node + number, shifted);
    }
}

void move_fill(struct move_scene *scene)
{
    uint32_t nodes = mesh_nodes(scene->draft->mesh);
    bool shifted = move_chance(scene, 2), anew = move_chance(scene, 3);
    for (uint32_t left = move_amount(scene, nodes / 8); left > 0; left--) {
        node_index node = move_below(scene, nodes);
        uint32_t seat = move_some_seat(scene, node), next = move_message_from(scene, node);
        if (!anew && move_message_at(scene, seat) < scene->base->messages)
            continue;
        if (anew)
            draft_add(scene->draft, seat, move_some_node(scene));
        else
            move_copy_message(scene, next > 0 ? next - 1 : next, seat, shifted);
    }
}

/* Of messages behind one another: all deliveries to the first; or each delivery of the first to a
 * seat of its own. */
void move_fuse(struct move_scene *scene)
{
    const struct message_set *base = scene->base;
    struct draft *draft = scene->draft;
    uint32_t first = move_some_message(scene);
    bool splits = move_chance(scene, 2);
    uint32_t last = first + move_amount(scene, 16);
    last = last < base->messages ? last : base->messages - 1;
    uint64_t end = base->offset[splits ? first + 1 : last + 1];
    uint32_t seat = move_seat_of(scene, first), seats = mesh_nodes(draft->mesh) * draft->per_node;
    for (uint64_t i = base->offset[first]; i < end; i++) {
        draft->is_changed |= draft->from[i] != seat;
        draft->from[i] = seat;
        seat = splits ? (seat + 1) % seats : seat;
    }
}

static void start_from(struct move_scene *scene, uint32_t message, uint32_t seat)
{
    const struct message_set *base = scene->base;
    for (uint64_t i = base->offset[message]; i < base->offset[message + 1]; i++)
        scene->draft->from[i] = seat;
    scene->draft->is_changed |= move_seat_of(scene, message) != seat;
}

void move_trade(struct move_scene *scene)
{
    const struct message_set *base = scene->base;
    bool is_near = move_chance(scene, 2);
    for (uint32_t left = move_amount(scene, base->messages / 8); left > 0; left--) {
        uint32_t one = move_some_message(scene);
        node_index node = is_near
                              ? next_in_line(base->mesh, base->source[one], move_chance(scene, 2))
                              : move_below(scene, mesh_nodes(base->mesh));
        uint32_t seat = move_some_seat(scene, node), other = move_message_at(scene, seat);
        if (other < base->messages)
            start_from(scene, other, move_seat_of(scene, one));
        start_from(scene, one, seat);
    }
}

/* ---- the messages of a line ---- */

struct line_order {
    bool by_col, descends;
};

/* A message's key: the row or the column of its first destination. */
static uint32_t key_of(const struct message_set *base, struct line_order order, uint32_t message)
{
    node_index to = base->destination[base->offset[message]];
    uint32_t key = order.by_col ? to % base->mesh.cols : to / base->mesh.cols;
    return order.descends ? MESH_MAX_SIDE - key : key;
}

/* Sorts the messages in place, by insertion: a line has few. */
static void sort_line(const struct message_set *base, struct line_order order, uint32_t *message,
                      uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved = message[i], key = key_of(base, order, moved), place = i;
        for (; place > 0 && key_of(base, order, message[place - 1]) > key; place--)
            message[place] = message[place - 1];
        message[place] = moved;
    }
}

/* In some lines, or in all: the messages of a line start in the order of where they go. Far ones
 * first is what keeps a link to the near ones busy (Chinn, Leighton and Tompa). */
void move_order(struct move_scene *scene)
{
    const struct message_set *base = scene->base;
    struct mesh mesh = base->mesh;
    uint32_t per_node = scene->draft->per_node;
    bool in_rows = move_chance(scene, 2);
    struct line_order order = {move_chance(scene, 2), move_chance(scene, 2)};
    uint32_t lines = in_rows ? mesh.rows : mesh.cols, length = in_rows ? mesh.cols : mesh.rows;
    uint32_t first = move_below(scene, lines), amount = move_amount(scene, lines);
    for (uint32_t i = 0; i < amount; i++) {
        uint32_t line = (first + i) % lines, count = 0, *seats = scene->scratch + length * per_node;
        for (uint32_t at = 0; at < length; at++) {
            node_index node = in_rows ? line * mesh.cols + at : at * mesh.cols + line;
            uint32_t message = move_message_from(scene, node), seat = node * per_node;
            for (; message < base->messages && base->source[message] == node; message++) {
                seats[count] = seat++;
                scene->scratch[count++] = message;
            }
        }
        sort_line(base, order, scene->scratch, count);
        for (uint32_t at = 0; at < count; at++)
            start_from(scene, scene->scratch[at], seats[at]);
    }
}
