/* load_study.c - latencies in open loops: below saturation steady, beyond it in finite runs.
 *
 * Messages depend on (seed, run, node) alone: all contenders meet the same ones.
 */
#include "bench/must.h"
#include "network/open_loop.h"
#include "papers/network_study.h"

#include <string.h>

#define PRECISION 0.05

static struct cell run_loop(struct open_loop *loop)
{
    struct open_loop_result result;
    struct failure failure = {0};
    bench_must(open_loop_run(loop, &result, &failure), &failure);
    if (result.is_saturated && !loop->is_finite) {
        open_loop_free(&result);
        loop->is_finite = true;
        loop->most_runs = 1;
        return run_loop(loop);
    }
    struct cell cell = {MICROSECONDS_A_CYCLE * result.latency.mean,
                        MICROSECONDS_A_CYCLE * result.latency.half_width,
                        loop->is_finite ? CELL_FINITE : CELL_STEADY};
    open_loop_free(&result);
    return cell;
}

static void measure_load(void *context, uint32_t index)
{
    const struct load_study *study = context;
    struct grid *grid = study->latency;
    uint32_t x = index / grid->curves, curve = index % grid->curves;
    const struct load_point_of_study *point = &study->point[x];
    struct open_loop loop = {
        .topology = &study->topology,
        .settings = study->settings[curve],
        .rate = point->rate / CYCLES_A_MICROSECOND,
        .order = strcmp(paper_word(study->paper, "arrivals"), "geometric") == 0 ? 1 : 2,
        .destinations = point->destinations,
        .least_flits = point->least_flits,
        .most_flits = point->most_flits,
        .warmup = study->warmup,
        .measured = study->measured,
        .precision = PRECISION,
        .most_runs = study->most_runs,
        .growth_limit = MEMORY_NO_LIMIT,
        .seed = study->paper->seed};
    loop.scheme = contender_scheme(&grid->contender[curve], &loop.choices);
    *grid_cell(grid, x, curve) = run_loop(&loop);
}

void load_study_run(const struct load_study *study)
{
    struct load_study copy = *study;
    paper_measure(study->paper, study->latency->points * study->latency->curves, measure_load,
                  &copy);
}

double load_study_steady(const struct grid *grid, uint32_t curve)
{
    double most = 0;
    for (uint32_t i = 0; i < grid->points; i++)
        if (grid_cell(grid, i, curve)->mark == CELL_STEADY)
            most = grid->x[i];
    return most;
}
