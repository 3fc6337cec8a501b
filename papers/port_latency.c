/* port_latency.c - E6: unicast trees of one port and of two on 16 x 16 nodes: steps, and latency. */
#include "papers/experiments.h"
#include "papers/network_study.h"
#include "papers/plan_study.h"

static const double destinations[] = {5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70};
static const double rates[] = {0.0005, 0.001, 0.0015, 0.002, 0.003, 0.004, 0.005, 0.006};
static const double lengths[] = {10, 50, 100, 200, 400, 600, 800, 1000};
static const struct contender contenders[] = {
    {"one port", "u-mesh", {"routing=label", NULL}},
    {"two ports", "two-port", {NULL}},
};

enum {
    POINTS = sizeof destinations / sizeof *destinations,
    RATES = sizeof rates / sizeof *rates,
    LENGTHS = sizeof lengths / sizeof *lengths,
    CONTENDERS = sizeof contenders / sizeof *contenders,
    TINY_POINTS = 2
};

static struct grid grid_of(const struct paper *paper, const char *title, const char *x_name,
                           const double *x, uint32_t points)
{
    struct grid grid = {.title = title,
                        .x_name = x_name,
                        .y_name = "latency, µs",
                        .x_format = "%g",
                        .format = "%.2f",
                        .points = paper_sized(paper, TINY_POINTS, points, points),
                        .curves = CONTENDERS,
                        .x = x,
                        .contender = contenders,
                        .unit = MICROSECONDS_A_CYCLE};
    grid_make(&grid);
    return grid;
}

static void measure_steps(const struct paper *paper, struct grid *grid)
{
    uint32_t sets = (uint32_t)paper_number(paper, "sets");
    struct plan_study study = {.paper = paper,
                               .topology = paper_mesh(16),
                               .sets = paper_sized(paper, 3, sets / 10 + 1, sets),
                               .grids = 1,
                               .cost = {COST_STEPS},
                               .grid = {grid}};
    grid->y_name = "steps";
    grid->unit = 0;
    plan_study_run(&study);
}

/* Single multicasts; all have `flits` flits, or x of them where `flits` is 0, and the same for destinations. */
static void measure_single(const struct paper *paper, const struct network_settings *settings,
                           uint32_t count, uint32_t flits, struct grid *grid)
{
    struct burst_point point[POINTS];
    uint32_t sets = (uint32_t)paper_number(paper, "sets");
    for (uint32_t i = 0; i < grid->points; i++) {
        uint32_t x = (uint32_t)grid->x[i];
        point[i] = (struct burst_point){1, count == 0 ? x : count, flits == 0 ? x : flits};
    }
    struct burst_study study = {.paper = paper,
                                .topology = paper_mesh(16),
                                .settings = settings,
                                .point = point,
                                .least_runs = paper_sized(paper, 3, sets / 10 + 2, sets),
                                .most_runs = paper_sized(paper, 3, sets / 10 + 2, sets),
                                .latency = grid};
    burst_study_run(&study);
}

static void measure_rates(const struct paper *paper, const struct network_settings *settings,
                          uint32_t count, uint32_t flits, struct grid *grid)
{
    struct load_point_of_study point[RATES];
    for (uint32_t i = 0; i < RATES; i++)
        point[i] = (struct load_point_of_study){rates[i], count, flits, flits};
    struct load_study study = {.paper = paper,
                               .topology = paper_mesh(16),
                               .settings = settings,
                               .point = point,
                               .warmup = paper_sized(paper, 20, 100, 300),
                               .measured = paper_sized(paper, 40, 200, 1500),
                               .most_runs = paper_sized(paper, 1, 1, 5),
                               .latency = grid};
    load_study_run(&study);
}

/* Sums over all x: where one port takes so many times what two ports take. */
static double ratio_of(const struct grid *grid)
{
    double one = 0, two = 0;
    for (uint32_t i = 0; i < grid->points; i++) {
        one += grid_cell(grid, i, 0)->mean;
        two += grid_cell(grid, i, 1)->mean;
    }
    return one / two;
}

/* How many times its first value a curve reaches at the last point where all are steady. */
static double growth_of(const struct grid *grid, uint32_t curve)
{
    uint32_t i = grid->points - 1;
    while (i > 0 && (grid_cell(grid, i, 0)->mark != CELL_STEADY ||
                     grid_cell(grid, i, 1)->mark != CELL_STEADY))
        i--;
    return grid_cell(grid, i, curve)->mean / grid_cell(grid, 0, curve)->mean;
}

static void tell(const struct paper *paper, const struct grid grid[4])
{
    paper_fact(paper, "one-growth", "%.1f", growth_of(&grid[2], 0));
    paper_fact(paper, "two-growth", "%.1f", growth_of(&grid[2], 1));
    paper_fact(paper, "steps-ratio", "%.2f", ratio_of(&grid[0]));
    paper_fact(paper, "latency-ratio", "%.2f", ratio_of(&grid[1]));
    paper_fact(paper, "length-ratio", "%.2f", ratio_of(&grid[3]));
    paper_fact(paper, "one-steady", "%g", load_study_steady(&grid[2], 0));
    paper_fact(paper, "two-steady", "%g", load_study_steady(&grid[2], 1));
    paper_fact(paper, "most-rate", "%g", grid[2].x[grid[2].points - 1]);
}

static void run(const struct paper *paper)
{
    struct network_settings settings[CONTENDERS];
    uint32_t count = (uint32_t)paper_number(paper, "destinations");
    uint32_t flits = (uint32_t)paper_number(paper, "flits");
    for (uint32_t j = 0; j < CONTENDERS; j++) {
        settings[j] = network_study_settings(paper);
        settings[j].injection *= j + 1;
        settings[j].consumption *= j + 1;
    }
    struct grid grid[4] = {
        grid_of(paper, "Steps", "destinations", destinations, POINTS),
        grid_of(paper, "Single multicasts", "destinations", destinations, POINTS),
        grid_of(paper, "Latency against rate", "messages per node and µs", rates, RATES),
        grid_of(paper, "Latency against length, single multicasts", "flits of a message", lengths,
                LENGTHS)};
    measure_steps(paper, &grid[0]);
    measure_single(paper, settings, 0, flits, &grid[1]);
    measure_rates(paper, settings, count, flits, &grid[2]);
    measure_single(paper, settings, count, 0, &grid[3]);
    for (int g = 0; g < 4; g++)
        grid_print(&grid[g], paper->text);
    figure_draw(paper, "papers-e6", (const struct grid *const[]){&grid[0], &grid[1]}, 2);
    figure_draw(paper, "papers-e6-load", (const struct grid *const[]){&grid[2], &grid[3]}, 2);
    tell(paper, grid);
    for (int g = 0; g < 4; g++)
        grid_free(&grid[g]);
}

static const struct choice choices[] = {
    NETWORK_CHOICES("1000", "per-port", "4", "1", "1", "1"),
    ARRIVALS_CHOICE,
    {"destinations", "30", "of a message, against rate and length"},
    {"flits", "100", "of a message, against destinations and rate"},
    {"sets", "100", "random sets a point, of single multicasts and of steps"},
    {NULL, NULL, NULL},
};

const struct experiment experiment_port_latency = {
    "E6", "unicast trees of one port and of two, 16 x 16: latency, µs (cycles)", choices, run};
