/* corner_costs.c - X1 to X8: traffic and time of trees and paths from the corner of meshes and tori.
 *
 * A trial says which schemes plan for the same random sets, and where. Its points are K = 0, 10, 20, .. destinations, or
 * 10, 20, .. . Traffic counts links; what of it is beyond K is the additional traffic. The time of trees is that of
 * store-and-forward over one port, in hops; that of paths is the longest path and the message's flits.
 * Beside the means over all points stand those with two other choices, of fewer sets.
 */
#include "papers/experiments.h"
#include "papers/plan_study.h"

#include <math.h>
#include <string.h>

enum { STEP = 10, TINY_POINTS = 3, MOST_POINTS = 100 };
enum { TRAFFIC, ADDITIONAL, TIME, ALL_PORTS, GRIDS };

struct trial {
    const char *name, *network, *picture;
    uint32_t side, dimensions;
    uint32_t least, most; /* K */
    uint32_t every;       /* of how many points the tables have one; the pictures have all */
    bool is_of_paths;
    uint32_t curves;
    const struct contender *contender;
    const bool *on_torus; /* of each contender; NULL: all are on the mesh */
};

static const struct contender trees[] = {
    {"vh", "vh", {NULL}}, {"diag", "diag", {NULL}}, {"dds", "dds", {NULL}}, {"min", "min", {NULL}}};
static const struct contender both[] = {{"diag, mesh", "diag", {NULL}},
                                        {"diag, torus", "diag", {NULL}},
                                        {"dds, mesh", "dds", {NULL}},
                                        {"dds, torus", "dds", {NULL}}};
static const struct contender without_dds[] = {
    {"vh", "vh", {NULL}}, {"diag", "diag", {NULL}}, {"min", "min", {NULL}}};
static const struct contender paths[] = {{"lin", "lin", {NULL}}, {"xy-path", "xy-path", {NULL}}};

static const bool all_on_torus[] = {true, true, true, true},
                  half_on_torus[] = {false, true, false, true};

static const struct trial trials[] = {
    {"X1", "20 x 20 mesh", "papers-x1", 20, 2, 10, 380, 1, false, 2, trees, NULL},
    {"X2", "20 x 20 mesh", "papers-x2", 20, 2, 0, 380, 1, false, 3, trees + 1, NULL},
    {"X3", "20 x 20 torus", "papers-x3", 20, 2, 0, 380, 1, false, 4, trees, all_on_torus},
    {"X4", "20 x 20", "papers-x4", 20, 2, 0, 380, 1, false, 4, both, half_on_torus},
    {"X5", "10 x 10 x 10 mesh", "papers-x5", 10, 3, 0, 990, 5, false, 4, trees, NULL},
    {"X6", "10 x 10 x 10 torus", "papers-x6", 10, 3, 0, 990, 5, false, 4, trees, all_on_torus},
    {"X7", "20 x 20 mesh", "papers-x7", 20, 2, 0, 380, 1, true, 2, paths, NULL},
    {"X8", "10 x 10 mesh", "papers-x8", 10, 2, 0, 90, 1, false, 3, without_dds, NULL},
};

static const struct trial *trial_of(const struct paper *paper)
{
    const struct trial *trial = trials;
    while (strcmp(trial->name, paper->experiment->name) != 0)
        trial++;
    return trial;
}

/* What a trial measured: grids of the same points and schemes. */
struct measured {
    double x[MOST_POINTS];
    char title[GRIDS][80];
    struct grid grid[GRIDS];
};

static void make_grids(const struct paper *paper, const struct trial *trial,
                       struct measured *measured)
{
    static const char *const names[GRIDS] = {"Traffic", "Additional traffic", "Time",
                                             "Time over all ports"};
    uint32_t points = (trial->most - trial->least) / STEP + 1;
    for (uint32_t i = 0; i < points; i++)
        measured->x[i] = trial->least + STEP * i;
    for (int g = 0; g < GRIDS; g++) {
        snprintf(measured->title[g], sizeof measured->title[g], "%s, %s", names[g], trial->network);
        measured->grid[g] = (struct grid){.title = measured->title[g],
                                          .x_name = "destinations K",
                                          .y_name = g < TIME             ? "links"
                                                    : trial->is_of_paths ? "hops and flits"
                                                                         : "hops",
                                          .x_format = "%.0f",
                                          .format = g < TIME ? "%.1f" : "%.2f",
                                          .points = paper_sized(paper, TINY_POINTS, points, points),
                                          .curves = trial->curves,
                                          .x = measured->x,
                                          .contender = trial->contender,
                                          .beyond_x = g == TRAFFIC,
                                          .has_means = true,
                                          .every = trial->every};
        grid_make(&measured->grid[g]);
    }
}

/* `setting` is NULL, or sets a choice, whatever the user set. The caller frees the grids. */
static void measure(const struct paper *paper, const struct trial *trial, const char *setting,
                    uint32_t sets, struct measured *measured)
{
    enum { MOST_SETTINGS = 64 };
    const char *all[MOST_SETTINGS + 2] = {setting};
    struct paper own = *paper;
    uint32_t count = setting != NULL;
    for (uint32_t i = 0; i < MOST_SETTINGS && paper->setting != NULL && paper->setting[i]; i++)
        all[count++] = paper->setting[i];
    own.setting = all;
    struct shape shape = {.kind = TOPOLOGY_MESH, .dimensions = trial->dimensions};
    for (uint32_t d = 0; d < trial->dimensions; d++)
        shape.size[d] = trial->side;
    make_grids(paper, trial, measured);
    struct grid *grid = measured->grid;
    struct plan_study study = {
        .paper = &own,
        .topology = topology_of_shape(&shape),
        .on_torus = trial->on_torus,
        .is_from_corner = true,
        .draw = paper_one_of(&own, "draw", set_draw_names),
        .sets = sets,
        .grids = trial->is_of_paths ? ALL_PORTS : GRIDS,
        .cost = {COST_TRAFFIC, COST_ADDITIONAL_TRAFFIC,
                 trial->is_of_paths ? COST_LONGEST_PATH : COST_ONE_PORT, COST_ALL_PORT},
        .grid = {&grid[TRAFFIC], &grid[ADDITIONAL], &grid[TIME], &grid[ALL_PORTS]}};
    plan_study_run(&study);
    for (uint32_t i = 0; trial->is_of_paths && i < grid[TIME].points * trial->curves; i++)
        grid[TIME].cell[i].mean += paper_number(paper, "flits");
}

static void free_grids(struct measured *measured)
{
    for (int g = 0; g < GRIDS; g++)
        grid_free(&measured->grid[g]);
}

static double mean_of(const struct measured *measured, int grid, uint32_t curve)
{
    return grid_mean(&measured->grid[grid], curve).mean;
}

/* ---- what is told ---- */

/* The means over all points, beside those of other choices. */
static void print_means(const struct paper *paper, const struct trial *trial,
                        const struct measured *own, const struct measured *scan,
                        const struct measured *deepest)
{
    fprintf(paper->text,
            "Means over all points%s:\n\n| | traffic | beyond K | time |%s draw=scan: traffic | "
            "beyond K | time |\n|---|---:|---:|---:|%s---:|---:|---:|\n",
            paper->size == PAPER_WHOLE ? " (other choices: of a fifth of the sets)" : "",
            trial->is_of_paths ? "" : " over all ports | order=deepest: time |",
            trial->is_of_paths ? "" : "---:|---:|");
    for (uint32_t j = 0; j < trial->curves; j++) {
        fprintf(paper->text, "| %s | %.1f | %.1f | %.2f |", trial->contender[j].title,
                mean_of(own, TRAFFIC, j), mean_of(own, ADDITIONAL, j), mean_of(own, TIME, j));
        if (!trial->is_of_paths)
            fprintf(paper->text, " %.2f | %.2f |", mean_of(own, ALL_PORTS, j),
                    mean_of(deepest, TIME, j));
        fprintf(paper->text, " %.1f | %.1f | %.2f |\n", mean_of(scan, TRAFFIC, j),
                mean_of(scan, ADDITIONAL, j), mean_of(scan, TIME, j));
    }
    fputc('\n', paper->text);
}

/* Traffic and time of each scheme, as percent of the first one, or, where schemes stand in pairs, of the other one. */
static void tell_parts(const struct paper *paper, const struct trial *trial,
                       const struct measured *own)
{
    for (uint32_t j = 1; j < trial->curves; j++) {
        const char *title = trial->contender[j].title;
        int named = (int)strcspn(title, ",");
        uint32_t base = trial->contender == both ? j - j % 2 : 0;
        char name[80];
        if (j == base)
            continue;
        snprintf(name, sizeof name, "%.*s-traffic", named, title);
        paper_fact(paper, name, "%.0f",
                   100 * mean_of(own, TRAFFIC, j) / mean_of(own, TRAFFIC, base));
        snprintf(name, sizeof name, "%.*s-time", named, title);
        paper_fact(paper, name, "%.0f", 100 * mean_of(own, TIME, j) / mean_of(own, TIME, base));
    }
}

/* Of trees of shortest ways, whose time is at least that over all ports, the longest wait for a port. */
static double longest_wait(const struct measured *measured, const struct trial *trial)
{
    double longest = 0;
    for (uint32_t j = 0; j < trial->curves; j++)
        if (strcmp(trial->contender[j].scheme, "min") != 0)
            longest = fmax(longest, mean_of(measured, TIME, j) - mean_of(measured, ALL_PORTS, j));
    return longest;
}

static void run(const struct paper *paper)
{
    const struct trial *trial = trial_of(paper);
    uint32_t sets = (uint32_t)paper_number(paper, "sets");
    uint32_t some = paper_sized(paper, 3, sets / 25 + 1, sets);
    struct measured own, scan, deepest;
    measure(paper, trial, NULL, some, &own);
    measure(paper, trial, "draw=scan", some / 5 + 1, &scan);
    if (!trial->is_of_paths)
        measure(paper, trial, "order=deepest", some / 5 + 1, &deepest);
    print_means(paper, trial, &own, &scan, &deepest);
    grid_print(&own.grid[TRAFFIC], paper->text);
    grid_print(&own.grid[TIME], paper->text);
    const struct grid *panel[] = {&own.grid[trial->is_of_paths ? TRAFFIC : ADDITIONAL],
                                  &own.grid[TIME]};
    figure_draw(paper, trial->picture, panel, 2);
    tell_parts(paper, trial, &own);
    if (!trial->is_of_paths) {
        paper_fact(paper, "wait", "%.2f", longest_wait(&own, trial));
        paper_fact(paper, "wait-deepest", "%.2f", longest_wait(&deepest, trial));
        free_grids(&deepest);
    }
    free_grids(&own);
    free_grids(&scan);
}

/* ---- choices ---- */

#define SETS_CHOICES                                                                               \
    {"draw", "uniform",                                                                            \
     "of K nodes but the source: `uniform`, all sets are equally likely; `scan`, a walk over the " \
     "nodes takes each with probability K / N until it has K, and starts afresh if it ends with "  \
     "fewer; `replacement`, the same node may be drawn again"},                                    \
    {                                                                                              \
        "sets", "1000", "random sets a point; all schemes meet the same ones"                      \
    }
#define TREE_CHOICES                                                                               \
    {"order", "own",                                                                               \
     "in which a node sends to its children: the tree's `own` one, or the one with the most hops " \
     "left first, `deepest`"},                                                                     \
    {                                                                                              \
        "tie", "id",                                                                               \
            "which of several nearest nodes of the tree a branch leaves: the smallest number, "    \
            "`id`, or the `first` or `last` one that joined"                                       \
    }
#define MIN_CHOICE                                                                                 \
    {                                                                                              \
        "min", "lex",                                                                              \
            "which of several destinations joins `min` next: the one with the least other "        \
            "coordinates, `lex`, or the one that is nearest to the tree, `near`"                   \
    }
#define WRAP_CHOICE                                                                                \
    {                                                                                              \
        "wrap", "first", "whether a node sends over wraparound links `first` or `last`"            \
    }
#define NO_CHOICE                                                                                  \
    {                                                                                              \
        NULL, NULL, NULL                                                                           \
    }

static const struct choice mesh_choices[] = {SETS_CHOICES, TREE_CHOICES, NO_CHOICE};
static const struct choice mesh_min_choices[] = {SETS_CHOICES, TREE_CHOICES, MIN_CHOICE, NO_CHOICE};
static const struct choice torus_choices[] = {SETS_CHOICES, TREE_CHOICES, WRAP_CHOICE, NO_CHOICE};
static const struct choice torus_min_choices[] = {SETS_CHOICES, TREE_CHOICES, MIN_CHOICE,
                                                  WRAP_CHOICE, NO_CHOICE};
static const struct choice path_choices[] = {
    SETS_CHOICES,
    {"flits", "20", "of a message; the time is the longest path and these"},
    NO_CHOICE};

const struct experiment experiment_mesh_stems = {
    "X1", "trees from the corner of a 20 x 20 mesh: `vh` and `diag`", mesh_choices, run};
const struct experiment experiment_mesh_trees = {
    "X2", "trees from the corner of a 20 x 20 mesh: `diag`, `dds` and `min`", mesh_min_choices,
    run};
const struct experiment experiment_torus_trees = {"X3", "trees on a 20 x 20 torus",
                                                  torus_min_choices, run};
const struct experiment experiment_mesh_and_torus = {
    "X4", "`diag` and `dds` on a mesh and on a torus", torus_choices, run};
const struct experiment experiment_cube_trees = {
    "X5", "trees from the corner of a 10 x 10 x 10 mesh", mesh_min_choices, run};
const struct experiment experiment_cube_torus_trees = {"X6", "trees on a 10 x 10 x 10 torus",
                                                       torus_min_choices, run};
const struct experiment experiment_corner_paths = {"X7", "paths from the corner of a 20 x 20 mesh",
                                                   path_choices, run};
const struct experiment experiment_small_mesh_trees = {
    "X8", "trees from the corner of a 10 x 10 mesh", mesh_min_choices, run};
