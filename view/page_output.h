/* page_output.h - the page of a run that is under way: a stream takes the run's trace, and a file becomes the page. */
#ifndef MESHCAST_VIEW_PAGE_OUTPUT_H
#define MESHCAST_VIEW_PAGE_OUTPUT_H

#include "library/output_file.h"
#include "view/run_encoder.h"

enum { PAGE_EVENTS = 20000000 }; /* plan.most_events where nothing else is said */

struct page_output {
    struct output_file file; /* the page; closed by the caller, as output_file.h says */
    FILE *stream;            /* takes the trace's text; NULL before page_output_begin() */
    FILE *also;              /* gets the same text; may be NULL */
    struct run_encoder *encoder;
    struct failure failure; /* of the encoder; kept until page_output_end() */
    /* The run has failed, and its files may be closed: what the stream still holds goes nowhere. */
    bool is_left;
};

/* What follows a path's last slash. */
const char *page_file_name(const char *path);

/* Opens the page; with `path` NULL there is none and page_output_begin() does nothing. The struct must not be moved
 * until page_output_free(). FAIL_SYSTEM. */
enum failure_kind page_output_open(struct page_output *page, const char *path,
                                   const struct output_watch *watch, struct failure *failure);

/* Begins the page, and makes the stream, whose text goes to `also`, too, if that is not NULL. `plan` needs no `out`.
 * Returns where the trace is to be written: the stream, or `also` where there is no page. */
FILE *page_output_begin(struct page_output *page, const char *title, const struct run_plan *plan,
                        FILE *also, struct failure *failure);

/* Ends the trace and the page. */
enum failure_kind page_output_end(struct page_output *page, const struct run_facts *facts,
                                  struct failure *failure);

/* Frees all but the file, which may be closed by then, as may be `also`. */
void page_output_free(struct page_output *page);

#endif
