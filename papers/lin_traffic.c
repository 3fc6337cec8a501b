/* lin_traffic.c - E7: traffic and time of path multicast from the corner of 20 x 20 nodes. */
#include "papers/experiments.h"
#include "papers/plan_study.h"

static const struct contender contenders[] = {{"lin", "lin", {NULL}}};

enum { SIDE = 20, STEP = 10, POINTS = 39 /* K = 0, 10, .., 380 */, TINY_POINTS = 3 };

static void run(const struct paper *paper)
{
    double x[POINTS];
    for (uint32_t i = 0; i < POINTS; i++)
        x[i] = STEP * i;
    struct grid traffic = {.title = "Traffic, 20 x 20, from the corner",
                           .x_name = "destinations K",
                           .y_name = "links",
                           .x_format = "%.0f",
                           .format = "%.1f",
                           .points = paper_sized(paper, TINY_POINTS, POINTS, POINTS),
                           .curves = 1,
                           .x = x,
                           .contender = contenders};
    struct grid time = traffic;
    time.title = "Time, 20 x 20, from the corner";
    time.y_name = "hops and flits";
    grid_make(&traffic);
    grid_make(&time);
    uint32_t sets = (uint32_t)paper_number(paper, "sets");
    struct plan_study study = {.paper = paper,
                               .topology = paper_mesh(SIDE),
                               .is_from_corner = true,
                               .draw = paper_one_of(paper, "draw", set_draw_names),
                               .sets = paper_sized(paper, 3, sets / 10 + 1, sets),
                               .grids = 2,
                               .cost = {COST_TRAFFIC, COST_LONGEST_PATH},
                               .grid = {&traffic, &time}};
    plan_study_run(&study);
    for (uint32_t i = 0; i < time.points; i++)
        time.cell[i].mean += paper_number(paper, "flits");
    grid_print(&traffic, paper->text);
    grid_print(&time, paper->text);
    figure_draw(paper, "papers-e7", (const struct grid *const[]){&traffic, &time}, 2);
    paper_fact(paper, "points", "%u", traffic.points);
    paper_fact(paper, "traffic", "%.1f", grid_mean(&traffic, 0).mean);
    paper_fact(paper, "time", "%.1f", grid_mean(&time, 0).mean);
    paper_fact(paper, "draw", "%s", paper_word(paper, "draw"));
    paper_fact(paper, "last-k", "%.0f", x[traffic.points - 1]);
    paper_fact(paper, "traffic-last", "%.1f", grid_cell(&traffic, traffic.points - 1, 0)->mean);
    grid_free(&traffic);
    grid_free(&time);
}

static const struct choice choices[] = {
    {"draw", "replacement",
     "`replacement`: each destination is any node but the source, and one drawn twice counts twice "
     "in K; `uniform` and `scan` draw K different ones, as in X1 to X8"},
    {"sets", "1000", "random sets a point"},
    {"flits", "20", "of a message; the time is the longest path and these"},
    {NULL, NULL, NULL},
};

const struct experiment experiment_lin_traffic = {
    "E7", "traffic and time of `lin` from the corner, 20 x 20", choices, run};
