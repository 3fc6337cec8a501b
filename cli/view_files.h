/* view_files.h - the files that show a run: `--heatmap` and `--timeline` of `route`. */
#ifndef MESHCAST_CLI_VIEW_FILES_H
#define MESHCAST_CLI_VIEW_FILES_H

#include "cli/option_parser.h"
#include "cli/output_file.h"
#include "cli/view.h"
#include "cli/view_timeline.h"
#include "routers/router.h"

#include <stdbool.h>
#include <stdint.h>

struct view_options {
    const char *heatmap, *timeline;      /* NULL: not wanted */
    uint32_t heatmap_of, timeline_every; /* 0: not given */
};

enum { VIEW_OPTION_ROWS = 4 };

/* The rows of a struct view_options, for an option_table whose base is its offset. */
extern const struct option_row view_option_row[VIEW_OPTION_ROWS];

/* What can be said before a set is read. FAIL_USAGE: a file of no known kind, an option without the
 * file that it is for. FAIL_SYSTEM: a picture is wanted and gnuplot is not there. */
enum failure_kind view_options_check(const struct view_options *options, struct failure *failure);

/* What shows one run, from before it until its files are whole. */
struct view_files {
    const struct view_options *options;
    bool is_open;
    struct view view;
    struct output_file heatmap, timeline;
    FILE *rows; /* temporary: the rows of a timeline's picture; or NULL */
    struct timeline line;
};

/* Opens the files, and makes the view if there are any, whose observer then is in `router`. The
 * struct must not be moved until view_files_close(). `trace` is the run's trace: all files must be
 * different ones. A failure leaves nothing open. */
enum failure_kind view_files_open(struct view_files *files, const struct view_options *options,
                                  const struct output_file *trace, struct mesh mesh,
                                  struct router_options *router, struct failure *failure);

/* After the run: writes what it showed, under the title (a line), and closes the files. If that fails, or `keep` is false, the files are as they were before. */
enum failure_kind view_files_close(struct view_files *files, bool keep, const char *title,
                                   const struct router_result *result, struct failure *failure);

#endif
