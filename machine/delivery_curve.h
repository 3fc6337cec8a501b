/* delivery_curve.h - when how much of a run had been delivered. */
#ifndef MESHCAST_MACHINE_DELIVERY_CURVE_H
#define MESHCAST_MACHINE_DELIVERY_CURVE_H

#include <stdint.h>

enum { DELIVERY_PERCENTS = 101 };

struct machine;

/* Returns [p], for p = 0 .. 100: the step at whose end p percent of config.deliveries, and at least one, had been made;
 * UINT64_MAX: they have not been. All are that where config.deliveries is 0. It is the machine's, and changes with it. */
const uint64_t *machine_delivery_curve(const struct machine *machine);

#endif
