/* random_startups.c - E2: startups of multicasts to random destinations on 16 x 16 nodes. */
#include "papers/experiments.h"
#include "papers/plan_study.h"

static const double destinations[] = {5,  10,  15,  20,  30,  40,  50,  60,
                                      80, 100, 125, 150, 175, 200, 225, 255};
static const struct contender contenders[] = {
    {"pure", "pure", {NULL}},
    {"minimal", "minimal", {"variant=absorb", NULL}},
    {"minimal, printed", "minimal", {"variant=printed", NULL}},
    {"dual", "dual", {NULL}},
    {"column", "column", {NULL}},
    {"schl", "schl", {NULL}},
};

enum {
    POINTS = sizeof destinations / sizeof *destinations,
    CONTENDERS = sizeof contenders / sizeof *contenders,
    TINY_POINTS = 3,
    PURE = 0,
    MINIMAL = 1,
    COLUMN = 4
};

static void run(const struct paper *paper)
{
    struct grid grid = {.title = "Mean startups of a multicast, 16 x 16",
                        .x_name = "destinations",
                        .y_name = "startups",
                        .x_format = "%.0f",
                        .format = "%.2f",
                        .points = paper_sized(paper, TINY_POINTS, POINTS, POINTS),
                        .curves = CONTENDERS,
                        .x = destinations,
                        .contender = contenders};
    uint32_t sets = (uint32_t)paper_number(paper, "sets"), last = grid.points - 1;
    struct plan_study study = {.paper = paper,
                               .topology = paper_mesh(16),
                               .sets = paper_sized(paper, 3, sets / 10 + 1, sets),
                               .grids = 1,
                               .cost = {COST_STARTUPS},
                               .grid = {&grid}};
    grid_make(&grid);
    plan_study_run(&study);
    grid_print(&grid, paper->text);
    figure_draw(paper, "papers-e2", (const struct grid *const[]){&grid}, 1);
    paper_fact(paper, "last-k", "%.0f", grid.x[last]);
    paper_fact(paper, "pure-first", "%.1f", grid_cell(&grid, 0, PURE)->mean);
    paper_fact(paper, "minimal-first", "%.1f", grid_cell(&grid, 0, MINIMAL)->mean);
    paper_fact(paper, "column-first", "%.1f", grid_cell(&grid, 0, COLUMN)->mean);
    paper_fact(paper, "pure-last", "%.1f", grid_cell(&grid, last, PURE)->mean);
    paper_fact(paper, "minimal-last", "%.1f", grid_cell(&grid, last, MINIMAL)->mean);
    paper_fact(paper, "column-last", "%.1f", grid_cell(&grid, last, COLUMN)->mean);
    grid_free(&grid);
}

static const struct choice choices[] = {
    {"sets", "1000", "random sets a point; all schemes meet the same ones"},
    {NULL, NULL, NULL},
};

const struct experiment experiment_random_startups = {"E2", "startups of multicasts to random sets",
                                                      choices, run};
