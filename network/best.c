/* best.c - runs all candidates of the scheme `best`.
 *
 * Cost: that of the candidates' runs; in a burst each ends soon after the cycle in which the
 * fastest before it ended.
 */
#include "network/best.h"

#include <math.h>

static bool is_best(const struct scheme *scheme)
{
    return scheme->plan == NULL;
}

/* ---- bursts ---- */

struct race {
    const struct burst *burst;
    uint64_t least; /* cycles of the fastest so far */
    bool is_interrupted;
};

static bool watch(void *context, uint64_t done, uint64_t all, uint64_t cycle)
{
    struct race *race = context;
    const struct burst *burst = race->burst;
    bool ends = burst->watcher != NULL && burst->watcher(burst->watcher_context, done, all, cycle);
    return ends || cycle >= race->least;
}

/* Runs a candidate; returns true if it is faster than those before it. */
static bool is_faster(struct race *race, const struct scheme_candidate *candidate,
                      struct failure *failure)
{
    struct burst burst = *race->burst;
    struct burst_result result;
    burst.scheme = candidate->scheme;
    burst.choices = candidate->choices;
    burst.observer = NULL;
    burst.watcher = watch;
    burst.watcher_context = race;
    bool is_faster = burst_run(&burst, &result, failure) == FAIL_NONE && !result.is_partial &&
                     result.counts.last_delivery < race->least;
    race->is_interrupted = result.is_partial && result.counts.cycle < race->least;
    if (is_faster)
        race->least = result.counts.last_delivery;
    burst_free(&result);
    return is_faster;
}

enum failure_kind best_choose_for_burst(struct burst *burst, struct failure *failure)
{
    const struct burst asked = *burst;
    struct race race = {.burst = &asked, .least = UINT64_MAX};
    struct failure own = {0};
    const struct scheme_candidate *candidate;
    if (!is_best(burst->scheme))
        return FAIL_NONE;
    for (uint32_t i = 0; (candidate = scheme_candidate_at(asked.topology, i)) != NULL; i++) {
        own = (struct failure){0};
        bool is_first = is_best(burst->scheme);
        if (is_faster(&race, candidate, &own) || (race.is_interrupted && is_first)) {
            burst->scheme = candidate->scheme;
            burst->choices = candidate->choices;
        }
        if (own.kind != FAIL_NONE && own.kind != FAIL_USAGE && own.kind != FAIL_CHECK)
            break;
        if (race.is_interrupted)
            return FAIL_NONE;
    }
    if (is_best(burst->scheme) || candidate != NULL)
        *failure = own;
    return failure->kind;
}

/* ---- open loops ---- */

void best_stand_in(struct open_loop *loop)
{
    const struct scheme_candidate *candidate;
    for (uint32_t i = 0;
         is_best(loop->scheme) && (candidate = scheme_candidate_at(loop->topology, i)) != NULL;
         i++) {
        struct failure failure = {0};
        if (scheme_check(candidate->scheme, loop->topology, &candidate->choices, loop->settings.vcs,
                         &failure) != FAIL_NONE)
            continue;
        loop->scheme = candidate->scheme;
        loop->choices = candidate->choices;
    }
}

/* True if a run's mean latency measures its speed. */
static bool has_latency(const struct open_loop *loop, const struct open_loop_result *result)
{
    return result->messages > 0 && (!result->is_saturated || loop->is_finite);
}

static bool is_better(const struct open_loop *loop, const struct open_loop_result *one,
                      const struct open_loop_result *other)
{
    bool has = has_latency(loop, one);
    if (has != has_latency(loop, other))
        return has;
    return has ? one->latency.mean < other->latency.mean : one->accepted > other->accepted;
}

enum failure_kind best_run_open_loop(struct open_loop *loop, struct open_loop_result *result,
                                     struct failure *failure)
{
    struct open_loop tried = *loop;
    const struct scheme_candidate *candidate;
    *result = (struct open_loop_result){.latency = {0, INFINITY}};
    if (!is_best(loop->scheme))
        return open_loop_run(loop, result, failure);
    for (uint32_t i = 0; (candidate = scheme_candidate_at(loop->topology, i)) != NULL; i++) {
        struct open_loop_result next;
        struct failure own = {0};
        tried.scheme = candidate->scheme;
        tried.choices = candidate->choices;
        open_loop_run(&tried, &next, &own);
        bool is_first = is_best(loop->scheme), is_partial = next.is_partial;
        bool is_run = own.kind == FAIL_NONE || (own.kind == FAIL_CHECK && is_first);
        bool is_faster = !is_partial && own.kind == FAIL_NONE && !is_first &&
                         (failure->kind == FAIL_CHECK || is_better(loop, &next, result));
        if ((is_run && is_first) || is_faster) {
            open_loop_free(result);
            *result = next;
            *failure = own;
            loop->scheme = candidate->scheme;
            loop->choices = candidate->choices;
        } else {
            open_loop_free(&next);
        }
        if (own.kind == FAIL_SYSTEM) {
            *failure = own;
            return own.kind;
        }
        result->is_partial |= is_partial;
        if (is_partial)
            break;
    }
    return is_best(loop->scheme) ? open_loop_check(loop, failure) : failure->kind;
}
