/* run_page.h - the page that shows runs: its HTML, styles and scripts, joined, with the runs
 * between them.
 *
 * The order is run_page_begin(); for each run run_page_begin_run(), the output of a run_encoder,
 * run_page_end_run(); at last run_page_end(). ferror() reports errors of `out`.
 */
#ifndef MESHCAST_VIEW_RUN_PAGE_H
#define MESHCAST_VIEW_RUN_PAGE_H

#include <stdio.h>

void run_page_begin(const char *title, FILE *out);
void run_page_begin_run(FILE *out);
void run_page_end_run(FILE *out);
void run_page_end(FILE *out);

#endif
