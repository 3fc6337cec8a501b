/* entry_list.c - room for the entries of a matrix, their weights, and notes on the file. */
#include "workloads/import_formats.h"

#include "base/text_scan.h"

#include <stdarg.h>
#include <stdio.h>

bool entry_list_grow(struct entry_list *list)
{
    enum { FIRST_ROOM = 1024 };
    size_t capacity = list->capacity > 0 ? 2 * list->capacity : FIRST_ROOM, room = 0;
    if (list->most_weight > 0 &&
        !memory_make_room(&list->weight, &room, capacity, sizeof *list->weight))
        return false;
    room = list->capacity;
    if (!memory_make_room(&list->entry, &room, capacity, sizeof *list->entry))
        return false;
    list->capacity = room;
    return true;
}

bool entry_list_set_source(struct entry_list *list, uint32_t col, uint32_t item)
{
    if (!memory_make_room(&list->source, &list->source_room, (size_t)col + 1, sizeof *list->source))
        return false;
    list->source[col] = item;
    return true;
}

enum failure_kind entry_list_zero_found(const struct entry_list *list, struct text_scan *scan,
                                        const char *what)
{
    char expected[96];
    snprintf(expected, sizeof expected, "%s from 1 to %u (if they count from 0: --base 0)", what,
             list->rows);
    return text_scan_fail(scan, expected);
}

enum failure_kind entry_list_skip_weight(struct entry_list *list, struct text_scan *scan)
{
    list->weights++;
    return text_scan_skip_number(scan, "a weight");
}

enum failure_kind entry_list_read_weight(struct entry_list *list, struct text_scan *scan)
{
    if (list->most_weight == 0)
        return entry_list_skip_weight(list, scan);
    return text_scan_number(scan, "a weight", 1, list->most_weight, &list->next_weight);
}

enum failure_kind entry_list_set_weight(struct entry_list *list, uint64_t weight,
                                        const struct byte_line *line, const char *at,
                                        struct failure *failure)
{
    if (weight == 0 || weight > list->most_weight)
        return scan_number_expected(line, at, "a weight, an integer", 1, list->most_weight,
                                    failure);
    list->next_weight = (uint32_t)weight;
    return FAIL_NONE;
}

enum failure_kind entry_list_scan_weight(struct entry_list *list, const struct byte_line *line,
                                         const char **at, struct failure *failure)
{
    uint64_t weight;
    enum failure_kind kind =
        scan_number(line, at, "a weight, an integer", 1, list->most_weight, &weight, failure);
    list->next_weight = (uint32_t)weight;
    return kind;
}

/* ---- notes ---- */

void import_note(struct import_notes *notes, const char *format, ...)
{
    if (notes->count == IMPORT_NOTES_MOST)
        return;
    char *text = notes->text[notes->count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, IMPORT_NOTE_SIZE, format, arguments);
    va_end(arguments);
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}
