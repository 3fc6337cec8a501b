/* search_handle.c - the search for bad sets as a handle: `meshcast search` for programs. */
#include "base/stopwatch.h"
#include "library/adversary_graph.h"
#include "library/handle_private.h"
#include "library/meshcast_search.h"
#include "library/run_files.h"
#include "library/set_probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_SECONDS = 60, GIVENS_MOST = 64, GIVEN_NAME_SIZE = 24 };

static_assert((int)MESHCAST_OBJECTIVE_BUFFER == OBJECTIVE_BUFFER &&
                  (int)MESHCAST_OBJECTIVE_STEPS == OBJECTIVE_STEPS,
              "an objective is the search's");

struct meshcast_search {
    struct meshcast_set set;
    struct meshcast_result result;
    struct set_probe_run run;
    struct search_figure found;
    char origin[MADE_NAME_SIZE];
    const char *last_move;
    uint32_t moves;
    uint64_t tried, made, found_at, runs;
};

/* A search under way; the probe takes it for a struct set_probe. */
struct quest {
    struct set_probe probe;
    double seconds, started;
    const struct interrupt *interrupt;
    struct message_set given[GIVENS_MOST]; /* share the arrays of the callers' sets */
    char name[GIVENS_MOST][GIVEN_NAME_SIZE];
    const char *given_name[GIVENS_MOST];
};

static bool is_over(void *context, uint64_t tried, const struct search_find *worst)
{
    const struct quest *quest = context;
    (void)tried;
    (void)worst;
    return interrupt_is_sent(quest->interrupt) ||
           (quest->seconds > 0 && stopwatch_seconds() - quest->started >= quest->seconds);
}

/* ---- the space ---- */

/* Of the given sets. */
struct most {
    uint32_t congestion, sent;
};

static enum failure_kind take_given(struct quest *quest, uint32_t index,
                                    const struct meshcast_set *set, struct making *making,
                                    struct most *most, struct failure *failure)
{
    const struct message_set *inner = &set->instance.set;
    if (set_check_routable(set, failure) != FAIL_NONE)
        return failure->kind;
    if (making->mesh.rows == 0)
        making->mesh = inner->mesh;
    if (inner->mesh.rows != making->mesh.rows || inner->mesh.cols != making->mesh.cols)
        return fail(failure, FAIL_USAGE,
                    "set %" PRIu32 " is for %" PRIu32 " x %" PRIu32
                    " nodes, the search for %" PRIu32 " x %" PRIu32,
                    index, inner->mesh.rows, inner->mesh.cols, making->mesh.rows,
                    making->mesh.cols);
    if (making->congestion != 0 && set->instance.congestion > making->congestion)
        return fail(failure, FAIL_USAGE,
                    "set %" PRIu32 " has congestion %" PRIu32 "; the search has %" PRIu32, index,
                    set->instance.congestion, making->congestion);
    if (making->per_node != 0 && set->instance.most_sent > making->per_node)
        return fail(failure, FAIL_USAGE,
                    "set %" PRIu32 " has nodes that send %" PRIu32
                    " messages; the search has %" PRIu32,
                    index, set->instance.most_sent, making->per_node);
    most->congestion =
        set->instance.congestion > most->congestion ? set->instance.congestion : most->congestion;
    most->sent = set->instance.most_sent > most->sent ? set->instance.most_sent : most->sent;
    quest->given[index] = *inner;
    snprintf(quest->name[index], GIVEN_NAME_SIZE, "given %" PRIu32, index);
    quest->given_name[index] = quest->name[index];
    return FAIL_NONE;
}

static enum failure_kind take_space(struct quest *quest, const struct meshcast_search_space *space,
                                    struct making *making, struct failure *failure)
{
    struct most most = {0, 0};
    *making = (struct making){.mesh = {space->rows, space->cols},
                              .congestion = space->congestion,
                              .per_node = space->per_node,
                              .seed = quest->probe.options.seed};
    if ((unsigned)space->objective >= OBJECTIVES)
        return fail(failure, FAIL_USAGE, "no objective has the number %u",
                    (unsigned)space->objective);
    if (space->sets > GIVENS_MOST)
        return fail(failure, FAIL_USAGE, "%" PRIu32 " sets; the search takes %d at most",
                    space->sets, GIVENS_MOST);
    for (uint32_t i = 0; i < space->sets; i++)
        if (take_given(quest, i, space->set[i], making, &most, failure) != FAIL_NONE)
            return failure->kind;
    if (making->mesh.rows == 0 && making->mesh.cols == 0)
        return fail(failure, FAIL_USAGE, "the search wants a mesh, or a set to begin with");
    if (!mesh_is_valid(making->mesh.rows, making->mesh.cols))
        return fail(failure, FAIL_USAGE,
                    "a mesh of %u x %u nodes; expected sides of 1 to %d and at most %d nodes",
                    making->mesh.rows, making->mesh.cols, MESH_MAX_SIDE, MESH_MAX_NODES);
    return making_complete(making, most.congestion, most.sent, failure);
}

/* ---- the search ---- */

/* The worst set becomes the handle's, with its run and what is known of it. */
static enum failure_kind take_worst(struct meshcast_search *search, struct quest *quest,
                                    struct search *found, struct failure *failure)
{
    struct search_find *worst = &found->worst;
    /* The run that is shown is run to its end though the search was interrupted. */
    quest->probe.options.interrupt = NULL;
    if (set_probe_run(&quest->probe, &worst->set, &search->run, failure) != FAIL_NONE)
        return failure->kind;
    search->result.result = search->run.result;
    search->found = worst->figure;
    search->moves = worst->moves;
    search->last_move = worst->last == NULL ? "" : worst->last;
    search->found_at = worst->at;
    search->tried = found->tried;
    search->made = found->made;
    search->runs = quest->probe.runs;
    snprintf(search->origin, sizeof search->origin, "%s", worst->name);
    search->set.instance.set = worst->set;
    search->set.is_routable = true;
    shape_text(&worst->set.shape, search->set.topology);
    worst->set = (struct message_set){.messages = 0}; /* it is the handle's now */
    struct instance *instance = &search->set.instance;
    if (set_leave_home(&search->set, failure) != FAIL_NONE)
        return failure->kind;
    return instance_measure(instance, MEMORY_NO_LIMIT, failure) == FAIL_NONE
               ? instance_bound(instance, BOUNDS_LARGEST, MEMORY_NO_LIMIT, failure)
               : failure->kind;
}

static enum failure_kind run(struct meshcast_search *search, struct quest *quest,
                             const struct search_plan *plan, struct failure *failure)
{
    struct search found;
    struct failure end = {0};
    search_run(&found, plan, failure);
    if (failure->kind == FAIL_INTERRUPTED && found.worst.at > 0) {
        end = *failure;
        *failure = (struct failure){0};
    }
    if (failure->kind == FAIL_NONE && found.worst.figure.figure == 0 && quest->probe.refused > 0)
        fail(failure, FAIL_USAGE, "%s", quest->probe.refusal.text);
    if (failure->kind == FAIL_NONE)
        take_worst(search, quest, &found, failure);
    if (failure->kind == FAIL_NONE && interrupt_is_sent(quest->interrupt))
        fail(&end, FAIL_INTERRUPTED, "interrupted");
    if (failure->kind == FAIL_NONE && end.kind == FAIL_NONE)
        set_probe_judge(&quest->probe, &search->run, &search->found, failure);
    if (failure->kind == FAIL_NONE)
        *failure = end;
    search_free(&found);
    return failure->kind;
}

static enum failure_kind search_with(struct meshcast_search *search, struct quest *quest,
                                     const struct meshcast_search_space *space,
                                     struct failure *failure)
{
    struct adversary_graph against = {0};
    struct search_plan plan = {.given = quest->given,
                               .given_name = quest->given_name,
                               .givens = space->sets,
                               .tries = space->tries,
                               .seed = quest->probe.options.seed,
                               .probe = set_probe_measure,
                               .is_over = is_over,
                               .context = quest};
    if (take_space(quest, space, &plan.making, failure) == FAIL_NONE &&
        adversary_of_router(&against, quest->probe.router, &quest->probe.options, MEMORY_NO_LIMIT,
                            &plan.making, failure) == FAIL_NONE)
        run(search, quest, &plan, failure);
    adversary_graph_free(&against);
    return failure->kind;
}

enum meshcast_status meshcast_search_run(const struct meshcast_router *router,
                                         const struct meshcast_search_space *space,
                                         const struct meshcast_options *options,
                                         struct meshcast_search **search,
                                         struct meshcast_error *error)
{
    struct failure failure = {0};
    struct quest *quest = memory_allocate(1, sizeof *quest);
    *search = memory_allocate(1, sizeof **search);
    if (quest == NULL || *search == NULL) {
        fail_memory(&failure, "a search");
    } else {
        bool is_limited = space->tries > 0 || space->seconds > 0;
        quest->probe = (struct set_probe){.router = router_of(router),
                                          .options = options_or_standard(options)->router,
                                          .objective = (enum objective)space->objective};
        quest->interrupt = quest->probe.options.interrupt;
        quest->seconds = is_limited ? space->seconds : DEFAULT_SECONDS;
        quest->started = stopwatch_seconds();
        if (options_check_no_reduction(options_or_standard(options), "the search for bad sets",
                                       &failure) == FAIL_NONE)
            search_with(*search, quest, space, &failure);
    }
    free(quest);
    bool has_set = *search != NULL && (*search)->tried > 0;
    if (!has_set || !(run_has_figures(&failure) || failure.kind == FAIL_INTERRUPTED)) {
        meshcast_search_free(*search);
        *search = NULL;
    }
    return error_give(error, &failure);
}

void meshcast_search_free(struct meshcast_search *search)
{
    if (search != NULL) {
        instance_free(&search->set.instance);
        message_set_free(&search->set.given);
    }
    free(search);
}

/* ---- what was found ---- */

const struct meshcast_set *meshcast_search_set(const struct meshcast_search *search)
{
    return &search->set;
}

const struct meshcast_result *meshcast_search_result(const struct meshcast_search *search)
{
    return &search->result;
}

uint64_t meshcast_search_figure(const struct meshcast_search *search,
                                enum meshcast_search_figure figure)
{
    const uint64_t figures[] = {
        [MESHCAST_SEARCH_WORST] = search->run.figure,
        [MESHCAST_SEARCH_TRIED] = search->tried,
        [MESHCAST_SEARCH_MADE] = search->made,
        [MESHCAST_SEARCH_MOVES] = search->moves,
        [MESHCAST_SEARCH_FOUND_AT] = search->found_at,
        [MESHCAST_SEARCH_FAILS] = search->found.fails,
        [MESHCAST_SEARCH_IS_BROKEN] = set_probe_is_broken(&search->run, &search->found),
        [MESHCAST_SEARCH_RUNS] = search->runs,
    };
    return (size_t)figure < sizeof figures / sizeof *figures ? figures[figure] : 0;
}

const char *meshcast_search_origin(const struct meshcast_search *search)
{
    return search->origin;
}

const char *meshcast_search_last_move(const struct meshcast_search *search)
{
    return search->last_move;
}

double meshcast_search_promise(const struct meshcast_search *search, const char **formula,
                               const char **kind)
{
    const struct promise *promise = search->run.promise;
    bool has_bound = promise != NULL && search->run.bound > 0;
    if (formula != NULL)
        *formula = promise == NULL ? "" : promise->formula;
    if (kind != NULL)
        *kind = promise_kind_name(has_bound ? promise->kind : PROMISE_NONE);
    return search->run.bound;
}
