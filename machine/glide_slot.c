/* glide_slot.c - slots that move with their packets.
 *
 * A packet that goes straight on keeps its slot from one stop to the next queue; that it is a node
 * further is the same place read at another column (or the same line read at another row), and a
 * bit of `held` moved by one. The step of its stop is known when it enters the slot. For 64 places
 * the earliest such step is kept, and only then are they looked at: a packet's hop costs a
 * sixty-fourth of an operation on words.
 * A due step is kept in 16 bits: no stop is 2^15 nodes away. What a slot leaves behind may be met
 * again 2^16 steps later; whether the slot is taken decides then.
 */
#include "machine/glide_private.h"

enum { FARTHEST = MESH_MAX_SIDE - 1 };

static uint32_t line_at(const struct gliding *gliding, enum direction d, uint32_t row)
{
    uint32_t rows = gliding->glide->rows, turn = gliding->row_turn;
    if (d == NORTH)
        return row + turn < rows ? row + turn : row + turn - rows;
    if (d == SOUTH)
        return row >= turn ? row - turn : row + rows - turn;
    return row;
}

/* The column at which a place is read in this step. */
static uint32_t column_of(const struct gliding *gliding, enum direction d, uint32_t place)
{
    return slot_place(gliding, direction_is_vertical(d) ? d : direction_opposite(d), place);
}

void slots_at_row(const struct gliding *gliding, struct glide_line *line, uint32_t row)
{
    const struct glide *glide = gliding->glide;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        size_t at = line_at(gliding, d, row);
        line[d].word = glide->word[d] + at * glide->cols;
        line[d].due = glide->due[d] + at * glide->cols;
        line[d].first_due = glide->first_due[d] + at * glide->blocks;
        line[d].held = glide->held[d] + at * glide->blocks;
    }
}

void slots_forget(const struct gliding *gliding, struct glide_line *line)
{
    for (enum direction d = 0; d < DIRECTIONS; d++)
        for (uint32_t i = 0; i < gliding->glide->blocks; i++)
            line[d].first_due[i] = INT32_MAX;
}

void slots_fetch(const struct gliding *gliding, const struct glide_line *line, struct site first,
                 enum direction d)
{
    enum { CACHE_LINE = 64, WORDS = CACHE_LINE / sizeof(uint64_t) };
    uint32_t place = slot_place(gliding, d, first.col), cols = gliding->glide->cols;
    for (uint32_t i = 0; i <= BLOCK && place + i < cols; i += WORDS)
        __builtin_prefetch(&line[d].word[place + i], 1);
    for (uint32_t i = 0; i <= BLOCK && place + i < cols; i += BLOCK / 2)
        __builtin_prefetch(&line[d].due[place + i], 1);
}

/* ---- stops ---- */

/* Marks who is due now; returns how long after this step the next one is, less one. */
VECTORISED static uint16_t look_at_due(const uint16_t *restrict due, uint8_t *restrict is_due,
                                       uint16_t now, uint32_t places)
{
    uint16_t least = UINT16_MAX;
    for (uint32_t i = 0; i < places; i++) {
        uint16_t later = (uint16_t)(due[i] - now - 1);
        is_due[i] = due[i] == now;
        least = later < least ? later : least;
    }
    return least;
}

static void note_stop(const struct gliding *gliding, struct glide_line *line, enum direction d,
                      uint32_t place)
{
    uint32_t col = column_of(gliding, d, place), block = col >> BLOCK_SHIFT;
    __builtin_prefetch(&line->word[place]);
    line->stops[block] |= line->held[block] & (UINT64_C(1) << (col & (BLOCK - 1)));
}

/* The places from `first` on. */
static void find_stops(const struct gliding *gliding, struct glide_line *line, enum direction d,
                       uint32_t first)
{
    uint32_t cols = gliding->glide->cols, places = cols - first < BLOCK ? cols - first : BLOCK;
    uint8_t is_due[BLOCK];
    uint32_t later = look_at_due(line->due + first, is_due, (uint16_t)gliding->now, places);
    line->first_due[first >> BLOCK_SHIFT] =
        gliding->now + 1 + (later < FARTHEST ? later : INT32_MAX);
    for (uint32_t i = 0; i < places; i++) {
        if (i % 8 == 0 && !any_of_eight(is_due + i, places - i))
            i += 7;
        if (i < places && is_due[i])
            note_stop(gliding, line, d, first + i);
    }
}

/* ---- a step ---- */

static void move_east(uint64_t *held, uint32_t blocks)
{
    for (uint32_t i = blocks - 1; i > 0; i--)
        held[i] = held[i] << 1 | held[i - 1] >> (BLOCK - 1);
    held[0] <<= 1;
}

static void move_west(uint64_t *held, uint32_t blocks)
{
    for (uint32_t i = 0; i + 1 < blocks; i++)
        held[i] = held[i] >> 1 | held[i + 1] << (BLOCK - 1);
    held[blocks - 1] >>= 1;
}

void slots_advance(const struct gliding *gliding, struct glide_line *line, uint32_t row)
{
    uint32_t blocks = gliding->glide->blocks;
    slots_at_row(gliding, line, row);
    move_west(line[WEST].held, blocks);
    move_east(line[EAST].held, blocks);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        for (uint32_t i = 0; i < blocks; i++)
            if (line[d].first_due[i] == gliding->now)
                find_stops(gliding, &line[d], d, i << BLOCK_SHIFT);
}
