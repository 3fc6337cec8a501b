/* forward.h - an instruction of the machine: packets go towards their stops through unbounded queues. */
#ifndef MESHCAST_MACHINE_FORWARD_H
#define MESHCAST_MACHINE_FORWARD_H

#include "machine/rule.h"

/* Forwards packets by `rule` through unbounded queues, one a link, until all rest or `limit` steps
 * are done. Returns early when nothing is under way; the caller then idles for the rest of a length
 * that is known beforehand. Of a queue the most urgent packet leaves first, of equally urgent ones that which
 * came first. With `wake`, all resting packets are looked at first. A packet meets the rule only at
 * its stops.
 * FAIL_CHECK: a buffer overflowed, and then clock, counts and deliveries are those of that step's end, but where
 * packets stand is not kept; or config.most_steps are spent. FAIL_VOID: the steps of an attempt are spent.
 * FAIL_SYSTEM: no memory. */
enum failure_kind machine_forward(struct machine *machine, const struct routing_rule *rule,
                                  bool wake, uint64_t limit, struct failure *failure);

#endif
