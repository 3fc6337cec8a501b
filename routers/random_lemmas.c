/* random_lemmas.c - the roundings of router `random`, and Lemmas 2 and 3 with exact binomial tails
 * instead of Chernoff's bound.
 *
 * c_0 is the power of two nearest to c, c_i = c_0 / 16^i, at least 1; b_i is the power of two
 * nearest to the side of a tile; K is rounded up.
 *
 * In a visit r A of a group's packets are selected for a block of A nodes, or all that want it. At
 * most N want the block as a phase begins. A group has packets of at most two tentative groups (the
 * paper's r / 2; of one if there is only one), and each packet draws its tentative group, one of g,
 * independently of the others.
 *   A lemma cannot fail if enough are selected in any case: N <= r A for Lemma 3, N - r A at most
 * the permitted rest for Lemma 2. Else the probability is at most the least of the following.
 *   Overflow. If a packet is not selected, more than r A / 2 of the N drew one tentative group: for
 * each of them a tail of (N, 1/g), summed over groups, classes, and blocks.
 *   Count (Lemma 2, the paper's proof). Packets that are not selected belong to groups that had r A
 * selected, so to at most k = 2 floor(N / (r A)) tentative groups. That some k of them have more
 * than is allowed is a tail of (N, k/g), times the number of choices of k, summed over blocks.
 *   The paper's r >= 150 comes from the second argument, for b >= 4, with coarser bounds; on all
 * meshes that fit into a computer the first one needs less.
 *   These are of the paper's algorithm: tentative groups, a visit in which r A of a group's packets
 * are selected. Blocks are counted as if all had the worst size.
 *
 * Cost: some 10^4 terms per tail, log2(c) tails per phase and size.
 * Source: Section 4 of the paper, Lemmas 2 and 3.
 */
#include "routers/random_lemmas.h"

#include "primitives/tessellation.h"

#include <math.h>
#include <stdbool.h>

/* ---- sizes ---- */

/* Returns the power of two nearest to sqrt(square), in logarithms. */
static uint64_t power_near_root(uint64_t square)
{
    uint64_t power = 1;
    while (square > 2 * power * power)
        power *= 2;
    return power;
}

uint32_t random_last_phase(struct mesh mesh, uint64_t congestion)
{
    uint32_t nodes = mesh_nodes(mesh), phases = 0;
    double log_n = log2(nodes), wanted = (double)congestion * log_n * log_n / nodes, power = 1;
    for (; power < wanted; power *= 16)
        phases++;
    return phases;
}

uint64_t random_tiles(uint64_t congestion, uint32_t phase)
{
    uint64_t tiles = power_near_root(congestion * congestion) >> (4 * phase);
    return tiles > 0 ? tiles : 1;
}

uint64_t random_blocks(struct mesh mesh, uint64_t tiles)
{
    return power_near_root(mesh_nodes(mesh) / tiles) * tiles;
}

/* ---- binomial tails ----
 *
 * The term next to the threshold comes from logarithms of factorials, the others from it by the
 * ratio of neighbours. The sum is over the side of the threshold without the mean, where terms only
 * get smaller: the tail itself, or its complement.
 *   Factorials: a sum of logarithms up to 64, beyond it Stirling's series, whose first term left
 * out is below 1e-19. So a logarithm is wrong by some 2^-62 of n ln n, and a tail by less than a
 * millionth up to n = 2^30.
 */

enum { SMALL = 64 };

static long double log_factorial(uint64_t n)
{
    const long double half_log_two_pi = 0.918938533204672741780329736405617640L;
    long double x = n, sum = 0;
    if (n < SMALL) {
        for (uint64_t i = 2; i <= n; i++)
            sum += logl(i);
        return sum;
    }
    long double square = x * x;
    long double series =
        (1 / 12.0L - (1 / 360.0L - (1 / 1260.0L - 1 / 1680.0L / square) / square) / square) / x;
    return (x + 0.5L) * logl(x) - x + half_log_two_pi + series;
}

long double binomial_log_choose(uint64_t n, uint64_t k)
{
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

/* Returns the sum of the terms from `k` on, upwards or downwards, over the term at k. */
static long double terms_from(uint64_t n, uint64_t k, long double odds, bool upwards)
{
    const long double least = 1e-22L;
    long double sum = 1, term = 1;
    while (k != (upwards ? n : 0) && term > least * sum) {
        long double up = upwards ? odds * (n - k) / (k + 1) : k / (odds * (n - k + 1));
        k += upwards ? 1 : UINT64_MAX;
        term *= up;
        sum += term;
    }
    return sum;
}

long double binomial_log_tail(uint64_t n, uint64_t hits, uint64_t of, uint64_t above)
{
    if (above >= n || hits == 0)
        return -INFINITY;
    if (hits >= of)
        return 0;
    long double chance = (long double)hits / of, odds = (long double)hits / (of - hits);
    bool upwards = (long double)above + 1 > chance * n;
    uint64_t k = upwards ? above + 1 : above;
    long double at_k = binomial_log_choose(n, k) + k * logl(chance) + (n - k) * log1pl(-chance);
    long double side = at_k + logl(terms_from(n, k, odds, upwards));
    return upwards ? side : log1pl(-expl(side));
}

/* ---- the lemmas ---- */

static long double least_of(long double a, long double b)
{
    return a < b ? a : b;
}

/* Returns the number of tentative groups of which a group can have packets. */
static uint64_t share_of(const struct lemma_phase *phase)
{
    return phase->groups < 2 ? phase->groups : 2;
}

static long double overflow(const struct lemma_phase *phase, uint32_t r)
{
    long double pairs = (long double)phase->blocks * phase->groups * phase->classes;
    uint64_t room = r * phase->area / share_of(phase);
    return logl(pairs) + binomial_log_tail(phase->wanted, 1, phase->groups, room);
}

static long double counted(const struct lemma_phase *phase, uint32_t r)
{
    uint64_t all = phase->groups * phase->classes;
    uint64_t full = share_of(phase) * (phase->wanted / (r * phase->area));
    if (full > all)
        return 0;
    return logl(phase->blocks) + binomial_log_choose(all, full) +
           binomial_log_tail(phase->wanted, full, phase->groups, phase->allowed);
}

long double lemma_2_failure(const struct lemma_phase *phase, uint32_t r)
{
    if (phase->wanted <= r * phase->area + phase->allowed)
        return -INFINITY;
    return least_of(0, least_of(overflow(phase, r), counted(phase, r)));
}

long double lemma_3_failure(const struct lemma_phase *phase, uint32_t r)
{
    return phase->wanted <= r * phase->area ? -INFINITY : least_of(0, overflow(phase, r));
}

/* ---- the phases of a run ---- */

/* Returns the longest part of an axis that is halved `levels` times, or the shortest. */
static uint64_t part_of(const struct axis *axis, bool is_shortest)
{
    uint64_t parts = UINT64_C(1) << axis->levels;
    return (axis->length + (is_shortest ? 0 : parts - 1)) / parts;
}

struct lemma_phase lemma_phase_of(struct mesh mesh, uint32_t congestion, uint32_t classes,
                                  uint32_t phase, uint32_t size)
{
    struct tessellation tiles = tessellation_numbers(mesh, random_tiles(congestion, phase));
    uint64_t count = UINT64_C(1) << (tiles.row.levels + tiles.col.levels);
    struct tessellation blocks = tessellation_numbers(mesh, random_blocks(mesh, count));
    uint64_t segment = part_of(&tiles.row, true) * part_of(&tiles.col, true);
    uint64_t area = part_of(&blocks.row, size & 1) * part_of(&blocks.col, size & 2);
    return (struct lemma_phase){.blocks = UINT64_C(1) << (blocks.row.levels + blocks.col.levels),
                                .area = area,
                                .wanted = (congestion * area) >> (4 * phase),
                                .allowed = (congestion * area) >> (4 * phase + 4),
                                .groups = 2 * count - mesh_nodes(mesh) / segment,
                                .classes = classes};
}

/* ---- the least r ---- */

struct lemma_run {
    struct mesh mesh;
    uint32_t congestion, classes, last_phase;
    bool has_2, has_3; /* the lemmas asked for */
};

/* Returns a phase's share of the probability that a lemma fails: that of the worst size. */
static long double phase_failure(const struct lemma_run *run, uint32_t phase, uint32_t r)
{
    long double worst = -INFINITY;
    for (uint32_t size = 0; size < LEMMA_SIZES; size++) {
        struct lemma_phase sizes =
            lemma_phase_of(run->mesh, run->congestion, run->classes, phase, size);
        long double failure =
            phase == run->last_phase ? lemma_3_failure(&sizes, r) : lemma_2_failure(&sizes, r);
        worst = failure > worst ? failure : worst;
    }
    return worst;
}

static bool holds(const struct lemma_run *run, uint32_t r)
{
    long double sum = 0;
    for (uint32_t phase = 0; phase <= run->last_phase; phase++)
        if (phase == run->last_phase ? run->has_3 : run->has_2)
            sum += expl(phase_failure(run, phase, r));
    return sum * mesh_nodes(run->mesh) <= 1;
}

static uint32_t least_r(const struct lemma_run *run)
{
    uint32_t low = 1, high = run->congestion; /* high holds, everything below low does not */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (holds(run, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return high;
}

struct lemma_least lemma_least_r(struct mesh mesh, uint32_t congestion, uint32_t classes)
{
    uint32_t last = random_last_phase(mesh, congestion);
    struct lemma_run lemma_2 = {mesh, congestion, classes, last, true, false};
    struct lemma_run lemma_3 = {mesh, congestion, classes, last, false, true};
    struct lemma_run both = {mesh, congestion, classes, last, true, true};
    return (struct lemma_least){least_r(&lemma_2), least_r(&lemma_3), least_r(&both)};
}
