/* view_files.h - pictures of a run: the files of a heatmap and a timeline, and the arrays that a
 * program keeps. */
#ifndef MESHCAST_LIBRARY_VIEW_FILES_H
#define MESHCAST_LIBRARY_VIEW_FILES_H

#include "base/output_file.h"
#include "chart/chart.h"
#include "library/commands.h"
#include "library/view.h"
#include "routers/router.h"

#include <stdbool.h>
#include <stdint.h>

/* The columns of a timeline that are numbers. */
enum { TIMELINE_NUMBERS = 7 };

/* The content of a heatmap. */
enum heatmap_of { HEATMAP_OF_NODES, HEATMAP_OF_LINKS };

/* The requested pictures. */
struct view_request {
    const char *heatmap, *timeline; /* NULL: not requested */
    uint32_t heatmap_of;            /* an enum heatmap_of */
    uint32_t timeline_every;        /* a row per so many steps; 0: each */
    /* Arrays for the report: "node-peaks" [node], "link-loads" [direction * nodes + node] (64
     * bits), and the columns of the timeline, "timeline.step" and so on (64 bits). */
    bool keeps_peaks, keeps_loads, keeps_timeline;
    struct meshcast_report *report; /* NULL: nothing is kept */
};

/* Checks everything that can be checked before a set is read. FAIL_USAGE: a file of no known kind.
 * FAIL_SYSTEM: a picture is requested and gnuplot is not there. */
enum failure_kind view_request_check(const struct view_request *request, struct failure *failure);

/* The pictures of one run, from before it until its files are written. */
struct view_files {
    const struct view_request *request;
    bool is_open;
    struct view view;
    struct output_file heatmap, timeline;
    uint64_t *column[TIMELINE_NUMBERS]; /* [rows]: kept for the report or a picture */
    size_t rows, room;
    bool is_short; /* no memory for a row */
};

/* Opens the files, and makes the view, which must observe the run. The struct must not be moved
 * until view_files_free(). A failure leaves nothing open. */
enum failure_kind view_files_open(struct view_files *files, const struct view_request *request,
                                  struct mesh mesh, uint64_t contributions,
                                  struct failure *failure);

/* Writes the pictures into the files after the run, under the title (a line), and gives the report
 * its arrays. */
enum failure_kind view_files_write(struct view_files *files, const char *title,
                                   const struct router_result *result, struct failure *failure);

/* Frees everything except the two output files, which are closed before, with
 * output_files_close(). */
void view_files_free(struct view_files *files);

#endif
