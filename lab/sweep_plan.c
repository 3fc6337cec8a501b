/* sweep_plan.c - which runs a sweep consists of.
 *
 * Method: two lists are made, of methods (a router with one choice of its constants,
 * sweep/sweep_methods.c) and of workloads (a pattern on a mesh with d and c, perhaps against a
 * graph, or a file); the plan is the product of these with copies, buffers and seeds, and run i is
 * found from i by division.
 *
 * Identity: a line of all that the figures of a run depend on. Threads are not among it, because
 * results do not depend on them; nor is the folder of a file, because its contents are
 * (sweep/sweep_hash.c): of a set, of a graph that a pattern is made against, of what a pattern is
 * made from (sweep/sweep_patterns.c), of a file that a router's constant names.
 */
#include "lab/sweep_plan.h"

#include "console/report.h"
#include "console/run_options.h"
#include "lab/sweep_hash.h"
#include "lab/sweep_methods.h"
#include "lab/sweep_patterns.h"
#include "library/adversary_graph.h"
#include "library/meshcast.h" /* MESHCAST_VERSION */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TYPICAL_CONGESTION = 16 }; /* of patterns' defaults, for the weight alone */

/* ---- workloads ---- */

static double weight_of(struct mesh mesh, uint32_t congestion, uint32_t per_node)
{
    double nodes = mesh_nodes(mesh), several = per_node == 0 ? 1 : per_node;
    return nodes * sqrt(several * nodes * (congestion == 0 ? TYPICAL_CONGESTION : congestion));
}

/* What a list has at a place; 0 where it was not given. */
static uint32_t value_at(const struct number_list *list, uint32_t place)
{
    return list->count == 0 ? 0 : list->value[place];
}

/* A pattern on a mesh, against one of the graphs or none. One message a node is what nobody has to
 * ask for. */
static void add_pattern(struct sweep_plan *plan, const struct sweep_request *request,
                        const struct sweep_workload *pattern)
{
    const struct number_list *degrees = &request->degrees, *congestions = &request->congestions;
    const struct number_list *per_nodes = &request->per_nodes;
    for (uint32_t d = 0; d == 0 || d < degrees->count; d++)
        for (uint32_t c = 0; c == 0 || c < congestions->count; c++)
            for (uint32_t l = 0; l == 0 || l < per_nodes->count; l++) {
                struct sweep_workload *workload = &plan->workload[plan->workloads++];
                *workload = *pattern;
                workload->degree = value_at(degrees, d);
                workload->congestion = value_at(congestions, c);
                workload->per_node = value_at(per_nodes, l) > 1 ? value_at(per_nodes, l) : 0;
                workload->weight =
                    weight_of(pattern->mesh, workload->congestion, workload->per_node);
            }
}

static void add_patterns(struct sweep_plan *plan, const struct sweep_request *request,
                         const struct sweep_pattern *asked, struct mesh mesh)
{
    const struct pattern *pattern = asked->pattern;
    struct sweep_workload workload = {
        .name = asked->workload, .pattern = pattern, .file_hash = asked->file_hash, .mesh = mesh};
    if (!(pattern->needs & PATTERN_GRAPH))
        add_pattern(plan, request, &workload);
    for (uint32_t g = 0; g < plan->graphs && (pattern->needs & PATTERN_GRAPH); g++) {
        workload.graph = &plan->graph[g];
        workload.name = workload.graph->workload;
        workload.file_hash = workload.graph->hash;
        add_pattern(plan, request, &workload);
    }
}

static enum failure_kind add_file(struct sweep_plan *plan, const char *path,
                                  struct failure *failure)
{
    struct message_set set;
    struct sweep_workload workload = {.name = sweep_file_name(path), .file = path};
    if (strcmp(path, "-") == 0)
        return fail(failure, FAIL_USAGE, "--set takes files; standard input is read only once");
    if (strlen(workload.name) >= SWEEP_TEXT_SIZE)
        return fail(failure, FAIL_USAGE, "the name %.40s... is too long", workload.name);
    if (message_set_read_machine(&set, path, NULL, MEMORY_NO_LIMIT, failure) != FAIL_NONE)
        return failure->kind;
    report_cut_set(&set, path);
    workload.mesh = set.mesh;
    workload.file_hash = sweep_hash_set(&set);
    workload.weight =
        weight_of(set.mesh, message_set_congestion(&set), message_set_most_sent(&set));
    message_set_free(&set);
    for (uint32_t i = 0; i < plan->workloads; i++) {
        const struct sweep_workload *other = &plan->workload[i];
        if (other->file_hash == workload.file_hash && strcmp(other->name, workload.name) == 0)
            return FAIL_NONE;
    }
    plan->workload[plan->workloads++] = workload;
    return FAIL_NONE;
}

static enum failure_kind check_workloads(const struct sweep_request *request,
                                         struct failure *failure)
{
    if (request->patterns.count == 0 && request->files.count == 0)
        return fail(failure, FAIL_USAGE, "nothing to route: give --pattern and --side, or --set");
    if (request->patterns.count != 0 && request->meshes.count == 0)
        return fail(failure, FAIL_USAGE, "missing --side M,...: the meshes of the patterns");
    if (request->patterns.count == 0 &&
        (request->meshes.count != 0 || request->degrees.count != 0 ||
         request->congestions.count != 0 || request->per_nodes.count != 0))
        return fail(failure, FAIL_USAGE,
                    "--side, --degree, --congestion and --per-node are for --pattern; a set has "
                    "its own");
    return pattern_inputs_check(&request->inputs, request->patterns.value, request->patterns.count,
                                failure);
}

/* The pattern of the request that needs a graph, or NULL. */
static const struct pattern *find_against(const struct sweep_request *request)
{
    for (uint32_t p = 0; p < request->patterns.count; p++)
        if (request->patterns.value[p]->needs & PATTERN_GRAPH)
            return request->patterns.value[p];
    return NULL;
}

static enum failure_kind add_graph(struct sweep_plan *plan, const struct pattern *pattern,
                                   const char *path, uint32_t share, uint64_t limit,
                                   struct failure *failure)
{
    struct sweep_graph *graph = &plan->graph[plan->graphs];
    char label[SWEEP_TEXT_SIZE];
    struct expander read = {0};
    *graph = (struct sweep_graph){.path = path, .share = share};
    if (sweep_hash_file(path, &graph->hash, failure) == FAIL_NONE)
        expander_read_within(&read, path, limit,
                             failure); /* so that a bad file is told before the first run */
    expander_free(&read);
    if (failure->kind != FAIL_NONE)
        return failure->kind;
    size_t used = sweep_file_label(label, sizeof label, path, graph->hash);
    if (used + strlen(pattern->name) + 8 >= sizeof label)
        return fail(failure, FAIL_USAGE, "the name %.40s... is too long", sweep_file_name(path));
    snprintf(graph->workload, sizeof graph->workload, "%s:%.480s%s%s", pattern->name, label,
             share == 0 ? "" : ":", share == 0 ? "" : adversary_share_names[share]);
    for (uint32_t g = 0; g < plan->graphs; g++)
        if (plan->graph[g].hash == graph->hash &&
            strcmp(plan->graph[g].workload, graph->workload) == 0)
            return FAIL_NONE;
    plan->graphs++;
    return FAIL_NONE;
}

/* The graphs that patterns are made against, each with every share. */
static enum failure_kind make_graphs(struct sweep_plan *plan, const struct sweep_request *request,
                                     struct failure *failure)
{
    const struct pattern *pattern = find_against(request);
    const struct word_list *paths = &request->graphs;
    const struct number_list *shares = &request->shares;
    if (pattern == NULL && paths->count + shares->count != 0)
        return fail(failure, FAIL_USAGE, "--against and --against-share are for pattern adversary");
    if (pattern != NULL && paths->count == 0)
        return fail(failure, FAIL_USAGE,
                    "pattern %s needs --against GRAPHFILE,..., from 'meshcast expander make'",
                    pattern->name);
    plan->graph = memory_allocate((size_t)paths->count * ADVERSARY_SHARES, sizeof *plan->graph);
    if (plan->graph == NULL)
        return fail_memory(failure, "the graphs of the sweep");
    for (uint32_t g = 0; g < paths->count; g++)
        for (uint32_t s = 0; s == 0 || s < shares->count; s++)
            if (add_graph(plan, pattern, paths->value[g], shares->count == 0 ? 0 : shares->value[s],
                          request->memory, failure) != FAIL_NONE)
                return failure->kind;
    return FAIL_NONE;
}

static enum failure_kind make_workloads(struct sweep_plan *plan,
                                        const struct sweep_request *request,
                                        struct failure *failure)
{
    if (check_workloads(request, failure) != FAIL_NONE ||
        sweep_make_patterns(plan, request, failure) != FAIL_NONE ||
        make_graphs(plan, request, failure) != FAIL_NONE)
        return failure->kind;
    uint32_t degrees = request->degrees.count == 0 ? 1 : request->degrees.count;
    uint32_t congestions = request->congestions.count == 0 ? 1 : request->congestions.count;
    uint32_t per_nodes = request->per_nodes.count == 0 ? 1 : request->per_nodes.count;
    uint64_t count = ((uint64_t)request->patterns.count + plan->graphs) * request->meshes.count *
                         degrees * congestions * per_nodes +
                     request->files.count;
    if (count > SWEEP_MOST_RUNS)
        return sweep_fail_too_many(failure);
    plan->workload = memory_allocate(count, sizeof *plan->workload);
    if (plan->workload == NULL)
        return fail_memory(failure, "the workloads of the sweep");
    for (uint32_t m = 0; m < request->meshes.count; m++)
        for (uint32_t p = 0; p < request->patterns.count; p++)
            add_patterns(plan, request, &plan->pattern[p], request->meshes.value[m]);
    for (uint32_t f = 0; f < request->files.count; f++)
        if (add_file(plan, request->files.value[f], failure) != FAIL_NONE)
            return failure->kind;
    return FAIL_NONE;
}

/* ---- the plan ---- */

/* Returns the place among all runs of run `index` of a part. Each group of `parts` consecutive runs
 * has one of each part, in an order that rotates from group to group, so that no part has runs of
 * only one router. */
static uint64_t place_in_all(const struct sweep_plan *plan, uint64_t index)
{
    return index * plan->parts + (plan->part + index) % plan->parts;
}

/* Returns how many of so many runs are in the plan's part. */
static uint64_t count_part(const struct sweep_plan *plan, uint64_t all)
{
    uint64_t groups = all / plan->parts;
    return groups + (place_in_all(plan, groups) < all);
}

static void take_numbers(const struct number_list *list, uint32_t *count, uint32_t *value)
{
    *count = list->count == 0 ? 1 : list->count; /* the default is 0 */
    memcpy(value, list->value, sizeof list->value);
    if (list->count == 0)
        value[0] = 0;
}

enum failure_kind sweep_plan_make(struct sweep_plan *plan, const struct sweep_request *request,
                                  struct failure *failure)
{
    *plan = (struct sweep_plan){.first_seed = request->first_seed,
                                .seeds = request->seeds == 0 ? 1 : request->seeds,
                                .part = request->part,
                                .parts = request->parts == 0 ? 1 : request->parts};
    take_numbers(&request->copies, &plan->copies, plan->copy);
    take_numbers(&request->buffers, &plan->buffers, plan->buffer);
    if (request->first_seed > UINT64_MAX - (plan->seeds - 1))
        fail(failure, FAIL_USAGE, "--seed and --seeds lead beyond 2^64-1");
    else if (sweep_make_methods(plan, request, failure) == FAIL_NONE)
        make_workloads(plan, request, failure);

    double runs = (double)plan->methods * plan->workloads * plan->copies * plan->buffers;
    if (failure->kind == FAIL_NONE && runs * plan->seeds > SWEEP_MOST_RUNS)
        sweep_fail_too_many(failure);
    plan->runs = count_part(plan, (uint64_t)runs * plan->seeds);
    if (failure->kind != FAIL_NONE)
        sweep_plan_free(plan);
    return failure->kind;
}

void sweep_plan_free(struct sweep_plan *plan)
{
    free(plan->method);
    free(plan->workload);
    free(plan->graph);
    free(plan->pattern);
    pattern_files_free(&plan->files);
    *plan = (struct sweep_plan){0};
}

struct sweep_case sweep_plan_case(const struct sweep_plan *plan, uint64_t index)
{
    struct sweep_case run;
    index = place_in_all(plan, index);
    run.method = &plan->method[index % plan->methods];
    index /= plan->methods;
    run.buffer = plan->buffer[index % plan->buffers];
    index /= plan->buffers;
    run.copy = plan->copy[index % plan->copies];
    index /= plan->copies;
    run.seed = plan->first_seed + index % plan->seeds;
    index /= plan->seeds;
    run.workload = &plan->workload[index];
    return run;
}

static const char *copy_name(const struct sweep_case *run)
{
    return run_copy_name(&(struct run_options){.copy = run->copy});
}

void sweep_case_identity(const struct sweep_case *run, char identity[SWEEP_IDENTITY_SIZE])
{
    const struct sweep_workload *workload = run->workload;
    char input[32] = "pattern", files[32] = "", per_node[32] = "";
    uint64_t hash = sweep_method_files(run->method);
    if (workload->file_hash != 0)
        snprintf(input, sizeof input, "%016" PRIx64, workload->file_hash);
    if (hash != 0)
        snprintf(files, sizeof files, "; files %016" PRIx64, hash);
    if (workload->per_node != 0)
        snprintf(per_node, sizeof per_node, "; per node %" PRIu32, workload->per_node);
    snprintf(identity, SWEEP_IDENTITY_SIZE,
             "meshcast %s; router %s; parameters %s%s; copy %s; buffer %" PRIu32 "; workload %s; "
             "input %s; rows %" PRIu32 "; cols %" PRIu32 "; degree %" PRIu32 "; congestion %" PRIu32
             "%s; seed %" PRIu64,
             MESHCAST_VERSION, run->method->router->name, run->method->text, files, copy_name(run),
             run->buffer, workload->name, input, workload->mesh.rows, workload->mesh.cols,
             workload->degree, workload->congestion, per_node, run->seed);
}

void sweep_case_describe(const struct sweep_case *run, char *text, size_t size)
{
    const struct sweep_workload *workload = run->workload;
    char degree[32] = "", congestion[32] = "", buffer[32] = "", per_node[32] = "";
    if (workload->degree != 0)
        snprintf(degree, sizeof degree, ", d = %" PRIu32, workload->degree);
    if (workload->congestion != 0)
        snprintf(congestion, sizeof congestion, ", c = %" PRIu32, workload->congestion);
    if (workload->per_node != 0)
        snprintf(per_node, sizeof per_node, ", l = %" PRIu32, workload->per_node);
    if (run->buffer != 0)
        snprintf(buffer, sizeof buffer, ", buffer %" PRIu32, run->buffer);
    snprintf(text, size, "%s%s%s, copies %s%s, %s %" PRIu32 " x %" PRIu32 "%s%s%s, seed %" PRIu64,
             run->method->router->name, *run->method->text == '\0' ? "" : " ", run->method->text,
             copy_name(run), buffer, workload->name, workload->mesh.rows, workload->mesh.cols,
             degree, congestion, per_node, run->seed);
}
