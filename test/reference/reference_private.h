/* reference_private.h - what the instructions of the golden model share: the packets of a node, what may
 * happen to them, and the end of a step. For test/reference/ only.
 */
#ifndef MESHCAST_TEST_REFERENCE_REFERENCE_PRIVATE_H
#define MESHCAST_TEST_REFERENCE_REFERENCE_PRIVATE_H

#include "test/reference/reference.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The part that is a link, and back. */
extern const enum part LINK_PART[DIRECTIONS];
enum direction part_link(enum part part);

/* How many parts there are; which of them leaves first. */
unsigned parts_count(unsigned parts);
enum part parts_first(unsigned parts);

node_index model_neighbour(const struct reference *model, node_index node, enum direction d);

/* Nodes act row by row; where a row is longer than a stretch, stretch by stretch: the node behind the
 * stretch that begins at `first`. */
node_index model_stretch_end(const struct reference *model, node_index first);

/* Of the packets in a place of a node: the most urgent one, of equally urgent ones the first; and how
 * many there are. */
uint32_t model_most_urgent(const struct reference *model, node_index node,
                           enum reference_place place);
uint32_t model_count(const struct reference *model, node_index node, enum reference_place place);
uint32_t model_occupancy(const struct reference *model, node_index node); /* in all places */

/* A packet's place. */
void model_enter(struct reference *model, uint32_t packet, node_index node,
                 enum reference_place place);
void model_leave(struct reference *model, uint32_t packet);
void model_move(struct reference *model, uint32_t packet, enum reference_place place);

/* What may happen to a packet: it crosses the link to its neighbour `to`, a copy is made of it, slot
 * `slot` of its range is delivered, it is discarded. Each asserts the rules of the model. A word that
 * crosses a link is all that happens beside. */
void model_cross(struct reference *model, uint32_t packet, node_index to,
                 enum reference_place place);
void model_copy(struct reference *model, uint32_t packet, uint32_t made,
                enum reference_place place);
void model_deliver(struct reference *model, uint32_t packet, uint32_t slot);
void model_discard(struct reference *model, uint32_t packet);
struct reference_link *model_cross_word(struct reference *model, node_index from, node_index to);
void model_tell(struct reference *model, char kind, uint32_t a, uint32_t b, uint32_t c);

/* A step begins by the clock, and ends with the measuring of buffers; that of a bounded instruction also
 * with the judgement of config.most_steps and of the attempt's budget. */
void model_advance(struct reference *model, uint64_t steps);
enum failure_kind model_end_step(struct reference *model, struct failure *failure);
enum failure_kind model_judge(struct reference *model, struct failure *failure);
enum failure_kind model_end_bounded_step(struct reference *model, struct failure *failure);

#endif
