/* pcg_reference.cpp - prints outputs of pcg32 as the C++ PCG library (libpcg-cpp-dev) computes
 * them, in the format of test/base/pcg_known.txt, which is this program's output.
 *
 * A line is an operation, its arguments and eight values:
 *     skip SEED STREAM DELTA VALUE ...     after advance(DELTA); from a new generator
 *     back SEED STREAM DELTA VALUE ...     after 100 draws and backstep(DELTA)
 *     below SEED STREAM BOUND VALUE ...    eight draws of operator()(BOUND)
 */
#include <pcg_random.hpp>

#include <cinttypes>
#include <cstdint>
#include <cstdio>

static const uint64_t SEEDS[] = {0, 1, 42, 0x853c49e6748fea9bu, UINT64_MAX};
static const uint64_t STREAMS[] = {0, 1, 54, 0x5851f42d4c957f2du, UINT64_MAX >> 1};
static const uint64_t DELTAS[] = {0, 1, 2, 7, 63, 1000003, UINT64_C(1) << 32, UINT64_MAX - 4};
static const uint32_t BOUNDS[] = {1,           2,           3,           10,          1000,
                                  0x7fffffffu, 0x80000000u, 0x80000001u, 0xc0000000u, 0xffffffffu};

static void print_values(pcg32 &random, uint32_t bound)
{
    for (int i = 0; i < 8; i++)
        std::printf(" %" PRIu32, bound == 0 ? random() : random(bound));
    std::printf("\n");
}

static void print_generator(uint64_t seed, uint64_t stream)
{
    for (uint64_t delta : DELTAS) {
        pcg32 random(seed, stream);
        random.advance(delta);
        std::printf("skip %" PRIu64 " %" PRIu64 " %" PRIu64, seed, stream, delta);
        print_values(random, 0);
    }
    for (uint64_t delta : {0, 1, 99, 100, 150}) {
        pcg32 random(seed, stream);
        for (int i = 0; i < 100; i++)
            random();
        random.backstep(delta);
        std::printf("back %" PRIu64 " %" PRIu64 " %" PRIu64, seed, stream, delta);
        print_values(random, 0);
    }
    for (uint32_t bound : BOUNDS) {
        pcg32 random(seed, stream);
        std::printf("below %" PRIu64 " %" PRIu64 " %" PRIu32, seed, stream, bound);
        print_values(random, bound);
    }
}

int main()
{
    for (uint64_t seed : SEEDS)
        for (uint64_t stream : STREAMS)
            print_generator(seed, stream);
    return 0;
}
