/* chart.h - pictures: panels of curves, bars, bands and images, and the one writer of programs for
 * gnuplot.
 *
 * A client describes the content; the writer decides the look: ranges, labels of axes, margins, the
 * key under the panels, colours and marks (chart/palette.h). All lengths are in points, the same in
 * every format.
 *
 * The chart owns everything that is added to it, and copies texts. No addition has to be checked:
 * one for which there is no memory is dropped, and chart_draw() fails.
 */
#ifndef MESHCAST_CHART_CHART_H
#define MESHCAST_CHART_CHART_H

#include "base/failure.h"
#include "chart/palette.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- gnuplot, which draws the pictures ---- */

enum plot_format { PLOT_SVG, PLOT_PNG, PLOT_PDF, PLOT_TERMINAL };

/* Sets the format of a picture by the end of a file's name; false: it names none. */
bool plot_format_find(const char *path, enum plot_format *format);

/* Fails with FAIL_SYSTEM, naming the package and what to use `instead`, if gnuplot is not there. */
enum failure_kind gnuplot_look(const char *instead, struct failure *failure);

/* A picture that gnuplot has drawn; the caller frees `text` in any case. */
struct drawing {
    char *text;
    size_t size;
};

/* Runs gnuplot over the program in the temporary file `script`, which draws to its standard output.
 * FAIL_SYSTEM: gnuplot is not there (the text says what to use `instead`), or fails. */
enum failure_kind gnuplot_draw(FILE *script, const char *instead, struct drawing *drawing,
                               struct failure *failure);

/* ---- charts ---- */

enum chart_scale {
    CHART_LINEAR,
    CHART_LOG,
    CHART_LOG_IF_FAR /* logarithmic if the largest value is more than 12 times the least */
};

struct chart_axis {
    const char *label; /* NULL: the axis shares the labels of the panel below it, or needs none */
    enum chart_scale scale;
    double from, to;         /* the ends; if equal, the writer chooses them from the drawn values */
    bool is_real;            /* labels may be fractions */
    const char *const *name; /* of an axis of rows: [names], at 0, 1, ..; "": no label */
    uint32_t names;
};

/* The parts of a curve that are drawn, or-ed together. */
enum chart_draw {
    CHART_LINE = 1,
    CHART_STAIRS = 2,
    CHART_MARKS = 4,
    CHART_ERRORS = 8,  /* upright bars from `low` to `high` */
    CHART_ACROSS = 16, /* level bars from `low` to `high` */
    CHART_BARS = 32,   /* a level bar from `low` to x, `size` high above and below y */
    CHART_RULES = 64,  /* an upright line at x, `size` high above and below y */
    CHART_TEXTS = 128, /* `text`, to the right of the point */
    CHART_NAMES =
        256, /* `text`, to the left of the point and below it, where it hides no other name */
    CHART_AT_TOP = 512 /* y is a share of the panel's height */
};

struct chart_point {
    double x, y, low, high;
    double size;      /* of its mark; 0: the usual one */
    const char *text; /* or NULL */
    bool breaks;      /* the line does not come from the point before */
};

struct chart_curve {
    struct chart_panel *panel;
    struct chart_curve *next;
    unsigned draw; /* enum chart_draw */
    enum chart_ink ink;
    const char *subject; /* a router or scheme, or one with parameters; or NULL */
    uint32_t variant;    /* among curves of its name: the number of the chart's earlier ones */
    /* in the key, where each title is once; NULL: none. A curve without points is only in the
     * key */
    const char *title;
    int mark;     /* enum chart_mark; 0: the subject's own */
    bool is_pale; /* its colour is lightened */
    struct chart_point *point;
    uint32_t points, room;
};

/* A ground from one x to another, or an upright line if both are the same. */
struct chart_band {
    struct chart_band *next;
    double from, to;
    const char *text; /* above the panel, if there is room; or NULL */
    bool is_bare;     /* only its text is shown */
};

/* Cells coloured by the chart's scale. */
struct chart_image {
    uint32_t down, across;
    float *value;      /* [down][across] */
    double x, y, cell; /* the middle of the first cell, and the side of a cell */
};

struct chart_panel {
    struct chart *chart;
    struct chart_panel *next;
    const char *title; /* or NULL */
    double width, height;
    bool is_wide; /* in a row of its own, as wide as the page */
    struct chart_axis x, y;
    struct chart_curve *curves, **last_curve;
    struct chart_band *bands, **last_band;
    struct chart_image image;                           /* down 0: none */
    double left, top, room_left, room_top, room_bottom; /* the writer's: of its axes on the page */
};

enum { CHART_FEW_COLOURS = 12 }; /* up to so many values have a colour each */

/* The scale of colours of images. */
struct chart_colours {
    const char *label; /* NULL: none */
    uint64_t most;
    bool is_log;
};

struct chart {
    const char *title; /* one line or several */
    const char *note;  /* a line at the foot, or NULL */
    uint32_t columns;  /* panels side by side */
    bool is_shared;    /* panels without rows have the same ranges */
    struct chart_colours colours;
    struct chart_panel *panels, **last_panel;
    struct chart_block *blocks;      /* memory that the chart owns */
    bool is_short;                   /* an addition found no memory */
    double width, height, head, key; /* the writer's: of the page, its title and its key */
    uint32_t key_columns;
    struct chart_panel spare_panel; /* for additions that found no memory */
    struct chart_curve spare_curve;
    struct chart_point spare_point;
    struct chart_band spare_band;
};

/* Begins an empty chart, which must not be moved until chart_free(). */
void chart_begin(struct chart *chart, uint32_t columns);
void chart_free(struct chart *chart);

/* Returns `size` bytes of zeros that the chart owns; NULL: no memory. */
void *chart_keep(struct chart *chart, size_t size);

/* Returns a text that the chart owns. */
const char *chart_text(struct chart *chart, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a panel whose axes have this size. */
struct chart_panel *chart_panel(struct chart *chart, double width, double height);

/* Adds a curve, in front of those before it. `title` may be NULL. */
struct chart_curve *chart_curve(struct chart_panel *panel, unsigned draw, enum chart_ink ink,
                                const char *title);

/* Adds a curve of a router or scheme. */
struct chart_curve *chart_subject(struct chart_panel *panel, unsigned draw, const char *subject,
                                  const char *title);

/* Adds a point, which may be completed until the next one is added. */
struct chart_point *chart_point(struct chart_curve *curve, double x, double y);

/* Adds a band, or a line if both ends are the same. */
struct chart_band *chart_band(struct chart_panel *panel, double from, double to, const char *text);

/* Writes the program for gnuplot that draws the chart to its standard output: the same bytes for
 * the same chart, which is written once. On the terminal panels follow each other, and only curves
 * with titles are drawn, as letters. */
void chart_write_script(struct chart *chart, enum plot_format format, FILE *out);

/* Draws the chart. FAIL_SYSTEM: no memory; gnuplot is not there (the message names what to use
 * `instead`) or fails. */
enum failure_kind chart_draw(struct chart *chart, enum plot_format format, const char *instead,
                             struct drawing *drawing, struct failure *failure);

/* ---- for the layout and the writer ---- */

/* Sizes in points: a line of text, the scale of colours, the edge of the page. */
enum { CHART_LINE_HEIGHT = 18, CHART_SCALE = 96, CHART_EDGE = 12 };

/* Chooses the ends of all axes, moves names beside their points, and places the panels and the
 * key. */
void chart_lay_out(struct chart *chart);

/* Returns the place of a value on an axis of so many points. */
double chart_place_of(const struct chart_axis *axis, double length, double value);

/* True if the curve has a line of the key: it has no points, or is the first of its title. */
bool chart_is_in_key(const struct chart *chart, const struct chart_curve *curve);

#endif
