/* delivery_curve.c - when how much of a run had been delivered.
 *
 * Each step's deliveries are added up as the clock passes it; the host alone reads the curve.
 * Cost: 101 numbers; O(1) a step in which something is delivered.
 */
#include "machine/delivery_curve.h"

#include "machine/machine_private.h"

/* How many deliveries `percent` of them are, at least one. */
static uint64_t share(uint64_t deliveries, uint32_t percent)
{
    uint64_t count = (deliveries / 100) * percent + (deliveries % 100 * percent + 99) / 100;
    return count > 0 ? count : 1;
}

void delivery_curve_add(struct machine *machine, uint64_t step, uint64_t count)
{
    struct delivery_curve *curve = &machine->curve;
    uint64_t all = machine->config.deliveries;
    curve->made += count;
    while (all > 0 && curve->known < DELIVERY_PERCENTS && curve->made >= share(all, curve->known))
        curve->step[curve->known++] = step;
}

void delivery_curve_begin(struct machine *machine)
{
    machine->curve = (struct delivery_curve){.known = 0};
    for (uint32_t i = 0; i < DELIVERY_PERCENTS; i++)
        machine->curve.step[i] = UINT64_MAX;
}

const uint64_t *machine_delivery_curve(const struct machine *machine)
{
    return machine->curve.step;
}
