/* timed_table.c - messages with times as a table with named columns, a message per line.
 *
 * Grammar: fields as in base/fields.h; the first line has the names of columns, in any order and
 * case: `source`, `destination` or `destinations`, and `cycle`; perhaps `flits` or `bytes`, `id`,
 * `after`, `delay`. Several nodes, or ids in `after`, are separated by blanks or ';'. Other columns
 * are left out with a note. Blank lines and lines that begin with # or % may stand anywhere. A
 * message with ids in `after` starts `delay` cycles after its source has these messages, another
 * one in its cycle. Without `id` messages are numbered from 0.
 * Cost: one look at each byte.
 */
#include "workloads/timed_list.h"

#include "base/fields.h"
#include "base/numbers.h"
#include "base/text_scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum column { CYCLE, SOURCE, DESTINATIONS, FLITS, BYTES, ID, AFTER, DELAY, COLUMNS };

static const char *const NAMES[COLUMNS] = {"cycle", "source", "destination", "flits",
                                           "bytes", "id",     "after",       "delay"};

enum { FIELDS_MOST = 256 };

struct table {
    struct timed_list *list;
    struct failure *failure;
    struct byte_line line;
    char separator;
    unsigned fields;
    unsigned char column_of[FIELDS_MOST]; /* of each field of a line: an enum column, or COLUMNS */
    bool has[COLUMNS];
    struct field field[COLUMNS]; /* of the current line; empty if it has none */
    uint64_t unused_cycles;      /* messages that wait and have a cycle */
};

/* ---- lines and cells ---- */

/* Reads the next line with content, including blanks before it: the first cell may be empty. */
static enum failure_kind next_line(struct byte_source *source, struct table *table)
{
    struct byte_line *line = &table->line;
    for (;;) {
        enum failure_kind kind = byte_source_line(source, line, table->failure);
        if (kind != FAIL_NONE || line->text == NULL)
            return kind;
        const char *content = scan_blanks(line->text, line->end);
        if (content < line->end && *content != '#' && *content != '%')
            return FAIL_NONE;
    }
}

/* Reads the next cell of the line. Unlike in lists of edges, where tabs may be blanks that align
 * columns, a cell between two tabs is empty. */
static bool next_cell(const struct table *table, struct field *field, const char **at)
{
    const char *cell = *at, *end = table->line.end;
    if (table->separator != '\t')
        return field_next(field, table->separator, at, end);
    if (cell >= end)
        return false;
    const char *tab = memchr(cell, '\t', (size_t)(end - cell));
    if (!field_next(field, '\t', &cell, tab != NULL ? tab : end))
        *field = (struct field){*at, 0};
    *at = tab != NULL ? tab + 1 : end;
    return true;
}

/* ---- the names of columns ---- */

static enum column column_named(const struct field *field)
{
    for (int i = 0; i < COLUMNS; i++)
        if (field_equals(field, NAMES[i]))
            return (enum column)i;
    return field_equals(field, "destinations") ? DESTINATIONS : COLUMNS;
}

/* Returns the columns that a line names, a bit each. */
static unsigned columns_of(const struct byte_line *line)
{
    struct field field;
    unsigned seen = 0;
    char separator = field_separator(line);
    for (const char *at = line->text; field_next(&field, separator, &at, line->end);)
        seen |= 1U << column_named(&field);
    return seen;
}

bool timed_table_begins(const char *text, size_t length)
{
    const char *end = text + length;
    for (struct byte_line line; text < end; text = line.end + 1) {
        line.text = scan_blanks(text, end);
        line.end = line.text;
        while (line.end < end && *line.end != '\n' && *line.end != '\r')
            line.end++;
        if (line.text == line.end || *line.text == '#' || *line.text == '%')
            continue;
        unsigned seen = columns_of(&line);
        return (seen & 1U << CYCLE) && (seen & (1U << SOURCE | 1U << DESTINATIONS));
    }
    return false;
}

/* Reads the line of names. */
static enum failure_kind read_names(struct table *table)
{
    const struct byte_line *line = &table->line;
    char others[IMPORT_NOTE_SIZE] = "";
    size_t used = 0;
    struct field field;
    table->separator = field_separator(line);
    for (const char *at = line->text;
         table->fields < FIELDS_MOST && next_cell(table, &field, &at);) {
        enum column column = column_named(&field);
        table->column_of[table->fields++] = (unsigned char)column;
        if (column == COLUMNS && used + field.length + 32 < sizeof others)
            used += (size_t)snprintf(others + used, sizeof others - used, "%s '%.*s'",
                                     used > 0 ? "," : "", (int)field.length, field.text);
        if (column == COLUMNS)
            continue;
        if (table->has[column])
            return scan_refuse(line, table->failure, "expected one column '%s', found two",
                               NAMES[column]);
        table->has[column] = true;
    }
    for (int i = CYCLE; i <= DESTINATIONS; i++)
        if (!table->has[i])
            return scan_refuse(line, table->failure,
                               "expected names of columns, 'cycle', 'source' and 'destination' "
                               "among them, found no '%s'; for a list of edges give --format edges",
                               NAMES[i]);
    if (table->has[FLITS] && table->has[BYTES])
        return scan_refuse(line, table->failure, "expected 'flits' or 'bytes', found both");
    if (table->has[DELAY] && !table->has[AFTER])
        return scan_refuse(line, table->failure,
                           "expected 'after' with 'delay', the cycles from then on, found none");
    if (used > 0)
        import_note(&table->list->notes, "columns%s were left out", others);
    return FAIL_NONE;
}

/* ---- messages ---- */

/* Fails: the column has something unexpected. */
static enum failure_kind fail_column(const struct table *table, enum column column,
                                     const char *expected)
{
    const struct field *field = &table->field[column];
    if (field->length == 0)
        return scan_refuse(&table->line, table->failure,
                           "expected %s in column '%s', found nothing", expected, NAMES[column]);
    return scan_refuse(&table->line, table->failure, "expected %s in column '%s', found '%.*s'",
                       expected, NAMES[column], (int)min_u64(field->length, 40), field->text);
}

/* True if the character separates the numbers of one column. */
static bool is_between(char c)
{
    return scan_is_blank(c) || c == ';';
}

/* Reads a number of the column from *at on, and its separator from the next one. */
static enum failure_kind take_number(const struct table *table, enum column column, const char **at,
                                     uint64_t least, uint64_t most, uint64_t *number)
{
    char what[64];
    const struct field *field = &table->field[column];
    struct byte_line word = table->line;
    word.end = *at;
    while (word.end < field->text + field->length && !is_between(*word.end))
        word.end++;
    snprintf(what, sizeof what, "in column '%s' a number", NAMES[column]);
    if (scan_number(&word, at, what, least, most, number, table->failure) != FAIL_NONE)
        return table->failure->kind;
    for (*at = word.end; *at < field->text + field->length && is_between(**at);)
        ++*at;
    return FAIL_NONE;
}

/* Reads the only number of a column. */
static enum failure_kind read_number(const struct table *table, enum column column, uint64_t least,
                                     uint64_t most, uint64_t *number)
{
    const char *at = table->field[column].text;
    if (table->field[column].length == 0)
        return fail_column(table, column, "a number");
    if (take_number(table, column, &at, least, most, number) != FAIL_NONE)
        return table->failure->kind;
    return at == table->field[column].text + table->field[column].length
               ? FAIL_NONE
               : fail_column(table, column, "one number");
}

static enum failure_kind read_start(struct table *table, struct timed_message *message)
{
    bool waits = table->field[AFTER].length > 0;
    enum column column = waits ? DELAY : CYCLE;
    table->unused_cycles += waits && table->field[CYCLE].length > 0;
    if (!waits && table->field[DELAY].length > 0)
        return fail_column(table, DELAY, "nothing without ids in 'after'");
    if (waits && table->field[DELAY].length == 0)
        return FAIL_NONE;
    return read_number(table, column, 0, MESSAGE_SET_MAX_START, &message->start);
}

static enum failure_kind read_length(const struct table *table, struct timed_message *message)
{
    enum column column = table->has[FLITS] ? FLITS : BYTES;
    uint64_t number, most = MESSAGE_SET_MAX_LENGTH;
    if (!table->has[column])
        return FAIL_NONE;
    if (column == BYTES)
        most = (most - 1) * table->list->flit_bytes;
    if (read_number(table, column, column == FLITS, most, &number) == FAIL_NONE)
        message->flits =
            (uint32_t)(column == BYTES ? timed_list_flits(table->list, number) : number);
    return table->failure->kind;
}

/* Reads the numbers of a column, of which there may be several: nodes, or ids that the message
 * waits for. */
static enum failure_kind read_list(struct table *table, enum column column, uint64_t id)
{
    const struct field *field = &table->field[column];
    uint64_t number, most = column == AFTER ? INT64_MAX : timed_list_last_node(table->list);
    for (const char *at = field->text; at < field->text + field->length;) {
        if (take_number(table, column, &at, 0, most, &number) != FAIL_NONE)
            return table->failure->kind;
        enum failure_kind kind =
            column == AFTER
                ? timed_list_add_wait(table->list, id, number, table->failure)
                : timed_list_add_destination(table->list, (node_index)number, table->failure);
        if (kind != FAIL_NONE)
            return kind;
    }
    return FAIL_NONE;
}

static enum failure_kind read_message(struct table *table)
{
    const struct byte_line *line = &table->line;
    struct timed_message message = {.id = table->list->messages, .line = line->number};
    struct field field;
    uint64_t source;
    const char *at = line->text;
    for (int i = 0; i < COLUMNS; i++)
        table->field[i] = (struct field){line->end, 0};
    for (unsigned i = 0; i < table->fields && next_cell(table, &field, &at); i++)
        if (table->column_of[i] < COLUMNS)
            table->field[table->column_of[i]] = field;
    if (scan_blanks(at, line->end) < line->end)
        return scan_refuse(line, table->failure,
                           "expected %u columns as in the line of names, found more",
                           table->fields);
    if (read_number(table, SOURCE, 0, timed_list_last_node(table->list), &source) != FAIL_NONE ||
        read_start(table, &message) != FAIL_NONE || read_length(table, &message) != FAIL_NONE ||
        (table->has[ID] && read_number(table, ID, 0, INT64_MAX, &message.id) != FAIL_NONE))
        return table->failure->kind;
    message.source = (uint32_t)source;
    if (timed_list_add(table->list, message, table->failure) != FAIL_NONE ||
        read_list(table, DESTINATIONS, message.id) != FAIL_NONE)
        return table->failure->kind;
    if (table->list->deliveries == table->list->message[table->list->messages - 1].first)
        return fail_column(table, DESTINATIONS, "a node");
    return read_list(table, AFTER, message.id);
}

enum failure_kind timed_table_read(struct byte_source *source, struct timed_list *list,
                                   struct failure *failure)
{
    struct table table = {.list = list, .failure = failure};
    enum failure_kind kind = next_line(source, &table);
    if (kind == FAIL_NONE && table.line.text == NULL)
        return scan_refuse(&table.line, failure, "expected names of columns, found no line");
    if (kind == FAIL_NONE)
        kind = read_names(&table);
    if (kind == FAIL_NONE && table.has[BYTES])
        timed_list_use_bytes(list, 16);
    while (kind == FAIL_NONE && (kind = next_line(source, &table)) == FAIL_NONE &&
           table.line.text != NULL)
        kind = read_message(&table);
    if (kind == FAIL_NONE && table.unused_cycles > 0)
        import_note(&list->notes, "cycles of messages that wait are left out: %" PRIu64,
                    table.unused_cycles);
    return kind;
}
