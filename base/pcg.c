/* pcg.c - PCG XSH RR 64/32 with streams and jump-ahead.
 *
 * Method: state <- state * MULTIPLIER + increment (mod 2^64); the output is the old state,
 * xor-shifted and rotated by its top five bits (O'Neill, "PCG: A family of simple fast
 * space-efficient statistically good algorithms", 2014). Jump-ahead composes the affine map with
 * itself by repeated squaring (Brown, "Random number generation with arbitrary strides", 1994).
 * Cost: O(1) per value, O(log delta) per jump.
 */
#include "base/pcg.h"

static const uint64_t MULTIPLIER = 6364136223846793005u;

struct pcg32 pcg32_seed(uint64_t seed, uint64_t stream)
{
    struct pcg32 random = {.increment = (stream << 1) | 1};
    random.state = (seed + random.increment) * MULTIPLIER + random.increment;
    return random;
}

uint32_t pcg32_next(struct pcg32 *random)
{
    uint64_t old = random->state;
    random->state = old * MULTIPLIER + random->increment;
    uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27);
    unsigned rotation = (unsigned)(old >> 59);
    return (shifted >> rotation) | (shifted << ((32 - rotation) & 31));
}

uint32_t pcg32_below(struct pcg32 *random, uint32_t bound)
{
    uint32_t threshold = (0u - bound) % bound;
    uint32_t value;
    do
        value = pcg32_next(random);
    while (value < threshold);
    return value % bound;
}

void pcg32_advance(struct pcg32 *random, uint64_t delta)
{
    uint64_t factor = MULTIPLIER, summand = random->increment;
    uint64_t total_factor = 1, total_summand = 0;
    for (; delta > 0; delta >>= 1) {
        if (delta & 1) {
            total_factor *= factor;
            total_summand = total_summand * factor + summand;
        }
        summand *= factor + 1;
        factor *= factor;
    }
    random->state = random->state * total_factor + total_summand;
}

uint32_t pcg32_at(uint64_t seed, uint64_t stream, uint64_t index)
{
    struct pcg32 random = pcg32_seed(seed, stream);
    pcg32_advance(&random, index);
    return pcg32_next(&random);
}
