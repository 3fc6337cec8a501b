/* run_decoder.c - decodes the lines of a run in a page into the lines of a trace.
 *
 * Each line begins with a word, which is looked up in a table. Each line of the network is a block.
 */
#include "view/run_decoder.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- lines and blocks ---- */

/* Lines of a page, and the blocks in them: base 64, deflate, columns of numbers.
 *
 * A block's bytes are its number of columns, the length of each, and the columns.
 * Source: RFC 4648 (base 64), RFC 1951 (deflate; the inflating itself is zlib's).
 */

enum { MOST_COLUMNS = 64, NODES_MOST = 1 << 26 };

/* As in doc/view-format.md: lines of a block of the network, events of a frame before its last
 * row. */
enum { MOST_LINES = 1 << 18, MOST_EVENTS = 1 << 21 };

struct numbers { /* A column. */
    const unsigned char *at, *end;
    bool is_bad; /* a number that does not end, or one after the last was requested */
};

struct block {
    unsigned char *bytes;
    size_t count, room;
    uint64_t length[MOST_COLUMNS];
    size_t head, promised; /* its bytes before the columns; with them, by its head */
    struct numbers column[MOST_COLUMNS];
    unsigned columns;
};

struct carried { /* A packet. */
    uint64_t number;
    uint32_t node, message;
    unsigned char direction; /* 0 .. 3: north, south, west, east */
    bool is_here;
};

struct decoder {
    struct byte_source *page;
    const char *name;
    uint64_t line_number;
    char *line; /* the present one, ended by a zero */
    size_t line_room;

    struct block block;
    FILE *out;
    uint64_t rows, cols; /* of the mesh; 0: the run is the network's */
    struct carried *packet;
    size_t packets, packet_room;
    uint64_t steps;       /* written so far, each with its events */
    char *phase;          /* lines "# phase .." that wait for their step, ended by a zero each */
    uint64_t *phase_step; /* number of steps before each */
    size_t phases, phases_told; /* waiting or written; written */
    /* phase_at: of the next one to be written */
    size_t phase_room, phase_used, phase_at, step_room;
};

static inline uint64_t page_next(struct numbers *column)
{
    uint64_t value = 0;
    for (unsigned shift = 0; column->at < column->end && shift < 64; shift += 7) {
        unsigned char byte = *column->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    column->is_bad = true;
    return 0;
}

/* Returns the change for a number: 0, 1, 2, 3, .. are 0, -1, 1, -2, .. */
static inline uint64_t page_next_change(struct numbers *column)
{
    uint64_t value = page_next(column);
    return value >> 1 ^ (0 - (value & 1));
}

static inline bool page_is_done(const struct numbers *column)
{
    return column->at == column->end;
}

/* Fails with FAIL_INPUT, naming the page and the line. */
__attribute__((format(printf, 3, 4))) static enum failure_kind
page_damaged(const struct decoder *decoder, struct failure *failure, const char *format, ...)
{
    char text[160];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return fail(failure, FAIL_INPUT, "%.200s:%" PRIu64 ": %s", decoder->name, decoder->line_number,
                text);
}

/* ---- lines ---- */

/* Reads the next line into decoder->line; *is_there is false after the last one. */
static enum failure_kind page_next_line(struct decoder *decoder, bool *is_there,
                                        struct failure *failure)
{
    struct byte_line line;
    *is_there = false;
    if (byte_source_long_line(decoder->page, &line, failure) != FAIL_NONE || line.text == NULL)
        return failure->kind;
    size_t length = (size_t)(line.end - line.text);
    if (!memory_make_room(&decoder->line, &decoder->line_room, length + 1, 1))
        return fail_memory(failure, "the page");
    memcpy(decoder->line, line.text, length);
    decoder->line[length] = '\0';
    decoder->line_number = line.number;
    *is_there = true;
    return FAIL_NONE;
}

/* ---- blocks ---- */

static int digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *place = c == '\0' ? NULL : strchr(digits, c);
    return place == NULL ? -1 : (int)(place - digits);
}

/* Turns `text` of `count` characters in base 64 into bytes, in place; returns their number, or
 * SIZE_MAX. */
static size_t read_base64(char *text, size_t count)
{
    size_t made = 0;
    if (count % 4 != 0 || count == 0)
        return SIZE_MAX;
    for (size_t i = 0; i < count; i += 4) {
        int filled = i + 4 < count ? 4 : text[i + 3] != '=' ? 4 : text[i + 2] != '=' ? 3 : 2;
        uint32_t group = 0;
        for (int k = 0; k < 4; k++) {
            int digit = k < filled ? digit_of(text[i + (size_t)k]) : 0;
            if (digit < 0)
                return SIZE_MAX;
            group = group << 6 | (uint32_t)digit;
        }
        for (int k = 0; k < filled - 1; k++)
            text[made++] = (char)(unsigned char)(group >> (16 - 8 * k));
    }
    return made;
}

/* Reads the number of the block's columns, their lengths and their beginning from its first `count`
 * bytes. A column may have `most` numbers. */
static enum failure_kind read_head(struct decoder *decoder, unsigned columns, uint64_t most,
                                   uint64_t packed, struct failure *failure)
{
    enum {
        NUMBER_BYTES = 10,
        MOST_PACKED = 1032 /* by deflate, which needs a bit for 129 bytes */
    };
    struct block *block = &decoder->block;
    struct numbers head = {block->bytes, block->bytes + block->count, false};
    uint64_t sum = 0;
    block->columns = (unsigned)page_next(&head);
    if (head.is_bad || block->columns != columns)
        return page_damaged(decoder, failure, "expected a block of %u columns", columns);
    for (unsigned i = 0; i < columns; i++) {
        uint64_t length = page_next(&head);
        if (head.is_bad || length / NUMBER_BYTES > most)
            return page_damaged(decoder, failure,
                                "expected a column of at most %" PRIu64 " numbers", most);
        block->length[i] = length;
        sum += length;
    }
    block->head = (size_t)(head.at - block->bytes);
    block->promised = block->head + sum;
    if (sum > packed * MOST_PACKED || block->promised < block->count)
        return page_damaged(decoder, failure, "the columns of a block do not fill it");
    return FAIL_NONE;
}

/* Unpacks a block: its head first, then the bytes that this promises. */
static enum failure_kind inflate_block(struct decoder *decoder, const char *text, size_t count,
                                       unsigned columns, uint64_t most, struct failure *failure)
{
    enum { HEAD = 10 * (MOST_COLUMNS + 1) };
    struct block *block = &decoder->block;
    z_stream stream = {0};
    int state = inflateInit2(&stream, -MAX_WBITS);
    if (state != Z_OK)
        return fail_memory(failure, "the page");
    block->count = 0;
    block->promised = 0; /* the head comes first */
    stream.next_in = (unsigned char *)(uintptr_t)text;
    stream.avail_in = (unsigned)count;
    while (state == Z_OK && failure->kind == FAIL_NONE) {
        bool has_head = block->promised > 0;
        size_t piece = block->count + (1 << 16), whole = has_head ? block->promised + 1 : HEAD;
        if (!memory_make_room(&block->bytes, &block->room, piece < whole ? piece : whole, 1)) {
            fail_memory(failure, "the page");
            break;
        }
        size_t room = (block->room < whole ? block->room : whole) - block->count;
        stream.next_out = block->bytes + block->count;
        stream.avail_out = room < 1 << 30 ? (unsigned)room : 1 << 30;
        unsigned before = stream.avail_out;
        state = inflate(&stream, Z_NO_FLUSH);
        block->count += before - stream.avail_out;
        if (!has_head && (state == Z_OK || state == Z_STREAM_END))
            read_head(decoder, columns, most, count, failure);
        if (failure->kind == FAIL_NONE && block->promised > 0 && block->count > block->promised)
            page_damaged(decoder, failure, "the columns of a block do not fill it");
    }
    inflateEnd(&stream);
    if (failure->kind == FAIL_NONE && state == Z_MEM_ERROR)
        return fail_memory(failure, "the page");
    if (failure->kind == FAIL_NONE && (state != Z_STREAM_END || stream.avail_in > 0))
        return page_damaged(decoder, failure, "a block does not unpack");
    if (failure->kind == FAIL_NONE && block->count < block->promised)
        return page_damaged(decoder, failure, "the columns of a block do not fill it");
    return failure->kind;
}

/* Unpacks the block at *text, which ends at a blank or the line's end, into decoder->block, and
 * moves *text after it. Each column may have at most `most` numbers; only as many bytes are
 * unpacked as the block's first bytes promise. */
static enum failure_kind page_read_block(struct decoder *decoder, char **text, unsigned columns,
                                         uint64_t most, struct failure *failure)
{
    struct block *block = &decoder->block;
    char *begin = *text;
    size_t length = strcspn(begin, " ");
    *text = begin[length] == ' ' ? begin + length + 1 : begin + length;
    size_t count = read_base64(begin, length);
    if (count == SIZE_MAX || count > UINT32_MAX)
        return page_damaged(decoder, failure, "expected a block in base 64");
    if (inflate_block(decoder, begin, count, columns, most, failure) != FAIL_NONE)
        return failure->kind;
    const unsigned char *at = block->bytes + block->head;
    for (unsigned i = 0; i < columns; i++) {
        block->column[i] = (struct numbers){at, at + block->length[i], false};
        at += block->length[i];
    }
    return FAIL_NONE;
}

/* True if a column of the block ended too early. */
static bool page_block_is_short(const struct block *block)
{
    bool is_bad = false;
    for (unsigned i = 0; i < block->columns; i++)
        is_bad = is_bad || block->column[i].is_bad;
    return is_bad;
}

/* ---- frames of the mesh machine ---- */

/* Decodes a frame of a run of the mesh machine into the lines of its trace.
 *
 * A frame has four blocks: sums, which are not needed here; a key, the places of packets before it;
 * the packets that begin in it; and events.
 * Invariant: every number is checked before it names a packet or a node.
 */

/* The columns of a frame, as in doc/view-format.md. */
enum { KEY_PACKET, KEY_NODE, KEYS };
enum { BORN_MESSAGE, BORN_NUMBER, BORNS };
enum { STEP, COUNT, WORDS, PACKET, OPERATION, NODE, COPIED, INTO, WORD, EVENTS };

static bool packet_is_known(const struct decoder *decoder, uint64_t packet)
{
    return packet < decoder->packets && decoder->packet[packet].is_here;
}

/* Reads the places of the packets under way. */
static enum failure_kind read_key(struct decoder *decoder, char **text, struct failure *failure)
{
    if (page_read_block(decoder, text, KEYS, decoder->packets, failure) != FAIL_NONE)
        return failure->kind;
    struct numbers *column = decoder->block.column;
    uint64_t packet = 0, node = 0;
    for (size_t i = 0; i < decoder->packets; i++)
        decoder->packet[i].is_here = false;
    while (!page_is_done(&column[KEY_PACKET])) {
        packet += page_next(&column[KEY_PACKET]);
        node += page_next_change(&column[KEY_NODE]);
        if (node >= decoder->rows * decoder->cols || packet >= decoder->packets ||
            page_block_is_short(&decoder->block))
            return page_damaged(decoder, failure, "a frame's key is damaged");
        decoder->packet[packet].node = (uint32_t)node;
        decoder->packet[packet].direction = 0;
        decoder->packet[packet].is_here = true;
    }
    return FAIL_NONE;
}

/* Reads the messages and numbers of the packets that begin in the frame. */
static enum failure_kind read_births(struct decoder *decoder, char **text, struct failure *failure)
{
    if (page_read_block(decoder, text, BORNS, INT32_MAX - decoder->packets, failure) != FAIL_NONE)
        return failure->kind;
    struct numbers *column = decoder->block.column;
    uint64_t message = 0, number = UINT64_MAX;
    while (!page_is_done(&column[BORN_MESSAGE])) {
        message += page_next_change(&column[BORN_MESSAGE]);
        number += 1 + page_next_change(&column[BORN_NUMBER]);
        if (message >= UINT32_MAX || page_block_is_short(&decoder->block))
            return page_damaged(decoder, failure, "a frame's new packets are damaged");
        if (!memory_make_room(&decoder->packet, &decoder->packet_room, decoder->packets + 1,
                              sizeof *decoder->packet))
            return fail_memory(failure, "the page");
        decoder->packet[decoder->packets++] =
            (struct carried){number, 0, (uint32_t)message, 0, false};
    }
    return FAIL_NONE;
}

/* Puts a packet at a node. False: there is no such packet, or it is there. */
static bool enter(struct decoder *decoder, uint64_t packet, uint64_t node)
{
    if (packet >= decoder->packets || decoder->packet[packet].is_here ||
        node >= decoder->rows * decoder->cols)
        return false;
    decoder->packet[packet].node = (uint32_t)node;
    decoder->packet[packet].direction = 0;
    decoder->packet[packet].is_here = true;
    return true;
}

/* Finds the node that a link leads to; false: there is none. */
static bool follow(const struct decoder *decoder, uint64_t node, unsigned direction, uint64_t *to)
{
    uint64_t row = node / decoder->cols, col = node % decoder->cols;
    bool is_there = direction == 0   ? row > 0
                    : direction == 1 ? row + 1 < decoder->rows
                    : direction == 2 ? col > 0
                                     : col + 1 < decoder->cols;
    *to = direction == 0   ? node - decoder->cols
          : direction == 1 ? node + decoder->cols
          : direction == 2 ? node - 1
                           : node + 1;
    return is_there;
}

/* The state that changes from event to event of a frame. */
struct frame {
    uint64_t node, copied; /* node of the last injection; the last copy */
};

static enum failure_kind write_event(struct decoder *decoder, struct frame *frame, uint64_t step,
                                     uint64_t packet, struct failure *failure)
{
    struct numbers *column = decoder->block.column;
    uint64_t operation = page_next(&column[OPERATION]), to;
    FILE *out = decoder->out;
    if (operation == 5) {
        frame->node += page_next_change(&column[NODE]);
        if (!enter(decoder, packet, frame->node))
            return page_damaged(decoder, failure, "a packet that is injected is damaged");
        fprintf(out, "%" PRIu64 " I %" PRIu64 " %" PRIu64 " %" PRIu32 "\n", step, frame->node,
                decoder->packet[packet].number, decoder->packet[packet].message);
        return FAIL_NONE;
    }
    if (!packet_is_known(decoder, packet))
        return page_damaged(decoder, failure, "an event is of a packet that is not there");
    struct carried *what = &decoder->packet[packet];
    uint64_t node = what->node, number = what->number;
    switch (operation) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        if (operation > 0)
            what->direction = (unsigned char)(operation - 1);
        if (!follow(decoder, node, what->direction, &to))
            return page_damaged(decoder, failure, "a packet leaves the mesh");
        fprintf(out, "%" PRIu64 " M %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", step, number, node, to);
        what->node = (uint32_t)to;
        return FAIL_NONE;
    case 6:
        frame->copied += 1 + page_next_change(&column[COPIED]);
        if (!enter(decoder, frame->copied, node))
            return page_damaged(decoder, failure, "a copy is damaged");
        fprintf(out, "%" PRIu64 " C %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", step, node, number,
                decoder->packet[frame->copied].number);
        return FAIL_NONE;
    case 7:
    case 8:
        fprintf(out, "%" PRIu64 " %c %" PRIu64 " %" PRIu64 " %" PRIu32 "\n", step,
                operation == 7 ? 'D' : 'E', node, number, what->message);
        what->is_here = operation == 7;
        return FAIL_NONE;
    case 9:
        fprintf(out, "%" PRIu64 " R %" PRIu64 " %" PRIu64 "\n", step, node, number);
        what->is_here = false;
        return FAIL_NONE;
    case 10:
        packet += page_next_change(&column[INTO]);
        if (!packet_is_known(decoder, packet))
            return page_damaged(decoder, failure, "a packet is merged into one that is not there");
        fprintf(out, "%" PRIu64 " G %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", step, node, number,
                decoder->packet[packet].number);
        what->is_here = false;
        return FAIL_NONE;
    default:
        return page_damaged(decoder, failure, "expected an operation from 0 to 10");
    }
}

/* Writes the words of a step. */
static enum failure_kind write_words(struct decoder *decoder, uint64_t step, uint64_t count,
                                     struct failure *failure)
{
    struct numbers *column = &decoder->block.column[WORD];
    uint64_t link = 0, to;
    for (; count > 0; count--) {
        link += page_next(column);
        if (column->is_bad || link / 4 >= decoder->rows * decoder->cols ||
            !follow(decoder, link / 4, link % 4, &to))
            return page_damaged(decoder, failure, "a word crosses a link that is not there");
        fprintf(decoder->out, "%" PRIu64 " X %" PRIu64 " %" PRIu64 "\n", step, link / 4, to);
    }
    return FAIL_NONE;
}

/* Writes the phases that begin before the next step. */
static void page_tell_phases(struct decoder *decoder)
{
    while (decoder->phases_told < decoder->phases &&
           decoder->phase_step[decoder->phases_told] <= decoder->steps) {
        const char *text = decoder->phase + decoder->phase_at;
        fprintf(decoder->out, "# phase %s\n", text);
        decoder->phase_at += strlen(text) + 1;
        decoder->phases_told++;
    }
}

/* Returns the most events or words of a frame: its last row has, per packet, at most a copy, a
 * move, a delivery, and its beginning or end, and a word per link. */
static uint64_t most_events(const struct decoder *decoder)
{
    uint64_t links = 4 * decoder->rows * decoder->cols, of_packets = 5 * (uint64_t)decoder->packets;
    return MOST_EVENTS + (of_packets > links ? of_packets : links);
}

/* Writes the events of a frame, "FIRST LAST SUMS KEY BIRTHS EVENTS". */
static enum failure_kind page_read_frame(struct decoder *decoder, char *text,
                                         struct failure *failure)
{
    uint64_t first = strtoull(text, &text, 10);
    strtoull(text, &text, 10);
    text += *text == ' ';
    text += strcspn(text, " ");
    text += *text == ' ';
    if (decoder->rows == 0)
        return page_damaged(decoder, failure, "expected the trace's first line before a frame");
    if (read_key(decoder, &text, failure) != FAIL_NONE ||
        read_births(decoder, &text, failure) != FAIL_NONE ||
        page_read_block(decoder, &text, EVENTS, most_events(decoder), failure) != FAIL_NONE)
        return failure->kind;
    struct numbers *column = decoder->block.column;
    struct frame frame = {0, UINT64_MAX};
    while (!page_is_done(&column[STEP])) {
        uint64_t step = first + page_next(&column[STEP]), count = page_next(&column[COUNT]),
                 packet = 0;
        uint64_t words = page_next(&column[WORDS]);
        page_tell_phases(decoder);
        decoder->steps++;
        for (; count > 0; count--) {
            packet += page_next_change(&column[PACKET]);
            if (page_block_is_short(&decoder->block))
                return page_damaged(decoder, failure, "a frame ends before its events do");
            if (write_event(decoder, &frame, step, packet, failure) != FAIL_NONE)
                return failure->kind;
        }
        if (write_words(decoder, step, words, failure) != FAIL_NONE)
            return failure->kind;
    }
    return page_block_is_short(&decoder->block)
               ? page_damaged(decoder, failure, "a frame ends before its events do")
               : FAIL_NONE;
}

/* ---- the page ---- */

/* ---- the network ---- */

/* Reads a block of lines: each a letter, a cycle and the letter's fields, as changes from the
 * previous line of that letter. */
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

/* Reads a string of JSON in place: returns its text without quotes; NULL: it is none. */
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

/* Reads the first line of the trace. */
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

/* Reads "STEPS NAME": a phase that begins after so many steps with events. */
static enum failure_kind read_phase(struct decoder *decoder, char *text, struct failure *failure)
{
    uint64_t steps = strtoull(text, &text, 10);
    const char *name = *text == ' ' ? read_string(text + 1) : NULL;
    if (name == NULL)
        return page_damaged(decoder, failure, "expected a phase's number and its name in quotes");
    size_t length = strlen(name) + 1;
    if (!memory_make_room(&decoder->phase, &decoder->phase_room, decoder->phase_used + length, 1) ||
        !memory_make_room(&decoder->phase_step, &decoder->step_room, decoder->phases + 1,
                          sizeof *decoder->phase_step))
        return fail_memory(failure, "the page");
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
                        " on the page keeps only sums; --view-events keeps more",
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
