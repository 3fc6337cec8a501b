/* spectral.h - what the spectrum of a graph certifies about its expansion. */
#ifndef MESHCAST_EXPANDERS_SPECTRAL_H
#define MESHCAST_EXPANDERS_SPECTRAL_H

#include "expanders/adjacency.h"

enum { SPECTRAL_MOST_GROUPS = 4096 };

/* With N the p x c matrix of the graph: N (I - delta J) N' <= t I, proven by factoring
 * t I + eta J - N'N (spectral.c). For a regular graph t is an upper bound of the square of N's
 * second singular value. */
struct spectral {
    double t, eta;
    double estimate; /* a guess at the square of the second singular value; 0: none was made */
    double lambda;   /* the certified bound, rounded down; 0 where nothing could be proven */
};

/* Certifies. At most SPECTRAL_MOST_GROUPS groups. FAIL_SYSTEM: no memory. The same result for any
 * number of `threads`. */
enum failure_kind spectral_certify(struct spectral *spectral, const struct adjacency *adjacency,
                                   uint32_t threads, struct failure *failure);

#endif
