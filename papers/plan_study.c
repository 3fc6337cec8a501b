/* plan_study.c - costs of plans for random multicasts.
 *
 * A point is a number of destinations. Its sets depend on (seed, point, set) alone; each contender plans for each of them.
 */
#include "papers/plan_study.h"

#include "bench/must.h"

/* What one point needs. */
struct planning {
    const struct plan_study *study;
    struct topology torus;
    struct plan plan;
    struct plan_meter meter;
    uint32_t *destination;
    struct sample *sample; /* of each contender and grid */
};

static void plan_one(struct planning *planning, const struct multicast *multicast,
                     uint32_t contender)
{
    const struct plan_study *study = planning->study;
    struct scheme_choices choices;
    const struct scheme *scheme = contender_scheme(&study->grid[0]->contender[contender], &choices);
    bool on_torus = study->on_torus != NULL && study->on_torus[contender];
    const struct topology *topology = on_torus ? &planning->torus : &study->topology;
    struct plan_costs costs;
    struct failure failure = {0};
    paper_choose(study->paper, scheme, &choices);
    bench_must(scheme_plan(scheme, topology, multicast, &choices, &planning->plan, &failure),
               &failure);
    bench_must(plan_measure(&planning->meter, scheme, topology, multicast, &planning->plan, &costs,
                            &failure),
               &failure);
    for (uint32_t g = 0; g < study->grids; g++)
        sample_add(&planning->sample[contender * study->grids + g],
                   (double)costs.of[study->cost[g]]);
}

static void plan_sets(struct planning *planning, uint32_t point)
{
    const struct plan_study *study = planning->study;
    uint32_t nodes = study->topology.nodes, count = (uint32_t)study->grid[0]->x[point];
    for (uint32_t set = 0; set < study->sets; set++) {
        struct pcg32 random = pcg32_seed(study->paper->seed, (uint64_t)point << 32 | set);
        uint32_t source = study->is_from_corner ? 0 : pcg32_below(&random, nodes);
        uint32_t drawn =
            random_set_draw(&random, nodes, source, count, study->draw, planning->destination);
        struct multicast multicast = {source, drawn, planning->destination, 1};
        for (uint32_t j = 0; j < study->grid[0]->curves; j++)
            plan_one(planning, &multicast, j);
    }
}

static void measure_plans(void *context, uint32_t point)
{
    const struct plan_study *study = context;
    const struct grid *first = study->grid[0];
    struct failure failure = {0};
    size_t room = (size_t)first->x[point] + 1;
    struct shape torus = study->topology.shape;
    torus.kind = TOPOLOGY_TORUS;
    struct planning planning = {
        .study = study,
        .torus = topology_of_shape(&torus),
        .destination = memory_allocate(room, sizeof *planning.destination),
        .sample = memory_allocate((size_t)first->curves * study->grids, sizeof *planning.sample)};
    if (planning.destination == NULL || planning.sample == NULL)
        bench_must(fail_memory(&failure, "the sets of an experiment"), &failure);
    plan_sets(&planning, point);
    for (uint32_t j = 0; j < first->curves; j++)
        for (uint32_t g = 0; g < study->grids; g++)
            *grid_cell(study->grid[g], point, j) =
                sample_cell(&planning.sample[j * study->grids + g]);
    plan_free(&planning.plan);
    plan_meter_free(&planning.meter);
    free(planning.destination);
    free(planning.sample);
}

void plan_study_run(const struct plan_study *study)
{
    struct plan_study copy = *study;
    paper_measure(study->paper, study->grid[0]->points, measure_plans, &copy);
}
