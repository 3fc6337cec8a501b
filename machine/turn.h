/* turn.h - events of a step that are not told by rows. On ranks each has a turn, by which rank 0 sorts those of a group.
 * For machine/ and its folders. */
#ifndef MESHCAST_MACHINE_TURN_H
#define MESHCAST_MACHINE_TURN_H

#include "machine/machine_private.h"

struct event_turn {
    uint64_t major, minor;
};

struct turned_event {
    struct machine_event event;
    uint64_t group; /* an enum event_group; of such a size that no byte is without a value */
    struct event_turn
        turn;     /* events of the same turn are all of one rank, and stay in their order */
    size_t place; /* among those of all ranks */
};

/* Rank 0 takes the events of all ranks, each of which gives `count` of its own, into the list of its first thread,
 * which was empty, sorted by their turns. */
void events_take_sorted(struct machine *machine, const struct turned_event *own, size_t count);

#endif
