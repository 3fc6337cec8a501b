/* compare.c - compare-exchange: odd-even transposition along rows or columns (rule 5).
 *
 * Each step compares disjoint pairs of neighbours. Both nodes of a pair send their item over the
 * link between them, and each keeps one: where the items swap, a packet that crosses is a packet
 * hop; where they stay, and on a side that has no packet, a word crosses. So a step costs 2 * pairs
 * hops, of packets and words together, for all items.
 *
 * Along paired lines (fold_lines.c) two cells of a node are compared by computing, which takes no
 * step. Such rounds and rounds over links alternate, so all links between nodes work in each step
 * and k cells are sorted in k / 2 steps. Across paired lines the two cells of a node belong to two
 * lines. These use the node's links alternately, so each line needs as many steps as by itself.
 *
 * Every cell holds one packet or none at the end of every step. So no step of a comparison can make
 * a new peak or overflow once a node has held two packets.
 *
 * Lines do not touch each other in a comparison. A thread takes PLANE_LANES of them into a buffer
 * [position][lane], so that comparing two neighbours is a minimum and a maximum of two contiguous
 * vectors, and puts them back after the last step. Where the order descends, words are stored
 * complemented. Positions before a segment hold the least word and after it the greatest: a pair
 * that reaches across an end compares with these and never swaps, so all steps sweep alike.
 *
 * A sweep does `depth` steps at once, skewed: when position b is read, step 0 compares b and b + 1,
 * step 1 compares b - 1 and b, .., step depth - 1 compares b - depth + 1 and b - depth + 2; the
 * greater of a pair is carried to the next step's next pair. It is the same network of the same
 * comparisons, in an order that respects all dependencies; swaps are counted where they happen.
 *
 * Along paired lines a sweep's steps are rounds, and every second round is within nodes: its swaps
 * are not counted. Across them, lines that begin with the same parity go together.
 * Cost: a minimum, a maximum, a comparison and an addition per pair of vectors and step.
 */

#include "machine/plane/plane_private.h"

#include <assert.h>

/* Steps of a deep sweep; the length from which it pays; positions beyond the ends that sweeps of
 * one step read. */
enum { DEEP = 8, LONG = 8, SHALLOW_MARGIN = 2 };

#define SIGN (UINT64_C(1) << 63)

/* Words side by side, as a vector type of the compiler: it stays in registers through a sweep,
 * unlike an array over which loops go. Where there are no versions for newer units
 * (base/vectorised.h) compilers would take wider vectors apart in memory. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
enum { VECTOR = 4 };
#else
enum { VECTOR = 2 };
#endif
enum { VECTORS = PLANE_LANES / VECTOR };
typedef int64_t vector __attribute__((vector_size(VECTOR * sizeof(int64_t)), may_alias));

/* A segment of PLANE_LANES lines in a thread's buffer. Words are stored with the sign bit flipped,
 * since most vector units compare signed numbers only. */
struct bundle {
    vector (*at)[VECTORS]; /* at[0 .. length-1]; PLANE_MARGIN positions before and after */
    uint32_t length;
    uint64_t flip[PLANE_LANES]; /* a word is stored as word ^ flip */
    vector empty[VECTORS];      /* an empty node's word as stored */
    uint64_t packets;           /* packets that changed hands over links */
    uint32_t begins;            /* the number of the first round */
};

/* The rounds of a sweep that are over links: along paired lines only the second, the fourth, .. */
enum over_links { NO_ROUND, SECOND_ROUNDS, ALL_ROUNDS };

/* Compares one step's pair at one place of a sweep, `carried` and `low`; the smaller becomes `low`,
 * the greater `high`, and the word that was `high` is carried to this step's next pair. With `full`
 * no word is empty, and swaps are counted, else the packets that are swapped; nothing is counted
 * unless `counts`. A comparison of vectors gives -1 where it holds. */
UNROLLED void exchange(vector *restrict low, vector *restrict high, vector *restrict carried,
                       const vector *restrict empty, vector *restrict count, const bool full,
                       const bool counts)
{
    vector x = *carried, y = *low, swaps = x > y;
    *carried = *high;
    *low = (y & swaps) | (x & ~swaps);
    *high = (x & swaps) | (y & ~swaps);
    if (counts && full)
        *count -= swaps;
    else if (counts)
        *count -= (swaps & (x != *empty)) + (swaps & (y != *empty));
}

/* Does `depth` steps, the first of which compares positions start and start + 1, start + 2 and
 * start + 3, ..; start is 0 or -1. One vector after another is swept, so that carried words stay in
 * registers. */
UNROLLED void sweep(struct bundle *bundle, int start, const int depth, const bool full,
                    const enum over_links links)
{
    vector(*at)[VECTORS] = bundle->at;
    int end = (int)bundle->length + depth - 1;
    for (int i = 0; i < VECTORS; i++) {
        vector carried[DEEP], count = {0}, least = (vector){0} + INT64_MIN;
        for (int t = 0; t < depth; t++)
            carried[t] = least;
        for (int base = start; base < end; base += 2) {
            vector low = at[base + 1][i], high = least;
            carried[0] = at[base][i];
#pragma GCC unroll 8
            for (int t = 0; t < depth; t++)
                exchange(&low, &high, &carried[t], &bundle->empty[i], &count, full,
                         links == ALL_ROUNDS || (links == SECOND_ROUNDS && t % 2 == 1));
            at[base - depth + 1][i] = low;
            at[base - depth + 2][i] = high;
        }
        for (int l = 0; l < VECTOR; l++)
            bundle->packets += (full ? 2 : 1) * (uint64_t)count[l];
    }
}

/* Does all rounds of a segment. Along paired lines rounds of even number are within nodes; a deep
 * sweep begins with one of them. */
UNROLLED void rounds_of_segment(struct bundle *bundle, uint32_t odd, uint32_t rounds,
                                const bool full, const bool is_along)
{
    uint32_t end = bundle->begins + rounds, round = bundle->begins;
    odd = (odd + round) % 2;
    for (; bundle->length >= LONG && round + DEEP <= end && !(is_along && round % 2 == 1);
         round += DEEP)
        sweep(bundle, -(int)odd, DEEP, full, is_along ? SECOND_ROUNDS : ALL_ROUNDS);
    for (; round < end; round++) {
        if (is_along && round % 2 == 0)
            sweep(bundle, -(int)odd, 1, full, NO_ROUND);
        else
            sweep(bundle, -(int)odd, 1, full, ALL_ROUNDS);
        odd ^= 1;
    }
}

VECTORISED static void do_rounds(struct bundle *bundle, uint32_t odd, uint32_t rounds, bool full,
                                 bool is_along)
{
    if (full && is_along)
        rounds_of_segment(bundle, odd, rounds, true, true);
    else if (full)
        rounds_of_segment(bundle, odd, rounds, true, false);
    else if (is_along)
        rounds_of_segment(bundle, odd, rounds, false, true);
    else
        rounds_of_segment(bundle, odd, rounds, false, false);
}

/* ---- lines ---- */

struct line_work {
    struct machine *machine;
    const struct compare *compare;
    struct line_shape shape;
    uint32_t begins, rounds; /* rounds begins .. begins + rounds - 1 */
    bool is_full;
    bool is_along;         /* the lines are paired */
    const uint32_t *order; /* order of the lines, across paired ones; NULL: by their numbers */
    const struct plane_part *part;
    /* The part's lines, or their places in that order: those that begin with the same parity, and
     * the rest. */
    uint32_t begin[2], count[2];
};

/* Lines that go through all steps together, and where each begins in the plane. */
struct line_group {
    uint32_t count; /* <= PLANE_LANES */
    uint32_t line[PLANE_LANES];
    size_t offset[PLANE_LANES];
};

/* Returns the number of groups of so many lines of one parity; groups never mix parities. */
static uint32_t groups_of(uint32_t lines)
{
    return (lines + PLANE_LANES - 1) / PLANE_LANES;
}

/* Returns the group of that number. Groups of both parities alternate while both exist: their words
 * are side by side, so one thread gets both. */
static struct line_group group_at(const struct line_work *work, uint32_t number)
{
    uint32_t firsts = groups_of(work->count[0]), seconds = groups_of(work->count[1]);
    uint32_t both = 2 * (firsts < seconds ? firsts : seconds);
    bool is_second = number < both ? number % 2 == 1 : seconds > firsts;
    uint32_t index = number < both ? number / 2 : number - both / 2;
    uint32_t first = work->begin[is_second] + index * PLANE_LANES;
    uint32_t left = work->count[is_second] - index * PLANE_LANES;
    struct line_group group = {.count = left < PLANE_LANES ? left : PLANE_LANES};
    for (uint32_t l = 0; l < group.count; l++) {
        group.line[l] = work->order != NULL ? work->order[first + l] : first + l;
        group.offset[l] = part_offset(work->part, group.line[l], work->part->start);
    }
    return group;
}

/* Returns the words of a position as stored. */
static int64_t *words_at(const struct bundle *bundle, uint32_t position)
{
    return (int64_t *)bundle->at[position];
}

/* Fills the positions beyond the ends of the segment, and the lanes without a line. */
static void load_borders(const struct line_work *work, uint32_t lines, struct bundle *bundle)
{
    bool is_deep = bundle->length >= LONG && work->rounds >= DEEP;
    int margin = is_deep ? PLANE_MARGIN : SHALLOW_MARGIN;
    for (int i = 1; i <= margin; i++)
        for (int v = 0; v < VECTORS; v++) {
            bundle->at[-i][v] = (vector){0} + INT64_MIN;
            bundle->at[bundle->length + (uint32_t)i - 1][v] = (vector){0} + INT64_MAX;
        }
    for (uint32_t i = 0; lines < PLANE_LANES && i < bundle->length; i++)
        for (uint32_t l = lines; l < PLANE_LANES; l++)
            words_at(bundle, i)[l] = INT64_MAX;
}

/* Positions of rows that are loaded and stored together: whole cache lines. Rows are powers of two
 * apart, so words of more rows than a cache has ways would evict each other. Of columns each
 * position is a part of a row. */
enum { STRIP = 16 };

static uint32_t strip_end(const struct bundle *bundle, uint32_t strip)
{
    return strip + STRIP < bundle->length ? strip + STRIP : bundle->length;
}

/* Copies a word from the plane into the bundle, or back. */
UNROLLED void copy_word(uint64_t *word, int64_t *stored, uint64_t flip, const bool loads)
{
    if (loads)
        *stored = (int64_t)(*word ^ flip);
    else
        *word = (uint64_t)*stored ^ flip;
}

UNROLLED void copy_words(const struct line_work *work, const struct line_group *group,
                         uint32_t start, const struct bundle *bundle, const bool loads)
{
    size_t along = work->part->along;
    uint64_t *word = work->part->word + (start - work->part->start) * along;
    for (uint32_t i = 0; along > 1 && i < bundle->length; i++)
        for (uint32_t l = 0; l < group->count; l++)
            copy_word(word + group->offset[l] + i * along, &words_at(bundle, i)[l], bundle->flip[l],
                      loads);
    for (uint32_t strip = 0; along == 1 && strip < bundle->length; strip += STRIP)
        for (uint32_t l = 0; l < group->count; l++)
            for (uint32_t i = strip; i < strip_end(bundle, strip); i++)
                copy_word(word + group->offset[l] + i, &words_at(bundle, i)[l], bundle->flip[l],
                          loads);
}

/* Does the rounds of one segment of a group of lines, the first of parity `odd`; returns the
 * packets that crossed a link. */
static uint64_t compare_segment(const struct line_work *work, const struct line_group *group,
                                uint32_t segment, uint32_t odd, void *scratch)
{
    const struct compare *compare = work->compare;
    uint32_t start = compare->lines.cut[segment];
    uintptr_t aligned = ((uintptr_t)scratch + sizeof(vector) - 1) / sizeof(vector) * sizeof(vector);
    struct bundle bundle = {.at = (vector(*)[VECTORS])aligned + PLANE_MARGIN,
                            .length = compare->lines.cut[segment + 1] - start,
                            .begins = work->begins};
    for (uint32_t l = 0; l < group->count; l++) {
        bool flag = compare->line_flag != NULL && compare->line_flag[group->line[l]];
        bundle.flip[l] = flag ? ~SIGN : SIGN;
        bundle.empty[l / VECTOR][l % VECTOR] = (int64_t)(PLANE_EMPTY ^ bundle.flip[l]);
    }
    load_borders(work, group->count, &bundle);
    copy_words(work, group, start, &bundle, true);
    do_rounds(&bundle, odd, work->rounds, work->is_full, work->is_along);
    copy_words(work, group, start, &bundle, false);
    return bundle.packets;
}

/* Returns the pairs that a segment of `length` nodes, not 0, compares over links in these
 * rounds. */
static uint64_t pairs_of_segment(const struct line_work *work, uint32_t length, uint32_t odd)
{
    uint64_t steps = work->rounds, odd_steps = (steps + (odd + work->begins) % 2) / 2;
    if (work->is_along) { /* the rounds over links are all of the other parity */
        steps = (work->rounds + work->begins % 2) / 2;
        odd_steps = odd == 0 ? steps : 0;
    }
    return (steps - odd_steps) * (length / 2) + odd_steps * ((length - 1) / 2);
}

/* Returns the parity of the distance from the segment's start at which the first round compares. */
static uint32_t parity_of(const struct line_work *work, uint32_t line, uint32_t segment)
{
    const uint32_t *cut = work->compare->lines.cut + segment;
    if (cut[0] == cut[1])
        return 0;
    return work->machine->plane->pairing.side[work->is_along ? cut[0] : line];
}

static void compare_band(void *context, const struct team *team)
{
    const struct line_work *work = context;
    const uint32_t *cut = work->compare->lines.cut;
    struct tally *tally = &work->machine->tally[team->rank];
    uint32_t groups = groups_of(work->count[0]) + groups_of(work->count[1]);
    uint32_t end = parallel_band_start(groups, team->rank + 1, team->size);
    for (uint32_t g = parallel_band_start(groups, team->rank, team->size); g < end; g++) {
        struct line_group group = group_at(work, g);
        for (uint32_t s = 0; s < work->compare->lines.segments; s++) {
            if (cut[s + 1] - cut[s] < 2 || cut[s] < work->part->start ||
                cut[s + 1] > work->part->end)
                continue;
            uint32_t odd = parity_of(work, group.line[0], s);
            uint64_t pairs = pairs_of_segment(work, cut[s + 1] - cut[s], odd);
            uint64_t packets =
                compare_segment(work, &group, s, odd, work->machine->plane->scratch[team->rank]);
            tally->packet_hops += packets;
            tally->word_hops += 2 * pairs * group.count - packets;
        }
    }
}

/* Returns how many of `count` ascending numbers are below `limit`. */
static uint32_t count_below(const uint32_t *number, uint32_t count, uint32_t limit)
{
    uint32_t below = 0;
    while (below < count && number[below] < limit)
        below++;
    return below;
}

/* Finds the part's lines in the order. */
static void find_lines(struct line_work *work)
{
    const struct plane_part *part = work->part;
    const struct pairing *pairing = &work->machine->plane->pairing;
    uint32_t begin[] = {0, pairing->firsts}, end[] = {pairing->firsts, work->shape.count};
    work->begin[0] = part->first_line;
    work->count[0] = part->end_line - part->first_line;
    work->count[1] = 0;
    for (int i = 0; work->order != NULL && i < 2; i++) {
        const uint32_t *order = work->order + begin[i];
        uint32_t before = count_below(order, end[i] - begin[i], part->first_line);
        work->begin[i] = begin[i] + before;
        work->count[i] = count_below(order, end[i] - begin[i], part->end_line) - before;
    }
}

static void compare_part(void *of_call, const struct plane_part *part)
{
    struct line_work *work = of_call;
    work->part = part;
    find_lines(work);
    parallel_run(plane_threads(work->machine, work->rounds), compare_band, work);
}

static void compare_rounds(void *of_call, uint32_t first, uint32_t rounds)
{
    struct line_work *work = of_call;
    work->begins = first;
    work->rounds = rounds;
    plane_each_part(work->machine, &work->compare->lines, 0, compare_part, work);
}

/* ---- events ---- */

/* Reports the pairs of a segment that the round compared. */
static void emit_segment(const struct line_work *work, uint32_t line, uint32_t segment)
{
    const uint32_t *cut = work->compare->lines.cut;
    uint32_t odd = parity_of(work, line, segment);
    for (uint32_t at = cut[segment] + (work->begins + odd) % 2; at + 1 < cut[segment + 1];
         at += 2) {
        uint32_t a = line * work->shape.across + at * work->shape.along;
        plane_tell_pair(work->machine, a, a + work->shape.along);
    }
}

static void emit_round(void *of_call)
{
    const struct line_work *work = of_call;
    for (uint32_t line = 0; line < work->shape.count; line++)
        for (uint32_t s = 0; s < work->compare->lines.segments; s++)
            emit_segment(work, line, s);
}

/* ---- a call ---- */

enum failure_kind machine_compare(struct machine *machine, const struct compare *compare,
                                  struct failure *failure)
{
    assert(machine->has_open_plane && !machine->in_sync_phase);
    const struct lines *lines = &compare->lines;
    struct line_work work = {.machine = machine,
                             .compare = compare,
                             .shape = line_shape(machine, lines->are_columns),
                             .is_full = machine->plane->packets == machine->nodes,
                             .is_along = plane_is_along(machine, lines)};
    assert(machine->plane->pairing.is_on);
    assert(lines->cut[0] == 0 && lines->cut[lines->segments] == work.shape.length);
    if (!work.is_along)
        work.order = machine->plane->pairing.order;
    struct plane_program program = {.work = &work,
                                    .steps = compare->steps,
                                    .most = PLANE_PAIR,
                                    .has_silent_rounds = work.is_along,
                                    .run = compare_rounds,
                                    .tell = emit_round};
    return plane_run(machine, &program, failure);
}
