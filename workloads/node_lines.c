/* node_lines.c - reading of some node numbers a line.
 *
 * Invariant: arrays grow with the numbers that are read.
 * Cost: one look at each byte; 4 bytes a line and a number, twice that while growing, and where no node may come twice a bit
 * for each node up to the largest possible.
 */
#include "workloads/node_lines.h"

#include "base/line_scan.h"

#include <stdio.h>
#include <stdlib.h>

enum { TAKEN_WORDS = TOPOLOGY_MAX_NODES / 64 };

struct reader {
    struct node_lines *lines;
    const struct node_lines_format *format;
    uint32_t line_room, node_room, nodes;
    uint64_t *is_taken; /* a bit for each node; NULL: nodes may come again */
    struct failure *failure;
};

/* Makes room for one more than `count` numbers, and for one behind it. */
static enum failure_kind make_room(struct reader *reader, uint32_t **array, uint32_t *room,
                                   uint32_t count)
{
    static const char what[] = "lines of nodes";
    if (*room > 0 && count < *room - 1)
        return FAIL_NONE;
    uint64_t wanted = *room > 0 ? 2 * (uint64_t)*room : 1024;
    if (wanted > UINT32_MAX)
        return fail_memory(reader->failure, what);
    uint32_t *grown = memory_resize(*array, wanted, sizeof *grown);
    if (grown == NULL)
        return fail_memory(reader->failure, what);
    *array = grown;
    *room = (uint32_t)wanted;
    return FAIL_NONE;
}

static bool take(struct reader *reader, node_index node)
{
    uint64_t *word = reader->is_taken, bit = UINT64_C(1) << node % 64;
    if (word == NULL)
        return true;
    word += node / 64;
    bool is_new = (*word & bit) == 0;
    *word |= bit;
    return is_new;
}

static enum failure_kind read_line(struct reader *reader, const struct byte_line *line)
{
    struct node_lines *lines = reader->lines;
    for (const char *at = line->text; at < line->end; reader->nodes++) {
        const char *word = at;
        uint64_t number;
        if (scan_number(line, &at, "a node number", 0, TOPOLOGY_MAX_NODES - 1, &number,
                        reader->failure) != FAIL_NONE)
            return FAIL_INPUT;
        if (!take(reader, (node_index)number)) {
            char expected[80];
            snprintf(expected, sizeof expected, "each node in one %s", reader->format->what);
            return scan_expected(line, word, expected, reader->failure);
        }
        if (make_room(reader, &lines->node, &reader->node_room, reader->nodes) != FAIL_NONE)
            return reader->failure->kind;
        lines->node[reader->nodes] = (node_index)number;
        lines->has_several |= reader->nodes > lines->first[lines->lines];
        if (lines->largest_line == 0 || number > lines->largest) {
            lines->largest = (node_index)number;
            lines->largest_line = line->number;
        }
    }
    return FAIL_NONE;
}

static enum failure_kind read_lines(struct reader *reader, struct byte_source *source)
{
    struct node_lines *lines = reader->lines;
    const char *what = reader->format->what;
    struct byte_line line;
    for (;;) {
        if (make_room(reader, &lines->first, &reader->line_room, lines->lines) != FAIL_NONE ||
            scan_content(source, "#%", &line, reader->failure) != FAIL_NONE)
            return reader->failure->kind;
        if (line.text == NULL)
            break;
        if (lines->lines == reader->format->most)
            return fail(reader->failure, FAIL_INPUT,
                        "%s:%llu: expected at most %lu %ss, found one more", line.name,
                        (unsigned long long)line.number, (unsigned long)lines->lines, what);
        lines->first[lines->lines] = reader->nodes;
        if (read_line(reader, &line) != FAIL_NONE)
            return reader->failure->kind;
        lines->first[++lines->lines] = reader->nodes;
    }
    if (lines->lines > 0)
        return FAIL_NONE;
    return fail(reader->failure, FAIL_INPUT,
                "%s:%llu: expected a line of node numbers for each %s, found none", line.name,
                (unsigned long long)line.number + (line.number == 0), what);
}

enum failure_kind node_lines_read_source(struct node_lines *lines,
                                         const struct node_lines_format *format,
                                         struct byte_source *source, const char *path,
                                         struct failure *failure)
{
    struct reader reader = {.lines = lines, .format = format, .failure = failure};
    enum failure_kind kind = FAIL_NONE;
    *lines = (struct node_lines){.path = path};
    if (format->is_disjoint) {
        reader.is_taken = memory_allocate_sparse(TAKEN_WORDS, sizeof *reader.is_taken);
        if (reader.is_taken == NULL)
            kind = fail_memory(failure, "lines of nodes");
    }
    if (kind == FAIL_NONE)
        kind = read_lines(&reader, source);
    memory_free_sparse(reader.is_taken, TAKEN_WORDS * sizeof *reader.is_taken);
    byte_source_close(source);
    if (kind != FAIL_NONE)
        node_lines_free(lines);
    return kind;
}

enum failure_kind node_lines_check(const struct node_lines *lines, const struct shape *shape,
                                   struct failure *failure)
{
    char text[TOPOLOGY_TEXT_SIZE];
    if (lines->path == NULL || lines->largest < shape_nodes(shape))
        return FAIL_NONE;
    shape_text(shape, text);
    return fail(failure, FAIL_INPUT, "%.200s:%llu: expected a node of %s, 0 to %lu, found %lu",
                lines->path, (unsigned long long)lines->largest_line, text,
                (unsigned long)shape_nodes(shape) - 1, (unsigned long)lines->largest);
}

void node_lines_free(struct node_lines *lines)
{
    free(lines->first);
    free(lines->node);
    *lines = (struct node_lines){0};
}
