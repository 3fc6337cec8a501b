/* run_decoder.c - from the lines of a run in a page to the lines of a trace.
 *
 * Each line begins with a word, which a table knows. Frames of the mesh machine are run_decoder_frame.c's; lines of the
 * network are a block each.
 */
#include "view/run_decoder_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the network ---- */

/* A block of lines: each a letter, a cycle and the letter's fields, as changes from the line before of that letter. */
static enum failure_kind read_lines(struct decoder *decoder, char *text, struct failure *failure)
{
    static const char letters[] = "PWHFIA";
    static const int fields[] = {3, 4, 5, 6, 5, 5};
    enum { LETTER, CYCLE, FIRST_FIELD, PER_LETTER = 6, COLUMNS = FIRST_FIELD + 6 * PER_LETTER };
    uint64_t last[COLUMNS] = {0};
    if (page_read_block(decoder, &text, COLUMNS, MOST_LINES, failure) != FAIL_NONE)
        return failure->kind;
    struct numbers *column = decoder->block.column;
    while (!page_is_done(&column[LETTER])) {
        uint64_t letter = page_next(&column[LETTER]);
        if (letter >= sizeof fields / sizeof *fields)
            return page_damaged(decoder, failure, "expected a letter from 0 to 5");
        last[CYCLE] += page_next_change(&column[CYCLE]);
        fprintf(decoder->out, "%" PRIu64 " %c", last[CYCLE], letters[letter]);
        for (int i = 0; i < fields[letter]; i++) {
            size_t field = FIRST_FIELD + letter * PER_LETTER + (size_t)i;
            last[field] += page_next_change(&column[field]);
            fprintf(decoder->out, " %" PRIu64, last[field]);
        }
        fputc('\n', decoder->out);
        if (page_block_is_short(&decoder->block))
            return page_damaged(decoder, failure, "a block ends before its lines do");
    }
    return FAIL_NONE;
}

/* ---- lines of a run ---- */

/* Reads a string of JSON in place: its text without quotes; NULL: it is none. */
static char *read_string(char *text)
{
    size_t length = strlen(text);
    if (length < 2 || text[0] != '"' || text[length - 1] != '"')
        return NULL;
    text[length - 1] = '\0';
    char *to = ++text;
    for (const char *from = text; *from != '\0'; from++) {
        unsigned code;
        if (*from != '\\')
            *to++ = *from;
        else if (from[1] == 'u' && sscanf(from + 2, "%4x", &code) == 1 && code > 0 && code < 256 &&
                 strnlen(from, 6) == 6) {
            *to++ = (char)(unsigned char)code;
            from += 5;
        } else
            return NULL;
    }
    *to = '\0';
    return text;
}

/* The first line of the trace. */
static enum failure_kind read_trace(struct decoder *decoder, char *text, struct failure *failure)
{
    const char *header = read_string(text);
    unsigned rows = 0, cols = 0;
    if (header == NULL)
        return page_damaged(decoder, failure, "expected the trace's first line in quotes");
    if (sscanf(header, "meshcast-trace 1 %u %u", &rows, &cols) == 2) {
        if (rows == 0 || cols == 0 || (uint64_t)rows * cols > NODES_MOST)
            return page_damaged(decoder, failure, "expected a mesh of at most %d nodes",
                                NODES_MOST);
        decoder->rows = rows;
        decoder->cols = cols;
    }
    fprintf(decoder->out, "%s\n", header);
    return FAIL_NONE;
}

/* "STEPS NAME": a phase that begins behind so many steps with events. */
static enum failure_kind read_phase(struct decoder *decoder, char *text, struct failure *failure)
{
    uint64_t steps = strtoull(text, &text, 10);
    const char *name = *text == ' ' ? read_string(text + 1) : NULL;
    if (name == NULL)
        return page_damaged(decoder, failure, "expected a phase's number and its name in quotes");
    size_t length = strlen(name) + 1;
    if (!page_make_room(&decoder->phase, decoder->phase_used + length, &decoder->phase_room, 1,
                        failure) ||
        !page_make_room(&decoder->phase_step, decoder->phases + 1, &decoder->step_room,
                        sizeof *decoder->phase_step, failure))
        return failure->kind;
    memcpy(decoder->phase + decoder->phase_used, name, length);
    decoder->phase_used += length;
    decoder->phase_step[decoder->phases++] = steps;
    return FAIL_NONE;
}

static enum failure_kind read_note(struct decoder *decoder, char *text, struct failure *failure)
{
    const char *note = read_string(text);
    if (note == NULL)
        return page_damaged(decoder, failure, "expected a note in quotes");
    fprintf(decoder->out, "# %s\n", note);
    return FAIL_NONE;
}

static enum failure_kind refuse_sums(struct decoder *decoder, char *text, struct failure *failure)
{
    return page_damaged(decoder, failure,
                        "from step %" PRIu64
                        " on the page keeps sums alone; --view-events keeps more",
                        (uint64_t)strtoull(text, NULL, 10));
}

static enum failure_kind read_run(struct decoder *decoder, char *text, struct failure *failure)
{
    (void)text;
    (void)failure;
    page_tell_phases(decoder);
    return FAIL_NONE;
}

static enum failure_kind pass_over(struct decoder *decoder, char *text, struct failure *failure)
{
    (void)decoder;
    (void)text;
    (void)failure;
    return FAIL_NONE;
}

/* Reads the lines of the run up to its end. */
static enum failure_kind read_run_lines(struct decoder *decoder, struct failure *failure)
{
    static const struct {
        const char *word;
        enum failure_kind (*read)(struct decoder *decoder, char *text, struct failure *failure);
    } kinds[] = {{"trace ", read_trace}, {"phase ", read_phase}, {"frame ", page_read_frame},
                 {"lines ", read_lines}, {"note ", read_note},   {"sums ", refuse_sums},
                 {"set ", pass_over},    {"time ", pass_over},   {"run ", read_run}};
    bool is_there, is_whole = false;
    while (page_next_line(decoder, &is_there, failure) == FAIL_NONE && is_there) {
        if (strncmp(decoder->line, "</script>", 9) == 0)
            break;
        is_whole = strncmp(decoder->line, "run ", 4) == 0;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds && failure->kind == FAIL_NONE; i++) {
            size_t length = strlen(kinds[i].word);
            if (strncmp(decoder->line, kinds[i].word, length) == 0)
                kinds[i].read(decoder, decoder->line + length, failure);
        }
        if (failure->kind != FAIL_NONE)
            return failure->kind;
    }
    if (failure->kind == FAIL_NONE && !is_whole)
        return page_damaged(decoder, failure, "the run is cut off: its last line is missing");
    return failure->kind;
}

enum failure_kind run_decode(struct byte_source *page, const char *name, int which, FILE *out,
                             struct failure *failure)
{
    struct decoder *decoder = memory_allocate(1, sizeof *decoder);
    bool is_there = true;
    if (decoder == NULL)
        return fail_memory(failure, "the page");
    decoder->page = page;
    decoder->name = name;
    decoder->out = out;
    while (which > 0 && page_next_line(decoder, &is_there, failure) == FAIL_NONE && is_there)
        which -= strcmp(decoder->line, "meshcast-view 1") == 0;
    if (failure->kind == FAIL_NONE && which > 0)
        page_damaged(decoder, failure,
                     "expected a page of 'meshcast view' with a run of that number");
    if (failure->kind == FAIL_NONE)
        read_run_lines(decoder, failure);
    free(decoder->line);
    free(decoder->block.bytes);
    free(decoder->packet);
    free(decoder->phase);
    free(decoder->phase_step);
    free(decoder);
    return failure->kind;
}
