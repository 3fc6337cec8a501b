/* search_router.c - what a router makes of a set, for the search (search/search.h).
 *
 * The figure is the buffer's peak, or the steps without synchronisation. Two sets of one figure are
 * told apart by an observed run, which takes a few times as long and so is made only where it can
 * decide: a buffer's `finer` is the sum of the fourth powers of all nodes' peaks, so that nodes that
 * come near the peak count and others hardly do; that of steps is the same of the steps at which
 * deliveries are made. Both rise before the figure does.
 *   Runs are those of `stress` without a capacity: a node that overflows the router's own capacity,
 * or a delivery that is missing, makes the run fail, and a set the worst.
 */
#include "cli/search_router.h"

#include "console/interruption.h"
#include "console/run_options.h"
#include "library/view.h"

#include <inttypes.h>
#include <stdio.h>

static double fourth_power(double value)
{
    return value * value * value * value;
}

/* ---- observed runs ---- */

struct fine {
    struct view view;
    uint64_t delivered; /* up to the row before */
    double sum;         /* of deliveries */
};

static void take_row(void *context, const struct view_row *row)
{
    struct fine *fine = context;
    fine->sum += (double)(row->delivered - fine->delivered) * fourth_power((double)row->step);
    fine->delivered = row->delivered;
}

static double sum_of_peaks(const struct view *view)
{
    double sum = 0;
    for (uint32_t i = 0; i < mesh_nodes(view->mesh); i++)
        sum += fourth_power(view->peak[i]);
    return sum;
}

/* ---- runs ---- */

/* Runs the router once. What the run's end means goes into `failed`; the system's failures are the
 * search's. */
static enum failure_kind run_once(struct search_router *router, const struct message_set *set,
                                  struct stress_run *run, struct failure *failed,
                                  struct failure *failure)
{
    router->own.set = set;
    router->own.progress.what = router->name;
    router->runs++;
    stress_run_once(&router->own, run, failed);
    if (failed->kind == FAIL_NONE && run->outcome == STRESS_OVERFLOWS)
        fail(failed, FAIL_CHECK, "a node held %" PRIu32 " packets, which can hold %" PRIu32,
             run->peak, run->in_force);
    return failed->kind == FAIL_SYSTEM ? fail(failure, FAIL_SYSTEM, "%s", failed->text) : FAIL_NONE;
}

static enum failure_kind run_finely(struct search_router *router, const struct message_set *set,
                                    struct stress_run *run, double *finer, struct failure *failed,
                                    struct failure *failure)
{
    struct fine fine = {.sum = 0};
    struct view_plan plan = {
        .every = router->objective == OBJECTIVE_STEPS, .take = take_row, .take_context = &fine};
    if (view_make(&fine.view, set->mesh, &plan, failure) != FAIL_NONE)
        return failure->kind;
    router->own.options.observer = &fine.view.observer;
    enum failure_kind kind = run_once(router, set, run, failed, failure);
    router->own.options.observer = NULL;
    if (kind == FAIL_NONE && failed->kind == FAIL_NONE)
        view_finish(&fine.view, run->steps);
    *finer = router->objective == OBJECTIVE_STEPS ? fine.sum : sum_of_peaks(&fine.view);
    view_free(&fine.view);
    return kind;
}

static uint64_t figure_of(const struct search_router *router, const struct stress_run *run)
{
    return router->objective == OBJECTIVE_BUFFER ? run->peak : run->steps - run->sync_steps;
}

enum failure_kind search_router_probe(void *context, const struct message_set *set, bool finely,
                                      struct search_figure *figure, struct failure *failure)
{
    struct search_router *router = context;
    struct stress_run run = {.capacity = 0};
    struct failure failed = {0};
    enum failure_kind kind = finely
                                 ? run_finely(router, set, &run, &figure->finer, &failed, failure)
                                 : run_once(router, set, &run, &failed, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (failed.kind == FAIL_USAGE) { /* worth nothing */
        router->refused++;
        fail(&router->refusal, FAIL_USAGE, "%s", failed.text);
        return FAIL_NONE;
    }
    if (failed.kind != FAIL_NONE)
        fail(&router->failed, failed.kind, "%s", failed.text);
    figure->fails = failed.kind != FAIL_NONE;
    figure->figure = figure_of(router, &run);
    figure->peak = run.peak_node;
    return FAIL_NONE;
}

/* ---- the end ---- */

static void show(struct search_router *router, uint64_t tried, const struct search_find *worst)
{
    char text[256];
    struct progress_line *line = &router->own.progress.line;
    snprintf(router->name, sizeof router->name, "%s, set %" PRIu64, router->own.router->name,
             tried + 1);
    if (!progress_line_is_due(line))
        return;
    snprintf(text, sizeof text, "search %s: %" PRIu64 " sets, worst %" PRIu64 " %s, %s, %.0f s",
             router->own.router->name, tried, worst->figure.figure,
             router->objective == OBJECTIVE_BUFFER ? "packets" : "steps", worst->name,
             progress_line_seconds(line));
    progress_line_show(line, text);
}

bool search_router_is_over(void *context, uint64_t tried, const struct search_find *worst)
{
    struct search_router *router = context;
    show(router, tried, worst);
    if (interruption_noted() != 0)
        return true;
    return router->seconds > 0 && router->clock() - router->started >= router->seconds;
}

/* The densest set that the search can come to: c messages for every node, l from each. */
enum failure_kind search_router_check_memory(const struct search_router *router,
                                             const struct making *making, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(making->mesh), per_node = made_per_node(making);
    uint32_t messages = nodes * per_node;
    uint32_t congestion = making->congestion < messages ? making->congestion : messages;
    struct instance densest = {
        .name = "", .degree = nodes, .congestion = congestion, .most_sent = per_node};
    struct memory_need need = {.limit = router->own.limit};
    densest.set = (struct message_set){.shape = shape_of_mesh(making->mesh),
                                       .mesh = making->mesh,
                                       .messages = messages,
                                       .deliveries = (uint64_t)nodes * congestion};
    return run_check_memory(router->own.router, &densest, &router->own.options,
                            &(struct run_outputs){0}, need, failure);
}

enum failure_kind search_router_run(struct search_router *router, const struct message_set *set,
                                    struct search_router_run *run, struct failure *failure)
{
    struct failure failed = {0};
    *run = (struct search_router_run){.degree = message_set_degree(set),
                                      .congestion = message_set_congestion(set),
                                      .most_sent = message_set_most_sent(set)};
    if (run->congestion == UINT32_MAX || run->most_sent == UINT32_MAX)
        return fail_memory(failure, "the messages of the nodes");
    if (run_once(router, set, &run->run, &failed, failure) != FAIL_NONE)
        return failure->kind;
    run->result = router->own.result;
    run->figure = figure_of(router, &run->run);
    const char *ran_as = run->result.ran_as;
    run->promise =
        promise_find(ran_as[0] != '\0' ? ran_as : router->own.router->name, router->objective);
    struct promise_case one = {.mesh = set->mesh,
                               .congestion = run->congestion,
                               .capacity = run->run.in_force,
                               .most_sent = run->most_sent,
                               .copy_is_free = router->own.options.copy_is_free};
    bool is_standard = router->own.options.parameters == 0 || run->run.in_force > 0;
    run->bound = is_standard ? promise_bound(run->promise, &one) : 0;
    return FAIL_NONE;
}
