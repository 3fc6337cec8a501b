/* delivery_steps.h - when how much of a run was delivered, counted in its trace. */
#ifndef MESHCAST_TEST_DELIVERY_STEPS_H
#define MESHCAST_TEST_DELIVERY_STEPS_H

#include "routers/router.h"

/* The deliveries of the trace at `path`, counted line by line, reach each percent in the step that the result says; `text`
 * names the run. */
void delivery_steps_check(const char *path, const struct message_set *set,
                          const struct router_result *result, const char *text);

#endif
