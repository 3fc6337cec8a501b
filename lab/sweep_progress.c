/* sweep_progress.c - the progress line of a sweep and its estimate of the time left.
 *
 * Method: every run has a weight, n sqrt(c n), the work of a router whose steps follow sqrt(c n) on
 * n nodes. The seconds of the runs done, divided by their weight, times the weight that is left,
 * divided by the jobs, is the estimate. It is as good as the runs are alike: routers differ by a
 * factor of ten, but each is in every part of a plan.
 */
#include "lab/sweep_progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static double weight_of(const struct sweep_progress *progress, uint64_t run)
{
    return sweep_plan_case(progress->plan, run).workload->weight;
}

enum failure_kind sweep_progress_open(struct sweep_progress *progress,
                                      const struct sweep_plan *plan, const bool *is_there,
                                      uint32_t jobs, bool quiet, struct failure *failure)
{
    *progress =
        (struct sweep_progress){.plan = plan, .jobs = jobs, .line = progress_line_begin(quiet)};
    progress->job = memory_allocate(jobs, sizeof *progress->job);
    if (progress->job == NULL)
        return fail_memory(failure, "the jobs of the sweep");
    for (uint64_t i = 0; i < plan->runs; i++) {
        progress->ended += is_there[i];
        progress->weight_left += is_there[i] ? 0 : weight_of(progress, i);
    }
    return FAIL_NONE;
}

void sweep_progress_close(struct sweep_progress *progress)
{
    sweep_progress_clear(progress);
    free(progress->job);
    progress->job = NULL;
}

void sweep_progress_begin_run(struct sweep_progress *progress, uint32_t job, uint64_t run)
{
    progress->job[job] = (struct sweep_job){run, progress->line.clock(), true, false};
}

void sweep_progress_wait(struct sweep_progress *progress, uint32_t job)
{
    progress->job[job].waits = true;
}

void sweep_progress_end_run(struct sweep_progress *progress, uint32_t job, uint64_t run,
                            double seconds, bool fresh)
{
    double weight = weight_of(progress, run);
    progress->job[job].busy = progress->job[job].waits = false;
    if (seconds > 0) {
        progress->seconds_done += seconds;
        progress->weight_done += weight;
    }
    if (fresh) {
        progress->ended++;
        progress->weight_left -= weight;
    }
}

const char *sweep_progress_run_of(struct sweep_progress *progress, uint32_t job)
{
    struct sweep_case run = sweep_plan_case(progress->plan, progress->job[job].run);
    sweep_case_describe(&run, progress->text, sizeof progress->text);
    return progress->text;
}

/* "about 3 min left", or "" while nothing is known. */
static void describe_time(const struct sweep_progress *progress, double now, char *text,
                          size_t size)
{
    double left = 0;
    if (progress->weight_done > 0) {
        left = progress->seconds_done / progress->weight_done * progress->weight_left;
        for (uint32_t i = 0; i < progress->jobs; i++)
            if (progress->job[i].busy)
                left -= now - progress->job[i].begun;
        left /= progress->jobs;
    }
    if (progress->weight_done == 0)
        snprintf(text, size, "%s", "");
    else if (left < 1)
        snprintf(text, size, ", almost done");
    else if (left < 100)
        snprintf(text, size, ", about %.0f s left", left);
    else if (left < 100 * 60)
        snprintf(text, size, ", about %.0f min left", left / 60);
    else
        snprintf(text, size, ", about %.1f h left", left / 3600);
}

/* The job that has been at its run for longest, or `jobs` if all are idle. */
static uint32_t oldest_job(const struct sweep_progress *progress)
{
    uint32_t oldest = progress->jobs;
    for (uint32_t i = 0; i < progress->jobs; i++)
        if (progress->job[i].busy &&
            (oldest == progress->jobs || progress->job[i].begun < progress->job[oldest].begun))
            oldest = i;
    return oldest;
}

/* What is being done: the oldest run, or nothing between two runs. */
static void describe_work(struct sweep_progress *progress, char *text, size_t size)
{
    uint32_t oldest = oldest_job(progress), waiting = 0;
    for (uint32_t i = 0; i < progress->jobs; i++)
        waiting += progress->job[i].waits;
    if (oldest < progress->jobs)
        snprintf(text, size, "; %s", sweep_progress_run_of(progress, oldest));
    else
        snprintf(text, size, "%s",
                 waiting == progress->jobs ? "; waiting for another process" : "");
}

void sweep_progress_show(struct sweep_progress *progress)
{
    char text[512], left[64], work[320];
    if (!progress_line_is_due(&progress->line))
        return;
    describe_time(progress, progress->line.clock(), left, sizeof left);
    describe_work(progress, work, sizeof work);
    snprintf(text, sizeof text, "sweep: %" PRIu64 " of %" PRIu64 " runs%s%s", progress->ended,
             progress->plan->runs, left, work);
    progress_line_show(&progress->line, text);
}

void sweep_progress_clear(struct sweep_progress *progress)
{
    progress_line_clear(&progress->line);
}
