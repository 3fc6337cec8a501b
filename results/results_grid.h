/* results_grid.h - a table of results that can be written in four ways. */
#ifndef MESHCAST_RESULTS_RESULTS_GRID_H
#define MESHCAST_RESULTS_RESULTS_GRID_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum grid_kind { GRID_TEXT, GRID_COUNT, GRID_RATIO, GRID_EXPONENT, GRID_DIGITS /* six of them */ };

enum grid_audience {
    GRID_ALL,
    GRID_PEOPLE /* text, Markdown */,
    GRID_PROGRAMS /* CSV, JSON */,
    GRID_VARIED /* programs, and people where it tells them something: who makes the grid decides */
};

/* A text, or a number that is NAN where there is none. */
struct grid_cell {
    const char *text;
    double number;
};

struct grid_column {
    const char *name;    /* for programs: CSV's head, the key in JSON */
    const char *heading; /* for people */
    enum grid_kind kind;
    enum grid_audience audience;
};

/* The caller's; cell[row * columns + column]. */
struct grid {
    const struct grid_column *column;
    uint32_t columns, rows;
    struct grid_cell *cell;
};

/* Makes a grid without rows that has room for `rows`; the caller fills (*column)[columns]. False: no memory.
 * free(grid->cell) when done. */
bool results_grid_make(struct grid *grid, uint32_t columns, size_t rows,
                       struct grid_column **column);

/* Columns as wide as needed, figures to the right. */
void grid_print_text(const struct grid *grid, FILE *out);

void grid_print_markdown(const struct grid *grid, FILE *out);

/* RFC 4180; a number that is not there is an empty field. */
void grid_print_csv(const struct grid *grid, FILE *out);

/* An array of objects; NULL: no memory. The caller owns it. */
json_t *grid_json(const struct grid *grid);

#endif
