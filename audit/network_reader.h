/* network_reader.h - reads a network's trace (doc/network.md, "The trace"): its first line, then line by line.
 *
 * The reader knows the form alone: the settings, the letters, how many fields each has, numbers. What is
 * none of that fails with FAIL_INPUT, and the text names file, line and what was expected. Private to the audit.
 */
#ifndef MESHCAST_AUDIT_NETWORK_READER_H
#define MESHCAST_AUDIT_NETWORK_READER_H

#include "audit/network_shape.h"
#include "base/byte_source.h"

enum { NETWORK_FIELDS = 6, NETWORK_NAME = 304, NETWORK_WORD = 64 };

enum network_switching { WORMHOLE, CUT_THROUGH, STORE_AND_FORWARD };

struct network_header {
    struct network_shape shape;
    enum network_switching switching;
    uint32_t vcs;
    uint32_t buffer;                 /* 0: any */
    uint32_t injection, consumption; /* 0: as many as links */
    uint32_t startup, router_delay;
    bool startup_is_per_port, is_one_port, releases_when_left;
    enum network_routing routing;
    char routing_name[NETWORK_WORD];
};

/* Numbers of 2^32 and more are UINT32_MAX in a field, cycles of 2^62 and more 2^62. */
struct network_line {
    uint64_t cycle, line;
    uint32_t field[NETWORK_FIELDS];
    char letter;
};

struct network_reader {
    struct byte_source *source;
    char name[NETWORK_NAME];
    uint64_t line; /* of what was read last, from 1 */
};

/* Reads the first line. The source stays the caller's. */
enum failure_kind network_reader_begin(struct network_reader *reader, struct byte_source *source,
                                       struct network_header *header, struct failure *failure);

/* The next line; *found is false at the end. */
enum failure_kind network_reader_next(struct network_reader *reader, struct network_line *line,
                                      bool *found, struct failure *failure);

/* How many fields such a line has, 0: there is no such letter. */
int network_fields(char letter);

#endif
