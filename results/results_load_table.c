/* results_load_table.c - the table of `report` that shows latency against load: a row a point.
 *
 * Programs get everything; people what was measured, and of what was asked the columns in which rows differ.
 */
#include "results/results_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What stands in a column, whose name is the key of a point. */
static struct grid_cell cell_of(const json_t *point, const struct grid_column *column)
{
    const json_t *value = json_object_get(point, column->name);
    const char *text = column->kind == GRID_TEXT ? json_string_value(value) : NULL;
    bool is_number = column->kind != GRID_TEXT && json_is_number(value);
    return (struct grid_cell){text == NULL ? "" : text,
                              is_number ? json_number_value(value) : (double)NAN};
}

static const struct grid_column COLUMN[] = {
    {"topology", "topology", GRID_TEXT, GRID_ALL, NULL},
    {"sizes", "sizes", GRID_TEXT, GRID_ALL, NULL},
    {"graph", "graph", GRID_TEXT, GRID_VARIED, NULL},
    {"nodes", "", GRID_COUNT, GRID_PROGRAMS, NULL},
    {"traffic", "traffic", GRID_TEXT, GRID_ALL, NULL},
    {"multicast_share", "share", GRID_DIGITS, GRID_VARIED, NULL},
    {"switching", "switching", GRID_TEXT, GRID_VARIED, NULL},
    {"vcs", "V", GRID_COUNT, GRID_ALL, NULL},
    {"buffer", "B", GRID_COUNT, GRID_ALL, NULL},
    {"injection", "I", GRID_COUNT, GRID_VARIED, NULL},
    {"consumption", "C", GRID_COUNT, GRID_VARIED, NULL},
    {"startup", "startup", GRID_COUNT, GRID_VARIED, NULL},
    {"startup_mode", "startup mode", GRID_TEXT, GRID_VARIED, NULL},
    {"router_delay", "delay", GRID_COUNT, GRID_VARIED, NULL},
    {"ports", "ports", GRID_TEXT, GRID_VARIED, NULL},
    {"release", "release", GRID_TEXT, GRID_VARIED, NULL},
    {"arrivals", "arrivals", GRID_TEXT, GRID_VARIED, NULL},
    {"order", "order", GRID_COUNT, GRID_VARIED, NULL},
    {"warmup", "warmup", GRID_COUNT, GRID_VARIED, NULL},
    {"measure", "measure", GRID_COUNT, GRID_VARIED, NULL},
    {"finite", "finite", GRID_COUNT, GRID_VARIED, NULL},
    {"seed", "seed", GRID_TEXT, GRID_VARIED, NULL},
    {"scheme", "scheme", GRID_TEXT, GRID_ALL, NULL},
    {"parameters", "parameters", GRID_TEXT, GRID_VARIED, NULL},
    {"best", "best", GRID_TEXT, GRID_VARIED, NULL},
    {"destinations", "k", GRID_COUNT, GRID_ALL, NULL},
    {"flits", "flits", GRID_TEXT, GRID_ALL, NULL},
    {"rate", "rate", GRID_DIGITS, GRID_ALL, NULL},
    {"latency", "latency", GRID_RATIO, GRID_ALL, NULL},
    {"half_width", "+-", GRID_RATIO, GRID_ALL, NULL},
    {"median", "", GRID_COUNT, GRID_PROGRAMS, NULL},
    {"p95", "", GRID_COUNT, GRID_PROGRAMS, NULL},
    {"p99", "", GRID_COUNT, GRID_PROGRAMS, NULL},
    {"max", "", GRID_COUNT, GRID_PROGRAMS, NULL},
    {"accepted", "accepted", GRID_DIGITS, GRID_ALL, NULL},
    {"capacity", "", GRID_DIGITS, GRID_PROGRAMS, NULL},
    {"routing_capacity", "", GRID_DIGITS, GRID_PROGRAMS, NULL},
    {"saturated", "", GRID_COUNT, GRID_PROGRAMS, NULL},
    {"rising", "", GRID_COUNT, GRID_PROGRAMS, NULL},
    {"runs", "runs", GRID_COUNT, GRID_ALL, NULL},
    {"cycles", "", GRID_COUNT, GRID_PROGRAMS, NULL},
    {"messages", "", GRID_COUNT, GRID_PROGRAMS, NULL},
    {"startups", "", GRID_COUNT, GRID_PROGRAMS, NULL},
    {"channel_crossings", "", GRID_COUNT, GRID_PROGRAMS, NULL},
    {"buffer_peak", "", GRID_COUNT, GRID_PROGRAMS, NULL},
    {"unsent_peak", "", GRID_COUNT, GRID_PROGRAMS, NULL},
    {"deadlock", "", GRID_TEXT, GRID_PROGRAMS, NULL},
    {"error", "", GRID_TEXT, GRID_PROGRAMS, NULL},
    {"meshcast", "meshcast", GRID_TEXT, GRID_VARIED, NULL},
    {"outcome", "outcome", GRID_TEXT, GRID_ALL, NULL},
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
    if (!results_grid_make(grid, COLUMN, COLUMNS, rows, &column))
        return false;
    grid->rows = (uint32_t)rows;
    for (size_t row = 0; row < rows; row++)
        for (uint32_t i = 0; i < COLUMNS; i++)
            grid->cell[row * COLUMNS + i] = cell_of(json_array_get(points, row), &COLUMN[i]);
    for (uint32_t i = 0; i < COLUMNS; i++)
        if (COLUMN[i].audience == GRID_VARIED)
            column[i].audience = is_varied(grid, i) ? GRID_ALL : GRID_PROGRAMS;
    return true;
}
