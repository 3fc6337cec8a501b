/* prefix_entries.h - what prefix_sparse.c knows of the rows of tiles, and whose entry comes next.
 * For primitives/prefix_sparse.c and primitives/prefix_entries.c.
 *
 * The word of computation i is at distance p from the row's end at time p + i of the row's clock,
 * on the way inward, and as far from the middle at time p + i after that. So the entries of a row
 * of a tile are sorted by these times, once for each way, and taken in this order; at equal times
 * from west to east. The middle's, where both ways meet, stand on the way outward alone.
 */
#ifndef MESHCAST_PRIMITIVES_PREFIX_ENTRIES_H
#define MESHCAST_PRIMITIVES_PREFIX_ENTRIES_H

#include "base/parallel.h"
#include "primitives/prefix_sparse.h"

enum way { INWARD, OUTWARD, WAYS };

/* Where a row of a tile is in its entries: positions among the row's, whose order[way] at these
 * positions name the entries in the order of their times. */
struct progress {
    uint32_t next, end;
    uint32_t time; /* of the next one; UINT32_MAX: there is none */
};

struct sparse {
    const struct tessellation *tessellation;
    const struct prefix_list *list;
    struct prefix_operator operation;
    struct progress (*progress)[WAYS]; /* [row][tile column] */
    struct row_range rows;             /* of the machine */
    uint32_t tiles, cols;              /* tile columns; columns of the mesh */
    uint32_t times;                    /* of a way at most */
    uint32_t *at;                      /* [thread][times]: for sorting */
};

/* A row of one tile. */
struct tile_row {
    uint32_t row, first_col, width;
    uint32_t west, east; /* nodes on either side of the middle: as many, or one more in the east */
    uint32_t y, height;  /* row `y` of the tile's `height` rows */
    bool runs_east;
    struct prefix_entry *entry; /* of the mesh's row */
    struct progress *progress;  /* [way] */
};

static inline struct tile_row sparse_tile_row(const struct sparse *sparse, uint32_t row,
                                              uint32_t across)
{
    const struct axis *rows = &sparse->tessellation->row, *cols = &sparse->tessellation->col;
    uint32_t first = cols->cut[across], width = cols->cut[across + 1] - first;
    uint32_t down = rows->tile[row], y = row - rows->cut[down];
    return (struct tile_row){.row = row,
                             .first_col = first,
                             .width = width,
                             .west = (width - 1) / 2,
                             .east = width / 2,
                             .y = y,
                             .height = rows->cut[down + 1] - rows->cut[down],
                             .runs_east = y % 2 == 0,
                             .entry = sparse->list->row[row].entry,
                             .progress = sparse->progress[(size_t)row * sparse->tiles + across]};
}

static inline struct site sparse_site(const struct sparse *sparse, const struct tile_row *tile,
                                      uint32_t x)
{
    uint32_t col = tile->first_col + x;
    return (struct site){tile->row * sparse->cols + col, tile->row, col};
}

static inline uint32_t sparse_x(const struct sparse *sparse, const struct tile_row *tile,
                                const struct prefix_entry *entry)
{
    return entry->node - tile->row * sparse->cols - tile->first_col;
}

/* The next entry on the way, if its word comes at `time`; else NULL. */
static inline struct prefix_entry *sparse_due(const struct tile_row *tile, enum way way,
                                              uint32_t time)
{
    const struct progress *progress = &tile->progress[way];
    return progress->time == time ? &tile->entry[tile->entry[progress->next].order[way]] : NULL;
}

/* The next entry has acted. */
void sparse_advance(const struct sparse *sparse, const struct tile_row *tile, enum way way);

/* Puts all entries of the machine's rows in order. */
void sparse_sort(struct sparse *sparse, uint32_t threads);

#endif
