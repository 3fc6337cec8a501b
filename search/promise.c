/* promise.c - the table of promises.
 *
 * A row is changed with the router: when a bound is proven, when a run enforces it, when a search
 * finds a set that needs more than was measured. doc/worst.md shows the table beside the findings,
 * and suite `worst` runs the worst sets against it.
 */
#include "search/promise.h"

#include "routers/router.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

const char *const objective_names[OBJECTIVES + 1] = {"buffer", "steps", NULL};

const char *promise_kind_name(enum promise_kind kind)
{
    static const char *const names[] = {"none", "measured", "enforced", "proven"};
    return names[kind];
}

/* ---- letters ---- */

static double nodes(const struct promise_case *run)
{
    return mesh_nodes(run->mesh);
}

static double side(const struct promise_case *run)
{
    return run->mesh.rows > run->mesh.cols ? run->mesh.rows : run->mesh.cols;
}

static double most_sent(const struct promise_case *run)
{
    return run->most_sent > 0 ? run->most_sent : 1;
}

static double root_cn(const struct promise_case *run)
{
    return sqrt(most_sent(run) * run->congestion * nodes(run));
}

/* Returns the nodes of a tile, of which there are c / l. */
static double of_tile(const struct promise_case *run)
{
    return nodes(run) * most_sent(run) / run->congestion;
}

/* Returns the steps for copies: unit copies may need 1.6 times as many. */
static double for_copies(const struct promise_case *run, double steps)
{
    return run->copy_is_free ? steps : 1.6 * steps;
}

/* ---- bounds ---- */

static double own_capacity(const struct promise_case *run)
{
    return run->capacity;
}

static double replicate_steps(const struct promise_case *run)
{
    bool is_long = side(run) > 4 * nodes(run) / side(run);
    bool is_full = run->congestion > most_sent(run) * nodes(run) / 4;
    double steps = for_copies(run, root_cn(run) + 2 * side(run));
    if (!run->copy_is_free &&
        nodes(run) < 16 * run->congestion) /* copies that wait for one another at a node */
        steps = 1.6 * root_cn(run) + 6 * side(run);
    return is_long || is_full ? 0 : steps;
}

static double stream_steps(const struct promise_case *run)
{
    double steps = 4 * root_cn(run) + 4 * most_sent(run) * side(run); /* patterns: 1.6 S */
    return of_tile(run) >= 16 ? for_copies(run, steps) : 0;
}

static double circulate_steps(const struct promise_case *run)
{
    return most_sent(run) * (double)circulate_tour_steps(run->mesh, UINT32_MAX, run->copy_is_free);
}

static double random_steps(const struct promise_case *run)
{
    double attempt = 8 * root_cn(run) + 14 * most_sent(run) * side(run);
    return 4 * for_copies(run, attempt) + circulate_steps(run);
}

/* Returns the steps if the algorithm runs. Patterns, and sets against only the graph, need 2.5 S +
 * 8 m; sets against the walk's permutation need further rounds of it. */
static double expander_steps(const struct promise_case *run)
{
    double steps = 12 * root_cn(run) + 12 * most_sent(run) * side(run);
    bool runs = run->congestion >= 4 * most_sent(run) && of_tile(run) >= 16;
    return runs ? for_copies(run, steps) : 0;
}

static const struct promise TABLE[] = {
    {"replicate", OBJECTIVE_BUFFER, PROMISE_PROVEN,
     "the run's capacity, at most c / 2 + 40, c < 16: 2 c + 16; unit copies 3 more", own_capacity},
    {"replicate", OBJECTIVE_STEPS, PROMISE_MEASURED,
     "sides up to 1 : 4, c / l <= n / 4: S + 2 m; unit copies 1.6 times that, c > n / 16: "
     "1.6 S + 6 m",
     replicate_steps},
    {"random", OBJECTIVE_BUFFER, PROMISE_ENFORCED,
     "the run's capacity: 12; unit copies 19; 4 void attempts at most", own_capacity},
    {"random", OBJECTIVE_STEPS, PROMISE_ENFORCED,
     "4 attempts of 8 S + 14 m l, unit copies 1.6 times that, and the tours of circulate",
     random_steps},
    {"stream", OBJECTIVE_BUFFER, PROMISE_PROVEN,
     "the run's capacity, at most 15; unit copies 3 more", own_capacity},
    {"stream", OBJECTIVE_STEPS, PROMISE_MEASURED,
     "c / l <= n / 16: 4 S + 4 m l; unit copies 1.6 times that", stream_steps},
    {"circulate", OBJECTIVE_BUFFER, PROMISE_PROVEN, "the run's capacity: 2; odd x odd meshes 3",
     own_capacity},
    {"circulate", OBJECTIVE_STEPS, PROMISE_PROVEN,
     "l tours of n / 2, unit copies n + 1; odd x odd meshes 4, 6 more; a row n - 1, 2 n - 1",
     circulate_steps},
    {"unicast", OBJECTIVE_BUFFER, PROMISE_PROVEN, "the run's capacity: 10", own_capacity},
    {"unicast", OBJECTIVE_STEPS, PROMISE_NONE, "-", NULL},
    {"expander", OBJECTIVE_BUFFER, PROMISE_PROVEN,
     "the run's capacity: 10 to 13; unit copies 12 to 16", own_capacity},
    {"expander", OBJECTIVE_STEPS, PROMISE_MEASURED,
     "s >= 4, c / l >= 4: 12 S + 12 m l; unit copies 1.6 times that; more is proven",
     expander_steps},
    {"trees", OBJECTIVE_BUFFER, PROMISE_NONE, "-", NULL},
    {"trees", OBJECTIVE_STEPS, PROMISE_NONE, "-", NULL},
};

uint32_t promise_count(void)
{
    return sizeof TABLE / sizeof *TABLE;
}

const struct promise *promise_at(uint32_t index)
{
    assert(index < promise_count());
    return &TABLE[index];
}

const struct promise *promise_find(const char *router, enum objective objective)
{
    for (uint32_t i = 0; i < promise_count(); i++)
        if (TABLE[i].objective == objective && strcmp(TABLE[i].router, router) == 0)
            return &TABLE[i];
    return NULL;
}

double promise_bound(const struct promise *promise, const struct promise_case *run)
{
    return promise == NULL || promise->bound == NULL || run->congestion == 0 ? 0
                                                                             : promise->bound(run);
}
