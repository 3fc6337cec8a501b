/* edge_list.c - edge lists `u v` and adjacency lists `u v w ..`, ids compacted.
 *
 * Grammar: ids separated by blanks or tabs, by commas, or only by tabs if they are words, as in the
 * first line. Ids are decimal numbers from 0 to 2^63 - 1; or words, perhaps in double quotes, if
 * the first edge has one. In an edge list anything after two ids in a line is ignored; in an
 * adjacency list all others are neighbours of the first. Blank lines and lines that begin with # or
 * % may stand anywhere. A file without an edge is an error. KONECT: a first line `% sym ..`, `%
 * asym ..` or `% bip ..`, perhaps one `% EDGES LEFT [RIGHT]` after it. sym: each edge goes both
 * ways; bip: the ids before and after are those of two sides, columns and rows of a matrix. Header:
 * the first line of words, before numbers or with a name such as `source`; or numbers `n m` or `n n
 * m` where m lines follow and no id exceeds n. Ids then are 0 .. n-1 or 1 .. n, whether they occur
 * or not. Numbers that could be a header but fit less well are refused, as are columns of ids that
 * look like an adjacency list.
 * Method: the first line of numbers is kept until the end, when the number of lines and the ids are
 * known.
 * Cost: expected O(1) per id; 8 bytes per edge, and the memory of the ids.
 */
#include "workloads/import_formats.h"

#include "base/fields.h"
#include "base/numbers.h"
#include "base/text_scan.h"
#include "workloads/radix_sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- ids ---- */

/* The ids, numbers or words. Each gets a number when it occurs first; after id_table_rank(),
 * id_table_index() turns it into the index: numbers are ranked in ascending order, or count from a
 * base, and words keep the order of their first occurrence.
 * Method: a hash table with open addressing and linear probing, at most half full, of words or of
 * blocks of 64 consecutive numbers. A block has a bit per number that occurs. Ids are mostly close
 * together: then few blocks hold them all, in cache.
 * Invariant: from the slot that a key hashes to, to the one that holds it, no slot is free.
 * Cost: expected O(1) per id, and a sort of the blocks; 28 to 48 bytes per block or word, and the
 * text of words.
 */

/* A word; or, if `word` is NULL, a number. */
struct id {
    uint64_t number;
    const char *word;
    size_t length;
};

/* Numbers 64 key .. 64 key + 63, or the word that begins at text[key]. */
struct id_item {
    uint64_t key, seen; /* bit i: 64 key + i occurs; bit 0 of a word */
    uint32_t rank;      /* of its first id that occurs */
};

struct id_table {
    uint32_t ids, items; /* ids: distinct ones */
    unsigned bits;
    size_t slots;         /* 0 or 2^bits */
    uint32_t *slot;       /* number of an item, from 1; 0: the slot is free */
    struct id_item *item; /* [slots / 2] */
    char *text;           /* words, each ended by a zero; NULL: ids are numbers */
    size_t text_length, text_room;
    uint64_t first_id, last_id; /* the least and the greatest number; 0 for words */
};

enum { FIRST_SLOT_BITS = 10, BLOCK_BITS = 6 };

static uint64_t hash_word(const struct id *id)
{
    uint64_t hash = FNV_BEGIN;
    for (size_t i = 0; i < id->length; i++)
        hash = (hash ^ (unsigned char)id->word[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static inline bool is_item(const struct id_table *table, const struct id_item *item,
                           const struct id *id)
{
    if (id->word == NULL)
        return item->key == id->number >> BLOCK_BITS;
    const char *word = table->text + item->key;
    return strncmp(word, id->word, id->length) == 0 && word[id->length] == '\0';
}

/* Returns the slot that holds the id's item, or the free one where it belongs. The product's upper
 * bits spread consecutive blocks, which are the rule, evenly (Fibonacci hashing). */
static inline uint32_t *id_table_slot(const struct id_table *table, const struct id *id)
{
    uint64_t hash = id->word == NULL ? id->number >> BLOCK_BITS : hash_word(id);
    size_t s = (size_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> (64 - table->bits));
    while (table->slot[s] != 0 && !is_item(table, &table->item[table->slot[s] - 1], id))
        s = (s + 1) & (table->slots - 1);
    return &table->slot[s];
}

/* Returns the id of an item: its word, or the first of its numbers. */
static struct id id_of_item(const struct id_table *table, uint32_t i)
{
    uint64_t key = table->item[i].key;
    if (table->text == NULL)
        return (struct id){.number = key << BLOCK_BITS};
    return (struct id){0, table->text + key, strlen(table->text + key)};
}

/* Doubles the table; false, with it unchanged, if there is no memory. */
static bool id_table_grow(struct id_table *table)
{
    unsigned bits = table->bits > 0 ? table->bits + 1 : FIRST_SLOT_BITS;
    size_t slots = (size_t)1 << bits;
    struct id_item *item = memory_resize(table->item, slots / 2, sizeof *item);
    if (item == NULL)
        return false;
    table->item = item;
    uint32_t *slot = memory_allocate(slots, sizeof *slot);
    if (slot == NULL)
        return false;
    free(table->slot);
    table->slot = slot;
    table->slots = slots;
    table->bits = bits;
    for (uint32_t i = 0; i < table->items; i++) {
        struct id id = id_of_item(table, i);
        *id_table_slot(table, &id) = i + 1;
    }
    return true;
}

/* Adds an id that does not occur yet. Fails with FAIL_INPUT and `line` if there are more ids than
 * nodes. */
static enum failure_kind id_table_add(struct id_table *table, const struct byte_line *line,
                                      const struct id *id, struct failure *failure)
{
    uint64_t key = id->word == NULL ? id->number >> BLOCK_BITS : table->text_length;
    if (table->items == table->slots / 2 && !id_table_grow(table))
        return fail_memory(failure, "the ids of an edge list");
    if (table->ids == ENTRY_MAX_SIDE)
        return scan_refuse(line, failure,
                           "expected at most %d different ids (the nodes of the largest mesh), "
                           "found one more",
                           ENTRY_MAX_SIDE);
    uint32_t *slot = id_table_slot(table, id);
    if (*slot == 0 && id->word != NULL) {
        if (!memory_make_room(&table->text, &table->text_room, key + id->length + 1, 1))
            return fail_memory(failure, "the ids of an edge list");
        memcpy(table->text + key, id->word, id->length);
        table->text[key + id->length] = '\0';
        table->text_length += id->length + 1;
    }
    if (*slot == 0) {
        table->item[table->items] = (struct id_item){.key = key};
        *slot = ++table->items;
    }
    table->item[*slot - 1].seen |= UINT64_C(1) << (id->number & 63);
    table->first_id = table->ids == 0 ? id->number : min_u64(table->first_id, id->number);
    table->last_id = max_u64(table->last_id, id->number);
    table->ids++;
    return FAIL_NONE;
}

/* Finds the number of an id, which is added if it is new. */
static inline enum failure_kind id_table_find(struct id_table *table, const struct byte_line *line,
                                              const struct id *id, uint32_t *number,
                                              struct failure *failure)
{
    unsigned bit = (unsigned)(id->number & 63);
    uint32_t slot = table->slots > 0 ? *id_table_slot(table, id) : 0;
    if (slot == 0 || !(table->item[slot - 1].seen >> bit & 1)) {
        if (id_table_add(table, line, id, failure) != FAIL_NONE)
            return failure->kind;
        slot = *id_table_slot(table, id);
    }
    *number = (slot - 1) << BLOCK_BITS | bit;
    return FAIL_NONE;
}

/* Ranks the ids by their order; those that are declared to count from `base`, by it. */
static enum failure_kind id_table_rank(struct id_table *table, bool is_declared, uint32_t base,
                                       struct failure *failure)
{
    uint64_t *key = memory_allocate(table->items, sizeof *key);
    for (uint32_t i = 0; i < table->items && key != NULL; i++) {
        struct id_item *item = &table->item[i];
        key[i] = item->key;
        item->rank = is_declared ? (uint32_t)(item->key << BLOCK_BITS) - base : i;
        item->seen = is_declared ? UINT64_MAX : item->seen;
    }
    bool is_ready = key != NULL;
    if (is_ready && table->text == NULL && !is_declared) {
        uint32_t rank = 0;
        is_ready = radix_sort(key, table->items);
        for (uint32_t i = 0; i < table->items && is_ready; i++) {
            struct id id = {.number = key[i] << BLOCK_BITS};
            struct id_item *item = &table->item[*id_table_slot(table, &id) - 1];
            item->rank = rank;
            rank += (uint32_t)__builtin_popcountll(item->seen);
        }
    }
    free(key);
    return is_ready ? FAIL_NONE : fail_memory(failure, "the ids of an edge list");
}

/* Returns the index of the id that has this number, of a table that was ranked. */
static inline uint32_t id_table_index(const struct id_table *table, uint32_t number)
{
    const struct id_item *item = &table->item[number >> BLOCK_BITS];
    uint64_t below = (UINT64_C(1) << (number & 63)) - 1;
    return item->rank + (uint32_t)__builtin_popcountll(item->seen & below);
}

static void id_table_free(struct id_table *table)
{
    free(table->slot);
    free(table->item);
    free(table->text);
}

static const char *skip_digits(const char *c, const char *end)
{
    while (c < end && scan_is_digit(*c))
        c++;
    return c;
}

static const char *skip_sign(const char *c, const char *end)
{
    return c + (c < end && (*c == '+' || *c == '-'));
}

/* True if the field is a number, perhaps with a sign, a point or an exponent. */
static bool is_number(const struct field *field)
{
    const char *end = field->text + field->length, *digits = skip_sign(field->text, end);
    const char *c = skip_digits(digits, end);
    size_t count = (size_t)(c - digits);
    if (c < end && *c == '.') {
        const char *fraction = ++c;
        c = skip_digits(c, end);
        count += (size_t)(c - fraction);
    }
    if (count > 0 && c < end && (*c == 'e' || *c == 'E'))
        c = skip_digits(skip_sign(c + 1, end), end);
    return count > 0 && c == end;
}

/* True if the field can be an id that is a word or a whole number: text that is no other number,
 * and does not begin with the marks of other formats. */
static bool field_is_word(const struct field *field)
{
    uint64_t value;
    if (field->length == 0 || strchr("{}[]<>()*;", *field->text) != NULL)
        return false;
    for (size_t i = 0; i < field->length; i++)
        if ((unsigned char)field->text[i] < ' ' || field->text[i] == 127)
            return false;
    return field_natural(field, &value) || !is_number(field);
}

/* ---- the first line ---- */

/* The beginning of an edge list: comments with facts, names of columns, numbers n m.
 *
 * A first line of numbers is an edge or a header. It is a header if its last number is the number
 * of lines that follow and no id exceeds its first; a near fit is refused, with the option that
 * decides. A header of words comes before numbers, or has a name such as `source` first. */

enum { KEPT_NUMBERS = 3 };

enum konect { NOT_KONECT, KONECT_SYMMETRIC, KONECT_ASYMMETRIC, KONECT_BIPARTITE };

/* The first line that is no comment, if it is numbers. */
struct edge_first {
    char *text; /* NULL: it was used up, or dropped */
    size_t length;
    uint64_t number;
    unsigned columns, values; /* columns that are numbers, up to KEPT_NUMBERS, from the first on */
    uint64_t value[KEPT_NUMBERS];
};

/* The columns after the ids of an edge list. */
struct edge_columns {
    bool are_ids;     /* all of them could be ids */
    unsigned behind;  /* in the first line that was read; the least number if they are no ids */
    uint64_t uneven;  /* the first line that has another number of them; 0: none */
    uint64_t largest; /* number among them */
    uint64_t previous, second; /* first ids: of the line before, of the line after the first one */
    bool descends; /* the first id of a line is not larger than that of the line before */
};

struct edge_reader {
    struct byte_source *source;
    struct byte_line line;
    struct entry_list *list;
    struct id_table ids[2]; /* the second of KONECT's bip: the other side */
    bool is_adjacency, has_words, is_symmetric;
    char separator; /* of fields, by the first line */
    enum konect konect;
    uint64_t
        konect_sizes[KEPT_NUMBERS]; /* edges, vertices, vertices of the other side; 0: not given */
    bool is_undirected;             /* a comment says so */
    struct edge_first first;
    struct edge_columns columns;
    uint64_t lines; /* without the first */
    struct failure *failure;
};

enum { SHOWN_LINE = 60 };

/* Fails at a line with more than the place of a word. */
static enum failure_kind fail_line(const struct edge_reader *reader, uint64_t line,
                                   const char *expected, const char *found)
{
    return fail(reader->failure, FAIL_INPUT, "%s:%" PRIu64 ": expected %s, found %s",
                reader->line.name, line, expected, found);
}

/* Makes the kept line the current one. */
static void return_to_first(struct edge_reader *reader)
{
    reader->line.text = reader->first.text;
    reader->line.end = reader->first.text + reader->first.length;
    reader->line.number = reader->first.number;
}

/* True if the line holds `word`, in any case. */
static bool mentions(const struct byte_line *line, const char *word)
{
    size_t length = strlen(word);
    for (const char *c = line->text; (size_t)(line->end - c) >= length; c++)
        if (strncasecmp(c, word, length) == 0)
            return true;
    return false;
}

/* Reads the comment in the current line, before the first edge. */
static enum failure_kind look_at_comment(struct edge_reader *reader)
{
    static const char *const KINDS[] = {
        [KONECT_SYMMETRIC] = "sym", [KONECT_ASYMMETRIC] = "asym", [KONECT_BIPARTITE] = "bip"};
    const struct byte_line *line = &reader->line;
    const char *at = line->text;
    struct field field;
    if (mentions(line, "MatrixMarket "))
        return scan_expected(line, at,
                             "an edge list (this begins like Matrix Market: --format mtx)",
                             reader->failure);
    reader->is_undirected |= mentions(line, "undirected");
    if (reader->is_adjacency || *at++ != '%' ||
        !field_next(&field, reader->separator, &at, reader->line.end))
        return FAIL_NONE;
    if (line->number == 1)
        for (int k = KONECT_SYMMETRIC; k <= KONECT_BIPARTITE; k++)
            if (field_equals(&field, KINDS[k]))
                reader->konect = (enum konect)k;
    if (reader->konect == KONECT_BIPARTITE && reader->list->reading.is_symmetric)
        return fail(reader->failure, FAIL_USAGE,
                    "--symmetric is for graphs with one kind of vertices; %s is bipartite",
                    line->name);
    reader->is_symmetric |= reader->konect == KONECT_SYMMETRIC;
    if (reader->konect == NOT_KONECT || line->number != 2)
        return FAIL_NONE;
    at = scan_blanks(line->text + 1, line->end);
    uint64_t sizes[KEPT_NUMBERS] = {0};
    for (unsigned i = 0; i < KEPT_NUMBERS && at < line->end; i++)
        if (!scan_decimal(&at, line->end, &sizes[i]))
            return FAIL_NONE;
    if (at == line->end)
        memcpy(reader->konect_sizes, sizes, sizeof sizes);
    return FAIL_NONE;
}

static enum failure_kind find_first(struct edge_reader *reader)
{
    for (;;) {
        enum failure_kind kind = scan_content(reader->source, "", &reader->line, reader->failure);
        const struct byte_line *line = &reader->line;
        if (kind != FAIL_NONE)
            return kind;
        if (line->text == NULL)
            return fail_line(reader, line->number + (line->number == 0), "an edge (two ids)",
                             line->number > 0 ? "no edges" : "an empty file");
        if (memchr("#%", *line->text, 2) == NULL)
            return FAIL_NONE;
        if ((kind = look_at_comment(reader)) != FAIL_NONE)
            return kind;
    }
}

/* The kinds of the first two fields of a line. */
struct kinds {
    unsigned fields, numbers, words; /* words that are no numbers */
};

static struct kinds count_kinds(const struct edge_reader *reader)
{
    struct kinds kinds = {0};
    const char *at = reader->line.text;
    struct field field;
    uint64_t value;
    while (kinds.fields < 2 && field_next(&field, reader->separator, &at, reader->line.end)) {
        bool is_numeral = field_natural(&field, &value);
        kinds.fields++;
        kinds.numbers += is_numeral;
        kinds.words += !is_numeral && field_is_word(&field);
    }
    return kinds;
}

static bool is_source_name(const struct field *field)
{
    static const char *const NAMES[] = {
        "source", "src",     "from",      "fromnodeid", "from_node", "from_id", "node1",
        "node_1", "node_a",  "id1",       "id_1",       "start",     "sender",  "follower",
        "citing", "vertex1", "source_id", "sourceid",   "head",      "tail",    "fromnode"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (field_equals(field, NAMES[i]))
            return true;
    return false;
}

/* Refuses a header of words that does not name the ids first. */
static enum failure_kind check_names(struct edge_reader *reader)
{
    const char *at = reader->line.text;
    struct field field;
    for (unsigned i = 0; field_next(&field, reader->separator, &at, reader->line.end); i++) {
        if (i == 0 && field.length == 0)
            return fail_line(reader, reader->line.number, "two ids in the first two columns",
                             "a first column without a name (leave it out)");
        if (i > 0 && is_source_name(&field))
            return fail_line(reader, reader->line.number, "two ids in the first two columns",
                             "them in later columns (leave out those before)");
    }
    return FAIL_NONE;
}

/* Keeps the text of the current line, which was read from the source and will be overwritten. */
static enum failure_kind keep_first(struct edge_reader *reader)
{
    struct edge_first *first = &reader->first;
    const struct byte_line *line = &reader->line;
    first->length = (size_t)(line->end - line->text);
    first->number = line->number;
    first->text = memory_allocate(first->length + 1, 1);
    if (first->text == NULL)
        return fail_memory(reader->failure, "the first line of an edge list");
    memcpy(first->text, line->text, first->length);
    const char *at = line->text;
    struct field field;
    for (; field_next(&field, reader->separator, &at, reader->line.end); first->columns++)
        if (first->values == first->columns && first->values < KEPT_NUMBERS &&
            field_natural(&field, &first->value[first->values]))
            first->values++;
    return FAIL_NONE;
}

static void note_header(struct edge_reader *reader, const char *what)
{
    const struct edge_first *first = &reader->first;
    int length = first->length < SHOWN_LINE ? (int)first->length : SHOWN_LINE;
    import_note(&reader->list->notes,
                "first line, '%.*s'%s, was read as a header%s; --header no makes it an edge",
                length, first->text, first->length > SHOWN_LINE ? ".." : "", what);
}

/* True if the kept line, of these kinds, names columns: words before numbers, a known name, or no
 * name. */
static bool names_columns(const struct edge_reader *reader, const struct kinds *kinds,
                          const struct kinds *next)
{
    const char *at = reader->line.text;
    struct field field = {.text = "", .length = 0};
    field_next(&field, reader->separator, &at, reader->line.end);
    if (kinds->numbers > 0 || kinds->words == 0)
        return false;
    return field.length == 0 ||
           (kinds->words == kinds->fields && (next->numbers == 2 || is_source_name(&field)));
}

/* Decides if the kept line is a header of words (*is_header), and if ids are words. The current
 * line is the one after it, or there is none. */
static enum failure_kind judge_words(struct edge_reader *reader, bool *is_header)
{
    const struct byte_line line = reader->line;
    enum import_header header = reader->list->reading.header;
    struct kinds kinds, next = {0};
    enum failure_kind kind = FAIL_NONE;
    if (line.text != NULL)
        next = count_kinds(reader);
    return_to_first(reader);
    kinds = count_kinds(reader);
    if (header == IMPORT_HEADER_GUESSED && kinds.numbers == 2 && next.words == 2)
        kind = fail_line(reader, reader->first.number, "an edge between words, as in the next line",
                         "numbers; say --header yes or --header no");
    if (header == IMPORT_HEADER_GUESSED && (*is_header = names_columns(reader, &kinds, &next)))
        kind = check_names(reader);
    if (header == IMPORT_HEADER_YES)
        *is_header = kinds.words > 0 || next.words > 0;
    reader->columns.are_ids &= !*is_header;
    reader->has_words = *is_header ? next.words > 0 : kinds.words > 0 || next.words == 2;
    if (kind == FAIL_NONE && *is_header)
        note_header(reader, "");
    reader->line = line;
    return kind;
}

/* Reads comments, the first line, which is kept, and the line after it, which becomes the current
 * one; decides if ids are words, and if the first line is a header of words (*is_header). */
static enum failure_kind begin(struct edge_reader *reader, bool *is_header)
{
    *is_header = false;
    enum failure_kind kind = find_first(reader);
    if (kind != FAIL_NONE)
        return kind;
    reader->separator = field_separator(&reader->line);
    if ((kind = keep_first(reader)) == FAIL_NONE)
        kind = scan_content(reader->source, "#%", &reader->line, reader->failure);
    return kind == FAIL_NONE ? judge_words(reader, is_header) : kind;
}

/* Fails: the first line could be an edge or not. */
static enum failure_kind ask_for_header(const struct edge_reader *reader, const char *guess)
{
    const struct edge_first *first = &reader->first;
    return fail(reader->failure, FAIL_INPUT,
                "%s:%" PRIu64 ": expected an edge, found '%.*s', which may be %s, before %" PRIu64
                " lines; say "
                "--header yes or --header no",
                reader->line.name, first->number,
                first->length < SHOWN_LINE ? (int)first->length : SHOWN_LINE, first->text, guess,
                reader->lines);
}

/* True if ids that are at most `vertices` count from 0 or 1. */
static bool fits(const struct edge_reader *reader, uint64_t vertices)
{
    const struct id_table *ids = &reader->ids[0];
    return ids->last_id <= vertices && (ids->first_id > 0 || ids->last_id < vertices);
}

/* Decides if the kept line, of numbers, is a header; *vertices becomes its number of vertices, else
 * 0. */
static enum failure_kind judge_numbers(struct edge_reader *reader, uint64_t *vertices)
{
    const struct edge_first *first = &reader->first;
    enum import_header header = reader->list->reading.header;
    uint64_t a = first->value[0], b = first->value[1], c = first->value[2], lines = reader->lines;
    unsigned next_columns = 2 + reader->columns.behind;
    bool is_three = first->values == 3 && first->columns == 3;
    bool is_two = first->values == 2 && first->columns == 2;
    *vertices = 0;
    if (header == IMPORT_HEADER_YES) {
        *vertices = a > 0 ? a : 1;
        return FAIL_NONE;
    }
    if (header == IMPORT_HEADER_NO || reader->konect != NOT_KONECT || lines == 0)
        return FAIL_NONE;
    bool holds_all = reader->ids[0].last_id <= (is_three && b > a ? b : a);
    if (reader->is_adjacency)
        return first->columns <= 2 && a == lines && holds_all
                   ? ask_for_header(reader, "a header n or n m")
                   : FAIL_NONE;
    if ((is_two && b == lines && fits(reader, a)) ||
        (is_three && a == b && c == lines && fits(reader, a))) {
        *vertices = a;
        return FAIL_NONE;
    }
    if (is_three && holds_all && c == lines)
        return ask_for_header(reader, "the sizes of a matrix without its banner");
    if (is_three && holds_all && b == lines && reader->ids[0].last_id <= a)
        return ask_for_header(reader, "a header n m");
    if (first->values == first->columns && first->columns > next_columns)
        return ask_for_header(reader, "a header of more columns");
    if (!is_two || !holds_all)
        return FAIL_NONE;
    bool is_near = b <= 2 * lines && lines <= 2 * b;
    if (next_columns > 2 || (is_near && (b > a || a > reader->ids[0].last_id)) || b == 2 * lines ||
        lines == 2 * b)
        return ask_for_header(reader, "a header n m");
    return FAIL_NONE;
}

/* Decides at the end if the kept line, of numbers, is a header; *vertices becomes its number of
 * vertices, else 0. FAIL_INPUT: it could be either, or does not fit. */
static enum failure_kind judge_first(struct edge_reader *reader, uint64_t *vertices)
{
    const struct edge_first *first = &reader->first;
    enum failure_kind kind = judge_numbers(reader, vertices);
    if (kind != FAIL_NONE || *vertices == 0)
        return kind;
    if (*vertices > ENTRY_MAX_SIDE || !fits(reader, *vertices)) {
        char found[96];
        snprintf(found, sizeof found,
                 "a header of %" PRIu64 " vertices before ids from %" PRIu64 " to %" PRIu64,
                 *vertices, reader->ids[0].first_id, reader->ids[0].last_id);
        return fail_line(reader, first->number, "ids that fit the header, and a mesh", found);
    }
    bool is_square = first->values == 3 && first->value[0] == first->value[1];
    uint64_t edges = first->value[is_square ? 2 : 1];
    char what[96] = " of vertices and edges";
    if (first->values > 1 && edges != reader->lines)
        snprintf(what, sizeof what, " of vertices and edges, though %" PRIu64 " lines follow",
                 reader->lines);
    note_header(reader, what);
    return FAIL_NONE;
}

/* ---- ids of a line ---- */

static enum failure_kind id_expected(const struct edge_reader *reader, const char *at)
{
    const char *what = reader->has_words ? "an id, a word or a number"
                                         : "an id from 0 to 2^63 - 1, and a blank after it";
    bool is_alone = at == reader->line.end && at > reader->line.text && !reader->is_adjacency;
    char expected[128];
    snprintf(expected, sizeof expected, "%s%s", what,
             is_alone ? " (an adjacency list needs --format adjacency)" : "");
    return scan_expected(&reader->line, at, expected, reader->failure);
}

/* Reads a field that is a number; true if it is one. */
static inline bool take_number(const struct edge_reader *reader, const char **at, uint64_t *number)
{
    struct field field;
    return (reader->separator != ',' && scan_decimal(at, reader->line.end, number)) ||
           (field_next(&field, reader->separator, at, reader->line.end) &&
            field_natural(&field, number));
}

/* Reads an id of the side; *id becomes the number that it is, or that the table gives to a word. */
static inline enum failure_kind take_id(struct edge_reader *reader, const char **at, unsigned side,
                                        uint64_t *id, uint32_t *number)
{
    const char *word = *at;
    struct field field;
    struct id found = {.number = 0};
    if (!reader->has_words) {
        if (!take_number(reader, at, &found.number) || found.number > INT64_MAX)
            return id_expected(reader, word);
    } else {
        if (!field_next(&field, reader->separator, at, reader->line.end) || !field_is_word(&field))
            return id_expected(reader, word);
        found = (struct id){0, field.text, field.length};
    }
    enum failure_kind kind =
        id_table_find(&reader->ids[side], &reader->line, &found, number, reader->failure);
    *id = reader->has_words ? *number : found.number;
    return kind;
}

/* ---- lines ---- */

static inline enum failure_kind add_edge(struct edge_reader *reader, uint32_t from, uint32_t to)
{
    return entry_list_store(reader->list, from, to, reader->is_symmetric, "the edges of a graph",
                            reader->failure);
}

/* Notes the columns after the ids of an edge, the first of which is `from`. */
static void look_behind(struct edge_reader *reader, const char *at, uint64_t from, bool is_first)
{
    struct edge_columns *columns = &reader->columns;
    struct field field;
    unsigned count = 0;
    if (!columns->are_ids)
        return;
    for (; field_next(&field, reader->separator, &at, reader->line.end); count++) {
        uint64_t value = 0;
        if (field_natural(&field, &value))
            columns->are_ids = !reader->has_words;
        else
            columns->are_ids = reader->has_words && field_is_word(&field);
        if (!columns->are_ids)
            break;
        columns->largest = value > columns->largest ? value : columns->largest;
    }
    if (reader->list->stored == 0)
        columns->behind = count + !columns->are_ids;
    if (!columns->are_ids)
        return;
    if (count != columns->behind && columns->uneven == 0)
        columns->uneven = reader->line.number;
    if (is_first)
        return;
    if (reader->lines == 1)
        columns->second = from;
    columns->descends |= reader->lines > 1 && from <= columns->previous;
    columns->previous = from;
}

/* Reads the weight of an edge, for lists that keep weights. */
static enum failure_kind take_weight(struct edge_reader *reader, const char *at)
{
    const char *word = at;
    uint64_t weight;
    if (!take_number(reader, &at, &weight))
        weight = 0;
    return entry_list_set_weight(reader->list, weight, &reader->line, word, reader->failure);
}

static inline enum failure_kind take_edge(struct edge_reader *reader, bool is_first)
{
    const char *at = reader->line.text;
    uint64_t id, from_id = 0;
    uint32_t from, to;
    enum failure_kind kind = take_id(reader, &at, 0, &from_id, &from);
    if (kind == FAIL_NONE)
        kind = take_id(reader, &at, reader->konect == KONECT_BIPARTITE, &id, &to);
    if (kind != FAIL_NONE)
        return kind;
    bool has_more = at < reader->line.end;
    if (has_more || reader->list->weights > 0)
        look_behind(reader, at, from_id, is_first);
    if (reader->list->most_weight == 0)
        reader->list->weights += has_more;
    else if ((kind = take_weight(reader, at)) != FAIL_NONE)
        return kind;
    return add_edge(reader, from, to);
}

/* Reads a vertex and its neighbours, none or more. */
static enum failure_kind take_neighbours(struct edge_reader *reader)
{
    const char *at = reader->line.text;
    uint64_t id;
    uint32_t from, to;
    enum failure_kind kind = take_id(reader, &at, 0, &id, &from);
    while (kind == FAIL_NONE && at < reader->line.end) {
        kind = take_id(reader, &at, 0, &id, &to);
        if (kind == FAIL_NONE)
            kind = add_edge(reader, from, to);
    }
    return kind;
}

static inline enum failure_kind take_line(struct edge_reader *reader, bool is_first)
{
    if (reader->has_words && dimacs_begins(&reader->line))
        return scan_expected(&reader->line, reader->line.text,
                             "an edge (this is a line of DIMACS: --format dimacs)",
                             reader->failure);
    return reader->is_adjacency ? take_neighbours(reader) : take_edge(reader, is_first);
}

/* ---- the first line ---- */

/* Reads the first line, and uses it if it is an edge between words; if it is numbers, it is kept.
 * The current line is the one after it. */
static enum failure_kind read_first(struct edge_reader *reader)
{
    bool is_header;
    enum failure_kind kind = begin(reader, &is_header);
    if (kind != FAIL_NONE || (!is_header && !reader->has_words))
        return kind;
    struct byte_line next = reader->line;
    return_to_first(reader);
    reader->lines += !is_header;
    if (!is_header)
        kind = take_line(reader, false);
    reader->line = next;
    free(reader->first.text);
    reader->first.text = NULL;
    return kind;
}

/* Makes the kept line a header or an edge. */
static enum failure_kind settle_first(struct edge_reader *reader, uint64_t *vertices)
{
    enum failure_kind kind = judge_first(reader, vertices);
    if (kind != FAIL_NONE || *vertices > 0)
        return kind;
    return_to_first(reader);
    reader->columns.descends |=
        reader->lines > 0 && reader->columns.second <= reader->first.value[0];
    return take_line(reader, true);
}

/* ---- the end ---- */

/* Fails, or notes it, if columns of ids look like an adjacency list's. */
static enum failure_kind judge_columns(struct edge_reader *reader)
{
    const struct edge_columns *columns = &reader->columns;
    uint64_t last = reader->ids[0].last_id;
    if (reader->is_adjacency || reader->konect != NOT_KONECT || !columns->are_ids ||
        reader->list->weights == 0)
        return FAIL_NONE;
    if (columns->uneven > 0)
        return fail_line(reader, columns->uneven, "as many columns as in other lines",
                         "others, all of ids (an adjacency list needs --format adjacency)");
    bool are_small = columns->largest <= last, ascends = !columns->descends;
    bool could_be_ids = columns->behind > 1 ? are_small || ascends
                                            : are_small && ascends && reader->list->stored > 1;
    if (!reader->has_words && !could_be_ids)
        return FAIL_NONE;
    if (reader->list->reading.is_format_given) {
        import_note(&reader->list->notes, "columns after the first two could be ids (an adjacency "
                                          "list needs --format adjacency)");
        return FAIL_NONE;
    }
    return fail(
        reader->failure, FAIL_INPUT,
        "%s: expected two ids in a line, found %u; say --format adjacency if the others are "
        "neighbours of the first, --format edges if they are weights",
        reader->line.name, 2 + columns->behind);
}

/* Returns the number of vertices on the side by KONECT's comment; 0 if it has none, or they do not
 * fit. */
static uint64_t konect_vertices(const struct edge_reader *reader, unsigned side)
{
    const struct id_table *ids = &reader->ids[side];
    uint64_t vertices = reader->konect_sizes[1 + side];
    return vertices <= ENTRY_MAX_SIDE && ids->text == NULL && ids->first_id > 0 &&
                   ids->last_id <= vertices
               ? vertices
               : 0;
}

static void note_konect(struct edge_reader *reader)
{
    static const char *const KINDS[] = {[KONECT_SYMMETRIC] = "sym: each edge goes both ways",
                                        [KONECT_ASYMMETRIC] = "asym: each edge goes one way",
                                        [KONECT_BIPARTITE] =
                                            "bip: ids before are columns, ids after are rows"};
    struct import_notes *notes = &reader->list->notes;
    if (reader->konect != NOT_KONECT)
        import_note(notes, "first line says %s", KINDS[reader->konect]);
    else if (reader->is_undirected && !reader->is_symmetric)
        import_note(notes,
                    "comments say that it is undirected; --symmetric makes each edge go both ways");
    if (reader->konect_sizes[0] > 0 && reader->konect_sizes[0] != reader->list->stored)
        import_note(notes, "second line says %" PRIu64 " edges, %" PRIu64 " follow",
                    reader->konect_sizes[0], reader->list->stored);
}

/* Gives the entries their indices, and the list its sizes; `vertices` by a header, or 0. */
static enum failure_kind number_entries(struct edge_reader *reader, uint64_t vertices)
{
    struct entry_list *list = reader->list;
    bool is_bipartite = reader->konect == KONECT_BIPARTITE;
    struct id_table *ids = reader->ids;
    uint32_t size[2];
    for (unsigned side = 0; side <= is_bipartite; side++) {
        uint64_t declared = vertices > 0 ? vertices : konect_vertices(reader, side);
        uint32_t base = ids[side].first_id > 0;
        size[side] = declared > 0 ? (uint32_t)declared : ids[side].ids;
        if (id_table_rank(&ids[side], declared > 0, base, reader->failure) != FAIL_NONE)
            return reader->failure->kind;
        if (declared > 0) {
            ids[side].first_id = base;
            ids[side].last_id = declared - 1 + base;
        }
    }
    list->cols = size[0];
    list->rows = size[is_bipartite];
    if (!is_bipartite) {
        list->first_id = ids[0].first_id;
        list->last_id = ids[0].last_id;
    }
    for (size_t i = 0; i < list->count; i++)
        list->entry[i] = entry_pack(id_table_index(&ids[0], entry_col(list->entry[i])),
                                    id_table_index(&ids[is_bipartite], entry_row(list->entry[i])));
    if (reader->has_words)
        import_note(&list->notes,
                    "ids are words, numbered from 0 in the order in which they occur");
    return FAIL_NONE;
}

static enum failure_kind read_all(struct edge_reader *reader)
{
    uint64_t vertices = 0;
    enum failure_kind kind = read_first(reader);
    while (kind == FAIL_NONE && reader->line.text != NULL) {
        reader->lines++;
        if ((kind = take_line(reader, false)) == FAIL_NONE)
            kind = scan_content(reader->source, "#%", &reader->line, reader->failure);
    }
    if (kind == FAIL_NONE && reader->first.text != NULL)
        kind = settle_first(reader, &vertices);
    if (kind == FAIL_NONE && reader->list->stored == 0 && !reader->is_adjacency)
        kind = fail_line(reader, reader->line.number, "an edge (two ids)", "no edges");
    if (kind == FAIL_NONE)
        kind = judge_columns(reader);
    if (kind != FAIL_NONE)
        return kind;
    note_konect(reader);
    return number_entries(reader, vertices);
}

static enum failure_kind read_ids(struct byte_source *source, struct entry_list *list,
                                  bool is_adjacency, struct failure *failure)
{
    struct edge_reader reader = {.source = source,
                                 .list = list,
                                 .is_adjacency = is_adjacency,
                                 .is_symmetric = list->reading.is_symmetric,
                                 .separator = ' ',
                                 .columns = {.are_ids = true},
                                 .failure = failure};
    enum failure_kind kind = read_all(&reader);
    free(reader.first.text);
    id_table_free(&reader.ids[0]);
    id_table_free(&reader.ids[1]);
    return kind;
}

enum failure_kind edge_list_read(struct byte_source *source, struct entry_list *list,
                                 struct failure *failure)
{
    return read_ids(source, list, false, failure);
}

enum failure_kind adjacency_list_read(struct byte_source *source, struct entry_list *list,
                                      struct failure *failure)
{
    return read_ids(source, list, true, failure);
}
