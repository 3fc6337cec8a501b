/* timed_list.h - messages with times, as the readers of traces find them, and the set that they
 * become.
 *
 * A message starts in a cycle, or after messages that its source waits for. Files name messages by
 * numbers of their own. Nodes are numbers of the shape's nodes; no map places them.
 */
#ifndef MESHCAST_WORKLOADS_TIMED_LIST_H
#define MESHCAST_WORKLOADS_TIMED_LIST_H

#include "workloads/import_formats.h"

struct timed_message {
    uint64_t id, line;      /* line: of the file, from 1; 0 of a binary file */
    uint64_t start;         /* the cycle; of one that waits, see timed_list.waits_have_cycles */
    uint64_t first;         /* of its destinations */
    uint32_t source, flits; /* flits: 0, not given */
};

/* A message, and one that its source must have received before. */
struct timed_wait {
    uint64_t id, awaited;
};

struct timed_list {
    /* Before reading */
    const char *name;    /* of the file */
    struct shape shape;  /* without dimensions: set by the reader, or the least square mesh */
    uint32_t flit_bytes; /* bytes per flit; 0: not given */
    uint32_t noc;        /* of tt-npe, 1 + the number of the network on chip; 0: not given */
    /* The result of reading: */
    uint32_t messages, deliveries;
    size_t message_room, delivery_room, waits, wait_room;
    struct timed_message *message;
    node_index *destination;
    struct timed_wait *wait;
    /* The start of a message that waits is the recorded cycle, and its delay the time since the
     * latest message that it waits for was sent. Waits that no set can express are left out with a
     * note. Otherwise the start is the delay. */
    bool waits_have_cycles;
    bool uses_bytes;
    struct import_notes notes;
};

/* Returns the largest allowed number of a node in the file. */
uint32_t timed_list_last_node(const struct timed_list *list);

/* Notes that the file has bytes; `flit_bytes` is a flit's size unless it was given, with a note. */
void timed_list_use_bytes(struct timed_list *list, uint32_t flit_bytes);

/* Returns the flits of so many bytes, and one for the header. */
uint64_t timed_list_flits(const struct timed_list *list, uint64_t bytes);

/* Adds a message, whose destinations are added next. FAIL_INPUT: it is too long. */
enum failure_kind timed_list_add(struct timed_list *list, struct timed_message message,
                                 struct failure *failure);
enum failure_kind timed_list_add_destination(struct timed_list *list, node_index node,
                                             struct failure *failure);
enum failure_kind timed_list_add_wait(struct timed_list *list, uint64_t id, uint64_t awaited,
                                      struct failure *failure);

/* Makes the set. FAIL_INPUT: it is none, and the text gives the reason with its line. The caller
 * frees the set. */
enum failure_kind timed_list_make(struct timed_list *list, struct message_set *set,
                                  struct failure *failure);

void timed_list_free(struct timed_list *list);

/* ---- readers ---- */

/* Reads the whole of `source` into the empty list. Fails as a format_reader. */
typedef enum failure_kind timed_reader(struct byte_source *source, struct timed_list *list,
                                       struct failure *failure);

/* timed_table_read   a message per line, in columns with names
 * netrace_read       packets of Netrace
 * npe_read           transfers of tt-npe, or the events that it reads */
timed_reader timed_table_read, netrace_read, npe_read;

/* True if the text, of which this is the beginning, is of that format. */
bool timed_table_begins(const char *text, size_t length);
bool netrace_begins(const char *text, size_t length);
bool npe_begins(const char *text, size_t length);

#endif
