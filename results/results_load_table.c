/* results_load_table.c - the table of `report` that shows latency against load: a row a point.
 *
 * Programs get everything; people what was measured, and of what was asked the columns in which rows differ.
 */
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
TEXT_OF(graph)
TEXT_OF(switching)
TEXT_OF(startup_mode)
TEXT_OF(ports)
TEXT_OF(release)
TEXT_OF(traffic)
TEXT_OF(arrivals)
TEXT_OF(seed)
TEXT_OF(scheme)
TEXT_OF(parameters)
TEXT_OF(flits)
TEXT_OF(deadlock)
TEXT_OF(error)
TEXT_OF(outcome)
TEXT_OF(meshcast)
NUMBER_OF(multicast_share)
NUMBER_OF(nodes)
NUMBER_OF(vcs)
NUMBER_OF(buffer)
NUMBER_OF(injection)
NUMBER_OF(consumption)
NUMBER_OF(startup)
NUMBER_OF(router_delay)
NUMBER_OF(order)
NUMBER_OF(warmup)
NUMBER_OF(measure)
NUMBER_OF(finite)
NUMBER_OF(rate)
NUMBER_OF(destinations)
NUMBER_OF(latency)
NUMBER_OF(half_width)
NUMBER_OF(median)
NUMBER_OF(p95)
NUMBER_OF(p99)
NUMBER_OF(max)
NUMBER_OF(accepted)
NUMBER_OF(capacity)
NUMBER_OF(saturated)
NUMBER_OF(rising)
NUMBER_OF(runs)
NUMBER_OF(cycles)
NUMBER_OF(messages)
NUMBER_OF(startups)
NUMBER_OF(channel_crossings)
NUMBER_OF(buffer_peak)
NUMBER_OF(unsent_peak)

static const struct grid_column COLUMN[] = {
    {"topology", "topology", GRID_TEXT, GRID_ALL, topology_of},
    {"sizes", "sizes", GRID_TEXT, GRID_ALL, sizes_of},
    {"graph", "graph", GRID_TEXT, GRID_VARIED, graph_of},
    {"nodes", "", GRID_COUNT, GRID_PROGRAMS, nodes_of},
    {"traffic", "traffic", GRID_TEXT, GRID_ALL, traffic_of},
    {"multicast_share", "share", GRID_DIGITS, GRID_VARIED, multicast_share_of},
    {"switching", "switching", GRID_TEXT, GRID_VARIED, switching_of},
    {"vcs", "V", GRID_COUNT, GRID_ALL, vcs_of},
    {"buffer", "B", GRID_COUNT, GRID_ALL, buffer_of},
    {"injection", "I", GRID_COUNT, GRID_VARIED, injection_of},
    {"consumption", "C", GRID_COUNT, GRID_VARIED, consumption_of},
    {"startup", "startup", GRID_COUNT, GRID_VARIED, startup_of},
    {"startup_mode", "startup mode", GRID_TEXT, GRID_VARIED, startup_mode_of},
    {"router_delay", "delay", GRID_COUNT, GRID_VARIED, router_delay_of},
    {"ports", "ports", GRID_TEXT, GRID_VARIED, ports_of},
    {"release", "release", GRID_TEXT, GRID_VARIED, release_of},
    {"arrivals", "arrivals", GRID_TEXT, GRID_VARIED, arrivals_of},
    {"order", "order", GRID_COUNT, GRID_VARIED, order_of},
    {"warmup", "warmup", GRID_COUNT, GRID_VARIED, warmup_of},
    {"measure", "measure", GRID_COUNT, GRID_VARIED, measure_of},
    {"finite", "finite", GRID_COUNT, GRID_VARIED, finite_of},
    {"seed", "seed", GRID_TEXT, GRID_VARIED, seed_of},
    {"scheme", "scheme", GRID_TEXT, GRID_ALL, scheme_of},
    {"parameters", "parameters", GRID_TEXT, GRID_VARIED, parameters_of},
    {"destinations", "k", GRID_COUNT, GRID_ALL, destinations_of},
    {"flits", "flits", GRID_TEXT, GRID_ALL, flits_of},
    {"rate", "rate", GRID_DIGITS, GRID_ALL, rate_of},
    {"latency", "latency", GRID_RATIO, GRID_ALL, latency_of},
    {"half_width", "+-", GRID_RATIO, GRID_ALL, half_width_of},
    {"median", "", GRID_COUNT, GRID_PROGRAMS, median_of},
    {"p95", "", GRID_COUNT, GRID_PROGRAMS, p95_of},
    {"p99", "", GRID_COUNT, GRID_PROGRAMS, p99_of},
    {"max", "", GRID_COUNT, GRID_PROGRAMS, max_of},
    {"accepted", "accepted", GRID_DIGITS, GRID_ALL, accepted_of},
    {"capacity", "", GRID_DIGITS, GRID_PROGRAMS, capacity_of},
    {"saturated", "", GRID_COUNT, GRID_PROGRAMS, saturated_of},
    {"rising", "", GRID_COUNT, GRID_PROGRAMS, rising_of},
    {"runs", "runs", GRID_COUNT, GRID_ALL, runs_of},
    {"cycles", "", GRID_COUNT, GRID_PROGRAMS, cycles_of},
    {"messages", "", GRID_COUNT, GRID_PROGRAMS, messages_of},
    {"startups", "", GRID_COUNT, GRID_PROGRAMS, startups_of},
    {"channel_crossings", "", GRID_COUNT, GRID_PROGRAMS, channel_crossings_of},
    {"buffer_peak", "", GRID_COUNT, GRID_PROGRAMS, buffer_peak_of},
    {"unsent_peak", "", GRID_COUNT, GRID_PROGRAMS, unsent_peak_of},
    {"deadlock", "", GRID_TEXT, GRID_PROGRAMS, deadlock_of},
    {"error", "", GRID_TEXT, GRID_PROGRAMS, error_of},
    {"meshcast", "meshcast", GRID_TEXT, GRID_VARIED, meshcast_of},
    {"outcome", "outcome", GRID_TEXT, GRID_ALL, outcome_of},
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
            grid->cell[row * COLUMNS + i] = COLUMN[i].cell(json_array_get(points, row));
    for (uint32_t i = 0; i < COLUMNS; i++)
        if (COLUMN[i].audience == GRID_VARIED)
            column[i].audience = is_varied(grid, i) ? GRID_ALL : GRID_PROGRAMS;
    return true;
}
