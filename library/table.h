/* table.h - the one writer of tables for people.
 *
 * The JSON of a result is the result; tables are printed from it. A command describes its figures
 * once, in the order of the JSON, as parts that may be shared:
 *
 *     static const struct figure SENT[] = {
 *         {"cycles", "cycles", FIGURE_COUNT, FIGURE_ALL, "[of which {startup} for startup]"},
 *         {"startup", "startup", FIGURE_COUNT, FIGURE_COLUMN},
 *         {0}};
 *     static const struct figures BURST = {{SENT, figures_of_hops}};
 *
 *     figures_print_text(json, "{topology}, {nodes:node}[, seed {seed}]\n", out);
 *     figures_print(&BURST, json, out);                    a line for each figure that has a value
 *     table_print_text(&(struct table){&BURST, rows}, out);                     a row per object
 *
 * A text for people may name figures of the result in braces:
 *
 *     {key}        its value; {a.b} is member b of object a, an object is "x=1, y=2", an array
 *                  "8 x 8"
 *     {key:.2}     with two decimals
 *     {key:node}   with a noun: "1 node", "7 nodes"
 *     {a/b} {a%b}  quotient and remainder of two whole numbers
 *     {?key} {!key} {key=word} {key>1}
 *                  nothing; a condition: with a value, without one, equal, greater
 *     [...]        a part that is left out if a figure in it has no value (missing, null, 0, false,
 *                  empty) or a condition is not met
 */
#ifndef MESHCAST_LIBRARY_TABLE_H
#define MESHCAST_LIBRARY_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum figure_kind {
    FIGURE_TEXT,
    FIGURE_COUNT,
    FIGURE_RATIO,    /* two decimals */
    FIGURE_EXPONENT, /* three decimals */
    FIGURE_SHARE,    /* six decimals */
    FIGURE_DIGITS,   /* six digits */
    FIGURE_PHASES,   /* of single results: an array of {name, steps}, a line per name */
    /* of single results: an array; the note is a line for each element, which is numbered */
    FIGURE_EACH
};

enum figure_audience {
    FIGURE_ALL,
    FIGURE_PEOPLE,   /* text, Markdown */
    FIGURE_PROGRAMS, /* CSV, JSON */
    FIGURE_LINE,     /* people, in the table of a single result; and programs */
    FIGURE_COLUMN,   /* people, in rows; and programs */
    FIGURE_VARIED,   /* programs, and people if the rows differ in it */
    FIGURE_SEVERAL,  /* programs, and people in rows if some node sends several messages */
    FIGURE_SINGLE    /* people in rows if none does */
};

/* Texts may name figures, but a label that heads a column is printed as it is. */
struct figure {
    const char *key;   /* in JSON and CSV; NULL: the end of a part */
    const char *label; /* for people; NULL: its line is only the note, and it has no column */
    enum figure_kind kind;
    enum figure_audience audience;
    const char *note; /* of a single result: follows the figure; or NULL */
};

enum { FIGURE_PARTS = 16, TABLE_MOST_COLUMNS = 64 };

/* The figures of a kind of result, in parts that end with {0}. */
struct figures {
    const struct figure *part[FIGURE_PARTS];
};

/* Returns figure `index`; NULL: there are fewer. */
const struct figure *figures_at(const struct figures *figures, uint32_t index);

/* Returns the value at `path`, "a.b" or "a.0.b"; NULL: there is none. */
const json_t *figures_find(const json_t *result, const char *path);

/* True if memory was short in this thread's output since the last call: a result or a row was NULL.
 * Commands build rows for people without checking; meshcast_command_run() asks once. */
bool table_is_short(void);

/* ---- single results ---- */

void figures_print_text(const json_t *result, const char *text, FILE *out);

/* Returns the text with its figures as a string; NULL: no memory. The caller owns it. */
json_t *figures_text(const json_t *result, const char *text);

/* Prints a text as a heading, bold on a terminal unless NO_COLOR is set. */
void figures_print_heading(const json_t *result, const char *text, FILE *out);

/* Prints a line for each figure that has a value. */
void figures_print(const struct figures *figures, const json_t *result, FILE *out);

/* ---- rows ---- */

struct table {
    const struct figures *figures;
    /* an array of objects; a value that is null or missing is a dash. A key that no row has is
     * no column for people. */
    const json_t *rows;
    bool is_several; /* some node sends several messages */
};

/* Prints columns as wide as needed, numbers to the right. */
void table_print_text(const struct table *table, FILE *out);
void table_print_markdown(const struct table *table, FILE *out);

/* Prints RFC 4180; a missing number is an empty field. */
void table_print_csv(const struct table *table, FILE *out);

/* Returns an array of objects that have the columns of programs; NULL: no memory. The caller owns
 * it. */
json_t *table_json(const struct table *table);

/* A table whose rows are printed one by one. */
struct table_stream {
    FILE *out;
    uint32_t columns;
    struct figure column[TABLE_MOST_COLUMNS];
    int width[TABLE_MOST_COLUMNS];
};

/* True if rows of the table differ in the figure. */
bool table_varies(const struct table *table, const char *key);

/* Prints the headings; the first column, of texts, is at least `width` wide. If `table` has rows,
 * all others are as wide as these need. */
void table_begin(struct table_stream *stream, const struct table *table, int width, FILE *out);
void table_add(const struct table_stream *stream, const json_t *row);

#endif
