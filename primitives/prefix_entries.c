/* prefix_entries.c - entries of prefix computations in the order in which their words come.
 *
 * A counting sort for each row of a tile and each way. Cost: O(1) an entry, and O(1) for each time of
 * a row of a tile: half its width and the number of computations.
 */
#include "primitives/prefix_entries.h"

#include <string.h>

/* When the entry's word passes its node: so many steps after the row begins, or after its middle has
 * the first word. UINT32_MAX: inward, in the middle. */
static uint32_t entry_time(const struct sparse *sparse, const struct tile_row *tile,
                           const struct prefix_entry *entry, enum way way)
{
    uint32_t x = sparse_x(sparse, tile, entry);
    if (way == OUTWARD)
        return entry->item + (x < tile->west ? tile->west - x : x - tile->west);
    if (x == tile->west)
        return UINT32_MAX;
    return entry->item + (x < tile->west ? tile->east - tile->west + x : tile->width - 1 - x);
}

static void look_at_next(const struct sparse *sparse, const struct tile_row *tile, enum way way)
{
    struct progress *progress = &tile->progress[way];
    progress->time = UINT32_MAX;
    if (progress->next < progress->end)
        progress->time =
            entry_time(sparse, tile, &tile->entry[tile->entry[progress->next].order[way]], way);
}

void sparse_advance(const struct sparse *sparse, const struct tile_row *tile, enum way way)
{
    tile->progress[way].next++;
    look_at_next(sparse, tile, way);
}

/* The tile's entries first .. end-1. */
struct span {
    uint32_t first, end;
};

static void sort_entries(const struct sparse *sparse, const struct tile_row *tile, uint32_t *at,
                         struct span span, enum way way)
{
    struct prefix_entry *entry = tile->entry;
    uint32_t before = span.first;
    memset(at, 0, sparse->times * sizeof *at);
    for (uint32_t i = span.first; i < span.end; i++) {
        uint32_t time = entry_time(sparse, tile, &entry[i], way);
        if (time != UINT32_MAX)
            at[time]++;
    }
    for (uint32_t time = 0; time < sparse->times; time++) {
        uint32_t count = at[time];
        at[time] = before;
        before += count;
    }
    for (uint32_t i = span.first; i < span.end; i++) {
        uint32_t time = entry_time(sparse, tile, &entry[i], way);
        if (time != UINT32_MAX)
            entry[at[time]++].order[way] = i;
    }
    tile->progress[way].next = span.first;
    tile->progress[way].end = before;
    look_at_next(sparse, tile, way);
}

static void sort_row(const struct sparse *sparse, uint32_t row, uint32_t *at)
{
    const struct prefix_row *list = &sparse->list->row[row];
    struct span span = {0, 0};
    for (uint32_t across = 0; across < sparse->tiles; across++, span.first = span.end) {
        struct tile_row tile = sparse_tile_row(sparse, row, across);
        node_index behind = row * sparse->cols + tile.first_col + tile.width;
        while (span.end < list->count && list->entry[span.end].node < behind)
            span.end++;
        for (enum way way = INWARD; way < WAYS; way++)
            if (span.first < span.end)
                sort_entries(sparse, &tile, at, span, way);
            else
                tile.progress[way] = (struct progress){.time = UINT32_MAX};
    }
}

static void sort_rows(void *context, const struct team *team)
{
    const struct sparse *sparse = context;
    uint32_t rows = sparse->rows.end - sparse->rows.first;
    uint32_t end = parallel_band_start(rows, team->rank + 1, team->size);
    for (uint32_t i = parallel_band_start(rows, team->rank, team->size); i < end; i++)
        sort_row(sparse, sparse->rows.first + i, sparse->at + (size_t)team->rank * sparse->times);
}

void sparse_sort(struct sparse *sparse, uint32_t threads)
{
    parallel_run(threads, sort_rows, sparse);
}
