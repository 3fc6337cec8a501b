/* sweep_plan.c - which runs a sweep consists of.
 *
 * Method: two lists are made, of methods (a router with one choice of its constants,
 * lab/sweep_methods.c) and of subjects; the plan is their product with the lists of the request,
 * and run i is found from i by division. Degree, congestion, messages per node and mesh belong to
 * patterns; a set has its own.
 *
 * Identity: a line of all that the figures of a run depend on. Threads are not in it, because
 * results do not depend on them; nor is the folder of a file, because its contents are
 * (lab/sweep_hash.c): of a set, of a graph that a pattern is made against, of a pattern's inputs,
 * of a file that a router's constant names. Messages per node are no part of a workload's name,
 * like degree and congestion: fits go over them.
 */
#include "lab/sweep_plan.h"

#include "lab/sweep_hash.h"
#include "library/adversary_graph.h"
#include "library/command_set.h"
#include "library/meshcast.h" /* MESHCAST_VERSION */
#include "library/option_table.h"
#include "library/run_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TYPICAL_CONGESTION = 16 }; /* of patterns' defaults, for the weight only */

/* ---- names ---- */

/* Appends to the subject's name. */
static void __attribute__((format(printf, 3, 4)))
append(struct sweep_subject *subject, struct failure *failure, const char *format, ...)
{
    size_t used = strlen(subject->name), room = sizeof subject->name - used;
    va_list list;
    va_start(list, format);
    if ((size_t)vsnprintf(subject->name + used, room, format, list) >= room)
        fail(failure, FAIL_USAGE, "the name %.40s... is too long", subject->name);
    va_end(list);
}

static void append_count(struct sweep_subject *subject, const char *what, uint32_t count,
                         struct failure *failure)
{
    if (count != 0)
        append(subject, failure, ":%s=%" PRIu32, what, count);
}

static void append_file(struct sweep_subject *subject, const char *what, const char *path,
                        struct failure *failure)
{
    char label[SWEEP_TEXT_SIZE];
    uint64_t hash;
    if (sweep_hash_file(path, &hash, failure) != FAIL_NONE)
        return;
    sweep_file_label(label, sizeof label, path, hash);
    append(subject, failure, ":%s=%s", what, label);
    subject->hash = sweep_hash_both(hash, subject->hash);
}

static void append_experts(struct sweep_subject *subject, const struct sweep_plan *plan,
                           struct failure *failure)
{
    const struct pattern_inputs *inputs = &plan->inputs;
    enum expert_order order;
    append_count(subject, "experts", inputs->experts, failure);
    if (!expert_order_find(inputs->place, &order))
        append_file(subject, "place", inputs->place, failure);
    else if (order != EXPERTS_SPREAD)
        append(subject, failure, ":place=%s", expert_order_names[order]);
    if (plan->files.load.count != NULL)
        append_file(subject, "skew", inputs->skew, failure);
    else if (inputs->skew != NULL)
        append(subject, failure, ":skew=%.9g", plan->files.load.exponent);
    append_count(subject, "layer", inputs->layer, failure);
}

static void append_inputs(struct sweep_subject *subject, const struct sweep_plan *plan,
                          struct failure *failure)
{
    const struct pattern_inputs *inputs = &plan->inputs;
    unsigned takes = subject->pattern->takes;
    if (takes & PATTERN_EXPERTS)
        append_experts(subject, plan, failure);
    append_count(subject, "groups", takes & PATTERN_GROUPS ? inputs->groups : 0, failure);
    append_count(subject, "stride", takes & PATTERN_GROUPS ? inputs->stride : 0, failure);
    if ((takes & PATTERN_GROUPS) && inputs->group_file != NULL)
        append_file(subject, "groups", inputs->group_file, failure);
    if ((takes & PATTERN_POPULATIONS) && inputs->matrix != NULL)
        append_file(subject, "matrix", inputs->matrix, failure);
    if ((takes & PATTERN_POPULATIONS) && inputs->active != 0)
        append(subject, failure, ":active=%.9g", inputs->active);
}

/* ---- subjects ---- */

/* Adds the subject, unless there is one of the same name and contents: two paths may lead to one
 * file. */
static void add_subject(struct sweep_plan *plan, const struct sweep_subject *subject)
{
    for (uint32_t i = 0; i < plan->subjects && subject->path != NULL; i++)
        if (plan->subject[i].hash == subject->hash && plan->subject[i].path != NULL &&
            strcmp(plan->subject[i].name, subject->name) == 0)
            return;
    plan->subject[plan->subjects++] = *subject;
}

static enum failure_kind add_set(struct sweep_plan *plan, const char *path, struct failure *failure)
{
    struct message_set set;
    struct sweep_subject subject = {.path = path};
    struct import_summary summary;
    char note[SET_NOTE_SIZE];
    if (strcmp(path, "-") == 0)
        return fail(failure, FAIL_USAGE, "--set takes files; standard input is read only once");
    append(&subject, failure, "%s", sweep_file_name(path));
    if (failure->kind != FAIL_NONE || sweep_hash_file(path, &subject.bytes, failure) != FAIL_NONE ||
        set_file_read(&set, &summary, path, NULL, failure) != FAIL_NONE)
        return failure->kind;
    if (message_set_fit_machine(&set, path, failure) != FAIL_NONE) {
        message_set_free(&set);
        return failure->kind;
    }
    if (set_file_note(&set, &summary, path, note))
        fprintf(stderr, "%s\n", note);
    subject.mesh = set.mesh;
    subject.hash = sweep_hash_set(&set);
    subject.congestion = message_set_congestion(&set);
    subject.per_node = message_set_most_sent(&set);
    message_set_free(&set);
    add_subject(plan, &subject);
    return FAIL_NONE;
}

static enum failure_kind add_graph(struct sweep_plan *plan, const struct pattern *pattern,
                                   const char *path, const char *share, struct failure *failure)
{
    share = share == NULL || strcmp(share, adversary_share_names[0]) == 0 ? NULL : share;
    struct sweep_subject subject = {.pattern = pattern, .path = path, .share = share};
    char label[SWEEP_TEXT_SIZE];
    struct expander read = {0};
    if (sweep_hash_file(path, &subject.hash, failure) == FAIL_NONE)
        expander_read(&read, path, failure); /* so that a bad file is found before the first run */
    expander_free(&read);
    sweep_file_label(label, sizeof label, path, subject.hash);
    append(&subject, failure, "%s:%s%s%s", pattern->name, label, share == NULL ? "" : ":",
           share == NULL ? "" : share);
    if (failure->kind == FAIL_NONE)
        add_subject(plan, &subject);
    return failure->kind;
}

/* Adds a pattern, or, if it needs a graph, the pattern against each of them, with every share. */
static enum failure_kind add_pattern(struct sweep_plan *plan, const struct pattern *pattern,
                                     struct failure *failure)
{
    const struct word_list *graphs = &plan->request->graphs;
    const struct word_list *shares = &plan->request->shares;
    struct sweep_subject subject = {.pattern = pattern};
    if (!(pattern->needs & PATTERN_GRAPH)) {
        append(&subject, failure, "%s", pattern->name);
        append_inputs(&subject, plan, failure);
        add_subject(plan, &subject);
        return failure->kind;
    }
    for (uint32_t g = 0; g < graphs->count; g++)
        for (uint32_t s = 0; s == 0 || s < shares->count; s++)
            if (add_graph(plan, pattern, graphs->value[g], shares->value[s], failure) != FAIL_NONE)
                return failure->kind;
    return FAIL_NONE;
}

static enum failure_kind check_request(const struct sweep_request *request,
                                       const struct pattern *const *pattern,
                                       struct failure *failure)
{
    const struct pattern *against = NULL;
    for (uint32_t p = 0; p < request->patterns.count; p++)
        if (pattern[p]->needs & PATTERN_GRAPH)
            against = pattern[p];
    if (request->patterns.count == 0 && request->files.count == 0)
        return fail(failure, FAIL_USAGE, "nothing to route: give --pattern and --side, or --set");
    if (request->patterns.count != 0 && request->meshes.count == 0)
        return fail(failure, FAIL_USAGE, "missing --side M,...: the meshes of the patterns");
    if (request->patterns.count == 0 && request->meshes.count + request->degrees.count +
                                                request->congestions.count +
                                                request->per_nodes.count !=
                                            0)
        return fail(failure, FAIL_USAGE,
                    "--side, --degree, --congestion and --per-node are for --pattern; a set has "
                    "its own");
    if (pattern_inputs_check(&request->inputs, pattern, request->patterns.count, failure) !=
        FAIL_NONE)
        return failure->kind;
    if (against == NULL && request->graphs.count + request->shares.count != 0)
        return fail(failure, FAIL_USAGE, "--against and --against-share are for pattern adversary");
    if (against != NULL && request->graphs.count == 0)
        return fail(failure, FAIL_USAGE,
                    "pattern %s needs --against GRAPHFILE,..., from 'meshcast expander make'",
                    against->name);
    return FAIL_NONE;
}

static enum failure_kind make_subjects(struct sweep_plan *plan, struct failure *failure)
{
    const struct sweep_request *request = plan->request;
    size_t most = request->patterns.count + request->files.count +
                  (size_t)request->graphs.count * ADVERSARY_SHARES;
    const struct pattern *pattern[OPTION_LIST_MAX];
    plan->inputs = request->inputs;
    for (uint32_t p = 0; p < request->patterns.count; p++)
        pattern_look_up(request->patterns.value[p], &pattern[p], failure);
    if (failure->kind != FAIL_NONE || check_request(request, pattern, failure) != FAIL_NONE ||
        pattern_inputs_read(&plan->inputs, &plan->files, failure) != FAIL_NONE)
        return failure->kind;
    plan->subject = memory_allocate(most, sizeof *plan->subject);
    if (plan->subject == NULL)
        return fail_memory(failure, "the workloads of the sweep");
    for (uint32_t p = 0; p < request->patterns.count && failure->kind == FAIL_NONE; p++)
        add_pattern(plan, pattern[p], failure);
    plan->patterns = plan->subjects;
    for (uint32_t f = 0; f < request->files.count && failure->kind == FAIL_NONE; f++)
        add_set(plan, request->files.value[f], failure);
    return failure->kind;
}

enum failure_kind sweep_check_subject(const struct sweep_plan *plan,
                                      const struct sweep_subject *subject, struct failure *failure)
{
    struct sweep_subject now = {.pattern = subject->pattern};
    if (subject->path != NULL)
        return sweep_check_file(subject->path,
                                subject->pattern == NULL ? subject->bytes : subject->hash, failure);
    append_inputs(&now, plan, failure);
    if (failure->kind == FAIL_NONE && now.hash != subject->hash)
        fail(failure, FAIL_INPUT, "a file of %.200s has changed since the sweep began",
             subject->name);
    return failure->kind;
}

/* ---- the plan ---- */

static uint32_t values_of(const struct word_list *list)
{
    return list->count == 0 ? 1 : list->count;
}

static uint32_t seeds_of(const struct sweep_request *request)
{
    return request->seeds == 0 ? 1 : request->seeds;
}

/* Returns the number of workloads that are patterns. */
static double count_patterns(const struct sweep_plan *plan)
{
    const struct sweep_request *request = plan->request;
    return (double)request->meshes.count * plan->patterns * values_of(&request->degrees) *
           values_of(&request->congestions) * values_of(&request->per_nodes);
}

/* Returns the place among all runs of run `index` of a part. Each group of `parts` consecutive runs
 * has one of each part, in an order that rotates from group to group, so that no part has runs of
 * only one router. */
static uint64_t place_in_all(const struct sweep_plan *plan, uint64_t index)
{
    uint64_t parts = plan->request->parts == 0 ? 1 : plan->request->parts;
    return index * parts + (plan->request->part + index) % parts;
}

enum failure_kind sweep_plan_make(struct sweep_plan *plan, const struct sweep_request *request,
                                  struct failure *failure)
{
    *plan = (struct sweep_plan){.request = request};
    if (request->first_seed > UINT64_MAX - (seeds_of(request) - 1))
        fail(failure, FAIL_USAGE, "--seed and --seeds lead beyond 2^64-1");
    else if (sweep_make_methods(plan, request, failure) == FAIL_NONE)
        make_subjects(plan, failure);
    double runs = (count_patterns(plan) + (plan->subjects - plan->patterns)) * plan->methods *
                  values_of(&request->copies) * values_of(&request->buffers) * seeds_of(request);
    if (failure->kind == FAIL_NONE && runs > SWEEP_MOST_RUNS)
        sweep_fail_too_many(failure);
    uint64_t groups = (uint64_t)runs / (request->parts == 0 ? 1 : request->parts);
    plan->runs = groups + (place_in_all(plan, groups) < (uint64_t)runs);
    if (failure->kind != FAIL_NONE)
        sweep_plan_free(plan);
    return failure->kind;
}

void sweep_plan_free(struct sweep_plan *plan)
{
    free(plan->method);
    free(plan->subject);
    pattern_files_free(&plan->files);
    *plan = (struct sweep_plan){0};
}

/* Takes the place of a list with so many values from the index of a product. */
static uint32_t take(uint64_t *index, uint32_t values)
{
    uint32_t place = (uint32_t)(*index % values);
    *index /= values;
    return place;
}

/* Takes a value of a list; NULL if it was not given. */
static const char *take_value(uint64_t *index, const struct word_list *list)
{
    return list->count == 0 ? NULL : list->value[take(index, list->count)];
}

static void read_mesh(const char *text, struct mesh *mesh)
{
    struct failure none = {0};
    option_take_mesh("side", text, mesh, &none);
}

struct sweep_case sweep_plan_case(const struct sweep_plan *plan, uint64_t index)
{
    const struct sweep_request *request = plan->request;
    struct sweep_case run = {0};
    index = place_in_all(plan, index);
    run.method = &plan->method[take(&index, plan->methods)];
    run.buffer = take_value(&index, &request->buffers);
    run.copy = take_value(&index, &request->copies);
    run.copy = run.copy == NULL ? run_copy_names[0] : run.copy;
    run.seed = request->first_seed + take(&index, seeds_of(request));
    run.workload = index;
    double patterns = count_patterns(plan);
    if ((double)index >= patterns) {
        run.subject = &plan->subject[plan->patterns + index - (uint64_t)patterns];
        run.mesh = run.subject->mesh;
        return run;
    }
    run.per_node = take_value(&index, &request->per_nodes);
    if (run.per_node != NULL && strcmp(run.per_node, "1") == 0)
        run.per_node = NULL; /* the default has no need to be asked */
    run.congestion = take_value(&index, &request->congestions);
    run.degree = take_value(&index, &request->degrees);
    run.subject = &plan->subject[take(&index, plan->patterns)];
    read_mesh(request->meshes.value[index], &run.mesh);
    return run;
}

double sweep_case_weight(const struct sweep_case *run)
{
    const struct sweep_subject *subject = run->subject;
    double nodes = mesh_nodes(run->mesh);
    bool is_set = subject->pattern == NULL;
    double c = is_set                    ? subject->congestion
               : run->congestion == NULL ? TYPICAL_CONGESTION
                                         : atof(run->congestion);
    double l = is_set ? subject->per_node : run->per_node == NULL ? 1 : atof(run->per_node);
    return nodes * sqrt(l * nodes * c);
}

/* ---- texts ---- */

/* Writes a value with what is before it, or nothing if there is none; returns the text. */
static const char *value_text(char text[40], const char *before, const char *value)
{
    snprintf(text, 40, "%s%s", value == NULL ? "" : before, value == NULL ? "" : value);
    return text;
}

static const char *or_zero(const char *value)
{
    return value == NULL ? "0" : value;
}

void sweep_case_identity(const struct sweep_case *run, char identity[SWEEP_IDENTITY_SIZE])
{
    const struct sweep_subject *subject = run->subject;
    char input[32] = "pattern", files[32] = "", per_node[40];
    uint64_t hash = sweep_method_files(run->method);
    if (subject->hash != 0)
        snprintf(input, sizeof input, "%016" PRIx64, subject->hash);
    if (hash != 0)
        snprintf(files, sizeof files, "; files %016" PRIx64, hash);
    snprintf(identity, SWEEP_IDENTITY_SIZE,
             "meshcast %s; router %s; parameters %s%s; copy %s; buffer %s; workload %s; "
             "input %s; rows %" PRIu32 "; cols %" PRIu32 "; degree %s; congestion %s%s; seed "
             "%" PRIu64,
             MESHCAST_VERSION, run->method->router->name, run->method->text, files, run->copy,
             or_zero(run->buffer), subject->name, input, run->mesh.rows, run->mesh.cols,
             or_zero(run->degree), or_zero(run->congestion),
             value_text(per_node, "; per node ", run->per_node), run->seed);
}

void sweep_case_describe(const struct sweep_case *run, char *text, size_t size)
{
    char number[4][40];
    snprintf(text, size, "%s%s%s, copies %s%s, %s %" PRIu32 " x %" PRIu32 "%s%s%s, seed %" PRIu64,
             run->method->router->name, *run->method->text == '\0' ? "" : " ", run->method->text,
             run->copy, value_text(number[0], ", buffer ", run->buffer), run->subject->name,
             run->mesh.rows, run->mesh.cols, value_text(number[1], ", d = ", run->degree),
             value_text(number[2], ", c = ", run->congestion),
             value_text(number[3], ", l = ", run->per_node), run->seed);
}
