/* figure.c - grids of measured cells: tables and pictures.
 *
 * Pictures have a panel for each grid, a curve for each contender, bars of 95 % confidence. An open dot on a dashed line
 * is a saturated point, measured in a finite run.
 */
#include "papers/figure.h"

#include "bench/must.h"
#include "chart/gnuplot.h"
#include "network/latency.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { PANEL_WIDTH = 440, ONE_WIDTH = 620, HEIGHT = 430, MARKS = 8, STYLES = 6 };

static const char *const colours[STYLES] = {"#0072B2", "#D55E00", "#009E73",
                                            "#CC79A7", "#E69F00", "#56B4E9"};
/* Full dots, and the open ones of the same shape. */
static const int dots[STYLES] = {7, 5, 9, 13, 11, 15}, open_dots[STYLES] = {6, 4, 8, 12, 10, 14};

/* Schemes that stand in several pictures look the same in all. */
static const struct {
    const char *title;
    uint32_t style;
} known[] = {{"dual", 0},      {"column", 1},     {"pure", 2},
             {"minimal", 3},   {"schl", 4},       {"minimal, printed", 5},
             {"vh", 0},        {"diag", 1},       {"dds", 2},
             {"min", 3},       {"diag, mesh", 1}, {"diag, torus", 4},
             {"dds, mesh", 2}, {"dds, torus", 5}, {"lin", 0},
             {"xy-path", 1}};

static uint32_t style_of(const struct grid *grid, uint32_t curve)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].title, grid->contender[curve].title) == 0)
            return known[i].style;
    return curve % STYLES;
}

/* ---- samples ---- */

/* Welford's method. */
void sample_add(struct sample *sample, double value)
{
    double before = value - sample->mean;
    sample->mean += before / (double)++sample->count;
    sample->squares += before * (value - sample->mean);
}

struct cell sample_cell(const struct sample *sample)
{
    struct cell cell = {.mean = sample->mean, .mark = CELL_STEADY};
    double count = (double)sample->count;
    if (sample->count == 0)
        return (struct cell){.mark = CELL_EMPTY};
    cell.half_width = sample->count < 2 ? INFINITY
                                        : latency_student((uint32_t)sample->count - 1) *
                                              sqrt(sample->squares / (count - 1) / count);
    return cell;
}

/* ---- tables ---- */

void grid_make(struct grid *grid)
{
    struct failure failure = {0};
    grid->cell = memory_allocate((size_t)grid->points * grid->curves, sizeof *grid->cell);
    if (grid->cell == NULL)
        bench_must(fail_memory(&failure, "the points of an experiment"), &failure);
}

void grid_free(struct grid *grid)
{
    free(grid->cell);
    grid->cell = NULL;
}

/* Points are measured apart, so the squares of their half widths add up. */
struct cell grid_mean(const struct grid *grid, uint32_t curve)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < grid->points; i++) {
        const struct cell *cell = grid_cell(grid, i, curve);
        sum += cell->mean;
        squares += cell->half_width * cell->half_width;
    }
    return (struct cell){sum / grid->points, sqrt(squares) / grid->points, CELL_STEADY};
}

/* `x` is the point's. */
static void print_cell(const struct grid *grid, const struct cell *cell, double x, FILE *text)
{
    if (cell->mark == CELL_EMPTY) {
        fputs(" - |", text);
        return;
    }
    fputc(' ', text);
    fprintf(text, grid->format, cell->mean);
    if (cell->half_width > 0) {
        fputs(" +- ", text);
        fprintf(text, grid->format, cell->half_width);
    }
    if (grid->unit > 0)
        fprintf(text, " (%.0f)", cell->mean / grid->unit);
    if (grid->beyond_x) {
        fputs(" (", text);
        fprintf(text, grid->format, cell->mean - x);
        fputc(')', text);
    }
    fputs(cell->mark == CELL_FINITE ? " f |" : " |", text);
}

static void print_means(const struct grid *grid, FILE *text)
{
    double x = 0;
    for (uint32_t i = 0; i < grid->points; i++)
        x += grid->x[i] / grid->points;
    fputs("| mean, ", text);
    fprintf(text, grid->x_format, x);
    fputs(" |", text);
    for (uint32_t j = 0; j < grid->curves; j++) {
        struct cell mean = grid_mean(grid, j);
        print_cell(grid, &mean, x, text);
    }
    fputc('\n', text);
}

void grid_print(const struct grid *grid, FILE *text)
{
    fprintf(text, "%s%s:\n\n| %s |", grid->title,
            grid->beyond_x ? " (how much is beyond K, in parentheses)" : "", grid->x_name);
    for (uint32_t j = 0; j < grid->curves; j++)
        fprintf(text, " %s |", grid->contender[j].title);
    fputs("\n|---:|", text);
    for (uint32_t j = 0; j < grid->curves; j++)
        fputs("---:|", text);
    fputc('\n', text);
    for (uint32_t i = 0; i<grid->points; i += grid->every> 0 ? grid->every : 1) {
        fputs("| ", text);
        fprintf(text, grid->x_format, grid->x[i]);
        fputs(" |", text);
        for (uint32_t j = 0; j < grid->curves; j++)
            print_cell(grid, grid_cell(grid, i, j), grid->x[i], text);
        fputc('\n', text);
    }
    if (grid->has_means)
        print_means(grid, text);
    fputc('\n', text);
}

/* ---- pictures ---- */

static bool has_finite(const struct grid *grid)
{
    for (uint32_t i = 0; i < grid->points * grid->curves; i++)
        if (grid->cell[i].mark == CELL_FINITE)
            return true;
    return false;
}

static void put_data(const struct grid *grid, uint32_t panel, uint32_t curve, FILE *out)
{
    fprintf(out, "$p%uc%u << END\n", panel, curve);
    for (uint32_t i = 0; i < grid->points; i++) {
        const struct cell *cell = grid_cell(grid, i, curve);
        if (cell->mark != CELL_EMPTY)
            fprintf(out, "%.10g %.10g %.10g %d\n", grid->x[i], cell->mean,
                    isfinite(cell->half_width) ? cell->half_width : 0, cell->mark == CELL_FINITE);
    }
    fputs("END\n", out);
}

/* Saturated points are let rise to a few times the largest steady one, and cut off there: what is below saturation
 * is what the picture is for. */
static double top_of(const struct grid *grid)
{
    enum { HIGHEST = 4 };
    double steady = 0, all = 0;
    for (uint32_t i = 0; i < grid->points * grid->curves; i++) {
        const struct cell *cell = &grid->cell[i];
        double upper = cell->mean + (isfinite(cell->half_width) ? cell->half_width : 0);
        all = fmax(all, cell->mark == CELL_EMPTY ? 0 : upper);
        steady = fmax(steady, cell->mark == CELL_STEADY ? upper : 0);
    }
    return steady > 0 ? fmin(all, HIGHEST * steady) : all;
}

static void put_panel(const struct grid *grid, uint32_t panel, FILE *out)
{
    fputs("set title ", out);
    gnuplot_put_string(grid->title, out);
    fputs("\nset xlabel ", out);
    gnuplot_put_string(grid->x_name, out);
    fputs(" offset 0,0.7\nset ylabel ", out);
    gnuplot_put_string(grid->y_name, out);
    double right = grid->points > 0 ? grid->x[grid->points - 1] : 1, top = top_of(grid);
    fprintf(out, "\nset xrange [0:%.10g]\nset yrange [0:%.10g]\n", 1.05 * right,
            top > 0 ? 1.05 * top : 1);
    for (uint32_t j = 0; j < grid->curves; j++) {
        uint32_t style = style_of(grid, j);
        fprintf(out, "%s $p%uc%u using 1:2 with lines lc rgb '%s' lw 1 dt 3 notitle",
                j == 0 ? "plot" : ", \\\n ", panel, j, colours[style]);
        fprintf(
            out,
            ", \\\n  $p%uc%u using ($4 == 0 ? $1 : NaN):2:3 with yerrorlines lc rgb '%s' lw 1.5 "
            "pt %d ps 0.6 title ",
            panel, j, colours[style], dots[style]);
        gnuplot_put_string(grid->contender[j].title, out);
        fprintf(
            out,
            ", \\\n  $p%uc%u using ($4 == 1 ? $1 : NaN):2:3 with yerrorbars lc rgb '%s' pt %d ps "
            "0.7 notitle",
            panel, j, colours[style], open_dots[style]);
    }
    fputc('\n', out);
}

static void put_script(const struct grid *const *panel, uint32_t panels, FILE *script)
{
    fputs("set encoding utf8\n", script);
    gnuplot_put_terminal(PLOT_SVG, panels == 1 ? ONE_WIDTH : PANEL_WIDTH * panels, HEIGHT, script);
    for (uint32_t p = 0; p < panels; p++)
        for (uint32_t j = 0; j < panel[p]->curves; j++)
            put_data(panel[p], p, j, script);
    fputs("set tics nomirror scale 0.5\n"
          "set key below horizontal Left reverse samplen 2\n"
          "set grid xtics ytics lc rgb 'gray85' dt solid lw 0.5\n",
          script);
    fprintf(script, "set multiplot layout 1,%u\n", panels);
    for (uint32_t p = 0; p < panels; p++)
        put_panel(panel[p], p, script);
    fputs("unset multiplot\n", script);
}

void figure_draw(const struct paper *paper, const char *name, const struct grid *const *panel,
                 uint32_t panels)
{
    bool is_finite = false;
    FILE *script = tmpfile();
    if (script == NULL) {
        perror("a temporary file");
        exit(EXIT_FAILURE);
    }
    put_script(panel, panels, script);
    paper->draw(paper->draw_context, name, script);
    fclose(script);
    for (uint32_t p = 0; p < panels; p++)
        is_finite |= has_finite(panel[p]);
    fprintf(paper->text, "![%s](%s.svg)\n\n%s", panel[0]->title, name,
            is_finite ? "Open dots on dotted lines are saturated points, in finite runs.\n\n" : "");
}
