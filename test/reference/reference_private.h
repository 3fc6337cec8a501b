/* reference_private.h - what the instructions of the golden model share. */
#ifndef MESHCAST_TEST_REFERENCE_REFERENCE_PRIVATE_H
#define MESHCAST_TEST_REFERENCE_REFERENCE_PRIVATE_H

#include "test/reference/reference.h"

#include <assert.h>

/* What may happen to a packet. It comes to a place, as the last one there; or crosses a link to it (NULL: a word
 * does); is copied; is delivered to one of its destinations; is discarded. */
void put(struct packet *p, struct node *node, unsigned place);
struct link *cross(struct model *m, struct node *from, struct node *to, struct packet *p,
                   unsigned place);
struct packet *copy(struct model *m, struct packet *p, uint32_t name, unsigned place);
void deliver(struct model *m, struct packet *p, uint32_t slot);
void discard(struct model *m, struct packet *p);

struct node *model_node(struct model *m, node_place place);

/* A call of an instruction: `steps` steps, from 1. A bounded one ends when nothing is under way, and when the steps
 * of the attempt or of the run are spent. */
typedef void step_function(struct model *m, const void *how, uint64_t step);
void run(struct model *m, uint64_t steps, bool is_bounded, step_function *act, const void *how);

#endif
