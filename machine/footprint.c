/* footprint.c - what a machine asks for in all: its own arrays, and those of the instructions.
 *
 * Arrays of instructions that packets may wait in stay until the machine is freed, so they add up.
 * The arrays of a march or a circuit are freed when it ends, so only the larger counts.
 */
#include "machine/footprint_private.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t machine_footprint(const struct machine_needs *needs)
{
    uint64_t passing = larger(march_footprint(needs), circuit_footprint(needs));
    return core_footprint(needs) + forward_footprint(needs) + channel_footprint(needs) +
           word_footprint(needs) + plane_footprint(needs) + aside_footprint(needs) + passing;
}
