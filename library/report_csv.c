/* report_csv.c - prints rows of JSON as CSV.
 *
 * Method: CSV is made of the same objects as JSON, so that no figure has two writers. Each row is
 * flattened into fields with names; the columns are the names of all rows, found before the first
 * line is printed. Fields of inner objects come last, so that the figures that all rows have keep
 * their places for all parameters.
 */
#include "library/report_parts.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 256 };

/* ---- fields ---- */

void report_print_csv_text(const char *text, FILE *out)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++)
        fprintf(out, *text == '"' ? "\"%c" : "%c", *text);
    fputc('"', out);
}

static void print_number(const json_t *value, FILE *out)
{
    if (json_is_integer(value))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        fprintf(out, "%.10g", json_real_value(value));
    else if (json_is_boolean(value))
        fputc(json_is_true(value) ? '1' : '0', out);
}

/* Prints an array of numbers as "4 5 6", any other as the number of its elements. */
static void print_array(const json_t *array, FILE *out)
{
    size_t i;
    json_t *element;
    bool is_plain = json_array_size(array) > 0;
    json_array_foreach(array, i, element) is_plain &= json_is_number(element);
    if (!is_plain)
        fprintf(out, "%zu", json_array_size(array));
    else
        json_array_foreach(array, i, element)
        {
            if (i > 0)
                fputc(' ', out);
            print_number(element, out);
        }
}

static void print_field(const json_t *value, FILE *out)
{
    if (json_is_string(value))
        report_print_csv_text(json_string_value(value), out);
    else if (json_is_array(value))
        print_array(value, out);
    else
        print_number(value, out);
}

/* ---- rows ---- */

struct field {
    char name[NAME_SIZE];
    const json_t *value;
};

/* The fields of a row, or the columns of all rows, whose values are not used. */
struct fields {
    size_t count, room;
    struct field *field;
    bool failed; /* for want of memory */
};

/* Returns the field of that name; `hint` is its place in most rows. NULL: none. */
static struct field *find_field(const struct fields *fields, const char *name, size_t hint)
{
    if (hint < fields->count && strcmp(fields->field[hint].name, name) == 0)
        return &fields->field[hint];
    for (size_t i = 0; i < fields->count; i++)
        if (strcmp(fields->field[i].name, name) == 0)
            return &fields->field[i];
    return NULL;
}

static void insert_field(struct fields *fields, size_t at, const char *name, const json_t *value)
{
    struct field *grown =
        memory_grow(fields->field, &fields->room, fields->count + 1, sizeof *grown);
    fields->failed |= grown == NULL;
    if (grown == NULL)
        return;
    fields->field = grown;
    struct field *field = grown + at;
    memmove(field + 1, field, (fields->count++ - at) * sizeof *field);
    snprintf(field->name, sizeof field->name, "%s", name);
    field->value = value;
}

/* Appends the fields of an object, whose keys follow `prefix`; inner objects are few levels
 * deep. */
static void flatten(const json_t *object, const char *prefix, struct fields *fields)
{
    const char *key;
    json_t *value;
    for (int is_inner = 0; is_inner < 2; is_inner++)
        json_object_foreach((json_t *)object, key, value)
        {
            char name[NAME_SIZE];
            snprintf(name, sizeof name, "%s%s%s", prefix, *prefix == '\0' ? "" : ".", key);
            if (json_is_object(value) != is_inner)
                continue;
            if (is_inner)
                flatten(value, name, fields);
            else
                insert_field(fields, fields->count, name, value);
        }
}

/* True if both are in the same object of a row, or both in none. */
static bool is_beside(const struct field *one, const struct field *other)
{
    size_t length = strcspn(one->name, "."), other_length = strcspn(other->name, ".");
    bool is_inner = one->name[length] != '\0', other_is_inner = other->name[other_length] != '\0';
    return is_inner == other_is_inner &&
           (!is_inner || (length == other_length && memcmp(one->name, other->name, length) == 0));
}

/* Returns the place of a new column for field `i` of a row: before the column of a later field of
 * the same object, else after all columns of that object, else at the end. */
static size_t column_place(const struct fields *columns, const struct fields *row, size_t i)
{
    size_t at = columns->count;
    for (size_t j = i + 1; j < row->count && is_beside(&row->field[i], &row->field[j]); j++) {
        const struct field *next = find_field(columns, row->field[j].name, j);
        if (next != NULL)
            return (size_t)(next - columns->field);
    }
    for (size_t j = 0; j < columns->count; j++)
        if (is_beside(&row->field[i], &columns->field[j]))
            at = j + 1;
    return at;
}

static void add_columns(struct fields *columns, const struct fields *row)
{
    for (size_t i = 0; i < row->count; i++)
        if (find_field(columns, row->field[i].name, i) == NULL)
            insert_field(columns, column_place(columns, row, i), row->field[i].name, NULL);
}

static const json_t *row_at(const json_t *rows, size_t row)
{
    return json_is_array(rows) ? json_array_get(rows, row) : rows;
}

/* Drops the column of a key that is an object in some rows and null in others. */
static void drop_null_objects(struct fields *columns)
{
    size_t kept = 0;
    for (size_t i = 0; i < columns->count; i++) {
        size_t length = strlen(columns->field[i].name);
        bool is_object = false;
        for (size_t j = 0; j < columns->count; j++)
            is_object |= strncmp(columns->field[j].name, columns->field[i].name, length) == 0 &&
                         columns->field[j].name[length] == '.';
        if (!is_object)
            columns->field[kept++] = columns->field[i];
    }
    columns->count = kept;
}

/* Begins with the fields outside of objects of the row that has most keys, since the row of a
 * refused run has few. */
static void find_columns(const json_t *rows, size_t count, struct fields *columns,
                         struct fields *fields)
{
    size_t fullest = 0, most = 0;
    for (size_t row = 0; row < count; row++) {
        size_t keys = json_object_size(row_at(rows, row));
        fullest = keys > most ? row : fullest;
        most = keys > most ? keys : most;
    }
    for (size_t row = 0; row <= count; row++) {
        fields->count = 0;
        flatten(row_at(rows, row == 0 ? fullest : row - 1), "", fields);
        while (row == 0 && fields->count > 0 &&
               strchr(fields->field[fields->count - 1].name, '.') != NULL)
            fields->count--;
        add_columns(columns, fields);
    }
    drop_null_objects(columns);
}

static void print_head(const struct fields *columns, FILE *out)
{
    for (size_t i = 0; i < columns->count; i++) {
        fputs(i > 0 ? "," : "", out);
        report_print_csv_text(columns->field[i].name, out);
    }
    fputs("\r\n", out);
}

static void print_row(const struct fields *columns, const struct fields *fields, FILE *out)
{
    for (size_t i = 0; i < columns->count; i++) {
        const struct field *field = find_field(fields, columns->field[i].name, i);
        fputs(i > 0 ? "," : "", out);
        if (field != NULL)
            print_field(field->value, out);
    }
    fputs("\r\n", out);
}

enum failure_kind report_print_csv(const json_t *rows, FILE *out, struct failure *failure)
{
    struct fields columns = {0}, fields = {0};
    size_t count = json_is_array(rows) ? json_array_size(rows) : 1;
    find_columns(rows, count, &columns, &fields);
    if (!columns.failed && !fields.failed)
        print_head(&columns, out);
    for (size_t row = 0; row < count && !columns.failed && !fields.failed; row++) {
        fields.count = 0;
        flatten(row_at(rows, row), "", &fields);
        print_row(&columns, &fields, out);
    }
    if (columns.failed || fields.failed)
        fail_memory(failure, "the CSV result");
    free(columns.field);
    free(fields.field);
    return failure->kind;
}
