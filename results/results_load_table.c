/* results_load_table.c - the table of `report` that shows latency against load: a row a point. */
#include "results/results_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct grid_cell text_at(const void *of, const char *key)
{
    const char *text = json_string_value(json_object_get(of, key));
    return (struct grid_cell){text == NULL ? "" : text, NAN};
}

static struct grid_cell number_at(const void *of, const char *key)
{
    const json_t *value = json_object_get(of, key);
    return (struct grid_cell){"", json_is_number(value) ? json_number_value(value) : (double)NAN};
}

#define TEXT_OF(key)                                                                               \
    static struct grid_cell key##_of(const void *of)                                               \
    {                                                                                              \
        return text_at(of, #key);                                                                  \
    }
#define NUMBER_OF(key)                                                                             \
    static struct grid_cell key##_of(const void *of)                                               \
    {                                                                                              \
        return number_at(of, #key);                                                                \
    }

TEXT_OF(topology)
TEXT_OF(sizes)
TEXT_OF(switching)
TEXT_OF(traffic)
TEXT_OF(scheme)
TEXT_OF(parameters)
TEXT_OF(meshcast)
NUMBER_OF(vcs)
NUMBER_OF(buffer)
NUMBER_OF(startup)
NUMBER_OF(router_delay)
NUMBER_OF(destinations)
NUMBER_OF(rate)
NUMBER_OF(latency)
NUMBER_OF(half_width)
NUMBER_OF(p95)
NUMBER_OF(p99)
NUMBER_OF(accepted)
NUMBER_OF(capacity)
NUMBER_OF(runs)
NUMBER_OF(cycles)
NUMBER_OF(messages)

/* A length is stored as a number, or as a text "A:B" where it is a range. */
static struct grid_cell flits_of(const void *of)
{
    return text_at(of, "flits");
}

static struct grid_cell outcome_of(const void *of)
{
    if (json_is_string(json_object_get(of, "deadlock")))
        return (struct grid_cell){"deadlock", NAN};
    if (json_is_string(json_object_get(of, "error")))
        return (struct grid_cell){"failed", NAN};
    bool is_saturated = json_integer_value(json_object_get(of, "saturated")) != 0;
    return (struct grid_cell){is_saturated ? "saturated" : "measured", NAN};
}

static const struct grid_column column[] = {
    {"topology", "topology", GRID_TEXT, GRID_ALL, topology_of},
    {"sizes", "sizes", GRID_TEXT, GRID_ALL, sizes_of},
    {"traffic", "traffic", GRID_TEXT, GRID_ALL, traffic_of},
    {"switching", "", GRID_TEXT, GRID_PROGRAMS, switching_of},
    {"vcs", "V", GRID_COUNT, GRID_ALL, vcs_of},
    {"buffer", "B", GRID_COUNT, GRID_ALL, buffer_of},
    {"startup", "", GRID_COUNT, GRID_PROGRAMS, startup_of},
    {"router_delay", "", GRID_COUNT, GRID_PROGRAMS, router_delay_of},
    {"scheme", "scheme", GRID_TEXT, GRID_ALL, scheme_of},
    {"parameters", "", GRID_TEXT, GRID_PROGRAMS, parameters_of},
    {"destinations", "k", GRID_COUNT, GRID_ALL, destinations_of},
    {"flits", "flits", GRID_TEXT, GRID_ALL, flits_of},
    {"rate", "rate", GRID_DIGITS, GRID_ALL, rate_of},
    {"latency", "latency", GRID_RATIO, GRID_ALL, latency_of},
    {"half_width", "+-", GRID_RATIO, GRID_ALL, half_width_of},
    {"p95", "", GRID_COUNT, GRID_PROGRAMS, p95_of},
    {"p99", "", GRID_COUNT, GRID_PROGRAMS, p99_of},
    {"accepted", "accepted", GRID_DIGITS, GRID_ALL, accepted_of},
    {"capacity", "", GRID_DIGITS, GRID_PROGRAMS, capacity_of},
    {"runs", "runs", GRID_COUNT, GRID_ALL, runs_of},
    {"cycles", "", GRID_COUNT, GRID_PROGRAMS, cycles_of},
    {"messages", "", GRID_COUNT, GRID_PROGRAMS, messages_of},
    {"meshcast", "", GRID_TEXT, GRID_PROGRAMS, meshcast_of},
    {"outcome", "outcome", GRID_TEXT, GRID_ALL, outcome_of},
};

enum { COLUMNS = sizeof column / sizeof column[0] };

bool results_load_grid(struct grid *grid, const json_t *points)
{
    size_t rows = json_array_size(points);
    *grid = (struct grid){.column = column, .columns = COLUMNS, .rows = (uint32_t)rows};
    grid->cell = memory_allocate(rows * COLUMNS, sizeof *grid->cell);
    if (grid->cell == NULL)
        return false;
    for (size_t row = 0; row < rows; row++)
        for (uint32_t i = 0; i < COLUMNS; i++)
            grid->cell[row * COLUMNS + i] = column[i].cell(json_array_get(points, row));
    return true;
}
