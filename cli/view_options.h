/* view_options.h - the options of `route` that name files which show the run. */
#ifndef MESHCAST_CLI_VIEW_OPTIONS_H
#define MESHCAST_CLI_VIEW_OPTIONS_H

#include "console/option_parser.h"
#include "library/view_files.h"

#include <stdint.h>

struct view_options {
    const char *heatmap, *timeline;      /* NULL: not wanted */
    uint32_t heatmap_of, timeline_every; /* 0: not given */
};

enum { VIEW_OPTION_ROWS = 4 };

/* The rows of a struct view_options, for an option_table whose base is its offset. */
extern const struct option_row view_option_row[VIEW_OPTION_ROWS];

/* What they ask for. FAIL_USAGE: an option without the file that it is for; else as
 * view_request_check(). */
enum failure_kind view_options_take(const struct view_options *options,
                                    struct view_request *request, struct failure *failure);

#endif
