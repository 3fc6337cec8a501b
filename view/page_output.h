/* page_output.h - the page of a run that is under way: an encoder observes the run, and a file becomes the page. */
#ifndef MESHCAST_VIEW_PAGE_OUTPUT_H
#define MESHCAST_VIEW_PAGE_OUTPUT_H

#include "library/output_file.h"
#include "view/run_encoder.h"

enum { PAGE_EVENTS = 20000000 }; /* plan.most_events where nothing else is said */

struct page_output {
    struct output_file file;     /* the page; closed by the caller, as output_file.h says */
    struct run_encoder *encoder; /* to observe the run with; NULL: there is no page */
};

/* What follows a path's last slash. */
const char *page_file_name(const char *path);

/* Opens the page and begins it; with `path` NULL there is none. `plan` needs no `out`. FAIL_SYSTEM; page_output_free()
 * and the closing of the file are then due all the same. */
enum failure_kind page_output_begin(struct page_output *page, const char *path,
                                    const struct output_watch *watch, const char *title,
                                    const struct run_plan *plan, struct failure *failure);

/* Ends the page after the run. */
enum failure_kind page_output_end(struct page_output *page, const struct run_facts *facts,
                                  struct failure *failure);

/* Frees all but the file, which may be closed by then. */
void page_output_free(struct page_output *page);

#endif
