/* view_heatmap.h - a run's mesh as a picture or as numbers: peaks of nodes, loads of links. */
#ifndef MESHCAST_LIBRARY_VIEW_HEATMAP_H
#define MESHCAST_LIBRARY_VIEW_HEATMAP_H

#include "chart/chart.h"
#include "library/view.h"

#include <stdbool.h>
#include <stdio.h>

struct heatmap {
    const struct view *view;
    bool of_links;     /* the view has links then, and so has the mesh */
    const char *title; /* a line: the run */
};

/* Writes a line per node (row,col,peak) or a directed link (row,col,to_row,to_col,packets), under a
 * line of names; rows and columns count from 0. */
void heatmap_write_csv(const struct heatmap *heatmap, FILE *out);

/* Fills an empty chart: the mesh, row 0 at the top; of links a mesh for each direction, a link's load at the node that
 * sends over it. */
void heatmap_fill_chart(const struct heatmap *heatmap, struct chart *chart);

#endif
