/* expander_file.c - the reader and the writer of graph files (doc/expanders.md has the format).
 *
 * The file is read into memory in blocks that double, and scanned there with a cursor. An array for
 * p r entries is made only if the remaining bytes can hold that many numbers, so nothing is
 * allocated from a number that a file merely declares. A second reading, which knows the lines,
 * checks that every entry of a permutation is there once.
 *
 * Comments run from `#` to the end of their line. Bytes that do not print are shown as '?'.
 *
 * Cost: O(bytes) time; the file, its entries, a bit per entry.
 */
#include "expanders/expander.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 1 << 16, SHOWN = 40 };

struct graph_text {
    const char *at, *end;
    const char *name;
    uint64_t line; /* from 1 */
    struct failure *failure;
};

/* ---- items ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Moves to the next item on this line; a comment counts as the line's end. */
static void skip_blanks(struct graph_text *text)
{
    while (text->at < text->end && is_blank(*text->at))
        text->at++;
    if (text->at < text->end && *text->at == '#')
        while (text->at < text->end && *text->at != '\n')
            text->at++;
}

static bool at_line_end(const struct graph_text *text)
{
    return text->at == text->end || *text->at == '\n';
}

/* Moves to the next item on this or a later line. */
static void skip_lines(struct graph_text *text)
{
    for (skip_blanks(text); text->at < text->end && *text->at == '\n'; skip_blanks(text)) {
        text->at++;
        text->line++;
    }
}

static enum failure_kind fail_expected(const struct graph_text *text, const char *expected)
{
    char found[SHOWN + 3] = "";
    size_t length = 0, room = (size_t)(text->end - text->at);
    if (at_line_end(text)) {
        strcpy(found, text->at == text->end ? "the end of the file" : "the end of the line");
    } else {
        found[length++] = '\'';
        for (size_t i = 0; i < room && i < SHOWN && !is_blank(text->at[i]) && text->at[i] != '\n';
             i++)
            found[length++] = text->at[i] >= ' ' && text->at[i] <= '~' ? text->at[i] : '?';
        found[length] = '\'';
    }
    return fail(text->failure, FAIL_INPUT, "%.300s:%llu: expected %s, found %s", text->name,
                (unsigned long long)text->line, expected, found);
}

/* Passes `word` if it is the next item. */
static bool pass_word(struct graph_text *text, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(text);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0)
        return false;
    const char *after = text->at + length;
    if (after < text->end && !is_blank(*after) && *after != '\n' && *after != '#')
        return false;
    text->at = after;
    return true;
}

static enum failure_kind read_number(struct graph_text *text, const char *what, uint32_t least,
                                     uint32_t most, uint32_t *number)
{
    skip_blanks(text);
    const char *digit = text->at;
    uint64_t value = 0;
    for (; digit < text->end && *digit >= '0' && *digit <= '9'; digit++)
        if (value <= UINT32_MAX)
            value = 10 * value + (uint64_t)(*digit - '0');
    bool ends = digit == text->end || is_blank(*digit) || *digit == '\n' || *digit == '#';
    if (digit == text->at || !ends || value < least || value > most) {
        char expected[120];
        snprintf(expected, sizeof expected, "%s from %lu to %lu", what, (unsigned long)least,
                 (unsigned long)most);
        return fail_expected(text, expected);
    }
    text->at = digit;
    *number = (uint32_t)value;
    return FAIL_NONE;
}

static enum failure_kind read_line_end(struct graph_text *text)
{
    skip_blanks(text);
    return at_line_end(text) ? FAIL_NONE : fail_expected(text, "the end of the line");
}

/* ---- entries ---- */

/* Reads p lines of r numbers 0 .. most into `entry` (unless NULL); with `seen`, a bit per number,
 * no number may be repeated. */
static enum failure_kind read_entries(struct graph_text *text, const struct expander *graph,
                                      uint32_t most, uint32_t *entry, unsigned char *seen)
{
    const char *what = graph->kind == EXPANDER_LIST ? "a group" : "an entry of the permutation";
    for (uint32_t i = 0; i < graph->inputs; i++) {
        skip_lines(text);
        for (uint32_t j = 0; j < graph->degree; j++) {
            uint32_t number;
            const char *before = text->at;
            enum failure_kind kind = read_number(text, what, 0, most, &number);
            if (kind != FAIL_NONE)
                return kind;
            if (seen != NULL && (seen[number / 8] >> number % 8 & 1) != 0) {
                text->at = before;
                skip_blanks(text);
                return fail_expected(text, "each entry of the permutation once");
            }
            if (seen != NULL)
                seen[number / 8] |= (unsigned char)(1 << number % 8);
            else
                entry[(size_t)i * graph->degree + j] = number;
        }
        enum failure_kind kind = read_line_end(text);
        if (kind != FAIL_NONE)
            return kind;
    }
    skip_lines(text);
    return text->at == text->end ? FAIL_NONE
                                 : fail_expected(text, "the end of the file after p lines");
}

static enum failure_kind check_permutation(struct graph_text text, const struct expander *graph)
{
    uint32_t entries = graph->inputs * graph->degree;
    unsigned char *seen = memory_allocate((size_t)entries / 8 + 1, 1);
    if (seen == NULL)
        return fail_memory(text.failure, "checking a permutation");
    enum failure_kind kind = read_entries(&text, graph, entries - 1, NULL, seen);
    free(seen);
    return kind;
}

/* Reads `M C R` and then the entries. */
static enum failure_kind read_table(struct graph_text *text, struct expander *graph)
{
    enum failure_kind kind =
        read_number(text, "the number of inputs p", 1, EXPANDER_MOST_INPUTS, &graph->inputs);
    uint32_t groups = graph->inputs < EXPANDER_MOST_GROUPS ? graph->inputs : EXPANDER_MOST_GROUPS;
    if (kind == FAIL_NONE)
        kind = read_number(text, "the number of groups c", 1, groups, &graph->groups);
    uint32_t fits = EXPANDER_MOST_EDGES / (graph->inputs == 0 ? 1 : graph->inputs), most;
    most = graph->groups < EXPANDER_MOST_DEGREE ? graph->groups : EXPANDER_MOST_DEGREE;
    if (kind == FAIL_NONE)
        kind = read_number(text, "the degree r", 1, most < fits ? most : fits, &graph->degree);
    if (kind == FAIL_NONE)
        kind = read_line_end(text);
    if (kind != FAIL_NONE)
        return kind;

    uint32_t entries = graph->inputs * graph->degree;
    if ((size_t)(text->end - text->at) / 2 < entries)
        return fail(text->failure, FAIL_INPUT,
                    "%.300s:%llu: expected %lu numbers after the header, found a file too short "
                    "for them",
                    text->name, (unsigned long long)text->line, (unsigned long)entries);
    graph->entry = memory_allocate(entries, sizeof *graph->entry);
    if (graph->entry == NULL)
        return fail_memory(text->failure, "a graph");
    struct graph_text again = *text;
    bool is_list = graph->kind == EXPANDER_LIST;
    kind = read_entries(text, graph, (is_list ? graph->groups : entries) - 1, graph->entry, NULL);
    return kind != FAIL_NONE || is_list ? kind : check_permutation(again, graph);
}

/* Reads `M R Q K`. */
static enum failure_kind read_reed_solomon(struct graph_text *text, struct expander *graph)
{
    uint32_t inputs, degree, q, k;
    struct failure wrong = {0};
    enum failure_kind kind =
        read_number(text, "the number of inputs p", 1, EXPANDER_MOST_INPUTS, &inputs);
    if (kind == FAIL_NONE)
        kind = read_number(text, "the degree r", 1, EXPANDER_MOST_DEGREE, &degree);
    if (kind == FAIL_NONE)
        kind = read_number(text, "the field's order q", 2, GALOIS_MOST, &q);
    if (kind == FAIL_NONE)
        kind = read_number(text, "the dimension k", 1, 32, &k);
    if (kind == FAIL_NONE)
        kind = read_line_end(text);
    if (kind != FAIL_NONE)
        return kind;
    kind = expander_reed_solomon(graph, inputs, degree, q, k, &wrong);
    if (kind == FAIL_USAGE)
        return fail(text->failure, FAIL_INPUT,
                    "%.300s:%llu: expected a Reed-Solomon graph, found that %.160s", text->name,
                    (unsigned long long)text->line, wrong.text);
    if (kind != FAIL_NONE)
        return fail(text->failure, kind, "%s", wrong.text);
    skip_lines(text);
    return text->at == text->end ? FAIL_NONE : fail_expected(text, "nothing after the header");
}

static enum failure_kind read_graph(struct graph_text *text, struct expander *graph)
{
    skip_lines(text);
    if (!pass_word(text, "expander"))
        return fail_expected(text, "the header 'expander 1 KIND ...'");
    if (!pass_word(text, "1"))
        return fail_expected(text, "version 1 of the format after 'expander'");
    for (int kind = 0; kind < EXPANDER_KINDS; kind++)
        if (pass_word(text, expander_kind_name((enum expander_kind)kind))) {
            graph->kind = (enum expander_kind)kind;
            return kind == EXPANDER_REED_SOLOMON ? read_reed_solomon(text, graph)
                                                 : read_table(text, graph);
        }
    return fail_expected(text, "'permutation', 'rs' or 'list'");
}

static enum failure_kind read_text(struct expander *graph, const void *bytes, size_t length,
                                   const char *name, struct failure *failure)
{
    struct failure own = {0};
    struct graph_text text = {.at = bytes, .name = name, .line = 1, .failure = &own};
    text.end = length == 0 ? text.at : text.at + length;
    *graph = (struct expander){0};
    enum failure_kind kind = read_graph(&text, graph);
    if (kind == FAIL_NONE)
        return kind;
    expander_free(graph);
    if (failure != NULL && failure->kind == FAIL_NONE)
        *failure = own;
    return kind;
}

enum failure_kind expander_read_memory(struct expander *graph, const void *bytes, size_t length,
                                       const char *name, struct failure *failure)
{
    return read_text(graph, bytes, length, name, failure);
}

/* ---- files ---- */

/* True if the text may be a graph's: other input may have no end. */
static bool may_be_graph(const char *bytes, size_t length)
{
    struct graph_text text = {.at = bytes, .end = bytes + length, .line = 1};
    skip_lines(&text);
    return text.at == text.end || pass_word(&text, "expander");
}

struct block {
    char *bytes; /* NULL: not yet, or no memory */
    size_t length, room;
};

/* Reads the whole of `file`, or enough to know that it is no graph. */
static enum failure_kind read_whole(FILE *file, struct block *block, const char *name,
                                    struct failure *failure)
{
    do {
        size_t room = block->room == 0 ? FIRST_BLOCK : 2 * block->room;
        char *grown = memory_resize(block->bytes, room, 1);
        if (grown == NULL)
            return fail_memory(failure, name);
        block->bytes = grown;
        block->room = room;
        errno = 0;
        block->length += fread(grown + block->length, 1, room - block->length, file);
        if (ferror(file))
            return fail(failure, FAIL_SYSTEM, "cannot read %.300s: %s", name, strerror(errno));
    } while (block->length == block->room &&
             (block->room > FIRST_BLOCK || may_be_graph(block->bytes, block->length)));
    return FAIL_NONE;
}

enum failure_kind expander_read(struct expander *graph, const char *path, struct failure *failure)
{
    struct block block = {0};
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    FILE *file = standard ? stdin : fopen(path, "rb");
    *graph = (struct expander){0};
    if (file == NULL)
        return fail(failure, FAIL_SYSTEM, "cannot open %.300s: %s", path, strerror(errno));
    enum failure_kind kind = read_whole(file, &block, name, failure);
    if (kind == FAIL_NONE)
        kind = read_text(graph, block.bytes, block.length, name, failure);
    free(block.bytes);
    if (!standard)
        fclose(file);
    return kind;
}

/* ---- writing: a header line, a comment, and a line per input, except for Reed-Solomon graphs
 * ---- */

static void write_table(const struct expander *graph, FILE *out)
{
    for (uint32_t i = 0; i < graph->inputs && !ferror(out); i++)
        for (uint32_t j = 0; j < graph->degree; j++)
            fprintf(out, "%" PRIu32 "%c", graph->entry[(size_t)i * graph->degree + j],
                    j + 1 == graph->degree ? '\n' : ' ');
}

bool expander_write(const struct expander *graph, const char *comment, FILE *out)
{
    fprintf(out, "expander 1 %s %" PRIu32, expander_kind_name(graph->kind), graph->inputs);
    if (graph->kind == EXPANDER_REED_SOLOMON)
        fprintf(out, " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", graph->degree, graph->field.q,
                graph->dimension);
    else
        fprintf(out, " %" PRIu32 " %" PRIu32 "\n", graph->groups, graph->degree);
    if (comment != NULL)
        fprintf(out, "# %s\n", comment);
    if (graph->kind != EXPANDER_REED_SOLOMON)
        write_table(graph, out);
    return !ferror(out) && fflush(out) == 0;
}
