/* random.h - random numbers for the data of tests: the splitmix64 generator of Steele, Lea and
 * Flood (2014). */
#ifndef MESHCAST_TEST_RANDOM_H
#define MESHCAST_TEST_RANDOM_H

#include <stdint.h>

/* Returns the next value, uniform on 0 .. 2^64-1; the state may begin with any number. */
static inline uint64_t test_random(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

/* Returns a value on 0 .. bound-1; the bias is below bound / 2^64. */
static inline uint32_t test_random_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)(test_random(state) % bound);
}

#endif
