/* burst_study.c - latencies of bursts of random multicasts, and of single ones.
 *
 * The messages of a run depend on (seed, point, run) alone: all contenders meet the same ones. A place of a grid
 * repeats bursts until its mean is known well enough.
 */
#include "bench/must.h"
#include "network/burst.h"
#include "papers/network_study.h"
#include "papers/random_set.h"

#include <string.h>

#define PRECISION 0.05

struct network_settings network_study_settings(const struct paper *paper)
{
    struct network_settings settings = network_settings_default();
    settings.startup = (uint32_t)paper_number(paper, "startup");
    settings.startup_is_per_port = strcmp(paper_word(paper, "startup-mode"), "per-port") == 0;
    settings.router_delay = (uint32_t)paper_number(paper, "router");
    settings.injection = (uint32_t)paper_number(paper, "injection");
    settings.consumption = (uint32_t)paper_number(paper, "consumption");
    settings.buffer = (uint32_t)paper_number(paper, "buffer");
    settings.vcs = (uint32_t)paper_number(paper, "vcs");
    return settings;
}

/* The messages of one burst. */
struct messages {
    const struct burst_point *point;
    uint32_t *source, *destination; /* `destinations` of each message */
};

static struct multicast message_at(void *context, uint32_t index)
{
    const struct messages *messages = context;
    const struct burst_point *point = messages->point;
    return (struct multicast){messages->source[index], point->destinations,
                              messages->destination + (size_t)index * point->destinations,
                              point->flits};
}

static void draw_messages(const struct burst_study *study, uint32_t index, uint32_t run,
                          struct messages *messages)
{
    const struct burst_point *point = messages->point;
    uint32_t nodes = study->topology.nodes;
    struct pcg32 random = pcg32_seed(study->paper->seed, (uint64_t)index << 32 | run);
    random_sources_draw(&random, nodes, point->sources, messages->source);
    for (uint32_t i = 0; i < point->sources; i++)
        random_set_draw(&random, nodes, messages->source[i], point->destinations, DRAW_UNIFORM,
                        messages->destination + (size_t)i * point->destinations);
}

static void repeat(const struct burst_study *study, struct burst *burst, uint32_t index,
                   struct messages *messages, struct sample *latency, struct sample *last)
{
    for (uint32_t run = 0; run < study->most_runs; run++) {
        struct cell cell = sample_cell(latency);
        struct burst_result result;
        struct failure failure = {0};
        if (run >= study->least_runs && cell.half_width <= PRECISION * cell.mean)
            break;
        draw_messages(study, index, run, messages);
        bench_must(burst_run(burst, &result, &failure), &failure);
        sample_add(latency, MICROSECONDS_A_CYCLE * result.latency.mean);
        sample_add(last, MICROSECONDS_A_CYCLE * (double)result.counts.last_delivery);
        burst_free(&result);
    }
}

static void measure_burst(void *context, uint32_t index)
{
    const struct burst_study *study = context;
    struct grid *grid = study->latency;
    uint32_t x = index / grid->curves, curve = index % grid->curves;
    struct messages messages = {.point = &study->point[x]};
    struct burst burst = {.topology = &study->topology,
                          .settings = study->settings[curve],
                          .messages = messages.point->sources,
                          .here = messages.point->sources,
                          .message = message_at,
                          .message_context = &messages};
    struct sample latency = {0}, last = {0};
    struct failure failure = {0};
    size_t all = (size_t)messages.point->sources * messages.point->destinations;
    messages.source = memory_allocate(messages.point->sources, sizeof *messages.source);
    messages.destination = memory_allocate(all, sizeof *messages.destination);
    if (messages.source == NULL || messages.destination == NULL)
        bench_must(fail_memory(&failure, "the messages of a burst"), &failure);
    burst.scheme = contender_scheme(&grid->contender[curve], &burst.choices);
    repeat(study, &burst, x, &messages, &latency, &last);
    *grid_cell(grid, x, curve) = sample_cell(&latency);
    if (study->last != NULL)
        *grid_cell(study->last, x, curve) = sample_cell(&last);
    free(messages.source);
    free(messages.destination);
}

void burst_study_run(const struct burst_study *study)
{
    struct burst_study copy = *study;
    paper_measure(study->paper, study->latency->points * study->latency->curves, measure_burst,
                  &copy);
}
