/* stopwatch.h - real time, for reports, from the monotonic clock, which neither users nor time
 * servers set back. No algorithm may depend on it. */
#ifndef MESHCAST_BASE_STOPWATCH_H
#define MESHCAST_BASE_STOPWATCH_H

#include <time.h>

/* Returns the seconds since some fixed moment; they never decrease. */
static inline double stopwatch_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
