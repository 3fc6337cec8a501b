/* run_decoder.h - reads the run of a page and gives its trace back (doc/view-format.md).
 *
 * A second implementation of the format, which shares no code with the encoder: its output for a
 * page, with the lines of each step sorted, is the trace that the page was made from. It is written
 * to be read beside the description of the format.
 */
#ifndef MESHCAST_VIEW_RUN_DECODER_H
#define MESHCAST_VIEW_RUN_DECODER_H

#include "base/byte_source.h"

#include <stdbool.h>
#include <stdio.h>

/* The beginning of a page. */
#define RUN_PAGE_BEGINS "<!doctype"

/* Writes the trace of run `which` (from 1) of the page to `out`. Memory depends on the longest line
 * and the packets. FAIL_INPUT: it is no page, it has no such run, or the run is damaged or has only
 * sums after some step; the text names the fault and the line. FAIL_SYSTEM: it cannot be read, or
 * no memory. ferror() reports errors of `out`. `name` is the page's in messages. */
enum failure_kind run_decode(struct byte_source *page, const char *name, int which, FILE *out,
                             struct failure *failure);

#endif
