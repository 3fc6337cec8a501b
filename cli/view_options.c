/* view_options.c - `--heatmap`, `--heatmap-of`, `--timeline`, `--timeline-every`.
 */
#include "cli/view_options.h"

#include <stddef.h>
#include <string.h>

static const char *const heatmap_names[] = {"nodes", "links", NULL};

/* `heatmap_of` is the index of the name, from 1, so that 0 is "not given". */
enum { OF_NODES = 1, OF_LINKS };

static enum failure_kind accept_heatmap_of(void *field, char *value, struct failure *failure)
{
    uint32_t place = 0, *of = field;
    if (option_take_choice("heatmap-of", heatmap_names, value, &place, failure) != FAIL_NONE)
        return failure->kind;
    *of = place + OF_NODES;
    return FAIL_NONE;
}

const struct option_row view_option_row[VIEW_OPTION_ROWS] = {
    {.name = "heatmap",
     .value = "FILE",
     .help = "a picture of the mesh (.png, .svg, .pdf) or its numbers (.csv): the most\n"
             "packets that each node held",
     .type = OPTION_TEXT,
     .offset = offsetof(struct view_options, heatmap),
     .is_file = true},
    {.name = "heatmap-of",
     .value = "WHAT",
     .help = "nodes (the default), or links: how many packets crossed each directed one",
     .type = OPTION_ACCEPT,
     .offset = offsetof(struct view_options, heatmap_of),
     .accept = accept_heatmap_of,
     .choices = heatmap_names},
    {.name = "timeline",
     .value = "FILE",
     .help = "step by step (.csv, or a picture): packets in the network, deliveries so\n"
             "far, the fullest buffer, busy links, the phase",
     .type = OPTION_TEXT,
     .offset = offsetof(struct view_options, timeline),
     .is_file = true},
    {.name = "timeline-every",
     .value = "K",
     .help = "a row for every K steps, 1 by default",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct view_options, timeline_every),
     .least = 1,
     .most = UINT32_MAX},
};

enum failure_kind view_options_take(const struct view_options *options,
                                    struct view_request *request, struct failure *failure)
{
    *request = (struct view_request){options->heatmap, options->timeline,
                                     options->heatmap_of == OF_LINKS, options->timeline_every};
    if (view_request_check(request, failure) != FAIL_NONE)
        return failure->kind;
    if (options->heatmap == NULL && options->heatmap_of != 0)
        return fail(failure, FAIL_USAGE, "--heatmap-of goes with --heatmap FILE");
    if (options->timeline == NULL && options->timeline_every != 0)
        return fail(failure, FAIL_USAGE, "--timeline-every goes with --timeline FILE");
    return FAIL_NONE;
}
