/* dimacs.c - graphs as DIMACS's challenges wrote them: a letter first in each line.
 *
 * Grammar: a line `p PROBLEM VERTICES EDGES ..`; then lines `a U V ..` of an arc from U to V where
 * PROBLEM is sp, max or min, and `e U V ..` of an edge between them where it is edge, edges or col;
 * vertices are counted from 1. Lines with c are comments; those with n, d, v or x describe vertices
 * or the problem, and are skipped. Anything after two vertices in a line, such as a length, is left
 * out. Blank lines are ignored. An edge goes both ways. There are EDGES lines of edges; half or
 * twice as many are noted, since files of colouring problems count in both ways.
 * Invariant: nothing is allocated from a declared number; the list grows with the edges read.
 * Source: the ninth DIMACS challenge's formats (2006); "Clique and Coloring Problems Graph Format"
 * (1993).
 * Cost: one look at each byte; 8 or 16 bytes per edge.
 */
#include "workloads/import_formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct problem {
    const char *name;
    char letter; /* of an edge's line */
    bool is_directed;
} PROBLEMS[] = {{"sp", 'a', true},    {"max", 'a', true},    {"min", 'a', true},
                {"edge", 'e', false}, {"edges", 'e', false}, {"col", 'e', false}};

struct reader {
    struct byte_line line;
    struct entry_list *list;
    const struct problem *problem;
    uint64_t edges;
    struct failure *failure;
};

/* Scans the name of a problem; NULL: none. */
static const struct problem *scan_problem(const char **at, const char *end)
{
    for (size_t i = 0; i < sizeof PROBLEMS / sizeof *PROBLEMS; i++)
        if (scan_word(at, end, PROBLEMS[i].name))
            return &PROBLEMS[i];
    return NULL;
}

bool dimacs_begins(const struct byte_line *line)
{
    const char *at = line->text;
    return scan_word(&at, line->end, "p") && scan_problem(&at, line->end) != NULL;
}

/* Reads the line of the problem after its letter. */
static enum failure_kind read_problem(struct reader *reader, const char *at)
{
    if (reader->problem != NULL)
        return scan_expected(&reader->line, reader->line.text, "one line p", reader->failure);
    reader->problem = scan_problem(&at, reader->line.end);
    if (reader->problem == NULL)
        return scan_expected(&reader->line, at, "a graph: sp, max, min, edge or col",
                             reader->failure);
    uint64_t vertices;
    enum failure_kind kind = scan_number(&reader->line, &at, "a number of vertices", 1,
                                         ENTRY_MAX_SIDE, &vertices, reader->failure);
    if (kind == FAIL_NONE)
        kind = scan_number(&reader->line, &at, "a number of edges", 0, INT64_MAX, &reader->edges,
                           reader->failure);
    reader->list->rows = reader->list->cols = (uint32_t)vertices;
    return kind;
}

static enum failure_kind read_vertex(struct reader *reader, const char **at, uint32_t *vertex)
{
    uint64_t number;
    enum failure_kind kind =
        scan_number(&reader->line, at, "a vertex", 1, reader->list->rows, &number, reader->failure);
    *vertex = (uint32_t)number - 1;
    return kind;
}

static enum failure_kind read_edge(struct reader *reader, const char *at)
{
    struct entry_list *list = reader->list;
    uint32_t from, to;
    enum failure_kind kind = read_vertex(reader, &at, &from);
    if (kind == FAIL_NONE)
        kind = read_vertex(reader, &at, &to);
    if (kind != FAIL_NONE)
        return kind;
    if (list->most_weight == 0)
        list->weights += at < reader->line.end;
    else if ((kind = entry_list_scan_weight(list, &reader->line, &at, reader->failure)) !=
             FAIL_NONE)
        return kind;
    return entry_list_store(list, from, to, !reader->problem->is_directed, "the edges of a graph",
                            reader->failure);
}

static enum failure_kind read_line(struct reader *reader)
{
    const char *text = reader->line.text, *at = text + 1;
    const struct problem *problem = reader->problem;
    if (!scan_at_gap(at, reader->line.end))
        return scan_expected(&reader->line, text, "a letter alone", reader->failure);
    at = scan_blanks(at, reader->line.end);
    if (*text == 'c')
        return FAIL_NONE;
    if (*text == 'p')
        return read_problem(reader, at);
    if (problem == NULL)
        return scan_expected(&reader->line, text, "a line p PROBLEM VERTICES EDGES",
                             reader->failure);
    if (*text == problem->letter)
        return read_edge(reader, at);
    if (memchr("ndvx", *text, 4) != NULL)
        return FAIL_NONE;
    char expected[48];
    snprintf(expected, sizeof expected, "a line '%c U V', or one of c, n, d, v, x",
             problem->letter);
    return scan_expected(&reader->line, text, expected, reader->failure);
}

/* Compares the number of edges with that of the header. */
static enum failure_kind check_edges(struct reader *reader)
{
    uint64_t found = reader->list->stored, declared = reader->edges;
    if (found == declared)
        return FAIL_NONE;
    if (found == 2 * declared || declared == 2 * found) {
        import_note(&reader->list->notes, "header says %" PRIu64 " edges, %" PRIu64 " follow",
                    declared, found);
        return FAIL_NONE;
    }
    return scan_refuse(&reader->line, reader->failure,
                       "expected the %" PRIu64 " edges of the line p, found %" PRIu64, declared,
                       found);
}

enum failure_kind dimacs_read(struct byte_source *source, struct entry_list *list,
                              struct failure *failure)
{
    struct reader reader = {.list = list, .failure = failure};
    for (;;) {
        enum failure_kind kind = scan_content(source, "", &reader.line, failure);
        if (kind == FAIL_NONE && reader.line.text != NULL)
            kind = read_line(&reader);
        if (kind != FAIL_NONE)
            return kind;
        if (reader.line.text == NULL)
            break;
    }
    if (reader.problem == NULL)
        return scan_refuse(&reader.line, failure,
                           "expected a line p PROBLEM VERTICES EDGES, found none");
    return check_edges(&reader);
}
