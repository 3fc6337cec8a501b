/* gnuplot.h - pictures: the formats of their files, and the program that draws them. */
#ifndef MESHCAST_CHART_GNUPLOT_H
#define MESHCAST_CHART_GNUPLOT_H

#include "base/failure.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum plot_format { PLOT_SVG, PLOT_PNG, PLOT_PDF, PLOT_TERMINAL };

/* Sets the format of a picture by the end of a file's name; false: it names none. */
bool plot_format_find(const char *path, enum plot_format *format);

/* FAIL_SYSTEM, naming the package and what to use `instead`, if gnuplot is not there: to be told
 * before a long run. */
enum failure_kind gnuplot_look(const char *instead, struct failure *failure);

/* Writes the line of a program that chooses a page of so many points (a PNG has two dots per point);
 * nothing for the terminal. No text has markup there. */
void gnuplot_put_terminal(enum plot_format format, uint32_t width, uint32_t height, FILE *out);

/* Writes a text that is shown as it is, but for what is not printable (base/printable.h), in one of three places: in a
 * command; as the name of place `at` of an axis, in the list of 'set xtics (..)'; as a column of data. */
void gnuplot_put_string(const char *text, FILE *out);
void gnuplot_put_tic(const char *text, uint32_t at, FILE *out);
void gnuplot_put_datum(const char *text, FILE *out);

/* A picture that gnuplot has drawn; the caller frees `text` in any case. */
struct drawing {
    char *text;
    size_t size;
};

/* Runs gnuplot over the program in the temporary file `script`, which draws to its standard output.
 * FAIL_SYSTEM: gnuplot is not there (the text says what to use `instead`), or fails. */
enum failure_kind gnuplot_draw(FILE *script, const char *instead, struct drawing *drawing,
                               struct failure *failure);

#endif
