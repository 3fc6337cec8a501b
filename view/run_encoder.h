/* run_encoder.h - turns a trace, or a run that is under way, into the run of a page
 * (doc/view-format.md).
 *
 * The encoder reads a trace, or observes a machine, and keeps what a page needs to show any moment
 * of the run: frames of some hundred steps, each of which can be unpacked by itself. It reads only
 * the trace; it checks no rule of the model, but refuses events that no page could show, such as a
 * packet that moves from a node where it is not. An observed run and its trace give the same bytes.
 */
#ifndef MESHCAST_VIEW_RUN_ENCODER_H
#define MESHCAST_VIEW_RUN_ENCODER_H

#include "base/byte_source.h"
#include "machine/observer.h"
#include "network/network.h"
#include "workloads/experts.h"
#include "workloads/message_set.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    RUN_FRAME_ROWS = 256,       /* steps with an event in a frame, at most */
    RUN_FRAME_EVENTS = 1 << 21, /* a frame ends after the step that brings it to so many events */
};

/* Facts for the page that are not in the run's trace. */
struct run_facts {
    const char *title;              /* a line of text; not NULL */
    const char *command;            /* the command that made the run; NULL: not known */
    const char *figures;            /* an object in JSON, in one line; NULL: none */
    uint64_t lower_bound;           /* in steps or cycles; 0: none */
    uint64_t steps;                 /* of the whole run; 0: those of the trace */
    const struct node_lines *items; /* a line per item, of its nodes; NULL: not known */
};

struct run_plan {
    const struct message_set *set; /* NULL: none; it must outlive the encoder */
    const char *name;              /* of the trace that is read, for messages */
    uint64_t most_events;          /* of a machine's run: frames after so many keep no events */
    FILE *out;                     /* receives the run's lines */
    const struct topology *broken; /* the rest of the mesh; NULL: it is whole */
};

struct run_encoder;

/* Makes an encoder, which the caller frees. FAIL_SYSTEM: no memory. */
enum failure_kind run_encoder_make(struct run_encoder **encoder, const struct run_plan *plan,
                                   struct failure *failure);
void run_encoder_free(struct run_encoder *encoder);

/* Reads a trace to its end. FAIL_INPUT: it is no trace, not one of the set, or cannot be shown; the
 * text names the line. FAIL_SYSTEM: no memory. A failure is final. */
enum failure_kind run_encoder_read(struct run_encoder *encoder, struct byte_source *trace,
                                   struct failure *failure);

/* Return an observer for one run of a machine, which gives the encoder the events of the run's
 * trace; it lives as long as the encoder. A failure is kept for run_encoder_end(). `header` is the
 * first line of the trace, without its end. */
struct machine_observer run_encoder_observe_machine(struct run_encoder *encoder);
struct network_observer run_encoder_observe_network(struct run_encoder *encoder,
                                                    const char *header);

/* Adds the comment that reports a deadlock in a network's trace, after the last event. */
void run_encoder_note(struct run_encoder *encoder, const char *text);

/* Writes the rest; then the run is complete. Fails as the functions above. */
enum failure_kind run_encoder_end(struct run_encoder *encoder, const struct run_facts *facts,
                                  struct failure *failure);

#endif
