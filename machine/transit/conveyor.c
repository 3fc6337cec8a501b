/* conveyor.c - slots that move with their packets.
 *
 * A packet that goes straight on keeps its slot until it stops or meets a queue. It goes one node
 * further when the same place is read at another column (or the same line at another row), and a
 * bit of `held` moves by one. The step of its stop is known when it enters the slot. The earliest
 * such step of each 64 places is kept, and the places are looked at only in that step: a packet's
 * hop costs a sixty-fourth of an operation on words. The due step of a slot that was left may come
 * again 2^32 steps later; then `held` tells that the slot is empty. A line that moves beyond the
 * rank's rows is emptied; its packets continue in a line of the rank beside it.
 */
#include "machine/transit/conveyor.h"

#include "machine/ranks/border.h"

#include <assert.h>
#include <stdlib.h>

/* ---- blocks ---- Instructions go through rows in blocks of 64 nodes. Flags of a block's nodes are
 * one word; numbers (occupancies, due steps) are compared several at once.
 */

VECTORISED static uint32_t largest(const uint32_t *value, uint32_t count)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = value[i] > most ? value[i] : most;
    return most;
}

uint32_t largest_of(const uint32_t *value, uint32_t count)
{
    /* versions of one function would be visible outside the library */
    return largest(value, count);
}

VECTORISED static uint32_t look_at_due(const uint32_t *restrict due, uint8_t *restrict is_due,
                                       uint32_t count, uint32_t now)
{
    uint32_t least = DUE_FAR;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t later = due[i] - now - 1;
        is_due[i] = due[i] == now;
        least = later < least ? later : least;
    }
    return least;
}

uint64_t due_now(const uint32_t *due, uint32_t count, uint32_t now, uint32_t *first_due)
{
    uint8_t is_due[BLOCK] = {0};
    *first_due = now + 1 + look_at_due(due, is_due, count, now);
    return bits_of_flags(is_due);
}

void for_blocks(const struct machine *machine, uint32_t row,
                void (*act)(void *worker, struct span span), void *worker)
{
    uint32_t cols = machine->config.mesh.cols;
    for (uint32_t col = 0; col < cols; col += BLOCK)
        act(worker,
            (struct span){{row * cols + col, row, col}, cols - col < BLOCK ? cols - col : BLOCK});
}

void emit_blocks(const struct machine *machine, uint32_t row,
                 void (*tell)(void *worker, struct span span), void *worker)
{
    if (machine_is_observed(machine))
        for_blocks(machine, row, tell, worker);
}

/* ---- memory ---- */

bool conveyor_allocate(const struct machine *machine, struct conveyor *conveyor, bool with_marks)
{
    uint32_t rows = machine->end_row - machine->first_row;
    conveyor->first_row = machine->first_row;
    conveyor->cols = machine->config.mesh.cols;
    conveyor->blocks = blocks_of_row(machine);
    conveyor->lines = rows + (rows < WAVE_STEPS ? rows : WAVE_STEPS);
    size_t blocks = (size_t)conveyor->lines * conveyor->blocks;
    size_t places = (size_t)conveyor->lines * conveyor->cols;
    conveyor->stops = memory_allocate((size_t)machine->config.threads * CONVEYOR_ROWS * DIRECTIONS,
                                      conveyor->blocks * sizeof *conveyor->stops);
    bool whole = conveyor->stops != NULL;
    for (int d = 0; d < DIRECTIONS; d++) {
        conveyor->word[d] = memory_allocate(places, sizeof *conveyor->word[d]);
        conveyor->due[d] = memory_allocate(places, sizeof *conveyor->due[d]);
        conveyor->first_due[d] = memory_allocate(blocks, sizeof *conveyor->first_due[d]);
        conveyor->held[d] = memory_allocate(blocks, sizeof *conveyor->held[d]);
        whole = whole && conveyor->word[d] && conveyor->due[d] && conveyor->first_due[d] &&
                conveyor->held[d];
        conveyor->mark[d] = with_marks ? memory_allocate(blocks, sizeof *conveyor->mark[d]) : NULL;
        whole = whole && (conveyor->mark[d] != NULL || !with_marks);
    }
    if (machine->is_split) {
        conveyor->crossing_packet = memory_allocate(conveyor->cols, sizeof(uint32_t));
        conveyor->crossing_half = memory_allocate(conveyor->cols, sizeof(uint32_t));
        whole = whole && conveyor->crossing_packet && conveyor->crossing_half;
    }
    for (size_t i = 0; whole && i < blocks * DIRECTIONS; i++)
        conveyor->first_due[i % DIRECTIONS][i / DIRECTIONS] = DUE_FAR;
    return whole;
}

void conveyor_free(struct conveyor *conveyor)
{
    for (int d = 0; d < DIRECTIONS; d++) {
        free(conveyor->word[d]);
        free(conveyor->due[d]);
        free(conveyor->first_due[d]);
        free(conveyor->held[d]);
        free(conveyor->mark[d]);
    }
    free(conveyor->stops);
    free(conveyor->crossing_packet);
    free(conveyor->crossing_half);
    *conveyor = (struct conveyor){0};
}

/* ---- rows ---- */

static uint32_t line_at(const struct conveyor_view *view, enum direction d, uint32_t mesh_row)
{
    uint32_t lines = view->conveyor->lines, shift = view->clock.row_shift;
    uint32_t row = mesh_row - view->conveyor->first_row;
    if (d == NORTH)
        return row + shift < lines ? row + shift : row + shift - lines;
    if (d == SOUTH)
        return row >= shift ? row - shift : row + lines - shift;
    return row;
}

/* Returns the column at which a place is read in this step. */
static uint32_t column_of(const struct conveyor_view *view, enum direction d, uint32_t place)
{
    return conveyor_place(view, direction_is_vertical(d) ? d : direction_opposite(d), place);
}

void conveyor_at_row(const struct conveyor_view *view, struct conveyor_line *line, uint32_t row)
{
    const struct conveyor *conveyor = view->conveyor;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        size_t at = line_at(view, d, row);
        line[d].word = conveyor->word[d] + at * conveyor->cols;
        line[d].due = conveyor->due[d] + at * conveyor->cols;
        line[d].first_due = conveyor->first_due[d] + at * conveyor->blocks;
        line[d].held = conveyor->held[d] + at * conveyor->blocks;
        line[d].mark = conveyor->mark[d] != NULL ? conveyor->mark[d] + at * conveyor->blocks : NULL;
    }
}

void conveyor_take_stops(const struct conveyor *conveyor, struct conveyor_line *line,
                         uint32_t thread, uint32_t row)
{
    size_t first = ((size_t)thread * CONVEYOR_ROWS + row) * DIRECTIONS;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        line[d].stops = conveyor->stops + (first + d) * conveyor->blocks;
}

void conveyor_forget(const struct conveyor_view *view, struct conveyor_line *line)
{
    for (enum direction d = 0; d < DIRECTIONS; d++)
        for (uint32_t i = 0; i < view->conveyor->blocks; i++)
            line[d].first_due[i] = DUE_FAR;
}

void conveyor_fetch(const struct conveyor_view *view, const struct conveyor_line *line,
                    struct site first, enum direction d)
{
    enum { WORDS = CACHE_LINE / sizeof(uint64_t) };
    uint32_t place = conveyor_place(view, d, first.col), cols = view->conveyor->cols;
    for (uint32_t i = 0; i <= BLOCK && place + i < cols; i += WORDS)
        __builtin_prefetch(&line[d].word[place + i], 1);
    for (uint32_t i = 0; i <= BLOCK && place + i < cols; i += BLOCK / 2)
        __builtin_prefetch(&line[d].due[place + i], 1);
}

/* ---- stops ---- */

/* Notes that packets at these columns stop, if there are any; the i-th bit is column col + i. */
static void note_stops(struct conveyor_line *line, uint32_t col, uint64_t bits)
{
    uint32_t block = col >> BLOCK_SHIFT, shift = col & (BLOCK - 1);
    uint64_t behind = shift == 0 ? 0 : bits >> (BLOCK - shift);
    line->stops[block] |= line->held[block] & bits << shift;
    if (behind != 0)
        line->stops[block + 1] |= line->held[block + 1] & behind;
}

/* Finds the packets that stop among those of a block of places, from `first` on. */
static void find_stops(const struct conveyor_view *view, struct conveyor_line *line,
                       enum direction d, uint32_t first)
{
    uint32_t cols = view->conveyor->cols, places = cols - first < BLOCK ? cols - first : BLOCK;
    uint32_t col = column_of(view, d, first), before_end = cols - col;
    uint64_t bits =
        due_now(line->due + first, places, view->clock.now, &line->first_due[first >> BLOCK_SHIFT]);
    for (uint64_t left = bits; left != 0; left &= left - 1)
        __builtin_prefetch(&line->word[first + (uint32_t)__builtin_ctzll(left)]);
    if (before_end >= BLOCK) {
        note_stops(line, col, bits);
        return;
    }
    note_stops(line, col, bits & ((UINT64_C(1) << before_end) - 1));
    note_stops(line, 0, bits >> before_end);
}

/* ---- a step ---- */

static void move_east(uint64_t *bits, uint32_t blocks)
{
    for (uint32_t i = blocks - 1; i > 0; i--)
        bits[i] = bits[i] << 1 | bits[i - 1] >> (BLOCK - 1);
    bits[0] <<= 1;
}

static void move_west(uint64_t *bits, uint32_t blocks)
{
    for (uint32_t i = 0; i + 1 < blocks; i++)
        bits[i] = bits[i] >> 1 | bits[i + 1] << (BLOCK - 1);
    bits[blocks - 1] >>= 1;
}

void conveyor_advance(const struct conveyor_view *view, struct conveyor_line *line, uint32_t row)
{
    uint32_t blocks = view->conveyor->blocks;
    conveyor_at_row(view, line, row);
    move_west(line[WEST].held, blocks);
    move_east(line[EAST].held, blocks);
    if (line[WEST].mark != NULL) {
        move_west(line[WEST].mark, blocks);
        move_east(line[EAST].mark, blocks);
    }
    for (enum direction d = 0; d < DIRECTIONS; d++)
        for (uint32_t i = 0; i < blocks; i++)
            if (line[d].first_due[i] == view->clock.now)
                find_stops(view, &line[d], d, i << BLOCK_SHIFT);
}

/* ---- borders of ranks ---- */

/* The columns of a part (machine/ranks/border.h) of a row. */
struct columns {
    uint32_t first, blocks;  /* the first block, and the number of blocks */
    uint32_t *packet, *half; /* of the crossing packets: conveyor->crossing_packet, .. */
};

static struct columns columns_of(const struct machine *machine, const struct conveyor *conveyor,
                                 uint32_t part)
{
    uint32_t parts = border_parts(machine),
             first = parallel_band_start(conveyor->blocks, part, parts);
    uint32_t behind = parallel_band_start(conveyor->blocks, part + 1, parts);
    size_t place = (size_t)first << BLOCK_SHIFT;
    return (struct columns){first, behind - first, conveyor->crossing_packet + place,
                            conveyor->crossing_half + place};
}

/* Puts a part: the taken slots of the line, their marks if any, and for each taken slot the half of
 * the word that means the same on all ranks, and the packet. */
static void put_line(struct machine *machine, const struct conveyor_view *view, enum direction d,
                     uint32_t row, uint32_t thread)
{
    struct conveyor_line line[DIRECTIONS];
    struct parcel *parcel = &machine->border->part[thread].sent[border_side(d)];
    struct columns columns = columns_of(machine, view->conveyor, thread);
    uint32_t count = 0;
    conveyor_at_row(view, line, row);
    uint64_t *held = line[d].held + columns.first;
    const uint64_t *word = line[d].word + ((size_t)columns.first << BLOCK_SHIFT);
    parcel_put(machine, parcel, held, columns.blocks * sizeof *held);
    if (line[d].mark != NULL)
        parcel_put(machine, parcel, line[d].mark + columns.first, columns.blocks * sizeof *held);
    for (uint32_t i = 0; i < columns.blocks; i++, word += BLOCK) {
        for (uint64_t left = held[i]; left != 0; left &= left - 1, count++) {
            uint64_t crosses = word[__builtin_ctzll(left)];
            columns.packet[count] = (uint32_t)crosses;
            columns.half[count] = (uint32_t)(crosses >> 32);
        }
        held[i] = 0;
    }
    parcel_put(machine, parcel, columns.half, count * sizeof *columns.half);
    parcel_put_packets(machine, parcel, thread, columns.packet, count);
}

static void get_line(struct machine *machine, const struct conveyor_view *view, enum direction d,
                     uint32_t row, uint32_t part, uint32_t thread)
{
    struct conveyor_line line[DIRECTIONS];
    struct parcel *parcel =
        &machine->border->part[part].received[border_side(direction_opposite(d))];
    struct columns columns = columns_of(machine, view->conveyor, part);
    uint32_t count = 0, cols = view->conveyor->cols;
    uint64_t held[MESH_MAX_SIDE >> BLOCK_SHIFT];
    conveyor_at_row(view, line, row);
    parcel_get(machine, parcel, held, columns.blocks * sizeof *held);
    if (line[d].mark != NULL)
        parcel_get(machine, parcel, line[d].mark + columns.first, columns.blocks * sizeof *held);
    for (uint32_t i = 0; i < columns.blocks; i++)
        count += (uint32_t)__builtin_popcountll(held[i]);
    parcel_get(machine, parcel, columns.half, count * sizeof *columns.half);
    if (!parcel_get_packets(machine, parcel, thread, columns.packet, count))
        return; /* a rank has failed, and the step ends with that */
    count = 0;
    for (uint32_t i = 0; i < columns.blocks; i++) {
        assert(line[d].held[columns.first + i] == 0);
        for (uint64_t left = held[i]; left != 0; left &= left - 1, count++) {
            uint32_t col = ((columns.first + i) << BLOCK_SHIFT) + (uint32_t)__builtin_ctzll(left);
            struct site site = {row * cols + col, row, col};
            conveyor_set(view, line, site, d,
                         (uint64_t)columns.half[count] << 32 | columns.packet[count]);
        }
    }
}

void conveyor_put_border(struct machine *machine, const struct conveyor_view *view, uint32_t thread)
{
    if (thread >= border_parts(machine))
        return;
    if (border_has(machine, RANK_BEFORE))
        put_line(machine, view, NORTH, machine->first_row, thread);
    if (border_has(machine, RANK_BEHIND))
        put_line(machine, view, SOUTH, machine->end_row - 1, thread);
}

void conveyor_get_border(struct machine *machine, const struct conveyor_view *view, uint32_t thread)
{
    for (uint32_t part = 0; part < border_parts(machine); part++) {
        if (!border_takes(machine, part, thread))
            continue;
        if (border_has(machine, RANK_BEFORE))
            get_line(machine, view, SOUTH, machine->first_row, part, thread);
        if (border_has(machine, RANK_BEHIND))
            get_line(machine, view, NORTH, machine->end_row - 1, part, thread);
    }
}

/* ---- counts and events ---- */

VECTORISED static uint64_t count_bits(const uint64_t *bits, uint32_t words)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < words; i++)
        count += (uint64_t)__builtin_popcountll(bits[i]);
    return count;
}

uint64_t conveyor_count(const struct conveyor_view *view, const struct conveyor_line *line)
{
    uint64_t count = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        count += count_bits(line[d].held, view->conveyor->blocks);
    return count;
}

/* Returns the node beyond link `d`, as a difference of indices. */
static ptrdiff_t link_offset(const struct machine *machine, enum direction d)
{
    const ptrdiff_t cols = machine->config.mesh.cols, offset[DIRECTIONS] = {-cols, cols, -1, 1};
    return offset[d];
}

void conveyor_emit(const struct machine *machine, struct tally *tally,
                   const struct conveyor_view *view, const struct conveyor_line *line,
                   struct site site)
{
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        if (!conveyor_is_taken(line, site, d))
            continue;
        uint32_t packet = (uint32_t)conveyor_word(view, line, site, d);
        node_index to = site.index + (node_index)link_offset(machine, d);
        tally_move(machine, tally, packet, site.index, to);
    }
}

VECTORISED static uint32_t add_slots(const uint32_t *restrict occupancy,
                                     const uint64_t held[static DIRECTIONS], uint32_t *restrict sum,
                                     uint64_t count)
{
    uint64_t north = held[NORTH], south = held[SOUTH], west = held[WEST], east = held[EAST];
    uint32_t most = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t slots = (north >> i & 1) + (south >> i & 1) + (west >> i & 1) + (east >> i & 1);
        sum[i] = occupancy[i] + (uint32_t)slots;
        most = sum[i] > most ? sum[i] : most;
    }
    return most;
}

uint32_t conveyor_add(const uint32_t *occupancy, const uint64_t held[static DIRECTIONS],
                      uint32_t *sum, uint32_t count)
{
    return add_slots(occupancy, held, sum, count);
}
