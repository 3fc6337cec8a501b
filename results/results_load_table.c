/* results_load_table.c - the table of `report` that shows latency against load: a row a point.
 *
 * Programs get everything; people what was measured, and of what was asked the columns in which rows differ.
 */
#include "results/results_load.h"

#include <math.h>
#include <string.h>

/* The contents of a column, whose name is the key of a point. */
static struct grid_cell cell_of(const json_t *point, const struct grid_column *column)
{
    const json_t *value = json_object_get(point, column->name);
    const char *text = column->kind == GRID_TEXT ? json_string_value(value) : NULL;
    bool is_number = column->kind != GRID_TEXT && json_is_number(value);
    return (struct grid_cell){text == NULL ? "" : text,
                              is_number ? json_number_value(value) : (double)NAN};
}

static const struct grid_column COLUMN[] = {
    {"topology", "topology", GRID_TEXT, GRID_ALL},
    {"sizes", "sizes", GRID_TEXT, GRID_ALL},
    {"graph", "graph", GRID_TEXT, GRID_VARIED},
    {"nodes", "", GRID_COUNT, GRID_PROGRAMS},
    {"traffic", "traffic", GRID_TEXT, GRID_ALL},
    {"multicast_share", "share", GRID_DIGITS, GRID_VARIED},
    {"switching", "switching", GRID_TEXT, GRID_VARIED},
    {"vcs", "V", GRID_COUNT, GRID_ALL},
    {"buffer", "B", GRID_COUNT, GRID_ALL},
    {"injection", "I", GRID_COUNT, GRID_VARIED},
    {"consumption", "C", GRID_COUNT, GRID_VARIED},
    {"startup", "startup", GRID_COUNT, GRID_VARIED},
    {"startup_mode", "startup mode", GRID_TEXT, GRID_VARIED},
    {"router_delay", "delay", GRID_COUNT, GRID_VARIED},
    {"ports", "ports", GRID_TEXT, GRID_VARIED},
    {"release", "release", GRID_TEXT, GRID_VARIED},
    {"header", "header", GRID_TEXT, GRID_VARIED},
    {"flit_bits", "flit bits", GRID_COUNT, GRID_VARIED},
    {"arrivals", "arrivals", GRID_TEXT, GRID_VARIED},
    {"order", "order", GRID_COUNT, GRID_VARIED},
    {"warmup", "warmup", GRID_COUNT, GRID_VARIED},
    {"measure", "measure", GRID_COUNT, GRID_VARIED},
    {"finite", "finite", GRID_COUNT, GRID_VARIED},
    {"seed", "seed", GRID_TEXT, GRID_VARIED},
    {"scheme", "scheme", GRID_TEXT, GRID_ALL},
    {"parameters", "parameters", GRID_TEXT, GRID_VARIED},
    {"best", "best", GRID_TEXT, GRID_VARIED},
    {"destinations", "k", GRID_COUNT, GRID_ALL},
    {"flits", "flits", GRID_TEXT, GRID_ALL},
    {"rate", "rate", GRID_DIGITS, GRID_ALL},
    {"latency", "latency", GRID_RATIO, GRID_ALL},
    {"half_width", "+-", GRID_RATIO, GRID_ALL},
    {"median", "", GRID_COUNT, GRID_PROGRAMS},
    {"p95", "", GRID_COUNT, GRID_PROGRAMS},
    {"p99", "", GRID_COUNT, GRID_PROGRAMS},
    {"max", "", GRID_COUNT, GRID_PROGRAMS},
    {"accepted", "accepted", GRID_DIGITS, GRID_ALL},
    {"capacity", "", GRID_DIGITS, GRID_PROGRAMS},
    {"routing_capacity", "", GRID_DIGITS, GRID_PROGRAMS},
    {"saturated", "", GRID_COUNT, GRID_PROGRAMS},
    {"rising", "", GRID_COUNT, GRID_PROGRAMS},
    {"runs", "runs", GRID_COUNT, GRID_ALL},
    {"cycles", "", GRID_COUNT, GRID_PROGRAMS},
    {"messages", "", GRID_COUNT, GRID_PROGRAMS},
    {"startups", "", GRID_COUNT, GRID_PROGRAMS},
    {"channel_crossings", "", GRID_COUNT, GRID_PROGRAMS},
    {"buffer_peak", "", GRID_COUNT, GRID_PROGRAMS},
    {"unsent_peak", "", GRID_COUNT, GRID_PROGRAMS},
    {"deadlock", "", GRID_TEXT, GRID_PROGRAMS},
    {"error", "", GRID_TEXT, GRID_PROGRAMS},
    {"meshcast", "meshcast", GRID_TEXT, GRID_VARIED},
    {"outcome", "outcome", GRID_TEXT, GRID_ALL},
};

enum { COLUMNS = sizeof COLUMN / sizeof COLUMN[0] };

static bool is_same(struct grid_cell one, struct grid_cell other)
{
    bool is_same_number = isnan(one.number) ? isnan(other.number) : one.number == other.number;
    return is_same_number && strcmp(one.text, other.text) == 0;
}

static bool is_varied(const struct grid *grid, uint32_t column)
{
    for (uint32_t row = 1; row < grid->rows; row++)
        if (!is_same(grid->cell[column], grid->cell[(size_t)row * COLUMNS + column]))
            return true;
    return false;
}

bool results_load_grid(struct grid *grid, const json_t *points)
{
    size_t rows = json_array_size(points);
    struct grid_column *column;
    if (!results_grid_make(grid, COLUMNS, rows, &column))
        return false;
    memcpy(column, COLUMN, sizeof COLUMN);
    grid->rows = (uint32_t)rows;
    for (size_t row = 0; row < rows; row++)
        for (uint32_t i = 0; i < COLUMNS; i++)
            grid->cell[row * COLUMNS + i] = cell_of(json_array_get(points, row), &COLUMN[i]);
    for (uint32_t i = 0; i < COLUMNS; i++)
        if (COLUMN[i].audience == GRID_VARIED)
            column[i].audience = is_varied(grid, i) ? GRID_ALL : GRID_PROGRAMS;
    return true;
}
