/* event_order.h - the order of events of a step that are not told by rows: on ranks, rank 0 sorts those of each group by it.
 * For machine/ and its folders. */
#ifndef MESHCAST_MACHINE_EVENT_ORDER_H
#define MESHCAST_MACHINE_EVENT_ORDER_H

#include "machine/machine_private.h"

/* Events are told by ascending `major`, and where that is equal by ascending `minor`. */
struct event_order {
    uint64_t major, minor;
};

struct ordered_event {
    struct machine_event event;
    uint64_t group; /* an enum event_group; of such a size that no byte is without a value */
    /* Events of equal order are all of one rank, and stay as that rank has them. */
    struct event_order order;
    size_t place; /* among those of all ranks */
};

/* Rank 0 takes the events of all ranks, each of which gives `count` of its own, into the list of its first thread,
 * which was empty, sorted by their order. */
void events_take_sorted(struct machine *machine, const struct ordered_event *own, size_t count);

#endif
