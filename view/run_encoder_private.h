/* run_encoder_private.h - the two kinds of runs behind run_encoder.h. */
#ifndef MESHCAST_VIEW_RUN_ENCODER_PRIVATE_H
#define MESHCAST_VIEW_RUN_ENCODER_PRIVATE_H

#include "machine/observer.h"
#include "network/network.h"
#include "view/run_encoder.h"

#include <stdbool.h>

enum { TRACE_FIELDS = 6 }; /* the most after a letter */

/* A line of a trace after its header. */
struct trace_line {
    uint64_t number; /* of the line, from 1 */
    uint64_t time;   /* step or cycle */
    char letter;
    int fields;
    uint64_t field[TRACE_FIELDS];
};

/* The functions for a kind of run's header and trace lines. Each fails as run_encoder_read(). */
struct run_kind {
    const char *first_word; /* of the trace */
    /* Begins; `header` is the first line, ended by a zero. */
    enum failure_kind (*begin)(void **state, const struct run_plan *plan, const char *header,
                               struct failure *failure);
    enum failure_kind (*line)(void *state, const struct trace_line *line, struct failure *failure);
    /* Reads a comment, from after its '#' to a zero. */
    void (*comment)(void *state, const char *text);
    /* Writes the last frame, the data of the whole run, and the members of the run's object that
     * are the kind's own, each ended by a comma. */
    enum failure_kind (*end)(void *state, FILE *members, uint64_t *steps, struct failure *failure);
    void (*free)(void *state);
};

extern const struct run_kind run_of_machine, run_of_network;

/* ---- a run that is observed ---- */

struct machine_run;
enum failure_kind machine_run_attempt(struct machine_run *run,
                                      const struct machine_beginning *beginning,
                                      struct failure *failure);
enum failure_kind machine_run_take(struct machine_run *run, uint64_t step,
                                   const struct machine_event *event, size_t count,
                                   struct failure *failure);
void machine_run_phase(struct machine_run *run, const char *name);

struct network_run;
enum failure_kind network_run_take(struct network_run *run, uint64_t cycle,
                                   const struct network_event *event, size_t count,
                                   struct failure *failure);
void network_run_note(struct network_run *run, const char *text);

/* Fails with FAIL_INPUT, naming the trace and the line. */
enum failure_kind run_refuse(const struct run_plan *plan, uint64_t line, struct failure *failure,
                             const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Writes a string of JSON with its quotes; characters that JSON does not allow, and '<', are
 * escaped. */
void run_write_text(const char *text, FILE *out);

#endif
