/* ranks_speed.c - the durations of the functions of machine/ranks/ranks.h between processes of MPI:
 * the constants of doc/ranks.md.
 *
 *     mpirun -n RANKS ranks_speed [ROUNDS]
 *
 * Each line is a function, the bytes of a rank, and microseconds per call: the median of 21 parts
 * of ROUNDS / 21 calls (2100 if not given), at rank 0. An exchange is that of a step of the
 * machine: post on both sides, wait for both. With two ranks that has one border, else two for all
 * but the ends.
 */
#include "base/stopwatch.h"
#include "machine/ranks/ranks.h"

#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 21, MOST_BYTES = 1 << 20, MOST_SUMS = 64 };

struct speed {
    struct ranks *ranks;
    unsigned char *bytes;
    struct failure failure;
};

static void must(struct speed *speed, enum failure_kind kind)
{
    if (kind != FAIL_NONE)
        exit((int)ranks_fail(speed->ranks, kind, &speed->failure));
}

static void exchange(struct speed *speed, size_t bytes)
{
    struct rank_message out[RANK_SIDES], in[RANK_SIDES];
    for (int side = 0; side < RANK_SIDES; side++)
        out[side] = (struct rank_message){speed->bytes, bytes};
    must(speed, ranks_exchange(speed->ranks, out, in, &speed->failure));
}

static void sum(struct speed *speed, size_t bytes)
{
    uint64_t number[MOST_SUMS] = {0};
    must(speed, ranks_sum(speed->ranks, number, bytes / sizeof *number, &speed->failure));
}

/* Does the exchange of a step. */
static void step(struct speed *speed, size_t bytes)
{
    exchange(speed, bytes);
    sum(speed, 8 * sizeof(uint64_t));
}

static void swap(struct speed *speed, size_t bytes)
{
    uint32_t size = ranks_size(speed->ranks);
    size_t *count = malloc(size * sizeof *count);
    void *all;
    for (uint32_t r = 0; r < size; r++)
        count[r] = bytes / size;
    must(speed, ranks_swap(speed->ranks, speed->bytes, count, &all, &speed->failure));
    free(count);
    free(all);
}

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static void measure(struct speed *speed, const char *name, void (*call)(struct speed *, size_t),
                    size_t bytes, int rounds)
{
    double part[PARTS];
    for (int p = -1; p < PARTS; p++) { /* the first one is discarded */
        sum(speed, sizeof(uint64_t));
        double start = stopwatch_seconds();
        for (int i = 0; i < rounds / PARTS; i++)
            call(speed, bytes);
        if (p >= 0)
            part[p] = (stopwatch_seconds() - start) / (rounds / PARTS);
    }
    qsort(part, PARTS, sizeof *part, compare);
    if (ranks_rank(speed->ranks) == 0)
        printf("%-10s %8zu %10.2f\n", name, bytes, 1e6 * part[PARTS / 2]);
}

int main(int argc, char **argv)
{
    struct speed speed = {.ranks = ranks_begin(&argc, &argv)};
    int rounds = argc > 1 ? atoi(argv[1]) : 2100;
    if (ranks_size(speed.ranks) == 1) {
        fputs("usage: mpirun -n RANKS ranks_speed [ROUNDS], with 2 ranks at least\n", stderr);
        return FAIL_USAGE;
    }
    speed.bytes = calloc(MOST_BYTES, 1);
    if (speed.bytes == NULL)
        must(&speed, fail_memory(&speed.failure, "messages"));
    if (ranks_rank(speed.ranks) == 0)
        printf("%-10s %8s %10s  (%u ranks)\n", "function", "bytes", "us", ranks_size(speed.ranks));
    for (size_t bytes = 64; bytes <= MOST_BYTES; bytes *= 4)
        measure(&speed, "exchange", exchange, bytes, bytes < 100000 ? rounds : rounds / 10);
    for (size_t numbers = 1; numbers <= MOST_SUMS; numbers *= 8)
        measure(&speed, "sum", sum, numbers * sizeof(uint64_t), rounds);
    measure(&speed, "step", step, 400, rounds);
    measure(&speed, "swap", swap, 400, rounds);
    measure(&speed, "swap", swap, MOST_BYTES, rounds / 10);
    free(speed.bytes);
    ranks_finish(speed.ranks);
    return 0;
}
