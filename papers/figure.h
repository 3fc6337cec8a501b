/* figure.h - grids of measured cells, as tables of Markdown and as pictures for gnuplot. */
#ifndef MESHCAST_PAPERS_FIGURE_H
#define MESHCAST_PAPERS_FIGURE_H

#include "papers/paper.h"

enum cell_mark {
    CELL_EMPTY,
    CELL_STEADY,
    CELL_FINITE /* saturated: the mean of a run that makes no messages behind the measured ones */
};

/* A mean, and the half width of its 95 % interval. */
struct cell {
    double mean, half_width; /* half_width 0: exact */
    enum cell_mark mark;
};

/* What is measured of each contender at each x: cell[i * curves + j] is that of x[i] and curve j. */
struct grid {
    const char *title;             /* of its table and its panel */
    const char *x_name, *y_name;   /* "destinations", "latency (µs)" */
    const char *x_format, *format; /* of printf, for a double: "%.0f" */
    uint32_t points, curves;
    const double *x;
    const struct contender *contender; /* of each curve */
    struct cell *cell;
    double
        unit; /* not 0: a mean in parentheses, divided by it, stands beside ("latency, µs (cycles)") */
    bool beyond_x;  /* how much a mean is more than x stands beside, in parentheses */
    bool has_means; /* the table ends with the means over all points */
    uint32_t every; /* the table has each so many-th point, from the first on; 0: all */
};

/* Allocates the cells, all empty; no memory ends the program. */
void grid_make(struct grid *grid);
void grid_free(struct grid *grid);

static inline struct cell *grid_cell(const struct grid *grid, uint32_t point, uint32_t curve)
{
    return &grid->cell[(size_t)point * grid->curves + curve];
}

/* The mean of the means of all points of a curve; none of the points is empty. */
struct cell grid_mean(const struct grid *grid, uint32_t curve);

/* A row for each x, a column for each curve. */
void grid_print(const struct grid *grid, FILE *text);

/* Draws grids as panels of one picture, in one row, and prints the line that shows it. `name` is the picture's. */
void figure_draw(const struct paper *paper, const char *name, const struct grid *const *panel,
                 uint32_t panels);

/* The mean of values, and the half width of Student's 95 % interval. */
struct sample {
    uint64_t count;
    double mean, squares; /* of the differences from the mean */
};

void sample_add(struct sample *sample, double value);
struct cell sample_cell(const struct sample *sample);

#endif
