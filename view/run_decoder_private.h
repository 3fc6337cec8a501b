/* run_decoder_private.h - the decoder of a page's run: lines and blocks, and the frames of the mesh machine. */
#ifndef MESHCAST_VIEW_RUN_DECODER_PRIVATE_H
#define MESHCAST_VIEW_RUN_DECODER_PRIVATE_H

#include "view/run_decoder.h"

#include <stddef.h>
#include <stdint.h>

enum { MOST_COLUMNS = 64, NODES_MOST = 1 << 26 };

/* As doc/view-format.md has them: lines of a block of the network, events of a frame before its last row. */
enum { MOST_LINES = 1 << 18, MOST_EVENTS = 1 << 21 };

struct numbers { /* a column */
    const unsigned char *at, *end;
    bool is_bad; /* a number that does not end, or one behind the last was asked for */
};

struct block {
    unsigned char *bytes;
    size_t count, room;
    uint64_t length[MOST_COLUMNS];
    size_t head, promised; /* its bytes before the columns; with them, as these say */
    struct numbers column[MOST_COLUMNS];
    unsigned columns;
};

struct carried { /* a packet */
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
    size_t length, line_room;
    char piece[1 << 16]; /* of the page, read ahead */
    size_t piece_at, piece_count;

    struct block block;
    FILE *out;
    uint64_t rows, cols; /* of the mesh; 0: the run is the network's */
    struct carried *packet;
    size_t packets, packet_room;
    uint64_t steps;       /* that were written, each with its events */
    char *phase;          /* lines "# phase .." that wait for their step, ended by a zero each */
    uint64_t *phase_step; /* how many steps stand before each */
    size_t phases, phases_told;                         /* that wait or were told; that were told */
    size_t phase_room, phase_used, phase_at, step_room; /* phase_at: of the next to be told */
};

/* ---- run_decoder_blocks.c ---- */

/* Fails with FAIL_INPUT, naming the page and the line. */
enum failure_kind page_damaged(const struct decoder *decoder, struct failure *failure,
                               const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Makes room for `count` elements of `size` bytes; new ones are zero. */
bool page_make_room(void *array, size_t count, size_t *room, size_t size, struct failure *failure);

/* Reads the next line into decoder->line; *is_there is false behind the last one. */
enum failure_kind page_next_line(struct decoder *decoder, bool *is_there, struct failure *failure);

/* Unpacks the block at *text, which ends at a blank or the line's end, into decoder->block, and moves *text behind it. Each
 * column may have at most `most` numbers; nothing is unpacked but what the block's first bytes promise. */
enum failure_kind page_read_block(struct decoder *decoder, char **text, unsigned columns,
                                  uint64_t most, struct failure *failure);

/* Whether a column of the block ended too early. */
bool page_block_is_short(const struct block *block);

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

/* 0, 1, 2, 3, .. stand for 0, -1, 1, -2, .. */
static inline uint64_t page_next_change(struct numbers *column)
{
    uint64_t value = page_next(column);
    return value >> 1 ^ (0 - (value & 1));
}

static inline bool page_is_done(const struct numbers *column)
{
    return column->at == column->end;
}

/* ---- run_decoder_frame.c ---- */

/* Writes the events of a frame, "FIRST LAST SUMS KEY BIRTHS EVENTS". */
enum failure_kind page_read_frame(struct decoder *decoder, char *text, struct failure *failure);

/* Writes the phases that begin before the next step. */
void page_tell_phases(struct decoder *decoder);

#endif
