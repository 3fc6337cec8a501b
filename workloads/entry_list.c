/* entry_list.c - room for the entries of a matrix, where a file may repeat a few of them for ever.
 *
 * Method: a full array whose entries are distinct doubles; one with many repeats is sorted, and they
 * are left out. A sample tells the two cases apart: the entries whose hash is below a bound. All copies
 * of an entry are in it or none is, so the distinct ones are the same share of it as of the whole.
 * Of distinct entries about SAMPLE are found; where they are far fewer or more, few distinct ones
 * stand in the array, and it is sorted, too. (A file made against this hash takes memory for all.)
 * Cost: a look at each entry for each doubling, two on average; what is sorted is at least halved,
 * or sorted once more after twice as many.
 */
#include "workloads/import_formats.h"

#include "base/text_scan.h"
#include "workloads/radix_sort.h"

#include <stdarg.h>
#include <stdio.h>

enum { FIRST_ROOM = 1024, SAMPLE = 4096, LEAST_SORTED = 16 * SAMPLE };

/* A word that looks random, of 64 bits. */
static inline uint64_t hash_of(uint64_t entry)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    entry = (entry ^ entry >> 29) * golden;
    return (entry ^ entry >> 32) * golden;
}

static bool has_many_repeats(const struct entry_list *list)
{
    uint64_t sample[2 * SAMPLE], end = UINT64_MAX / (list->capacity / SAMPLE);
    size_t found = 0, distinct = 0;
    for (size_t i = 0; i < list->count; i++)
        if (hash_of(list->entry[i]) < end) {
            if (found == 2 * SAMPLE)
                return true;
            sample[found++] = list->entry[i];
        }
    distinct = found;
    return found < SAMPLE / 2 || !radix_sort_distinct(sample, &distinct) || 2 * distinct < found;
}

bool entry_list_grow(struct entry_list *list)
{
    bool is_sortable = list->capacity >= LEAST_SORTED && list->most_weight == 0;
    if (is_sortable && has_many_repeats(list)) {
        if (!radix_sort_distinct(list->entry, &list->count))
            return false;
        if (list->count <= list->capacity / 2)
            return true;
    }
    size_t capacity = list->capacity > 0 ? 2 * list->capacity : FIRST_ROOM;
    if (list->most_weight > 0) {
        uint32_t *weight = memory_resize(list->weight, capacity, sizeof *weight);
        if (weight == NULL)
            return false;
        list->weight = weight;
    }
    uint64_t *grown = memory_resize(list->entry, capacity, sizeof *grown);
    if (grown == NULL)
        return false;
    list->entry = grown;
    list->capacity = capacity;
    return true;
}

bool entry_list_set_source(struct entry_list *list, uint32_t col, uint32_t item)
{
    uint32_t *grown = memory_grow(list->source, &list->source_room, (size_t)col + 1, sizeof *grown);
    if (grown == NULL)
        return false;
    list->source = grown;
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
