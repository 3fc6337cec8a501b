/* population.c - reading of populations: a line each, of name, size and chances.
 *
 * Grammar: NAME SIZE CHANCE CHANCE .., set apart by blanks or tabs; as many chances as there are lines. Blank lines,
 * and those that begin with # or %, count for nothing.
 * Invariant: no number in the file decides how much memory is taken; the first line's chances, which were read, do.
 * Cost: one look at each byte; 8 bytes a chance.
 */
#include "workloads/population.h"

#include "base/line_scan.h"
#include "machine/mesh.h"

#include <stdio.h>
#include <stdlib.h>

struct reader {
    struct byte_line line;
    struct population_table *table;
    uint32_t lines;
    struct failure *failure;
};

static enum failure_kind read_size(struct reader *reader, const char **at)
{
    struct population_table *table = reader->table;
    const char *word = *at;
    uint64_t size;
    if (!scan_decimal(at, reader->line.end, &size) || size < 1 ||
        size > (uint64_t)MESH_MAX_NODES - table->neurons) {
        char expected[80];
        snprintf(expected, sizeof expected, "a number of neurons from 1, at most %d in all",
                 MESH_MAX_NODES);
        return scan_expected(&reader->line, word, expected, reader->failure);
    }
    table->size[reader->lines] = (uint32_t)size;
    table->neurons += (uint32_t)size;
    return FAIL_NONE;
}

/* The first line's chances, which tell how many populations there are. */
static enum failure_kind count_populations(struct reader *reader, const char *at)
{
    struct population_table *table = reader->table;
    const char *end = reader->line.end;
    double chance;
    while (scan_fraction(&at, end, &chance))
        table->count++;
    if (at < end || table->count == 0 || table->count > POPULATIONS_MOST) {
        char expected[80];
        snprintf(expected, sizeof expected, "1 to %d chances from 0 to 1", POPULATIONS_MOST);
        return scan_expected(&reader->line, at, expected, reader->failure);
    }
    table->size = memory_allocate(table->count, sizeof *table->size);
    table->chance = memory_allocate((size_t)table->count * table->count, sizeof *table->chance);
    return table->size != NULL && table->chance != NULL
               ? FAIL_NONE
               : fail_memory(reader->failure, "the chances of populations");
}

static enum failure_kind read_chances(struct reader *reader, const char *at)
{
    struct population_table *table = reader->table;
    const char *end = reader->line.end;
    double *chance = table->chance + (size_t)reader->lines * table->count;
    for (uint32_t i = 0; i < table->count; i++) {
        const char *word = at;
        if (!scan_fraction(&at, end, &chance[i]) || chance[i] > 1)
            return scan_expected(&reader->line, word, "a chance from 0 to 1", reader->failure);
    }
    if (at == end)
        return FAIL_NONE;
    char expected[80];
    snprintf(expected, sizeof expected, "the end of the line after %lu chances",
             (unsigned long)table->count);
    return scan_expected(&reader->line, at, expected, reader->failure);
}

static enum failure_kind read_population(struct reader *reader)
{
    const char *end = reader->line.end, *at = reader->line.text;
    while (!scan_at_gap(at, end))
        at++;
    at = scan_blanks(at, end);
    if (reader->lines == 0) {
        const char *chances = at;
        uint64_t size;
        if (scan_decimal(&chances, end, &size) && count_populations(reader, chances) != FAIL_NONE)
            return reader->failure->kind;
    } else if (reader->lines == reader->table->count) {
        return fail(reader->failure, FAIL_INPUT,
                    "%s:%llu: expected %lu populations, one for each chance of the first line, "
                    "found one more",
                    reader->line.name, (unsigned long long)reader->line.number,
                    (unsigned long)reader->table->count);
    }
    if (reader->table->count == 0) /* what stands there is no number */
        return scan_expected(&reader->line, at, "a number of neurons", reader->failure);
    enum failure_kind kind = read_size(reader, &at);
    if (kind == FAIL_NONE)
        kind = read_chances(reader, at);
    reader->lines++;
    return kind;
}

/* Closes the source. */
static enum failure_kind read_all(struct population_table *table, struct byte_source *source,
                                  struct failure *failure)
{
    struct reader reader = {.table = table, .failure = failure};
    enum failure_kind kind;
    while ((kind = scan_content(source, "#%", &reader.line, failure)) == FAIL_NONE &&
           reader.line.text != NULL)
        if ((kind = read_population(&reader)) != FAIL_NONE)
            break;
    if (kind == FAIL_NONE && (table->count == 0 || reader.lines < table->count))
        kind = fail(failure, FAIL_INPUT,
                    "%s:%llu: expected a population for each chance of the first, found %lu of %lu",
                    reader.line.name,
                    (unsigned long long)reader.line.number + (reader.line.number == 0),
                    (unsigned long)reader.lines, (unsigned long)table->count);
    byte_source_close(source);
    if (kind != FAIL_NONE)
        population_table_free(table);
    return kind;
}

enum failure_kind population_table_read(struct population_table *table, const char *path,
                                        struct failure *failure)
{
    struct byte_source *source;
    *table = (struct population_table){0};
    enum failure_kind kind = byte_source_open(&source, path, failure);
    return kind == FAIL_NONE ? read_all(table, source, failure) : kind;
}

enum failure_kind population_table_read_memory(struct population_table *table, const void *bytes,
                                               size_t length, const char *name,
                                               struct failure *failure)
{
    struct byte_source *source;
    *table = (struct population_table){0};
    enum failure_kind kind = byte_source_open_memory(&source, bytes, length, name, failure);
    return kind == FAIL_NONE ? read_all(table, source, failure) : kind;
}

void population_table_free(struct population_table *table)
{
    free(table->size);
    free(table->chance);
    *table = (struct population_table){0};
}
