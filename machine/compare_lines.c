/* compare_lines.c - odd-even transposition, fast: a few lines through all steps while in cache.
 *
 * Lines do not touch each other in a comparison. A thread takes PLANE_LANES of them into a buffer
 * [position][lane], so that comparing two neighbours is a minimum and a maximum of two contiguous
 * vectors, and puts them back after the last step. Where the order descends, words are stored
 * complemented. Positions before a segment hold 0 and behind it all ones: a pair that reaches
 * across an end compares with these and never swaps, so that all steps sweep the same way.
 *
 * A sweep takes `depth` steps at once, skewed: when position b comes in, step 0 compares b and
 * b + 1, step 1 compares b - 1 and b, .., step depth - 1 compares b - depth + 1 and b - depth + 2;
 * the greater of a pair is carried to the next step's next pair. It is the same network of the
 * same comparisons, in an order that respects which comes before which; swaps are counted where
 * they happen.
 * Cost: a minimum, a maximum, a comparison and an addition a pair of vectors and step.
 */
#include "machine/plane_private.h"

/* Versions of the inner loops for newer vector units, chosen when the program starts. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define VECTORISED __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#define UNROLLED static inline __attribute__((always_inline))
#else
#define VECTORISED
#define UNROLLED static inline
#endif

enum { DEEP = 8, LONG = 8 }; /* steps of a deep sweep; the length from which it pays */

/* A segment of PLANE_LANES lines in a thread's buffer. */
struct bundle {
    uint64_t (*at)[PLANE_LANES]; /* at[0 .. length-1]; PLANE_MARGIN vectors before and behind */
    uint32_t length;
    uint64_t flip[PLANE_LANES];    /* all ones in lanes that are stored complemented */
    uint64_t swapped[PLANE_LANES]; /* packets that changed hands */
};

/* x, y become the smaller and the greater. With `full` no word is empty and a swap moves two
 * packets; else a side that is empty (`hollow`) moves none. */
UNROLLED void exchange(uint64_t x[static PLANE_LANES], uint64_t y[static PLANE_LANES],
                       const uint64_t hollow[static PLANE_LANES],
                       uint64_t swapped[static PLANE_LANES], const bool full)
{
    for (int l = 0; l < PLANE_LANES; l++) {
        uint64_t a = x[l], b = y[l];
        uint64_t swaps = a > b;
        x[l] = a < b ? a : b;
        y[l] = a < b ? b : a;
        swapped[l] +=
            full ? 2 * swaps : (swaps & (uint64_t)(a != hollow[l])) + (swaps & (b != hollow[l]));
    }
}

/* `depth` steps of which the first compares positions start, start + 1 and so on; start is 0 or
 * -1. */
UNROLLED void sweep(struct bundle *bundle, int start, const int depth, const bool full)
{
    uint64_t carried[DEEP][PLANE_LANES] = {{0}}, hollow[PLANE_LANES], swapped[PLANE_LANES] = {0};
    int end = (int)bundle->length + depth - 1;
    for (int l = 0; l < PLANE_LANES; l++)
        hollow[l] = PLANE_EMPTY ^ bundle->flip[l];
    for (int base = start; base < end; base += 2) {
        uint64_t low[PLANE_LANES], high[PLANE_LANES];
        for (int l = 0; l < PLANE_LANES; l++) {
            low[l] = bundle->at[base][l];
            high[l] = bundle->at[base + 1][l];
        }
        exchange(low, high, hollow, swapped, full);
        for (int t = 1; t < depth; t++) {
            uint64_t next[PLANE_LANES];
            for (int l = 0; l < PLANE_LANES; l++) {
                next[l] = low[l];
                low[l] = carried[t - 1][l];
                carried[t - 1][l] = high[l];
                high[l] = next[l];
            }
            exchange(low, high, hollow, swapped, full);
        }
        for (int l = 0; l < PLANE_LANES; l++) {
            bundle->at[base - depth + 1][l] = low[l];
            bundle->at[base - depth + 2][l] = high[l];
        }
    }
    for (int l = 0; l < PLANE_LANES; l++)
        bundle->swapped[l] += swapped[l];
}

UNROLLED void steps_of_segment(struct bundle *bundle, uint32_t odd, uint32_t steps, const bool full)
{
    for (; bundle->length >= LONG && steps >= DEEP; steps -= DEEP)
        sweep(bundle, -(int)odd, DEEP, full);
    for (; steps > 0; steps--) {
        sweep(bundle, -(int)odd, 1, full);
        odd ^= 1;
    }
}

VECTORISED static void steps_of_full_segment(struct bundle *bundle, uint32_t odd, uint32_t steps)
{
    steps_of_segment(bundle, odd, steps, true);
}

VECTORISED static void steps_of_any_segment(struct bundle *bundle, uint32_t odd, uint32_t steps)
{
    steps_of_segment(bundle, odd, steps, false);
}

/* ---- lines ---- */

struct line_work {
    struct machine *machine;
    const struct compare *compare;
    struct line_shape shape;
    bool is_full;
};

/* Lines first .. first + count - 1, count <= PLANE_LANES, as words of the plane. */
struct line_group {
    uint32_t first, count;
};

static void load(const struct line_work *work, struct line_group group, uint32_t start,
                 struct bundle *bundle)
{
    const uint64_t *word = work->machine->plane->word + (size_t)group.first * work->shape.across +
                           (size_t)start * work->shape.along;
    for (int i = 1; i <= PLANE_MARGIN; i++)
        for (int l = 0; l < PLANE_LANES; l++) {
            bundle->at[-i][l] = 0;
            bundle->at[bundle->length + (uint32_t)i - 1][l] = UINT64_MAX;
        }
    for (uint32_t i = 0; i < bundle->length; i++, word += work->shape.along)
        for (uint32_t l = 0; l < PLANE_LANES; l++)
            bundle->at[i][l] =
                l < group.count ? word[l * work->shape.across] ^ bundle->flip[l] : UINT64_MAX;
}

static void store(const struct line_work *work, struct line_group group, uint32_t start,
                  const struct bundle *bundle)
{
    uint64_t *word = work->machine->plane->word + (size_t)group.first * work->shape.across +
                     (size_t)start * work->shape.along;
    for (uint32_t i = 0; i < bundle->length; i++, word += work->shape.along)
        for (uint32_t l = 0; l < group.count; l++)
            word[l * work->shape.across] = bundle->at[i][l] ^ bundle->flip[l];
}

/* All steps of one segment of a group of lines; returns the packets that crossed a link. */
static uint64_t compare_segment(const struct line_work *work, struct line_group group,
                                uint32_t segment, void *scratch)
{
    const struct compare *compare = work->compare;
    uint32_t start = compare->lines.cut[segment];
    struct bundle bundle = {.at = (uint64_t(*)[PLANE_LANES])scratch + PLANE_MARGIN,
                            .length = compare->lines.cut[segment + 1] - start};
    bool flag = compare->segment_flag != NULL && compare->segment_flag[segment];
    for (uint32_t l = 0; l < group.count; l++) {
        bool line_flag = compare->line_flag != NULL && compare->line_flag[group.first + l];
        bundle.flip[l] = line_flag != flag ? UINT64_MAX : 0;
    }
    uint32_t odd = compare->odd != NULL ? compare->odd[segment] : 0;
    load(work, group, start, &bundle);
    if (work->is_full)
        steps_of_full_segment(&bundle, odd, compare->steps);
    else
        steps_of_any_segment(&bundle, odd, compare->steps);
    store(work, group, start, &bundle);
    uint64_t packets = 0;
    for (int l = 0; l < PLANE_LANES; l++)
        packets += bundle.swapped[l];
    return packets;
}

/* The pairs that one segment compares in all steps together. */
static uint64_t pairs_of_segment(const struct compare *compare, uint32_t segment)
{
    uint32_t length = compare->lines.cut[segment + 1] - compare->lines.cut[segment];
    uint32_t odd = compare->odd != NULL ? compare->odd[segment] : 0;
    uint64_t odd_steps = ((uint64_t)compare->steps + odd) / 2;
    uint64_t even_steps = compare->steps - odd_steps;
    return even_steps * (length / 2) + (length > 0 ? odd_steps * ((length - 1) / 2) : 0);
}

static void compare_band(void *context, const struct team *team)
{
    const struct line_work *work = context;
    struct band *band = &work->machine->band[team->rank];
    uint32_t groups = (work->shape.count + PLANE_LANES - 1) / PLANE_LANES;
    uint32_t end = parallel_band_start(groups, team->rank + 1, team->size);
    for (uint32_t g = parallel_band_start(groups, team->rank, team->size); g < end; g++) {
        struct line_group group = {g * PLANE_LANES, work->shape.count - g * PLANE_LANES};
        group.count = group.count < PLANE_LANES ? group.count : PLANE_LANES;
        for (uint32_t s = 0; s < work->compare->lines.segments; s++) {
            uint64_t pairs = pairs_of_segment(work->compare, s);
            if (pairs == 0)
                continue;
            uint64_t packets =
                compare_segment(work, group, s, work->machine->plane->scratch[team->rank]);
            band->packet_hops += packets;
            band->word_hops += 2 * pairs * group.count - packets;
        }
    }
}

void compare_by_lines(struct machine *machine, const struct compare *compare)
{
    struct line_work work = {machine, compare, line_shape(machine, &compare->lines),
                             machine->plane->packets == machine->nodes};
    parallel_run(machine->config.threads, compare_band, &work);
}
