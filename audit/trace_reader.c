/* trace_reader.c - reads a trace (doc/model.md, "The trace") line by line, as a stream.
 *
 * Source: the grammar in doc/model.md, "The trace". Letters are rows of one table.
 * Cost: a few operations per byte.
 */
#include "audit/trace_reader.h"

#include "base/text_scan.h"
#include "workloads/message_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HEADER_FORM                                                                                \
    "meshcast-trace 1 ROWS COLS copy=unit|free buffer=B|none [reduce=sum] [kernel=NAME]"
#define ANY_HEADER "of a trace, 'meshcast-trace 1 ROWS COLS ..' or 'meshcast-network 1 TOPOLOGY ..'"

struct letter {
    char letter;
    int fields; /* fields after the letter */
    const char *form;
};

static const struct letter LETTERS[TRACE_KINDS] = {
    [TRACE_INJECT] = {'I', 3, "STEP I NODE PACKET MESSAGE"},
    [TRACE_MOVE] = {'M', 3, "STEP M PACKET FROM TO"},
    [TRACE_WORD] = {'X', 2, "STEP X FROM TO"},
    [TRACE_COPY] = {'C', 3, "STEP C NODE PACKET COPY"},
    [TRACE_DELIVER] = {'D', 3, "STEP D NODE PACKET MESSAGE"},
    [TRACE_END] = {'E', 3, "STEP E NODE PACKET MESSAGE"},
    [TRACE_DISCARD] = {'R', 2, "STEP R NODE PACKET"},
    [TRACE_MERGE] = {'G', 3, "STEP G NODE PACKET INTO"},
};

char trace_letter(enum trace_kind kind)
{
    return LETTERS[kind].letter;
}

static enum failure_kind malformed(const struct trace_reader *reader, struct failure *failure,
                                   const char *expected)
{
    return fail(failure, FAIL_INPUT, "%s:%" PRIu64 ": format: expected %s", reader->source,
                reader->line, expected);
}

/* ---- events ---- */

/* Reads a number of at most 64 bits, up to a gap, and the blanks around it. */
static bool read_number(const char **at, const char *end, uint64_t *number)
{
    const char *c = scan_blanks(*at, end), *begin = c;
    uint64_t value = 0;
    for (; c < end && scan_is_digit(*c); c++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
            return false;
    *number = value;
    *at = scan_blanks(c, end);
    return c > begin && scan_at_gap(c, end);
}

static bool find_kind(char letter, enum trace_kind *kind)
{
    for (int i = 0; i < TRACE_KINDS; i++) {
        if (LETTERS[i].letter == letter) {
            *kind = (enum trace_kind)i;
            return true;
        }
    }
    return false;
}

static enum failure_kind parse_event(struct trace_reader *reader, const struct byte_line *line,
                                     struct trace_event *event, struct failure *failure)
{
    const char *at = line->text, *end = line->end;
    event->line = reader->line;
    if (!read_number(&at, end, &event->step) || event->step >= TRACE_STEP_LIMIT)
        return malformed(reader, failure, "a line that begins with a step below 2^61");
    if (at == end || !find_kind(*at, &event->kind) || at + 1 == end || !scan_is_blank(at[1]))
        return malformed(reader, failure, "one of the letters I M X C D E R G after the step");
    const struct letter *letter = &LETTERS[event->kind];
    at++;
    for (int i = 0; i < letter->fields; i++)
        if (!read_number(&at, end, &event->field[i]))
            return malformed(reader, failure, letter->form);
    return at == end ? FAIL_NONE : malformed(reader, failure, letter->form);
}

/* True if the comment is `# phase NAME`; keeps the name without blanks around it. */
static bool parse_phase(struct trace_reader *reader, const struct byte_line *line)
{
    static const char word[] = "phase";
    const char *at = scan_blanks(line->text + 1, line->end), *end = line->end;
    if (end - at < (int)sizeof word || memcmp(at, word, sizeof word - 1) != 0 ||
        !scan_is_blank(at[sizeof word - 1]))
        return false;
    at = scan_blanks(at + sizeof word, end);
    while (end > at && scan_is_blank(end[-1]))
        end--;
    snprintf(reader->phase, sizeof reader->phase, "%.*s", (int)(end - at), at);
    return true;
}

static enum failure_kind next_line(struct trace_reader *reader, struct byte_line *line,
                                   struct failure *failure)
{
    enum failure_kind kind = byte_source_line(reader->bytes, line, failure);
    reader->line = line->number;
    return kind;
}

enum trace_item trace_reader_next(struct trace_reader *reader, struct trace_event *event,
                                  struct failure *failure)
{
    for (;;) {
        struct byte_line line = {.number = reader->line};
        if (next_line(reader, &line, failure) != FAIL_NONE)
            return TRACE_ITEM_FAILED;
        if (line.text == NULL)
            return TRACE_ITEM_FINISH;
        if (line.text < line.end && *line.text == '#') {
            if (parse_phase(reader, &line))
                return TRACE_ITEM_PHASE;
            continue;
        }
        if (scan_blanks(line.text, line.end) < line.end)
            return parse_event(reader, &line, event, failure) == FAIL_NONE ? TRACE_ITEM_EVENT
                                                                           : TRACE_ITEM_FAILED;
    }
}

/* ---- header ---- */

/* Reads the number that fills the word at `text`. */
static bool word_number(const char *text, uint64_t *number)
{
    const char *end = text + strlen(text);
    return read_number(&text, end, number) && text == end;
}

/* Reads one KEY=VALUE; `seen` has a bit for each earlier key. */
static bool parse_option(char *word, struct trace_header *header, unsigned *seen)
{
    static const char *const keys[] = {"copy=", "buffer=", "kernel=", "reduce="};
    enum { KEYS = sizeof keys / sizeof *keys };
    unsigned key = 0;
    while (key < KEYS && strncmp(word, keys[key], strlen(keys[key])) != 0)
        key++;
    if (key == KEYS || (*seen & 1u << key))
        return false;
    *seen |= 1u << key;

    char *value = word + strlen(keys[key]);
    uint64_t capacity = 0;
    switch (key) {
    case 0:
        header->copy_is_free = strcmp(value, "free") == 0;
        return header->copy_is_free || strcmp(value, "unit") == 0;
    case 1:
        header->has_capacity = strcmp(value, "none") != 0;
        if (header->has_capacity && (!word_number(value, &capacity) || capacity > UINT32_MAX))
            return false;
        header->capacity = (uint32_t)capacity;
        return true;
    case 2:
        header->is_kernel = true;
        return *value != '\0';
    default:
        header->reduces = true;
        return strcmp(value, "sum") == 0;
    }
}

static bool parse_header(const struct byte_line *line, struct trace_header *header)
{
    enum { WORDS = 8, LONGEST = 1024 };
    char text[LONGEST], *word[WORDS + 1], *state = NULL;
    int words = 0, length = (int)(line->end - line->text);
    snprintf(text, sizeof text, "%.*s", length, line->text);
    if (strlen(text) != (size_t)length)
        return false;
    for (char *w = strtok_r(text, " \t", &state); w && words <= WORDS;
         w = strtok_r(NULL, " \t", &state))
        word[words++] = w;
    if (words < 6 || words > WORDS || strcmp(word[0], "meshcast-trace") != 0 ||
        strcmp(word[1], "1") != 0)
        return false;

    uint64_t rows, cols;
    if (!word_number(word[2], &rows) || !word_number(word[3], &cols) || rows < 1 || cols < 1 ||
        rows > MESH_MAX_SIDE || cols > MESH_MAX_SIDE || rows * cols > MESH_MAX_NODES)
        return false;
    *header = (struct trace_header){.rows = (uint32_t)rows, .cols = (uint32_t)cols};
    unsigned seen = 0;
    for (int i = 4; i < words; i++)
        if (!parse_option(word[i], header, &seen))
            return false;
    return (seen & 3u) == 3u;
}

/* Fails for want of a header. Names the apparent kind of the file, or both possible headers. */
static enum failure_kind fail_header(struct trace_reader *reader, const struct byte_line *line,
                                     struct failure *failure)
{
    static const struct {
        const char *begin, *expected;
    } others[] = {
        {"meshcast-trace", "the header " HEADER_FORM},
        {"meshcast-network", "the header of a network's trace in the first line of the file"},
        {"mcast", "the header of a trace; this is a message set, the trace comes after it: "
                  "audit SET TRACE"},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if ((size_t)(line->end - line->text) >= strlen(others[i].begin) &&
            memcmp(line->text, others[i].begin, strlen(others[i].begin)) == 0)
            return malformed(reader, failure, others[i].expected);
    return malformed(reader, failure, "the header " ANY_HEADER ", found something else");
}

enum failure_kind trace_reader_open(struct trace_reader *reader, struct byte_source *source,
                                    const char *name, struct trace_header *header,
                                    struct failure *failure)
{
    struct byte_line line;
    *reader = (struct trace_reader){.bytes = source};
    snprintf(reader->source, sizeof reader->source, "%s",
             strcmp(name, "-") == 0 ? "standard input" : name);
    do
        if (next_line(reader, &line, failure) != FAIL_NONE)
            return failure->kind;
    while (line.text != NULL && line.text < line.end && *line.text == '#');
    if (line.text == NULL) {
        reader->line++;
        return malformed(reader, failure, "the header " ANY_HEADER ", found the end of the file");
    }
    return parse_header(&line, header) ? FAIL_NONE : fail_header(reader, &line, failure);
}
