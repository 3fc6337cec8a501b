/* open_loop_total.c - the measurements of all runs of an open loop.
 *
 * Interval: that of the means of the batches of all runs, or of longer batches, whichever is the
 * widest. Runs that end when an interval is narrow may end when it is narrow by chance; near
 * saturation, where latencies swing slowly, that happens often. So a mean is accepted before
 * OPEN_LOOP_LEAST_RUNS runs only if means of short batches predict little of the following ones
 * (their correlation is below ALIKE); after these runs there are also the means of whole runs,
 * which are independent. If latencies swing the warm-up was too short for them, so the first
 * batches of each run count as part of it.
 *
 * Saturation: if more arrives than is carried, the backlog grows for ever, and latencies with it.
 * If it is little more, a run may be too short to show it in the backlog; but latencies that grow
 * in run after run show it.
 */
#include "network/open_loop_total.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A backlog has grown if it is larger than a steady one by more than a share of that, a share of
 * the measured messages, and some standard deviations of a steady backlog that changes by chance.
 * The first share is less for a short measurement, in which a growing backlog of the warm-up has
 * not doubled. */
#define GROWTH_SHARE 0.5
#define GROWTH_RATE 0.02
#define GROWTH_NOISE 4

/* A backlog rises if it is larger than a steady one by a share of the messages measured, and some
 * standard deviations. */
#define RISE_RATE 0.002
#define RISE_NOISE 3

/* Latencies have grown if batches 6 to 10 of a run are slower than 3 to 5 by at least this share of
 * the mean, with 95 % confidence over runs. */
#define LATENCY_SHARE 0.1

/* The correlation of 40 short batches per run, above which they are alike. */
#define ALIKE 0.3

enum { SHORT_BATCHES = 40, SETTLED = 2, HALF = OPEN_LOOP_BATCHES / 2 };

uint64_t *open_loop_total_room(struct open_loop_total *total, const struct open_loop *loop)
{
    uint64_t *latency =
        memory_resize(total->latency, total->count + loop->measured, sizeof *latency);
    if (latency != NULL)
        total->latency = latency;
    uint32_t batches = total->batches + OPEN_LOOP_BATCHES;
    double *batch = memory_resize(total->batch, batches, sizeof *batch);
    if (batch != NULL)
        total->batch = batch;
    double *settled = memory_resize(total->settled, batches, sizeof *settled);
    if (settled != NULL)
        total->settled = settled;
    if (latency == NULL || batch == NULL || settled == NULL)
        return NULL;
    latency += total->count;
    for (uint64_t i = 0; i < loop->measured; i++)
        latency[i] = OPEN_LOOP_NOT_DONE;
    return latency;
}

void open_loop_total_free(struct open_loop_total *total)
{
    free(total->latency);
    free(total->batch);
    free(total->settled);
    *total = (struct open_loop_total){0};
}

/* ---- a run ---- */

/* Adds the messages made and not done at the end of the measurement, and those that a network
 * without a growing backlog would hold then: as many as at its beginning, or, if the warm-up was
 * shorter than a latency, the number by the first latencies (Little's law). */
static void add_backlog(struct open_loop_total *total, const struct open_loop *loop,
                        const struct open_loop_run *run, double first_latency)
{
    double before = (double)(loop->warmup - run->done_before);
    double behind = before + (double)loop->measured - (double)run->delivered;
    double cycles = run->end > run->begin ? (double)(run->end - run->begin) : 1;
    double steady = (double)run->begin > first_latency
                        ? before
                        : fmax(before, first_latency * (double)loop->measured / cycles);
    total->steady += steady;
    total->growth += behind - steady;
}

static void add_likeness(struct open_loop_total *total, const uint64_t *latency, uint64_t count)
{
    double mean[SHORT_BATCHES], all = 0, last = 0;
    uint32_t batches = count < SHORT_BATCHES ? (uint32_t)count : SHORT_BATCHES;
    latency_batch_means(latency, count, batches, mean);
    for (uint32_t i = 0; i < batches; i++)
        all += mean[i] / batches;
    for (uint32_t i = 0; i < batches; i++) {
        total->variation += (mean[i] - all) * (mean[i] - all);
        total->covariation += (mean[i] - all) * last;
        last = mean[i] - all;
    }
}

void open_loop_total_add(struct open_loop_total *total, const struct open_loop *loop,
                         const struct open_loop_run *run)
{
    uint64_t done = 0;
    double *batch = total->batch + total->batches;
    total->accepted += run->accepted;
    total->runs++;
    for (uint64_t i = 0; i < loop->measured; i++)
        if (run->latency[i] != OPEN_LOOP_NOT_DONE)
            run->latency[done++] = run->latency[i];
    bool is_whole = done == loop->measured;
    if (!is_whole && (total->count > 0 || done < OPEN_LOOP_BATCHES))
        return;
    latency_batch_means(run->latency, done, OPEN_LOOP_BATCHES, batch);
    if (is_whole) {
        add_backlog(total, loop, run, batch[0]);
        add_likeness(total, run->latency, done);
    }
    total->count += done;
    total->batches += OPEN_LOOP_BATCHES;
}

/* ---- all runs ---- */

static bool swings(const struct open_loop_total *total)
{
    return total->variation > 0 && total->covariation >= ALIKE * total->variation;
}

/* Returns the interval of whole runs without their first batches. */
static struct latency_interval settled_interval(const struct open_loop_total *total)
{
    enum { KEPT = OPEN_LOOP_BATCHES - SETTLED };
    uint32_t runs = total->batches / OPEN_LOOP_BATCHES;
    for (uint32_t i = 0; i < runs; i++)
        memcpy(total->settled + (size_t)i * KEPT,
               total->batch + (size_t)i * OPEN_LOOP_BATCHES + SETTLED, KEPT * sizeof(double));
    return latency_interval_widest(total->settled, runs * KEPT, KEPT);
}

struct latency_interval open_loop_total_interval(const struct open_loop_total *total)
{
    if (total->batches == 0)
        return (struct latency_interval){0, INFINITY};
    return swings(total) ? settled_interval(total)
                         : latency_interval_widest(total->batch, total->batches, OPEN_LOOP_BATCHES);
}

bool open_loop_total_is_sure(const struct open_loop_total *total)
{
    return total->runs >= OPEN_LOOP_LEAST_RUNS || !swings(total);
}

static double mean_of(const double *value, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += value[i];
    return sum / count;
}

/* Returns the amount by which the later batches of a run are slower than the earlier ones. */
static double rise_of(const double *batch)
{
    return mean_of(batch + HALF, OPEN_LOOP_BATCHES - HALF) -
           mean_of(batch + SETTLED, HALF - SETTLED);
}

static bool latencies_have_grown(const struct open_loop_total *total)
{
    uint32_t runs = total->batches / OPEN_LOOP_BATCHES;
    double sum = 0, squares = 0;
    if (runs < OPEN_LOOP_LEAST_RUNS)
        return false;
    for (uint32_t i = 0; i < runs; i++)
        sum += rise_of(total->batch + (size_t)i * OPEN_LOOP_BATCHES);
    for (uint32_t i = 0; i < runs; i++) {
        double off = rise_of(total->batch + (size_t)i * OPEN_LOOP_BATCHES) - sum / runs;
        squares += off * off;
    }
    double half_width = latency_student(runs - 1) * sqrt(squares / (runs - 1.0) / runs);
    return sum / runs - half_width > LATENCY_SHARE * mean_of(total->batch, total->batches);
}

bool open_loop_total_has_grown(const struct open_loop_total *total, const struct open_loop *loop)
{
    double measured = (double)total->runs * (double)loop->measured;
    double share = GROWTH_SHARE * (double)loop->measured / (double)(loop->warmup + loop->measured);
    double noise = GROWTH_NOISE * sqrt(total->steady + 1);
    return total->growth > share * total->steady + GROWTH_RATE * measured + noise ||
           (total->growth > noise && latencies_have_grown(total));
}

bool open_loop_total_is_rising(const struct open_loop_total *total, const struct open_loop *loop)
{
    double measured = (double)total->runs * (double)loop->measured;
    return total->growth > RISE_RATE * measured + RISE_NOISE * sqrt(total->steady + 1);
}
