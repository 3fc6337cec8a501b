/* plot_page.c - the layout of the pictures of `report`.
 */
#include "results/plot_page.h"

enum {
    PANEL_WIDTH = 360,
    PANEL_HEIGHT = 300,
    SINGLE_WIDTH = 520,
    SINGLE_HEIGHT = 400,
    TITLE = 44,
    KEY_LINE = 18,
    KEY_COLUMN = 270
};

const struct plot_style plot_style[PLOT_STYLES] = {
    {"#0072B2", "solid", 7},  {"#D55E00", "'-'", 5},   {"#009E73", "'_.'", 9},
    {"#E69F00", "solid", 13}, {"#CC79A7", "'-'", 11},  {"#56B4E9", "'_.'", 6},
    {"#0072B2", "'-'", 4},    {"#D55E00", "solid", 8}, {"#009E73", "'-'", 12},
    {"#E69F00", "'_.'", 10},  {"#CC79A7", "solid", 1}, {"#56B4E9", "'-'", 2},
};

struct plot_page plot_page_of(uint32_t panels, uint32_t bars, uint32_t entries)
{
    struct plot_page page = {.across = panels <= 1 ? 1 : panels <= 4 ? 2 : 3, .bars = bars};
    page.down = (panels + page.across - 1) / page.across;
    page.width = page.across == 1 ? SINGLE_WIDTH : page.across * PANEL_WIDTH;
    page.key_columns = page.width / KEY_COLUMN;
    page.key = (entries + page.key_columns - 1) / page.key_columns * KEY_LINE + KEY_LINE / 2;
    page.height =
        page.down * (page.across == 1 ? SINGLE_HEIGHT : PANEL_HEIGHT) + TITLE + page.key + bars;
    return page;
}

static double panel_width(const struct plot_page *page)
{
    return (double)page->width / page->across;
}

static double panel_height(const struct plot_page *page)
{
    return (double)(page->height - TITLE - page->key - page->bars) / page->down;
}

double plot_page_axes_width(const struct plot_page *page)
{
    return panel_width(page) - PLOT_LEFT - PLOT_RIGHT;
}

double plot_page_axes_height(const struct plot_page *page)
{
    return panel_height(page) - PLOT_TOP - PLOT_BOTTOM;
}

void plot_page_put_margins(const struct plot_page *page, uint32_t panel, FILE *out)
{
    double width = panel_width(page), height = panel_height(page);
    double left = panel % page->across * width;
    double top = page->height - TITLE - panel / page->across * height;
    fprintf(out, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n",
            (left + PLOT_LEFT) / page->width, (left + width - PLOT_RIGHT) / page->width);
    fprintf(out, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
            (top - PLOT_TOP) / page->height, (top - height + PLOT_BOTTOM) / page->height);
}

void plot_page_begin_key(const struct plot_page *page, FILE *out)
{
    fputs("unset border\nunset tics\nunset xlabel\nunset ylabel\nunset title\nunset grid\n"
          "unset logscale\nset xrange [0:1]\nset yrange [0:1]\n",
          out);
    fprintf(out,
            "set lmargin at screen 0.02\nset rmargin at screen 0.98\n"
            "set tmargin at screen %.5f\nset bmargin at screen 0\n",
            (double)page->key / page->height);
    fprintf(out, "set key center center horizontal Left reverse maxcols %u samplen 4 width 1\n",
            page->key_columns);
}
