/* columns.c - deflates a block of columns and writes it in base 64.
 *
 * A block's bytes: the number of columns and the length of each in bytes, as numbers of a column;
 * then the columns' bytes.
 * Invariant: base 64 is written in groups of three bytes; `left` has the bytes of an unfinished
 * group.
 * Source: deflate is zlib's, without a header; base 64 is RFC 4648's, with padding.
 */
#include "view/columns.h"

#include "base/failure.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PIECE = 1 << 14 }; /* bytes that are deflated and written at once */

bool column_reserve(struct column *column, size_t bytes)
{
    if (column->is_lost || column->room - column->count >= bytes)
        return !column->is_lost;
    uint8_t *grown = memory_grow(column->byte, &column->room, column->count + bytes, 1);
    column->is_lost = grown == NULL;
    if (grown != NULL)
        column->byte = grown;
    return grown != NULL;
}

void columns_free(struct column *column, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(column[i].byte);
        column[i] = (struct column){NULL, 0, 0, false};
    }
}

/* ---- base 64 ---- */

struct base64 {
    FILE *out;
    unsigned char left[3];
    size_t count; /* of `left` */
};

static char *put_group(char *to, const unsigned char *byte)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t group = (uint32_t)byte[0] << 16 | (uint32_t)byte[1] << 8 | byte[2];
    for (int shift = 18; shift >= 0; shift -= 6)
        *to++ = digits[group >> shift & 63];
    return to;
}

/* Writes at most PIECE bytes. */
static void write_base64(struct base64 *text, const unsigned char *byte, size_t count)
{
    char digits[(PIECE / 3 + 1) * 4], *to = digits;
    size_t at = 0;
    while (text->count > 0 && text->count < 3 && at < count)
        text->left[text->count++] = byte[at++];
    if (text->count == 3) {
        to = put_group(to, text->left);
        text->count = 0;
    }
    for (; count - at >= 3; at += 3)
        to = put_group(to, byte + at);
    while (at < count)
        text->left[text->count++] = byte[at++];
    fwrite(digits, 1, (size_t)(to - digits), text->out);
}

static void end_base64(struct base64 *text)
{
    char four[4];
    size_t count = text->count;
    if (count == 0)
        return;
    memset(text->left + count, 0, 3 - count);
    put_group(four, text->left);
    memset(four + count + 1, '=', 3 - count);
    fwrite(four, 1, sizeof four, text->out);
}

/* ---- blocks ---- */

struct deflater {
    z_stream stream;
    size_t bytes;        /* deflated so far */
    struct base64 *text; /* receives them; NULL: they are only counted */
};

/* Deflates bytes; with Z_FINISH they are the last ones. */
static void deflate_bytes(struct deflater *deflater, const uint8_t *byte, size_t count, int flush)
{
    enum { MOST = 1 << 30 };
    z_stream *stream = &deflater->stream;
    unsigned char buffer[PIECE];
    size_t done = 0;
    do {
        size_t piece = count - done < MOST ? count - done : MOST;
        stream->next_in = (unsigned char *)(uintptr_t)(byte + done);
        stream->avail_in = (unsigned)piece;
        done += piece;
        do {
            stream->next_out = buffer;
            stream->avail_out = sizeof buffer;
            deflate(stream, done == count ? flush : Z_NO_FLUSH);
            size_t made = sizeof buffer - stream->avail_out;
            if (deflater->text != NULL)
                write_base64(deflater->text, buffer, made);
            deflater->bytes += made;
        } while (stream->avail_out == 0);
    } while (done < count);
}

/* Deflates `head` and then the columns, of each at most `most` bytes from its middle. False: no
 * memory. */
static bool deflate_columns(struct deflater *deflater, const struct column *head,
                            const struct column *column, size_t count, int strategy, size_t most)
{
    enum { LEVEL = 6, MEMORY = 8 };
    if (deflateInit2(&deflater->stream, LEVEL, Z_DEFLATED, -MAX_WBITS, MEMORY, strategy) != Z_OK)
        return false;
    deflate_bytes(deflater, head->byte, head->count, Z_NO_FLUSH);
    for (size_t i = 0; i < count; i++) {
        size_t bytes = column[i].count < most ? column[i].count : most;
        if (bytes > 0)
            deflate_bytes(deflater, column[i].byte + (column[i].count - bytes) / 2, bytes,
                          Z_NO_FLUSH);
    }
    deflate_bytes(deflater, head->byte, 0, Z_FINISH);
    deflateEnd(&deflater->stream);
    return true;
}

/* Chooses the strategy for deflating a large block, by a sample. Deflate's search for repetitions
 * is slow in columns whose only repetitions are runs of equal bytes; the strategy for runs packs
 * these better, in a tenth of the time. False: no memory. */
static bool choose_strategy(const struct column *head, const struct column *column, size_t count,
                            int *strategy)
{
    enum { LARGE = 1 << 18, SAMPLE = 1 << 16 };
    struct deflater whole = {.text = NULL}, runs = {.text = NULL};
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += column[i].count;
    *strategy = Z_DEFAULT_STRATEGY;
    if (bytes < LARGE)
        return true;
    if (!deflate_columns(&whole, head, column, count, Z_DEFAULT_STRATEGY, SAMPLE) ||
        !deflate_columns(&runs, head, column, count, Z_RLE, SAMPLE))
        return false;
    if (runs.bytes < whole.bytes)
        *strategy = Z_RLE;
    return true;
}

bool columns_write(struct column *column, size_t count, FILE *out)
{
    struct base64 text = {.out = out};
    struct deflater deflater = {.text = &text};
    struct column head = {NULL, 0, 0, false};
    int strategy;
    column_put(&head, count);
    bool is_whole = true;
    for (size_t i = 0; i < count; i++) {
        column_put(&head, column[i].count);
        is_whole = is_whole && !column[i].is_lost;
    }
    is_whole = is_whole && !head.is_lost && choose_strategy(&head, column, count, &strategy) &&
               deflate_columns(&deflater, &head, column, count, strategy, SIZE_MAX);
    end_base64(&text);
    for (size_t i = 0; i < count; i++)
        column[i].count = 0;
    free(head.byte);
    return is_whole;
}
