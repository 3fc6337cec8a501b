/* compare_handle.c - comparisons of routers and races as handles: `meshcast compare` for programs.
 *
 * Method: the runners are read once, with the texts of their own parameters cut up in a copy; then each is
 * run as meshcast_run() would, or probed with one capacity after the other (search/race.h).
 */
#include "library/meshcast_compare.h"
#include "library/router_probe.h"
#include "library/run_files.h"
#include "library/runner.h"
#include "library/stress_private.h"
#include "search/race.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_SIZE = 512 };

struct own_runner {
    const struct router *router;
    const struct message_set *set;
    struct router_options options;
    char text[OWN_SIZE];                     /* of its own parameters, which point into it */
    char label[ROUTER_NAME_SIZE + OWN_SIZE]; /* "trees", "trees:slots=auto" */
};

struct runners {
    uint32_t count;
    struct own_runner *runner; /* [count]; is not moved */
};

/* ---- runners ---- */

static enum failure_kind read_own(struct own_runner *runner, const char *text,
                                  struct router_parameter *own, uint32_t *owns,
                                  struct failure *failure)
{
    *owns = 0;
    if (*text == '\0')
        return FAIL_NONE;
    if (strlen(text) >= sizeof runner->text)
        return fail(failure, FAIL_USAGE, "a router's own parameters have %d bytes at most",
                    OWN_SIZE - 1);
    strcpy(runner->text, text);
    for (char *at = runner->text, *next; at != NULL; at = next) {
        char *value = strchr(at, '=');
        next = strchr(at, ':');
        if (next != NULL)
            *next++ = '\0';
        if (value == NULL || value == at || value[1] == '\0' || (next != NULL && value >= next))
            return fail(failure, FAIL_USAGE, "a parameter is NAME=VALUE, not '%.40s'", at);
        if (*owns == ROUTER_MAX_PARAMETERS)
            return fail(failure, FAIL_USAGE, "a router takes %d parameters at most",
                        ROUTER_MAX_PARAMETERS);
        *value++ = '\0';
        own[(*owns)++] = (struct router_parameter){at, value};
    }
    return FAIL_NONE;
}

static void add_runner(struct runners *runners, const struct router *router,
                       const struct router_parameter *own, uint32_t owns,
                       const struct meshcast_set *set, const struct router_options *common)
{
    struct own_runner *runner = &runners->runner[runners->count++];
    runner->router = router;
    runner->set = &set->instance.set;
    runner->options = runner_options(router, own, owns, common);
}

static enum failure_kind add_given(struct runners *runners, const struct meshcast_runner *given,
                                   const struct meshcast_set *set,
                                   const struct router_options *common, struct failure *failure)
{
    struct own_runner *runner = &runners->runner[runners->count];
    const struct router *router = router_of(given->router);
    struct router_parameter own[ROUTER_MAX_PARAMETERS];
    const char *text = given->parameters == NULL ? "" : given->parameters;
    uint32_t owns;
    if (read_own(runner, text, own, &owns, failure) != FAIL_NONE)
        return failure->kind;
    snprintf(runner->label, sizeof runner->label, "%s%s%s", router->name, owns > 0 ? ":" : "",
             text);
    add_runner(runners, router, own, owns, set, common);
    return FAIL_NONE;
}

static void add_of_all(struct runners *runners, const struct known_runner *runner,
                       const struct meshcast_set *set, const struct router_options *common)
{
    if (runner_absence(runner->router, set->instance.most_sent, common) != 0)
        return;
    snprintf(runners->runner[runners->count].label, ROUTER_NAME_SIZE, "%s", runner->label);
    add_runner(runners, runner->router, &runner->own, runner->own.name != NULL, set, common);
}

/* A parameter of all that none of them has is a slip of the pen. */
static enum failure_kind check_parameters(const struct runners *runners,
                                          const struct router_options *common,
                                          struct failure *failure)
{
    for (uint32_t i = 0; i < common->parameters; i++) {
        bool is_taken = false;
        for (uint32_t r = 0; r < runners->count; r++)
            is_taken |=
                router_takes_parameter(runners->runner[r].router, common->parameter[i].name);
        if (!is_taken)
            return fail(failure, FAIL_USAGE, "none of the routers has a parameter '%.40s'",
                        common->parameter[i].name);
    }
    return FAIL_NONE;
}

/* `count` 0: all; is_race: as in runner_of_all(). */
static enum failure_kind runners_make(struct runners *runners, const struct meshcast_runner *given,
                                      uint32_t count, bool is_race, const struct meshcast_set *set,
                                      const struct router_options *common, struct failure *failure)
{
    struct known_runner runner;
    *runners = (struct runners){.count = 0};
    if (set_check_routable(set, failure) != FAIL_NONE)
        return failure->kind;
    if (count > RUNNERS_MOST)
        return fail(failure, FAIL_USAGE, "%" PRIu32 " routers; at most %d are compared", count,
                    RUNNERS_MOST);
    runners->runner = memory_allocate(RUNNERS_MOST, sizeof *runners->runner);
    if (runners->runner == NULL)
        return fail_memory(failure, "the routers");
    for (uint32_t i = 0; i < count && failure->kind == FAIL_NONE; i++)
        add_given(runners, &given[i], set, common, failure);
    for (uint32_t i = 0; count == 0 && runner_of_all(i, is_race, &runner); i++)
        add_of_all(runners, &runner, set, common);
    return failure->kind == FAIL_NONE ? check_parameters(runners, common, failure) : failure->kind;
}

/* ---- a row per router ---- */

struct row {
    struct meshcast_result result;
    struct failure failure;
};

struct meshcast_comparison {
    struct runners runners;
    struct row *row; /* [runners.count] */
};

static enum failure_kind run_row(const struct own_runner *runner, const struct meshcast_set *set,
                                 const struct meshcast_options *options, struct row *row,
                                 struct failure *failure)
{
    static const struct run_outputs none;
    result_run(runner->router, set, options, &runner->options, &none, &row->result, &row->failure);
    if (row->failure.kind == FAIL_SYSTEM || row->failure.kind == FAIL_INPUT ||
        row->failure.kind == FAIL_INTERRUPTED)
        fail(failure, row->failure.kind, "%s: %.400s", runner->router->name, row->failure.text);
    return failure->kind;
}

/* What the rows together mean for the status. */
static enum failure_kind judge(const struct meshcast_comparison *comparison,
                               struct failure *failure)
{
    const struct failure *refusal = NULL;
    uint32_t ran = 0, count = comparison->runners.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct failure *ended = &comparison->row[i].failure;
        const char *name = comparison->runners.runner[i].router->name;
        ran += ended->kind != FAIL_USAGE;
        if (ended->kind == FAIL_USAGE && refusal == NULL)
            refusal = ended;
        if (ended->kind == FAIL_CHECK)
            fail(failure, FAIL_CHECK, "%s: %.400s", name, ended->text);
    }
    if (failure->kind == FAIL_NONE && ran == 0)
        fail(failure, FAIL_USAGE, "no router runs with these options; %.400s",
             refusal == NULL ? "none can do what the options ask for" : refusal->text);
    return failure->kind;
}

static enum failure_kind compare(struct meshcast_comparison *comparison,
                                 const struct meshcast_runner *runner, uint32_t runners,
                                 const struct meshcast_set *set,
                                 const struct meshcast_options *options, struct failure *failure)
{
    if (runners_make(&comparison->runners, runner, runners, false, set, &options->router,
                     failure) != FAIL_NONE)
        return failure->kind;
    uint32_t count = comparison->runners.count;
    comparison->row = memory_allocate(count, sizeof *comparison->row);
    if (comparison->row == NULL)
        return fail_memory(failure, "the rows of a comparison");
    for (uint32_t i = 0; i < count && failure->kind == FAIL_NONE; i++)
        run_row(&comparison->runners.runner[i], set, options, &comparison->row[i], failure);
    return failure->kind == FAIL_NONE ? judge(comparison, failure) : failure->kind;
}

enum meshcast_status meshcast_compare(const struct meshcast_runner *runner, uint32_t runners,
                                      const struct meshcast_set *set,
                                      const struct meshcast_options *options,
                                      struct meshcast_comparison **comparison,
                                      struct meshcast_error *error)
{
    struct failure failure = {0};
    *comparison = memory_allocate(1, sizeof **comparison);
    if (*comparison == NULL)
        fail_memory(&failure, "a comparison");
    else
        compare(*comparison, runner, runners, set, options_or_standard(options), &failure);
    if (!run_has_figures(&failure)) {
        meshcast_comparison_free(*comparison);
        *comparison = NULL;
    }
    return error_give(error, &failure);
}

void meshcast_comparison_free(struct meshcast_comparison *comparison)
{
    if (comparison == NULL)
        return;
    for (uint32_t i = 0; comparison->row != NULL && i < comparison->runners.count; i++)
        result_clear(&comparison->row[i].result);
    free(comparison->row);
    free(comparison->runners.runner);
    free(comparison);
}

uint32_t meshcast_comparison_rows(const struct meshcast_comparison *comparison)
{
    return comparison->runners.count;
}

const struct meshcast_router *
meshcast_comparison_router(const struct meshcast_comparison *comparison, uint32_t row)
{
    return router_handle(comparison->runners.runner[row].router);
}

enum meshcast_status meshcast_comparison_status(const struct meshcast_comparison *comparison,
                                                uint32_t row, struct meshcast_error *error)
{
    return error_give(error, &comparison->row[row].failure);
}

const struct meshcast_result *
meshcast_comparison_result(const struct meshcast_comparison *comparison, uint32_t row)
{
    return run_has_figures(&comparison->row[row].failure) ? &comparison->row[row].result : NULL;
}

/* ---- the fastest with each buffer ---- */

struct meshcast_race {
    struct runners runners;
    struct race race;
};

static enum failure_kind probe(void *context, struct stress_run *run, struct failure *failure)
{
    struct own_runner *runner = context;
    struct router_result result;
    return router_probe_run(runner->router, runner->set, &runner->options, run, &result, failure);
}

static enum failure_kind race(struct meshcast_race *race, const struct meshcast_runner *runner,
                              uint32_t runners, const struct meshcast_set *set,
                              const struct meshcast_options *options, struct failure *failure)
{
    void *context[RUNNERS_MOST];
    if (options_check_no_reduction(options, "a race", failure) != FAIL_NONE)
        return failure->kind;
    if (options->router.buffer > 0)
        return fail(failure, FAIL_USAGE, "a race runs every buffer; leave the buffer out");
    if (runners_make(&race->runners, runner, runners, true, set, &options->router, failure) !=
        FAIL_NONE)
        return failure->kind;
    for (uint32_t i = 0; i < race->runners.count; i++)
        context[i] = &race->runners.runner[i];
    struct race_plan plan = {race->runners.count, probe, context};
    return race_run(&race->race, &plan, failure);
}

enum meshcast_status meshcast_race_run(const struct meshcast_runner *runner, uint32_t runners,
                                       const struct meshcast_set *set,
                                       const struct meshcast_options *options,
                                       struct meshcast_race **given, struct meshcast_error *error)
{
    struct failure failure = {0};
    *given = memory_allocate(1, sizeof **given);
    if (*given == NULL)
        fail_memory(&failure, "a race");
    else if (race(*given, runner, runners, set, options_or_standard(options), &failure) !=
             FAIL_NONE) {
        free((*given)->runners.runner);
        free(*given);
        *given = NULL;
    }
    return error_give(error, &failure);
}

void meshcast_race_free(struct meshcast_race *race)
{
    if (race == NULL)
        return;
    race_free(&race->race);
    free(race->runners.runner);
    free(race);
}

uint32_t meshcast_race_runners(const struct meshcast_race *race)
{
    return race->runners.count;
}

const struct meshcast_router *meshcast_race_router(const struct meshcast_race *race,
                                                   uint32_t runner)
{
    return router_handle(race->runners.runner[runner].router);
}

const char *meshcast_race_label(const struct meshcast_race *race, uint32_t runner)
{
    return race->runners.runner[runner].label;
}

uint32_t meshcast_race_points(const struct meshcast_race *race)
{
    return race->race.points + 1;
}

static const struct race_point *point_at(const struct meshcast_race *race, uint32_t point)
{
    return point == 0 ? &race->race.without : &race->race.point[point - 1];
}

uint32_t meshcast_race_capacity(const struct meshcast_race *race, uint32_t point)
{
    return point_at(race, point)->capacity;
}

uint32_t meshcast_race_winner(const struct meshcast_race *race, uint32_t point)
{
    return point_at(race, point)->winner;
}

uint64_t meshcast_race_figure(const struct meshcast_race *race, uint32_t point, uint32_t runner,
                              enum meshcast_stress_run_figure figure)
{
    return stress_run_figure_of(&point_at(race, point)->run[runner], figure);
}

const char *meshcast_race_reason(const struct meshcast_race *race, uint32_t point, uint32_t runner)
{
    return point_at(race, point)->run[runner].reason;
}
