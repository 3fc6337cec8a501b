/* router_case.c - one run of a router under test: its options, its trace, its checks.
 *
 * The figures of a result come from the machine; the checks hold them against the audit, which
 * replays the trace with code of its own, against the set, and against each other.
 */
#include "test/routers/router_case.h"

#include "test/library_case.h"
#include "test/temporary.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
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

const char *case_router_at(uint32_t index)
{
    return meshcast_command_value_at("route", "router", index);
}

const char *case_pattern_at(uint32_t index)
{
    return meshcast_command_value_at("gen", "pattern", index);
}

uint32_t case_router_count(void)
{
    uint32_t count = 0;
    while (case_router_at(count) != NULL)
        count++;
    return count;
}

uint32_t case_pattern_count(void)
{
    uint32_t count = 0;
    while (case_pattern_at(count) != NULL)
        count++;
    return count;
}

uint32_t router_case_count(void)
{
    return case_router_count() + VARIANT_COUNT + GUESSER_COUNT;
}

struct router_case router_case_at(uint32_t index)
{
    uint32_t routers = case_router_count();
    if (index < routers)
        return (struct router_case){.router = case_router_at(index)};
    index -= routers;
    if (index < VARIANT_COUNT)
        return router_case_make(VARIANTS[index].router, VARIANTS[index].parameters);
    struct router_case run = router_case_make(GUESSERS[index - VARIANT_COUNT], NULL);
    run.congestion_is_unknown = true;
    return run;
}

struct router_case router_case_make(const char *router, const char *parameters)
{
    return (struct router_case){.router = router, .parameters = parameters};
}

const char *router_case_text(const struct router_case *run, const struct plain_set *set,
                             char text[ROUTER_CASE_TEXT])
{
    snprintf(text, ROUTER_CASE_TEXT,
             "%s %s%s copy=%s buffer=%" PRIu32 " on %" PRIu32 " x %" PRIu32 ", d = %" PRIu32
             ", c = %" PRIu32 ", seed %" PRIu64,
             run->own != NULL ? "own" : run->router, run->parameters == NULL ? "" : run->parameters,
             run->reduces                 ? "reduces"
             : run->congestion_is_unknown ? "unknown congestion"
                                          : "",
             run->copy_is_free ? "free" : "unit", run->buffer, set->mesh.rows, set->mesh.cols,
             set->degree, set->congestion, run->seed);
    return text;
}

/* ---- message sets ---- */

/* Makes the random graph of `expander` for that congestion; false if the mesh has none. */
static bool make_graph(const char *path, struct grid mesh, uint32_t congestion)
{
    enum { REPLICAS = 4 };
    struct meshcast_error error = {0};
    char options[TEMPORARY_PATH + 128];
    uint32_t groups = 1, nodes = grid_nodes(mesh);
    while (2 * groups <= congestion && 2 * groups <= nodes)
        groups *= 2;
    uint32_t replicas = groups < REPLICAS ? groups : REPLICAS;
    snprintf(options, sizeof options,
             "inputs=%" PRIu32 " c=%" PRIu32 " r=%" PRIu32 " seed=1 output=%s",
             (nodes + replicas - 1) / replicas, groups, replicas, path);
    struct meshcast_command *command = case_command("expander", NULL, options);
    ck_assert_int_eq(meshcast_command_add_operand(command, "make", &error), MESHCAST_OK);
    struct meshcast_report *report = case_run(command, &error);
    meshcast_report_free(report);
    return report != NULL;
}

bool router_case_pattern(struct plain_set *set, uint32_t pattern, struct grid mesh, uint32_t degree,
                         uint32_t congestion, uint64_t seed)
{
    const char *name = case_pattern_at(pattern);
    char folder[TEMPORARY_PATH], graph[TEMPORARY_PATH + 8], option[TEMPORARY_PATH + 24];
    if (strcmp(name, "alltoall") == 0) /* c is what its groups make */
        congestion = 1;
    if (strcmp(name, "adversary") != 0)
        return plain_set_gen(set, name, mesh, degree, congestion, seed, NULL);
    temporary_folder(folder);
    snprintf(graph, sizeof graph, "%s/graph", folder);
    snprintf(option, sizeof option, "against=%s", graph);
    bool is_made = make_graph(graph, mesh, congestion) &&
                   plain_set_gen(set, name, mesh, degree, congestion, seed, option);
    unlink(graph);
    rmdir(folder);
    return is_made;
}

/* ---- runs ---- */

static struct meshcast_command *command_of(const struct router_case *run,
                                           const struct plain_set *set, const char *trace,
                                           enum meshcast_status *status,
                                           struct meshcast_error *error)
{
    char options[512], list[256];
    int length = snprintf(
        options, sizeof options, "seed=%" PRIu64 " threads=%" PRIu32 " copy=%s%s%s", run->seed,
        run->threads == 0 ? 1 : run->threads, run->copy_is_free ? "free" : "unit",
        run->reduces ? " reduce" : "", run->congestion_is_unknown ? " unknown-congestion" : "");
    if (run->own == NULL)
        length +=
            snprintf(options + length, sizeof options - (size_t)length, " router=%s", run->router);
    if (run->buffer > 0)
        length += snprintf(options + length, sizeof options - (size_t)length, " buffer=%" PRIu32,
                           run->buffer);
    if (run->without != NULL)
        length += snprintf(options + length, sizeof options - (size_t)length, " without=%s",
                           run->without);
    if (trace != NULL)
        snprintf(options + length, sizeof options - (size_t)length, " trace=%s", trace);
    struct meshcast_command *command = case_command("route", set->handle, options);
    if (run->own != NULL)
        meshcast_command_give_router(command, run->own);
    snprintf(list, sizeof list, "%s", run->parameters == NULL ? "" : run->parameters);
    *status = MESHCAST_OK;
    for (char *rest, *word = strtok_r(list, " ", &rest); word != NULL && *status == MESHCAST_OK;
         word = strtok_r(NULL, " ", &rest))
        *status = meshcast_command_set(command, "param", word, error);
    return command;
}

static uint64_t figure(const struct meshcast_report *report, const char *path)
{
    double value = meshcast_report_figure(report, path);
    return isnan(value) ? 0 : (uint64_t)value;
}

static void copy_word(char to[CASE_NAME], const struct meshcast_report *report, const char *path)
{
    const char *word = meshcast_report_word(report, path);
    snprintf(to, CASE_NAME, "%s", word == NULL ? "" : word);
}

/* Returns FNV-1a of the lines of the report that two runs of the same movements share. */
static uint64_t hash_of(struct meshcast_report *report)
{
    static const char *const LEFT_OUT[] = {"\"threads\"",         "\"wall_seconds\"", "\"trace\"",
                                           "\"buffer_capacity\"", "\"proven_steps\"", "\"seed\"",
                                           "_steps_most\""};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *at = meshcast_report_json(report); *at != '\0';) {
        char line[256];
        size_t length = strcspn(at, "\n");
        bool counts = true;
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        for (size_t i = 0; i < sizeof LEFT_OUT / sizeof *LEFT_OUT; i++)
            counts = counts && strstr(line, LEFT_OUT[i]) == NULL;
        for (size_t i = 0; counts && line[i] != '\0'; i++)
            hash = (hash ^ (unsigned char)line[i]) * UINT64_C(0x100000001b3);
        at += length + (at[length] == '\n');
    }
    return hash;
}

static void read_lists(struct case_result *result, const struct meshcast_report *report)
{
    char path[64];
    result->phases = (uint32_t)meshcast_report_size(report, "phases");
    ck_assert_uint_le(result->phases, CASE_PHASES);
    for (uint32_t i = 0; i < result->phases; i++) {
        snprintf(path, sizeof path, "phases.%" PRIu32 ".name", i);
        copy_word(result->phase[i].name, report, path);
        snprintf(path, sizeof path, "phases.%" PRIu32 ".steps", i);
        result->phase[i].steps = figure(report, path);
    }
    result->attempts = (uint32_t)meshcast_report_size(report, "attempts");
    ck_assert_uint_le(result->attempts, CASE_ATTEMPTS);
    for (uint32_t i = 0; i < result->attempts; i++) {
        snprintf(path, sizeof path, "attempts.%" PRIu32 ".congestion", i);
        result->attempt[i].congestion = (uint32_t)figure(report, path);
        snprintf(path, sizeof path, "attempts.%" PRIu32 ".discarded", i);
        result->attempt[i].discarded = figure(report, path);
    }
    for (uint32_t i = 0; i < CASE_PERCENTS; i++) {
        snprintf(path, sizeof path, "delivery_steps.curve.%" PRIu32, i);
        result->delivery_step[i] = figure(report, path);
    }
}

static void read_parameters(struct case_result *result, struct meshcast_report *report)
{
    const char *at = strstr(meshcast_report_json(report), "\"parameters\": {");
    size_t used = 0;
    while (at != NULL && *(at = strchr(at, '\n') + 1) != '\0' &&
           strstr(at, "}") > strchr(at, '\n')) {
        char name[CASE_NAME], value[160] = "";
        if (sscanf(at, " \"%63[^\"]\": \"%159[^\"]", name, value) < 1)
            break;
        used += (size_t)snprintf(result->parameters + used, sizeof result->parameters - used,
                                 "%s=%s ", name, value);
    }
}

static void read_result(struct case_result *result, struct meshcast_report *report)
{
    *result = (struct case_result){.degree = (uint32_t)figure(report, "degree"),
                                   .congestion = (uint32_t)figure(report, "congestion"),
                                   .most_sent = (uint32_t)figure(report, "messages_per_node"),
                                   .threads = (uint32_t)figure(report, "threads"),
                                   .steps = figure(report, "steps"),
                                   .sync_steps = figure(report, "sync_steps"),
                                   .proven_steps = figure(report, "proven_steps"),
                                   .lower_bound = figure(report, "lower_bound"),
                                   .buffer_capacity = (uint32_t)figure(report, "buffer_capacity"),
                                   .buffer_peak = (uint32_t)figure(report, "buffer_peak"),
                                   .buffer_peak_node = (uint32_t)figure(report, "buffer_peak_node"),
                                   .buffer_peak_step = figure(report, "buffer_peak_step"),
                                   .packet_hops = figure(report, "packet_hops"),
                                   .word_hops = figure(report, "word_hops"),
                                   .copies = figure(report, "copies"),
                                   .delivered = figure(report, "delivered"),
                                   .missing = figure(report, "missing"),
                                   .hash = hash_of(report)};
    copy_word(result->buffer_peak_phase, report, "buffer_peak_phase");
    copy_word(result->ran_as, report, "ran_as");
    read_lists(result, report);
    read_parameters(result, report);
}

enum meshcast_status router_case_run(const struct router_case *run, const struct plain_set *set,
                                     const char *trace, struct case_result *result,
                                     struct meshcast_error *error)
{
    struct meshcast_error own = {0};
    struct meshcast_report *report = NULL;
    enum meshcast_status status;
    error = error == NULL ? &own : error;
    meshcast_memory_limit(MESHCAST_NO_LIMIT); /* to ask the system takes longer than a small run */
    struct meshcast_command *command = command_of(run, set, trace, &status, error);
    if (status == MESHCAST_OK)
        status = meshcast_command_run(command, &report, error);
    meshcast_command_free(command);
    if (report != NULL)
        read_result(result, report);
    meshcast_report_free(report);
    return status;
}

/* Returns the file as text, which the caller frees. */
static char *text_of_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    ck_assert(text != NULL && fread(text, 1, *length, file) == *length);
    text[*length] = '\0';
    fclose(file);
    return text;
}

char *router_case_trace(const struct router_case *run, const struct plain_set *set,
                        struct case_result *result, size_t *length)
{
    char path[TEMPORARY_PATH], text[ROUTER_CASE_TEXT];
    size_t size;
    struct meshcast_error error = {0};
    fclose(temporary_file(path));
    enum meshcast_status status = router_case_run(run, set, path, result, &error);
    ck_assert_msg(status == MESHCAST_OK, "%s: %s", router_case_text(run, set, text), error.text);
    char *trace = text_of_file(path, length == NULL ? &size : length);
    unlink(path);
    return trace;
}

/* Runs in a child; a failure is a line of its own at the end. */
static void trace_into(int pipe_end, const struct router_case *run, const struct plain_set *set)
{
    static struct case_result result;
    struct meshcast_error error = {0};
    signal(SIGPIPE, SIG_DFL); /* nobody reads on: enough */
    if (dup2(pipe_end, STDOUT_FILENO) < 0)
        _exit(EXIT_FAILURE);
    if (router_case_run(run, set, "-", &result, &error) != MESHCAST_OK)
        printf("failed: %s\n", error.text);
    fflush(stdout);
    _exit(EXIT_SUCCESS);
}

char *router_case_trace_before(const struct router_case *run, const struct plain_set *set,
                               uint64_t end)
{
    char *trace = NULL, *line = NULL, where[ROUTER_CASE_TEXT];
    size_t size = 0, room = 0;
    int ends[2];
    uint64_t step = 0;
    ck_assert_int_eq(pipe(ends), 0);
    fflush(stdout);
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

bool router_case_same(const struct case_result *a, const struct case_result *b)
{
    return a->hash == b->hash && a->buffer_capacity == b->buffer_capacity;
}

/* True if step `step` (from 1) may be of the phase `name`. Of a run with the most phases the last
 * two are sums, of steps that take turns. */
static bool is_in_phase(const struct case_result *result, uint64_t step, const char *name)
{
    enum { IN_ORDER = CASE_PHASES - 2 };
    uint32_t i = 0;
    for (; i < result->phases && i < IN_ORDER && step > result->phase[i].steps; i++)
        step -= result->phase[i].steps;
    bool is_same = false;
    for (uint32_t last = i < IN_ORDER ? i : i + 1; i < result->phases && i <= last; i++)
        is_same |= strcmp(result->phase[i].name, name) == 0;
    return is_same;
}

static void check_phases(const struct case_result *result, const char *text)
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

enum meshcast_status router_case_audit(const char *trace, const struct plain_set *set,
                                       const char *without, struct meshcast_report **report,
                                       struct meshcast_error *error)
{
    struct meshcast_report *own = NULL;
    struct meshcast_command *command = case_command("audit", set->handle, "");
    if (without != NULL)
        ck_assert_int_eq(meshcast_command_set(command, "without", without, error), MESHCAST_OK);
    ck_assert_int_eq(meshcast_command_add_operand(command, trace, error), MESHCAST_OK);
    enum meshcast_status status = meshcast_command_run(command, &own, error);
    meshcast_command_free(command);
    if (report == NULL)
        meshcast_report_free(own);
    else
        *report = own;
    return status;
}

static void check_audit(const char *trace, const struct plain_set *set, const char *without,
                        const struct case_result *result, const char *text)
{
    struct meshcast_report *audit;
    struct meshcast_error error = {0};
    enum meshcast_status status = router_case_audit(trace, set, without, &audit, &error);
    ck_assert_msg(status == MESHCAST_OK, "%s: audit: %s", text, error.text);
    const struct {
        const char *key;
        uint64_t value;
    } ROWS[] = {{"delivered", result->delivered},
                {"packet_hops", result->packet_hops},
                {"word_hops", result->word_hops},
                {"copies", result->copies},
                {"buffer_capacity", result->buffer_capacity},
                {"buffer_peak", result->buffer_peak},
                {"buffer_peak_node", result->buffer_peak_node},
                {"buffer_peak_step", result->buffer_peak_step}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        ck_assert_msg(figure(audit, ROWS[i].key) == ROWS[i].value,
                      "%s: %s is %" PRIu64 " in the result, %" PRIu64 " in the audit", text,
                      ROWS[i].key, ROWS[i].value, figure(audit, ROWS[i].key));
    ck_assert_msg(figure(audit, "steps") <= result->steps, "%s: events after the last step", text);
    meshcast_report_free(audit);
}

/* Returns the deliveries that routers make: of a message of several packets each packet is
 * delivered. */
static uint64_t deliveries_of(const struct plain_set *set)
{
    uint64_t deliveries = set->deliveries - set->deliveries_at_home;
    for (uint32_t i = 0; set->flits != NULL && i < set->messages; i++)
        if (set->flits[i] > 1)
            deliveries += (set->flits[i] - 1) * (set->offset[i + 1] - set->offset[i]);
    return deliveries;
}

/* The deliveries of the trace, counted line by line, reach each percent in the step of the
 * result. */
static void check_delivery_steps(const char *path, const struct plain_set *set,
                                 const struct case_result *result, const char *text)
{
    char line[128];
    uint64_t made = 0, deliveries = deliveries_of(set);
    uint32_t percent = 0;
    FILE *trace = fopen(path, "r");
    ck_assert_ptr_nonnull(trace);
    while (fgets(line, sizeof line, trace) != NULL) {
        char *end;
        unsigned long long step = strtoull(line, &end, 10);
        if (end == line || (end[1] != 'D' && end[1] != 'E'))
            continue;
        made++;
        for (; percent < CASE_PERCENTS && made * 100 >= percent * deliveries; percent++)
            ck_assert_msg(result->delivery_step[percent] == step,
                          "%s: %u %% were delivered at step %llu, not %" PRIu64, text, percent,
                          step, result->delivery_step[percent]);
    }
    fclose(trace);
    ck_assert(deliveries == 0 || percent == CASE_PERCENTS);
}

void router_case_check(const struct router_case *run, const struct plain_set *set,
                       struct case_result *result)
{
    struct case_result own, untraced;
    struct meshcast_error error = {0};
    char text[ROUTER_CASE_TEXT], path[TEMPORARY_PATH];
    result = result == NULL ? &own : result;
    router_case_text(run, set, text);
    fclose(temporary_file(path));
    enum meshcast_status status = router_case_run(run, set, path, result, &error);
    ck_assert_msg(status == MESHCAST_OK, "%s: %s", text, error.text);
    check_audit(path, set, run->without, result, text);
    if (!run->reduces) /* of which a delivery counts as many times as contributions were combined */
        check_delivery_steps(path, set, result, text);
    unlink(path);

    status = router_case_run(run, set, NULL, &untraced, &error);
    ck_assert_msg(status == MESHCAST_OK, "%s: without a trace: %s", text, error.text);
    ck_assert_msg(router_case_same(result, &untraced), "%s: another result without a trace", text);
    ck_assert_msg(result->missing == 0, "%s: %" PRIu64 " missing", text, result->missing);
    ck_assert_msg(result->delivered == deliveries_of(set), "%s: %" PRIu64 " delivered", text,
                  result->delivered);
    ck_assert_uint_eq(result->degree, set->degree);
    if (deliveries_of(set) == set->deliveries - set->deliveries_at_home) /* c counts packets */
        ck_assert_uint_eq(result->congestion, set->congestion);
    ck_assert_msg(result->steps >= result->lower_bound,
                  "%s: %" PRIu64 " steps, but the bound %" PRIu64, text, result->steps,
                  result->lower_bound);
    ck_assert_msg(result->proven_steps == 0 || result->steps <= result->proven_steps,
                  "%s: %" PRIu64 " steps, proven %" PRIu64, text, result->steps,
                  result->proven_steps);
    check_phases(result, text);
}

void router_case_check_threads(struct router_case run, const struct plain_set *set)
{
    struct case_result result, other;
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
