/* trace_reader.h - reads a trace (doc/model.md, "The trace") line by line, as a stream.
 *
 * The reader knows only the grammar: the header, the letters, their numbers of fields, numbers. The
 * audit checks the values. Anything else fails with FAIL_INPUT, and the text names file and line.
 * Blank lines, comments, several blanks between fields, a carriage return at a line's end and a
 * last line without a newline are all tolerated.
 */
#ifndef MESHCAST_AUDIT_TRACE_READER_H
#define MESHCAST_AUDIT_TRACE_READER_H

#include "base/byte_source.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TRACE_FIELDS = 3,  /* at most, after the step and the letter */
    TRACE_PHASE = 64,  /* bytes of a phase's name that are kept, with the final zero */
    TRACE_SOURCE = 200 /* bytes of the file's name that are kept for messages */
};

/* Steps of a trace are below this, so that a step and two bits fit into one word. */
#define TRACE_STEP_LIMIT (UINT64_C(1) << 61)

/* The letters, and the contents of field[0..2] of each. */
enum trace_kind {
    TRACE_INJECT,  /* I: node, packet, message */
    TRACE_MOVE,    /* M: packet, from, to */
    TRACE_WORD,    /* X: from, to */
    TRACE_COPY,    /* C: node, packet, copy */
    TRACE_DELIVER, /* D: node, packet, message */
    TRACE_END,     /* E: node, packet, message */
    TRACE_DISCARD, /* R: node, packet */
    TRACE_MERGE,   /* G: node, packet, into */
    TRACE_KINDS
};

struct trace_event {
    enum trace_kind kind;
    uint64_t step;
    uint64_t field[TRACE_FIELDS];
    uint64_t line; /* its line, from 1 */
};

struct trace_header {
    uint32_t rows, cols; /* a valid mesh */
    bool copy_is_free;
    bool has_capacity; /* buffer=none: false */
    bool is_kernel;    /* kernel=NAME was given */
    bool reduces;      /* reduce=sum was given */
    uint32_t capacity; /* packets per node */
};

enum trace_item {
    TRACE_ITEM_EVENT,  /* `event` is filled */
    TRACE_ITEM_PHASE,  /* reader->phase holds the name of the phase that begins here */
    TRACE_ITEM_FINISH, /* the file is at its end */
    TRACE_ITEM_FAILED  /* `failure` is filled */
};

struct trace_reader {
    struct byte_source *bytes; /* not owned */
    char source[TRACE_SOURCE]; /* the file's name, for messages */
    char phase[TRACE_PHASE];
    uint64_t line; /* of the last line read, from 1 */
};

/* Reads the header from `source`, which stays the caller's; `name` ("-": standard input) is the
 * file's in messages. */
enum failure_kind trace_reader_open(struct trace_reader *reader, struct byte_source *source,
                                    const char *name, struct trace_header *header,
                                    struct failure *failure);

/* Reads on to the next event or phase. On TRACE_ITEM_FAILED the failure's kind is FAIL_INPUT or
 * FAIL_SYSTEM; `failure` must not be NULL. */
enum trace_item trace_reader_next(struct trace_reader *reader, struct trace_event *event,
                                  struct failure *failure);

/* Returns the letter of `kind` in a trace. */
char trace_letter(enum trace_kind kind);

#endif
