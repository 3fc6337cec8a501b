/* blocks.c - rows in blocks of 64 nodes, and a step of a band of rows.
 *
 * A step has two halves: departures read only what a node and its links held at the end of the last
 * step, arrivals pull from the four neighbours. Each node writes only what is its own, so the result
 * is the same for any bands of rows. A band departs from each row just before its neighbour arrives,
 * while both are in cache; only its first and last row must depart before the other bands arrive.
 * What a row's departures read of its neighbours must therefore be left alone by departures, and be
 * changed by the arrivals of the neighbour alone: rows that depart do so before either neighbour
 * arrives.
 * Who watches wants the events by rows, so then all rows depart first.
 */
#include "machine/queue_private.h"

#include <stdlib.h>

uint8_t *block_flags_allocate(const struct machine *machine)
{
    size_t blocks = blocks_of_row(machine), around = blocks + 1;
    uint8_t *flags = memory_allocate(blocks * machine->config.mesh.rows + 2 * around, 1);
    return flags == NULL ? NULL : flags + around;
}

void block_flags_free(const struct machine *machine, uint8_t *flags)
{
    if (flags != NULL)
        free(flags - blocks_of_row(machine) - 1);
}

VECTORISED static uint32_t largest(const uint32_t *value, uint32_t count)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = value[i] > most ? value[i] : most;
    return most;
}

uint32_t largest_of(const uint32_t *value, uint32_t count)
{
    return largest(value, count); /* versions of one function would be seen outside the library */
}

void span_measure(struct machine *machine, struct band *band, struct span span)
{
    node_index start = span.start.index;
    if (largest_of(machine->occupancy + start, span.count) <= band->peak)
        return;
    for (node_index node = start; node < start + span.count; node++)
        band_occupancy(machine, band, node);
}

void for_blocks(const struct machine *machine, uint32_t row,
                void (*act)(void *lane, struct span span), void *lane)
{
    uint32_t cols = machine->config.mesh.cols;
    for (uint32_t col = 0; col < cols; col += BLOCK)
        act(lane,
            (struct span){{row * cols + col, row, col}, cols - col < BLOCK ? cols - col : BLOCK});
}

void rows_step(const struct machine *machine, const struct row_step *step, const struct team *team)
{
    uint32_t first = step->first_row, end = step->end_row;
    bool rolling = !machine_is_watched(machine) && end - first > 2;
    if (rolling) {
        for_blocks(machine, first, step->depart, step->lane);
        for_blocks(machine, end - 1, step->depart, step->lane);
    }
    for (uint32_t row = first; !rolling && row < end; row++)
        for_blocks(machine, row, step->depart, step->lane);
    parallel_barrier(team);
    for (uint32_t row = first; row < end; row++) {
        if (rolling && row + 2 < end)
            for_blocks(machine, row + 1, step->depart, step->lane);
        for_blocks(machine, row, step->arrive, step->lane);
    }
}
