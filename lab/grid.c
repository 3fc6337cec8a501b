/* grid.c - writes a table of results as text, Markdown, CSV or JSON.
 *
 * Method: one table of columns says what a column is called, how its numbers look and whom it is
 * for; the four writers go over the same rows. People get rounded figures, programs all digits.
 */
#include "lab/grid.h"

#include "library/report.h"
#include "library/report_parts.h"

#include <math.h>
#include <string.h>

enum { TEXT_SIZE = 64 };

/* The columns that an audience sees. */
struct grid_view {
    const json_t *rows;
    uint32_t columns;
    struct grid_column column[GRID_MOST_COLUMNS];
};

static bool is_varied(const json_t *rows, const char *name)
{
    const json_t *first = json_object_get(json_array_get(rows, 0), name);
    for (size_t i = 1; i < json_array_size(rows) && first != NULL; i++)
        if (!json_equal(first, json_object_get(json_array_get(rows, i), name)))
            return true;
    return false;
}

static bool is_seen(const struct grid *grid, const struct grid_column *column, bool by_people)
{
    switch (column->audience) {
    case GRID_PEOPLE:
        return by_people;
    case GRID_PROGRAMS:
        return !by_people;
    case GRID_VARIED:
        return !by_people || is_varied(grid->rows, column->name);
    case GRID_SEVERAL:
        return !by_people || grid->is_several;
    case GRID_SINGLE:
        return by_people && !grid->is_several;
    default:
        return true;
    }
}

static struct grid_view view_for(const struct grid *grid, bool are_people)
{
    struct grid_view view = {.rows = grid->rows};
    for (uint32_t i = 0; i < grid->columns; i++)
        if (is_seen(grid, &grid->column[i], are_people))
            view.column[view.columns++] = grid->column[i];
    return view;
}

static const json_t *value_at(const struct grid_view *view, size_t row, uint32_t column)
{
    return json_object_get(json_array_get(view->rows, row), view->column[column].name);
}

/* Returns a number; true and false are 1 and 0, and NAN is none. */
static double number_of(const json_t *value)
{
    if (json_is_boolean(value))
        return json_is_true(value);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Returns the value of a column of texts, which may be a whole number; `text` may hold it. */
static const char *text_of(const json_t *value, char text[TEXT_SIZE])
{
    if (!json_is_integer(value))
        return json_is_string(value) ? json_string_value(value) : "";
    snprintf(text, TEXT_SIZE, "%lld", (long long)json_integer_value(value));
    return text;
}

/* Returns a cell as people read it; `text` may hold it. */
static const char *show(const struct grid_view *view, size_t row, uint32_t column,
                        char text[TEXT_SIZE])
{
    static const int decimals[] = {[GRID_COUNT] = 0, [GRID_RATIO] = 2, [GRID_EXPONENT] = 3};
    enum grid_kind kind = view->column[column].kind;
    const json_t *value = value_at(view, row, column);
    if (kind == GRID_TEXT)
        return text_of(value, text);
    double number = number_of(value);
    if (isnan(number))
        return "-";
    /* the median of an even number of counts may be a half */
    bool is_half = kind == GRID_COUNT && number != floor(number);
    if (kind == GRID_DIGITS)
        snprintf(text, TEXT_SIZE, "%.6g", number);
    else
        snprintf(text, TEXT_SIZE, "%.*f", is_half ? 1 : decimals[kind], number);
    return text;
}

/* Returns the number of characters of a text in UTF-8: its bytes but for those that continue a
 * character. */
static int length_of(const char *text)
{
    int length = 0;
    for (; *text != '\0'; text++)
        length += ((unsigned char)*text & 0xc0) != 0x80;
    return length;
}

static int width_of(const struct grid_view *view, uint32_t column)
{
    char text[TEXT_SIZE];
    int width = length_of(view->column[column].heading);
    for (size_t row = 0; row < json_array_size(view->rows); row++) {
        int length = length_of(show(view, row, column, text));
        width = length > width ? length : width;
    }
    return width;
}

/* Prints a cell with a gap before it unless it is the first; no blanks follow the last one. */
static void print_padded(const struct grid_view *view, uint32_t column, const char *text, int width,
                         FILE *out)
{
    int pad = width > length_of(text) ? width - length_of(text) : 0;
    bool is_left = view->column[column].kind == GRID_TEXT;
    bool is_last = column + 1 == view->columns;
    fprintf(out, "%s%*s%s%*s", column == 0 ? "" : "  ", is_left ? 0 : pad, "", text,
            is_left && !is_last ? pad : 0, "");
}

void grid_print_text(const struct grid *grid, FILE *out)
{
    struct grid_view view = view_for(grid, true);
    char heading[1024] = "", text[TEXT_SIZE];
    int width[GRID_MOST_COLUMNS];
    FILE *line = fmemopen(heading, sizeof heading, "w");
    for (uint32_t i = 0; i < view.columns; i++) {
        width[i] = width_of(&view, i);
        if (line != NULL)
            print_padded(&view, i, view.column[i].heading, width[i], line);
    }
    if (line != NULL)
        fclose(line);
    report_print_heading(heading, out);
    for (size_t row = 0; row < json_array_size(view.rows); row++) {
        for (uint32_t i = 0; i < view.columns; i++)
            print_padded(&view, i, show(&view, row, i, text), width[i], out);
        fputc('\n', out);
    }
}

/* Prints a text so that Markdown shows it as it is: a name may hold what would separate cells, or
 * begin a tag, a link, code or emphasis. */
static void print_escaped(const char *text, FILE *out)
{
    for (; *text != '\0'; text++)
        fprintf(out, strchr("\\|<[`*", *text) == NULL ? "%c" : "\\%c", *text);
}

void grid_print_markdown(const struct grid *grid, FILE *out)
{
    struct grid_view view = view_for(grid, true);
    char text[TEXT_SIZE];
    fputc('|', out);
    for (uint32_t i = 0; i < view.columns; i++)
        fprintf(out, " %s |", view.column[i].heading);
    fputs("\n|", out);
    for (uint32_t i = 0; i < view.columns; i++)
        fputs(view.column[i].kind == GRID_TEXT ? "---|" : "---:|", out);
    for (size_t row = 0; row < json_array_size(view.rows); row++) {
        fputs("\n|", out);
        for (uint32_t i = 0; i < view.columns; i++) {
            fputc(' ', out);
            print_escaped(show(&view, row, i, text), out);
            fputs(" |", out);
        }
    }
    fputc('\n', out);
}

void grid_print_csv(const struct grid *grid, FILE *out)
{
    struct grid_view view = view_for(grid, false);
    char text[TEXT_SIZE];
    for (uint32_t i = 0; i < view.columns; i++)
        fprintf(out, "%s%s", i == 0 ? "" : ",", view.column[i].name);
    fputs("\r\n", out);
    for (size_t row = 0; row < json_array_size(view.rows); row++) {
        for (uint32_t i = 0; i < view.columns; i++) {
            const json_t *value = value_at(&view, row, i);
            fputs(i == 0 ? "" : ",", out);
            if (view.column[i].kind == GRID_TEXT)
                report_print_csv_text(text_of(value, text), out);
            else if (!isnan(number_of(value)))
                fprintf(out, "%.10g", number_of(value));
        }
        fputs("\r\n", out);
    }
}

static json_t *cell_json(enum grid_kind kind, const json_t *value)
{
    char text[TEXT_SIZE];
    double number = number_of(value);
    if (kind == GRID_TEXT)
        return json_string(text_of(value, text));
    if (isnan(number))
        return json_null();
    if (kind == GRID_COUNT && number == floor(number))
        return json_integer((json_int_t)number);
    return json_real(number);
}

json_t *grid_json(const struct grid *grid)
{
    struct grid_view view = view_for(grid, false);
    json_t *array = json_array();
    for (size_t row = 0; row < json_array_size(view.rows); row++) {
        json_t *object = json_object();
        bool failed = object == NULL;
        for (uint32_t i = 0; i < view.columns; i++)
            failed |=
                json_object_set_new(object, view.column[i].name,
                                    cell_json(view.column[i].kind, value_at(&view, row, i))) != 0;
        if (json_array_append_new(array, object) != 0 || failed) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}
