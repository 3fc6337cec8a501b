/* stopwatch.h - real time, for reports. No algorithm may depend on it. */
#ifndef MESHCAST_BASE_STOPWATCH_H
#define MESHCAST_BASE_STOPWATCH_H

/* Returns the seconds since some fixed moment; they never decrease. */
double stopwatch_seconds(void);

#endif
