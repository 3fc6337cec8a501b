/* compare_lines.c - odd-even transposition, fast: a few lines through all steps while in cache.
 *
 * Lines do not touch each other in a comparison. A thread takes PLANE_LANES of them into a buffer
 * [position][lane], so that comparing two neighbours is a minimum and a maximum of two contiguous
 * vectors, and puts them back after the last step. Where the order descends, words are stored
 * complemented. Positions before a segment hold the least word and behind it the greatest: a pair
 * that reaches across an end compares with these and never swaps, so all steps sweep alike.
 *
 * A sweep takes `depth` steps at once, skewed: when position b comes in, step 0 compares b and
 * b + 1, step 1 compares b - 1 and b, .., step depth - 1 compares b - depth + 1 and b - depth + 2;
 * the greater of a pair is carried to the next step's next pair. It is the same network of the
 * same comparisons, in an order that respects which comes before which; swaps are counted where
 * they happen.
 * Cost: a minimum, a maximum, a comparison and an addition a pair of vectors and step.
 */
#include "machine/plane_private.h"

/* Steps of a deep sweep; the length from which it pays; positions beyond the ends that sweeps of
 * one step look at. */
enum { DEEP = 8, LONG = 8, SHALLOW_MARGIN = 2 };

#define SIGN (UINT64_C(1) << 63)

/* A segment of PLANE_LANES lines in a thread's buffer. Words are stored with the sign bit flipped,
 * since most vector units compare signed numbers only. */
struct bundle {
    int64_t (*at)[PLANE_LANES]; /* at[0 .. length-1]; PLANE_MARGIN vectors before and behind */
    uint32_t length;
    uint64_t flip[PLANE_LANES]; /* a word is stored as word ^ flip */
    int64_t empty[PLANE_LANES]; /* an empty node's word as stored */
    uint64_t packets;           /* that changed hands */
};

/* One step's pair at one place of a sweep: `carried` and `low` are compared; the smaller becomes
 * `low`, the greater `high`, and what was `high` is carried to this step's next pair. With `full`
 * no word is empty, and swaps are counted; else the packets among what is swapped. */
UNROLLED void exchange(int64_t *restrict low, int64_t *restrict high, int64_t *restrict carried,
                       const int64_t *restrict empty, uint64_t *restrict count, const bool full)
{
    for (int l = 0; l < PLANE_LANES; l++) {
        int64_t x = carried[l], y = low[l];
        carried[l] = high[l];
        low[l] = x < y ? x : y;
        high[l] = x < y ? y : x;
        if (full)
            count[l] = x > y ? count[l] + 1 : count[l];
        else
            count[l] += (uint64_t)((x > y) & (x != empty[l])) + ((x > y) & (y != empty[l]));
    }
}

/* `depth` steps, the first of which compares positions start and start + 1, start + 2 and
 * start + 3, ..; start is 0 or -1. */
UNROLLED void sweep(struct bundle *bundle, int start, const int depth, const bool full)
{
    int64_t carried[DEEP][PLANE_LANES], low[PLANE_LANES], high[PLANE_LANES] = {0};
    uint64_t count[PLANE_LANES] = {0};
    int end = (int)bundle->length + depth - 1;
    for (int t = 0; t < depth; t++)
        for (int l = 0; l < PLANE_LANES; l++)
            carried[t][l] = INT64_MIN;
    for (int base = start; base < end; base += 2) {
        for (int l = 0; l < PLANE_LANES; l++) {
            carried[0][l] = bundle->at[base][l];
            low[l] = bundle->at[base + 1][l];
        }
        for (int t = 0; t < depth; t++)
            exchange(low, high, carried[t], bundle->empty, count, full);
        for (int l = 0; l < PLANE_LANES; l++) {
            bundle->at[base - depth + 1][l] = low[l];
            bundle->at[base - depth + 2][l] = high[l];
        }
    }
    for (int l = 0; l < PLANE_LANES; l++)
        bundle->packets += full ? 2 * count[l] : count[l];
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

/* Positions that are loaded and stored together: a cache line of a row. Rows lie powers of two
 * apart, so that words of more rows than a cache has ways would drive each other out. */
enum { BLOCK = 8 };

/* Lines first .. first + count - 1, count <= PLANE_LANES, as words of the plane. */
struct line_group {
    uint32_t first, count;
};

static void load(const struct line_work *work, struct line_group group, uint32_t start,
                 struct bundle *bundle)
{
    const uint64_t *word = work->machine->plane->word + (size_t)group.first * work->shape.across +
                           (size_t)start * work->shape.along;
    bool is_deep = bundle->length >= LONG && work->compare->steps >= DEEP;
    int margin = is_deep ? PLANE_MARGIN : SHALLOW_MARGIN;
    for (int i = 1; i <= margin; i++)
        for (int l = 0; l < PLANE_LANES; l++) {
            bundle->at[-i][l] = INT64_MIN;
            bundle->at[bundle->length + (uint32_t)i - 1][l] = INT64_MAX;
        }
    for (uint32_t i = 0; group.count < PLANE_LANES && i < bundle->length; i++)
        for (uint32_t l = group.count; l < PLANE_LANES; l++)
            bundle->at[i][l] = INT64_MAX;
    for (uint32_t block = 0; block < bundle->length; block += BLOCK) {
        uint32_t end = block + BLOCK < bundle->length ? block + BLOCK : bundle->length;
        for (uint32_t l = 0; l < group.count; l++) {
            const uint64_t *from = word + l * work->shape.across;
            for (uint32_t i = block; i < end; i++)
                bundle->at[i][l] = (int64_t)(from[i * work->shape.along] ^ bundle->flip[l]);
        }
    }
}

static void store(const struct line_work *work, struct line_group group, uint32_t start,
                  const struct bundle *bundle)
{
    uint64_t *word = work->machine->plane->word + (size_t)group.first * work->shape.across +
                     (size_t)start * work->shape.along;
    for (uint32_t block = 0; block < bundle->length; block += BLOCK) {
        uint32_t end = block + BLOCK < bundle->length ? block + BLOCK : bundle->length;
        for (uint32_t l = 0; l < group.count; l++) {
            uint64_t *to = word + l * work->shape.across;
            for (uint32_t i = block; i < end; i++)
                to[i * work->shape.along] = (uint64_t)bundle->at[i][l] ^ bundle->flip[l];
        }
    }
}

/* All steps of one segment of a group of lines; returns the packets that crossed a link. */
static uint64_t compare_segment(const struct line_work *work, struct line_group group,
                                uint32_t segment, void *scratch)
{
    const struct compare *compare = work->compare;
    uint32_t start = compare->lines.cut[segment];
    struct bundle bundle = {.at = (int64_t(*)[PLANE_LANES])scratch + PLANE_MARGIN,
                            .length = compare->lines.cut[segment + 1] - start};
    bool flag = compare->segment_flag != NULL && compare->segment_flag[segment];
    for (uint32_t l = 0; l < group.count; l++) {
        bool line_flag = compare->line_flag != NULL && compare->line_flag[group.first + l];
        bundle.flip[l] = line_flag != flag ? ~SIGN : SIGN;
        bundle.empty[l] = (int64_t)(PLANE_EMPTY ^ bundle.flip[l]);
    }
    uint32_t odd = compare->odd != NULL ? compare->odd[segment] : 0;
    load(work, group, start, &bundle);
    if (work->is_full)
        steps_of_full_segment(&bundle, odd, compare->steps);
    else
        steps_of_any_segment(&bundle, odd, compare->steps);
    store(work, group, start, &bundle);
    return bundle.packets;
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
    parallel_run(plane_threads(machine, compare->steps), compare_band, &work);
}
