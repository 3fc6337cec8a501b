/* message_set_read.c - the reader of message sets: the grammar, the checks, the order.
 *
 * Invariant: nothing is allocated from a number that the file declares. Storage doubles as content
 * arrives, so a set costs a small multiple of its file whatever its header says.
 *
 * Messages and destinations may come in any order. What does not ascend is sorted, and repeats are
 * looked for only then: they are neighbours in the sorted order. More messages, or destinations of
 * one, than there are nodes hold repeats, so that a text without an end comes to one. A message's line
 * is kept with it, so that a source that comes twice can be reported with both lines.
 *
 * Cost: O(bytes) time for ascending sets, one sort of the messages otherwise; 4 bytes a delivery
 * and 20 a message, twice that while growing.
 */
#include "workloads/message_set.h"

#include "workloads/message_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct reader {
    struct message_scan scan;
    struct message_set *set;
    uint64_t *line_of; /* [messages]: where each message stands */
    size_t message_room, delivery_room;
    uint64_t limit; /* bytes that all of these may take */
    bool ascending; /* the sources, so far */
};

/* Who gives another file where a set is wanted is told what it is. */
static enum failure_kind fail_header(struct message_scan *scan)
{
    static const char header[] = "the header 'mcast 1 ROWS COLS'";
    static const struct {
        const char *begin, *remedy;
    } others[] = {
        {"%%MatrixMarket", "a Matrix Market file; 'meshcast import' makes a message set of it"},
        {"meshcast-trace", "a trace; 'meshcast audit' wants the set before it"},
        {"expander", "an expander graph"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncasecmp((const char *)scan->at, others[i].begin, strlen(others[i].begin)) == 0)
            return fail(scan->failure, FAIL_INPUT, "%.300s:%llu: expected %s, found %s", scan->name,
                        (unsigned long long)scan->line, header, others[i].remedy);
    if (scan->at[0] >= '0' && scan->at[0] <= '9')
        return message_scan_fail(scan, "the header 'mcast 1 ROWS COLS' ('meshcast import' makes a "
                                       "message set of a graph)");
    return message_scan_fail(scan, header);
}

static enum failure_kind read_header(struct message_scan *scan, struct mesh *mesh)
{
    bool found;
    enum failure_kind kind = message_scan_find(scan, &found);
    if (kind != FAIL_NONE)
        return kind;
    if (!found || !message_scan_word(scan, "mcast"))
        return fail_header(scan);
    if ((kind = message_scan_blanks(scan)) != FAIL_NONE)
        return kind;
    if (!message_scan_word(scan, "1"))
        return message_scan_fail(scan, "version 1 of the format after 'mcast'");
    kind = message_scan_number(scan, "the number of rows", 1, MESH_MAX_SIDE, &mesh->rows);
    if (kind == FAIL_NONE)
        kind = message_scan_number(scan, "the number of columns", 1, MESH_MAX_SIDE, &mesh->cols);
    if (kind == FAIL_NONE)
        kind = message_scan_blanks(scan);
    if (kind != FAIL_NONE)
        return kind;
    if (!message_scan_at_line_end(scan))
        return message_scan_fail(scan, "the end of the header's line");
    if (!mesh_is_valid(mesh->rows, mesh->cols))
        return fail(scan->failure, FAIL_INPUT,
                    "%.300s:%llu: expected a mesh of at most %lu nodes, found %lu x %lu",
                    scan->name, (unsigned long long)scan->line, (unsigned long)MESH_MAX_NODES,
                    (unsigned long)mesh->rows, (unsigned long)mesh->cols);
    message_scan_next_line(scan);
    return FAIL_NONE;
}

/* Before more room is asked for. */
static enum failure_kind check_limit(const struct reader *reader, size_t message_room,
                                     size_t delivery_room)
{
    const struct message_set *set = reader->set;
    uint64_t of_message = sizeof *set->source + sizeof *set->offset + sizeof *reader->line_of;
    uint64_t bytes = message_room * of_message + delivery_room * sizeof *set->destination;
    char what[400];
    if (bytes <= reader->limit)
        return FAIL_NONE;
    snprintf(what, sizeof what, "%.300s:%llu: the set", reader->scan.name,
             (unsigned long long)reader->scan.line);
    return memory_check_limit(bytes, reader->limit, what, reader->scan.failure);
}

/* Room for one more message and its end offset. */
static enum failure_kind make_message_room(struct reader *reader)
{
    struct message_set *set = reader->set;
    if (set->messages < reader->message_room)
        return FAIL_NONE;
    size_t room = reader->message_room < 32 ? 32 : 2 * reader->message_room;
    if (check_limit(reader, room, reader->delivery_room) != FAIL_NONE)
        return FAIL_SYSTEM;
    node_index *source = memory_resize(set->source, room, sizeof *source);
    if (source != NULL)
        set->source = source;
    uint64_t *offset = memory_resize(set->offset, room + 1, sizeof *offset);
    if (offset != NULL)
        set->offset = offset;
    uint64_t *line_of = memory_resize(reader->line_of, room, sizeof *line_of);
    if (line_of != NULL)
        reader->line_of = line_of;
    if (source == NULL || offset == NULL || line_of == NULL)
        return fail_memory(reader->scan.failure, "the messages of a set");
    reader->message_room = room;
    return FAIL_NONE;
}

static enum failure_kind add_destination(struct reader *reader, node_index node)
{
    struct message_set *set = reader->set;
    if (set->deliveries == reader->delivery_room) {
        size_t room = reader->delivery_room < 64 ? 64 : 2 * reader->delivery_room;
        if (check_limit(reader, reader->message_room, room) != FAIL_NONE)
            return FAIL_SYSTEM;
        node_index *grown = memory_resize(set->destination, room, sizeof *grown);
        if (grown == NULL)
            return fail_memory(reader->scan.failure, "the deliveries of a set");
        set->destination = grown;
        reader->delivery_room = room;
    }
    if (set->deliveries + 1 >= UINT32_MAX)
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
    set->messages++;
    set->offset[set->messages] = set->deliveries;
    return FAIL_NONE;
}

/* Reads one line `SOURCE DEST DEST ...`; the scan stands at SOURCE. */
static enum failure_kind read_message(struct reader *reader)
{
    struct message_set *set = reader->set;
    struct message_scan *scan = &reader->scan;
    uint32_t last = mesh_nodes(set->mesh) - 1, node, before = 0;
    bool ascending = true;
    enum failure_kind kind = make_message_room(reader);
    if (kind != FAIL_NONE)
        return kind;
    kind = message_scan_number(scan, "a source node", 0, last, &set->source[set->messages]);
    if (kind != FAIL_NONE)
        return kind;
    reader->line_of[set->messages] = scan->line;
    if (set->messages > 0 && set->source[set->messages - 1] >= set->source[set->messages])
        reader->ascending = false;

    for (bool first = true;; first = false) {
        if ((kind = message_scan_blanks(scan)) != FAIL_NONE)
            return kind;
        if (!first && message_scan_at_line_end(scan))
            return close_message(reader, ascending);
        kind = message_scan_number(scan, "a destination node", 0, last, &node);
        if (kind != FAIL_NONE || (kind = add_destination(reader, node)) != FAIL_NONE)
            return kind;
        ascending = ascending && (first || node > before);
        if (set->deliveries - set->offset[set->messages] > mesh_nodes(set->mesh))
            return close_message(reader, ascending); /* one has come twice; there may be no end */
        before = node;
    }
}

struct placed {
    node_index source;
    uint32_t message;
};

/* By source; messages of one source stay in the order of their lines. */
static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->message < b->message ? -1 : 1;
}

/* Fails if a source has two messages; of several such the one whose second line comes first. */
static enum failure_kind check_sources(const struct reader *reader, const struct placed *placed)
{
    uint32_t second = UINT32_MAX, first = 0;
    for (uint32_t i = 1; i < reader->set->messages; i++)
        if (placed[i].source == placed[i - 1].source && placed[i].message < second) {
            first = placed[i - 1].message;
            second = placed[i].message;
        }
    if (second == UINT32_MAX)
        return FAIL_NONE;
    return fail(reader->scan.failure, FAIL_INPUT,
                "%.300s:%llu: expected at most one message a source, found a second one from node "
                "%lu (the first is in line %llu)",
                reader->scan.name, (unsigned long long)reader->line_of[second],
                (unsigned long)reader->set->source[second],
                (unsigned long long)reader->line_of[first]);
}

/* Puts the messages in the order of their sources. */
static enum failure_kind sort_messages(struct reader *reader)
{
    struct message_set *set = reader->set, sorted = {0};
    struct placed *placed = memory_allocate(set->messages, sizeof *placed);
    if (placed == NULL)
        return fail_memory(reader->scan.failure, "sorting the messages of a set");
    for (uint32_t i = 0; i < set->messages; i++)
        placed[i] = (struct placed){set->source[i], i};
    qsort(placed, set->messages, sizeof *placed, compare_placed);
    enum failure_kind kind = check_sources(reader, placed);
    if (kind == FAIL_NONE)
        kind = message_set_allocate(&sorted, set->mesh, set->messages, set->deliveries,
                                    reader->scan.failure);
    if (kind == FAIL_NONE) {
        uint64_t end = 0;
        for (uint32_t i = 0; i < set->messages; i++) {
            uint64_t first = set->offset[placed[i].message];
            uint64_t count = set->offset[placed[i].message + 1] - first;
            sorted.source[i] = placed[i].source;
            sorted.offset[i] = end;
            memcpy(sorted.destination + end, set->destination + first, count * sizeof(node_index));
            end += count;
        }
        message_set_free(set);
        *set = sorted;
    }
    free(placed);
    return kind;
}

/* Gives back the room that was not needed; to fail at that is harmless. */
static void trim(struct message_set *set)
{
    void *block = memory_resize(set->source, set->messages, sizeof *set->source);
    set->source = block != NULL ? block : set->source;
    block = memory_resize(set->offset, (size_t)set->messages + 1, sizeof *set->offset);
    set->offset = block != NULL ? block : set->offset;
    block = memory_resize(set->destination, set->deliveries, sizeof *set->destination);
    set->destination = block != NULL ? block : set->destination;
}

static enum failure_kind read_lines(struct reader *reader)
{
    bool found;
    enum failure_kind kind = read_header(&reader->scan, &reader->set->mesh);
    if (kind == FAIL_NONE)
        kind = make_message_room(reader);
    if (kind != FAIL_NONE)
        return kind;
    reader->set->offset[0] = 0;
    while ((kind = message_scan_find(&reader->scan, &found)) == FAIL_NONE && found)
        if ((kind = read_message(reader)) != FAIL_NONE)
            return kind;
        else if (reader->set->messages > mesh_nodes(reader->set->mesh))
            break; /* a source has come twice, and the text may have no end */
    if (kind == FAIL_NONE && !reader->ascending)
        kind = sort_messages(reader);
    return kind;
}

/* Closes the source. */
static enum failure_kind read_all(struct message_set *set, struct byte_source *source,
                                  const char *name, uint64_t limit, struct failure *failure)
{
    struct reader reader = {
        .limit = limit,
        .scan = {.source = source, .name = name, .line = 1, .failure = failure},
        .set = set,
        .ascending = true,
    };
    enum failure_kind kind;
    reader.scan.window = memory_allocate(MESSAGE_SCAN_WINDOW + 1, 1);
    reader.scan.at = reader.scan.end = reader.scan.window;
    if (reader.scan.window == NULL)
        kind = fail_memory(failure, "reading a message set");
    else
        kind = read_lines(&reader);
    if (kind == FAIL_NONE)
        trim(set);
    else
        message_set_free(set);
    free(reader.line_of);
    free(reader.scan.window);
    byte_source_close(source);
    return kind;
}

enum failure_kind message_set_read_memory(struct message_set *set, const void *bytes, size_t length,
                                          const char *name, struct failure *failure)
{
    struct byte_source *source;
    *set = (struct message_set){0};
    enum failure_kind kind = byte_source_open_memory(&source, bytes, length, name, failure);
    return kind == FAIL_NONE ? read_all(set, source, name, MEMORY_NO_LIMIT, failure) : kind;
}

enum failure_kind message_set_read(struct message_set *set, const char *path,
                                   struct failure *failure)
{
    return message_set_read_within(set, path, MEMORY_NO_LIMIT, failure);
}

enum failure_kind message_set_read_within(struct message_set *set, const char *path, uint64_t limit,
                                          struct failure *failure)
{
    struct byte_source *source;
    *set = (struct message_set){0};
    enum failure_kind kind = byte_source_open(&source, path, failure);
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    return kind == FAIL_NONE ? read_all(set, source, name, limit, failure) : kind;
}
