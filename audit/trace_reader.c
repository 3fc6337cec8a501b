/* trace_reader.c - reads a trace (doc/model.md, "The trace") line by line, as a stream.
 *
 * Method: one buffer of LINE_LIMIT bytes. A line is handed out in place, its newline overwritten
 * by a zero that stops every scan; when no whole line is left, the rest moves to the front and the
 * buffer is filled again. Nothing is kept of a line once the next one is asked for, so memory does
 * not depend on the trace's length; a line that does not fit into the buffer is an error.
 *
 * Invariant: buffer[begin .. filled-1] are the bytes not yet handed out, filled <= LINE_LIMIT, and
 * one byte behind them belongs to the buffer, for the zero of a last line without a newline. A
 * zero byte inside a line ends the scan before the line's end, which the callers compare with, so
 * binary junk is never taken for a short line.
 *
 * Source: the grammar in doc/model.md, "The trace". Letters are rows of one table.
 * Cost: a few operations a byte.
 */
#include "audit/trace_reader.h"

#include "workloads/message_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_LIMIT = 1 << 18 };

#define HEADER_FORM                                                                                \
    "meshcast-trace 1 ROWS COLS copy=unit|free buffer=B|none [reduce=sum] [kernel=NAME]"
#define ANY_HEADER "of a trace, 'meshcast-trace 1 ROWS COLS ..' or 'meshcast-network 1 TOPOLOGY ..'"

struct letter {
    char letter;
    int fields; /* behind the letter */
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

/* ---- lines ---- */

/* Moves what is left to the front and reads more behind it. */
static enum failure_kind refill(struct trace_reader *reader, struct failure *failure)
{
    size_t left = reader->filled - reader->begin;
    memmove(reader->buffer, reader->buffer + reader->begin, left);
    reader->begin = 0;
    reader->filled = left;
    if (left == LINE_LIMIT) {
        reader->line++;
        return malformed(reader, failure, "a shorter line (this one has over 262144 bytes)");
    }

    size_t got;
    enum failure_kind kind =
        byte_source_read(reader->bytes, reader->buffer + left, LINE_LIMIT - left, &got, failure);
    reader->filled += got;
    reader->at_end = got == 0;
    return kind;
}

/* The next line, between *begin and *end, where a zero stands. *begin is NULL at the end. */
static enum failure_kind next_line(struct trace_reader *reader, char **begin, char **end,
                                   struct failure *failure)
{
    char *newline;
    *begin = *end = NULL;
    for (;;) {
        char *rest = reader->buffer + reader->begin;
        size_t left = reader->filled - reader->begin;
        newline = left > 0 ? memchr(rest, '\n', left) : NULL;
        if (newline || reader->at_end) {
            break;
        }
        enum failure_kind kind = refill(reader, failure);
        if (kind != FAIL_NONE) {
            return kind;
        }
    }
    if (!newline && reader->begin == reader->filled) {
        return FAIL_NONE;
    }
    *begin = reader->buffer + reader->begin;
    *end = newline ? newline : reader->buffer + reader->filled;
    reader->begin = newline ? (size_t)(newline - reader->buffer) + 1 : reader->filled;
    reader->line++;
    if (*end > *begin && (*end)[-1] == '\r') {
        --*end;
    }
    **end = '\0';
    return FAIL_NONE;
}

/* ---- fields ---- */

static char *skip_blanks(char *at)
{
    while (*at == ' ' || *at == '\t') {
        at++;
    }
    return at;
}

/* Reads decimal digits up to a blank or the zero; NULL if there are none, something else follows
 * or the number needs more than 64 bits. */
static char *read_number(char *at, uint64_t *number)
{
    char *begin = at;
    uint64_t value = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (at - begin >= 19 && value > (UINT64_MAX - digit) / 10) {
            return NULL;
        }
        value = value * 10 + digit;
    }
    *number = value;
    bool stops = *at == ' ' || *at == '\t' || *at == '\0';
    return at > begin && stops ? at : NULL;
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

static enum failure_kind parse_event(struct trace_reader *reader, char *at, const char *end,
                                     struct trace_event *event, struct failure *failure)
{
    event->line = reader->line;
    at = read_number(at, &event->step);
    if (!at || event->step >= TRACE_STEP_LIMIT) {
        return malformed(reader, failure, "a line that begins with a step below 2^61");
    }
    at = skip_blanks(at);
    if (!find_kind(*at, &event->kind) || (at[1] != ' ' && at[1] != '\t')) {
        return malformed(reader, failure, "one of the letters I M X C D E R G behind the step");
    }

    const struct letter *letter = &LETTERS[event->kind];
    at++;
    for (int i = 0; i < letter->fields; i++) {
        at = read_number(skip_blanks(at), &event->field[i]);
        if (!at) {
            return malformed(reader, failure, letter->form);
        }
    }
    return skip_blanks(at) == end ? FAIL_NONE : malformed(reader, failure, letter->form);
}

/* True if the comment at `at` is `# phase NAME`; keeps the name without blanks around it. */
static bool parse_phase(struct trace_reader *reader, char *at, char *end)
{
    at = skip_blanks(at + 1);
    if (strncmp(at, "phase", 5) != 0 || (at[5] != ' ' && at[5] != '\t')) {
        return false;
    }
    at = skip_blanks(at + 5);
    while (end > at && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    size_t length = (size_t)(end - at);
    if (length >= TRACE_PHASE) {
        length = TRACE_PHASE - 1;
    }
    memcpy(reader->phase, at, length);
    reader->phase[length] = '\0';
    return true;
}

enum trace_item trace_reader_next(struct trace_reader *reader, struct trace_event *event,
                                  struct failure *failure)
{
    for (;;) {
        char *begin, *end;
        if (next_line(reader, &begin, &end, failure) != FAIL_NONE) {
            return TRACE_ITEM_FAILED;
        }
        if (!begin) {
            return TRACE_ITEM_FINISH;
        }
        if (*begin == '#') {
            if (parse_phase(reader, begin, end)) {
                return TRACE_ITEM_PHASE;
            }
            continue;
        }
        begin = skip_blanks(begin);
        if (begin == end) {
            continue;
        }
        return parse_event(reader, begin, end, event, failure) == FAIL_NONE ? TRACE_ITEM_EVENT
                                                                            : TRACE_ITEM_FAILED;
    }
}

/* ---- header ---- */

/* Reads the number that fills the word at `text`. */
static bool word_number(char *text, uint64_t *number)
{
    char *end = read_number(text, number);
    return end && *end == '\0';
}

/* Takes one KEY=VALUE; `seen` holds a bit for each key that came before. */
static bool parse_option(char *word, struct trace_header *header, unsigned *seen)
{
    static const char *const keys[] = {"copy=", "buffer=", "kernel=", "reduce="};
    enum { KEYS = sizeof keys / sizeof *keys };
    unsigned key = 0;
    while (key < KEYS && strncmp(word, keys[key], strlen(keys[key])) != 0) {
        key++;
    }
    if (key == KEYS || (*seen & 1u << key)) {
        return false;
    }
    *seen |= 1u << key;

    char *value = word + strlen(keys[key]);
    uint64_t capacity = 0;
    switch (key) {
    case 0:
        header->copy_is_free = strcmp(value, "free") == 0;
        return header->copy_is_free || strcmp(value, "unit") == 0;
    case 1:
        header->has_capacity = strcmp(value, "none") != 0;
        if (header->has_capacity && (!word_number(value, &capacity) || capacity > UINT32_MAX)) {
            return false;
        }
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

static bool parse_header(char *line, const char *end, struct trace_header *header)
{
    enum { WORDS = 8 };
    char *word[WORDS + 1], *state = NULL;
    int words = 0;
    if (strlen(line) != (size_t)(end - line)) {
        return false;
    }
    for (char *w = strtok_r(line, " \t", &state); w && words <= WORDS;
         w = strtok_r(NULL, " \t", &state)) {
        word[words++] = w;
    }
    if (words < 6 || words > WORDS || strcmp(word[0], "meshcast-trace") != 0 ||
        strcmp(word[1], "1") != 0) {
        return false;
    }

    uint64_t rows, cols;
    if (!word_number(word[2], &rows) || !word_number(word[3], &cols) || rows < 1 || cols < 1 ||
        rows > MESH_MAX_SIDE || cols > MESH_MAX_SIDE || rows * cols > MESH_MAX_NODES) {
        return false;
    }
    *header = (struct trace_header){.rows = (uint32_t)rows, .cols = (uint32_t)cols};
    unsigned seen = 0;
    for (int i = 4; i < words; i++) {
        if (!parse_option(word[i], header, &seen)) {
            return false;
        }
    }
    return (seen & 3u) == 3u;
}

/* Fails for want of a header. Names what the file seems to be instead; else both headers that would do. */
static enum failure_kind fail_header(struct trace_reader *reader, const char *begin,
                                     struct failure *failure)
{
    static const struct {
        const char *begin, *expected;
    } others[] = {
        {"meshcast-trace", "the header " HEADER_FORM},
        {"meshcast-network", "the header of a network's trace in the first line of the file"},
        {"mcast", "the header of a trace; this is a message set, whose trace comes behind it: "
                  "audit SET TRACE"},
    };
    if (begin == NULL)
        return malformed(reader, failure, "the header " ANY_HEADER ", found the end of the file");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strncmp(begin, others[i].begin, strlen(others[i].begin)) == 0)
            return malformed(reader, failure, others[i].expected);
    return malformed(reader, failure, "the header " ANY_HEADER ", found something else");
}

static enum failure_kind read_header(struct trace_reader *reader, struct trace_header *header,
                                     struct failure *failure)
{
    char *begin, *end;
    do {
        enum failure_kind kind = next_line(reader, &begin, &end, failure);
        if (kind != FAIL_NONE) {
            return kind;
        }
    } while (begin && *begin == '#');
    if (!begin) {
        reader->line++;
    }
    return begin && parse_header(begin, end, header) ? FAIL_NONE
                                                     : fail_header(reader, begin, failure);
}

enum failure_kind trace_reader_open(struct trace_reader *reader, struct byte_source *source,
                                    const char *name, struct trace_header *header,
                                    struct failure *failure)
{
    bool is_standard = strcmp(name, "-") == 0;
    *reader = (struct trace_reader){.bytes = source};
    snprintf(reader->source, sizeof reader->source, "%s", is_standard ? "standard input" : name);
    reader->buffer = memory_allocate(LINE_LIMIT + 1, 1);
    enum failure_kind kind = reader->buffer == NULL ? fail_memory(failure, "reading a trace")
                                                    : read_header(reader, header, failure);
    if (kind != FAIL_NONE) {
        trace_reader_close(reader);
    }
    return kind;
}

void trace_reader_close(struct trace_reader *reader)
{
    free(reader->buffer);
    reader->buffer = NULL;
}
