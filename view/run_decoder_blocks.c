/* run_decoder_blocks.c - lines of a page, and the blocks in them: base 64, deflate, columns of numbers.
 *
 * A block's bytes are how many columns it has, the length of each, and the columns.
 * Source: RFC 4648 (base 64), RFC 1951 (deflate; the inflating itself is zlib's).
 */
#include "view/run_decoder_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum failure_kind page_damaged(const struct decoder *decoder, struct failure *failure,
                               const char *format, ...)
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

bool page_make_room(void *array, size_t count, size_t *room, size_t size, struct failure *failure)
{
    if (count <= *room)
        return true;
    size_t wanted = *room < 1024 ? 1024 : *room;
    while (wanted < count && wanted <= SIZE_MAX / 4)
        wanted *= 2;
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    grown = memory_resize(old, wanted, size);
    if (grown == NULL) {
        fail_memory(failure, "the page");
        return false;
    }
    memset((char *)grown + *room * size, 0, (wanted - *room) * size);
    memcpy(array, &grown, sizeof grown);
    *room = wanted;
    return true;
}

enum failure_kind page_next_line(struct decoder *decoder, bool *is_there, struct failure *failure)
{
    decoder->length = 0;
    *is_there = false;
    for (;;) {
        if (decoder->piece_at == decoder->piece_count) {
            decoder->piece_at = 0;
            if (byte_source_read(decoder->page, decoder->piece, sizeof decoder->piece,
                                 &decoder->piece_count, failure) != FAIL_NONE)
                return failure->kind;
            if (decoder->piece_count == 0)
                break;
        }
        *is_there = true;
        const char *begin = decoder->piece + decoder->piece_at;
        size_t left = decoder->piece_count - decoder->piece_at;
        const char *newline = memchr(begin, '\n', left);
        size_t count = newline == NULL ? left : (size_t)(newline - begin);
        if (!page_make_room(&decoder->line, decoder->length + count + 1, &decoder->line_room, 1,
                            failure))
            return failure->kind;
        memcpy(decoder->line + decoder->length, begin, count);
        decoder->length += count;
        decoder->piece_at += count + (newline != NULL);
        if (newline != NULL)
            break;
    }
    if (*is_there) {
        decoder->line[decoder->length] = '\0';
        decoder->line_number++;
    }
    return FAIL_NONE;
}

/* ---- blocks ---- */

static int digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *place = c == '\0' ? NULL : strchr(digits, c);
    return place == NULL ? -1 : (int)(place - digits);
}

/* Turns `text` of `count` characters in base 64 into bytes, in place; returns how many, or SIZE_MAX. */
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

/* Reads how many columns the block has and how long each is from its first `count` bytes, and where they begin. A column
 * may have `most` numbers. */
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

/* Unpacks a block: its head first, then what that promises. */
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
    block->promised = 0; /* the head is to come */
    stream.next_in = (unsigned char *)(uintptr_t)text;
    stream.avail_in = (unsigned)count;
    while (state == Z_OK && failure->kind == FAIL_NONE) {
        bool has_head = block->promised > 0;
        size_t piece = block->count + (1 << 16), whole = has_head ? block->promised + 1 : HEAD;
        if (!page_make_room(&block->bytes, piece < whole ? piece : whole, &block->room, 1, failure))
            break;
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

enum failure_kind page_read_block(struct decoder *decoder, char **text, unsigned columns,
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

bool page_block_is_short(const struct block *block)
{
    bool is_bad = false;
    for (unsigned i = 0; i < block->columns; i++)
        is_bad = is_bad || block->column[i].is_bad;
    return is_bad;
}
