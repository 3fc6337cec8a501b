/* crossing_grid.h - what a grid of cells sees of a sample of messages: sources and destinations, row by row.
 *
 * The mesh is cut into at most SWEEP_CELLS x SWEEP_CELLS cells, each a node where it is no larger. Inside the workloads only.
 */
#ifndef MESHCAST_WORKLOADS_CROSSING_GRID_H
#define MESHCAST_WORKLOADS_CROSSING_GRID_H

#include "workloads/crossing.h"

enum { GRID_COLUMN_BITS = 6 };

/* A line of cells: cell i is the rows (or columns) cut[i] .. cut[i + 1] - 1. */
struct cells {
    uint32_t count, cut[SWEEP_CELLS + 1];
};

/* A message: its source's cell, the box around its destinations, all in cells. */
struct track {
    uint8_t row, col, top, bottom, left, right;
};

struct crossing_grid {
    const struct message_sample *sample;
    struct cells row, col;
    struct track *track; /* [messages] */
    uint32_t *
        event; /* message << GRID_COLUMN_BITS | column, row by row, for each cell with destinations */
    uint32_t *opening; /* messages by the row of the source */
    uint32_t *closing; /* messages by the last row of source and box */
    uint32_t first_event[SWEEP_CELLS + 1], first_source[SWEEP_CELLS + 1],
        first_closing[SWEEP_CELLS + 1];
    /* [0]: sources, [1]: events; the most that an interval of so many columns, less one, has of them in a row. */
    uint32_t in_row[2][SWEEP_CELLS][SWEEP_CELLS];
    uint32_t least_width[SWEEP_CELLS]; /* columns of the mesh, of so many cells and one */
};

/* Fills a zeroed grid. False: no memory. crossing_grid_free() when done, in either case; the sample must outlive it. */
bool crossing_grid_make(struct crossing_grid *grid, const struct message_sample *sample);
void crossing_grid_free(struct crossing_grid *grid);

#endif
