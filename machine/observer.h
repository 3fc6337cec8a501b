/* observer.h - the events of a run for whoever wants to see them as they happen, without a trace
 * file.
 *
 * An observer is told exactly what a trace shows, in the trace's order, from the same lists. So no
 * instruction knows of it, and it counts what an audit of the trace would count. Packets have their
 * names (machine.h), and the name of one that was discarded may come again.
 *
 * Thread rule: the functions are called by one thread while the others wait.
 */
#ifndef MESHCAST_MACHINE_OBSERVER_H
#define MESHCAST_MACHINE_OBSERVER_H

#include <stddef.h>
#include <stdint.h>

/* `kind` is the event's letter in the trace, the fields are in the order of the format
 * (doc/model.md, "The trace"). Ranks send events as they are, so no byte may be without a value. */
struct machine_event {
    uint32_t field[3];
    uint32_t kind;
};

/* The beginning of a trace, and the numbers of packets in it: the first one of a name has the
 * number `first` + name; each time that a packet of that name is discarded, the number grows by
 * `slots`. */
struct machine_beginning {
    const char *header; /* the trace's first line, without its end */
    uint64_t first;
    uint32_t slots; /* names are below */
};

/* A step has ended when something of a later step is told, or the run is over; steps in which
 * nothing happens are not told at all. Step 0 may be told in several calls. */
struct machine_observer {
    void *context;
    void (*events)(void *context, uint64_t step, const struct machine_event *event, size_t count);
    /* The steps behind `step` belong to the phase `name`, which is gone after the call. */
    void (*phase)(void *context, uint64_t step, const char *name);
    /* NULL, or called before the first event; again before that of each further attempt, which has
     * all names anew. */
    void (*begin)(void *context, const struct machine_beginning *beginning);
};

#endif
