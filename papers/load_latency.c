/* load_latency.c - E3 and E4: latency of multicasts in an open loop, against the rate and against the destinations. */
#include "papers/experiments.h"
#include "papers/network_study.h"

enum { MOST_POINTS = 16, CONTENDERS = 4, PANELS = 3, TINY_POINTS = 1, LEAST = 10, MOST = 100 };

/* routing=R of the negative-first schemes is a choice. */
struct contenders {
    char routing[48];
    struct contender of[CONTENDERS];
    struct network_settings settings[CONTENDERS];
};

static void make_contenders(const struct paper *paper, struct contenders *contenders)
{
    snprintf(contenders->routing, sizeof contenders->routing, "routing=%s",
             paper_word(paper, "routing"));
    contenders->of[0] = (struct contender){"dual", "dual", {NULL}};
    contenders->of[1] = (struct contender){"column", "column", {NULL}};
    contenders->of[2] = (struct contender){"pure", "pure", {contenders->routing}};
    contenders->of[3] = (struct contender){"minimal", "minimal", {contenders->routing}};
    for (int j = 0; j < CONTENDERS; j++)
        contenders->settings[j] = network_study_settings(paper);
}

static void measure(const struct paper *paper, const struct contenders *contenders,
                    const struct load_point_of_study *point, struct grid *grid)
{
    double share = paper->size == PAPER_WHOLE ? 1 : paper->size == PAPER_QUICK ? 0.2 : 0.04;
    struct load_study study = {.paper = paper,
                               .topology = paper_mesh(16),
                               .settings = contenders->settings,
                               .point = point,
                               .warmup = (uint64_t)(share * paper_number(paper, "warmup")),
                               .measured = (uint64_t)(share * paper_number(paper, "measured")),
                               .most_runs = paper_sized(paper, 1, 1, 5),
                               .latency = grid};
    grid_make(grid);
    load_study_run(&study);
    grid_print(grid, paper->text);
}

/* ---- E3 ---- */

static const double rates[] = {0.001, 0.002, 0.004, 0.006, 0.008, 0.012, 0.016, 0.02, 0.025};
static const uint32_t panel_destinations[PANELS] = {10, 20, 30};
static const char *const panel_titles[PANELS] = {"10 destinations", "20 destinations",
                                                 "30 destinations"};

/* The largest steady rate of each scheme in each panel. */
static void tell_rates(const struct paper *paper, const struct grid *grid, uint32_t destinations)
{
    for (uint32_t j = 0; j < CONTENDERS; j++) {
        char name[48];
        snprintf(name, sizeof name, "%s-%u", grid->contender[j].title, destinations);
        paper_fact(paper, name, "%g", load_study_steady(grid, j));
        if (j == 0)
            continue;
        snprintf(name, sizeof name, "%s-%u-first", grid->contender[j].title, destinations);
        paper_fact(paper, name, "%.2f", grid_cell(grid, 0, j)->mean / grid_cell(grid, 0, 0)->mean);
    }
}

static void run_rates(const struct paper *paper)
{
    enum { POINTS = sizeof rates / sizeof *rates };
    struct contenders contenders;
    struct grid grid[PANELS];
    make_contenders(paper, &contenders);
    for (int p = 0; p < PANELS; p++) {
        struct load_point_of_study point[POINTS];
        for (int i = 0; i < POINTS; i++)
            point[i] = (struct load_point_of_study){rates[i], panel_destinations[p], LEAST, MOST};
        grid[p] = (struct grid){.title = panel_titles[p],
                                .x_name = "messages per node and µs",
                                .y_name = "latency, µs",
                                .x_format = "%g",
                                .format = "%.1f",
                                .points = paper_sized(paper, TINY_POINTS, POINTS, POINTS),
                                .curves = CONTENDERS,
                                .x = rates,
                                .contender = contenders.of,
                                .unit = MICROSECONDS_A_CYCLE};
        measure(paper, &contenders, point, &grid[p]);
        tell_rates(paper, &grid[p], panel_destinations[p]);
    }
    figure_draw(paper, "papers-e3", (const struct grid *const[]){&grid[0], &grid[1], &grid[2]},
                PANELS);
    for (int p = 0; p < PANELS; p++)
        grid_free(&grid[p]);
}

#define LOAD_CHOICES                                                                               \
    NETWORK_CHOICES("1000", "serial", "4", "4", "4", "1"),                                         \
        {"routing", "negative-first",                                                              \
         "of `pure` and `minimal`: adaptive, or `negative-first-fixed`"},                          \
        ARRIVALS_CHOICE, {"warmup", "500", "messages before those that are measured"},             \
    {                                                                                              \
        "measured", "2000",                                                                        \
            "messages a run; runs repeat until 5 %, 5 at most; a finite run is one"                \
    }

static const struct choice rate_choices[] = {LOAD_CHOICES, {NULL, NULL, NULL}};

const struct experiment experiment_latency_of_rate = {
    "E3", "latency against rate, 16 x 16: µs (cycles)", rate_choices, run_rates};

/* ---- E4 ---- */

static const double counts[] = {1, 5, 10, 20, 30, 45, 60, 80, 100, 130, 160, 200, 255};

static void run_counts(const struct paper *paper)
{
    enum { POINTS = sizeof counts / sizeof *counts };
    struct contenders contenders;
    struct load_point_of_study point[POINTS];
    make_contenders(paper, &contenders);
    for (int i = 0; i < POINTS; i++)
        point[i] = (struct load_point_of_study){paper_number(paper, "rate"), (uint32_t)counts[i],
                                                LEAST, MOST};
    struct grid grid = {.title = "Latency against destinations",
                        .x_name = "destinations",
                        .y_name = "latency, µs",
                        .x_format = "%.0f",
                        .format = "%.1f",
                        .points = paper_sized(paper, TINY_POINTS, POINTS, POINTS),
                        .curves = CONTENDERS,
                        .x = counts,
                        .contender = contenders.of,
                        .unit = MICROSECONDS_A_CYCLE};
    measure(paper, &contenders, point, &grid);
    figure_draw(paper, "papers-e4", (const struct grid *const[]){&grid}, 1);
    for (uint32_t j = 0; j < CONTENDERS; j++)
        paper_fact(paper, grid.contender[j].title, "%g", load_study_steady(&grid, j));
    grid_free(&grid);
}

static const struct choice count_choices[] = {
    LOAD_CHOICES,
    {"rate", "0.006", "messages per node and µs"},
    {NULL, NULL, NULL},
};

const struct experiment experiment_latency_of_destinations = {
    "E4", "latency against destinations, 16 x 16: µs (cycles)", count_choices, run_counts};
