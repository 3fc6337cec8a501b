/* view_timeline.h - a run step by step, as numbers or as a picture. */
#ifndef MESHCAST_LIBRARY_VIEW_TIMELINE_H
#define MESHCAST_LIBRARY_VIEW_TIMELINE_H

#include "chart/chart.h"
#include "library/view.h"
#include "routers/router.h"

#include <stdint.h>
#include <stdio.h>

/* Where the rows go while the run is under way: lines of text, or for a picture the rows as they
 * are, in a temporary file. */
struct timeline {
    FILE *out;       /* the caller's */
    bool is_picture; /* `out` is then open for reading too */
    uint64_t rows;
};

/* Begins with the names of the columns: step, packets, delivered, fullest, busy_links, packet_hops,
 * word_hops, phase (library/view.h says what they are). */
void timeline_begin(struct timeline *timeline);

/* Takes a row: a view's `take`, with a struct timeline as its context. What goes wrong with `out` is
 * found when that is closed. */
void timeline_take(void *timeline, const struct view_row *row);

/* Fills an empty chart with the rows taken so far: four panels over the steps. FAIL_SYSTEM: they cannot be read back. */
enum failure_kind timeline_fill_chart(struct timeline *timeline, const char *title,
                                      const struct router_result *result, struct chart *chart,
                                      struct failure *failure);

#endif
