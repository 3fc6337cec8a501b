/* multicast_tree.h - dimension-ordered multicast trees: how a packet splits on its way. */
#ifndef MESHCAST_PRIMITIVES_MULTICAST_TREE_H
#define MESHCAST_PRIMITIVES_MULTICAST_TREE_H

#include "machine/machine.h"
#include "machine/rule.h"

/* Puts the destinations of `packet` into the order in which a tree from `root` visits them: with
 * `row_first` a trunk along the root's row, and from it a branch along each destination's column;
 * otherwise rows and columns change places. Must be called at the root before the others. */
void tree_start(struct headers *header, struct site root, uint32_t packet, bool row_first);

/* Returns the outputs of `packet` at a node of its tree: the links of its branches, and OUT_EJECT
 * if the node is a destination. */
unsigned tree_outputs(const struct headers *header, struct site site, uint32_t packet,
                      bool row_first);

/* Splits off the destinations of `output` (one of tree_outputs(), not the only one): they move to
 * the front of the range. Returns the packet that carries them. */
uint32_t tree_take(struct headers *header, struct site site, uint32_t packet, enum output output,
                   bool row_first);

/* Returns where `packet`, which has only one output left, must stop next on the link `direction`:
 * at the column (row) of its nearest destination. */
uint32_t tree_stop(const struct headers *header, uint32_t packet, enum direction direction);

/* Moves the slots first .. middle-1 of `packet` to a new packet, middle-1, with the same fields;
 * `packet` keeps the rest. Either has at least one: first < middle <= packet. */
uint32_t packet_split(struct headers *header, uint32_t packet, uint32_t middle);

/* Does the same for the slots start .. end-1 of `packet`, which are first moved to the front; the
 * rest keep their order. */
uint32_t packet_take_slots(struct headers *header, uint32_t packet, uint32_t start, uint32_t end);

/* Moves the slots start .. end-1 to the front of first .. end-1, both pieces in order. */
void rotate_to_front(node_place *slot, uint32_t first, uint32_t start, uint32_t end);

#endif
