/* crossing_grid.c - cuts a sample of messages into the cells of a grid.
 *
 * Events are sorted by counting: one pass counts those of each row, a second one writes them.
 *
 * Cost: O(deliveries of the sample + cells x columns) time; 4 bytes for each delivery, 14 for each message.
 */
#include "workloads/crossing_grid.h"

#include "base/numbers.h"

#include <stdlib.h>

static void cells_make(struct cells *cells, uint32_t length)
{
    cells->count = length <= SWEEP_CELLS ? length : SWEEP_CELLS / 2;
    for (uint32_t i = 0; i <= cells->count; i++)
        cells->cut[i] = (uint32_t)((uint64_t)length * i / cells->count);
}

/* The cell of a line: the last whose cut is not beyond it. */
static inline uint32_t cell_of(const struct cells *cells, uint32_t line)
{
    uint32_t length = cells->cut[cells->count];
    uint32_t cell = (uint32_t)(((uint64_t)line * cells->count) / length);
    return cell + (cells->cut[cell + 1] <= line);
}

static void track_make(struct crossing_grid *grid, uint32_t message)
{
    const struct message_sample *sample = grid->sample;
    struct track track = {
        .row = (uint8_t)cell_of(&grid->row, row_of_place(sample->source[message])),
        .col = (uint8_t)cell_of(&grid->col, col_of_place(sample->source[message])),
        .top = SWEEP_CELLS,
        .left = SWEEP_CELLS};
    for (uint32_t j = sample->offset[message]; j < sample->offset[message + 1]; j++) {
        uint8_t row = (uint8_t)cell_of(&grid->row, row_of_place(sample->place[j]));
        uint8_t col = (uint8_t)cell_of(&grid->col, col_of_place(sample->place[j]));
        track.top = row < track.top ? row : track.top;
        track.bottom = row > track.bottom ? row : track.bottom;
        track.left = col < track.left ? col : track.left;
        track.right = col > track.right ? col : track.right;
    }
    grid->track[message] = track;
}

static inline uint32_t closing_row(const struct track *track)
{
    return track->bottom > track->row ? track->bottom : track->row;
}

/* Calls for each cell with a destination of the message once; writes events where next[] says, or
 * only counts. The destinations ascend, so those of a row of cells stand together. */
static void visit_events(struct crossing_grid *grid, uint32_t message, uint32_t *next, bool writes)
{
    const struct message_sample *sample = grid->sample;
    uint64_t columns = 0;
    uint32_t before = SWEEP_CELLS;
    for (uint32_t j = sample->offset[message]; j < sample->offset[message + 1]; j++) {
        uint32_t row = cell_of(&grid->row, row_of_place(sample->place[j]));
        uint32_t col = cell_of(&grid->col, col_of_place(sample->place[j]));
        columns = row == before ? columns : 0;
        before = row;
        if (columns >> col & 1)
            continue;
        columns |= UINT64_C(1) << col;
        if (writes)
            grid->event[next[row]] = message << GRID_COLUMN_BITS | col;
        next[row]++;
    }
}

/* Turns counts at [i + 1] into first positions at [i]. */
static void counts_to_starts(uint32_t start[SWEEP_CELLS + 1])
{
    for (uint32_t i = 0; i < SWEEP_CELLS; i++)
        start[i + 1] += start[i];
}

/* From the sources and destinations of each column of a row: the most of any interval of each width. */
static void find_in_row(const uint32_t *count, uint32_t width, uint32_t *most)
{
    for (uint32_t x0 = 0; x0 < width; x0++)
        for (uint32_t x1 = x0, sum = 0; x1 < width; x1++) {
            sum += count[x1];
            most[x1 - x0] = max_u32(most[x1 - x0], sum);
        }
}

static void find_in_rows(struct crossing_grid *grid)
{
    for (uint32_t row = 0; row < grid->row.count; row++) {
        uint32_t count[2][SWEEP_CELLS] = {{0}};
        for (uint32_t i = grid->first_event[row]; i < grid->first_event[row + 1]; i++)
            count[true][grid->event[i] & (SWEEP_CELLS - 1)]++;
        for (uint32_t i = grid->first_source[row]; i < grid->first_source[row + 1]; i++)
            count[false][grid->track[grid->opening[i]].col]++;
        find_in_row(count[true], grid->col.count, grid->in_row[true][row]);
        find_in_row(count[false], grid->col.count, grid->in_row[false][row]);
    }
}

static void find_least_widths(struct crossing_grid *grid)
{
    const uint32_t *cut = grid->col.cut;
    for (uint32_t w = 0; w < grid->col.count; w++) {
        grid->least_width[w] = UINT32_MAX;
        for (uint32_t x0 = 0; x0 + w < grid->col.count; x0++)
            grid->least_width[w] = min_u32(grid->least_width[w], cut[x0 + w + 1] - cut[x0]);
    }
}

bool crossing_grid_make(struct crossing_grid *grid, const struct message_sample *sample)
{
    uint32_t next[SWEEP_CELLS + 1];
    grid->sample = sample;
    cells_make(&grid->row, sample->mesh.rows);
    cells_make(&grid->col, sample->mesh.cols);
    grid->track = memory_allocate(sample->messages, sizeof *grid->track);
    grid->event = memory_allocate(sample->offset[sample->messages], sizeof *grid->event);
    grid->opening = memory_allocate(sample->messages, sizeof *grid->opening);
    grid->closing = memory_allocate(sample->messages, sizeof *grid->closing);
    if (grid->track == NULL || grid->event == NULL || grid->opening == NULL ||
        grid->closing == NULL)
        return false;
    for (uint32_t i = 0; i < sample->messages; i++) {
        track_make(grid, i);
        visit_events(grid, i, grid->first_event + 1, false);
        grid->first_source[grid->track[i].row + 1]++;
        grid->first_closing[closing_row(&grid->track[i]) + 1]++;
    }
    counts_to_starts(grid->first_event);
    counts_to_starts(grid->first_source);
    counts_to_starts(grid->first_closing);
    for (uint32_t i = 0; i <= SWEEP_CELLS; i++)
        next[i] = grid->first_event[i];
    for (uint32_t i = 0; i < sample->messages; i++)
        visit_events(grid, i, next, true);
    for (uint32_t i = 0; i <= SWEEP_CELLS; i++)
        next[i] = grid->first_source[i];
    for (uint32_t i = 0; i < sample->messages; i++)
        grid->opening[next[grid->track[i].row]++] = i;
    for (uint32_t i = 0; i <= SWEEP_CELLS; i++)
        next[i] = grid->first_closing[i];
    for (uint32_t i = 0; i < sample->messages; i++)
        grid->closing[next[closing_row(&grid->track[i])]++] = i;
    find_in_rows(grid);
    find_least_widths(grid);
    return true;
}

void crossing_grid_free(struct crossing_grid *grid)
{
    free(grid->track);
    free(grid->event);
    free(grid->opening);
    free(grid->closing);
}
