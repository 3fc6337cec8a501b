/* twin_sum.h - whether lines of numbers name each other, as those of a METIS graph do.
 *
 * Each pair (line, number) adds a hash of the two in ascending order, with the sign of their order. If line i holds j
 * as often as line j holds i, the sum is zero; otherwise it is not, but for a chance of about 2^-64.
 */
#ifndef MESHCAST_WORKLOADS_TWIN_SUM_H
#define MESHCAST_WORKLOADS_TWIN_SUM_H

#include <stdint.h>

struct twin_sum {
    uint64_t sum, pairs, loops; /* pairs of two numbers; those of one */
};

static inline void twin_sum_add(struct twin_sum *twins, uint32_t line, uint32_t number)
{
    uint64_t pair = line < number ? (uint64_t)line << 32 | number : (uint64_t)number << 32 | line;
    pair = (pair ^ pair >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    pair = (pair ^ pair >> 32) * UINT64_C(0x94d049bb133111eb);
    twins->sum += line < number ? pair : -pair;
    twins->pairs += line != number;
    twins->loops += line == number;
}

#endif
