/* run_decoder_frame.c - from a frame of a run of the mesh machine to the lines of its trace.
 *
 * A frame has four blocks: sums, which are not needed here, a key, which says where packets are before it, the packets that
 * come in it, and events.
 * Invariant: every number is checked before it names a packet or a node.
 */
#include "view/run_decoder_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The columns of a frame, as doc/view-format.md has them. */
enum { KEY_PACKET, KEY_NODE, KEYS };
enum { BORN_MESSAGE, BORN_NUMBER, BORNS };
enum { STEP, COUNT, WORDS, PACKET, OPERATION, NODE, COPIED, INTO, WORD, EVENTS };

static bool packet_is_known(const struct decoder *decoder, uint64_t packet)
{
    return packet < decoder->packets && decoder->packet[packet].is_here;
}

/* Where the packets are that are under way. */
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

/* The messages and numbers of the packets that come in the frame. */
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
        if (!page_make_room(&decoder->packet, decoder->packets + 1, &decoder->packet_room,
                            sizeof *decoder->packet, failure))
            return failure->kind;
        decoder->packet[decoder->packets++] =
            (struct carried){number, 0, (uint32_t)message, 0, false};
    }
    return FAIL_NONE;
}

/* A packet comes to a node. False: there is no such packet, or it is there. */
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

/* The node that a link leads to; false: there is none. */
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

/* What changes from event to event of a frame. */
struct frame {
    uint64_t node, copied; /* where the last packet was injected; the last copy */
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

void page_tell_phases(struct decoder *decoder)
{
    while (decoder->phases_told < decoder->phases &&
           decoder->phase_step[decoder->phases_told] <= decoder->steps) {
        const char *text = decoder->phase + decoder->phase_at;
        fprintf(decoder->out, "# phase %s\n", text);
        decoder->phase_at += strlen(text) + 1;
        decoder->phases_told++;
    }
}

/* The most events or words that a frame may have: its last row, after which it ends, has at most a copy, a move, a delivery,
 * and what it began or ended with, for each packet, and a word for each link. */
static uint64_t most_events(const struct decoder *decoder)
{
    uint64_t links = 4 * decoder->rows * decoder->cols, of_packets = 5 * (uint64_t)decoder->packets;
    return MOST_EVENTS + (of_packets > links ? of_packets : links);
}

enum failure_kind page_read_frame(struct decoder *decoder, char *text, struct failure *failure)
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
