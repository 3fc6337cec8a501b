/* exact.c - branch and bound over the closed sets of a graph with at most 64 groups.
 *
 * A set of groups T is worth the inputs that have all neighbours in T, at most k = floor(c / r) of
 * them: lambda is the least t / (r g) over all T, t = |T| and g = min(k, inputs inside T). So for t
 * = 1, 2, ... the question is whether some T of t groups has more than t / (r lambda*) inputs
 * inside, lambda* being the best so far; once that would be more than k the search is over.
 *
 * T grows by whole neighbourhoods: a node of the tree has the groups taken, the inputs inside, and
 * the candidates, inputs with one to t - |T| neighbours outside T. It branches on the candidate
 * that is added first, the ones before it being excluded; a child that contains an excluded input
 * was seen before. Bound: a candidate inside the final T has all of its p missing neighbours among
 * the at most t - |T| groups to come, so it can be shared out in p parts of 1 / p over these; the
 * inputs gained are at most the sum of the t - |T| largest shares of groups.
 *
 * Inputs with the same neighbourhood are one candidate with a weight. Shares are whole numbers of
 * millionths or so, rounded up, so that no rounding can make the bound too small.
 *
 * Cost: exponential in the worst case, given up at so many candidates looked at as the caller
 * allows. The finished sizes of T still prove something: every other set has at least t neighbours,
 * so lambda is at least t / (r k), or that of the set found.
 */
#include "expanders/certificates.h"

#include <assert.h>
#include <stdlib.h>

static const uint64_t TELL_WORK = 1 << 20;

struct candidate {
    uint64_t groups; /* missing neighbours; at the root all */
    uint32_t weight;
    uint32_t input; /* into sorted[], the first of its neighbourhood */
};

struct exact {
    const struct adjacency *adjacency;
    struct weak_set *best;
    uint64_t work, most_work, told; /* told: the work at the last progress report */
    struct candidate *pool;         /* a stack of candidate lists */
    size_t pool_room, used;
    uint64_t *neighbourhood; /* [p]: of each input */
    uint32_t t;              /* the current size of T */
    bool out_of_memory;
};

/* A node of the tree: pool[from .. from + candidates - 1], then the excluded ones. */
struct node {
    uint64_t taken;
    uint32_t inside; /* weight of the inputs inside */
    size_t from, candidates, excluded;
};

static uint32_t size_of(uint64_t groups)
{
    return (uint32_t)__builtin_popcountll(groups);
}

/* Returns the least number of inputs inside T that would make a better set. */
static uint32_t wanted(const struct exact *e)
{
    const struct weak_set *best = e->best;
    return (uint32_t)((uint64_t)e->t * best->count / best->neighbours) + 1;
}

/* Remembers the inputs inside `taken`, at most floor(c / r). */
static void remember(struct exact *e, uint64_t taken)
{
    uint32_t count = 0;
    uint64_t covered = 0;
    for (uint32_t u = 0; u < e->adjacency->inputs && count < e->adjacency->largest_set; u++)
        if ((e->neighbourhood[u] & ~taken) == 0) {
            e->best->input[count++] = u;
            covered |= e->neighbourhood[u];
        }
    e->best->count = count;
    e->best->neighbours = size_of(covered);
}

/* ---- bound ---- */

static const uint64_t UNIT = 1 << 20;

/* Returns a candidate's share per missing group, in units of 1 / UNIT. */
static uint64_t share_of(const struct candidate *candidate)
{
    uint64_t parts = size_of(candidate->groups);
    return (candidate->weight * UNIT + parts - 1) / parts;
}

static void add_share(uint64_t share[EXACT_MOST_GROUPS], const struct candidate *candidate)
{
    for (uint64_t left = candidate->groups; left != 0; left &= left - 1)
        share[__builtin_ctzll(left)] += share_of(candidate);
}

static void take_share(uint64_t share[EXACT_MOST_GROUPS], const struct candidate *candidate)
{
    for (uint64_t left = candidate->groups; left != 0; left &= left - 1)
        share[__builtin_ctzll(left)] -= share_of(candidate);
}

/* Returns an upper bound on the weight that `budget` more groups can add. */
static uint64_t largest_shares(const uint64_t share[EXACT_MOST_GROUPS], uint32_t groups,
                               uint32_t budget)
{
    uint64_t top[EXACT_MOST_GROUPS], sum = 0;
    uint32_t held = 0;
    for (uint32_t v = 0; v < groups; v++) {
        uint64_t here = share[v];
        if (here == 0 || (held == budget && here <= top[held - 1]))
            continue;
        uint32_t at = held < budget ? held++ : held - 1;
        for (; at > 0 && top[at - 1] < here; at--)
            top[at] = top[at - 1];
        top[at] = here;
    }
    for (uint32_t i = 0; i < held; i++)
        sum += top[i];
    return sum;
}

/* ---- tree ---- */

static bool make_room(struct exact *e, size_t more)
{
    if (e->used + more <= e->pool_room)
        return true;
    struct candidate *grown = memory_grow(e->pool, &e->pool_room, e->used + more, sizeof *grown);
    e->out_of_memory = grown == NULL;
    if (grown == NULL)
        return false;
    e->pool = grown;
    return true;
}

/* Makes the child that adds candidate `at` of `node`, on top of the pool. False if it was seen
 * before. */
static bool make_child(struct exact *e, const struct node *node, size_t at, struct node *child)
{
    const struct candidate *list = e->pool + node->from;
    uint64_t added = list[at].groups;
    uint32_t budget;
    *child = (struct node){
        .taken = node->taken | added, .inside = node->inside + list[at].weight, .from = e->used};
    budget = e->t - size_of(child->taken);
    struct candidate *next = e->pool + e->used;
    for (size_t i = at + 1; i < node->candidates; i++) {
        uint64_t missing = list[i].groups & ~added;
        if (missing == 0) {
            child->inside += list[i].weight;
        } else if (size_of(missing) <= budget) {
            *next = list[i];
            next++->groups = missing;
        }
    }
    child->candidates = (size_t)(next - e->pool) - e->used;
    for (size_t i = 0; i < node->candidates + node->excluded; i++) {
        if (i == at)
            i = node->candidates;
        if (i == node->candidates + node->excluded)
            break;
        uint64_t missing = list[i].groups & ~added;
        if (missing == 0)
            return false;
        if (size_of(missing) <= budget) {
            *next = list[i];
            next++->groups = missing;
        }
    }
    child->excluded = (size_t)(next - e->pool) - e->used - child->candidates;
    e->work += node->candidates + node->excluded;
    if (e->work - e->told >= TELL_WORK) {
        e->told = e->work;
        if (!effort_tell(e->adjacency->effort, "all sets", (double)e->work / (double)e->most_work))
            e->most_work = 0;
    }
    return true;
}

static void search(struct exact *e, const struct node *node)
{
    uint64_t share[EXACT_MOST_GROUPS] = {0};
    uint32_t budget = e->t - size_of(node->taken);
    for (size_t i = 0; i < node->candidates; i++)
        add_share(share, &e->pool[node->from + i]);
    for (size_t i = 0; i < node->candidates; i++) {
        uint64_t more = largest_shares(share, e->adjacency->groups, budget);
        if (node->inside * UNIT + more < wanted(e) * UNIT || e->work > e->most_work)
            return;
        size_t used = e->used;
        struct node child;
        if (!make_room(e, node->candidates + node->excluded))
            return;
        if (make_child(e, node, i, &child)) {
            e->used += child.candidates + child.excluded;
            if (child.inside >= wanted(e))
                remember(e, child.taken);
            search(e, &child);
        }
        e->used = used;
        if (e->out_of_memory)
            return;
        take_share(share, &e->pool[node->from + i]);
    }
}

/* ---- the graph ---- */

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (size_of(a->groups) != size_of(b->groups))
        return size_of(a->groups) < size_of(b->groups) ? -1 : 1;
    if (a->groups != b->groups)
        return a->groups < b->groups ? -1 : 1;
    return a->input < b->input ? -1 : a->input > b->input;
}

/* Lays the distinct neighbourhoods, with their weights, at the bottom of the pool. */
static size_t lay_root(struct exact *e)
{
    const struct adjacency *a = e->adjacency;
    size_t laid = 0;
    for (uint32_t u = 0; u < a->inputs; u++) {
        for (uint32_t j = 0; j < a->distinct_count[u]; j++)
            e->neighbourhood[u] |= (uint64_t)1 << a->distinct[(size_t)u * a->degree + j];
        e->pool[u] = (struct candidate){e->neighbourhood[u], 1, u};
    }
    qsort(e->pool, a->inputs, sizeof *e->pool, compare_candidates);
    for (uint32_t i = 0; i < a->inputs; i++) {
        if (laid > 0 && e->pool[laid - 1].groups == e->pool[i].groups)
            e->pool[laid - 1].weight++;
        else
            e->pool[laid++] = e->pool[i];
    }
    return laid;
}

static void search_all(struct exact *e, size_t laid)
{
    uint32_t most = e->adjacency->largest_set;
    if (e->best->count == 0)
        remember(e, e->neighbourhood[0]);
    for (e->t = 1; e->t <= e->adjacency->groups && wanted(e) <= most; e->t++) {
        struct node root = {.from = 0};
        while (root.candidates < laid && size_of(e->pool[root.candidates].groups) <= e->t)
            root.candidates++; /* in ascending order */
        e->used = laid;
        search(e, &root);
        if (e->work > e->most_work || e->out_of_memory)
            return; /* t groups are not finished */
    }
}

/* Returns the proof, rounded down. */
static struct exact_proof proof_of(const struct exact *e)
{
    double found = weak_set_lambda(e->best, e->adjacency);
    double finished = (double)e->t / ((double)e->adjacency->degree * e->adjacency->largest_set);
    finished *= 1 - 0x1p-50;
    if (e->work <= e->most_work || found <= finished)
        return (struct exact_proof){true, found};
    return (struct exact_proof){false, finished};
}

enum failure_kind exact_minimise(struct weak_set *set, const struct adjacency *adjacency,
                                 uint64_t most_work, struct exact_proof *proof,
                                 struct failure *failure)
{
    assert(adjacency->groups <= EXACT_MOST_GROUPS);
    struct exact exact = {
        .adjacency = adjacency,
        .best = set,
        .most_work = most_work,
        .pool = memory_allocate(2 * (size_t)adjacency->inputs, sizeof(struct candidate)),
        .pool_room = 2 * (size_t)adjacency->inputs,
        .neighbourhood = memory_allocate(adjacency->inputs, sizeof(uint64_t))};
    *proof = (struct exact_proof){0};
    exact.out_of_memory = exact.pool == NULL || exact.neighbourhood == NULL;
    if (!exact.out_of_memory) {
        search_all(&exact, lay_root(&exact));
        *proof = proof_of(&exact);
    }
    free(exact.pool);
    free(exact.neighbourhood);
    return exact.out_of_memory ? fail_memory(failure, "the exact expansion of a graph") : FAIL_NONE;
}
