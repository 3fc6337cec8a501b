/* forward.h - an instruction of the machine: packets go towards their stops through unbounded
 * queues. */
#ifndef MESHCAST_MACHINE_FORWARD_H
#define MESHCAST_MACHINE_FORWARD_H

#include "machine/rule.h"

/* Forwards packets by `rule` through unbounded queues, one per link, until all rest or `limit`
 * steps are done. Returns early when nothing is under way; the caller then idles for the rest of a
 * length that is known beforehand. The most urgent packet of a queue leaves first; equally urgent
 * ones leave in the order of their arrival. With `wake`, all resting packets are looked at first.
 * The rule is asked about a packet only at its stops.
 *   FAIL_CHECK: config.most_steps are spent, or a buffer overflowed; then clock, counts and
 * deliveries are those at the end of the overflowing step, but the places of packets are not kept.
 * FAIL_VOID: the steps of an attempt are spent. FAIL_SYSTEM: no memory. */
enum failure_kind machine_forward(struct machine *machine, const struct routing_rule *rule,
                                  bool wake, uint64_t limit, struct failure *failure);

#endif
