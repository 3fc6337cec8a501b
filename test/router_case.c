/* router_case.c - one run of a router under test: its options, its trace, its checks.
 *
 * The figures of a result come from the machine; the checks hold them against the audit, which
 * replays the trace with code of its own, against the set, and against each other.
 */
#include "test/router_case.h"

#include "audit/audit.h"
#include "expanders/expander.h"
#include "test/delivery_steps.h"
#include "workloads/lower_bound.h"
#include "workloads/pattern.h"

#include <check.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the cases ---- */

/* Parameters beside the defaults, which every router of the table runs with. */
static const struct {
    const char *router, *parameters;
} VARIANTS[] = {
    {"replicate", "variant=paper"},
    {"random", "variant=paper r=2"},
    {"stream", "slots=2"},
    {"unicast", "slots=2"},
    {"expander", "r=2 alpha=1 graph=rs walk=0"},
    {"expander", "r=3 alpha=1 walk=0"},
    {"expander", "r=2 alpha=1 walk=1"},
    {"trees", "slots=auto"},
    {"trees", "slots=1"},
    {"trees", "slots=2"},
    {"trees", "tree=xy"},
    {"trees", "tree=halves"},
    {"trees", "tree=spread"},
    {"trees", "tree=diag"},
    {"trees", "tree=dds"},
};

/* With an unknown congestion. */
static const char *const GUESSERS[] = {"replicate", "random", "stream", "expander"};

enum {
    VARIANT_COUNT = sizeof VARIANTS / sizeof *VARIANTS,
    GUESSER_COUNT = sizeof GUESSERS / sizeof *GUESSERS,
};

uint32_t router_case_count(void)
{
    return router_count() + VARIANT_COUNT + GUESSER_COUNT;
}

struct router_case router_case_at(uint32_t index)
{
    if (index < router_count())
        return (struct router_case){.router = router_at(index)};
    index -= router_count();
    if (index < VARIANT_COUNT)
        return router_case_make(VARIANTS[index].router, VARIANTS[index].parameters);
    struct router_case run = router_case_make(GUESSERS[index - VARIANT_COUNT], NULL);
    run.congestion_is_unknown = true;
    return run;
}

struct router_case router_case_make(const char *router, const char *parameters)
{
    struct router_case run = {.router = router_find(router), .parameters = parameters};
    ck_assert_msg(run.router != NULL, "there is no router %s", router);
    return run;
}

const char *router_case_text(const struct router_case *run, const struct message_set *set,
                             char text[ROUTER_CASE_TEXT])
{
    snprintf(text, ROUTER_CASE_TEXT,
             "%s %s%s copy=%s buffer=%" PRIu32 " on %" PRIu32 " x %" PRIu32 ", d = %" PRIu32
             ", c = %" PRIu32 ", seed %" PRIu64,
             run->router->name, run->parameters == NULL ? "" : run->parameters,
             run->reduces                 ? "reduces"
             : run->congestion_is_unknown ? "unknown congestion"
                                          : "",
             run->copy_is_free ? "free" : "unit", run->buffer, set->mesh.rows, set->mesh.cols,
             message_set_degree(set), message_set_congestion(set), run->seed);
    return text;
}

/* ---- message sets ---- */

static enum failure_kind order_inputs(const void *context, double share, uint32_t number,
                                      uint32_t wanted, uint32_t *order, struct failure *failure)
{
    return crowd_order(context, share, number, wanted, order, failure);
}

/* The random graph that `expander` takes for that congestion, where the mesh has one. */
static bool make_graph(struct expander *graph, struct mesh mesh, uint32_t congestion)
{
    enum { REPLICAS = 4, GRAPH_SEED = 1 };
    uint32_t groups = 1, nodes = mesh_nodes(mesh);
    while (2 * groups <= congestion && 2 * groups <= nodes)
        groups *= 2;
    uint32_t replicas = groups < REPLICAS ? groups : REPLICAS;
    return expander_random(graph, (nodes + replicas - 1) / replicas, groups, replicas, GRAPH_SEED,
                           NULL) == FAIL_NONE;
}

bool router_case_pattern(struct message_set *set, uint32_t pattern, struct mesh mesh,
                         uint32_t degree, uint32_t congestion, uint64_t seed)
{
    struct pattern_options options = {
        .mesh = mesh, .degree = degree, .congestion = congestion, .seed = seed};
    struct expander graph = {0};
    struct adversary adversary = {0, 0, order_inputs, &graph};
    struct failure failure = {0};
    if (pattern_at(pattern)->sends_many)
        options.congestion = 1;
    if (pattern_at(pattern)->needs & PATTERN_GRAPH) {
        if (!make_graph(&graph, mesh, congestion))
            return false;
        adversary.inputs = graph.inputs;
        options.adversary = &adversary;
    }
    enum failure_kind kind = pattern_generate(pattern_at(pattern), &options, set, &failure);
    expander_free(&graph);
    ck_assert_msg(kind == FAIL_NONE || kind == FAIL_USAGE, "%s: %s", pattern_at(pattern)->name,
                  failure.text);
    return kind == FAIL_NONE;
}

void router_case_family(struct message_set *set, const struct family_case *against, uint32_t family,
                        char name[FAMILY_NAME_SIZE])
{
    struct router_choices choices[ROUTER_KNOWN_ATTEMPTS];
    struct router_options options = router_options_default();
    struct seed_plan target = {
        .mesh = against->mesh, .congestion = against->congestion, .choices = choices};
    struct failure failure = {0};
    options.seed = target.seed = against->seed;
    ck_assert_msg(router_choices_make(router_find(against->router), &options, against->mesh,
                                      against->congestion, choices, &target.attempts,
                                      &failure) == FAIL_NONE,
                  "%s", failure.text);
    ck_assert_uint_gt(target.attempts, 0);
    family_name(family, name);
    ck_assert_msg(family_make(family, &target, set, &failure) == FAIL_NONE, "%s: %s", name,
                  failure.text);
    ck_assert_uint_le(message_set_congestion(set), against->congestion);
    router_choices_free(choices);
}

void router_case_set(struct message_set *set, const char *text)
{
    struct failure failure = {0};
    enum failure_kind kind = message_set_read_memory(set, text, strlen(text), "set", &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
}

/* ---- runs ---- */

void trace_store_open(struct trace_store *store)
{
    store->file = temporary_file(store->path);
}

void trace_store_close(struct trace_store *store)
{
    ck_assert_int_eq(fclose(store->file), 0);
    ck_assert_int_eq(unlink(store->path), 0);
}

/* Cuts `list` at its blanks and equal signs and lists the pieces in the options. */
static void add_parameters(struct router_options *options, char *list)
{
    char *rest;
    for (char *name = strtok_r(list, " =", &rest); name != NULL; name = strtok_r(NULL, " =", &rest))
        options->parameter[options->parameters++] =
            (struct router_parameter){name, strtok_r(NULL, " =", &rest)};
}

/* Room for a case's parameters, cut into pieces. */
enum { LIST_SIZE = 512 };

static struct router_options options_of(const struct router_case *run, FILE *trace,
                                        char list[LIST_SIZE])
{
    struct router_options options = router_options_default();
    options.seed = run->seed;
    options.threads = run->threads == 0 ? 1 : run->threads;
    options.buffer = run->buffer;
    options.copy_is_free = run->copy_is_free;
    options.reduces = run->reduces;
    options.congestion_is_unknown = run->congestion_is_unknown;
    options.stores_backwards = run->stores_backwards;
    options.trace = trace;
    options.observer = run->observer;
    options.ranks = run->ranks;
    snprintf(list, LIST_SIZE, "%s", run->parameters == NULL ? "" : run->parameters);
    add_parameters(&options, list);
    return options;
}

enum failure_kind router_case_run(const struct router_case *run, const struct message_set *set,
                                  FILE *trace, struct router_result *result,
                                  struct failure *failure)
{
    char list[LIST_SIZE];
    struct router_options options = options_of(run, trace, list);
    return router_run(run->router, set, &options, result, failure);
}

char *router_case_trace(const struct router_case *run, const struct message_set *set,
                        struct router_result *result, size_t *length)
{
    char *trace = NULL, text[ROUTER_CASE_TEXT];
    size_t size = 0;
    struct failure failure = {0};
    FILE *stream = open_memstream(&trace, &size);
    ck_assert_ptr_nonnull(stream);
    enum failure_kind kind = router_case_run(run, set, stream, result, &failure);
    fclose(stream);
    ck_assert_msg(kind == FAIL_NONE, "%s: %s", router_case_text(run, set, text), failure.text);
    if (length != NULL)
        *length = size;
    return trace;
}

/* The run in a child; what goes wrong is a line of its own at the end. */
static void trace_into(int pipe_end, const struct router_case *run, const struct message_set *set)
{
    static struct router_result result;
    struct failure failure = {0};
    FILE *stream = fdopen(pipe_end, "w");
    if (stream == NULL)
        _exit(EXIT_FAILURE);
    signal(SIGPIPE, SIG_DFL); /* nobody reads on: enough */
    if (router_case_run(run, set, stream, &result, &failure) != FAIL_NONE)
        fprintf(stream, "failed: %s\n", failure.text);
    fclose(stream);
    _exit(EXIT_SUCCESS);
}

char *router_case_trace_before(const struct router_case *run, const struct message_set *set,
                               uint64_t end)
{
    char *trace = NULL, *line = NULL, where[ROUTER_CASE_TEXT];
    size_t size = 0, room = 0;
    int ends[2];
    uint64_t step = 0;
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        close(ends[0]);
        trace_into(ends[1], run, set);
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r"), *to = open_memstream(&trace, &size);
    ck_assert(from != NULL && to != NULL);
    while (step < end && getline(&line, &room, from) > 0) {
        if (strncmp(line, "failed: ", 8) == 0)
            ck_abort_msg("%s: %s", router_case_text(run, set, where), line);
        (void)sscanf(line, "%" SCNu64, &step);
        fputs(line, to);
    }
    free(line);
    fclose(from);
    fclose(to);
    int status = 0;
    if (step >= end)
        kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(step >= end || status == 0, "%s: the run died",
                  router_case_text(run, set, where));
    return trace;
}

/* ---- checks ---- */

static bool same_phases(const struct router_result *a, const struct router_result *b)
{
    bool same = a->phases == b->phases;
    for (uint32_t i = 0; same && i < a->phases; i++)
        same = a->phase[i].steps == b->phase[i].steps &&
               strcmp(a->phase[i].name, b->phase[i].name) == 0;
    return same;
}

static bool same_parameters(const struct router_result *a, const struct router_result *b)
{
    bool same = a->parameters == b->parameters;
    for (uint32_t i = 0; same && i < a->parameters; i++)
        same = strcmp(a->parameter[i].name, b->parameter[i].name) == 0 &&
               strcmp(a->parameter[i].value, b->parameter[i].value) == 0;
    return same;
}

bool router_case_same(const struct router_result *a, const struct router_result *b)
{
    return same_phases(a, b) && same_parameters(a, b) && a->degree == b->degree &&
           a->congestion == b->congestion && a->steps == b->steps &&
           a->sync_steps == b->sync_steps && a->buffer_capacity == b->buffer_capacity &&
           a->buffer_peak == b->buffer_peak && a->buffer_peak_node == b->buffer_peak_node &&
           a->buffer_peak_step == b->buffer_peak_step &&
           strcmp(a->buffer_peak_phase, b->buffer_peak_phase) == 0 &&
           a->packet_hops == b->packet_hops && a->word_hops == b->word_hops &&
           a->copies == b->copies && a->delivered == b->delivered && a->missing == b->missing &&
           memcmp(a->delivery_step, b->delivery_step, sizeof a->delivery_step) == 0;
}

/* Whether step `step` (from 1) may be of the phase `name`. Of a run with the most phases the last two are sums, of steps
 * that take turns. */
static bool is_in_phase(const struct router_result *result, uint64_t step, const char *name)
{
    enum { IN_ORDER = MACHINE_MAX_PHASES - 2 };
    uint32_t i = 0;
    for (; i < result->phases && i < IN_ORDER && step > result->phase[i].steps; i++)
        step -= result->phase[i].steps;
    bool is_same = false;
    for (uint32_t last = i < IN_ORDER ? i : i + 1; i < result->phases && i <= last; i++)
        is_same |= strcmp(result->phase[i].name, name) == 0;
    return is_same;
}

static void check_phases(const struct router_result *result, const char *text)
{
    uint64_t steps = 0, sync_steps = 0;
    for (uint32_t i = 0; i < result->phases; i++) {
        steps += result->phase[i].steps;
        if (strcmp(result->phase[i].name, "sync") == 0)
            sync_steps += result->phase[i].steps;
    }
    ck_assert_msg(steps == result->steps, "%s: phases have %" PRIu64 " steps of %" PRIu64, text,
                  steps, result->steps);
    ck_assert_msg(sync_steps == result->sync_steps,
                  "%s: sync phases have %" PRIu64 " steps of %" PRIu64, text, sync_steps,
                  result->sync_steps);
    if (result->buffer_peak_step == 0)
        return;
    ck_assert_msg(is_in_phase(result, result->buffer_peak_step, result->buffer_peak_phase),
                  "%s: the peak at step %" PRIu64 " is not in phase \"%s\"", text,
                  result->buffer_peak_step, result->buffer_peak_phase);
}

static void check_bounds(const struct message_set *set, bool copy_is_free,
                         const struct router_result *result, const char *text)
{
    struct lower_bounds bounds;
    ck_assert_int_eq(lower_bounds_compute(set, BOUNDS_ALL, &bounds, NULL), FAIL_NONE);
    enum lower_bound_kind best = lower_bound_best(&bounds, copy_is_free);
    ck_assert_msg(result->steps >= bounds.steps[best],
                  "%s: %" PRIu64 " steps, but the bound %s says %" PRIu64, text, result->steps,
                  lower_bound_name(best), bounds.steps[best]);
}

static void check_figure(const char *text, const char *name, uint64_t machine, uint64_t audit)
{
    ck_assert_msg(machine == audit, "%s: %s is %" PRIu64 " in the result, %" PRIu64 " in the audit",
                  text, name, machine, audit);
}

static void check_audit(const struct router_case *run, const struct message_set *set,
                        const struct router_result *result, const struct audit_report *audit,
                        const char *text)
{
    ck_assert_msg(audit->steps <= result->steps, "%s: events at step %" PRIu64 " of %" PRIu64, text,
                  audit->steps, result->steps);
    ck_assert(audit->copy_is_free == run->copy_is_free && audit->reduces == run->reduces);
    check_figure(text, "messages", set->messages, audit->messages);
    check_figure(text, "delivered", result->delivered, audit->delivered);
    check_figure(text, "packet_hops", result->packet_hops, audit->packet_hops);
    check_figure(text, "word_hops", result->word_hops, audit->word_hops);
    check_figure(text, "copies", result->copies, audit->copies);
    check_figure(text, "buffer_capacity", result->buffer_capacity, audit->buffer_capacity);
    check_figure(text, "buffer_peak", result->buffer_peak, audit->buffer_peak);
    check_figure(text, "buffer_peak_node", result->buffer_peak_node, audit->buffer_peak_node);
    check_figure(text, "buffer_peak_step", result->buffer_peak_step, audit->buffer_peak_step);
}

void router_case_check(const struct router_case *run, const struct message_set *given,
                       struct router_result *result)
{
    struct router_result own, untraced;
    struct message_set room;
    const struct message_set *set = message_set_away(given, &room, NULL);
    struct audit_report audit;
    struct failure failure = {0};
    struct trace_store store;
    char text[ROUTER_CASE_TEXT];
    result = result == NULL ? &own : result;
    ck_assert_ptr_nonnull(set);
    router_case_text(run, set, text);

    trace_store_open(&store);
    enum failure_kind kind = router_case_run(run, given, store.file, result, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s: %s", text, failure.text);
    kind = audit_trace(store.path, set, &audit, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s: audit: %s", text, failure.text);
    if (!run->reduces) /* of which a delivery counts as many times as contributions were combined */
        delivery_steps_check(store.path, set, result, text);
    trace_store_close(&store);

    kind = router_case_run(run, set, NULL, &untraced, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s: without a trace: %s", text, failure.text);
    ck_assert_msg(router_case_same(result, &untraced), "%s: another result without a trace", text);
    ck_assert_msg(result->missing == 0, "%s: %" PRIu64 " missing", text, result->missing);
    ck_assert_msg(result->delivered == set->deliveries, "%s: %" PRIu64 " delivered", text,
                  result->delivered);
    ck_assert_uint_eq(result->degree, message_set_degree(set));
    ck_assert_uint_eq(result->congestion, message_set_congestion(set));
    check_phases(result, text);
    check_bounds(set, run->copy_is_free, result, text);
    check_audit(run, set, result, &audit, text);
    message_set_free(&room);
}

void router_case_check_threads(struct router_case run, const struct message_set *set)
{
    struct router_result result, other;
    run.threads = 1;
    char *trace = router_case_trace(&run, set, &result, NULL);
    for (run.threads = 2; run.threads < 6; run.threads += 3) {
        char *again = router_case_trace(&run, set, &other, NULL);
        ck_assert_str_eq(trace, again);
        ck_assert(router_case_same(&result, &other));
        free(again);
    }
    free(trace);
}
