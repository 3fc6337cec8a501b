/* message_set_read.c - the reader of message sets: the grammar, the checks, the order.
 *
 * Invariant: nothing is allocated from a number that the file declares. Storage doubles as content
 * arrives, so a set costs a small multiple of its file for any header.
 *
 * Messages of version 1 and destinations may come in any order. If they do not ascend they are
 * sorted, and repeats are looked for only then: they are neighbours in the sorted order. More
 * messages of version 1, or destinations of one, than there are nodes hold repeats, so a text
 * without an end reaches one; one of version 2 reaches the most deliveries. A message's line is
 * kept with it, so that a repeated source can be reported with both lines.
 *
 * Cost: O(bytes) time for ascending sets, one sort of the messages otherwise; 4 bytes per delivery
 * and 20 per message, twice that while growing.
 */
#include "workloads/message_set.h"

#include "base/text_scan.h"
#include "machine/mesh.h"

#include <inttypes.h>
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
 * A shape is checked before it is returned, and so is each number before it is multiplied. */

struct header {
    int version; /* 1 .. 3 */
    struct shape shape;
};

#define HEADER "the header 'mcast 1 ROWS COLS' or 'mcast 2 TOPOLOGY SIZE ..'"

/* Fails for want of a header; a file of a known other kind is named, with the command that accepts
 * it. */
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
            return text_scan_refuse(scan, "expected " HEADER ", found %s", others[i].remedy);
    if (scan->at[0] >= '0' && scan->at[0] <= '9')
        return text_scan_fail(scan, HEADER " ('meshcast import' makes a message set of a graph)");
    return text_scan_fail(scan, HEADER);
}

static enum failure_kind fail_size(struct text_scan *scan, const struct shape *shape)
{
    char text[TOPOLOGY_TEXT_SIZE];
    shape_text(shape, text);
    return text_scan_refuse(scan, "expected a %s of at most %d nodes, found %s",
                            topology_kind_names[shape->kind], TOPOLOGY_MAX_NODES, text);
}

/* Reads ROWS COLS. */
static enum failure_kind read_mesh(struct text_scan *scan, struct shape *shape)
{
    uint32_t rows, cols;
    *shape = (struct shape){.kind = TOPOLOGY_MESH, .dimensions = 2};
    if (text_scan_number(scan, "the number of rows", 1, MESH_MAX_SIDE, &rows) != FAIL_NONE ||
        text_scan_number(scan, "the number of columns", 1, MESH_MAX_SIDE, &cols) != FAIL_NONE)
        return scan->failure->kind;
    shape->size[0] = cols;
    shape->size[1] = rows;
    return mesh_is_valid(rows, cols) ? FAIL_NONE : fail_size(scan, shape);
}

/* Reads TOPOLOGY SIZE .. */
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
    uint64_t *line_of; /* [messages]: line of each message */
    size_t message_room, delivery_room, wait_room;
    uint64_t waits, starts; /* starts: their sum */
    bool ascending;         /* of the sources, so far */
    int version;
    uint32_t nodes;
    uint32_t messages; /* in the text so far */
};

/* Makes the array longer that the pointer at `array` points to, NULL or of `had` elements; new
 * elements are 0. False: no memory. */
static bool widen(void *array, size_t had, size_t room, size_t size)
{
    void *old, *wider;
    memcpy(&old, array, sizeof old);
    had = old == NULL ? 0 : had;
    wider = memory_resize(old, room, size);
    if (wider == NULL)
        return false;
    memset((char *)wider + had * size, 0, (room - had) * size);
    memcpy(array, &wider, sizeof wider);
    return true;
}

/* Makes room for one more message and its end offset, and for the rare arrays, if this one needs
 * them. */
static enum failure_kind make_message_room(struct reader *reader)
{
    struct message_set *set = reader->set;
    size_t had = reader->message_room, room = had < 32 ? 32 : 2 * had;
    if (set->messages < had)
        return FAIL_NONE;
    if (!widen(&set->source, had, room, sizeof *set->source) ||
        !widen(&set->offset, had + 1, room + 1, sizeof *set->offset) ||
        !widen(&reader->line_of, had, room, sizeof *reader->line_of) ||
        (set->length != NULL && !widen(&set->length, had, room, sizeof *set->length)) ||
        (set->start != NULL && !widen(&set->start, had, room, sizeof *set->start)) ||
        (set->wait_offset != NULL &&
         !widen(&set->wait_offset, had + 1, room + 1, sizeof *set->wait_offset)))
        return fail_memory(reader->scan.failure, "the messages of a set");
    reader->message_room = room;
    return FAIL_NONE;
}

/* Keeps the length of the message that is being read. */
static enum failure_kind set_length(struct reader *reader, uint32_t length)
{
    struct message_set *set = reader->set;
    if (set->length == NULL && !widen(&set->length, 0, reader->message_room, sizeof *set->length))
        return fail_memory(reader->scan.failure, "the lengths of messages");
    set->length[set->messages] = length;
    return FAIL_NONE;
}

/* Keeps the start of the message that is being read. */
static enum failure_kind set_start(struct reader *reader, uint64_t start)
{
    struct message_set *set = reader->set;
    if (set->start == NULL && !widen(&set->start, 0, reader->message_room, sizeof *set->start))
        return fail_memory(reader->scan.failure, "the starts of messages");
    if (start > MESSAGE_SET_MAX_STARTS - reader->starts)
        return text_scan_refuse(&reader->scan,
                                "expected starts that add up to at most %" PRIu64
                                ", found more with message %u",
                                MESSAGE_SET_MAX_STARTS, set->messages);
    reader->starts += start;
    set->start[set->messages] = start;
    return FAIL_NONE;
}

/* Adds a wait to the message that is being read. */
static enum failure_kind add_wait(struct reader *reader, uint32_t message)
{
    struct message_set *set = reader->set;
    if ((set->wait_offset == NULL &&
         !widen(&set->wait_offset, 0, reader->message_room + 1, sizeof *set->wait_offset)) ||
        !memory_make_room(&set->wait_on, &reader->wait_room, reader->waits + 1,
                          sizeof *set->wait_on))
        return fail_memory(reader->scan.failure, "the waits of messages");
    set->wait_on[reader->waits++] = message;
    return FAIL_NONE;
}

static enum failure_kind add_destination(struct reader *reader, node_index node)
{
    struct message_set *set = reader->set;
    if (set->deliveries == reader->delivery_room &&
        !memory_make_room(&set->destination, &reader->delivery_room, set->deliveries + 1,
                          sizeof *set->destination))
        return fail_memory(reader->scan.failure, "the deliveries of a set");
    if (set->deliveries >= UINT32_MAX - 1)
        return text_scan_refuse(&reader->scan, "expected at most %u deliveries in all, found more",
                                UINT32_MAX - 1);
    set->destination[set->deliveries++] = node;
    return FAIL_NONE;
}

/* Sorts the last message's destinations, unless they ascend already, and looks for repeats. */
static enum failure_kind close_message(struct reader *reader, bool ascending)
{
    struct message_set *set = reader->set;
    uint64_t first = set->offset[set->messages];
    if (!ascending) {
        sort_u32(set->destination + first, set->deliveries - first);
        for (uint64_t i = first + 1; i < set->deliveries; i++)
            if (set->destination[i] == set->destination[i - 1])
                return text_scan_refuse(&reader->scan,
                                        "expected each destination once in a message, found node "
                                        "%u twice",
                                        set->destination[i]);
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
    sort_u32(wait, reader->waits - first);
    for (uint64_t i = 1; i < reader->waits - first; i++)
        if (wait[i] == wait[i - 1])
            return text_scan_refuse(&reader->scan,
                                    "expected a wait for each message once, found message %u twice",
                                    wait[i]);
    return FAIL_NONE;
}

/* Reads `SOURCE`, in version 2 also `SOURCE:LENGTH`, in version 3 also `>K,K`, `@START` or both
 * after it; the scan is at it. */
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

/* Reads one line `SOURCE DEST DEST ...`; the scan is at SOURCE. */
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
    struct byte_line line = {.name = reader->scan.name, .number = reader->line_of[repeated[1]]};
    return scan_refuse(&line, failure,
                       "expected at most one message per source, found a second one from node "
                       "%u (the first is in line %" PRIu64 ")",
                       reader->set->source[repeated[1]], reader->line_of[repeated[0]]);
}

/* Checks the waits of a message of a set whose messages are named by `id`; NULL: by their
 * numbers. */
static enum failure_kind check_waits(const struct message_set *set, uint32_t message,
                                     const struct byte_line *line, const uint64_t *id,
                                     struct failure *failure)
{
    node_index source = set->source[message];
    for (uint64_t i = set->wait_offset[message]; i < set->wait_offset[message + 1]; i++) {
        uint32_t before = set->wait_on[i];
        if (before >= set->messages)
            return scan_refuse(line, failure,
                               "expected a wait for one of %u messages, which are numbered from 0, "
                               "found message %u",
                               set->messages, before);
        uint64_t name = id != NULL ? id[before] : before;
        if (set->source[before] == source)
            return scan_refuse(line, failure,
                               "expected a wait for a message of another node, found message "
                               "%" PRIu64 ", which node %u sends itself and has from the start",
                               name, source);
        if (!message_set_goes_to(set, before, source))
            return scan_refuse(line, failure,
                               "expected a wait for a message that goes to node %u, found "
                               "message %" PRIu64 ", which does not",
                               source, name);
    }
    return FAIL_NONE;
}

enum failure_kind message_set_check_waits(const struct message_set *set, const char *name,
                                          const uint64_t *line_of, const uint64_t *id,
                                          struct failure *failure)
{
    struct byte_line line = {.name = name};
    uint32_t cyclic = UINT32_MAX;
    if (set->wait_offset == NULL)
        return FAIL_NONE;
    for (uint32_t i = 0; i < set->messages; i++) {
        line.number = line_of[i];
        if (check_waits(set, i, &line, id, failure) != FAIL_NONE)
            return failure->kind;
    }
    uint32_t *chain = memory_allocate(set->messages, sizeof *chain);
    if (chain == NULL)
        return fail_memory(failure, "the waits of messages");
    message_set_chains(set, chain, &cyclic, failure);
    free(chain);
    if (cyclic == UINT32_MAX)
        return failure->kind;
    line.number = line_of[cyclic];
    return scan_refuse(&line, failure,
                       "expected no cycle of waits, found that message %" PRIu64
                       " waits for itself, at once or by way of others",
                       id != NULL ? id[cyclic] : cyclic);
}

/* Checks all waits, and gives back the room that no message needs. */
static enum failure_kind end_times(struct reader *reader)
{
    struct message_set *set = reader->set;
    if (reader->starts == 0) {
        free(set->start);
        set->start = NULL;
    }
    return message_set_check_waits(set, reader->scan.name, reader->line_of, NULL,
                                   reader->scan.failure);
}

/* Reads `MESSAGES` after `end`, and checks that nothing follows. */
static enum failure_kind read_end(struct reader *reader)
{
    struct text_scan *scan = &reader->scan;
    uint32_t messages;
    bool found = false;
    enum failure_kind kind =
        text_scan_number(scan, "the number of messages", 0, UINT32_MAX, &messages);
    if (kind == FAIL_NONE && messages != reader->messages)
        return text_scan_refuse(scan,
                                "expected 'end %u', as many messages as stand before it, found "
                                "'end %u'",
                                reader->messages, messages);
    if (kind == FAIL_NONE)
        kind = text_scan_find(scan, &found);
    return kind == FAIL_NONE && found ? text_scan_fail(scan, "nothing after 'end'") : kind;
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
    struct failure own = {0}; /* the reader asks for its kind */
    enum failure_kind kind =
        text_scan_open(&reader.scan, source, '#', name, failure != NULL ? failure : &own);
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
