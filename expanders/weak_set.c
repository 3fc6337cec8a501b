/* weak_set.c - greedy growth and swaps towards a set of inputs with few neighbours.
 *
 * Invariant: cover[v] is the number of inputs of the set that have group v among their neighbours,
 * and fresh[u] the number of neighbours of input u that none covers. The inputs are in one array in
 * the order of fresh[], each value a bucket; members of the set are in a bucket of their own after
 * the others. A change of fresh[] by one is a swap at a bucket's edge, so the best input to add is
 * found at once, and ties are broken at random.
 *
 * From each start: grow to floor(c / r) inputs, each time by one with the fewest fresh neighbours,
 * and remember the best of all sizes passed. Then swap, at the full size and at the best one: a
 * member with many neighbours of its own (or occasionally a random one) is removed, and an input
 * with few fresh ones that was not removed just before is added. It ends after so many swaps
 * without a better set, and when the work of all starts, counted in edges, is spent: never by the
 * clock.
 *
 * Cost: at most about MOST_WORK steps; 16 p bytes.
 */
#include "expanders/certificates.h"

#include "base/pcg.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANDOM_STARTS = 48,
    PATIENCE = 400,
    SWAPS_A_START = 40000,
    STREAM_SEARCH = 0x65787002,
    TELL_SWAPS = 16
};

static const uint64_t MOST_WORK = (uint64_t)3 << 30;

struct search {
    const struct adjacency *adjacency;
    struct weak_set *best;
    struct pcg32 random;
    uint64_t work;
    uint32_t *cover;            /* [c] */
    uint32_t *fresh;            /* [p]; members of the set have degree + 1 */
    uint32_t *order, *place;    /* [p]: the inputs by fresh, and their places */
    uint32_t *bucket;           /* [degree + 3]: first place of each value of fresh */
    uint32_t *member, *put_out; /* [c / r]; [p]: the swap after which an input was removed */
    uint32_t members, covered;
};

/* ---- buckets ---- */

static void exchange(struct search *s, uint32_t a, uint32_t b)
{
    uint32_t u = s->order[a], v = s->order[b];
    s->order[a] = v;
    s->order[b] = u;
    s->place[v] = a;
    s->place[u] = b;
}

static void lower(struct search *s, uint32_t u)
{
    exchange(s, s->place[u], s->bucket[s->fresh[u]]);
    s->bucket[s->fresh[u]--]++;
}

static void raise(struct search *s, uint32_t u)
{
    exchange(s, s->place[u], s->bucket[s->fresh[u] + 1] - 1);
    s->bucket[++s->fresh[u]]--;
}

/* Empties the set: no member, all fresh. */
static void clear(struct search *s)
{
    const struct adjacency *a = s->adjacency;
    uint32_t buckets = a->degree + 3;
    memset(s->cover, 0, a->groups * sizeof *s->cover);
    memset(s->put_out, 0, a->inputs * sizeof *s->put_out);
    memset(s->bucket, 0, buckets * sizeof *s->bucket);
    for (uint32_t u = 0; u < a->inputs; u++)
        s->bucket[a->distinct_count[u] + 1]++;
    for (uint32_t b = 1; b < buckets; b++)
        s->bucket[b] += s->bucket[b - 1];
    for (uint32_t u = 0; u < a->inputs; u++) {
        s->fresh[u] = a->distinct_count[u];
        s->place[u] = s->bucket[s->fresh[u]]++;
        s->order[s->place[u]] = u;
    }
    for (uint32_t b = buckets - 1; b > 0; b--)
        s->bucket[b] = s->bucket[b - 1];
    s->bucket[0] = 0;
    s->members = s->covered = 0;
    s->work += 4 * (uint64_t)a->inputs;
}

/* ---- members ---- */

static bool is_member(const struct search *s, uint32_t u)
{
    return s->fresh[u] > s->adjacency->degree;
}

static void cover_group(struct search *s, uint32_t v)
{
    const struct adjacency *a = s->adjacency;
    if (s->cover[v]++ > 0)
        return;
    s->covered++;
    for (uint32_t i = a->member_start[v]; i < a->member_start[v + 1]; i++)
        if (!is_member(s, a->member[i]))
            lower(s, a->member[i]);
    s->work += a->member_start[v + 1] - a->member_start[v];
}

static void uncover_group(struct search *s, uint32_t v)
{
    const struct adjacency *a = s->adjacency;
    if (--s->cover[v] > 0)
        return;
    s->covered--;
    for (uint32_t i = a->member_start[v]; i < a->member_start[v + 1]; i++)
        if (!is_member(s, a->member[i]))
            raise(s, a->member[i]);
    s->work += a->member_start[v + 1] - a->member_start[v];
}

static void put_in(struct search *s, uint32_t u)
{
    const struct adjacency *a = s->adjacency;
    while (!is_member(s, u))
        raise(s, u);
    s->member[s->members++] = u;
    for (uint32_t j = 0; j < a->distinct_count[u]; j++)
        cover_group(s, a->distinct[(size_t)u * a->degree + j]);
}

static void put_out(struct search *s, uint32_t at)
{
    const struct adjacency *a = s->adjacency;
    uint32_t u = s->member[at], fresh = 0;
    s->member[at] = s->member[--s->members];
    for (uint32_t j = 0; j < a->distinct_count[u]; j++)
        uncover_group(s, a->distinct[(size_t)u * a->degree + j]);
    for (uint32_t j = 0; j < a->distinct_count[u]; j++)
        fresh += s->cover[a->distinct[(size_t)u * a->degree + j]] == 0;
    while (s->fresh[u] > fresh)
        lower(s, u);
}

/* Returns the number of groups that only this member covers. */
static uint32_t own_groups(const struct search *s, uint32_t at)
{
    const struct adjacency *a = s->adjacency;
    uint32_t u = s->member[at], own = 0;
    for (uint32_t j = 0; j < a->distinct_count[u]; j++)
        own += s->cover[a->distinct[(size_t)u * a->degree + j]] == 1;
    return own;
}

/* ---- moves ---- */

/* True if `neighbours` of `count` inputs are a worse expansion than the set's. */
static bool is_beaten(const struct weak_set *set, uint32_t count, uint32_t neighbours)
{
    return set->count == 0 || (uint64_t)neighbours * set->count < (uint64_t)set->neighbours * count;
}

static bool remember(struct search *s)
{
    if (!is_beaten(s->best, s->members, s->covered))
        return false;
    s->best->count = s->members;
    s->best->neighbours = s->covered;
    memcpy(s->best->input, s->member, s->members * sizeof *s->member);
    return true;
}

/* Returns a random input of the lowest bucket that is not empty, if possible one not removed since
 * swap number `since`. */
static uint32_t choose_in(struct search *s, uint32_t since)
{
    enum { TRIES = 8 };
    uint32_t b = 0, chosen = 0;
    while (s->bucket[b] == s->bucket[b + 1])
        b++;
    for (int i = 0; i < TRIES; i++) {
        uint32_t from = s->bucket[b], to = s->bucket[b + 1];
        chosen = s->order[from + pcg32_below(&s->random, to - from)];
        if (s->put_out[chosen] <= since)
            break;
        if (i == TRIES / 2) /* all of them were: look one bucket higher, if there is one */
            for (uint32_t next = b + 1; next <= s->adjacency->degree; next++)
                if (s->bucket[next] < s->bucket[next + 1]) {
                    b = next;
                    break;
                }
    }
    return chosen;
}

static uint32_t choose_out(struct search *s)
{
    uint32_t best = pcg32_below(&s->random, s->members);
    if (pcg32_below(&s->random, 16) == 0)
        return best;
    uint32_t most = own_groups(s, best), first = best;
    for (uint32_t i = 1; i < s->members; i++) {
        uint32_t at = (first + i) % s->members, own = own_groups(s, at);
        if (own > most) {
            most = own;
            best = at;
        }
    }
    s->work += (uint64_t)s->members * s->adjacency->degree;
    return best;
}

static void swap_members(struct search *s)
{
    enum { TABOO = 6 };
    uint32_t idle = 0;
    if (s->members == s->adjacency->inputs)
        return;
    for (uint32_t swap = 1; swap < SWAPS_A_START && idle < PATIENCE && s->work < MOST_WORK;
         swap++) {
        uint32_t out = choose_out(s), u = s->member[out];
        if (swap % TELL_SWAPS == 0 &&
            !effort_tell(s->adjacency->effort, "search", (double)s->work / (double)MOST_WORK))
            s->work = MOST_WORK;
        put_out(s, out);
        s->put_out[u] = swap;
        put_in(s, choose_in(s, swap > TABOO ? swap - TABOO : 0));
        idle = remember(s) ? 0 : idle + 1;
    }
}

/* Grows from `start`, to `most` inputs; returns the size at which the expansion was least. */
static uint32_t grow(struct search *s, uint32_t start, uint32_t most)
{
    uint32_t best = 1, least;
    clear(s);
    put_in(s, start);
    least = s->covered;
    remember(s);
    while (s->members < most) {
        put_in(s, choose_in(s, 0));
        remember(s);
        if ((uint64_t)s->covered * best < (uint64_t)least * s->members) {
            least = s->covered;
            best = s->members;
        }
    }
    return best;
}

static void search_from(struct search *s, uint32_t start)
{
    uint32_t most = s->adjacency->largest_set;
    uint32_t best = grow(s, start, most);
    swap_members(s);
    if (best < most) {
        grow(s, start, best);
        swap_members(s);
    }
}

static bool allocate(struct search *s)
{
    const struct adjacency *a = s->adjacency;
    s->cover = memory_allocate(a->groups, sizeof *s->cover);
    s->fresh = memory_allocate(a->inputs, sizeof *s->fresh);
    s->order = memory_allocate(a->inputs, sizeof *s->order);
    s->place = memory_allocate(a->inputs, sizeof *s->place);
    s->bucket = memory_allocate((size_t)a->degree + 3, sizeof *s->bucket);
    s->member = memory_allocate(a->largest_set, sizeof *s->member);
    s->put_out = memory_allocate(a->inputs, sizeof *s->put_out);
    return s->cover != NULL && s->fresh != NULL && s->order != NULL && s->place != NULL &&
           s->bucket != NULL && s->member != NULL && s->put_out != NULL;
}

static void release(struct search *s)
{
    free(s->cover);
    free(s->fresh);
    free(s->order);
    free(s->place);
    free(s->bucket);
    free(s->member);
    free(s->put_out);
}

static int compare_inputs(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Sorts the set and counts its neighbours from the edges. */
static void recount(struct search *s)
{
    struct weak_set *set = s->best;
    qsort(set->input, set->count, sizeof *set->input, compare_inputs);
    memset(s->cover, 0, s->adjacency->groups * sizeof *s->cover);
    uint32_t counted =
        adjacency_count_neighbours(s->adjacency, set->input, set->count, (uint8_t *)s->cover);
    assert(counted == set->neighbours);
}

enum failure_kind weak_set_search(struct weak_set *set, const struct adjacency *adjacency,
                                  const uint32_t *start, uint32_t starts, uint64_t seed,
                                  struct failure *failure)
{
    struct search search = {
        .adjacency = adjacency, .best = set, .random = pcg32_seed(seed, STREAM_SEARCH)};
    enum failure_kind kind = FAIL_NONE;
    if (!allocate(&search)) {
        kind = fail_memory(failure, "the search for a weak set");
    } else {
        for (uint32_t i = 0; i < starts && search.work < MOST_WORK; i++)
            search_from(&search, start[i]);
        for (uint32_t i = 0; i < RANDOM_STARTS && search.work < MOST_WORK; i++)
            search_from(&search, pcg32_below(&search.random, adjacency->inputs));
        recount(&search);
    }
    release(&search);
    return kind;
}

enum failure_kind weak_set_make(struct weak_set *set, const struct adjacency *adjacency,
                                struct failure *failure)
{
    *set = (struct weak_set){0};
    set->input = memory_allocate(adjacency->largest_set, sizeof *set->input);
    return set->input == NULL ? fail_memory(failure, "a set of inputs") : FAIL_NONE;
}

void weak_set_free(struct weak_set *set)
{
    free(set->input);
    *set = (struct weak_set){0};
}

double weak_set_lambda(const struct weak_set *set, const struct adjacency *adjacency)
{
    return set->count == 0 ? 1 : (double)set->neighbours / ((double)adjacency->degree * set->count);
}
