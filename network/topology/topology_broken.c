/* topology_broken.c - meshes and tori without some nodes and links, and the levels of nodes.
 *
 * Grammar: "node I", "link A B", "link A>B", a line each; blank lines, and # with what follows it,
 * may stand anywhere. A node or link may be named more than once, and a link of a dead node too.
 * Method: dead nodes and missing links are marked in arrays of the whole topology; the neighbours
 * that remain become lists, as a graph has. Then searches over links in both directions, from the
 * least node that none has reached, find parts and levels; from the greatest one, other levels.
 * Invariant: no number in the file decides how much memory is taken: the shape does.
 * Cost: O(nodes dimensions + lines), a byte per node and link of the whole topology while it is
 * made. */
#include "network/topology/topology.h"

#include "base/text_scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct breaking {
    const struct topology *whole;
    struct topology_faults faults;
    struct byte_line line;
};

/* ---- the file ---- */

/* Scans the number of a node, which ends at a gap or, if `ends` is true, at '>'. */
static enum failure_kind read_node(const struct breaking *breaking, const char **at, bool ends,
                                   uint32_t *node, struct failure *failure)
{
    const char *word = *at;
    uint64_t number = UINT64_MAX;
    char shape[TOPOLOGY_TEXT_SIZE], expected[TOPOLOGY_TEXT_SIZE + 64];
    const char *sign = word;
    while (sign < breaking->line.end && scan_is_digit(*sign))
        sign++;
    bool is_arrow = ends && sign > word && sign < breaking->line.end && *sign == '>';
    if (scan_decimal(at, is_arrow ? sign : breaking->line.end, &number) &&
        number < breaking->whole->nodes) {
        *node = (uint32_t)number;
        return FAIL_NONE;
    }
    shape_text(&breaking->whole->shape, shape);
    snprintf(expected, sizeof expected, "a node of %s, from 0 to %" PRIu32, shape,
             breaking->whole->nodes - 1);
    return scan_expected(&breaking->line, word, expected, failure);
}

static enum failure_kind read_link(struct breaking *breaking, const char *at,
                                   struct failure *failure)
{
    const struct topology *whole = breaking->whole;
    const char *const end = breaking->line.end, *word;
    uint32_t from, to;
    char expected[64];
    if (read_node(breaking, &at, true, &from, failure) != FAIL_NONE)
        return failure->kind;
    at = scan_blanks(at, end);
    bool is_one_way = at < end && *at == '>';
    word = at = scan_blanks(at + is_one_way, end);
    if (read_node(breaking, &at, false, &to, failure) != FAIL_NONE)
        return failure->kind;
    uint32_t there = topology_port_to(whole, from, to), back = topology_port_to(whole, to, from);
    snprintf(expected, sizeof expected, "a neighbour of node %" PRIu32, from);
    if (there == UINT32_MAX)
        return scan_expected(&breaking->line, word, expected, failure);
    if (at != end)
        return scan_expected(&breaking->line, at, "the end of the line", failure);
    breaking->faults.is_missing[topology_link(whole, from, there)] = true;
    if (!is_one_way)
        breaking->faults.is_missing[topology_link(whole, to, back)] = true;
    return FAIL_NONE;
}

static enum failure_kind read_line(struct breaking *breaking, struct failure *failure)
{
    struct byte_line *line = &breaking->line;
    const char *hash = memchr(line->text, '#', (size_t)(line->end - line->text));
    uint32_t node;
    if (hash != NULL)
        line->end = hash;
    while (line->end > line->text && scan_is_blank(line->end[-1]))
        line->end--;
    const char *at = line->text;
    if (scan_word(&at, line->end, "link"))
        return read_link(breaking, at, failure);
    if (!scan_word(&at, line->end, "node"))
        return scan_expected(line, at, "'node I', 'link A B' or 'link A>B'", failure);
    if (read_node(breaking, &at, false, &node, failure) != FAIL_NONE)
        return failure->kind;
    if (at != line->end)
        return scan_expected(line, at, "the end of the line", failure);
    breaking->faults.is_dead[node] = true;
    return FAIL_NONE;
}

static enum failure_kind read_lines(struct breaking *breaking, struct byte_source *source,
                                    struct failure *failure)
{
    while (scan_content(source, "#", &breaking->line, failure) == FAIL_NONE &&
           breaking->line.text != NULL && read_line(breaking, failure) == FAIL_NONE)
        continue;
    return failure->kind;
}

/* ---- the remaining topology ---- */

/* Adds a neighbour to the list of a node, which ends at `end` and ascends. */
static void insert(uint32_t *neighbour, uint64_t first, uint64_t end, uint32_t node)
{
    for (; end > first && neighbour[end - 1] > node; end--)
        neighbour[end] = neighbour[end - 1];
    neighbour[end] = node;
}

/* Fills the lists; counts links that are missing. */
static void deal(const struct topology *whole, const struct topology_faults *faults,
                 struct topology *broken)
{
    uint64_t kept = 0, all = 0;
    broken->ports = 0;
    for (uint32_t v = 0; v < whole->nodes; v++) {
        uint64_t first = broken->offset[v] = kept;
        for (uint32_t port = 0; port < whole->ports; port++) {
            uint32_t to = topology_neighbour(whole, v, port);
            if (to == TOPOLOGY_NO_NODE)
                continue;
            all++;
            if (faults->is_dead[v] || faults->is_dead[to])
                continue;
            bool lacks = faults->is_missing[topology_link(whole, v, port)];
            uint32_t back = topology_port_to(whole, to, v);
            broken->has_one_way |= lacks != faults->is_missing[topology_link(whole, to, back)];
            if (!lacks)
                insert(broken->neighbour, first, kept++, to);
        }
        if (kept - first > broken->ports)
            broken->ports = (uint32_t)(kept - first);
        broken->dead_nodes += faults->is_dead[v];
    }
    broken->offset[whole->nodes] = broken->links = kept;
    broken->missing_links = all - kept;
}

/* Finds levels from one kind of root, and from the least nodes parts and the main part;
 * queue[nodes] is for the search. */
static void count_levels(struct topology *topology, const bool *is_dead, enum topology_root kind,
                         uint32_t *queue)
{
    uint32_t *level = topology->level[kind], nodes = topology->nodes;
    memset(level, 0xff, nodes * sizeof *level);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t root = kind == TOPOLOGY_LEAST_NODE ? i : nodes - 1 - i, queued = 1;
        if (level[root] != UINT32_MAX || (is_dead != NULL && is_dead[root]))
            continue;
        queue[0] = root;
        level[root] = 0;
        for (uint32_t next = 0; next < queued; next++) {
            uint32_t node = queue[next];
            if (topology->part != NULL && kind == TOPOLOGY_LEAST_NODE)
                topology->part[node] = root;
            for (uint64_t j = topology->offset[node]; j < topology->offset[node + 1]; j++) {
                uint32_t to = topology->neighbour[j];
                if (level[to] != UINT32_MAX || topology_port_to(topology, to, node) == UINT32_MAX)
                    continue;
                level[to] = level[node] + 1;
                queue[queued++] = to;
            }
        }
        if (queued > topology->main_nodes) {
            topology->main_nodes = queued;
            topology->main_part = root;
        }
    }
}

bool topology_find_levels(struct topology *topology, const bool *is_dead)
{
    int roots = topology->part != NULL ? TOPOLOGY_ROOTS : TOPOLOGY_LEAST_NODE + 1;
    uint32_t *queue = memory_allocate(topology->nodes, sizeof *queue);
    bool has_memory = queue != NULL;
    for (int root = 0; root < roots && has_memory; root++) {
        topology->level[root] = memory_allocate(topology->nodes, sizeof **topology->level);
        has_memory = topology->level[root] != NULL;
        if (has_memory)
            count_levels(topology, is_dead, (enum topology_root)root, queue);
    }
    free(queue);
    return has_memory;
}

/* Makes the broken topology; without memory it lacks something, and is to be freed. */
static bool make(const struct topology *whole, const struct topology_faults *faults,
                 struct topology *broken)
{
    uint32_t nodes = whole->nodes;
    *broken = *whole;
    broken->offset = memory_allocate((size_t)nodes + 1, sizeof *broken->offset);
    broken->neighbour = memory_allocate(whole->links, sizeof *broken->neighbour);
    broken->part = memory_allocate(nodes, sizeof *broken->part);
    if (broken->offset == NULL || broken->neighbour == NULL || broken->part == NULL)
        return false;
    memset(broken->part, 0xff, nodes * sizeof *broken->part);
    deal(whole, faults, broken);
    return topology_find_levels(broken, faults->is_dead);
}

enum failure_kind topology_break_by(struct topology *topology, const struct topology_faults *faults,
                                    struct failure *failure)
{
    struct topology broken;
    enum failure_kind kind = FAIL_NONE;
    if (!make(topology, faults, &broken))
        kind = fail_memory(failure, "a broken mesh");
    else if (broken.main_nodes < 2)
        kind =
            fail(failure, FAIL_INPUT,
                 "no two nodes are joined in both directions any more, so nothing could be sent");
    if (kind == FAIL_NONE && broken.missing_links + broken.dead_nodes > 0)
        *topology = broken;
    else
        topology_free(&broken);
    return kind;
}

bool topology_faults_make(struct topology_faults *faults, const struct topology *whole)
{
    faults->is_dead = memory_allocate(whole->nodes, sizeof *faults->is_dead);
    faults->is_missing = memory_allocate(whole->links, sizeof *faults->is_missing);
    return faults->is_dead != NULL && faults->is_missing != NULL;
}

void topology_faults_free(struct topology_faults *faults)
{
    free(faults->is_dead);
    free(faults->is_missing);
    *faults = (struct topology_faults){0};
}

/* Closes the source. */
static enum failure_kind read_and_break(struct topology *topology, struct byte_source *source,
                                        const char *name, struct failure *failure)
{
    struct breaking breaking = {.whole = topology};
    struct failure found = {0};
    char shape[TOPOLOGY_TEXT_SIZE];
    shape_text(&topology->shape, shape);
    if (topology->offset != NULL)
        fail(
            failure, FAIL_USAGE,
            "--without is for whole meshes and tori, not for %s; leave edges out of a graph's file",
            shape);
    else if (!topology_faults_make(&breaking.faults, topology))
        fail_memory(failure, "a broken mesh");
    else if (read_lines(&breaking, source, failure) == FAIL_NONE &&
             topology_break_by(topology, &breaking.faults, &found) == FAIL_INPUT)
        scan_refuse(&breaking.line, failure, "%s: take lines out", found.text);
    else if (found.kind != FAIL_NONE)
        fail_as(failure, &found);
    topology->without = name;
    topology_faults_free(&breaking.faults);
    byte_source_close(source);
    return failure->kind;
}

enum failure_kind topology_break(struct topology *topology, const char *path,
                                 struct failure *failure)
{
    struct byte_source *source;
    enum failure_kind kind = byte_source_open(&source, path, failure);
    return kind == FAIL_NONE ? read_and_break(topology, source, path, failure) : kind;
}

enum failure_kind topology_break_memory(struct topology *topology, const void *bytes, size_t length,
                                        const char *name, struct failure *failure)
{
    struct byte_source *source;
    enum failure_kind kind = byte_source_open_memory(&source, bytes, length, name, failure);
    return kind == FAIL_NONE ? read_and_break(topology, source, name, failure) : kind;
}

void topology_text(const struct topology *topology, char text[TOPOLOGY_LONG_TEXT_SIZE])
{
    shape_text(&topology->shape, text);
    size_t used = strlen(text);
    if (topology_is_broken(topology))
        snprintf(text + used, TOPOLOGY_LONG_TEXT_SIZE - used,
                 " without %" PRIu32 " node%s, %" PRIu64 " link%s", topology->dead_nodes,
                 topology->dead_nodes == 1 ? "" : "s", topology->missing_links,
                 topology->missing_links == 1 ? "" : "s");
}

uint64_t *topology_list_missing(const struct topology *broken)
{
    const struct topology whole = topology_of_shape(&broken->shape);
    uint64_t *link = memory_allocate(broken->missing_links, sizeof *link), *end = link;
    for (uint32_t node = 0; link != NULL && node < whole.nodes; node++)
        for (uint32_t port = 0; port < whole.ports; port++) {
            uint32_t to = topology_neighbour(&whole, node, port);
            if (to != TOPOLOGY_NO_NODE && topology_port_to(broken, node, to) == UINT32_MAX)
                *end++ = (uint64_t)node << 32 | to;
        }
    return link;
}
