/* grid.h - a table of results, rows by columns of JSON values, that can be written in four ways. */
#ifndef MESHCAST_LAB_GRID_H
#define MESHCAST_LAB_GRID_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum grid_kind { GRID_TEXT, GRID_COUNT, GRID_RATIO, GRID_EXPONENT, GRID_DIGITS /* six of them */ };

enum grid_audience {
    GRID_ALL,
    GRID_PEOPLE,   /* text, Markdown */
    GRID_PROGRAMS, /* CSV, JSON */
    GRID_VARIED,   /* programs, and people if the rows differ in it */
    GRID_SEVERAL,  /* programs, and people if some node sends several messages */
    GRID_SINGLE    /* people if none does */
};

struct grid_column {
    const char *name;    /* the key of a row's object, for programs also CSV's head */
    const char *heading; /* for people */
    enum grid_kind kind;
    enum grid_audience audience;
};

enum { GRID_MOST_COLUMNS = 64 };

struct grid {
    const struct grid_column *column;
    uint32_t columns;   /* at most GRID_MOST_COLUMNS */
    const json_t *rows; /* an array of objects; a value that is null or missing is none */
    bool is_several;    /* some node sends several messages */
};

/* Prints columns as wide as needed, figures to the right. */
void grid_print_text(const struct grid *grid, FILE *out);

void grid_print_markdown(const struct grid *grid, FILE *out);

/* Prints RFC 4180; a number that is missing is an empty field. */
void grid_print_csv(const struct grid *grid, FILE *out);

/* Returns an array of objects that have the columns of programs; NULL: no memory. The caller owns
 * it. */
json_t *grid_json(const struct grid *grid);

#endif
