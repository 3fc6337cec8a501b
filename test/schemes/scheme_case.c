/* scheme_case.c - random multicasts, plans, and worms that meet on links. */
#include "test/schemes/scheme_case.h"

#include "test/schemes/route_walk.h"

#include <check.h>
#include <stdlib.h>

bool scheme_case_next_choices(const struct scheme *scheme, struct scheme_choices *choices)
{
    for (uint32_t i = 0; i < SCHEME_PARAMETERS && scheme->parameter[i].name != NULL; i++) {
        if (scheme->parameter[i].choice[++choices->choice[i]] != NULL)
            return true;
        choices->choice[i] = 0;
    }
    return false;
}

struct plan scheme_case_plan(const char *name, const struct scheme_choices *choices,
                             const struct topology *topology, const struct multicast *multicast)
{
    const struct scheme *scheme = NULL;
    struct plan plan = {0};
    struct failure failure = {0};
    ck_assert_int_eq(scheme_find(name, &scheme, &failure), FAIL_NONE);
    ck_assert_msg(scheme_plan(scheme, topology, multicast, choices, &plan, &failure) == FAIL_NONE,
                  "%s", failure.text);
    return plan;
}

struct multicast scheme_case_multicast(const struct topology *topology, uint64_t number,
                                       uint32_t destinations, uint32_t *destination)
{
    struct pcg32 random = pcg32_seed(28, number);
    struct multicast multicast = {
        .source = pcg32_below(&random, topology->nodes), .destination = destination, .flits = 1};
    multicast.destinations = route_walk_destinations(&random, topology->nodes, multicast.source,
                                                     destinations, destination);
    return multicast;
}

uint32_t scheme_case_steps(const struct plan *plan, uint32_t *step)
{
    uint32_t since[SCHEME_CASE_NODES] = {0}, most = 0;
    for (uint32_t i = 0; i < plan->worms; i++) {
        const struct worm *worm = &plan->worm[i];
        ck_assert_uint_ge(worm->step, 1);
        step[i] = since[worm->sender] + worm->step;
        for (uint32_t j = worm->first; j < worm->first + worm->stops; j++)
            if (plan->stop[j].is_destination)
                since[plan->stop[j].node] = step[i];
        most = step[i] > most ? step[i] : most;
    }
    return most;
}

/* Takes the links of a path worm in a step; returns the number of links that were taken in it
 * before. */
static uint32_t take_links(const struct plan *plan, const struct topology *topology,
                           const struct worm *worm, uint32_t step, uint32_t *taken)
{
    static struct route_walk walk;
    uint32_t found = 0, at = worm->sender;
    for (uint32_t j = worm->first; j < worm->first + worm->stops; j++) {
        route_walk(&walk, topology, plan->routing, at, plan->stop[j].node);
        for (uint32_t hop = 0; hop < walk.hops; hop++) {
            found += taken[walk.link[hop]] == step;
            taken[walk.link[hop]] = step;
        }
        at = plan->stop[j].node;
    }
    return found;
}

uint32_t scheme_case_contentions(const struct plan *plan, const struct topology *topology,
                                 const uint32_t *step, uint32_t steps)
{
    uint32_t found = 0;
    uint32_t *taken = calloc(topology->links, sizeof *taken);
    ck_assert_ptr_nonnull(taken);
    for (uint32_t s = 1; s <= steps; s++)
        for (uint32_t i = 0; i < plan->worms; i++)
            if (step[i] == s)
                found += take_links(plan, topology, &plan->worm[i], s, taken);
    free(taken);
    return found;
}
