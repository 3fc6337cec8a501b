/* compare_title.h - under which options a comparison was made, for its table and its picture. */
#ifndef MESHCAST_CLI_COMPARE_TITLE_H
#define MESHCAST_CLI_COMPARE_TITLE_H

#include "library/run_options.h"
#include "workloads/instance.h"

/* What of the options is not as by default and changes what a run does: "c unknown, buffer 40, seed 5,
 * variant=direct", or "". Cut to fit. */
const char *compare_changes_text(const struct run_options *options, char *text, size_t size);

/* The title of the picture, a line. */
enum { COMPARE_TITLE_SIZE = 320 };
const char *compare_title_text(const struct instance *instance, const struct run_options *options,
                               char title[COMPARE_TITLE_SIZE]);

#endif
