/* results_grid.c - writes a table of results as text, Markdown, CSV or JSON.
 *
 * Method: one table of columns says what a column is called, how its numbers look and whom it is
 * for; the four writers go over the same cells. People get rounded figures, programs all digits.
 */
#include "results/results_grid.h"

#include "library/report.h"
#include "library/report_form.h"

#include <math.h>
#include <string.h>

enum { TEXT_SIZE = 64 };

/* The cells and the columns are one piece of memory, which begins with the cells. */
bool results_grid_make(struct grid *grid, uint32_t columns, size_t rows,
                       struct grid_column **column)
{
    struct grid_cell *cell =
        memory_allocate(1, rows * columns * sizeof *cell + columns * sizeof **column);
    if (cell == NULL)
        return false;
    *column = (struct grid_column *)(void *)(cell + rows * columns);
    *grid = (struct grid){.column = *column, .columns = columns, .cell = cell};
    return true;
}

/* The first column from `column` on that the audience sees, or the number of columns. */
static uint32_t next_for(const struct grid *grid, uint32_t column, enum grid_audience audience)
{
    while (column < grid->columns && grid->column[column].audience != GRID_ALL &&
           grid->column[column].audience != audience)
        column++;
    return column;
}

/* Goes through the columns that the audience sees. */
#define EACH_COLUMN(i, grid, audience)                                                             \
    uint32_t i = next_for(grid, 0, audience);                                                      \
    i < (grid)->columns;                                                                           \
    i = next_for(grid, i + 1, audience)

static const struct grid_cell *cell_at(const struct grid *grid, uint32_t row, uint32_t column)
{
    return &grid->cell[(size_t)row * grid->columns + column];
}

/* The cell as people read it; `text` may hold it. */
static const char *show(const struct grid_column *column, const struct grid_cell *cell,
                        char text[TEXT_SIZE])
{
    static const int decimals[] = {[GRID_COUNT] = 0, [GRID_RATIO] = 2, [GRID_EXPONENT] = 3};
    if (column->kind == GRID_TEXT)
        return cell->text;
    if (isnan(cell->number))
        return "-";
    if (column->kind == GRID_DIGITS) {
        snprintf(text, TEXT_SIZE, "%.6g", cell->number);
        return text;
    }
    /* the median of an even number of counts may be a half */
    bool is_half = column->kind == GRID_COUNT && cell->number != floor(cell->number);
    snprintf(text, TEXT_SIZE, "%.*f", is_half ? 1 : decimals[column->kind], cell->number);
    return text;
}

/* The characters of a text in UTF-8: its bytes but for those that go on with a character. */
static int length_of(const char *text)
{
    int length = 0;
    for (; *text != '\0'; text++)
        length += ((unsigned char)*text & 0xc0) != 0x80;
    return length;
}

static int width_of(const struct grid *grid, uint32_t column)
{
    char text[TEXT_SIZE];
    int width = length_of(grid->column[column].heading);
    for (uint32_t row = 0; row < grid->rows; row++) {
        int length = length_of(show(&grid->column[column], cell_at(grid, row, column), text));
        width = length > width ? length : width;
    }
    return width;
}

static void print_padded(const char *text, const struct grid_column *column, int width, FILE *out)
{
    int pad = width > length_of(text) ? width - length_of(text) : 0;
    bool is_left = column->kind == GRID_TEXT;
    fprintf(out, "%*s%s%*s", is_left ? 0 : pad, "", text, is_left ? pad : 0, "");
}

/* Text that Markdown shows as it is: a name may hold what would part cells, or begin a tag, a link,
 * code or emphasis. */
static void print_escaped(const char *text, FILE *out)
{
    for (; *text != '\0'; text++)
        fprintf(out, strchr("\\|<[`*", *text) == NULL ? "%c" : "\\%c", *text);
}

void grid_print_text(const struct grid *grid, FILE *out)
{
    char heading[1024] = "", text[TEXT_SIZE];
    size_t used = 0;
    for (EACH_COLUMN(i, grid, GRID_PEOPLE))
        if (used < sizeof heading)
            used +=
                (size_t)snprintf(heading + used, sizeof heading - used,
                                 grid->column[i].kind == GRID_TEXT ? "%s%-*s" : "%s%*s",
                                 used == 0 ? "" : "  ", width_of(grid, i), grid->column[i].heading);
    for (used = strlen(heading); used > 0 && heading[used - 1] == ' ';)
        heading[--used] = '\0';
    report_print_heading(heading, out);
    int width[64];
    for (uint32_t i = 0; i < grid->columns; i++)
        width[i] = width_of(grid, i);
    for (uint32_t row = 0; row < grid->rows; row++) {
        const char *gap = "";
        for (EACH_COLUMN(i, grid, GRID_PEOPLE)) {
            fputs(gap, out);
            bool is_last = next_for(grid, i + 1, GRID_PEOPLE) == grid->columns;
            print_padded(show(&grid->column[i], cell_at(grid, row, i), text), &grid->column[i],
                         is_last && grid->column[i].kind == GRID_TEXT ? 0 : width[i], out);
            gap = "  ";
        }
        fputc('\n', out);
    }
}

void grid_print_markdown(const struct grid *grid, FILE *out)
{
    char text[TEXT_SIZE];
    fputc('|', out);
    for (EACH_COLUMN(i, grid, GRID_PEOPLE))
        fprintf(out, " %s |", grid->column[i].heading);
    fputs("\n|", out);
    for (EACH_COLUMN(i, grid, GRID_PEOPLE))
        fputs(grid->column[i].kind == GRID_TEXT ? "---|" : "---:|", out);
    fputc('\n', out);
    for (uint32_t row = 0; row < grid->rows; row++) {
        fputc('|', out);
        for (EACH_COLUMN(i, grid, GRID_PEOPLE)) {
            fputc(' ', out);
            print_escaped(show(&grid->column[i], cell_at(grid, row, i), text), out);
            fputs(" |", out);
        }
        fputc('\n', out);
    }
}

void grid_print_csv(const struct grid *grid, FILE *out)
{
    const char *gap = "";
    for (EACH_COLUMN(i, grid, GRID_PROGRAMS)) {
        fprintf(out, "%s%s", gap, grid->column[i].name);
        gap = ",";
    }
    fputs("\r\n", out);
    for (uint32_t row = 0; row < grid->rows; row++) {
        gap = "";
        for (EACH_COLUMN(i, grid, GRID_PROGRAMS)) {
            const struct grid_cell *cell = cell_at(grid, row, i);
            fputs(gap, out);
            if (grid->column[i].kind == GRID_TEXT)
                report_print_csv_text(cell->text, out);
            else if (!isnan(cell->number))
                fprintf(out, "%.10g", cell->number);
            gap = ",";
        }
        fputs("\r\n", out);
    }
}

static json_t *cell_json(const struct grid_column *column, const struct grid_cell *cell)
{
    if (column->kind == GRID_TEXT)
        return report_json_text(cell->text);
    if (isnan(cell->number))
        return json_null();
    if (column->kind == GRID_COUNT && cell->number == floor(cell->number))
        return json_integer((json_int_t)cell->number);
    return json_real(cell->number);
}

json_t *grid_json(const struct grid *grid)
{
    json_t *array = json_array();
    for (uint32_t row = 0; row < grid->rows; row++) {
        json_t *object = json_object();
        bool failed = object == NULL;
        for (EACH_COLUMN(i, grid, GRID_PROGRAMS))
            failed |= json_object_set_new(object, grid->column[i].name,
                                          cell_json(&grid->column[i], cell_at(grid, row, i))) != 0;
        if (json_array_append_new(array, object) != 0 || failed) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}
