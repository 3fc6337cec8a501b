/* pcg.h - random numbers that depend only on (seed, stream, index).
 *
 * pcg32 is the PCG XSH RR 64/32 generator of O'Neill (2014): a 64-bit linear congruential state,
 * permuted to 32 bits of output. `stream` selects one of 2^63 sequences. pcg32_at() jumps straight
 * to any index in O(log index), so that a value never depends on a thread or on an order of calls.
 */
#ifndef MESHCAST_BASE_PCG_H
#define MESHCAST_BASE_PCG_H

#include <stdint.h>

struct pcg32 {
    uint64_t state;
    uint64_t increment; /* odd; selects the stream */
};

/* Returns the generator of (seed, stream) before its first value. It equals pcg32(seed, stream) of
 * the C++ PCG library. */
struct pcg32 pcg32_seed(uint64_t seed, uint64_t stream);

/* Returns the next value, uniform on 0 .. 2^32-1. */
uint32_t pcg32_next(struct pcg32 *random);

/* Returns a value uniform on 0 .. bound-1, bound >= 1, without bias (values that would bias are
 * skipped, so the number of draws varies). It equals that of the C++ library's
 * operator()(bound). */
uint32_t pcg32_below(struct pcg32 *random, uint32_t bound);

/* Skips `delta` values in O(log delta) time; a delta of 2^64 - k goes back k values. */
void pcg32_advance(struct pcg32 *random, uint64_t delta);

/* Returns the value number `index` (from 0) of (seed, stream). */
uint32_t pcg32_at(uint64_t seed, uint64_t stream, uint64_t index);

#endif
