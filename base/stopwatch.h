/* stopwatch.h - real time, for reports. No algorithm may depend on it. */
#ifndef MESHCAST_BASE_STOPWATCH_H
#define MESHCAST_BASE_STOPWATCH_H

/* Seconds since some fixed moment; never goes back. */
double stopwatch_seconds(void);

#endif
