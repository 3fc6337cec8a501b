/* table.c - prints results for people: texts with figures in them, a line per figure, a row per
 * result.
 *
 * Method: one table of figures has the name, the format and the readers of each; all writers go
 * over the same JSON. People get rounded figures, programs all digits. A text in brackets is
 * processed twice, first without output, to see if all its figures have values.
 *
 * Only a heading is ever bold, and that only on a terminal.
 */
#include "library/table.h"

#include "base/printable.h"
#include "library/report_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_SIZE = 64, KEY_SIZE = 64, FIGURE_WIDTH = 12, LEAST_LABEL_WIDTH = 20 };

const struct figure *figures_at(const struct figures *figures, uint32_t index)
{
    for (uint32_t part = 0; part < FIGURE_PARTS && figures->part[part] != NULL; part++)
        for (const struct figure *figure = figures->part[part]; figure->key != NULL; figure++)
            if (index-- == 0)
                return figure;
    return NULL;
}

const json_t *figures_find(const json_t *result, const char *path)
{
    while (result != NULL && *path != '\0') {
        char key[KEY_SIZE];
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        bool is_index = length > 0 && length < 10 && strspn(path, "0123456789") == length;
        if (json_is_array(result))
            result = is_index ? json_array_get(result, strtoul(key, NULL, 10)) : NULL;
        else
            result = json_object_get(result, key);
        path += length + (path[length] == '.');
    }
    return result;
}

/* ---- values ---- */

static bool has_value(const json_t *value)
{
    if (json_is_string(value))
        return *json_string_value(value) != '\0';
    if (json_is_number(value))
        return json_number_value(value) != 0;
    return json_is_true(value) || json_object_size(value) > 0 || json_array_size(value) > 0;
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

/* Returns a value for people, a dash for none; `text` may hold it. */
static const char *show(const json_t *value, enum figure_kind kind, char text[TEXT_SIZE])
{
    static const int decimals[] = {
        [FIGURE_COUNT] = 0, [FIGURE_RATIO] = 2, [FIGURE_EXPONENT] = 3, [FIGURE_SHARE] = 6};
    if (kind == FIGURE_TEXT || json_is_string(value))
        return text_of(value, text);
    double number = number_of(value);
    if (isnan(number))
        return "-";
    /* the median of an even number of counts may be a half */
    bool is_half = kind == FIGURE_COUNT && number != floor(number);
    if (kind == FIGURE_COUNT && json_is_integer(value))
        return text_of(value, text);
    if (kind == FIGURE_DIGITS)
        snprintf(text, TEXT_SIZE, "%.6g", number);
    else
        snprintf(text, TEXT_SIZE, "%.*f", is_half ? 1 : decimals[kind], number);
    return text;
}

/* ---- destinations of texts ---- */

/* A file, memory, or neither: then only lengths are of interest. */
struct sink {
    FILE *out;    /* or NULL */
    char *memory; /* or NULL; large enough */
    size_t bytes;
    int width; /* characters */
};

static void put_bytes(struct sink *sink, const char *bytes, size_t count)
{
    if (sink->out != NULL)
        fwrite(bytes, 1, count, sink->out);
    if (sink->memory != NULL)
        memcpy(sink->memory + sink->bytes, bytes, count);
    sink->bytes += count;
    for (size_t i = 0; i < count; i++) /* in UTF-8 other bytes continue a character */
        sink->width += ((unsigned char)bytes[i] & 0xc0) != 0x80;
}

/* Puts a string as printable_make() makes it. */
static void put_string(struct sink *sink, const char *string)
{
    while (*string != '\0') {
        size_t bytes = printable_bytes(string);
        put_bytes(sink, bytes == 0 ? "?" : string, bytes == 0 ? 1 : bytes);
        string += bytes == 0 ? 1 : bytes;
    }
}

static void put_format(struct sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put_format(struct sink *sink, const char *format, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_bytes(sink, text, strlen(text));
}

static int width_of(const char *string)
{
    struct sink sink = {0};
    put_string(&sink, string);
    return sink.width;
}

/* ---- memory ---- */

static _Thread_local bool is_short;

bool table_is_short(void)
{
    bool was_short = is_short;
    is_short = false;
    return was_short;
}

/* True if there is a result to print: NULL is one for which there was no memory. */
static bool is_there(const json_t *result)
{
    is_short |= result == NULL;
    return result != NULL;
}

/* ---- texts with figures in them ---- */

/* Puts "1 node", "7 nodes", "0 copies". */
static void put_noun(struct sink *sink, json_int_t number, const char *noun)
{
    size_t length = strlen(noun);
    bool is_plural = number != 1;
    bool ends_in_y = length > 1 && noun[length - 1] == 'y' && !strchr("aeiou", noun[length - 2]);
    put_format(sink, "%" JSON_INTEGER_FORMAT " %.*s%s", number,
               (int)(length - (ends_in_y && is_plural)), noun,
               !is_plural  ? ""
               : ends_in_y ? "ies"
                           : "s");
}

static void put_value(struct sink *sink, const json_t *value, const char *format)
{
    const char *key, *separator = "";
    json_t *inner;
    size_t i;
    if (json_is_object(value)) {
        json_object_foreach((json_t *)value, key, inner)
        {
            put_string(sink, separator);
            put_string(sink, key);
            put_string(sink, "=");
            put_value(sink, inner, "");
            separator = ", ";
        }
    } else if (json_is_array(value)) {
        json_array_foreach(value, i, inner)
        {
            put_string(sink, i == 0 ? "" : " x ");
            put_value(sink, inner, "");
        }
    } else if (json_is_string(value))
        put_string(sink, json_string_value(value));
    else if (*format == '.')
        put_format(sink, "%.*f", format[1] - '0', number_of(value));
    else if (*format != '\0')
        put_noun(sink, json_integer_value(value), format);
    else if (json_is_integer(value))
        put_format(sink, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        put_format(sink, "%.6g", json_real_value(value));
}

/* True if a condition is met. */
static bool holds(const json_t *value, char condition, const char *operand)
{
    char text[TEXT_SIZE];
    if (condition == '>')
        return number_of(value) > strtod(operand, NULL);
    return strcmp(text_of(value, text), operand) == 0;
}

/* Puts a text in braces; false: it has no value, or its condition is not met. */
static bool put_figure(struct sink *sink, const json_t *result, const char *text, size_t length)
{
    char key[KEY_SIZE], condition;
    snprintf(key, sizeof key, "%.*s", (int)length, text);
    if (*key == '!' || *key == '?')
        return has_value(figures_find(result, key + 1)) == (*key == '?');
    size_t end = strcspn(key, ":=>/%");
    const char *operand = key[end] == '\0' ? "" : key + end + 1;
    condition = key[end];
    key[end] = '\0';
    const json_t *value = figures_find(result, key);
    if (condition == '=' || condition == '>')
        return holds(value, condition, operand);
    if (condition == '/' || condition == '%') {
        json_int_t by = json_integer_value(figures_find(result, operand));
        json_int_t number = json_integer_value(value);
        if (by != 0)
            put_format(sink, "%" JSON_INTEGER_FORMAT, condition == '/' ? number / by : number % by);
        return by != 0;
    }
    put_value(sink, value, operand);
    return has_value(value);
}

/* Puts a text; false: some figure outside of brackets has no value. */
static bool put_text(struct sink *sink, const json_t *result, const char *text, const char *end)
{
    bool is_whole = true;
    while (text < end) {
        char open = *text;
        const char *close = open == '{'   ? memchr(text, '}', (size_t)(end - text))
                            : open == '[' ? memchr(text, ']', (size_t)(end - text))
                                          : NULL;
        struct sink nowhere = {0};
        if (close == NULL)
            put_bytes(sink, text, 1);
        else if (open == '{')
            is_whole &= put_figure(sink, result, text + 1, (size_t)(close - text - 1));
        else if (put_text(&nowhere, result, text + 1, close))
            put_text(sink, result, text + 1, close);
        text = close == NULL ? text + 1 : close + 1;
    }
    return is_whole;
}

/* Puts a text with its figures, NULL is none; returns its width. */
static int put_all(struct sink sink, const json_t *result, const char *text)
{
    if (text != NULL)
        put_text(&sink, result, text, text + strlen(text));
    return sink.width;
}

void figures_print_text(const json_t *result, const char *text, FILE *out)
{
    if (is_there(result))
        put_all((struct sink){.out = out}, result, text);
}

json_t *figures_text(const json_t *result, const char *text)
{
    struct sink sink = {0};
    put_text(&sink, result, text, text + strlen(text));
    size_t bytes = sink.bytes;
    sink = (struct sink){.memory = memory_allocate(bytes + 1, 1)};
    if (sink.memory == NULL)
        return NULL;
    put_text(&sink, result, text, text + strlen(text));
    json_t *value = json_stringn(sink.memory, bytes);
    free(sink.memory);
    return value;
}

/* Begins a heading; returns the text that ends it. */
static const char *begin_heading(FILE *out)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool is_plain = isatty(fileno(out)) != 1 || (no_color != NULL && *no_color != '\0') ||
                    terminal == NULL || strcmp(terminal, "dumb") == 0;
    fputs(is_plain ? "" : "\033[1m", out);
    return is_plain ? "\n" : "\033[0m\n";
}

void report_print_heading(const char *text, FILE *out)
{
    const char *end = begin_heading(out);
    fprintf(out, "%s%s", text, end);
}

void figures_print_heading(const json_t *result, const char *text, FILE *out)
{
    const char *end = begin_heading(out);
    figures_print_text(result, text, out);
    fputs(end, out);
}

/* ---- a line per figure ---- */

static bool is_line(const struct figure *figure, const json_t *result)
{
    const json_t *value = figures_find(result, figure->key);
    bool is_for_lines = figure->audience == FIGURE_ALL || figure->audience == FIGURE_PEOPLE ||
                        figure->audience == FIGURE_LINE;
    return value != NULL && !json_is_null(value) && is_for_lines &&
           (figure->label != NULL || figure->note != NULL);
}

static const char *phase_name(const json_t *phases, size_t index)
{
    return json_string_value(json_object_get(json_array_get(phases, index), "name"));
}

static json_int_t phase_steps(const json_t *phases, size_t index)
{
    return json_integer_value(json_object_get(json_array_get(phases, index), "steps"));
}

/* Prints the phases of one name as one line with the number of times that they ran, at the place of
 * the first of them. */
static void print_phases(const json_t *phases, int width, FILE *out)
{
    json_int_t all = 0;
    for (size_t i = 0; i < json_array_size(phases); i++)
        all += phase_steps(phases, i);
    for (size_t first = 0; first < json_array_size(phases); first++) {
        const char *name = phase_name(phases, first);
        json_int_t steps = 0;
        uint32_t times = 0, before = 0;
        for (size_t i = 0; i < json_array_size(phases); i++)
            if (strcmp(phase_name(phases, i), name) == 0) {
                before += i < first;
                steps += phase_steps(phases, i);
                times++;
            }
        if (before > 0)
            continue;
        fprintf(out, "    %-*s %*" JSON_INTEGER_FORMAT "   %5.1f %%", width - 2, name, FIGURE_WIDTH,
                steps, all == 0 ? 0 : 100.0 * (double)steps / (double)all);
        if (times > 1)
            fprintf(out, "   %" PRIu32 " times", times);
        fputc('\n', out);
    }
}

static void print_each(const struct figure *figure, const json_t *array, FILE *out)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        fprintf(out, "    %zu: ", i + 1);
        figures_print_text(json_array_get(array, i), figure->note, out);
        fputc('\n', out);
    }
}

/* Prints an array: its label, and a line for each element. */
static void print_array(const struct figure *figure, const json_t *array, int width, FILE *out)
{
    if (json_array_size(array) == 0)
        return;
    if (figure->kind == FIGURE_PHASES) {
        fprintf(out, "  %s\n", figure->label);
        print_phases(array, width, out);
    } else {
        fprintf(out, "  %-*s %*zu\n", width, figure->label, FIGURE_WIDTH, json_array_size(array));
        print_each(figure, array, out);
    }
}

static void print_line(const struct figure *figure, const json_t *result, int width, FILE *out)
{
    char text[TEXT_SIZE];
    struct sink sink = {.out = out};
    const json_t *value = figures_find(result, figure->key);
    if (figure->kind == FIGURE_PHASES || figure->kind == FIGURE_EACH) {
        print_array(figure, value, width, out);
        return;
    }
    fputs(figure->label == NULL ? "    " : "  ", out);
    if (figure->label != NULL) {
        int used = put_all(sink, result, figure->label);
        fprintf(out, "%*s ", width - used, "");
        if (figure->kind == FIGURE_TEXT)
            put_value(&sink, value, "");
        else
            fprintf(out, "%*s", FIGURE_WIDTH, show(value, figure->kind, text));
        if (put_all((struct sink){0}, result, figure->note) > 0)
            fputs("   ", out);
    }
    put_all(sink, result, figure->note);
    fputc('\n', out);
}

/* Returns the characters that a figure's name needs. */
static int line_width(const struct figure *figure, const json_t *result)
{
    const json_t *value = figures_find(result, figure->key);
    int width = put_all((struct sink){0}, result, figure->label);
    for (size_t i = 0; figure->kind == FIGURE_PHASES && i < json_array_size(value); i++) {
        int length = (int)strlen(phase_name(value, i)) + 2;
        width = length > width ? length : width;
    }
    return width;
}

void figures_print(const struct figures *figures, const json_t *result, FILE *out)
{
    int width = LEAST_LABEL_WIDTH;
    const struct figure *figure;
    if (!is_there(result))
        return;
    for (uint32_t i = 0; (figure = figures_at(figures, i)) != NULL; i++) {
        int needed = is_line(figure, result) ? line_width(figure, result) : 0;
        width = needed > width ? needed : width;
    }
    for (uint32_t i = 0; (figure = figures_at(figures, i)) != NULL; i++)
        if (is_line(figure, result))
            print_line(figure, result, width, out);
}

/* ---- rows ---- */

bool table_varies(const struct table *table, const char *key)
{
    const json_t *rows = table->rows;
    const json_t *first = json_object_get(json_array_get(rows, 0), key);
    for (size_t i = 1; i < json_array_size(rows) && first != NULL; i++)
        if (!json_equal(first, json_object_get(json_array_get(rows, i), key)))
            return true;
    return false;
}

/* True if some row has the figure, even null, or there are no rows yet. */
static bool is_known(const struct table *table, const char *key)
{
    size_t rows = json_array_size(table->rows), row = 0;
    while (row < rows && figures_find(json_array_get(table->rows, row), key) == NULL)
        row++;
    return rows == 0 || row < rows;
}

static bool is_column(const struct table *table, const struct figure *figure, bool by_people)
{
    if (by_people && (figure->label == NULL || !is_known(table, figure->key)))
        return false;
    switch (figure->audience) {
    case FIGURE_PEOPLE:
        return by_people;
    case FIGURE_PROGRAMS:
    case FIGURE_LINE:
        return !by_people;
    case FIGURE_VARIED:
        return !by_people || table_varies(table, figure->key);
    case FIGURE_SEVERAL:
        return !by_people || table->is_several;
    case FIGURE_SINGLE:
        return by_people && !table->is_several;
    default:
        return true;
    }
}

static bool has_column(const struct table_stream *view, const char *key)
{
    for (uint32_t i = 0; i < view->columns; i++)
        if (strcmp(view->column[i].key, key) == 0)
            return true;
    return false;
}

/* Chooses the columns. People may know a figure by two names; programs have its key once. */
static void choose_columns(struct table_stream *view, const struct table *table, bool by_people)
{
    const struct figure *figure;
    view->columns = 0;
    for (uint32_t i = 0; (figure = figures_at(table->figures, i)) != NULL; i++)
        if (is_column(table, figure, by_people) && (by_people || !has_column(view, figure->key)))
            view->column[view->columns++] = *figure;
}

static const json_t *cell(const struct table_stream *view, const json_t *row, uint32_t column)
{
    return figures_find(row, view->column[column].key);
}

/* Prints a cell with a gap before it unless it is the first; no blanks follow the last one. */
static void print_padded(const struct table_stream *view, uint32_t column, const char *text,
                         FILE *out)
{
    struct sink sink = {.out = out};
    int pad = view->width[column] - width_of(text);
    bool is_left = view->column[column].kind == FIGURE_TEXT;
    bool is_last = column + 1 == view->columns;
    if (is_last && *text == '\0')
        return;
    fprintf(out, "%s%*s", column == 0 ? "" : "  ", is_left || pad < 0 ? 0 : pad, "");
    put_string(&sink, text);
    fprintf(out, "%*s", is_left && !is_last && pad > 0 ? pad : 0, "");
}

static void find_widths(struct table_stream *view, const json_t *rows)
{
    char text[TEXT_SIZE];
    for (uint32_t i = 0; i < view->columns; i++) {
        view->width[i] = width_of(view->column[i].label);
        for (size_t row = 0; row < json_array_size(rows); row++) {
            int length = width_of(
                show(cell(view, json_array_get(rows, row), i), view->column[i].kind, text));
            view->width[i] = length > view->width[i] ? length : view->width[i];
        }
    }
}

static void print_headings(const struct table_stream *view, FILE *out)
{
    const char *end = begin_heading(out);
    for (uint32_t i = 0; i < view->columns; i++)
        print_padded(view, i, view->column[i].label, out);
    fputs(end, out);
}

void table_begin(struct table_stream *stream, const struct table *table, int width, FILE *out)
{
    enum { NUMBER_WIDTH = 8 };
    *stream = (struct table_stream){.out = out};
    choose_columns(stream, table, true);
    find_widths(stream, table->rows);
    for (uint32_t i = 0; i < stream->columns; i++) {
        bool is_number = stream->column[i].kind != FIGURE_TEXT;
        int least = i == 0 && !is_number                             ? width
                    : is_number && json_array_size(table->rows) == 0 ? NUMBER_WIDTH
                                                                     : 0;
        stream->width[i] = least > stream->width[i] ? least : stream->width[i];
    }
    print_headings(stream, out);
    fflush(out);
}

static void print_row(const struct table_stream *view, const json_t *row, FILE *out)
{
    char text[TEXT_SIZE];
    for (uint32_t i = 0; i < view->columns; i++)
        print_padded(view, i, show(cell(view, row, i), view->column[i].kind, text), out);
    fputc('\n', out);
}

void table_add(const struct table_stream *stream, const json_t *row)
{
    if (is_there(row))
        print_row(stream, row, stream->out);
    fflush(stream->out);
}

void table_print_text(const struct table *table, FILE *out)
{
    struct table_stream view;
    if (!is_there(table->rows))
        return;
    choose_columns(&view, table, true);
    find_widths(&view, table->rows);
    print_headings(&view, out);
    for (size_t row = 0; row < json_array_size(table->rows); row++)
        print_row(&view, json_array_get(table->rows, row), out);
}

/* Prints a text so that Markdown shows it as it is: a name may hold characters that separate cells,
 * or begin a tag, a link, code or emphasis. */
static void print_escaped(const char *text, FILE *out)
{
    for (; *text != '\0'; text++)
        fprintf(out, strchr("\\|<[`*", *text) == NULL ? "%c" : "\\%c", *text);
}

void table_print_markdown(const struct table *table, FILE *out)
{
    struct table_stream view;
    char text[TEXT_SIZE];
    choose_columns(&view, table, true);
    fputc('|', out);
    for (uint32_t i = 0; i < view.columns; i++)
        fprintf(out, " %s |", view.column[i].label);
    fputs("\n|", out);
    for (uint32_t i = 0; i < view.columns; i++)
        fputs(view.column[i].kind == FIGURE_TEXT ? "---|" : "---:|", out);
    for (size_t row = 0; row < json_array_size(table->rows); row++) {
        fputs("\n|", out);
        for (uint32_t i = 0; i < view.columns; i++) {
            fputc(' ', out);
            print_escaped(
                show(cell(&view, json_array_get(table->rows, row), i), view.column[i].kind, text),
                out);
            fputs(" |", out);
        }
    }
    fputc('\n', out);
}

static json_t *cell_json(enum figure_kind kind, const json_t *value)
{
    char text[TEXT_SIZE];
    double number = number_of(value);
    if (kind == FIGURE_TEXT)
        return json_string(text_of(value, text));
    if (isnan(number))
        return json_null();
    if (kind == FIGURE_COUNT && number == floor(number))
        return json_integer((json_int_t)number);
    return json_real(number);
}

json_t *table_json(const struct table *table)
{
    struct table_stream view;
    json_t *array = json_array();
    choose_columns(&view, table, false);
    for (size_t row = 0; row < json_array_size(table->rows); row++) {
        struct report_object object = report_object_open();
        for (uint32_t i = 0; i < view.columns; i++)
            report_set(
                &object, view.column[i].key,
                cell_json(view.column[i].kind, cell(&view, json_array_get(table->rows, row), i)));
        report_append(&array, report_object_close(&object));
    }
    return array;
}

void table_print_csv(const struct table *table, FILE *out)
{
    struct table_stream view;
    char text[TEXT_SIZE];
    choose_columns(&view, table, false);
    for (uint32_t i = 0; i < view.columns; i++)
        fprintf(out, "%s%s", i == 0 ? "" : ",", view.column[i].key);
    fputs("\r\n", out);
    for (size_t row = 0; row < json_array_size(table->rows); row++) {
        for (uint32_t i = 0; i < view.columns; i++) {
            const json_t *value = cell(&view, json_array_get(table->rows, row), i);
            fputs(i == 0 ? "" : ",", out);
            if (view.column[i].kind == FIGURE_TEXT)
                report_print_csv_text(text_of(value, text), out);
            else if (!isnan(number_of(value)))
                fprintf(out, "%.10g", number_of(value));
        }
        fputs("\r\n", out);
    }
}
