/* observer.h - the events of a run as they happen, without a trace file.
 *
 * An observer gets exactly the events of a trace, in the trace's order, from the same lists. So no
 * instruction depends on it, and its counts are those of an audit of the trace. Packets have their
 * names (machine.h), and the name of a discarded packet may be used again.
 *
 * Thread rule: the functions are called by one thread while the others wait.
 */
#ifndef MESHCAST_MACHINE_OBSERVER_H
#define MESHCAST_MACHINE_OBSERVER_H

#include <stddef.h>
#include <stdint.h>

/* `kind` is the event's letter in the trace, the fields are in the order of the format
 * (doc/model.md, "The trace"). Ranks send events as they are, so the struct has no padding. */
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
    uint32_t slots; /* all names are below */
};

/* A step has ended when an event of a later step is reported, or the run is over; steps without
 * events are not reported. Step 0 may be reported in several calls. */
struct machine_observer {
    void *context;
    void (*events)(void *context, uint64_t step, const struct machine_event *event, size_t count);
    /* Reports that the steps after `step` belong to the phase `name`, which is gone after the
     * call. */
    void (*phase)(void *context, uint64_t step, const char *name);
    /* Called before the first event, and before that of each further attempt, which has all names
     * anew; may be NULL. */
    void (*begin)(void *context, const struct machine_beginning *beginning);
};

#endif
