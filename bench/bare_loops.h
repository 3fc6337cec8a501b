/* bare_loops.h - plain loops over as many words, whose speed is the limit with which bench/speed.c
 * compares the emulator.
 *
 * A field is SIDE x SIDE words of 8 bytes. Loops run on as many threads as the compared work, each
 * over its own rows or columns, without flags, counts, or traffic across the border between two
 * threads.
 */
#ifndef MESHCAST_BENCH_BARE_LOOPS_H
#define MESHCAST_BENCH_BARE_LOOPS_H

#include "base/failure.h"
#include "base/parallel.h"
#include "base/pcg.h"
#include "base/stopwatch.h"
#include "base/vectorised.h"

#include <stdlib.h>
#include <string.h>

enum { LOOP_STRIP = 16, LOOP_SEED = 3 };

struct field {
    uint64_t *word, *other; /* [side * side] */
    uint32_t side, steps;
};

static inline bool field_make(struct field *field, uint32_t side)
{
    size_t words = (size_t)side * side;
    struct pcg32 random = pcg32_seed(LOOP_SEED, 0);
    *field = (struct field){memory_allocate(words, sizeof *field->word),
                            memory_allocate(words, sizeof *field->other), side, 0};
    if (field->word == NULL || field->other == NULL)
        return false;
    for (size_t i = 0; i < words; i++)
        field->word[i] = field->other[i] = (uint64_t)pcg32_next(&random) << 32 | i;
    return true;
}

static inline void field_free(struct field *field)
{
    free(field->word);
    free(field->other);
}

/* ---- copies ---- */

/* Copies all words, step after step, from one array into the other. */
static inline void copy_steps(void *context, const struct team *team)
{
    const struct field *field = context;
    size_t first = (size_t)parallel_band_start(field->side, team->rank, team->size) * field->side;
    size_t end = (size_t)parallel_band_start(field->side, team->rank + 1, team->size) * field->side;
    for (uint32_t step = 0; step < field->steps; step++)
        memcpy((step % 2 ? field->word : field->other) + first,
               (step % 2 ? field->other : field->word) + first, (end - first) * sizeof(uint64_t));
}

/* ---- looking up ---- */

/* Reads and writes as many words as there are, at random places, one after another. */
static inline void look_up_steps(void *context, const struct team *team)
{
    const struct field *field = context;
    size_t first = (size_t)parallel_band_start(field->side, team->rank, team->size) * field->side;
    size_t end = (size_t)parallel_band_start(field->side, team->rank + 1, team->size) * field->side;
    uint64_t state = team->rank;
    for (uint64_t i = (end - first) * field->steps; i > 0; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u; /* as in PCG */
        field->word[first + ((state >> 32) * (end - first) >> 32)]++;
    }
}

/* ---- minima and maxima ---- */

UNROLLED void loop_exchange(uint64_t *restrict low, uint64_t *restrict high, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t x = low[i], y = high[i];
        low[i] = x < y ? x : y;
        high[i] = x < y ? y : x;
    }
}

/* Does one odd-even step on the rows first .. end - 1 of words that are `stride` apart. */
VECTORISED static void loop_step(uint64_t *word, uint32_t step, uint32_t first, uint32_t end,
                                 uint32_t stride)
{
    for (uint32_t row = first + (first + step) % 2; row + 1 < end; row += 2)
        loop_exchange(word + (size_t)row * stride, word + (size_t)(row + 1) * stride, stride);
}

/* Does a step after another over all words. */
static inline void minmax_sweeps(void *context, const struct team *team)
{
    const struct field *field = context;
    uint32_t first = parallel_band_start(field->side, team->rank, team->size);
    uint32_t end = parallel_band_start(field->side, team->rank + 1, team->size);
    for (uint32_t step = 0; step < field->steps; step++)
        loop_step(field->word, step, first, end, field->side);
}

/* Does all steps for 16 columns at a time: each strip is copied, so that its rows are contiguous
 * and stay in cache. */
static inline void minmax_strips(void *context, const struct team *team)
{
    const struct field *field = context;
    uint32_t strips = field->side / LOOP_STRIP;
    uint64_t(*strip)[LOOP_STRIP] = malloc(field->side * sizeof *strip);
    uint32_t end = parallel_band_start(strips, team->rank + 1, team->size);
    for (uint32_t s = parallel_band_start(strips, team->rank, team->size); strip && s < end; s++) {
        uint64_t *corner = field->word + (size_t)s * LOOP_STRIP;
        for (uint32_t row = 0; row < field->side; row++)
            memcpy(strip[row], corner + (size_t)row * field->side, sizeof strip[row]);
        for (uint32_t step = 0; step < field->steps; step++)
            loop_step(strip[0], step, 0, field->side, LOOP_STRIP);
        for (uint32_t row = 0; row < field->side; row++)
            memcpy(corner + (size_t)row * field->side, strip[row], sizeof strip[row]);
    }
    free(strip);
}

/* Returns words per second, one step of a word counted as one. */
static inline double loop_rate(struct field *field, uint32_t threads, uint32_t steps,
                               void (*loop)(void *context, const struct team *team))
{
    field->steps = steps;
    double start = stopwatch_seconds();
    parallel_run(threads, loop, field);
    double rate = (double)field->side * field->side * steps / (stopwatch_seconds() - start);
    return rate;
}

#endif
