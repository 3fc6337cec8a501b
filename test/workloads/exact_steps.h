/* exact_steps.h - an exhaustive search for a schedule of a tiny set within so many steps. */
#ifndef MESHCAST_TEST_WORKLOADS_EXACT_STEPS_H
#define MESHCAST_TEST_WORKLOADS_EXACT_STEPS_H

#include "workloads/message_set.h"

enum { EXACT_NODES = 9, EXACT_MESSAGES = 5 };

/* Tries every legal move of every step; the mesh has at most EXACT_NODES nodes, the set at most
 * EXACT_MESSAGES messages. */
bool exact_can_be_done(const struct message_set *set, bool copy_is_free, uint32_t steps);

/* Does the same on the remaining nodes and links of a broken mesh. */
bool exact_can_be_done_on(const struct topology *topology, const struct message_set *set,
                          bool copy_is_free, uint32_t steps);

#endif
