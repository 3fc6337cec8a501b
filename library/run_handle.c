/* run_handle.c - one run of a router on a set, with its options, its observer, and what is kept of it.
 *
 * What is kept is what a view (library/view.h) was told by the machine, as the files of a run are.
 */
#include "library/command_run.h"
#include "library/handle_private.h"
#include "library/run_files.h"
#include "library/view.h"

#include <stdlib.h>
#include <string.h>

static struct run_outputs outputs_of(const struct meshcast_options *options)
{
    return (struct run_outputs){.trace = options->file[MESHCAST_TRACE],
                                .view = {options->file[MESHCAST_HEATMAP],
                                         options->file[MESHCAST_TIMELINE],
                                         options->heatmap_is_of_links, options->timeline_every}};
}

/* ---- what is kept ---- */

/* A view of the run, and where its rows go. */
struct keeper {
    struct view view;
    struct meshcast_result *result;
    bool is_short; /* there was no memory for a row */
};

static bool make_room(struct meshcast_result *result)
{
    size_t room = result->room;
    for (int column = 0; column < TIMELINE_COLUMNS; column++) {
        room = result->room;
        uint64_t *grown =
            memory_grow(result->timeline[column], &room, result->rows + 1, sizeof *grown);
        if (grown == NULL)
            return false;
        result->timeline[column] = grown;
    }
    result->room = room;
    return true;
}

static void take_row(void *context, const struct view_row *row)
{
    struct keeper *keeper = context;
    struct meshcast_result *result = keeper->result;
    if (result->rows == result->room && !make_room(result))
        keeper->is_short = true;
    if (keeper->is_short)
        return;
    const uint64_t of_row[TIMELINE_COLUMNS] = {
        [MESHCAST_ROW_STEP] = row->step,           [MESHCAST_ROW_PACKETS] = row->packets,
        [MESHCAST_ROW_DELIVERED] = row->delivered, [MESHCAST_ROW_FULLEST] = row->fullest,
        [MESHCAST_ROW_BUSY] = row->busy,           [MESHCAST_ROW_PACKET_HOPS] = row->packet_hops,
        [MESHCAST_ROW_WORD_HOPS] = row->word_hops};
    for (int column = 0; column < TIMELINE_COLUMNS; column++)
        result->timeline[column][result->rows] = of_row[column];
    result->rows++;
}

static bool keeps_some(const struct meshcast_options *options)
{
    return options->keeps_peaks || options->keeps_loads || options->keeps_timeline;
}

static enum failure_kind keeper_make(struct keeper *keeper, const struct message_set *set,
                                     const struct meshcast_options *options,
                                     struct failure *failure)
{
    uint32_t every = options->timeline_every == 0 ? 1 : options->timeline_every;
    struct view_plan plan = {.has_links = options->keeps_loads,
                             .contributions = router_contributions(&options->router, set),
                             .every = options->keeps_timeline ? every : 0,
                             .take = take_row,
                             .take_context = keeper};
    return keeps_some(options) ? view_make(&keeper->view, set->mesh, &plan, failure) : FAIL_NONE;
}

/* Behind a run that has figures: what the view saw becomes the result's. */
static enum failure_kind keep(struct keeper *keeper, const struct meshcast_options *options,
                              struct failure *failure)
{
    struct meshcast_result *result = keeper->result;
    result->nodes = mesh_nodes(keeper->view.mesh);
    view_finish(&keeper->view, result->result.steps);
    result->has_timeline = options->keeps_timeline;
    if (options->keeps_peaks)
        result->peak = memory_allocate(result->nodes, sizeof *result->peak);
    if (options->keeps_loads)
        result->load = memory_allocate(DIRECTIONS * result->nodes, sizeof *result->load);
    if (keeper->is_short || (options->keeps_peaks && result->peak == NULL) ||
        (options->keeps_loads && result->load == NULL))
        return fail_memory(failure, "what is kept of a run");
    if (options->keeps_peaks)
        memcpy(result->peak, keeper->view.peak, result->nodes * sizeof *result->peak);
    for (int d = 0; options->keeps_loads && d < DIRECTIONS; d++)
        memcpy(result->load + (size_t)d * result->nodes, keeper->view.load[d],
               result->nodes * sizeof *result->load);
    return FAIL_NONE;
}

void result_clear(struct meshcast_result *result)
{
    free(result->peak);
    free(result->load);
    for (int column = 0; column < TIMELINE_COLUMNS; column++)
        free(result->timeline[column]);
    *result = (struct meshcast_result){.rows = 0};
}

/* ---- runs ---- */

enum failure_kind result_run(const struct router *router, const struct meshcast_set *set,
                             const struct meshcast_options *options,
                             const struct router_options *inner, const struct run_outputs *outputs,
                             struct meshcast_result *result, struct failure *failure)
{
    struct router_options own = *inner;
    struct keeper keeper = {.result = result};
    struct observer_pair pair;
    struct failure unkept = {0};
    if (set_check_routable(set, failure) != FAIL_NONE ||
        keeper_make(&keeper, &set->instance.set, options, failure) != FAIL_NONE)
        return failure->kind;
    if (keeps_some(options))
        own.observer = observer_pair_make(&pair, &keeper.view.observer, inner->observer);
    run_with_files(router, &set->instance.set, &own, outputs, &result->result, failure);
    if (keeps_some(options)) {
        if (run_has_figures(failure) && keep(&keeper, options, &unkept) != FAIL_NONE)
            *failure = unkept;
        view_free(&keeper.view);
    }
    return failure->kind;
}

static void run(const struct meshcast_router *router, const struct meshcast_set *set,
                const struct meshcast_options *options, struct meshcast_result *result,
                struct failure *failure)
{
    struct router_options inner = options->router;
    struct meshcast_observer told = options->observer;
    struct machine_observer observer = command_observe(&told);
    struct run_outputs outputs = outputs_of(options);
    if (options->is_observed)
        inner.observer = &observer;
    if (view_request_check(&outputs.view, failure) == FAIL_NONE)
        result_run(router_of(router), set, options, &inner, &outputs, result, failure);
}

enum meshcast_status meshcast_run(const struct meshcast_router *router,
                                  const struct meshcast_set *set,
                                  const struct meshcast_options *options,
                                  struct meshcast_result **result, struct meshcast_error *error)
{
    struct failure failure = {0};
    *result = memory_allocate(1, sizeof **result);
    if (*result == NULL)
        fail_memory(&failure, "a result");
    else
        run(router, set, options_or_standard(options), *result, &failure);
    if (!run_has_figures(&failure)) {
        meshcast_result_free(*result);
        *result = NULL;
    }
    return error_give(error, &failure);
}
