/* move_lines.c - the packets of all lines go to other cells: what rotate.c, fold_lines.c and permute.c have in common.
 *
 * Lines do not touch each other. The cell of a packet some steps later follows from the cell where it began and from
 * the step. So it is put there at once, like packets on a conveyor, and its hops are counted. A line has two entries
 * a cell, one in each plane. Columns are copied out of the planes, a cache line of each row, and back.
 * Cost: a look at each entry, for any number of steps.
 */
#include "machine/plane/plane_private.h"

#include <string.h>

struct move_work {
    struct machine *machine;
    plane_moves *moves;
    const void *context;
    const struct plane_part *part;
};

/* Moves the packets of a line; returns the hops. `scratch` holds twice as many words as the line has entries, and
 * one. */
static uint64_t move_line(const struct move_work *work, uint32_t line, uint64_t *word,
                          uint64_t *backward, uint64_t *scratch)
{
    uint32_t length = work->part->end - work->part->start, entries = PLANE_STREAMS * length;
    struct plane_move *move = (struct plane_move *)(scratch + entries + 1);
    uint64_t *stream[PLANE_STREAMS] = {word, backward}, hops = 0;
    for (uint32_t i = 0; i < entries; i++)
        move[i] = (struct plane_move){entries, 0};
    work->moves(work->context, line, work->part, move);
    memcpy(scratch, word, length * sizeof *scratch);
    memcpy(scratch + length, backward, length * sizeof *scratch);
    scratch[entries] = PLANE_EMPTY;
    for (int s = 0; s < PLANE_STREAMS; s++, move += length)
        for (uint32_t x = 0; x < length; x++) {
            uint64_t moved = scratch[move[x].from];
            stream[s][x] = moved;
            hops += moved == PLANE_EMPTY ? 0 : move[x].links;
        }
    return hops;
}

/* ---- columns ---- */

/* Columns that are copied out of a plane and back together, and words of one that are copied in one go: a cache line
 * of a row, and of the buffer. */
enum { COLUMNS = 8, COLUMN_WORDS = 8 };

/* Returns the words from a column to the next in a buffer: whole cache lines, and no power of two of them, so that
 * columns do not drive each other out of the cache. */
static size_t column_stride(const struct plane_part *part)
{
    uint32_t length = part->end - part->start;
    return (length + COLUMN_WORDS - 1) / COLUMN_WORDS * COLUMN_WORDS + COLUMN_WORDS;
}

static void gather(const struct plane_part *part, const uint64_t *first, uint32_t count,
                   uint64_t *buffer)
{
    size_t stride = column_stride(part), along = part->along;
    uint32_t length = part->end - part->start;
    for (uint32_t start = 0; start < length; start += COLUMN_WORDS) {
        uint32_t left = length - start, words = left < COLUMN_WORDS ? left : COLUMN_WORDS;
        for (uint32_t l = 0; l < count; l++)
            for (uint32_t i = 0; i < words; i++)
                buffer[l * stride + start + i] = first[(start + i) * along + l];
    }
}

static void scatter(const struct plane_part *part, const uint64_t *buffer, uint32_t count,
                    uint64_t *first)
{
    size_t stride = column_stride(part), along = part->along;
    for (uint32_t i = 0; i < part->end - part->start; i++)
        for (uint32_t l = 0; l < count; l++)
            first[i * along + l] = buffer[l * stride + i];
}

static uint64_t move_columns(const struct move_work *work, uint32_t first, uint32_t count,
                             uint64_t *buffer)
{
    const struct plane_part *part = work->part;
    size_t stride = column_stride(part), at = part_offset(part, first, part->start);
    uint64_t *back = buffer + COLUMNS * stride, *scratch = back + COLUMNS * stride, hops = 0;
    gather(part, part->word + at, count, buffer);
    gather(part, part->backward + at, count, back);
    for (uint32_t l = 0; l < count; l++)
        hops += move_line(work, first + l, buffer + l * stride, back + l * stride, scratch);
    scatter(part, buffer, count, part->word + at);
    scatter(part, back, count, part->backward + at);
    return hops;
}

/* ---- all lines ---- */

static void move_band(void *context, const struct team *team)
{
    const struct move_work *work = context;
    const struct plane_part *part = work->part;
    uint64_t *scratch = work->machine->plane->scratch[team->rank], hops = 0;
    uint32_t groups = (part->end_line - part->first_line + COLUMNS - 1) / COLUMNS;
    uint32_t end = parallel_band_start(groups, team->rank + 1, team->size);
    for (uint32_t g = parallel_band_start(groups, team->rank, team->size); g < end; g++) {
        uint32_t first = part->first_line + g * COLUMNS, left = part->end_line - first;
        uint32_t count = left < COLUMNS ? left : COLUMNS;
        if (part->across == 1)
            hops += move_columns(work, first, count, scratch);
        for (uint32_t line = first; part->across > 1 && line < first + count; line++) {
            size_t start = part_offset(part, line, part->start);
            hops += move_line(work, line, part->word + start, part->backward + start, scratch);
        }
    }
    work->machine->tally[team->rank].packet_hops += hops;
}

static void move_part(void *of_call, const struct plane_part *part)
{
    struct move_work *work = of_call;
    work->part = part;
    parallel_run(plane_threads(work->machine, 1), move_band, work);
}

void plane_move_lines(struct machine *machine, const struct lines *lines, plane_moves *moves,
                      const void *context)
{
    struct move_work work = {machine, moves, context, NULL};
    plane_each_part(machine, lines, 0, true, move_part, &work);
}

void plane_walk(const struct plane_walk *walk, uint32_t at, int32_t way, uint32_t stream,
                struct plane_move *move)
{
    int32_t steps[] = {(int32_t)walk->from, (int32_t)walk->to};
    uint32_t cell[2], node[2], entry[2];
    for (int i = 0; i < 2; i++) {
        int32_t walked = way > steps[i] ? steps[i] : way < -steps[i] ? -steps[i] : way;
        cell[i] = at + (uint32_t)walked;
        node[i] = walk->place != NULL ? walk->place[cell[i]] : cell[i];
        entry[i] = cell[i] + (walk->is_apart[i] ? stream * walk->length : 0);
    }
    uint32_t links = node[0] < node[1] ? node[1] - node[0] : node[0] - node[1];
    move[entry[1]] = (struct plane_move){entry[0], walk->is_storing ? 0 : links};
}
