/* reference_private.h - what the instructions of the golden model share. */
#ifndef MESHCAST_TEST_REFERENCE_REFERENCE_PRIVATE_H
#define MESHCAST_TEST_REFERENCE_REFERENCE_PRIVATE_H

#include "test/reference/reference.h"

#include <assert.h>

/* What may happen to a packet: it goes to the end of a list, or nowhere where `node` is NULL; crosses a link to a
 * list (NULL: a word crosses it); is copied; is delivered to one of its destinations; is discarded. */
void put(struct packet *p, struct node *node, unsigned list);
struct link *cross(struct model *m, struct node *from, struct node *to, struct packet *p,
                   unsigned list);
struct packet *copy(struct model *m, struct packet *p, uint32_t name, unsigned list);
void deliver(struct model *m, struct packet *p, uint32_t slot);
void discard(struct model *m, struct packet *p);

/* A call of an instruction: `steps` steps, from 1, in each of which `act` says what happens. An overflow ends it. */
enum bound {
    FIXED,
    BOUNDED,    /* it also ends when the steps of the attempt or of the run are spent, .. */
    UNTIL_DONE, /* .. and when nothing is under way */
};
typedef void step_function(struct model *m, const void *how, uint64_t step);
void run(struct model *m, uint64_t steps, enum bound bound, step_function *act, const void *how);

#endif
