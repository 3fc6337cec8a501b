/* random_lemmas.h - the sizes of router `random`, and the probability that Lemmas 2 and 3 of the
 * paper fail, for each r. */
#ifndef MESHCAST_ROUTERS_RANDOM_LEMMAS_H
#define MESHCAST_ROUTERS_RANDOM_LEMMAS_H

#include "machine/mesh.h"

/* Returns K; c_i, a power of two; and the blocks of the mesh, if it has so many tiles. For c <= n /
 * 16. */
uint32_t random_last_phase(struct mesh mesh, uint64_t congestion);
uint64_t random_tiles(uint64_t congestion, uint32_t phase);
uint64_t random_blocks(struct mesh mesh, uint64_t tiles);

/* Returns ln of n over k, k <= n. */
long double binomial_log_choose(uint64_t n, uint64_t k);

/* Returns ln P[X > above], where X is the number of successes of `n` independent trials, each with
 * probability hits / of, of > 0; hits > of counts as certain. -INFINITY: impossible. */
long double binomial_log_tail(uint64_t n, uint64_t hits, uint64_t of, uint64_t above);

/* A phase, for blocks of one size: the lemmas speak of these. */
struct lemma_phase {
    uint64_t blocks, area; /* b_i-blocks of the mesh; nodes of one */
    uint64_t wanted;  /* the most packets with something left for a block as the phase begins */
    uint64_t allowed; /* .. and the most that Lemma 2 lets the phase leave */
    uint64_t groups;  /* tentative groups of a class, drawn independently */
    uint32_t classes; /* of packets, of one per node; 2 after Lemma 1 */
};

/* Return ln of a bound on the probability that in some block more than `allowed` packets are not
 * selected with this r (Lemma 2); that any is not (Lemma 3, for the last phase). At most 0;
 * -INFINITY: impossible. */
long double lemma_2_failure(const struct lemma_phase *phase, uint32_t r);
long double lemma_3_failure(const struct lemma_phase *phase, uint32_t r);

/* Returns phase `phase` of a run for this c, 16 c <= n, for the block sizes 0 .. 3: longest or
 * shortest rows and columns. */
enum { LEMMA_SIZES = 4 };
struct lemma_phase lemma_phase_of(struct mesh mesh, uint32_t congestion, uint32_t classes,
                                  uint32_t phase, uint32_t size);

/* Returns the least r with which a lemma holds in all phases with probability 1 - 1/n, and with
 * which both do together. None is above c: then all packets are selected. */
struct lemma_least {
    uint32_t lemma_2, lemma_3, both;
};
struct lemma_least lemma_least_r(struct mesh mesh, uint32_t congestion, uint32_t classes);

#endif
