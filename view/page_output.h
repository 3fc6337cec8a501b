/* page_output.h - writes the page of a run while an encoder observes it. */
#ifndef MESHCAST_VIEW_PAGE_OUTPUT_H
#define MESHCAST_VIEW_PAGE_OUTPUT_H

#include "base/output_file.h"
#include "view/run_encoder.h"

enum { PAGE_EVENTS = 20000000 }; /* the default of plan.most_events */

struct page_output {
    struct output_file file;     /* the page, which the caller closes (output_file.h) */
    struct run_encoder *encoder; /* the observer of the run; NULL: there is no page */
};

/* Returns the part of a path after its last slash; "standard input" for "-". */
const char *page_file_name(const char *path);

/* Opens the page and begins it; if `path` is NULL there is none. `plan` needs no `out`.
 * FAIL_SYSTEM: it cannot be opened, or no memory. page_output_free() and closing the file are
 * required in any case. */
enum failure_kind page_output_begin(struct page_output *page, const char *path, const char *title,
                                    const struct run_plan *plan, struct failure *failure);

/* Ends the page after the run. */
enum failure_kind page_output_end(struct page_output *page, const struct run_facts *facts,
                                  struct failure *failure);

/* Frees everything except the file, which may be closed already. */
void page_output_free(struct page_output *page);

#endif
