/* volume_rows.h - options for how much a message carries. */
#ifndef MESHCAST_LIBRARY_VOLUME_ROWS_H
#define MESHCAST_LIBRARY_VOLUME_ROWS_H

#include "library/option_table.h"
#include "workloads/volume.h"

/* The options that fill a struct volume_options. Commands that read no file leave out the first, --weights. */
enum { VOLUME_ROWS = 4 };
extern const struct meshcast_option volume_rows[VOLUME_ROWS];

enum { VOLUME_TEXT = 112 };

/* Writes them as they are given again: " --bytes 64 ..", or nothing. */
void volume_options_text(const struct volume_options *options, char text[VOLUME_TEXT]);

#endif
