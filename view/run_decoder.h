/* run_decoder.h - reads the run of a page and gives its trace back (doc/view-format.md).
 *
 * A second implementation of the format, which shares no code with the encoder: what it gives back from a page, with the
 * lines of each step sorted, is the trace that the page was made of. It is written to be read beside the description
 * of the format.
 */
#ifndef MESHCAST_VIEW_RUN_DECODER_H
#define MESHCAST_VIEW_RUN_DECODER_H

#include "base/byte_source.h"

#include <stdbool.h>
#include <stdio.h>

/* How a page begins. */
#define RUN_PAGE_BEGINS "<!doctype"

/* Writes the trace of run `which` (from 1) of the page to `out`. Memory follows the longest line and the packets.
 * FAIL_INPUT: it is no page, it has no such run, or the run is damaged or keeps sums alone behind
 * some step; the text says what and on which line. FAIL_SYSTEM: it cannot be read, no memory. What goes wrong with
 * `out` is told by ferror(). `name` is the page's in messages. */
enum failure_kind run_decode(struct byte_source *page, const char *name, int which, FILE *out,
                             struct failure *failure);

#endif
