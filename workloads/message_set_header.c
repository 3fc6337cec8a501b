/* message_set_header.c - the first line of a message set, of both versions.
 *
 *     mcast 1 ROWS COLS
 *     mcast 2 mesh|torus SIZE SIZE ..     1 to 8 sizes, the slowest dimension first
 *     mcast 2 graph NODES
 *
 * Nothing is allocated here. A shape is checked before it is handed out, and so is each number before it is
 * multiplied.
 */
#include "workloads/message_set_header.h"

#include "machine/mesh.h"

#include <string.h>
#include <strings.h>

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

enum failure_kind message_set_header_read(struct text_scan *scan, struct message_set_header *header)
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
    else
        return text_scan_fail(scan, "version 1 or 2 of the format after 'mcast'");
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
