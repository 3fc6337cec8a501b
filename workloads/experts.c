/* experts.c - some node numbers per line of a file; experts in the middles of tiles, or one after
 * the other.
 *
 * Invariant: arrays grow with the numbers that are read.
 * Cost: one look at each byte; 4 bytes per line and number, twice that while growing, and if no
 * node may be repeated a bit per node up to the largest possible. O(1) per expert that is placed,
 * except for a loop over the columns.
 */
#include "workloads/experts.h"

#include "base/text_scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines of nodes ---- */

enum { TAKEN_WORDS = TOPOLOGY_MAX_NODES / 64 };

struct reader {
    struct node_lines *lines;
    const struct node_lines_format *format;
    size_t line_room, node_room;
    uint32_t nodes;
    uint64_t *is_taken; /* a bit per node; NULL: nodes may be repeated */
    struct failure *failure;
};

/* Makes room for one more than `count` numbers, and for one after it. */
static enum failure_kind make_room(struct reader *reader, uint32_t **array, size_t *room,
                                   uint32_t count)
{
    return memory_make_room(array, room, (size_t)count + 2, sizeof **array)
               ? FAIL_NONE
               : fail_memory(reader->failure, "lines of nodes");
}

/* Fails: a partition does not have one node per item. */
static enum failure_kind fail_count(const struct reader *reader, const struct byte_line *line)
{
    return scan_refuse(
        line, reader->failure, "expected %u node numbers, one for each item, found %s%u",
        reader->format->most, line->text != NULL ? "more than " : "", reader->lines->lines);
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

/* Fails: a node is outside the main part of a broken topology. */
static enum failure_kind fail_outside(const struct topology *broken, node_index node,
                                      const struct byte_line *line, struct failure *failure)
{
    bool is_dead = broken->part[node] == TOPOLOGY_NO_NODE;
    return scan_refuse(line, failure, "node %u is %s in %.200s", node,
                       is_dead ? "dead" : "cut off from the main part",
                       broken->without != NULL ? broken->without : "the mesh");
}

static enum failure_kind read_line(struct reader *reader, const struct byte_line *line)
{
    struct node_lines *lines = reader->lines;
    const struct topology *broken = reader->format->broken;
    for (const char *at = line->text; at < line->end; reader->nodes++) {
        const char *word = at;
        uint64_t number;
        if (scan_number(line, &at, "a node number", 0, TOPOLOGY_MAX_NODES - 1, &number,
                        reader->failure) != FAIL_NONE)
            return FAIL_INPUT;
        if (reader->format->is_partition && at < line->end)
            return scan_expected(line, at, "the end of the line after a node number",
                                 reader->failure);
        if (broken != NULL && number < broken->nodes &&
            !topology_is_main(broken, (node_index)number))
            return fail_outside(broken, (node_index)number, line, reader->failure);
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
            return reader->format->is_partition
                       ? fail_count(reader, &line)
                       : scan_refuse(&line, reader->failure,
                                     "expected at most %u %ss, found one more", lines->lines, what);
        lines->first[lines->lines] = reader->nodes;
        if (read_line(reader, &line) != FAIL_NONE)
            return reader->failure->kind;
        lines->first[++lines->lines] = reader->nodes;
    }
    if (reader->format->is_partition && lines->lines < reader->format->most)
        return fail_count(reader, &line);
    if (lines->lines > 0)
        return FAIL_NONE;
    return scan_refuse(&line, reader->failure,
                       "expected a line of node numbers for each %s, found none", what);
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
    return fail(failure, FAIL_INPUT, "%.200s:%" PRIu64 ": expected a node of %s, 0 to %u, found %u",
                lines->path, lines->largest_line, text, shape_nodes(shape) - 1, lines->largest);
}

void node_lines_free(struct node_lines *lines)
{
    free(lines->first);
    free(lines->node);
    *lines = (struct node_lines){0};
}

/* ---- experts ---- */

/* Method of the spread: C columns of tiles and R rows of them, C the least whole number with C^2 /
 * E at least COLS / ROWS, but at most E, R the least with R C >= E, so that tiles are about square;
 * expert e is in tile e in row-major order, and the last R C - E tiles have none. 60 experts on 64
 * x 64 nodes are at (4, 4), (4, 12), .. */

const char *const expert_order_names[] = {
    [EXPERTS_SPREAD] = "spread", [EXPERTS_BLOCK] = "block", NULL};

bool expert_order_find(const char *place, enum expert_order *order)
{
    *order = EXPERTS_SPREAD;
    if (place == NULL || strcmp(place, expert_order_names[EXPERTS_SPREAD]) == 0)
        return true;
    *order = EXPERTS_BLOCK;
    return strcmp(place, expert_order_names[EXPERTS_BLOCK]) == 0;
}

/* Returns the middle of part `index` of `side`, which is cut into `parts`. */
static uint32_t middle_of(uint32_t index, uint32_t parts, uint32_t side)
{
    uint32_t begin = (uint32_t)((uint64_t)index * side / parts);
    uint32_t end = (uint32_t)((uint64_t)(index + 1) * side / parts);
    return (begin + end) / 2;
}

static uint32_t tile_columns(struct mesh mesh, uint32_t experts)
{
    uint64_t wanted = (uint64_t)experts * mesh.cols;
    uint32_t columns = 1, rows;
    while (columns < mesh.cols && columns < experts &&
           (uint64_t)columns * columns * mesh.rows < wanted)
        columns++;
    rows = (experts + columns - 1) / columns;
    return rows <= mesh.rows ? columns : (experts + mesh.rows - 1) / mesh.rows;
}

node_index expert_place(const struct shape *shape, enum expert_order order, uint32_t experts,
                        uint32_t expert)
{
    uint32_t nodes = shape_nodes(shape);
    if (experts > nodes) {
        expert = (uint32_t)((uint64_t)expert * nodes / experts);
        experts = nodes;
    }
    if (order == EXPERTS_BLOCK)
        return expert;
    if (shape->dimensions != 2)
        return middle_of(expert, experts, nodes);
    struct mesh mesh = {shape->size[1], shape->size[0]};
    uint32_t columns = tile_columns(mesh, experts), rows = (experts + columns - 1) / columns;
    return middle_of(expert / columns, rows, mesh.rows) * mesh.cols +
           middle_of(expert % columns, columns, mesh.cols);
}

enum failure_kind expert_nodes_place(struct node_lines *nodes, const struct shape *shape,
                                     enum expert_order order, uint32_t experts,
                                     struct failure *failure)
{
    *nodes = (struct node_lines){
        .lines = experts,
        .first = memory_allocate((size_t)experts + 1, sizeof *nodes->first),
        .node = memory_allocate(experts, sizeof *nodes->node),
    };
    if (nodes->first == NULL || nodes->node == NULL) {
        node_lines_free(nodes);
        return fail_memory(failure, "the nodes of experts");
    }
    for (uint32_t e = 0; e < experts; e++) {
        nodes->node[e] = expert_place(shape, order, experts, e);
        nodes->first[e + 1] = e + 1;
    }
    return FAIL_NONE;
}

enum failure_kind expert_nodes_read(struct node_lines *nodes, const char *place, uint32_t experts,
                                    const struct topology *broken, struct failure *failure)
{
    const struct node_lines_format format = {
        .what = "expert", .most = EXPERTS_MOST, .broken = broken};
    struct failure unopened = {0};
    struct byte_source *source;
    enum expert_order order;
    *nodes = (struct node_lines){.path = NULL};
    if (expert_order_find(place, &order))
        return FAIL_NONE;
    if (byte_source_open(&source, place, &unopened) != FAIL_NONE)
        return fail(failure, FAIL_USAGE, "--place is %s, %s or a file, and: %s",
                    expert_order_names[EXPERTS_SPREAD], expert_order_names[EXPERTS_BLOCK],
                    unopened.text);
    enum failure_kind kind = node_lines_read_source(nodes, &format, source, place, failure);
    if (kind == FAIL_NONE && experts > 0 && experts != nodes->lines) {
        kind = fail(failure, FAIL_USAGE, "--experts %u are not the %u of %.200s", experts,
                    nodes->lines, place);
        node_lines_free(nodes);
    }
    return kind;
}

node_index expert_nodes_nearest(const struct node_lines *nodes, const struct topology *topology,
                                uint32_t expert, node_index from)
{
    uint32_t first = nodes->first[expert], end = nodes->first[expert + 1];
    node_index nearest = nodes->node[first];
    if (end - first == 1)
        return nearest;
    uint32_t least = topology_distance(topology, from, nearest);
    for (uint32_t i = first + 1; i < end; i++) {
        uint32_t distance = topology_distance(topology, from, nodes->node[i]);
        if (distance < least || (distance == least && nodes->node[i] < nearest)) {
            least = distance;
            nearest = nodes->node[i];
        }
    }
    return nearest;
}
