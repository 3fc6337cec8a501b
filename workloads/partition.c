/* partition.c - a node number a line.
 *
 * Invariant: the array grows with the numbers that are read.
 * Cost: O(1) a line; 4 bytes an item, twice that while growing.
 */
#include "workloads/partition.h"

#include "base/line_scan.h"

#include <stdlib.h>

static enum failure_kind fail_count(const struct byte_line *line, uint32_t items, uint32_t found,
                                    struct failure *failure)
{
    return fail(failure, FAIL_INPUT,
                "%s:%llu: expected %lu node numbers, one for each item, found %s%lu", line->name,
                (unsigned long long)line->number + (line->number == 0), (unsigned long)items,
                found == items ? "more than " : "", (unsigned long)found);
}

/* The number that is all of the line. */
static enum failure_kind read_number(const struct byte_line *line, uint32_t *node,
                                     struct failure *failure)
{
    const char *at = line->text;
    uint64_t number;
    if (scan_number(line, &at, "a node number", 0, MESH_MAX_NODES - 1, &number, failure) !=
        FAIL_NONE)
        return FAIL_INPUT;
    if (at < line->end)
        return scan_expected(line, at, "the end of the line after a node number", failure);
    *node = (uint32_t)number;
    return FAIL_NONE;
}

/* Makes room for one more in *part. */
static enum failure_kind grow(uint32_t **part, uint32_t *room, struct failure *failure)
{
    uint32_t wanted = *room > 0 ? 2 * *room : 1024;
    uint32_t *grown = memory_resize(*part, wanted, sizeof *grown);
    if (grown == NULL)
        return fail_memory(failure, "a partition");
    *part = grown;
    *room = wanted;
    return FAIL_NONE;
}

static enum failure_kind read_all(struct byte_source *source, uint32_t items, uint32_t **part,
                                  uint32_t *largest, struct failure *failure)
{
    uint32_t room = 0;
    for (uint32_t i = 0;; i++) {
        struct byte_line line;
        enum failure_kind kind = scan_content(source, "#%", &line, failure);
        if (kind != FAIL_NONE)
            return kind;
        if (line.text == NULL && i == items)
            return FAIL_NONE;
        if (line.text == NULL || i == items)
            return fail_count(&line, items, i, failure);
        if (i == room && (kind = grow(part, &room, failure)) != FAIL_NONE)
            return kind;
        if ((kind = read_number(&line, &(*part)[i], failure)) != FAIL_NONE)
            return kind;
        *largest = (*part)[i] > *largest ? (*part)[i] : *largest;
    }
}

enum failure_kind partition_read(struct byte_source *source, uint32_t items, uint32_t **part,
                                 uint32_t *largest, struct failure *failure)
{
    *part = NULL;
    *largest = 0;
    enum failure_kind kind = read_all(source, items, part, largest, failure);
    if (kind != FAIL_NONE) {
        free(*part);
        *part = NULL;
    }
    return kind;
}
