/* burst_latency.c - E5: bursts of 128 and of 256 multicasts on 16 x 16 nodes. */
#include "papers/experiments.h"
#include "papers/network_study.h"

static const double destinations[] = {1, 5, 10, 20, 40, 60, 80, 100, 125, 150, 200, 255};
static const struct contender contenders[] = {
    {"schl", "schl", {NULL}},     {"pure", "pure", {NULL}}, {"minimal", "minimal", {NULL}},
    {"column", "column", {NULL}}, {"dual", "dual", {NULL}},
};

enum {
    POINTS = sizeof destinations / sizeof *destinations,
    CONTENDERS = sizeof contenders / sizeof *contenders,
    TINY_POINTS = 2,
    BURSTS = 2
};

static const uint32_t sources[BURSTS] = {128, 256};
static const char *const titles[BURSTS][2] = {
    {"Mean latency, 128 sources", "Last delivery, 128 sources"},
    {"Mean latency, 256 sources", "Last delivery, 256 sources"}};

static void measure(const struct paper *paper, uint32_t count, struct grid *latency,
                    struct grid *last)
{
    struct network_settings settings[CONTENDERS];
    struct burst_point point[POINTS];
    for (uint32_t j = 0; j < CONTENDERS; j++)
        settings[j] = network_study_settings(paper);
    for (uint32_t i = 0; i < POINTS; i++)
        point[i] = (struct burst_point){count, (uint32_t)destinations[i],
                                        (uint32_t)paper_number(paper, "flits")};
    struct burst_study study = {.paper = paper,
                                .topology = paper_mesh(16),
                                .settings = settings,
                                .point = point,
                                .least_runs = paper_sized(paper, 2, 2, 4),
                                .most_runs = paper_sized(paper, 2, 2, 20),
                                .latency = latency,
                                .last = last};
    burst_study_run(&study);
}

/* The point of few destinations: the third one, as far as there are so many. */
static uint32_t few_of(const struct grid *grid)
{
    enum { FEW = 2 };
    return grid->points > FEW ? FEW : grid->points - 1;
}

/* The schemes with the least mean latency at few destinations and at the most. */
static void tell(const struct paper *paper, const char *first_name, const char *last_name,
                 const struct grid *grid)
{
    uint32_t first = 0, last = 0, few = few_of(grid), end = grid->points - 1;
    for (uint32_t j = 1; j < CONTENDERS; j++) {
        if (grid_cell(grid, few, j)->mean < grid_cell(grid, few, first)->mean)
            first = j;
        if (grid_cell(grid, end, j)->mean < grid_cell(grid, end, last)->mean)
            last = j;
    }
    paper_fact(paper, first_name, "`%s`", contenders[first].title);
    paper_fact(paper, last_name, "`%s`", contenders[last].title);
}

static void run(const struct paper *paper)
{
    struct grid grid[BURSTS][2];
    for (int b = 0; b < BURSTS; b++) {
        for (int g = 0; g < 2; g++) {
            grid[b][g] = (struct grid){.title = titles[b][g],
                                       .x_name = "destinations",
                                       .y_name = "µs",
                                       .x_format = "%.0f",
                                       .format = "%.1f",
                                       .points = paper_sized(paper, TINY_POINTS, POINTS, POINTS),
                                       .curves = CONTENDERS,
                                       .x = destinations,
                                       .contender = contenders,
                                       .unit = MICROSECONDS_A_CYCLE};
            grid_make(&grid[b][g]);
        }
        measure(paper, sources[b], &grid[b][0], &grid[b][1]);
        grid_print(&grid[b][0], paper->text);
        grid_print(&grid[b][1], paper->text);
    }
    figure_draw(paper, "papers-e5", (const struct grid *const[]){&grid[0][0], &grid[1][0]}, 2);
    paper_fact(paper, "few-k", "%.0f", destinations[few_of(&grid[0][0])]);
    paper_fact(paper, "last-k", "%.0f", destinations[grid[0][0].points - 1]);
    tell(paper, "first-128", "last-128", &grid[0][0]);
    tell(paper, "first-256", "last-256", &grid[1][0]);
    for (int b = 0; b < BURSTS; b++)
        for (int g = 0; g < 2; g++)
            grid_free(&grid[b][g]);
}

static const struct choice choices[] = {
    NETWORK_CHOICES("1000", "serial", "1", "1", "4", "1"),
    {"flits", "50", "of a message"},
    {NULL, NULL, NULL},
};

const struct experiment experiment_burst_latency = {
    "E5", "bursts of multicasts, 16 x 16: latency, µs (cycles)", choices, run};
