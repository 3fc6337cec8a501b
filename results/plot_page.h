/* plot_page.h - what the pictures of `report` share: the page with its panels and its legend, and how lines look. */
#ifndef MESHCAST_RESULTS_PLOT_PAGE_H
#define MESHCAST_RESULTS_PLOT_PAGE_H

#include <stdint.h>
#include <stdio.h>

/* Sizes in points around a panel's axes, the same for all formats. */
enum {
    PLOT_LEFT = 82, /* room for numbers of five digits and the axis beside them */
    PLOT_RIGHT = 20,
    PLOT_TOP = 26,
    PLOT_BOTTOM = 52
};

enum { PLOT_STYLES = 12 };

/* A line's colour, dashes and mark: gnuplot's numbers of marks (filled first) and the colours of Okabe and Ito, dark ones
 * first. Colours are told apart by the colour-blind, marks and dashes survive a printer without colours. */
extern const struct plot_style {
    const char *colour, *dashes;
    int mark;
} plot_style[PLOT_STYLES];

/* A page: panels in rows, then, from top to bottom, `bars` points for a wide panel and `key` for the legend. */
struct plot_page {
    uint32_t across, down, width, height, bars, key, key_columns;
};

/* The page of so many panels (0: the bars alone), and of a legend of so many entries. */
struct plot_page plot_page_of(uint32_t panels, uint32_t bars, uint32_t entries);

/* The size of a panel's axes, in points. */
double plot_page_axes_width(const struct plot_page *page);
double plot_page_axes_height(const struct plot_page *page);

/* Writes the margins of a panel, from 0. */
void plot_page_put_margins(const struct plot_page *page, uint32_t panel, FILE *out);

/* Writes what goes before the legend, which is a plot of nothing but titles. */
void plot_page_begin_key(const struct plot_page *page, FILE *out);

#endif
