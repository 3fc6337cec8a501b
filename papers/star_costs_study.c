/* star_costs_study.c - E8: channels and longest paths of multicast stars on 16 x 16 nodes. */
#include "papers/experiments.h"
#include "papers/plan_study.h"

static const double destinations[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 128};
static const struct contender contenders[] = {
    {"dual", "dual", {NULL}},
    {"multi", "multi", {NULL}},
    {"ocms, strict", "ocms", {"port=strict", NULL}},
    {"ocms, forced", "ocms", {"port=forced", NULL}},
    {"otms, strict", "otms", {"port=strict", NULL}},
    {"otms, forced", "otms", {"port=forced", NULL}},
};

enum {
    POINTS = sizeof destinations / sizeof *destinations,
    CONTENDERS = sizeof contenders / sizeof *contenders,
    TINY_POINTS = 2
};

static const char *const fact_names[] = {"dual",        "multi",       "ocms-strict",
                                         "ocms-forced", "otms-strict", "otms-forced"};

static void tell(const struct paper *paper, const struct grid *channels, const struct grid *longest)
{
    uint32_t last = channels->points - 1;
    paper_fact(paper, "last-k", "%.0f", channels->x[last]);
    for (uint32_t j = 0; j < CONTENDERS; j++) {
        char name[80];
        double dual = grid_cell(channels, last, 0)->mean, path = grid_cell(longest, last, 0)->mean;
        snprintf(name, sizeof name, "%s-channels", fact_names[j]);
        paper_fact(paper, name, "%.2f", grid_cell(channels, last, j)->mean / dual);
        snprintf(name, sizeof name, "%s-longest", fact_names[j]);
        paper_fact(paper, name, "%.2f", grid_cell(longest, last, j)->mean / path);
    }
}

static void run(const struct paper *paper)
{
    struct grid channels = {.title = "Channels of a multicast, 16 x 16",
                            .x_name = "destinations",
                            .y_name = "channels",
                            .x_format = "%.0f",
                            .format = "%.1f",
                            .points = paper_sized(paper, TINY_POINTS, POINTS, POINTS),
                            .curves = CONTENDERS,
                            .x = destinations,
                            .contender = contenders};
    struct grid longest = channels;
    longest.title = "Longest path of a multicast, 16 x 16";
    longest.y_name = "hops";
    grid_make(&channels);
    grid_make(&longest);
    uint32_t sets = (uint32_t)paper_number(paper, "sets");
    struct plan_study study = {.paper = paper,
                               .topology = paper_mesh(16),
                               .sets = paper_sized(paper, 3, sets / 10 + 1, sets),
                               .grids = 2,
                               .cost = {COST_TRAFFIC, COST_LONGEST_PATH},
                               .grid = {&channels, &longest}};
    plan_study_run(&study);
    grid_print(&channels, paper->text);
    grid_print(&longest, paper->text);
    figure_draw(paper, "papers-e8", (const struct grid *const[]){&channels, &longest}, 2);
    tell(paper, &channels, &longest);
    grid_free(&channels);
    grid_free(&longest);
}

static const struct choice choices[] = {
    {"sets", "1000", "random sets a point, from random sources; all schemes meet the same ones"},
    {NULL, NULL, NULL},
};

const struct experiment experiment_star_costs = {
    "E8", "channels and longest paths of multicast stars", choices, run};
