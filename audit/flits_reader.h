/* flits_reader.h - reads a network's trace (doc/network.md, "The trace"): its first line, then line by line.
 *
 * The reader knows the form alone: the settings, the letters, how many fields each has, numbers. What is
 * none of that fails with FAIL_INPUT, and the text names file, line and what was expected. Private to the audit.
 */
#ifndef MESHCAST_AUDIT_FLITS_READER_H
#define MESHCAST_AUDIT_FLITS_READER_H

#include "audit/flits_shape.h"
#include "base/byte_source.h"

enum { FLITS_FIELDS = 6, FLITS_NAME = 304, FLITS_WORD = 64 };

enum flits_switching { WORMHOLE, CUT_THROUGH, STORE_AND_FORWARD, CIRCUIT };

struct flits_header {
    struct flits_shape shape;
    enum flits_switching switching;
    uint32_t vcs;
    uint32_t buffer;                 /* 0: any */
    uint32_t injection, consumption; /* 0: as many as links */
    uint32_t startup, router_delay;
    bool startup_is_per_port, is_one_port, releases_when_left;
    enum flits_routing routing;
    char routing_name[FLITS_WORD];
};

/* True if a flit leaves a node over all outputs of its worm at once. */
static inline bool flits_is_lockstep(const struct flits_header *header)
{
    return header->switching == WORMHOLE || header->switching == CIRCUIT;
}

/* Numbers of 2^32 and more are UINT32_MAX in a field, cycles of 2^62 and more 2^62. */
struct flits_line {
    uint64_t cycle, line;
    uint32_t field[FLITS_FIELDS];
    char letter;
};

struct flits_reader {
    struct byte_source *source;
    char name[FLITS_NAME];
    uint64_t line; /* of what was read last, from 1 */
};

/* Reads the first line. The source stays the caller's. */
enum failure_kind flits_reader_begin(struct flits_reader *reader, struct byte_source *source,
                                     struct flits_header *header, struct failure *failure);

/* The next line; *found is false at the end. */
enum failure_kind flits_reader_next(struct flits_reader *reader, struct flits_line *line,
                                    bool *found, struct failure *failure);

/* How many fields such a line has, 0: there is no such letter. */
int flits_fields(char letter);

#endif
