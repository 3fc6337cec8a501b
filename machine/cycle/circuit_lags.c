/* circuit_lags.c - the step in which a round passes each link.
 *
 * A link's lag is the step in which a round passes it, less the round. A round passes a link one step after the latest of
 * the steps in which the round before passed this link and those beside it. So the lag is the largest one that these links
 * had then, unless a packet waits for a copy there, or another rank knows of a larger lag.
 *   Links beside each other have consecutive numbers and so form lines, but for those at about eight corners and at links
 * to other ranks. In t rounds a lag spreads by t links to either side of its line, and where lags meet the largest one
 * stays. So not all links are computed in each round. An array has the lags of some rounds ago, its age, and a list has
 * those that were raised since. The lag of a link now is the largest one of those in the array that are at most the age
 * away, and of those in the list that have spread so far. When the array is old or the list long, the array is computed
 * anew, by maxima of windows that double. At corners a lag goes from line to line: these lags are looked up and raised in
 * each round.
 *   An observed run alone looks at all links in each round, so its array is always that of the round.
 * Cost: O(age) and what the list has nearby to look up a link; O(log age) operations a link to compute the array, every
 * MOST_AGE rounds or more often. A little more than 4 bytes a link.
 */
#include "machine/cycle/circuit_place.h"

#include "base/extremes.h"
#include "base/vectorised.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BESIDE = 5,
    MOST_AGE = 64,  /* rounds; a lookup reads up to twice as many lags */
    GROUP = 128,    /* links that share a list of what was raised */
    AT_ONCE = 2048, /* links that are computed while they are in the cache */
    /* Links that are computed in the time of a delay and the lookups for it, as was measured. */
    LINKS_A_DELAY = 1024,
    CORNERS_A_DELAY = 4, /* corners that count as a delay */
};
#define NO_RAISED UINT32_MAX

/* The lag of a link was raised to `lag` when the array was `age` rounds old. */
struct raised {
    uint32_t link, age, lag;
    uint32_t next; /* of the same group of links */
};

/* A link, and the links beside it other than those before and behind it in its line. */
struct corner {
    uint32_t link, beside[MOST_BESIDE], count;
    uint32_t lag; /* the largest of these in the round before */
};

struct circuit_lags {
    uint32_t links, age;
    uint32_t *lag; /* [link]: `age` rounds ago */
    struct raised *raised;
    uint32_t raises, most_raises;
    uint32_t *group; /* [link / GROUP]: the one raised last there, or NO_RAISED */
    uint32_t *line;  /* [line]: its first link; [lines]: `links` */
    size_t lines, line_room;
    struct corner *corner;
    size_t corners, corner_room;
};

/* ---- corners and lines ---- */

/* Adds the links at the node of `place` to those beside the corner's link. */
static void add_beside(const struct circuit_call *call, struct corner *corner, uint32_t place)
{
    node_index node = circuit_site(call, place).index;
    for (int d = 0; d < DIRECTIONS; d++) {
        uint32_t leaving = call->leaving[(size_t)node * DIRECTIONS + (unsigned)d], k = 0;
        if (leaving == CIRCUIT_NO_PLACE)
            continue;
        while (k < corner->count && corner->beside[k] != call->link[leaving])
            k++;
        assert(k < MOST_BESIDE);
        corner->beside[k] = call->link[leaving];
        corner->count += k == corner->count;
    }
}

/* Removes a link from those beside the corner's; returns whether it was one. */
static bool take_beside(struct corner *corner, uint32_t link)
{
    for (uint32_t k = 0; k < corner->count; k++)
        if (corner->beside[k] == link) {
            corner->beside[k] = corner->beside[--corner->count];
            return true;
        }
    return false;
}

/* Begins a line at `link`, for now up to the last link; the line before ends there. False: no memory. */
static bool begin_line(struct circuit_lags *lags, uint32_t link)
{
    uint32_t *grown =
        memory_grow(lags->line, &lags->line_room, lags->lines + 2, sizeof *lags->line);
    if (grown == NULL)
        return false;
    lags->line = grown;
    lags->line[lags->lines++] = link;
    lags->line[lags->lines] = lags->links;
    return true;
}

/* Finds lines and corners. False: no memory. */
static bool find_lines(const struct circuit_call *call, struct circuit_lags *lags)
{
    for (uint32_t link = 0; link < lags->links; link++) {
        struct corner corner = {.link = link};
        add_beside(call, &corner, call->ends[2 * (size_t)link]);
        if (!call->is_split || !circuit_is_foreign(call, call->ends[2 * (size_t)link + 1]))
            add_beside(call, &corner, call->ends[2 * (size_t)link + 1]);
        take_beside(&corner, link);
        take_beside(&corner, link + 1);
        bool is_in_line = link > 0 && take_beside(&corner, link - 1);
        if (!is_in_line && !begin_line(lags, link))
            return false;
        if (corner.count == 0)
            continue;
        struct corner *grown =
            memory_grow(lags->corner, &lags->corner_room, lags->corners + 1, sizeof *grown);
        if (grown == NULL)
            return false;
        lags->corner = grown;
        lags->corner[lags->corners++] = corner;
    }
    return true;
}

/* Returns the line of a link. */
static uint32_t line_of(const struct circuit_lags *lags, uint32_t link)
{
    size_t line = 0, end = lags->lines;
    while (end - line > 1) {
        size_t middle = line + (end - line) / 2;
        if (lags->line[middle] <= link)
            line = middle;
        else
            end = middle;
    }
    return (uint32_t)line;
}

/* ---- a link ---- */

VECTORISED static uint32_t largest(const uint32_t *lag, uint32_t count)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = lag[i] > most ? lag[i] : most;
    return most;
}

/* Links of a line. */
struct link_range {
    uint32_t first, end;
};

/* Returns the links of its line that are at most `spread` from a link. */
static struct link_range links_about(const struct circuit_lags *lags, uint32_t link,
                                     uint32_t spread)
{
    uint32_t line = line_of(lags, link), first = lags->line[line], end = lags->line[line + 1];
    return (struct link_range){link - first > spread ? link - spread : first,
                               end - link > spread ? link + spread + 1 : end};
}

/* Returns the largest of the lags raised in the range that have spread to the link; 0: none has. */
static uint32_t largest_raised(const struct circuit_lags *lags, struct link_range range,
                               uint32_t link)
{
    uint32_t most = 0;
    for (uint32_t group = range.first / GROUP; group <= (range.end - 1) / GROUP; group++)
        for (uint32_t i = lags->group[group]; i != NO_RAISED; i = lags->raised[i].next) {
            const struct raised *raised = &lags->raised[i];
            bool is_in_range = raised->link >= range.first && raised->link < range.end;
            if (is_in_range && difference(raised->link, link) <= lags->age - raised->age)
                most = larger(most, raised->lag);
        }
    return most;
}

static uint32_t lag_of(const struct circuit_lags *lags, uint32_t link)
{
    if (lags->age == 0)
        return lags->lag[link];
    struct link_range range = links_about(lags, link, lags->age);
    return larger(largest(lags->lag + range.first, range.end - range.first),
                  largest_raised(lags, range, link));
}

uint32_t circuit_step(const struct circuit_call *call, uint32_t link)
{
    return call->round + lag_of(call->lags, link);
}

static void raise_lag(struct circuit_lags *lags, uint32_t link, uint32_t lag)
{
    if (lag <= lag_of(lags, link))
        return;
    if (lags->age == 0) {
        lags->lag[link] = lag;
        return;
    }
    uint32_t *group = &lags->group[link / GROUP];
    lags->raised[lags->raises] = (struct raised){link, lags->age, lag, *group};
    *group = lags->raises++;
}

void circuit_delay(struct circuit_call *call, uint32_t link, uint32_t step)
{
    if (step > call->round)
        raise_lag(call->lags, link, step - call->round);
}

/* ---- the array ---- */

/* Sets to[i] to the largest of from[i], from[i + 1], from[i + 2]. */
VECTORISED static void widen_once(const uint32_t *restrict from, uint32_t *restrict to,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t side = from[i] > from[i + 2] ? from[i] : from[i + 2];
        to[i] = side > from[i + 1] ? side : from[i + 1];
    }
}

/* to[i] = the larger one of from[i] and from[i + apart]. */
UNROLLED void larger_of_two(const uint32_t *restrict from, uint32_t *restrict to, size_t count,
                            size_t apart)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i] > from[i + apart] ? from[i] : from[i + apart];
}

/* Sets to[i] to the largest of from[i] .. from[i + 2 * age], for all i < count. Overwrites `from` and `spare`. */
VECTORISED static void widen(uint32_t *from, uint32_t *spare, uint32_t *to, size_t count,
                             size_t age)
{
    size_t length = 2 * age + 1, width = 1;
    for (; 2 * width < length; width *= 2) {
        larger_of_two(from, spare, count + length - 2 * width, width);
        uint32_t *wider = spare;
        spare = from;
        from = wider;
    }
    larger_of_two(from, to, count, length - width);
}

/* Lets the lags of a line spread for as many rounds as the array is old. */
static void spread_line(struct circuit_lags *lags, uint32_t first, uint32_t end)
{
    uint32_t age = lags->age, before[MOST_AGE] = {0};
    uint32_t from[AT_ONCE + 2 * MOST_AGE], spare[AT_ONCE + 2 * MOST_AGE];
    for (uint32_t start = first, count; start < end; start += count) {
        count = lesser(end - start, AT_ONCE);
        uint32_t known = lesser(end - start, count + age);
        memcpy(from, before, age * sizeof *from);
        memcpy(from + age, lags->lag + start, known * sizeof *from);
        memset(from + age + known, 0, (count + age - known) * sizeof *from);
        memcpy(before, from + count, age * sizeof *from);
        if (age == 1)
            widen_once(from, lags->lag + start, count);
        else
            widen(from, spare, lags->lag + start, count, age);
    }
}

/* Computes the array of this round, which empties the list. */
static void renew(struct circuit_lags *lags)
{
    if (lags->age == 0)
        return;
    for (size_t line = 0; line < lags->lines; line++)
        spread_line(lags, lags->line[line], lags->line[line + 1]);
    for (uint32_t i = 0; i < lags->raises; i++) {
        const struct raised *raised = &lags->raised[i];
        struct link_range range = links_about(lags, raised->link, lags->age - raised->age);
        for (uint32_t link = range.first; link < range.end; link++)
            lags->lag[link] = larger(lags->lag[link], raised->lag);
        lags->group[raised->link / GROUP] = NO_RAISED;
    }
    lags->age = lags->raises = 0;
}

const uint32_t *circuit_lags_renew(struct circuit_call *call)
{
    renew(call->lags);
    return call->lags->lag;
}

uint32_t circuit_last_step(struct circuit_call *call)
{
    return call->round + largest(circuit_lags_renew(call), call->links);
}

void circuit_lags_begin_round(struct circuit_call *call, uint32_t delays)
{
    struct circuit_lags *lags = call->lags;
    for (size_t i = 0; i < lags->corners; i++) {
        struct corner *corner = &lags->corner[i];
        corner->lag = 0;
        for (uint32_t k = 0; k < corner->count; k++)
            corner->lag = larger(corner->lag, lag_of(lags, corner->beside[k]));
    }
    lags->age++;
    bool is_full = lags->raises + lags->corners + delays > lags->most_raises;
    uint64_t looks = delays + lags->corners / CORNERS_A_DELAY;
    if (lags->age == MOST_AGE || is_full || looks * LINKS_A_DELAY >= lags->links)
        renew(lags);
    for (size_t i = 0; i < lags->corners; i++)
        raise_lag(lags, lags->corner[i].link, lags->corner[i].lag);
}

/* ---- memory ---- */

/* Returns how many lags the list has room for: few enough that a lookup finds few in its groups. */
static uint32_t most_raises_of(uint64_t links)
{
    return (uint32_t)(links / 64 + 16);
}

bool circuit_lags_make(struct circuit_call *call)
{
    struct circuit_lags *lags = call->lags = memory_allocate(1, sizeof *lags);
    if (lags == NULL)
        return false;
    lags->links = call->links;
    lags->lag = memory_allocate(call->links, sizeof *lags->lag);
    lags->most_raises = most_raises_of(call->links);
    lags->raised = memory_allocate(lags->most_raises, sizeof *lags->raised);
    lags->group = memory_allocate(call->links / GROUP + 1, sizeof *lags->group);
    if (lags->lag == NULL || lags->raised == NULL || lags->group == NULL || !find_lines(call, lags))
        return false;
    memset(lags->group, 0xff, (call->links / GROUP + 1) * sizeof *lags->group);
    return true;
}

void circuit_lags_free(struct circuit_call *call)
{
    if (call->lags == NULL)
        return;
    free(call->lags->lag);
    free(call->lags->raised);
    free(call->lags->group);
    free(call->lags->line);
    free(call->lags->corner);
    free(call->lags);
}

/* Lines and corners are too few to count. */
uint64_t circuit_lags_footprint(uint64_t links)
{
    const struct circuit_lags *lags = NULL;
    return sizeof *lags + links * sizeof *lags->lag + most_raises_of(links) * sizeof *lags->raised +
           (links / GROUP + 1) * sizeof *lags->group;
}
