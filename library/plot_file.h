/* plot_file.h - the file of --plot: a picture that gnuplot draws, or its numbers as CSV. */
#ifndef MESHCAST_LIBRARY_PLOT_FILE_H
#define MESHCAST_LIBRARY_PLOT_FILE_H

#include "chart/chart.h"

#include <jansson.h>
#include <stdbool.h>

/* A picture and its numbers. */
struct plot_file {
    const char *path;                                             /* NULL: none is wanted */
    void (*fill_chart)(const void *context, struct chart *chart); /* of one column, empty */
    json_t *(*rows)(const void *context); /* the rows of --csv, or NULL: no memory */
    const void *context;
};

/* Checks the file before the runs. FAIL_USAGE: a name of no known kind. FAIL_SYSTEM: gnuplot is not
 * there, or the file cannot be written. */
enum failure_kind plot_file_check(const char *path, struct failure *failure);

/* True if the file is to hold numbers; false for NULL. */
bool plot_file_is_csv(const char *path);

/* Draws the picture; the file is renamed when it is complete. */
enum failure_kind plot_file_write(const struct plot_file *plot, struct failure *failure);

#endif
