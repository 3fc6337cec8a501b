/* message_set_read.c - the reader of message sets: the grammar, the checks, the order.
 *
 * Invariant: nothing is allocated from a number that the file declares. Storage doubles as content
 * arrives, so a set costs a small multiple of its file whatever its header says.
 *
 * Messages of version 1 and destinations may come in any order. What does not ascend is sorted, and repeats
 * are looked for only then: they are neighbours in the sorted order. More messages of version 1, or
 * destinations of one, than there are nodes hold repeats, so that a text without an end comes to one; one of
 * version 2 comes to the most deliveries. A message's line is kept with it, so that a source that comes
 * twice can be reported with both lines.
 *
 * Cost: O(bytes) time for ascending sets, one sort of the messages otherwise; 4 bytes per delivery
 * and 20 a message, twice that while growing.
 */
#include "workloads/message_set.h"

#include "base/text_scan.h"
#include "machine/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the header ---- */

/* The first line:
 *
 *     mcast 1 ROWS COLS
 *     mcast 2 mesh|torus SIZE SIZE ..     1 to 8 sizes, the slowest dimension first
 *     mcast 2 graph NODES
 *     mcast 3 ..                          the same as 2
 *
 * A shape is checked before it is handed out, and so is each number before it is multiplied. */

struct header {
    int version; /* 1 .. 3 */
    struct shape shape;
};

#define HEADER "the header 'mcast 1 ROWS COLS' or 'mcast 2 TOPOLOGY SIZE ..'"

/* Fails for want of a header; a file of a known other kind is named, with the command that takes it. */
static enum failure_kind fail_header(struct text_scan *scan)
{
    static const struct {
        const char *begin, *remedy;
    } others[] = {
        {"%%MatrixMarket", "a Matrix Market file; 'meshcast import' makes a message set of it"},
        {"meshcast-trace", "a trace, where its set comes first"},
        {"meshcast-network", "a trace, where its set comes first"},
        {"expander", "an expander graph"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncasecmp((const char *)scan->at, others[i].begin, strlen(others[i].begin)) == 0)
            return fail(scan->failure, FAIL_INPUT, "%.300s:%llu: expected " HEADER ", found %s",
                        scan->name, (unsigned long long)scan->line, others[i].remedy);
    if (scan->at[0] >= '0' && scan->at[0] <= '9')
        return text_scan_fail(scan, HEADER " ('meshcast import' makes a message set of a graph)");
    return text_scan_fail(scan, HEADER);
}

static enum failure_kind fail_size(struct text_scan *scan, const struct shape *shape)
{
    char text[TOPOLOGY_TEXT_SIZE];
    shape_text(shape, text);
    return fail(scan->failure, FAIL_INPUT,
                "%.300s:%llu: expected a %s of at most %d nodes, found %s", scan->name,
                (unsigned long long)scan->line, topology_kind_names[shape->kind],
                TOPOLOGY_MAX_NODES, text);
}

/* ROWS COLS */
static enum failure_kind read_mesh(struct text_scan *scan, struct shape *shape)
{
    uint32_t rows, cols;
    *shape = (struct shape){.kind = TOPOLOGY_MESH, .dimensions = 2};
    enum failure_kind kind = text_scan_number(scan, "the number of rows", 1, MESH_MAX_SIDE, &rows);
    if (kind == FAIL_NONE)
        kind = text_scan_number(scan, "the number of columns", 1, MESH_MAX_SIDE, &cols);
    if (kind != FAIL_NONE)
        return kind;
    shape->size[0] = cols;
    shape->size[1] = rows;
    return mesh_is_valid(rows, cols) ? FAIL_NONE : fail_size(scan, shape);
}

/* TOPOLOGY SIZE .. */
static enum failure_kind read_shape(struct text_scan *scan, struct shape *shape)
{
    uint32_t size[TOPOLOGY_DIMENSIONS], count = 0, most = TOPOLOGY_DIMENSIONS;
    enum failure_kind kind = text_scan_blanks(scan);
    if (kind != FAIL_NONE)
        return kind;
    int named = 0;
    while (named < TOPOLOGY_KINDS && !text_scan_word(scan, topology_kind_names[named]))
        named++;
    if (named == TOPOLOGY_KINDS)
        return text_scan_fail(scan, "'mesh', 'torus' or 'graph'");
    *shape = (struct shape){.kind = (enum topology_kind)named};
    if (shape->kind == TOPOLOGY_GRAPH)
        most = 1;
    do {
        kind = text_scan_number(
            scan, shape->kind == TOPOLOGY_GRAPH ? "the number of nodes" : "the size of a dimension",
            1, TOPOLOGY_MAX_NODES, &size[count]);
        if (kind == FAIL_NONE)
            kind = text_scan_blanks(scan);
        if (kind != FAIL_NONE)
            return kind;
        count++;
    } while (count < most && !text_scan_at_line_end(scan));
    shape->dimensions = count;
    for (uint32_t i = 0; i < count; i++)
        shape->size[i] = size[count - 1 - i];
    return shape_is_valid(shape) ? FAIL_NONE : fail_size(scan, shape);
}

/* Reads the header, the first line that holds something, and passes its end. */
static enum failure_kind read_header(struct text_scan *scan, struct header *header)
{
    bool found;
    enum failure_kind kind = text_scan_find(scan, &found);
    if (kind != FAIL_NONE)
        return kind;
    if (!found || !text_scan_word(scan, "mcast"))
        return fail_header(scan);
    if ((kind = text_scan_blanks(scan)) != FAIL_NONE)
        return kind;
    if (text_scan_word(scan, "1"))
        header->version = 1;
    else if (text_scan_word(scan, "2"))
        header->version = 2;
    else if (text_scan_word(scan, "3"))
        header->version = 3;
    else
        return text_scan_fail(scan, "version 1, 2 or 3 of the format after 'mcast'");
    kind =
        header->version == 1 ? read_mesh(scan, &header->shape) : read_shape(scan, &header->shape);
    if (kind == FAIL_NONE)
        kind = text_scan_blanks(scan);
    if (kind != FAIL_NONE)
        return kind;
    if (!text_scan_at_line_end(scan))
        return text_scan_fail(scan, "the end of the header's line");
    text_scan_next_line(scan);
    return FAIL_NONE;
}

/* ---- the messages ---- */

struct reader {
    struct text_scan scan;
    struct message_set *set;
    uint64_t *line_of; /* [messages]: where each message stands */
    size_t message_room, delivery_room, wait_room;
    uint64_t waits;
    bool ascending; /* the sources, so far */
    bool has_start; /* one above 0 */
    int version;
    uint32_t nodes;
    uint32_t messages; /* in the text so far */
};

/* Makes an array that few sets have longer, from `had` elements, all new ones 0; NULL: no memory. */
static void *widened(void *array, size_t had, size_t room, size_t size)
{
    had = array == NULL ? 0 : had;
    char *wider = memory_resize(array, room, size);
    if (wider != NULL)
        memset(wider + had * size, 0, (room - had) * size);
    return wider;
}

/* Room for the lengths of so many messages, none of which is given; false: no memory. */
static bool make_length_room(struct reader *reader, size_t room)
{
    uint32_t *length =
        widened(reader->set->length, reader->message_room, room, sizeof *reader->set->length);
    if (length != NULL)
        reader->set->length = length;
    return length != NULL;
}

/* The same of starts. */
static bool make_start_room(struct reader *reader, size_t room)
{
    uint64_t *start =
        widened(reader->set->start, reader->message_room, room, sizeof *reader->set->start);
    if (start != NULL)
        reader->set->start = start;
    return start != NULL;
}

/* The same of waits. */
static bool make_wait_room(struct reader *reader, size_t room)
{
    uint64_t *offset = widened(reader->set->wait_offset, reader->message_room + 1, room + 1,
                               sizeof *reader->set->wait_offset);
    if (offset != NULL)
        reader->set->wait_offset = offset;
    return offset != NULL;
}

/* Room for one more message and its end offset. */
static enum failure_kind make_message_room(struct reader *reader)
{
    struct message_set *set = reader->set;
    if (set->messages < reader->message_room)
        return FAIL_NONE;
    size_t room = reader->message_room < 32 ? 32 : 2 * reader->message_room;
    node_index *source = memory_resize(set->source, room, sizeof *source);
    if (source != NULL)
        set->source = source;
    uint64_t *offset = memory_resize(set->offset, room + 1, sizeof *offset);
    if (offset != NULL)
        set->offset = offset;
    uint64_t *line_of = memory_resize(reader->line_of, room, sizeof *line_of);
    if (line_of != NULL)
        reader->line_of = line_of;
    if (source == NULL || offset == NULL || line_of == NULL ||
        (set->length != NULL && !make_length_room(reader, room)) ||
        (set->start != NULL && !make_start_room(reader, room)) ||
        (set->wait_offset != NULL && !make_wait_room(reader, room)))
        return fail_memory(reader->scan.failure, "the messages of a set");
    reader->message_room = room;
    return FAIL_NONE;
}

/* Keeps the length of the message that is being read. */
static enum failure_kind set_length(struct reader *reader, uint32_t length)
{
    if (reader->set->length == NULL && !make_length_room(reader, reader->message_room))
        return fail_memory(reader->scan.failure, "the lengths of messages");
    reader->set->length[reader->set->messages] = length;
    return FAIL_NONE;
}

/* Keeps the start of the message that is being read. */
static enum failure_kind set_start(struct reader *reader, uint64_t start)
{
    if (reader->set->start == NULL && !make_start_room(reader, reader->message_room))
        return fail_memory(reader->scan.failure, "the starts of messages");
    reader->set->start[reader->set->messages] = start;
    reader->has_start |= start > 0;
    return FAIL_NONE;
}

/* Adds a wait to the message that is being read. */
static enum failure_kind add_wait(struct reader *reader, uint32_t message)
{
    struct message_set *set = reader->set;
    bool has_room = set->wait_offset != NULL || make_wait_room(reader, reader->message_room);
    if (has_room && reader->waits == reader->wait_room) {
        uint32_t *grown =
            memory_grow(set->wait_on, &reader->wait_room, reader->waits + 1, sizeof *grown);
        has_room = grown != NULL;
        set->wait_on = has_room ? grown : set->wait_on;
    }
    if (!has_room)
        return fail_memory(reader->scan.failure, "the waits of messages");
    set->wait_on[reader->waits++] = message;
    return FAIL_NONE;
}

static enum failure_kind add_destination(struct reader *reader, node_index node)
{
    struct message_set *set = reader->set;
    if (set->deliveries == reader->delivery_room) {
        node_index *grown = memory_grow(set->destination, &reader->delivery_room,
                                        set->deliveries + 1, sizeof *grown);
        if (grown == NULL)
            return fail_memory(reader->scan.failure, "the deliveries of a set");
        set->destination = grown;
    }
    if (set->deliveries >= UINT32_MAX - 1)
        return fail(reader->scan.failure, FAIL_INPUT,
                    "%.300s:%llu: expected at most %lu deliveries in all, found more",
                    reader->scan.name, (unsigned long long)reader->scan.line,
                    (unsigned long)UINT32_MAX - 1);
    set->destination[set->deliveries++] = node;
    return FAIL_NONE;
}

/* Sorts the last message's destinations, unless they ascend already, and looks for repeats. */
static enum failure_kind close_message(struct reader *reader, bool ascending)
{
    struct message_set *set = reader->set;
    uint64_t first = set->offset[set->messages];
    if (!ascending) {
        message_set_sort_nodes(set->destination + first, set->deliveries - first);
        for (uint64_t i = first + 1; i < set->deliveries; i++)
            if (set->destination[i] == set->destination[i - 1])
                return fail(reader->scan.failure, FAIL_INPUT,
                            "%.300s:%llu: expected each destination once in a message, found node "
                            "%lu twice",
                            reader->scan.name, (unsigned long long)reader->scan.line,
                            (unsigned long)set->destination[i]);
    }
    reader->messages++;
    set->messages++;
    set->offset[set->messages] = set->deliveries;
    if (set->wait_offset != NULL)
        set->wait_offset[set->messages] = reader->waits;
    return FAIL_NONE;
}

/* Reads `K,K ..` after `>`; *end is the byte after it that was passed, or 0. */
static enum failure_kind read_waits(struct reader *reader, char *end)
{
    uint64_t message = 0, first = reader->waits;
    enum failure_kind kind;
    do
        kind = text_scan_number_part(&reader->scan, "a message's number", 0, UINT32_MAX - 1, ",@",
                                     &message, end);
    while (kind == FAIL_NONE && (kind = add_wait(reader, (uint32_t)message)) == FAIL_NONE &&
           *end == ',');
    if (kind != FAIL_NONE)
        return kind;
    uint32_t *wait = reader->set->wait_on + first;
    message_set_sort_nodes(wait, reader->waits - first);
    for (uint64_t i = 1; i < reader->waits - first; i++)
        if (wait[i] == wait[i - 1])
            return fail(
                reader->scan.failure, FAIL_INPUT,
                "%.300s:%llu: expected a wait for each message once, found message %lu twice",
                reader->scan.name, (unsigned long long)reader->scan.line, (unsigned long)wait[i]);
    return FAIL_NONE;
}

/* Reads `SOURCE`, in version 2 also `SOURCE:LENGTH`, in version 3 also `>K,K`, `@START` or both behind it; the scan stands
 * at it. */
static enum failure_kind read_source(struct reader *reader, uint32_t *source)
{
    struct text_scan *scan = &reader->scan;
    uint64_t number = 0, last = reader->nodes - 1;
    char end;
    if (reader->version == 1)
        return text_scan_number(scan, "a source node", 0, (uint32_t)last, source);
    bool is_timed = reader->version == 3;
    enum failure_kind kind = text_scan_number_part(scan, "a source node", 0, last,
                                                   is_timed ? ":>@" : ":", &number, &end);
    *source = (uint32_t)number;
    if (kind == FAIL_NONE && end == ':') {
        kind = text_scan_number_part(scan, "a message's length", 1, MESSAGE_SET_MAX_LENGTH,
                                     is_timed ? ">@" : "", &number, &end);
        kind = kind == FAIL_NONE ? set_length(reader, (uint32_t)number) : kind;
    }
    if (kind == FAIL_NONE && end == '>')
        kind = read_waits(reader, &end);
    if (kind == FAIL_NONE && end == '@') {
        kind = text_scan_number_part(scan, "a start", 0, MESSAGE_SET_MAX_START, "", &number, &end);
        kind = kind == FAIL_NONE ? set_start(reader, number) : kind;
    }
    return kind;
}

/* Reads one line `SOURCE DEST DEST ...`; the scan stands at SOURCE. */
static enum failure_kind read_message(struct reader *reader)
{
    struct message_set *set = reader->set;
    struct text_scan *scan = &reader->scan;
    uint32_t node, before = 0;
    bool ascending = true;
    enum failure_kind kind = make_message_room(reader);
    if (kind != FAIL_NONE)
        return kind;
    if ((kind = read_source(reader, &set->source[set->messages])) != FAIL_NONE)
        return kind;
    reader->line_of[set->messages] = scan->line;
    if (set->messages > 0 && set->source[set->messages - 1] >= set->source[set->messages])
        reader->ascending = false;

    for (bool first = true;; first = false) {
        if ((kind = text_scan_blanks(scan)) != FAIL_NONE)
            return kind;
        if (!first && text_scan_at_line_end(scan))
            return close_message(reader, ascending);
        kind = text_scan_number(scan, "a destination node", 0, reader->nodes - 1, &node);
        if (kind != FAIL_NONE || (kind = add_destination(reader, node)) != FAIL_NONE)
            return kind;
        ascending = ascending && (first || node > before);
        if (set->deliveries - set->offset[set->messages] > reader->nodes)
            return close_message(reader, ascending); /* one has come twice; there may be no end */
        before = node;
    }
}

/* Puts the messages of version 1 in the order of their sources, of which each may come once. */
static enum failure_kind sort_messages(struct reader *reader)
{
    uint32_t repeated[2];
    struct failure *failure = reader->scan.failure;
    enum failure_kind kind = message_set_sort_sources(reader->set, repeated, failure);
    if (kind != FAIL_NONE || repeated[1] == UINT32_MAX)
        return kind;
    return fail(failure, FAIL_INPUT,
                "%.300s:%llu: expected at most one message a source, found a second one from node "
                "%lu (the first is in line %llu)",
                reader->scan.name, (unsigned long long)reader->line_of[repeated[1]],
                (unsigned long)reader->set->source[repeated[1]],
                (unsigned long long)reader->line_of[repeated[0]]);
}

/* Checks the waits of a message. */
static enum failure_kind check_waits(const struct reader *reader, uint32_t message)
{
    const struct message_set *set = reader->set;
    struct failure *failure = reader->scan.failure;
    unsigned long long line = reader->line_of[message];
    node_index source = set->source[message];
    for (uint64_t i = set->wait_offset[message]; i < set->wait_offset[message + 1]; i++) {
        uint32_t before = set->wait_on[i];
        if (before >= set->messages)
            return fail(failure, FAIL_INPUT,
                        "%.300s:%llu: expected a wait for one of %lu messages, which are numbered "
                        "from 0, found message %lu",
                        reader->scan.name, line, (unsigned long)set->messages,
                        (unsigned long)before);
        if (set->source[before] == source)
            return fail(failure, FAIL_INPUT,
                        "%.300s:%llu: expected a wait for a message of another node, found message "
                        "%lu, which node %lu sends itself and has from the start",
                        reader->scan.name, line, (unsigned long)before, (unsigned long)source);
        if (!message_set_goes_to(set, before, source))
            return fail(failure, FAIL_INPUT,
                        "%.300s:%llu: expected a wait for a message that goes to node %lu, found "
                        "message %lu, which does not",
                        reader->scan.name, line, (unsigned long)source, (unsigned long)before);
    }
    return FAIL_NONE;
}

/* Checks all waits, and gives back what no message needs. */
static enum failure_kind end_times(struct reader *reader)
{
    struct message_set *set = reader->set;
    struct failure *failure = reader->scan.failure;
    uint32_t cyclic = UINT32_MAX;
    if (!reader->has_start) {
        free(set->start);
        set->start = NULL;
    }
    for (uint32_t i = 0; set->wait_offset != NULL && i < set->messages; i++)
        if (check_waits(reader, i) != FAIL_NONE)
            return failure->kind;
    uint32_t *chain = NULL;
    if (set->wait_offset != NULL) {
        chain = memory_allocate(set->messages, sizeof *chain);
        if (chain == NULL)
            return fail_memory(failure, "the waits of messages");
        message_set_chains(set, chain, &cyclic, failure);
    }
    free(chain);
    if (cyclic == UINT32_MAX)
        return failure->kind;
    return fail(
        failure, FAIL_INPUT,
        "%.300s:%llu: expected no cycle of waits, found that message %lu waits for itself, at "
        "once or by way of others",
        reader->scan.name, (unsigned long long)reader->line_of[cyclic], (unsigned long)cyclic);
}

/* Reads `MESSAGES` behind `end`, and that nothing more comes. */
static enum failure_kind read_end(struct reader *reader)
{
    struct text_scan *scan = &reader->scan;
    uint32_t messages;
    bool found = false;
    enum failure_kind kind =
        text_scan_number(scan, "the number of messages", 0, UINT32_MAX, &messages);
    if (kind == FAIL_NONE && messages != reader->messages)
        return fail(scan->failure, FAIL_INPUT,
                    "%.300s:%llu: expected 'end %lu', as many messages as stand before it, found "
                    "'end %lu'",
                    scan->name, (unsigned long long)scan->line, (unsigned long)reader->messages,
                    (unsigned long)messages);
    if (kind == FAIL_NONE)
        kind = text_scan_find(scan, &found);
    return kind == FAIL_NONE && found ? text_scan_fail(scan, "nothing behind 'end'") : kind;
}

static enum failure_kind read_lines(struct reader *reader)
{
    struct header header;
    struct message_set *set = reader->set;
    bool found;
    enum failure_kind kind = read_header(&reader->scan, &header);
    if (kind != FAIL_NONE)
        return kind;
    set->shape = header.shape;
    set->mesh = mesh_of_shape(&header.shape);
    reader->version = header.version;
    reader->nodes = shape_nodes(&header.shape);
    if ((kind = make_message_room(reader)) != FAIL_NONE)
        return kind;
    set->offset[0] = 0;
    while ((kind = text_scan_find(&reader->scan, &found)) == FAIL_NONE && found) {
        if (reader->version >= 2 && text_scan_word(&reader->scan, "end")) {
            kind = read_end(reader);
            return kind == FAIL_NONE ? end_times(reader) : kind;
        }
        if ((kind = read_message(reader)) != FAIL_NONE)
            return kind;
        if (reader->version == 1 && reader->messages > reader->nodes)
            break; /* a source has come twice, and the text may have no end */
    }
    set->lacks_end = reader->version >= 2;
    if (kind == FAIL_NONE)
        kind = end_times(reader);
    if (kind == FAIL_NONE && reader->version == 1 && !reader->ascending)
        kind = sort_messages(reader);
    return kind;
}

enum failure_kind message_set_read_source(struct message_set *set, struct byte_source *source,
                                          const char *name, struct failure *failure)
{
    *set = (struct message_set){0};
    struct reader reader = {
        .set = set,
        .ascending = true,
    };
    enum failure_kind kind = text_scan_open(&reader.scan, source, '#', name, failure);
    if (kind == FAIL_NONE)
        kind = read_lines(&reader);
    if (kind == FAIL_NONE)
        message_set_trim(set);
    else
        message_set_free(set);
    free(reader.line_of);
    text_scan_close(&reader.scan);
    byte_source_close(source);
    return kind;
}

enum failure_kind message_set_read_memory(struct message_set *set, const void *bytes, size_t length,
                                          const char *name, struct failure *failure)
{
    struct byte_source *source;
    *set = (struct message_set){0};
    enum failure_kind kind = byte_source_open_memory(&source, bytes, length, name, failure);
    return kind == FAIL_NONE ? message_set_read_source(set, source, name, failure) : kind;
}
