/* inject_one.h - an injection of one packet alone. */
#ifndef MESHCAST_TEST_MACHINE_INJECT_ONE_H
#define MESHCAST_TEST_MACHINE_INJECT_ONE_H

#include "machine/machine.h"

static inline enum failure_kind inject_one(struct machine *machine, node_index node,
                                           uint32_t packet, struct failure *failure)
{
    machine_inject(machine, node, packet);
    return machine_end_injection(machine, failure);
}

#endif
