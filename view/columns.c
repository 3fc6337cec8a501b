/* columns.c - deflates a block of columns and writes it in base 64.
 *
 * A block's bytes: how many columns, the length of each in bytes, as numbers of a column; then the columns' bytes.
 * Invariant: base 64 is written in groups of three bytes; `left` holds those of an unfinished group.
 * Source: deflate is zlib's, without a header; base 64 is RFC 4648's, with padding.
 */
#include "view/columns.h"

#include "base/failure.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void column_grow(struct column *column)
{
    if (column->is_lost)
        return;
    uint8_t *grown = memory_grow(column->byte, &column->room, column->room + 1, 1);
    column->is_lost = grown == NULL;
    if (grown != NULL)
        column->byte = grown;
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

static void write_group(struct base64 *text, size_t bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *left = text->left;
    uint32_t group = (uint32_t)left[0] << 16 | (uint32_t)left[1] << 8 | left[2];
    char four[4] = {digits[group >> 18], digits[group >> 12 & 63], digits[group >> 6 & 63],
                    digits[group & 63]};
    if (bytes < 3)
        four[3] = '=';
    if (bytes < 2)
        four[2] = '=';
    fwrite(four, 1, sizeof four, text->out);
    text->count = 0;
}

static void write_base64(struct base64 *text, const unsigned char *byte, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text->left[text->count++] = byte[i];
        if (text->count == 3)
            write_group(text, 3);
    }
}

static void end_base64(struct base64 *text)
{
    size_t count = text->count;
    if (count == 0)
        return;
    memset(text->left + count, 0, 3 - count);
    write_group(text, count);
}

/* ---- blocks ---- */

/* Hands bytes to the deflater; with Z_FINISH they are the last ones. */
static void deflate_bytes(z_stream *stream, const uint8_t *byte, size_t count, int flush,
                          struct base64 *text)
{
    enum { PIECE = 1 << 30 };
    unsigned char buffer[1 << 14];
    size_t done = 0;
    do {
        size_t piece = count - done < PIECE ? count - done : PIECE;
        stream->next_in = (unsigned char *)(uintptr_t)(byte + done);
        stream->avail_in = (unsigned)piece;
        done += piece;
        do {
            stream->next_out = buffer;
            stream->avail_out = sizeof buffer;
            deflate(stream, done == count ? flush : Z_NO_FLUSH);
            write_base64(text, buffer, sizeof buffer - stream->avail_out);
        } while (stream->avail_out == 0);
    } while (done < count);
}

bool columns_write(struct column *column, size_t count, FILE *out)
{
    enum { LEVEL = 6, MEMORY = 8 };
    struct base64 text = {.out = out};
    struct column head = {NULL, 0, 0, false};
    z_stream stream = {0};
    column_put(&head, count);
    bool is_whole = true;
    for (size_t i = 0; i < count; i++) {
        column_put(&head, column[i].count);
        is_whole = is_whole && !column[i].is_lost;
    }
    is_whole =
        is_whole && !head.is_lost &&
        deflateInit2(&stream, LEVEL, Z_DEFLATED, -MAX_WBITS, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK;
    if (is_whole) {
        deflate_bytes(&stream, head.byte, head.count, Z_NO_FLUSH, &text);
        for (size_t i = 0; i < count; i++)
            if (column[i].count > 0)
                deflate_bytes(&stream, column[i].byte, column[i].count, Z_NO_FLUSH, &text);
        deflate_bytes(&stream, head.byte, 0, Z_FINISH, &text);
        end_base64(&text);
        deflateEnd(&stream);
    }
    for (size_t i = 0; i < count; i++)
        column[i].count = 0;
    free(head.byte);
    return is_whole;
}
