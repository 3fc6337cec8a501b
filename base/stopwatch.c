/* stopwatch.c - the one place that reads a real clock.
 *
 * How long a run took is reported beside its steps and never enters them; the emulated machine's
 * own clock is machine.c's. The clock is the monotonic one, which neither the user nor a time
 * server sets back.
 */
#include "base/stopwatch.h"

#include <time.h>

double stopwatch_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
