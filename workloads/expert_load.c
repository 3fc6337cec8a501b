/* expert_load.c - reading of how many tokens each expert got: a line of counts a layer of the model.
 *
 * Invariant: memory follows the counts of one line, which has 65536 bytes at most.
 * Cost: one look at each byte up to the line.
 */
#include "workloads/expert_load.h"

#include "base/line_scan.h"

#include <stdio.h>
#include <stdlib.h>

static enum failure_kind read_counts(struct expert_load *load, const struct byte_line *line,
                                     struct failure *failure)
{
    enum { MOST = BYTE_SOURCE_LONGEST_LINE / 2 + 1 };
    const char *at = line->text;
    uint64_t sum = 0;
    load->count = memory_allocate(MOST, sizeof *load->count);
    if (load->count == NULL)
        return fail_memory(failure, "the counts of experts");
    for (load->experts = 0; at < line->end; load->experts++) {
        uint64_t *count = &load->count[load->experts];
        if (scan_number(line, &at, "a count", 0, UINT32_MAX, count, failure) != FAIL_NONE)
            return FAIL_INPUT;
        sum += *count;
    }
    if (sum == 0)
        return fail(failure, FAIL_INPUT, "%s:%llu: expected a count above 0, found none",
                    line->name, (unsigned long long)line->number);
    return FAIL_NONE;
}

/* Closes the source. */
static enum failure_kind read_layer(struct expert_load *load, struct byte_source *source,
                                    uint32_t layer, struct failure *failure)
{
    struct byte_line line;
    enum failure_kind kind;
    uint32_t found = 0;
    do
        kind = scan_content(source, "#%", &line, failure);
    while (kind == FAIL_NONE && line.text != NULL && ++found < layer);
    if (kind == FAIL_NONE && line.text == NULL)
        kind = fail(failure, FAIL_INPUT,
                    "%s:%llu: expected %lu lines of counts, one a layer, found %lu", line.name,
                    (unsigned long long)line.number + (line.number == 0), (unsigned long)layer,
                    (unsigned long)found);
    else if (kind == FAIL_NONE)
        kind = read_counts(load, &line, failure);
    byte_source_close(source);
    if (kind != FAIL_NONE) {
        free(load->count);
        load->count = NULL;
    }
    return kind;
}

enum failure_kind expert_counts_read(struct expert_load *load, const char *path, uint32_t layer,
                                     struct failure *failure)
{
    struct byte_source *source;
    load->count = NULL;
    enum failure_kind kind = byte_source_open(&source, path, failure);
    return kind == FAIL_NONE ? read_layer(load, source, layer, failure) : kind;
}

enum failure_kind expert_counts_read_memory(struct expert_load *load, const void *bytes,
                                            size_t length, const char *name, uint32_t layer,
                                            struct failure *failure)
{
    struct byte_source *source;
    load->count = NULL;
    enum failure_kind kind = byte_source_open_memory(&source, bytes, length, name, failure);
    return kind == FAIL_NONE ? read_layer(load, source, layer, failure) : kind;
}
