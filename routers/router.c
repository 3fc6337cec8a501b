/* router.c - the table of routers, and the frame of every run: parameters, routing, check, result.
 */
#include "routers/router.h"

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "machine/ranks/ranks.h"
#include "routers/routing.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct router_method *const METHODS[] = {
    &replicate_method, &random_method,   &stream_method, &circulate_method,
    &unicast_method,   &expander_method, &trees_method,
};

uint32_t router_count(void)
{
    return sizeof METHODS / sizeof METHODS[0];
}

const struct router *router_at(uint32_t index)
{
    return &METHODS[index]->shown;
}

const struct router *router_find(const char *name)
{
    for (uint32_t i = 0; i < router_count(); i++)
        if (strcmp(router_at(i)->name, name) == 0)
            return router_at(i);
    return NULL;
}

static const char *router_name_at(const void *context, uint32_t index)
{
    (void)context;
    return index < router_count() ? router_at(index)->name : NULL;
}

const struct name_family router_names = {"router", "routers", "", router_name_at, NULL};

/* Returns the row of a router: the public part is its first member, in the table and in a row of a
 * user's own. */
static const struct router_method *method_of(const struct router *router)
{
    static_assert(offsetof(struct router_method, shown) == 0, "a row begins with what is shown");
    return (const struct router_method *)router;
}

struct router_options router_options_default(void)
{
    return (struct router_options){.seed = 0};
}

/* ---- parameters ---- */

bool router_guesses_congestion(const struct router *router)
{
    return method_of(router)->limits != NULL;
}

bool router_takes_parameter(const struct router *router, const char *name)
{
    const struct parameter_spec *spec = method_of(router)->specs;
    while (spec->name != NULL && strcmp(spec->name, name) != 0)
        spec++;
    return spec->name != NULL;
}

enum failure_kind router_check_value(const struct router *router, const char *name,
                                     const char *value, struct failure *failure)
{
    const struct parameter_spec *found;
    return parameter_value_check(method_of(router), name, value, &found, failure);
}

const char *router_parameter_name(const struct router *router, uint32_t index)
{
    return parameter_name_at(method_of(router)->specs, index);
}

bool router_parameter_choice(const struct router *router, uint32_t index, uint32_t choice,
                             char word[ROUTER_NAME_SIZE])
{
    return parameter_choice(&method_of(router)->specs[index], choice, word);
}

/* ---- messages per node ---- */

static bool takes_many(const struct router_method *method)
{
    return method->takes & TAKES_MANY;
}

static bool can_reduce(const struct router_method *method)
{
    return method->reduce != NULL;
}

/* Fails as parameters_check(); of a router of the table help has more. */
static enum failure_kind check_parameters(const struct router_method *method,
                                          const struct router_options *options,
                                          struct failure *failure)
{
    enum failure_kind kind = parameters_check(method, options, failure);
    if (kind != FAIL_NONE && failure != NULL && router_find(method->shown.name) == &method->shown)
        snprintf(failure->topic, sizeof failure->topic, "router %.32s", method->shown.name);
    return kind;
}

enum { NAMES_SIZE = 256 };

/* Writes the names of the routers for which `is_so` holds. */
static void names_of(bool (*is_so)(const struct router_method *method), char names[NAMES_SIZE])
{
    size_t used = 0;
    names[0] = '\0';
    for (uint32_t i = 0; i < router_count() && used < NAMES_SIZE; i++)
        if (is_so(METHODS[i]))
            used += (size_t)snprintf(names + used, NAMES_SIZE - used, "%s%s", used > 0 ? ", " : "",
                                     router_at(i)->name);
}

bool router_takes_many(const struct router *router)
{
    return takes_many(method_of(router));
}

/* FAIL_USAGE: a node sends `most_sent` messages, and the router accepts one; the text names those
 * that accept many. */
static enum failure_kind most_sent_check(const struct router_method *method, uint32_t most_sent,
                                         struct failure *failure)
{
    char names[NAMES_SIZE];
    if (most_sent <= 1 || takes_many(method))
        return FAIL_NONE;
    names_of(takes_many, names);
    return fail(
        failure, FAIL_USAGE,
        "router %s takes one message per node, and a node of this set sends %u; these routers "
        "take any number: %s",
        method->shown.name, most_sent, names);
}

/* ---- messages with times ---- */

static bool takes_times(const struct router_method *method)
{
    return method->takes & TAKES_TIMES;
}

bool router_takes_times(const struct router *router)
{
    return takes_times(method_of(router));
}

/* FAIL_USAGE: messages start later or wait, and the run cannot; the text names the routers that
 * can. */
static enum failure_kind times_check(const struct router_method *method,
                                     const struct message_set *set,
                                     const struct router_options *options, struct failure *failure)
{
    char names[NAMES_SIZE];
    if (!message_set_is_timed(set))
        return FAIL_NONE;
    if (options->reduces)
        return fail(failure, FAIL_USAGE,
                    "with --reduce all contributions start at once; this set has starts or waits");
    if (takes_times(method))
        return FAIL_NONE;
    names_of(takes_times, names);
    return fail(
        failure, FAIL_USAGE,
        "router %s needs all messages at the start, and this set has starts or waits; these "
        "routers run it: %s; and 'meshcast network' with every scheme",
        method->shown.name, names);
}

/* ---- broken meshes ---- */

static bool takes_broken(const struct router_method *method)
{
    return method->takes & TAKES_BROKEN;
}

bool router_takes_broken(const struct router *router)
{
    return takes_broken(method_of(router));
}

/* FAIL_USAGE: the mesh is broken, and the run needs a whole one; the text names the routers that do
 * not. */
static enum failure_kind broken_check(const struct router_method *method,
                                      const struct router_options *options, struct failure *failure)
{
    char names[NAMES_SIZE];
    if (options->broken == NULL)
        return FAIL_NONE;
    if (options->reduces)
        return fail(failure, FAIL_USAGE,
                    "--reduce needs a whole mesh, and this one lacks nodes or links");
    if (takes_broken(method))
        return FAIL_NONE;
    names_of(takes_broken, names);
    return fail(failure, FAIL_USAGE,
                "router %s needs a whole mesh, and this one lacks nodes or links; these routers "
                "run on what remains: %s; and 'meshcast network' with --routing up-down",
                method->shown.name, names);
}

/* ---- reductions ---- */

bool router_reduces(const struct router *router)
{
    return can_reduce(method_of(router));
}

uint64_t router_contributions(const struct router_options *options, const struct message_set *set)
{
    return options->reduces ? message_set_all_deliveries(set) : 0;
}

/* FAIL_USAGE: the run is to reduce, and cannot; the text names the routers that can. */
static enum failure_kind reduce_check(const struct router_method *method,
                                      const struct router_options *options, struct failure *failure)
{
    char names[NAMES_SIZE];
    if (!options->reduces)
        return FAIL_NONE;
    if (options->congestion_is_unknown)
        return fail(failure, FAIL_USAGE,
                    "with --reduce no node guesses the congestion: --unknown-congestion does not "
                    "go with it");
    if (can_reduce(method))
        return FAIL_NONE;
    names_of(can_reduce, names);
    return fail(failure, FAIL_USAGE, "router %s does not reduce; these do: %s", method->shown.name,
                names);
}

static enum failure_kind route(const struct router_method *method, struct routing *routing,
                               struct failure *failure)
{
    if (routing->options->reduces)
        return method->reduce(routing, failure);
    return routing_is_attempted(routing) ? attempts_run(method, routing, failure)
                                         : method->route(routing, failure);
}

/* Returns the threads of each rank, by the smallest band of rows. */
static uint32_t threads_for(const struct message_set *set, const struct router_options *options)
{
    uint32_t ranks = ranks_size(options->ranks);
    return parallel_threads_for(mesh_nodes(set->mesh) / ranks, set->mesh.rows / ranks,
                                options->threads);
}

/* ---- choices ---- */

enum failure_kind router_choices_make(const struct router *router,
                                      const struct router_options *options, struct mesh mesh,
                                      uint32_t congestion,
                                      struct router_choices choices[ROUTER_KNOWN_ATTEMPTS],
                                      uint32_t *attempts, struct failure *failure)
{
    const struct router_method *method = method_of(router);
    struct router_options attempt = *options;
    struct message_set none = {.shape = shape_of_mesh(mesh), .mesh = mesh};
    struct router_result result = {.threads = 1};
    struct routing routing = {.set = &none,
                              .method = method,
                              .options = &attempt,
                              .result = &result,
                              .degree = congestion,
                              .congestion = congestion,
                              .most_sent = 1};
    memset(choices, 0, ROUTER_KNOWN_ATTEMPTS * sizeof *choices);
    *attempts = 0;
    if (check_parameters(method, options, failure) != FAIL_NONE)
        return FAIL_USAGE;
    bool may_be_void = method->limits != NULL && method->limits(&routing).may_overflow;
    uint32_t most = method->choose == NULL ? 0 : may_be_void ? ROUTER_KNOWN_ATTEMPTS : 1;
    for (uint32_t i = 0; i < most; i++) {
        attempt.seed = attempts_seed(options->seed, i + 1);
        if (method->choose(&routing, &choices[i], failure) != FAIL_NONE)
            return failure->kind;
        *attempts += choices[i].tiles != NULL;
    }
    return FAIL_NONE;
}

void router_choices_free(struct router_choices choices[ROUTER_KNOWN_ATTEMPTS])
{
    for (uint32_t i = 0; i < ROUTER_KNOWN_ATTEMPTS; i++)
        if (choices[i].release != NULL)
            choices[i].release(choices[i].own);
}

/* ---- a run ---- */

static void result_fill(struct router_result *result, const struct machine *machine)
{
    const struct machine_counts *counts = machine_counts(machine);
    result->steps = counts->steps;
    result->sync_steps = counts->sync_steps;
    result->buffer_peak = counts->peak;
    result->buffer_peak_node = counts->peak_node;
    result->buffer_peak_step = counts->peak_step;
    snprintf(result->buffer_peak_phase, sizeof result->buffer_peak_phase, "%s", counts->peak_phase);
    result->packet_hops = counts->packet_hops;
    result->word_hops = counts->word_hops;
    result->copies = counts->copies;
    memcpy(result->delivery_step, machine_delivery_curve(machine), sizeof result->delivery_step);
    for (uint32_t i = 0; i < machine_phases(machine); i++)
        if (machine_phase(machine, i)->steps > 0)
            result->phase[result->phases++] = *machine_phase(machine, i);
}

/* Routes a set without its messages from nodes to themselves. */
static enum failure_kind run_away(const struct router_method *method, const struct message_set *set,
                                  const struct router_options *options,
                                  struct router_result *result, struct failure *failure)
{
    *result = (struct router_result){.degree = message_set_degree(set)};
    result->congestion = message_set_congestion(set);
    result->most_sent = message_set_most_sent(set);
    if (result->congestion == UINT32_MAX || result->most_sent == UINT32_MAX)
        return fail_memory(failure, "the messages of the nodes");
    if (check_parameters(method, options, failure) != FAIL_NONE ||
        most_sent_check(method, result->most_sent, failure) != FAIL_NONE ||
        times_check(method, set, options, failure) != FAIL_NONE ||
        broken_check(method, options, failure) != FAIL_NONE ||
        reduce_check(method, options, failure) != FAIL_NONE)
        return FAIL_USAGE;
    struct routing routing = {.set = set,
                              .method = method,
                              .options = options,
                              .result = result,
                              .degree = result->degree,
                              .congestion = result->congestion,
                              .most_sent = result->most_sent,
                              .set_version = message_set_version(set)};
    routing_reset_parameters(method, &routing);
    uint32_t wanted = threads_for(set, options);
    result->threads = parallel_begin(wanted);
    result->threads_refused = wanted - result->threads;
    double start = stopwatch_seconds();
    enum failure_kind kind = route(method, &routing, failure);
    if (routing.machine != NULL) {
        if (!options->reduces && (kind == FAIL_NONE || kind == FAIL_CHECK)) {
            struct failure uncounted = {0};
            bool has_failed = kind == FAIL_CHECK;
            enum failure_kind checked = routing_check(&routing, has_failed ? &uncounted : failure);
            if (has_failed && checked == FAIL_SYSTEM) /* there is no count of missing deliveries */
                *failure = uncounted;
            if (!has_failed || checked == FAIL_SYSTEM)
                kind = checked;
        }
        if (kind == FAIL_NONE)
            kind = machine_finish_trace(routing.machine, failure);
        result_fill(result, routing.machine);
        if (kind == FAIL_NONE && routing.proven_steps > 0 && result->steps > routing.proven_steps)
            kind =
                fail(failure, FAIL_CHECK, "%llu steps are more than the %llu that are proven",
                     (unsigned long long)result->steps, (unsigned long long)routing.proven_steps);
    }
    result->wall_seconds = stopwatch_seconds() - start;
    machine_free(routing.machine);
    free(routing.slot_offset);
    free(routing.first_name);
    if (message_set_is_timed(set))
        starts_free(&routing.starts);
    expected_free(&routing.expected);
    return kind;
}

enum failure_kind router_run(const struct router *router, const struct message_set *set,
                             const struct router_options *options, struct router_result *result,
                             struct failure *failure)
{
    struct message_set room;
    const struct message_set *away = message_set_away(set, &room, failure);
    *result = (struct router_result){0};
    enum failure_kind kind =
        away == NULL ? FAIL_SYSTEM : run_away(method_of(router), away, options, result, failure);
    message_set_free(&room);
    return kind;
}
